import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
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
    ["palm-451"],
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
    expect(
      await discarded(["a-1", said], ["b-2", "Bed: bed 7", other], ["c-3", other], ["d-4", "x", said]),
    ).toEqual(['nursery.discard {"labels":["a-1","d-4"]}']);
  });

  test("stops where there is none", async () => {
    expect(await discarded(["a-1", other], ["b-2"])).toEqual([expect.stringContaining("stops")]);
  });

  test("stops where one is nearly so", async () => {
    expect(await discarded(["a-1", said], ["b-2", near])).toEqual([expect.stringContaining("stops")]);
  });
});
