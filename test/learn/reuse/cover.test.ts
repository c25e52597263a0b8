import { expect, test } from "vitest";
import { replay } from "../../../src/learn/verify/replay.ts";
import { skillCover } from "../../../src/learn/reuse/skill-cover.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { synthesise } from "../../../src/learn/synthesis/synthesise.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { exchangeTrace } from "../verify/shop.ts";
import { sandbox, takes, traceOf } from "./sandbox.ts";

const STRING = { type: "string" };
const NAMED = takes({ firstName: STRING, lastName: STRING, zip: STRING });
const FIND = `const { user_id } = await call_tool("shop.find_user", { first_name: input.firstName, last_name: input.lastName, zip: input.zip });
  const user = await call_tool("shop.get_user", { user_id });`;

test("calls that a skill makes become one call of it, and the plan over them replays the whole run", async () => {
  const skills = skillSet(
    { "customer-by-name": `export default async (input) => { ${FIND} return { ...user, user_id }; }` },
    { "customer-by-name": NAMED },
  );
  const trace = exchangeTrace();
  const cover = await skillCover(trace, { skills }, sandbox);
  expect(cover?.covers).toMatchObject([
    {
      skill: "customer-by-name",
      calls: [0, 1],
      input: { firstName: "Olivia", lastName: "Ito", zip: "80218" },
    },
  ]);
  expect(cover?.trace.calls.map(({ tool }) => tool)).toEqual([
    "customer-by-name",
    "shop.get_order",
    "shop.get_product",
    "shop.exchange",
  ]);
  const made = synthesise(cover ? [cover.trace] : [], { name: "exchange" });
  if (!made.ok) throw new Error(made.error.message);
  const { plan } = made.value;
  const code = skillCode(plan).replaceAll(`call_tool("customer-by-name"`, `call_skill("customer-by-name"`);
  const all = new Map([...skills, ...skillSet({ exchange: code })]);
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  expect(
    await replay({ runner: sandbox.runner, skills: all, name: "exchange" }, trace, { input }),
  ).not.toHaveProperty("difference");
});

test("a skill that does not give what later calls use covers nothing", async () => {
  const skills = skillSet(
    { "customer-id": `export default async (input) => { ${FIND} return { user_id, email: user.email }; }` },
    { "customer-id": NAMED },
  );
  expect(await skillCover(exchangeTrace(), { skills }, sandbox)).toBeUndefined();
});

const PAIR = `export default async ({ id }) => [await call_tool("s.a", { id }), await call_tool("s.b", { id })]`;
const TRIPLE = `export default async ({ id }) => [await call_tool("s.a", { id }), await call_tool("s.b", { id }), await call_tool("s.c", { id })]`;
const pairs = traceOf(
  "t",
  "",
  ...["k1", "k2"].flatMap((id) => ["a", "b", "c"].map((tool) => [`s.${tool}`, { id }, null] as const)),
);

test("the longest cover is taken, as often as it fits", async () => {
  const skills = skillSet(
    { pair: PAIR, triple: TRIPLE },
    { pair: takes({ id: STRING }), triple: takes({ id: STRING }) },
  );
  const cover = await skillCover(pairs, { skills }, sandbox);
  expect(cover?.covers.map(({ skill, calls, input }) => [skill, calls, input])).toEqual([
    ["triple", [0, 1, 2], { id: "k1" }],
    ["triple", [3, 4, 5], { id: "k2" }],
  ]);
});

test("a skill that makes a single call, or all, covers nothing", async () => {
  const single = `export default ({ id }) => call_tool("s.a", { id })`;
  const skills = skillSet(
    { single, triple: TRIPLE },
    { single: takes({ id: STRING }), triple: takes({ id: STRING }) },
  );
  const all = { ...pairs, calls: pairs.calls.slice(0, 3) };
  expect(await skillCover(all, { skills }, sandbox)).toBeUndefined();
});

test("a tool of a trace that is called like a skill hides that skill", async () => {
  const named = traceOf(
    "t",
    "",
    ["s.a", { id: "k1" }, null],
    ["s.b", { id: "k1" }, null],
    ["pair", {}, null],
  );
  const skills = skillSet({ pair: PAIR }, { pair: takes({ id: STRING }) });
  expect(await skillCover(named, { skills }, sandbox)).toBeUndefined();
});
