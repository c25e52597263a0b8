import { expect, test } from "vitest";
import { durabilityOf, staticCycleFrom } from "../../src/core/reachable-skills.ts";
import type { Skill } from "../../src/core/skill.ts";

test.each<[string, Record<string, string[]>, string, string[] | undefined]>([
  ["two skills that call each other", { a: ["b"], b: ["a"] }, "a", ["a", "b", "a"]],
  ["a circle further down", { r: ["x", "a"], x: [], a: ["b"], b: ["a"] }, "r", ["r", "a", "b", "a"]],
  ["a skill that calls itself", { a: ["a"] }, "a", ["a", "a"]],
  ["the first circle in the order of the calls", { r: ["b", "a"], a: ["a"], b: ["r"] }, "r", ["r", "b", "r"]],
  ["a circle that the root does not reach", { r: ["x"], x: [], a: ["a"] }, "r", undefined],
  ["a diamond", { r: ["a", "b"], a: ["x"], b: ["x"], x: [] }, "r", undefined],
  ["a callee that does not exist", { r: ["nowhere"] }, "r", undefined],
  ["a root that does not exist", {}, "r", undefined],
])("%s", (_, calls, root, expected) => {
  expect(staticCycleFrom(skillsThatCall(calls), root)).toEqual(expected);
});

test("a skill that lists itself in composes may call itself, and only itself", () => {
  expect(staticCycleFrom(skillsThatCall({ a: ["a"] }, { a: ["a"] }), "a")).toBeUndefined();
  expect(staticCycleFrom(skillsThatCall({ a: ["b"], b: ["a"] }, { a: ["a", "b"] }), "a")).toEqual([
    "a",
    "b",
    "a",
  ]);
});

test("long chains and many diamonds take linear time", () => {
  const calls: Record<string, string[]> = {};
  for (let index = 0; index < 20_000; index += 1) calls[`s${index}`] = [`s${index + 1}`, `s${index + 2}`];
  expect(staticCycleFrom(skillsThatCall(calls), "s0")).toBeUndefined();
});

function skillsThatCall(
  calls: Record<string, string[]>,
  composes: Record<string, string[]> = {},
): ReadonlyMap<string, Skill> {
  return new Map(
    Object.entries(calls).map(([name, callees]) => {
      const skills = callees.map((callee) => ({ callee, path: "", line: 1, column: 1 }));
      return [
        name,
        {
          name,
          calls: { skills, tools: [], dynamic: false },
          composes: composes[name] ?? [],
        } as unknown as Skill,
      ];
    }),
  );
}

test.each<[string, Record<string, string[]>, Record<string, string[]>, string | undefined]>([
  ["is that of a skill that it calls", { root: ["a"], a: ["pays"], pays: [] }, {}, "confirms"],
  ["is that of a skill that it lists in composes", { root: [], pays: [] }, { root: ["pays"] }, "confirms"],
  ["is none of a skill that it does not reach", { root: [], pays: [] }, {}, undefined],
])("the durability of a skill %s", (_, calls, composes, expected) => {
  const skills = new Map(skillsThatCall(calls, composes));
  const pays = skills.get("pays");
  if (pays) skills.set("pays", { ...pays, durable: "confirms" });
  expect(durabilityOf(skills, "root")).toBe(expected);
});
