import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

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
    if (left-- < 0 || depth > MAX_DEPTH) return;
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
const MAX_DEPTH = 16;

function isScalar(value: Json): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isOther(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return !a.isSubsetOf(b) && !b.isSubsetOf(a);
}
