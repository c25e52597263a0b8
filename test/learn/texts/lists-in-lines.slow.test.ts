import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { failure } from "../../../src/core/error.ts";
import { fail, ok } from "../../../src/core/result.ts";
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

/** What a draft's code writes where the file has this text, and what it ends with. */
async function done(
  { name, code, ...draft }: Draft,
  content: string,
  given: Readonly<Record<string, Json>> = {},
): Promise<{ readonly written: readonly Json[]; readonly error: string | undefined }> {
  const written: Json[] = [];
  const input = { ...examples({ name, code, ...draft }), ...given };
  const { root } = await runner.run(skillSet({ [name]: code }), name, input, {
    callTool: (tool, args) => {
      if (tool === "desk.read_file") return Promise.resolve(ok({ content }));
      written.push(args);
      return Promise.resolve(tool.startsWith("desk") ? fail(failure("TOOL_FAILED", tool)) : ok({}));
    },
  });
  return { written, error: root.outcome.ok ? undefined : root.outcome.error.message };
}

const reads = (path: string, content: string): Told => ["desk.read_file", { path }, { content }];

/** Lists that are written otherwise than those that were seen: nobody can say for sure what their elements are. */
const UNCLEAR = [
  "Ida Berg, Al Roe and Ed Fox",
  "Ida Berg; Al Roe",
  "Ida Berg,Al Roe",
  "Ida Berg, Al Roe (until noon, then away)",
  'Ida Berg, "Roe, Al"',
  "Ida Berg, 3 more",
  "Ida Berg, , Al Roe",
  "Ida Berg, Al Roe, …",
  "nobody",
  "",
];

