import { expect, test } from "vitest";
import fc from "fast-check";
import { skillCode } from "../../../src/learn/codegen/skill-code.ts";
import type { Plan } from "../../../src/learn/plan/plan.ts";
import { textPart } from "../../../src/learn/plan/text-part.ts";
import { replay } from "../../../src/learn/verify/replay.ts";
import { skillSet } from "../../runner/skill-set.ts";
import { traceOf } from "../reuse/sandbox.ts";
import { runner } from "../../shared-threads.ts";

test.each([
  ["Orders: A-1 (pending)", "Orders: ", " (", "A-1"],
  ["Your order: W123. Thanks", "order: ", ".", "W123"],
  ["total: 80\ncount: 3", "total: ", "\n", "80"],
  [`{"id": "P-7", "parent": "P-8"}`, `"id": "`, `"`, "P-7"],
  ["see A-1, again A-1", "see ", ",", "A-1"],
  ["ref 2026-03-01 10 pieces", "ref ", " ", "2026-03-01"],
])("%j has one part of the form", (text, after, before, part) => {
  expect(textPart(text, after, before)).toBe(part);
});

test.each([
  ["a list", "Orders: A-1 (pending), B-2 (shipped)", "Orders: ", " ("],
  ["a list in other words", "Open tickets are T100; T200; T300.", "are ", ";"],
  ["lines", "id: A-1\nid: B-2", "id: ", "\n"],
  ["a sentence", "Paid 80 of 120 by card", "Paid ", " "],
  ["two addresses", "from ann@example.org to bob@example.org", "from ", " "],
  ["a text that has the mark twice", "From: a7@x.example\nFwd:\nFrom: bo@y.example\n", "From: ", "\n"],
  ["a longer word", "Not-From: spam\nfrom: olga", "From: ", "\n"],
  ["ids in other forms", "see ZX1, or ZX-2, or 77", "see ", ","],
  ["names with and without digits", "to olga7@x.example, cc bo@y.example", "to ", ","],
  ["no such mark", "Orders: A-1", "Tickets: ", ""],
])("a place in %s does not tell which is meant", (_, text, after, before) => {
  expect(textPart(text, after, before)).toBeUndefined();
});

test("printed code takes the same part, or stops", async () => {
  const word = fc.constantFrom(
    "A-1",
    "B-2",
    "80",
    "total",
    "id",
    ":",
    "=",
    " ",
    "\n",
    ", ",
    '"',
    "(x)",
    "a+b",
  );
  const text = fc.array(word, { maxLength: 9 }).map((words) => words.join(""));
  const mark = fc.constantFrom("", ": ", "total: ", "id=", ", ", " ", "\n", '"');
  await fc.assert(
    fc.asyncProperty(text, mark, mark, async (content, after, before) => {
      const plan: Plan = {
        version: 1,
        name: "d",
        params: [],
        steps: [{ kind: "call", name: "page", tool: "t.read", args: { kind: "object", fields: [] } }],
        output: {
          value: {
            kind: "part",
            of: { kind: "field", of: { kind: "ref", name: "page" }, path: ["text"] },
            after,
            before,
          },
          schema: {},
        },
      };
      const trace = traceOf("t", "", ["t.read", {}, { text: content }]);
      const skills = skillSet({ d: skillCode(plan) });
      const { output, difference } = await replay({ runner, skills, name: "d" }, trace, { input: {} });
      const part = textPart(content, after, before);
      if (part === undefined) expect(difference).toMatchObject({ kind: "failed" });
      else expect(output).toBe(part);
    }),
    { numRuns: 150 },
  );
});
