import { describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import type { Synthesis } from "../../src/learn/synthesis/synthesise.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";
import { runner } from "../shared-threads.ts";

type Files = Readonly<Record<string, readonly string[]>>;

const SEEN: Files = {
  "a.log": ["size: 120", "modified: 2026-03-01T08:00:00Z", "rows: 4"],
  "b.log": ["size: 4120", "modified: 2026-02-02T08:00:00Z", "rows: 3"],
  "c.log": ["size: 10", "modified: 2026-03-09T08:00:00Z", "rows: 2"],
  "d.log": ["size: 90", "modified: 2026-02-20T08:00:00Z", "rows: 3"],
};

function desk(files: Files): WorldTools {
  return {
    "desk.list": () =>
      Object.keys(files)
        .map((name) => `[FILE] ${name}`)
        .join("\n"),
    "desk.get_file_info": ({ path = "" }) => (files[(path as string).slice(9)] ?? []).join("\n"),
    "desk.move_file": () => "Moved",
    "desk.send": () => "Sent",
  };
}

function run(
  task: string,
  act: (call: (tool: string, args: Record<string, Json>) => Json) => void,
): Synthesis {
  return learned([
    recordedIn(desk(SEEN), task, (call) => {
      call("desk.list", { path: "/data/in" });
      for (const name of Object.keys(SEEN)) call("desk.get_file_info", { path: `/data/in/${name}` });
      act(call);
    }),
  ]);
}

function moved(task: string, name: string): Synthesis {
  return run(task, (call) =>
    call("desk.move_file", { source: `/data/in/${name}`, destination: `/old/${name}` }),
  );
}

async function done({ plan }: Synthesis, files: Files): Promise<string | undefined> {
  const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
  return (await callsIn(runner, plan, desk(files), input)).at(-1);
}

const OTHERS: Files = {
  "k.txt": ["size: 90", "modified: 2026-05-01T08:00:00Z", "rows: 9"],
  "l.txt": ["size: 80", "modified: 2026-05-02T08:00:00Z", "rows: 1"],
  "m.txt": ["size: 700", "modified: 2026-04-02T08:00:00Z", "rows: 2"],
};

describe("what is done with the file that has the least or the most of what was told of each", () => {
  test.each([
    ["largest file of /data/in", "b.log", "m.txt"],
    ["file of /data/in that has the smallest size", "c.log", "l.txt"],
    ["newest file of /data/in", "c.log", "l.txt"],
    ["oldest file of /data/in", "b.log", "m.txt"],
  ])("%s", async (said, name, other) => {
    const made = moved(`Move the ${said} to /old.`, name);
    expect(made.plan.params.map(({ example }) => example)).toEqual(["/data/in", "/old"]);
    expect(made.plan.questions?.map(({ kind }) => kind)).toEqual(["element", "element"]);
    expect(await done(made, OTHERS)).toBe(
      `desk.move_file {"source":"/data/in/${other}","destination":"/old/${other}"}`,
    );
  });

  test("its name alone is told, with a question", async () => {
    const made = run("Say which file in /data/in is the largest.", (call) =>
      call("desk.send", { text: "b.log" }),
    );
    expect(made.plan.params.map(({ example }) => example)).toEqual(["/data/in"]);
    expect(made.plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
    expect(await done(made, OTHERS)).toBe('desk.send {"text":"m.txt"}');
  });

  test.each([
    ["is not told of one", { ...OTHERS, "m.txt": ["modified: 2026-04-02T08:00:00Z"] }],
    ["is no number of one", { ...OTHERS, "m.txt": ["size: large", "modified: 2026-04-02T08:00:00Z"] }],
  ])("stops where it %s", async (_, files) => {
    const made = moved("Move the largest file of /data/in to /old.", "b.log");
    expect(await done(made, files)).toMatch(/^stops: /);
  });
});

test.each([
  ["the task does not speak of it", "Move the file of /data/in that is not used to /old.", "b.log"],
  ["another file has it", "Move the largest file of /data/in to /old.", "d.log"],
  ["it has the least of two things", "Move the smallest file of /data/in to /old.", "c.log"],
])("a file is the caller's where %s", (_, task, name) => {
  const { plan } = moved(task, name);
  const given = JSON.stringify(plan.params.map(({ example }) => example));
  expect(given).toContain(name);
});
