import { afterAll, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import type { Expression, Param, Plan } from "../../src/learn/plan/plan.ts";
import { replay } from "../../src/learn/verify/replay.ts";
import { skillSet } from "../runner/skill-set.ts";
import { sandbox, traceOf } from "./reuse/sandbox.ts";

const { runner } = sandbox();
afterAll(() => runner.close());

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
