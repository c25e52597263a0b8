import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import { failure } from "../../core/error.ts";
import { writeWhole } from "../../core/files/whole-file.ts";
import { isJsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Skill } from "../../core/skill.ts";
import { pythonCode } from "../../learn/codegen/python-code.ts";
import { skillCode } from "../../learn/codegen/skill-code.ts";
import { PLAN, type Plan } from "../../learn/plan/plan.ts";
import { codeWorkflow } from "../../workflow/code-workflow.ts";
import { planWorkflow, workflowPlan } from "../../workflow/plan-workflow.ts";
import { WORKFLOW, type Workflow } from "../../workflow/workflow.ts";
import { type CommonOptions, examples, printJson, valueOrThrow, withCommonOptions } from "../session.ts";
import { withExtraction } from "../with-drafts.ts";

const FORMS = ["workflow", "python"] as const;

interface ExportOptions extends CommonOptions {
  readonly to: (typeof FORMS)[number];
  readonly output?: string;
}

/** What is exported: a plan where the skill was learned, a document where it is one, else its code. */
type Exportable =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "workflow"; readonly document: Workflow }
  | { readonly kind: "code"; readonly skill: Skill };

export function exportSkillCommand(): Command {
  return withCommonOptions(new Command("export"))
    .description("write a skill or a draft in another form: a workflow document, or a Python module")
    .argument("<skill>", "its name")
    .addOption(new Option("--to <form>", "the form").choices(FORMS).makeOptionMandatory())
    .option("-o, --output <folder>", "write a file into this folder (default: print it)")
    .addHelpText("after", examples("\nExample:\n  $ repertoire export circle-area --to workflow"))
    .action(async (name: string, options: ExportOptions) => {
      await withExtraction(options, async (app) => {
        const skill = (await app.catalog).snapshot.skills.get(name);
        const draft = await app.extraction.drafts.readAny(name);
        // A draft that waits stands for what the skill is to become; once promoted, the skill is what runs.
        const exportable: Exportable =
          skill !== undefined
            ? exportableOf(skill)
            : valueOrThrow(
                draft.ok && draft.value.kind === "learned"
                  ? ok({ kind: "plan" as const, plan: draft.value.plan })
                  : fail(failure("SKILL_NOT_FOUND", `There is no skill "${name}", and no draft with a plan`)),
              );
        const { file, text } = valueOrThrow(exported(name, exportable, options.to));
        if (options.output === undefined) {
          if (options.json) printJson({ name, file, text });
          else console.log(text.trimEnd());
          return;
        }
        const path = join(options.output, file);
        if (existsSync(path))
          return valueOrThrow(fail(failure("ALREADY_EXISTS", `There is a file at ${path} already`)));
        const fault = writeWhole(path, text);
        if (fault !== undefined) return valueOrThrow(fail(failure("PATH_NOT_FOUND", `${path}: ${fault}`)));
        if (options.json) printJson({ name, file: path });
        else console.log(`Written: ${path}`);
      });
    });
}

/** Whoever has changed the code of a learned skill since has made another one of it, which its plan does not tell. */
function exportableOf(skill: Skill): Exportable {
  const document = WORKFLOW.safeParse(skill.workflow).data;
  if (document) return { kind: "workflow", document };
  const plan = planIn(skill.path);
  const isPrinted = plan !== undefined && skill.sources.some(({ text }) => text === skillCode(plan));
  return isPrinted ? { kind: "plan", plan } : { kind: "code", skill };
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

function exported(
  name: string,
  exportable: Exportable,
  to: ExportOptions["to"],
): Result<{ readonly file: string; readonly text: string }> {
  if (to === "workflow") {
    const document = documentOf(exportable);
    return document.ok
      ? ok({ file: "workflow.json", text: `${JSON.stringify(document.value, null, 2)}\n` })
      : document;
  }
  const plan = planOf(exportable);
  if (plan === undefined) {
    const why = `"${name}" was not learned, or was changed since: only a plan is printed as Python`;
    return fail(failure("EXPORT_REFUSED", why));
  }
  const code = pythonCode(plan);
  return code.ok ? ok({ file: `${name.replaceAll("-", "_")}.py`, text: code.value }) : code;
}

function planOf(exportable: Exportable): Plan | undefined {
  switch (exportable.kind) {
    case "plan":
      return exportable.plan;
    case "workflow": {
      const read = workflowPlan(exportable.document);
      return "plan" in read ? read.plan : undefined;
    }
    case "code":
      return undefined;
  }
}

function documentOf(exportable: Exportable): Result<Workflow> {
  switch (exportable.kind) {
    case "plan":
      return planWorkflow(exportable.plan);
    case "workflow":
      return ok(exportable.document);
    case "code":
      return codeWorkflow(exportable.skill);
  }
}
