import fc from "fast-check";
import { expect, test } from "vitest";
import { TRACE_FORMATS } from "../../../src/trace/import/format.ts";
import { callsOf, fixture, imported } from "./imported.ts";

const lineOf = (record: unknown): string => `${JSON.stringify(record)}\n`;
const plain = (args: unknown, result: unknown = "ok", tool = "x"): string =>
  lineOf({ id: "a", task: "t", calls: [{ tool, args, result, error: false }] });

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text)),
  fc.array(fc.json({ maxDepth: 3 }), { maxLength: 6 }).map((lines) => Buffer.from(lines.join("\n"))),
);
const format = fc.option(fc.constantFrom(...TRACE_FORMATS), { nil: undefined });

test("no bytes and no JSON make an import throw", async () => {
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(bytes, format, async (content, name) => {
      await expect(imported(content, name === undefined ? {} : { format: name })).resolves.toBeDefined();
    }),
    { numRuns: 400 },
  );
});

const NAMES = [
  ...[
    "role",
    "content",
    "type",
    "message",
    "uuid",
    "parentUuid",
    "sessionId",
    "tool_calls",
    "function",
    "arguments",
  ],
  ...[
    "id",
    "name",
    "tool_call_id",
    "input",
    "output",
    "traceId",
    "spanId",
    "attributes",
    "run_type",
    "run_id",
    "calls",
  ],
  ...[
    "event_type",
    "call_id",
    "params",
    "method",
    "jsonrpc",
    "result",
    "error",
    "messages",
    "tool",
    "args",
    "payload",
  ],
  ...[
    "toolUseResult",
    "tool_use_id",
    "is_error",
    "data",
    "parent_run_id",
    "startTime",
    "__proto__",
    "constructor",
  ],
];
const VALUES = [
  ...[
    "user",
    "assistant",
    "tool",
    "tool_use",
    "tool_result",
    "tool_call",
    "tools/call",
    "2.0",
    "function_call",
  ],
  ...[
    "function_call_output",
    "TOOL",
    "text",
    "progress",
    "code_exec",
    "response_item",
    "{}",
    "[",
    "a",
    "progress",
  ],
];
const likely = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...VALUES),
    fc.constantFrom(null, true, 0, -1, 1e300),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...NAMES), tie("value")), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

test("records of the right names with the wrong values make no import throw", async () => {
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(fc.array(likely, { maxLength: 5 }), format, async (records, name) => {
      const lines = records.map(lineOf).join("");
      await expect(imported(lines, name === undefined ? {} : { format: name })).resolves.toBeDefined();
    }),
    { numRuns: 600 },
  );
});

test.each([
  "openai-chat.orders.json",
  "langfuse.orders.json",
  "otlp.orders.json",
  "mcp-log.orders.jsonl",
  "claude-code.orders.jsonl",
])("%s that ends too early loses only what is cut off", async (name) => {
  const whole = fixture(name);
  const [trace] = (await imported(whole)).traces;
  const all = new Map(
    (trace ? callsOf(trace) : []).map((call) => [JSON.stringify([call.tool, call.args]), call]),
  );
  let before = 0;
  for (let end = 0; end <= whole.length; end += 61) {
    const { traces } = await imported(whole.subarray(0, end));
    const calls = traces.flatMap(callsOf);
    for (const call of calls) {
      const original = all.get(JSON.stringify([call.tool, call.args]));
      expect(original).toBeDefined();
      if (call.result !== undefined) expect(call.result).toEqual(original?.result);
    }
    // Langfuse's and OTLP's fixtures have the newest first.
    expect(calls.length).toBeGreaterThanOrEqual(before);
    before = calls.length;
  }
  expect(before).toBeGreaterThanOrEqual(all.size - 1);
});

