import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { isList } from "./schema-keywords.ts";

/** A schema document that has been looked through. */
export interface SchemaRoot {
  readonly schema: JsonSchema;
  /** The schemas in it. */
  readonly positions: ReadonlySet<Json>;
  /** The part of it that references lead to. */
  readonly referable: JsonSchema;
  readonly hasDefaults: boolean;
}

export interface SchemaFault {
  readonly fault: string;
}

/** The document of a schema, or why it is none that can be compared: malformed, too large, or nested too deeply. */
export function schemaRoot(schema: JsonSchema): SchemaRoot | SchemaFault {
  if (!isJsonObject(schema)) return { fault: "it is no object" };
  const survey = new Survey();
  const fault = survey.faultOf(schema);
  if (fault !== undefined) return { fault };
  const { positions, references, hasDefaults } = survey;
  const { $defs, definitions } = schema;
  const isApart = references.every((each) => /^#\/(?:\$defs|definitions)\//.test(each));
  const referable = isApart ? { ...($defs && { $defs }), ...(definitions && { definitions }) } : schema;
  const root = { schema, positions, referable, hasDefaults };
  const stray = references.find((reference) => resolvedReference(root, reference) === undefined);
  if (stray !== undefined) return { fault: `\`${stray}\` leads to no schema in it` };
  return isCircular(root) ? { fault: "a schema in it is nothing but a reference to itself" } : root;
}

/** The part of the document that a `$ref` means, if it is a schema there (RFC 6901; no anchors, no other documents). */
export function resolvedReference(root: SchemaRoot, reference: string): Json | undefined {
  const parts = pointerParts(reference);
  if (!parts) return undefined;
  let place: Json | undefined = root.schema;
  for (const part of parts) place = memberOf(place, part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return place !== undefined && (typeof place === "boolean" || root.positions.has(place)) ? place : undefined;
}

/** A schema at its place in a document. */
export interface Part {
  readonly schema: Json;
  readonly root: SchemaRoot;
  /** Whether objects are taken to have no other properties than those that it declares. */
  readonly isExact: boolean;
}

export interface ObjectPart extends Part {
  readonly schema: JsonObject;
}

/** Another schema of the same document. */
export function partOf({ root, isExact }: Part, schema: Json): Part {
  return { schema, root, isExact };
}

/** A schema of the same document that decides about a value, but does not declare its properties. */
export function conditionOf({ root }: Part, schema: Json): Part {
  return { schema, root, isExact: false };
}

/** The same schema with its defaults left out, which the validator would fill in. */
export function withoutDefaults(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
      if (key === "default") return [];
      switch (SUBSCHEMA_FORMS.get(key)) {
        case "schema":
          return [[key, bare(value)]];
        case "list":
          return [[key, isList(value) ? value.map(bare) : value]];
        case "map":
          return [[key, isJsonObject(value) ? mapped(value) : value]];
        case undefined:
          return [[key, value]];
      }
    }),
  );
}

/** How schemas stand in the value of a keyword, where they do. */
export function subschemaForm(keyword: string): SubschemaForm | undefined {
  return SUBSCHEMA_FORMS.get(keyword);
}

const MAX_SCHEMAS = 60_000;
const MAX_PARTS = 200_000;
const MAX_DEPTH = 100;
const MAX_DATA_DEPTH = 100;

export type SubschemaForm = "schema" | "list" | "map";

/** Where schemas stand in a schema: JSON Schema 2020-12, sections 10 and 11. */
const SUBSCHEMA_FORMS: ReadonlyMap<string, SubschemaForm> = new Map([
  ...["additionalProperties", "propertyNames", "items", "contains"].map(at("schema")),
  ...["not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems"].map(at("schema")),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map(at("list")),
  ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"].map(at("map")),
]);

function at(place: SubschemaForm): (keyword: string) => readonly [string, SubschemaForm] {
  return (keyword) => [keyword, place];
}

type Check = (value: Json) => boolean;

const isCount: Check = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isTexts: Check = (value) => isList(value) && value.every(isText);

const TYPES: ReadonlySet<Json> = new Set([
  "null",
  "boolean",
  "number",
  "integer",
  "string",
  "array",
  "object",
]);

