import { expect, test } from "vitest";
import type { JsonObject, Json } from "../../../src/core/json/json.ts";
import { sampleOf } from "../../../src/learn/recording/sample.ts";
import { soundsReading } from "../../../src/learn/plan/tool-effects.ts";
import type { Folding } from "../../../src/learn/recording/sample-step.ts";
import { traceOf, type Told } from "../learned.ts";

const ORDINARY: Folding = { looping: new Set(), never: new Set() };

/** The steps: a call by its tool, a loop by the calls of each of its rounds. */
function stepsOf(calls: readonly Told[], folding = ORDINARY): readonly Json[] {
  const { steps } = sampleOf(traceOf("", calls), [...calls.keys()], folding, (tool) => !soundsReading(tool));
  return steps.map((step) =>
    step.kind === "call" ? step.tool : step.rounds.map((round) => round.map((call) => call ?? null)),
  );
}

const LIST: Told = ["shop.list", {}, { items: [{ id: "A-1" }, { id: "A-2" }, { id: "A-3" }] }];
const get = (args: JsonObject): Told => ["shop.get_item", args, { ok: true }];
const set = (args: JsonObject): Told => ["shop.set_item", args, { ok: true }];

const gone = (id: string): Told => ["shop.get_item", { id }, null, "gone"];

test("calls for each element of an earlier result are one loop", () => {
  expect(stepsOf([LIST, get({ id: "A-1" }), get({ id: "A-2" }), get({ id: "A-3" })])).toEqual([
    "shop.list",
    [[1], [2], [3]],
  ]);
});

test("several calls for each element are one round", () => {
  const calls = ["A-1", "A-2", "A-3"].flatMap((id) => [get({ id }), set({ id, state: "done" })]);
  expect(stepsOf([LIST, ...calls])).toEqual([
    "shop.list",
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  ]);
});

test("what stands in the only element of a list is the element's", () => {
  const items = ["Alder", "Birch"].map((name, at) => ({
    id: `A-${at}`,
    title: [{ text: { content: name } }],
  }));
  const list: Told = ["shop.list", {}, { items }];
  const note = (id: string, words: string): Told => [
    "shop.note",
    { id, words: [{ say: words }] },
    { ok: true },
  ];
  expect(stepsOf([list, note("A-0", "Alder"), note("A-1", "Birch")])).toEqual(["shop.list", [[1], [2]]]);
  const several = items.map(({ id, title }) => ({ id, title: title.concat({ text: { content: "tree" } }) }));
  expect(
    stepsOf([["shop.list", {}, { items: several }], note("A-0", "Alder"), note("A-1", "Birch")]),
  ).toEqual(["shop.list", "shop.note", "shop.note"]);
});

test("the values and keys of a map are elements", () => {
  const map: Told = ["shop.list", {}, { byId: { "A-101": { n: 1 }, "A-102": { n: 2 } } }];
  expect(stepsOf([map, get({ id: "A-101" }), get({ id: "A-102" })])).toEqual(["shop.list", [[1], [2]]]);
});

test("reads in another order are put in the elements' order, writes are not", () => {
  const order = ["A-2", "A-1", "A-3"];
  expect(stepsOf([LIST, ...order.map((id) => get({ id }))])).toEqual(["shop.list", [[2], [1], [3]]]);
  expect(stepsOf([LIST, ...order.map((id) => set({ id }))])).toEqual([
    "shop.list",
    "shop.set_item",
    "shop.set_item",
    "shop.set_item",
  ]);
});

test.each<[string, readonly Told[]]>([
  ["not every element has a call", [get({ id: "A-1" }), get({ id: "A-2" })]],
  [
    "another argument changes in a way that the element does not tell",
    [get({ id: "A-1", as: "red" }), get({ id: "A-2", as: "blue" }), get({ id: "A-3", as: "green" })],
  ],
  ["each call fails but the last", [gone("A-1"), gone("A-2"), get({ id: "A-3" })]],
  ["an element has two calls", [get({ id: "A-1" }), get({ id: "A-1" }), get({ id: "A-2" })]],
])("there is no loop where %s", (_, calls) => {
  expect(stepsOf([LIST, ...calls])).toEqual(["shop.list", ...calls.map(([tool]) => tool)]);
});

test("a round of which a call failed is a round, with what was done then", () => {
  const calls = [LIST, get({ id: "A-1" }), gone("A-2"), set({ id: "A-2" }), get({ id: "A-3" })];
  expect(stepsOf(calls)).toEqual([
    "shop.list",
    [
      [1, null],
      [2, 3],
      [4, null],
    ],
  ]);
});

test("a single round is a loop only where other runs loop", () => {
  const calls: readonly Told[] = [["shop.list", {}, { items: [{ id: "A-1" }] }], get({ id: "A-1" })];
  expect(stepsOf(calls)).toEqual(["shop.list", "shop.get_item"]);
  const looping = new Set(["[shop.get_item]"]);
  expect(stepsOf(calls, { looping, never: new Set() })).toEqual(["shop.list", [[1]]]);
  expect(stepsOf(calls, { looping, never: looping })).toEqual(["shop.list", "shop.get_item"]);
});
