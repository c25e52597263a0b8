import { isJsonObject, type Json } from "../../../core/json/json.ts";
import type { ImportLimits } from "./limits.ts";

export interface BoundedValue {
  readonly value: Json;
  /** Characters of its texts and names, and a few for each value. */
  readonly size: number;
  readonly isCut: boolean;
}

/** The value with what is too deep, too long or too many cut off: the same value where nothing is. */
export function boundedValue(value: Json, limits: ImportLimits): BoundedValue {
  const count = { size: 0, leaves: 0, isCut: false };
  measure(value, limits.depth, limits, count);
  if (!count.isCut) return { value, size: count.size, isCut: false };
  const left = { size: 0, leaves: 0, isCut: true };
  return { value: cut(value, limits.depth, limits, left), size: left.size, isCut: true };
}

interface Count {
  size: number;
  leaves: number;
  isCut: boolean;
}

function measure(value: Json, depth: number, limits: ImportLimits, count: Count): void {
  count.size += 8;
  if (count.isCut || ++count.leaves > limits.leaves) {
    count.isCut = true;
    return;
  }
  if (typeof value === "string") {
    count.size += value.length;
    count.isCut = value.length > limits.text;
  } else if (typeof value === "object" && value !== null) {
    if (depth === 0) count.isCut = true;
    else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) {
        count.size += key.length;
        measure(value[key] ?? null, depth - 1, limits, count);
      }
    } else for (const each of value) measure(each, depth - 1, limits, count);
  }
}

function cut(value: Json, depth: number, limits: ImportLimits, count: Count): Json {
  count.leaves++;
  count.size += 8;
  if (typeof value === "string") {
    const kept = value.length > limits.text ? value.slice(0, limits.text) : value;
    count.size += kept.length;
    return kept;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return null;
  if (!isJsonObject(value)) {
    const kept: Json[] = [];
    for (const each of value) {
      if (count.leaves >= limits.leaves) break;
      kept.push(cut(each, depth - 1, limits, count));
    }
    return kept;
  }
  const kept: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    if (count.leaves >= limits.leaves) break;
    count.size += key.length;
    kept.push([key, cut(value[key] ?? null, depth - 1, limits, count)]);
  }
  // Unlike an assignment, this makes `__proto__` a member like any other.
  return Object.fromEntries(kept);
}

/** About as many characters as `boundedValue` counts; what lies deeper counts little. */
export function roughSize(value: Json, depth: number): number {
  if (typeof value === "string") return value.length + 16;
  if (typeof value !== "object" || value === null || depth === 0) return 16;
  let size = 32;
  for (const each of Object.values(value)) size += roughSize(each, depth - 1);
  return size;
}
