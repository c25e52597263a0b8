import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import {
  examples,
  extracted,
  isVerified,
  paramsOf,
  provideFolder,
  questionsOf,
  writtenIn,
} from "../extracted.ts";

provideFolder();

const FILES: Readonly<Record<string, string>> = {
  "/data/reports": "[FILE] a.txt\n[FILE] b.txt",
  "/data/reports/a.txt": "Report A\ntotal: 120\n",
  "/data/reports/b.txt": "Report B\ntotal: 80\n",
};
const SUMMED = "Read all reports in /data/reports and write the sum of their totals to /data/summary.txt";

async function drafted(name: string, task: string, content: string): Promise<Draft> {
  const read = (tool: string, path: string): [string, { path: string }, Json] => [
    tool,
    { path },
    FILES[path] ?? null,
  ];
  return extracted(name, task, [
    [
      read("desk.list", "/data/reports"),
      read("desk.read_file", "/data/reports/a.txt"),
      read("desk.read_file", "/data/reports/b.txt"),
      ["desk.write_file", { path: "/data/summary.txt", content }, "Written"],
    ],
  ]);
}

/** What the skill writes where the files are these, or how it stops. */
async function written(
  draft: Draft,
  files: Readonly<Record<string, string>>,
  given: JsonObject = {},
): Promise<Json | undefined> {
  const done = await writtenIn(draft, files, given);
  return typeof done === "string" ? done : done[0]?.["content"];
}

const OTHER = {
  "/data/reports": "[FILE] x.txt\n[FILE] y.txt\n[FILE] z.txt",
  "/data/reports/x.txt": "Report X\ntotal: 7\n",
  "/data/reports/y.txt": "Report Y\ntotal: 10\n",
  "/data/reports/z.txt": "Report Z\ntotal: 40\n",
};

test.each([
  ["its label and a line end", ".", "total: 200\n", "total: 57\n"],
  ["the label that the task has in single quotes", " as 'total: N'.", "total: 200\n", "total: 57\n"],
  ["the label that the task has in double quotes", ' as "total: <sum>".', "total: 200", "total: 57"],
  ["a label that the task says elsewhere", ", after the word total.", "total: 200", "total: 57"],
  ["nothing else", ".", "200", "57"],
  ["a line end", ".", "200\n", "57\n"],
  ["plain words", ".", "The sum is 200.", "The sum is 57."],
  ["an own heading", ".", "# Overview\n\nTotal: 200\n", "# Overview\n\nTotal: 57\n"],
])("the sum that a task asks for is written with %s", async (name, end, content, other) => {
  const draft = await drafted(name.replaceAll(" ", "-"), `${SUMMED}${end}`, content);
  expect(isVerified(draft)).toBe(true);
  expect(paramsOf(draft)).toEqual(["listPath", "writePath"]);
  expect(await written(draft, OTHER)).toBe(other);
});

test("the sum of all is asked for where all are what the task says, and others may not be", async () => {
  const rows = [412, 763].map((km) => `2026-03-01;${km};business\n`).join("");
  const task =
    "Add up the kilometres of all business trips in /data/logbook.csv and write the sum to /data/km.txt.";
  const draft = await extracted("all-trips", task, [
    [
      ["desk.read_file", { path: "/data/logbook.csv" }, `date;km;purpose\n${rows}`],
      ["desk.write_file", { path: "/data/km.txt", content: "1175\n" }, "Written"],
    ],
  ]);
  expect(examples(draft)["content"]).toBe("1175\n");
});

describe("a total of those of which the task says something", () => {
  const log = (rows: readonly (readonly [number, string])[]): string =>
    `date;km;purpose\n${rows.map(([km, purpose]) => `2026-03-01;${km};${purpose}\n`).join("")}`;
  const SEEN = [
    [412, "business"],
    [38, "private"],
    [763, "business"],
    [55, "shopping"],
  ] as const;
  const path = "/data/logbook.csv";
  const draftOf = async (task: string, content: string): Promise<Draft> =>
    extracted(`trips-${task.length}-${content.length}`, task, [
      [
        ["desk.read_file", { path }, log(SEEN)],
        ["desk.write_file", { path: "/data/km.txt", content }, "Written"],
      ],
    ]);

  test.each([
    [
      `Add up the kilometres of all business trips in ${path}, the sum goes to /data/km.txt.`,
      "1175\n",
      "5\n",
    ],
    [`How many trips of ${path} were for business? Write the number to /data/km.txt.`, "2", "1"],
    [`How many trips of ${path} were for business? Write the number to /data/km.txt.`, "2\n", "1\n"],
    [
      `How many trips of ${path} were for business? Write 'trips: N' to /data/km.txt.`,
      "trips: 2\n",
      "trips: 1\n",
    ],
    [`How many trips of ${path} had 412 km or more? Write the number to /data/km.txt.`, "2", "1"],
    [`How many trips of ${path} had at most 412 km? Write the number to /data/km.txt.`, "3", "1"],
  ])("is an open question, and stops where there is none: %s", async (task, content, other) => {
    const draft = await draftOf(task, content);
    expect(isVerified(draft)).toBe(true);
    expect(questionsOf(draft)).toHaveLength(1);
    expect(examples(draft)).not.toHaveProperty("content");
    const limit = task.includes("at most") ? 400 : 500;
    const rows = [
      [5, "business"],
      [500, "private"],
    ] as const;
    const given = "km_limit" in examples(draft) ? { km_limit: limit } : {};
    expect(await written(draft, { [path]: log(rows) }, given)).toBe(other);
    const none = task.includes("km") ? [] : ([[450, "Business"]] as const);
    expect(await written(draft, { [path]: log(none) })).toEqual(expect.stringMatching(/none|othing|table/));
  });

  test.each([
    [`Write how the trips of ${path} were to /data/km.txt.`, "2"],
    [`How many trips of ${path} went abroad? Write the number to /data/km.txt.`, "3"],
  ])(
    "is the caller's where the task does not ask for it, or it is another number: %s",
    async (task, content) => {
      expect(examples(await draftOf(task, content))["content"]).toBe(content);
    },
  );
});

