import { describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

type Project = readonly [name: string, spent: string | number, budget: string | number];
const PROJECTS: readonly Project[] = [
  ["Harbour", 410, 400],
  ["Tower", 90, 250],
  ["Bridge", 1210, 900],
  ["Station", 75, 80],
  ["Market", 640, 600],
];
const tableOf = (projects: readonly Project[], columns = "project,spent,budget"): string =>
  `${columns}\n${projects.map((row) => `${row.join(",")}\n`).join("")}`;
const recordsOf = (projects: readonly Project[]): Json => ({
  projects: projects.map(([name, spent, budget]) => ({ name, spent, budget })),
});
const office = (told: Json): WorldTools => ({
  "office.read_costs": () => told,
  "mail.send": () => "ok",
  "chat.post": () => "ok",
});
const linesOf = (names: readonly string[]): string => names.map((name) => `- ${name}\n`).join("");
const OVER = ["Harbour", "Bridge", "Market"];
const TASK = "Look at the costs and post which projects are over budget";
const posted = (told: Json, names = OVER, task = TASK) =>
  learned([
    recordedIn(office(told), task, (call) => {
      call("office.read_costs", {});
      call("chat.post", { text: linesOf(names) });
    }),
  ]).plan;
const written = (
  told: Json,
  task = "Send a letter about each project that exceeds its budget",
  names = OVER,
) =>
  learned([
    recordedIn(office(told), task, (call) => {
      call("office.read_costs", {});
      for (const name of names)
        call("mail.send", { to: "board@build.example", body: `${name} costs too much` });
    }),
  ]).plan;
const paramsOf = ({ params }: ReturnType<typeof posted>): readonly string[] => params.map(({ name }) => name);

describe("elements are those of which one number is beyond another, as the task says", () => {
  const there: readonly Project[] = [
    ["Mill", 20, 20],
    ["Quay", 30.5, 30],
    ["Dam", 7, 100],
  ];
  const runIn = async (plan: ReturnType<typeof posted>, told: Json): Promise<readonly string[]> => {
    const input = Object.fromEntries(
      plan.params.map(({ name, example = null }): [string, Json] => [name, example]),
    );
    return (await callsIn(runner, plan, office(told), input)).slice(1);
  };

  describe.each([
    ["a table", (projects: readonly Project[]): Json => tableOf(projects)],
    ["records", recordsOf],
  ])("of %s", (_, told) => {
    const lines = posted(told(PROJECTS));
    const rounds = written(told(PROJECTS));

    test("as lines", async () => {
      expect(paramsOf(lines)).toEqual([]);
      expect(lines.questions?.map(({ kind }) => kind)).toEqual(["text"]);
      expect(await runIn(lines, told(there))).toEqual([`chat.post ${JSON.stringify({ text: "- Quay\n" })}`]);
    });

    test("in rounds", async () => {
      expect(paramsOf(rounds)).not.toContain("elements");
      expect(rounds.questions?.map(({ kind }) => kind)).toContain("element");
      const calls = await runIn(rounds, told(there));
      expect(calls.map((call) => /(\w+) costs/.exec(call)?.[1])).toEqual(["Quay"]);
    });

    test.each<readonly [string | number, string | number]>([
      ["?", 10],
      [12, ""],
      [12, "none"],
      ["1 200", 10],
    ])("what is no number stops it: %s of %s", async (spent, budget) => {
      for (const plan of [lines, rounds]) {
        const calls = await runIn(plan, told([...there, ["Lock", spent, budget]]));
        expect(calls).toEqual([expect.stringMatching(/^stops/)]);
      }
    });
  });

  test.each([
    ["below its minimum", "stock,minimum", "Post which articles have a stock below the minimum"],
    ["short for it", "stock,min_stock", "Post the articles that are below the minimum"],
  ])("also below it: %s", (_, columns, task) => {
    const told = tableOf(
      PROJECTS.map(([name, spent, budget]) => [name, budget, spent]),
      `article,${columns}`,
    );
    expect(paramsOf(posted(told, OVER, task))).toEqual([]);
  });
});

describe("the caller says which", () => {
  test.each([
    "Look at the costs and post which projects are a problem",
    "Look at the costs and post which projects are not over budget any more",
    "Look over the costs and post some projects, the budget beside",
    "Post which projects are more than 5 over budget",
    "Post which projects are 3 percent over budget",
    "Post which projects are well over budget",
    "Post which projects will be over budget soon",
  ])("where the task says nothing of it: %s", (task) => {
    expect(paramsOf(posted(tableOf(PROJECTS), OVER, task))).toEqual(["text"]);
  });

  test("where the task says of them something else, too", () => {
    const told = `project,city,spent,budget\n${PROJECTS.map(
      ([name, spent, budget]) => `${name},Oslo,${spent},${budget}\n`,
    ).join("")}`;
    expect(paramsOf(posted(told, OVER, "Post which projects are over budget"))).toEqual([]);
    expect(paramsOf(posted(told, OVER, "Post which projects in Oslo are over budget"))).toEqual(["text"]);
  });

  test("where they are others", () => {
    expect(paramsOf(posted(tableOf(PROJECTS), ["Harbour", "Bridge"]))).toEqual(["text"]);
  });

  test("where another number of them is beyond it as well", () => {
    const told = `project,spent,planned,budget\n${PROJECTS.map(
      ([name, spent, budget]) => `${name},${spent},${Number(spent) + 1},${budget}\n`,
    ).join("")}`;
    expect(paramsOf(posted(told, OVER, "Post which projects are over budget"))).toEqual(["text"]);
    expect(paramsOf(posted(told, OVER, "Post which projects have spent over budget"))).toEqual([]);
  });
});
