import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure } from "../../src/core/error.ts";
import { fail, ok } from "../../src/core/result.ts";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { ExportedSkill } from "../../src/export/engine-adapter.ts";
import { ENGINES } from "../../src/export/engines.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import { PLAN } from "../../src/learn/plan/plan.ts";
import { mayWriteBy } from "../../src/learn/plan/tool-effects.ts";
import { type Case, conformanceCases } from "../conformance/cases.ts";
import { CANCEL, DIRECT, MOVE, PLANS, SERVED, skillOf, TOTAL } from "../export/plans.ts";
import { skillSet } from "../runner/skill-set.ts";
import { runner } from "../shared-threads.ts";
import { hasPostgres, type PostgresServer, postgresServer } from "../trace/postgres-server.ts";
import { ADA, callTexts, EngineShop, engineModules, RUNS, type ShopCall, started } from "./engine-shop.ts";

const modules = await engineModules("langgraph-js");
if (modules instanceof Error)
  console.warn(`LangGraph JS is left out: it cannot be installed: ${modules.message}`);
const isKept = !(modules instanceof Error) && hasPostgres();
if (!isKept) console.warn("LangGraph JS from process to process is left out: there is no PostgreSQL");
const isInstalled = !(modules instanceof Error);
const GRAPHS = ENGINES.get("langgraph-js");

const FIXTURES = join(import.meta.dirname, "../fixtures/engines");
const folders = new Map<string, string>();
let here: EngineShop;
let there: EngineShop;

let postgres: PostgresServer | undefined;
let database = "";
beforeAll(async () => {
  // Not before: where no test of this file is run, nothing ends it.
  postgres = isKept ? postgresServer() : undefined;
  database = postgres?.database() ?? "";
  if (modules instanceof Error) return;
  here = await EngineShop.open();
  there = await EngineShop.open({ hasSkills: false });
  for (const [skill] of RUNS)
    if (!folders.has(skill)) folders.set(skill, placed(await here.exported(skill, "langgraph-js")));
});
afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await there?.[Symbol.asyncDispose]();
  postgres?.remove();
});

/** An export beside what it takes, and what runs it. */
function placed(folder: string): string {
  symlinkSync(String(modules), join(folder, "node_modules"));
  copyFileSync(join(FIXTURES, "run-langgraph.js"), join(folder, "run.js"));
  return folder;
}

const folderOf = (skill: string): string => folders.get(skill) ?? "";

/** Exported graphs are run in processes of their own. */
function step(
  folder: string,
  env: Readonly<Record<string, string>>,
  thread: string,
  ...given: readonly string[]
) {
  const args = ["--disable-warning=ExperimentalWarning", join(folder, "run.js"), thread, ...given];
  return started(process.execPath, args, { DATABASE_URL: database, ...env });
}

test.skipIf(!isKept).for(RUNS.map((run, nth) => [...run, nth] as const))(
  "%s does the same on LangGraph JS: %j",
  async ([skill, given, nth]) => {
    const before = [here.calls.length, there.calls.length] as const;
    const direct = await here.direct(skill, given);
    const env = { REPERTOIRE_URL: there.url };
    const run = step(folderOf(skill), env, `run ${nth}`, JSON.stringify(given), "to the end");
    expect(await run.ended).toEqual(direct);
    const made = callTexts(there.calls.slice(before[1]));
    const wanted = callTexts(here.calls.slice(before[0]));
    const isAtOnce = skill === TOTAL.name;
    expect(isAtOnce ? made.toSorted() : made).toEqual(isAtOnce ? wanted.toSorted() : wanted);
  },
);

test.skipIf(!isKept)("through --direct the tools are reached without Repertoire", async () => {
  const folder = placed(await here.exported(MOVE.name, "langgraph-js", "--direct"));
  const shop = join(import.meta.dirname, "../../examples/shop-server.ts");
  const [, given] = RUNS[0] ?? [];
  const env = {
    SHOP_SERVER: `"${process.execPath}" --disable-warning=ExperimentalWarning "${shop}"`,
    REPERTOIRE_URL: "http://127.0.0.1:9/mcp",
  };
  const { ended } = step(folder, env, "direct", JSON.stringify(given), "to the end");
  expect(await ended).toMatchObject({ output: { order: { shipTo: given?.["shipTo"] } } });
});

test.skipIf(!isKept)("a declined call is not made", async () => {
  await using shop = await EngineShop.open({ hasSkills: false });
  const env = { REPERTOIRE_URL: shop.url };
  await step(folderOf(CANCEL.name), env, "declined", JSON.stringify(ADA)).ended;
  expect(await step(folderOf(CANCEL.name), env, "declined", "no").ended).toEqual({ error: "RUN_UNAPPROVED" });
  expect(shop.calls.some(({ tool }) => tool === "cancel_order")).toBe(false);
});

