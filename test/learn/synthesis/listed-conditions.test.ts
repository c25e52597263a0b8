import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { expressionText } from "../../../src/learn/review/expression-text.ts";
import { runner } from "../../shared-threads.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";

type Plant = readonly [label: string, ...facts: string[]];

/** Plants, each with what is known of it. */
const nursery = (...plants: readonly Plant[]): WorldTools => ({
  "nursery.find": () => ({ plants: plants.map(([label, ...facts]): Json => ({ label, facts })) }),
  "nursery.discard": () => "ok",
  "nursery.discard_one": () => "ok",
});

const discarding = (task: string, world: WorldTools, ...labels: readonly string[]) =>
  learned([
    recordedIn(world, task, (call) => {
      call("nursery.find", { words: "bed 7" });
      call("nursery.discard", { labels });
    }),
  ]).plan;

describe.each([
  ["a sentence with a label", "Health: withered", "Health: green", "health: withered"],
  ["a tag", "withered", "green", "Withered"],
])("a list of those in whose own lists stands %s of which the task speaks", (_, said, other, near) => {
  const world = nursery(
    ["fern-118", "Bed: bed 7", other],
    ["moss-202", "Bed: bed 7", said],
    ["rose-347", said, "Bed: bed 7"],
    ["palm-451", "Bed: bed 7"],
  );
  const plan = discarding("Discard the plants of bed 7 that are withered", world, "moss-202", "rose-347");
  const discarded = async (...plants: readonly Plant[]) => {
    const input = Object.fromEntries(plan.params.map(({ name, example = null }) => [name, example]));
    return (await callsIn(runner, plan, nursery(...plants), input)).slice(1);
  };

  test("asks for what is said, and whether it is what tells them", () => {
    expect(plan.params.map(({ example }) => example)).toEqual(["bed 7", "withered"]);
    expect(plan.questions).toMatchObject([{ kind: "element", path: ["labels"] }]);
  });

  test("is of all of those in another answer", async () => {
    expect(await discarded(["a-1", said], ["b-2", "Bed: bed 7", other], ["c-3"], ["d-4", "x", said])).toEqual(
      ['nursery.discard {"labels":["a-1","d-4"]}'],
    );
  });

  test("stops where there is none", async () => {
    expect(await discarded(["a-1", other], ["b-2"])).toEqual([expect.stringContaining("stops")]);
  });

  test("stops where one is nearly so", async () => {
    expect(await discarded(["a-1", said], ["b-2", near])).toEqual([expect.stringContaining("stops")]);
  });
});

describe.each([
  ["a list", false],
  ["rounds", true],
])("where the task says two things of what members of lists say, %s", (_, areRounds) => {
  const planOf = (...plants: readonly Plant[]) =>
    learned([
      recordedIn(nursery(...plants), "Discard the plants of bed 7 that are withered", (call) => {
        call("nursery.find", {});
        if (areRounds) for (const label of ["moss-202", "rose-347"]) call("nursery.discard_one", { label });
        else call("nursery.discard", { labels: ["moss-202", "rose-347"] });
      }),
    ]).plan;
  const own: readonly Plant[] = [
    ["moss-202", "Health: withered", "Bed: bed 7"],
    ["rose-347", "Bed: bed 7", "Health: withered"],
  ];

  test.each<readonly [string, readonly Plant[]]>([
    [
      "both tell them together",
      [
        ["fern-1", "Bed: bed 7"],
        ["palm-2", "Bed: bed 9", "Health: withered"],
      ],
    ],
    [
      "one would tell them by itself",
      [
        ["fern-1", "Bed: bed 7"],
        ["palm-2", "Bed: bed 9", "Health: green"],
      ],
    ],
  ])("ask for both and hold both to be so, where %s", async (__, others) => {
    const plan = planOf(...own, ...others);
    expect(Object.fromEntries(plan.params.map(({ name, example }) => [name, example]))).toEqual({
      bed: "bed 7",
      health: "withered",
    });
    const there = nursery(
      ["a-1", "Health: torn", "Bed: bed 8"],
      ["b-2", "Health: torn", "Bed: bed 7"],
      ["c-3", "Bed: bed 8"],
      ["d-4", "Bed: bed 8", "Health: torn"],
    );
    const labels = ["a-1", "d-4"];
    expect((await callsIn(runner, plan, there, { bed: "bed 8", health: "torn" })).slice(1)).toEqual(
      areRounds
        ? labels.map((label) => `nursery.discard_one {"label":"${label}"}`)
        : [`nursery.discard ${JSON.stringify({ labels })}`],
    );
  });
});

