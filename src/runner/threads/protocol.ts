import type { AllowedSkills } from "../../core/tools/allowed-skills.ts";
import type { Failure } from "../../core/error.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { Script } from "../../core/skill.ts";
import type { ConditionCode } from "../conditions.ts";
import type { Limits } from "../../core/limits.ts";
import type { PortData } from "./thread-port.ts";

/** What a worker needs of a skill to run it. */
export interface SkillPackage {
  readonly name: string;
  /** Why it is not run, where it is not. */
  readonly refusal?: Failure;
  readonly digest: string;
  /** Absent for a skill without code. */
  readonly code?: {
    readonly folder: string;
    readonly scripts: readonly Script[];
    readonly input: JsonSchema;
    readonly output: JsonSchema;
    readonly preconditions: ConditionCode | undefined;
    readonly postconditions: ConditionCode | undefined;
  };
  /** Which skills it may call; nothing where it may call any. */
  readonly callees: AllowedSkills | undefined;
  /** Whether it declares that it calls itself. */
  readonly recursive: boolean;
  /** Whether, and for how many milliseconds, an output may be given again for the same input. */
  readonly reuse: { readonly kind: "pure" } | { readonly kind: "fresh"; readonly forMs: number } | undefined;
  /** Whether a person has to approve each call that writes. */
  readonly confirms: boolean;
  /** Whether it says that it writes, whatever it calls. */
  readonly declaresWrite: boolean;
  /** Tighter limits of its own. */
  readonly limits: Partial<Limits>;
}

/** A run for a worker. */
export interface Job {
  readonly id: number;
  /** The set of skills that the run sees; it does not change while the run goes on. */
  readonly library: number;
  readonly name: string;
  /** JSON text. */
  readonly input: string;
  readonly limits: Limits;
  /** On the clock of `clockMs`. */
  readonly startedAt: number;
  readonly events: boolean;
  /** The record of a run (a `CallRecord` as JSON text) that this one repeats: same clock, randomness and tool answers. */
  readonly replayed?: string;
  /** Whether a person is asked before each call that writes, or nothing is really called. */
  readonly isConfirmed: boolean;
  /** What a run starts from that is the same each time it is run, so that it can go on after a crash. */
  readonly resumable?: ResumePoint;
}

/** How far a run has come whose answers are written down: with these it goes the same way again. */
export interface ResumePoint {
  /** When it began: milliseconds since 1970. The code's clock stands still but for answers, which tell when they came. */
  readonly startedAt: number;
  /** What its calls' randomness is made of. */
  readonly seed: number;
  /** The call paths of calls that were answered, in the order of their answers. */
  readonly answered: readonly string[];
}

export type ToWorker =
  | { readonly kind: "run"; readonly job: Job }
  | { readonly kind: "cancel"; readonly id: number }
  | {
      readonly kind: "skill";
      readonly library: number;
      readonly name: string;
      readonly skill: SkillPackage | undefined;
    }
  | { readonly kind: "forget"; readonly library: number }
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly tool: number;
      readonly ok: boolean;
      readonly text: string;
      /** When it was given, for the clock of a run that can be resumed: milliseconds since 1970. */
      readonly at?: number;
      /** Whether the tool is known to only read. */
      readonly isRead?: boolean;
    };

export type CallEvent =
  | { readonly kind: "started"; readonly id: number; readonly callPath: string; readonly name: string }
  | {
      readonly kind: "finished";
      readonly id: number;
      readonly callPath: string;
      readonly name: string;
      readonly ok: boolean;
    };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "wants"; readonly library: number; readonly name: string }
  | CallEvent
  | {
      readonly kind: "tool";
      readonly id: number;
      readonly tool: number;
      readonly skill: string;
      readonly name: string;
      readonly callPath: string;
      readonly input: string;
      /** Of a run that can be resumed: the calls that were answered since it last called a tool, in this order. */
      readonly answered: readonly string[];
    }
  /** `root` is a `CallRecord` as JSON text; `fault` tells what should never have happened in the run. */
  | {
      readonly kind: "done";
      readonly id: number;
      readonly root: string;
      /** CPU milliseconds that its code took. */
      readonly spentMs: number;
      /** Whether it was ended since it had used up what it may take of that. */
      readonly isOverspent: boolean;
      readonly fault: string | undefined;
    }
  /** A fault of ours, after which not even the record of the run can be had. */
  | { readonly kind: "lost"; readonly id: number; readonly fault: string };

/** Whether it has the shape of a message from a worker. What a thread of ours says is no better than what made it. */
export function isFromWorker(value: unknown): value is FromWorker {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  const message = value as Readonly<Record<string, unknown>>;
  const isText = (...keys: string[]): boolean => keys.every((key) => typeof message[key] === "string");
  const isCount = (...keys: string[]): boolean => keys.every((key) => Number.isSafeInteger(message[key]));
  const { kind, ok, spentMs, isOverspent, fault } = message;
  switch (kind) {
    case "ready":
      return true;
    case "wants":
      return isCount("library") && isText("name");
    case "started":
      return isCount("id") && isText("callPath", "name");
    case "finished":
      return isCount("id") && isText("callPath", "name") && typeof ok === "boolean";
    case "tool":
      return (
        isCount("id", "tool") &&
        isText("skill", "name", "callPath", "input") &&
        Array.isArray(message["answered"])
      );
    case "done":
      return (
        isCount("id") &&
        isText("root") &&
        Number.isFinite(spentMs) &&
        typeof isOverspent === "boolean" &&
        (fault === undefined || isText("fault"))
      );
    case "lost":
      return isCount("id") && isText("fault");
    default:
      return false;
  }
}

/** What a worker is started with. */
export interface WorkerData {
  readonly port: PortData;
  readonly binary: WebAssembly.Module;
  /** JavaScript text. */
  readonly prelude: string;
  readonly shared: SharedArrayBuffer;
  /** Whether it makes ready what its first run needs before it says that it is. */
  readonly isForLater: boolean;
}

/** Slots of the memory that a worker shares with the pool, so that a stuck worker can be told from a busy one. */
export const SHARED = {
  /** The run whose code is on the worker's stack now, or 0. */
  running: 0,
  /** When it came there, by `clockMs`, modulo 2^31. */
  since: 1,
  /** CPU milliseconds that the run has left from then on. */
  cpuLeft: 2,
  /** The run that must end now, or 0. */
  cancelled: 3,
  /** The system's number of the worker's thread, or 0. */
  thread: 4,
  /** Whether the run that it was given last was the only one. */
  alone: 5,
} as const;

export const SHARED_BYTES = 24;

// A thread that is interrupted between the two readings finds too little.
const CLOCK_OFFSET = Math.max(
  ...Array.from({ length: 5 }, () => Number(process.hrtime.bigint()) / 1e6 - performance.now()),
);

/** Milliseconds on a clock that never goes back and that all threads of the process share. */
export function clockMs(): number {
  return CLOCK_OFFSET + performance.now();
}
