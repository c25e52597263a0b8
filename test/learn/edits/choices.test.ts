import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import { draftPlan } from "../../../src/learn/edits/idle-calls.ts";
import { draftInput } from "../../../src/learn/edits/recorded-run.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import type { ToolEffect } from "../../../src/learn/plan/tool-effects.ts";
import { recordedTrace, type RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { importTraces } from "../../../src/trace/import/import-traces.ts";
import { learned } from "../learned.ts";
import { RealDrafts } from "./real-drafts.ts";
import { replayer } from "../../shared-threads.ts";

let real: RealDrafts;
beforeAll(() => {
  real = new RealDrafts();
});
afterAll(async () => {
  await real.close();
});

type Said = { readonly role: string; readonly content: string };
type Called = readonly [tool: string, args: Json, result: Json];

/** A conversation as agents leave it, imported. */
async function conversation(...parts: readonly (string | Called)[]): Promise<RecordedTrace> {
  const messages = parts.flatMap((part, nth): readonly (Said | Json)[] => {
    if (typeof part === "string") return [{ role: "user", content: part }];
    const [name, args, result] = part;
    const made = { id: `c${nth}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
    return [
      { role: "assistant", content: null, tool_calls: [made] },
      { role: "tool", tool_call_id: `c${nth}`, content: JSON.stringify(result) },
    ];
  });
  for await (const item of importTraces([Buffer.from(JSON.stringify({ id: "talk", messages }))]))
    if (item.kind === "trace") return recordedTrace(item.trace);
  throw new Error("it was not read");
}

const ROOMS = [
  { room: "R-1401", beds: 1, view: "yard", price: 80, hotel: "Aster" },
  { room: "R-2307", beds: 2, view: "sea", price: 140, hotel: "Aster" },
  { room: "R-3112", beds: 2, view: "yard", price: 110, hotel: "Aster" },
];
const SEARCH: Called = ["rooms.search", { city: "Porto" }, { rooms: ROOMS }];
const BOOK: Called = ["rooms.book", { room: "R-2307" }, { booked: true }];
const READS: readonly ToolEffect[] = [{ tool: "rooms.search", operation: "READ", by: "server" }];

function planOf(trace: RecordedTrace, effects = READS): Plan {
  return draftPlan(learned([trace], { effects }).plan, [{ trace }]).plan;
}

test("a number is a choice only from numbers that are called as it is", async () => {
  const fares: Called = ["rooms.search", { city: "Porto" }, { costs: [80, 110, 140, 2000] }];
  const budget: Called = ["rooms.set_limit", { limit: 2000 }, { set: true }];
  const limited = await conversation("What does a room in Porto cost?", fares, "My limit is 2000", budget);
  expect(planOf(limited).steps.map(({ kind }) => kind)).not.toContain("choice");
  const price: Called = ["rooms.reserve", { price: 2000 }, { booked: true }];
  const prices: Called = ["rooms.search", { city: "Porto" }, { prices: [80, 110, 140, 2000] }];
  const chosen = await conversation("What does a room in Porto cost?", prices, "The one for 2000", price);
  expect(planOf(chosen).steps.map(({ kind }) => kind)).toContain("choice");
});

test("what the user said after an answer had shown it is a choice from what is found", async () => {
  const trace = await conversation("I need a room in Porto", SEARCH, "Then take R-2307", BOOK);
  expect(trace.turns?.map(({ after }) => after)).toEqual([0, 1]);
  const plan = planOf(trace);
  expect(plan.params.map(({ name, optional = false }) => [name, optional])).toEqual([
    ["city", false],
    ["room", true],
  ]);
  expect(plan.steps.map(({ kind }) => kind)).toEqual(["call", "choice", "call"]);
  const code = skillCode(plan);
  const input = draftInput(plan, { trace }, trace);
  expect(await replayer.replay(code, input, trace)).toMatchObject({ made: [0, 1] });
  for (const room of [undefined, "R-9999"]) {
    const { made, fault } = await replayer.replay(code, { city: "Porto", ...(room ? { room } : {}) }, trace);
    expect(made).toEqual([0]);
    expect(fault).toContain(room ?? "room is to be chosen");
  }
});

describe("no choice but an input is", () => {
  const told = "I need a room in Porto, R-2307 if you can";
  test.each<readonly [string, readonly (string | Called)[]]>([
    ["what the task says already", [told, SEARCH, "Yes, take R-2307", BOOK]],
    ["what is told before any answer has it", ["I need a room", "In Porto, R-2307", SEARCH, "Yes", BOOK]],
    ["what the user never said", ["I need a room in Porto", SEARCH, "The one in the middle", BOOK]],
    [
      "what was the only one",
      [
        "I need a room in Porto",
        ["rooms.search", { city: "Porto" }, { rooms: [ROOMS[1]] }],
        "Take R-2307",
        BOOK,
      ] as never,
    ],
  ])("%s", async (_, parts) => {
    expect(planOf(await conversation(...parts)).steps.map(({ kind }) => kind)).not.toContain("choice");
  });
});

test.each<readonly [string, Called, Called, string]>([
  [
    "a bare list",
    ["crm.user", { mail: "a@b.example" }, { orders: ["O-101", "O-202"] }],
    ["crm.drop", { order: "O-202" }, 1],
    "O-202",
  ],
  [
    "lists in lists",
    [
      "crm.user",
      { mail: "a@b.example" },
      [{ orders: [{ id: "O-101" }] }, { orders: [{ id: "O-202" }, { id: "O-303" }] }],
    ],
    ["crm.drop", { order: "O-202" }, 1],
    "O-202",
  ],
  [
    "a map by its keys",
    [
      "crm.user",
      { mail: "a@b.example" },
      { methods: { card_1001: { source: "card" }, gift_2002: { source: "gift" } } },
    ],
    ["crm.pay", { method: "gift_2002" }, 1],
    "gift_2002",
  ],
  [
    "numbers",
    [
      "crm.user",
      { mail: "a@b.example" },
      {
        slots: [
          { slot: 900, at: "noon" },
          { slot: 1730, at: "evening" },
        ],
      },
    ],
    ["crm.take", { slot: 1730 }, 1],
    "1730",
  ],
  [
    "the lines of a text",
    [
      "crm.user",
      { mail: "a@b.example" },
      "Found 2 rooms:\n\n- R-101 Yard view (80 EUR)\n- R-202 Sea view (95 EUR)",
    ],
    ["crm.take", { room: "R-202" }, 1],
    "R-202",
  ],
  [
    "a table in a text",
    [
      "crm.user",
      { mail: "a@b.example" },
      { content: "id | view | price\n---|---|---\nR-101 | yard | 80\nR-202 | sea | 95\n" },
    ],
    ["crm.take", { room: "R-202" }, 1],
    "R-202",
  ],
  [
    "lists below headings",
    [
      "crm.user",
      { mail: "a@b.example" },
      "## Yard\n- R-101 (80 EUR)\n- R-102 (85 EUR)\n\n## Sea\n- R-202 (95 EUR)\n",
    ],
    ["crm.take", { room: "R-202" }, 1],
    "R-202",
  ],
  [
    "YAML",
    [
      "crm.user",
      { mail: "a@b.example" },
      "rooms:\n  - id: R-101\n    view: yard\n  - id: R-202\n    view: sea\n",
    ],
    ["crm.take", { room: "R-202" }, 1],
    "R-202",
  ],
])("one may choose from %s", async (_, shown, act, said) => {
  const trace = await conversation("Do it for a@b.example", shown, `It is ${said}`, act);
  const plan = planOf(trace, [{ tool: "crm.user", operation: "READ", by: "server" }]);
  expect(plan.steps.map(({ kind }) => kind)).toEqual(["call", "choice", "call"]);
  const code = skillCode(plan);
  expect(await replayer.replay(code, draftInput(plan, { trace }, trace), trace)).toMatchObject({
    made: [0, 1],
  });
  const left = await replayer.replay(code, { mail: "a@b.example" }, trace);
  expect(left.made).toEqual([0]);
  expect(left.fault).toContain("is to be chosen");
});

test("of a table in a text, all that a row says is shown", async () => {
  const table = "id | view | price\n---|---|---\nR-101 | yard | 80\nR-202 | sea | 95\n";
  const trace = await conversation("A room in Porto", ["rooms.search", { city: "Porto" }, table], "R-202", [
    "rooms.book",
    { room: "R-202" },
    "ok",
  ]);
  const code = skillCode(planOf(trace));
  for (const column of ["id", "view", "price"]) expect(code).toContain(`label: "${column}"`);
});

test("a choice after a call that may write is an input; who says that it reads makes it a choice", async () => {
  const trace = await conversation("I need a room in Porto", SEARCH, "Then take R-2307", BOOK);
  const { plan, sources } = draftPlan(learned([trace], { effects: [] }).plan, [{ trace }]);
  const made = await real.drafts.create({ plan, traces: sources, by: "test" });
  if (!made.ok) throw new Error(made.error.message);
  const view = draftView(made.value);
  expect(view.lateChoices).toEqual([
    { param: "room", shownBy: expect.any(String), writing: ["rooms.search"] },
  ]);
  expect(draftText(view, { columns: 2000 })).toContain("the user of the run chose it from what");
  const told = await real.revised(made.value, [{ kind: "effect", tool: "rooms.search", operation: "READ" }]);
  expect(told.plan.params.map(({ name, optional = false }) => [name, optional])).toEqual([
    ["city", false],
    ["room", true],
  ]);
  expect(told.evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
  expect(draftView(told).lateChoices).toEqual([]);
  expect(draftView(told).guards).toEqual([expect.stringContaining("input.room is none of")]);
  const asked = await real.revised(told, [{ kind: "required", param: "room" }]);
  expect(asked.evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
  const always = await real.revised(told, [{ kind: "constant", param: "room" }]);
  expect(always.plan.steps.map(({ kind }) => kind)).toEqual(["call", "call"]);
});
