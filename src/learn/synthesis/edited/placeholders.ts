import type { TaskText } from "../../plan/values.ts";
import { placesOf } from "../../texts/block-learning.ts";
import { isNothing } from "../../texts/text-form.ts";

/**
 * Whether something comes in place of what says that it is not known yet (`tbd`, `?`), rather than of what was known: a task
 * that speaks of no change means that alone.
 */
export function isFilledIn(before: string, after: string, task: TaskText): boolean {
  // One state comes after another.
  const isState = STATE.test(before) && /^\p{Ll}+$/u.test(after);
  return isUnknownYet(before) && !isUnknownYet(after) && !isState && !task.asksChange;
}

export function isUnknownYet(said: string): boolean {
  const isSign = /^[?._…–—-]+$/u.test(said);
  const isWord = /^\p{L}/u.test(said) && isNothing(said);
  return isSign || isWord || STATE.test(said) || /^x{2,}$/i.test(said);
}

const STATE = /^(?:to ?do|open|pending|missing|offen|ausstehend|pendiente|en attente)$/i;

/** The label with which a line begins up to a place, where no other line of its text has it, as in another section. */
export function onlyLabel(begin: string, text: string): string | undefined {
  const [label = ""] = /^[^:=]*\p{L}[^:=]*[:=][^\S\n]*["'`]?$/u.exec(begin) ?? [];
  const [own = ""] = /[\p{L}\p{N}][^:=]*[:=]/u.exec(label) ?? [];
  return own !== "" && placesOf(text, own).length === 1 ? label : undefined;
}

/** What the task calls by its name or number in a label: another run is about another. */
export function nameInLabel(label: string, task: TaskText): string | undefined {
  const [name = ""] = /[\p{L}\p{N}][^:=]*[^\s:="'`*]/u.exec(label) ?? [];
  return /^\p{Lu}|\d/u.test(name) && task.saysPath(name) ? name : undefined;
}
