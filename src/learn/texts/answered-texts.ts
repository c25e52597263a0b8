import { isDeeperThan, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { jsonLeaves } from "../plan/values.ts";
import type { RecordedCall } from "../recording/recorded-trace.ts";

/** Spaces, quotation marks and dashes that models write as plain ones where they copy a text. */
const FANCY = /[\u00a0\u2000-\u200a\u202f\u205f\u3000\u2018-\u201f\u2010-\u2015\u2212]/;

/** What a task says that wants quotation marks, dashes or spaces to be others. */
const ABOUT_SIGNS =
  /\b(?:quot(?:es?|ation)|apostrophes?|dash(?:es)?|hyphens?|(?:white ?)?spaces?|line ?breaks?|one line|curly|typograph\w*|punctuation|ascii|normali[sz]\w*)\b/i;

/**
 * The calls with what is copied from an earlier answer as it stands there: agents write `Rikuro's` for `Rikuro’s`. What
 * several answers write otherwise, or one has as the call does, stays, and so does all where the task is about such signs.
 */
export function withTextsAsAnswered(
  calls: readonly RecordedCall[],
  task: string | undefined,
): readonly RecordedCall[] {
  if (ABOUT_SIGNS.test(task ?? "")) return calls;
  const answered = new Map<string, string | undefined>();
  const verbatim = new Set<string>();
  return calls.map((call) => {
    const isCompared = answered.size > 0 && !isDeeperThan(call.args, MAX_DEPTH);
    const args = isCompared
      ? asAnswered(call.args, (text) => (verbatim.has(text) ? undefined : answered.get(plainText(text))))
      : call.args;
    if (!isDeeperThan(call.result, MAX_DEPTH))
      for (const [, leaf] of jsonLeaves(call.result)) {
        if (typeof leaf !== "string" || leaf.length < MIN_TEXT || leaf.length > MAX_TEXT) continue;
        verbatim.add(leaf);
        if (!FANCY.test(leaf)) continue;
        const text = plainText(leaf);
        const known = answered.has(text) ? answered.get(text) : leaf;
        answered.set(text, known === leaf ? leaf : undefined);
      }
    return args === call.args ? call : { ...call, args: args as JsonObject };
  });
}

const MAX_DEPTH = 200;
/** Shorter texts are equal too easily. */
const MIN_TEXT = 4;
const MAX_TEXT = 10_000;

/** The same value where nothing in it is written otherwise. */
function asAnswered(value: Json, textOf: (text: string) => string | undefined): Json {
  if (typeof value === "string") return textOf(value) ?? value;
  if (Array.isArray(value)) {
    const elements = (value as readonly Json[]).map((each) => asAnswered(each, textOf));
    return elements.some((each, at) => each !== value[at]) ? elements : value;
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, each]) => [key, asAnswered(each, textOf)] as const);
  return fields.some(([key, each]) => each !== value[key]) ? Object.fromEntries(fields) : value;
}

function plainText(text: string): string {
  return text
    .replaceAll(/[\s\u00a0]+/g, " ")
    .replaceAll(/[\u2018-\u201b]/g, "'")
    .replaceAll(/[\u201c-\u201f]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .trim();
}
