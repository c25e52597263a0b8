import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { filledText, items, label, member, number, object, objects, text } from "../reading/fields.ts";
import type { TraceFormat } from "../format.ts";
import { judgementIn } from "../reading/judgement-in.ts";
import { keywordArguments, messageList, saidIn, toldIn, userTask } from "../reading/told-calls.ts";
import { type Span, SpanTraces } from "../span-tree.ts";
import { unwrapped, unwrappedArguments } from "../reading/unwrap.ts";

/**
 * Spans of OpenTelemetry as OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding), a document
 * or one export a line, with the conventions for generative AI and for MCP
 * (https://github.com/open-telemetry/semantic-conventions-genai), of OpenInference
 * (https://arize-ai.github.io/openinference/spec), also as Phoenix exports them, of the AI SDK
 * (https://ai-sdk.dev/docs/ai-sdk-core/telemetry), of OpenLLMetry and of Langfuse's SDKs (https://langfuse.com/docs/opentelemetry).
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

/** What the conventions call the attributes that tell the same. The first that is there is taken. */
const NAMES = {
  tool: ["gen_ai.tool.name", "tool.name", "ai.toolCall.name"],
  agent: ["gen_ai.agent.name", "agent.name"],
  args: [
    ...["gen_ai.tool.call.arguments", "tool_call.function.arguments", "ai.toolCall.args"],
    ...["langfuse.observation.input", "input.value"],
  ],
  result: [
    ...["gen_ai.tool.call.result", "ai.toolCall.result", "langfuse.observation.output", "output.value"],
  ],
  callId: ["gen_ai.tool.call.id", "tool_call.id", "tool.id", "ai.toolCall.id"],
  session: [
    ...["gen_ai.conversation.id", "session.id", "langfuse.session.id", "mcp.session.id"],
    ...["ai.telemetry.metadata.sessionId"],
  ],
  model: [
    ...[
      "gen_ai.response.model",
      "gen_ai.request.model",
      "llm.model_name",
      "ai.response.model",
      "ai.model.id",
    ],
    ...["langfuse.observation.model.name"],
  ],
  inputTokens: [
    "gen_ai.usage.input_tokens",
    "llm.token_count.prompt",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
  ],
  outputTokens: [
    ...["gen_ai.usage.output_tokens", "llm.token_count.completion", "ai.usage.outputTokens"],
    ...["ai.usage.completionTokens"],
  ],
  cost: ["llm.cost.total"],
  message: ["langfuse.observation.status_message", "error.type"],
} as const;

/** What the conventions call kinds of spans. */
const KINDS: readonly {
  readonly attribute: string;
  readonly kinds: Readonly<Record<string, Span["kind"]>>;
}[] = [
  {
    attribute: "gen_ai.operation.name",
    kinds: {
      ...{ execute_tool: "call", invoke_agent: "agent" },
      ...{ chat: "model", generate_content: "model", text_completion: "model" },
    },
  },
  { attribute: "mcp.method.name", kinds: { "tools/call": "call" } },
  {
    attribute: "ai.operationId",
    kinds: {
      ...{ "ai.toolCall": "call", "ai.generateText.doGenerate": "model", "ai.streamText.doStream": "model" },
      ...{ "ai.generateObject.doGenerate": "model", "ai.streamObject.doStream": "model" },
    },
  },
  { attribute: "langfuse.observation.type", kinds: { tool: "call", agent: "agent", generation: "model" } },
  { attribute: "openinference.span.kind", kinds: { TOOL: "call", AGENT: "agent", LLM: "model" } },
];

/** Operations that stand around others, or tell of the agent itself. */
const FRAMES: ReadonlySet<string> = new Set(["execute_task", "invoke_workflow", "create_agent"]);

