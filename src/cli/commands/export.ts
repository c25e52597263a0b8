import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import { failure } from "../../core/error.ts";
import { writeWhole } from "../../core/files/whole-file.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { hasCode, type Skill } from "../../core/skill.ts";
import { serverOf } from "../../core/tools/tool-name.ts";
import { skillCases } from "../../catalog/skill-cases.ts";
import type { EngineAdapter, ExportFile, ToolAccess } from "../../export/engine-adapter.ts";
import { ENGINES } from "../../export/engines.ts";
import { pythonCode } from "../../learn/codegen/python-code.ts";
import { skillCode } from "../../learn/codegen/skill-code.ts";
import { PLAN, type Plan } from "../../learn/plan/plan.ts";
import { clientName } from "../../upstream/tools/published-tools.ts";
import { codeWorkflow } from "../../workflow/code-workflow.ts";
import { planWorkflow, workflowPlan } from "../../workflow/plan-workflow.ts";
import { WORKFLOW, type Workflow } from "../../workflow/workflow.ts";
import { type CommonOptions, examples, printJson, valueOrThrow, withCommonOptions } from "../session.ts";
import { withExtraction } from "../with-drafts.ts";

const FORMS = ["workflow", "python", ...ENGINES.keys()] as const;

interface ExportOptions extends CommonOptions {
  readonly to: string;
  readonly output?: string;
  readonly direct?: boolean;
  readonly whole?: boolean;
}

/** What is exported: a plan where the skill was learned, a document where it is one, else its code. */
type Exportable =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "workflow"; readonly document: Workflow }
  | { readonly kind: "code"; readonly skill: Skill };

export function exportSkillCommand(): Command {
  return withCommonOptions(new Command("export"))
    .description(
      "write a skill or a draft in another form: a workflow document, Python, or for another engine",
    )
    .argument("<skill>", "its name")
    .addOption(new Option("--to <form>", "the form").choices(FORMS).makeOptionMandatory())
    .option("-o, --output <folder>", "write files into this folder (default: print them)")
    .option("--whole", "for an engine: one step that calls the skill, though its steps are known")
    .option("--direct", "for an engine: call the tools on their own servers, and not through this one")
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
        const engine = ENGINES.get(options.to);
        const files = valueOrThrow(
          engine
            ? await engineFiles(engine, name, { skill, exportable, options })
            : exported(name, exportable, options),
        );
        if (options.output === undefined) {
          if (options.json) printJson({ name, ...told(files) });
          else for (const file of files) console.log(printedFile(file, files.length > 1));
          return;
        }
        const folder = options.output;
        const paths = files.map(({ path }) => join(folder, path));
        const taken = paths.find((path) => existsSync(path));
        if (taken !== undefined)
          return valueOrThrow(fail(failure("ALREADY_EXISTS", `There is a file at ${taken} already`)));
        for (const [nth, { text }] of files.entries()) {
          const path = paths[nth] ?? folder;
          const fault = writeWhole(path, text);
          if (fault !== undefined) return valueOrThrow(fail(failure("PATH_NOT_FOUND", `${path}: ${fault}`)));
        }
        if (options.json) printJson({ name, ...(engine ? { files: paths } : { file: paths[0] ?? folder }) });
        else for (const path of paths) console.log(`Written: ${path}`);
      });
    });
}

/** As they are printed: one file of a form, or the files of an engine. */
function told(files: readonly ExportFile[]): JsonObject {
  const [only, ...more] = files;
  return only && more.length === 0
    ? { file: only.path, text: only.text }
    : { files: files.map(({ path, text }) => ({ path, text })) };
}

function printedFile({ path, text }: ExportFile, isOneOfMany: boolean): string {
  return isOneOfMany ? `==> ${path} <==\n${text}` : text.trimEnd();
}

interface EngineExport {
  /** Undefined: it is a draft. */
  readonly skill: Skill | undefined;
  readonly exportable: Exportable;
  readonly options: ExportOptions;
}

async function engineFiles(
  engine: EngineAdapter,
  name: string,
  { skill, exportable, options }: EngineExport,
): Promise<Result<readonly ExportFile[]>> {
  if (skill !== undefined && !hasCode(skill))
    return fail(failure("EXPORT_REFUSED", `${name}: it has instructions and no code`));
  const plan = options.whole === true ? undefined : planOf(exportable);
  const cases = skill === undefined ? ok([]) : await skillCases(skill.path);
  if (!cases.ok) return cases;
  const about = { name, description: skill?.description ?? plan?.description, cases: cases.value };
  const access: ToolAccess =
    options.direct === true ? { kind: "direct" } : { kind: "served", published: publishedName };
  if (plan) {
    const contract = skill?.contract ?? planContract(plan);
    return engine.export({ ...about, ...contract, work: { kind: "plan", plan } }, access);
  }
  if (skill === undefined)
    return fail(failure("EXPORT_REFUSED", `${name}: a draft is no skill that could be called`));
  const mayWrite = skill.operation === "WRITE";
  return engine.export({ ...about, ...skill.contract, work: { kind: "call", mayWrite } }, access);
}

function publishedName(tool: string): string {
  const server = serverOf(tool);
  return clientName({ server, name: tool.slice(server.length + 1) });
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
  { to, direct, whole }: ExportOptions,
): Result<readonly ExportFile[]> {
  if (direct === true || whole === true)
    return fail(failure("EXPORT_REFUSED", `--direct and --whole are for engines, and not for ${to}`));
  if (to === "workflow") {
    const document = documentOf(exportable);
    return document.ok
      ? ok([{ path: "workflow.json", text: `${JSON.stringify(document.value, null, 2)}\n` }])
      : document;
  }
  const plan = planOf(exportable);
  if (plan === undefined) {
    const why = `"${name}" was not learned, or was changed since: only a plan is printed as Python`;
    return fail(failure("EXPORT_REFUSED", why));
  }
  const code = pythonCode(plan);
  return code.ok ? ok([{ path: `${name.replaceAll("-", "_")}.py`, text: code.value }]) : code;
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

/** What a draft takes and gives, which has no contract yet. */
function planContract({ params, output }: Plan): { readonly input: JsonObject; readonly output: JsonObject } {
  return {
    input: {
      type: "object",
      properties: Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
      required: params.flatMap(({ name, optional }) => (optional === true ? [] : [name])),
    },
    output: output.schema,
  };
}
