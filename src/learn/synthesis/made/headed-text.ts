import type { Expression } from "../../plan/plan.ts";
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

/** A text with a heading that the task has in quotes, which the caller says, or of which it says no word: that is the work's. */
export function headedText(
  value: string,
  { sample: { task } }: CallView,
  site: string,
): HeadedText | undefined {
  const [heading = "", signs = "", words = "", end = ""] = HEADING.exec(value) ?? [];
  if (heading === "") return undefined;
  const body = value.slice(heading.length);
  if (!task.quotes.includes(words)) {
    const isOwn = !/\d/.test(words) && task.saidWordsOf(words).length === 0 && !task.mentions(words);
    return isOwn ? { parts: [heading], said: [], body } : undefined;
  }
  const slot = `${site}~heading`;
  return {
    parts: [signs, { kind: "param", name: slot }, end],
    said: [{ slot, field: "heading", value: words, origins: [], isOptional: false }],
    body,
  };
}
