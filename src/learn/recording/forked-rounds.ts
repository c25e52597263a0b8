import { failureKind } from "../plan/failure-kind.ts";
import type { RecordedCall } from "./recorded-trace.ts";
import type { ForkedTools, Round, RoundFork } from "./sample-step.ts";

const MAX_FAILED = 4;

/** Rounds of which some have failed at the same call in the same way, and then gone on alike. */
export interface ForkedRounds extends ForkedTools {
  readonly rounds: readonly Round[];
  /** How many rounds go on after one in which nothing has failed: that after a failed one may be its substitute. */
  readonly continued: number;
  /** Whether a round goes on after a failed one. */
  readonly isResumed: boolean;
}

/**
 * The rounds that begin at a call, of so many tools each where nothing fails. Undefined where none or all of them fail, or
 * where nothing tells what was done in a failed round and what after all rounds, unless other runs have told it.
 */
export function forkedRounds(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  period: number,
  known?: ForkedTools,
): ForkedRounds | undefined {
  const tools = known
    ? known.tools.slice(0, known.tools.length - known.fork.failed)
    : toolsOfRound(calls, included, at, period);
  if (!tools) return undefined;
  let after: readonly string[] | undefined = known?.tools.slice(tools.length);
  let fork: RoundFork | undefined = known?.fork;
  const whole: Round[] = [];
  const failed = new Set<Round>();
  for (let start = at; start < included.length;) {
    const made = madeCalls(calls, included, start, tools);
    const round: (number | undefined)[] = included.slice(start, start + made);
    start += made;
    if (made < tools.length) {
      const call = calls[included[start] ?? -1];
      if (call?.error === undefined || call.tool !== tools[made]) break;
      const fails = failureKind(call.error, call.args);
      after ??= toolsAfter(calls, included, start + 1, tools);
      if (!after || fails === "" || madeCalls(calls, included, start + 1, after) < after.length) break;
      fork ??= { at: made, fails, failed: after.length };
      if (fork.at !== made || fork.fails !== fails) break;
      round.push(included[start]);
      round.length = tools.length;
      round.push(...included.slice(start + 1, start + 1 + after.length));
      start += 1 + after.length;
      failed.add(round);
    }
    whole.push(round);
  }
  if (!fork || !after || whole.length === 0) return undefined;
  if (!known && (failed.size === 0 || failed.size === whole.length)) return undefined;
  const width = tools.length + after.length;
  const rounds = whole.map((round) => Array.from({ length: width }, (_, nth) => round[nth]));
  const behind = whole.slice(0, -1);
  const continued = behind.filter((round) => !failed.has(round)).length;
  return { tools: [...tools, ...after], fork, rounds, continued, isResumed: continued < behind.length };
}

/** The tools of the first round in which nothing fails. */
function toolsOfRound(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  period: number,
): readonly string[] | undefined {
  const first = calls[included[at] ?? -1]?.tool;
  const last = Math.min(at + MAX_FAILED * period, included.length - period);
  for (let start = at; start <= last; start++) {
    const round = included.slice(start, start + period).flatMap((call) => calls[call] ?? []);
    if (round[0]?.tool === first && round.every(({ error }) => error === undefined))
      return round.map(({ tool }) => tool);
  }
  return undefined;
}

/** How many of the tools are called one after the other, without a failure. */
function madeCalls(
  calls: readonly RecordedCall[],
  included: readonly number[],
  start: number,
  tools: readonly string[],
): number {
  const other = tools.findIndex((tool, nth) => {
    const call = calls[included[start + nth] ?? -1];
    return call?.tool !== tool || call.error !== undefined;
  });
  return other < 0 ? tools.length : other;
}

/** What is called after a failure until the next round begins; nothing where no round comes any more. */
function toolsAfter(
  calls: readonly RecordedCall[],
  included: readonly number[],
  start: number,
  [first]: readonly string[],
): readonly string[] | undefined {
  if (start === included.length) return [];
  const tools: string[] = [];
  for (const index of included.slice(start, start + MAX_FAILED + 1)) {
    const { tool = "", error } = calls[index] ?? {};
    if (tool === first) return tools;
    if (error !== undefined) return undefined;
    tools.push(tool);
  }
  return undefined;
}
