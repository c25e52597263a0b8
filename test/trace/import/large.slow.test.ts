import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { type ImportItem, importTraces } from "../../../src/trace/import/import-traces.ts";
import { callsOf } from "./imported.ts";

const MB = 1 << 20;
const PAD = "lorem ipsum ".repeat(160);

interface Generated {
  readonly size: number;
  readonly opening: string;
  readonly between: string;
  readonly closing: string;
  readonly element: (index: number) => string;
}

async function* generated({
  size: most,
  opening,
  between,
  closing,
  element,
}: Generated): AsyncGenerator<Buffer> {
  let size = 0;
  let left = opening;
  for (let index = 0; size < most * MB; index++) {
    left += (index === 0 ? "" : between) + element(index);
    if (left.length < 1 << 16) continue;
    size += left.length;
    yield Buffer.from(left);
    left = "";
    await setImmediate();
  }
  yield Buffer.from(left + closing);
}

const conversation = (index: number): string =>
  JSON.stringify({
    id: `c-${index}`,
    messages: [
      { role: "user", content: `Find ${index}` },
      {
        role: "assistant",
        tool_calls: [
          { id: "c", type: "function", function: { name: "find", arguments: `{"index":${index}}` } },
        ],
      },
      { role: "tool", tool_call_id: "c", content: JSON.stringify({ index, PAD }) },
    ],
  });

const span = (index: number): string =>
  JSON.stringify({
    traceId: `trace-${Math.floor(index / 5)}`,
    spanId: `span-${index}`,
    name: "execute_tool find",
    startTimeUnixNano: `${1_767_607_200_000 + index}000000`,
    endTimeUnixNano: `${1_767_607_200_001 + index}000000`,
    attributes: [
      { key: "gen_ai.operation.name", value: { stringValue: "execute_tool" } },
      { key: "gen_ai.tool.name", value: { stringValue: "find" } },
      { key: "gen_ai.tool.call.arguments", value: { stringValue: `{"index":${index}}` } },
      { key: "gen_ai.tool.call.result", value: { stringValue: PAD } },
    ],
  });

const line = (index: number): string => {
  const isAnswer = index % 2 === 1;
  const block = isAnswer
    ? { type: "tool_result", tool_use_id: `t-${index - 1}`, content: PAD }
    : { type: "tool_use", id: `t-${index}`, name: "find", input: { index } };
  return JSON.stringify({
    type: isAnswer ? "user" : "assistant",
    uuid: `u-${index}`,
    parentUuid: index % 200 === 0 ? null : `u-${index - 1}`,
    sessionId: `session-${Math.floor(index / 200)}`,
    timestamp: new Date(1_767_607_200_000 + index).toISOString(),
    message: { id: `m-${index}`, role: isAnswer ? "user" : "assistant", content: [block] },
  });
};

const message = (index: number): string =>
  index === 0
    ? JSON.stringify({ role: "user", content: "Find all." })
    : JSON.stringify(
        index % 2 === 1
          ? {
              role: "assistant",
              tool_calls: [{ id: "c", type: "function", function: { name: "find", arguments: "{}" } }],
            }
          : { role: "tool", tool_call_id: "c", content: PAD },
      );

// Each is streamed: of what is read, no more is held than of the trace that is being read.
test.each<[string, Generated, number]>([
  [
    "lines of conversations",
    { size: 60, opening: "", between: "\n", closing: "\n", element: conversation },
    20_000,
  ],
  [
    "a list of conversations",
    { size: 25, opening: "[\n", between: ",\n", closing: "]", element: conversation },
    10_000,
  ],
  [
    "one line of spans",
    {
      size: 25,
      opening: '{"resourceSpans":[{"scopeSpans":[{"spans":[',
      between: ",",
      closing: "]}]}]}",
      element: span,
    },
    1500,
  ],
  ["lines of sessions", { size: 25, opening: "", between: "\n", closing: "\n", element: line }, 40],
])("many MB as %s are imported in little memory", async (_, content, least) => {
  const before = process.memoryUsage.rss();
  let most = before;
  let traces = 0;
  let calls = 0;
  for await (const item of importTraces(generated(content))) {
    if (item.kind !== "trace") throw new Error(JSON.stringify(item));
    most = Math.max(most, process.memoryUsage.rss());
    traces++;
    calls += callsOf(item.trace).length;
  }
  expect(traces).toBeGreaterThan(least);
  expect(calls).toBeGreaterThanOrEqual(traces);
  expect((most - before) / MB).toBeLessThan(150);
});

test("of one conversation of 60 MB the first part is kept, and the rest counted", async () => {
  const before = process.memoryUsage.rss();
  const items: ImportItem[] = [];
  for await (const item of importTraces(
    generated({ size: 60, opening: '{"messages":[', between: ",", closing: "]}", element: message }),
  ))
    items.push(item);
  expect((process.memoryUsage.rss() - before) / MB).toBeLessThan(150);
  const [trace] = items.flatMap((item) => (item.kind === "trace" ? item.trace : []));
  expect(trace && callsOf(trace).length).toBeGreaterThan(5000);
  const skipped = items.flatMap((item) => (item.kind === "skipped" ? item.reason : []));
  expect(skipped.toSorted()).toEqual(["no-call", "too-many-steps"]);
});
