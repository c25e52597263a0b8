import { describe, expect, test } from "vitest";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import type { ToolEffect } from "../../../src/learn/plan/tool-effects.ts";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { learned, traceOf } from "../learned.ts";

const READS: readonly ToolEffect[] = [
  { tool: "crm.search_people", operation: "READ", by: "server" },
  { tool: "shop.list_orders", operation: "READ", by: "server" },
];

/** The parameters of what is learned from one call: which may be left out, and what then holds. */
function optional(tool: string, args: JsonObject, inputSchema?: JsonObject, answer: Json = { done: "yes" }) {
  const trace = traceOf("Do it.", [[tool, args, answer]]);
  const tools = inputSchema ? [{ name: tool, inputSchema }] : [];
  const { plan } = learned([trace], { tools, effects: READS });
  const code = skillCode(plan).replaceAll(", ", ",");
  for (const { default: value } of plan.params)
    if (value !== undefined) expect(code).toContain(`?? ${JSON.stringify(value)}`);
  return Object.fromEntries(
    plan.params.flatMap(({ name, optional: isOptional, default: value }) =>
      isOptional === true ? [[name, value]] : [],
    ),
  );
}

test.each([
  ["a person's name", "crm.search_people", { first_name: "Mei", last_name: "Kovacs" }],
  ["an amount", "pay.book", { amount: 298, bags: 2 }],
  ["a place", "air.search", { origin: "JFK" }],
  ["a number that a call which reads is given", "crm.search_people", { age: 42 }],
  ["a choice, where the call may write", "air.book", { insurance: true, note: null }],
  ["a choice, where nobody says what the tool does", "air.list_bookings", { all: true }],
])("%s of one run is no default for another caller", (_, tool, args) => {
  expect(optional(tool, args)).toEqual({});
});

test("how a call reads may be left out, and is what it was in the run", () => {
  expect(optional("shop.list_orders", { archived: false })).toEqual({ archived: false });
  const schema = { properties: { order: { type: "string", enum: ["asc", "desc"] } } };
  expect(optional("shop.list_orders", { order: "asc" }, schema)).toEqual({ order: "asc" });
});

test("so may how much of a text is read", () => {
  expect(optional("shop.list_orders", { head: 20, max_length: 5000 })).toEqual({
    head: 20,
    max_length: 5000,
  });
  expect(optional("air.book", { head: 20 })).toEqual({});
});

test("what a tool does without being told may be left out, even where it writes", () => {
  const schema = {
    properties: { seats: { type: "integer", default: 1 }, bags: { type: "integer", default: 0 } },
  };
  expect(optional("air.book", { seats: 1, bags: 3 }, schema)).toEqual({ seats: 1 });
});

test("so may what stands deeper in an argument, as its schema says", () => {
  const sheet = { type: "object", properties: { done: { type: "boolean", default: false } } };
  const tools = [{ name: "desk.note", inputSchema: { properties: { sheet } } }];
  const calls = [
    ["desk.open", { tray: "in" }, { key: "K-77012" }],
    ["desk.note", { sheet: { done: false, bold: true, key: "K-77012" } }, { ok: true }],
  ] as const;
  const { plan } = learned([traceOf("Do it.", calls)], { tools });
  expect(plan.params).toMatchObject([{ name: "tray" }, { name: "done", default: false }, { name: "bold" }]);
  expect(plan.params.map((param) => param.optional)).toEqual([undefined, true, undefined]);
});

test("what the runs left out sometimes may be left out, and then nothing holds", () => {
  const run = (args: JsonObject, id: string) => traceOf("Do it.", [["air.book", args, { done: "yes" }]], id);
  const { plan } = learned([run({ meal: "soup", bags: 1 }, "a"), run({ bags: 2 }, "b")]);
  expect(
    plan.params.map(({ name, optional: isOptional, default: value }) => [name, isOptional, value]),
  ).toEqual([
    ["meal", true, undefined],
    ["bags", undefined, undefined],
  ]);
});

test("which fields are read of what is found may be left out, but not where the call may write", () => {
  const properties = ["firstname", "hs_lead"];
  const found = { people: [{ id: "K-77012", properties: { firstname: "Mei" } }] };
  expect(optional("crm.search_people", { properties }, undefined, found)).toEqual({ properties });
  expect(optional("crm.update", { properties }, undefined, found)).toEqual({});
  const table = "firstname,hs_lead\nMei,Bo";
  expect(optional("crm.search_people", { properties }, undefined, table)).toEqual({ properties });
});

test("what things have to have is no list of fields", () => {
  const found = { shirts: [{ id: "S-77012", tags: ["red", "wool"] }] };
  expect(optional("crm.search_people", { attributes: ["red", "wool"] }, undefined, found)).toEqual({});
});

describe("what is looked for in a tool's own terms", () => {
  const filterGroups = [{ filters: [{ propertyName: "email", operator: "EQ", value: "mei@example.org" }] }];
  const found = { results: [{ id: "K-77012" }] };
  const learnedFrom = (task: string, tool: string) =>
    learned(
      [
        traceOf(task, [
          [tool, { filterGroups }, found],
          ["crm.close", { id: "K-77012" }, "ok"],
        ]),
      ],
      { effects: READS },
    ).plan;

  test("asks for what the task says in it alone, and the terms are the skill's", () => {
    const plan = learnedFrom("Close the person mei@example.org", "crm.search_people");
    expect(plan.params.map(({ example }) => example)).toEqual(["mei@example.org"]);
    expect(JSON.stringify(plan.steps)).toContain(
      '{"name":"operator","value":{"kind":"constant","value":"EQ"}}',
    );
  });

  test("is given as a whole where the call may write, or the task says nothing of it", () => {
    for (const plan of [
      learnedFrom("Close the person mei@example.org", "crm.merge"),
      learnedFrom("Close the person", "crm.search_people"),
    ])
      expect(plan.params.map(({ example }) => example)).toContainEqual(filterGroups);
  });
});

test("a word of which the task has another form is the caller's where an answer told it of one of several things", () => {
  const cars = [
    { model: "Trail", tows: true },
    { model: "Urban", tows: false },
  ];
  const rent = (found: Json) =>
    learned(
      [
        traceOf("Rent a car that can tow trailers", [
          ["cars.list", {}, found],
          ["cars.rent", { model: "Trail" }, "ok"],
        ]),
      ],
      { effects: READS },
    ).plan;
  expect(rent({ cars }).params.map(({ example }) => example)).toEqual(["Trail"]);
  expect(rent({ cars: 2 }).params).toEqual([]);
});
