import { isJsonObject, type Json } from "../../core/json/json.ts";
import { leafText } from "./values.ts";

/** The texts of all leaves and keys of a value, by which equal values meet. */
export function valueTexts(value: Json): ReadonlySet<string> {
  const texts = new Set<string>();
  collect(value, texts, true);
  return texts;
}

/** The texts of all leaves. */
export function leafTexts(value: Json): ReadonlySet<string> {
  const texts = new Set<string>();
  collect(value, texts, false);
  return texts;
}

function collect(value: Json, texts: Set<string>, withKeys: boolean): void {
  if (Array.isArray(value)) {
    for (const each of value as readonly Json[]) collect(each, texts, withKeys);
  } else if (isJsonObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      if (withKeys) texts.add(key.trim());
      collect(each, texts, withKeys);
    }
  } else {
    const text = leafText(value);
    if (text !== undefined && text !== "") texts.add(text);
  }
}
