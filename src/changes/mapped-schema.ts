import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { placeOf } from "../subsumption/schema-root.ts";

export interface Mapping {
  readonly change: (schema: JsonSchema) => JsonSchema;
  /** Whether what stands at a keyword of a schema stays as it is. */
  readonly isSpared: (keyword: string, schema: JsonSchema) => boolean;
}

/** A schema with each schema in it changed, the innermost first. */
export function mappedSchema(schema: JsonSchema, mapping: Mapping): JsonSchema {
  return mapped(schema, mapping, 0);
}

/** What is deeper is not compared anyway. */
const MOST_DEPTH = 100;

function mapped(schema: JsonSchema, mapping: Mapping, depth: number): JsonSchema {
  if (depth > MOST_DEPTH) return schema;
  const inner = (value: Json): Json => (isJsonObject(value) ? mapped(value, mapping, depth + 1) : value);
  const members = Object.entries(schema).map(([key, value]): [string, Json] => [
    key,
    mapping.isSpared(key, schema) ? value : mappedValue(key, value, inner),
  ]);
  return mapping.change(Object.fromEntries(members));
}

function mappedValue(keyword: string, value: Json, inner: (value: Json) => Json): Json {
  switch (placeOf(keyword)) {
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
