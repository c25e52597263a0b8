import { nameWords } from "../../plan/names.ts";
import { jsonLeaves, leafText, type TaskText } from "../../plan/values.ts";
import type { RecordedCall } from "../recorded-trace.ts";
import type { SampleStep } from "../sample-step.ts";

/** What the calls of a step were asked for: that what they gave has it is no wonder. */
export function askedOfStep(
  step: SampleStep | undefined,
  calls: readonly RecordedCall[],
): ReadonlySet<string> {
  const own = step?.kind === "loop" ? step.rounds.flat() : [step?.call];
  return new Set(
    own.flatMap((call) =>
      [...jsonLeaves(calls[call ?? -1]?.args ?? {})].flatMap(([, leaf]) => leafText(leaf) ?? []),
    ),
  );
}

/** Whether the task speaks of what a step gave, by what its calls were asked for or by what its tools are called. */
export function isStepSpokenOf(
  step: SampleStep | undefined,
  calls: readonly RecordedCall[],
  task: TaskText,
): boolean {
  const tools = step === undefined ? [] : step.kind === "loop" ? step.tools : [step.tool];
  return (
    [...askedOfStep(step, calls)].some((text) => text.length >= MIN_WORD && task.says(text)) ||
    tools.flatMap(nameWords).some((word) => word.length > MIN_WORD && task.hintsAt(word))
  );
}

const MIN_WORD = 3;
