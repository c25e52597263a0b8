import { describe, expect, test } from "vitest";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

const FOLDER = "/data/in";

const desk = (texts: Readonly<Record<string, string>>): WorldTools => ({
  "desk.list": () =>
    Object.keys(texts)
      .map((name) => `[FILE] ${name}`)
      .join("\n"),
  "desk.read_file": ({ path }) => texts[(path as string).slice(FOLDER.length + 1)] ?? "",
  "desk.move_file": () => "Moved",
});

type Told = readonly [number: string, firm: string];

const invoice = ([number, firm]: Told): string => `Invoice: ${number}\nFirm: ${firm}\nTotal: 12\n`;

const SEEN: Readonly<Record<string, Told>> = {
  "scan.txt": ["INV-201", "Nordwind"],
  "letter.txt": ["INV-377", "Brink Timber"],
};

const renamed = (task: string, nth: 0 | 1) =>
  learned([
    recordedIn(
      desk(Object.fromEntries(Object.entries(SEEN).map(([name, told]) => [name, invoice(told)]))),
      task,
      (call) => {
        call("desk.list", { path: FOLDER });
        for (const [name, told] of Object.entries(SEEN)) {
          call("desk.read_file", { path: `${FOLDER}/${name}` });
          call("desk.move_file", {
            source: `${FOLDER}/${name}`,
            destination: `${FOLDER}/${told[nth]}-${name}`,
          });
        }
      },
    ),
  ]).plan;

test.each<readonly [string, 0 | 1, Told, Told]>([
  ["number", 0, ["INV-9", "Ek"], ["2026/17", "Ek"]],
  ["firm", 1, ["INV-9", "Ek & Co"], ["INV-9", "Ek A/S"]],
])("what a file is called by its %s leads to no folder", async (what, nth, plain, other) => {
  const plan = renamed(
    `Rename every file in ${FOLDER} so that it begins with the ${what} of its invoice.`,
    nth,
  );
  const movesFor = async (told: Told): Promise<string | undefined> => {
    const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
    return (await callsIn(runner, plan, desk({ "a.txt": invoice(told) }), input)).at(-1);
  };
  expect(await movesFor(plain)).toContain(`"destination":"${FOLDER}/${plain[nth]}-a.txt"`);
  expect(await movesFor(other)).toMatch(/^stops/);
});

describe("files are those that are called what the task says in the plural", () => {
  const folder = (names: readonly string[]): WorldTools => ({
    "desk.list": () => ({ files: names.map((name) => ({ name })) }),
    "desk.move_file": () => "Moved",
  });
  const SEEN = ["recipe-soup.md", "list.md", "recipe-pie.md", "holiday.jpg"];
  const planOf = (task: string, names: readonly string[], moved: readonly string[]) =>
    learned([
      recordedIn(folder(names), task, (call) => {
        call("desk.list", {});
        for (const name of moved)
          call("desk.move_file", { source: `/inbox/${name}`, destination: `/kitchen/${name}` });
      }),
    ]).plan;
  const RECIPES = ["recipe-soup.md", "recipe-pie.md"];
  const TASK = "Move the recipes from /inbox to /kitchen.";

  const movedIn = async (names: readonly string[]): Promise<readonly string[]> => {
    const plan = planOf(TASK, SEEN, RECIPES);
    const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
    return (await callsIn(runner, plan, folder(names), input))
      .slice(1)
      .map((call) => /"source":"\/inbox\/([^"]*)"/.exec(call)?.[1] ?? call);
  };

  test("with a question", async () => {
    const plan = planOf(TASK, SEEN, RECIPES);
    expect(plan.questions?.map(({ kind }) => kind)).toEqual(["element"]);
    expect(JSON.stringify(plan.params)).not.toContain("recipe");
    expect(await movedIn(["bill.md", "recipe-bread.md", "recipe-7.txt"])).toEqual([
      "recipe-bread.md",
      "recipe-7.txt",
    ]);
    expect(await movedIn(["bill.md"])).toEqual([]);
  });

  test.each(["Recipe-jam.md", "recipes.md", "recipebook.md", "2026-recipe.md"])(
    "%s may be meant, and stops",
    async (name) => {
      expect(await movedIn(["recipe-bread.md", name])).toEqual([expect.stringMatching(/^stops/)]);
    },
  );

  test.each<readonly [string, string, readonly string[], readonly string[]]>([
    ["of which the task says nothing", "Move two files from /inbox to /kitchen.", SEEN, RECIPES],
    ["that another has, too", TASK, [...SEEN, "recipe-cake.md"], RECIPES],
    ["that stands in a path of the task alone", "Move two from /inbox/recipes to /kitchen.", SEEN, RECIPES],
    ["that all have, as there are no others", TASK, RECIPES, RECIPES],
  ])("a word %s tells nothing", (_, task, names, moved) => {
    expect(JSON.stringify(planOf(task, names, moved).steps)).not.toContain("contains");
  });
});