function spanOf(record: JsonObject, place: string): Span {
  const attributes = attributesOf(record["attributes"]);
  const context = object(record["context"]);
  const status = object(record["status"]);
  const code = member(status ?? record, "code", "status_code");
  const said = exceptionIn(record) ?? filledText(status?.["message"]) ?? filledText(record["status_message"]);
  const kind = kindOf(record, attributes);
  const isCancelled = attributes.get("error.type") === "cancelled";
  const isFailed =
    code === 2 ||
    code === "STATUS_CODE_ERROR" ||
    code === "ERROR" ||
    attributes.has("error.type") ||
    attributes.get("langfuse.observation.level") === "ERROR";
  return {
    id: text(record["spanId"]) ?? label(context?.["span_id"]),
    traceId: text(record["traceId"]) ?? label(context?.["trace_id"]),
    parentId: filledText(member(record, "parentSpanId", "parent_id")),
    sessionId: filledText(first(attributes, NAMES.session)),
    kind,
    name: nameOf(record, attributes, kind),
    isFrame:
      (attributes.get("openinference.span.kind") ?? record["span_kind"]) === "CHAIN" ||
      FRAMES.has(label(attributes.get("gen_ai.operation.name"))),
    at: nanoseconds(member(record, "startTimeUnixNano", "start_time")),
    endedAt: nanoseconds(member(record, "endTimeUnixNano", "end_time")),
    isFailed: isFailed && !isCancelled,
    isCancelled,
    judgement: evaluationIn(record),
    message: said ?? (isFailed ? filledText(first(attributes, NAMES.message)) : undefined),
    usage: kind === "model" ? usageOf(attributes) : undefined,
    ...(kind === "call" ? callOf(attributes) : { hasResult: false, ...toldOf(attributes) }),
    model: filledText(first(attributes, NAMES.model)),
    callId:
      filledText(first(attributes, NAMES.callId)) ?? (kind === "call" ? answeredCall(attributes) : undefined),
    ...exportedFacts(attributes, kind),
    place,
  };
}

/** What our own export tells besides the conventions. */
function exportedFacts(attributes: Attributes, kind: Span["kind"]): Partial<Span> {
  const type = attributes.get("repertoire.event.type");
  if (type === undefined) return {};
  const speaker = filledText(first(attributes, NAMES.agent));
  const { inputTokens, outputTokens } = usageOf(attributes) ?? {};
  return {
    ...(type === "error" ? { kind: "error", name: speaker ?? "" } : {}),
    ...(kind === "agent" ? callOf(attributes) : {}),
    isRun: attributes.get("repertoire.event.subtype") === "transcript",
    isRunning: attributes.get("repertoire.event.status") === "running",
    speaker,
    usage: { inputTokens, outputTokens, cost: number(attributes.get("repertoire.cost")) },
    order: filledText(attributes.get("repertoire.event.order")),
  };
}

type Attributes = ReadonlyMap<string, Json>;

function first(attributes: Attributes, names: readonly string[]): Json | undefined {
  const name = names.find((each) => attributes.has(each));
  return name === undefined ? undefined : attributes.get(name);
}

function parsed(value: Json | undefined): JsonObject | undefined {
  return object(typeof value === "string" ? unwrapped(value) : value);
}

function usageOf(attributes: Attributes): Span["usage"] {
  const langfuse = parsed(attributes.get("langfuse.observation.usage_details"));
  const cost = parsed(attributes.get("langfuse.observation.cost_details"));
  return {
    inputTokens: number(first(attributes, NAMES.inputTokens)) ?? number(langfuse?.["input"]),
    outputTokens: number(first(attributes, NAMES.outputTokens)) ?? number(langfuse?.["output"]),
    cost: number(first(attributes, NAMES.cost)) ?? number(cost?.["total"]),
  };
}

