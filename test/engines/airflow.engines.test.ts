import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { MOVE } from "../export/plans.ts";
import { AirflowStandalone } from "./airflow-standalone.ts";
import { callTexts, EngineShop, enginePython, RUNS, started } from "./engine-shop.ts";

const python = await enginePython("airflow");
const isInstalled = !(python instanceof Error);
if (!isInstalled) console.warn(`Airflow is left out: it cannot be installed: ${python.message}`);
const airflow = join(dirname(String(python)), "airflow");

interface Made {
  readonly ended: Json;
  readonly calls: readonly string[];
}

describe.skipIf(!isInstalled)("Airflow", () => {
  let here: EngineShop;
  const direct: Json[] = [];
  /** How many calls there are after each run. */
  const madeBy: number[] = [];
  const folders = new Map<string, string>();
  beforeAll(async () => {
    here = await EngineShop.open();
    for (const [skill, given] of RUNS) {
      direct.push({ ...(await here.direct(skill, given)) });
      madeBy.push(here.calls.length);
    }
    for (const [skill] of RUNS)
      if (!folders.has(skill)) folders.set(skill, await here.exported(skill, "airflow"));
  });
  afterAll(async () => here?.[Symbol.asyncDispose]());

  const LONG = { timeout: 1_200_000 };

  // One process makes them all: Airflow takes longer to start than to run.
  const madeWithoutScheduler = async (count: number): Promise<Made> => {
    await using there = await EngineShop.open({ hasSkills: false });
    const runs = RUNS.slice(0, count).map(([skill, given]) => [
      folders.get(skill) ?? "",
      skill.replaceAll("-", "_"),
      given,
    ]);
    const home = join(there.workplace.folder, "airflow");
    mkdirSync(home, { recursive: true });
    const env = {
      AIRFLOW_HOME: home,
      AIRFLOW__CORE__DAGS_FOLDER: join(here.workplace.folder, "airflow"),
      AIRFLOW__CORE__LOAD_EXAMPLES: "False",
      REPERTOIRE_URL: there.url,
    };
    await promisify(execFile)(airflow, ["db", "migrate"], { env: { ...process.env, ...env } });
    const script = join(import.meta.dirname, "run_airflow.py");
    const ended = await started(String(python), [script, JSON.stringify(runs)], env).ended;
    // The rounds that only read are made at once, here and there.
    return { ended, calls: callTexts(there.calls).toSorted() };
  };
  const madeDirectly = (count: number): Made => ({
    ended: direct.slice(0, count),
    calls: callTexts(here.calls.slice(0, madeBy[count - 1])).toSorted(),
  });
  test("a skill does the same, tried without a scheduler", { ...LONG, tags: "quick" }, async () => {
    expect(await madeWithoutScheduler(1)).toEqual(madeDirectly(1));
  });
  test("skills do the same, tried without a scheduler", LONG, async () => {
    expect(await madeWithoutScheduler(RUNS.length)).toEqual(madeDirectly(RUNS.length));
  });

  test("skills do the same, triggered over REST; what writes is not tried again", LONG, async () => {
    await using there = await EngineShop.open({ hasSkills: false });
    const scheduler = await AirflowStandalone.open(airflow, {
      home: join(there.workplace.folder, "airflow"),
      dags: join(here.workplace.folder, "airflow"),
      env: { REPERTOIRE_URL: there.url },
    });
    try {
      await scheduler.knows([...folders.keys()]);
      const ended: Json[] = [];
      for (const [skill, given] of RUNS) ended.push((await scheduler.run(skill, given)).ended);
      expect(ended).toEqual(direct);
      expect(callTexts(there.calls).toSorted()).toEqual(callTexts(here.calls).toSorted());

      // It is killed when it has written and not heard of it.
      there.hold(true, "update_order_address");
      const before = there.calls.length;
      const [, given = {}] = RUNS[0] ?? [];
      const run = (await scheduler.begin(MOVE.name, given)) ?? "";
      await there.called(before + 4);
      await scheduler.kill(MOVE.name, run, "update_order_address");
      const { tasks } = await scheduler.ended(MOVE.name, run);
      expect(tasks.get("update_order_address")).toMatchObject({ state: "failed", try_number: 1 });
      expect(tasks.get("finish")).toMatchObject({ state: "upstream_failed" });
      expect(there.calls).toHaveLength(before + 4);

      await there.kill();
      const { tasks: read } = await scheduler.run(MOVE.name, given);
      expect(read.get("find_customer")).toMatchObject({ state: "failed", try_number: 4 });
    } finally {
      await scheduler.close();
    }
  });
});
