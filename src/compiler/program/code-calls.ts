import ts from "typescript";
import type { CodeCall, OpenCall } from "./compiled-code.ts";
import { codePositionAt, isAuthored, isBundled } from "./ts-program.ts";
import { constInitializer } from "./literal-schema.ts";
import { References } from "./references.ts";
import { staticNames, patternsOf, type StaticName, functionName } from "./static-names.ts";

export interface CodeCalls {
  readonly calls: readonly CodeCall[];
  readonly tools: readonly CodeCall[];
  readonly openCalls: readonly OpenCall[];
  readonly dynamic: boolean;
  readonly repeated: boolean;
  readonly callsTools: boolean;
}

/** What the files call through `call_skill` and `call_tool`, as far as the source text tells. */
export function callsIn(checker: ts.TypeChecker, files: readonly ts.SourceFile[]): CodeCalls {
  const references = new References(checker, files);
  const calls: CodeCall[] = [];
  const tools: CodeCall[] = [];
  const openCalls: OpenCall[] = [];
  let repeated = false;
  let callsTools = false;
  for (const { hostFunction, at } of files.flatMap((file) => hostFunctionUses(checker, file, references))) {
    const names = staticCallees(checker, at, references);
    if (!names) openCalls.push(openCall(checker, hostFunction, at, references));
    callsTools ||= hostFunction === "call_tool";
    repeated ||= hostFunction === "call_skill" && isRepeated(checker, at, references);
    const found = hostFunction === "call_tool" ? tools : calls;
    for (const name of names ?? [])
      found.push({ callee: name.text, ...codePositionAt(name.at.getSourceFile(), name.at.getStart()) });
  }
  // What is taken from the global object by a computed name may be `call_skill` or `call_tool`. Bundled libraries keep
  // their own things there, and what they call that no source names is refused when they run.
  for (const at of files.filter((file) => !isBundled(file)).flatMap(openGlobalUses)) {
    const place = codePositionAt(at.getSourceFile(), at.getStart());
    openCalls.push({ world: "call_skill", ...place }, { world: "call_tool", ...place });
    callsTools = true;
  }
  return { calls, tools, openCalls, dynamic: openCalls.length > 0, repeated, callsTools };
}

function openCall(
  checker: ts.TypeChecker,
  world: OpenCall["world"],
  at: ts.Identifier,
  references: References,
): OpenCall {
  const name = nameArgument(at);
  const patterns = name && patternsOf(checker, name, references);
  const place = codePositionAt(at.getSourceFile(), (name ?? at).getStart());
  return { world, ...place, ...(patterns ? { patterns, written: name?.getText() } : {}) };
}

/** Where the code uses one of the world's functions. */
export interface HostFunctionUse {
  readonly hostFunction: "call_skill" | "call_tool";
  readonly at: ts.Identifier;
}

/** The identifiers that mean the world's own `call_skill` or `call_tool`, in the order of the text. */
export function hostFunctionUses(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  references: References,
): readonly HostFunctionUse[] {
  if (!/call_(?:skill|tool)/.test(file.text)) return [];
  const uses: HostFunctionUse[] = [];
  const open: ts.Node[] = [file];
  for (let node = open.pop(); node; node = open.pop()) {
    if (ts.isIdentifier(node)) {
      if (!isHostFunction(checker, node) || (node.text !== "call_skill" && node.text !== "call_tool"))
        continue;
      const hostFunction = node.text;
      for (const at of otherNames(checker, node, references) ?? [node]) uses.push({ hostFunction, at });
    } else if (!ts.isTypeNode(node)) {
      const children: ts.Node[] = [];
      ts.forEachChild(node, (child) => void children.push(child));
      open.push(...children.toReversed());
    }
  }
  return uses;
}

/** Where the global object is used otherwise than for a part of it that the text names. */
function openGlobalUses(file: ts.SourceFile): readonly ts.Identifier[] {
  if (!file.text.includes("globalThis")) return [];
  const uses: ts.Identifier[] = [];
  const open: ts.Node[] = [file];
  for (let node = open.pop(); node; node = open.pop()) {
    if (ts.isIdentifier(node) && node.text === "globalThis" && !isOfNamedPart(node)) uses.push(node);
    if (ts.isTypeNode(node)) continue;
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    open.push(...children.toReversed());
  }
  return uses;
}

function isOfNamedPart(globalObject: ts.Identifier): boolean {
  let whole: ts.Expression = globalObject;
  while (isAsserted(whole.parent)) whole = whole.parent;
  const { parent } = whole;
  if (ts.isTypeOfExpression(parent)) return true;
  // By its own name, and of the declared type, it is found as any other use of the function.
  if (ts.isPropertyAccessExpression(parent)) return whole === globalObject || !isCallName(parent.name.text);
  return (
    ts.isElementAccessExpression(parent) &&
    parent.expression === whole &&
    ts.isStringLiteralLike(parent.argumentExpression) &&
    !isCallName(parent.argumentExpression.text)
  );
}

