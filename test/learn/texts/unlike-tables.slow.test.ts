import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { examples, extracted, isVerified, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const TASK =
  "Which hikers have not paid yet? They are in /desk/hikers, what was paid in /desk/cash. Write the names to /desk/open.";
const HIKERS = "hiker,hut,fee\nInes Ray,North,120\nOmar Lund,East,135\nPia Voss,North,150\nTom Ek,West,145\n";
const CASH = "day,payer,received\nMonday,Omar Lund,135\nTuesday,Tom Ek,145\n";

async function draftOf(task: string, hikers: string, cash: string, content: string): Promise<Draft> {
  return extracted(`hikers-${task.length}-${hikers.length}-${cash.length}`, task, [
    [
      ["desk.read_file", { path: "/desk/hikers" }, hikers],
      ["desk.read_file", { path: "/desk/cash" }, cash],
      ["desk.write_file", { path: "/desk/open", content }, "Written"],
    ],
  ]);
}

async function written(draft: Draft, hikers: string, cash: string): Promise<Json | undefined> {
  const done = await writtenIn(draft, { "/desk/hikers": hikers, "/desk/cash": cash });
  return typeof done === "string" ? done : done[0]?.["content"];
}

const asksNothing = (draft: Draft): boolean =>
  Object.values(examples(draft)).every((value) => typeof value === "string" && value.startsWith("/desk/"));

describe("two tables that have no column in common, and as many columns", () => {
  const others = "hiker,hut,fee\nAda Holm,South,90\nBo Falk,East,80\nCy Roos,West,75\n";

  test.each([
    ["with the amounts of the other", CASH],
    ["with other amounts", "day,payer,received\nMonday,Omar Lund,35\nTuesday,Tom Ek,45\n"],
  ])("are read as tables, %s, and one tells by names whom the other lacks", async (_, cash) => {
    const draft = await draftOf(TASK, HIKERS, cash, "Ines Ray\nPia Voss\n");
    expect([isVerified(draft), asksNothing(draft), questionsOf(draft).length]).toEqual([true, true, 1]);
    expect(await written(draft, others, "day,payer,received\nFriday,Cy Roos,20\n")).toBe(
      "Ada Holm\nBo Falk\n",
    );
  });

  test.each([
    ["a name that is written otherwise", others, "day,payer,received\nFriday,Falk Bo,80\n", /otherwise/],
    [
      "nobody who is left",
      others,
      "day,payer,received\nFriday,Ada Holm,1\nFriday,Bo Falk,1\nMonday,Cy Roos,1\n",
      /missing/,
    ],
    [
      "a table with another column for the names",
      others,
      "day,from,received\nFriday,Bo Falk,80\n",
      /no payer/,
    ],
    ["a table of hikers without names", "hut,fee\nSouth,90\nEast,80\n", CASH, /no hiker/],
  ])("%s stops the skill", async (_, hikers, cash, error) => {
    const draft = await draftOf(TASK, HIKERS, CASH, "Ines Ray\nPia Voss\n");
    expect(await written(draft, hikers, cash)).toMatch(error);
  });

  test("lines without names of columns are lines", async () => {
    const lines = "Ines,North,red\nOmar,East,blue\nPia,South,green\n";
    const draft = await draftOf(TASK, lines, "Omar,Monday,cash\nTom,Tuesday,card\n", "Ines\nPia\n");
    expect(asksNothing(draft)).toBe(true);
    expect(await written(draft, "Ada,East,red\nBo,West,blue\n", "Cy,Friday,card\nBo,Monday,cash\n")).toBe(
      "Ada\n",
    );
  });

  test("are of no use where the task says nothing of whom one lacks", async () => {
    const task = "Look at /desk/hikers and /desk/cash and write two names to /desk/open.";
    expect(examples(await draftOf(task, HIKERS, CASH, "Ines Ray\nPia Voss\n"))["content"]).toBe(
      "Ines Ray\nPia Voss\n",
    );
  });
});

describe("a plain list and a table, whose lines are a list, too", () => {
  const task =
    "Which plants of /desk/hikers are missing in the table /desk/cash? Write them to /desk/open, one in a line.";
  const table = "plant,sort\nfern,Royal\nrose,Alba\nheather,Pink\n";

  test("are read each in its way, also in another order", async () => {
    const draft = await draftOf(task, "rose\nthyme\nfern\nsage\n", table, "thyme\nsage\n");
    expect([isVerified(draft), asksNothing(draft)]).toEqual([true, true]);
    expect(await written(draft, "ivy\nmint\nplant\n", "sort,plant\nGreen,mint\nRed,rose\n")).toBe(
      "ivy\nplant\n",
    );
    expect(await written(draft, "ivy\nmint\n", "herb,sort\nmint,Green\nrose,Red\n")).toMatch(/no plant/);
  });
});
