import { isJsonObject, type Json } from "../core/json/json.ts";

// What a keyword holds, and nothing where it is not there.

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

export function stringsOf(value: Json | undefined): readonly string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

export function entriesOf(value: Json | undefined): readonly (readonly [name: string, value: Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
