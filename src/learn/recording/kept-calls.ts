import { failureKind } from "../plan/failure-kind.ts";
import { nameWords } from "../plan/names.ts";
import { MAX_RETRIES } from "../plan/plan.ts";
import { isSame } from "../plan/values.ts";
import type { RecordedCall, RecordedTrace } from "./recorded-trace.ts";

/** A recorded call that the plan does not make, or need not make. */
export interface OmittedCall {
  readonly trace: number;
  /** The call, or the plan's step. */
  readonly call?: number;
  readonly step?: string;
  /** `retried`: it failed and a later call did the same; `unused`: it only reads, and nothing uses what it read. */
  readonly reason: "retried" | "not-in-all" | "unused";
  /** Whether the plan is without it already; otherwise this is a proposal. */
  readonly isDropped: boolean;
}

/**
 * The calls of a trace that are worth doing again: all but those that failed and were tried again. A call that has another
 * argument than the failed one, such as `force`, is another call, unless the error had asked for the argument.
 */
export function keptCalls(trace: RecordedTrace): {
  readonly kept: readonly number[];
  readonly dropped: readonly Pick<OmittedCall, "call" | "reason" | "isDropped">[];
} {
  const isRetried = (index: number): boolean => {
    const failed = trace.calls[index];
    const again = failed?.retriedBy === undefined ? undefined : trace.calls[failed.retriedBy];
    return failed !== undefined && again !== undefined && isSameCall(failed, again);
  };
  const indices = [...trace.calls.keys()];
  return {
    kept: indices.filter((index) => !isRetried(index)),
    dropped: indices.filter(isRetried).map((call) => ({ call, reason: "retried", isDropped: true })),
  };
}

/**
 * In which ways a call had failed before it succeeded when it was made again at once and unchanged; undefined: it had not,
 * or nothing tells the failures from others.
 */
export function unchangedRetry(
  { calls }: RecordedTrace,
  call: number,
): { readonly times: number; readonly kinds: readonly string[] } | undefined {
  const { tool, args, error } = calls[call] ?? {};
  const kinds: string[] = [];
  for (let before = call - 1; error === undefined && kinds.length < MAX_RETRIES; before--) {
    const failed = calls[before];
    if (failed?.error === undefined || failed.retriedBy === undefined) break;
    if (failed.tool !== tool || !isSame(failed.args, args)) break;
    kinds.push(failureKind(failed.error, failed.args));
  }
  return kinds.length === 0 || kinds.includes("") ? undefined : { times: kinds.length, kinds };
}

/** Whether the later call only tries the failed one again. */
function isSameCall({ args, error = "" }: RecordedCall, again: RecordedCall): boolean {
  const changed = new Set(Object.keys(args)).symmetricDifference(new Set(Object.keys(again.args)));
  const said = new Set(nameWords(error.replaceAll(/[^A-Za-z0-9]+/g, " ")));
  return [...changed].every(
    (name) => INPUT_FAULT.test(error) || nameWords(name).some((word) => said.has(word)),
  );
}

/** Errors that are about the arguments rather than about the world. */
const INPUT_FAULT =
  /\b(?:arguments?|parameters?|params?|properties|property|schema|validation|field)\b|-32602/i;
