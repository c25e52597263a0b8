// The check of composed skills: beside TypeScript itself, which is given the finished declarations and the same files.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { loadFolders } from "../src/catalog/folders/load-folders.ts";
import { SkillCompiler } from "../src/compiler/compile-skills.ts";
import { EDITOR_SETTINGS, editorTypes } from "../src/cli/commands/types.ts";
import type { SkillFolder } from "../src/core/skill.ts";
import { keeps, type Measurement, measured, median } from "./measurement.ts";

const EDITS = 9;
const COLD_GOAL_MS: Readonly<Record<number, number>> = { 200: 10_000, 1000: 40_000 };

export async function compositionMeasurements(): Promise<readonly Measurement[]> {
  const report: Measurement[] = [];
  for (const count of [10, 100, 200, 1000]) report.push(...(await checkOf(count)));
  return report;
}

async function checkOf(count: number): Promise<readonly Measurement[]> {
  const root = await mkdtemp(join(tmpdir(), "repertoire-bench-check-"));
  try {
    for (let index = 0; index < count; index++) await writeSkill(root, index, "");
    const compiler = new SkillCompiler({ cacheFolder: join(root, "cache") });
    const check = async (): Promise<number> => {
      const folders = await foldersIn(root);
      const started = performance.now();
      const { skills, diagnostics, findings } = await compiler.compile(folders);
      const ms = performance.now() - started;
      if (skills.length !== count || diagnostics.length + findings.length > 0)
        throw new Error(`${skills.length} skills, ${JSON.stringify([...diagnostics, ...findings][0])}`);
      return ms;
    };
    const cold = await check();
    await writeFile(
      join(root, "skills.d.ts"),
      editorTypes((await compiler.compile(await foldersIn(root))).skills),
    );
    const floor = bareTypeScriptMs(root, count);
    const edits: number[] = [];
    for (let edit = 0; edit < EDITS; edit++) {
      await writeSkill(root, count - 1, `// edit ${edit}\n`);
      edits.push(await check());
    }
    await compiler.close();
    const versus = "TypeScript alone, over the same files";
    const coldGoal = COLD_GOAL_MS[count];
    const coldResult = measured(`check of ${count} skills, nothing cached`, cold, "ms", versus, floor);
    const editResult = measured(
      `check again after one edit among ${count}`,
      median(edits),
      "ms",
      versus,
      floor,
    );
    return [
      coldGoal === undefined
        ? coldResult
        : keeps(coldResult, `<= ${coldGoal} ms`, (each) => each.value <= coldGoal),
      keeps(editResult, "<= 500 ms", (each) => each.value <= 500),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function foldersIn(root: string): Promise<readonly SkillFolder[]> {
  const { loaded } = await loadFolders([root], { strict: false, before: undefined });
  return loaded.flatMap(({ folder }) => folder ?? []);
}

/** A skill that calls two others, once and in a loop, and works with what they give. */
async function writeSkill(root: string, index: number, more: string): Promise<void> {
  const name = `skill-${index}`;
  const calls =
    index === 0
      ? "  const legs: Leg[] = [];"
      : `  const whole = await call_skill("skill-${Math.floor((index - 1) / 2)}", input);
  const parts = await Promise.all(
    [1, 2].map((nights) => call_skill("skill-${Math.floor(index / 3)}", { origin: "LHR", destination: "NRT", nights })),
  );
  const legs: Leg[] = [...whole.legs, ...parts.flatMap((part) => part.legs)];`;
  const code = `interface Leg {
  from: string;
  to: string;
  price: number;
  tags: string[];
}
interface Input {
  /** @pattern ^[A-Z]{3}$ */
  origin: string;
  destination: string;
  /** @minimum 1 */
  nights: number;
  options?: { cabin: "economy" | "business"; bags: number };
}
interface Output {
  total: number;
  legs: Leg[];
  note: string | null;
}
export default async function run(input: Input): Promise<Output> {
${calls}
  const total = legs.reduce((sum, leg) => sum + leg.price, ${index}) + input.nights * 100;
  return { total, legs, note: total > 10 ? "much" : null };
}
${more}`;
  await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, name, "SKILL.md"), `---\nname: ${name}\ndescription: Skill ${index}.\n---\n`);
  await writeFile(join(root, name, "skill.ts"), code);
}

function bareTypeScriptMs(root: string, count: number): number {
  const { options } = ts.convertCompilerOptionsFromJson(EDITOR_SETTINGS.compilerOptions, root);
  const files = Array.from({ length: count }, (_, index) => join(root, `skill-${index}`, "skill.ts"));
  const started = performance.now();
  const program = ts.createProgram([join(root, "skills.d.ts"), ...files], options);
  const faults = program.getSemanticDiagnostics();
  const ms = performance.now() - started;
  if (faults.length > 0) throw new Error(ts.flattenDiagnosticMessageText(faults[0]?.messageText, " "));
  return ms;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, value, versus, ratio } of await compositionMeasurements())
    console.log(`${name}: ${value.toPrecision(3)} ms, ${ratio.toPrecision(3)}x ${versus}`);
}
