import type { Failure } from "../../core/error.ts";
import { commandLine } from "../../core/text/command-line.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { plainLine } from "../../core/text/display-text.ts";
import { judgementOf } from "../../trace/record/judgement.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import { reasonedFailure } from "./reasons.ts";
import { OWN_TOOL, type Trace, type TraceEvent } from "../../core/trace-event.ts";

/** What branches are compared by: fewer calls, calls that write, milliseconds and dollars are better. */
export const CRITERIA = ["success", "calls", "writes", "duration", "cost"] as const;
export type Criterion = (typeof CRITERIA)[number];

/** How several runs of the same task compare. */
export interface Comparison {
  /** The first on which they differ decides. */
  readonly criteria: readonly Criterion[];
  readonly branches: readonly Branch[];
  /** The id of the one that was taken. */
  readonly best: string;
}

export interface Branch {
  readonly id: string;
  readonly success: boolean;
  /** Tool calls. */
  readonly calls: number;
  /** Those of them that may write. */
  readonly writes?: number | undefined;
  /** Milliseconds; undefined: not known, which comes after everything known. */
  readonly duration?: number | undefined;
  /** Milliseconds of it that tool calls took, one after the other. */
  readonly toolDuration?: number | undefined;
  /** US dollars. */
  readonly cost?: number | undefined;
}

const DEFAULT_CRITERIA: readonly Criterion[] = ["success", "calls", "duration", "cost"];

/** A run that a draft was learned from, as it was recorded. */
export interface RunSource {
  readonly id: string;
  readonly source: string;
  readonly session?: string | undefined;
  readonly client?: string | undefined;
  /** When it began, as an ISO date. */
  readonly startedAt: string;
}

/** What runs of a task took, of those of which it is known. */
export interface Estimates {
  readonly runs: number;
  readonly calls: Spread;
  readonly writes?: Spread | undefined;
  readonly duration?: Spread | undefined;
  readonly toolDuration?: Spread | undefined;
  readonly cost?: Spread | undefined;
}

export interface Spread {
  /** How many values there were. */
  readonly n: number;
  readonly median: number;
  readonly p90: number;
}

export function runSource({ runId, source, sessionId, client, startedAt }: Trace): RunSource {
  return {
    id: runId,
    source,
    ...(sessionId === undefined ? {} : { session: sessionId }),
    ...(client === undefined ? {} : { client }),
    startedAt: new Date(startedAt).toISOString(),
  };
}

/** What the runs took; nothing where there are none. */
export function estimatesOf(traces: readonly Trace[], options: BranchOptions = {}): Estimates | undefined {
  const branches = traces.map((trace) => branchOf(trace, options));
  const spread = (key: "calls" | "writes" | "duration" | "toolDuration" | "cost"): Spread | undefined => {
    const values = branches.flatMap((branch) => branch[key] ?? []).toSorted((a, b) => a - b);
    const at = (share: number): number => values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0;
    return values.length === 0 ? undefined : { n: values.length, median: at(0.5), p90: at(0.9) };
  };
  const calls = spread("calls");
  return (
    calls && {
      runs: traces.length,
      calls,
      writes: spread("writes"),
      duration: spread("duration"),
      toolDuration: spread("toolDuration"),
      cost: spread("cost"),
    }
  );
}

/** The best of several runs of the same task; the earlier of equals. A run that failed is never the best. */
export function bestRun(
  traces: readonly Trace[],
  criteria: readonly Criterion[] = DEFAULT_CRITERIA,
  options: BranchOptions = {},
): Result<{ readonly best: Trace; readonly comparison: Comparison }> {
  const branches = traces.map((trace) => branchOf(trace, options));
  const ranked = [...branches.keys()]
    .filter((index) => branches[index]?.success === true)
    .toSorted((a, b) => compareBranches(branches[a], branches[b], criteria) || a - b);
  const best = traces[ranked[0] ?? -1];
  const [first] = traces;
  if (!best)
    return fail(
      (first && whyNotLearned(first, options)) ??
        reasonedFailure("nothing-to-learn", "INPUT_INVALID", "There is no run to take"),
    );
  return ok({ best, comparison: { criteria, branches, best: best.runId } });
}

/** What a run did, without what its client asked of this server's own tools. */
function workIn({ events }: Trace): readonly TraceEvent[] {
  return events.filter(({ eventSubtype }) => eventSubtype !== OWN_TOOL);
}

