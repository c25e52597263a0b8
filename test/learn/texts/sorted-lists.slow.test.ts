import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, isVerified, paramsOf, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

async function draftOf(task: string, text: string, content: string): Promise<Draft> {
  return extracted(`sorted-${task.length}-${content.length}`, task, [
    [
      ["desk.read_file", { path: "/desk/in" }, text],
      ["desk.write_file", { path: "/desk/out", content }, "Written"],
    ],
  ]);
}

async function written(draft: Draft, text: string): Promise<Json | undefined> {
  const done = await writtenIn(draft, { "/desk/in": text });
  return typeof done === "string" ? done : done[0]?.["content"];
}

const BOOKS = "title,year,pages\nEmma,1815,474\nDune,1965,412\nUlysses,1922,730\n";
const LUNCHES = "name,lunch\nAnn,Soup\nBo,Pie\nCy,Soup\nDee,Rice\nEd,Soup\nFay,Rice\n";
const OTHER_BOOKS = "title,year,pages\nB,2003,9\nA,1999,9\nC,2001,70\n";
const OTHER_LUNCHES = "name,lunch\nA,Tart\nB,Stew\nC,Stew\n";

describe("lines in the order that the task asks for", () => {
  test.each([
    [
      "Sort the names in /desk/in into /desk/out.",
      "Mia\nAnn\nZoe\n",
      "Ann\nMia\nZoe\n",
      "Cy\nBo\n",
      "Bo\nCy\n",
    ],
    [
      "Sort the names in /desk/in into /desk/out.",
      "Ann\nMia\nZoe\n",
      "Ann\nMia\nZoe\n",
      "Cy\nBo\n",
      "Bo\nCy\n",
    ],
    [
      "List the books of /desk/in in /desk/out by year, oldest first.",
      BOOKS,
      "Emma\nUlysses\nDune\n",
      OTHER_BOOKS,
      "A\nC\nB\n",
    ],
    [
      "List the books of /desk/in in /desk/out by pages, descending.",
      BOOKS,
      "Ulysses (730)\nEmma (474)\nDune (412)\n",
      OTHER_BOOKS,
      "C (70)\nB (9)\nA (9)\n",
    ],
    [
      "Sort the books of /desk/in by title, with years, in /desk/out.",
      BOOKS,
      "- Dune, 1965\n- Emma, 1815\n- Ulysses, 1922\n",
      OTHER_BOOKS,
      "- A, 1999\n- B, 2003\n- C, 2001\n",
    ],
    [
      "How many want each lunch of /desk/in? To /desk/out, alphabetically.",
      LUNCHES,
      "Pie: 1\nRice: 2\nSoup: 3\n",
      OTHER_LUNCHES,
      "Stew: 2\nTart: 1\n",
    ],
    [
      "How many want each lunch of /desk/in? To /desk/out, the most frequent first.",
      LUNCHES,
      "Soup: 3\nRice: 2\nPie: 1\n",
      OTHER_LUNCHES,
      "Stew: 2\nTart: 1\n",
    ],
    [
      "Each lunch of /desk/in once, alphabetically, to /desk/out.",
      LUNCHES,
      "Pie\nRice\nSoup\n",
      OTHER_LUNCHES,
      "Stew\nTart\n",
    ],
  ])("%s", async (task, text, content, otherText, otherContent) => {
    const draft = await draftOf(task, text, content);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
    expect(isVerified(draft)).toBe(true);
    expect(await written(draft, otherText)).toBe(otherContent);
  });

  test.each([
    ["the same name in other letters", "ann\nAnn\n"],
    ["numbers of other lengths", "room 9\nroom 10\n"],
    ["letters that have no place among these", "Zoe\nÄnne\n"],
  ])("stops where it is not clear which comes first: %s", async (_, text) => {
    const draft = await draftOf(
      "Sort the lines in /desk/in into /desk/out.",
      "pear\nfig\nplum\n",
      "fig\npear\nplum\n",
    );
    expect(await written(draft, text)).toMatch(/not clear which comes first|no(?:t| number)/);
  });

  test("by what the task does not name is an open question", async () => {
    const draft = await draftOf("Sort the books of /desk/in into /desk/out.", BOOKS, "Ulysses\nEmma\nDune\n");
    expect(questionsOf(draft)).toHaveLength(1);
  });

  test.each([
    ["Write the books of /desk/in to /desk/out.", "Dune\nEmma\nUlysses\n"],
    [
      "How many want each lunch of /desk/in? To /desk/out, the most frequent first.",
      "Pie: 1\nRice: 2\nSoup: 3\n",
    ],
  ])("is the caller's where the task asks for none, or for another: %s", async (task, content) => {
    const draft = await draftOf(task, content.includes("Pie") ? LUNCHES : BOOKS, content);
    expect(paramsOf(draft)).toContain("content");
  });
});

