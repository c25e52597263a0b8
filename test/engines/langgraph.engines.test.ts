import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LANGGRAPH } from "../../src/export/langgraph.ts";
import { PLAN } from "../../src/learn/plan/plan.ts";
import { CANCEL, MOVE, SERVED, skillOf, TOTAL } from "../export/plans.ts";
import {
  ADA,
  callTexts,
  EngineShop,
  enginePython,
  GREET,
  RUNS,
  type ShopCall,
  started,
} from "./engine-shop.ts";

const python = await enginePython("langgraph");
if (python instanceof Error) console.warn(`LangGraph is left out: it cannot be installed: ${python.message}`);

const isInstalled = !(python instanceof Error);

/** Exported graphs are run in processes of their own. */
function step(shop: EngineShop, folder: string, thread: string, ...given: readonly string[]) {
  const module = `${basename(folder).replaceAll("-", "_")}_graph`;
  const args = [join(import.meta.dirname, "run_langgraph.py"), folder, module, thread, ...given];
  return started(String(python), args, { REPERTOIRE_URL: shop.url });
}

let here: EngineShop;
let there: EngineShop;
const folders = new Map<string, string>();

beforeAll(async () => {
  if (!isInstalled) return;
  here = await EngineShop.open();
  there = await EngineShop.open({ hasSkills: false });
  for (const [skill] of RUNS)
    if (!folders.has(skill)) folders.set(skill, await here.exported(skill, "langgraph"));
});
afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await there?.[Symbol.asyncDispose]();
});

const folderOf = (skill: string): string => folders.get(skill) ?? "";

test.skipIf(!isInstalled).for(RUNS.map((run, nth) => [...run, nth] as const))(
  "%s does the same on LangGraph: %j",
  async ([skill, given, nth]) => {
    const before = [here.calls.length, there.calls.length] as const;
    const direct = await here.direct(skill, given);
    const ended = step(there, folderOf(skill), `run ${nth}`, JSON.stringify(given), "to the end").ended;
    expect(await ended).toEqual(direct);
    const made = callTexts(there.calls.slice(before[1]));
    const wanted = callTexts(here.calls.slice(before[0]));
    const isAtOnce = skill === TOTAL.name;
    expect(isAtOnce ? made.toSorted() : made).toEqual(isAtOnce ? wanted.toSorted() : wanted);
  },
);

test.skipIf(!isInstalled)("the skill's cases hold on LangGraph", async () => {
  expect(await started(String(python), ["-c", CASES, folderOf(MOVE.name)], {}).ended).toBe(2);
});

test.skipIf(!isInstalled)(
  "without a server, the cases of a skill that is served tell how to name one",
  async () => {
    const told = await promisify(execFile)(String(python), ["-m", "unittest"], { cwd: folderOf(GREET) });
    expect(told.stderr).toContain("set REPERTOIRE_URL to http://127.0.0.1:3333/mcp");
    expect(told.stderr).toContain("OK (skipped=1)");
  },
);

const CASES = `import sys, unittest
sys.path.insert(0, sys.argv[1])
result = unittest.TextTestRunner().run(unittest.defaultTestLoader.discover(sys.argv[1]))
print(result.testsRun if result.wasSuccessful() else -1)`;

test.skipIf(!isInstalled)(
  "through --direct the tools are reached without Repertoire",
  { tags: "quick" },
  async () => {
    const folder = await here.exported(MOVE.name, "langgraph", "--direct");
    const shop = join(import.meta.dirname, "../../examples/shop-server.ts");
    const args = [
      join(import.meta.dirname, "run_langgraph.py"),
      folder,
      "move_pending_order_graph",
      "direct",
    ];
    const [, given] = RUNS[0] ?? [];
    const ended = started(String(python), [...args, JSON.stringify(given), "to the end"], {
      SHOP_SERVER: `${process.execPath} --disable-warning=ExperimentalWarning ${shop}`,
      REPERTOIRE_URL: "http://127.0.0.1:9/mcp",
    }).ended;
    expect(await ended).toMatchObject({ output: { order: { shipTo: given?.["shipTo"] } } });
  },
);

