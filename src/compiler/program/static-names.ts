import ts from "typescript";
import { constInitializer, withoutAssertions } from "./literal-schema.ts";
import type { References } from "./references.ts";

/** A name that an expression can have, and where it is used or, if it is one of several, written. */
export interface StaticName {
  readonly text: string;
  readonly at: ts.Node;
}

const MAX_NAMES = 64;
const MAX_STEPS = 16;

/**
 * All the names that an expression can have: of literals, constants, templates, choices, members of constant lists
 * that a loop goes over, and arguments of local functions. Nothing where only running the code tells.
 */
export function staticNames(
  checker: ts.TypeChecker,
  written: ts.Expression,
  references: References,
): readonly StaticName[] | undefined {
  return new NameReading(checker, references).namesOf(written, 0);
}

/**
 * Patterns, in which `*` stands for any characters, of which every name fits one that an expression can have: of
 * templates and sums with something in them that the text tells. Nothing where it tells nothing.
 */
export function patternsOf(
  checker: ts.TypeChecker,
  written: ts.Expression,
  references: References,
): readonly string[] | undefined {
  let patterns = [""];
  for (const texts of partsOf(new NameReading(checker, references), written, 0))
    patterns = (patterns.length * texts.length > MAX_NAMES ? ["*"] : texts).flatMap((text) =>
      patterns.map((pattern) => pattern + text),
    );
  return patterns.some((pattern) => /^\*+$/.test(pattern)) ? undefined : patterns;
}

/** For each part of a text, one after the other, what it can be. */
function partsOf(reading: NameReading, written: ts.Expression, step: number): readonly (readonly string[])[] {
  const node = withoutAssertions(written);
  const names = reading.namesOf(node, 0);
  if (names) return [names.map(({ text }) => text)];
  if (step > MAX_STEPS) return [["*"]];
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.flatMap((span) => [
      ...partsOf(reading, span.expression, step + 1),
      [span.literal.text],
    ]);
    return [[node.head.text], ...spans];
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return [...partsOf(reading, node.left, step + 1), ...partsOf(reading, node.right, step + 1)];
  const value = reading.valueOf(node);
  return value ? partsOf(reading, value, step + 1) : [["*"]];
}

class NameReading {
  readonly #checker: ts.TypeChecker;
  readonly #references: References;

  constructor(checker: ts.TypeChecker, references: References) {
    this.#checker = checker;
    this.#references = references;
  }

  namesOf(written: ts.Expression, step: number): readonly StaticName[] | undefined {
    const node = withoutAssertions(written);
    if (step > MAX_STEPS) return undefined;
    const names = this.#shownBy(node, step + 1) ?? this.#typed(node);
    return names && names.length <= MAX_NAMES ? names : undefined;
  }

