import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

type Versions = Readonly<Record<string, string>>;

interface Desk {
  readonly ours: Versions;
  readonly theirs: Versions;
}

const LEARNED: Desk = {
  ours: { ripgrep: "13.0.0", curl: "1.7.1", pandoc: "2.19.2", cmake: "3.30.5" },
  theirs: { cmake: "3.30.5", ripgrep: "14.1.0", deno: "2.1.4", pandoc: "3.5.0", curl: "1.7.1" },
};
const OTHER: Desk = {
  ours: { deno: "2.1.4", ripgrep: "15.0.1", cmake: "3.28.0", ruby: "3.3.6" },
  theirs: { ruby: "3.4.1", cmake: "3.30.5", ripgrep: "14.1.0", deno: "2.1.4" },
};

const desk = ({ ours, theirs }: Desk): WorldTools => ({
  "files.read_file": ({ path }) => ({
    content:
      path === "/srv/installed.txt"
        ? Object.entries(ours)
            .map(([tool, version]) => `${tool} ${version}\n`)
            .join("")
        : `# Wanted\n\n| Tool | Version |\n| --- | --- |\n${Object.entries(theirs)
            .map(([tool, version]) => `| ${tool} | ${version} |\n`)
            .join("")}`,
  }),
  "files.write_file": () => "ok",
});

const differing = ({ ours, theirs }: Desk): readonly string[] =>
  Object.keys(ours).filter((tool) => ours[tool] !== theirs[tool]);

const bullet = ({ ours, theirs }: Desk, tool: string): string =>
  `- ${tool}: ${ours[tool]} -> ${theirs[tool]}\n`;

const run = (task: string, tools: readonly string[], at: Desk = LEARNED) =>
  recordedIn(desk(at), task, (call) => {
    call("files.read_file", { path: "/srv/installed.txt" });
    call("files.read_file", { path: "/srv/wanted.md" });
    call("files.write_file", {
      path: "/srv/report.md",
      content: tools.map((tool) => bullet(at, tool)).join(""),
    });
  });

const TASK =
  "Compare the versions in /srv/installed.txt with those in /srv/wanted.md. Write the tools that have another version there to /srv/report.md, as bullets with our version and theirs.";

const inputOf = ({ params }: Plan): JsonObject =>
  Object.fromEntries(params.map(({ name, example = null }): [string, Json] => [name, example]));

async function lastIn(plan: Plan, world: Desk): Promise<string> {
  const calls = await callsIn(runner, plan, desk(world), inputOf(plan));
  return calls.at(-1) ?? "";
}

describe("rows of two lists about the same things", () => {
  test("those that differ in what both say are listed, with a question", async () => {
    const { plan } = learned([run(TASK, differing(LEARNED))]);
    expect(JSON.stringify(inputOf(plan))).not.toContain("ripgrep");
    expect(plan.questions?.length).toBe(1);
    const { content } = JSON.parse(
      (await lastIn(plan, OTHER)).replace("files.write_file ", ""),
    ) as JsonObject;
    expect(content).toBe("- ripgrep: 15.0.1 -> 14.1.0\n- cmake: 3.28.0 -> 3.30.5\n- ruby: 3.3.6 -> 3.4.1\n");
  });

  test.each<readonly [string, Desk]>([
    [
      "the other list lacks one",
      { ours: OTHER.ours, theirs: { ruby: "3.4.1", deno: "2.1.4", cmake: "3.30.5" } },
    ],
    ["it is written otherwise there", { ours: OTHER.ours, theirs: { ...OTHER.theirs, deno: "v2.1.4" } }],
    ["it is written otherwise here", { ours: { ...OTHER.ours, deno: "v2.1.4" }, theirs: OTHER.theirs }],
    ["none differs", { ours: LEARNED.theirs, theirs: LEARNED.theirs }],
    ["it is no version", { ours: OTHER.ours, theirs: { ...OTHER.theirs, ruby: "latest" } }],
  ])("it stops where %s", async (_, world) => {
    const { plan } = learned([run(TASK, differing(LEARNED))]);
    expect(await lastIn(plan, world)).toMatch(/^stops/);
  });

  test.each<readonly [string, string, readonly string[]]>([
    ["the task says nothing of what both say", "Write the tools to /srv/report.md.", differing(LEARNED)],
    [
      "the task asks which have the older one, which is more than another",
      "Write the tools of /srv/installed.txt that are older than in /srv/wanted.md to /srv/report.md.",
      differing(LEARNED),
    ],
    ["others are listed than those that differ", TASK, ["ripgrep", "curl"]],
  ])("the caller says which where %s", (_, task, tools) => {
    const { plan } = learned([run(task, tools)]);
    expect(JSON.stringify(inputOf(plan))).toContain("ripgrep");
  });
});

