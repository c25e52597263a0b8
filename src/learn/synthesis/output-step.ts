import type { Json } from "../../core/json/json.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import { nameWords, singular } from "../plan/names.ts";
import { soundsReading } from "../plan/tool-effects.ts";
import { jsonLeaves, leafText, TaskText } from "../plan/values.ts";
import { leafTexts } from "../plan/value-texts.ts";
import type { Sample } from "../recording/sample.ts";
import type { SampleStep } from "../recording/sample-step.ts";

/**
 * Which of the steps that a run made, by their numbers, gave what the run was for: the last one, unless that only told
 * somebody, or only answered that it is done. Then what the task's words ask for, where an earlier answer has it under such
 * names (of a thing that was changed since, no answer tells how it is now), and after a telling what the last act gave.
 */
export function outputStep({ trace, steps }: Sample, made: readonly number[]): number | undefined {
  const known = made.flatMap((at) => {
    const step = steps[at];
    return step ? [{ at, step }] : [];
  });
  const last = known.at(-1);
  if (!last) return undefined;
  const isTelling = last.step.kind === "call" && TELLING.has(toolWords(last.step.tool)[0] ?? "");
  if (!isTelling && !isReceipt(last.step, trace)) return last.at;
  const before = known.slice(0, -1).filter(({ step }) => !isReceipt(step, trace));
  const acts = before.filter(({ step }) => step.kind === "call" && !soundsReading(step.tool));
  const said = new TaskText(trace.task);
  const words = new Set(
    (trace.task ?? "")
      .toLowerCase()
      .match(/\p{L}{4,}/gu)
      ?.map(singular),
  );
  const [asked] = (isTelling ? before : acts)
    .map(({ at, step }) => ({ at, count: askedFor(step.value, words, said) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || b.at - a.at);
  return (asked ?? (isTelling ? acts.at(-1) : undefined) ?? last).at;
}

/** What such a tool answers is about the telling. */
const TELLING: ReadonlySet<string> = new Set(
  "send log notify mail email message announce report record audit track say speak reply".split(" "),
);

/** How many names of an answer's values are words of the task, which does not say these values itself. */
function askedFor(value: Json, words: ReadonlySet<string>, said: TaskText): number {
  const found = new Set<string>();
  let left = MAX_LEAVES;
  for (const [path, leaf] of jsonLeaves(value)) {
    if (left-- === 0) break;
    const name = path.findLast((part) => typeof part === "string") ?? "";
    if (leaf === null || leaf === "" || said.says(leaf)) continue;
    for (const word of nameWords(name)) if (words.has(singular(word))) found.add(word);
  }
  return found.size;
}

const MAX_LEAVES = 2000;

/** Whether an answer says no more than that something is done: yes or no, or a few words that nothing has been given as. */
function isReceipt(step: SampleStep, trace: Sample["trace"]): boolean {
  if (step.kind !== "call") return false;
  const given = leafTexts(trace.calls[step.call]?.args ?? {});
  let leaves = 0;
  for (const [, leaf] of jsonLeaves(step.value)) {
    const text = leafText(leaf);
    const tells = text !== undefined && (given.has(text) || /\d/.test(text) || text.length > MAX_RECEIPT);
    if (tells || ++leaves > MAX_RECEIPT_LEAVES) return false;
  }
  return true;
}

const MAX_RECEIPT = 40;
const MAX_RECEIPT_LEAVES = 3;
