import { expect, test } from "vitest";
import { isJsonObject, type Json } from "../../../src/core/json/json.ts";
import { failure } from "../../../src/core/error.ts";
import { fail, ok } from "../../../src/core/result.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { runner } from "../../shared-threads.ts";
import { examples, extracted, isVerified, paramsOf, provideFolder } from "../extracted.ts";

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
  { name, code, ...draft }: Draft,
  files: Readonly<Record<string, string>>,
  given: Readonly<Record<string, Json>> = {},
): Promise<Json | undefined> {
  const contents: Json[] = [];
  const input = { ...examples({ name, code, ...draft }), ...given };
  const { root } = await runner.run(skillSet({ [name]: code }), name, input, {
    callTool: (tool, args) => {
      if (!isJsonObject(args)) throw new Error("arguments are an object");
      if (tool !== "desk.write_file") {
        const text = Object.entries(files).find(([path]) => path === args["path"])?.[1];
        return Promise.resolve(text === undefined ? fail(failure("TOOL_FAILED", "none")) : ok(text));
      }
      contents.push(args["content"] ?? null);
      return Promise.resolve(ok("Written"));
    },
  });
  return root.outcome.ok ? contents[0] : root.outcome.error.message;
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

test("the sum of those of which the task says something is asked for", async () => {
  const log = (rows: readonly (readonly [number, string])[]): string =>
    `date;km;purpose\n${rows.map(([km, purpose]) => `2026-03-01;${km};${purpose}\n`).join("")}`;
  const rows = [
    [412, "business"],
    [38, "private"],
    [763, "business"],
    [55, "shopping"],
  ] as const;
  const path = "/data/logbook.csv";
  const task = `Add up the kilometres of all business trips in ${path} and write the sum to /data/km.txt.`;
  const draft = await extracted("trips", task, [
    [
      ["desk.read_file", { path }, log(rows)],
      ["desk.write_file", { path: "/data/km.txt", content: "1175\n" }, "Written"],
    ],
  ]);
  expect(isVerified(draft)).toBe(true);
  expect(examples(draft)["content"]).toBe("1175\n");
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