function isCallName(name: string): boolean {
  return name === "call_skill" || name === "call_tool";
}

function isAsserted(
  node: ts.Node,
): node is ts.AsExpression | ts.ParenthesizedExpression | ts.NonNullExpression {
  return ts.isAsExpression(node) || ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node);
}

/** Whether an identifier means what the world declares, not what the author does. */
export function isHostFunction(checker: ts.TypeChecker, identifier: ts.Identifier): boolean {
  if (!isCallName(identifier.text)) return false;
  const symbol = ts.isShorthandPropertyAssignment(identifier.parent)
    ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
    : checker.getSymbolAtLocation(identifier);
  const declarations = symbol?.declarations ?? [];
  return declarations.length > 0 && !declarations.some(isAuthored);
}

/** Where the function is used by the other name that a `const` gives it; nothing where none does. */
function otherNames(
  checker: ts.TypeChecker,
  use: ts.Identifier,
  references: References,
): readonly ts.Identifier[] | undefined {
  const declaration = ts.findAncestor(
    use,
    (node) => node.parent && ts.isVariableDeclaration(node.parent),
  )?.parent;
  if (!declaration || constInitializer(declaration) !== use) return undefined;
  const { name } = declaration as ts.VariableDeclaration;
  const symbol = ts.isIdentifier(name) ? checker.getSymbolAtLocation(name) : undefined;
  return symbol && references.of(symbol).filter((each) => each !== name);
}

/** The names that a call can have; nothing where they are known only at run time, or it is no call but passed on. */
export function staticCallees(
  checker: ts.TypeChecker,
  use: ts.Identifier,
  references: References,
): readonly StaticName[] | undefined {
  const name = nameArgument(use);
  return name && staticNames(checker, name, references);
}

/** What a call gives as the name; nothing where it is no call but passed on. */
function nameArgument(use: ts.Identifier): ts.Expression | undefined {
  const callee = ts.isPropertyAccessExpression(use.parent) && use.parent.name === use ? use.parent : use;
  const call = callee.parent;
  return ts.isCallExpression(call) && call.expression === callee ? call.arguments[0] : undefined;
}

/** Whether code may run more than once in a call of the skill: in a loop, for each member of a list, or by recursion. */
function isRepeated(checker: ts.TypeChecker, node: ts.Node, references: References): boolean {
  return new Repetition(checker, references).isRepeated(node);
}

class Repetition {
  readonly #checker: ts.TypeChecker;
  readonly #references: References;
  /** Functions that are being looked at, outermost first. */
  readonly #open = new Set<ts.Node>();
  readonly #once = new Set<ts.Node>();

  constructor(checker: ts.TypeChecker, references: References) {
    this.#checker = checker;
    this.#references = references;
  }

  isRepeated(node: ts.Node): boolean {
    for (let child = node, { parent } = node; parent; child = parent, { parent } = parent) {
      if (isLooped(child, parent)) return true;
      if (!ts.isFunctionLike(child)) continue;
      if (isCalledForEach(child, parent)) return true;
      const name = functionName(child);
      if (name) return this.#isFunctionRepeated(child, name);
    }
    return false;
  }

  #isFunctionRepeated(owner: ts.Node, name: ts.Identifier): boolean {
    if (this.#open.has(owner)) return true;
    if (this.#once.has(owner)) return false;
    this.#open.add(owner);
    const symbol = this.#checker.getSymbolAtLocation(name);
    const uses = symbol ? this.#references.of(symbol).filter((use) => isUse(use, name)) : [];
    const repeated = uses.some((use) => isPassedToEach(use) || this.isRepeated(use));
    this.#open.delete(owner);
    this.#once.add(owner);
    return repeated;
  }
}

function isUse(use: ts.Identifier, name: ts.Identifier): boolean {
  return use !== name && !ts.isImportSpecifier(use.parent) && !ts.isExportSpecifier(use.parent);
}

function isLooped(child: ts.Node, parent: ts.Node): boolean {
  if (ts.isForOfStatement(parent) || ts.isForInStatement(parent)) return child === parent.statement;
  if (ts.isForStatement(parent)) return child !== parent.initializer;
  return ts.isWhileStatement(parent) || ts.isDoStatement(parent);
}

function isCalledForEach(callback: ts.Node, call: ts.Node): boolean {
  if (!ts.isCallExpression(call) || call.expression === callback) return false;
  const { expression } = call;
  return ts.isPropertyAccessExpression(expression) && REPEATS.has(expression.name.text);
}

function isPassedToEach(use: ts.Identifier): boolean {
  return isCalledForEach(use, use.parent);
}

const REPEATS = new Set([
  "map",
  "forEach",
  "flatMap",
  "filter",
  "some",
  "every",
  "find",
  "findIndex",
  "findLast",
  "reduce",
  "reduceRight",
  "from",
  "fromAsync",
  "sort",
  "toSorted",
  "replace",
  "replaceAll",
]);