describe("calls for elements that another list has with the same, or with something else", () => {
  interface Shop {
    readonly shelf: Readonly<Record<string, number>>;
    readonly books: Readonly<Record<string, number>>;
  }
  const ONE: Shop = {
    shelf: { "A-101": 7, "A-102": 3, "A-103": 12, "A-104": 5 },
    books: { "A-103": 9, "A-104": 5, "A-101": 7, "A-102": 4 },
  };
  const TWO: Shop = {
    shelf: { "B-201": 40, "B-202": 2, "B-203": 8 },
    books: { "B-203": 8, "B-202": 2, "B-201": 41 },
  };
  const shop = ({ shelf, books }: Shop): WorldTools => ({
    "stock.count_shelf": () => ({ counted: Object.entries(shelf).map(([sku, units]) => ({ sku, units })) }),
    "stock.list_books": () => ({
      entries: Object.entries(books).map(([article, quantity]) => ({ article, quantity })),
    }),
    "stock.flag": () => "ok",
  });
  const flagged = (task: string, at: Shop, isFor: (sku: string) => boolean) =>
    recordedIn(shop(at), task, (call) => {
      call("stock.count_shelf", {});
      call("stock.list_books", {});
      for (const sku of Object.keys(at.shelf)) if (isFor(sku)) call("stock.flag", { sku });
    });

  test.each<readonly [string, boolean, readonly string[]]>([
    ["Flag every article whose count differs from the books", false, ["B-201"]],
    ["Flag every article whose count matches the books", true, ["B-202", "B-203"]],
  ])("%s", async (task, isEqual, expected) => {
    const { plan } = learned([flagged(task, ONE, (sku) => (ONE.shelf[sku] === ONE.books[sku]) === isEqual)]);
    expect(plan.params).toEqual([]);
    expect(plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
    const calls = await callsIn(runner, plan, shop(TWO), {});
    expect(calls.slice(2).map((call) => /B-\d+/.exec(call)?.[0])).toEqual(expected);
    const lacking = await callsIn(runner, plan, shop({ ...TWO, books: { "B-203": 8, "B-201": 41 } }), {});
    expect(lacking.slice(2)).toEqual([expect.stringMatching(/^stops/)]);
  });

  test("one that the list itself has twice, otherwise each time, stops", async () => {
    const task = "Flag every article whose count differs from the books";
    const { plan } = learned([flagged(task, ONE, (sku) => ONE.shelf[sku] !== ONE.books[sku])]);
    const twice: WorldTools = {
      ...shop(TWO),
      "stock.count_shelf": () => ({
        counted: [
          { sku: "B-201", units: 40 },
          { sku: "B-201", units: 41 },
          { sku: "B-203", units: 8 },
        ],
      }),
    };
    expect((await callsIn(runner, plan, twice, {})).slice(2)).toEqual([expect.stringMatching(/^stops/)]);
  });

  test("amounts that are written with a point may be versions: the caller says which", () => {
    const priced = (prices: Readonly<Record<string, string>>) =>
      Object.entries(prices).map(([sku, price]) => ({ sku, price }));
    const tools: WorldTools = {
      "stock.list_ours": () => ({ ours: priced({ "A-101": "1.5", "A-102": "2.5", "A-103": "4.5" }) }),
      "stock.list_theirs": () => ({ theirs: priced({ "A-101": "1.5", "A-102": "2.7", "A-103": "4.9" }) }),
      "stock.flag": () => "ok",
    };
    const trace = recordedIn(tools, "Flag every article of ours that differs from theirs", (call) => {
      call("stock.list_ours", {});
      call("stock.list_theirs", {});
      for (const sku of ["A-102", "A-103"]) call("stock.flag", { sku });
    });
    expect(learned([trace]).plan.params).not.toEqual([]);
  });

  test("the caller says which where they are not those", () => {
    const { plan } = learned([
      flagged("Flag every article whose count differs from the books", ONE, (sku) => sku > "A-102"),
    ]);
    expect(plan.params).not.toEqual([]);
  });
});
