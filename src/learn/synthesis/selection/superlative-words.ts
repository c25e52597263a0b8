import { wordStem } from "../../../core/text/word-stem.ts";
import { nameWords } from "../../plan/names.ts";
import type { Extreme } from "./element-selectors.ts";

// What people call the least and the most of a quantity, and of time.
const LEAST =
  /\b(?:cheapest|lowest|smallest|shortest|fewest|least|minimum|minimal|nearest|closest|lightest)\b/i;
const MOST =
  /\b(?:highest|largest|biggest|longest|greatest|maximum|maximal|dearest|priciest|heaviest)\b|(?<!\bat )\bmost\b(?! recent)/i;
const FIRST = /\b(?:earliest|oldest|soonest|first|next|initial)\b/i;
const LAST = /\b(?:latest|newest|youngest|last|final|most recent|recent)\b/i;
// Of what is the better the more there is of it.
const BEST = /\b(?:best|top)\b/i;
const WORST = /\bworst\b/i;
const QUALITY = /^(?:rating|score|star|grade|point|vote)s?$/i;
// The two cheapest are not what has the least.
const COUNTED = "(?:two|three|four|five|six|seven|eight|nine|ten|[2-9]|[1-9][0-9]|few)";
const SUPERLATIVE = "(?:most|least|best|worst|top|first|last|[a-z]{2,}est)";
const SEVERAL = new RegExp(`\\b(?:${COUNTED} ${SUPERLATIVE}|${SUPERLATIVE} ${COUNTED})\\b`, "gi");

// A limit is no superlative.
const LIMITING = /\bat the (?:latest|earliest|very (?:latest|earliest|least|most))\b/gi;

/**
 * How much a task's words speak for the element that has the least or the most: 0 where they do not, and 3 and more where they
 * name the quantity, too. They are a hint,
 * never a proof.
 */
export function superlativeHint(text: string | undefined = "", { by, most, isTime }: Extreme): number {
  const task = text.replaceAll(SEVERAL, "").replaceAll(LIMITING, "");
  const [quantity, time, quality] = most ? [MOST, LAST, BEST] : [LEAST, FIRST, WORST];
  const words = nameWords(by.at(-1) ?? "");
  const isGood = !isTime && quality.test(task) && words.some((word) => QUALITY.test(word));
  if (!isGood && !(isTime ? time : quantity).test(task)) return 0;
  const said = new Set(nameWords(task).map(wordStem));
  const isNamed = words.some(
    (word) => word.length > 2 && (said.has(wordStem(word)) || new RegExp(`\\b${word}`, "i").test(task)),
  );
  const isMoney = /\b(?:cheap|dear|pric|expens)\w*/i.test(task) && words.some((word) => MONEY.test(word));
  return 1 + 2 * Number(isNamed || isMoney) + Number(isNamed && isMoney);
}

/** What a word says of those that have the most or the least, as `cheapest` or `newest` do. */
export function extremeOf(
  word: string,
): { readonly most: boolean; readonly quantity: "amount" | "time" | "quality" } | undefined {
  if (/^(?:top|best)$/.test(word)) return { most: true, quantity: "quality" };
  if (/^(?:bottom|worst)$/.test(word)) return { most: false, quantity: "quality" };
  if (/^(?:first|last|next|initial|final)$/.test(word)) return undefined;
  if (FIRST.test(word)) return { most: false, quantity: "time" };
  if (LAST.test(word)) return { most: true, quantity: "time" };
  if (LEAST.test(word)) return { most: false, quantity: "amount" };
  return MOST.test(word) ? { most: true, quantity: "amount" } : undefined;
}

/** What amounts of money are called. */
export const MONEY: RegExp = /^(?:prices?|costs?|amounts?|fares?|fees?|rates?|totals?)$/i;
