import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Difference } from "../verify/evidence.ts";
import { isLeaf, isSame, leafText } from "../plan/values.ts";

const MOST_REPAIRED = 4;
const MOST_SIZE = 2000;

/** What an input would be if the value that a call was given by it were the recorded one. */
export function repairedInputs(input: JsonObject, difference: Difference): readonly JsonObject[] {
  if (difference.kind !== "other-arguments") return [];
  const { expected, got } = difference;
  // Large values are cut in a difference.
  if (expected === undefined || got === undefined || JSON.stringify(expected).length >= MOST_SIZE) return [];
  return [...variants(input, got, expected).take(MOST_REPAIRED)].filter(isJsonObject);
}

/** The value with each of its parts that is, or is told by, what was got made anew; one part at a time. */
function* variants(value: Json, got: Json, expected: Json): Generator<Json> {
  const other = replaced(value, got, expected);
  if (other !== undefined) yield other;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    for (const [index, each] of list.entries())
      for (const variant of variants(each, got, expected)) yield list.with(index, variant);
  } else if (isJsonObject(value)) {
    for (const [key, each] of Object.entries(value))
      for (const variant of variants(each, got, expected))
        yield Object.fromEntries([...Object.entries(value), [key, variant]]);
  }
}

function replaced(value: Json, got: Json, expected: Json): Json | undefined {
  if (isSame(value, got)) return expected;
  if (!isLeaf(value) || !isLeaf(got) || !isLeaf(expected)) return undefined;
  const text = leafText(value);
  if (text === undefined || text === "") return undefined;
  if (text === leafText(got)) return ofType(value, expected);
  return typeof got === "string" && typeof expected === "string"
    ? partReplaced(text, got, expected)
    : undefined;
}

function ofType(value: Json, expected: Json): Json | undefined {
  if (typeof value === "string") return leafText(expected);
  const number = Number(expected);
  return Number.isFinite(number) ? number : undefined;
}

/** What stands in the expected text where the value stands in the text that was got. */
function partReplaced(value: string, got: string, expected: string): string | undefined {
  const at = got.indexOf(value);
  if (at < 0) return undefined;
  const before = got.slice(0, at);
  const after = got.slice(at + value.length);
  const isLike =
    expected.length > before.length + after.length && expected.startsWith(before) && expected.endsWith(after);
  return isLike ? expected.slice(before.length, expected.length - after.length) : undefined;
}
