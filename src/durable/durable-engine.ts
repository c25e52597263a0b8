import type { Json } from "../core/json/json.ts";
import type { Result } from "../core/result.ts";
import type { Skill } from "../core/skill.ts";
import type { Run } from "../core/run.ts";
import type { CallDecision } from "./call-decision.ts";
import type { DurableRunOptions, DurableRunView, ResumeOptions } from "./durable-runs.ts";
import type { DurableRun, DurableRunState, JournalCall, ListedRun } from "./run-journal.ts";

/** Where durable runs are kept and go on: the journal of this machine (`DurableRuns`, which tells what each does), or another engine. */
export interface DurableEngine {
  /** Whether a skill's runs are its own, though nobody asks for that. */
  readonly takes: (skills: ReadonlyMap<string, Skill>, name: string) => boolean;
  readonly run: (skill: string, input: Json, options?: DurableRunOptions) => Promise<Run>;
  readonly resume: (run: string, options?: ResumeOptions) => Promise<Result<Run>>;
  readonly interrupted: () => Result<readonly string[]> | Promise<Result<readonly string[]>>;
  readonly list: (filter?: {
    readonly state?: DurableRunState;
    readonly limit?: number;
  }) => Result<readonly ListedRun[]> | Promise<Result<readonly ListedRun[]>>;
  readonly show: (run: string) => Result<DurableRunView> | Promise<Result<DurableRunView>>;
  readonly decide: (
    run: string,
    decision: CallDecision,
    about: { readonly by: string; readonly callPath: string },
  ) => Result<JournalCall> | Promise<Result<JournalCall>>;
  readonly cancel: (run: string) => Result<DurableRun> | Promise<Result<DurableRun>>;
  readonly close: () => Promise<void>;
}
