/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON text with object keys sorted, so that equal values have equal texts (RFC 8785's key order). */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, member: Json) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : member,
  );
}
