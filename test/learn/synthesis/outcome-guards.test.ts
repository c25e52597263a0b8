import { expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { learned, type Told, traceOf } from "../learned.ts";

/** What the plan of a run with this answer demands of it before it goes on. */
function demanded(...answers: readonly Json[]): readonly unknown[] {
  const runs = answers.map((answer, nth) => {
    const calls: readonly Told[] = [
      ["table.book", { guest: "Ann" }, answer],
      ["table.note", { guest: "Ann" }, { ok: true }],
    ];
    return traceOf("Book a table for Ann", calls, `${nth}`);
  });
  return learned(runs).plan.steps.flatMap((step) =>
    step.kind === "guard" ? [[step.value, step.equals]] : [],
  );
}

const outcome = (name: string, value: boolean) => [
  { kind: "field", of: { kind: "ref", name: "bookResult" }, path: [name] },
  { kind: "constant", value },
];

test("what followed an answer that told of no success follows only such an answer", () => {
  expect(demanded({ success: false, reason: "full" })).toEqual([outcome("success", false)]);
});

test("what followed a success does not follow its contrary", () => {
  expect(demanded({ ok: true, ref: "TB-1" })).toEqual([outcome("ok", true)]);
});

test("other answers are not asked, nor those of which runs told both", () => {
  expect(demanded({ open: true, ref: "TB-1" })).toEqual([]);
  expect(demanded({ success: true }, { success: false })).toEqual([]);
  expect(demanded("success")).toEqual([]);
});

test("a fresh id is no condition, whatever else the runs tell", () => {
  const run = (tier: string, id: string, isNoted: boolean) =>
    traceOf(
      "Refund",
      [
        ["crm.find", { name: "Ann" }, { tier }],
        ["refund.make", { name: "Ann" }, { id }],
        ...(isNoted ? ([["crm.note", { name: "Ann" }, null]] as const) : []),
      ],
      id,
    );
  const { plan } = learned([run("gold", "RR-71", true), run("basic", "RR-72", false)]);
  const guards = plan.steps.flatMap((step) => (step.kind === "guard" ? [JSON.stringify(step)] : []));
  expect(guards.join("")).not.toContain("RR-7");
});

test.each([
  "Check the locks, and secure the doors that are unlocked.",
  "Make sure that the doors are locked.",
  "Make sure that the doors are locked before you leave.",
])("what an act brings about, or may be the contrary, is no condition of it: %s", (task) => {
  const { plan } = learned([
    traceOf(task, [
      ["car.get_doors", {}, { driver: "locked", passenger: "locked" }],
      ["car.lock_doors", { doors: ["driver", "passenger"] }, { remaining: 0 }],
    ]),
  ]);
  expect(plan.steps.filter(({ kind }) => kind === "guard")).toEqual([]);
});

test("what another act needs is a condition of it", () => {
  const { plan } = learned([
    traceOf("Make sure that the doors are locked, then start the engine.", [
      ["car.get_doors", {}, { driver: "locked", passenger: "locked" }],
      ["car.start_engine", { mode: "START" }, { running: true }],
    ]),
  ]);
  expect(plan.steps.filter(({ kind }) => kind === "guard")).toHaveLength(2);
});
