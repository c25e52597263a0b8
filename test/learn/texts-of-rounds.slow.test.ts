import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

type Files = Readonly<Record<string, string>>;

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** A folder of files, each by its name. */
const folder = (files: Files, listed = Object.keys(files).map((name) => `[FILE] ${name}`)): WorldTools => ({
  "fs.list": () => listed.join("\n"),
  "fs.read": ({ path }) => files[textOf(path).slice("/in/".length)] ?? "",
  "fs.write": () => "ok",
});

/** What is learned where all files of a folder were read and then one text was written. */
function learnedFrom(files: Files, task: string, content: string): ReturnType<typeof learned>["plan"] {
  const run = recordedIn(folder(files), task, (call) => {
    call("fs.list", { path: "/in" });
    for (const name of Object.keys(files)) call("fs.read", { path: `/in/${name}` });
    call("fs.write", { path: "/out.md", content });
  });
  return learned([run]).plan;
}

/** What a plan writes for other files, or why it stops. */
async function writtenFor(
  plan: ReturnType<typeof learned>["plan"],
  files: Files,
  listed?: string[],
): Promise<string> {
  const given = Object.fromEntries(plan.params.map(({ name, example }) => [name, example ?? null]));
  const made = await callsIn(runner, plan, folder(files, listed), given);
  const last = made.at(-1) ?? "";
  if (last.startsWith("stops")) {
    expect(made.some((call) => call.startsWith("fs.write"))).toBe(false);
    return last;
  }
  return textOf((JSON.parse(last.slice("fs.write ".length)) as JsonObject)["content"]);
}

const isAsked = ({ params }: ReturnType<typeof learned>["plan"]): boolean =>
  params.some(({ example }) => textOf(example).includes("\n"));

describe("a text of several texts, each below the name of its file", () => {
  const NOTES = {
    "apples.md": "Red ones are sweet.\n",
    "pears.md": "Ripe in August.\nKeep cool.\n",
    "plums.md": "For cake.\n",
  };
  const TASK = "Put all notes in /in together in /out.md, each below its file's name.";
  const named = (files: Files, heading: (name: string) => string): string =>
    Object.entries(files)
      .map(([name, text]) => `${heading(name)}\n${text}`)
      .join("\n");
  const OTHERS = { "kiwi.md": "# Fresh\n\nGreen inside.\n", "fig.md": "From Izmir.\n" };

  test.each([
    ["as it is", (name: string) => `# ${name}\n`],
    ["in bold", (name: string) => `**${name}**`],
    ["without its ending", (name: string) => `## ${name.replace(".md", "")}\n`],
    ["behind a label", (name: string) => `--- file: ${name} ---`],
  ])("has it %s", async (_, heading) => {
    const plan = learnedFrom(NOTES, TASK, named(NOTES, heading));
    expect(isAsked(plan)).toBe(false);
    expect(await writtenFor(plan, OTHERS)).toBe(named(OTHERS, heading));
  });

  test("has a heading above them that the task has in quotes", async () => {
    const heading = (name: string): string => `## ${name}\n`;
    const content = `# All fruit\n\n${named(NOTES, heading)}`;
    const plan = learnedFrom(NOTES, `${TASK} Above all stands "All fruit".`, content);
    expect(await writtenFor(plan, OTHERS)).toBe(`# All fruit\n\n${named(OTHERS, heading)}`);
  });

  test.each([
    ["the last line of a file does not end", { ...OTHERS, "kiwi.md": "Green inside." }, undefined],
    ["a file is empty", { ...OTHERS, "fig.md": "" }, undefined],
    ["there is no file", {}, ["No files found."]],
  ])("stops where %s", async (_, files, listed) => {
    const plan = learnedFrom(
      NOTES,
      TASK,
      named(NOTES, (name) => `# ${name}\n`),
    );
    expect(await writtenFor(plan, files, listed)).toContain("stops");
  });

  test("stops where a name without its ending is not clear", async () => {
    const plan = learnedFrom(
      NOTES,
      TASK,
      named(NOTES, (name) => `# ${name.replace(".md", "")}\n`),
    );
    expect(await writtenFor(plan, { ...OTHERS, README: "Read me.\n" })).toContain("stops");
  });

  test("stays the caller's where it says more than the files and their names", () => {
    const titles = ["Sweet ones", "Late ones", "Baked ones"];
    const content = Object.values(NOTES).map((text, nth) => `# ${titles[nth] ?? ""}\n\n${text}`);
    expect(isAsked(learnedFrom(NOTES, TASK, content.join("\n")))).toBe(true);
    const dated = named(NOTES, (name) => `# ${name}, 14 May\n`);
    expect(isAsked(learnedFrom(NOTES, TASK, dated))).toBe(true);
  });
});

