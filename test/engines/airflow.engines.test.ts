import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { AIRFLOW } from "../../src/export/airflow.ts";
import type { Plan, Step } from "../../src/learn/plan/plan.ts";
import { toolsOf } from "../../src/learn/plan/steps.ts";
import { canonicalJson } from "../../src/learn/plan/values.ts";
import { planWorkflow } from "../../src/workflow/plan-workflow.ts";
import { type Case, conformanceCases } from "../conformance/cases.ts";
import { randomRuns } from "../conformance/random-plans.ts";
import { expectedRun, randomCase } from "../conformance/runs.ts";
import { MOVE, SERVED, skillOf, TOTAL } from "../export/plans.ts";
import { airflowHome, AirflowStandalone } from "./airflow-standalone.ts";
import { callTexts, EngineShop, enginePython, RUNS, started } from "./engine-shop.ts";

const python = await enginePython("airflow");
const isInstalled = !(python instanceof Error);
if (!isInstalled) console.warn(`Airflow is left out: it cannot be installed: ${python.message}`);
const airflow = join(dirname(String(python)), "airflow");

interface Made {
  readonly ended: Json;
  readonly calls: readonly string[];
}

interface RanCase {
  readonly made: readonly { readonly tool: string; readonly args: Json }[];
  readonly output?: Json;
  readonly error?: string;
}

/** Rounds that read at once, over what the caller gives: it may be nothing. */
const TOTALS: Plan = {
  ...TOTAL,
  name: "totals-of-orders",
  description: "Tells what orders come to. Use it when their numbers are known.",
  params: [{ name: "ids", schema: { type: "array", items: { type: "string" } }, origins: [] }],
  steps: TOTAL.steps.flatMap((step): readonly Step[] =>
    step.kind === "loop"
      ? [
          {
            ...step,
            over: { kind: "param", name: "ids" },
            steps: step.steps.map((inner) =>
              inner.kind === "call"
                ? {
                    ...inner,
                    args: {
                      kind: "object",
                      fields: [{ name: "id", value: { kind: "ref", name: step.item } }],
                    },
                  }
                : inner,
            ),
          },
        ]
      : [],
  ),
};
const MADE: typeof RUNS = [
  ...RUNS,
  [TOTALS.name, { ids: ["O-1003", "O-1001"] }],
  [TOTALS.name, { ids: [] }],
  [TOTALS.name, { ids: ["O-1001", "O-9999"] }],
];

/** What the conformance suite and the evaluator say of loops: their rounds are made at once, where they only read. */
async function loopsAtOnce(): Promise<readonly { readonly each: Case; readonly text: string }[]> {
  const atOnce = (step: Step): Step =>
    step.kind === "loop" && !step.until
      ? { ...step, order: "parallel", steps: step.steps.map(atOnce) }
      : step;
  const random = await Promise.all(fc.sample(randomRuns, { numRuns: 1000, seed: 17 }).map(randomCase));
  return [...conformanceCases(), ...random].flatMap((each, nth) => {
    const { steps } = each.plan;
    const effects = toolsOf(steps).map((tool) => ({ tool, operation: "READ", by: "server" }) as const);
    const plan = { ...each.plan, name: `case-${nth}`, steps: steps.map(atOnce), effects };
    const files = AIRFLOW.export(skillOf(plan, { output: {} }), SERVED);
    const text = files.ok ? (files.value[0]?.text ?? "") : "";
    // Where a round fails, others have been made that would not be one after the other.
    const isSplit = text.includes(".expand(part=") && "output" in each.ends;
    return isSplit ? [{ each: { ...each, plan }, text }] : [];
  });
}

describe.skipIf(!isInstalled)("Airflow", () => {
  let here: EngineShop;
  const direct: Json[] = [];
  /** How many calls there are after each run. */
  const madeBy: number[] = [];
  const folders = new Map<string, string>();
  beforeAll(async () => {
    const document = planWorkflow(TOTALS);
    if (!document.ok) throw new Error(document.error.message);
    here = await EngineShop.open({ documents: [document.value] });
    for (const [skill, given] of MADE) {
      direct.push({ ...(await here.direct(skill, given)) });
      madeBy.push(here.calls.length);
    }
    for (const [skill] of MADE)
      if (!folders.has(skill)) folders.set(skill, await here.exported(skill, "airflow"));
  });
  afterAll(async () => here?.[Symbol.asyncDispose]());

  const LONG = { timeout: 1_200_000 };

  // One process makes them all: Airflow takes longer to start than to run.
  const madeWithoutScheduler = async (count: number): Promise<Made> => {
    await using there = await EngineShop.open({ hasSkills: false });
    const runs = MADE.slice(0, count).map(([skill, given]) => [
      folders.get(skill) ?? "",
      skill.replaceAll("-", "_"),
      given,
    ]);
    const home = await airflowHome(airflow, {
      home: join(there.workplace.folder, "home"),
      dags: join(here.workplace.folder, "airflow"),
    });
    const env = { ...home, REPERTOIRE_URL: there.url };
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
    expect(await madeWithoutScheduler(MADE.length)).toEqual(madeDirectly(MADE.length));
  });

  test("where nobody answers, a read's tries run out with the call's code", LONG, async () => {
    const home = await airflowHome(airflow, {
      home: join(here.workplace.folder, "unanswered"),
      dags: join(here.workplace.folder, "airflow"),
    });
    const [, given = {}] = MADE[0] ?? [];
    const args = [
      join(import.meta.dirname, "run_airflow.py"),
      JSON.stringify([[folders.get(MOVE.name) ?? "", "move_pending_order", given]]),
    ];
    const env = { ...home, REPERTOIRE_URL: "http://127.0.0.1:9/mcp" };
    expect(await started(String(python), args, env).ended).toEqual([{ error: "TOOL_FAILED" }]);
  });

  test(
    "rounds that read at once are tasks of their own, and come to what the evaluator says",
    LONG,
    async () => {
      await using place = await EngineShop.open({ hasSkills: false });
      const dags = join(place.workplace.folder, "dags");
      const home = await airflowHome(airflow, { home: join(place.workplace.folder, "home"), dags });
      const cases = await loopsAtOnce();
      expect(cases.length).toBeGreaterThan(10);
      const runs = cases.map(({ each: { plan, input, calls }, text }) => {
        const folder = join(dags, plan.name);
        const module = plan.name.replace("-", "_");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${module}_dag.py`), text);
        return [folder, module, input, calls];
      });
      const script = join(import.meta.dirname, "run_airflow.py");
      // Three of its tasks at most make all rounds: so some make several.
      const env = { ...home, AIRFLOW__CORE__MAX_MAP_LENGTH: "3" };
      const ended = (await started(String(python), [script, JSON.stringify(runs)], env)
        .ended) as unknown as readonly RanCase[];
      const told = ended.map(({ made, ...ends }) => ({
        calls: made.map(({ tool, args }) => `${tool} ${canonicalJson(args)}`).toSorted(),
        ends: "output" in ends ? ends : { stops: "error" },
      }));
      expect(told).toEqual(cases.map(({ each }) => expectedRun(each)));
    },
  );

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
      for (const [skill, given] of MADE) ended.push((await scheduler.run(skill, given)).ended);
      expect(ended).toEqual(direct);
      expect(callTexts(there.calls).toSorted()).toEqual(callTexts(here.calls).toSorted());

      // It is killed when it has written and not heard of it.
      there.hold(true, "update_order_address");
      const before = there.calls.length;
      const [, given = {}] = MADE[0] ?? [];
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
