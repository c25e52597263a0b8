import { expect, test } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import type { Trace, TraceEvent } from "../../src/core/trace-event.ts";
import { recordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { importTraces } from "../../src/trace/import/import-traces.ts";

const ROWS = "[{'id': 7, 'name': 'Ada'}]";

test.each([
  ["a text block", [{ type: "text", text: `{"a": 1}` }], { a: 1 }],
  ["a result with content", { content: [{ type: "text", text: `[1]` }] }, [1]],
  [
    "structured content, rather than the text",
    { content: [{ type: "text", text: "a" }], structuredContent: { a: 2 } },
    { a: 2 },
  ],
  ["JSON that was written twice", JSON.stringify(JSON.stringify({ a: 3 })), { a: 3 }],
  [
    "a result in a text in a result",
    { content: [{ type: "text", text: JSON.stringify({ content: [{ type: "text", text: `{"a":4}` }] }) }] },
    { a: 4 },
  ],
  ["no plain text", "{not json}", "{not json}"],
  ["no text in which Python has printed rows, as the server's answer is that text", ROWS, ROWS],
  [
    "what Python has printed of a result, but for the text in it",
    `[TextContent(type='text', text="${ROWS}")]`,
    ROWS,
  ],
  [
    "no record that only looks like a result",
    { content: [{ type: "text", text: "a" }], price: 3 },
    { content: [{ type: "text", text: "a" }], price: 3 },
  ],
])("unwraps %s", (_, value: Json, inner: Json) => {
  const told = trace("import", value);
  expect(recordedTrace(told).calls[0]?.result).toEqual(inner);
});

test("what we recorded ourselves is what the tool gave, as a skill sees it", () => {
  for (const value of [`{"a": 1}`, [{ type: "text", text: "a" }], null]) {
    const own = trace("run", value);
    expect(recordedTrace(own).calls[0]?.result).toEqual(value);
  }
});

function trace(source: Trace["source"], outputs: Json): Trace {
  const event: TraceEvent = {
    id: "r:0",
    runId: "r",
    eventType: "tool_call",
    agentName: "shop.find",
    executionOrder: 0,
    status: "completed",
    timestamp: 0,
    inputs: {},
    outputs,
  };
  return { runId: "r", source, startedAt: 0, events: [event], files: [] };
}

test("gives the calls of an imported transcript, with what the user said and which call tried which again", async () => {
  const line = {
    id: "run-1",
    task: ["Find Ada", "and write to her"],
    calls: [
      { tool: "find_user", args: { name: "Ad" }, result: null, error: "nobody" },
      { tool: "find_user", args: { name: "Ada" }, result: [{ type: "text", text: `{"id": "u-1"}` }] },
      { tool: "write", args: { to: "u-1" }, result: "done" },
    ],
  };
  const traces = [];
  for await (const item of importTraces([Buffer.from(JSON.stringify(line))]))
    if (item.kind === "trace") traces.push(recordedTrace(item.trace));
  expect(traces).toEqual([
    {
      id: expect.any(String),
      task: "Find Ada\nand write to her",
      calls: [
        { tool: "find_user", args: { name: "Ad" }, result: null, error: "nobody", retriedBy: 1 },
        { tool: "find_user", args: { name: "Ada" }, result: { id: "u-1" } },
        { tool: "write", args: { to: "u-1" }, result: "done" },
      ],
    },
  ]);
});

test("an error that a transcript gives as an object keeps its code", async () => {
  const error = { code: "card_declined", message: "Your card was declined." };
  const line = JSON.stringify({ calls: [{ tool: "pay.charge", args: { amount: 5 }, error }] });
  for await (const item of importTraces([Buffer.from(line)])) {
    if (item.kind !== "trace") continue;
    const [call] = recordedTrace(item.trace).calls;
    expect(call?.error).toBe(JSON.stringify(error));
  }
  expect.assertions(1);
});
