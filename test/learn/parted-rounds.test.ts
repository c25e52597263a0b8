import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { learned } from "./learned.ts";
import { callsIn, recordedIn, type WorldTools } from "./live.ts";
import { runner } from "../shared-threads.ts";

type Agent = Parameters<typeof recordedIn>[2];
interface Ticket {
  readonly id: string;
  readonly state?: string;
  readonly hours?: number;
  readonly locked?: boolean;
}

/** A desk whose list tells the ids of tickets, and nothing else of them. */
function desk(...tickets: readonly Ticket[]): WorldTools {
  return {
    "desk.list": () => ({ tickets: tickets.map(({ id }) => ({ id })) }),
    "desk.get": ({ id }) => (tickets.find((each) => each.id === id) ?? null) as JsonObject | null,
    "desk.close": () => "ok",
    "desk.remind": () => "ok",
  };
}

/** Looks at each ticket, all that there are or those that are told, and then closes it or does something else. */
const worksThrough =
  (isMeant: (ticket: Ticket) => boolean, other?: string, ids?: readonly string[]): Agent =>
  (call) => {
    const listed =
      ids ?? (call("desk.list", {}) as unknown as { tickets: Ticket[] }).tickets.map(({ id }) => id);
    for (const id of listed) {
      const ticket = call("desk.get", { id }) as unknown as Ticket;
      if (isMeant(ticket)) call("desk.close", { id });
      else if (other !== undefined) call(other, { id });
    }
  };

async function acts(plan: Plan, world: WorldTools, input: JsonObject): Promise<readonly string[]> {
  const made = await callsIn(runner, plan, world, input);
  return made.filter((call) => !/^desk\.(?:get|list)/.test(call)).map((call) => call.replace(/^desk\./, ""));
}

const isSolved = ({ state }: Ticket): boolean => state === "solved";
const MIXED = desk(
  { id: "T-101", state: "solved" },
  { id: "T-102", state: "open" },
  { id: "T-103", state: "solved" },
);
const closing = (id: string): string => `close {"id":"${id}"}`;

describe("what is done in some rounds of a loop is done where what a round looks at says so", () => {
  const OTHER = desk(
    { id: "T-201", state: "open" },
    { id: "T-202", state: "waiting" },
    { id: "T-203", state: "solved" },
  );

  test("as the task says it, and the caller can say otherwise", async () => {
    const run = recordedIn(MIXED, "Close each ticket that is solved", worksThrough(isSolved));
    const { plan } = learned([run]);
    expect(plan.params.map(({ name }) => name)).toEqual(["state"]);
    expect(await acts(plan, OTHER, { state: "solved" })).toEqual([closing("T-203")]);
    expect(await acts(plan, OTHER, { state: "waiting" })).toEqual([closing("T-202")]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: [] }]);
  });

  test("for those that the caller names", async () => {
    const ids = ["T-101", "T-102", "T-103"];
    const task = "Close the tickets T-101, T-102 and T-103, each only if it is solved";
    const { plan } = learned([recordedIn(MIXED, task, worksThrough(isSolved, undefined, ids))]);
    expect(plan.params.map(({ name }) => name)).toEqual(["ids", "state"]);
    const input = { ids: ["T-203", "T-201"], state: "solved" };
    expect(await acts(plan, OTHER, input)).toEqual([closing("T-203")]);
  });

  test("by a number that the task says", async () => {
    const long = desk({ id: "T-101", hours: 3 }, { id: "T-102", hours: 30 }, { id: "T-103", hours: 41 });
    const task = "Close every ticket of more than 24 hours";
    const run = recordedIn(
      long,
      task,
      worksThrough(({ hours = 0 }) => hours > 24),
    );
    const other = desk({ id: "T-201", hours: 24 }, { id: "T-202", hours: 25 });
    expect(await acts(learned([run]).plan, other, { hours_limit: 24 })).toEqual([closing("T-202")]);
  });

  test("which stops where a ticket does not tell it", async () => {
    const run = recordedIn(MIXED, "Close each ticket that is solved", worksThrough(isSolved));
    const other = desk({ id: "T-201", state: "solved" }, { id: "T-202" }, { id: "T-203", state: "solved" });
    const made = await acts(learned([run]).plan, other, { state: "solved" });
    expect(made).toEqual([closing("T-201"), expect.stringMatching(/^stops: An answer has no state/)]);
  });

  test("of which more runs that differ leave no question, and one in which all were meant is no other way", async () => {
    const all = desk({ id: "T-301", state: "solved" }, { id: "T-302", state: "solved" });
    const runs = [MIXED, all, OTHER].map((world) =>
      recordedIn(world, "Close each ticket that is solved", worksThrough(isSolved)),
    );
    const { plan, contrasts } = learned(runs);
    expect(contrasts).toEqual([]);
    expect(plan.questions).toBeUndefined();
    expect(await acts(plan, OTHER, { state: "solved" })).toEqual([closing("T-203")]);
  });
});

