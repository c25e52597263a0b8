import type { Expression } from "../../plan/plan.ts";
import { SLUG_SEPARATORS } from "../../plan/text-part.ts";
import type { TaskText } from "../../plan/values.ts";
import type { CallView, SlotValue } from "../flow-candidates.ts";

/** A text below a heading. */
interface HeadedText {
  /** What the heading is made of. */
  readonly parts: readonly (string | Expression)[];
  /** What the caller says in it. */
  readonly said: readonly SlotValue[];
  readonly body: string;
}

const HEADING = /^(#{1,6} )(\p{L}[^\n]*?)(\n+)(?=\S)/u;

/** A text with a heading that the caller says, or of which the task says no word: that is the work's. */
export function headedText(
  value: string,
  { sample: { task } }: CallView,
  site: string,
): HeadedText | undefined {
  const [heading = "", signs = "", words = "", end = ""] = HEADING.exec(value) ?? [];
  if (heading === "") return undefined;
  const body = value.slice(heading.length);
  const said = saidHeading(words, task, site);
  if (!said) {
    const isOwn = !/\d/.test(words) && task.saidWordsOf(words).length === 0 && !task.mentions(words);
    return isOwn ? { parts: [heading], said: [], body } : undefined;
  }
  return { parts: [signs, { kind: "param", name: said.slot }, end], said: [said], body };
}

/** What the caller says as a heading: the task has it in quotes, or names a file so, with a number: `Week 12` of `week12.md`. */
export function saidHeading(words: string, task: TaskText, site: string): SlotValue | undefined {
  const isFile =
    /\d/.test(words) &&
    ["", ...SLUG_SEPARATORS].some((sign) => {
      const name = words.replaceAll(" ", sign);
      return [name, name.toLowerCase()].some((each) => task.says(`/${each}.`));
    });
  return isFile || task.quotes.includes(words)
    ? { slot: `${site}~heading`, field: "heading", value: words, origins: [], isOptional: false }
    : undefined;
}