test.each([
  ["Markdown notes", true],
  ["Markdown table of the notes", false],
])("files are of the kind that the task names, and no others: %s, %s", async (words, isKind) => {
  const notes = { "apples.md": "Red.\n", "pears.md": "Ripe in May.\nCool.\n", "plums.md": "Blue.\n" };
  const joined = (files: Files): string =>
    Object.entries(files)
      .map(([name, text]) => `## ${name}\n\n${text}`)
      .join("\n");
  const plan = learnedFrom(notes, `Make one text of the ${words} in /in in /out.md.`, joined(notes));
  const others = { "fig.md": "Sweet.\n", "kiwi.md": "Green.\n" };
  const more = { ...others, "list.txt": "No fruit.\n" };
  expect(plan.params.some(({ example }) => example === ".md")).toBe(isKind);
  expect(await writtenFor(plan, more)).toBe(joined(isKind ? others : more));
});

describe("texts one after another", () => {
  const NOTES = { "a.md": "# Apples\n\nRed.\n", "b.md": "# Pears\n\nRipe in May.\n" };
  const joined = (files: Files): string => Object.values(files).join("\n---\n\n");
  const plan = learnedFrom(NOTES, "Join all notes in /in in /out.md, with --- between.", joined(NOTES));

  test("are those of another folder", async () => {
    const others = { "x.md": "# Figs\n\nDry.\n", "y.md": "# Kiwis\n\nGreen.\n", "z.md": "# Nuts\n" };
    expect(await writtenFor(plan, others)).toBe(joined(others));
  });

  test("stop where the last line of one does not end", async () => {
    expect(await writtenFor(plan, { "x.md": "# Figs\n\nDry.", "y.md": "# Kiwis\n" })).toContain("stops");
  });
});

describe("what each of several texts lists, each thing once", () => {
  const note = (tags: string): string => `---\ntitle: Of ${tags.length}\ntags: ${tags}\n---\nText.\n`;
  const NOTES = { "a.md": note("garden, spring"), "b.md": note("spring, cake"), "c.md": note("cake") };
  const OTHERS = { "k.md": note("snow, ice"), "l.md": note("ice, anna") };
  const TASK = "Collect the tags of all notes in /in and write each once to /out.md.";

  test.each([
    ["in lines", (tags: readonly string[]) => `${tags.join("\n")}\n`],
    ["behind bullets", (tags: readonly string[]) => tags.map((tag) => `- ${tag}\n`).join("")],
    ["in one line", (tags: readonly string[]) => tags.join(", ")],
  ])("stands %s, as it came first", async (_, written) => {
    const plan = learnedFrom(NOTES, TASK, written(["garden", "spring", "cake"]));
    expect(plan.params.some(({ example }) => textOf(example).includes("cake"))).toBe(false);
    expect(await writtenFor(plan, OTHERS)).toBe(written(["snow", "ice", "anna"]));
  });

  test("is a question where the task does not say that each stands once", async () => {
    const plan = learnedFrom(
      NOTES,
      "Collect the tags of the notes in /in in /out.md.",
      "garden\nspring\ncake",
    );
    expect(plan.questions).toMatchObject([{ kind: "text" }]);
    expect(await writtenFor(plan, OTHERS)).toBe("snow\nice\nanna");
  });

  test.each([
    ["a text lists nothing", { ...OTHERS, "m.md": "---\ntitle: M\n---\nText.\n" }],
    ["something is written in two ways", { ...OTHERS, "m.md": note("Snow, anna") }],
  ])("stops where %s", async (_, files) => {
    const plan = learnedFrom(NOTES, TASK, "garden\nspring\ncake\n");
    expect(await writtenFor(plan, files)).toContain("stops");
  });

  test("stays the caller's in an order that is another, or may be", () => {
    expect(isAsked(learnedFrom(NOTES, TASK, "cake\ngarden\nspring\n"))).toBe(true);
    const sorted = { "a.md": note("cake, garden"), "b.md": note("garden, spring") };
    expect(isAsked(learnedFrom(sorted, TASK, "cake\ngarden\nspring\n"))).toBe(true);
    expect(isAsked(learnedFrom(NOTES, `${TASK} Sort them.`, "garden\nspring\ncake\n"))).toBe(true);
  });
});

