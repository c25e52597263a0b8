import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Json } from "../../src/core/json/json.ts";
import type { ExportedSkill } from "../../src/export/engine-adapter.ts";
import { ENGINES } from "../../src/export/engines.ts";
import { exportable, exportedSkill } from "../../src/export/exported-skill.ts";
import type { App } from "../../src/rooms.ts";
import { SERVED } from "../export/plans.ts";
import { airflowHome, AirflowStandalone } from "./airflow-standalone.ts";
import { bundledRuns, timeless } from "./bundled-skills.ts";
import { endedDocuments, openWorkflowRuntime } from "./open-workflow-runtime.ts";
import { callTexts, EngineShop, enginePythons, RUNS, started } from "./engine-shop.ts";

const pythons = await enginePythons();

const classPath = await openWorkflowRuntime();
const hasRuntime = typeof classPath === "string";
if (!hasRuntime)
  console.warn(`Open Workflow is left out: its runtime cannot be installed: ${classPath.message}`);

/** All of them, with what they are given: what they take, and what they do not. */
const runs = [
  ...[...(await bundledRuns())].flatMap(([skill, inputs]) => inputs.map((given) => [skill, given] as const)),
  ...RUNS,
];

/** A skill as it is exported, by its steps where they can be said, else as one call; and why they cannot. */
interface Exported {
  readonly skill: ExportedSkill;
  readonly by: string;
}

