import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { learned, type Told, traceOf } from "../learned.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const listing = (...names: readonly string[]): Told => [
  "files.list_directory",
  { path: "/srv/march" },
  { content: names.map((name) => `[FILE] ${name}`).join("\n") },
];
const moved = (name: string): Told => [
  "files.move_file",
  { source: `/srv/march/${name}`, destination: `/srv/done/${name}` },
  { content: "moved" },
];
const read = (name: string, content: string): Told => [
  "files.read_text_file",
  { path: `/srv/march/${name}` },
  { content },
];
const written = (content: string): Told => [
  "files.write_file",
  { path: "/srv/all.txt", content },
  { content: "written" },
];
const query = (sql: string, answer: string): Told => ["db.query", { sql }, answer];
const execute = (sql: string): Told => ["db.execute", { sql }, "1 row"];

/** What the caller says, the questions that are open, and what does not hold. */
async function draftOf(task: string, calls: readonly Told[]) {
  const draft = await real.of([traceOf(task, calls)]);
  const verified = await real.verified(draft.name);
  return {
    code: draft.code,
    said: draft.plan.params.map(({ example }) => example),
    open: (draft.plan.questions ?? []).map(({ kind, path }) => [kind, ...path].join(" ")),
    failing: failing(verified),
  };
}

describe("a text is composed", () => {
  test("of the folders that the caller says and the names in a list", async () => {
    const draft = await draftOf("Move all files of /srv/march to /srv/done", [
      listing("oak.txt", "pine.txt", "fir.txt"),
      ...["oak.txt", "pine.txt", "fir.txt"].map(moved),
    ]);
    expect(draft).toMatchObject({ said: ["/srv/march", "/srv/done"], open: ["element"], failing: [] });
  });

  test("of all texts that were read, one after the other", async () => {
    const draft = await draftOf("Write the files of /srv/march to /srv/all.txt", [
      listing("oak.txt", "pine.txt"),
      read("oak.txt", "first line\nsecond\n"),
      read("pine.txt", "third\n"),
      written("first line\nsecond\nthird\n"),
    ]);
    expect(draft).toMatchObject({ said: ["/srv/march", "/srv/all.txt"], open: [], failing: [] });
    expect(draft.code).toContain('.content), "")');
  });

  test("of a line for each element", async () => {
    const draft = await draftOf("List the files of /srv/march in /srv/all.txt", [
      listing("oak.txt", "pine.txt", "fir.txt"),
      written("# \n- oak.txt\n- pine.txt\n- fir.txt\n"),
    ]);
    expect(draft).toMatchObject({ said: ["/srv/march", "/srv/all.txt"], failing: [] });
    expect(draft.code.replaceAll(/\s+/g, " ")).toContain('["- ", textWith(line.name, "")].join("")), "\\n")');
  });

  test("of a program's words, which are open, with what the caller says and what was found", async () => {
    const draft = await draftOf("Ada Lind has paid the open invoice", [
      query(
        "SELECT id, amount FROM invoices WHERE customer = 'Ada Lind' AND paid = 0",
        "id | amount\n9550 | 662\n(1 row)",
      ),
      execute("UPDATE invoices SET paid = 1 WHERE id = 9550"),
    ]);
    expect(draft).toMatchObject({ said: ["Ada Lind"], open: ["text sql", "text sql"], failing: [] });
    const code = draft.code.replaceAll(/\s+/g, " ");
    expect(code).toContain(`WHERE customer = '", textWith(input.customer, "'"), "' AND paid = 0`);
  });

  test("in rounds over the rows of a table", async () => {
    const draft = await draftOf("Everybody has paid", [
      query("SELECT id FROM invoices", "id | amount\n1583 | 30\n2949 | 12\n6482 | 64\n(3 rows)"),
      ...[1583, 2949, 6482].map((id) => execute(`UPDATE invoices SET paid = 1 WHERE id = ${id}`)),
    ]);
    expect(draft.open).toContain("element");
    expect(draft.code).toContain("for (const row of listOf(queryResult.rows))");
    expect(draft.failing).toEqual([]);
  });
});

test("what a program is told that the task does not say stays the caller's", () => {
  const { plan } = learned([
    traceOf("Raise the salary", [
      query("SELECT salary FROM staff", "salary\n4253\n4000\n(2 rows)"),
      execute("UPDATE staff SET salary = 4408 WHERE name = 'Ada Lind'"),
    ]),
  ]);
  expect(plan.params.map(({ example }) => example)).toContain(
    "UPDATE staff SET salary = 4408 WHERE name = 'Ada Lind'",
  );
});

test("a total stands in a text where the task asks for it; else it is open", () => {
  const calls = [
    listing("oak.txt", "pine.txt"),
    read("oak.txt", "total: 120\n"),
    read("pine.txt", "total: 80\n"),
    written("Total: 200"),
  ];
  const asked = learned([traceOf("Sum up the totals of /srv/march in /srv/all.txt", calls)]).plan;
  expect(asked.params).toHaveLength(2);
  const unasked = learned([traceOf("Work on /srv/march and /srv/all.txt", calls)]).plan;
  expect(unasked.params.map(({ example }) => example)).toContain("Total: 200");
  expect(unasked.questions).toMatchObject([{ kind: "text", path: ["content"] }]);
});
