import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { runner } from "../shared-threads.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";

/** What lies on a tray: papers by their stage, and boxes. */
type Tray = Readonly<Record<string, string | undefined>>;
type Agent = Parameters<typeof recordedIn>[2];

const BOX = undefined;

/** A tray whose answers are data, or texts. */
function tray(isText: boolean, things: Tray): WorldTools {
  const stageOf = (path: unknown): string => things[String(path).split("/").at(-1) ?? ""] ?? "";
  const kinds = Object.entries(things).map(([name, stage]) => ({
    type: stage === BOX ? "BOX" : "PAPER",
    name,
  }));
  return {
    "tray.entries": () =>
      isText ? kinds.map(({ type, name }) => `[${type}] ${name}`).join("\n") : { entries: kinds },
    "tray.read": ({ path }) => {
      const stage = stageOf(path);
      if (isText) return `# Form\n\n${stage === "" ? "" : `Stage: ${stage}\n`}By: Mira Silva\n`;
      return stage === "" ? {} : { stage };
    },
    "tray.move": () => "ok",
    "tray.write": () => "ok",
  };
}

const papersOf = (things: Tray): readonly string[] =>
  Object.keys(things).filter((name) => things[name] !== BOX);

async function movesIn(plan: Plan, isText: boolean, things: Tray): Promise<readonly string[]> {
  const input = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [
      name,
      JSON.stringify(example).slice(1, -1).replace("forms-77", "bills-9"),
    ]),
  );
  const made = await callsIn(runner, plan, tray(isText, things), input);
  return made.filter((call) => !/^tray\.(?:entries|read)/.test(call));
}

const moved = (name: string): string =>
  `tray.move {"from":"/desk/bills-9/${name}","to":"/desk/bills-9/done/${name}"}`;

const THINGS: Tray = { "a-11": "signed", "b-12": "draft", done: BOX, "c-13": "signed", "d-14": "void" };
const OTHERS: Tray = { "x-1": "draft", old: BOX, "y-2": "signed", done: BOX, "z-3": "signed" };
const MOVE_SIGNED = "Move what is in /desk/forms-77 and in the stage signed to /desk/forms-77/done";

describe.each([
  ["data", false],
  ["a text", true],
])("rounds for all of one kind in a list with other kinds, which is %s", (_, isText) => {
  const planOf = (task: string, agent: Agent, things = THINGS): Plan =>
    learned([recordedIn(tray(isText, things), task, agent)]).plan;
  const moving =
    (isMeant: (name: string) => boolean, isRead: boolean): Agent =>
    (call) => {
      call("tray.entries", { folder: "/desk/forms-77" });
      for (const name of papersOf(THINGS)) {
        if (isRead) call("tray.read", { path: `/desk/forms-77/${name}` });
        if (isMeant(name))
          call("tray.move", { from: `/desk/forms-77/${name}`, to: `/desk/forms-77/done/${name}` });
      }
    };

  test("are for all of that kind elsewhere, and it is asked whether they are what was meant", async () => {
    const plan = planOf(
      "Move what is in /desk/forms-77 to /desk/forms-77/done",
      moving(() => true, false),
    );
    expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
    expect(await movesIn(plan, isText, OTHERS)).toEqual(["x-1", "y-2", "z-3"].map(moved));
  });

  test("of which some go on by what they have read", async () => {
    const plan = planOf(
      MOVE_SIGNED,
      moving((name) => THINGS[name] === "signed", true),
    );
    expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
    expect(await movesIn(plan, isText, OTHERS)).toEqual(["y-2", "z-3"].map(moved));
  });

  const READ_FIRST: Agent = (call) => {
    call("tray.entries", { folder: "/desk/forms-77" });
    for (const name of papersOf(THINGS)) call("tray.read", { path: `/desk/forms-77/${name}` });
    for (const name of papersOf(THINGS))
      if (THINGS[name] === "signed")
        call("tray.move", { from: `/desk/forms-77/${name}`, to: `/desk/forms-77/done/${name}` });
  };

  test("of which some are made after all have been read, by what these told", async () => {
    const plan = planOf(MOVE_SIGNED, READ_FIRST);
    expect(plan.questions).toMatchObject([
      { kind: "element", path: [] },
      { kind: "element", path: [] },
    ]);
    expect(await movesIn(plan, isText, OTHERS)).toEqual(["y-2", "z-3"].map(moved));
    expect(await movesIn(plan, isText, { "x-1": "draft", done: BOX })).toEqual([]);
    const untold = { "x-1": "signed", done: BOX, "y-2": "" };
    expect(await movesIn(plan, isText, untold)).toEqual([expect.stringContaining("stops")]);
  });

  test("have lines in a text, with what each was told beside its name", async () => {
    const reportOf = (things: Tray): string =>
      papersOf(things)
        .map((name) => `- ${name}: ${things[name] ?? ""}`)
        .join("\n");
    const plan = planOf("Write the stages of the papers in /desk/forms-77 to /desk/stages.md", (call) => {
      call("tray.entries", { folder: "/desk/forms-77" });
      for (const name of papersOf(THINGS)) call("tray.read", { path: `/desk/forms-77/${name}` });
      call("tray.write", { path: "/desk/stages.md", text: reportOf(THINGS) });
    });
    expect(await movesIn(plan, isText, OTHERS)).toEqual([
      `tray.write ${JSON.stringify({ path: "/desk/stages.md", text: reportOf(OTHERS) })}`,
    ]);
  });

  test("are for those that the caller says, where the task names them", async () => {
    const { params } = planOf(
      "Move a-11, b-12, c-13 and d-14 in /desk/forms-77 to /desk/forms-77/done",
      moving(() => true, false),
    );
    expect(JSON.stringify(params.map(({ example }) => example))).toContain("a-11");
  });
});
