import { afterAll, describe, expect, test } from "vitest";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import { type Told, traceOf } from "../learned.ts";
import { RealDrafts } from "./real-drafts.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const ROOM: Told = ["store.open_room", { room: "Annex" }, { room: "Annex", key: "key-55012" }];
const PUT: Told = [
  "store.put",
  {
    key: "key-55012",
    style: "append",
    order: { by: "shelf_number", descending: false },
    words: "Winter coats",
  },
  { done: true },
];
const REFUSED: Told = ["store.put", { key: 7 }, null, "Invalid arguments"];
const TASK = "Put the label Winter coats into the room Annex";

describe("what looks like how the work is done", () => {
  test("is asked for, until a person takes the edits with which the draft is offered", async () => {
    const draft = await real.verified((await real.of([traceOf(TASK, [ROOM, REFUSED, PUT])])).name);
    const view = draftView(draft);
    expect(view.fixed?.params).toEqual(["style", "order"]);
    expect(view.offer.isOffered).toBe(false);
    expect(draftText(view, { columns: 4000 })).toContain(JSON.stringify(view.proposed?.edits));
    const revised = await real.revised(draft, view.proposed?.edits ?? []);
    expect(revised.plan.params.map(({ example }) => example)).toEqual(["Annex", "Winter coats"]);
    expect(draftView(revised).offer).toEqual({ isOffered: true, obstacles: [] });
  });

  test.each([
    ["what the task says", { style: "label" }],
    ["an amount", { style: 3 }],
    ["a name", { style: "Append" }],
    ["a list of what is wanted", { style: ["append"] }],
  ])("%s does not", async (_, args) => {
    const trace = traceOf(TASK, [ROOM, ["store.put", { key: "key-55012", ...args }, { done: true }]]);
    expect(draftView(await real.of([trace])).fixed).toBeUndefined();
  });

  test("by which a row is found does not, where no task is known", async () => {
    const people =
      "id,name,role,city\np-101,Ada Byron,Engineer,London\np-102,Grace Hopper,Admiral,New York\np-103,Alan Turing,Mathematician,Wilmslow\n";
    const note = { path: "/home/notes/p-102.txt", content: "Grace Hopper, Admiral, New York\n" };
    const { id, calls } = traceOf("", [
      ["files.read_text_file", { path: "/home/people.csv" }, { content: people }],
      ["files.write_file", note, { content: `Successfully wrote to ${note.path}` }],
    ]);
    const view = draftView(await real.of([{ id, calls }]));
    expect(view.params.map(({ name }) => name)).toEqual(["path", "folder", "id"]);
    expect(view.fixed).toBeUndefined();
  });
});
