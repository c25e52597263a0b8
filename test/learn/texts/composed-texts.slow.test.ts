import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { learned, type Told, traceOf } from "../learned.ts";
import { runner } from "../../shared-threads.ts";

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
    expect(draft.code.replaceAll(/\s+/g, " ")).toContain('(each) => compares(each, "endsWith", "\\n")');
  });

  test("of a line for each element", async () => {
    const draft = await draftOf("List the files of /srv/march in /srv/all.txt", [
      listing("oak.txt", "pine.txt", "fir.txt"),
      written("# \n- oak.txt\n- pine.txt\n- fir.txt\n"),
    ]);
    expect(draft).toMatchObject({ said: ["/srv/march", "/srv/all.txt"], failing: [] });
    expect(draft.code.replaceAll(/\s+/g, " ")).toContain(
      '["- ", textWith(ofKind(line.name, "text", "name"), "")].join(""), ), "\\n"',
    );
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

// --- of lists of which each element has a line, or a call

const CLUBS: Readonly<Record<string, readonly (readonly [person: string, mail: string, debt: number])[]>> = {
  rowers: [
    ["Ada Lind", "ada@ex.org", 120.5],
    ["Bo Hu", "bo@ex.org", 71.25],
    ["Cy Ek", "cy@ex.org", 310],
  ],
  skiers: [
    ["Di Po", "di@ex.org", 12.75],
    ["Ed Ro", "ed@ex.org", 99.5],
  ],
  chess: [["Fay Wu", "fay@ex.org", 7.5]],
};

/** The debts stand in another order than the people. */
const CLUB_TOOLS: WorldTools = {
  "c.list_people": ({ club }) =>
    (CLUBS[JSON.stringify(club).slice(1, -1)] ?? []).map(([name, mail]) => `${name} <${mail}>`).join("\n"),
  "c.list_debts": ({ club }) =>
    debtsOf(JSON.stringify(club).slice(1, -1))
      .map(([name, , debt]) => `${name}: ${debt} EUR`)
      .join("\n"),
  "c.remind": () => "ok",
  "c.write_report": () => "ok",
};

function debtsOf(club: string): (typeof CLUBS)[string] {
  return club === "rowers" ? (CLUBS[club] ?? []) : (CLUBS[club] ?? []).toReversed();
}

type Clerk = (club: string, call: (tool: string, args: JsonObject) => unknown) => void;

/** What a skill does for a club, which was learned from others. */
async function doneFor(club: string, clerk: Clerk, task: (club: string) => string, learnedFrom = ["rowers"]) {
  const runs = learnedFrom.map((each) => recordedIn(CLUB_TOOLS, task(each), (call) => clerk(each, call)));
  const { plan } = learned(runs);
  const input = Object.fromEntries(plan.params.map(({ name }) => [name, club]));
  const wanted = recordedIn(CLUB_TOOLS, "", (call) => clerk(club, call));
  const isAct = (call: string): boolean => /^(?:c\.remind|c\.write|stops)/.test(call);
  return {
    plan,
    made: (await callsIn(runner, plan, CLUB_TOOLS, input)).filter(isAct),
    wanted: wanted.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).filter(isAct),
  };
}

const reports =
  (report: (club: string) => string): Clerk =>
  (club, call) => {
    call("c.list_people", { club });
    call("c.list_debts", { club });
    call("c.write_report", { text: report(club) });
  };

describe("of a list", () => {
  test.each<readonly [string, (club: string) => string]>([
    [
      "a line has several fields",
      (club) => (CLUBS[club] ?? []).map(([a, b]) => `| ${a} | ${b} |`).join("\n"),
    ],
    [
      "each has a line, below a title and above the total",
      (club) => {
        const debts = debtsOf(club);
        const total = debts.reduce((sum, [, , debt]) => sum + debt, 0);
        return `# Debts\n\n${debts.map(([name, , debt]) => `* ${name} owes ${debt}`).join("\n")}\nTotal: ${total}\n`;
      },
    ],
  ])("%s", async (_, report) => {
    const task = (club: string): string => `Write down the total of what all in ${club} owe`;
    const { made, wanted, plan } = await doneFor("skiers", reports(report), task);
    expect(made).toEqual(wanted);
    expect(plan.questions ?? []).toEqual([]);
  });

  test("a line that says another thing for some is no line for each", async () => {
    const report = (club: string): string =>
      (CLUBS[club] ?? []).map(([a, b], nth) => (nth === 1 ? `${a}, who is new` : `${a}: ${b}`)).join("\n");
    const { plan } = await doneFor("rowers", reports(report), (club) => `Write down ${club}`);
    expect(plan.params.map(({ example }) => example)).toContain(report("rowers"));
  });
});

describe("of two lists", () => {
  const task = (club: string): string => `Remind everybody in ${club} of what they owe`;
  const both = (club: string): string =>
    (CLUBS[club] ?? []).map(([, mail, debt]) => `${mail};${debt}`).join("\n");

  test("a call for each says what the other tells of the same thing", async () => {
    const reminds: Clerk = (club, call) => {
      call("c.list_people", { club });
      call("c.list_debts", { club });
      for (const [, to, debt] of CLUBS[club] ?? []) call("c.remind", { to, text: `You owe ${debt} EUR` });
    };
    const { made, wanted } = await doneFor("skiers", reminds, task);
    expect(made).toEqual(wanted);
  });

  test("the order of a report is open where both have the same, and another run tells it", async () => {
    const one = await doneFor("skiers", reports(both), task);
    expect(one.plan.questions?.map(({ kind }) => kind)).toEqual(["text"]);
    expect(one.plan.params.map(({ example }) => example)).toContain(both("rowers"));
    const { made, wanted, plan } = await doneFor("chess", reports(both), task, ["rowers", "skiers"]);
    expect(plan.questions ?? []).toEqual([]);
    expect(made).toEqual(wanted);
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

// --- of labels, units and what an answer told

const noted = (content: string): Told => [
  "memory.add_observations",
  { observations: [{ entityName: "price list", contents: [content] }] },
  { added: 1 },
];
const page: Told = [
  "web.fetch",
  { url: "https://shop.example/lamp" },
  "A lamp for every day.\n\n**Price:** € 94.89 incl. VAT\n\nArticle number: LA-6827\n",
];

test("a text deep in an argument is composed of values and a unit, and its words are open", async () => {
  const draft = await draftOf("Note in the price list what https://shop.example/lamp sells", [
    page,
    noted("LA-6827: 94.89 EUR\n"),
  ]);
  expect(JSON.stringify(draft.said)).not.toMatch(/LA-6827|94\.89|EUR/);
  expect(draft.open).toEqual(["text observations 0 contents 0"]);
  expect(draft.failing).toEqual([]);
});

test("a text deep in an argument is composed of a value and how the answer calls it", async () => {
  const draft = await draftOf("Note in the price list what https://shop.example/lamp sells", [
    page,
    noted("Article: LA-6827"),
  ]);
  expect(JSON.stringify(draft.said)).not.toContain("LA-6827");
  expect(draft.failing).toEqual([]);
});

test.each([
  ["names what the caller says", "Travel: LA-6827"],
  ["has a number that nothing tells", "Shelf 4711: LA-6827"],
  ["is prose", "Sadly everybody should know about LA-6827"],
])("a text around a value that %s stays the caller's", async (_, content) => {
  const { said } = await draftOf("Note under Travel what https://shop.example/lamp sells", [
    page,
    noted(content),
  ]);
  expect(JSON.stringify(said)).toContain(JSON.stringify(content));
});

test("lines that the caller says all of stay one text", async () => {
  const lines = "Guest | Plates | Cups\nAda | 5 | 9\nBo | 10 | 7";
  const { said } = await draftOf(`Put '${lines.replaceAll("\n", " ")}' into picnic.csv, a line for each`, [
    ["files.touch", { file_name: "picnic.csv" }, null],
    ["files.echo", { content: lines, file_name: "picnic.csv" }, null],
  ]);
  expect(said).toContain(lines);
});

// --- a text about one row, and its path

const CUSTOMERS =
  "id,name,plan,balance,email\n" +
  "C-9765,Cleo Ray,pro,481.21,cleo@example.org\nC-2914,Gia Hart,basic,816.47,gia@example.org\n" +
  "C-8479,Hal Quin,pro,408.51,hal@example.org\nC-2545,Dan Voss,team,109.19,dan@example.org\n";
const CUSTOMER_FILE: Told = ["files.read_text_file", { path: "/srv/crm/all.csv" }, { content: CUSTOMERS }];
const noteOf = (id: string, content: string): Told => [
  "files.write_file",
  { path: `/srv/crm/notes/${id}.md`, content },
  { content: "written" },
];

describe("a note about a row of a table", () => {
  const labels = (id: string, name: string, plan: string, balance: string): string =>
    `# ${name}\n\nCustomer: ${id}\nPlan: ${plan}\nBalance: ${balance}\n`;
  const prose = (id: string, name: string, plan: string, balance: string): string =>
    `Customer ${id} (${name}) is on the ${plan} plan and owes ${balance} EUR.\n`;

  test.each([
    ["of labels", "Write a note about customer C-2914 of /srv/crm/all.csv", labels],
    ["of labels, where no task is known", "", labels],
    ["of a sentence", "Write a note about customer C-2914", prose],
    ["of a sentence, where no task is known", "", prose],
  ])("is written about another row: %s", async (_, task, content) => {
    const draft = await draftOf(task, [
      CUSTOMER_FILE,
      noteOf("C-2914", content("C-2914", "Gia Hart", "basic", "816.47")),
    ]);
    expect(draft.said).toEqual(["/srv/crm/all.csv", "/srv/crm/notes", "C-2914"]);
    expect(draft.open).toEqual(["text content"]);
    expect(draft.failing).toEqual([]);
    const { plan } = learned([
      traceOf(task, [CUSTOMER_FILE, noteOf("C-2914", content("C-2914", "Gia Hart", "basic", "816.47"))]),
    ]);
    const input = { path: "/srv/crm/all.csv", folder: "/srv/new", id: "C-2545" };
    const [, wrote] = await callsIn(
      runner,
      plan,
      { "files.read_text_file": () => ({ content: CUSTOMERS }), "files.write_file": () => "ok" },
      input,
    );
    expect(wrote).toBe(
      `files.write_file ${JSON.stringify({
        path: "/srv/new/C-2545.md",
        content: content("C-2545", "Dan Voss", "team", "109.19"),
      })}`,
    );
  });

  test.each([
    ["a part of what the row says", "Dear Gia,\n\nGia Hart is on the basic plan and owes 816.47 EUR.\n"],
    ["a number that nothing tells", "Gia Hart is on the basic plan and owes 816.47 EUR since 2019.\n"],
    ["what the row says, in other letters", "Gia Hart is on the BASIC plan and owes 816.47 EUR.\n"],
    ["a name that the task says", "Gia Hart is on the basic plan and owes Bo 816.47 EUR.\n"],
  ])("stays the caller's where it has %s", async (_, content) => {
    const { said } = await draftOf("Write for Bo a note about customer C-2914", [
      CUSTOMER_FILE,
      noteOf("C-2914", content),
    ]);
    expect(said).toContain(content);
  });
});

const STATES: Readonly<Record<string, string>> = { Billing: "operational", Login: "major_outage" };

test("what a labelled text says of one thing is found for another", async () => {
  const tools: WorldTools = {
    "s.get_summary": () => ({
      components: Object.entries(STATES).map(([name, status], nth) => ({ id: `c${nth}`, name, status })),
    }),
    "s.add_observations": () => "ok",
  };
  const remember = (name: string) =>
    recordedIn(tools, `Remember of ${name} the status`, (call) => {
      call("s.get_summary", {});
      call("s.add_observations", {
        observations: [{ entityName: name, contents: [`Status: ${STATES[name]}`] }],
      });
    });
  const { plan } = learned([remember("Billing")]);
  const input = Object.fromEntries(plan.params.map(({ name }) => [name, "Login"]));
  const wanted = remember("Login").calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`);
  expect(await callsIn(runner, plan, tools, input)).toEqual(wanted);
});

describe("a label of one total", () => {
  const hours = [
    { name: "Ada Lind", hours: 31 },
    { name: "Bob Hu", hours: 27 },
    { name: "Cyd Ek", hours: 38 },
  ];
  const paramsOf = (label: string, wish: string): readonly unknown[] => {
    const text = `${hours.map((each) => `- ${each.name}: ${each.hours}`).join("\n")}\n\n${label}: 96\n`;
    const run = traceOf(`Write a bullet with the hours for each in oars to h.md, ${wish}`, [
      ["t.list_hours", { team: "oars" }, hours],
      ["t.write", { file: "h.md", text }, "ok"],
    ]);
    return learned([run]).plan.params.map(({ example }) => example);
  };
  test.each([
    ["Together", "and how much it is together"],
    ["Total", "with the Total below"],
  ])("is the skill's where the task has it as a word: %s", (label, wish) => {
    expect(paramsOf(label, wish)).toEqual(["oars", "h.md"]);
  });

  test("is the caller's where it is a name", () => {
    expect(paramsOf("Harbour", "and how much it is for Harbour")).toHaveLength(3);
  });
});

describe("the names of things in a list are no labels that every text has", () => {
  const questions = (task: string, content: string) => {
    const { plan } = learned([
      traceOf(task, [
        ["desk.read_file", {}, content],
        ["mail.send", { text: "Judo: 30, Fencing: 40" }, "sent"],
      ]),
    ]);
    expect(JSON.stringify(plan.steps)).toContain('"Judo: "');
    return plan.questions?.map(({ kind }) => kind) ?? [];
  };

  test.each([
    "# Fees\n\n- Fencing: 40\n- Judo: 30\n- Tennis: 55\n",
    "# Fees\n\n* **Fencing:** 40\n* **Judo:** 30\n* **Tennis:** free\n",
    "Fencing: 40\nJudo: 30\nTennis: 55\n",
  ])("a text made of some that the task does not say is asked about: %j", (content) => {
    expect(questions("Mail the two cheapest courses", content)).toEqual(["text"]);
  });

  test("not so where they are labels of one thing", () => {
    const content = "Fencing: 40\nJudo: 30\nHall: B2\n";
    expect(questions("Mail what is told of the course", content)).toEqual([]);
  });

  test("those that the task says are the caller's", () => {
    const { plan } = learned([
      traceOf("Mail what Judo and then Fencing cost", [
        ["desk.read_file", {}, "Fencing: 40\nJudo: 30\nTennis: 55\n"],
        ["mail.send", { text: "Judo: 30, Fencing: 40" }, "sent"],
      ]),
    ]);
    expect(plan.params.map(({ example }) => example)).toEqual(["Judo", "Fencing"]);
  });
});