describe("lines of several texts that have a word", () => {
  const CODE = {
    "a.py": "import os\n# TODO: close the file\nprint(1)\n",
    "b.py": "x = 1\n",
    "c.py": "def f():\n    # TODO: name it\n    pass\n# TODO: tests\n",
  };
  const OTHERS = { "m.py": "# TODO: speed\ny = 2\n# TODO: docs\n", "n.py": "z = 3\n" };
  const TASK = "Collect all TODO lines of the files in /in in /out.md.";

  test.each([
    [
      "whole",
      ["# TODO: close the file", "# TODO: name it", "# TODO: tests"],
      "# TODO: speed\n# TODO: docs\n",
    ],
    ["behind bullets", ["- close the file", "- name it", "- tests"], "- speed\n- docs\n"],
    [
      "with their files",
      ["a.py: close the file", "c.py: name it", "c.py: tests"],
      "m.py: speed\nm.py: docs\n",
    ],
  ])("stand %s in one text, with a question", async (_, lines, written) => {
    const plan = learnedFrom(CODE, TASK, `${lines.join("\n")}\n`);
    expect(isAsked(plan)).toBe(false);
    expect(plan.params.map(({ example }) => example)).toContain("TODO");
    expect(plan.questions).toMatchObject([{ kind: "text" }]);
    expect(await writtenFor(plan, OTHERS)).toBe(written);
  });

  test("are those of another word that the caller says", async () => {
    const logs = {
      "a.log": "10:01 INFO start\n10:02 ERROR disk full\n10:05 INFO end\n",
      "b.log": "09:11 ERROR no route\n09:15 INFO go\n",
      "c.log": "08:00 INFO fine\n",
    };
    const task = "Write the lines with ERROR of the logs in /in to /out.md.";
    const plan = learnedFrom(logs, task, "10:02 ERROR disk full\n09:11 ERROR no route\n");
    const others = { "x.log": "11:00 WARN hot\n11:01 INFO go\n", "y.log": "11:05 ERROR off\n" };
    const given = Object.fromEntries(plan.params.map(({ name, example }) => [name, example ?? null]));
    const word = plan.params.find(({ example }) => example === "ERROR")?.name ?? "";
    const made = await callsIn(runner, plan, folder(others), { ...given, [word]: "WARN" });
    expect(made.at(-1)).toContain(String.raw`"content":"11:00 WARN hot\n"`);
  });

  test.each([
    ["a line has the word in other letters", { ...OTHERS, "n.py": "# todo: rest\n" }],
    ["a line begins otherwise", { ...OTHERS, "n.py": "// TODO: rest\n" }],
    ["a line has no more than the word", { ...OTHERS, "n.py": "# TODO\n" }],
    ["no line has it", { "n.py": "z = 3\n" }],
  ])("stop where %s", async (_, files) => {
    const plan = learnedFrom(CODE, TASK, "- close the file\n- name it\n- tests\n");
    expect(await writtenFor(plan, files)).toContain("stops");
  });

  test("stay the caller's where some are left out, or the task does not say the word", () => {
    expect(isAsked(learnedFrom(CODE, TASK, "- close the file\n- tests\n"))).toBe(true);
    const task = "Collect what is left to do in the files in /in in /out.md.";
    expect(isAsked(learnedFrom(CODE, task, "- close the file\n- name it\n- tests\n"))).toBe(true);
  });
});

describe("things to do of several texts", () => {
  const NOTES = {
    "a.md": "# Shop\n\n- [ ] order paint\n- [x] call Ann\n",
    "b.md": "# Club\n\n- [x] book hall\n- [ ] send mails\n- [ ] buy cake\n",
  };
  const TASK = "Collect all open items of the notes in /in in /out.md.";
  const OTHERS = { "k.md": "# K\n\n- [ ] wash up\n- [x] sweep\n", "l.md": "# L\n\n- [ ] rest\n" };

  test.each([
    ["with their signs", "- [ ] "],
    ["behind bullets", "- "],
  ])("stand in one text %s, with a question", async (_, mark) => {
    const written = (items: readonly string[]): string => items.map((item) => `${mark}${item}\n`).join("");
    const plan = learnedFrom(NOTES, TASK, written(["order paint", "send mails", "buy cake"]));
    expect(isAsked(plan)).toBe(false);
    expect(plan.questions).toMatchObject([{ kind: "text" }]);
    expect(await writtenFor(plan, OTHERS)).toBe(written(["wash up", "rest"]));
    expect(await writtenFor(plan, { ...OTHERS, "l.md": "# L\n\n* [ ] rest\n" })).toContain("stops");
  });

  test("may be none in one of them, where one had none", async () => {
    const notes = { ...NOTES, "c.md": "# Choir\n\n- [x] sing\n", "d.md": "No list here.\n" };
    const plan = learnedFrom(notes, TASK, "- order paint\n- send mails\n- buy cake\n");
    expect(isAsked(plan)).toBe(false);
    const others = { ...OTHERS, "m.md": "# M\n\n- [x] iron\n", "n.md": "Nothing else.\n" };
    expect(await writtenFor(plan, others)).toBe("- wash up\n- rest\n");
    expect(await writtenFor(plan, { "m.md": "# M\n\n- [x] iron\n" })).toContain("stops");
    expect(await writtenFor(plan, { ...others, "m.md": "# M\n\n+ [ ] iron\n" })).toContain("stops");
    const all = learnedFrom(NOTES, TASK, "- order paint\n- send mails\n- buy cake\n");
    expect(await writtenFor(all, others)).toContain("stops");
  });
});

