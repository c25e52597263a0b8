import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { promotionFault } from "../../../src/learn/drafts/gate.ts";
import type { RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { draftText, draftView } from "../../../src/learn/review/draft-view.ts";
import type { QuestionView } from "../../../src/learn/review/view-types.ts";
import { ran } from "../extracted.ts";
import { type Told, traceOf } from "../learned.ts";
import { RealDrafts } from "./real-drafts.ts";
import { closing } from "./runs.ts";

const real = new RealDrafts();
afterAll(() => real.close());

/** What is open, such as `date book.day`, with what holds and what may be chosen. */
async function open(traces: readonly RecordedTrace[]): Promise<readonly string[]> {
  const { questions } = draftView(await real.of(traces));
  return questions.map(questionText);
}

function questionText({ kind, step, path, now, readings }: QuestionView): string {
  const choices = readings.map(({ choose, from }) => `${choose}: ${from}`).join(" | ");
  return `${kind} ${[step, ...path].join(".")} = ${now.from} | ${choices}`;
}

const SHIFTED: readonly Told[] = [
  ["hr.get_contract", { person: "P-1001" }, { person: "P-1001", ends: "2026-03-01" }],
  ["hr.book_review", { person: "P-1001", day: "2026-02-15" }, { booked: true }],
];

function review(ends: string, day: string, person: string): RecordedTrace {
  return traceOf(
    `Book the review of ${person}`,
    [
      ["hr.get_contract", { person }, { person, ends }],
      ["hr.book_review", { person, day }, { booked: true }],
    ],
    person,
  );
}

function account(balance: number, limit: number, amount: number): RecordedTrace {
  return traceOf(
    "Pay it back.",
    [
      ["bank.get_account", {}, { owed: { amount: balance }, spent: { amount: limit } }],
      ["bank.pay", { amount }, { paid: true }],
    ],
    `${balance}-${limit}`,
  );
}

describe("what the runs leave open", () => {
  test("a date that may be counted from another is asked for until somebody says so", async () => {
    expect(await open([traceOf("Book the review of P-1001", SHIFTED)])).toEqual([
      expect.stringMatching(/^date bookReviewResult\.day = input\.day \| 2: .*contract\.ends.*14/),
    ]);
    const runs = [review("2026-03-01", "2026-02-15", "P-1001"), review("2026-05-15", "2026-05-01", "P-1002")];
    expect(await open(runs)).toEqual([]);
  });

  test("of two places with an equal number, which is meant", async () => {
    const [question = ""] = await open([account(1200, 1200, 1200)]);
    expect(question).toMatch(/^source payResult\.amount = account\.(?:owed|spent)\.amount \|/);
    expect(question).toMatch(/2: account\.(?:owed|spent)\.amount \| parameter: what the caller gives$/);
    expect(await open([account(1200, 1200, 1200), account(900, 80, 900)])).toEqual([]);
  });

  test("whether a loop that writes is for all elements, until runs have other numbers of them", async () => {
    const one = await open([closing("ada", ["t-1001", "t-1002"])]);
    expect(one).toContainEqual(expect.stringMatching(/^element .* = .*tickets \|/));
    const two = [closing("ada", ["t-1001", "t-1002"]), closing("leo", ["t-2001", "t-2002", "t-2003"])];
    expect((await open(two)).filter((question) => question.startsWith("element"))).toEqual([]);
  });

  test("a value that a write had in all runs and of which no task speaks", async () => {
    const pay = (id: string) =>
      traceOf("Pay.", [["bank.transfer", { account: id, amount: 50, urgent: true }, {}]], id);
    expect(await open([pay("A-1001"), pay("A-1002")])).toEqual([
      "constant transferResult.amount = 50 | parameter: what the caller gives",
      "constant transferResult.urgent = true | parameter: what the caller gives",
    ]);
  });

  test.each<readonly [string, readonly Told[]]>([
    [
      "an id that two answers tell",
      [
        ["shop.find", { name: "Ann" }, { user: { id: "U-10042" } }],
        ["shop.show", { id: "U-10042" }, { user: { id: "U-10042" } }],
        ["shop.block", { id: "U-10042" }, {}],
      ],
    ],
    ["what the task says", [["shop.pay", { amount: 1500, day: "2026-02-15" }, {}]]],
  ])("is not %s", async (_, calls) => {
    expect(await open([traceOf("Block Ann and pay 1500 on 2026-02-15", calls)])).toEqual([]);
  });
});

describe("a draft with an open question", () => {
  const trace = { ...traceOf("Book the review of P-1001", SHIFTED), origin: "own" } as const;
  const policy = { review: "automatic", above: "own", writes: true } as const;

  test("is not promoted by policy, and its view says what to answer", async () => {
    const { name } = await real.of([trace]);
    const draft = await real.verified(name);
    expect(promotionFault(draft, policy, true)?.message).toContain("a question open");
    const view = draftView(draft);
    expect(view.attention.map(({ kind }) => kind)).toContain("open-question");
    const text = draftText(view, { columns: 1000 });
    expect(text).toContain("is it counted from an earlier date?");
    const edit = { kind: "flow", leaf: { step: "bookReviewResult", path: ["day"] }, choose: 2 };
    expect(text).toContain(`drafts revise ${name} --edits '${JSON.stringify([edit])}'`);
  });

  test("without another reading asks for one more run", async () => {
    const view = draftView(await real.of([trace]));
    const bare = {
      ...view,
      questions: view.questions.map((each) => Object.assign({}, each, { readings: [] })),
    };
    const text = draftText(bare, { columns: 1000 });
    expect(text).toContain("No other reading is known: learn from one more run");
    expect(text).not.toContain("Or \n");
  });

  test.each<readonly [string, number | "parameter", (input: JsonObject) => void]>([
    ["another reading is chosen", 2, (params) => expect(params).not.toHaveProperty("day")],
    ["the reading that it has is confirmed", "parameter", (params) => expect(params).toHaveProperty("day")],
  ])("has none when %s, and does what was recorded", async (_, choose, expected) => {
    const draft = await real.of([trace]);
    const leaf = { step: "bookReviewResult", path: ["day"] };
    const revised = await real.revised(draft, [{ kind: "flow", leaf, choose }]);
    expect(draftView(revised).questions).toEqual([]);
    expect(revised.evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
    expected(Object.fromEntries(revised.plan.params.map(({ name }) => [name, true])));
    expect(promotionFault(revised, policy, true)?.message ?? "").not.toContain("question");
  });

  test("keeps the others when one is answered", async () => {
    const calls: readonly Told[] = [
      ...SHIFTED,
      ["hr.send_note", { on: "2026-03-11", about: "P-1001" }, { sent: true }],
    ];
    const draft = await real.of([traceOf("Book the review of P-1001", calls)]);
    expect(draftView(draft).questions.map(({ step }) => step)).toEqual([
      "bookReviewResult",
      "sendNoteResult",
    ]);
    const leaf = { step: "sendNoteResult", path: ["on"] };
    const revised = await real.revised(draft, [{ kind: "flow", leaf, choose: "parameter" }]);
    expect(draftView(revised).questions.map(({ step }) => step)).toEqual(["bookReviewResult"]);
  });
});

test("a view says of each flow whether the run shows it or it is supposed", async () => {
  const calls: readonly Told[] = [
    ["shop.find", { name: "Ann" }, { user: { id: "U-10042", city: "Lund" }, cards: [{ card: "C-90001" }] }],
    ["shop.charge", { user: "U-10042", card: "C-90001", city: "Lund" }, {}],
  ];
  const { steps } = draftView(await real.of([traceOf("Charge Ann", calls)]));
  const flows = steps.flatMap((step) =>
    step.arguments.map(({ path, kind, flow }) => [path.join("."), kind, flow]),
  );
  expect(flows).toEqual([
    ["name", "parameter", undefined],
    ["user", "derived", "recorded"],
    ["card", "derived", "inferred"],
    ["city", "derived", "inferred"],
  ]);
});

describe("which elements are meant, where all have a value in this run", () => {
  const build = (head_branch: string, conclusion: string, nth: number) => ({
    id: 803691829 + nth * 7919,
    head_branch,
    conclusion,
  });
  const builds = ["failure", "success", "failure", "success"].map((each, nth) => build("main", each, nth));
  const rerun = (task: string): RecordedTrace =>
    traceOf(task, [
      ["ci.list_runs", { repo: "digest-kit" }, { runs: builds }],
      ...builds
        .filter(({ conclusion }) => conclusion === "failure")
        .map(({ id }): Told => ["ci.rerun", { run_id: id }, { ok: true }]),
    ]);
  const chosen = async (task: string) => {
    const draft = await real.of([rerun(task)]);
    const [question] = draftView(draft).questions;
    // Of what the task says in another form of the word it is the reading of the draft.
    expect(question?.now.from).toContain(`conclusion = "failure"`);
    const choose = question?.now.choose ?? -1;
    return real.revised(draft, [{ kind: "flow", leaf: { step: question?.step ?? "", path: [] }, choose }]);
  };
  const other = [
    build("next", "failure", 5),
    build("main", "failure", 6),
    build("next", "success", 7),
    build("next", "failure", 8),
  ];

  test("those with the value that the task has, which the caller gives", async () => {
    const draft = await chosen("Run the failed runs of digest-kit on main again");
    const params = draft.plan.params.map(({ name, example }) => [name, example]);
    expect(params).toContainEqual(["head_branch", "main"]);
    const answers = [{ runs: other }];
    const on = (head_branch: string) => ran(draft, { repo: "audit-kit", head_branch }, answers);
    expect((await on("main")).called).toEqual(["ci.list_runs", "ci.rerun"]);
    expect((await on("next")).called).toEqual(["ci.list_runs", "ci.rerun", "ci.rerun"]);
  });

  test("all others where the task says nothing of it", async () => {
    const draft = await chosen("Run the failed runs of digest-kit again");
    expect(draft.plan.params.map(({ name }) => name)).toEqual(["repo"]);
    const made = await ran(draft, { repo: "audit-kit" }, [{ runs: other }]);
    expect(made.called).toEqual(["ci.list_runs", "ci.rerun", "ci.rerun", "ci.rerun"]);
  });
});
