import { afterAll, describe, expect, test } from "vitest";
import { failing, RealDrafts } from "../edits/real-drafts.ts";
import { type Told, traceOf } from "../learned.ts";
import { callsIn } from "../live.ts";
import { runner } from "../../shared-threads.ts";

const real = new RealDrafts();
afterAll(() => real.close());

const converted = (zone: string, there: string): Told => [
  "time.convert_time",
  { time: "18:29", from: "Europe/Athens", to: zone },
  {
    source: { datetime: "2026-11-27T18:29:00+02:00" },
    target: { timezone: zone, datetime: there },
  },
];

async function draftOf(task: string, calls: readonly Told[]) {
  const draft = await real.of([traceOf(task, calls)]);
  const verified = await real.verified(draft.name);
  return {
    plan: draft.plan,
    said: draft.plan.params.map(({ name, example }) => [name, example]),
    failing: failing(verified),
  };
}

describe("the time of a day that an answer tells", () => {
  const TASK =
    "The call starts at 18:29 (Europe/Athens). Note for Asia/Jakarta and Asia/Manila when that is.";
  const noted = (text: string): Told => ["desk.add_note", { text }, { ok: true }];
  const rounds = async () =>
    draftOf(TASK, [
      converted("Asia/Jakarta", "2026-11-27T23:29:00+07:00"),
      noted("Asia/Jakarta: 23:29"),
      converted("Asia/Manila", "2026-11-28T00:29:00+08:00"),
      noted("Asia/Manila: 00:29"),
    ]);

  test("is part of a text that each round makes of what the caller says and of what the round was told", async () => {
    expect(await rounds()).toMatchObject({
      said: [
        ["tos", ["Asia/Jakarta", "Asia/Manila"]],
        ["time", "18:29"],
        ["from", "Europe/Athens"],
      ],
      failing: [],
    });
  });

  test.each([
    ["has a time", "2026-01-02T05:06:07Z", 'desk.add_note {"text":"Asia/Tokyo: 05:06"}'],
    ["has none", "2026-01-02", "stops: A date does not have the expected form"],
  ])("is taken of a day that %s", async (_, datetime, last) => {
    const { plan } = await rounds();
    const tools = {
      "time.convert_time": () => ({ source: { datetime }, target: { timezone: "Asia/Tokyo", datetime } }),
      "desk.add_note": () => ({ ok: true }),
    };
    const input = { tos: ["Asia/Tokyo"], time: "1:00", from: "UTC" };
    expect((await callsIn(runner, plan, tools, input)).at(-1)).toBe(last);
  });

  test("is taken with its seconds where these are written", async () => {
    const draft = await draftOf("Note when it is in Asia/Manila for 18:29 (Europe/Athens), to the second.", [
      converted("Asia/Manila", "2026-11-28T00:29:07+08:00"),
      noted("Local time: 00:29:07"),
    ]);
    expect(JSON.stringify(draft.plan.steps)).toContain('"format":"hh:mm:ss"');
    expect(draft.failing).toEqual([]);
  });

  test("is an argument by itself where one place alone tells it", async () => {
    const draft = await draftOf(
      "Set the alarm for 18:29 in Athens (Europe/Athens) as it is in Asia/Manila.",
      [
        converted("Asia/Manila", "2026-11-28T00:29:00+08:00"),
        ["clock.set_alarm", { at: "00:29" }, { ok: true }],
      ],
    );
    expect(draft.said.map(([name]) => name)).not.toContain("at");
    expect(draft.failing).toEqual([]);
  });
});

describe("a look that named a column which is not there", () => {
  const rows = [
    "db.read_query",
    { query: "SELECT full_name, town FROM staff WHERE town = 'Turku'" },
    "[{'full_name': 'Bo Hu', 'town': 'Turku'}]",
  ] as const satisfies Told;
  const answers: readonly (readonly [string, Told])[] = [
    [
      "as its text says",
      ["db.read_query", { query: "SELECT name FROM staff" }, "Database error: no such column: name"],
    ],
    [
      "as its error says",
      ["db.read_query", { query: "SELECT name FROM staff" }, null, "no such column: name"],
    ],
  ];

  test.each(answers)("is no part of the work, %s", async (_, guessed) => {
    const draft = await draftOf("Note who of the staff is in Turku.", [
      guessed,
      ["db.describe_table", { table: "staff" }, "[{'name': 'full_name'}, {'name': 'town'}]"],
      rows,
      ["desk.add_note", { text: "Bo Hu" }, { ok: true }],
    ]);
    expect(draft.plan.steps.flatMap((step) => (step.kind === "call" ? [step.tool] : []))).toEqual([
      "db.describe_table",
      "db.read_query",
      "desk.add_note",
    ]);
    expect(draft.failing).toEqual([]);
  });

  test("stays where nothing else was asked for", async () => {
    const [, [, guessed]] = answers[0] ?? ["", rows];
    const draft = await draftOf("Note what the staff has.", [
      ["db.read_query", guessed, "Database error: no such column: name"],
      ["desk.add_note", { text: "Nothing" }, { ok: true }],
    ]);
    expect(draft.plan.steps).toHaveLength(2);
  });
});
