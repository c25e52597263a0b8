import { isJsonObject, type Json } from "../core/json.ts";

/** A call of a tool or skill, and whether it failed. */
export interface Attempt {
  readonly name: string;
  readonly input: Json | undefined;
  readonly isFailed: boolean;
}

/** Between a failed call and its retry, other calls may lie: as many as this. */
export const RETRY_WITHIN = 4;

/**
 * Whether the second call may be meant to mend the first: that one failed, and at least half of the arguments are the
 * same or have the same name.
 */
export function isRetryOf(first: Attempt, second: Omit<Attempt, "isFailed">): boolean {
  return first.isFailed && first.name === second.name && areSimilar(first.input, second.input);
}

function areSimilar(first: Json | undefined, second: Json | undefined): boolean {
  if (first === undefined || second === undefined) return false;
  if (!isJsonObject(first) || !isJsonObject(second)) return typeof first === typeof second;
  const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
  if (keys.size === 0) return true;
  let same = 0;
  for (const key of keys) {
    if (!Object.hasOwn(first, key) || !Object.hasOwn(second, key)) continue;
    same += JSON.stringify(first[key]) === JSON.stringify(second[key]) ? 1 : 0.5;
  }
  return same / keys.size >= 0.5;
}
