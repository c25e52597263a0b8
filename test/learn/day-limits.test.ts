import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

type Row = readonly [kind: string, due: string, added?: string];

const loans = (rows: readonly Row[]): WorldTools => ({
  "loans.list": () => ({
    loans: rows.map(([kind, due, added], nth): JsonObject => ({
      id: `L-${nth + 301}`,
      kind,
      due,
      ...(added === undefined ? {} : { added }),
    })),
  }),
  "loans.recall": () => "ok",
});
const SEEN: readonly Row[] = [
  ["book", "2026-03-02"],
  ["film", "2026-05-01"],
  ["book", "2026-06-30"],
  ["film", "2026-01-15"],
  ["book", "2026-02-28"],
];
const OTHER: readonly Row[] = [
  ["film", "2027-04-01"],
  ["book", "2027-03-31"],
  ["book", "2027-04-02"],
  ["film", "2027-03-30"],
];

const run = (task: string, isMeant: (row: Row) => boolean, rows = SEEN) =>
  recordedIn(loans(rows), task, (call) => {
    call("loans.list", {});
    for (const [nth, row] of rows.entries()) if (isMeant(row)) call("loans.recall", { id: `L-${nth + 301}` });
  });
const given = (params: readonly { readonly name: string; readonly example?: unknown }[]): JsonObject =>
  Object.fromEntries(
    params.map(({ name, example }) => [name, example === "2026-04-01" ? "2027-04-01" : String(example)]),
  );
const recalled = (calls: readonly string[]): readonly string[] =>
  calls.slice(1).map((call) => /L-\d+/.exec(call)?.[0] ?? call);

describe("a day that the task names is a limit of what is meant", () => {
  test.each<readonly [string, (row: Row) => boolean, readonly string[]]>([
    ["Recall all loans that were due before 2026-04-01", ([, due]) => due < "2026-04-01", ["L-302", "L-304"]],
    ["Recall all loans that are due after 2026-04-01", ([, due]) => due > "2026-04-01", ["L-303"]],
    [
      "Recall all loans that are due on or after 2026-04-01",
      ([, due]) => due >= "2026-04-01",
      ["L-301", "L-303"],
    ],
    [
      "Recall all loans that are due no later than 2026-04-01",
      ([, due]) => due <= "2026-04-01",
      ["L-301", "L-302", "L-304"],
    ],
    ["Recall all loans that are overdue on 2026-04-01", ([, due]) => due < "2026-04-01", ["L-302", "L-304"]],
    ["Recall what is overdue as of 2026-04-01", ([, due]) => due < "2026-04-01", ["L-302", "L-304"]],
    [
      "Recall every book that was due before 2026-04-01",
      ([kind, due]) => kind === "book" && due < "2026-04-01",
      ["L-302"],
    ],
  ])("%s", async (task, isMeant, expected) => {
    const { plan } = learned([run(task, isMeant)]);
    expect(JSON.stringify(plan.params)).not.toContain("L-3");
    expect(recalled(await callsIn(runner, plan, loans(OTHER), given(plan.params)))).toEqual(expected);
  });

  test("is the caller's where others are meant than it says", () => {
    const { plan } = learned([
      run("Recall all loans that are overdue on 2026-04-01", ([, due]) => due > "2026-04-01"),
    ]);
    expect(JSON.stringify(plan.steps)).not.toContain('"operator":');
  });

  test("of which of two fields is asked where the task speaks of neither", () => {
    const rows = SEEN.map(([kind, due], nth): Row => [
      kind,
      due,
      nth === 1 || nth === 2 ? "2026-04-03" : "2026-01-02",
    ]);
    const { plan } = learned([
      run("Recall all from before 2026-04-01", ([, due]) => due < "2026-04-01", rows),
    ]);
    expect(plan.questions?.map(({ kind }) => kind)).toContain("element");
    expect(JSON.stringify(plan.steps)).not.toContain('"operator":"<"');
  });
});