describe("a list that stands behind a label", () => {
  const rota = (on: string, day = "2026-03-04"): string =>
    `# Rota of ${day}\n\nOn duty: ${on}\nOff: Ed Fox\nLead: Ada Lind\n\n## Notes\n\n- The key costs 34 coins.\n`;
  const task =
    'Note of everybody who is on duty by /desk/rota.md: "Was on duty on", and the day of the rota.';
  const noted = (names: readonly string[], day = "2026-03-04"): Json => ({
    notes: names.map((who) => ({ who, lines: [`Was on duty on ${day}`] })),
  });
  const run = (names: readonly string[]): readonly Told[] => [
    reads("/desk/rota.md", rota(names.join(", "))),
    ["notes.add", noted(names) as { notes: Json }, {}],
  ];

  test.each([[["Ada Lind", "Bo Hu"]], [["Ada Lind", "Bo Hu", "Cy Ek"]]])(
    "has an object for each of %j, and what the heading says in it",
    async (names) => {
      const draft = await extracted(`duty${names.length}`, task, [run(names)]);
      expect(paramsOf(draft)).toEqual(["path", "lines"]);
      expect(questionsOf(draft)).toEqual(["text", "element"]);
      expect(isVerified(draft)).toBe(true);
      for (const others of [["Ida Berg", "Al Roe", "Ada Lind", "Jo Ito"], ["Ida Berg"]])
        expect(await done(draft, rota(others.join(", "), "2026-07-30"))).toEqual({
          written: [noted(others, "2026-07-30")],
          error: undefined,
        });
    },
  );

  test("stops where it is written otherwise, and where the heading is another", async () => {
    const draft = await extracted("duty-unclear", task, [run(["Ada Lind", "Bo Hu", "Cy Ek"])]);
    for (const text of [...UNCLEAR.map((on) => rota(on)), rota("Ida Berg").replace("Rota", "Plan")]) {
      const { written, error } = await done(draft, text);
      expect([text, written]).toEqual([text, []]);
      expect(error).toBeDefined();
    }
  });

  test("may be below one of several headings, of which the task says a word: what it says is asked for", async () => {
    const content = "# Rota of 2026-03-04\n\nOff: Ed Fox\n\n# Plan of 2026-05-06\n\nOff: Bo Hu\n";
    const draft = await extracted(
      "headings",
      'Note by /desk/rota.md: "Next is on", and the day of the rota.',
      [[reads("/desk/rota.md", content), ["notes.add", { note: "Next is on 2026-03-04" }, {}]]],
    );
    expect(paramsOf(draft)).toEqual(["path", "note"]);
    expect(draft.plan.params[1]?.example).toBe("Next is on 2026-03-04");
  });

  test("has a round for each", async () => {
    const draft = await extracted(
      "invite",
      "Send an invitation to everybody who is on duty by /desk/rota.md.",
      [
        [
          reads("/desk/rota.md", rota("Ada Lind, Bo Hu, Cy Ek")),
          ...["Ada Lind", "Bo Hu", "Cy Ek"].map((to): Told => ["mail.send", { to }, {}]),
        ],
      ],
    );
    expect(paramsOf(draft)).toEqual(["path"]);
    expect(questionsOf(draft)).toEqual(["element"]);
    expect((await done(draft, rota("Ida Berg, Al Roe"))).written).toEqual([
      { to: "Ida Berg" },
      { to: "Al Roe" },
    ]);
    for (const on of UNCLEAR) expect([on, (await done(draft, rota(on))).written]).toEqual([on, []]);
  });

  test.each([" and ", ", and "])("may have %j before its last element", async (last) => {
    const draft = await extracted(
      `last${last.length}`,
      "Send an invitation to everybody who is on duty by /desk/rota.md.",
      [
        [
          reads("/desk/rota.md", rota(`Ada Lind, Bo Hu${last}Cy Ek`)),
          ...["Ada Lind", "Bo Hu", "Cy Ek"].map((to): Told => ["mail.send", { to }, {}]),
        ],
      ],
    );
    expect(paramsOf(draft)).toEqual(["path"]);
    const { written } = await done(draft, rota(`Ida Berg, Al Roe, Ada Lind${last}Jo Ito`));
    expect(written).toEqual(["Ida Berg", "Al Roe", "Ada Lind", "Jo Ito"].map((to) => ({ to })));
    for (const on of ["Ida Berg, Al Roe", "Brink and Sons", "Brink and Sons and Al Roe"])
      expect([on, (await done(draft, rota(on))).written]).toEqual([on, []]);
  });

  test("is an argument as it is", async () => {
    const card = (tags: string): string => `Title: Paint the hall\nTags: ${tags}\nBy: Ed Fox\n`;
    const draft = await extracted("tags", "Give the card CRD-901 the tags that stand in /desk/card.txt.", [
      [
        reads("/desk/card.txt", card("red, bluish, green")),
        ["board.add_tags", { card: "CRD-901", tags: ["red", "bluish", "green"] }, {}],
      ],
    ]);
    expect(paramsOf(draft)).toEqual(["path", "card"]);
    expect((await done(draft, card("yellow"))).written).toEqual([{ card: "CRD-901", tags: ["yellow"] }]);
    expect((await done(draft, card("yellow (pale, or so), pink"))).written).toEqual([]);
  });

  test("is a text where it is used as one, whatever stands between its words", async () => {
    const card = (tags: string): string => `Title: Paint the hall\nTags: ${tags}\nBy: Ed Fox\n`;
    const draft = await extracted(
      "line",
      "Put the tags in /desk/card.txt below the card CRD-901 as a line.",
      [
        [
          reads("/desk/card.txt", card("red, bluish, green")),
          ["board.add_line", { card: "CRD-901", line: "red, bluish, green" }, {}],
        ],
      ],
    );
    expect(paramsOf(draft)).toEqual(["path", "card"]);
    const line = "pink; grey (pale, or so) and more";
    expect((await done(draft, card(line))).written).toEqual([{ card: "CRD-901", line }]);
  });
});

