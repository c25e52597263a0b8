import { expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, isVerified, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

type Files = Readonly<Record<string, string>>;

const listOf = (files: Files): string =>
  Object.keys(files)
    .map((name) => `[FILE] ${name}`)
    .join("\n");
const move = (name: string) => ({ source: `/inbox/${name}`, destination: `/done/${name}` });

async function draftOf(task: string, files: Files, moved: readonly string[]): Promise<Draft> {
  return extracted(`kinds-${task.length}-${listOf(files).length}`, task, [
    [
      ["desk.list", { path: "/inbox" }, listOf(files)],
      ...Object.entries(files).map(
        ([name, text]) => ["desk.read_file", { path: `/inbox/${name}` }, text] as const,
      ),
      ...moved.map((name) => ["desk.move_file", move(name), "Moved"] as const),
    ],
  ]);
}

async function movedIn(draft: Draft, files: Files): Promise<unknown> {
  const texts = Object.entries(files).map(([name, text]) => [`/inbox/${name}`, text] as const);
  return writtenIn(draft, { "/inbox": listOf(files), ...Object.fromEntries(texts) });
}

const INVOICES = {
  "a.txt": "Invoice 12\n\nStatus: paid\n",
  "b.txt": "Invoice 13\n\nStatus: open\n",
  "c.txt": "Invoice 14\n\nStatus: paid\n",
};
const LETTERS = Object.fromEntries(
  Object.entries(INVOICES).map(([name, text]) => [name, text.replace("Invoice", "Letter")]),
);

test("of all things of a kind that the task says, none is another kind", async () => {
  const draft = await draftOf("Move all invoices in /inbox that are paid to /done.", INVOICES, [
    "a.txt",
    "c.txt",
  ]);
  expect(isVerified(draft)).toBe(true);
  expect(await movedIn(draft, { "x.txt": "Invoice 7\n\nStatus: paid\n" })).toEqual([move("x.txt")]);
  // On which nothing is done may be any.
  const mixed = { "x.txt": "Invoice 7\n\nStatus: paid\n", "y.txt": "Offer 8\n\nStatus: open\n" };
  expect(await movedIn(draft, mixed)).toEqual([move("x.txt")]);
  const paid = { ...mixed, "y.txt": "Offer 8\n\nStatus: paid\n" };
  expect(await movedIn(draft, paid)).toEqual(expect.any(String));
});

test.each([
  ["Move everything in /inbox that is paid to /done.", INVOICES],
  ["Move all invoices in /inbox that are paid to /done.", LETTERS],
])("what no element says of its kind, or no task asks for, is not looked at: %s", async (task, files) => {
  const draft = await draftOf(task, files, ["a.txt", "c.txt"]);
  expect(await movedIn(draft, { "x.txt": "Offer 7\n\nStatus: paid\n" })).toEqual([move("x.txt")]);
});
