import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failure } from "../../src/core/error.ts";
import type { Json } from "../../src/core/json/json.ts";
import { ok } from "../../src/core/result.ts";
import type { CallRecord, Run, RunEvent } from "../../src/core/run.ts";
import type { JsonSchema } from "../../src/core/json/json-schema.ts";
import { type Skill } from "../../src/core/skill.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";

const limits = { ...DEFAULT_LIMITS, wallMs: 6000, cpuMs: 500 };
let runner: Runner;
beforeAll(async () => {
  runner = new Runner({ limits });
  await runner.warm();
});
afterAll(() => runner.close());

async function outcome(code: string, input: Json = {}): Promise<CallRecord["outcome"]> {
  return (await runner.run(skillSet({ skill: code }), "skill", input)).root.outcome;
}

describe("time", () => {
  test.each([
    ["an endless loop", `() => { for (;;) {} }`],
    [
      "a loop that swallows exceptions",
      `() => { for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } } }`,
    ],
    [
      "a promise executor that swallows the interrupt",
      `() => { for (;;) new Promise(() => { for (;;) {} }).catch(() => {}); }`,
    ],
    [
      "an endless chain of jobs",
      `() => { (function again() { Promise.resolve().then(again); })(); return new Promise(() => {}); }`,
    ],
    ["a native loop", `() => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)`],
    ["a pattern that backtracks for ever", `() => /(a+)+$/.test("a".repeat(40) + "b")`],
  ])("%s is stopped", async (_, body) => {
    expect(await outcome(`export default ${body}`)).toMatchObject({
      ok: false,
      error: { code: "SKILL_TIMED_OUT" },
    });
    expect(await outcome(`export default () => "alive"`)).toEqual({ ok: true, output: "alive" });
  });

  test("an endless loop at the top level is stopped", async () => {
    expect(await outcome(`for (;;) {}\nexport default () => 1`)).toMatchObject({
      ok: false,
      error: { code: "SKILL_TIMED_OUT" },
    });
  });

  test("a promise that nothing can settle is told at once", async () => {
    expect(await outcome(`export default () => new Promise(() => {})`)).toMatchObject({
      ok: false,
      error: { code: "SKILL_NEVER_SETTLES" },
    });
  });

  test("nesting does not multiply the CPU budget, and the end of it cannot be caught", async () => {
    const skills = skillSet({
      slow: `export default () => { const end = Date.now() + 200; while (Date.now() < end) {} return 1; }`,
      many: `export default async () => { for (;;) { try { await call_skill("slow"); } catch {} } }`,
    });
    const { root } = await runner.run(skills, "many", {});
    expect(root.outcome).toMatchObject({
      ok: false,
      error: { code: "SKILL_TIMED_OUT", skill: "slow" },
    });
  });

  test("a skill's own tighter limit is an error that its caller can catch", async () => {
    const skills = skillSet(
      {
        slow: `export default () => { for (;;) {} }`,
        caller: `export default async () => { try { await call_skill("slow"); } catch (error) { return error.message; } }`,
      },
      { slow: { limits: { cpuMs: 50 } } },
    );
    expect((await runner.run(skills, "caller", {})).root.outcome).toEqual({
      ok: true,
      output: 'The skill "slow" did not end within its own cpuMs, 50 ms of CPU time',
    });
  });

  test("runs beside one that has to be terminated come to their right end", async () => {
    const skills = skillSet({
      bad: `export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
      good: `export default ({ n }) => n * 2`,
    });
    const bad = [runner.run(skills, "bad", {}), runner.run(skills, "bad", {})];
    const good = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => (await runner.run(skills, "good", { n })).root.outcome),
    );
    expect(good).toEqual(Array.from({ length: 40 }, (_, n) => ({ ok: true, output: n * 2 })));
    for (const run of await Promise.all(bad))
      expect(run.root.outcome).toMatchObject({ error: { code: "SKILL_TIMED_OUT" } });
  });
});

describe("cancellation", () => {
  test.each([
    ["a loop", `export default () => { for (;;) {} }`],
    ["a native loop", `export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)`],
  ])("%s really stops", async (_, code) => {
    const patient = new Runner({ limits: { ...DEFAULT_LIMITS, cpuMs: 20_000 }, workers: 1 });
    await patient.warm();
    const stop = new AbortController();
    const run = patient.run(skillSet({ skill: code }), "skill", {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    expect((await run).root.outcome).toMatchObject({ ok: false, error: { code: "CANCELLED" } });
    const next = await patient.run(skillSet({ skill: `export default () => "free"` }), "skill", {});
    expect(next.root.outcome).toEqual({ ok: true, output: "free" });
    await patient.close();
  });

  test("a run cancelled before it begins does not begin", async () => {
    const { root } = await runner.run(
      skillSet({ skill: `export default () => 1` }),
      "skill",
      {},
      { signal: AbortSignal.abort() },
    );
    expect(root.outcome).toMatchObject({ error: { code: "CANCELLED" } });
  });
});

describe("memory and size", () => {
  test.each([
    [
      "a memory bomb",
      `() => { const kept = []; for (;;) kept.push(new Uint8Array(1e6).fill(1)); }`,
      "SKILL_OUT_OF_MEMORY",
    ],
    ["a 200 MB string", `() => "x".repeat(2e8)`, "SKILL_OUT_OF_MEMORY"],
    ["an output above the limit", `() => "x".repeat(2e6)`, "OUTPUT_TOO_LARGE"],
    ["a recursion without end", `() => { const f = () => f() + 1; return f(); }`, "SKILL_THREW"],
  ])("%s is refused", async (_, body, code) => {
    expect(await outcome(`export default ${body}`)).toMatchObject({ ok: false, error: { code } });
    expect(await outcome(`export default () => "alive"`)).toEqual({ ok: true, output: "alive" });
  });

  test("an input above the limit is refused", async () => {
    const big = "x".repeat(1_100_000);
    expect(await outcome(`export default () => 1`, { big })).toMatchObject({
      error: { code: "INPUT_TOO_LARGE" },
    });
  });

  test("the parallel callees of a run share its memory", async () => {
    const skills = skillSet({
      hungry: `export default async () => { globalThis.kept = new Uint8Array(40e6).fill(1); await call_tool("wait", {}); return kept.length; }`,
      all: `export default async () => {
        const ends = await Promise.allSettled([1, 2, 3].map(() => call_skill("hungry")));
        return ends.map((end) => end.value ?? end.reason.code);
      }`,
    });
    const waiting = new Runner({
      limits,
      callTool: async () => new Promise((resolve) => setTimeout(() => resolve(ok(null)), 50)),
    });
    const { outcome: ended } = (await waiting.run(skills, "all", {})).root;
    await waiting.close();
    expect(ended).toEqual({ ok: true, output: [40e6, "SKILL_OUT_OF_MEMORY", "SKILL_OUT_OF_MEMORY"] });
  });

  test("console output is kept with the call, up to its limit", async () => {
    const { root } = await runner.run(
      skillSet({
        skill: `export default () => { console.log("a", { b: 1 }, [2]); console.error(new Error("c")); for (let i = 0; i < 1000; i++) console.log("x".repeat(1000)); return 1; }`,
      }),
      "skill",
      {},
    );
    expect(root.console.slice(0, 2)).toEqual([
      { level: "log", text: 'a {"b":1} [2]' },
      { level: "error", text: "Error: c" },
    ]);
    const kept = root.console.reduce((sum, { text }) => sum + text.length, 0);
    expect(kept).toBeLessThanOrEqual(DEFAULT_LIMITS.consoleBytes);
    expect(root.console.at(-1)?.text).toContain("limit is reached");
  });
});

describe("values", () => {
  test.each([
    ["NaN", `({ a: [1, { b: NaN }] })`, "the output at a[1].b is NaN, which JSON cannot carry"],
    ["a BigInt", `({ total: 10n })`, "the output at total is a BigInt"],
    ["a function", `({ f() {} })`, "the output at f is a function"],
    [
      "a promise nobody awaits",
      `({ later: Promise.resolve(1) })`,
      "the output at later is a promise (await it)",
    ],
    ["a Map", `({ m: new Map() })`, "the output at m is a Map"],
    ["undefined in an array", `[1, undefined]`, "the output at [1] is undefined"],
    ["a circle", `(() => { const a = { b: {} }; a.b.c = a; return a; })()`, "the output at b.c refers back"],
  ])("%s is refused with its place", async (_, value, message) => {
    const ended = await outcome(`export default () => (${value})`);
    expect(ended).toMatchObject({
      ok: false,
      error: { code: "NOT_JSON", message: expect.stringContaining(message) as string },
    });
  });

  test("undefined as a property is left out, a date becomes text", async () => {
    expect(await outcome(`export default () => ({ a: undefined, b: new Date(0) })`)).toEqual({
      ok: true,
      output: { b: "1970-01-01T00:00:00.000Z" },
    });
  });

  test("U+0000, lone surrogates and __proto__ keys survive both ways", async () => {
    const input = JSON.parse(`{"text":"a\\u0000b\\ud800c","__proto__":{"admin":true}}`) as Json;
    const ended = await outcome(`export default (input) => input`, input);
    expect(ended.ok && JSON.stringify(ended.output)).toBe(JSON.stringify(input));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test("the input's defaults are filled in, and what does not fit is told", async () => {
    const input = {
      type: "object",
      properties: { n: { type: "integer", minimum: 1 }, unit: { type: "string", default: "m" } },
      required: ["n"],
      additionalProperties: false,
    } as const;
    const skills = skillSet(
      { skill: `export default ({ n, unit }) => n + unit` },
      {
        skill: {
          contract: { input, output: { type: "string" }, source: { input: "literal", output: "literal" } },
        },
      },
    );
    expect((await runner.run(skills, "skill", { n: 3 })).root.outcome).toEqual({ ok: true, output: "3m" });
    expect((await runner.run(skills, "skill", { n: 0, m: 1 })).root.outcome).toMatchObject({
      error: {
        code: "INPUT_INVALID",
        message: 'The input of "skill" is not valid: the input has an unknown property "m"; n must be >= 1',
      },
    });
  });

  test("an output that does not fit its schema is the skill's error", async () => {
    const skills = skillSet(
      { skill: `export default () => ({ total: "12" })` },
      {
        skill: {
          contract: {
            input: {},
            output: { type: "object", properties: { total: { type: "number" } } },
            source: { input: "literal", output: "literal" },
          },
        },
      },
    );
    expect((await runner.run(skills, "skill", {})).root.outcome).toMatchObject({
      error: { code: "OUTPUT_INVALID", message: expect.stringContaining("total must be number") as string },
    });
  });

  test("nothing but the language, calls and console is in reach", async () => {
    const names = [
      "process",
      "require",
      "fetch",
      "setTimeout",
      "XMLHttpRequest",
      "std",
      "os",
      "scriptArgs",
      "print",
      "host",
    ];
    expect(
      await outcome(`export default () => ${JSON.stringify(names)}.filter((name) => name in globalThis)`),
    ).toEqual({ ok: true, output: [] });
    expect(await outcome(`export default async () => { await import("node:fs"); }`)).toMatchObject({
      ok: false,
    });
  });
});

describe("code that does not load", () => {
  test.each([
    ["a throw at the top level", `throw new Error("not today");\nexport default () => 1`, "not today"],
    ["a default export that is no function", `export default 5`, "not a function"],
    ["an import of a package", `import x from "left-pad";\nexport default () => x`, "left-pad"],
  ])("%s is told", async (_, code, message) => {
    const ended = await outcome(code);
    expect(ended).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(message) as string },
    });
  });
});

describe("outside calls", () => {
  test("tools are called in parallel, and their failures are exceptions", async () => {
    let open = 0;
    let most = 0;
    const outside = new Runner({
      limits,
      callTool: async (name, input) => {
        open++;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 20));
        open--;
        return name === "bad.tool"
          ? { ok: false, error: failure("TOOL_FAILED", "it is closed") }
          : ok({ name, input });
      },
    });
    const skills = skillSet({
      skill: `export default async () => {
        const good = await Promise.all([1, 2, 3].map((n) => call_tool("good.tool", { n })));
        try { await call_tool("bad.tool"); } catch (error) { return { good, code: error.code, message: error.message }; }
      }`,
    });
    const { root } = await outside.run(skills, "skill", {});
    await outside.close();
    expect(root.outcome).toEqual({
      ok: true,
      output: {
        good: [1, 2, 3].map((n) => ({ name: "good.tool", input: { n } })),
        code: "TOOL_FAILED",
        message: "it is closed",
      },
    });
    expect(most).toBe(3);
    expect(root.calls.map(({ kind, callPath }) => [kind, callPath])).toEqual(
      [0, 1, 2, 3].map((index) => ["tool", `0.${index}`]),
    );
  });

  test("every answer finds its call, however many are open and whichever comes first", async () => {
    const outside = new Runner({
      limits: DEFAULT_LIMITS,
      callTool: async (_, input) => {
        const { n } = input as { n: number };
        await new Promise((resolve) => setTimeout(resolve, (n * 7) % 11));
        return ok(n);
      },
    });
    const skills = skillSet({
      skill: `export default async () => {
        const chain = async (n) => { const got = []; for (let i = 0; i < 8; i++) got.push(await call_tool("t.t", { n: n * 8 + i })); return got; };
        return (await Promise.all(Array.from({ length: 20 }, (_, n) => chain(n)))).flat();
      }`,
    });
    const { root } = await outside.run(skills, "skill", {});
    await outside.close();
    expect(root.outcome).toEqual({ ok: true, output: Array.from({ length: 160 }, (_, n) => n) });
  });

  test("a run that has called a tool is not begun again when its worker has to be stopped: it says what it called", async () => {
    let called = 0;
    const single = new Runner({
      limits,
      workers: 1,
      callTool: async () => {
        called++;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return ok(null);
      },
    });
    await single.warm();
    const skills = skillSet({
      writes: `export default async () => call_tool("notes.write", {})`,
      native: `export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
    });
    // On a busy machine the two may not share a worker each time.
    let stopped: Run;
    let lost: Run;
    let tries = 0;
    do {
      tries++;
      const writing = single.run(skills, "writes", {});
      await expect.poll(() => called, { timeout: 20_000 }).toBe(tries);
      [stopped, lost] = await Promise.all([
        single.run(skills, "native", {}, { caller: `${tries}` }),
        writing,
      ]);
    } while (lost.root.outcome.ok && tries < 5);
    await single.close();
    expect(stopped.root.outcome).toMatchObject({ error: { code: "SKILL_TIMED_OUT" } });
    expect(lost.root.outcome).toMatchObject({
      error: {
        code: "RUNNER_LOST",
        message: expect.stringContaining("It had called notes.write") as string,
        details: { tools: ["notes.write"] },
      },
    });
    expect(called).toBe(tries);
  });

  test("waiting for a tool costs no CPU time", async () => {
    const outside = new Runner({
      limits: { ...limits, cpuMs: 250 },
      callTool: async () => new Promise((resolve) => setTimeout(() => resolve(ok("late")), 600)),
    });
    await outside.warm();
    const { root } = await outside.run(
      skillSet({ skill: `export default () => call_tool("slow.tool")` }),
      "skill",
      {},
    );
    await outside.close();
    expect(root.outcome).toEqual({ ok: true, output: "late" });
  });
});

