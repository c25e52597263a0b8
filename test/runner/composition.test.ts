import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import type { CallRecord } from "../../src/core/run.ts";
import { type Skill } from "../../src/core/skill.ts";
import { DEFAULT_LIMITS } from "../../src/core/limits.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";

let runner: Runner;
beforeAll(() => {
  runner = new Runner({ limits: DEFAULT_LIMITS });
});
afterAll(() => runner.close());

async function root(skills: ReadonlyMap<string, Skill>, name: string, input: Json = {}): Promise<CallRecord> {
  return (await runner.run(skills, name, input)).root;
}

function output(call: CallRecord): Json {
  if (!call.outcome.ok) throw new Error(JSON.stringify(call.outcome.error));
  return call.outcome.output;
}

function error(call: CallRecord): Extract<CallRecord["outcome"], { ok: false }>["error"] {
  if (call.outcome.ok) throw new Error(`unexpected output ${JSON.stringify(call.outcome.output)}`);
  return call.outcome.error;
}

const arithmetic = skillSet({
  add: `export default ({ a, b }: { a: number; b: number }) => ({ result: a + b })`,
  multiply: `export default ({ a, b }: { a: number; b: number }) => ({ result: a * b })`,
  square: `export default async ({ x }) => call_skill("multiply", { a: x, b: x })`,
  "square-plus-four": `export default async ({ x }) => {
    const { result } = await call_skill("square", { x });
    return call_skill("add", { a: result, b: 4 });
  }`,
  "add-then-double": `export default async ({ a, b }) => {
    const sum = await call_skill("add", { a, b });
    return call_skill("multiply", { a: sum.result, b: 2 });
  }`,
});

describe("composition", () => {
  test("a skill calls another skill", async () => {
    expect(output(await root(arithmetic, "square-plus-four", { x: 3 }))).toEqual({ result: 13 });
  });

  test("a skill calls several different skills", async () => {
    expect(output(await root(arithmetic, "add-then-double", { a: 4, b: 6 }))).toEqual({ result: 20 });
  });

  test("a skill without calls works", async () => {
    const call = await root(arithmetic, "add", { a: 1, b: 2 });
    expect(output(call)).toEqual({ result: 3 });
    expect(call.calls).toEqual([]);
  });

  test("parallel calls all come back, in the order in which they were made", async () => {
    const skills = skillSet({
      times: `export default ({ a, b }) => a * b`,
      all: `export default async () => Promise.all([2, 3, 5].map((a) => call_skill("times", { a, b: 5 })))`,
    });
    const call = await root(skills, "all");
    expect(output(call)).toEqual([10, 15, 25]);
    expect(call.calls.map(({ callPath, input }) => [callPath, input])).toEqual([
      ["0.0", { a: 2, b: 5 }],
      ["0.1", { a: 3, b: 5 }],
      ["0.2", { a: 5, b: 5 }],
    ]);
  });

  test("the tree of calls tells inputs, outputs, digests and times", async () => {
    const call = await root(arithmetic, "square-plus-four", { x: 3 });
    expect(call.calls.map(({ name }) => name)).toEqual(["square", "add"]);
    const [square] = call.calls;
    expect(square).toMatchObject({
      callPath: "0.0",
      input: { x: 3 },
      outcome: { ok: true, output: { result: 9 } },
    });
    expect(square?.calls[0]).toMatchObject({ callPath: "0.0.0", name: "multiply", input: { a: 3, b: 3 } });
    expect(square?.digest).toBe(arithmetic.get("square")?.digest);
    expect(call.durationMs).toBeGreaterThanOrEqual(square?.durationMs ?? Number.POSITIVE_INFINITY);
  });
});

