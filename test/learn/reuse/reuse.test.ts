import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { Skill } from "../../../src/core/skill.ts";
import { replay } from "../../../src/learn/verify/replay.ts";
import { twinOf } from "../../../src/learn/verify/twin.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import type { Library } from "../../../src/learn/reuse/library.ts";
import { reuseOf } from "../../../src/learn/reuse/reuse.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { synthesise } from "../../../src/learn/synthesis/synthesise.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { EXCHANGE_INPUT, EXCHANGES, exchangeTrace } from "../verify/shop.ts";
import { sandbox, takes, traceOf } from "./sandbox.ts";

const STRING = { type: "string" };
const EXCHANGE = takes(Object.fromEntries(Object.keys(EXCHANGE_INPUT).map((name) => [name, STRING])));

test("a skill written by hand that replays the trace is found, with its input", async () => {
  const skills = skillSet({ exchange: EXCHANGES["derived"] ?? "" }, { exchange: EXCHANGE });
  const reuse = await reuseOf([exchangeTrace()], { skills }, sandbox);
  expect(reuse).toEqual({ kind: "reuse", skill: "exchange", inputs: [EXCHANGE_INPUT] });
});

test("a learned skill is found by its plan for runs with other values", async () => {
  const own = exchangeTrace();
  const made = synthesise([own], { name: "exchange" });
  if (!made.ok) throw new Error(made.error.message);
  const { plan } = made.value;
  const twins = [1, 2].map((seed) => twinOf(own, { seed }).trace);
  const library: Library = {
    skills: skillSet({ exchange: skillCode(plan) }),
    learnedSkills: new Map([["exchange", { plan, traces: [{ trace: own }] }]]),
  };
  const reuse = await reuseOf(twins, library, sandbox);
  expect(reuse?.skill).toBe("exchange");
  for (const [index, twin] of twins.entries()) {
    const replayable = { runner: sandbox.runner, skills: library.skills, name: "exchange" };
    const { difference } = await replay(replayable, twin, { input: reuse?.inputs[index] ?? {} });
    expect(difference).toBeUndefined();
  }
});

test("a skill that does only part of the trace, or more, is no reuse", async () => {
  const trace = traceOf("t", "look at b12", ["s.a", { id: "b12" }, "A"], ["s.b", { id: "b12" }, "B"]);
  const skills = skillSet(
    {
      less: `export default ({ id }) => call_tool("s.a", { id })`,
      more: `export default async ({ id }) => [await call_tool("s.a", { id }), await call_tool("s.b", { id }), await call_tool("s.a", { id })]`,
      other: `export default async ({ id }) => [await call_tool("s.a", { id }), await call_tool("s.b", { id: id + id })]`,
    },
    { less: takes({ id: STRING }), more: takes({ id: STRING }), other: takes({ id: STRING }) },
  );
  expect(await reuseOf([trace], { skills }, sandbox)).toBeUndefined();
});

test("one input must be found for each of several traces", async () => {
  const skills = skillSet(
    { look: `export default ({ id }) => call_tool("s.a", { id, deep: id !== "x3" })` },
    { look: takes({ id: STRING }) },
  );
  const traces = ["x1", "x2", "x3"].map((id) => traceOf(id, "", ["s.a", { id, deep: true }, id]));
  const both = await reuseOf(traces.slice(0, 2), { skills }, sandbox);
  expect(both?.inputs).toEqual([{ id: "x1" }, { id: "x2" }]);
  expect(await reuseOf(traces, { skills }, sandbox)).toBeUndefined();
});

test("calls of skills below count", async () => {
  const skills = skillSet(
    {
      outer: `export default async ({ id }) => [await call_skill("inner", { id }), await call_tool("s.b", {})]`,
      inner: `export default ({ id }) => call_tool("s.a", { id })`,
    },
    { outer: takes({ id: STRING }), inner: takes({ id: STRING }) },
  );
  const trace = traceOf("t", "", ["s.a", { id: "b12" }, 1], ["s.b", {}, 2]);
  expect(await reuseOf([trace], { skills }, sandbox)).toMatchObject({
    skill: "outer",
    inputs: [{ id: "b12" }],
  });
});

test("a replay tells which value a property must have where names tell nothing", async () => {
  const names = ["p", "q", "r", "t", "u"];
  const code = `export default (input) => call_tool("s.a", { one: input.u, two: input.t, three: input.r, four: input.q, five: "#" + input.p })`;
  const skills = skillSet(
    { odd: code },
    { odd: takes(Object.fromEntries(names.map((name) => [name, STRING]))) },
  );
  const args = { one: "k1", two: "k2", three: "k3", four: "k4", five: "#k5" };
  const reuse = await reuseOf([traceOf("t", "", ["s.a", args, null])], { skills }, sandbox);
  expect(reuse?.inputs).toEqual([{ u: "k1", t: "k2", r: "k3", q: "k4", p: "k5" }]);
});

