import { expect, test } from "vitest";
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
