import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { filledText, list, member, number, object, objects, text, textOf } from "../reading/fields.ts";
import type { TraceFormat } from "../format.ts";
import { type Span, SpanTraces } from "./span-tree.ts";
import { judgementIn } from "../reading/judgement-in.ts";
import { unwrapped, unwrappedArguments } from "../reading/unwrap.ts";

/**
 * Spans of OpenTelemetry as OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding), a document
 * or one export a line, with the conventions for generative AI and for MCP
 * (https://github.com/open-telemetry/semantic-conventions-genai), or with those of OpenInference
 * (https://arize-ai.github.io/openinference/spec), also as Phoenix exports them.
 */
export const OTLP: TraceFormat = {
  name: "otlp",
  likeness: (record) => {
    const context = object(record["context"]);
    const hasIds = typeof record["traceId"] === "string" && typeof record["spanId"] === "string";
    if (hasIds && ("startTimeUnixNano" in record || "attributes" in record)) return 2;
    return context && "trace_id" in context && "span_id" in context ? 2 : 0;
  },
  open: (importing) => {
    const traces = importing.shared(OTLP.name, () => new SpanTraces(OTLP.name, importing));
    return { read: (record, place) => traces.add(spanOf(record, place)), close: () => undefined };
  },
};

function spanOf(record: JsonObject, place: string): Span {
  const attributes = attributesOf(record["attributes"]);
  const context = object(record["context"]);
  const status = object(record["status"]);
  const code = member(status ?? record, "code", "status_code");
  const said = filledText(status?.["message"]) ?? filledText(record["status_message"]) ?? exceptionIn(record);
  const kind = kindOf(record, attributes);
  const has = (name: string): boolean => attributes.has(name);
  const isFailed = code === 2 || code === "STATUS_CODE_ERROR" || code === "ERROR" || has("error.type");
  const at = nanoseconds(member(record, "startTimeUnixNano", "start_time"));
  return {
    id: text(record["spanId"]) ?? text(context?.["span_id"]) ?? "",
    traceId: text(record["traceId"]) ?? text(context?.["trace_id"]) ?? "",
    parentId: filledText(member(record, "parentSpanId", "parent_id")),
    sessionId: filledText(
      attributes.get("gen_ai.conversation.id") ??
        attributes.get("session.id") ??
        attributes.get("mcp.session.id"),
    ),
    kind,
    name: nameOf(record, attributes, kind),
    isFrame: attributes.get("openinference.span.kind") === "CHAIN" || record["span_kind"] === "CHAIN",
    at,
    endedAt: nanoseconds(member(record, "endTimeUnixNano", "end_time")),
    isFailed,
    judgement: evaluationIn(record),
    message: said ?? (isFailed ? filledText(attributes.get("error.type")) : undefined),
    usage: {
      inputTokens:
        kind === "model"
          ? number(attributes.get("gen_ai.usage.input_tokens") ?? attributes.get("llm.token_count.prompt"))
          : undefined,
      outputTokens:
        kind === "model"
          ? number(
              attributes.get("gen_ai.usage.output_tokens") ?? attributes.get("llm.token_count.completion"),
            )
          : undefined,
      cost: kind === "model" ? number(attributes.get("llm.cost.total")) : undefined,
    },
    ...(kind === "call" ? callOf(attributes) : { hasResult: false, ...messagesOf(attributes) }),
    model: filledText(
      attributes.get("gen_ai.response.model") ??
        attributes.get("gen_ai.request.model") ??
        attributes.get("llm.model_name"),
    ),
    callId: filledText(
      attributes.get("gen_ai.tool.call.id") ?? attributes.get("tool_call.id") ?? attributes.get("tool.id"),
    ),
    place,
  };
}

type Attributes = ReadonlyMap<string, Json>;

function kindOf(record: JsonObject, attributes: Attributes): Span["kind"] {
  const operation = attributes.get("gen_ai.operation.name");
  const name = text(record["name"]) ?? "";
  if (operation === "execute_tool" || attributes.get("mcp.method.name") === "tools/call") return "call";
  if (operation === undefined && (name.startsWith("execute_tool ") || name.startsWith("tools/call ")))
    return "call";
  if (operation === "invoke_agent") return "agent";
  if (operation === "chat" || operation === "generate_content" || operation === "text_completion")
    return "model";
  switch (text(attributes.get("openinference.span.kind") ?? record["span_kind"]) ?? "") {
    case "TOOL":
      return "call";
    case "AGENT":
      return "agent";
    case "LLM":
      return "model";
    default:
      return /^handoff\b/i.test(name) ? "handoff" : "other";
  }
}

function nameOf(record: JsonObject, attributes: Attributes, kind: Span["kind"]): string {
  const name = text(record["name"]) ?? "";
  if (kind === "call")
    return (
      filledText(attributes.get("gen_ai.tool.name") ?? attributes.get("tool.name")) ??
      name.replace(/^(?:execute_tool|tools\/call) /, "")
    );
  if (kind === "agent")
    return (
      filledText(attributes.get("gen_ai.agent.name") ?? attributes.get("agent.name")) ??
      name.replace(/^invoke_agent /, "")
    );
  return kind === "handoff" ? name.replace(/^handoff(?: to)?[: ]*/i, "") : name;
}

function callOf(attributes: Attributes): Pick<Span, "args" | "result" | "hasResult"> {
  const args =
    attributes.get("gen_ai.tool.call.arguments") ??
    attributes.get("tool_call.function.arguments") ??
    inputOf(attributes);
  const name = attributes.has("gen_ai.tool.call.result") ? "gen_ai.tool.call.result" : "output.value";
  const result = attributes.get(name);
  return { args: unwrappedArguments(args), result, hasResult: result !== undefined };
}