test("a line that is broken costs that line", async () => {
  const lines = [
    plain({ a: 1 }),
    '{"id": "b", "calls": [{"tool": \n',
    plain({ a: 2 }),
    "null\n",
    "\u0000\n",
    plain({ a: 3 }),
  ];
  const { traces, skipped } = await imported(lines.join(""));
  expect(traces.flatMap(callsOf).map(({ args }) => args)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  expect(skipped).toEqual({ "not-json": 3 });
});

test("a first line that is broken costs that line", async () => {
  for (const broken of [
    '{"id": "b", "calls": [{"to\n',
    '{"id": "b",\n',
    '{"id": 1}}\n',
    "[1, 2\n",
    "id: 3\n",
  ]) {
    const { traces } = await imported(`${broken}${plain({ a: 1 })}${plain({ a: 2 })}`);
    const args = traces.flatMap(callsOf).map((call) => call.args);
    expect({ broken, args }).toEqual({ broken, args: [{ a: 1 }, { a: 2 }] });
  }
});

test("documents may follow each other, over several lines each", async () => {
  const document = (a: number): string => JSON.stringify(JSON.parse(plain({ a })), undefined, 2);
  const { traces, skipped } = await imported(`\uFEFF${document(1)}\n${document(2)}${document(3)}`);
  expect(traces.flatMap(callsOf).map(({ args }) => args)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  expect(skipped).toEqual({});
});

test("names such as __proto__ are data", async () => {
  const text =
    '{"id":"a","calls":[{"tool":"x","args":{"__proto__":{"a":1},"constructor":2},"result":"{\\"__proto__\\": 3}"}]}';
  const [trace] = (await imported(text)).traces;
  expect(JSON.stringify(trace && callsOf(trace)[0]?.args)).toBe('{"__proto__":{"a":1},"constructor":2}');
  const long = text.replace('"constructor":2', `"constructor":"${"y".repeat(100)}"`);
  const [cut] = (await imported(long, { limits: { text: 10 } })).traces;
  expect(JSON.stringify(cut && callsOf(cut)[0]?.args)).toBe(
    '{"__proto__":{"a":1},"constructor":"yyyyyyyyyy"}',
  );
  expect(({} as { a?: number }).a).toBeUndefined();
});

test("what is nested too deeply is cut or left out", async () => {
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const some = await imported(`{"id":"a","calls":[{"tool":"x","args":${deep(100)},"result":1}]}`);
  expect(some.skipped).toEqual({ cut: 1 });
  expect(some.traces).toHaveLength(1);
  const line = `{"id":"a","calls":[{"tool":"x","args":${deep(100_000)},"result":1}]}`;
  expect(await imported(`${line}\n${plain({ a: 1 })}`)).toMatchObject({
    skipped: { cut: 1 },
    traces: [{}, { task: "t" }],
  });
  const element = `[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c","content":${deep(600)}},{"role":"user","content":"ho"}]`;
  const [conversation] = (await imported(element)).traces;
  expect(conversation?.events[0]?.meta?.["turns"]).toEqual(["hi", "ho"]);
});

test("what is too large is left out, and what is around it stays", async () => {
  const limits = { valueBytes: 100_000 };
  const huge = "z".repeat(1_000_000);
  const lines = await imported(`${plain({ a: 1 })}${plain({ huge })}${plain({ a: 2 })}`, { limits });
  expect(lines.skipped).toEqual({ "too-large": 1 });
  expect(lines.traces.flatMap(callsOf).map(({ args }) => args)).toEqual([{ a: 1 }, { a: 2 }]);
  const message = (content: string): unknown => ({ role: "user", content });
  const text = JSON.stringify(
    { id: "c", messages: [message("a"), message(huge), message("b")], model: "m" },
    undefined,
    1,
  );
  const document = await imported(
    Array.from({ length: 20 }, (_, at) => Buffer.from(text.slice(at * 60_000, at * 60_000 + 60_000))),
    { limits },
  );
  expect(document.skipped).toEqual({ "too-large": 1 });
  expect(document.traces[0]?.events[0]?.meta).toMatchObject({ sourceId: "c", model: "m", turns: ["a", "b"] });
  const many = await imported(`${plain(Array.from({ length: 2000 }, () => 0))}${plain({ a: 1 })}`, {
    limits: { values: 1000 },
  });
  expect(many.skipped).toEqual({ "too-large": 1 });
});

test.each([
  ["commas", ", ".repeat(5000)],
  ["brackets", "[{".repeat(5000)],
  ["quotes and backslashes before commas", String.raw`\",`.repeat(5000)],
])("a long text with many %s is one value, and is imported", async (_, text) => {
  const { traces, skipped } = await imported(`${plain({ text })}${plain({ a: 1 })}`, {
    limits: { values: 1000 },
  });
  expect(skipped).toEqual({});
  expect(traces.flatMap(callsOf).map(({ args }) => args)).toEqual([{ text }, { a: 1 }]);
});

test("a trace with too many calls, or too long ones, keeps the first", async () => {
  const calls = Array.from({ length: 50 }, (_, a) => ({ tool: "x", args: { a }, result: "r".repeat(1000) }));
  const few = await imported(lineOf({ id: "a", calls }), { limits: { steps: 20 } });
  expect(few.traces.map((trace) => callsOf(trace).length)).toEqual([20]);
  expect(few.skipped).toEqual({ "too-many-steps": 30 });
  const small = await imported(lineOf({ id: "a", calls }), { limits: { traceSize: 10_000 } });
  expect(small.traces[0] && callsOf(small.traces[0]).length).toBeLessThan(12);
});

test("bytes that are no UTF-8 are replaced, and reported", async () => {
  const content = Buffer.concat([
    Buffer.from('{"id":"a","calls":[{"tool":"x","args":{"a":"'),
    Buffer.from([0xff, 0xc0]),
    Buffer.from('"},"result":1}]}\n'),
  ]);
  const { traces, skipped } = await imported(content);
  expect(traces.flatMap(callsOf).map(({ args }) => args)).toEqual([{ a: "\uFFFD\uFFFD" }]);
  expect(skipped).toEqual({ "not-utf8": 1 });
});

test("parents that go in circles end", async () => {
  const span = (spanId: string, parentSpanId: string): unknown => ({
    traceId: "t",
    spanId,
    parentSpanId,
    name: "execute_tool x",
    startTimeUnixNano: "1767607200000000000",
    attributes: [{ key: "gen_ai.tool.call.arguments", value: { stringValue: `{"id":"${spanId}"}` } }],
  });
  const spans = await imported(
    lineOf({ spans: [span("a", "b"), span("b", "a"), span("c", "c"), span("d", "")] }),
  );
  expect(spans.skipped["cycle"]).toBeGreaterThan(0);
  expect(spans.traces.flatMap(callsOf).map(({ args }) => args)).toContainEqual({ id: "d" });
  const line = (uuid: string, parentUuid: string): string =>
    lineOf({
      ...{ type: "assistant", uuid, parentUuid, sessionId: "s", timestamp: "2026-01-05T10:00:00Z" },
      message: {
        id: uuid,
        role: "assistant",
        content: [{ type: "tool_use", id: uuid, name: "x", input: { uuid } }],
      },
    });
  const session = await imported(line("a", "b") + line("b", "a") + line("c", "c") + line("c", "c"));
  expect(session.traces.flatMap(callsOf)).toHaveLength(3);
  expect(session.skipped).toEqual({ duplicate: 1 });
});

test("an answer without its call, and a call without a name, are reported", async () => {
  const messages = [
    { role: "tool", tool_call_id: "gone", content: "1" },
    { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { arguments: "{}" } }] },
    {
      role: "assistant",
      tool_calls: [{ id: "d", type: "function", function: { name: "x", arguments: "{broken" } }],
    },
  ];
  const { traces, skipped } = await imported(JSON.stringify(messages));
  expect(skipped).toEqual({ "no-name": 1, "no-call": 1 });
  expect(traces.flatMap(callsOf)).toEqual([{ tool: "x", args: "{broken", result: undefined, failed: false }]);
});

test("text that imitates a pattern endlessly does not slow the import", async () => {
  const started = performance.now();
  for (const text of [
    "saved to ".repeat(20_000),
    "file ".repeat(20_000),
    "```python\n".repeat(10_000),
    `open('${"a".repeat(60_000)}`,
    "> ".repeat(30_000),
    "import ".repeat(10_000),
  ])
    for (const tool of ["python", "bash", "write_file"])
      await imported(plain({ code: text, path: text }, text, tool));
  for (const text of [
    `[TextContent(text='${"\\'".repeat(200_000)}`,
    "{'a':".repeat(100_000),
    "A(".repeat(200_000),
    "a=1 ".repeat(100_000),
    `Error executing ${"a ".repeat(200_000)}`,
    "a.".repeat(200_000),
  ])
    await imported(
      JSON.stringify([
        { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "x" } }] },
        { role: "tool", tool_call_id: "c", content: text },
      ]),
    );
  await imported(
    JSON.stringify([
      { role: "user", name: "a", content: "t" },
      { role: "user", name: "b", content: "```a\n".repeat(13_000) },
    ]),
    { format: "ag2" },
  );
  expect(performance.now() - started).toBeLessThan(10_000);
});
