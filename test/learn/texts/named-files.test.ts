import { expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, paramsOf, provideFolder, writtenIn } from "../extracted.ts";

provideFolder();

async function draftOf(task: string): Promise<Draft> {
  return extracted(`file-${task.length}`, task, [
    [
      ["desk.read_file", { path: "/notes/tax.md" }, { content: "Due: May 31\nOwner: Ann Lee\n" }],
      ["desk.write_file", { path: "/reminders/tax.md", content: "Due: May 31\n" }, "Written"],
    ],
  ]);
}

test("a file that the task names once is one parameter, in whatever folder it is", async () => {
  const draft = await draftOf("Write a reminder for the note tax.md.");
  expect(paramsOf(draft)).toEqual(["folder", "file", "secondFolder"]);
  const notes = { "/notes/car.md": { content: "Owner: Bo Xu\nDue: June 12\n" } };
  expect(await writtenIn(draft, notes, { file: "car.md" })).toEqual([
    { path: "/reminders/car.md", content: "Due: June 12\n" },
  ]);
});

test("one that the task names in each place is the caller's in each", async () => {
  const draft = await draftOf("Write when /notes/tax.md is due to /reminders/tax.md.");
  expect(paramsOf(draft)).toHaveLength(2);
  const notes = { "/notes/tax.md": { content: "Owner: Bo Xu\nDue: June 12\n" } };
  const [first = "", second = ""] = paramsOf(draft);
  expect(await writtenIn(draft, notes, { [first]: "/notes/tax.md", [second]: "/new/x.md" })).toEqual([
    { path: "/new/x.md", content: "Due: June 12\n" },
  ]);
});
