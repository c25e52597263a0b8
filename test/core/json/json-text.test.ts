import { expect, test } from "vitest";
import * as fc from "fast-check";
import { parseJson } from "../../../src/core/json/parse-json.ts";

test.each([
  ['{"a": x}', 1, 7, "names and texts stand in double quotes"],
  ["{'a': 1}", 1, 2, "names and texts stand in double quotes"],
  ['{"a": 1,}', 1, 9, "a name in double quotes is expected"],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "a comma is expected"],
  ['{"a" 1}', 1, 6, "a colon is expected"],
  ["[1, 2", 1, 6, "a closing ] is missing"],
  ['{"a": "b', 1, 7, "a closing quote is missing"],
  ['{"a": 1}\n}', 2, 1, "there is more behind the end of the value"],
  ["# hello", 1, 1, "names and texts stand in double quotes"],
  ["", 1, 1, "there is nothing"],
  ["[".repeat(100_000), 1, 1, "it is nested too deeply"],
])("%j is wrong at %i:%i", (text, line, column, message) => {
  expect(parseJson(text)).toEqual({
    ok: false,
    error: { line, column, message: expect.stringContaining(message) as string },
  });
});

test("what JSON.parse takes is taken, and all else has a place inside the text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.json().map((text) => text.replace(/[,:}\]"]/, "")),
        fc.string(),
      ),
      (text) => {
        const parsed = parseJson(text);
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(parsed.ok).toBe(false);
          if (parsed.ok) return;
          const { line, column } = parsed.error;
          const lines = text.split("\n");
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
          return;
        }
        expect(parsed).toEqual({ ok: true, value });
      },
    ),
  );
});
