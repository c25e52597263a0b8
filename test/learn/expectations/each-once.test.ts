import { expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, isVerified, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const written = async (draft: Draft, text: string): Promise<unknown> => {
  const done = await writtenIn(draft, { "/in.csv": text });
  return typeof done === "string" ? done : done.map(({ content, body }) => content ?? body);
};

async function draftOf(task: string, text: string, content: string): Promise<Draft> {
  return extracted(`once-${task.length}-${text.length}`, task, [
    [
      ["desk.read_file", { path: "/in.csv" }, text],
      ["desk.write_file", { path: "/out.txt", content }, "Written"],
    ],
  ]);
}

const HOURS = "person,morning,afternoon\nAnn,3.5,4\nBo,4,4.25\nCy,2,5\n";
const SUMS = "Ann: 7.5\nBo: 8.25\nCy: 7\n";

test.each([
  ["Write how many hours each person of /in.csv worked, mornings and afternoons together, to /out.txt."],
  ["Write the hours per person of /in.csv to /out.txt, mornings and afternoons together."],
])("what is written for each is not written twice: %s", async (task) => {
  const draft = await draftOf(task, HOURS, SUMS);
  expect([questionsOf(draft), isVerified(draft)]).toEqual([[], true]);
  expect(await written(draft, "person,morning,afternoon\nDee,1,2\nEd,1,2\n")).toEqual(["Dee: 3\nEd: 3\n"]);
  expect(await written(draft, "person,morning,afternoon\nDee,1,2\nEd,1,2\nDee,2,2\n")).toEqual(
    expect.any(String),
  );
});

test("each row has its line where the task says so, whoever is in it", async () => {
  const task = "Write a line with the hours for each row of /in.csv to /out.txt.";
  const draft = await draftOf(task, HOURS, SUMS);
  expect(await written(draft, "person,morning,afternoon\nDee,1,2\nDee,2,2\n")).toEqual(["Dee: 3\nDee: 4\n"]);
});

test("nobody gets two mails where each is to get one", async () => {
  const members = ["Ann", "Bo", "Cy"].map((name) => [name, `${name.toLowerCase()}@x.org`] as const);
  const table = (rows: readonly (readonly [string, string])[]): string =>
    `member,mail\n${rows.map((row) => `${row.join(",")}\n`).join("")}`;
  const draft = await extracted("once-mails", "Tell every member of /in.csv that the hall is open again.", [
    [
      ["desk.read_file", { path: "/in.csv" }, table(members)],
      ...members.map(
        ([name, to]) =>
          ["desk.send", { to, subject: "Open again", body: `Dear ${name}, come!` }, "Sent"] as const,
      ),
    ],
  ]);
  expect(
    await written(
      draft,
      table([
        ["Dee", "d@x.org"],
        ["Ed", "e@x.org"],
      ]),
    ),
  ).toEqual(["Dear Dee, come!", "Dear Ed, come!"]);
  expect(
    await written(
      draft,
      table([
        ["Dee", "d@x.org"],
        ["Dee", "e@x.org"],
      ]),
    ),
  ).toEqual(expect.any(String));
});
