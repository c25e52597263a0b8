import type { Failure, Json, JournalCall, KeptCalls, KeptRun, RunStep, WaitingCall } from "repertoire";

/** The type of the workflow that runs any skill. */
export const RUN_SKILL = "runSkill";

/** What a run is started with: any client of Temporal may. */
export interface Given {
  readonly skill: string;
  readonly input?: Json;
  /** Held to: the run waits where a worker's skill is another. */
  readonly digest?: string;
  /** Whether a person approves each call that writes, though the skill does not ask for it. */
  readonly confirms?: boolean;
  /** Of a run that goes on in a new history. */
  readonly kept?: Kept;
}

/** What a run takes from one history to the next. */
export interface Kept extends KeptCalls, Pick<KeptRun, "seed" | "startedAt"> {
  readonly waiting: readonly OpenCall[];
}

/** A call that is not answered, and where it stands. */
export interface OpenCall {
  readonly call: WaitingCall;
  readonly state: "due" | "making" | "undecided" | "uncertain";
  readonly by?: string;
}

/** The signal by which a call that waits is decided about; the first counts. */
export const DECIDE = "decide";

/** What `RunSteps.decide` makes of a person's decision. */
export interface Decided extends Pick<JournalCall, "state" | "result"> {
  readonly callPath: string;
  readonly by?: string;
}

/** The query that tells where a run stands. */
export const VIEW = "view";

export interface View {
  readonly skill: string;
  readonly input: Json;
  readonly digest: string | undefined;
  readonly startedAt: number;
  readonly seed: number;
  readonly confirms: boolean;
  /** Without their answers. */
  readonly calls: readonly JournalCall[];
  /** Why it does not go on, where no decision is what it wants. */
  readonly held: string | undefined;
}

/** What stands in a run's memo, and in the list of workflows with it. */
export interface Memo {
  readonly skill: string;
  readonly digest: string;
  readonly session?: string;
  /** Whether a person is asked. */
  readonly waits?: boolean;
}

export interface Activities {
  readonly advance: (run: KeptRun, known: KeptCalls) => Promise<Advanced>;
  readonly callTool: (run: Pick<KeptRun, "runId" | "skill">, call: WaitingCall) => Promise<JournalCall>;
}

/** A step, whose record is text: the workflow does not look at it, and its history has it, for whoever wants it. */
export type Advanced =
  | Exclude<RunStep, { readonly kind: "ended" }>
  | {
      readonly kind: "ended";
      readonly outcome:
        | { readonly ok: true; readonly output: Json }
        | { readonly ok: false; readonly error: Failure };
      readonly record: string;
    };

/** The most that Temporal takes as one value, in bytes, with what stands around it. */
export const MAX_VALUE_BYTES = 1_900_000;
