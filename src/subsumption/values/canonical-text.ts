import { isJsonObject, type Json } from "../../core/json/json.ts";

/** A value as text that is equal for equal values, whatever the order of their properties. */
export function canonicalText(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = isJsonObject(value)
    ? `{${Object.keys(value)
        .toSorted()
        .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] ?? null)}`)
        .join()}}`
    : `[${value.map(canonicalText).join()}]`;
  texts.set(value, text);
  return text;
}

const texts = new WeakMap<object, string>();
