import { expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { mapFields, inferredSchema } from "../../src/learn/plan/schema-inference.ts";

function fieldsOf(...results: readonly Json[]): readonly string[] {
  const calls = results.map((result) => ({ tool: "get", args: {}, result }));
  return [...mapFields([{ id: "run", calls }])];
}

test("a field whose objects have other keys each time holds data in its keys", () => {
  const items = [{ options: { size: "7", color: "red" } }, { options: { size: "8", material: "oak" } }];
  expect(fieldsOf({ items })).toEqual(["options"]);
  expect(fieldsOf({ options: { size: "7" } }, { options: { zoom: "3x" } })).toEqual(["options"]);
});

test("objects of which one only lacks some keys, or that hold more than scalars, are records", () => {
  expect(
    fieldsOf([{ at: { street: "a", city: "b" } }, { at: { street: "a", city: "b", flat: "c" } }]),
  ).toEqual([]);
  expect(fieldsOf([{ at: { a: [1] } }, { at: { b: [2] } }])).toEqual([]);
});

test("the type of such a field takes other keys too", () => {
  const value = [{ name: "Lamp", options: { color: "red" } }];
  expect(inferredSchema([value], new Set(["options"]))).toMatchObject({
    items: { properties: { options: { type: "object", additionalProperties: { type: "string" } } } },
  });
});
