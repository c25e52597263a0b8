import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { runner } from "../../shared-threads.ts";
import { failure } from "../../../src/core/error.ts";
import { fail, ok } from "../../../src/core/result.ts";
import type { Draft } from "../../../src/learn/drafts/draft.ts";
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

/** What a draft's code calls in a world where reads answer so, and what it ends with. */
async function done(
  { name, code, ...draft }: Draft,
  answer: Json,
): Promise<{ readonly written: readonly Json[]; readonly error: string | undefined }> {
  const written: Json[] = [];
  const { root } = await runner.run(skillSet({ [name]: code }), name, examples({ name, code, ...draft }), {
    callTool: (tool, args) => {
      if (/write|add|send/.test(tool)) written.push(args);
      else if (!/read|query/.test(tool)) return Promise.resolve(fail(failure("TOOL_FAILED", tool)));
      return Promise.resolve(ok(/read|query/.test(tool) ? answer : {}));
    },
  });
  return { written, error: root.outcome.ok ? undefined : root.outcome.error.message };
}

function tickets(...rows: readonly string[]): Json {
  return { content: `${["id,title,status,owner,opened", ...rows].join("\n")}\n` };
}

describe("a note with a line for each row of which the task says something", () => {
  const task =
    "Write down in /desk/owners.md who owns the open tickets in /desk/tickets.csv, with number and owner.";
  const run = (table: Json, content: string): readonly Told[] => [
    ["desk.read_file", { path: "/desk/tickets.csv" }, table],
    ["desk.write_file", { path: "/desk/owners.md", content }, { content: "Written" }],
  ];
  const seen = tickets(
    "2925,Wrong total,closed,Liam Byrne,2026-02-27",
    "5656,Wrong total,in progress,Bruno Keller,2026-04-22",
    "5820,No mail came,open,Ada Lind,2026-08-12",
    "1970,Login loops,closed,Elin Berg,2026-10-27",
    "6743,Wrong total,open,Bruno Keller,2026-10-21",
  );

  test("has a line for each of those of another table, and asks whether they are meant", async () => {
    const draft = await extracted("owners", task, [run(seen, "#5820: Ada Lind\n#6743: Bruno Keller\n")]);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath", "status"]);
    expect(questionsOf(draft)).toEqual(["text"]);
    expect(isVerified(draft)).toBe(true);
    const other = tickets(
      "1111,No mail came,open,Mina Sato,2026-08-12",
      "1112,Other,closed,Ada Lind,2026-08-13",
    );
    expect(await done(draft, other)).toEqual({
      written: [{ path: "/desk/owners.md", content: "#1111: Mina Sato\n" }],
      error: undefined,
    });
  });

  test("may have the names of the fields above, whatever they are called", async () => {
    const pm = tickets(
      "2925,Wrong total,closed,Liam Byrne,2026-02-27",
      "5820,No mail came,open,Ada Lind,2026-08-12",
      "6743,Wrong total,open,Bruno Keller,2026-10-21",
    );
    const own = "id,owner\n5820,Ada Lind\n6743,Bruno Keller\n";
    const draft = await extracted("owners3", task, [run(pm, own)]);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath", "status"]);
    const renamed = JSON.parse(JSON.stringify(pm).replace("owner", "owner2")) as Json;
    const numbered = await extracted("owners4", task, [run(renamed, own.replace("owner", "owner2"))]);
    expect(paramsOf(numbered)).toEqual(["readPath", "writePath", "status"]);
    const other = await extracted("owners5", task, [run(pm, own.replace("owner", "owner2"))]);
    expect(paramsOf(other)).toContain("content");
  });

  test("stops where no row is so, and where it is not clear whether one is", async () => {
    const draft = await extracted("owners2", task, [run(seen, "#5820: Ada Lind\n#6743: Bruno Keller\n")]);
    for (const status of ["closed", "Open"]) {
      const { written, error } = await done(
        draft,
        tickets(`1112,Other,${status},Ada Lind,2026-08-13`, "1113,Other,closed,Bo Hu,2026-08-13"),
      );
      expect(written).toEqual([]);
      expect(error).toBeDefined();
    }
  });

  test("stops where it is not one person who owns one", async () => {
    const draft = await extracted("owners6", task, [run(seen, "#5820: Ada Lind\n#6743: Bruno Keller\n")]);
    for (const owner of ["Bo Hu (left)", "Bo Hu & Mina Sato", "~~Bo Hu~~ Mina Sato", "to be found"]) {
      const { written, error } = await done(draft, tickets(`1112,Other,open,${owner},2026-08-13`));
      expect(written).toEqual([]);
      expect(error).toContain(owner);
    }
  });

  test("has all rows where the note has all, though some are so", async () => {
    const all =
      "#2925: Liam Byrne\n#5656: Bruno Keller\n#5820: Ada Lind\n#1970: Elin Berg\n#6743: Bruno Keller\n";
    const draft = await extracted("all", task, [run(seen, all)]);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath"]);
  });

  test("is the caller's where its rows have nothing in common of which the task speaks", async () => {
    const draft = await extracted("some", task, [run(seen, "#2925: Liam Byrne\n#6743: Bruno Keller\n")]);
    expect(paramsOf(draft)).toEqual(["readPath", "writePath", "content"]);
  });
});