const CHECKS: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    type: (value: Json) =>
      TYPES.has(value) || (isList(value) && value.length > 0 && value.every((each) => TYPES.has(each))),
    enum: isList,
    minimum: isNumber,
    maximum: isNumber,
    exclusiveMinimum: isNumber,
    exclusiveMaximum: isNumber,
    multipleOf: (value: Json) => typeof value === "number" && Number.isFinite(value) && value > 0,
    minLength: isCount,
    maxLength: isCount,
    pattern: isText,
    format: isText,
    minItems: isCount,
    maxItems: isCount,
    uniqueItems: isFlag,
    minContains: isCount,
    maxContains: isCount,
    minProperties: isCount,
    maxProperties: isCount,
    required: isTexts,
    dependentRequired: (value: Json) =>
      isJsonObject(value) && !Object.hasOwn(value, "__proto__") && Object.values(value).every(isTexts),
    nullable: isFlag,
    $ref: isText,
  } satisfies Record<string, Check>),
);

/** Keywords that change what the others mean or where a `$ref` leads. */
const FOREIGN: ReadonlySet<string> = new Set(["$async", "dependencies", "$recursiveRef", "$vocabulary"]);

class Survey {
  readonly positions = new Set<Json>();
  readonly references: string[] = [];
  hasDefaults = false;
  #parts = 0;

  faultOf(schema: Json): string | undefined {
    let level: readonly Json[] = [schema];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
      const next: Json[] = [];
      for (const each of level) {
        const fault = this.#faultAt(each, depth, next);
        if (fault !== undefined) return fault;
      }
      level = next;
    }
    return undefined;
  }

  #faultAt(schema: Json, depth: number, inner: Json[]): string | undefined {
    if (typeof schema === "boolean") return undefined;
    if (!isJsonObject(schema)) return "one of its parts is no schema";
    if (this.positions.has(schema)) return undefined;
    this.positions.add(schema);
    if (this.positions.size > MAX_SCHEMAS) return "it is too large";
    for (const [key, value] of Object.entries(schema)) {
      if (FOREIGN.has(key)) return `it uses \`${key}\``;
      if (key === "$id" && depth > 0) return "it holds another document";
      const place = SUBSCHEMA_FORMS.get(key);
      const isWell = place ? this.#enter(place, value, inner) : (CHECKS.get(key)?.(value) ?? true);
      if (!isWell) return `its \`${key}\` is malformed`;
      if (!place && !this.#isModest(value)) return "it is too large";
      if (key === "default") this.hasDefaults = true;
      if (key === "$ref" && typeof value === "string") this.references.push(value);
    }
    return undefined;
  }

  #enter(place: SubschemaForm, value: Json, inner: Json[]): boolean {
    if (place === "schema") return inner.push(value) > 0;
    if (place === "list") {
      if (!isList(value) || value.length === 0) return false;
    } else if (!isJsonObject(value) || Object.hasOwn(value, "__proto__")) return false;
    for (const each of Object.values(value)) inner.push(each);
    return true;
  }

  #isModest(data: Json): boolean {
    let level: readonly Json[] = [data];
    for (let depth = 0; level.length > 0; depth += 1) {
      this.#parts += level.length;
      if (this.#parts > MAX_PARTS || depth > MAX_DATA_DEPTH) return false;
      level = level.flatMap((each) =>
        isList(each) || isJsonObject(each) ? (Object.values(each) as readonly Json[]) : [],
      );
    }
    return true;
  }
}

/** Whether a schema asks for itself, of the same value: no value could be checked against it. */
function isCircular(root: SchemaRoot): boolean {
  const finished = new Set<Json>();
  const open = new Set<Json>();
  const path: { readonly schema: Json; readonly next: readonly Json[]; at: number }[] = [];
  const enter = (schema: Json): void => {
    open.add(schema);
    path.push({ schema, next: inPlace(root, schema), at: 0 });
  };
  for (const schema of root.positions) {
    if (!finished.has(schema)) enter(schema);
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const next = last.next[last.at];
      last.at += 1;
      if (next === undefined) {
        open.delete(last.schema);
        finished.add(last.schema);
        path.pop();
      } else if (open.has(next)) return true;
      else if (!finished.has(next)) enter(next);
    }
  }
  return false;
}

/** The schemas that the same value is checked against. */
function inPlace(root: SchemaRoot, schema: Json): readonly Json[] {
  if (!isJsonObject(schema)) return [];
  const { $ref, not, if: condition, then, else: otherwise, allOf, anyOf, oneOf, dependentSchemas } = schema;
  const target = typeof $ref === "string" ? resolvedReference(root, $ref) : undefined;
  return [
    ...[target, not, condition, then, otherwise],
    ...[allOf, anyOf, oneOf].flatMap((list) => (isList(list) ? list : [])),
    ...(isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
  ].filter((each) => isJsonObject(each));
}

function pointerParts(reference: string): readonly string[] | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(1)).split("/").slice(1);
  } catch {
    return undefined;
  }
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (isList(value)) return /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function bare(schema: Json): Json {
  return isJsonObject(schema) ? withoutDefaults(schema) : schema;
}

function mapped(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));
}
