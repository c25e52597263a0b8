import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failure } from "../../src/core/error.ts";
import type { Json } from "../../src/core/json/json.ts";
import { ok } from "../../src/core/result.ts";
import type { CallRecord, Run, RunEvent } from "../../src/core/run.ts";
import type { Skill } from "../../src/core/skill.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { type CallTool, Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";

let toolCalls = 0;
// Answers come late and out of order, as they do from the world.
const callTool: CallTool = async (name, input) => {
  toolCalls++;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
  return name === "world.broken"
    ? { ok: false, error: failure("TOOL_FAILED", "it is closed") }
    : ok({ input, at: Math.random() });
};

let runner: Runner;
beforeAll(() => {
  runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1, callTool });
});
afterAll(() => runner.close());

class ClosingRunner extends Runner implements AsyncDisposable {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function chainOf(skills: ReadonlyMap<string, Skill>): Skill {
  const skill = skills.get("chain");
  if (!skill) throw new Error("there is no chain");
  return skill;
}

/** What a run did, without its times. How far a call came that nobody waited for is a matter of time, too. */
function deeds({ kind, callPath, name, input, outcome, console, world, calls }: CallRecord): Json {
  if (!outcome.ok && outcome.error.code === "CANCELLED") return { kind, callPath, name, input };
  return JSON.parse(
    JSON.stringify({ kind, callPath, name, input, outcome, console, world, calls: calls.map(deeds) }),
  ) as Json;
}

describe("outputs of pure skills", () => {
  const skills = skillSet({
    twice: `export default ({ n }) => { console.log("body"); return n * 2; }`,
    chain: `export default async ({ n }) => call_skill("twice", { n })`,
    clock: `export default () => { Date.now(); return 1; }`,
    dice: `export default () => Math.random()`,
    "reads-above": `const loadedAt = Date.now(); export default () => loadedAt;`,
    uses: `export default async () => [await call_skill("dice"), await call_skill("dice")]`,
    throws: `export default () => { throw new Error("no"); }`,
    catches: `export default async () => { try { await call_skill("throws"); } catch { return "caught"; } }`,
    tool: `export default async () => call_tool("world.any")`,
    "a-to-b": `export default async ({ n }) => { try { return await call_skill("b-or-c", { n }); } catch (error) { return error.message; } }`,
    "b-or-c": `export default async ({ n }) => call_skill("twice", { n })`,
  });

  async function again(name: string, input: Json): Promise<readonly [CallRecord, CallRecord]> {
    const first = await runner.run(skills, name, input);
    const second = await runner.run(skills, name, input);
    return [first.root, second.root];
  }

  test("are given again however often, with the same events, until the runner is closed", async () => {
    await using own = new ClosingRunner({ limits: DEFAULT_LIMITS, workers: 1 });
    const told: (readonly RunEvent[])[] = [];
    const roots: CallRecord[] = [];
    for (let run = 0; run < 5; run++) {
      const events: RunEvent[] = [];
      const { root } = await own.run(skills, "chain", { n: 5 }, { onEvent: (event) => events.push(event) });
      // A caller may do with it what it likes.
      if (run === 3) Object.assign(root, { outcome: undefined });
      else roots.push(root);
      told.push(events.map(({ kind, callPath, name }) => ({ kind, callPath, name }) as RunEvent));
    }
    expect(roots.map(({ outcome, reused }) => [outcome, reused])).toEqual([
      [{ ok: true, output: 10 }, undefined],
      ...Array.from({ length: 3 }, () => [{ ok: true, output: 10 }, true]),
    ]);
    expect(told.slice(1)).toEqual(told.slice(1).map(() => told[1]));
    const changed = new Map([...skills, ["chain", { ...chainOf(skills), digest: "another" }]]);
    expect((await own.run(changed, "chain", { n: 5 })).root.reused).toBeUndefined();
    expect((await own.run(skills, "chain", { n: 6 })).root.outcome).toEqual({ ok: true, output: 12 });
    await own.close();
    expect((await own.run(skills, "chain", { n: 5 })).root.outcome).toMatchObject({
      error: { code: "RUNNER_CLOSED" },
    });
  });

  test("are given again for the same input, and the record says so", async ({ task }) => {
    // Another input for each try.
    const n = 21 + 2 * (task.result?.retryCount ?? 0);
    const [first, second] = await again("twice", { n });
    expect([first.reused, first.console.length]).toEqual([undefined, 1]);
    expect(second).toMatchObject({ reused: true, outcome: { ok: true, output: n * 2 }, console: [] });
    expect((await runner.run(skills, "twice", { n: n + 1 })).root.reused).toBeUndefined();
  });

  test("are given again below another skill", async () => {
    await runner.run(skills, "twice", { n: 77 });
    const { root } = await runner.run(skills, "chain", { n: 77 });
    expect(root.calls[0]).toMatchObject({ reused: true, outcome: { output: 154 } });
  });

  test.each(["clock", "dice", "reads-above", "uses", "throws", "catches", "tool"])(
    "are not given again where more than the input had a part: %s",
    async (name) => {
      const [, second] = await again(name, {});
      expect(second.reused).toBeUndefined();
    },
  );

  test("are not given again when a callee has changed", async () => {
    const changed = skillSet({
      twice: `export default ({ n }) => n * 2 + 0.5`,
      chain: `export default async ({ n }) => call_skill("twice", { n })`,
    });
    await again("chain", { n: 5 });
    expect((await runner.run(changed, "chain", { n: 5 })).root.outcome).toEqual({ ok: true, output: 10.5 });
  });

  test.each(["TRANSFORM", "READ"] as const)(
    "of %s skills are not given again where other runs had a part in the order of answers",
    async (operation) => {
      const own = `\n// ${operation}`;
      const kept = operation === "READ" ? { operation, ttlMs: 600_000 } : {};
      const ordered = skillSet(
        {
          early: `export default ({ n }) => ["early", n];${own}`,
          late: `export default ({ n }) => ["late", n];${own}`,
          both: `export default async ({ n }) => {
            const order = [];
            const calls = [() => call_skill("early", { n }), () => call_skill("late", { n })];
            await Promise.all(calls.map(async (call) => { order.push(await call()); }));
            return order;
          }${own}`,
          above: `export default ({ n }) => call_skill("both", { n });${own}`,
        },
        { both: kept, above: kept, early: kept, late: kept },
      );
      await runner.run(ordered, "late", { n: 99 });
      const first = (await runner.run(ordered, "above", { n: 1 })).root;
      expect(first.outcome).toEqual({
        ok: true,
        output: [
          ["late", 1],
          ["early", 1],
        ],
      });
      for (const name of ["above", "both"])
        expect((await runner.run(ordered, name, { n: 1 })).root).toMatchObject({
          outcome: {
            output: [
              ["early", 1],
              ["late", 1],
            ],
          },
        });
      // What nobody has disturbed is kept.
      await runner.run(ordered, "both", { n: 2 });
      expect((await runner.run(ordered, "both", { n: 2 })).root.reused).toBe(true);
    },
  );

  test("get no other verdict on depth and circles than a run would", async () => {
    const names = ["d1", "d2", "d3", "d4", "d5"];
    const deep = skillSet({
      leaf: `export default () => "leaf"`,
      ...Object.fromEntries(
        names.map((name, index) => [
          name,
          `export default async () => call_skill(${JSON.stringify(names[index + 1] ?? "pair")})`,
        ]),
      ),
      pair: `export default async () => call_skill("leaf")`,
    });
    expect((await runner.run(deep, "pair", {})).root.outcome.ok).toBe(true);
    expect((await runner.run(deep, "d2", {})).root.outcome.ok).toBe(true);
    expect((await runner.run(deep, "d1", {})).root.outcome).toMatchObject({
      error: { code: "CALL_TOO_DEEP" },
    });

    const round = skillSet({
      top: `export default async ({ go }) => { const name = "mid"; return go ? call_skill(name, {}) : "end"; }`,
      mid: `export default async () => { const name = "top"; return call_skill(name, { go: false }); }`,
    });
    expect((await runner.run(round, "mid", {})).root.outcome).toEqual({ ok: true, output: "end" });
    expect((await runner.run(round, "top", { go: true })).root.outcome).toMatchObject({
      error: { message: "Circular dependency detected: top -> mid -> top" },
    });
  });

  test("of READ skills are given again for as long as they say", async () => {
    const timed = skillSet(
      { now: `export default () => Date.now()`, top: `export default async () => call_skill("now")` },
      { now: { operation: "READ", ttlMs: 150 }, top: { operation: "READ" } },
    );
    const first = (await runner.run(timed, "now", {})).root;
    const second = (await runner.run(timed, "now", {})).root;
    expect(second).toMatchObject({ reused: true, outcome: first.outcome });
    expect((await runner.run(timed, "top", {})).root.calls[0]?.reused).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await runner.run(timed, "now", {})).root.reused).toBeUndefined();
  });
});

