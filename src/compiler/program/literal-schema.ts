import ts from "typescript";
import type { Json } from "../../core/json/json.ts";
import { schemaFault, type JsonSchema } from "../../core/json/json-schema.ts";
import type { CodeFinding, CodePosition } from "./compiled-code.ts";
import { codePositionAt } from "./ts-program.ts";
import { exportedSymbol } from "./default-export.ts";

/** A schema that the code exports by name, read without running the code. Nothing where there is no such export. */
export function literalSchema(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  name: "inputSchema" | "outputSchema",
): { readonly schema: JsonSchema; readonly place: CodePosition } | CodeFinding | undefined {
  const symbol = exportedSymbol(checker, file, name);
  const declaration = symbol?.declarations?.[0];
  if (!symbol || !declaration || !(symbol.flags & ts.SymbolFlags.Value)) return undefined;
  const value = constInitializer(declaration);
  if (!value) return notLiteral(declaration, name, "it is not a const with a value");
  const read = new LiteralReading(checker).read(value, 0);
  if ("fault" in read)
    return notLiteral(read.fault, name, `\`${shortText(read.fault)}\` is not known before the code runs`);
  const place = codePositionAt(value.getSourceFile(), value.getStart());
  const fault = schemaFault(read.value);
  return fault === undefined ? { schema: read.value as JsonSchema, place } : invalid(place, name, fault);
}

/** The value of an expression that is known before the code runs. */
export function literalValue(checker: ts.TypeChecker, expression: ts.Expression): Json | undefined {
  const read = new LiteralReading(checker).read(expression, 0);
  return "fault" in read ? undefined : read.value;
}

/** The value of a declared `const`, without the type that is asserted of it. */
export function constInitializer(declaration: ts.Node): ts.Expression | undefined {
  if (!ts.isVariableDeclaration(declaration) || !declaration.initializer) return undefined;
  return ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const
    ? withoutAssertions(declaration.initializer)
    : undefined;
}

export function withoutAssertions(expression: ts.Expression): ts.Expression {
  if (
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isParenthesizedExpression(expression) ||
    ts.isTypeAssertionExpression(expression)
  ) {
    return withoutAssertions(expression.expression);
  }
  return expression;
}

type Read = { readonly value: Json } | { readonly fault: ts.Node };

const MAX_PARTS = 20_000;
const MAX_DEPTH = 100;

class LiteralReading {
  readonly #checker: ts.TypeChecker;
  #parts = 0;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  // The depth also ends cycles: `const a = { ...b }, b = { ...a }`.
  read(written: ts.Expression, depth: number): Read {
    const node = withoutAssertions(written);
    this.#parts += 1;
    if (this.#parts > MAX_PARTS || depth > MAX_DEPTH) return { fault: node };
    if (ts.isStringLiteralLike(node)) return { value: node.text };
    if (ts.isNumericLiteral(node)) return finite(Number(node.text), node);
    if (ts.isPrefixUnaryExpression(node)) return signed(node);
    if (node.kind === ts.SyntaxKind.TrueKeyword) return { value: true };
    if (node.kind === ts.SyntaxKind.FalseKeyword) return { value: false };
    if (node.kind === ts.SyntaxKind.NullKeyword) return { value: null };
    if (ts.isArrayLiteralExpression(node)) return this.#list(node, depth);
    if (ts.isObjectLiteralExpression(node)) return this.#object(node, depth);
    if (ts.isIdentifier(node)) return this.#reference(this.#checker.getSymbolAtLocation(node), node, depth);
    if (ts.isPropertyAccessExpression(node)) return this.#member(node, depth);
    return { fault: node };
  }

  #list(list: ts.ArrayLiteralExpression, depth: number): Read {
    const values: Json[] = [];
    for (const element of list.elements) {
      const spread = ts.isSpreadElement(element);
      const read = this.read(spread ? element.expression : element, depth + 1);
      if ("fault" in read) return read;
      if (!spread) values.push(read.value);
      else if (Array.isArray(read.value)) values.push(...(read.value as readonly Json[]));
      else return { fault: element };
      this.#parts += values.length;
    }
    return { value: values };
  }

  #object(object: ts.ObjectLiteralExpression, depth: number): Read {
    const entries: [string, Json][] = [];
    for (const property of object.properties) {
      const read = this.#property(property, depth);
      if ("fault" in read) return read;
      entries.push(...read.entries);
      this.#parts += entries.length;
    }
    return { value: Object.fromEntries(entries) };
  }

  #property(
    property: ts.ObjectLiteralElementLike,
    depth: number,
  ): { readonly entries: readonly [string, Json][] } | { readonly fault: ts.Node } {
    if (ts.isSpreadAssignment(property)) {
      const read = this.read(property.expression, depth + 1);
      if ("fault" in read) return read;
      return isObject(read.value) ? { entries: Object.entries(read.value) } : { fault: property };
    }
    const name = property.name && keyOf(property.name);
    if (name === undefined || name === "__proto__") return { fault: property };
    const read = ts.isShorthandPropertyAssignment(property)
      ? this.#reference(this.#checker.getShorthandAssignmentValueSymbol(property), property, depth)
      : ts.isPropertyAssignment(property)
        ? this.read(property.initializer, depth + 1)
        : { fault: property };
    return "fault" in read ? read : { entries: [[name, read.value]] };
  }

  #member(access: ts.PropertyAccessExpression, depth: number): Read {
    const owner = this.read(access.expression, depth + 1);
    if ("fault" in owner) return owner;
    const value =
      isObject(owner.value) && Object.hasOwn(owner.value, access.name.text)
        ? owner.value[access.name.text]
        : undefined;
    return value === undefined ? { fault: access } : { value };
  }

  #reference(symbol: ts.Symbol | undefined, node: ts.Node, depth: number): Read {
    const target =
      symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target?.valueDeclaration;
    const value = declaration && constInitializer(declaration);
    return value ? this.read(value, depth + 1) : { fault: node };
  }
}

function keyOf(name: ts.PropertyName): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return name.text;
  if (ts.isNumericLiteral(name)) return String(Number(name.text));
  return ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)
    ? name.expression.text
    : undefined;
}

function signed(node: ts.PrefixUnaryExpression): Read {
  const sign =
    node.operator === ts.SyntaxKind.MinusToken ? -1 : node.operator === ts.SyntaxKind.PlusToken ? 1 : 0;
  return sign !== 0 && ts.isNumericLiteral(node.operand)
    ? finite(sign * Number(node.operand.text), node)
    : { fault: node };
}

function finite(value: number, node: ts.Node): Read {
  return Number.isFinite(value) ? { value } : { fault: node };
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notLiteral(node: ts.Node, name: string, why: string): CodeFinding {
  return {
    code: "schema-not-literal",
    severity: "error",
    ...codePositionAt(node.getSourceFile(), node.getStart()),
    message: `\`${name}\` cannot be read without running the code: ${why}`,
    fix: "Write the schema as a literal; it may refer to and spread other const literals",
  };
}

function invalid(place: CodePosition, name: string, fault: string): CodeFinding {
  return {
    code: "schema-invalid",
    severity: "error",
    ...place,
    message: `\`${name}\` is not valid JSON Schema: ${fault}`,
    fix: "Correct the schema; it is read as JSON Schema 2020-12",
  };
}

function shortText(node: ts.Node): string {
  const text = node.getText();
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
