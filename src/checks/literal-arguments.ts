import ts from "typescript";
import { isJsonObject, type Json } from "../core/json/json.ts";
import { validatorOf, type JsonSchema } from "../core/json/json-schema.ts";
import { hostFunctionUses } from "../compiler/program/code-calls.ts";
import { codePositionAt } from "../compiler/program/ts-program.ts";
import type { CodeFinding } from "../compiler/program/compiled-code.ts";
import type { CallableSkill } from "../contracts/to-types/contract-types.ts";
import { literalValue, withoutAssertions } from "../compiler/program/literal-schema.ts";
import { References } from "../compiler/program/references.ts";
import { staticNames } from "../compiler/program/static-names.ts";

export interface LiteralFault {
  readonly node: ts.Node;
  readonly finding: CodeFinding;
}

/** Values written in calls that break what a type cannot say: bounds, patterns, formats, lengths. */
export function literalFaults(
  checker: ts.TypeChecker,
  file: ts.SourceFile,
  callable: ReadonlyMap<string, CallableSkill>,
): readonly LiteralFault[] {
  const references = new References(checker, [file]);
  return hostFunctionUses(checker, file, references).flatMap(({ hostFunction, at }) => {
    const callee = ts.isPropertyAccessExpression(at.parent) ? at.parent : at;
    const call = callee.parent;
    if (hostFunction !== "call_skill" || !ts.isCallExpression(call) || call.expression !== callee) return [];
    const [name, input] = call.arguments;
    const [only, ...others] = (name && staticNames(checker, name, references)) ?? [];
    const schema = only && others.length === 0 ? callable.get(only.text)?.input : undefined;
    if (!only || !input || !schema) return [];
    return new ArgumentReading(checker, only.text, schema).faultsIn(input, schema, "input", 0);
  });
}

const MAX_DEPTH = 16;

class ArgumentReading {
  readonly #checker: ts.TypeChecker;
  readonly #callee: string;
  readonly #root: JsonSchema;

  constructor(checker: ts.TypeChecker, callee: string, root: JsonSchema) {
    this.#checker = checker;
    this.#callee = callee;
    this.#root = root;
  }

  faultsIn(
    written: ts.Expression,
    given: Json | undefined,
    at: string,
    depth: number,
  ): readonly LiteralFault[] {
    const node = withoutAssertions(written);
    const schema = this.#target(given);
    if (!schema || depth > MAX_DEPTH || isAsserted(written)) return [];
    const inside = this.#inside(node, schema, at, depth);
    return inside.length > 0 ? inside : this.#faultsOf(node, schema, at);
  }

  #inside(node: ts.Expression, schema: JsonSchema, at: string, depth: number): readonly LiteralFault[] {
    if (ts.isArrayLiteralExpression(node)) {
      return node.elements.flatMap((element, index) =>
        this.faultsIn(element, schema["items"], `${at}[${index}]`, depth + 1),
      );
    }
    if (!ts.isObjectLiteralExpression(node)) return [];
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    return node.properties.flatMap((property) => {
      if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) return [];
      const name = property.name.text;
      const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return this.faultsIn(property.initializer, part, `${at}.${name}`, depth + 1);
    });
  }

  #faultsOf(node: ts.Expression, schema: JsonSchema, at: string): readonly LiteralFault[] {
    const value = literalValue(this.#checker, node);
    if (value === undefined || isSuppressed(node)) return [];
    const checked = this.#validated(schema, value);
    if (checked.length === 0) return [];
    const message = `\`${at}\` of "${this.#callee}" ${checked.join("; ")}`;
    const place = codePositionAt(node.getSourceFile(), node.getStart());
    const fix = `Give a value that the contract of "${this.#callee}" allows`;
    return [{ node, finding: { code: "call-argument", severity: "error", ...place, message, fix } }];
  }

  #validated(schema: JsonSchema, value: Json): readonly string[] {
    const { $defs } = this.#root;
    const isRoot = schema === this.#root;
    const alone = isRoot || $defs === undefined ? schema : { ...schema, $defs };
    if (!isRoot && leadsOut(alone)) return [];
    const result = validatorOf(alone)(structuredClone(value));
    return result.ok ? [] : result.error.map(({ at, message }) => (at === "" ? message : `${at} ${message}`));
  }

  #target(schema: Json | undefined): JsonSchema | undefined {
    if (!isJsonObject(schema)) return undefined;
    const { $ref } = schema;
    if (typeof $ref !== "string") return schema;
    if ($ref === "#") return this.#root;
    const key = /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
    const { $defs } = this.#root;
    const part = key !== undefined && isJsonObject($defs) ? $defs[key] : undefined;
    return isJsonObject(part) ? part : undefined;
  }
}

/** Whether a part of a schema refers to what is around it, so that it says nothing by itself. */
function leadsOut(schema: JsonSchema): boolean {
  return /"\$ref":"#(?!\/\$defs\/)/.test(JSON.stringify(schema));
}

/** Whether the author says of a part that it is another type than it shows. */
function isAsserted(node: ts.Node): boolean {
  if (ts.isTypeAssertionExpression(node)) return true;
  if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) return true;
  return ts.forEachChild(node, isAsserted) ?? false;
}

/** As TypeScript does it: a comment in the line before. */
function isSuppressed(node: ts.Node): boolean {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  const starts = file.getLineStarts();
  const before = line === 0 ? "" : file.text.slice(starts[line - 1], starts[line]);
  return /^\s*\/\/\s*@ts-(?:ignore|expect-error)\b/.test(before);
}