describe("an average, and how many of a hundred", () => {
  const scores = (...rows: readonly string[]): string =>
    `pupil,score,class\n${rows.map((row) => `${row}\n`).join("")}`;
  const SEEN = scores("Ann,71,east", "Bo,48,west", "Cy,90,east", "Dee,67,east");
  const draftOf = async (task: string, content: string): Promise<Draft> =>
    extracted(`scores-${task.length}-${content.length}`, task, [
      [
        ["desk.read_file", { path: "/s.csv" }, SEEN],
        ["desk.write_file", { path: "/a.txt", content }, "Written"],
      ],
    ]);

  test.each([
    ["Write the average score of /s.csv to /a.txt with one decimal.", "69.0\n", "1.7\n"],
    ["Write the average score of /s.csv to /a.txt, rounded.", "69", "2"],
    ["What percent of /s.csv is in class east? Write it to /a.txt, rounded.", "75%\n", "67%\n"],
  ])("has the decimals of the run: %s", async (task, content, other) => {
    const draft = await draftOf(task, content);
    expect(isVerified(draft)).toBe(true);
    expect(examples(draft)).not.toHaveProperty("content");
    expect(await written(draft, { "/s.csv": scores("A,1,east", "B,2,west", "C,2,east") })).toBe(other);
    expect(await written(draft, { "/s.csv": scores() })).toMatch(/no number|Nothing/);
  });

  test("stops half way between two numbers", async () => {
    const draft = await draftOf("Write the average score of /s.csv to /a.txt with one decimal.", "69.0\n");
    expect(await written(draft, { "/s.csv": scores("A,1,east", "B,1.5,west") })).toMatch(/not clear how/);
  });

  test.each([
    ["Write the average score of /s.csv to /a.txt.", "69\n"],
    ["What percent of /s.csv is in class east? Write it to /a.txt.", "75%\n"],
  ])("is an open question where nothing says with how many decimals: %s", async (task, content) => {
    const draft = await draftOf(task, content);
    expect(examples(draft)).not.toHaveProperty("content");
    expect(questionsOf(draft)).toHaveLength(1);
  });

  test("is the caller's where the task does not ask for it", async () => {
    expect(
      examples(await draftOf("Write the best score of /s.csv that is possible to /a.txt.", "69\n"))[
        "content"
      ],
    ).toBe("69\n");
  });
});

describe("a sum of money", () => {
  const spent = (...rows: readonly string[]): string =>
    `day,kind,price\n${rows.map((row) => `${row}\n`).join("")}`;
  const SEEN = spent("Mon,paint,12.50", "Tue,wood,40.25", "Wed,paint,7.10", "Thu,nails,3.00");
  const ALL = "Add up the prices in /spent.csv and write the sum to /sum.txt.";
  const PAINT = "What is the total for paint in /spent.csv? Write it to /sum.txt.";
  const draftOf = async (task: string, content: string, seen = SEEN): Promise<Draft> =>
    extracted(`spent-${task.length}-${content.length}-${seen.length}`, task, [
      [
        ["desk.read_file", { path: "/spent.csv" }, seen],
        ["desk.write_file", { path: "/sum.txt", content }, "Written"],
      ],
    ]);

  test.each([
    [PAINT, "Paint: 19.60\n", "Paint: 6.00\n"],
    [PAINT, "19.60\n", "6.00\n"],
    [PAINT, "19.60", "6.00"],
    ["How much did we pay for paint in /spent.csv? Write it to /sum.txt.", "19.60\n", "6.00\n"],
  ])("is written with two decimals as the run had it: %s", async (task, content, other) => {
    const draft = await draftOf(task, content);
    expect(isVerified(draft)).toBe(true);
    expect(examples(draft)).not.toHaveProperty("content");
    const rows = spent("Fri,wood,4.50", "Sat,paint,6.00");
    expect(await written(draft, { "/spent.csv": rows })).toBe(other);
  });

  test("stops at a part of a cent, and where there is none", async () => {
    const draft = await draftOf(PAINT, "19.60\n");
    expect(await written(draft, { "/spent.csv": spent("Fri,paint,1.125") })).toMatch(/no number/);
    expect(await written(draft, { "/spent.csv": spent("Fri,wood,1.50") })).toMatch(/none|othing/);
  });

  test("is as a number is where the run does not show that", async () => {
    const draft = await draftOf(ALL, "62.85\n");
    const other = { "/spent.csv": spent("Fri,wood,4.50", "Sat,paint,6.00") };
    expect(await written(draft, other)).toBe("10.5\n");
  });

  test.each([
    [ALL, "19.60\n"],
    ["Look at /spent.csv and set the limit in /sum.txt.", "62.85\n"],
    ["Add up the prices in /spent.csv and write the sum to /sum.txt.", "62.90\n"],
  ])("is the caller's where it is another number, or nobody asks for it: %s %s", async (task, content) => {
    expect(examples(await draftOf(task, content))["content"]).toBe(content);
  });
});

