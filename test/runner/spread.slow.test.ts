import fc from "fast-check";
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
  type Skills,
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

describe("any tree of calls", () => {
  interface Deed {
    readonly heavy: boolean;
    readonly prints: boolean;
    readonly fails: boolean;
    readonly tells: boolean;
    readonly below: readonly Deed[];
  }
  const over = (below: fc.Arbitrary<readonly Deed[]>): fc.Arbitrary<Deed> =>
    fc.record({
      heavy: fc.constantFrom(true, true, false),
      prints: fc.boolean(),
      fails: fc.constantFrom(true, false, false, false),
      tells: fc.constantFrom(true, ...range(9).map(() => false)),
      below,
    });
  const leaf = over(fc.constant([]));
  const deed = over(fc.array(over(fc.array(leaf, { maxLength: 2 })), { maxLength: 3 }));
  const level = (below: string): string => `${WORK}
    export default async function deed({ at, heavy, prints, fails, tells, below }) {
      if (heavy) work(at.length);
      if (prints) console.log(at);
      if (tells) await call_tool("world.tell", { at });
      const ends = await Promise.allSettled(below.map((each, n) => call_skill("${below}", { ...each, at: at + "." + n })));
      if (fails) throw new Error(at);
      return [at, ends.map(({ value, reason }) => value ?? reason.code)];
    }`;
  const levels = (salt: number): Skills =>
    skillSet({
      root: `// ${salt}\n${level("second")}`,
      second: `// ${salt}\n${level("third")}`,
      third: `// ${salt}\n${level("fourth")}`,
      fourth: `// ${salt}\n${level("nobody")}`,
    });
  const easy = { heavy: true, prints: false, fails: false, tells: false, below: [] };

  test("leaves the same record whether it is spread or not, and is replayed from it", async () => {
    let spreads = 0;
    let salt = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 2, maxLength: 4 }), async (below) => {
        const skills = levels(salt++);
        const teaching = { ...easy, at: "teach", below: [{ ...easy, below: [easy] }] };
        await teach(pair, skills, teaching);
        const input = { ...easy, at: "0", below } as unknown as Json;
        toolCalls.length = 0;
        const spread = await pair.run(skills, "root", input);
        const told = toolCalls.length;
        spreads += lent().length;
        const plain = await alone.run(skills, "root", input);
        expect(unordered(spread.root)).toEqual(unordered(plain.root));
        expect(toolCalls.length).toBe(2 * told);
        const answers = answersOf(spread.root);
        expect(answers.toSorted((a, b) => a - b)).toEqual(range(answers.length));
        expect(timeless((await alone.replay(skills, spread)).root)).toEqual(timeless(spread.root));
      }),
      { numRuns: 10 },
    );
    expect(spreads).toBeGreaterThan(0);
  });

  function answersOf({ calls }: CallRecord): readonly number[] {
    return calls.flatMap((call) => [call.answered ?? [], answersOf(call)].flat());
  }
});

test("runs, some of which are cancelled or lose a worker, end right or say why, and the pool goes on", async () => {
  const skills = four(`async ({ n, salt }) => [work(n), await call_skill("light", { n, salt })]`, {
    light: `export default ({ n }) => n`,
  });
  const wide = new Map([
    ...skills,
    ...skillSet({
      root: `export default async ({ salt }) => Promise.all([0, 1, 2, 3, 4, 5].map((n) => call_skill("heavy", { n, salt })))`,
    }),
  ]);
  const expected = output((await alone.run(wide, "root", { salt: "alone" })).root);
  const runner = await ownRunner();
  await teach(runner, wide, { salt: "teach" });
  const ends: string[] = [];
  let lents = 0;
  for (const round of range(16)) {
    const stop = new AbortController();
    const beside = range(1 + (round % 2)).map(async (by) =>
      runner.run(wide, "root", { salt: `${round} ${by}` }, { signal: stop.signal }),
    );
    await new Promise((resolve) => setTimeout(resolve, 5 + ((round * 7) % 40)));
    const last = lent().at(-1);
    if (round % 4 === 1) stop.abort();
    if (round % 4 === 2 && lent().length > lents) await last?.worker.terminate();
    lents = lent().length;
    if (round % 4 === 3) expect(output((await runner.run(wide, "light", { n: round })).root)).toBe(round);
    for (const { root } of await Promise.all(beside)) {
      if (root.outcome.ok) expect(root.outcome.output).toEqual(expected);
      ends.push(root.outcome.ok ? "ok" : root.outcome.error.code);
    }
  }
  expect(lents).toBeGreaterThan(0);
  expect(new Set(ends).isSubsetOf(new Set(["ok", "CANCELLED", "RUNNER_LOST"]))).toBe(true);
  expect(ends.filter((end) => end === "ok").length).toBeGreaterThan(8);
  const spread = await taught(runner, four(`({ n }) => work(n)`));
  expect([spread.outcome.ok, lent().length > 0]).toEqual([true, true]);
});

