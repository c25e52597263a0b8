import { existsSync } from "node:fs";
import { sep } from "node:path";
import { Command } from "commander";
import { skillCases } from "../../catalog/skill-cases.ts";
import { type CaseRun, runCase } from "../../runner/run-case.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { failure } from "../../core/error.ts";
import { commandLine } from "../../core/text/command-line.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import type { App } from "../../rooms.ts";
import type { Skill, SkillCase } from "../../core/skill.ts";
import { withHangingIndent, oneLine } from "../../core/text/display-text.ts";
import { lookedIn } from "../looked-in.ts";
import { findingText } from "../output/finding-text.ts";
import { valueDiff } from "../output/unified-diff.ts";
import {
  type CommonOptions,
  endWith,
  examples,
  EXIT,
  printJson,
  withApp,
  withCommonOptions,
} from "../session.ts";

interface CaseResult {
  readonly skill: string;
  readonly name: string;
  readonly ok: boolean;
  readonly durationMs: number;
  /** What differs, for a case that failed. */
  readonly why?: string;
}

export function testCommand(): Command {
  return withCommonOptions(new Command("test"))
    .description("run the cases in the skills' tests.yaml")
    .argument("[folders...]", "skill folders (default: the configuration's, else ./skills)")
    .option("--skill <name>", "only this skill's cases")
    .addHelpText(
      "after",
      examples(
        "\nExits with 1 when a case fails or a skill has errors.\n\nExample:\n  $ repertoire test ./skills",
      ),
    )
    .action(async (folders: string[], options: CommonOptions & { skill?: string }) => {
      const name = folders.find((each) => !/[/\\]/.test(each) && !existsSync(each));
      if (name !== undefined) {
        const message = `There is no folder "${name}". The cases of a skill "${name}": ${commandLine(`test --skill ${name}`)}`;
        endWith(failure("PATH_NOT_FOUND", message), options.json === true, EXIT.usage);
      }
      await withApp(folders, options, async (app) => {
        const { skills, diagnostics } = (await app.catalog).snapshot;
        const isAsked = isAbout(options.skill, skills);
        const errors = diagnostics.filter((each) => each.severity === "error" && isAsked(each));
        if (options.skill !== undefined && !skills.has(options.skill) && errors.length === 0) {
          const hint = didYouMean(options.skill, [...skills.keys()]);
          const missing = failure("SKILL_NOT_FOUND", `There is no skill named "${options.skill}".${hint}`);
          endWith(lookedIn(missing, app.config), options.json === true, EXIT.usage);
        }
        for (const error of errors) console.error(findingText(error));
        const chosen = [...skills.values()].filter(
          ({ name }) => options.skill === undefined || name === options.skill,
        );
        const results: CaseResult[] = [];
        for (const skill of chosen) results.push(...(await resultsOf(app, skills, skill)));
        if (options.json) printJson(results);
        else show(results);
        process.exitCode = errors.length === 0 && results.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
      });
    });
}

/** Whether a finding is about the skill of this name: it stands in its folder, or makes it unusable. */
function isAbout(
  name: string | undefined,
  skills: ReadonlyMap<string, Skill>,
): (finding: Diagnostic) => boolean {
  if (name === undefined) return () => true;
  const folder = skills.get(name)?.path;
  // A skill that is not loaded has the name of its folder.
  return ({ path, affects = [] }) =>
    affects.includes(name) ||
    (folder === undefined ? path.split(sep).includes(name) : path.startsWith(folder + sep));
}

async function resultsOf(
  app: App,
  skills: ReadonlyMap<string, Skill>,
  skill: Skill,
): Promise<readonly CaseResult[]> {
  const cases = await skillCases(skill.path);
  if (!cases.ok)
    return [{ skill: skill.name, name: "tests.yaml", ok: false, durationMs: 0, why: cases.error.message }];
  const results: CaseResult[] = [];
  for (const given of cases.value) {
    const run = await runCase(app.runner, skills, skill.name, given);
    const why = difference(given, run);
    results.push({
      skill: skill.name,
      name: given.name,
      ok: why === undefined,
      durationMs: run.record.durationMs,
      ...(why === undefined ? {} : { why }),
    });
  }
  return results;
}

function difference({ expected }: SkillCase, { record: { outcome }, fault }: CaseRun): string | undefined {
  if (!fault) return undefined;
  if (fault.kind === "tool-call") return fault.message;
  switch (expected.kind) {
    case "output": {
      const wanted = JSON.stringify(expected.output);
      if (!outcome.ok) return `expected ${wanted}, got ${outcome.error.code}: ${outcome.error.message}`;
      const lines = valueDiff(expected.output, outcome.output);
      const isShort = typeof expected.output !== "object" && typeof outcome.output !== "object";
      return isShort
        ? `expected ${wanted}, got ${JSON.stringify(outcome.output)}`
        : ["the output differs: - expected, + given", ...lines].join("\n");
    }
    case "error": {
      const { code, message = "" } = expected;
      const wanted = [code, message].filter((part) => part !== undefined && part !== "").join(": ");
      return outcome.ok
        ? `expected the failure ${wanted}, got ${JSON.stringify(outcome.output)}`
        : `expected the failure ${wanted}, got ${outcome.error.code}: ${outcome.error.message}`;
    }
  }
}

function show(results: readonly CaseResult[]): void {
  for (const { skill, name, ok, durationMs, why } of results) {
    const line = `${ok ? "✓" : "✗"} ${oneLine(skill)}: ${oneLine(name)} (${durationMs.toFixed(1)} ms)`;
    if (ok) console.log(line);
    else console.error(`${line}\n    ${withHangingIndent(why ?? "")}`);
  }
  const failed = results.filter(({ ok }) => !ok).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
}