test("of two with one name nothing tells which comes first, unless a run had such a pair", async () => {
  const pupils = (...rows: readonly string[]) => `first,last\n${rows.join("\n")}\n`;
  const task = "List the pupils of /desk/in in /desk/out, sorted by last name.";
  const one = await draftOf(
    task,
    pupils("Lena,Wolf", "Tim,Adler", "Ina,Kaya"),
    "Adler, Tim\nKaya, Ina\nWolf, Lena\n",
  );
  expect(await written(one, pupils("Zoe,Mann", "Ali,Demir"))).toBe("Demir, Ali\nMann, Zoe\n");
  expect(await written(one, pupils("Zoe,Mann", "Ben,Mann", "Ali,Demir"))).toContain(
    "not clear which comes first",
  );
  const pair = await draftOf(
    `${task} `,
    pupils("Lena,Wolf", "Tim,Adler", "Ina,Wolf"),
    "Adler, Tim\nWolf, Lena\nWolf, Ina\n",
  );
  expect(await written(pair, pupils("Zoe,Mann", "Ben,Mann", "Ali,Demir"))).toBe(
    "Demir, Ali\nMann, Zoe\nMann, Ben\n",
  );
});

describe("by which column a list is sorted", () => {
  const people = (...rows: readonly string[]) => `born,name\n${rows.join("\n")}\n`;
  const [seen, other] = [
    people("1990-01-02,Cy Ek", "1980-05-01,Ann Lee", "1985-03-04,Bo Hu"),
    people("1999-01-01,Al Po", "1970-01-01,Zoe Abt"),
  ];
  const content = "Ann Lee, 1980-05-01\nBo Hu, 1985-03-04\nCy Ek, 1990-01-02\n";

  test.each([
    [
      "List who is in /desk/in, sorted by name with the day born, in /desk/out.",
      "Al Po, 1999-01-01\nZoe Abt, 1970-01-01\n",
    ],
    [
      "List who is in /desk/in with when they were born in alphabetical order in /desk/out.",
      "Al Po, 1999-01-01\nZoe Abt, 1970-01-01\n",
    ],
    [
      "List the names of /desk/in by the day born, sorted by born, in /desk/out.",
      "Zoe Abt, 1970-01-01\nAl Po, 1999-01-01\n",
    ],
  ])("is the one that stands behind `sorted by`, or is words: %s", async (task, expected) => {
    expect(await written(await draftOf(task, seen, content), other)).toBe(expected);
  });

  test("is none of whole names where a part of them is asked for", async () => {
    const task = "List the names of /desk/in with the day born, sorted by last name, in /desk/out.";
    const rows = people("1990-01-02,Cy Ek", "1980-05-01,Ann Abt", "1985-03-04,Bo Cox");
    const draft = await draftOf(task, rows, "Ann Abt, 1980-05-01\nBo Cox, 1985-03-04\nCy Ek, 1990-01-02\n");
    expect(paramsOf(draft)).toContain("content");
  });
});
