import { expect, test } from "vitest";
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
