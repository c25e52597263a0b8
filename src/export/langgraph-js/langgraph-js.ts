import { failure } from "../../core/error.ts";
import { fail, ok } from "../../core/result.ts";
import { namedSteps } from "../../learn/plan/steps.ts";
import type { ExportedSkill, Exporter } from "../engine-adapter.ts";
import { printableAsNodes } from "../plan-nodes.ts";
import { secretsOf } from "../export-files.ts";
import { graphModule } from "./graph.ts";
import { PROGRAM, packageText, readmeText, testModule, TSCONFIG } from "./graph-files.ts";
import { toolsModule } from "./tools.ts";

/**
 * LangGraph, in TypeScript, as it is in Python: a graph with a node for each step, which waits for a person before each
 * call that may write, and makes such calls as tasks, whose outcome is kept.
 */
export const LANGGRAPH_JS: Exporter = {
  name: "langgraph-js",
  canExecute,
  export: (skill, access) => {
    const can = canExecute(skill, access);
    if (!can.ok) return can;
    return ok([
      { path: "graph.ts", text: graphModule(skill) },
      { path: "tools.ts", text: toolsModule(skill, access) },
      { path: "graph.test.ts", text: testModule(skill) },
      { path: "package.json", text: packageText(skill) },
      { path: "tsconfig.json", text: TSCONFIG },
      { path: "README.md", text: readmeText(skill, access) },
    ]);
  },
  program: PROGRAM,
};

function canExecute(
  skill: ExportedSkill,
  access: Parameters<Exporter["canExecute"]>[1],
): ReturnType<Exporter["canExecute"]> {
  const secret = secretsOf(skill).find(({ schema }) => schema["type"] !== "string");
  if (secret) {
    const why = `${secret.name}: a credential that is no text cannot be hidden from what is kept`;
    return fail(failure("EXPORT_REFUSED", why));
  }
  const steps = skill.work.kind === "plan" ? skill.work.plan.steps : [];
  const lazy = namedSteps(steps).find(
    (step) =>
      step.kind === "call" && step.reads?.some(({ forms }) => forms.some(({ kind }) => kind === "sections")),
  );
  if (lazy) {
    const why = "the parts of its answer's text are read where they are used, which no state can keep";
    return fail(failure("EXPORT_REFUSED", `${lazy.name}: ${why}`));
  }
  return printableAsNodes(skill, access, { language: "TypeScript", unlike: [] });
}
