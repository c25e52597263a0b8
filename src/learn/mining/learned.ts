import { parameterValues } from "../verify/parameter-values.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { foundInput, triedPlan, type Trial } from "../reuse/replay-search.ts";
import { type KnownTool, synthesise, type Synthesis } from "../synthesis/synthesise.ts";
import type { Drawn, TracePart } from "./occurrence-traces.ts";

/** A plan, and how it did. */
export interface Learned {
  readonly synthesis: Synthesis;
  readonly heldOut: readonly TracePart[];
  /** How many of those that were held out the plan replays. */
  readonly replay: { readonly passed: number; readonly of: number };
}

/**
 * The plan that occurrences have in common, tried on others. Where one that was learned from all of them fails, one that
 * was learned from the first alone may do better. Nothing where none does a single occurrence again.
 */
export async function learned(
  samples: readonly Drawn[],
  heldOut: readonly Drawn[],
  trial: Trial,
  tools: readonly KnownTool[],
): Promise<Learned | undefined> {
  const all = await learnedFrom(samples, heldOut, trial, tools);
  if (samples.length === 1 || (all && all.replay.passed === all.replay.of)) return all;
  const first = await learnedFrom(samples.slice(0, 1), heldOut, trial, tools);
  return first && first.replay.passed > (all?.replay.passed ?? 0) ? first : all;
}

const SYNTHESIS_MS = 5000;

async function learnedFrom(
  samples: readonly Drawn[],
  heldOut: readonly Drawn[],
  trial: Trial,
  tools: readonly KnownTool[],
): Promise<Learned | undefined> {
  const made = synthesise(
    samples.map(({ trace }) => trace),
    { tools, limits: { timeMs: SYNTHESIS_MS } },
  );
  if (!made.ok) return undefined;
  const { plan, from } = made.value;
  const first = samples[from[0] ?? 0];
  const tried = triedPlan(plan, trial);
  if (!tried || !first) return undefined;
  const replays = async ({ trace }: { readonly trace: RecordedTrace }): Promise<boolean> => {
    const input = parameterValues(plan.params, first.trace, trace);
    return (await foundInput(tried, trace, [input], { wallMs: trial.wallMs })) !== undefined;
  };
  // What does not do again what it was learned from is no plan.
  if (!(await replays(first))) return undefined;
  const passed = (await Promise.all(heldOut.map(replays))).filter(Boolean).length;
  if (passed === 0) return undefined;
  return {
    synthesis: made.value,
    heldOut: heldOut.map(({ part }) => part),
    replay: { passed, of: heldOut.length },
  };
}