test("where the task does not say it, states that no round had stop the skill", async () => {
  const run = recordedIn(MIXED, "Clean up the desk", worksThrough(isSolved, "desk.remind"));
  const { plan } = learned([run]);
  const known = desk({ id: "T-201", state: "open" }, { id: "T-202", state: "solved" });
  expect(await acts(plan, known, {})).toEqual([`remind {"id":"T-201"}`, closing("T-202")]);
  const made = await acts(
    plan,
    desk({ id: "T-201", state: "waiting" }, { id: "T-202", state: "solved" }),
    {},
  );
  expect(made).toEqual([expect.stringContaining("stops: ")]);
});

test("where a number could have decided as well, nothing is made a loop of", () => {
  const both = desk(
    { id: "T-101", state: "solved", hours: 3 },
    { id: "T-102", state: "open", hours: 30 },
    { id: "T-103", state: "solved", hours: 5 },
  );
  const { plan } = learned([recordedIn(both, "Clean up the desk", worksThrough(isSolved))]);
  expect(plan.steps.map(({ kind }) => kind)).not.toContain("loop");
});

describe("what the task makes a condition of each round holds in each", () => {
  test.each([
    ["all there are", "Close all tickets, each only if it is solved", undefined],
    [
      "those that the caller names",
      "Close the tickets T-101 and T-103, each only if it is solved",
      ["T-101", "T-103"],
    ],
  ])("of %s, though every round of the run had it", async (_, task, ids) => {
    const solved = desk({ id: "T-101", state: "solved" }, { id: "T-103", state: "solved" });
    const { plan } = learned([recordedIn(solved, task, worksThrough(isSolved, undefined, ids))]);
    const other = desk({ id: "T-101", state: "solved" }, { id: "T-103", state: "open" });
    const input: JsonObject = ids ? { ids } : {};
    expect(await acts(plan, solved, input)).toEqual([closing("T-101"), closing("T-103")]);
    expect(await acts(plan, other, input)).toEqual([closing("T-101"), expect.stringContaining("stops: ")]);
  });
});

test("acts of which only some are followed by others are no rounds, whatever they answer", () => {
  const steps: readonly (readonly [tool: string, args: JsonObject, result: JsonObject])[] = [
    ["shell.cd", { folder: "drafts" }, { at: "drafts" }],
    ["shell.move", { file: "plan.txt", to: "final" }, {}],
    ["shell.cd", { folder: "final" }, { at: "final" }],
    ["shell.cd", { folder: "notes" }, { at: "notes" }],
    ["shell.cd", { folder: "drafts" }, { at: "drafts" }],
    ["shell.move", { file: "list.txt", to: "final" }, {}],
    ["shell.cd", { folder: "final" }, {}],
  ];
  const calls = steps.map(([tool, args, result]) => ({ tool, args, result }));
  const task = "Move plan.txt and list.txt from drafts to final, and look there each time";
  const { plan } = learned([{ id: "moved", task, calls }]);
  expect(plan.steps.map(({ kind }) => kind)).not.toContain("loop");
});
