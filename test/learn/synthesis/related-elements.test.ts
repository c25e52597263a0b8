import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

/** Plans that are called something, and subscriptions, each with the plans that it is to. */
const club = (plans: Readonly<Record<string, string>>, ...taken: readonly (readonly [string, string])[]) => {
  const listed = Object.entries(plans).map(([id, name]) => ({ id, kind: "plan", name, rate: `r-${id}` }));
  const subscriptions = taken.map(([id, plan]) => ({
    id,
    state: "active",
    items: { data: [{ price: { id: `r-${plan}`, plan } }] },
  }));
  return {
    "club.list_plans": () => listed,
    "club.list_subscriptions": () => subscriptions,
    "club.cancel": () => "ok",
  } satisfies WorldTools;
};

const ONE = club(
  { "pl-ab": "Maps", "pl-cd": "Reports", "pl-ef": "Team" },
  ["s-8101", "pl-ef"],
  ["s-8102", "pl-ab"],
);

const cancelling = (world: WorldTools, subscription: string) =>
  learned([
    recordedIn(world, "Cancel my subscription to Maps", (call) => {
      call("club.list_plans", {});
      call("club.list_subscriptions", {});
      call("club.cancel", { subscription });
    }),
  ]).plan;

describe("an element that is related by an id to one of another answer, of which the task speaks", () => {
  const plan = cancelling(ONE, "s-8102");
  const calls = async (name: string, ...taken: readonly (readonly [string, string])[]) =>
    (await callsIn(runner, plan, club({ p_1: "Maps", p_2: "Notes", p_3: "Team" }, ...taken), { name })).slice(
      2,
    );

  test("is found by what is said of that, which is asked about", async () => {
    expect(plan.params.map(({ example }) => example)).toEqual(["Maps"]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: ["subscription"] }]);
    expect(await calls("Notes", ["s-1", "p_1"], ["s-2", "p_2"], ["s-3", "p_3"])).toEqual([
      'club.cancel {"subscription":"s-2"}',
    ]);
  });

  test("is none where several are related to it, or none is", async () => {
    const stops = [expect.stringContaining("stops")];
    expect(await calls("Maps", ["s-1", "p_1"], ["s-2", "p_1"])).toEqual(stops);
    expect(await calls("Maps", ["s-1", "p_2"], ["s-2", "p_3"])).toEqual(stops);
    expect(await calls("Mats", ["s-1", "p_2"], ["s-2", "p_3"])).toEqual(stops);
  });

  test.each<readonly [string, WorldTools]>([
    [
      "the id stands in several elements of the other",
      {
        ...ONE,
        "club.list_plans": () => [
          ...ONE["club.list_plans"](),
          { id: "p_4714", kind: "plan", name: "Old", rate: "pl-ab" },
        ],
      },
    ],
    [
      "it is no id of the other",
      {
        ...ONE,
        "club.list_plans": () =>
          ONE["club.list_plans"]().map(({ id, ...each }): Json => Object.assign(each, { sold: id })),
      },
    ],
  ])("is not found so where %s", (_, world) => {
    expect(cancelling(world, "s-8102").params.map(({ example }) => example)).not.toContain("Maps");
  });
});

test("a small number that is the id of one of the things that an argument is called by is found by what the task says", async () => {
  const board = (...panels: readonly (readonly [number, string])[]): WorldTools => ({
    "board.open": () => ({ panels: panels.map(([id, title]) => ({ id, height: 8, title })) }),
    "board.note": () => "ok",
  });
  const { plan } = learned([
    recordedIn(
      board([3, "Errors"], [8, "Queue"], [12, "Memory"]),
      "Note a stop on the panel Queue",
      (call) => {
        call("board.open", {});
        call("board.note", { panelId: 8 });
      },
    ),
  ]);
  expect(plan.params.map(({ example }) => example)).toEqual(["Queue"]);
  const [name = ""] = plan.params.map((param) => param.name);
  expect(await callsIn(runner, plan, board([8, "Errors"], [5, "Memory"]), { [name]: "Memory" })).toContain(
    'board.note {"panelId":5}',
  );
});
