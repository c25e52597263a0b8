import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

interface Work {
  readonly by: string;
  readonly hours: number;
}

/** As a text tells them, the latest first. */
const log = (work: readonly Work[]): WorldTools => ({
  "git.git_log": () =>
    `Commit history:\n${work
      .map(
        ({ by, hours }, nth) =>
          `Commit: ${"abcdef"[nth % 6]}${71_000 + nth}\nAuthor: ${by}\nHours: ${hours}\nMessage: Mend part ${nth + 1}\n\n`,
      )
      .join("")}`,
  "time.list_entries": () => ({
    entries: work.map(({ by, hours }, nth) => ({ id: `E-${nth + 301}`, by, hours })),
  }),
  "files.write_file": () => "ok",
});

const workOf = (...of: readonly (readonly [string, number])[]): readonly Work[] =>
  of.map(([by, hours]) => ({ by, hours }));

const LEARNED = workOf(
  ["Cy Ek", 3],
  ["Bo Falk", 4],
  ["Cy Ek", 2],
  ["Ada Lund", 6],
  ["Bo Falk", 1],
  ["Bo Falk", 5],
);
const OTHER = workOf(["Gro Lie", 7], ["Finn Dahl", 2], ["Eva Sand", 1], ["Finn Dahl", 9]);

const groups = (work: readonly Work[]): readonly (readonly [string, number, number])[] =>
  [...Map.groupBy(work, ({ by }) => by)].map(([by, own]) => [
    by,
    own.length,
    own.reduce((sum, { hours }) => sum + hours, 0),
  ]);

const write = (task: string, tool: string, work: readonly Work[], content: string) =>
  recordedIn(log(work), task, (call) => {
    call(tool, tool === "git.git_log" ? { repo_path: "/srv/app", max_count: 50 } : { team: "oars" });
    call("files.write_file", { path: "/srv/credits.md", content });
  });

const counted = (work: readonly Work[]): string =>
  `# Credits\n\n${groups(work)
    .map(([by, count]) => `- ${by} (${count})\n`)
    .join("")}`;

const inputOf = ({ params }: Plan): JsonObject =>
  Object.fromEntries(params.map(({ name, example = null }): [string, Json] => [name, example]));

const examplesOf = ({ params }: Plan): string => JSON.stringify(params.map(({ example }) => example));

async function writtenIn(plan: Plan, world: WorldTools): Promise<Json> {
  const last = (await callsIn(runner, plan, world, inputOf(plan))).at(-1) ?? "";
  return last.startsWith("stops")
    ? last
    : ((JSON.parse(last.replace("files.write_file ", "")) as JsonObject)["content"] ?? null);
}

const TASK =
  'Who made the last 50 commits in /srv/app? Write a list to /srv/credits.md: a heading "Credits", then a bullet for each person with the number of these commits in brackets.';

describe("a line for each of those who say the same", () => {
  test("has how many there are, in the order in which each comes first", async () => {
    const { plan } = learned([write(TASK, "git.git_log", LEARNED, counted(LEARNED))]);
    expect(examplesOf(plan)).not.toContain("Cy Ek");
    expect(plan.questions).toHaveLength(1);
    expect(await writtenIn(plan, log(OTHER))).toBe(counted(OTHER));
  });

  test("has what they add up to", async () => {
    const summed = (work: readonly Work[]): string =>
      groups(work)
        .map(([by, , hours]) => `${by}: ${hours}\n`)
        .join("");
    const task = "Write the total hours of each person of the team oars to /srv/credits.md";
    const { plan } = learned([write(task, "time.list_entries", LEARNED, summed(LEARNED))]);
    expect(examplesOf(plan)).not.toContain("Cy Ek");
    expect(await writtenIn(plan, log(OTHER))).toBe(summed(OTHER));
  });

  test.each<readonly [string, readonly Work[]]>([
    ["somebody is written in two ways", workOf(["Gro Lie", 7], ["Finn Dahl", 2], ["gro lie", 1])],
    ["it is not said of one who it was", workOf(["Gro Lie", 7], ["", 2], ["Finn Dahl", 1])],
    ["one is done by two", workOf(["Gro Lie", 7], ["Gro Lie, Finn Dahl", 2], ["Finn Dahl", 1])],
    ["one may be done by two", workOf(["Gro Lie", 7], ["Finn Dahl & Gro Lie", 2], ["Finn Dahl", 1])],
    ["there is nothing to count", []],
  ])("stops where %s", async (_, work) => {
    const { plan } = learned([
      write(
        "Write to /srv/credits.md how many entries each person of the team oars has",
        "time.list_entries",
        LEARNED,
        counted(LEARNED),
      ),
    ]);
    expect(examplesOf(plan)).not.toContain("Cy Ek");
    expect(await writtenIn(plan, log(work))).toMatch(/^stops/);
  });

  test.each(["Gro Lie (retired)", "Gro Lie and Finn Dahl", "pending"])(
    "has persons alone, and stops at %s",
    async (by) => {
      const { plan } = learned([write(TASK, "git.git_log", LEARNED, counted(LEARNED))]);
      expect(await writtenIn(plan, log(workOf(["Gro Lie", 7], [by, 2], ["Gro Lie", 1])))).toMatch(/^stops/);
    },
  );

  const asMany = workOf(["Cy Ek", 3], ["Bo Falk", 4], ["Ada Lund", 1]);
  const falling = workOf(["Cy Ek", 3], ["Cy Ek", 4], ["Bo Falk", 2], ["Ada Lund", 1]);
  const byName = workOf(["Ada Lund", 3], ["Bo Falk", 4], ["Bo Falk", 2], ["Cy Ek", 1]);
  test.each<readonly [string, string, readonly Work[], string]>([
    ["no one has two", TASK, asMany, counted(asMany)],
    ["those with most may stand first", TASK, falling, counted(falling)],
    ["they may stand in the order of their names", TASK, byName, counted(byName)],
    [
      "the task asks for an order by the number",
      `${TASK.slice(0, -1)}, sorted by that.`,
      LEARNED,
      counted(LEARNED),
    ],
    ["a number is another", TASK, LEARNED, counted(LEARNED).replace("(3)", "(4)")],
    [
      "they stand in another order",
      TASK,
      LEARNED,
      "# Credits\n\n- Bo Falk (3)\n- Cy Ek (2)\n- Ada Lund (1)\n",
    ],
  ])("is the caller's where %s", (_, task, work, content) => {
    const { plan } = learned([write(task, "git.git_log", work, content)]);
    expect(examplesOf(plan)).toContain("Cy Ek");
  });

  test("stands in the order of the list where the task says so", async () => {
    const task = `${TASK.slice(0, -1)}, whoever committed last first.`;
    const { plan } = learned([write(task, "git.git_log", falling, counted(falling))]);
    expect(examplesOf(plan)).not.toContain("Cy Ek");
    expect(await writtenIn(plan, log(OTHER))).toBe(counted(OTHER));
  });
});
