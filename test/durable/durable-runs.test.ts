import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { failure, type Failure } from "../../src/core/error.ts";
import type { Json } from "../../src/core/json/json.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { fail, ok, type Result } from "../../src/core/result.ts";
import type { Run } from "../../src/core/run.ts";
import type { Skill } from "../../src/core/skill.ts";
import { DurableRuns } from "../../src/durable/durable-runs.ts";
import { type CallTool, Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { runner } from "../shared-threads.ts";

const SKILLS = skillSet({
  order: `export default async ({ item }) => {
    const { price } = await call_tool("shop.price", { item });
    const paid = await call_tool("shop.pay", { amount: price, at: Date.now(), nonce: Math.random() });
    const sent = await call_tool("shop.send", { item, receipt: paid.receipt, nonce: Math.random() });
    return { sent: sent.done, took: Date.now() >= 0 };
  }`,
  both: `export default async () => Promise.all([
    call_tool("shop.pay", { amount: 1 }), call_tool("shop.price", { item: "a" }), call_tool("shop.pay", { amount: 2 }),
  ])`,
  patient: `export default async () => {
    try { await call_tool("shop.pay", { amount: 1 }); return "paid"; } catch (error) { return error.code; }
  }`,
});

/** A shop that applies each payment and each parcel once for each call, and remembers what came. */
class Shop {
  readonly applied: { tool: string; input: Json; key: string }[] = [];
  readonly reads: string[] = [];
  /** What is done in place of an answer. */
  silent: ((tool: string) => boolean) | undefined;

  readonly call: CallTool = async (tool, input, { runId, callPath }) => {
    if (tool === "shop.price") this.reads.push(callPath);
    else this.applied.push({ tool, input, key: `${runId}/${callPath}` });
    if (this.silent?.(tool) === true)
      return fail(failure("TOOL_FAILED", "it did not answer", { details: { unanswered: true } }));
    return ok(tool === "shop.price" ? { price: 7 } : { receipt: this.applied.length, done: true });
  };
}

async function opened(shop: Shop, skills = SKILLS): Promise<{ runs: DurableRuns; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "durable-"));
  const runs = durableRuns(folder, shop, skills);
  onTestFinished(async () => {
    await runs.close();
    await rm(folder, { recursive: true });
  });
  return { runs, folder };
}

function durableRuns(folder: string, shop: Shop, skills: ReadonlyMap<string, Skill>): DurableRuns {
  return new DurableRuns({
    folder,
    runner,
    callTool: shop.call,
    policyOf: async (tool) => (tool === "shop.price" ? "read" : "write"),
    skills: async () => ({ skills, refusals: new Map() }),
  });
}

function errorOf({ root: { outcome } }: Run): Failure | undefined {
  return outcome.ok ? undefined : outcome.error;
}

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

test("a run that nothing interrupts ends as any other, and its journal forgets what was said in it", async () => {
  const shop = new Shop();
  const { runs } = await opened(shop);
  const run = await runs.run("order", { item: "lamp" });
  expect(run.root.outcome).toEqual({ ok: true, output: { sent: true, took: true } });
  expect(shop.applied.map(({ key }) => key)).toEqual([`${run.id}/0.1`, `${run.id}/0.2`]);
  expect(value(runs.show(run.id))).toMatchObject({ state: "completed", calls: [], isOwned: false });
});

test("where a person approves what writes, each write waits, is made once, and the code sees one clock and one chance", async () => {
  const shop = new Shop();
  const { runs } = await opened(shop);
  const first = await runs.run("order", { item: "lamp" }, { confirms: true });
  expect(errorOf(first)).toMatchObject({
    code: "RUN_WAITING",
    details: { waiting: [{ callPath: "0.1", tool: "shop.pay", state: "unapproved" }] },
  });
  expect(shop.applied).toEqual([]);
  const waiting = value(runs.show(first.id)).calls.find(({ state }) => state === "unapproved");
  value(runs.decide(first.id, { kind: "approve" }, { by: "ada", callPath: "0.1" }));
  const second = value(await runs.resume(first.id));
  expect(errorOf(second)).toMatchObject({ details: { waiting: [{ callPath: "0.2" }] } });
  expect(JSON.stringify(shop.applied[0]?.input)).toBe(waiting?.input);
  value(runs.decide(first.id, { kind: "approve" }, { by: "ada", callPath: "0.2" }));
  const third = value(await runs.resume(first.id));
  expect(third).toMatchObject({ id: first.id, root: { outcome: { ok: true } } });
  expect(shop.applied.map(({ tool }) => tool)).toEqual(["shop.pay", "shop.send"]);
  expect(shop.reads).toEqual(["0.0"]);
});