describe("cycles", () => {
  const skills = skillSet({
    self: `export default async () => { console.log("body"); return call_skill("self"); }`,
    a: `export default async () => { console.log("body"); return call_skill("b"); }`,
    b: `export default async () => { console.log("body"); return call_skill("a"); }`,
    outside: `export default async () => { console.log("body"); return call_skill("a"); }`,
    dynamic: `export default async ({ next }) => { console.log("body"); return call_skill(next.shift(), { next }); }`,
    other: `export default async ({ next }) => { console.log("body"); return call_skill(next.shift(), { next }); }`,
  });

  test("a direct circle is refused before any body runs", async () => {
    const call = await root(skills, "self");
    expect(error(call)).toMatchObject({
      code: "CIRCULAR_CALL",
      message: "Circular dependency detected: self -> self",
    });
    expect(call.console).toEqual([]);
  });

  test("an indirect circle is refused before any body runs", async () => {
    const call = await root(skills, "a");
    expect(error(call).message).toBe("Circular dependency detected: a -> b -> a");
    expect([call.console, call.calls]).toEqual([[], []]);
  });

  test("a circle further down is refused before any body runs", async () => {
    const call = await root(skills, "outside");
    expect(error(call).message).toBe("Circular dependency detected: outside -> a -> b -> a");
    expect(call.console).toEqual([]);
  });

  test("a circle of names chosen at run time is refused before the repeated body runs", async () => {
    const call = await root(skills, "dynamic", { next: ["other", "dynamic"] });
    expect(error(call).message).toBe("Circular dependency detected: dynamic -> other -> dynamic");
    const [other] = call.calls;
    expect([call.console.length, other?.console.length, other?.calls[0]?.console.length]).toEqual([1, 1, 0]);
  });

  test("a skill that declares it may call itself, down to the depth limit", async () => {
    const recursive = skillSet(
      {
        countdown: `export default async ({ n }) => n === 0 ? 0 : 1 + await call_skill("countdown", { n: n - 1 })`,
      },
      { countdown: { composes: ["countdown"] } },
    );
    expect(output(await root(recursive, "countdown", { n: 5 }))).toBe(5);
    expect(error(await root(recursive, "countdown", { n: 6 }))).toMatchObject({ code: "CALL_TOO_DEEP" });
  });

  test("a declared self-call does not open the way for a longer circle", async () => {
    const skillsWithDetour = skillSet(
      {
        up: `export default async ({ via }) => call_skill(via, { via: "up" })`,
        down: `export default async ({ via }) => call_skill(via, { via: "down" })`,
      },
      { up: { composes: ["up"] } },
    );
    const call = await root(skillsWithDetour, "up", { via: "down" });
    expect(error(call).message).toBe("Circular dependency detected: up -> down -> up");
  });
});

describe("a callee", () => {
  const HIDDEN = `export default async ({ to }) => { try { return await globalThis["call_" + "skill"](to, {}); } catch (error) { return error.code + ": " + error.message; } }`;
  const shown = { skills: [], tools: [], dynamic: false, repeated: false };
  const open = (...patterns: (readonly string[] | undefined)[]): Skill["calls"] => ({
    ...shown,
    dynamic: true,
    open: patterns.map((each) => ({ world: "call_skill", path: "", line: 1, column: 1, patterns: each })),
  });
  const refused = (to: string): string =>
    `SKILL_NOT_FOUND: The skill "asks" may not call the skill "${to}", which its source does not show: write the name as a literal, or list it in its "composes"`;

  test.each<[string, Partial<Skill>, string, string]>([
    ["that the source does not show is refused", { calls: shown }, "pay-it", refused("pay-it")],
    [
      "that it names is called",
      { calls: { ...shown, skills: [{ callee: "pay-it", path: "", line: 1, column: 1 }] } },
      "pay-it",
      "paid",
    ],
    ["that `composes` lists is called", { calls: shown, composes: ["pay-it"] }, "pay-it", "paid"],
    ["by a name that may be any is called", { calls: open(undefined) }, "pay-it", "paid"],
    ["by a name of a form that fits is called", { calls: open(["pay-*"]) }, "pay-it", "paid"],
    ["by a name of another form is refused", { calls: open(["see-*"]) }, "pay-it", refused("pay-it")],
    [
      "by a made name is refused where `composes` lists others",
      { calls: open(undefined), composes: ["see-it"] },
      "pay-it",
      refused("pay-it"),
    ],
    [
      "that a star in `composes` fits is refused",
      { calls: shown, composes: ["*"] },
      "pay-it",
      refused("pay-it"),
    ],
    [
      "that there is not is told as such",
      { calls: shown },
      "p",
      'SKILL_NOT_FOUND: There is no skill named "p"',
    ],
  ])("%s", async (_, rest, to, expected) => {
    const sources = {
      asks: HIDDEN,
      "pay-it": `export default () => "paid"`,
      "see-it": `export default () => "seen"`,
    };
    const call = await root(skillSet(sources, { asks: rest }), "asks", { to });
    expect(output(call)).toBe(expected);
  });

  test("that an earlier version called is called again in a replay, one that was refused is refused again", async () => {
    const sources = { asks: HIDDEN, "pay-it": `export default () => "paid"` };
    const [before, now] = [open(undefined), shown].map((calls) => skillSet(sources, { asks: { calls } }));
    if (!before || !now) throw new Error("two sets are made");
    for (const skills of [before, now]) {
      const recorded = await runner.run(skills, "asks", { to: "pay-it" });
      const { root: replayed } = await runner.replay(now, recorded);
      expect(replayed.outcome).toEqual(recorded.root.outcome);
      expect(replayed.calls.map(({ outcome }) => outcome.ok)).toEqual([skills === before]);
    }
  });
});

