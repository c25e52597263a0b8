import { expect, test } from "vitest";
import { extracted, provideFolder, type Told, writtenIn } from "../extracted.ts";

provideFolder();

const read = (path: string, text: string): Told => ["desk.read_file", { path }, text];

test("a number that is compared or sorted by stands in a text as the other text has it, or it stops", async () => {
  const draft = await extracted("ages", "Write all in /x.csv with their ages to /l.md, the oldest first.", [
    [
      read("/x.csv", "name,age\nAnn,31\nBo,52\nCy,19\n"),
      ["desk.write_file", { path: "/l.md", content: "- Bo: 52\n- Ann: 31\n- Cy: 19\n" }, "Written"],
    ],
  ]);
  const wrote = (text: string) => writtenIn(draft, { "/x.csv": text });
  expect(await wrote("name,age\nA,9.5\nB,10\n")).toEqual([{ path: "/l.md", content: "- B: 10\n- A: 9.5\n" }]);
  expect(await wrote("name,age\nA,9.50\nB,10\n")).toEqual(expect.stringContaining("otherwise"));
  expect(await wrote("name,age\nA,9\nB,10.0\n")).toEqual(expect.stringContaining("otherwise"));
});

test("where numbers were written with more digits than they need, they still are", async () => {
  const draft = await extracted("cheap", "Write what costs less than 50 in /p.csv with its price to /l.md.", [
    [
      read("/p.csv", "name,price\nLamp,40.00\nDesk,120.00\nCup,5.50\n"),
      ["desk.write_file", { path: "/l.md", content: "- Lamp: 40.00\n- Cup: 5.50\n" }, "Written"],
    ],
  ]);
  expect(await writtenIn(draft, { "/p.csv": "name,price\nA,1.00\nB,50.00\nC,49.90\n" })).toEqual([
    { path: "/l.md", content: "- A: 1.00\n- C: 49.90\n" },
  ]);
});

test("what is only compared may be written in any way", async () => {
  const draft = await extracted("debts", "Mail all in /d.csv who owe more than 100 the text 'Please pay.'", [
    [
      read("/d.csv", "mail,owes\nann@x.org,150\nbo@x.org,80\ncy@x.org,220\n"),
      ["mail.send", { to: "ann@x.org", body: "Please pay." }, "Sent"],
      ["mail.send", { to: "cy@x.org", body: "Please pay." }, "Sent"],
    ],
  ]);
  expect(await writtenIn(draft, { "/d.csv": "mail,owes\na@x.org,100.50\nb@x.org,99.90\n" })).toEqual([
    { to: "a@x.org", body: "Please pay." },
  ]);
});
