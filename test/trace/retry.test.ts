import { describe, expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { type Attempt, retriedCall } from "../../src/trace/record/retry.ts";

const MAIL = "Dear Ada, your order of 5 January has left our house and will reach you on Friday";
const CODE = `import csv
rows = list(csv.reader(open("in.csv")))
total = sum(float(row[1]) for row in rows)
with open("out.txt", "w") as out:
    out.write(str(total))
print("done", total, len(rows))`;

function failed(input: Json, rest: Partial<Attempt> = {}): Attempt {
  return { name: "act", input, isFailed: true, ...rest };
}

describe("a call that failed is tried again by", () => {
  test.each<[string, Json, Json]>([
    ["the same call", { id: 1, tags: ["a", { b: null }] }, { tags: ["a", { b: null }], id: 1 }],
    ["one without arguments, if it had none", {}, {}],
    ["one whose text is written otherwise", { order_id: "W1" }, { order_id: "#W1" }],
    ["one whose number is a number", { count: "5", to: "ann" }, { count: 5, to: "ann" }],
    ["one with another argument more", { id: 7 }, { id: 7, force: true }],
    ["one with an argument less", { id: 7, query: "x", colour: "red" }, { id: 7, query: "x" }],
    ["one whose argument has another name", { orderId: "W1" }, { order_id: "W1" }],
    ["one whose name is completed", { name: "Ad" }, { name: "Ada" }],
    ["one whose path is completed", { path: "in.csv" }, { path: "data/in.csv" }],
    ["one whose code was mended", { code: CODE }, { code: CODE.replace("row[1]", "row[2]") }],
    ["the same list", ["a"], ["a"]],
  ])("%s", (_, first, second) => {
    const attempt = failed(first);
    expect(retriedCall([attempt], { name: "act", input: second })).toBe(attempt);
  });
});

describe("a call that failed is not tried again by", () => {
  test.each<[string, Json, Json]>([
    ["one with another value of the same argument", { ms: 3000 }, { ms: 100 }],
    ["one about another thing", { order_id: "W1" }, { order_id: "W2" }],
    [
      "one about another thing of the same owner",
      { owner: "a", repo: "b", issue: 1 },
      { owner: "a", repo: "b", issue: 2 },
    ],
    ["the same letter to another person", { to: "ann", body: MAIL }, { to: "bob", body: MAIL }],
    ["one of another sign", { by: 5 }, { by: -5 }],
    ["one of another size", { by: 1.5 }, { by: 15 }],
    ["one with other arguments", { id: 7, query: "x" }, { name: "y", limit: 3, id: 7, sort: "up" }],
    ["another text", "first", "second"],
    ["one that takes nothing", { id: 7 }, {}],
    ["another list of things", { ids: [1, 2] }, { ids: [3, 4] }],
  ])("%s", (_, first, second) => {
    expect(retriedCall([failed(first)], { name: "act", input: second })).toBeUndefined();
  });

  test("the same call of another tool, after a success, too late, or of unknown arguments", () => {
    const input = { id: 7 };
    expect(retriedCall([failed(input)], { name: "other", input })).toBeUndefined();
    expect(
      retriedCall([failed(input), failed(input, { isFailed: false })], { name: "act", input }),
    ).toBeUndefined();
    const others = ["a", "b", "c", "d"].map((name) => failed({}, { name }));
    expect(retriedCall([failed(input), ...others.slice(1)], { name: "act", input })).toBeDefined();
    expect(retriedCall([failed(input), ...others], { name: "act", input })).toBeUndefined();
    expect(retriedCall([failed(input)], { name: "act", input: undefined })).toBeUndefined();
  });
});

test("of several calls that failed, the one with these arguments is tried again", () => {
  const [first, second] = [failed({ id: 1 }), failed({ id: 2 })];
  expect(retriedCall([first, second], { name: "act", input: { id: 1 } })).toBe(first);
  expect(retriedCall([first, second], { name: "act", input: { id: 2 } })).toBe(second);
});

test("after an input that was not valid, one argument may be another", () => {
  const input = { unit: "celsius", day: "tomorrow" };
  const mended = { unit: "celsius", day: "2026-01-06" };
  expect(retriedCall([failed(input)], { name: "act", input: mended })).toBeUndefined();
  expect(retriedCall([failed(input, { isMistake: true })], { name: "act", input: mended })).toBeDefined();
  expect(
    retriedCall([failed({ day: 1 }, { isMistake: true })], { name: "act", input: { day: 2 } }),
  ).toBeUndefined();
});

test("arguments nested more deeply than can be compared are no retry, and no error", () => {
  const deep = (): Json => {
    let value: Json = 1;
    for (let level = 0; level < 100_000; level++) value = [value];
    return { value };
  };
  expect(retriedCall([failed(deep())], { name: "act", input: deep() })).toBeUndefined();
});
