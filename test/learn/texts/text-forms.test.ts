import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { textForms } from "../../../src/learn/texts/form-learning.ts";
import { listName, readText, reorderedText, type TextForm } from "../../../src/learn/texts/text-form.ts";
import { replay } from "../../../src/learn/verify/replay.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { traceOf } from "../reuse/sandbox.ts";
import { runner } from "../../shared-threads.ts";

/** What a text says by its form; where it has several, as lines. */
function said(text: string): Json | undefined {
  const forms = textForms([text]);
  const form = forms.find(({ kind }) => kind === "lines") ?? forms[0];
  return form && readText(text, form);
}

describe("a text is read as", () => {
  test.each<readonly [string, string, Json]>([
    ["marked names", "[FILE] a.txt\n[FILE] my b.txt", [{ name: "a.txt" }, { name: "my b.txt" }]],
    [
      "names of two kinds",
      "[FILE] a.txt\n[DIR] sub",
      [
        { kind: "FILE", name: "a.txt" },
        { kind: "DIR", name: "sub" },
      ],
    ],
    ["paths", "/srv/a.txt\n/srv/b/c.txt", [{ path: "/srv/a.txt" }, { path: "/srv/b/c.txt" }]],
    [
      "a bullet list",
      "- milk\n- two eggs\n- salt",
      [{ name: "milk" }, { name: "two eggs" }, { name: "salt" }],
    ],
    ["a list of things to do", "- [ ] call Ada\n- [ ] write", [{ name: "call Ada" }, { name: "write" }]],
    [
      "a numbered list",
      "1. Milk (2)\n2. Whole bread (1)",
      [
        { amount: 1, name: "Milk", amount3: 2 },
        { amount: 2, name: "Whole bread", amount3: 1 },
      ],
    ],
    [
      "lines of which the last has a number that counts some of the others",
      "* k1: ada one (4)\n* k2: Bob two three (7)\n* k3: north 5b (8)\n* k4: six of 6 (9)\n* k5: Ünal (2)",
      [
        { id: "k1", name: "ada one", amount: 4 },
        { id: "k2", name: "Bob two three", amount: 7 },
        { id: "k3", name: "north 5b", amount: 8 },
        { id: "k4", name: "six of 6", amount: 9 },
        { id: "k5", name: "Ünal", amount: 2 },
      ],
    ],
    [
      "commits",
      "abc1234 Fix the bug (Ada)\ndef5678 Add tests (Bob)",
      [
        { id: "abc1234", name: "Fix the bug", text: "Ada" },
        { id: "def5678", name: "Add tests", text: "Bob" },
      ],
    ],
    [
      "columns",
      "a.txt  12 kB  2026-01-02\nmy notes.txt  3 kB  2026-02-02",
      [
        { name: "a.txt", amount: 12, date: "2026-01-02" },
        { name: "my notes.txt", amount: 3, date: "2026-02-02" },
      ],
    ],
    [
      "keys in bold",
      "- **HAR-12** Fix the leak (high)\n- **HAR-7** Paint (low)",
      [
        { id: "HAR-12", name: "Fix the leak", text: "high" },
        { id: "HAR-7", name: "Paint", text: "low" },
      ],
    ],
    [
      "what is changed",
      " M src/a.ts\n?? docs/my b.md",
      [
        { mark: " M", name: "src/a.ts" },
        { mark: "??", name: "docs/my b.md" },
      ],
    ],
    [
      "what is selected",
      "  fix-12\n* main",
      [
        { mark: "", name: "fix-12" },
        { mark: "*", name: "main" },
      ],
    ],
    [
      "sentences",
      "Order 4711 for Ada Lovelace: 12.50 EUR\nOrder 4712 for Bob: 7 EUR",
      [
        { order: 4711, name: "Ada Lovelace", amount: 12.5, amountText: "12.50" },
        { order: 4712, name: "Bob", amount: 7, amountText: "7" },
      ],
    ],
  ])("%s", (_, text, lines) => {
    expect(said(text)).toEqual({ lines });
  });

  test.each<readonly [string, Json]>([
    ["m1 | ada@example.org | Rent\nm2 | bob@example.org | Rooms", "lines"],
    ["name,city\nAda,London\nBob,Rome", "lines or rows"],
    ["id | amount\n9550 | 662\n7 | 12\n(2 rows)", "rows"],
    ["customer\nAda Lind\nBob\n(2 rows)", "lines"],
  ])("a list that may have a head: %j", (text, kinds) => {
    const forms = textForms([text]);
    expect(
      forms
        .map(({ kind }) => kind)
        .sort()
        .join(" or "),
    ).toBe(kinds);
    for (const form of forms) {
      const length = form.kind === "lines" && kinds === "lines or rows" ? 3 : 2;
      expect(readText(text, form)?.[form.kind]).toHaveLength(length);
    }
  });

  test("lines between others", () => {
    expect(said("Found 2 files:\n\n- a.txt\n- b.txt")).toEqual({
      lines: [{ name: "a.txt" }, { name: "b.txt" }],
      around: { title: "Found 2 files" },
    });
    expect(said("[FILE] a.txt\n[FILE] b.txt\n\nTotal: 2 files")).toEqual({
      lines: [{ name: "a.txt" }, { name: "b.txt" }],
      around: { number: 2 },
    });
  });

  test.each<readonly [string, string]>([
    ["CSV", 'id,name,price\r\n1,Milk,2.5\r\n2,"Bread, whole",3\r\n'],
    ["tabs", "id\tname\tprice\n1\tMilk\t2.5\n2\tBread, whole\t3"],
    ["Markdown", "| id | name | price |\n|---|:--|--:|\n| 1 | Milk | 2.5 |\n| 2 | Bread, whole | 3 |"],
  ])("a table in %s", (_, text) => {
    const rows = [
      { id: 1, name: "Milk", price: 2.5 },
      { id: 2, name: "Bread, whole", price: 3 },
    ];
    expect(said(text)).toEqual({ rows });
  });

  test("fields beside a table", () => {
    const table = "| part | pieces |\n|---|--:|\n| bolt: long | 2 |\n| nut | 7 |";
    const forms = textForms([`# Bill\n\n${table}\n\n**To pay :** 1200,50 €\nAccount: AB 12`]);
    expect(forms.map((form) => readText(`${table}\n\nTo pay : 7,00 €\nAccount: C`, form))).toEqual([
      undefined,
      { fields: { "To pay": 7, "To pay text": "7,00 €", Account: "C" } },
    ]);
  });

  test("fields among other lines", () => {
    const text = "# Report\n\n**Total:** 80\n- Seen by: Ada\nAll is well.\n";
    expect(said(text)).toEqual({ fields: { Total: 80, "Seen by": "Ada" } });
    const settings = textForms(["host = db1\n", "host = db2\nport = 1\n"]).find(
      ({ kind }) => kind === "fields",
    );
    expect(settings && readText("host = db3\n", settings)).toEqual({ fields: { host: "db3" } });
    expect(settings && readText("port = 2\n", settings)).toBeUndefined();
  });

  test("records of several lines", () => {
    const text = "Title: A: one\nURL: https://a.example\nStars: 3\n\nTitle: B\nURL: https://b.example\n";
    expect(said(`2 results\n\n${text}`)).toEqual({
      records: [
        { Title: "A: one", URL: "https://a.example", Stars: 3 },
        { Title: "B", URL: "https://b.example" },
      ],
    });
  });

  test("JSON", () => {
    expect(said('[{"id": 1}]')).toEqual({ json: [{ id: 1 }] });
  });
});