let here: EngineShop;
let app: App;
let direct: readonly Json[];
beforeAll(async () => {
  here = await opened();
  const config = await readConfig({ cwd: here.workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  app = openApp(config.value);
  const ended: Json[] = [];
  for (const [skill, given] of runs) ended.push({ ...(await here.direct(skill, given)) });
  direct = ended;
});
afterAll(async () => {
  await app?.close();
  await here?.[Symbol.asyncDispose]();
});

function opened(): Promise<EngineShop> {
  return EngineShop.open({ hasBundled: true });
}

async function exportedBy(engine: string, name: string): Promise<Exported> {
  const found = await exportable(name, app.exports);
  if (!found.ok) throw new Error(found.error.message);
  const [steps, whole] = [
    await exportedSkill(name, found.value),
    await exportedSkill(name, found.value, { whole: true }),
  ];
  if (!steps.ok || !whole.ok) throw new Error(`${name} has nothing that runs`);
  const can = ENGINES.get(engine)?.canExecute(steps.value, SERVED);
  if (can?.ok === false) return { skill: whole.value, by: can.error.message };
  return { skill: steps.value, by: steps.value.work.kind === "plan" ? "its steps" : "one call" };
}

test(
  "every bundled skill is exported to every engine, by its steps or as one call",
  { tags: "quick" },
  async () => {
    const table: Record<string, Record<string, string>> = {};
    for (const name of (await app.catalog).snapshot.skills.keys())
      for (const engine of ENGINES.keys()) {
        const { skill, by } = await exportedBy(engine, name);
        expect(ENGINES.get(engine)?.export(skill, SERVED)).toMatchObject({ ok: true });
        if (by !== "one call") (table[name] ??= {})[engine] = by;
      }
    const steps = Object.fromEntries([...ENGINES.keys()].map((engine) => [engine, "its steps"]));
    // All others have code that somebody has written, also in documents.
    expect(table).toEqual({
      "cancel-open-orders": {
        ...steps,
        arazzo: "reason: it may be left out, and Arazzo has no argument that is left out too",
      },
      "move-pending-order": {
        ...steps,
        arazzo:
          'orders: it computes something ("find"), and Arazzo only takes values over; "--whole" exports the skill as one call',
      },
      "order-total": {
        ...steps,
        arazzo:
          'orders: it computes something ("only"), and Arazzo only takes values over; "--whole" exports the skill as one call',
      },
    });
  },
);

/** How the runs have ended, and the calls that they made of other servers. */
function told(ended: readonly Json[], shop: EngineShop): unknown {
  const calls = callTexts(shop.calls).map((text) => JSON.stringify(timeless(text)));
  return { ended: ended.map((each, nth) => [...(runs[nth] ?? []), timeless(each)]), calls: calls.toSorted() };
}

/** Writes the skills for an engine, each into a folder with the program that runs it once; the module of each. */
async function written(
  engine: string,
  home: string,
): Promise<ReadonlyMap<string, readonly [folder: string, module: string]>> {
  const exporter = ENGINES.get(engine);
  const modules = new Map<string, readonly [folder: string, module: string]>();
  for (const name of new Set(runs.map(([skill]) => skill))) {
    const { skill } = await exportedBy(engine, name);
    const files = exporter?.export(skill, SERVED);
    if (!files?.ok) throw new Error(`${name} is not exported`);
    const folder = join(home, name);
    mkdirSync(folder, { recursive: true });
    const program = { path: "run_once.py", text: exporter?.program?.text(skill) ?? "" };
    for (const { path, text } of [...files.value, program]) writeFileSync(join(folder, path), text);
    const module = files.value.find(({ path }) => /^(?!test_).*\.py$/.test(path))?.path.slice(0, -3) ?? "";
    modules.set(name, [folder, module]);
  }
  return modules;
}

test.for([...pythons])(
  "every bundled skill does the same on %s",
  { timeout: 1_200_000 },
  async ([engine, python]) => {
    await using there = await opened();
    const dags = join(there.workplace.folder, engine);
    const modules = await written(engine, dags);
    const list = join(dags, "runs.json");
    writeFileSync(list, JSON.stringify(runs.map(([name, given]) => [...(modules.get(name) ?? []), given])));
    const program = join(import.meta.dirname, "run_exported.py");
    const home = join(there.workplace.folder, "home");
    const env = engine === "airflow" ? await airflowHome(airflowOf(python), { home, dags }) : {};
    const ended = await started(python, [program, list], { ...env, REPERTOIRE_URL: there.url }).ended;
    expect(told(ended as readonly Json[], there)).toEqual(told(direct, here));
  },
);

function airflowOf(python: string): string {
  return join(dirname(python), "airflow");
}

test.skipIf(!pythons.has("airflow"))(
  "every bundled skill does the same where Airflow's scheduler runs them at once",
  { timeout: 1_800_000 },
  async () => {
    await using there = await opened();
    const dags = join(there.workplace.folder, "airflow");
    await written("airflow", dags);
    const scheduler = await AirflowStandalone.open(airflowOf(pythons.get("airflow") ?? ""), {
      home: join(there.workplace.folder, "home"),
      dags,
      env: { REPERTOIRE_URL: there.url },
    });
    try {
      // Of each skill the first run, which says what it takes.
      const first = new Map(runs.map(([name, given], nth) => [name, { given, nth }] as const).toReversed());
      await scheduler.knows([...first.keys()]);
      const begun: (readonly [name: string, nth: number, run: string | undefined])[] = [];
      for (const [name, { given, nth }] of first) begun.push([name, nth, await scheduler.begin(name, given)]);
      for (const [name, nth, run] of begun) {
        const { ended } =
          run === undefined ? { ended: { error: "INPUT_INVALID" } } : await scheduler.ended(name, run);
        expect([name, timeless(ended)]).toEqual([name, timeless(direct[nth])]);
      }
    } finally {
      await scheduler.close();
    }
  },
);

test.skipIf(!hasRuntime)(
  "every bundled skill does the same on the reference runtime of Open Workflow",
  { timeout: 1_200_000 },
  async () => {
    await using there = await opened();
    const documents: [text: string, given: Json][] = [];
    for (const [name, given] of runs) {
      const { skill } = await exportedBy("openworkflow", name);
      const files = ENGINES.get("openworkflow")?.export(skill, SERVED);
      const text = files?.ok === true ? (files.value[0]?.text ?? "") : "";
      documents.push([text.replace("http://127.0.0.1:3333", new URL(there.url).origin), given]);
    }
    const folder = join(there.workplace.folder, "documents");
    const ended = await endedDocuments(String(classPath), folder, documents);
    const coded = ended.map((each) => ("error" in each ? { error: each.error } : each));
    expect(told(coded, there)).toEqual(told(direct, here));
  },
);
