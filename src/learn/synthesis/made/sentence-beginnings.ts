import type { RecordedCall } from "../../recording/recorded-trace.ts";
import { jsonLeaves, type TaskText } from "../../plan/values.ts";

/** A sentence with a label, and what it says behind it. */
export const LABEL: RegExp = /^(\p{L}[\p{L} ]{0,30}:\s+)(\S.*)$/u;
export const MAX_SENTENCE = 200;

/**
 * The words with which a sentence begins that are its form: a label (`Mail: `), or what it has in common with one that this
 * call or a later one has in its place, of which the task says the rest.
 */
export function beginningOf(
  text: string,
  task: TaskText,
  calls: readonly Pick<RecordedCall, "args">[],
): string | undefined {
  if (text.length > MAX_SENTENCE || text.includes("\n") || task.says(text)) return undefined;
  const [, label] = LABEL.exec(text) ?? [];
  if (label !== undefined) return label;
  const later = calls
    .flatMap(({ args }) => Array.from(jsonLeaves(args), ([, leaf]) => leaf))
    .filter((leaf): leaf is string => typeof leaf === "string" && leaf !== text);
  return later
    .map((other) => [sharedBegin(text, other), other] as const)
    .find(
      ([begin, other]) =>
        /\p{L}{2}/u.test(begin) && !/\d/.test(begin) && task.saysPath(other.slice(begin.length)),
    )?.[0];
}

/** What two sentences begin with, up to where words of them begin. */
function sharedBegin(one: string, other: string): string {
  let length = 0;
  while (length < Math.min(one.length, other.length) && one[length] === other[length]) length++;
  return /^(?:.*\s)?/u.exec(one.slice(0, length))?.[0] ?? "";
}
