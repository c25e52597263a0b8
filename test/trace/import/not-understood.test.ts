import { expect, test } from "vitest";
import type { ImportItem } from "../../../src/trace/import/import-traces.ts";
import { importTraces } from "../../../src/trace/import/import-traces.ts";

async function skippedOf(
  content: string,
): Promise<{ readonly traces: number; readonly told: readonly string[] }> {
  const items: ImportItem[] = [];
  for await (const item of importTraces([Buffer.from(content)])) items.push(item);
  return {
    traces: items.filter(({ kind }) => kind === "trace").length,
    told: items.flatMap((item) =>
      item.kind === "skipped" ? `${item.count} × ${item.reason} at ${item.places[0] ?? ""}` : [],
    ),
  };
}

const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

const span = (spanId: string, parentSpanId: string, name: string, attributes: object[] = []): object => ({
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId,
  parentSpanId,
  name,
  startTimeUnixNano: "1767607200000000000",
  endTimeUnixNano: "1767607201000000000",
  attributes,
});
const spans = (...all: readonly object[]): string =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] });

test.each([
  [
    "spans of which none is known",
    spans(span("1", "", "work"), span("2", "1", "step.one"), span("3", "1", "step.two")),
    { traces: 0, told: ["3 × not-understood at line 1, spans 1: work"] },
  ],
  [
    "spans of which one is known",
    spans(span("1", "", "http"), span("2", "1", "execute_tool look"), span("3", "1", "db.query")),
    {
      traces: 1,
      told: ["1 × not-extractable at line 1, spans 2", "1 × not-understood at line 1, spans 3: db.query"],
    },
  ],
  [
    "items of an unknown type",
    JSON.stringify([
      { type: "function_call", call_id: "a", name: "look", arguments: "{}" },
      { type: "hologram_call", id: "b" },
      { type: "hologram_call", id: "c" },
    ]),
    { traces: 1, told: ["2 × not-understood at line 1, element 2: hologram_call"] },
  ],
  [
    "lines of an unknown type in a session",
    lines(
      { type: "user", uuid: "1", sessionId: "s", message: { role: "user", content: "Go." } },
      { type: "telepathy", sessionId: "s", thought: "x" },
    ),
    { traces: 1, told: ["1 × not-understood at line 2: telepathy"] },
  ],
  [
    "a session without a message",
    lines({ type: "summary", summary: "x", leafUuid: "1" }),
    { traces: 0, told: ["1 × nothing at line 1"] },
  ],
  [
    "a conversation of instructions alone",
    JSON.stringify({ messages: [{ role: "system", content: "Be good." }] }),
    { traces: 0, told: ["1 × nothing at line 1"] },
  ],
  ["an empty list", "[]", { traces: 0, told: ["1 × nothing at line 1"] }],
  ["an empty conversation", `{"messages": []}`, { traces: 0, told: ["1 × nothing at line 1"] }],
  ["an empty file", "", { traces: 0, told: ["1 × nothing at line 1"] }],
  [
    "a log of an MCP server without a call",
    lines({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    { traces: 0, told: ["1 × nothing at line 1"] },
  ],
  ["an object of no format", `{"hello": "world"}`, { traces: 0, told: ["1 × unknown-format at line 1"] }],
])("%s: what was not used is told", async (_, content, told) => {
  expect(await skippedOf(content)).toEqual(told);
});