describe("depth", () => {
  const chain = skillSet(
    Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => {
        const call =
          index === 6 ? `({ v }) => v` : `async ({ v }) => call_skill("c${index + 2}", { v: v * 2 })`;
        return [`c${index + 1}`, `export default ${call}`];
      }),
    ),
  );

  test("a chain of four is within the limit", async () => {
    expect(output(await root(chain, "c4", { v: 2 }))).toBe(16);
  });

  test("a root has five skills under it in a chain", async () => {
    expect(output(await root(chain, "c2", { v: 1 }))).toBe(32);
  });

  test("the sixth is refused, with the whole chain", async () => {
    const call = await root(chain, "c1", { v: 1 });
    expect(error(call)).toMatchObject({
      code: "CALL_TOO_DEEP",
      message: "Max call depth (5) exceeded: c1 -> c2 -> c3 -> c4 -> c5 -> c6 -> c7",
    });
  });

  test("the depth is configurable", async () => {
    const shallow = new Runner({ limits: { ...DEFAULT_LIMITS, depth: 1 } });
    const { outcome } = (await shallow.run(chain, "c5", { v: 1 })).root;
    await shallow.close();
    expect(outcome).toMatchObject({
      ok: false,
      error: { message: "Max call depth (1) exceeded: c5 -> c6 -> c7" },
    });
  });
});

describe("errors", () => {
  const skills = skillSet({
    broken: `export interface Input { n: number }
export default async function broken(input: Input): Promise<number> {
  const doubled: number = input.n * 2;
  throw new TypeError(\`no \${doubled}\`);
}`,
    caller: `export default async (input: { n: number }) => {
  return await call_skill("broken", input);
}`,
    catcher: `export default async () => {
  try { await call_skill("caller", { n: 2 }); }
  catch (error) {
    return { isError: error instanceof Error, name: error.name, message: error.message, code: error.code, skill: error.skill, callPath: error.callPath };
  }
}`,
    rethrower: `export default async () => {
  try { await call_skill("broken", { n: 1 }); }
  catch (error) { throw new Error("wrapped: " + error.message); }
}`,
    missing: `export default async () => call_skill("nowhere", {})`,
    "throws-text": `export default () => { throw "just text" }`,
    "throws-nothing": `export default () => { throw undefined }`,
  });

  test("an error in a callee propagates with code, skill, call path and positions in the authors' files", async () => {
    expect(error(await root(skills, "caller", { n: 3 }))).toEqual({
      code: "SKILL_THREW",
      message: "TypeError: no 6",
      skill: "broken",
      callPath: "0.0",
      positions: [
        { path: "/skills/broken/skill.ts", line: 4, column: 22 },
        { path: "/skills/caller/skill.ts", line: 2, column: 26 },
      ],
    });
  });

  test("a caller can catch it", async () => {
    expect(output(await root(skills, "catcher"))).toEqual({
      isError: true,
      name: "SkillError",
      message: "TypeError: no 4",
      code: "SKILL_THREW",
      skill: "broken",
      callPath: "0.0.0",
    });
  });

  test("what a caller throws instead is the caller's own error", async () => {
    expect(error(await root(skills, "rethrower"))).toMatchObject({
      message: "wrapped: TypeError: no 2",
      skill: "rethrower",
      callPath: "0",
    });
  });

  test("an unknown callee is an error in the caller", async () => {
    expect(error(await root(skills, "missing"))).toMatchObject({
      code: "SKILL_NOT_FOUND",
      message: 'There is no skill named "nowhere"',
      skill: "missing",
      positions: [{ path: "/skills/missing/skill.ts", line: 1 }],
    });
  });

  test.each([
    ["throws-text", "threw a string instead of an Error: just text"],
    ["throws-nothing", "threw a undefined instead of an Error"],
  ])("%s is told", async (name, message) => {
    expect(error(await root(skills, name))).toMatchObject({ code: "SKILL_THREW", message });
  });
});