test("a text that another form could tell otherwise is not read", () => {
  const [form] = textForms(["a1 Fix (Ada)", "b2 Add (Bob)"].map((line) => `${line}\n${line}`));
  if (!form) throw new Error("the lines have a form");
  expect(readText("c3 Fix (it) (Ada)", form)).toBeUndefined();
  expect(readText("Fix it", form)).toBeUndefined();
  expect(readText("", form)).toEqual({ lines: [] });
});

test("prose and code are no list of things, and long texts stay texts", () => {
  const code = "function f(a) {\n  return a + 1;\n}\n\nf(2);";
  expect(textForms([code]).filter(({ kind }) => kind !== "lines")).toEqual([]);
  expect(textForms(["a: 1\n".repeat(30_000)])).toEqual([]);
  expect(textForms([""])).toEqual([]);
});

// --- any texts

const FIRST = ["ada", "Bob", "x-1", "north", "a.txt", "Ünal", "v2"];
const LAST = ["one", "two three", "Four", "5b", "six of 6", "", "ten"];
const number = fc.oneof(
  fc.nat(5000),
  fc.nat(5000).map((each) => each / 4),
);
const records = fc.array(fc.tuple(number, fc.nat(99)), { minLength: 2, maxLength: 7 }).map((numbers) =>
  numbers.map(([amount, id], nth) => ({
    name: `${FIRST[nth]} ${LAST[nth]}`.trim(),
    amount,
    id: `k${id}${nth}`,
  })),
);

