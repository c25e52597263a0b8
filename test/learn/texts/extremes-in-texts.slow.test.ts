import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { extracted, isVerified, paramsOf, provideFolder, questionsOf, writtenIn } from "../extracted.ts";

provideFolder();

const COSTS = "department;costs\nSales;12000\nIT;34000\nHR;8000\n";

async function draftOf(name: string, task: string, table: string, content: string): Promise<Draft> {
  const run = [
    ["desk.read_file", { path: "/desk/table.csv" }, table],
    ["desk.write_file", { path: "/desk/top.txt", content }, "Written"],
  ] as const;
  return extracted(name, task, [run], ["desk.read_file"]);
}

function written(draft: Draft, table: string): ReturnType<typeof writtenIn> {
  return writtenIn(draft, { "/desk/table.csv": table });
}

describe("a text with what has the most of what the task names", () => {
  test.each([
    ["IT", "HR"],
    ["IT\n", "HR\n"],
    ["IT: 34000\n", "HR: 9000\n"],
    ["Department: IT", "Department: HR"],
  ])("is found where it is %j, however short its name", async (content, other) => {
    const task = "Which department has the highest costs in /desk/table.csv? Write it to /desk/top.txt.";
    const draft = await draftOf("top", task, COSTS, content);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
    expect(questionsOf(draft)).toHaveLength(1);
    expect(isVerified(draft)).toBe(true);
    expect(await written(draft, "department;costs\nSales;12\nHR;9000\nIT;800\nBoard;8999\n")).toEqual([
      { path: "/desk/top.txt", content: other },
    ]);
    expect(await written(draft, "department;costs\nSales;9000\nHR;9000\n")).toMatch(/as much/);
    expect(await written(draft, "department;costs\nSales;unknown\nHR;9000\n")).toMatch(/no number/);
    expect(await written(draft, "department;costs\n")).toEqual(expect.any(String));
  });

  test.each([
    ["Find the most expensive article in /desk/table.csv and write its name to /desk/top.txt.", "Desk"],
    [
      "Who sold most? The sales by article are in /desk/table.csv: write the article to /desk/top.txt.",
      "Fan",
    ],
  ])("is found by other words: %s", async (task, content) => {
    const table = "name,price,sales\nLamp,40,3\nDesk,120,1\nFan,60,12\n";
    const draft = await draftOf("words", task, table, content);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
  });

  test.each([
    ["Write the department of which we spoke to /desk/top.txt, from /desk/table.csv."],
    ["Write the department with the highest rank in /desk/table.csv to /desk/top.txt."],
    ["Departments spend at most 40000, says /desk/table.csv. Write the one in Rome to /desk/top.txt."],
  ])("is what the caller says where the task does not name the quantity: %s", async (task) => {
    const draft = await draftOf("unsaid", task, COSTS, "IT\n");
    expect(paramsOf(draft)).toContain("content");
  });
});

describe("a text with what is the oldest or the latest", () => {
  const BOOKS =
    "title,author,year\nEmma,Jane Austen,1815\nDune,Frank Herbert,1965\nUlysses,James Joyce,1922\n";

  test.each([["oldest"], ["earliest"]])("is no first row where the rows tell years: %s", async (word) => {
    const task = `Write the title of the ${word} book in /desk/table.csv to /desk/top.txt.`;
    const draft = await draftOf(word, task, BOOKS, "Emma\n");
    expect(paramsOf(draft)).toContain("content");
  });

  test("is the first or last one with a question, and by an ordinal without", async () => {
    const log = "# Changes\n\n## 2.1.0\n\n- Faster\n\n## 2.0.0\n\n- First\n";
    const to = "in /desk/table.csv to /desk/top.txt.";
    expect(
      questionsOf(await draftOf("latest", `Write the latest version ${to}`, log, "2.1.0\n")),
    ).toHaveLength(1);
    expect(questionsOf(await draftOf("first", `Write the first version ${to}`, log, "2.1.0\n"))).toEqual([]);
  });
});