// OpenInference writes what a tool takes as the input of its span.
function inputOf(attributes: Attributes): Json | undefined {
  return (
    attributes.get("input.value") ??
    (attributes.has("openinference.span.kind") ? attributes.get("tool.parameters") : undefined)
  );
}

/** What the messages of a model's span tell: the task, what was said, and calls whose own spans do not hold their arguments. */
function messagesOf(attributes: Attributes): Pick<Span, "task" | "said" | "calls" | "results"> {
  const input = messageList(attributes.get("gen_ai.input.messages"));
  const output = messageList(attributes.get("gen_ai.output.messages"));
  const parts = [...input, ...output].flatMap((message) => objects(message["parts"]));
  const user = input.find((message) => message["role"] === "user");
  const inferenceTask =
    text(attributes.get("llm.input_messages.0.message.role")) === "user"
      ? attributes.get("llm.input_messages.0.message.content")
      : attributes.get("llm.input_messages.1.message.role") === "user"
        ? attributes.get("llm.input_messages.1.message.content")
        : undefined;
  return {
    task: filledText(user ? partsText(user) : inferenceTask),
    said: filledText(
      output.length > 0
        ? output.map((message) => partsText(message)).join("\n")
        : attributes.get("llm.output_messages.0.message.content"),
    ),
    calls: new Map(
      parts.flatMap((part) => {
        const id = text(part["id"]);
        const args = unwrappedArguments(part["arguments"]);
        return part["type"] === "tool_call" && id !== undefined && args !== undefined
          ? [[id, args] as const]
          : [];
      }),
    ),
    results: new Map(
      parts.flatMap((part) => {
        const id = text(part["id"]);
        const result = member(part, "response", "result");
        return part["type"] === "tool_call_response" && id !== undefined && result !== undefined
          ? [[id, result] as const]
          : [];
      }),
    ),
  };
}

function partsText(message: JsonObject): string {
  const texts = objects(message["parts"]).filter((part) => part["type"] === "text");
  return textOf(texts) ?? "";
}

function messageList(value: Json | undefined): readonly JsonObject[] {
  return objects(typeof value === "string" ? unwrapped(value) : value);
}

function exceptionIn(record: JsonObject): string | undefined {
  for (const event of objects(record["events"])) {
    const message =
      event["name"] === "exception" ? attributesOf(event["attributes"]).get("exception.message") : undefined;
    if (typeof message === "string") return message;
  }
  return undefined;
}

/** OTLP's list of attributes, or an object of them, flat or nested. */
function attributesOf(value: Json | undefined): Attributes {
  const attributes = new Map<string, Json>();
  if (isJsonObject(value)) flatten(value, "", attributes, 8);
  for (const each of list(value) ?? []) {
    const key = isJsonObject(each) ? text(each["key"]) : undefined;
    const read = isJsonObject(each) ? anyValue(each["value"], 16) : undefined;
    if (key !== undefined && read !== undefined) attributes.set(key, read);
  }
  return attributes;
}

function flatten(value: JsonObject, prefix: string, attributes: Map<string, Json>, depth: number): void {
  for (const [key, each] of Object.entries(value)) {
    if (attributes.size > 2000) return;
    const name = `${prefix}${key}`;
    attributes.set(name, each);
    if (isJsonObject(each) && depth > 0) flatten(each, `${name}.`, attributes, depth - 1);
    else if (Array.isArray(each) && depth > 0 && each.every((element) => isJsonObject(element)))
      (each as readonly JsonObject[]).forEach((element, index) =>
        flatten(element, `${name}.${index}.`, attributes, depth - 1),
      );
  }
}

function anyValue(value: Json | undefined, depth: number): Json | undefined {
  if (!isJsonObject(value) || depth === 0) return undefined;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value;
  if (arrayValue !== undefined)
    return (list(object(arrayValue)?.["values"]) ?? []).map((each) => anyValue(each, depth - 1) ?? null);
  if (kvlistValue !== undefined)
    return Object.fromEntries(
      objects(object(kvlistValue)?.["values"]).map((each) => [
        text(each["key"]) ?? "",
        anyValue(each["value"], depth - 1) ?? null,
      ]),
    );
  // 64-bit integers are texts in OTLP/JSON.
  if (intValue !== undefined) return number(intValue);
  return stringValue ?? boolValue ?? doubleValue ?? null;
}

function nanoseconds(value: Json | undefined): number | undefined {
  if (typeof value === "string" && value.includes("-")) {
    const parsed = Date.parse(value);
    return Number.isNaN(parsed) ? undefined : parsed;
  }
  const read = number(value);
  return read === undefined || read <= 0 ? undefined : read / 1e6;
}

/** What an evaluation of the span has found (`gen_ai.evaluation.result`), where it judges the whole. */
function evaluationIn(record: JsonObject): Span["judgement"] {
  const evaluations = objects(record["events"]).filter(({ name }) => name === "gen_ai.evaluation.result");
  if (evaluations.length === 0) return undefined;
  const scores = evaluations.map((event) => {
    const about = attributesOf(event["attributes"]);
    const value = about.get("gen_ai.evaluation.score.label") ?? about.get("gen_ai.evaluation.score.value");
    return { name: about.get("gen_ai.evaluation.name") ?? "", value: value ?? null };
  });
  return judgementIn({ scores });
}
