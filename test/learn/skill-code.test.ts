import { expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import { evaluate } from "../../src/learn/edits/evaluate.ts";
import type { Condition, Expression, Param, Plan } from "../../src/learn/plan/plan.ts";
import { replay } from "../../src/learn/verify/replay.ts";
import { skillSet } from "../runner/skill-set.ts";
import { traceOf } from "./reuse/sandbox.ts";
import { runner } from "../shared-threads.ts";

const LINES = [
  { id: 1, name: "Lamp" },
  { id: 2, name: "Sofa" },
];
const TRACE = traceOf("t", "", ["shop.get", {}, { lines: LINES }]);

const given = (name: string): Expression => ({ kind: "param", name });
const ref = (name: string): Expression => ({ kind: "ref", name });
const field = (of: Expression, name: string): Expression => ({ kind: "field", of, path: [name] });
const lines = field(ref("order"), "lines");

/** What a skill gives that gets the order and makes this of it. */
async function output(params: readonly Omit<Param, "origins">[], value: Expression, input: Json) {
  const plan: Plan = {
    version: 1,
    name: "d",
    params: params.map((param) => ({ ...param, origins: [] })),
    steps: [{ kind: "call", name: "order", tool: "shop.get", args: { kind: "object", fields: [] } }],
    output: { value, schema: {} },
  };
  const ended = await replay({ runner, skills: skillSet({ d: skillCode(plan) }), name: "d" }, TRACE, {
    input,
  });
  return ended.output ?? ended.difference;
}

test("in a map over elements, what was found outside of it is still what was found", async () => {
  const found: Expression = {
    kind: "find",
    in: lines,
    where: [{ path: ["id"], equals: given("wanted") }],
  };
  const value: Expression = {
    kind: "map",
    over: lines,
    item: "line",
    value: { kind: "list", items: [field(ref("line"), "name"), field(found, "name")] },
  };
  expect(await output([{ name: "wanted", schema: {} }], value, { wanted: 2 })).toEqual([
    ["Lamp", "Sofa"],
    ["Sofa", "Sofa"],
  ]);
});

test("in a map over elements, a parameter that is called as they are is still the caller's", async () => {
  const value: Expression = {
    kind: "map",
    over: lines,
    item: "line",
    value: { kind: "list", items: [field(ref("line"), "name"), given("line")] },
  };
  const params = [{ name: "line", schema: {}, optional: true, default: "none" }];
  expect(await output(params, value, { line: "mine" })).toEqual([
    ["Lamp", "mine"],
    ["Sofa", "mine"],
  ]);
  expect(await output(params, value, {})).toEqual([
    ["Lamp", "none"],
    ["Sofa", "none"],
  ]);
});

test("a parameter that is called as a call's answer is still the caller's", async () => {
  const value: Expression = { kind: "list", items: [given("order"), lines] };
  const params = [{ name: "order", schema: {}, optional: true, default: "none" }];
  expect(await output(params, value, {})).toEqual(["none", LINES]);
});

const PARTS = [
  { id: "A-1", price: 2.1, day: "2026-03-01", tags: [{ name: "red" }], stock: { x: { at: "Rome" } } },
  { id: "A-2", price: 0.2, day: "2026-02-01", tags: [{ name: "blue" }, { name: "red" }], stock: {} },
  { id: "A-3", price: 7, day: "2026-01-09", tags: [], stock: { y: { at: "Bonn" } } },
];
const parts: Expression = { kind: "constant", value: PARTS };
const equals = (value: Json): Expression => ({ kind: "constant", value });
const ids = (over: Expression): Expression => ({
  kind: "map",
  over,
  item: "chosen",
  value: field(ref("chosen"), "id"),
});
const prices: Expression = { kind: "map", over: parts, item: "part", value: field(ref("part"), "price") };
const filter = (...where: readonly Condition[]): Expression => ({ kind: "filter", in: parts, where });

test.each<readonly [string, Expression, Json]>([
  [
    "an element that has another in a list",
    find({ path: ["tags"], some: [{ path: ["name"], equals: equals("blue") }] }),
    "A-2",
  ],
  [
    "an element that has another in a map",
    find({ path: ["stock"], some: [{ path: ["at"], equals: equals("Bonn") }] }),
    "A-3",
  ],
  [
    "all that fit",
    ids(filter({ path: ["tags"], some: [{ path: ["name"], equals: equals("red") }] })),
    ["A-1", "A-2"],
  ],
  ["all that are above", ids(filter({ path: ["price"], operator: ">", equals: equals(2) })), ["A-1", "A-3"]],
  [
    "all before a day",
    ids(filter({ path: ["day"], operator: "<", equals: equals("2026-03-01") })),
    ["A-2", "A-3"],
  ],
  ["all but one", ids(filter({ path: ["id"], operator: "!=", equals: equals("A-1") })), ["A-2", "A-3"]],
  ["the least", field({ kind: "extreme", in: parts, by: ["price"], most: false }, "id"), "A-2"],
  ["the latest", field({ kind: "extreme", in: parts, by: ["day"], most: true }, "id"), "A-1"],
  ["a sum, to the last decimal", { kind: "aggregate", operator: "sum", of: prices }, 9.3],
  ["how many there are", { kind: "aggregate", operator: "count", of: parts }, 3],
])("printed code gives what the plan says: %s", async (_, value, expected) => {
  expect(evaluate(value, { params: new Map(), refs: new Map() })?.value).toEqual(expected);
  expect(await output([], value, {})).toEqual(expected);
});

function find(condition: Condition): Expression {
  return field({ kind: "find", in: parts, where: [condition] }, "id");
}

test.each<readonly [string, Expression, string]>([
  [
    "two have the least",
    { kind: "extreme", in: equals([{ n: 1 }, { n: 1, m: 2 }]), by: ["n"], most: false },
    "Several",
  ],
  ["nothing is there", { kind: "extreme", in: equals([]), by: ["n"], most: false }, "There is nothing in"],
  [
    "values are no numbers",
    { kind: "extreme", in: equals([{ n: 1 }, {}]), by: ["n"], most: true },
    "cannot be compared",
  ],
  ["a text is added up", { kind: "aggregate", operator: "sum", of: equals([1, "2"]) }, "not a number"],
  [
    "several have such an element",
    find({ path: ["tags"], some: [{ path: ["name"], equals: equals("red") }] }),
    "More than one of the 3 in the list",
  ],
])("printed code stops where %s", async (_, value, message) => {
  expect(evaluate(value, { params: new Map(), refs: new Map() })).toBeUndefined();
  expect(await output([], value, {})).toMatchObject({
    kind: "failed",
    message: expect.stringContaining(message),
  });
});

const thing = { type: ["object", "null"], properties: { id: { type: "string" } }, required: ["id"] };

test.each<[string, Plan["output"]["schema"], string]>([
  [
    "a list of things or null",
    { type: "array", items: thing },
    "type Output = ({\n  id: string;\n} | null)[];",
  ],
  ["a thing or null", thing, "type Output = {\n  id: string;\n} | null;"],
  ["a thing", { ...thing, type: "object" }, "interface Output {\n  id: string;\n}\n"],
  [
    "a list of words",
    { type: "array", items: { type: "string", enum: ["a", "b"] } },
    'type Output = ("a" | "b")[];',
  ],
])("the type of what a skill gives: %s", (_, schema, type) => {
  const plan: Plan = {
    version: 1,
    name: "d",
    params: [],
    steps: [],
    output: { value: { kind: "constant", value: null }, schema },
  };
  expect(skillCode(plan)).toContain(`export ${type}`);
});