function kindOf(record: JsonObject, attributes: Attributes): Span["kind"] {
  const name = label(record["name"]);
  for (const { attribute, kinds } of KINDS) {
    const value = label(attributes.get(attribute));
    const kind = Object.hasOwn(kinds, value) ? kinds[value] : undefined;
    if (kind) return kind;
  }
  const phoenix = KINDS.at(-1)?.kinds[label(record["span_kind"])];
  if (phoenix) return phoenix;
  if (!attributes.has("gen_ai.operation.name") && /^(?:execute_tool|tools\/call) /.test(name)) return "call";
  return /^handoff\b/i.test(name) ? "handoff" : "other";
}

function nameOf(record: JsonObject, attributes: Attributes, kind: Span["kind"]): string {
  const name = label(record["name"]);
  if (kind === "call")
    return filledText(first(attributes, NAMES.tool)) ?? name.replace(/^(?:execute_tool|tools\/call) /, "");
  if (kind === "agent")
    return filledText(first(attributes, NAMES.agent)) ?? name.replace(/^invoke_agent /, "");
  return kind === "handoff" ? name.replace(/^handoff(?: to)?[: ]*/i, "") : name;
}

function callOf(attributes: Attributes): Pick<Span, "args" | "result" | "hasResult"> {
  // OpenInference writes what a tool takes as the input of its span.
  const inference = attributes.has("openinference.span.kind") ? attributes.get("tool.parameters") : undefined;
  const args = unwrappedArguments(first(attributes, NAMES.args) ?? inference);
  const result = first(attributes, NAMES.result);
  return {
    args: keywordArguments(callbackArguments(args)),
    result: callbackOutput(result),
    hasResult: result !== undefined,
  };
}

/** OpenLLMetry writes down all that LangChain tells its callbacks: `{input_str, inputs, tags, metadata, kwargs}`. */
function callbackArguments(args: Json | undefined): Json | undefined {
  if (!isJsonObject(args) || typeof args["input_str"] !== "string" || !isJsonObject(args["metadata"]))
    return args;
  return object(args["inputs"]) ?? unwrappedArguments(args["input_str"]);
}

/** And what the tool gave as `{output, kwargs}`. */
function callbackOutput(result: Json | undefined): Json | undefined {
  const read = parsed(result);
  const isCallback = read && Object.keys(read).length === 2 && isJsonObject(read["kwargs"]);
  return isCallback ? (read["output"] ?? result) : result;
}

/** The call that LangChain's message of a tool says that it answers. */
function answeredCall(attributes: Attributes): string | undefined {
  const output = parsed(callbackOutput(first(attributes, NAMES.result)));
  const message = object(output?.["data"]) ?? object(output?.["kwargs"]) ?? output;
  return filledText(message?.["tool_call_id"]);
}

/** What the messages of a span tell: the task, what was said, calls and their results. */
function toldOf(attributes: Attributes): Pick<Span, "task" | "said" | "told"> {
  const input = MESSAGES.flatMap(({ given }) => given(attributes));
  const output = MESSAGES.flatMap(({ answered }) => answered(attributes));
  const user = input.find((message) => message["role"] === "user");
  return {
    task: user ? saidIn(user) : taskOf(attributes),
    said: filledText(output.flatMap((message) => saidIn(message) ?? []).join("\n")),
    told: toldIn(input, output),
  };
}

/** Where each convention has the messages that a model was given, and those that it answered with. */
const MESSAGES: readonly {
  readonly given: (attributes: Attributes) => readonly JsonObject[];
  readonly answered: (attributes: Attributes) => readonly JsonObject[];
}[] = [
  {
    given: (attributes) => messageList(attributes.get("gen_ai.input.messages")),
    answered: (attributes) => messageList(attributes.get("gen_ai.output.messages")),
  },
  {
    given: (attributes) => inferenceMessages(attributes, "llm.input_messages"),
    answered: (attributes) => inferenceMessages(attributes, "llm.output_messages"),
  },
  {
    given: (attributes) => messageList(attributes.get("ai.prompt.messages")),
    answered: (attributes) => {
      const content = attributes.get("ai.response.text") ?? null;
      const calls = messageList(attributes.get("ai.response.toolCalls"));
      return content === null && calls.length === 0
        ? []
        : [{ role: "assistant", content, tool_calls: calls }];
    },
  },
  {
    given: (attributes) => messageList(attributes.get("langfuse.observation.input")),
    answered: (attributes) => messageList(attributes.get("langfuse.observation.output")),
  },
];

