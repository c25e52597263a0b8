import { relative } from "node:path";
import { Command } from "commander";
import type { CatalogSnapshot } from "../../catalog/catalog.ts";
import { signatureText } from "../../graph/render/graph-signature.ts";
import { calleesOf } from "../../graph/skill-graph.ts";
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostic.ts";
import type { Skill } from "../../core/skill.ts";
import { oneLine } from "../../core/text/display-text.ts";
import { CONTRACT_CODES } from "../against/contract-codes.ts";
import { findingText } from "../output/finding-text.ts";
import { skillFolderOf } from "./read-properties.ts";
import { type CommonOptions, examples, EXIT, printJson, withApp, withCommonOptions } from "../session.ts";

interface TypecheckOptions extends CommonOptions {
  readonly verbose?: boolean;
}

export function typecheckCommand(): Command {
  return withCommonOptions(new Command("typecheck"))
    .description("check that skills give and take what their contracts and those of their callees say")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option("-v, --verbose", "show what each skill takes and gives, and the calls that were checked")
    .addHelpText(
      "after",
      examples(
        '\nThe findings are those of "check" that are about types and contracts.\nExits with 1 when there are errors.\n\nExample:\n  $ repertoire typecheck ./skills --verbose',
      ),
    )
    .action(async (folders: string[], options: TypecheckOptions) => {
      await withApp(folders.map(skillFolderOf), options, async (app) => {
        const { snapshot } = await app.catalog;
        const findings = snapshot.diagnostics.filter(isToTell);
        const errors = findings.filter(({ severity }) => severity === "error");
        const isPassed = errors.length === 0 && snapshot.skills.size > 0;
        if (options.json) printJson(toldAsJson(snapshot, findings, isPassed));
        else tell(snapshot, findings, options.verbose === true);
        process.exitCode = isPassed ? EXIT.ok : EXIT.failed;
      });
    });
}

/** What keeps a skill from being loaded keeps it from being checked. */
const UNLOADED_CODES: ReadonlySet<DiagnosticCode> = new Set([
  "folder-missing",
  "file-unreadable",
  "file-too-large",
  "frontmatter-missing",
  "frontmatter-unclosed",
  "frontmatter-not-mapping",
  "yaml-invalid",
  "description-missing",
] as const);

function isToTell({ code, severity }: Diagnostic): boolean {
  return CONTRACT_CODES.has(code) || (UNLOADED_CODES.has(code) && severity === "error");
}

function tell({ skills }: CatalogSnapshot, findings: readonly Diagnostic[], isVerbose: boolean): void {
  if (isVerbose) for (const skill of skills.values()) console.log(`${skillText(skill)}\n`);
  for (const severity of ["warning", "error"])
    for (const finding of findings) if (finding.severity === severity) console.error(findingText(finding));
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const files = new Set(errors.map(({ path }) => path)).size;
    console.error(`Type check failed: ${counted(errors.length, "error")} in ${counted(files, "file")}`);
  } else if (skills.size === 0) console.error("No skills found in the provided paths.");
  else {
    const calling = [...skills.values()].filter((skill) => calleesOf(skill).length > 0).length;
    const others = calling === 0 ? "" : `, ${calling} of which ${calling === 1 ? "calls" : "call"} others`;
    console.log(`Type check passed: ${counted(skills.size, "skill")}${others}`);
  }
}

/** A skill's contract, and the calls in its code or its frontmatter. */
function skillText(skill: Skill): string {
  const { name, path, contract, calls, composes } = skill;
  const called = new Set(calls.skills.map(({ callee }) => callee));
  const declared = composes.filter((each) => !called.has(each));
  return [
    `${oneLine(name)}: ${oneLine(signatureText(contract))}`,
    ...calls.skills.map(
      ({ callee, path: file, line, column }) =>
        `  calls ${oneLine(callee)} (${oneLine(relative(path, file))}:${line}:${column})`,
    ),
    ...(declared.length > 0 ? [`  composes ${oneLine(declared.join(", "))}`] : []),
    ...(calls.dynamic ? ["  calls what it chooses when it runs, which cannot be checked"] : []),
  ].join("\n");
}

function toldAsJson(
  { skills }: CatalogSnapshot,
  diagnostics: readonly Diagnostic[],
  passed: boolean,
): object {
  return {
    passed,
    skills: [...skills.values()].map(({ name, contract, calls, composes }) => ({
      name,
      input: contract.input,
      output: contract.output,
      calls: calls.skills,
      callsUnknown: calls.dynamic,
      composes,
    })),
    diagnostics,
  };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
