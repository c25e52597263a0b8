import { expect, test } from "vitest";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import { PLAN } from "../../src/learn/plan/plan.ts";
import { draftFiles } from "../../src/learn/drafts/draft-files.ts";
import { draftText, draftView } from "../../src/learn/review/draft-view.ts";
import { examples, extracted, provideFolder, ran } from "./extracted.ts";
import { learned, traceOf } from "./learned.ts";

provideFolder();

/** A meter is read and the reading is entered; both calls fail first, and are made again as they were. */
function entered(failedReads: number, error = "The gateway timed out"): RecordedTrace {
  const trace = traceOf("Enter the reading of meter M-4411", [
    ...Array.from(
      { length: failedReads },
      () => ["grid.get_reading", { meter: "M-4411" }, null, error] as const,
    ),
    ["grid.get_reading", { meter: "M-4411" }, { reading_id: "R-90017" }],
    ["grid.enter_reading", { reading: "R-90017" }, null, "The ledger is locked by another clerk"],
    ["grid.enter_reading", { reading: "R-90017" }, { entered: "R-90017" }],
  ]);
  const again = new Map([
    ...Array.from({ length: failedReads }, (_, at) => [at, at + 1] as const),
    [failedReads + 1, failedReads + 2],
  ]);
  return {
    ...trace,
    calls: trace.calls.map((call, index) => {
      const retriedBy = again.get(index);
      return retriedBy === undefined ? call : Object.assign({ retriedBy }, call);
    }),
  };
}

const LATE = new Error("The gateway timed out");
const READING = { reading_id: "R-5" };

test("a read that succeeded when it was made again is made again as often, and what writes is not", async () => {
  const { plan } = learned([entered(2)]);
  expect(PLAN.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  const draft = { name: "enter", code: skillCode(plan) } as Parameters<typeof ran>[0];
  const input = { meter: "M-1" };
  const [read, enter] = ["grid.get_reading", "grid.enter_reading"];
  expect(await ran(draft, input, [LATE, LATE, READING])).toEqual({
    called: [read, read, read, enter],
    error: undefined,
  });
  expect((await ran(draft, input, [LATE, LATE, LATE, READING])).called).toEqual([read, read, read]);
  const other = await ran(draft, input, [new Error("There is no such meter"), READING]);
  expect(other).toEqual({ called: [read], error: expect.stringContaining("no such meter") });
  const locked = new Error("The ledger is locked by another clerk");
  expect((await ran(draft, input, [READING, locked, {}])).called).toEqual([read, enter]);
});

test("what has failed and was made again is told, whether the skill does so or not", () => {
  const { plan } = learned([entered(1)]);
  const text = draftFiles(plan).get("SKILL.md") ?? "";
  expect(text).toMatch(
    /## Error recovery\n\n- `grid.get_reading` has failed.*made again, once\.\n- `grid.enter_reading` .*since it may write/,
  );
  expect(text).not.toContain("ledger");
});

/** Before the reading is there, something else is done about it. */
const UNLOCKED: RecordedTrace = {
  id: "unlocked",
  task: "Enter the reading of meter M-4411",
  calls: [
    {
      tool: "grid.get_reading",
      args: { meter: "M-4411" },
      result: null,
      error: "It is asleep",
      retriedBy: 2,
    },
    { tool: "grid.wake", args: { meter: "M-4411" }, result: { awake: true } },
    { tool: "grid.get_reading", args: { meter: "M-4411" }, result: { reading_id: "R-90017" } },
  ],
};

test("a call is not made again where nothing tells the failures from others", () => {
  const { plan } = learned([entered(1, "1234 5678")]);
  const reads = plan.steps.filter((step) => step.kind === "call" && step.tool === "grid.get_reading");
  expect(reads).toHaveLength(1);
  expect(reads[0]).not.toHaveProperty("retried");
});

test("what was done about a failure before the call was made again is done only where it fails again", async () => {
  const { plan } = learned([UNLOCKED]);
  const draft = { name: "wake", code: skillCode(plan) } as Parameters<typeof ran>[0];
  const [read, wake] = ["grid.get_reading", "grid.wake"];
  const asleep = new Error("It is asleep");
  expect((await ran(draft, { meter: "M-1" }, [asleep, {}, READING])).called).toEqual([read, wake, read]);
  expect(await ran(draft, { meter: "M-1" }, [READING])).toEqual({
    called: [read],
    error: expect.stringContaining("has succeeded"),
  });
});

test("a retry is verified with its draft, goes by what is known of the tool, and is part of the view", async () => {
  const draft = await extracted("reading", "Enter the reading of meter M-4411", [
    [
      ["grid.get_reading", { meter: "M-4411" }, LATE],
      ["grid.get_reading", { meter: "M-4411" }, { reading_id: "R-90017" }],
      ["grid.enter_reading", { reading: "R-90017" }, { entered: "R-90017" }],
    ],
  ]);
  // Nobody has said that it only reads.
  expect((await ran(draft, examples(draft), [LATE, READING])).called).toEqual(["grid.get_reading"]);
  const effects = [{ tool: "grid.get_reading", operation: "READ", by: "server" }] as const;
  const known = { ...draft, code: skillCode({ ...draft.plan, effects }) };
  expect((await ran(known, examples(draft), [LATE, READING])).called).toHaveLength(3);
  expect(draft.evidence?.rungs.every(({ passed, of }) => passed === of)).toBe(true);
  const view = draftView(draft);
  expect(view.recoveries).toMatchObject([{ tool: "grid.get_reading", times: 1, isDone: false }]);
  expect(draftText(view)).toContain("Error recovery");
});