/** Ways in which servers write records. */
const WRITERS: Readonly<
  Record<string, (list: readonly { name: string; amount: number; id: string }[]) => string>
> = {
  lines: (list) => list.map(({ id, name, amount }) => `* ${id}: ${name} (${amount})`).join("\n"),
  columns: (list) => list.map(({ id, name, amount }) => `${id}\t${name}\t${amount}`).join("\n"),
  sentences: (list) =>
    `Here they are:\n${list.map(({ id, name, amount }) => `${id} is <${name}>, ${amount} EUR`).join("\n")}\n`,
  aligned: (list) =>
    ["ID  NAME  AMOUNT", ...list.map(({ id, name, amount }) => `${id}    ${name}   ${amount}`)].join("\n"),
  csv: (list) =>
    ["id,name,amount", ...list.map(({ id, name, amount }) => `${id},"${name}",${amount}`)].join("\n"),
  markdown: (list) =>
    [
      "| id | name | amount |",
      "|--|--|--|",
      ...list.map(({ id, name, amount }) => `| ${id} | ${name} | ${amount} |`),
    ].join("\n"),
  records: (list) =>
    list.map(({ id, name, amount }) => `Id: ${id}\nName: ${name}\nAmount: ${amount}\n`).join("\n"),
};

test.each(Object.keys(WRITERS))("what was written as %s is read back, in any order", (writer) => {
  fc.assert(
    fc.property(records, (list) => {
      const text = WRITERS[writer]?.(list) ?? "";
      const forms = textForms([text]);
      const form = forms.find(({ kind }) => kind !== "fields");
      if (!form) throw new Error(text);
      const read = readText(text, form)?.[form.kind] as readonly Readonly<Record<string, Json>>[];
      const values = list.map(({ id, name, amount }) => [id, name, String(amount)].sort());
      expect(read.map((each) => Object.values(each).map(String).sort())).toEqual(values);
      const turned = reorderedText(text, form, (each) => [...each.keys()].toReversed());
      expect(readText(turned, form)?.[form.kind]).toEqual(read.toReversed());
    }),
    { numRuns: 40 },
  );
});

test("printed code reads the same, or stops", async () => {
  const piece = fc.constantFrom(
    "a",
    "1",
    "2.5",
    " ",
    "\n",
    "\n\n",
    "\n  ",
    " \\\n",
    ": ",
    ",",
    "|",
    "(",
    ")",
    '"',
    "id",
    "k: v",
    "- ",
  );
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
  const learnedFrom = fc.oneof(
    text,
    records.chain((list) => fc.constantFrom(...Object.values(WRITERS)).map((write) => write(list))),
  );
  await fc.assert(
    fc.asyncProperty(learnedFrom, fc.option(text), async (example, other) => {
      for (const form of textForms([example]))
        for (const content of other === null ? [example] : [example, other]) {
          const { output, difference } = await printed(form, content);
          const read = readText(content, form);
          const value = form.kind === "sections" ? readPart(read?.["sections"]) : read?.[form.kind];
          if (value === undefined) expect(difference).toMatchObject({ kind: "failed" });
          else expect(output).toEqual(value);
        }
    }),
    { numRuns: 60 },
  );
});

