import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** A schema with each of the schemas in it changed, the outer ones first; values that schemas hold stay as they are. */
export function mappedSchema(schema: Json, change: (schema: JsonObject) => JsonObject): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((each) => mappedSchema(each, change));
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(change(schema)).map(([keyword, value]) => [
      keyword,
      mappedKeyword(keyword, value, change),
    ]),
  );
}

function mappedKeyword(keyword: string, value: Json, change: (schema: JsonObject) => JsonObject): Json {
  if (VALUES.has(keyword)) return value;
  if (!NAMED.has(keyword) || !isJsonObject(value)) return mappedSchema(value, change);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mappedSchema(inner, change)]),
  );
}

/** Keywords that hold values, and those that hold schemas by name. */
const VALUES: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required", "type"]);
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
