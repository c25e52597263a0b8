import { hash } from "node:crypto";
import type { Json, JsonObject } from "../../core/json/json.ts";
import type { Trace, TraceEvent, TraceFile } from "../../core/trace-event.ts";
import { type EventNode, eventTree } from "./event-tree.ts";

/**
 * A run as one trace of OTLP/JSON, with the conventions for generative AI and for MCP
 * (https://github.com/open-telemetry/semantic-conventions-genai). What these have no name for is named `repertoire.*`.
 */
export function otlpTrace(trace: Trace): Json {
  const writer = new SpanWriter(trace);
  const spans = eventTree(trace).flatMap((node) => writer.spans(node, undefined));
  const resource = { attributes: attributes({ "service.name": "repertoire" }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "repertoire" }, spans }] }] };
}

class SpanWriter {
  readonly #trace: Trace;
  readonly #traceId: string;
  readonly #ids: ReadonlySet<string>;
  readonly #files: ReadonlyMap<string, readonly TraceFile[]>;
  readonly #model: Json | undefined;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#traceId = digest(trace.runId, 32);
    this.#ids = new Set(trace.events.map(({ id }) => id));
    this.#files = Map.groupBy(trace.files, ({ eventId }) => eventId);
    this.#model = trace.events.find(({ parentEventId }) => parentEventId === undefined)?.meta?.["model"];
  }

  /** The span of an event and those within it. A file that was made is told with the span that made it. */
  spans({ event, children }: EventNode, parentId: string | undefined): readonly JsonObject[] {
    const spanId = digest(event.id, 16);
    const isMade = ({ event: { eventType } }: EventNode): boolean => eventType === "file_gen";
    const inner = children.filter((node) => !isMade(node)).flatMap((node) => this.spans(node, spanId));
    const made = [event, ...children.filter(isMade).map((node) => node.event)];
    const { name, kind, facts } = this.#about(event);
    return [
      {
        traceId: this.#traceId,
        spanId,
        ...(parentId === undefined ? {} : { parentSpanId: parentId }),
        name,
        kind,
        startTimeUnixNano: nanoseconds(event.timestamp),
        endTimeUnixNano: nanoseconds(endOf({ event, children })),
        attributes: attributes({
          ...facts,
          ...this.#common(event),
          ...(parentId === undefined ? this.#run() : {}),
        }),
        events: made.flatMap(({ id, timestamp }) =>
          (this.#files.get(id) ?? []).map((file) => fileEvent(file, timestamp)),
        ),
        links: this.#links(event),
        status: statusOf(event),
      },
      ...inner,
    ];
  }

  #about(event: TraceEvent): SpanFacts {
    const { eventType, eventSubtype, agentName = "", inputs, outputs } = event;
    switch (eventType) {
      case "agent_call":
        return eventSubtype === "message" ? this.#message(event) : agentSpan(event);
      case "handoff":
        return {
          name: `handoff ${agentName}`,
          kind: INTERNAL,
          facts: { "gen_ai.agent.name": fromOf(inputs) },
        };
      case "file_gen":
        return { name: `file ${pathOf(outputs)}`, kind: INTERNAL, facts: { "file.path": pathOf(outputs) } };
      case "error":
        return { name: `error ${agentName}`, kind: INTERNAL, facts: { "gen_ai.agent.name": agentName } };
      case "skill_call":
      case "code_exec":
      case "tool_call":
        return this.#call(event);
    }
  }

  #call(event: TraceEvent): SpanFacts {
    const { eventType, agentName = "", inputs, outputs, skillDigest, status, id } = event;
    const { source } = this.#trace;
    // What skills and clients call through us is a call of MCP; of a transcript nobody knows.
    const isMcp = eventType !== "skill_call" && source !== "import";
    const call = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": agentName,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.call.arguments": inputs === undefined ? undefined : JSON.stringify(inputs),
      "gen_ai.tool.call.result": status === "completed" ? outputs : undefined,
      ...(eventType === "skill_call"
        ? { "repertoire.skill.name": agentName, "repertoire.skill.version": skillDigest }
        : {}),
      ...(isMcp ? { "mcp.method.name": "tools/call", "mcp.session.id": this.#trace.sessionId } : {}),
    };
    return isMcp
      ? { name: `tools/call ${agentName}`, kind: source === "server" ? SERVER : CLIENT, facts: call }
      : { name: `execute_tool ${agentName}`, kind: INTERNAL, facts: call };
  }

  #message({ agentName = "", outputs }: TraceEvent): SpanFacts {
    const parts = [{ type: "text", content: outputs ?? "" }];
    return {
      name: "chat",
      kind: CLIENT,
      facts: {
        "gen_ai.operation.name": "chat",
        "gen_ai.agent.name": agentName,
        "gen_ai.request.model": this.#model,
        "gen_ai.output.messages":
          outputs === undefined ? undefined : JSON.stringify([{ role: "assistant", parts }]),
      },
    };
  }

  #common(event: TraceEvent): Attributes {
    const { eventType, eventSubtype, status, errorCode, callPath, inputTokens, outputTokens, cost } = event;
    return {
      "error.type":
        status === "failed" ? (errorCode ?? "tool_error") : status === "cancelled" ? "cancelled" : undefined,
      "gen_ai.usage.input_tokens": inputTokens,
      "gen_ai.usage.output_tokens": outputTokens,
      "repertoire.cost": cost,
      "repertoire.event.id": event.id,
      "repertoire.event.type": eventType,
      "repertoire.event.subtype": eventSubtype,
      "repertoire.event.status": status,
      // Read as texts, they stand in their order.
      "repertoire.event.order": String(event.executionOrder).padStart(9, "0"),
      "repertoire.call.path": callPath,
      "repertoire.node.id": event.nodeId,
      "repertoire.step.id": event.stepId,
    };
  }

  #run(): Attributes {
    const { runId, sessionId, source, task, lost } = this.#trace;
    const parts = [{ type: "text", content: task ?? "" }];
    return {
      "gen_ai.conversation.id": sessionId,
      "gen_ai.input.messages": task === undefined ? undefined : JSON.stringify([{ role: "user", parts }]),
      "repertoire.run.id": runId,
      "repertoire.run.source": source,
      "repertoire.run.lost_events": lost,
    };
  }

  /** The failed call that this one tries again, where it is in this trace. */
  #links({ meta }: TraceEvent): Json {
    const retried = meta?.["retryOf"];
    if (typeof retried !== "string" || !this.#ids.has(retried)) return [];
    const spanId = digest(retried, 16);
    return [{ traceId: this.#traceId, spanId, attributes: attributes({ "repertoire.link": "retry_of" }) }];
  }
}

interface SpanFacts {
  readonly name: string;
  readonly kind: number;
  readonly facts: Attributes;
}

type Attributes = Readonly<Record<string, Json | undefined>>;

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];

