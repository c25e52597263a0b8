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

/** What other runs tell of a loop. */
interface LoopFacts {
  readonly known?: ForkedTools | undefined;
  /** What is called after the rounds. */
  readonly behind?: readonly string[] | undefined;
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
  { known, behind }: LoopFacts,
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
      after ??= toolsAfter(calls, included, start + 1, tools, behind);
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
  const earlier = whole.slice(0, -1);
  const continued = earlier.filter((round) => !failed.has(round)).length;
  return { tools: [...tools, ...after], fork, rounds, continued, isResumed: continued < earlier.length };
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

/**
 * What is called after a failure until the next round begins; where none comes any more, until what is called after all
 * rounds. Undefined where nothing tells that.
 */
function toolsAfter(
  calls: readonly RecordedCall[],
  included: readonly number[],
  start: number,
  [first]: readonly string[],
  behind: readonly string[] | undefined,
): readonly string[] | undefined {
  const later = included.slice(start).map((index) => calls[index]);
  const next = later.findIndex((call) => call?.tool === first);
  const tools = later.flatMap((call) => call?.tool ?? []);
  const end = Math.max(0, tools.length - (behind?.length ?? 0));
  const isTold = tools.length === 0 || (behind !== undefined && isEqual(tools.slice(end), behind));
  const length = next < 0 && isTold ? end : next;
  const isPlain = later.slice(0, length).every((call) => call?.error === undefined);
  return length >= 0 && length <= MAX_FAILED && isPlain ? tools.slice(0, length) : undefined;
}

function isEqual(tools: readonly string[], others: readonly string[]): boolean {
  return tools.length === others.length && tools.every((tool, nth) => tool === others[nth]);
}
