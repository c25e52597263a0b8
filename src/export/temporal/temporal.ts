import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { ExportedSkill, Exporter, ToolAccess } from "../engine-adapter.ts";
import { TSCONFIG } from "../langgraph-js/graph-files.ts";
import { toolsModule, valuesModule } from "../langgraph-js/tools.ts";
import { printableAsNodes } from "../plan-nodes.ts";
import { projectPackage, projectReadme, startModule, projectTests, workerModule } from "./project-files.ts";
import { activitiesModule, skillModule, workflowsModule } from "./workflow-modules.ts";

/**
 * Temporal, as a project in TypeScript: the skill's code as it is here, in a workflow whose calls are activities. Those
 * that merely read are tried again; each that may write is made once, and waits for a person where nobody answers it.
 */
export const TEMPORAL: Exporter = {
  name: "temporal",
  canExecute,
  export: (skill, access) => {
    const can = canExecute(skill, access);
    if (!can.ok) return can;
    const { work } = skill;
    return ok([
      ...(work.kind === "plan" ? [{ path: "skill.ts", text: skillModule(skill, work.plan) }] : []),
      { path: "workflows.ts", text: workflowsModule(skill) },
      { path: "activities.ts", text: activitiesModule(skill) },
      { path: "tools.ts", text: toolsModule(skill, access, { hasValues: false }) },
      { path: "values.ts", text: valuesModule() },
      { path: "worker.ts", text: workerModule(skill) },
      { path: "start.ts", text: startModule(skill) },
      { path: "skill.test.ts", text: projectTests(skill) },
      { path: "package.json", text: projectPackage(skill) },
      { path: "tsconfig.json", text: TSCONFIG },
      { path: "README.md", text: projectReadme(skill, access) },
    ]);
  },
};

function canExecute(skill: ExportedSkill, access: ToolAccess): Result<null> {
  const params = skill.work.kind === "plan" ? skill.work.plan.params : [];
  const secret = params.find((param) => param.secret === true);
  if (secret) {
    const why = `${secret.name}: it is a credential, and histories keep what a workflow is given: have the tool's own server know it`;
    return fail(failure("EXPORT_REFUSED", why));
  }
  return printableAsNodes(skill, access, { language: "TypeScript", unlike: [] });
}
