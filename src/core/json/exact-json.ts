import type { Json } from "./json.ts";

const LONG_NUMBER = /\d{16}|\de[+-]?\d{3}/i;

/**
 * A text's JSON in which numbers that a double cannot hold (most integers beyond 2^53, what would be infinite) are their
 * text, as ids of that size would otherwise become other ids. Throws as `JSON.parse` does.
 */
export function exactJson(text: string): Json {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as Json;
  const exact = (_: string, value: Json, context?: { readonly source?: string }): Json =>
    typeof value !== "number" || isHeld(value, context?.source) ? value : (context?.source ?? value);
  return JSON.parse(text, exact) as Json;
}

/** Whether the double is the number that the text gives; of fractions, as near as a double comes. */
function isHeld(value: number, source = ""): boolean {
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) || BigInt(value) === BigInt(source);
}