describe("a list that stands in a cell of a table", () => {
  const teams = (...rows: readonly (readonly [string, string])[]): string =>
    `# Teams\n\n| Team | Members |\n| --- | --- |\n${rows.map(([team, members]) => `| ${team} | ${members} |\n`).join("")}`;
  const seen = teams(
    ["Willow", "Mina Sato, Ed Fox"],
    ["Copper", "Ada Lind, Bo Hu, Cy Ek"],
    ["Juniper", "Al Roe, Ida Berg"],
  );

  test("has a round for each of its elements, in the row that the task says", async () => {
    const draft = await extracted(
      "crew",
      "Send an invitation to the members of the team Copper in /desk/teams.md.",
      [
        [
          reads("/desk/teams.md", seen),
          ...["Ada Lind", "Bo Hu", "Cy Ek"].map((to): Told => ["mail.send", { to }, {}]),
        ],
      ],
    );
    expect(paramsOf(draft)).toEqual(["path", "team"]);
    expect((await done(draft, seen, { team: "Juniper" })).written).toEqual([
      { to: "Al Roe" },
      { to: "Ida Berg" },
    ]);
    const unclear = teams(["Copper", "Ada Lind, Bo Hu"], ["Juniper", "Al Roe and Ida Berg"]);
    expect((await done(draft, unclear, { team: "Juniper" })).written).toEqual([]);
  });

  test("tells rows by what is among its elements", async () => {
    const cards = (...rows: readonly (readonly [string, string])[]): string =>
      teams(...rows).replace("| Team | Members |", "| Card | Tags |");
    const draft = await extracted(
      "tagged",
      "Send a reminder for each of the cards in /desk/cards.md with the tag urgent.",
      [
        [
          reads(
            "/desk/cards.md",
            cards(["C-101", "urgent, web"], ["C-102", "web, mobile"], ["C-103", "mobile, urgent"]),
          ),
          ...["C-101", "C-103"].map((card): Told => ["mail.send", { card }, {}]),
        ],
      ],
    );
    expect(paramsOf(draft)).toEqual(["path", "tags_list"]);
    const others = cards(["C-301", "home, mobile"], ["C-302", "urgent"], ["C-303", "web"]);
    expect((await done(draft, others)).written).toEqual([{ card: "C-302" }]);
    const unclear = cards(["C-301", "not urgent, mobile"], ["C-302", "urgent"]);
    expect((await done(draft, unclear)).written).toEqual([]);
  });
});

describe("a list in an element that the task names", () => {
  const names = ["Ada Lind", "Bo Hu", "Cy Ek"];
  const table = (...rows: readonly (readonly [string, string])[]): string =>
    `# Crews\n\n| Crew | Who |\n| --- | --- |\n${rows.map(([crew, who]) => `| ${crew} | ${who} |\n`).join("")}`;
  const bullets = (...rows: readonly (readonly [string, string])[]): string =>
    `# Crews\n\n${rows.map(([crew, who]) => `- ${crew}: ${who}\n`).join("")}`;
  const seen = [
    ["Willow", "Mina Sato, Ed Fox"],
    ["Copper", names.join(", ")],
    ["Juniper", "Al Roe, Ida Berg"],
  ] as const;
  const task = "Invite everybody of the crew Copper in /desk/crews.md as a guest.";

  test.each([
    ["table", table],
    ["bullets", bullets],
  ])("makes objects, arguments and rounds: %s", async (kind, written) => {
    const invited = (who: readonly string[]) => ({ guests: who.map((name) => ({ name, as: "guest" })) });
    const file = reads("/desk/crews.md", written(...seen));
    const objects = await extracted(`objects-${kind}`, task, [[file, ["mail.invite", invited(names), {}]]]);
    const plain = await extracted(`plain-${kind}`, task, [[file, ["mail.invite", { to: names }, {}]]]);
    const rounds = await extracted(`rounds-${kind}`, task, [
      [file, ...names.map((to): Told => ["mail.invite", { to }, {}])],
    ]);
    const crew = kind === "table" ? "crew" : "name";
    for (const draft of [objects, plain, rounds]) {
      expect(paramsOf(draft)).toContain(crew);
      expect(isVerified(draft)).toBe(true);
    }
    expect(questionsOf(objects)).toEqual(["element"]);
    const others = written(["Copper", "Jo Ito"], ["Juniper", "Al Roe, Ida Berg"], ["Hazel", "Bo Hu"]);
    const given = { [crew]: "Juniper" };
    const who = ["Al Roe", "Ida Berg"];
    expect((await done(objects, others, given)).written).toEqual([invited(who)]);
    expect((await done(objects, others, { [crew]: "Hazel" })).written).toEqual([invited(["Bo Hu"])]);
    expect((await done(plain, others, given)).written).toEqual([{ to: who }]);
    expect((await done(rounds, others, given)).written).toEqual(who.map((to) => ({ to })));
    for (const draft of [objects, plain, rounds])
      for (const list of ["Al Roe and Ida Berg", "Al Roe (or Bo, if ill), Ida Berg"]) {
        const unclear = written(["Copper", "Jo Ito, Bo Hu"], ["Juniper", list]);
        expect((await done(draft, unclear, given)).written).toEqual([]);
      }
  });
});
