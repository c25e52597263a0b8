import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { exportTraces } from "../../src/trace/export/export-traces.ts";
import type { Trace } from "../../src/core/trace-event.ts";
import { runTrace } from "../../src/trace/record/run-trace.ts";
import { callsWithoutPlace } from "../../src/trace/export/export-traces.ts";
import { nestedRun } from "./nested-run.ts";
import { callsOf, FIXTURES, fixture, imported, outline, total } from "./import/imported.ts";

const tool = fc.stringMatching(/^[a-z][a-z_.]{0,12}$/);
// What a text may carry as JSON is read as JSON, so that no text here is one.
const text = fc
  .string({ maxLength: 20 })
  .filter((each) => !/^\s*["[{]|^\s*$|error|exception|failed|traceback/i.test(each));
// The JSON.parse of V8 takes a name that is only `"` for `\\` where it has met both before.
const key = fc.string({ maxLength: 8 }).filter((each) => each !== '"' && each !== "\\");
const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.oneof(leaf, fc.dictionary(key, leaf), fc.array(fc.integer(), { maxLength: 4 }));
const call = fc.record({
  tool,
  args: fc.dictionary(key, value),
  result: value,
  error: fc.constant(false),
});
const runs = fc.array(
  fc.record({ id: fc.uuid(), task: text, calls: fc.array(call, { minLength: 1, maxLength: 6 }) }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

test.each(["jsonl", "chat", "otlp", "repertoire"] as const)(
  "what is exported as %s has the same calls when it is imported",
  async (format) => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(runs, async (records) => {
        const { traces } = await imported(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
        const again = await imported(exportTraces(traces, format));
        expect(again.traces.map(callsOf)).toEqual(traces.map((trace) => callsOf(trace).map(asText(format))));
        expect(again.traces.map(({ task }) => task)).toEqual(traces.map(({ task }) => task));
      }),
      { numRuns: 100 },
    );
  },
);

// A chat's results are texts: a number or a truth value comes back as one.
function asText(format: string) {
  return (each: ReturnType<typeof callsOf>[number]): ReturnType<typeof callsOf>[number] =>
    format === "chat" &&
    (each.result === null || typeof each.result === "number" || typeof each.result === "boolean")
      ? { ...each, result: String(each.result) }
      : each;
}

test.each(["jsonl", "chat", "otlp", "repertoire"] as const)(
  "failures and calls without an answer survive as %s",
  async (format) => {
    const { traces } = await imported(
      Buffer.concat([fixture("openai-chat.finetune.jsonl"), fixture("plain-calls.orders.jsonl")]),
    );
    const again = await imported(exportTraces(traces, format));
    const outcome = ({ tool: name, args, failed }: ReturnType<typeof callsOf>[number]): unknown => [
      name,
      args,
      failed,
    ];
    expect(again.traces.map((trace) => callsOf(trace).map(outcome))).toEqual(
      traces.map((trace) => callsOf(trace).map(outcome)),
    );
  },
);

const run = runTrace(nestedRun("r-1"), { sessionId: "s-1" });

test("what skills and agents call within a call stands within it in plain calls", async () => {
  const [trace] = (await imported(exportTraces([run], "jsonl"))).traces;
  if (!trace) throw new Error("no trace");
  expect(outline(trace)).toEqual([
    "agent_call/transcript plain-calls",
    "  tool_call report cancelled",
    "    tool_call collect",
    "      tool_call shop.get_order failed",
    "      tool_call/retry shop.get_order",
    "      tool_call files.write_file",
    "        file_gen/created files.write_file",
    "    tool_call mail.send cancelled",
  ]);
  const { traces } = await imported(fixture("claude-code.branches.jsonl"));
  const again = await imported(exportTraces(traces, "jsonl"));
  const calls = (each: (typeof traces)[number]): readonly string[] =>
    outline(each).filter((line) => /_call |_exec|subagent/.test(line) && !line.includes("transcript"));
  expect(again.traces.map(calls)).toEqual(traces.map(calls));
});

test("a chat has what was said and what the agent called itself, and how much has no place in it is told", async () => {
  const [first] = (await imported(exportTraces([run], "chat"))).traces;
  expect(first && callsOf(first)).toMatchObject([
    { tool: "report", failed: true, result: "Error: cancelled: The run was cancelled" },
  ]);
  expect(callsWithoutPlace(run, "chat")).toBe(5);
  expect((["jsonl", "otlp", "repertoire"] as const).map((format) => callsWithoutPlace(run, format))).toEqual([
    0, 0, 0,
  ]);
  const { traces } = await imported(fixture("claude-code.branches.jsonl"));
  const [session] = traces;
  if (!session) throw new Error("no trace");
  const [again] = (await imported(exportTraces([session], "chat"))).traces;
  const said = (trace: typeof session): readonly unknown[] =>
    trace.events
      .filter(({ eventSubtype, outputs }) => eventSubtype === "message" && outputs !== undefined)
      .map(({ outputs }) => outputs);
  expect(callsWithoutPlace(session, "chat")).toBe(1);
  expect(again && callsOf(again)).toHaveLength(callsOf(session).length - 1);
  // What an agent said to the one that called it is its result.
  expect(again && said(again)).toEqual(said(session).filter((text) => text !== "It is a PNG."));
});

/** What each event is, where it stands and how it ended. */
function shape(trace: Trace): readonly string[] {
  const kinds: Partial<Record<string, string>> = { skill_call: "call", tool_call: "call", code_exec: "call" };
  const depths = new Map<string, number>();
  return trace.events.flatMap(({ id, parentEventId, eventType, eventSubtype, agentName = "", status }) => {
    const depth = (depths.get(parentEventId ?? "") ?? -1) + 1;
    depths.set(id, depth);
    if (eventType === "file_gen" || eventSubtype === "transcript") return [];
    const kind = eventSubtype === "message" ? "message" : (kinds[eventType] ?? eventType);
    return `${"  ".repeat(depth)}${kind} ${agentName} ${status}`;
  });
}

test.each(readdirSync(FIXTURES).filter((name) => !name.startsWith("repertoire.")))(
  "what is exported of %s as spans is the same tree when it is imported",
  async (name) => {
    const { traces } = await imported(fixture(name));
    const again = await imported(exportTraces(traces, "otlp"));
    const shapes = (all: readonly Trace[]): readonly (readonly string[])[] =>
      all.map(shape).filter((lines) => lines.length > 0);
    expect(shapes(again.traces)).toEqual(shapes(traces));
    const sums = (all: readonly Trace[]): readonly number[] =>
      (["inputTokens", "outputTokens", "cost"] as const).map((what) =>
        all.reduce((sum, trace) => sum + total(trace, what), 0),
      );
    expect(sums(again.traces)).toEqual(sums(traces));
  },
);

test("a run of ours is the same tree when its spans are imported", async () => {
  const [again] = (await imported(exportTraces([run], "otlp"))).traces;
  expect(again && shape(again).map((line) => line.slice(2))).toEqual(shape(run));
  const durations = ({ events }: Trace): readonly unknown[] =>
    events.filter(({ eventSubtype }) => eventSubtype !== "transcript").map(({ durationMs }) => durationMs);
  expect(again && durations(again)).toEqual(durations(run));
});

interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

function spansOf(text: string): readonly ExportedSpan[] {
  return text
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { resourceSpans } = JSON.parse(line) as {
        resourceSpans: { resource: { attributes: unknown }; scopeSpans: { spans: ExportedSpan[] }[] }[];
      };
      expect(resourceSpans[0]?.resource.attributes).toEqual([
        { key: "service.name", value: { stringValue: "repertoire" } },
      ]);
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });
}

const factsOf = ({ attributes }: ExportedSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("spans are nested as the calls were, with ids of their own, their times, and how they ended", () => {
  const spans = spansOf(exportTraces([run], "otlp"));
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  expect(
    spans.map(({ name, kind, parentSpanId, startTimeUnixNano, endTimeUnixNano, status }) => [
      name,
      kind,
      parentSpanId && names.get(parentSpanId),
      Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
      status,
    ]),
  ).toEqual([
    ["execute_tool report", 1, undefined, 90, { code: 2, message: "The run was cancelled" }],
    ["execute_tool collect", 1, "execute_tool report", 60, {}],
    ["tools/call shop.get_order", 3, "execute_tool collect", 8, { code: 2, message: "Error: 503" }],
    ["tools/call shop.get_order", 3, "execute_tool collect", 9, {}],
    ["tools/call files.write_file", 3, "execute_tool collect", 5, {}],
    ["tools/call mail.send", 3, "execute_tool report", 10, { code: 2, message: "The run was cancelled" }],
  ]);
  const [root, collect, failed, , wrote] = spans.map(factsOf);
  expect(root).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "report",
    "gen_ai.tool.type": "function",
    "gen_ai.conversation.id": "s-1",
    "repertoire.run.id": "r-1",
    "repertoire.skill.name": "report",
    "repertoire.skill.version": "d".repeat(64),
    "error.type": "cancelled",
  });
  expect(JSON.parse(String(root?.["gen_ai.tool.call.arguments"]))).toEqual(run.events[0]?.inputs);
  expect(collect).not.toHaveProperty("error.type");
  expect(failed).toMatchObject({
    "error.type": "TOOL_FAILED",
    "mcp.method.name": "tools/call",
    "mcp.session.id": "s-1",
  });
  expect(wrote?.["gen_ai.tool.call.id"]).not.toBe(failed?.["gen_ai.tool.call.id"]);
});

test("the span ids of many traces differ, and are the same whenever they are exported", async () => {
  const { traces } = await imported(fixture("claude-code.branches.jsonl"));
  const all = [run, runTrace(nestedRun("r-2")), ...traces];
  const spans = spansOf(exportTraces(all, "otlp"));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(all.length);
  for (const { traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    const parent = spans.find((each) => each.spanId === parentSpanId);
    expect(parentSpanId === undefined).toBe(parent === undefined);
    if (!parent) continue;
    expect(parent.traceId).toBe(traceId);
    expect(BigInt(parent.endTimeUnixNano) >= BigInt(endTimeUnixNano)).toBe(true);
    expect(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano)).toBe(true);
  }
  expect(exportTraces(all, "otlp")).toBe(exportTraces(all, "otlp"));
});