test("a run with more heavy calls than may be in flight lends to its end", async () => {
  const skills = skillSet(
    {
      heavy: `${WORK}export default ({ n }) => work(n)`,
      root: `export default async ({ teach }) => Promise.all(Array.from({ length: teach ? 4 : 24 }, (_, n) => call_skill("heavy", { n: teach ? n + 100 : n })))`,
    },
    { root: { limits: { inFlight: 6 } } },
  );
  await taught(pair, skills);
  const places = lent().map(({ callPath }) => Number(callPath.slice(2)));
  expect(Math.max(...places)).toBeGreaterThan(12);
});

describe("a lent call", () => {
  const chain = ["d1", "d2", "d3", "d4", "d5"].map((name, index, all) => {
    const callee = JSON.stringify(all[index + 1] ?? "light");
    return [name, `export default async () => call_skill(${callee}, {})`] as const;
  });

  test.each([
    ["that calls its caller", `await call_skill(["ro", "ot"].join(""), {});`],
    ["that leads into a circle", `await call_skill("around", { to: "heavy" });`],
    ["that calls too deep", `await call_skill("d1", {});`],
    ["that returns what is not JSON", `return { sum: NaN };`],
    ["whose callee gets a wrong input", `await call_skill("strict", {});`],
  ])("%s fails as it does where it was asked for", async (_, deed) => {
    const input = { type: "object", required: ["n"] } as const;
    const skills = skillSet(
      {
        ...Object.fromEntries(chain),
        light: `export default () => 1`,
        around: `export default async ({ to }) => call_skill(to, {})`,
        strict: `export default () => 1`,
        heavy: `${WORK}export default async ({ n, teach }) => {\n  const sum = work(n);\n  if (!teach) { ${deed} }\n  return sum;\n};`,
        root: `export default async ({ teach }) => {
          const ends = await Promise.allSettled([0, 1, 2, 3].map((n) => call_skill("heavy", { teach, n: teach ? n + 7 : n })));
          const [first] = ends;
          if (first.reason) throw first.reason;
          return ends;
        }`,
      },
      { strict: { contract: { input, output: {}, source: { input: "literal", output: "literal" } } } },
    );
    const spread = await taught(pair, skills);
    expect(lent().map(({ callPath }) => callPath)).toContain("0.0");
    expect(spread.outcome.ok).toBe(false);
    expect(unordered(spread)).toEqual(unordered(await taught(alone, skills)));
  });

  test.each([
    ["that was lent", "n === 0"],
    ["like all the others", "true"],
  ])("%s gets as much memory as it would alone", async (_, isHungry) => {
    const skills = four(
      `({ n, teach }) => { const kept = new Uint8Array(!teach && ${isHungry} ? 45e6 : 1).fill(1); work(n); return kept.length; }`,
    );
    const spread = await taught(pair, skills);
    expect(lent().length).toBeGreaterThan(0);
    expect(output(spread)).toEqual(output(await taught(alone, skills)));
  });

  test("is begun again elsewhere with its run when the run's worker is lost to another", async () => {
    const skills = four(`({ n, teach }) => work(n, teach ? 1e5 : 1e6)`);
    const runner = await ownRunner();
    await teach(runner, skills);
    const run = runner.run(skills, "root", {});
    await someLent();
    const stuck = skillSet(
      { stuck: `export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)` },
      { stuck: { limits: { cpuMs: 100 } } },
    );
    const others = await Promise.all(range(2).map(async (n) => runner.run(stuck, "stuck", { n })));
    for (const { root } of others) expect(root.outcome).toMatchObject({ error: { code: "SKILL_TIMED_OUT" } });
    expect(timeless((await run).root)).toEqual(timeless(await taught(alone, skills)));
  });

  test("in a native loop ends when its run is cancelled, and by its run's limits", async () => {
    const skills = four(
      `({ n, teach }) => { if (!teach) [].indexOf.call({ length: 2 ** 53 - 1 }, 1); return work(n); }`,
      { good: `export default ({ n }) => n * 2` },
      { cpuMs: 300 },
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
