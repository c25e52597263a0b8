import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { withoutDefaults, subschemaForm } from "../subsumption/schema-root.ts";
import { requiredNames } from "./schema-conjuncts.ts";

/**
 * A schema as it is for whoever is outside, where defaults are filled in: an input need not have what has a default, an
 * output always has it.
 */
export function effectiveSchema(schema: JsonSchema, side: "input" | "output"): JsonSchema {
  const settled = (each: JsonSchema): JsonSchema => {
    const filled = propertiesWithDefault(each);
    if (filled.length === 0) return each;
    const needed = requiredNames(each);
    const required =
      side === "input"
        ? needed.filter((name) => !filled.includes(name))
        : [...new Set([...needed, ...filled])];
    return { ...each, required };
  };
  const isSpared = (keyword: string): boolean => UNFILLED.has(keyword);
  return withoutDefaults(mappedSchema(schema, { change: settled, isSpared }));
}

/** A schema whose objects have no other properties than those that it speaks of, as a type is read. */
export function closedSchema(schema: JsonSchema): JsonSchema {
  const closed = (each: JsonSchema): JsonSchema =>
    each["properties"] === undefined || OPEN.some((keyword) => each[keyword] !== undefined)
      ? each
      : { ...each, additionalProperties: false };
  // What only narrows another schema does not tell all properties.
  const isSpared = (keyword: string, { properties }: JsonSchema): boolean =>
    NARROWING.has(keyword) || (properties !== undefined && (keyword === "anyOf" || keyword === "oneOf"));
  return mappedSchema(schema, { change: closed, isSpared });
}

/** The validator fills in nothing below these. */
const UNFILLED: ReadonlySet<string> = new Set(["anyOf", "oneOf", "not", "if", "contains"]);

const NARROWING: ReadonlySet<string> = new Set([
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "dependentSchemas",
]);

/** What may speak of more properties. */
const OPEN = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "dependentSchemas",
  "if",
];

function propertiesWithDefault({ properties }: JsonSchema): readonly string[] {
  return Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([, property]) => isJsonObject(property) && property["default"] !== undefined)
    .map(([name]) => name);
}

interface Mapping {
  readonly change: (schema: JsonSchema) => JsonSchema;
  /** Whether what stands at a keyword of a schema stays as it is. */
  readonly isSpared: (keyword: string, schema: JsonSchema) => boolean;
}

/** A schema with each schema in it changed, the innermost first. */
function mappedSchema(schema: JsonSchema, mapping: Mapping): JsonSchema {
  return mapped(schema, mapping, 0);
}

/** What is deeper is not compared anyway. */
const MAX_DEPTH = 100;

function mapped(schema: JsonSchema, mapping: Mapping, depth: number): JsonSchema {
  if (depth > MAX_DEPTH) return schema;
  const inner = (value: Json): Json => (isJsonObject(value) ? mapped(value, mapping, depth + 1) : value);
  const members = Object.entries(schema).map(([key, value]): [string, Json] => [
    key,
    mapping.isSpared(key, schema) ? value : mappedValue(key, value, inner),
  ]);
  return mapping.change(Object.fromEntries(members));
}

function mappedValue(keyword: string, value: Json, inner: (value: Json) => Json): Json {
  switch (subschemaForm(keyword)) {
    case "schema":
      return inner(value);
    case "list":
      return Array.isArray(value) ? (value as readonly Json[]).map(inner) : value;
    case "map":
      return isJsonObject(value) ? mappedObject(value, inner) : value;
    case undefined:
      return value;
  }
}

function mappedObject(schemas: JsonObject, inner: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inner(schema)]));
}
