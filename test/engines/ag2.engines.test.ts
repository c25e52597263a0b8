import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";

import { MOVE, TOTAL } from "../export/plans.ts";
import { callTexts, EngineShop, pythonWith, RUNS, started } from "./engine-shop.ts";

const python = await pythonWith("ag2", ["jsonschema==4.26.0", "mcp==1.30.0", "ag2==1.2.1"]);
const isInstalled = !(python instanceof Error);
if (!isInstalled) console.warn(`AG2 is left out: it cannot be installed: ${python.message}`);

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

const isAtOnce = ([skill]: (typeof RUNS)[number]): boolean => skill === TOTAL.name;
const moduleOf = (skill: string): string => `${skill.replaceAll("-", "_")}_agent`;

function ended(runs: readonly Json[], env: Readonly<Record<string, string>>): Promise<Json> {
  const script = join(import.meta.dirname, "run_ag2.py");
  return started(String(python), [script, JSON.stringify(runs)], env).ended;
}

test.skipIf(!isInstalled)("skills do the same on AG2, with the same calls in their order", async () => {
  const [reading, others] = [RUNS.filter(isAtOnce), RUNS.filter((each) => !isAtOnce(each))];
  expect(reading.length * others.length).toBeGreaterThan(0);
  const folders = new Map<string, string>();
  for (const [skill] of RUNS) if (!folders.has(skill)) folders.set(skill, await here.exported(skill, "ag2"));
  for (const runs of [others, reading]) {
    const before = [here.calls.length, there.calls.length] as const;
    const direct: Json[] = [];
    for (const [skill, given] of runs) direct.push({ ...(await here.direct(skill, given)) });
    const given = runs.map(([skill, input]) => [folders.get(skill) ?? "", moduleOf(skill), input]);
    expect(await ended(given, { REPERTOIRE_URL: there.url })).toEqual(direct);
    const wanted = callTexts(here.calls.slice(before[0]));
    const made = callTexts(there.calls.slice(before[1]));
    // Rounds that are made at once have no order among them.
    if (runs === others) expect(made).toEqual(wanted);
    else expect(made.toSorted()).toEqual(wanted.toSorted());
  }
  const writes = there.calls.filter(({ tool }) => /cancel|update/.test(tool));
  expect(writes.length).toBeGreaterThan(1);
  expect(new Set(writes.flatMap(({ key }) => key ?? [])).size).toBe(writes.length);
});

test.skipIf(!isInstalled)("the skill's cases hold on AG2", async () => {
  const folder = join(here.workplace.folder, "ag2", MOVE.name);
  expect(await started(String(python), ["-c", CASES, folder], {}).ended).toBe(1);
});

const CASES = `import sys, unittest
sys.path.insert(0, sys.argv[1])
result = unittest.TextTestRunner().run(unittest.defaultTestLoader.discover(sys.argv[1]))
print(result.testsRun if result.wasSuccessful() else -1)`;

test.skipIf(!isInstalled)("an agent reaches the tools without Repertoire through --direct", async () => {
  const folder = await here.exported(MOVE.name, "ag2", "--direct");
  const [, given] = RUNS[0] ?? [];
  const shop = join(import.meta.dirname, "../../examples/shop-server.ts");
  const told = await ended([[folder, moduleOf(MOVE.name), given ?? {}]], {
    SHOP_SERVER: `${process.execPath} --disable-warning=ExperimentalWarning ${shop}`,
    REPERTOIRE_URL: "http://127.0.0.1:9/mcp",
  });
  expect(told).toMatchObject([{ output: { order: { shipTo: given?.["shipTo"] } } }]);
});