test("events tell each call as it starts and ends", async () => {
  const events: RunEvent[] = [];
  const skills = skillSet({
    leaf: `export default () => 1`,
    root: `export default () => call_skill("leaf")`,
  });
  await runner.run(skills, "root", {}, { onEvent: (event) => events.push(event) });
  expect(events.map(({ kind, callPath, name }) => `${kind} ${callPath} ${name}`)).toEqual([
    "started 0 root",
    "started 0.0 leaf",
    "finished 0.0 leaf",
    "finished 0 root",
  ]);
});

describe("what a stranger's skill may try", () => {
  const open = { type: "object" } as const;
  const contract = (input: object): { contract: Skill["contract"] } => ({
    contract: { input: input as JsonSchema, output: {}, source: { input: "literal", output: "literal" } },
  });

  // Refused within its time, or, where the engine for it takes long to load on a busy machine, stopped.
  test.each([
    ["that can be tried in linear time", "^(a+)+$"],
    ["that only backtracking can try", String.raw`^(a+)+(b)?\2$`],
  ])("a hostile pattern in a contract, %s, costs its own run alone", async (_, pattern) => {
    const skills = skillSet(
      { trap: `export default () => 1`, good: `export default ({ n }) => n` },
      { trap: contract({ ...open, properties: { s: { type: "string", pattern } } }) },
    );
    const trapped = await Promise.all(
      [1, 2].map(async () => runner.run(skills, "trap", { s: `${"a".repeat(40)}!` })),
    );
    for (const { root } of trapped) {
      const code = root.outcome.ok ? undefined : root.outcome.error.code;
      expect(["INPUT_INVALID", "SKILL_TIMED_OUT"]).toContain(code);
    }
    expect((await runner.run(skills, "good", { n: 4 })).root.outcome).toEqual({ ok: true, output: 4 });
  });

  test("a run that waits behind another is cancelled, not run", async () => {
    const single = new Runner({ limits: { ...limits, cpuMs: 1000 }, workers: 1 });
    await single.warm();
    const skills = skillSet({
      hog: `export default () => { for (;;) {} }`,
      good: `export default () => "ran"`,
    });
    const hogs = [1, 2, 3].map(async (n) => single.run(skills, "hog", { n }));
    const stop = new AbortController();
    const waiting = single.run(skills, "good", {}, { signal: stop.signal });
    stop.abort();
    expect((await waiting).root.outcome).toMatchObject({ error: { code: "CANCELLED" } });
    expect((await single.run(skills, "good", { n: 2 })).root.outcome).toEqual({ ok: true, output: "ran" });
    await Promise.all(hogs);
    await single.close();
  });

  test("large data at the top level is there in every call", async () => {
    const skills = skillSet({
      big: `const big = new Uint8Array(20e6).fill(1); export default ({ n }) => big[n];`,
    });
    for (let n = 0; n < 3; n++)
      expect((await runner.run(skills, "big", { n })).root.outcome).toEqual({ ok: true, output: 1 });
  });

  test("what the top level reads of clock and chance is this call's own", async () => {
    const skills = skillSet({ luck: `const luck = Math.random(); export default () => luck;` });
    const rolls = await Promise.all(
      Array.from({ length: 10 }, async () => (await runner.run(skills, "luck", {})).root.outcome),
    );
    expect(new Set(rolls.map((roll) => JSON.stringify(roll))).size).toBe(10);
  });

  test("calls at the top level are refused with the reason", async () => {
    const ended = await outcome(`await call_skill("x"); export default () => 1`);
    expect(ended).toMatchObject({
      error: {
        code: "SKILL_BROKEN",
        message: expect.stringContaining("call_skill cannot be used while the skill loads") as string,
      },
    });
  });

  test("many waiting callees share the run's memory", async () => {
    const skills = skillSet({
      leaf: `export default () => 1`,
      holds: `export default async () => { globalThis.kept = new Uint8Array(8e6).fill(1); await call_skill("leaf"); return kept.length; }`,
      all: `export default async () => {
        const ends = await Promise.allSettled(Array.from({ length: 20 }, () => call_skill("holds")));
        return ends.filter((end) => end.status === "fulfilled").length;
      }`,
    });
    const ended = (await runner.run(skills, "all", {})).root.outcome;
    expect(ended.ok && (ended.output as number) < 9).toBe(true);
  });

  test("an input that is nested too deeply is refused", async () => {
    let deep: Json = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    expect(await outcome(`export default () => 1`, { deep })).toMatchObject({
      error: { code: "INPUT_INVALID" },
    });
  });
});
