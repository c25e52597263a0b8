import { fastFormats, type FormatName } from "ajv-formats/dist/formats.js";
import { isJsonObject, type Json } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";

/** A schema as the code of a workflow checks it: each format with its pattern; one that has none is left out. */
export function checkedType(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): readonly [string, Json][] => {
      if (NOTES.has(key)) return [];
      if (key === "format") return formatOf(value);
      if (VALUES.has(key)) return [[key, value]];
      if (MAPS.has(key) && isJsonObject(value))
        return [[key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))]];
      return [[key, Array.isArray(value) ? (value as readonly Json[]).map(inner) : inner(value)]];
    }),
  );
}

/** What is no part of a type. */
const NOTES: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "contentMediaType",
]);
/** Keywords below which no schema stands. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "required", "type"]);
/** Keywords below which names stand. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

function inner(value: Json): Json {
  return isJsonObject(value) ? checkedType(value) : value;
}

function formatOf(name: Json): readonly [string, Json][] {
  if (typeof name !== "string" || !Object.hasOwn(fastFormats, name)) return [];
  const format = fastFormats[name as FormatName];
  const pattern = typeof format === "object" && "validate" in format ? format.validate : format;
  return pattern instanceof RegExp
    ? [["format", { name, pattern: pattern.source, flags: pattern.flags }]]
    : [];
}