test("a list is what repeated calls were made with", async () => {
  const code = `export default async ({ orderIds, note }) => { for (const order_id of orderIds) await call_tool("s.cancel", { order_id, ...(note && { note }) }); }`;
  const contract = takes({ orderIds: { type: "array", items: STRING }, note: STRING });
  const optional = {
    ...contract,
    contract: { ...takes({}).contract, input: { ...contract.contract?.input, required: ["orderIds"] } },
  };
  const skills = skillSet({ cancel: code }, { cancel: optional as typeof contract });
  const calls = ["o-1", "o-2", "o-3"].map((order_id) => ["s.cancel", { order_id }, "done"] as const);
  const reuse = await reuseOf([traceOf("t", "cancel all", ...calls)], { skills }, sandbox);
  expect(reuse?.inputs).toEqual([{ orderIds: ["o-1", "o-2", "o-3"] }]);
});

test("a failed call that was tried again need not be made", async () => {
  const skills = skillSet(
    { look: `export default ({ id }) => call_tool("s.a", { id })` },
    { look: takes({ id: STRING }) },
  );
  const failed = { error: "no such id", retriedBy: 1 };
  const retried = traceOf("t", "", ["s.a", { id: "?" }, null, failed], ["s.a", { id: "b12" }, 1]);
  expect(await reuseOf([retried], { skills }, sandbox)).toMatchObject({ inputs: [{ id: "b12" }] });
});

test("without traces or calls there is nothing to reuse", async () => {
  const skills = skillSet({ idle: `export default () => 1` });
  expect(await reuseOf([], { skills }, sandbox)).toBeUndefined();
  expect(await reuseOf([traceOf("t", "")], { skills }, sandbox)).toBeUndefined();
});

const name = fc.constantFrom("city", "user_id", "count", "kind", "order_id");
const value = fc.oneof(fc.constantFrom("x1", "x2", "Rome", ""), fc.integer({ min: 0, max: 3 }), fc.boolean());
/** Each argument is told by the input, or always the same. */
const steps = fc.array(
  fc.record({
    tool: fc.constantFrom("s.a", "s.b", "s.c"),
    args: fc.dictionary(name, fc.oneof(fc.record({ from: name }), fc.record({ is: value })), { maxKeys: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const input = fc.record({ city: value, user_id: value, count: value, kind: value, order_id: value });

interface Args {
  readonly [key: string]: { readonly from: keyof Input } | { readonly is: Json };
}
type Input = typeof input extends fc.Arbitrary<infer Value> ? Value : never;
type Steps = readonly { readonly tool: string; readonly args: Args }[];

function codeOf(made: Steps): string {
  const calls = made.map(({ tool, args }) => {
    const fields = Object.entries(args).map(
      ([key, each]) => `${key}: ${"from" in each ? `input.${each.from}` : JSON.stringify(each.is)}`,
    );
    return `await call_tool("${tool}", { ${fields.join(", ")} });`;
  });
  return `export default async function run(input) { ${calls.join(" ")} }`;
}

function done(made: Steps, given: Input): RecordedTrace {
  const calls = made.map(({ tool, args }) => {
    const values = Object.entries(args).map(([key, each]) => [
      key,
      "from" in each ? given[each.from] : each.is,
    ]);
    return [tool, Object.fromEntries(values) as JsonObject, null] as const;
  });
  return traceOf("t", "", ...calls);
}

/** A skill for each, with those properties that it uses. */
function skillsOf(all: readonly Steps[]): ReadonlyMap<string, Skill> {
  const sources = Object.fromEntries(all.map((each, index) => [`skill-${index}`, codeOf(each)]));
  const contracts = all.map((each, index) => {
    const used = each
      .flatMap(({ args }) => Object.values(args))
      .flatMap((arg) => ("from" in arg ? [arg.from] : []));
    return [`skill-${index}`, takes(Object.fromEntries(used.map((property) => [property, {}])))] as const;
  });
  return skillSet(sources, Object.fromEntries(contracts));
}

test("whatever is proposed replays", async () => {
  const sets = fc.array(steps, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(sets, steps, input, async (all, alien, given) => {
      const skills = skillsOf(all);
      let proposed = 0;
      for (const trace of [...all, alien].map((each) => done(each, given))) {
        const reuse = await reuseOf([trace], { skills }, sandbox);
        if (!reuse) continue;
        proposed++;
        const replayable = { runner: sandbox.runner, skills, name: reuse.skill };
        const { difference } = await replay(replayable, trace, { input: reuse.inputs[0] ?? {} });
        expect(difference).toBeUndefined();
      }
      fc.pre(proposed > 0);
    }),
    { numRuns: 25 },
  );
});

test("what a skill has done is found where its arguments are called like its properties", async () => {
  const alike = steps.map((all) =>
    all.map(({ tool, args }) => {
      const named = Object.entries(args).map(
        ([key, each]) => [key, "from" in each ? { from: key } : each] as const,
      );
      return { tool, args: Object.fromEntries(named) as Args };
    }),
  );
  await fc.assert(
    fc.asyncProperty(alike, input, async (made, given) => {
      const reuse = await reuseOf([done(made, given)], { skills: skillsOf([made]) }, sandbox);
      expect(reuse?.skill).toBe("skill-0");
    }),
    { numRuns: 50 },
  );
});
