import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { callTexts, EngineShop, enginePython, RUNS, started } from "./engine-shop.ts";

const python = await enginePython("airflow");
const isInstalled = !(python instanceof Error);
if (!isInstalled) console.warn(`Airflow is left out: it cannot be installed: ${python.message}`);

let here: EngineShop;
let there: EngineShop;

beforeAll(async () => {
  if (!isInstalled) return;
  here = await EngineShop.open();
  there = await EngineShop.open({ hasSkills: false });
});
afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await there?.[Symbol.asyncDispose]();
});

// One process runs them all: Airflow takes longer to start than to run.
test.skipIf(!isInstalled)("skills do the same on Airflow", { timeout: 1_200_000 }, async () => {
  const direct: Json[] = [];
  for (const [skill, given] of RUNS) direct.push({ ...(await here.direct(skill, given)) });
  const wanted = callTexts(here.calls);
  const folders = new Map<string, string>();
  for (const [skill] of RUNS)
    if (!folders.has(skill)) folders.set(skill, await here.exported(skill, "airflow"));
  const runs = RUNS.map(([skill, given]) => [folders.get(skill) ?? "", skill.replaceAll("-", "_"), given]);
  const home = join(there.workplace.folder, "airflow");
  mkdirSync(home, { recursive: true });
  const env = {
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: join(here.workplace.folder, "airflow"),
    AIRFLOW__CORE__LOAD_EXAMPLES: "False",
    REPERTOIRE_URL: there.url,
  };
  await promisify(execFile)(join(dirname(String(python)), "airflow"), ["db", "migrate"], {
    env: { ...process.env, ...env },
  });
  const script = join(import.meta.dirname, "run_airflow.py");
  expect(await started(String(python), [script, JSON.stringify(runs)], env).ended).toEqual(direct);
  // The rounds that only read are made at once, here and there.
  expect(callTexts(there.calls).toSorted()).toEqual(wanted.toSorted());
});
