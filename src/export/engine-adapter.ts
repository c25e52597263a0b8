import type { Json, JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import type { Result } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import type { SkillCase } from "../core/skill.ts";
import type { Plan } from "../learn/plan/plan.ts";

/** What another engine is told of a skill. */
export interface ExportedSkill {
  readonly name: string;
  readonly description?: string | undefined;
  /** What it takes and gives. */
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly work: ExportedWork;
  readonly cases: readonly SkillCase[];
  /** Where a document tells them. */
  readonly roles?: StepRoles | undefined;
}

/** Who does what of a plan. */
export interface StepRoles {
  /** The role of each step, where it has one. */
  readonly ofSteps: readonly (string | undefined)[];
  /** What the agent of a role, or of a server's tools, is called. */
  readonly agents: ReadonlyMap<string, string>;
}

type ExportedWork =
  /** Its steps are the engine's. */
  | { readonly kind: "plan"; readonly plan: Plan }
  /** It is one step, which calls it where it is served. */
  | {
      readonly kind: "call";
      readonly mayWrite: boolean;
      /** By parameter, values that were given once. */
      readonly examples?: JsonObject;
      /** The parameters that are credentials. */
      readonly secrets?: readonly string[];
    };

/** How what was exported reaches the tools. */
export type ToolAccess =
  /** Through the server of the skills, which has tools of other servers by these names. */
  | { readonly kind: "served"; readonly published: (tool: string) => string }
  /** Their own servers, whose addresses or commands stand in the environment. */
  | { readonly kind: "direct" };

export interface ExportFile {
  /** In the folder of what is exported. */
  readonly path: string;
  readonly text: string;
}

/** Writes skills as something that another workflow engine runs: with the same calls and the same output, or not at all. */
export interface Exporter {
  readonly name: string;
  /** Fails with `EXPORT_REFUSED` and the step, or else, that the engine cannot do as it is done here. */
  readonly canExecute: (skill: ExportedSkill, access: ToolAccess) => Result<null>;
  /** The files, always the same for the same skill. Fails as `canExecute` does. */
  readonly export: (skill: ExportedSkill, access: ToolAccess) => Result<readonly ExportFile[]>;
  /** Runs what was exported; undefined: it is for others to run. */
  readonly program?: EngineProgram;
}

/** How what was exported is run once, in a process of its own. */
export interface EngineProgram {
  /** Whose interpreter runs it, with the user's packages. */
  readonly language: "python" | "node";
  /** The packages that it takes, with the versions that they were tried with. */
  readonly requirements: readonly string[];
  /**
   * What is run beside the files. Its arguments are a file for the outcome (`ProgramOutcome` as JSON), and a folder where
   * what the engine needs each time may be kept. The first line of stdin is the input as JSON; where stdin ends, nobody waits.
   */
  readonly text: (skill: ExportedSkill) => string;
}

/** How a program has ended. */
export type ProgramOutcome = (
  | { readonly output: Json }
  /** As the skill fails, by one of our codes. */
  | { readonly error: { readonly code: string; readonly message: string } }
  /** Packages that are not installed. */
  | { readonly missing: readonly string[] }
) & {
  readonly times?: ProgramTimes;
};

/** What a program took by itself, in milliseconds: until all was loaded, and from then on. */
export interface ProgramTimes {
  readonly loadMs: number;
  readonly runMs: number;
}

/** Another workflow engine as it is to skills here, which are named; learned drafts, too, may be written for it. */
export interface EngineAdapter {
  readonly name: string;
  /** Fails with `EXPORT_REFUSED` and the step, or else, that the engine cannot do as it is done here; `SKILL_NOT_FOUND`. */
  canExecute(skill: string, options?: ExportOptions): Promise<Result<null>>;
  /** The files, always the same for the same skill. Fails as `canExecute` does. */
  export(skill: string, options?: ExportOptions): Promise<Result<readonly ExportFile[]>>;
  /**
   * What a run there is likely to take, from what was recorded here. Fails as `canExecute` does, and with
   * `STORE_UNAVAILABLE`.
   */
  estimate(skill: string, options?: ExportOptions): Promise<Result<Estimate>>;
  /**
   * Runs a skill there, and gives and records the run as if it had been run here: the same calls, which are made here, the
   * same output, the same codes of failures. `EXPORT_REFUSED` as for `canExecute`; `ENGINE_UNAVAILABLE` where the engine is
   * not installed, with what installs it. Nobody is asked before a call writes, unless by `approve`.
   */
  execute(skill: string, input: Json, options?: ExecuteOptions): Promise<Run>;
}

/** What a run on an engine is likely to take. */
export interface Estimate {
  readonly engine: string;
  /** The skill's own work, in milliseconds, as where it is run directly. */
  readonly workMs: Estimated;
  /** What the engine adds to a run, in milliseconds, as its runs here were recorded, whatever the skill. */
  readonly overheadMs: Estimated;
  /** Calls of tools. */
  readonly calls: Estimated;
  /** Those of them that may write. */
  readonly writes: Estimated;
  readonly costUsd: Estimated;
}

export type Estimated =
  | {
      readonly kind: "known";
      /**
       * `runs`: that were recorded, of the skill as it is now, or on the engine. `steps`: the least and the most that the
       * skill's steps come to. `calls`: recorded calls of the same tools, from the sum of their medians to that of their
       * 95th percentiles.
       */
      readonly from: "runs" | "steps" | "calls";
      /** How many runs there are, or calls of the tool that was called least; 0 where it is from the steps. */
      readonly samples: number;
      /** Of runs the tenth of a hundred. */
      readonly low: number;
      /** Of runs. */
      readonly median?: number;
      /** Of runs the ninetieth of a hundred. */
      readonly high: number;
    }
  /** Nothing was recorded that tells. */
  | { readonly kind: "unknown"; readonly why: string };

export interface ExecuteOptions {
  /** Ends the run, with all its processes: its outcome is `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** Asked before each call that may write; what is not agreed to fails with `RUN_UNAPPROVED`. */
  readonly approve?: (call: ApprovalRequest) => Promise<boolean>;
  /** Whether a person has agreed to this run, where the setting `flows.untrustedIntoWrites` is `ask`. */
  readonly isApproved?: boolean;
  /** One step that calls the skill, though its steps are known. */
  readonly whole?: boolean;
  /** The interpreter whose packages the engine is of; the setting `engines.python` by default. */
  readonly python?: string;
  /** How long it may take; the setting `engines.timeoutMs` by default. */
  readonly timeoutMs?: number;
  /** Told what the engine's process took by itself. @internal */
  readonly onTimes?: (times: ProgramTimes) => void;
}

/** A call that may write, as a person is asked about it. */
export interface ApprovalRequest {
  /** A tool as `server.tool`, or a skill. */
  readonly name: string;
  readonly input: Json;
  readonly callPath: string;
}

export interface ExportOptions {
  /** One step that calls the skill, though its steps are known. */
  readonly whole?: boolean;
  /** Tools are called on their own servers, and not through this one. */
  readonly direct?: boolean;
}
