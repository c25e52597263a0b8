import { nameWords } from "../../plan/names.ts";
import type { Extreme } from "./element-selectors.ts";

// What people call the least and the most of a quantity, and of time.
const LEAST =
  /\b(?:cheapest|lowest|smallest|shortest|fewest|least|minimum|minimal|nearest|closest|lightest)\b/i;
const MOST =
  /\b(?:highest|largest|biggest|longest|greatest|maximum|maximal|dearest|priciest|heaviest|most (?!recent)\w+)\b/i;
const FIRST = /\b(?:earliest|oldest|soonest|first|next|initial)\b/i;
const LAST = /\b(?:latest|newest|youngest|last|final|most recent|recent)\b/i;

/**
 * How much a task's words speak for the element that has the least or the most: 0 where they do not. They are a hint,
 * never a proof.
 */
export function superlativeHint(task: string | undefined = "", { by, most, isTime }: Extreme): number {
  const [quantity, time] = most ? [MOST, LAST] : [LEAST, FIRST];
  if (!(isTime ? time : quantity).test(task)) return 0;
  const words = nameWords(by.at(-1) ?? "");
  const isNamed = words.some((word) => word.length > 2 && new RegExp(`\\b${word}`, "i").test(task));
  const isMoney = /\b(?:cheap|dear|pric|expens)\w*/i.test(task) && words.some((word) => MONEY.test(word));
  return 1 + Number(isNamed) + Number(isMoney);
}

const MONEY = /^(?:prices?|costs?|amounts?|fares?|fees?|rates?|totals?)$/i;
