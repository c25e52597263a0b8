import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { App } from "../../src/rooms.ts";
import type { CallRecord, Run } from "../../src/core/run.ts";
import { SEND, TOTAL } from "../export/plans.ts";
import { planWorkflow } from "../../src/workflow/plan-workflow.ts";
import { EngineShop, engineModules, enginePythons, RUNS } from "./engine-shop.ts";

const pythons = await enginePythons();

// Modules of Node are those of the project in which it is run.
const modules = await engineModules("langgraph-js");
const project = mkdtempSync(join(tmpdir(), "repertoire-project-"));
if (modules instanceof Error)
  console.warn(`langgraph-js is left out: it cannot be installed: ${modules.message}`);
else {
  symlinkSync(modules, join(project, "node_modules"));
  pythons.set("langgraph-js", "");
}
const before = process.cwd();
process.chdir(project);
afterAll(() => {
  process.chdir(before);
  rmSync(project, { recursive: true });
});

/** Two apps with the same skills, each with a shop of its own: one runs skills, the other has engines run them. */
const places: { readonly shop: EngineShop; readonly app: App }[] = [];
async function opened(): Promise<{ readonly shop: EngineShop; readonly app: App }> {
  const send = planWorkflow(SEND);
  if (!send.ok) throw new Error(send.error.message);
  const shop = await EngineShop.open({ documents: [send.value] });
  const config = await readConfig({ cwd: shop.workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  const place = { shop, app: openApp(config.value) };
  places.push(place);
  return place;
}
let here: { readonly shop: EngineShop; readonly app: App };
let there: { readonly shop: EngineShop; readonly app: App };
beforeAll(async () => {
  here = await opened();
  there = await opened();
});
afterAll(async () => {
  for (const { app, shop } of places) {
    await app.close();
    await shop[Symbol.asyncDispose]();
  }
});

/** What a run tells that does not tell when, or by which attempt. */
function told({ root }: Run): unknown {
  const call = ({ kind, name, input, outcome, callPath, calls, isRead }: CallRecord): unknown => {
    const ended = outcome.ok
      ? outcome
      : { code: outcome.error.code, skill: outcome.error.skill, at: outcome.error.callPath };
    return { kind, name, input, callPath, isRead, ended, calls: calls.map(call) };
  };
  const whole = { ...(call(root) as { calls: readonly object[] }), digest: root.digest };
  if (root.name !== TOTAL.name) return whole;
  // Rounds that are made at once have no order among them.
  const calls = whole.calls.map((each) => JSON.stringify({ ...each, callPath: "" }));
  return { ...whole, calls: calls.toSorted() };
}

const SENT = {
  id: "O-1004",
  shipTo: { street: "Rue Neuve 2", city: "Annecy", postcode: "74000", country: "FR" },
};
const SENDS: typeof RUNS = [SENT, { ...SENT, id: "O-9999" }, { ...SENT, id: 5 }].map((given) => [
  SEND.name,
  given,
]);
function runsOn(engine: string): typeof RUNS {
  // Airflow takes longer to start than to run, and Arazzo has no word for what most skills do.
  return engine === "airflow"
    ? RUNS.slice(3, 5)
    : engine === "arazzo"
      ? [...SENDS, ...RUNS.slice(6, 7)]
      : RUNS;
}
const [[MOVING, GIVEN] = ["", {}]] = RUNS;

test.for([...pythons])(
  "a run on %s is the run as it is here",
  { timeout: 1_200_000 },
  async ([engine, python]) => {
    for (const [skill, input] of runsOn(engine)) {
      const direct = await here.app.call(skill, input);
      const run = await there.app.engines.get(engine)?.execute(skill, input, { python });
      expect(run && told(run)).toEqual(told(direct));
    }
  },
);

test.skipIf(!pythons.has("langgraph"))(
  "a run that is cancelled while a call writes ends there and here",
  async () => {
    const engine = there.app.engines.get("langgraph");
    const written = (): number =>
      there.shop.calls.filter(({ tool }) => tool === "update_order_address").length;
    const before = written();
    const cancel = new AbortController();
    const running = engine?.execute(MOVING, GIVEN, {
      python: pythons.get("langgraph") ?? "",
      signal: cancel.signal,
      approve: async () => {
        there.shop.hold(true);
        return true;
      },
    });
    while (written() === before) await pause(20);
    cancel.abort();
    const run = await running;
    there.shop.hold(false);
    expect(run?.root.outcome).toMatchObject({ ok: false, error: { code: "CANCELLED" } });
  },
);

test.skipIf(!pythons.has("langgraph"))(
  "a person is asked on whatever engine, and what is refused is not written",
  async () => {
    const before = there.shop.calls.length;
    const asked: string[] = [];
    for (const engine of ["langgraph", "ag2"]) {
      const python = pythons.get(engine);
      if (python === undefined) continue;
      const run = await there.app.engines.get(engine)?.execute(MOVING, GIVEN, {
        python,
        approve: async ({ name }) => asked.push(`${engine} ${name}`) < 0,
      });
      expect(run?.root.outcome).toMatchObject({ ok: false, error: { code: "RUN_UNAPPROVED" } });
    }
    expect(asked[0]).toBe("langgraph shop.update_order_address");
    const made = there.shop.calls.slice(before).map(({ tool }) => tool);
    expect(made).toContain("get_order");
    expect(made).not.toContain("update_order_address");
  },
);
