import { expect, test } from "vitest";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

type Row = readonly [number: string, leaves: string, arrives: string];

const table = (rows: readonly Row[]): string =>
  [
    "# Malmo to Lund",
    "",
    "| Train | Leaves | Arrives |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
  ].join("\n");

const disk = (text: string): WorldTools => ({ "fs.read": () => text, "fs.write": () => "ok" });

const TRAINS: readonly Row[] = [
  ["12", "08:10", "08:25"],
  ["14", "09:10", "09:25"],
  ["16", "10:10", "10:45"],
  ["18", "11:10", "11:25"],
];
const TASK =
  "I have to be in Lund by 10:30. Write when the last train of /trains.md that is there in time leaves to /train.txt.";

function learnedFrom(task: string, written: string, rows = TRAINS): Plan {
  const run = recordedIn(disk(table(rows)), task, (call) => {
    call("fs.read", { path: "/trains.md" });
    call("fs.write", { path: "/train.txt", content: `${written}\n` });
  });
  return learned([run]).plan;
}

const isAsked = ({ params }: Plan, written: string): boolean =>
  params.some(({ example }) => typeof example === "string" && example.includes(written));

/** What a plan writes for other trains and another limit. */
async function writtenFor(plan: Plan, rows: readonly Row[], limit: string): Promise<string> {
  const given = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [
      name,
      /^\d+:\d+$/.test(example as string) ? limit : example,
    ]),
  );
  const last = (await callsIn(runner, plan, disk(table(rows)), given)).at(-1) ?? "";
  if (last.startsWith("stops")) return last;
  return (JSON.parse(last.slice("fs.write ".length)) as { content: string }).content;
}

const OTHERS: readonly Row[] = [
  ["3", "15:05", "15:40"],
  ["5", "16:05", "16:40"],
  ["7", "17:05", "17:30"],
];

test("the last in time is found by the limit that the caller says, with a question", async () => {
  const plan = learnedFrom(TASK, "09:10");
  expect(isAsked(plan, "09:10")).toBe(false);
  expect(plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
  expect(await writtenFor(plan, OTHERS, "16:30")).toBe("15:05\n");
  expect(await writtenFor(plan, OTHERS, "16:40")).toBe("16:05\n");
  expect(await writtenFor(plan, OTHERS.toReversed(), "20:00")).toBe("17:05\n");
});

test("the first after a time is found by the limit that the caller says", async () => {
  const task =
    "Which is the first train of /trains.md that arrives after 09:25? Write when it leaves to /train.txt.";
  const plan = learnedFrom(task, "10:10", [
    ...TRAINS.slice(0, 2),
    ["16", "09:20", "10:45"],
    ["18", "11:10", "11:25"],
  ]);
  expect(isAsked(plan, "10:10")).toBe(true);
  const own = learnedFrom(task, "09:20", [
    ...TRAINS.slice(0, 2),
    ["16", "09:20", "10:45"],
    ["18", "11:10", "11:25"],
  ]);
  expect(isAsked(own, "09:20")).toBe(false);
  expect(await writtenFor(own, OTHERS, "15:40")).toBe("16:05\n");
});

test.each([
  ["none is", OTHERS, "15:00"],
  ["two are at the same time", [...OTHERS, ["9", "15:20", "15:40"]], "16:00"],
  ["one has a remark", [["3", "15:05", "15:40*"], ...OTHERS.slice(1)], "16:00"],
  ["one does not go", [["3", "15:05", "cancelled"], ...OTHERS.slice(1)], "16:00"],
  ["the limit is written otherwise", OTHERS, "4 pm"],
] as const)("stops where %s in time", async (_, rows, limit) => {
  expect(await writtenFor(learnedFrom(TASK, "09:10"), rows, limit)).toMatch(/^stops: /);
});

test("it stays the caller's where two columns could be meant, or nothing says which", () => {
  const rows = TRAINS.map(([train, leaves, arrives]): Row => [
    train,
    leaves,
    arrives.replace("10:45", "10:50"),
  ]);
  // The last that leaves before the limit is the last that arrives before it, too.
  const both = [...rows.slice(0, 2), ...rows.slice(3)];
  expect(isAsked(learnedFrom(TASK, "09:10", both), "09:10")).toBe(true);
  expect(isAsked(learnedFrom(TASK.replace("last", "slow"), "09:10"), "09:10")).toBe(true);
  expect(isAsked(learnedFrom(TASK.replace("by 10:30", "around 10:30"), "09:10"), "09:10")).toBe(true);
  expect(isAsked(learnedFrom(TASK, "08:10"), "08:10")).toBe(true);
});