test.each<readonly [example: string, others: readonly string[]]>([
  [
    "a: 1\nb:\n  c: x y\n  d:\n  - e: true\n    f: ~\n  - e: 'it''s'\n    f: \"q\"\n",
    [
      "b:\n- 1.20\n- [a, 2]\n- {}\n",
      "---\n# new\na: b # c\nd:\n  - - x\n    - y\n",
      "a: &x b\n",
      "a: |\n  b\n",
      "a: b\n  c: d\n",
      "a: b\na: c\n",
      "a:\n\tb: c\n",
      '"a: b": http://c:80\n',
      "a: b: c\n",
      "- a: 1\n  b: 2\n-\n  a: 3\n",
      "x",
      "",
    ],
  ],
  [
    "Price: $1,234.50\nFor: Ada",
    ["Price: $7", "Price: $1,23.50", "Price: -$1.5", "Price: $1.234", "Price: 1"],
  ],
  ["Price: 7 €\nFor: Ada", ["Price: 1.234,50 €", "Price: 1,234.50 €", "Price: 1.234 €", "Price: 007 €"]],
  [
    "Due: 3 March 2026\nFor: Ada",
    ["Due: May 3rd, 2026", "Due: 31 June 2026", "Due: lundi 1er août 2026", "Due: 3"],
  ],
  [
    "## Done (1)\n\n- a b\n\n## Open\n\n- c d\n- e f\n",
    ["# Done\n## Done (2)\n- x\n- y\n# End\n- z\n", "## Done\nx", "## Done (3)\n- x", "## Open\n- x", "- x"],
  ],
  ['Rates:\n\n```json\n{"a": 1}\n```', ['{"a": 2}', 'x {"a": [3]} y', '{"a": 1} {"a": 2}', "none", "[1] x"]],
  [
    "Rate ....... 120\nFor: Ada",
    ["Rate .. 7", "Rate.....8", "- **Rate** ... x", "Rate: 7", "Rate ... 1\nRate ... 2"],
  ],
  ["Items: a, b c\nFor: Ada", ["Items: d", "Items: d, , e", "Items: ", "Items: e,f", "Items: x, y, z"]],
  [
    "* Open\n    * a: 2 of\n    * b: 3 of\n* Done\n    * c: 4 of\n",
    ["Done\n\t* d: 5 of\n", "1. Done:\n  * e: 6 of\nend", "* Done\n* Open\n  * a: 1 of", "  * Done"],
  ],
  ["Done:\n  a\n  b\nOpen:\n  c\n", ["Done:\n  x\nend", "Open:\n- y\n\nDone:\n- x", "Done: x", "Done:"]],
  ["[Done]\na = 1\n[Open]\na = 2\n", ["[Open]\n[Done]\nb = 1\na = x y\n", "[Done]\nb = 1\n"]],
  ["Done\n----\na,b\nx,1\n\nOpen\n----\nc d\n", ["T\n===\nDone\n---\nb,a\n2,y\n\nE\n===\nx", "Done\n---\n"]],
])("printed code reads what is written as %j alike", async (example, others) => {
  for (const form of textForms([example]))
    for (const content of [example, ...others]) {
      const { output, difference } = await printed(form, content);
      const read = readText(content, form);
      const value = form.kind === "sections" ? readPart(read?.["sections"]) : read?.[form.kind];
      if (value === undefined) expect([content, difference?.kind]).toEqual([content, "failed"]);
      else expect([content, value]).toMatchObject([content, output ?? "nothing"]);
    }
});

