// What must never be in a draft, looked for without the product's own judgement of it.
import type { Draft } from "../../src/learn/drafts/draft.ts";
import type { Step } from "../../src/learn/plan/plan.ts";
import type { DraftView } from "../../src/learn/review/view-types.ts";
import { stepsWithin } from "../../src/learn/plan/steps.ts";
import { draftCalls } from "../../src/learn/edits/recorded-run.ts";
import type { Replayer } from "../../test/learn/replay.ts";

export interface SafetyFaults {
  /** Calls of a tool that nobody vouches for in a loop whose rounds run at once. */
  readonly parallel: number;
  /** Recorded calls of such tools that succeeded and that the draft does not make, or proposes to leave out. */
  readonly dropped: number;
  /** Calls of such tools that the view does not mark, or all of them where the skill says that it only reads. */
  readonly unmarked: number;
  /** Calls that, failing, do not keep the draft from its next call. */
  readonly swallowed: number;
}

/** Nobody has annotated the tools of a transcript: each that no reviewer, server or skill vouches for may write. */
function isVouchedFor({ plan }: Draft, tool: string): boolean {
  return plan.effects?.some((effect) => effect.tool === tool && effect.operation === "READ") === true;
}

export async function safetyFaults(
  draft: Draft,
  view: DraftView,
  skillText: string,
  replayer: Replayer,
  input: Parameters<Replayer["replay"]>[1],
): Promise<SafetyFaults> {
  const mayWrite = (tool: string): boolean => !isVouchedFor(draft, tool);
  const calls = view.steps.filter(({ tool }) => tool !== undefined);
  const writing = calls.filter(({ tool = "" }) => mayWrite(tool));
  const dropped = draft.provenance.traces.flatMap((source) => {
    const made = new Set(draftCalls(source));
    return source.trace.calls.filter(
      ({ tool, error }, index) => !made.has(index) && error === undefined && mayWrite(tool),
    );
  });
  const saysReading = writing.length > 0 && !/^operation: WRITE$/m.test(skillText);
  return {
    parallel: parallelCalls(draft.plan.steps, false).filter(mayWrite).length,
    dropped: dropped.length + writing.filter(({ isUnused }) => isUnused).length,
    unmarked: saysReading ? writing.length : writing.filter(({ writes }) => !writes).length,
    swallowed: await swallowedFailures(draft, replayer, input),
  };
}

function parallelCalls(steps: readonly Step[], isParallel: boolean): readonly string[] {
  return steps.flatMap((step) => {
    switch (step.kind) {
      case "call":
        return isParallel ? [step.tool] : [];
      case "loop":
        return parallelCalls(step.steps, isParallel || step.order === "parallel");
      case "guard":
      case "choice":
        return [];
      case "branch":
      case "switch":
        return parallelCalls(stepsWithin(step), isParallel);
    }
  });
}

const MAX_FAILURES = 12;

/** Runs the draft against its own record, in which one call after the other fails that had succeeded. */
async function swallowedFailures(
  { code, provenance }: Draft,
  replayer: Replayer,
  input: Parameters<Replayer["replay"]>[1],
): Promise<number> {
  const [source] = provenance.traces;
  if (!source) return 0;
  const kept = draftCalls(source);
  const succeeded = kept.filter((call) => source.trace.calls[call]?.error === undefined);
  let swallowed = 0;
  for (const failing of succeeded.slice(0, MAX_FAILURES)) {
    const calls = kept.flatMap((index) => {
      const call = source.trace.calls[index];
      return call ? [index === failing ? { ...call, result: null, error: "It was made to fail" } : call] : [];
    });
    const at = kept.indexOf(failing);
    const { made } = await replayer.replay(code, input, { ...source.trace, calls });
    const when = made.indexOf(at);
    if (when >= 0 && when < made.length - 1) swallowed++;
  }
  return swallowed;
}
