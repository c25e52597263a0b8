import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { ok } from "../../../src/core/result.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { runner } from "../../shared-threads.ts";
import {
  examples,
  extracted,
  isVerified,
  paramsOf,
  provideFolder,
  questionsOf,
  type Told,
} from "../extracted.ts";

provideFolder();

/** What a draft's code writes where the file has this text, and whether it stops. */
async function done(
  { name, code, ...draft }: Draft,
  content: string,
  given: Readonly<Record<string, Json>> = {},
): Promise<{ readonly written: readonly Json[]; readonly isStopped: boolean }> {
  const written: Json[] = [];
  const input = { ...examples({ name, code, ...draft }), ...given };
  const { root } = await runner.run(skillSet({ [name]: code }), name, input, {
    callTool: (tool, args) => {
      if (tool === "desk.read_file") return Promise.resolve(ok({ content }));
      written.push(args);
      return Promise.resolve(ok({}));
    },
  });
  return { written, isStopped: !root.outcome.ok };
}

const chores = (...lines: readonly string[]): string =>
  `# Chores of May\n\n${lines.map((line) => `${line}\n`).join("")}`;
const SEEN = [
  "- [x] Paint the hall",
  "- [ ] Ask Ed Fox for the key",
  "- [ ] Wash the van, twice",
  "- [x] Order 34 lamps",
  "- [ ] Call back on 2231",
];
const OPEN = SEEN.filter((line) => line.startsWith("- [ ]"));
const DONE = SEEN.filter((line) => line.startsWith("- [x]"));

function run(lines: readonly string[], heading: string, seen: readonly string[] = SEEN): readonly Told[] {
  return [
    ["desk.read_file", { path: "/desk/may.md" }, { content: chores(...seen) }],
    [
      "desk.write_file",
      { path: "/desk/new.md", content: `# ${heading}\n\n${lines.map((line) => `${line}\n`).join("")}` },
      {},
    ],
  ];
}

