import type { Failure } from "../core/error.ts";
import type { UnmetCondition } from "../core/conditions/skill-condition.ts";
import type { ConsoleLine, ClockAndRandomReadings } from "../core/run.ts";
import type { Script } from "../core/skill.ts";
import type { Instance } from "./sandbox/engine.ts";
import type { Payload } from "./sandbox/payload.ts";
import type { SkillPackage } from "./threads/protocol.ts";
import type { ClockAndRandom } from "./clock-and-random.ts";

export type CallOutcome =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: Failure };

/** A call that is open or finished. */
export interface Call {
  readonly kind: "skill" | "tool";
  readonly callPath: string;
  readonly name: string;
  /** Names from the root to this call. */
  readonly chain: readonly string[];
  readonly parent: Call | undefined;
  /** The request of the parent's code that this call answers. */
  readonly request: number;
  /** The parent's stack where the call was made. */
  readonly site: string;
  readonly calls: Call[];
  readonly console: ConsoleLine[];
  readonly startMs: number;
  input: string;
  /** Its input as its caller's code gave it, until it begins. */
  given: Extract<Payload, { kind: "json" }> | undefined;
  endMs: number;
  outcome: CallOutcome | undefined;
  skill: SkillPackage | undefined;
  scripts: ReadonlyMap<string, Script>;
  instance: Instance | undefined;
  /** Whether it counts against the calls in flight: it runs, or waits for something outside. */
  working: boolean;
  /** Requests of its code that are not answered yet. */
  open: number;
  /** The newest of them. */
  lastRequest: number;
  /** Requests that were refused without becoming calls. */
  refused: Map<number, Failure> | undefined;
  deadline: number;
  cpuLeftMs: number;
  timer: NodeJS.Timeout | undefined;
  /**
   * What its code is told the time is, where the run can be resumed: milliseconds since 1970. Only what its caller knew as
   * it began, and the answers that it was given itself, move it on: in which order others are answered may be another then.
   */
  now: number;
  readonly clockAndRandom: ClockAndRandom;
  readings: ClockAndRandomReadings | undefined;
  /** CPU milliseconds that it and those below it took, loading aside. */
  spentMs: number;
  below: CallSubtree;
  /** Whether nothing but its input has had a part in its outcome. */
  isPure: boolean;
  /** Whether a budget, or the order of answers, may have had a part in it or in a call below it: by itself it might have gone another way. */
  isLimited: boolean;
  reused: boolean;
  /** Conditions that did not hold and were not critical. */
  unmet: readonly UnmetCondition[];
  answered: number | undefined;
  /** When a tool's answer was given: milliseconds since 1970, in a run that can be resumed. */
  answeredAt: number;
  /** Whether it is a call of a tool that is known to only read. */
  isRead: boolean;
}

/** The calls below a call, all levels. */
export interface CallSubtree {
  readonly calls: number;
  readonly levels: number;
  readonly callees: readonly { readonly name: string; readonly digest: string }[];
  /** Of the largest of their inputs and outputs. */
  readonly bytes: number;
  /** Whether each of them ran and succeeded, and all conditions held. */
  readonly isWell: boolean;
}

export const EMPTY_SUBTREE: CallSubtree = { calls: 0, levels: 0, bytes: 0, callees: [], isWell: true };

/** Open calls, deepest first. */
export function openCalls(call: Call): readonly Call[] {
  const below = call.calls.flatMap(openCalls);
  return call.outcome ? below : [...below, call];
}

/** Whether a tool was called for it. */
export function reachesTool({ kind, calls }: Call): boolean {
  return kind === "tool" || calls.some(reachesTool);
}

/** What is below a call once this one below it has ended. */
export function subtreeWith({ below }: Call, ended: Call): CallSubtree {
  return {
    calls: below.calls + 1 + ended.below.calls,
    levels: Math.max(below.levels, 1 + ended.below.levels),
    bytes: Math.max(below.bytes, ended.below.bytes, bytesOf(ended)),
    callees: union(below.callees, ended),
    isWell:
      below.isWell &&
      ended.below.isWell &&
      ended.outcome?.ok === true &&
      !ended.reused &&
      ended.unmet.length === 0,
  };
}

function bytesOf({ input, outcome }: Call): number {
  return Math.max(Buffer.byteLength(input), outcome?.ok ? Buffer.byteLength(outcome.text) : 0);
}

function union(known: CallSubtree["callees"], { name, skill, below }: Call): CallSubtree["callees"] {
  const isNew = (callee: { readonly name: string }): boolean =>
    !known.some((one) => one.name === callee.name);
  const more = below.callees.filter(isNew);
  if (skill && isNew({ name })) more.push({ name, digest: skill.digest });
  return more.length === 0 ? known : [...known, ...more];
}