describe("a sum of what says its currency or unit", () => {
  const bills = (...rows: readonly string[]): string =>
    `no,amount,currency\n${rows.map((row) => `${row}\n`).join("")}`;
  const draftOf = async (): Promise<Draft> =>
    extracted("bills", "Add up the amounts in /i.csv and write the total to /t.txt.", [
      [
        ["desk.read_file", { path: "/i.csv" }, bills("101,120,EUR", "102,310,EUR", "103,45,EUR")],
        ["desk.write_file", { path: "/t.txt", content: "475\n" }, "Written"],
      ],
    ]);

  test("is of any that all have alike", async () => {
    expect(await written(await draftOf(), { "/i.csv": bills("1,2,USD", "2,3,USD") })).toBe("5\n");
  });

  test("stops where two are another", async () => {
    expect(await written(await draftOf(), { "/i.csv": bills("1,2,USD", "2,3,EUR") })).toMatch(/several/);
  });

  test("leaves out what is an average of the others, or stops", async () => {
    expect(
      await written(await draftOf(), { "/i.csv": bills("1,2,USD", "2,3,USD", "Average,2.5,USD") }),
    ).toMatch(/around/);
  });
});

test("a small number of all elements is what the task asks for, and asked about", async () => {
  const people = (...names: readonly string[]): string =>
    `name,age\n${names.map((each) => `${each},40\n`).join("")}`;
  const task = "How many people are in /data/people.csv? Write the number to /data/n.txt.";
  const draft = await extracted("people", task, [
    [
      ["desk.read_file", { path: "/data/people.csv" }, people("Ann", "Bo", "Cy")],
      ["desk.write_file", { path: "/data/n.txt", content: "3\n" }, "Written"],
    ],
  ]);
  expect(questionsOf(draft)).toHaveLength(1);
  expect(await written(draft, { "/data/people.csv": people("Ann", "Bo") })).toBe("2\n");
});

test("a heading in quotes is the caller's", async () => {
  const content = "# Summary\n\nTotal: 200\n";
  const draft = await drafted("headed", `${SUMMED} with the heading 'Summary'.`, content);
  expect(paramsOf(draft)).toEqual(["listPath", "writePath", "content"]);
  expect(await written(draft, OTHER, { content: "Spring" })).toBe("# Spring\n\nTotal: 57\n");
});

test.each([
  ["what the task says of it in other words", " for march.", "The total for march is 200."],
  ["a name that the task says", " for March.", "Total for March: 200\n"],
  ["what the path says too", ".", "The total of all reports is 200."],
  ["a heading with words of the task", " for Ines.", "# Report for Ines\n\nTotal: 200\n"],
])("a text with %s is asked for as a whole", async (name, end, content) => {
  const draft = await drafted(name.replaceAll(" ", "-"), `${SUMMED}${end}`, content);
  expect(paramsOf(draft)).toContain("content");
  expect(examples(draft)["content"]).toBe(content);
});

test.each([
  [
    "the task asks for no sum",
    "Read the reports in /data/reports and write how far it is to /data/summary.txt.",
  ],
  ["the task says the number", `${SUMMED}: 200.`],
])("a number is no sum by chance: %s", async (name, task) => {
  const draft = await drafted(name.replaceAll(" ", "-"), task, "200");
  expect(examples(draft)["content"]).toBe("200");
});

test.each([
  ["a number", "How many open reports are in /data/reports? Write 'Open reports: N'", "Open reports: 3\n"],
  ["a name", "Who wrote most in /data/reports? Write 'Most by: NAME'", "Most by: Ann Lee\n"],
])("%s behind a label that the task has in quotes is none of its form", async (what, task, content) => {
  const draft = await drafted(what.replace(" ", "-"), `${task} to /data/summary.txt.`, content);
  expect(examples(draft)["content"]).toBe(content);
});