describe("the things of a list that are done, or are not", () => {
  test.each([
    ["everything that is still to be done of", OPEN, "- [ ] ", "- [ ] "],
    ["whatever is open in", OPEN, "- [ ] ", "- [ ] "],
    ["what is done in", DONE, "- [x] ", "- [x] "],
    ["as bullets what is not finished in", OPEN.map((line) => line.replace("[ ] ", "")), "- [ ] ", "- "],
  ])("stand below a heading: %s", async (words, lines, sign, bullet) => {
    const task = `Write ${words} /desk/may.md to /desk/new.md, below the heading "Chores of June".`;
    const draft = await extracted(`to-do-${words.length}`, task, [run(lines, "Chores of June")]);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath", "heading"]);
    expect(questionsOf(draft)).toEqual(["text"]);
    expect(isVerified(draft)).toBe(true);
    const other = sign === "- [ ] " ? "- [x] " : "- [ ] ";
    const content = chores(`${sign}Mend 2 nets`, `${other}Dry the nets`, `${sign}Ask Bo (again): when?`);
    expect(await done(draft, content, { heading: "July" })).toEqual({
      written: [
        {
          path: "/desk/new.md",
          content: `# July\n\n${bullet}Mend 2 nets\n${bullet}Ask Bo (again): when?\n`,
        },
      ],
      isStopped: false,
    });
    const [only] = (await done(draft, chores(`${other}Dry the nets`, `${sign}Mend 2 nets`))).written;
    expect(only).toMatchObject({ content: `# Chores of June\n\n${bullet}Mend 2 nets\n` });
  });

  test("stop where there are none, and where it is unclear which are so", async () => {
    const task =
      'Write what is still to do in /desk/may.md to /desk/new.md, below the heading "Chores of June".';
    const draft = await extracted("to-do-unclear", task, [run(OPEN, "Chores of June")]);
    for (const lines of [
      ["- [x] Dry the nets"],
      ["- [ ] Mend 2 nets", "- [~] Dry the nets"],
      ["- [ ] Mend 2 nets", "* [ ] Dry the nets"],
      ["- [ ] Mend 2 nets", "  - [ ] Dry the nets"],
      ["- [x] Mend 2 nets", "  - [ ] Dry the nets"],
      ["- [ ] Mend 2 nets", "  with the new yarn"],
    ])
      expect([lines, await done(draft, chores(...lines))]).toEqual([lines, { written: [], isStopped: true }]);
  });

  test("are not taken for all where there were no others, of which the task says nothing", async () => {
    const task = 'Copy the lines of /desk/may.md to /desk/new.md, below the heading "Chores of June".';
    const draft = await extracted("to-do-all", task, [run(OPEN, "Chores of June", OPEN)]);
    const { written } = await done(draft, chores("- [ ] Mend 2 nets", "- [x] Dry the nets"));
    const said = JSON.stringify(written);
    expect(said.includes("Mend") && !said.includes("Dry")).toBe(false);
  });

  test("have a round each", async () => {
    const draft = await extracted("cards", "Add a card for everything that is still open in /desk/may.md.", [
      [
        ["desk.read_file", { path: "/desk/may.md" }, { content: chores(...SEEN) }],
        ...OPEN.map((line): Told => ["board.add_card", { title: line.slice("- [ ] ".length) }, {}]),
      ],
    ]);
    expect(paramsOf(draft)).toEqual(["path"]);
    expect(questionsOf(draft)).toEqual(["element"]);
    const content = chores("- [x] Dry the nets", "- [ ] Mend 2 nets", "- [ ] Ask Bo");
    expect((await done(draft, content)).written).toEqual([{ title: "Mend 2 nets" }, { title: "Ask Bo" }]);
  });

  test("go into the next list, where the old one is named by the number in its heading", async () => {
    const list = (week: number, ...lines: readonly string[]): string =>
      chores(...lines).replace("Chores of May", `Week ${week}`);
    const task =
      'Put /desk/list.md away in /desk/old, named by its own week, and write a new one with the heading "Week 18" and what is still open.';
    const draft = await extracted("next-week", task, [
      [
        ["desk.read_file", { path: "/desk/list.md" }, { content: list(17, ...SEEN) }],
        ["desk.move_file", { from: "/desk/list.md", to: "/desk/old/week-17.md" }, {}],
        ["desk.write_file", { path: "/desk/list.md", content: list(18, ...OPEN) }, {}],
      ],
    ]);
    expect(paramsOf(draft)).toEqual(["path", "to", "heading"]);
    const lines = ["- [ ] Mend 2 nets", "- [x] Dry the nets", "- [ ] Ask Bo"];
    const given = { path: "/desk/b.md", to: "/desk/gone", heading: "Week 32" };
    expect((await done(draft, list(31, ...lines), given)).written).toEqual([
      { from: "/desk/b.md", to: "/desk/gone/week-31.md" },
      { path: "/desk/b.md", content: list(32, "- [ ] Mend 2 nets", "- [ ] Ask Bo") },
    ]);
    const other = list(31, ...lines).replace("Week 31", "Plan 31");
    expect(await done(draft, other, given)).toEqual({ written: [], isStopped: true });
  });
});

test("how many of them have one sign is a question, as nothing tells what it says", async () => {
  const counted: readonly Told[] = [
    ["desk.read_file", { path: "/desk/may.md" }, { content: chores(...SEEN) }],
    ["desk.write_file", { path: "/desk/open.txt", content: "3\n" }, {}],
  ];
  const draft = await extracted(
    "count-open",
    "Write how many chores of /desk/may.md are open to /desk/open.txt.",
    [counted],
  );
  expect(isVerified(draft)).toBe(true);
  expect(questionsOf(draft)).toEqual(["text"]);
  const other = chores("- [ ] Sell the van", "- [x] Rest", "- [ ] Buy a bus");
  expect((await done(draft, other)).written).toEqual([{ path: "/desk/open.txt", content: "2\n" }]);
  expect((await done(draft, chores("- [-] Sell the van", "- [ ] Rest"))).isStopped).toBe(true);
  expect((await done(draft, chores("- Sell the van", "- Rest"))).isStopped).toBe(true);
});
