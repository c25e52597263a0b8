import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { CallRecord } from "../../src/core/run.ts";
import type { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";
import {
  four,
  lent,
  output,
  ownRunner,
  range,
  runnerOf,
  someLent,
  taught,
  teach,
  timeless,
  toolCalls,
  unordered,
  WORK,
} from "./spread-runners.ts";

let alone: Runner;
let pair: Runner;

beforeAll(async () => {
  alone = await runnerOf(1);
  pair = await runnerOf(2);
});
beforeEach(() => {
  toolCalls.length = 0;
});
afterAll(async () => Promise.all([alone.close(), pair.close()]));

const SPIN = `function spin(ms) { const from = Date.now(); while (Date.now() < from + ms); return [from, Date.now()]; }\n`;

describe("heavy calls in parallel", () => {
  test("run at the same time in two workers, one after another in one", async () => {
    const skills = skillSet({
      heavy: `${SPIN}export default ({ ms }) => spin(ms)`,
      root: `export default async ({ teach }) => Promise.all([0, 1].map((n) => call_skill("heavy", { n, ms: teach ? 20 : 150 })))`,
    });
    const overlap = (root: CallRecord): boolean => {
      const [[from, to], [otherFrom, otherTo]] = output(root) as [[number, number], [number, number]];
      return from < otherTo && otherFrom < to;
    };
    expect(overlap(await taught(pair, skills))).toBe(true);
    expect(overlap(await taught(alone, skills))).toBe(false);
  });

  test("leave the record that they leave in one worker, with the answers in the same order", async () => {
    const skills = four(`({ n }) => { console.log("at", n); return work(n); }`);
    const spread = await taught(pair, skills);
    expect(lent().length).toBeGreaterThan(0);
    expect(timeless(spread)).toEqual(timeless(await taught(alone, skills)));
  });

  test("leave it with all that they call, and fail alike", async () => {
    const skills = four(
      `async ({ n, teach }) => {
        const sum = work(n);
        const [a, b] = await Promise.all([call_skill("light", { sum, by: 1 }), call_skill("light", { sum, by: 2 })]);
        return n === 3 ? call_skill("fails", { teach }) : [a, b];
      }`,
      {
        light: `export default ({ sum, by }) => { console.log("light", by); return sum + by; }`,
        fails: `export default ({ teach }) => {\n  if (!teach) throw new RangeError("far");\n  return 0;\n}`,
      },
    );
    const spread = await taught(pair, skills);
    expect(lent().length).toBeGreaterThan(0);
    expect(spread.outcome).toMatchObject({ error: { code: "SKILL_THREW", skill: "fails" } });
    expect(unordered(spread)).toEqual(unordered(await taught(alone, skills)));
  });

  test("are replayed with what they read of the world", async () => {
    const skills = four(
      `async ({ n, teach }) => { work(n); return teach ? 0 : [Date.now(), await call_skill("luck"), Math.random()]; }`,
      { luck: `export default () => Math.random()` },
    );
    const recorded = { id: "", startedAt: "", root: await taught(pair, skills) };
    expect(lent().length).toBeGreaterThan(0);
    const { root } = await pair.replay(skills, recorded);
    expect(timeless(root)).toEqual(timeless(recorded.root));
    const worlds = ({ world, calls }: CallRecord): unknown => [world, calls.map(worlds)];
    expect(worlds(root)).toEqual(worlds(recorded.root));
  });

  test("stay in their run's worker if they are light, or come one after another", async () => {
    const row = skillSet({
      heavy: `${WORK}export default ({ n }) => work(n)`,
      root: `export default async ({ teach }) => { for (let n = 0; n < 3; n++) await call_skill("heavy", { n: teach ? n + 7 : n }); return 1; }`,
    });
    for (const skills of [four(`({ n }) => n`), row]) {
      await taught(pair, skills);
      expect(lent()).toEqual([]);
    }
  });

  test("come to their end where two runs have them at once, on two levels", async () => {
    const skills = skillSet({
      heavy: `${WORK}export default ({ n }) => work(n)`,
      middle: `${WORK}export default async ({ n }) => { work(n, 1e5); return Promise.all([1, 2].map((by) => call_skill("heavy", { n: n * 10 + by }))); }`,
      root: `export default async ({ from = 0 }) => Promise.all([1, 2].map((n) => call_skill("middle", { n: from + n })))`,
    });
    await teach(pair, skills, { from: 100 });
    const starts = [200, 300];
    const spread = await Promise.all(starts.map(async (from) => pair.run(skills, "root", { from })));
    const plain = await Promise.all(starts.map(async (from) => alone.run(skills, "root", { from })));
    expect(spread.map(({ root }) => output(root))).toEqual(plain.map(({ root }) => output(root)));
  });

  test("keep no tool's answer waiting", async () => {
    const skills = skillSet({
      heavy: `${SPIN}export default ({ ms }) => spin(ms)`,
      root: `export default async ({ teach }) => {
        const tools = async () => { await call_tool("world.a", {}); await call_tool("world.b", {}); };
        await Promise.all([...[300, 20].map((ms) => call_skill("heavy", { ms: teach ? 20 : ms })), tools()]);
        return 1;
      }`,
    });
    const { calls } = await taught(pair, skills);
    expect(lent().map(({ callPath }) => callPath)).toEqual(["0.0"]);
    const [long, , , second] = calls;
    expect(second?.name).toBe("world.b");
    expect(second?.startMs).toBeLessThan((long?.startMs ?? 0) + (long?.durationMs ?? 0));
  });
});

describe("the budgets of a run that is spread", () => {
  test("are its own: one call too many in all", async () => {
    const calls = 15;
    const skills = four(
      `async ({ n, teach }) => {
        const sum = work(n);
        const below = Array.from({ length: teach ? 0 : n === 0 ? 9 : 1 }, (_, by) => call_skill("light", { sum, by }));
        return (await Promise.allSettled(below)).map(({ value, reason }) => value ?? reason.code);
      }`,
      { light: `export default ({ sum, by }) => sum + by` },
      { calls },
    );
    const spread = await taught(pair, skills);
    expect(lent().length).toBeGreaterThan(0);
    const expected = await taught(alone, skills);
    const refused = (root: CallRecord): number =>
      JSON.stringify(output(root)).split("TOO_MANY_CALLS").length - 1;
    const made = (root: CallRecord): number => root.calls.reduce((sum, call) => sum + 1 + made(call), 0);
    expect([made(spread), refused(spread)]).toEqual([calls, refused(expected)]);
  });

  test("are charged for a lent call that its caller did not wait for", async () => {
    const skills = skillSet(
      {
        heavy: `${WORK}export default ({ n, by, teach }) => { while (by === 0 && !teach) {} return work(n); }`,
        hasty: `export default async ({ n, teach }) => {
          const heavy = [0, 1].map((by) => call_skill("heavy", { n, by, teach }));
          await (teach ? Promise.all(heavy) : call_tool("world.tell", {}));
        }`,
        root: `export default async ({ teach }) => { for (let n = 0; n < (teach ? 2 : 20); n++) await call_skill("hasty", { n, teach }); return 1; }`,
      },
      { hasty: { operation: "WRITE" }, root: { limits: { cpuMs: 800 } } },
    );
    const root = await taught(pair, skills);
    expect(lent().length).toBeGreaterThan(1);
    expect(root.outcome).toMatchObject({ error: { code: "SKILL_TIMED_OUT" } });
  });
});

describe("a lent call", () => {
  test("that calls a tool is run where it was asked for, and the tool called once", async () => {
    const skills = four(
      `async ({ n, teach }) => { work(n); return teach ? 0 : call_tool("world.tell", { n }); }`,
    );
    const spread = await taught(pair, skills);
    expect(lent().length).toBeGreaterThan(0);
    expect([output(spread), toolCalls.length]).toEqual([["told", "told", "told", "told"], 4]);
  });

  test("is run where it was asked for when its worker is lost", async () => {
    const skills = four(`({ n, teach }) => work(n, teach ? 1e5 : 4e5)`);
    const runner = await ownRunner();
    await teach(runner, skills);
    const run = runner.run(skills, "root", {});
    await someLent();
    await lent()[0]?.worker.terminate();
    expect(timeless((await run).root)).toEqual(timeless(await taught(alone, skills)));
  });

  test("gives way to a run that comes to its worker", async () => {
    const skills = four(`({ n, teach }) => work(n, teach ? 1e5 : 4e5)`, {
      good: `export default ({ n }) => n * 2`,
    });
    await teach(pair, skills);
    const run = pair.run(skills, "root", {});
    await someLent();
    expect(output((await pair.run(skills, "good", { n: 4 })).root)).toBe(8);
    expect(timeless((await run).root)).toEqual(timeless(await taught(alone, skills)));
  });

  test("ends when its run is cancelled, and by its run's limits", async () => {
    const skills = four(
      `({ n, teach }) => { while (!teach) {} return work(n); }`,
      { good: `export default ({ n }) => n * 2` },
      { cpuMs: 200 },
    );
    const runner = await ownRunner();
    await teach(runner, skills);
    const stop = new AbortController();
    const cancelled = runner.run(skills, "root", {}, { signal: stop.signal });
    await someLent();
    stop.abort();
    expect((await cancelled).root.outcome).toMatchObject({ error: { code: "CANCELLED" } });
    const late = runner.run(skills, "root", {});
    const good = async (n: number): Promise<Json> => output((await runner.run(skills, "good", { n })).root);
    expect(await Promise.all(range(10).map(good))).toEqual(range(10).map((n) => n * 2));
    expect((await late).root.outcome).toMatchObject({ error: { code: "SKILL_TIMED_OUT" } });
    const next = four(`({ n }) => work(n)`);
    expect(output(await taught(runner, next))).toEqual(output(await taught(alone, next)));
  });
});
