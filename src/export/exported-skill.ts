import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../core/error.ts";
import { isJsonObject, type JsonObject } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { hasCode, type Skill } from "../core/skill.ts";
import { skillCases } from "../catalog/skill-cases.ts";
import { skillCode } from "../learn/codegen/skill-code.ts";
import { PLAN, type Plan } from "../learn/plan/plan.ts";
import { workflowPlan } from "../workflow/plan-workflow.ts";
import { WORKFLOW, type Workflow } from "../workflow/workflow.ts";
import type { ExportedSkill, StepRoles } from "./engine-adapter.ts";
import { examplesOf } from "./export-files.ts";

/** What a name stands for: a plan where the skill was learned or is a draft, a document where it is one, else its code. */
export type Exportable =
  /** Without a skill it is a draft. */
  | { readonly kind: "plan"; readonly plan: Plan; readonly skill?: Skill }
  | { readonly kind: "workflow"; readonly document: Workflow; readonly skill: Skill }
  | { readonly kind: "code"; readonly skill: Skill };

/** Where names are looked up. */
export interface ExportSources {
  readonly skills: () => Promise<ReadonlyMap<string, Skill>>;
  /** The plan of a draft that was learned. */
  readonly draftPlan: (name: string) => Promise<Plan | undefined>;
}

/** A draft that waits stands for what the skill is to become; once promoted, the skill is what runs. */
export async function exportable(name: string, sources: ExportSources): Promise<Result<Exportable>> {
  const skills = await sources.skills();
  const skill = skills.get(name);
  if (skill) return ok(exportableOf(skill));
  const plan = await sources.draftPlan(name);
  if (plan) return ok({ kind: "plan", plan });
  const hint = didYouMean(name, [...skills.keys()]);
  return fail(failure("SKILL_NOT_FOUND", `There is no skill "${name}", and no draft with a plan.${hint}`));
}

/** Whoever has changed the code of a learned skill since has made another one of it, which its plan does not tell. */
function exportableOf(skill: Skill): Exportable {
  const document = WORKFLOW.safeParse(skill.workflow).data;
  if (document) return { kind: "workflow", document, skill };
  const plan = planIn(skill.path);
  const isPrinted = plan !== undefined && skill.sources.some(({ text }) => text === skillCode(plan));
  return isPrinted ? { kind: "plan", plan, skill } : { kind: "code", skill };
}

function planIn(folder: string): Plan | undefined {
  try {
    const provenance: unknown = JSON.parse(readFileSync(join(folder, "provenance.json"), "utf8"));
    return isJsonObject(provenance) ? PLAN.safeParse(provenance["plan"]).data : undefined;
  } catch {
    // Most skills were not learned.
    return undefined;
  }
}

/** The steps, where they are known as such. */
export function planOf(given: Exportable): Plan | undefined {
  switch (given.kind) {
    case "plan":
      return given.plan;
    case "workflow": {
      const read = workflowPlan(given.document);
      return "plan" in read ? read.plan : undefined;
    }
    case "code":
      return undefined;
  }
}

/** What an engine is told: its steps, or as a `whole` one call of it. `EXPORT_REFUSED` where nothing could be called. */
export async function exportedSkill(
  name: string,
  given: Exportable,
  { whole = false }: { readonly whole?: boolean } = {},
): Promise<Result<ExportedSkill>> {
  const { skill } = given;
  if (skill && !hasCode(skill))
    return fail(failure("EXPORT_REFUSED", `${name}: it has instructions and no code`));
  const known = planOf(given);
  const plan = whole ? undefined : known;
  const cases = skill ? await skillCases(skill.path) : ok([]);
  if (!cases.ok) return cases;
  const about = { name, description: skill?.description ?? plan?.description, cases: cases.value };
  if (plan) {
    const contract = skill?.contract ?? planContract(plan);
    const roles = given.kind === "workflow" ? rolesIn(given.document) : undefined;
    return ok({ ...about, ...contract, work: { kind: "plan", plan }, roles });
  }
  if (!skill) return fail(failure("EXPORT_REFUSED", `${name}: a draft is no skill that could be called`));
  const mayWrite = skill.operation === "WRITE";
  return ok({
    ...about,
    ...skill.contract,
    work: {
      kind: "call",
      mayWrite,
      examples: known ? examplesOf(known) : {},
      secrets: known?.params.flatMap((param) => (param.secret === true ? [param.name] : [])) ?? [],
    },
  });
}

function rolesIn({ skill: { workflow, framework_adapters: hints } }: Workflow): StepRoles {
  const steps = workflow.tasks.filter((task) => task["x-repertoire"]?.step !== undefined);
  const mapping = hints?.["ag2"]?.["agent_mapping"];
  const named = isJsonObject(mapping) ? Object.entries(mapping) : [];
  return {
    ofSteps: steps.map(({ role }) => role),
    agents: new Map(named.filter((each): each is [string, string] => typeof each[1] === "string")),
  };
}

/** What a draft takes and gives, which has no contract yet. */
function planContract({ params, output }: Plan): Pick<ExportedSkill, "input" | "output"> {
  const properties = Object.fromEntries(params.map(({ name, schema }) => [name, schema]));
  const required = params.flatMap(({ name, optional }) => (optional === true ? [] : [name]));
  const input: JsonObject = { type: "object", properties, required };
  return { input, output: output.schema };
}