describe("a list inside of an argument", () => {
  const task =
    'Remember what is not done in /desk/todo.md as observations about Project Granite, each as "To do: …".';
  const todo = (...items: readonly string[]): Json => ({
    content: `# Project Granite\n\n## Now\n\n${items.slice(0, 3).join("\n")}\n\n## Later\n\n${items.slice(3).join("\n")}\n`,
  });
  const seen = todo(
    "- [ ] Test the scanner",
    "- [x] Move the gateway",
    "- [ ] Price the ranker",
    "- [ ] Test the ledger",
  );
  const run: readonly Told[] = [
    ["desk.read_file", { path: "/desk/todo.md" }, seen],
    [
      "memory.add_observations",
      {
        observations: [
          {
            entityName: "Project Granite",
            contents: ["To do: Test the scanner", "To do: Price the ranker", "To do: Test the ledger"],
          },
        ],
      },
      {},
    ],
  ];

  test("has an element for each line that is marked so, however many there are", async () => {
    const draft = await extracted("todos", task, [run]);
    expect(paramsOf(draft)).toEqual(["path", "entityName"]);
    expect(questionsOf(draft)).toEqual(["element"]);
    expect(isVerified(draft)).toBe(true);
    const { written } = await done(draft, todo("- [x] Paint the hall", "- [ ] Wash the van"));
    expect(written).toEqual([
      { observations: [{ entityName: "Project Granite", contents: ["To do: Wash the van"] }] },
    ]);
  });

  test("is not made, and nothing is called, where no line is marked so", async () => {
    const draft = await extracted("todos2", task, [run]);
    const { written, error } = await done(draft, todo("- [x] Paint the hall", "- [x] Wash the van"));
    expect(written).toEqual([]);
    expect(error).toBeDefined();
  });

  test("of rows that are so has none of others, and stops where there are none", async () => {
    const people = (...rows: readonly (readonly [string, string])[]): Json => ({
      people: rows.map(([name, guild]) => ({ name, guild })),
    });
    const draft = await extracted(
      "join",
      "Relate everybody of the guild Copper to the Copper Hall as a member.",
      [
        [
          ["desk.query", {}, people(["Ada Lind", "Copper"], ["Bo Hu", "Willow"], ["Cy Ek", "Copper"])],
          [
            "memory.add_relations",
            {
              relations: [
                { from: "Ada Lind", to: "Copper Hall", type: "member" },
                { from: "Cy Ek", to: "Copper Hall", type: "member" },
              ],
            },
            {},
          ],
        ],
      ],
    );
    expect(isVerified(draft)).toBe(true);
    expect(await done(draft, people(["Ed Fox", "Copper"], ["Al Roe", "Willow"]))).toEqual({
      written: [{ relations: [{ from: "Ed Fox", to: "Copper Hall", type: "member" }] }],
      error: undefined,
    });
    const { written, error } = await done(draft, people(["Ed Fox", "Willow"], ["Al Roe", "Juniper"]));
    expect({ written, error }).toEqual({ written: [], error: expect.stringContaining("Nothing in people") });
  });
});

describe("rows as Python prints those of a database", () => {
  test("are read with decimals and ids as texts and days as ISO 8601 has them, by the printed code as well", async () => {
    const rows = (number: string, amount: string): Json => ({
      content: `[{'number': '${number}', 'amount': Decimal('${amount}'), 'due': datetime.date(2025, 4, 5), 'at': datetime.datetime(2025, 4, 5, 9, 30), 'by': UUID('6f1b-77'), 'note': "O'Neil (late)", 'of': 'Decimal(2)'}]`,
    });
    const send = (number: string, amount: string): Told => [
      "mail.send",
      { number, amount, due: "2025-04-05", at: "2025-04-05T09:30:00", by: "6f1b-77", of: "Decimal(2)" },
      "sent",
    ];
    const draft = await extracted("remind", "Send a reminder for the unpaid invoice.", [
      [["db.query", {}, rows("R-83711", "26.60")], send("R-83711", "26.60")],
    ]);
    expect(paramsOf(draft)).toEqual([]);
    const { written } = await done(draft, rows("R-1234", "7.00"));
    expect(written).toEqual([send("R-1234", "7.00")[1]]);
  });
});
