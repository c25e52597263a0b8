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

type Files = Readonly<Record<string, string>>;

/** What a draft's code writes where files have these texts, or the error with which it ends. */
async function written({ name, code, ...draft }: Draft, files: Files): Promise<unknown> {
  const texts: Json[] = [];
  const { root } = await runner.run(skillSet({ [name]: code }), name, examples({ name, code, ...draft }), {
    callTool: (tool, args) => {
      const { path, content } = args as { readonly path: string; readonly content?: string };
      if (tool === "desk.write_file") texts.push(content ?? null);
      else if (tool !== "desk.read_file") return Promise.resolve(fail(failure("TOOL_FAILED", tool)));
      return Promise.resolve(ok({ content: files[path] ?? "" }));
    },
  });
  return root.outcome.ok ? texts : `stops after ${texts.length} writes`;
}

const INVOICE = "/desk/in.txt";

function invoice(number: string, supplier: string, date: string, total: string): string {
  return `Invoice ${number}\nSupplier: ${supplier}\nDate: ${date}\nNet: 81.00 EUR\nTotal: ${total} EUR\n`;
}

/** A run in which a row is added to a table. */
function run(told: string, path: string, table: string, row: string): readonly Told[] {
  return [
    ["desk.read_file", { path: INVOICE }, { content: told }],
    ["desk.read_file", { path }, { content: table }],
    ["desk.write_file", { path, content: `${table}${row}\n` }, { content: "Written" }],
  ];
}

const seen = invoice("INV-204", "Halvorsen Timber", "2026-03-02", "412.50");
const other = invoice("INV-377", "Nordwind", "2026-05-19", "12.80");
const ledger = "/desk/ledger.csv";
const rows = "2026-01-12,INV-188,Brink & Sons,99.00\n2026-02-03,INV-193,Nordwind,250.10\n";
const table = `date,invoice,supplier,amount\n${rows}`;
const task = `Book the invoice ${INVOICE}: add a row for it at the end of ${ledger}.`;
const row = "2026-03-02,INV-204,Halvorsen Timber,412.50";

describe("a row below the last of a table", () => {
  test("has what another text tells, each in the column in which it was", async () => {
    const draft = await extracted("book", task, [run(seen, ledger, table, row)]);
    expect(paramsOf(draft)).toEqual(["path", "secondPath"]);
    expect(isVerified(draft)).toBe(true);
    expect(await written(draft, { [INVOICE]: other, [ledger]: table })).toEqual([
      `${table}2026-05-19,INV-377,Nordwind,12.80\n`,
    ]);
  });

  test("stops where a text does not tell a cell, or another table is there", async () => {
    const draft = await extracted("book2", task, [run(seen, ledger, table, row)]);
    const stops = "stops after 0 writes";
    const worlds: readonly Files[] = [
      { [INVOICE]: other.replace(/^Total.*\n/m, "The total follows.\n"), [ledger]: table },
      { [INVOICE]: invoice("INV-377", "Ek, Lind & Co", "2026-05-19", "12.80"), [ledger]: table },
      { [INVOICE]: invoice("INV-377", "~~Nordwind~~", "2026-05-19", "12.80"), [ledger]: table },
      { [INVOICE]: other, [ledger]: `date,supplier,invoice,amount\n${rows}` },
      { [INVOICE]: other, [ledger]: `${table}Total,,,349.10\n` },
      { [INVOICE]: other, [ledger]: table.trimEnd() },
      { [INVOICE]: other, [ledger]: `${table}\nAsk Nora about the rest.\n` },
    ];
    for (const files of worlds) expect(await written(draft, files)).toBe(stops);
  });

  test("stands in a table of Markdown, too, with what is the same in all its rows", async () => {
    const path = "/desk/ledger.md";
    const head = "# Ledger\n\n| Date | Invoice | State | Amount |\n| --- | --- | --- | --- |\n";
    const drawn = `${head}| 2026-01-12 | INV-188 | open | 99.00 |\n| 2026-02-03 | INV-193 | open | 250.10 |\n`;
    const draft = await extracted("book3", task.replace(ledger, path), [
      run(seen, path, drawn, "| 2026-03-02 | INV-204 | open | 412.50 |"),
    ]);
    expect(paramsOf(draft)).toEqual(["path", "secondPath"]);
    expect(await written(draft, { [INVOICE]: other, [path]: drawn })).toEqual([
      `${drawn}| 2026-05-19 | INV-377 | open | 12.80 |\n`,
    ]);
    expect(await written(draft, { [INVOICE]: other, [path]: `${drawn}\nAll in EUR.\n` })).toBe(
      "stops after 0 writes",
    );
  });

  test("has what the caller says in its cell, and one that nothing tells", async () => {
    const own = table
      .replaceAll(/$/gm, ",Larch")
      .replace("amount,Larch", "amount,project")
      .replace(/,Larch$/, "");
    const said = await extracted("book4", `${task} It is for the project Alder.`, [
      run(seen, ledger, own, `${row},Alder`),
    ]);
    expect(paramsOf(said)).toEqual(["path", "secondPath", "project"]);
    const unsaid = await extracted("book5", task, [run(seen, ledger, own, `${row},Alder`)]);
    expect(paramsOf(unsaid)).toEqual(["path", "secondPath", "project"]);
    expect(questionsOf(unsaid)).toEqual(["text"]);
  });

  test("has no cell of an equal value that is of another thing", async () => {
    const twice = seen.replace("Net: 81.00", "Deposit: 412.50");
    const draft = await extracted("book6", task, [run(twice, ledger, table, row)]);
    expect(paramsOf(draft)).toEqual(["path", "secondPath", "amount"]);
    const priority = `date,invoice,supplier,priority\n2026-01-12,INV-188,Brink & Sons,1\n`;
    const chance = await extracted("book7", task, [
      run(`${seen}Copies: 2\n`, ledger, priority, "2026-03-02,INV-204,Halvorsen Timber,2"),
    ]);
    expect(paramsOf(chance)).toEqual(["path", "secondPath", "priority"]);
    expect(questionsOf(chance)).toEqual(["text"]);
  });

  test("is the caller's where another row of the table alone has its cells", async () => {
    const draft = await extracted("book8", task, [
      run(seen, ledger, table, "2026-02-03,INV-193,Nordwind,17.00"),
    ]);
    expect(paramsOf(draft)).toContain("content");
  });
});