describe("isolation", () => {
  test("200 concurrent runs over shared callees each have a stack of their own", async () => {
    const skills = skillSet({
      leaf: `export default ({ id }) => id`,
      shared: `export default async ({ id }) => call_skill("leaf", { id })`,
      fine: `export default async ({ id }) => call_skill("shared", { id })`,
      deep1: `export default async ({ id }) => call_skill("deep2", { id })`,
      deep2: `export default async ({ id }) => call_skill("deep3", { id })`,
      deep3: `export default async ({ id }) => call_skill("deep4", { id })`,
      deep4: `export default async ({ id }) => call_skill("deep5", { id })`,
      deep5: `export default async ({ id }) => call_skill("shared", { id })`,
    });
    const runs = await Promise.all(
      Array.from({ length: 200 }, async (_, id) => root(skills, id % 2 === 0 ? "fine" : "deep1", { id })),
    );
    const verdicts = runs.map((call, id) =>
      id % 2 === 0
        ? call.outcome.ok && call.outcome.output === id
        : !call.outcome.ok &&
          call.outcome.error.message ===
            "Max call depth (5) exceeded: deep1 -> deep2 -> deep3 -> deep4 -> deep5 -> shared -> leaf",
    );
    expect(verdicts.filter((verdict) => !verdict)).toEqual([]);
  });

  test("no call sees what another left behind", async () => {
    const skills = skillSet({
      dirty: `let count = 0;
globalThis.seen ??= 0;
export default () => {
  count++;
  globalThis.seen++;
  const before = [].polluted ?? null;
  Array.prototype.polluted = "yes";
  return { count, seen: globalThis.seen, before };
}`,
      both: `export default async () => [await call_skill("dirty"), await call_skill("dirty")]`,
    });
    const clean = { count: 1, seen: 1, before: null };
    expect(output(await root(skills, "dirty"))).toEqual(clean);
    expect(output(await root(skills, "both"))).toEqual([clean, clean]);
  });

  test("random numbers differ from call to call", async () => {
    const skills = skillSet({ dice: `export default () => Math.random()` });
    const rolls = await Promise.all(Array.from({ length: 50 }, () => root(skills, "dice")));
    expect(new Set(rolls.map(output)).size).toBe(50);
  });
});

describe("budgets", () => {
  test("a run makes 256 calls and no more, however they are nested", async () => {
    const skills = skillSet({
      leaf: `export default () => 1`,
      branch: `export default async () => { let n = 0; for (let i = 0; i < 100; i++) n += await call_skill("leaf"); return n; }`,
      tree: `export default async () => {
        let branches = 0;
        try { for (;;) { await call_skill("branch"); branches++; } }
        catch (error) { return { branches, code: error.code }; }
      }`,
    });
    const call = await root(skills, "tree");
    expect(output(call)).toEqual({ branches: 2, code: "TOO_MANY_CALLS" });
    const count = (each: CallRecord): number => each.calls.reduce((sum, below) => sum + 1 + count(below), 0);
    expect(count(call)).toBe(256);
  });

  test("more parallel calls than may be in flight wait their turn", async () => {
    const skills = skillSet({
      leaf: `export default async ({ i }) => { await null; return i; }`,
      middle: `export default async ({ i }) => call_skill("leaf", { i })`,
      wide: `export default async () => (await Promise.all(Array.from({ length: 100 }, (_, i) => call_skill("middle", { i })))).length`,
    });
    expect(output(await root(skills, "wide"))).toBe(100);
  });

  test("calls nobody waits for end with their caller", async () => {
    const skills = skillSet({
      leaf: `export default () => 1`,
      hasty: `export default async () => { call_skill("leaf"); return "done"; }`,
    });
    const call = await root(skills, "hasty");
    expect(output(call)).toBe("done");
    expect(call.calls[0]?.outcome).toMatchObject({
      ok: false,
      error: { code: "CANCELLED", message: '"hasty" ended without waiting for this call' },
    });
  });
});

test.each([1, 3])(
  "of the calls of a run no more than %i are at work at once, and all are answered",
  async (inFlight) => {
    let open = 0;
    let most = 0;
    const few = new Runner({
      limits: { ...DEFAULT_LIMITS, inFlight },
      workers: 1,
      callTool: async (_, input) => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setTimeout(resolve, 20));
        open--;
        return { ok: true, value: input };
      },
    });
    onTestFinished(() => few.close());
    const skills = skillSet({
      asks: `export default async () => Promise.all([0, 1, 2, 3, 4, 5, 6].map((n) => call_tool("world.any", n)))`,
    });
    expect(output((await few.run(skills, "asks", {})).root)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(most).toBe(inFlight);
  },
);