test.skipIf(!isKept)("killed while a call writes, it repeats that call alone, with its key", async () => {
  await using shop = await EngineShop.open({ hasSkills: false });
  const goOn = (given = "yes") => step(folderOf(CANCEL.name), { REPERTOIRE_URL: shop.url }, "killed", given);
  const written = (): readonly ShopCall[] => shop.calls.filter(({ tool }) => tool === "cancel_order");
  await goOn(JSON.stringify(ADA)).ended;
  const second = await goOn().ended;
  expect(second).toMatchObject({ waiting: [{ tool: "shop.cancel_order", arguments: { id: "O-1002" } }] });
  shop.hold(true);
  const { child, ended } = goOn();
  const last = ended.then(String, String);
  while (written().length < 2 && child.exitCode === null) await pause(50);
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
});

/** Writes exports into folders by their number, below the modules that they take. */
class Exports implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "graphs-"));

  constructor(skills: readonly ExportedSkill[], access = SERVED) {
    for (const [nth, skill] of skills.entries()) {
      const files = GRAPHS?.export(skill, access);
      if (!files?.ok) throw new Error(`${skill.name}: ${files?.error.message}`);
      mkdirSync(join(this.folder, String(nth)));
      for (const { path, text } of files.value) writeFileSync(join(this.folder, String(nth), path), text);
    }
    symlinkSync(String(modules), join(this.folder, "node_modules"));
  }

  /** What a program has printed that is run in a folder of it. */
  printed(place: string, ...args: readonly string[]): string {
    const how = { cwd: join(this.folder, place), encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], how);
  }

  /** What each graph does when its calls are answered so. */
  ran(
    runs: readonly {
      readonly input: Json;
      readonly calls: readonly unknown[];
      readonly context?: JsonObject;
    }[],
  ): readonly unknown[] {
    copyFileSync(join(FIXTURES, "run-graphs.js"), join(this.folder, "run.js"));
    const given = runs.map((run, nth) => ({ folder: String(nth), ...run }));
    writeFileSync(join(this.folder, "runs.json"), JSON.stringify(given));
    return JSON.parse(this.printed(".", "run.js", "runs.json").trim().split("\n").at(-1) ?? "") as unknown[];
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** What the skill itself does: its calls, and how it ends. */
async function direct({ plan, input, calls }: Case) {
  const made: { tool: string; args: Json }[] = [];
  const left = [...calls];
  const { root } = await runner.run(skillSet({ conforming: skillCode(plan) }), "conforming", input, {
    callTool: (tool, args) => {
      made.push({ tool, args });
      const at = left.findIndex((each) => each.tool === tool && isDeepStrictEqual(each.args, args));
      const [found] = at < 0 ? [] : left.splice(at, 1);
      const error = found ? found.error : "There is no such call";
      return Promise.resolve(
        error === undefined ? ok(found?.result ?? null) : fail(failure("TOOL_FAILED", error)),
      );
    },
  });
  const { outcome } = root;
  return { made, ended: outcome.ok ? { output: outcome.output } : { error: outcome.error.code } };
}

const CASES = conformanceCases().filter(({ plan }) => GRAPHS?.canExecute(skillOf(plan), SERVED).ok === true);

test.skipIf(!isInstalled)("whatever a plan may say, LangGraph JS does as the skill does", async () => {
  using exports = new Exports(CASES.map(({ plan }) => skillOf(plan, { cases: [] })));
  const ran = exports.ran(CASES);
  for (const [nth, each] of CASES.entries()) {
    const { made, ended } = await direct(each);
    const mayWrite = mayWriteBy(each.plan.effects);
    const asked = made.filter(({ tool }) => mayWrite(tool));
    expect([each.name, ran[nth]]).toEqual([each.name, { made, asked, ended }]);
  }
  expect(CASES.length).toBeGreaterThan(300);
});

test.skipIf(!isInstalled)("what is written for LangGraph JS has the types that it says", () => {
  const ofSteps = CASES.filter(({ name }) => /^(?:calls|decisions|loops): /.test(name));
  using exports = new Exports(
    [...PLANS, ...ofSteps.map(({ plan }) => plan)].map((plan) => skillOf(plan)),
    DIRECT,
  );
  const config = readFileSync(join(exports.folder, "0/tsconfig.json"), "utf8");
  writeFileSync(join(exports.folder, "tsconfig.json"), config.replace('"*.ts"', '"*/*.ts"'));
  expect(exports.printed(".", join(String(modules), "typescript/bin/tsc"))).toBe("");
});

test.skipIf(!isInstalled)("the skill's cases hold on LangGraph JS, and fail where they do not", () => {
  const tools = [
    { tool: "shop.find_customer", answer: { kind: "output", output: { customers: [{ id: "C-1" }] } } },
    { tool: "shop.list_orders", answer: { kind: "output", output: { orders: [{ id: "O-1" }] } } },
    {
      tool: "shop.get_order",
      input: { id: "O-1" },
      answer: { kind: "output", output: { order: { total: 3 } } },
    },
  ] as const;
  const cases = (total: number, told: typeof tools | readonly []): ExportedSkill["cases"] => [
    { name: "adds up", input: ADA, expected: { kind: "output", output: { total } }, tools: told },
    { name: "takes an address", input: {}, expected: { kind: "error", code: "INPUT_INVALID" } },
  ];
  const skills = [cases(3, tools), cases(4, tools), cases(3, [])].map((each) =>
    skillOf(TOTAL, { cases: each }),
  );
  using exports = new Exports(skills);
  const passed = (place: string): string => {
    try {
      return exports.printed(place, "--test", "--test-reporter=tap", "graph.test.ts");
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };
  expect(passed("0")).toContain("# pass 3\n# fail 0");
  expect(passed("1")).toContain("# pass 2\n# fail 1");
  expect(passed("2")).toContain("shop.find_customer is called with");
});

test.skipIf(!isInstalled)(
  "what reads is called again where nobody answers; what writes is begun again",
  () => {
    const ask = { tool: "shop.cancel_order", args: { id: "O-1" } };
    const customer = { tool: "shop.find_customer", args: { text: ADA.email } };
    const list = { tool: "shop.list_orders", args: { customerId: "C-1" } };
    const get = { tool: "shop.get_order", args: { id: "O-1" } };
    const calls = [
      { ...customer, error: null },
      { ...customer, result: { customers: [{ id: "C-1", name: "Ada", address: { country: "SE" } }] } },
      { ...list, result: { orders: [{ id: "O-1", status: "pending" }] } },
      { ...get, error: null },
      { ...get, result: { order: { id: "O-1", placedAt: "2026-02-11" } } },
      { ...ask, error: null },
      { ...ask, result: { order: { id: "O-1", status: "cancelled" } } },
    ];
    using exports = new Exports([skillOf(CANCEL)]);
    const cancelled = [{ id: "O-1", status: "cancelled", refundBy: "25.02.2026" }];
    expect(exports.ran([{ input: ADA, calls }])).toEqual([
      {
        made: [customer, customer, list, get, get, ask, ask],
        asked: [ask],
        ended: { output: { customer: "Ada", cancelled, count: 1 } },
      },
    ]);
  },
);

test.skipIf(!isInstalled)("a credential is sent where it is to go, and kept and shown nowhere", () => {
  const params = CANCEL.params.map((param) => (param.name === "reason" ? { ...param, secret: true } : param));
  const [customer, guard, orders, loop] = CANCEL.steps;
  const gives = { kind: "constant", value: null };
  const steps = [customer, guard, orders, Object.assign({}, loop, { gives })];
  const output = { value: { kind: "constant", value: "done" }, schema: {} };
  using exports = new Exports([skillOf(PLAN.parse({ ...CANCEL, params, steps, output }))]);
  const calls = [
    { tool: "shop.find_customer", args: { text: ADA.email }, result: { customers: [SWEDE] } },
    {
      tool: "shop.list_orders",
      args: { customerId: "C-1" },
      result: { orders: [{ id: "O-1", status: "new" }] },
    },
    { tool: "shop.get_order", args: { id: "O-1" }, result: { order: { id: "O-1" } } },
    { tool: "shop.cancel_order", args: { id: "O-1", reason: "hunter2-hunter2" }, result: {} },
  ];
  const [ran] = exports.ran([{ input: ADA, calls, context: { reason: "hunter2-hunter2" } }]);
  expect(ran).toEqual({
    made: calls.map(({ tool, args }) => ({ tool, args })),
    asked: [{ tool: "shop.cancel_order", args: { id: "O-1", reason: "***" } }],
    ended: { output: "done" },
  });
});

test.skipIf(!isInstalled)("a credential that an answer repeats ends the run, and is not kept", () => {
  const params = MOVE.params.map((param) => (param.name === "status" ? { ...param, secret: true } : param));
  const steps = [...MOVE.steps.slice(0, 1), { ...MOVE.steps[3], args: { kind: "object", fields: [] } }];
  const output = { value: { kind: "ref", name: "customer" }, schema: {} };
  const skill = skillOf(PLAN.parse({ ...MOVE, params, steps, output }));
  using exports = new Exports([skill, skill, skill, skill]);
  const password = "hunter2-hunter2";
  const said = `the password ${password} is known`;
  const customer = { tool: "shop.find_customer", args: { text: ADA.email } };
  const move = { tool: "shop.update_order_address", args: {} };
  const found = { ...customer, result: { customers: [] } };
  const input = { ...ADA, shipTo: { street: "S", city: "C", postcode: "1", country: "SE" } };
  const ran = exports.ran(
    [
      [{ ...customer, result: { said } }],
      [found, { ...move, result: { said: [{ said }] } }],
      [found, { ...move, error: said }],
      [{ ...customer, error: said }],
    ].map((calls) => ({ input, calls, context: { status: password } })),
  ) as readonly { readonly ended: unknown }[];
  expect(ran.map(({ ended }) => ended)).toEqual(
    ["SKILL_THREW", "SKILL_THREW", "TOOL_FAILED", "TOOL_FAILED"].map((error) => ({ error })),
  );
});

const SWEDE = { id: "C-1", name: "Ada", address: { country: "SE" } };
