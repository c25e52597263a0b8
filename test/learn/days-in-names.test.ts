import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

const dumps = (names: readonly string[]): WorldTools => ({
  list_folder: () => ({ content: names.map((name) => `[FILE] ${name}`).join("\n") }),
  move_file: ({ source }) => `Moved ${JSON.stringify(source)}`,
});
const SEEN = [
  "crm-2026-01-09.tar",
  "crm-2026-02-27.tar",
  "crm-2026-03-01.tar",
  "crm-2026-06-30.tar",
  "crm-2026-07-31.tar",
  "run.sh",
];
const FOLDER = "/srv/dumps";

const run = (task: string, meant: readonly string[], names = SEEN) =>
  recordedIn(dumps(names), task, (call) => {
    call("list_folder", { path: FOLDER });
    for (const name of meant)
      call("move_file", { source: `${FOLDER}/${name}`, destination: `${FOLDER}/old/${name}` });
  });
const given = (
  params: readonly { readonly name: string; readonly example?: unknown }[],
  day = "2027-03-01",
): JsonObject =>
  Object.fromEntries(
    params.map(({ name, example }) => [
      name,
      example === "2026-03-01" ? day : typeof example === "string" ? example : "",
    ]),
  );
const moved = (calls: readonly string[]): readonly string[] =>
  calls.slice(1).map((call) => /dumps\/([^/"]+)"/.exec(call)?.[1] ?? call.slice(0, 6));

const BEFORE = `Move all dumps in ${FOLDER} from before 2026-03-01 (see their names) to the folder old in there`;

describe("a day in the names of things is compared with a day that the task names as a limit", () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    [BEFORE, SEEN.slice(0, 2), ["crm-2027-01-31.tar"]],
    [
      `Move the dumps in ${FOLDER} that are from 2026-03-01 or later, so since 2026-03-01, to the folder old in there`,
      SEEN.slice(2, 5),
      ["web-2027-03-01.tar", "crm-2027-04-01.tar"],
    ],
    [
      `Move the dumps in ${FOLDER} of after 2026-03-01 to the folder old in there`,
      SEEN.slice(3, 5),
      ["crm-2027-04-01.tar"],
    ],
  ])("%s", async (task, meant, expected) => {
    const { plan } = learned([run(task, meant)]);
    expect(JSON.stringify(plan.params)).not.toContain(".tar");
    expect(plan.questions?.map(({ kind }) => kind)).toContain("element");
    const other = ["web-2027-03-01.tar", "crm-2027-04-01.tar", "crm-2027-01-31.tar", "check.sh"];
    expect(moved(await callsIn(runner, plan, dumps(other), given(plan.params)))).toEqual(expected);
  });

  test.each<readonly [string, string]>([
    ["is written otherwise", "crm-20270131.tar"],
    ["has its month in words", "crm-31-jan-2027.tar"],
    ["is told by its year and month alone", "crm-2027-01.tar"],
    ["is none", "crm-2027-02-30.tar"],
    ["is one of two", "crm-2027-01-30-2027-03-02.tar"],
  ])("a name whose day %s stops the skill", async (_, name) => {
    const { plan } = learned([run(BEFORE, SEEN.slice(0, 2))]);
    const calls = await callsIn(runner, plan, dumps(["crm-2027-01-31.tar", name]), given(plan.params));
    expect(calls.slice(1)).toEqual([expect.stringContaining("stops: ")]);
  });

  test("what the task calls by the ending of all has to end so, too", async () => {
    const logs = ["app-2026-01-09.log", "app-2026-02-27.log", "app-2026-03-01.log", "app-2026-06-30.log"];
    const task = `Move the logs in ${FOLDER} from before 2026-03-01 to the folder old in there`;
    const { plan } = learned([run(task, logs.slice(0, 2), logs)]);
    expect(JSON.stringify(plan.params)).not.toContain("app-");
    const other = ["app-2027-01-31.log", "app-2027-01-30.txt", "app-2027-03-02.log"];
    expect(moved(await callsIn(runner, plan, dumps(other), given(plan.params)))).toEqual([
      "app-2027-01-31.log",
    ]);
  });

  test("a limit that is no day stops the skill", async () => {
    const { plan } = learned([run(BEFORE, SEEN.slice(0, 2))]);
    expect(await callsIn(runner, plan, dumps(SEEN), given(plan.params, "March"))).toEqual([
      `list_folder {"path":"${FOLDER}"}`,
      expect.stringContaining("stops: "),
    ]);
  });

  test.each<readonly [string, string, readonly string[]]>([
    ["a day that is no limit", `Note of 2026-03-01: move old dumps in ${FOLDER} to old`, SEEN.slice(0, 2)],
    ["a limit that only some of the others are beyond", BEFORE, SEEN.slice(0, 1)],
  ])("%s is none", (_, task, meant) => {
    const { plan } = learned([run(task, meant)]);
    expect(JSON.stringify(plan.steps)).not.toContain('"operator":"day');
  });
});

describe("which is the newest is not told by names in the order of letters", () => {
  const branches = (...names: readonly string[]): WorldTools => ({
    "git.list_branches": () => names.map((name) => `  ${name}\n`).join(""),
    "git.checkout": () => "ok",
  });
  const run = (task: string, name: string, ...names: readonly string[]) =>
    recordedIn(branches(...names), task, (call) => {
      call("git.list_branches", {});
      call("git.checkout", { branch: name });
    });
  const examples = (task: string, name: string, ...names: readonly string[]) =>
    learned([run(task, name, ...names)]).plan.params.map(({ example }) => example);

  test.each<readonly [string, string, readonly string[]]>([
    ["newest", "release/1.1", ["release/1.0", "release/1.1"]],
    ["latest", "release/1.9", ["release/1.10", "release/1.8", "release/1.9"]],
    ["oldest", "Alder", ["Alder", "birch", "Cedar"]],
  ])("the caller says the %s: %s", (word, name, names) => {
    expect(examples(`Check out the ${word} branch`, name, ...names)).toEqual([name]);
  });

  test.each<readonly [string, string, readonly string[]]>([
    ["newest", "release/1.4", ["release/1.4", "release/1.3", "release/1.2"]],
    ["latest", "release/1.10", ["release/1.8", "release/1.9", "release/1.10"]],
    ["last", "release/1.1", ["release/1.0", "release/1.1"]],
    ["newest", "weekly-2026-03-09", ["weekly-2026-02-23", "weekly-2026-03-02", "weekly-2026-03-09"]],
  ])("those in another order have a place: the %s, %s", (word, name, names) => {
    expect(examples(`Check out the ${word} branch`, name, ...names)).toEqual([]);
  });
});