describe("what is added below the last line", () => {
  const reading = "/desk/reading.txt";
  const log = "/desk/log.csv";
  const meter = (day: string, count: string): string => `Date: ${day}\nReading: ${count}\n`;

  test.each([
    ["more columns behind", "date,reading,by\n2026-03-01,4500,Ann\n"],
    ["more columns before", "id,date,reading\n1,2026-03-01,4500\n"],
  ])("is no row of a table with %s", async (name, found) => {
    const [seenLog, line] = ["date,reading\n2026-03-01,4500\n2026-04-01,4600\n", "2026-05-01,4711\n"];
    const draft = await extracted(name.replaceAll(" ", "-"), `Add the reading of ${reading} to ${log}.`, [
      [
        ["desk.read_file", { path: reading }, { content: meter("2026-05-01", "4711") }],
        ["desk.read_file", { path: log }, { content: seenLog }],
        ["desk.write_file", { path: log, content: seenLog + line }, { content: "Written" }],
      ],
    ]);
    const next = meter("2026-06-01", "5000");
    const known = "date,reading\n2026-04-01,4600\n";
    expect(await written(draft, { [reading]: next, [log]: known })).toEqual([`${known}2026-06-01,5000\n`]);
    expect(await written(draft, { [reading]: next, [log]: found })).toBe("stops after 0 writes");
  });

  const mail = "/desk/mail.txt";
  const members = "/desk/members.md";
  const joining = (name: string, list: string, item: string): readonly Told[] => [
    ["desk.read_file", { path: mail }, { content: `Name: ${name}\nMail: x@x.org\n` }],
    ["desk.read_file", { path: members }, { content: list }],
    ["desk.write_file", { path: members, content: `${list}${item}\n` }, { content: "Written" }],
  ];
  const joins = `Add the new member of ${mail} to the list in ${members}.`;

  test.each([
    ["another list below", "# Members\n\n- Ann Lee\n\n# Guests\n\n- Cy Day\n"],
    ["other signs", "# Members\n\n* Ann Lee\n"],
    ["numbers", "# Members\n\n1. Ann Lee\n2. Bo Xu\n"],
    ["boxes", "# Members\n\n- [ ] Ann Lee\n"],
    ["a line below", "# Members\n\n- Ann Lee\n\nAll pay 40 EUR.\n"],
  ])("is no item of a list with %s", async (name, found) => {
    const list = "# Members\n\n- Ann Lee\n- Bo Xu\n";
    const draft = await extracted(`joins-${name.replaceAll(" ", "-")}`, joins, [
      joining("Dee Fox", list, "- Dee Fox"),
    ]);
    const told = "Name: Al Po\nMail: x@x.org\n";
    const known = "# Club\n\nWe are:\n\n- Cy Day\n";
    expect(questionsOf(draft)).toEqual([]);
    expect(await written(draft, { [mail]: told, [members]: known })).toEqual([`${known}- Al Po\n`]);
    expect(await written(draft, { [mail]: told, [members]: found })).toBe("stops after 0 writes");
  });

  test("is open below the last of several lists, and the caller's with the number of this run", async () => {
    const lists = "# Guests\n\n- Cy Day\n\n# Members\n\n- Ann Lee\n";
    const several = await extracted("several-lists", joins, [joining("Dee Fox", lists, "- Dee Fox")]);
    expect(questionsOf(several)).toEqual(["text"]);
    const numbers = "# Members\n\n1. Ann Lee\n2. Bo Xu\n";
    const numbered = await extracted("numbered", joins, [joining("Dee Fox", numbers, "3. Dee Fox")]);
    expect(Object.values(examples(numbered))).toContain(`${numbers}3. Dee Fox\n`);
  });
});
