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

test("objects that are keyed by ids, dates or names are maps, wherever they stand", () => {
  const flight = (seats: number) => ({ seats });
  const schema = {
    type: "object",
    additionalProperties: { type: "object", properties: { seats: { type: "number" } } },
  };
  expect(inferredSchema([{ HAT001: flight(1), HAT002: flight(2) }])).toMatchObject(schema);
  expect(inferredSchema([{ days: { "2026-05-01": flight(1) } }, { days: {} }])).toMatchObject({
    properties: { days: schema },
    required: ["days"],
  });
  expect(inferredSchema([{ first: flight(1), last: flight(2) }])).toMatchObject({
    required: ["first", "last"],
  });
});

test("the type of a list is of all its elements", () => {
  const rows = Array.from({ length: 80 }, (_, index) =>
    index < 60 ? { id: index, note: "x" } : { id: index },
  );
  expect(inferredSchema([rows])).toMatchObject({ items: { required: ["id"] } });
});
