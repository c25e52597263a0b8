import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { sourceCalls } from "./source-calls.ts";
import { FIXTURES, fixture, imported } from "./imported.ts";

// Of these the calls stand in rows of other kinds, in code, or in the histories of several spans.
const UNCOUNTED = new Set(["execution-events", "openai-agents", "openai-responses.mcp.json"]);
const counted = readdirSync(FIXTURES).filter(
  (name) =>
    !UNCOUNTED.has(name) &&
    !UNCOUNTED.has(name.split(".")[0] ?? "") &&
    sourceCalls(fixture(name).toString("utf8")) !== undefined,
);

test.each(counted)("the calls of %s, counted without the importer, are those that it reads", async (name) => {
  const { traces } = await imported(fixture(name));
  const read = traces.flatMap(({ events }) =>
    events.filter(
      ({ eventType, eventSubtype }) =>
        eventType === "tool_call" || eventType === "code_exec" || eventSubtype === "subagent",
    ),
  );
  expect(sourceCalls(fixture(name).toString("utf8"))?.calls).toBe(read.length);
});

test("most formats are counted", () => {
  expect(counted.length).toBeGreaterThan(20);
});

test("what is told again is one call, and one without an answer is not paired", () => {
  const call = { id: "c1", type: "function", function: { name: "get", arguments: "{}" } };
  const messages = [
    { role: "assistant", tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "1" },
    { role: "assistant", tool_calls: [call, { ...call, id: "c2" }] },
  ];
  expect(sourceCalls(JSON.stringify({ messages }))).toEqual({ calls: 2, paired: 1 });
  expect(
    sourceCalls(JSON.stringify({ messages: [{ role: "user", content: "tool_calls" }] })),
  ).toBeUndefined();
});