test("of two decisions the first counts", async () => {
  const { runs, folder } = await opened(new Shop());
  const { id } = await runs.run("order", { item: "lamp" }, { confirms: true });
  const others = durableRuns(folder, new Shop(), SKILLS);
  const decisions = [
    runs.decide(id, { kind: "approve" }, { by: "ada", callPath: "0.1" }),
    others.decide(id, { kind: "refuse" }, { by: "eve", callPath: "0.1" }),
  ];
  await others.close();
  expect(decisions.map((each) => (each.ok ? each.value.decidedBy : each.error.code))).toEqual([
    "ada",
    "RUN_STATE",
  ]);
});

test("a call that is refused fails in the code, and one that is skipped is answered with what was said", async () => {
  const shop = new Shop();
  const { runs } = await opened(shop);
  const refused = await runs.run("patient", {}, { confirms: true });
  value(runs.decide(refused.id, { kind: "refuse" }, { by: "ada", callPath: "0.0" }));
  expect(value(await runs.resume(refused.id)).root.outcome).toEqual({ ok: true, output: "RUN_UNAPPROVED" });
  const skipped = await runs.run("order", { item: "lamp" }, { confirms: true });
  value(runs.decide(skipped.id, { kind: "skip", result: { receipt: 99 } }, { by: "ada", callPath: "0.1" }));
  const next = value(await runs.resume(skipped.id));
  expect(errorOf(next)?.details).toMatchObject({ waiting: [{ input: { item: "lamp", receipt: 99 } }] });
  expect(shop.applied).toEqual([]);
});

test("a write that was begun and not answered is made again only when a person says so, under the same key", async () => {
  const shop = new Shop();
  shop.silent = (tool) => tool === "shop.pay";
  const { runs } = await opened(shop);
  const { id, ...run } = await runs.run("order", { item: "lamp" });
  expect(errorOf({ id, ...run })).toMatchObject({ code: "WRITE_UNCERTAIN" });
  expect(shop.applied).toHaveLength(1);
  expect(errorOf(value(await runs.resume(id)))).toMatchObject({ code: "WRITE_UNCERTAIN" });
  expect(shop.applied).toHaveLength(1);
  shop.silent = undefined;
  value(runs.decide(id, { kind: "approve" }, { by: "ada", callPath: "0.1" }));
  expect(value(await runs.resume(id)).root.outcome.ok).toBe(true);
  expect(shop.applied.map(({ key }) => key)).toEqual([`${id}/0.1`, `${id}/0.1`, `${id}/0.2`]);
});

test("what only reads and was not answered is read again", async () => {
  const shop = new Shop();
  let silences = 1;
  shop.silent = (tool) => tool === "shop.price" && silences-- > 0;
  const { runs } = await opened(shop);
  expect((await runs.run("order", { item: "lamp" })).root.outcome.ok).toBe(true);
  expect(shop.reads).toEqual(["0.0", "0.0"]);
});

test("calls that wait side by side are told together, and each is decided by its place", async () => {
  const shop = new Shop();
  const { runs } = await opened(shop);
  const run = await runs.run("both", {}, { confirms: true });
  expect(errorOf(run)?.details).toMatchObject({ waiting: [{ callPath: "0.0" }, { callPath: "0.2" }] });
  const which = runs.decide(run.id, { kind: "approve" }, { by: "ada", callPath: "0.1" });
  expect(which).toMatchObject({ ok: false, error: { code: "RUN_STATE" } });
  for (const callPath of ["0.2", "0.0"])
    value(runs.decide(run.id, { kind: "approve" }, { by: "ada", callPath }));
  expect(value(await runs.resume(run.id)).root.outcome.ok).toBe(true);
  expect(shop.applied).toHaveLength(2);
});

