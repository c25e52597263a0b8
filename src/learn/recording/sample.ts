import { loopAt } from "./loops.ts";
import { Provenance } from "./occurrences.ts";
import type { RecordedCall, RecordedTrace } from "./recorded-call.ts";
import type { Folding, SampleCall, SampleStep } from "./sample-step.ts";
import { Task } from "../plan/values.ts";

/** A trace as steps: its calls, with rounds over a collection folded into one step. */
export interface Sample {
  readonly trace: RecordedTrace;
  readonly task: Task;
  readonly steps: readonly SampleStep[];
  readonly provenance: Provenance;
}

export function sampleOf(trace: RecordedTrace, included: readonly number[], folding: Folding): Sample {
  const steps: SampleStep[] = [];
  const provenance = new Provenance();
  for (let at = 0; at < included.length;) {
    const loop = loopAt(trace.calls, included, at, steps, provenance, folding);
    const step = loop?.step ?? callStep(trace.calls, included[at] ?? 0);
    provenance.add(steps.length, step.value);
    steps.push(step);
    at += loop?.length ?? 1;
  }
  return { trace, task: new Task(trace.task), steps, provenance };
}

function callStep(calls: readonly RecordedCall[], call: number): SampleCall {
  const { tool = "", result = null, error } = calls[call] ?? {};
  // What a failed call said is no value to go on with.
  return { kind: "call", tool, call, value: error === undefined ? result : null };
}
