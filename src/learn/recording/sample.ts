import { loopAt } from "./loops.ts";
import { ValueIndex } from "./value-index.ts";
import type { RecordedCall, RecordedTrace } from "./recorded-trace.ts";
import type { Folding, SampleCall, SampleStep } from "./sample-step.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import { failureKind } from "../plan/failure-kind.ts";
import { jsonLeaves, leafText, TaskText } from "../plan/values.ts";

/** A trace as steps: its calls, with rounds over a collection folded into one step. */
export interface Sample {
  readonly trace: RecordedTrace;
  readonly task: TaskText;
  readonly steps: readonly SampleStep[];
  readonly valueIndex: ValueIndex;
  /** The last call that has a value as an argument, by the value's text. */
  readonly lastUses: ReadonlyMap<string, number>;
  readonly mayWrite: MayWrite;
}

export function sampleOf(
  trace: RecordedTrace,
  included: readonly number[],
  folding: Folding,
  mayWrite: MayWrite,
): Sample {
  const steps: SampleStep[] = [];
  const valueIndex = new ValueIndex();
  const task = new TaskText(trace.task);
  for (let at = 0; at < included.length;) {
    const loop = loopAt(trace.calls, included, at, { steps, valueIndex, task }, folding, mayWrite);
    const step = loop?.step ?? callStep(trace.calls, included[at] ?? 0);
    valueIndex.add(steps.length, step.value);
    steps.push(step);
    at += loop?.length ?? 1;
  }
  return { trace, task, steps, valueIndex, lastUses: lastUses(trace), mayWrite };
}

function lastUses({ calls }: RecordedTrace): ReadonlyMap<string, number> {
  return new Map(
    calls.flatMap(({ args }, call) =>
      [...jsonLeaves(args)].flatMap(([, leaf]) => {
        const text = leafText(leaf);
        return text === undefined ? [] : [[text, call] as const];
      }),
    ),
  );
}

function callStep(calls: readonly RecordedCall[], call: number): SampleCall {
  const { tool = "", result = null, error, args = {} } = calls[call] ?? {};
  if (error === undefined) return { kind: "call", tool, call, value: result };
  // What a failed call said is no value to go on with.
  return { kind: "call", tool, call, fails: failureKind(error, args), value: null };
}
