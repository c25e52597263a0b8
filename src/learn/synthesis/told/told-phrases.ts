import type { Expression } from "../../plan/plan.ts";
import { textPart } from "../../plan/text-part.ts";
import type { TaskText } from "../../plan/values.ts";
import { placesOf } from "../../texts/block-learning.ts";
import type { CallView } from "../flow-candidates.ts";
import { answeredTexts, roundTexts } from "./known-texts.ts";

const MAX_VALUE = 60;
/** From one word or number to another, on one line. */
const VALUE = /^[\p{L}\p{N}][^\n]+[\p{L}\p{N}%\p{Sc}]$/u;

/**
 * What a sentence of one text says behind words of the task, as `HX-20931` in `Your booking code is HX-20931.`: another text
 * has to have the words once, and nothing else of that form.
 */
export function toldPhrase(value: string, view: CallView): Expression | undefined {
  if (!VALUE.test(value) || !/\d|@/.test(value) || value.length > MAX_VALUE) return undefined;
  const [told, ...others] = [...roundTexts(view), ...answeredTexts(view)].filter(
    ({ text }) => placesOf(text, value).length > 0,
  );
  if (!told || others.length > 0) return undefined;
  const [at, ...again] = placesOf(told.text, value);
  if (at === undefined || again.length > 0) return undefined;
  const after = phraseBefore(told.text.slice(0, at), view.sample.task);
  const behind = told.text.slice(at + value.length);
  const before = /^(?:\n|[^\p{L}\p{N}\n]{1,3})/u.exec(behind)?.[0] ?? "";
  if (after === undefined || textPart(told.text, after, before) !== value) return undefined;
  return { kind: "part", of: told.expression, after, before };
}

/** The last words of a sentence from the first on that the task says, too; undefined where it says none that tells. */
function phraseBefore(text: string, task: TaskText): string | undefined {
  const [words = ""] = /(?:[\p{L}'’-]+[ :]+){1,6}$/u.exec(text) ?? [];
  const begins = [...words.matchAll(/[\p{L}'’-]+/gu)].map(({ index }) => index);
  const begin = begins.find((index) => task.mentions(/^[\p{L}'’-]+/u.exec(words.slice(index))?.[0] ?? ""));
  const phrase = begin === undefined ? "" : words.slice(begin);
  return task.saidWordsOf(phrase).length > 0 ? phrase : undefined;
}
