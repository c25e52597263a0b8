import { expect, test } from "vitest";
import { importTraces } from "../../../src/trace/import/import-traces.ts";

async function places(text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const item of importTraces([Buffer.from(text)]))
    if (item.kind === "skipped" && item.reason === "not-json") found.push(...item.places);
  return found;
}

const WHOLE = '{"role":"user","content":"x"}';

test.each([
  ["a line without a value", `${WHOLE}\n{"role":}\n`, ["line 2, column 9: a value is expected"]],
  [
    "several lines",
    `${WHOLE}\n{"role" "user"}\n${WHOLE}\n{"a":1,}\n`,
    ["line 2, column 9: a colon is expected", "line 4, column 8: a name in double quotes is expected"],
  ],
  [
    "a document",
    '{"messages": [\n  {"role": "user",\n   "content" "x"}\n]}',
    ["line 3, column 14: a colon is expected"],
  ],
  ["a text with a line break", '[\n{"a": "x\ny"}]', ["line 2, column 7: a closing quote is missing"]],
  ["the wrong bracket", '{"a": [1, 2}\n', ["line 1, column 12: a comma is expected"]],
  ["a comment", '[\n// why\n{"a": 1}]', ["line 2, column 1: JSON has no comments"]],
  [
    "a long line",
    `${WHOLE}\n{"role": "user", "content": "${"x".repeat(300_000)}",}\n`,
    ["line 2, column 300032: Expected double-quoted property name"],
  ],
  [
    "a long document",
    `{"messages": [\n${`${WHOLE},\n`.repeat(12_000)}{"role" "user"}]}`,
    ["line 12002, column 9: Expected ':' after property name"],
  ],
  ["prose", `${WHOLE}\nand so on\n`, ["line 2"]],
])("what is no JSON is told with its place and what it lacks: %s", async (_, text, told) => {
  expect(await places(text)).toEqual(told);
});

test("of a file of broken lines the first are explained, and all are counted", async () => {
  const items = [];
  for await (const item of importTraces([Buffer.from('{"a":}\n'.repeat(5_000))])) items.push(item);
  expect(items).toMatchObject([{ kind: "skipped", reason: "not-json", count: 5_000 }]);
  expect(items[0]).toHaveProperty("places[0]", "line 1, column 6: a value is expected");
});