test.skipIf(!isInstalled)("a declined call is not made", async () => {
  await using shop = await EngineShop.open({ hasSkills: false });
  const folder = folderOf(CANCEL.name);
  await step(shop, folder, "declined", JSON.stringify(ADA)).ended;
  expect(await step(shop, folder, "declined", "no").ended).toEqual({ error: "RUN_UNAPPROVED" });
  expect(shop.calls.some(({ tool }) => tool === "cancel_order")).toBe(false);
});

test.skipIf(!isInstalled)(
  "killed while a call writes, it repeats that call alone, with its key",
  async () => {
    await using shop = await EngineShop.open({ hasSkills: false });
    const goOn = (given = "yes") => step(shop, folderOf(CANCEL.name), "killed", given);
    const written = (): readonly ShopCall[] => shop.calls.filter(({ tool }) => tool === "cancel_order");
    await goOn(JSON.stringify(ADA)).ended;
    const second = await goOn().ended;
    expect(second).toMatchObject({ waiting: [{ tool: "shop.cancel_order", arguments: { id: "O-1002" } }] });
    shop.hold(true);
    const { child, ended } = goOn();
    const last = ended.then(String, String);
    while (written().length < 2) await pause(50);
    child.kill("SIGKILL");
    expect(await last).toContain("Error");
    shop.hold(false);
    const gone = await goOn().ended;
    expect(gone).toMatchObject({
      output: { cancelled: [{ id: "O-1005" }, { id: "O-1002", status: "cancelled" }] },
    });
    expect(written().map(({ args, isKnown }) => [(args as { id: string }).id, isKnown])).toEqual([
      ["O-1005", false],
      ["O-1002", false],
      ["O-1002", true],
    ]);
    const keys = written().map(({ key }) => key);
    expect(keys[1]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
    expect(shop.calls.filter(({ tool }) => tool === "get_order")).toHaveLength(2);
  },
);

test.skipIf(!isInstalled)(
  "a credential that an answer repeats ends the run, and is not kept",
  { tags: "quick" },
  async () => {
    const params = MOVE.params.map((param) => (param.name === "status" ? { ...param, secret: true } : param));
    const steps = [...MOVE.steps.slice(0, 1), { ...MOVE.steps[3], args: { kind: "object", fields: [] } }];
    const output = { value: { kind: "ref", name: "customer" }, schema: {} };
    const files = LANGGRAPH.export(skillOf(PLAN.parse({ ...MOVE, params, steps, output })), SERVED);
    if (!files.ok) throw new Error(files.error.message);
    const folder = mkdtempSync(join(tmpdir(), "repertoire-"));
    for (const { path, text } of files.value) writeFileSync(join(folder, path), text);
    const said = "the password hunter2-hunter2 is known";
    const given = { ...ADA, shipTo: { street: "S", city: "C", postcode: "1", country: "SE" } };
    const answers = [
      [{ said }],
      [{ customers: [] }, { said: [{ said }] }],
      [{ customers: [] }, said],
      [said],
    ];
    const module = files.value.find(({ path }) => path.endsWith("_graph.py"))?.path.slice(0, -3) ?? "";
    const told = started(
      String(python),
      [
        join(import.meta.dirname, "secret_answers.py"),
        folder,
        module,
        ...[given, { status: "hunter2-hunter2" }, answers].map((each) => JSON.stringify(each)),
      ],
      {},
    );
    const repeats = "SKILL_THREW: An answer, or the input, repeats a credential, which LangGraph would keep";
    const failed = "TOOL_FAILED: the password *** is known";
    expect(await told.ended).toEqual({ told: [repeats, repeats, failed, failed], isKept: false });
    rmSync(folder, { recursive: true });
  },
);