describe("a line for each of several texts, and how many they are", () => {
  const book = (title: string, author: string): string => `title: ${title}\nauthor: ${author}\n`;
  const BOOKS = {
    "a.md": book("Emma", "Jane Austen"),
    "b.md": book("Dune", "Frank Herbert"),
    "c.md": book("Ulysses", "James Joyce"),
  };
  const OTHERS = { "k.md": book("Walden", "Henry Thoreau"), "l.md": book("Persuasion", "Jane Austen") };
  const written = (files: Files, end: (count: number) => string): string => {
    const lines = Object.values(files).map((text) =>
      text.replace(/title: (.*)\nauthor: (.*)\n/, "- $1 ($2)\n"),
    );
    return `${lines.join("")}\n${end(lines.length)}\n`;
  };

  test.each([
    ["in a sentence", (count: number) => `There are ${count} books.`],
    ["behind a label", (count: number) => `Books: ${count}`],
  ])("has the number %s, with a question", async (_, end) => {
    const task = "List the books in /in in /out.md with their authors, and how many they are at the end.";
    const plan = learnedFrom(BOOKS, task, written(BOOKS, end));
    expect(isAsked(plan)).toBe(false);
    expect(plan.questions).toMatchObject([{ kind: "text" }]);
    expect(await writtenFor(plan, OTHERS)).toBe(written(OTHERS, end));
  });

  test("stays the caller's where the task asks for no number, or it is another", () => {
    const task = "List the books in /in in /out.md with their authors";
    expect(
      isAsked(
        learnedFrom(
          BOOKS,
          `${task}.`,
          written(BOOKS, () => "Shelf 3"),
        ),
      ),
    ).toBe(true);
    expect(
      isAsked(
        learnedFrom(
          BOOKS,
          `${task}, and how many.`,
          written(BOOKS, () => "4 books"),
        ),
      ),
    ).toBe(true);
  });
});

test("none of several texts is the oldest or the latest by its position", () => {
  const dated = (title: string, day: string): string => `# ${title}\n\nBy Ann.\nDate: ${day}\n`;
  const notes = {
    "a.md": dated("Plan for spring", "2026-01-03"),
    "b.md": dated("Fence work", "2026-02-07"),
    "c.md": dated("Shed roof", "2026-03-01"),
  };
  const latest = learnedFrom(notes, "Write the title of the latest note in /in to /out.md.", "Shed roof\n");
  expect(latest.params.map(({ example }) => example)).toContain("Shed roof\n");
  const last = learnedFrom(notes, "Write the title of the last note in /in to /out.md.", "Shed roof\n");
  expect(last.params.map(({ example }) => example)).not.toContain("Shed roof\n");
});

describe("a row of a table for each of several texts", () => {
  const book = (title: string, year: number): string => `title: ${title}\nyear: ${year}\n`;
  const BOOKS = { "a.md": book("Emma", 1815), "b.md": book("Dune", 1965), "c.md": book("Ulysses", 1922) };
  const written = (files: Files, row: string): string =>
    Object.values(files)
      .map((text) => text.replace(/title: (.*)\nyear: (.*)\n/, row))
      .join("");

  test.each([
    ["commas", "$1,$2\n", "Eats, Shoots"],
    ["semicolons", "$1;$2\n", "Night; Day"],
    ["tabs", "$1\t$2\n", "Night\tDay"],
    ["bars", "| $1 | $2 |\n", "Night | Day"],
  ])("stops where a cell has what parts them: %s", async (_, row, title) => {
    const task = "Make a table with title and year of the books in /in in /out.md.";
    const plan = learnedFrom(BOOKS, task, written(BOOKS, row));
    const others = { "k.md": book("Eats or Shoots", 2003) };
    expect(await writtenFor(plan, others)).toBe(written(others, row));
    expect(await writtenFor(plan, { ...others, "l.md": book(title, 2003) })).toContain("stops");
  });
});