test("a run does not go on with another skill than it began with", async () => {
  const shop = new Shop();
  const { runs, folder } = await opened(shop);
  const { id } = await runs.run("order", { item: "lamp" }, { confirms: true });
  const changed = durableRuns(folder, shop, skillSet({ order: `export default async () => "another"` }));
  expect(await changed.resume(id)).toMatchObject({ ok: false, error: { code: "RUN_CHANGED" } });
  await changed.close();
  expect(value(runs.show(id)).state).toBe("waiting");
});

test("a run is cancelled once, and then neither decided nor resumed", async () => {
  const { runs } = await opened(new Shop());
  const { id } = await runs.run("order", { item: "lamp" }, { confirms: true });
  expect(value(runs.cancel(id)).state).toBe("cancelled");
  for (const result of [
    runs.cancel(id),
    runs.decide(id, { kind: "approve" }, { by: "ada", callPath: "0.1" }),
    await runs.resume(id),
  ])
    expect(result).toMatchObject({ ok: false, error: { code: "RUN_STATE" } });
  expect(runs.cancel("nobody")).toMatchObject({ ok: false, error: { code: "RUN_NOT_FOUND" } });
});

test("a skill that has a person approve what it writes is run in no other way, whoever calls it and however it is named", async () => {
  const confirming = skillSet(
    {
      pay: `export default async () => call_tool("shop.pay", { amount: 1 })`,
      outer: `export default async () => call_skill("pay", {})`,
      hidden: `export default async () => call_skill(["p", "ay"].join(""), {})`,
    },
    { pay: { durable: "confirms" } },
  );
  const open = { skills: [], tools: [], dynamic: true, repeated: false };
  const skills = new Map(
    [...confirming].map(([name, skill]) => [name, name === "hidden" ? { ...skill, calls: open } : skill]),
  );
  const shop = new Shop();
  const { runs } = await opened(shop, skills);
  for (const name of ["pay", "outer", "hidden"]) {
    expect(errorOf(await runs.run(name, {}))).toMatchObject({ code: "RUN_WAITING" });
    const own = new Runner({ limits: DEFAULT_LIMITS, workers: 1, callTool: shop.call });
    expect(errorOf(await own.run(skills, name, {}))).toMatchObject({ code: "RUN_UNAPPROVED" });
    await own.close();
  }
  expect(shop.applied).toEqual([]);
});

test("a skill that runs out of its own time ends a durable run as a whole: what its caller would do then is done by nobody", async () => {
  const skills = skillSet(
    {
      charge: `export default async () => call_tool("shop.pay", { by: "first" })`,
      bill: `export default async () => {
        try { return await call_skill("charge", {}); } catch { return call_tool("shop.pay", { by: "second" }); }
      }`,
    },
    { charge: { limits: { wallMs: 200 } } },
  );
  const shop = new Shop();
  const call: CallTool = async (tool, input, context) => {
    await new Promise((resolve) => void setTimeout(resolve, 600));
    return context.signal.aborted
      ? fail(failure("CANCELLED", "it was cancelled", { details: { unanswered: true } }))
      : shop.call(tool, input, context);
  };
  const slow = Object.assign(new Shop(), { call });
  const { runs } = await opened(slow, skills);
  expect(errorOf(await runs.run("bill", {}))).toMatchObject({ code: "WRITE_UNCERTAIN" });
  expect(shop.applied).toEqual([]);
});

test("of two processes that take themselves for a run's owner one writes nothing", async () => {
  const shop = new Shop();
  const { runs, folder } = await opened(shop);
  const thief = new DatabaseSync(join(folder, "journal.db"));
  shop.silent = () => {
    thief.exec("update runs set owner = 'another'");
    return false;
  };
  expect(errorOf(await runs.run("order", { item: "lamp" }))).toMatchObject({ code: "RUN_STATE" });
  expect(shop.applied).toEqual([]);
  thief.close();
});