describe("a replay", () => {
  const skills = skillSet({
    look: `export default async ({ id }) => {
      const started = Date.now();
      const { at } = await call_tool("world.get", { id });
      return { id, at, started, luck: Math.random(), later: Date.now() };
    }`,
    race: `export default async () => {
      const first = await Promise.race([1, 2, 3, 4].map((id) => call_tool("world.get", { id })));
      const order = [];
      await Promise.all([5, 6, 7, 8].map(async (id) => { await call_skill("look", { id }); order.push(id); console.log("got", id, Math.random()); }));
      let failed = "";
      try { await call_tool("world.broken"); } catch (error) { failed = error.message; }
      return { first, order, failed, now: new Date().toISOString(), roll: Math.random() };
    }`,
  });

  async function replayed(recorded: Run): Promise<Run> {
    const before = toolCalls;
    const run = await runner.replay(skills, JSON.parse(JSON.stringify(recorded)) as Run);
    expect(toolCalls).toBe(before);
    return run;
  }

  test("gives the same calls, outputs, clock and random numbers, without touching the world", async () => {
    for (let round = 0; round < 20; round++) {
      const recorded = await runner.run(skills, "race", {});
      expect(recorded.root.outcome.ok).toBe(true);
      expect(deeds((await replayed(recorded)).root)).toEqual(deeds(recorded.root));
    }
  });

  test("goes on past reads of the clock that were many", async () => {
    const busy = skillSet({
      busy: `export default () => { const seen = []; const end = Date.now() + 5; while (Date.now() < end) seen.push(Date.now()); return [seen.length, seen.at(-1) - seen[0]]; }`,
    });
    const recorded = await runner.run(busy, "busy", {});
    const run = await runner.replay(busy, recorded);
    expect(run.root.outcome).toEqual(recorded.root.outcome);
    expect(recorded.root.world?.clock?.length).toBeLessThan(20);
  });

  test("repeats what was reused", async () => {
    const pure = skillSet({
      leaf: `export default ({ n }) => n + 1`,
      top: `export default async () => [await call_skill("leaf", { n: 900 }), Date.now()]`,
    });
    await runner.run(pure, "leaf", { n: 900 });
    const recorded = await runner.run(pure, "top", {});
    expect(recorded.root.calls[0]?.reused).toBe(true);
    expect(deeds((await runner.replay(pure, recorded)).root)).toEqual(deeds(recorded.root));
  });

  test("tells of a call that the record does not have", async () => {
    const other = skillSet({ look: `export default async ({ id }) => call_tool("world.other", { id })` });
    const recorded = await runner.run(skills, "look", { id: 1 });
    expect((await runner.replay(other, recorded)).root.outcome).toMatchObject({
      error: { code: "TOOL_FAILED", message: 'The record has no call of "world.other" in this place' },
    });
  });

  test("holds for any program of calls, waits and reads", async () => {
    const step = fc.oneof(
      fc.constant(`out.push(Math.random());`),
      fc.constant(`out.push(Date.now());`),
      fc.constant(`out.push(await call_tool("world.get", { n: out.length }));`),
      fc.constant(`out.push(await call_skill("leaf", { n: out.length }));`),
      fc.constant(
        `await Promise.all([call_tool("world.get"), call_skill("leaf", { n: 1 })].map((p) => p.then((v) => out.push(v))));`,
      ),
      fc.constant(
        `out.push(await Promise.any([call_tool("world.broken"), call_skill("leaf", { n: 2 }), call_tool("world.get")]));`,
      ),
      fc.constant(
        `out.push((await Promise.allSettled([call_tool("world.broken"), call_skill("nobody")])).map((end) => end.reason.message));`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const programs = skillSet({
          leaf: `export default async ({ n }) => { const { at } = await call_tool("world.get", { n }); return [at, Date.now(), Math.random()]; }`,
          program: `export default async () => { const out = []; ${steps.join("\n")} return out; }`,
        });
        const recorded = await runner.run(programs, "program", {});
        expect(deeds((await runner.replay(programs, recorded)).root)).toEqual(deeds(recorded.root));
      }),
      { numRuns: 40 },
    );
  });
});
