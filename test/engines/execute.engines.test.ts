import { afterAll, beforeAll, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { App } from "../../src/rooms.ts";
import type { CallRecord, Run } from "../../src/core/run.ts";
import { TOTAL } from "../export/plans.ts";
import { EngineShop, pythonWith, RUNS } from "./engine-shop.ts";

const ENGINES = {
  langgraph: ["jsonschema==4.26.0", "mcp==1.30.0", "langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2"],
  ag2: ["jsonschema==4.26.0", "mcp==1.30.0", "ag2==1.2.1"],
  airflow: ["apache-airflow==3.3.2", "jsonschema==4.26.0", "mcp==1.30.0"],
} as const;
const pythons = new Map<string, string>();
for (const [engine, packages] of Object.entries(ENGINES)) {
  const python = await pythonWith(engine, packages);
  if (python instanceof Error)
    console.warn(`${engine} is left out: it cannot be installed: ${python.message}`);
  else pythons.set(engine, python);
}

/** Two apps with the same skills, each with a shop of its own: one runs skills, the other has engines run them. */
const places: { readonly shop: EngineShop; readonly app: App }[] = [];
async function opened(): Promise<{ readonly shop: EngineShop; readonly app: App }> {
  const shop = await EngineShop.open();
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

// Airflow takes longer to start than to run.
const runsOn = (engine: string): typeof RUNS => (engine === "airflow" ? RUNS.slice(3, 5) : RUNS);

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