test("a row that cannot be read is told, and takes no other run down", async () => {
  const { runs, folder } = await opened(new Shop());
  const broken = await runs.run("order", { item: "lamp" }, { confirms: true });
  const whole = await runs.run("order", { item: "cup" }, { confirms: true });
  const file = new DatabaseSync(join(folder, "journal.db"));
  file.prepare("update runs set input = '{broken' where run_id = ?").run(broken.id);
  file.close();
  expect(value(runs.list())).toHaveLength(2);
  expect(runs.show(broken.id)).toMatchObject({ ok: false, error: { code: "STORE_UNAVAILABLE" } });
  expect(value(runs.show(whole.id)).state).toBe("waiting");
});

test("a run that has ended leaves nothing of what was said in it", async () => {
  const { runs, folder } = await opened(new Shop());
  const { id } = await runs.run("order", { item: "a very secret lamp" });
  expect(value(runs.show(id))).toMatchObject({ state: "completed", input: null, calls: [] });
  await runs.close();
  expect(await readFile(join(folder, "journal.db"), "latin1")).not.toContain("a very secret lamp");
});

test("a journal that cannot be written refuses the run before anything is called", async () => {
  const shop = new Shop();
  const folder = await mkdtemp(join(tmpdir(), "durable-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "taken"), "");
  const runs = durableRuns(join(folder, "taken"), shop, SKILLS);
  expect(errorOf(await runs.run("order", { item: "lamp" }))).toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(shop.applied).toEqual([]);
});

test("however a run is interrupted by what it waits for, its calls and its output are those of one that is not", async () => {
  const step = fc.record({
    tools: fc.array(fc.constantFrom("shop.pay", "shop.price"), { minLength: 1, maxLength: 7 }),
    isNested: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const mayCall = { frontmatter: { "allowed-tools": "shop.*" } };
      const sources = {
        inner: `export default async ({ tools }) => Promise.all(tools.map((tool, i) => call_tool(tool, { i, at: Date.now() })))`,
        outer: `export default async ({ steps }) => {
          const seen = [];
          await Promise.all(steps.map(async ({ tools, isNested }, at) => {
            const answers = isNested
              ? await call_skill("inner", { tools })
              : await Promise.all(tools.map((tool) => call_tool(tool, { at, before: seen.length })));
            seen.push([at, answers.length]);
          }));
          return seen.length;
        }`,
      };
      const skills = skillSet(sources, { inner: mayCall, outer: mayCall });
      const shop = new Shop();
      const { runs } = await opened(shop, skills);
      let run = await runs.run("outer", { steps }, { confirms: true });
      for (let rounds = 0; rounds < 20 && !run.root.outcome.ok; rounds++) {
        for (const { callPath, state } of value(runs.show(run.id)).calls)
          if (state === "unapproved")
            value(runs.decide(run.id, { kind: "approve" }, { by: "ada", callPath }));
        run = value(await runs.resume(run.id));
      }
      expect(run.root.outcome).toEqual({ ok: true, output: steps.length });
      const writes = steps.flatMap(({ tools }) => tools).filter((tool) => tool === "shop.pay").length;
      expect(new Set(shop.applied.map(({ key }) => key)).size).toBe(writes);
      expect(shop.applied).toHaveLength(writes);
    }),
    { numRuns: 24, seed: 7 },
  );
});

test("what is refused, as there is no such skill, is no durable run; those that are listed are told without what they were given", async () => {
  const { runs } = await opened(new Shop());
  expect(errorOf(await runs.run("odrer", {}))?.code).toBe("SKILL_NOT_FOUND");
  expect(value(runs.list())).toEqual([]);
  const { id } = await runs.run("order", { item: "a" });
  const [listed] = value(runs.list());
  expect(listed).toMatchObject({ runId: id, state: "completed" });
  expect(listed).not.toHaveProperty("input");
});
