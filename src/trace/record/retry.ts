import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";

/** A call of a tool or skill, and whether it failed. */
export interface Attempt {
  readonly name: string;
  readonly input: Json | undefined;
  readonly isFailed: boolean;
  /** Whether it failed since its input was not valid: then the next call mends an argument. */
  readonly isMistake?: boolean;
}

/** Between a failed call and its retry, other calls may lie: as many as this. */
export const RETRY_WITHIN = 4;

/** The failed call that a call tries again: the latest that is the same but for small changes, if that one failed. */
export function retriedCall<Earlier extends Attempt>(
  earlier: readonly Earlier[],
  call: Omit<Attempt, "isFailed">,
): Earlier | undefined {
  const latest = earlier.slice(-RETRY_WITHIN);
  // Comparing costs time, and mostly nothing has failed.
  if (!latest.some(({ isFailed }) => isFailed)) return undefined;
  const last = latest.findLast((each) => isSameCall(each, call));
  return last?.isFailed ? last : undefined;
}

function isSameCall(first: Omit<Attempt, "isFailed">, second: Omit<Attempt, "isFailed">): boolean {
  if (first.name !== second.name || first.input === undefined || second.input === undefined) return false;
  if (!isJsonObject(first.input) || !isJsonObject(second.input)) return isNear(first.input, second.input);
  return areNear(first.input, second.input, first.isMistake === true);
}

/**
 * Arguments that both calls have must be near to each other; others may have come, gone or got another name, as long as
 * at least half are near. After a mistake, any argument may be the one that was mended.
 */
function areNear(first: JsonObject, second: JsonObject, isMistake: boolean): boolean {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  if (names.size > MAX_ARGUMENTS) return isEqual(first, second);
  let near = 0;
  const gone: Json[] = [];
  for (const name of Object.keys(first)) {
    const before = first[name] ?? null;
    if (!Object.hasOwn(second, name)) gone.push(before);
    else if (isNear(before, second[name] ?? null)) near++;
    else if (!isMistake) return false;
  }
  let renamed = 0;
  for (const name of Object.keys(second)) {
    if (Object.hasOwn(first, name)) continue;
    const at = gone.findIndex((before) => isEqual(before, second[name] ?? null));
    if (at === -1) continue;
    gone.splice(at, 1);
    renamed++;
  }
  return (near + renamed) * 2 >= names.size - renamed;
}

const MAX_ARGUMENTS = 100;

/** Equal, written otherwise (`W1` and `#W1`, `5` and `"5"`), completed, or long texts with most words in common. */
function isNear(first: Json, second: Json): boolean {
  if (isEqual(first, second)) return true;
  const [one, other] = [scalarText(first), scalarText(second)];
  if (one === undefined || other === undefined) return false;
  if (Math.max(one.length, other.length) > MAX_COMPARED) return false;
  const bare = bareText(one);
  if (bare !== "" && bare === bareText(other)) return true;
  return isCompleted(one, other) || isCompleted(other, one) || shareWords(one, other);
}

/** `Ad` and `Ada`, `in.csv` and `data/in.csv`; a number that goes on is another. */
function isCompleted(part: string, whole: string): boolean {
  if (part.length < 2) return false;
  return whole.endsWith(`/${part}`) || (whole.startsWith(part) && !/\d/.test(whole.slice(part.length)));
}

const MAX_COMPARED = 20_000;
const MIN_WORDS = 12;
const WORDS_SHARED = 0.8;

function isEqual(first: Json, second: Json): boolean {
  try {
    return isDeepStrictEqual(first, second);
  } catch (error) {
    // Nested too deeply to be compared.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function scalarText(value: Json): string | undefined {
  return typeof value === "object" ? undefined : String(value);
}

/** Without case, spaces and punctuation; signs and points of numbers count. */
function bareText(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase().trim();
  return /^[-+]?[\d.,]+$/.test(plain) ? plain : plain.replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

function shareWords(one: string, other: string): boolean {
  const [words, others] = [one, other].map((text) => text.match(/[\p{L}\p{N}_]+/gu) ?? []);
  if (!words || !others || Math.min(words.length, others.length) < MIN_WORDS) return false;
  const left = new Map<string, number>();
  for (const word of words) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of others) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared++;
  }
  return (2 * shared) / (words.length + others.length) >= WORDS_SHARED;
}
