import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";

/** Bounds that a declaration can add to a type, and which of two is the stricter. */
const BOUNDS = {
  minimum: Math.max,
  maximum: Math.min,
  minLength: Math.max,
  maxLength: Math.min,
  minItems: Math.max,
  maxItems: Math.min,
} as const;

/**
 * A contract with what the frontmatter declares beyond it: bounds of fields, and texts that must stand beside a field.
 * What both tell is the stricter of the two, so that nothing that is declared stays without effect.
 */
export function tightened(schema: JsonSchema, declared: JsonSchema): JsonSchema {
  const { properties, dependentRequired } = declared;
  const own = schema["properties"];
  if (!isJsonObject(properties) || !isJsonObject(own)) return schema;
  const changed = Object.entries(own).map(
    ([name, property]) =>
      [
        name,
        Object.hasOwn(properties, name) ? tightenedField(property, properties[name]) : property,
      ] as const,
  );
  return {
    ...schema,
    ...(changed.some(([name, property]) => property !== own[name]) && {
      properties: Object.fromEntries(changed),
    }),
    ...(isJsonObject(dependentRequired) && {
      dependentRequired: { ...(schema["dependentRequired"] as JsonObject | undefined), ...dependentRequired },
    }),
  };
}

function tightenedField(own: Json, declared: Json | undefined): Json {
  if (!isJsonObject(own) || !isJsonObject(declared)) return own;
  const bounds: [string, number][] = [];
  for (const [keyword, stricter] of Object.entries(BOUNDS)) {
    const [mine, theirs] = [own[keyword], declared[keyword]];
    if (typeof theirs !== "number" || mine === theirs) continue;
    bounds.push([keyword, typeof mine === "number" ? stricter(mine, theirs) : theirs]);
  }
  return bounds.length === 0 ? own : { ...own, ...Object.fromEntries(bounds) };
}
