import { expect, test } from "vitest";
import { type ErrorCode, failure } from "../../src/core/error.ts";
import { failureAnswer } from "../../src/server/tools/tool-answer.ts";
import { textOf } from "./connected-client.ts";

const SCHEMA = { type: "object", properties: { a: { type: "string" } } };
const ARGUMENTS = "Mend the arguments and call again.";
const CODE = "The skill's code must be mended; other arguments may not help.";
const TIME = "A smaller input may end in time.";

test.each<[ErrorCode, string | undefined, readonly string[]]>([
  ["INPUT_INVALID", undefined, [ARGUMENTS, `The input schema is ${JSON.stringify(SCHEMA)}`]],
  ["INPUT_INVALID", "0", [ARGUMENTS, `The input schema is ${JSON.stringify(SCHEMA)}`]],
  // Whoever called cannot mend what a skill hands to another, but for its size.
  ["INPUT_INVALID", "0.1", [CODE]],
  ["OUTPUT_INVALID", "0.1", [CODE]],
  ["SKILL_TIMED_OUT", "0", [TIME]],
  ["SKILL_TIMED_OUT", "0.1.2", [TIME]],
  ["CIRCULAR_CALL", "0", [CODE]],
  ["SKILL_THREW", "0", []],
  ["SKILL_THREW", "0.1", []],
])("of %s at call %s is said what may help", (code, callPath, advice) => {
  const place = callPath === undefined ? {} : { callPath };
  const answer = failureAnswer(failure(code, "It went wrong", place), SCHEMA);
  expect(textOf(answer).split("\n")).toEqual([`${code}: It went wrong`, ...advice]);
  expect(answer.isError).toBe(true);
});
