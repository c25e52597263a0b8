import type { Json, JsonObject } from "../../core/json/json.ts";
import type { Trace, TraceEvent } from "../../core/trace-event.ts";

/** `jsonl`: the plain shape, a trace a line; `chat`: OpenAI's chat messages, a conversation a line; `otlp`: OTLP/JSON, a trace a line. */
export type ExportFormat = "jsonl" | "chat" | "otlp";

/** Writes traces in a format that `importTraces` reads: what is imported again has the same calls. */
export function exportTraces(traces: readonly Trace[], format: ExportFormat): string {
  return traces.map((trace) => `${JSON.stringify(exported(trace, format))}\n`).join("");
}

function exported(trace: Trace, format: ExportFormat): Json {
  switch (format) {
    case "jsonl":
      return plain(trace);
    case "chat":
      return chat(trace);
    case "otlp":
      return otlp(trace);
  }
}

/** What was called; a sub-agent is a call of its own, its calls stand behind it. */
function callsOf({ events }: Trace): readonly TraceEvent[] {
  return events.filter(({ eventType, eventSubtype, parentEventId }) =>
    eventType === "agent_call"
      ? parentEventId !== undefined && eventSubtype !== "message"
      : eventType === "tool_call" || eventType === "skill_call" || eventType === "code_exec",
  );
}

function plain(trace: Trace): Json {
  const { runId, sessionId, task } = trace;
  return {
    id: runId,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(task === undefined ? {} : { task }),
    calls: callsOf(trace).map(plainCall),
  };
}

function plainCall(call: TraceEvent): Json {
  const outcome = call.status === "running" ? {} : { result: call.outputs ?? null, error: errorOf(call) };
  const timestamp = new Date(call.timestamp).toISOString();
  return { tool: call.agentName ?? "", args: call.inputs ?? {}, timestamp, ...outcome };
}

function errorOf({ status, errorMessage }: TraceEvent): Json {
  return status === "failed" ? (errorMessage ?? true) : false;
}

function chat(trace: Trace): Json {
  const messages: JsonObject[] = trace.task === undefined ? [] : [{ role: "user", content: trace.task }];
  callsOf(trace).forEach((call, index) => {
    const id = `call_${index}`;
    const made = { name: call.agentName ?? "", arguments: JSON.stringify(call.inputs ?? {}) };
    messages.push({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: made }],
    });
    if (call.status !== "running")
      messages.push({ role: "tool", tool_call_id: id, content: contentOf(call) });
  });
  return { id: trace.runId, messages };
}

// The format marks no failure: it is told as tools tell it.
function contentOf(call: TraceEvent): string {
  const { outputs = null } = call;
  const said = typeof outputs === "string" && !/^\s*["[{]/.test(outputs) ? outputs : JSON.stringify(outputs);
  if (call.status !== "failed") return said;
  return /^\s*error\b\s*[:(-]/i.test(said) ? said : `Error: ${call.errorMessage ?? said}`;
}

function otlp(trace: Trace): Json {
  const traceId = hex(trace.runId, 32);
  const calls = callsOf(trace).map((call, index) => callSpan(call, index, traceId));
  const root = {
    traceId,
    spanId: ROOT,
    parentSpanId: "",
    name: "invoke_agent",
    kind: 1,
    startTimeUnixNano: nanoseconds(trace.startedAt),
    endTimeUnixNano: nanoseconds(trace.startedAt),
    attributes: attributes({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": trace.sessionId,
      "gen_ai.input.messages":
        trace.task === undefined
          ? undefined
          : JSON.stringify([{ role: "user", parts: [{ type: "text", content: trace.task }] }]),
    }),
    status: {},
  };
  const scope = { name: "repertoire" };
  return {
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope, spans: [root, ...calls] }] }],
  };
}

const ROOT = "ffffffffffffffff";

function callSpan(call: TraceEvent, index: number, traceId: string): Json {
  return {
    traceId,
    spanId: (index + 1).toString(16).padStart(16, "0"),
    parentSpanId: ROOT,
    name: `execute_tool ${call.agentName ?? ""}`,
    kind: 1,
    startTimeUnixNano: nanoseconds(call.timestamp),
    endTimeUnixNano: nanoseconds(call.timestamp + (call.durationMs ?? 0)),
    attributes: attributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.agentName ?? "",
      "gen_ai.tool.call.arguments": call.inputs === undefined ? undefined : JSON.stringify(call.inputs),
      "gen_ai.tool.call.result": call.outputs,
      "error.type": call.status === "failed" ? "tool_error" : undefined,
    }),
    status: call.status === "failed" ? { code: 2, message: call.errorMessage ?? "" } : {},
  };
}

function attributes(values: Readonly<Record<string, Json | undefined>>): Json {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: Json): Json {
  if (value === null) return {};
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { doubleValue: value };
  return {
    stringValue: typeof value === "string" && !/^\s*["[{]/.test(value) ? value : JSON.stringify(value),
  };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.max(0, Math.round(ms * 1000))) * 1000n);
}

/** An id of hexadecimal digits, the same for the same text. */
function hex(id: string, length: number): string {
  return Buffer.from(id).toString("hex").slice(-length).padStart(length, "0");
}
