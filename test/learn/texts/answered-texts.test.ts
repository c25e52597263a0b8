import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { withTextsAsAnswered } from "../../../src/learn/texts/answered-texts.ts";

/** What the last of the calls has, after answers to earlier ones. */
function argsAfter(answers: readonly Json[], args: JsonObject, task?: string): JsonObject | undefined {
  const calls = [
    ...answers.map((result) => ({ tool: "shop.list", args: {}, result })),
    { tool: "shop.note", args, result: null },
  ];
  return withTextsAsAnswered(calls, task).at(-1)?.args;
}

test.each<readonly [string, string, string]>([
  ["quotation marks", "Rikuro’s Main Branch", "Rikuro's Main Branch"],
  ["spaces", "11\u202fAM–8\u00a0PM, cash only", "11 AM–8 PM, cash only"],
  ["dashes", "open Mo–Fr", "open Mo-Fr"],
])("what was copied with other %s is what was answered", (_, answered, copied) => {
  const answers = [{ shops: [{ name: answered }] }];
  expect(argsAfter(answers, { at: [{ words: copied }], n: 1 })).toEqual({ at: [{ words: answered }], n: 1 });
});

test.each<readonly [string, readonly Json[], string]>([
  ["an answer has as well", [["Balzac’s"], ["Balzac's"]], "Balzac's"],
  ["two answers write otherwise", [["Mo–Fr 8–9"], ["Mo—Fr 8–9"]], "Mo-Fr 8-9"],
  ["has another word", [["Rikuro’s Main Branch"]], "Rikuro's Branch"],
  ["is a part of an answer", [["Rikuro’s Main Branch"]], "Rikuro's"],
])("what %s stays as it was called", (_, answers, words) => {
  expect(argsAfter(answers, { words })).toEqual({ words });
});

test.each(["Write the phone with plain dashes", "Normalize the names", "Put the quotes in straight"])(
  "where the task is about such signs, what was copied stays as it was called: %s",
  (task) => {
    expect(argsAfter([["555–1234"]], { phone: "555-1234" }, task)).toEqual({ phone: "555-1234" });
  },
);
