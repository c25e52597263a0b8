import { skillCode } from "../../codegen/skill-code.ts";
import { type RecordedRun, recordedRun } from "../../edits/recorded-run.ts";
import type { Plan } from "../../plan/plan.ts";
import { forksIn } from "../../plan/steps.ts";
import type { Path } from "../../plan/values.ts";
import type { SourceTrace } from "../../recording/recorded-trace.ts";
import type { FaultOutcome } from "../evidence.ts";
import { missingFields } from "./missing-fields.ts";

/** A run, and the recorded calls that a draft has made in it. */
export interface MadeRun extends SourceTrace {
  readonly made: readonly number[];
}

/** A call of a run, and the outcome that it has instead of its own. */
export interface FaultPosition {
  /** Which of the runs. */
  readonly run: number;
  readonly call: number;
  readonly outcome: FaultOutcome;
  /** For `lacking`: the places in its answer in which there is nothing then. */
  readonly fields?: readonly Path[] | undefined;
}

const MAX_CALLS = 48;
const MAX_FIELDS = 16;

/**
 * Where calls are to fail, and where those that had failed are to succeed unless the plan knows what to do then: at every
 * call, but of the rounds of a loop of printed code at the first and the last, and of very many calls at some, evenly.
 * And where answers are to lack what the code reads in them. `untried` counts the calls and fields that are left out.
 */
export function faultPositions(
  runs: readonly MadeRun[],
  plan: Plan,
  code: string,
): { readonly positions: readonly FaultPosition[]; readonly untried: number } {
  const share = Math.max(2, Math.floor(MAX_CALLS / Math.max(1, runs.length)));
  const walks = runs.map((run) => recordedRun(plan, run, (runs[0] ?? run).trace));
  const known = forksIn(plan.steps).flatMap((fork) => (fork.kind === "branch" ? [fork.call.name] : []));
  const chosen = runs.map((run, nth) => {
    const inner = innerRounds(code === skillCode(plan) ? walks[nth] : undefined);
    return evenly(
      run.made.filter((call) => !inner.has(call)),
      share,
    );
  });
  const positions = chosen.flatMap((calls, run) => {
    const branching = new Set(known.flatMap((name) => walks[run]?.get(name)?.map(({ call }) => call) ?? []));
    return calls.flatMap((call): readonly FaultPosition[] => {
      const failed = { run, call, outcome: "failed" } as const;
      const hasFailed = runs[run]?.trace.calls[call]?.error !== undefined;
      return hasFailed && !branching.has(call) ? [failed, { run, call, outcome: "succeeded" }] : [failed];
    });
  });
  const all = runs.reduce((sum, { made }) => sum + made.length, 0);
  const lacking = missingFields(runs, code);
  const tried = evenly(lacking, MAX_FIELDS);
  return {
    positions: [...positions, ...tried],
    untried: all - chosen.reduce((sum, calls) => sum + calls.length, 0) + lacking.length - tried.length,
  };
}

/** The calls of all rounds but the first and the last. */
function innerRounds(walk: RecordedRun = new Map()): ReadonlySet<unknown> {
  return new Set([...walk.values()].flatMap((turns) => turns.slice(1, -1).map(({ call }) => call)));
}

function evenly<Each>(all: readonly Each[], most: number): readonly Each[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, nth) => Math.round((nth * (all.length - 1)) / (most - 1))).flatMap(
    (at) => all.slice(at, at + 1),
  );
}
