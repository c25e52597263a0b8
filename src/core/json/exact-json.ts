import type { Json } from "./json.ts";

const LONG_NUMBER = /\d{16}|\de[+-]?\d{3}/i;

/**
 * A text's JSON in which numbers that a double cannot hold (integers beyond 2^53, what would be infinite) are their text,
 * as ids of that size would otherwise become other ids. Throws as `JSON.parse` does.
 */
export function exactJson(text: string): Json {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as Json;
  const exact = (_: string, value: Json, context?: { readonly source?: string }): Json => {
    const isExact =
      typeof value !== "number" || Number.isSafeInteger(value) || isFraction(value, context?.source);
    return isExact ? value : (context?.source ?? value);
  };
  return JSON.parse(text, exact) as Json;
}

function isFraction(value: number, source = ""): boolean {
  return Number.isFinite(value) && !/^-?\d+$/.test(source);
}