  #shownBy(node: ts.Expression, step: number): readonly StaticName[] | undefined {
    if (ts.isStringLiteralLike(node)) return [{ text: node.text, at: node }];
    if (ts.isConditionalExpression(node)) return this.#either([node.whenTrue, node.whenFalse], step);
    if (ts.isTemplateExpression(node)) return this.#template(node, step);
    if (!ts.isIdentifier(node)) return undefined;
    const symbol = this.#checker.getSymbolAtLocation(node);
    const target =
      symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target?.valueDeclaration;
    if (!declaration) return undefined;
    const value = constInitializer(declaration);
    if (value) return this.namesOf(value, step)?.map(({ text }) => ({ text, at: node }));
    if (ts.isVariableDeclaration(declaration)) return this.#membersLoopedOver(declaration, step);
    return ts.isParameter(declaration) ? this.#arguments(declaration, step) : undefined;
  }

  /** What a constant that is named here was given. */
  valueOf(node: ts.Expression): ts.Expression | undefined {
    const symbol = ts.isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined;
    return symbol?.valueDeclaration && constInitializer(symbol.valueDeclaration);
  }

  #either(choices: readonly ts.Expression[], step: number): readonly StaticName[] | undefined {
    const names: StaticName[] = [];
    for (const choice of choices) {
      const some = this.namesOf(choice, step);
      if (!some || names.length + some.length > MAX_NAMES) return undefined;
      names.push(...some);
    }
    return names;
  }

  #template(node: ts.TemplateExpression, step: number): readonly StaticName[] | undefined {
    let texts = [node.head.text];
    for (const span of node.templateSpans) {
      const inserted = this.namesOf(span.expression, step);
      if (!inserted || texts.length * inserted.length > MAX_NAMES) return undefined;
      texts = texts.flatMap((text) => inserted.map((name) => text + name.text + span.literal.text));
    }
    return texts.map((text) => ({ text, at: node }));
  }

  #membersLoopedOver(declaration: ts.VariableDeclaration, step: number): readonly StaticName[] | undefined {
    const loop = declaration.parent.parent;
    return ts.isForOfStatement(loop) ? this.#members(loop.expression, step) : undefined;
  }

  #members(list: ts.Expression, step: number): readonly StaticName[] | undefined {
    const node = withoutAssertions(list);
    if (ts.isArrayLiteralExpression(node)) return this.#either(node.elements, step);
    if (!ts.isIdentifier(node) || step > MAX_STEPS) return undefined;
    const declaration = this.#checker.getSymbolAtLocation(node)?.valueDeclaration;
    const value = declaration && constInitializer(declaration);
    return value && this.#members(value, step + 1);
  }

  /** What a local function is called with, or a callback by the list that it goes over. */
  #arguments(parameter: ts.ParameterDeclaration, step: number): readonly StaticName[] | undefined {
    const owner = parameter.parent;
    const place = owner.parameters.indexOf(parameter);
    if (parameter.dotDotDotToken || !ts.isFunctionLike(owner)) return undefined;
    const call = owner.parent;
    if (ts.isCallExpression(call) && call.arguments[0] === owner && place === 0) {
      const { expression } = call;
      return ts.isPropertyAccessExpression(expression) && GOES_OVER.has(expression.name.text)
        ? this.#members(expression.expression, step)
        : undefined;
    }
    const calls = this.#callsOf(owner);
    const given = calls?.map((each) => each.arguments[place]);
    return given && given.length > 0 && given.every((each) => each !== undefined)
      ? this.#either(given, step)
      : undefined;
  }

  /** All calls of a local function; nothing where it is exported or passed on, so that others may call it. */
  #callsOf(owner: ts.SignatureDeclaration): readonly ts.CallExpression[] | undefined {
    const name = functionName(owner);
    const symbol = name && this.#checker.getSymbolAtLocation(name);
    if (!symbol || isDefaultExport(owner)) return undefined;
    const calls: ts.CallExpression[] = [];
    for (const use of this.#references.of(symbol)) {
      if (use === name || ts.isImportSpecifier(use.parent) || ts.isExportSpecifier(use.parent)) continue;
      if (!ts.isCallExpression(use.parent) || use.parent.expression !== use) return undefined;
      calls.push(use.parent);
    }
    return calls;
  }

  /** By the type alone: one of some literals. */
  #typed(node: ts.Expression): readonly StaticName[] | undefined {
    const type = this.#checker.getTypeAtLocation(node);
    const members = type.isUnion() ? type.types : [type];
    const names = members.map((member) =>
      member.isStringLiteral() ? { text: member.value, at: node } : undefined,
    );
    return names.every((name) => name !== undefined) ? names : undefined;
  }
}

const GOES_OVER = new Set(["map", "forEach", "flatMap", "filter", "some", "every", "find"]);

/** The name by which the rest of the code knows a function. */
export function functionName(owner: ts.Node): ts.Identifier | undefined {
  if (ts.isFunctionDeclaration(owner)) return owner.name;
  const { parent } = owner;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent))
    return ts.isIdentifier(parent.name) ? parent.name : undefined;
  if (ts.isMethodDeclaration(owner)) return ts.isIdentifier(owner.name) ? owner.name : undefined;
  return undefined;
}

function isDefaultExport(owner: ts.Node): boolean {
  return (
    ts.canHaveModifiers(owner) &&
    (ts.getModifiers(owner)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false)
  );
}
