import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { isMap } from "./values.ts";

const NONE: ReadonlySet<string> = new Set();
const MAX_DEPTH = 8;
const MAX_FIELDS = 100;

/**
 * The schema that fits all of the values: types and fields, never what the values say. The keys of objects in the fields
 * `maps` are data, so that others fit, too.
 */
export function inferredSchema(
  values: readonly Json[],
  maps: ReadonlySet<string> = NONE,
  depth = 0,
): JsonSchema {
  if (values.length === 0 || depth > MAX_DEPTH) return {};
  const present = values.filter((value) => value !== null);
  if (present.length === 0) return {};
  const schema = nonNullSchema(present, maps, depth);
  const { type } = schema;
  return present.length < values.length && typeof type === "string"
    ? { ...schema, type: [type, "null"] }
    : schema;
}

function nonNullSchema(values: readonly Json[], maps: ReadonlySet<string>, depth: number): JsonSchema {
  if (values.every((value) => typeof value === "string")) return { type: "string" };
  if (values.every((value) => typeof value === "number")) return { type: "number" };
  if (values.every((value) => typeof value === "boolean")) return { type: "boolean" };
  if (values.every((value) => Array.isArray(value))) {
    const items = inferredSchema((values as readonly (readonly Json[])[]).flat(), maps, depth + 1);
    return Object.keys(items).length === 0 ? { type: "array" } : { type: "array", items };
  }
  if (!values.every(isJsonObject)) return {};
  // An object without keys says nothing of what its keys would be.
  const filled = values.filter((value) => Object.keys(value).length > 0);
  if (filled.length === 0 || !filled.every(isMap)) return objectSchema(values, maps, depth);
  return schemaOfMaps(filled, maps, depth + 1);
}

function objectSchema(values: readonly JsonObject[], maps: ReadonlySet<string>, depth: number): JsonSchema {
  const keys = [...new Set(values.flatMap((value) => Object.keys(value)))];
  if (keys.length > MAX_FIELDS || keys.includes("__proto__")) return { type: "object" };
  const properties = keys.map((key) => {
    const present = values.filter((value) => Object.hasOwn(value, key)).map((value) => value[key] ?? null);
    const schema = maps.has(key) ? mapSchema(present) : undefined;
    return [key, schema ?? inferredSchema(present, maps, depth + 1)] as const;
  });
  const required = keys.filter((key) => values.every((value) => Object.hasOwn(value, key)));
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The schema of objects whose keys are data. */
export function mapSchema(values: readonly Json[]): JsonSchema | undefined {
  if (values.length === 0 || !values.every(isJsonObject)) return undefined;
  return schemaOfMaps(values);
}

function schemaOfMaps(values: readonly JsonObject[], maps?: ReadonlySet<string>, depth?: number): JsonSchema {
  const inner = values.flatMap((value) => Object.values(value));
  return { type: "object", additionalProperties: inferredSchema(inner, maps, depth) };
}

/**
 * Fields of results whose keys are data, such as the `options` of products: under the same name stand objects of which
 * neither has all keys of the other, and whose values are texts, numbers or booleans.
 */
export function mapFields(traces: readonly RecordedTrace[]): ReadonlySet<string> {
  const keys = new Map<string, ReadonlySet<string>>();
  const maps = new Set<string>();
  const others = new Set<string>();
  let left = MAX_VALUES;
  const look = (value: Json, depth: number): void => {
    if (left-- < 0 || depth > MAX_LOOK_DEPTH) return;
    if (Array.isArray(value)) for (const each of value) look(each, depth + 1);
    if (!isJsonObject(value)) return;
    for (const [field, inner] of Object.entries(value)) {
      if (isJsonObject(inner)) {
        if (!Object.values(inner).every(isScalar)) others.add(field);
        const own = new Set(Object.keys(inner));
        const before = keys.get(field);
        if (before === undefined) keys.set(field, own);
        else if (isOther(before, own)) maps.add(field);
      }
      look(inner, depth + 1);
    }
  };
  for (const { calls } of traces) for (const { result } of calls) look(result, 0);
  return maps.difference(others);
}

const MAX_VALUES = 200_000;
const MAX_LOOK_DEPTH = 16;

function isScalar(value: Json): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isOther(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return !a.isSubsetOf(b) && !b.isSubsetOf(a);
}