test("a sentence that ends with what the task says has to be so as well, with or without a label", async () => {
  const own: readonly Plant[] = [
    ["moss-202", "Grows in Lagos", "Health: withered"],
    ["rose-347", "Health: withered", "Grows in Lagos"],
  ];
  const { plan } = learned([
    recordedIn(
      nursery(...own, ["fern-1", "Grows in Lagos"]),
      "Discard the plants in Lagos that are withered",
      (call) => {
        call("nursery.find", {});
        call("nursery.discard", { labels: ["moss-202", "rose-347"] });
      },
    ),
  ]);
  expect(plan.params.map(({ example }) => example)).toEqual(expect.arrayContaining(["Lagos", "withered"]));
  const input = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [name, example === "Lagos" ? "Oslo" : example]),
  );
  const there = nursery(
    ["a-1", "Grows in Lagos", "Health: withered"],
    ["b-2", "Grows in Oslo", "Health: withered"],
    ["c-3", "Grows in Oslo", "Health: green"],
    ["d-4", "Health: withered", "Grows in Oslo"],
  );
  expect((await callsIn(runner, plan, there, input)).slice(1)).toEqual([
    'nursery.discard {"labels":["b-2","d-4"]}',
  ]);
});

test("the same for fields: what a second field has, of which the task speaks, has to be so as well", () => {
  const desk: WorldTools = {
    "desk.list": () => ({
      letters: [
        { ref: "L-501", to: "Harbour", state: "unsent" },
        { ref: "L-502", to: "Harbour", state: "unsent" },
        { ref: "L-503", to: "Quarry", state: "sent" },
        { ref: "L-504", to: "Harbour", state: "sent" },
      ],
    }),
    "desk.shred": () => "ok",
  };
  const { plan, choices } = learned([
    recordedIn(desk, "Shred the letters to Harbour that are unsent", (call) => {
      call("desk.list", {});
      call("desk.shred", { refs: ["L-501", "L-502"] });
    }),
  ]);
  expect(plan.params.map(({ example }) => example)).toEqual(["Harbour", "unsent"]);
  const readings = choices.find(({ question }) => question === "element")?.alternatives ?? [];
  expect(readings.map((each) => expressionText(each))).toEqual([
    expect.stringContaining("letters[state = input.state]"),
  ]);
});

test("a list of those of which rounds before it were told what the task says", async () => {
  const bay = (...crates: readonly (readonly [id: string, state: string])[]): WorldTools => ({
    "bay.list": () => ({ crates: crates.map(([id]) => ({ id })) }),
    "bay.get": ({ id }) => ({ state: crates.find(([each]) => each === id)?.[1] ?? null }),
    "bay.send": () => "ok",
  });
  const world = bay(["C-501", "packed"], ["C-502", "empty"], ["C-503", "packed"], ["C-504", "broken"]);
  const { plan } = learned([
    recordedIn(world, "Send all crates that are packed", (call) => {
      call("bay.list", {});
      for (const id of ["C-501", "C-502", "C-503", "C-504"]) call("bay.get", { id });
      call("bay.send", { ids: ["C-501", "C-503"] });
    }),
  ]);
  expect(plan.params.map(({ name, example }) => [name, example])).toEqual([["state", "packed"]]);
  expect(plan.questions).toMatchObject([{ kind: "element", path: ["ids"] }]);
  const there = bay(["C-1", "empty"], ["C-2", "packed"]);
  expect((await callsIn(runner, plan, there, { state: "packed" })).at(-1)).toBe('bay.send {"ids":["C-2"]}');
});
