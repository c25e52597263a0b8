import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { keptCalls } from "../../../src/learn/recording/kept-calls.ts";

function kept(args: JsonObject, error: string, again: JsonObject): readonly number[] {
  const calls = [
    { tool: "rec.delete", args, result: null, error, retriedBy: 1 },
    { tool: "rec.delete", args: again, result: { ok: true } },
  ];
  return keptCalls({ id: "run", calls }).kept;
}

test.each<readonly [string, JsonObject, string, JsonObject]>([
  ["the same call", { id: "R-1" }, "timed out", { id: "R-1" }],
  ["a corrected value", { id: "R-1" }, "no such record", { id: "R-2" }],
  [
    "an argument that the error asks for",
    { id: "R-1" },
    "record_type is required",
    { id: "R-1", record_type: "a" },
  ],
  ["an argument that was refused", { id: "R-1", x: 1 }, "unknown argument", { id: "R-1" }],
])("%s is the failed call again, and only the second is made", (_, args, error, again) => {
  expect(kept(args, error, again)).toEqual([1]);
});

test.each<readonly [string, JsonObject]>([
  ["record is locked", { id: "R-1", force: true }],
  ["409 conflict: still referenced", { id: "R-1", cascade: true }],
  ["quota exceeded", { id: "R-1", override: "admin" }],
])("after %j a call with %j is another one, which only the failure called for", (error, again) => {
  expect(kept({ id: "R-1" }, error, again)).toEqual([0, 1]);
});

describe("a call of a form of which its tool took none", () => {
  const calls = (args: JsonObject, error: string, again: JsonObject): readonly number[] =>
    keptCalls({
      id: "run",
      calls: [
        { tool: "desk.file", args, result: null, error },
        { tool: "desk.file", args: again, result: { id: "F-1" } },
      ],
    }).kept;
  const NOT_FOUND = '{"status":404,"message":"Could not find page with ID F-2001"}';

  test.each<readonly [string, JsonObject, string, JsonObject]>([
    [
      "one whose form the error names",
      { rows: [{ row: {} }] },
      "400 body failed validation: rows[0].row.cells should be defined",
      { rows: [{ row: { cells: [] } }], at: 3 },
    ],
    [
      "one with another type",
      { icon: "round" },
      '[{"code":"invalid_type","expected":"object","path":["icon"]}]',
      { icon: { shape: "round" } },
    ],
    [
      "one that named the same by another name",
      { parent: { page: "F-2001" }, words: "Winter" },
      NOT_FOUND,
      { parent: { folder: "F-2001" }, words: "Winter" },
    ],
  ])("is left out, where one of another was taken: %s", (_, args, error, again) => {
    expect(calls(args, error, again)).toEqual([1]);
  });

  test.each<readonly [string, JsonObject, string, JsonObject]>([
    ["the same form", { page: "F-2001" }, "page should be a string of digits", { page: "F-2002" }],
    ["something more", { page: "F-2001" }, NOT_FOUND, { page: "F-2001", create: true }],
    ["other things", { page: "F-2001" }, NOT_FOUND, { folder: "F-3001" }],
    [
      "what the world allows",
      { order: "O-1001", full: true },
      "422 invalid: partly used",
      { order: "O-1001", sum: 30 },
    ],
    ["what is uncertain", { page: "F-2001" }, "504 gateway timed out", { folder: "F-2001" }],
  ])("stays, where the later call has %s", (_, args, error, again) => {
    expect(calls(args, error, again)).toEqual([0, 1]);
  });

  test("stays, where no other was taken, and where one of its form was", () => {
    const refused = {
      tool: "desk.file",
      args: { icon: "round" },
      result: null,
      error: "icon should be an object",
    };
    const of = (...args: readonly JsonObject[]) =>
      keptCalls({
        id: "run",
        calls: [refused, ...args.map((each) => ({ tool: "desk.file", args: each, result: {} }))],
      }).kept;
    expect(of()).toEqual([0]);
    expect(of({ icon: {} }, { icon: "square" })).toEqual([0, 1, 2]);
    expect(of({ icon: {} })).toEqual([1]);
  });
});

test("a call that was refused for its form, and of which other tools have done all that it named, is not made", () => {
  const refused = {
    tool: "docs.update_block",
    args: { block_id: "B-2001", type: { heading: { text: "Road map" } } },
    result: null,
    error: "400 body failed validation: body.heading should be defined, instead was undefined",
  };
  const done = [
    { tool: "docs.delete_block", args: { block_id: "B-2001" }, result: {} },
    { tool: "docs.add_block", args: { heading: "Road map" }, result: { id: "B-2002" } },
  ];
  expect(keptCalls({ id: "run", calls: [refused, ...done] }).kept).toEqual([1, 2]);
  // What it was for may be left undone, and what is not there may be there in another world.
  expect(keptCalls({ id: "run", calls: [refused, ...done.slice(0, 1)] }).kept).toEqual([0, 1]);
  const missing = { ...refused, error: "404 Could not find the block B-2001" };
  expect(keptCalls({ id: "run", calls: [missing, ...done] }).kept).toEqual([0, 1, 2]);
});
