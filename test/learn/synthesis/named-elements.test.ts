import { afterAll, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned, type Told, traceOf } from "../learned.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const id = (nth: number): string => `2552b7e8-cebd-81${String(nth).padStart(2, "0")}-b971-f27d5dbe${nth}971`;
const pieces = (...texts: readonly string[]): Json =>
  texts.map((text) => ({ type: "text", text: { content: text, link: null }, plain_text: text }));
const block = (nth: number, kind: string, ...texts: readonly string[]): Json => ({
  id: id(nth),
  type: kind,
  [kind]: { rich_text: pieces(...texts), color: "default" },
});
const page = (nth: number, title: string): Json => ({
  id: id(nth),
  properties: { Name: { type: "title", title: pieces(title) }, "Parent item": { relation: [] } },
});
const children = (...blocks: readonly Json[]): Told => [
  "docs.list_children",
  { page: "self" },
  { results: blocks },
];
const rows = (...titles: readonly string[]): Told => [
  "docs.list_rows",
  { table: "T" },
  { results: titles.map((title, index) => page(index + 10, title)) },
];
const pack = (nth: number, packed = true): Told => ["docs.update_page", { page_id: id(nth), packed }, null];

/** The parameters by name, as the run had them. */
function inputOf(task: string, calls: readonly Told[]): object {
  const { plan } = learned([traceOf(task, calls)]);
  return Object.fromEntries(plan.params.map(({ name, example }) => [name, example]));
}

test("a block of a document is found by the heading that the task says, which stands in pieces inside of it", async () => {
  const read = children(
    block(1, "paragraph", "See the ", "FAQ", " below"),
    block(2, "toggle", "Contact"),
    block(3, "toggle", "Terminologies"),
  );
  const draft = await real.of([
    traceOf('Delete the toggle "terminologies" of self.', [
      read,
      ["docs.delete_block", { block_id: id(3) }, null],
    ]),
  ]);
  expect(draft.plan.params.map(({ name, example }) => [name, example])).toEqual([
    ["page", "self"],
    ["block_rich_text", "Terminologies"],
  ]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});

test("where two things that the task says find a block, which of them is meant is asked", () => {
  const note = (nth: number, title: string, project: string): Json => ({
    id: id(nth),
    title: pieces(title),
    project: pieces(project),
  });
  const notes = children(note(1, "Groceries", "Home"), note(2, "Budget", "Work"));
  const remove: Told = ["docs.delete_block", { block_id: id(1) }, null];
  const questionsOf = (task: string): readonly string[] =>
    (learned([traceOf(task, [notes, remove])]).plan.questions ?? []).map(({ kind }) => kind);
  expect(questionsOf("Delete the Groceries of self that are for Home.")).toEqual(["element"]);
  expect(questionsOf("Delete the Groceries of self.")).toEqual([]);
});

test("of two blocks that say the same neither is found by it", () => {
  const read = children(block(1, "toggle", "FAQ"), block(2, "heading_1", "Else"), block(3, "toggle", "FAQ"));
  const input = inputOf("Delete the FAQ of self.", [read, ["docs.delete_block", { block_id: id(3) }, null]]);
  expect(input).toEqual({ page: "self", block_id: id(3) });
});

test("what is done to several elements that the caller names is a loop over their names, in whatever order", async () => {
  const calls = [rows("Hat", "Jeans", "Coat", "Wallet"), pack(12), pack(11), pack(13)];
  const draft = await real.of([traceOf("Pack the Coat, the Jeans and the Wallet of T.", calls)]);
  expect(draft.plan.params.map(({ name, example }) => [name, example])).toEqual([
    ["table", "T"],
    ["page_titles", ["Coat", "Jeans", "Wallet"]],
    ["packed", true],
  ]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});

test("elements are named by their titles, before what else their texts say; what else changes stands beside the names", () => {
  const described = (nth: number, title: string): Json => ({
    id: id(nth),
    about: { rich_text: pieces(`About ${title}`) },
    name: { title: pieces(title) },
  });
  const listed = children(...["Hat", "Jeans", "Coat"].map((title, nth) => described(nth + 10, title)));
  const move = (nth: number, day: string): Told => ["docs.update_a_page", { page_id: id(nth), day }, null];
  expect(
    inputOf("Move them.", [listed, move(12, "3 May"), move(10, "5 May"), move(11, "9 May")]),
  ).toMatchObject({
    pages: [
      { page_title: "Coat", day: "3 May" },
      { page_title: "Hat", day: "5 May" },
      { page_title: "Jeans", day: "9 May" },
    ],
  });
});

test("a run that does it to another number of them is the same work", async () => {
  const task = "Pack the things.";
  const runs = [
    traceOf(task, [rows("Hat", "Jeans", "Coat", "Wallet"), pack(10), pack(11), pack(13)], "a"),
    traceOf(
      task,
      [rows("Keys", "Socks", "Map", "Tent", "Rope"), pack(14), pack(11), pack(12), pack(13)],
      "b",
    ),
  ];
  const draft = await real.of(runs);
  expect(draft.plan.steps.map(({ kind }) => kind)).toEqual(["call", "loop"]);
  expect(failing(await real.verified(draft.name))).toEqual([]);
});

test("two that the task does not name stay single calls", () => {
  const input = inputOf("Pack them.", [rows("Hat", "Jeans", "Coat"), pack(12), pack(11)]);
  expect(Object.keys(input)).not.toContain("page_titles");
});

test("calls of the same tool that have something else in common are another loop", () => {
  const people: Told = ["docs.list_people", {}, { people: [{ id: id(71), name: "Ada" }] }];
  const assign = (nth: number, ...who: readonly string[]): Told => [
    "docs.update_page",
    { page_id: id(nth), people: who },
    null,
  ];
  const input = inputOf("Give Jeans, Keys and Wallet to Ada, and Hat, Coat and Map to nobody.", [
    people,
    rows("Hat", "Jeans", "Coat", "Wallet", "Keys", "Map"),
    ...[10, 12, 15].map((nth) => assign(nth)),
    ...[11, 14, 13].map((nth) => assign(nth, id(71))),
  ]);
  expect(input).toMatchObject({
    page_titles: ["Hat", "Coat", "Map"],
    second_page_titles: ["Jeans", "Keys", "Wallet"],
  });
});
