// Reading of values that somebody else wrote: each gives nothing where the value is not what is expected.
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";

export function text(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** What something is called, or which one it is; empty where it does not say. */
export function label(value: Json | undefined): string {
  return text(value) ?? "";
}

export function filledText(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function number(value: Json | undefined): number | undefined {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}

export function object(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function list(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined;
}

/** The elements of a list; none where it is none. */
export function items(value: Json | undefined): readonly Json[] {
  return list(value) ?? [];
}

export function objects(value: Json | undefined): readonly JsonObject[] {
  return items(value).filter((each) => isJsonObject(each));
}

/** The first of these members that is there. */
export function member(record: JsonObject | undefined, ...names: readonly string[]): Json | undefined {
  for (const name of names) {
    const value = record && Object.hasOwn(record, name) ? record[name] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

const MS_FROM = 1e11;

/** Milliseconds since 1970 from an ISO text (without a zone: UTC), or from seconds, milli-, micro- or nanoseconds. */
export function time(value: Json | undefined): number | undefined {
  if (typeof value === "string" && !/^\d+(\.\d+)?$/.test(value)) {
    const iso = value.trim().replace(" ", "T").slice(0, 40);
    const parsed = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(iso) || !iso.includes("T") ? iso : `${iso}Z`);
    return Number.isNaN(parsed) ? undefined : parsed;
  }
  let read = number(value);
  if (read === undefined || read <= 0) return undefined;
  if (read < MS_FROM) return read * 1000;
  while (read > MS_FROM * 1000) read /= 1000;
  return read;
}

/** The text of a message: a string, or blocks with `text`. */
export function textOf(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  const texts = items(content).flatMap((block) =>
    typeof block === "string"
      ? block
      : isJsonObject(block)
        ? (text(block["text"]) ?? text(block["content"]) ?? [])
        : [],
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}