function taskOf(attributes: Attributes): string | undefined {
  const prompt = parsed(attributes.get("ai.prompt"));
  return (
    filledText(prompt?.["prompt"]) ??
    userTask(prompt?.["messages"]) ??
    userTask(attributes.get("langfuse.observation.input"))
  );
}

/** Messages as OpenInference writes them: a name for each text in them. */
function inferenceMessages(attributes: Attributes, prefix: string): readonly JsonObject[] {
  const whole = attributes.get(prefix);
  const messages = Array.isArray(whole) ? objects(whole) : numbered(attributes, `${prefix}.`);
  return messages.map(inferenceMessage);
}

function inferenceMessage(each: JsonObject): JsonObject {
  const message = object(each["message"]) ?? each;
  const contents = objects(message["contents"]).map((part) => object(part["message_content"]) ?? part);
  return contents.length > 0 && message["content"] === undefined
    ? { ...message, content: contents }
    : message;
}

/** The elements of a list whose members are attributes of their own: `prefix.0.message.role`. */
function numbered(attributes: Attributes, prefix: string): readonly JsonObject[] {
  const root = new Map<string, Tree>();
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix)) continue;
    const path = name.slice(prefix.length).split(".");
    if (path.length > MAX_PATH) continue;
    let at = root;
    for (const step of path.slice(0, -1)) {
      const next = at.get(step);
      const inner = next instanceof Map ? next : new Map<string, Tree>();
      at.set(step, inner);
      at = inner;
    }
    at.set(path.at(-1) ?? "", value);
  }
  return objects(valueOf(root));
}

type Tree = Map<string, Tree> | Json;

const MAX_PATH = 16;

function valueOf(tree: Tree): Json {
  if (!(tree instanceof Map)) return tree;
  const entries = [...tree].map(([name, inner]) => [name, valueOf(inner)] as const);
  const isList = entries.every(([name]) => /^\d{1,9}$/.test(name));
  return isList
    ? entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value)
    : Object.fromEntries(entries);
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
  for (const each of items(value)) {
    const key = isJsonObject(each) ? text(each["key"]) : undefined;
    const read = isJsonObject(each) ? anyValue(each["value"], 16) : undefined;
    if (key !== undefined && read !== undefined) attributes.set(key, read);
  }
  return attributes;
}

function flatten(value: JsonObject, prefix: string, attributes: Map<string, Json>, depth: number): void {
  for (const [key, each] of Object.entries(value)) {
    if (attributes.size > MAX_ATTRIBUTES) return;
    const name = `${prefix}${key}`;
    attributes.set(name, each);
    if (isJsonObject(each) && depth > 0) flatten(each, `${name}.`, attributes, depth - 1);
    else if (Array.isArray(each) && depth > 0 && each.every((element) => isJsonObject(element)))
      (each as readonly JsonObject[]).forEach((element, index) =>
        flatten(element, `${name}.${index}.`, attributes, depth - 1),
      );
  }
}

const MAX_ATTRIBUTES = 100_000;

function anyValue(value: Json | undefined, depth: number): Json | undefined {
  if (!isJsonObject(value) || depth === 0) return undefined;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value;
  if (arrayValue !== undefined)
    return items(object(arrayValue)?.["values"]).map((each) => anyValue(each, depth - 1) ?? null);
  if (kvlistValue !== undefined)
    return Object.fromEntries(
      objects(object(kvlistValue)?.["values"]).map((each) => [
        label(each["key"]),
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
  // As exact as a number of milliseconds can be.
  return read === undefined || read <= 0 ? undefined : Math.round(read / 1e3) / 1e3;
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
