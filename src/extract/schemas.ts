import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { JsonSchema } from "../core/schema.ts";

const MOST_DEPTH = 8;
const MOST_FIELDS = 100;
const MOST_ELEMENTS = 50;

/** The schema that fits all of the values: types and fields, never what the values say. */
export function schemaOf(values: readonly Json[], depth = 0): JsonSchema {
  if (values.length === 0 || depth > MOST_DEPTH) return {};
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return {};
  const schema = schemaOfKnown(known, depth);
  const { type } = schema;
  return known.length < values.length && typeof type === "string"
    ? { ...schema, type: [type, "null"] }
    : schema;
}

function schemaOfKnown(values: readonly Json[], depth: number): JsonSchema {
  if (values.every((value) => typeof value === "string")) return { type: "string" };
  if (values.every((value) => typeof value === "number")) return { type: "number" };
  if (values.every((value) => typeof value === "boolean")) return { type: "boolean" };
  if (values.every((value) => Array.isArray(value))) {
    const elements = (values as readonly (readonly Json[])[]).flatMap((value) =>
      value.slice(0, MOST_ELEMENTS),
    );
    const items = schemaOf(elements, depth + 1);
    return Object.keys(items).length === 0 ? { type: "array" } : { type: "array", items };
  }
  return values.every(isJsonObject) ? objectSchema(values, depth) : {};
}

function objectSchema(values: readonly JsonObject[], depth: number): JsonSchema {
  const keys = [...new Set(values.flatMap((value) => Object.keys(value)))];
  if (keys.length > MOST_FIELDS || keys.includes("__proto__")) return { type: "object" };
  const properties = keys.map((key) => {
    const present = values.filter((value) => Object.hasOwn(value, key)).map((value) => value[key] ?? null);
    return [key, schemaOf(present, depth + 1)] as const;
  });
  const required = keys.filter((key) => values.every((value) => Object.hasOwn(value, key)));
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}