function agentSpan({ eventSubtype, agentName = "", inputs, outputs }: TraceEvent): SpanFacts {
  const isRoot = eventSubtype === "transcript";
  return {
    name: agentName === "" || isRoot ? "invoke_agent" : `invoke_agent ${agentName}`,
    kind: INTERNAL,
    facts: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": isRoot ? undefined : agentName,
      "gen_ai.tool.call.arguments": isRoot || inputs === undefined ? undefined : JSON.stringify(inputs),
      "gen_ai.tool.call.result": isRoot ? undefined : outputs,
    },
  };
}

/** When an event and all within it have ended. */
function endOf({ event, children }: EventNode): number {
  const own = event.timestamp + (event.durationMs ?? 0);
  return children
    .filter(({ event: { eventType } }) => eventType !== "file_gen")
    .reduce((latest, child) => Math.max(latest, endOf(child)), own);
}

function statusOf({ status, errorMessage }: TraceEvent): Json {
  switch (status) {
    case "failed":
      return { code: 2, message: errorMessage ?? "" };
    case "cancelled":
      return { code: 2, message: errorMessage ?? "cancelled" };
    case "completed":
    case "running":
      return {};
  }
}

function fileEvent({ path, size, sha256, foundBy }: TraceFile, timestamp: number): Json {
  return {
    timeUnixNano: nanoseconds(timestamp),
    name: "repertoire.file",
    attributes: attributes({
      "file.path": path,
      "file.size": size,
      "repertoire.file.sha256": sha256,
      "repertoire.file.found_by": foundBy,
    }),
  };
}

function fromOf(inputs: Json | undefined): string | undefined {
  const from = typeof inputs === "object" && inputs !== null && "from" in inputs ? inputs["from"] : undefined;
  return typeof from === "string" ? from : undefined;
}

function pathOf(outputs: Json | undefined): string {
  const path = typeof outputs === "object" && outputs !== null && "path" in outputs ? outputs["path"] : "";
  return typeof path === "string" ? path : "";
}

function attributes(values: Attributes): Json {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: Json): Json {
  if (value === null) return {};
  if (typeof value === "boolean") return { boolValue: value };
  // 64-bit integers are texts in OTLP/JSON.
  if (typeof value === "number")
    return Number.isSafeInteger(value) && !Object.is(value, -0)
      ? { intValue: String(value) }
      : { doubleValue: value };
  return { stringValue: (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed() };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.max(0, Math.round(ms * 1000))) * 1000n);
}

/** An id of so many hexadecimal digits: the same for the same text, another for another. */
function digest(text: string, length: number): string {
  return hash("sha256", text).slice(0, length);
}
