import type { JsonSchema } from "../core/json/json-schema.ts";
import type { Result } from "../core/result.ts";
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
  | { readonly kind: "call"; readonly mayWrite: boolean };

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
}

/** Another workflow engine as it is to skills here, which are named; learned drafts, too, may be written for it. */
export interface EngineAdapter {
  readonly name: string;
  /** Fails with `EXPORT_REFUSED` and the step, or else, that the engine cannot do as it is done here; `SKILL_NOT_FOUND`. */
  canExecute(skill: string, options?: ExportOptions): Promise<Result<null>>;
  /** The files, always the same for the same skill. Fails as `canExecute` does. */
  export(skill: string, options?: ExportOptions): Promise<Result<readonly ExportFile[]>>;
}

export interface ExportOptions {
  /** One step that calls the skill, though its steps are known. */
  readonly whole?: boolean;
  /** Tools are called on their own servers, and not through this one. */
  readonly direct?: boolean;
}
