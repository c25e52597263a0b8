import { successRate } from "../../trace/store/success-rate.ts";
import type { Draft } from "../drafts/draft.ts";
import type { RungName } from "../verify/evidence.ts";

/** How far a draft is shown to do its task in other runs, from evidence alone, and what that is made of. */
export interface DraftConfidence {
  /** From 0 to 1: `least` x the share of twins that passed / (1 + open questions). */
  readonly value: number;
  /** The least share of such runs in which it does the same, with 95 % confidence. */
  readonly least: number;
  /** Recorded runs with different inputs, held-out runs and live runs; how many it did. */
  readonly runs: { readonly passed: number; readonly of: number };
  /** Without those in which nothing is another than in their run. */
  readonly twins: { readonly passed: number; readonly of: number };
  readonly questions: number;
}

/**
 * Nothing where nothing was verified; 0 where its types do not fit, a recorded run is not done again, or no twin is another
 * than its run.
 */
export function confidenceOf({ plan, provenance, evidence }: Draft): DraftConfidence | undefined {
  if (!evidence) return undefined;
  const rung = (name: RungName): { readonly passed: number; readonly of: number } => {
    const { passed = 0, of = 0, unchanged = 0 } = evidence.rungs.find((each) => each.name === name) ?? {};
    return { passed: passed - unchanged, of: of - unchanged };
  };
  const [types, own, twins] = [rung("types"), rung("own"), rung("twin")];
  const [heldOut, live] = [rung("heldOut"), rung("live")];
  // What was done twice with the same input shows no more than once.
  const repeated = own.of - new Set(provenance.traces.map(callsText)).size;
  const runs = {
    passed: Math.max(0, own.passed - repeated) + heldOut.passed + live.passed,
    of: Math.max(0, own.of - repeated) + heldOut.of + live.of,
  };
  const questions = plan.questions?.length ?? 0;
  const isSound = types.passed === types.of && own.passed === own.of && own.of > 0;
  const { low: least } = successRate(runs.passed, runs.of);
  const value = isSound && twins.of > 0 ? (least * (twins.passed / twins.of)) / (1 + questions) : 0;
  return { value: Math.round(value * 1000) / 1000, least, runs, twins, questions };
}

function callsText({ trace }: Draft["provenance"]["traces"][number]): string {
  return JSON.stringify(trace.calls.map(({ tool, args }) => [tool, args]));
}
