import { randomInt, randomUUID } from "node:crypto";
import type { Failure } from "./error.ts";
import type { UnmetCondition } from "./conditions/skill-condition.ts";
import type { Json } from "./json/json.ts";

export interface ConsoleLine {
  readonly level: "log" | "info" | "warn" | "error" | "debug";
  readonly text: string;
}

/** What a call's code read of the world by itself. */
export interface ClockAndRandomReadings {
  /** Each time the clock (milliseconds since 1970) had changed: the number of the read, from 0, and the value. */
  readonly clock?: readonly (readonly [read: number, value: number])[];
  /** What `Math.random` was fed with. */
  readonly seed?: number;
}

/** What the answer of a language model has taken. */
export interface ModelUse {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, where prices are configured. */
  readonly cost?: number;
}

/** One call in a run's tree, finished. Times are milliseconds; `startMs` counts from the run's start. */
export interface CallRecord {
  readonly kind: "skill" | "tool";
  readonly callPath: string;
  readonly name: string;
  /** Digest of the skill that ran; absent for tools and for calls refused before a skill was found. */
  readonly digest?: string;
  readonly input: Json;
  readonly outcome:
    | { readonly ok: true; readonly output: Json }
    | { readonly ok: false; readonly error: Failure };
  readonly startMs: number;
  readonly durationMs: number;
  readonly console: readonly ConsoleLine[];
  readonly world?: ClockAndRandomReadings;
  /** Whether the output is that of an earlier call with the same input, whose code did not run again. */
  readonly reused?: true;
  /** Conditions that did not hold and were not critical. */
  readonly unmet?: readonly UnmetCondition[];
  /** Whether input and output were left out (they are null), since the run's record would have become too large. */
  readonly omitted?: true;
  /** Of a question to a model that was answered by one. */
  readonly modelUse?: ModelUse;
  /** When its caller got the answer: its place among all answers in the run, from 0. */
  readonly answered?: number;
  /** Of a call of a tool that was known to only read. */
  readonly isRead?: true;
  /** In call-path order. */
  readonly calls: readonly CallRecord[];
}

/** One call from outside and all that it called. */
export interface Run {
  readonly id: string;
  readonly startedAt: string;
  readonly root: CallRecord;
}

/** What is told while a run goes on. */
export type RunEvent =
  | { readonly kind: "started"; readonly callPath: string; readonly name: string }
  | { readonly kind: "finished"; readonly callPath: string; readonly name: string; readonly ok: boolean };

/** A condition that did not hold for a call of a run. */
export interface UnmetInCall extends UnmetCondition {
  readonly skill: string;
  readonly callPath: string;
}

/** All conditions that did not hold and were not critical, in the run's whole tree. */
export function unmetIn({ name, callPath, unmet = [], calls }: CallRecord): readonly UnmetInCall[] {
  return [...unmet.map((each) => ({ skill: name, callPath, ...each })), ...calls.flatMap(unmetIn)];
}

/** How many beginnings of eight characters there are. */
const HEADS = 2 ** 32;
const MAX_STEP = 2 ** 13;

let head = randomInt(HEADS);

/**
 * An id for a run. Its first eight characters tell it from others. They count up in random steps: runs that begin in
 * the same millisecond are in the order of their ids, and what is written of runs that follow each other stands
 * together in an index of whatever size.
 */
export function newRunId(): string {
  head = (head + randomInt(1, MAX_STEP)) % HEADS;
  return head.toString(16).padStart(8, "0") + randomUUID().slice(8);
}
