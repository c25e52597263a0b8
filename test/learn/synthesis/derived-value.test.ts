import { expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { derivedValue } from "../../../src/learn/synthesis/derived-value.ts";
import { brief, viewAfter } from "./views.ts";

interface Run {
  readonly value: Json;
  readonly result: Json;
}

/** How a value is made of what a call before gave, in all runs; certain ones end with `!`. */
function derived(...runs: readonly Run[]): string | undefined {
  const views = runs.map(({ result }, nth) => viewAfter([result], { nth }));
  const found = derivedValue(
    runs.map(({ value }) => value),
    views,
    { call: 1, path: ["x"] },
    () => undefined,
  );
  return found && `${brief(found.expression)}${found.isCertain ? "!" : ""}`;
}

test.each([
  ["a date in another form", "29.02.2024", { at: "2024-02-29" }, "r0.at + 0 days as DD.MM.YYYY!"],
  ["a date some days later", "2024-03-02", { at: "2024-02-29" }, "r0.at + 2 days as YYYY-MM-DD"],
  ["a sum", 42, { a: 40, b: 2 }, "r0.a + r0.b"],
  ["a difference, in the order that gives it", 38, { a: 2, b: 40 }, "r0.b - r0.a"],
  ["a product", 80, { a: 40, b: 2 }, "r0.a * r0.b"],
  ["a quotient", 20, { a: 40, b: 2 }, "r0.a / r0.b"],
  ["the sum of a list", 42, { list: [40, 2] }, "the sum of r0.list"],
  [
    "the sum of a field",
    9.3,
    { all: [{ price: 2.1 }, { price: 0.2 }, { price: 7 }] },
    "the sum of (each.price for each each of r0.all)",
  ],
  [
    "the sum over a map",
    42,
    { byId: { "A-101": { n: 40 }, "A-102": { n: 2 } } },
    "the sum of (each.n for each each of r0.byId.*)",
  ],
  ["how many there are", 3, { all: ["x", "y", "z"] }, "the number of r0.all"],
  ["names with signs between", "Ann / Bob", { one: "Ann", two: "Bob" }, "<r0.one> / <r0.two>!"],
  ["a name in a sentence", "Hello Ann, welcome", { one: "Ann" }, "Hello <r0.one>, welcome"],
  [
    "an id inside a text",
    "ORD-77",
    { text: "Your order: ORD-77." },
    `r0.text between "Your order: " and "."!`,
  ],
])("%s", (_, value, result, expected) => {
  const found = derived({ value, result });
  expect(found).toBe(expected);
});

test.each([
  ["elements of a list are at no fixed place", 40, { list: [41, 1, 2] }],
  ["texts that nothing before has", "Hello there, you", { one: "Ann" }],
  ["a text that is a whole value is no composed one", "Ann", { one: "Ann" }],
  ["no number follows from one number", 41, { a: 40 }],
])("%s", (_, value, result) => {
  expect(derived({ value, result })).toBeUndefined();
});

test("several runs in which the values differ make certain what one suggests", () => {
  const runs = [
    { value: 42, result: { a: 40, b: 2 } },
    { value: 60, result: { a: 50, b: 10 } },
  ];
  expect(derived(...runs)).toBe("r0.a + r0.b!");
});

test("several calculations that fit all runs leave open which is meant", () => {
  const runs = [
    { value: 42, result: { a: 40, b: 2, all: [{ n: 40 }, { n: 2 }] } },
    { value: 60, result: { a: 50, b: 10, all: [{ n: 50 }, { n: 10 }] } },
  ];
  expect(derived(...runs)).toBe("the sum of (each.n for each each of r0.all)");
});

test("what one run suggests and another contradicts is dropped", () => {
  const runs = [
    { value: 4, result: { a: 2, b: 2 } },
    { value: 12, result: { a: 4, b: 3 } },
  ];
  expect(derived(...runs)).toBe("r0.a * r0.b!");
});