export interface RunChoice {
  /** Whether runs of which events are lost are learned from, too. */
  readonly incomplete?: boolean | undefined;
  /** Whether runs that were judged to have failed their task are learned from, too. */
  readonly failed?: boolean | undefined;
}

interface BranchOptions extends RunChoice {
  /** Which tools may write; where it is not told, no writes are counted. */
  readonly mayWrite?: MayWrite | undefined;
}

/** Why nothing may be learned from a run; undefined where something may. */
export function whyNotLearned(
  trace: Trace,
  { incomplete = false, failed = false }: RunChoice = {},
): Failure | undefined {
  const { runId, lost = 0 } = trace;
  if (lost > 0 && !incomplete) {
    const message = `Of the run ${runId} events are lost (${lost}), so not all it did is known; "${commandLine("extract --incomplete")}" learns from it all the same`;
    return reasonedFailure("incomplete", "TRACE_INCOMPLETE", message);
  }
  const events = workIn(trace);
  const root = rootOf(events);
  const last = events.findLast(({ eventType }) => ENDING.has(eventType));
  const fault = [root, last].find((event) => event !== undefined && event.status !== "completed");
  if (fault || !last) {
    const reason =
      fault === undefined
        ? "nothing-to-learn"
        : fault.status === "failed"
          ? "ended-in-failure"
          : "unfinished";
    const message = `The run ${runId} ${fault ? stateOf(fault) : "made no call"}: a skill is learned from runs that succeeded`;
    return reasonedFailure(reason, "TRACE_UNSUCCESSFUL", message);
  }
  const judgement = judgementOf(trace);
  if (judgement?.isSuccess !== false || failed) return undefined;
  const message = `The run ${runId} failed its task, as its transcript says (${plainLine(judgement.by)}); "${commandLine("extract --failed")}" learns from it all the same`;
  return reasonedFailure("failed-task", "TRACE_UNSUCCESSFUL", message);
}

/** The event that is the whole run; a session has none, whose calls follow each other. */
function rootOf(events: readonly TraceEvent[]): TraceEvent | undefined {
  const [root, ...others] = events.filter(({ parentEventId }) => parentEventId === undefined);
  return others.length === 0 ? root : undefined;
}

const ENDING: ReadonlySet<string> = new Set(["tool_call", "skill_call", "code_exec", "error"]);

function stateOf({ status, agentName = "its last step" }: TraceEvent): string {
  switch (status) {
    case "running":
      return `is not over: ${agentName} has no answer yet`;
    case "cancelled":
      return `was cancelled in ${agentName}`;
    case "failed":
      return `ended with a failure of ${agentName}`;
    case "completed":
      return "succeeded";
  }
}

function branchOf(trace: Trace, options: BranchOptions): Branch {
  const events = workIn(trace);
  const root = rootOf(events);
  const end = events.reduce(
    (latest, { timestamp, durationMs = 0 }) => Math.max(latest, timestamp + durationMs),
    trace.startedAt,
  );
  const duration = root?.durationMs ?? end - trace.startedAt;
  const isTimed = root?.meta?.["times"] !== "unknown";
  const costs = events.flatMap(({ cost }) => cost ?? []);
  const made = events.filter(({ eventType }) => eventType === "tool_call" || eventType === "code_exec");
  const times = made.flatMap(({ durationMs }) => durationMs ?? []);
  const { mayWrite } = options;
  return {
    id: trace.runId,
    success: whyNotLearned(trace, options) === undefined,
    calls: made.length,
    ...(mayWrite ? { writes: made.filter(({ agentName = "" }) => mayWrite(agentName)).length } : {}),
    ...(isTimed ? { duration } : {}),
    ...(isTimed && times.length === made.length && times.length > 0
      ? { toolDuration: times.reduce((sum, each) => sum + each, 0) }
      : {}),
    ...(costs.length > 0 ? { cost: root?.cost ?? costs.reduce((sum, cost) => sum + cost, 0) } : {}),
  };
}

function compareBranches(
  a: Branch | undefined,
  b: Branch | undefined,
  criteria: readonly Criterion[],
): number {
  for (const criterion of criteria) {
    const difference = worth(a, criterion) - worth(b, criterion);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
}

/** Less is better. */
function worth(branch: Branch | undefined, criterion: Criterion): number {
  if (criterion === "success") return branch?.success === true ? 0 : 1;
  return branch?.[criterion] ?? Number.MAX_VALUE;
}
