import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { App } from "../../src/rooms.ts";
import { workflowName } from "../../src/export/temporal/workflow-modules.ts";
import { bundledRuns, timeless } from "./bundled-skills.ts";
import { callTexts, EngineShop, engineModules, RUNS, started } from "./engine-shop.ts";
import { temporalServer } from "./temporal-server.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/engines");
const bundled = await bundledRuns();
/** Every skill that comes with the program, those of the shop as one call, too. */
const runs: readonly (readonly [skill: string, given: JsonObject])[] = [
  ...[...bundled].flatMap(([skill, inputs]) => inputs.map((input) => [skill, input] as const)),
  ...RUNS,
];
/** Its topics are researched at once. */
const AT_ONCE: ReadonlySet<string> = new Set(["daily-briefing", "order-total"]);

interface Made {
  readonly skill: string;
  readonly given: JsonObject;
  readonly ended: unknown;
  readonly calls: readonly string[];
}

let shop: EngineShop;
let app: App;
let direct: readonly Made[];
beforeAll(async () => {
  shop = await EngineShop.open({ hasBundled: true });
  const config = await readConfig({ cwd: shop.workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  app = openApp(config.value);
  const made: Made[] = [];
  for (const [skill, given] of runs) {
    const before = shop.calls.length;
    const ended = await shop.direct(skill, given);
    made.push(told(skill, given, ended, callTexts(shop.calls.slice(before))));
  }
  direct = made;
});
afterAll(async () => {
  await app?.close();
  await shop?.[Symbol.asyncDispose]();
});

function told(skill: string, given: JsonObject, ended: unknown, calls: readonly string[]): Made {
  const made = timeless(calls) as readonly string[];
  return { skill, given, ended: timeless(ended), calls: AT_ONCE.has(skill) ? made.toSorted() : made };
}

/** The skills as one call each, written into folders of their names. */
async function exported(engine: string, folder: string): Promise<readonly string[]> {
  const skills = [...new Set(runs.map(([skill]) => skill))];
  for (const skill of skills) {
    const files = await app.engines.get(engine)?.export(skill, { whole: true });
    if (!files?.ok) throw new Error(`${skill}: ${files?.error.message}`);
    mkdirSync(join(folder, skill), { recursive: true });
    for (const { path, text } of files.value) writeFileSync(join(folder, skill, path), text);
  }
  return skills;
}

/** What a program in a folder of exports tells of all runs, against a shop of its own. */
async function ranBy(
  program: string,
  folder: string,
  asked: readonly JsonObject[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Made[]> {
  await using there = await EngineShop.open({ hasBundled: true });
  const path = join(folder, program);
  copyFileSync(join(FIXTURES, program), path);
  writeFileSync(join(folder, "runs.json"), JSON.stringify(asked));
  const log = join(there.workplace.folder, "calls.jsonl");
  const args = ["--disable-warning=ExperimentalWarning", path, join(folder, "runs.json"), log];
  const { ended } = started(process.execPath, args, { REPERTOIRE_URL: there.url, ...env });
  const all = (await ended) as readonly { readonly ended: Json; readonly calls: number }[];
  const { calls } = there;
  return runs.map(([skill, given], nth) => {
    const [from = 1, to = from] = [all[nth - 1]?.calls, all[nth]?.calls];
    return told(skill, given, all[nth]?.ended, callTexts(calls.slice(from - 1, to - 1)));
  });
}

test("every bundled skill can be exported as one call, and none to call it without its server", async () => {
  expect(bundled.size).toBeGreaterThan(30);
  for (const skill of bundled.keys())
    for (const engine of ["langgraph-js", "temporal"]) {
      const adapter = app.engines.get(engine);
      expect([skill, await adapter?.canExecute(skill)]).toEqual([skill, { ok: true, value: null }]);
      expect([skill, await adapter?.canExecute(skill, { direct: true })]).toMatchObject([
        skill,
        { error: { code: "EXPORT_REFUSED", message: expect.stringContaining("only its own server has") } },
      ]);
    }
});

test(
  "every bundled skill does on LangGraph JS what it does here, with good input and bad",
  { tags: "quick" },
  async ({ skip }) => {
    const modules = await engineModules("langgraph-js");
    if (modules instanceof Error) return skip(`it cannot be installed: ${modules.message}`);
    const folder = join(shop.workplace.folder, "graphs");
    await exported("langgraph-js", folder);
    symlinkSync(modules, join(folder, "node_modules"));
    const asked = runs.map(([skill, input]) => ({ folder: skill, input }));
    expect(await ranBy("run-served-graphs.js", folder, asked)).toEqual(direct);
  },
);

test("every bundled skill does on Temporal what it does here, with good input and bad", async ({ skip }) => {
  const modules = await engineModules("temporal");
  if (modules instanceof Error) return skip(`it cannot be installed: ${modules.message}`);
  const server = await temporalServer();
  if (server instanceof Error) return skip(server.message);
  await using _ = server;
  const folder = join(shop.workplace.folder, "workflows");
  const skills = await exported("temporal", folder);
  symlinkSync(modules, join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  // One worker has them all, whose activities are the same.
  const activities = new Set(
    skills.map((skill) => readFileSync(join(folder, skill, "activities.ts"), "utf8")),
  );
  expect(activities.size).toBe(1);
  const named = skills.map((name) => ({ name, workflow: workflowName({ name }) }));
  writeFileSync(
    join(folder, "workflows.ts"),
    named.map(({ name, workflow }) => `export { ${workflow} } from "./${name}/workflows.ts";`).join("\n"),
  );
  writeFileSync(join(folder, "activities.ts"), `export * from "./${skills[0]}/activities.ts";`);
  const asked = runs.map(([skill, input]) => ({ workflow: workflowName({ name: skill }), input }));
  const env = { TEMPORAL_ADDRESS: server.address };
  expect(await ranBy("run-workflows.js", folder, asked, env)).toEqual(direct);
});