test.each<readonly [form: TextForm, contents: readonly string[]]>([
  [
    { kind: "tree", mark: "/" },
    [
      "wool\n  Costs 27\ncork:\n  - a: b c\n    x/\n\n  y",
      "/srv\n├── a\n│   └── b.txt\n└── c: d",
      "|-- a\n|   `-- b",
      ".\n  a\n\tb",
      "/\n  etc/\n    hosts",
      "x\ny",
      "",
    ],
  ],
  [
    {
      kind: "blocks",
      parts: [
        {
          as: "said",
          start: { begins: "- ", form: ["- ", { name: "", is: "gap" }] },
          lines: [
            {
              begins: "- ",
              form: ["- ", { name: "id", is: "word" }, { name: "remark", is: "remark", empty: true }],
            },
          ],
        },
      ],
    },
    ["- a (default)\n- b", "- a [x]", "- a *", "- a b (c)", "- a(b)", "- a (b) (c)", "- "],
  ],
  [
    {
      kind: "blocks",
      parts: [
        {
          as: "said",
          start: { begins: "- [ ] ", form: ["- [ ] ", { name: "text", is: "text" }] },
          lines: [{ begins: "- [ ] ", form: ["- [ ] ", { name: "text", is: "text" }] }],
        },
      ],
    },
    [
      "# May\n\n- [x] a\n- [ ] b 2\n- [X] c\n- [ ] d.\n",
      "- [ ] a\n* [ ] b",
      "- [ ] a\n  - [ ] b",
      "- [ ] a\n1. [ ] b",
      "- [ ] a\n- [~] b",
      "- [ ] a\n  b",
      "- [x] a",
    ],
  ],
  [
    { kind: "json" },
    [
      '{"id": 1234567890123456789, "t": "1234567890123456789", "n": [-12345678901234567, 12]}',
      "[9007199254740991, 9007199254740993]",
      '{"f": 1234567890123456.5, "e": 12345678901234567e2}',
    ],
  ],
  [
    { kind: "fields", mark: ": ", fields: [{ label: "By", is: "text" }] },
    ["Ada", "TBD", "(away)", "error: x", "/", "nobody", "failed", "Unassigned.", "[x](y)"].map(
      (said) => `By: ${said}`,
    ),
  ],
])("printed code reads the form %j alike", async (form, contents) => {
  for (const content of contents) {
    const { output, difference } = await printed(form, content);
    const read = readText(content, form)?.[form.kind];
    const value = form.kind === "blocks" ? (read as { said?: Json } | undefined)?.said : read;
    if (value === undefined) expect([content, difference?.kind]).toEqual([content, "failed"]);
    else expect([content, output ?? "nothing"]).toEqual([content, value]);
  }
});

/** What the part says that is called `Done`. */
function readPart(sections: Json | undefined): Json | undefined {
  const parts = (sections ?? []) as readonly Readonly<Record<string, Json>>[];
  const { title: _, ...said } = parts.find(({ title }) => title === "Done") ?? {};
  return Object.values(said)[0];
}

/** What a skill gives that reads a text. */
async function printed(form: TextForm, content: string) {
  const read = { kind: "field", of: { kind: "ref", name: "page" }, path: ["content", form.kind] } as const;
  const labels =
    "fields" in form
      ? form.fields.flatMap(({ label, list }) => (list === undefined ? [label] : [label, listName(label)]))
      : [];
  const value =
    form.kind === "sections"
      ? ({
          kind: "field",
          of: {
            kind: "find",
            in: read,
            where: [{ path: ["title"], equals: { kind: "constant", value: "Done" } }],
          },
          path: [form.parts[0]?.as ?? ""],
        } as const)
      : form.kind === "fields"
        ? ({
            kind: "object",
            fields: labels.map((name) => ({ name, value: { ...read, path: [...read.path, name] } })),
          } as const)
        : form.kind === "rows" || form.kind === "records"
          ? ({
              kind: "map",
              over: read,
              item: "each",
              value: {
                kind: "object",
                fields: labels.map((name) => ({
                  name,
                  value: { kind: "field", of: { kind: "ref", name: "each" }, path: [name] } as const,
                })),
              },
            } as const)
          : form.kind === "blocks"
            ? ({ ...read, path: [...read.path, form.parts[0]?.as ?? ""] } as const)
            : read;
  const plan: Plan = {
    version: 1,
    name: "d",
    params: [],
    steps: [
      {
        kind: "call",
        name: "page",
        tool: "t.read",
        args: { kind: "object", fields: [] },
        reads: [{ path: ["content"], forms: [form] }],
      },
    ],
    output: { value, schema: {} },
  };
  const trace = traceOf("t", "", ["t.read", {}, { content }]);
  const skills = skillSet({ d: skillCode(plan) });
  return replay({ runner, skills, name: "d" }, trace, { input: {} });
}
