import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import type { App } from "../../rooms.ts";
import { failure } from "../../core/error.ts";
import { writeWhole } from "../../core/files/whole-file.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { openApiDocument } from "../../core/tools/openapi-document.ts";
import type { Estimate, Estimated, ExportFile, ExportOptions } from "../../export/engine-adapter.ts";
import { ENGINES } from "../../export/engines.ts";
import { type Exportable, exportable, planOf } from "../../export/exported-skill.ts";
import { pythonCode, pythonModule } from "../../learn/codegen/python-code.ts";
import { codeWorkflow } from "../../workflow/code-workflow.ts";
import { planWorkflow } from "../../workflow/plan-workflow.ts";
import type { Workflow } from "../../workflow/workflow.ts";
import { costText, counted, durationText, numberText } from "../output/amounts.ts";
import { type CommonOptions, examples, printJson, valueOrThrow, withCommonOptions } from "../session.ts";
import { withExtraction } from "../with-drafts.ts";

const FORMS = ["workflow", "python", "openapi", ...ENGINES.keys()] as const;

interface Options extends CommonOptions, ExportOptions {
  readonly to: string;
  readonly output?: string;
  readonly estimate?: boolean;
}

export function exportSkillCommand(): Command {
  return withCommonOptions(new Command("export"))
    .description("write a skill or a draft in another form: a document, Python, or for another engine")
    .argument("<skill>", "its name")
    .addOption(new Option("--to <form>", "the form").choices(FORMS).makeOptionMandatory())
    .option("-o, --output <folder>", "write files into this folder (default: print them)")
    .option("--whole", "for an engine: one step that calls the skill, though its steps are known")
    .option("--direct", "for an engine: call the tools on their own servers, and not through this one")
    .option("--estimate", "for an engine: write nothing, and tell what a run there is likely to take")
    .addHelpText("after", examples("\nExample:\n  $ repertoire export circle-area --to workflow"))
    .action(async (name: string, options: Options) => {
      await withExtraction(options, async (app) => {
        const engine = app.engines.get(options.to);
        if (options.estimate === true) {
          if (!engine)
            return valueOrThrow(
              fail(failure("EXPORT_REFUSED", `--estimate is for engines, and not for ${options.to}`)),
            );
          const estimate = valueOrThrow(await engine.estimate(name, options));
          if (options.json) printJson({ name, ...estimate });
          else console.log(estimateText(estimate));
          return;
        }
        const files = valueOrThrow(
          engine ? await engine.export(name, options) : await formFiles(name, app, options),
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

function estimateText({ workMs, overheadMs, calls, writes, costUsd, engine }: Estimate): string {
  const lines: readonly (readonly [what: string, told: Estimated, unit: (value: number) => string])[] = [
    ["the skill's own work", workMs, durationText],
    [`what ${engine} adds`, overheadMs, durationText],
    ["calls", calls, numberText],
    ["calls that may write", writes, numberText],
    ["cost", costUsd, costText],
  ];
  return lines.map(([what, told, unit]) => `${what}: ${estimatedText(told, unit)}`).join("\n");
}

function estimatedText(told: Estimated, unit: (value: number) => string): string {
  if (told.kind === "unknown") return `not known, since ${told.why}`;
  const { low, high, median = low, samples } = told;
  const range = low === high ? unit(low) : `${unit(low)} to ${unit(high)}`;
  switch (told.from) {
    case "runs":
      return `${low === high ? range : `${unit(median)}, mostly ${range}`} (${counted(samples, "run")})`;
    case "steps":
      return `${range} (by its steps)`;
    case "calls":
      return `${range} (by at least ${counted(samples, "call")} of each of its tools)`;
  }
}

async function formFiles(
  name: string,
  { front, exports }: App,
  { to, direct, whole }: Options,
): Promise<Result<readonly ExportFile[]>> {
  if (direct === true || whole === true)
    return fail(failure("EXPORT_REFUSED", `--direct and --whole are for engines, and not for ${to}`));
  const found = await exportable(name, exports);
  if (!found.ok) return found;
  if (to === "openapi") {
    const tool = await front.toolOf(name);
    if (tool === undefined)
      return fail(
        failure("EXPORT_REFUSED", `"${name}" is no tool here: it has no code, or is a draft, or faulty`),
      );
    return ok([jsonFile("openapi.json", openApiDocument(front.about, [tool]))]);
  }
  if (to === "workflow") {
    const document = documentOf(found.value);
    return document.ok ? ok([jsonFile("workflow.json", document.value)]) : document;
  }
  const plan = planOf(found.value);
  if (plan === undefined) {
    const why = `"${name}" was not learned, or was changed since: only a plan is printed as Python`;
    return fail(failure("EXPORT_REFUSED", why));
  }
  const code = pythonCode(plan);
  return code.ok ? ok([{ path: `${pythonModule(name)}.py`, text: code.value }]) : code;
}

function jsonFile(path: string, value: unknown): ExportFile {
  return { path, text: `${JSON.stringify(value, null, 2)}\n` };
}

function documentOf(given: Exportable): Result<Workflow> {
  switch (given.kind) {
    case "plan":
      return planWorkflow(given.plan);
    case "workflow":
      return ok(given.document);
    case "code":
      return codeWorkflow(given.skill);
  }
}
