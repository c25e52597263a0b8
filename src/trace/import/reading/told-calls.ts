import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { filledText, items, label, member, object, objects, text, textOf } from "./fields.ts";
import { toolAnswer, unwrapped, unwrappedArguments } from "./unwrap.ts";

/** A call as a model's message tells it. */
export interface ToldCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Json;
}

/** What a later message tells that a call gave. */
export interface ToldResult {
  readonly id: string | undefined;
  readonly result: Json;
  readonly isFailed: boolean;
  readonly message: string | undefined;
}

/** What a model was told and answered. */
export interface ToldCalls {
  /** The calls that it answered with. */
  readonly asked: readonly ToldCall[];
  /** Those in the messages that it was given. */
  readonly before: readonly ToldCall[];
  readonly results: readonly ToldResult[];
}

/** The calls in the messages that a model was given and in those that it answered with, or nothing where there are none. */
export function toldIn(given: readonly JsonObject[], answered: readonly JsonObject[]): ToldCalls | undefined {
  const asked = answered.flatMap(toldCallsIn);
  const before = given.flatMap(toldCallsIn);
  const results = given.flatMap(toldResultsIn);
  return asked.length + before.length + results.length > 0 ? { asked, before, results } : undefined;
}

/**
 * The calls in a message, or in an item that stands for one: of Chat Completions, Responses, Anthropic, LangChain,
 * the AI SDK, OpenTelemetry and OpenInference.
 */
export function toldCallsIn(message: JsonObject): readonly ToldCall[] {
  const listed = objects(message["tool_calls"]).map((each) => toldCall(object(each["tool_call"]) ?? each));
  const older = object(message["function_call"]);
  const parts = partsOf(message).filter((part) => CALLS.has(label(part["type"])));
  return [...listed, ...(older ? [toldCall(older)] : []), ...parts.map(toldCall)];
}

export function toldResultsIn(message: JsonObject): readonly ToldResult[] {
  const id = filledText(message["tool_call_id"]);
  if (id !== undefined) return [toldResult(id, message, message["content"])];
  return partsOf(message).flatMap((part) => {
    const names = RESULTS.get(label(part["type"]));
    return names ? [toldResult(filledText(part[names.id]), part, member(part, ...names.value))] : [];
  });
}

const CALLS: ReadonlySet<string> = new Set([
  ...["tool_call", "tool-call", "tool_use", "server_tool_use", "mcp_tool_use"],
  ...["function_call", "custom_tool_call"],
]);

/** Where each kind of part says which call it answers, and with what. */
const RESULTS: ReadonlyMap<string, { readonly id: string; readonly value: readonly string[] }> = new Map([
  ["tool_call_response", { id: "id", value: ["response", "result"] }],
  ["tool-result", { id: "toolCallId", value: ["output", "result"] }],
  ["tool-error", { id: "toolCallId", value: ["error"] }],
  ["tool_result", { id: "tool_use_id", value: ["content"] }],
  ["mcp_tool_result", { id: "tool_use_id", value: ["content"] }],
  ["function_call_output", { id: "call_id", value: ["output"] }],
  ["custom_tool_call_output", { id: "call_id", value: ["output"] }],
]);

function partsOf(message: JsonObject): readonly JsonObject[] {
  const { parts, content } = message;
  if (Array.isArray(parts)) return objects(parts);
  return Array.isArray(content) ? objects(content) : [message];
}

function toldCall(call: JsonObject): ToldCall {
  const made = object(call["function"]) ?? object(call["custom"]) ?? call;
  return {
    id: filledText(member(call, "call_id", "toolCallId", "id")),
    name: label(member(made, "name", "toolName")),
    args: unwrappedArguments(member(made, "arguments", "input", "args")) ?? {},
  };
}

function toldResult(id: string | undefined, told: JsonObject, value: Json | undefined): ToldResult {
  const output = object(value);
  const kind =
    output && Object.keys(output).every((key) => OUTPUT_KEYS.has(key)) ? text(output["type"]) : undefined;
  const isOutput = kind !== undefined && OUTPUTS.has(kind);
  // An exception has no members that JSON can tell.
  const isEmpty = told["type"] === "tool-error" && output !== undefined && Object.keys(output).length === 0;
  const answer = toolAnswer(isOutput ? (output?.["value"] ?? output?.["reason"]) : isEmpty ? null : value);
  const isMarked =
    told["is_error"] === true ||
    told["isError"] === true ||
    told["status"] === "error" ||
    told["type"] === "tool-error" ||
    (isOutput && (kind.startsWith("error-") || kind === "execution-denied"));
  return { id, ...answer, isFailed: isMarked || answer.isFailed };
}

/** What the AI SDK tells of an output besides its value. */
const OUTPUTS: ReadonlySet<string> = new Set([
  ...["text", "json", "content", "error-text", "error-json", "execution-denied"],
]);

const OUTPUT_KEYS: ReadonlySet<string> = new Set(["type", "value", "reason", "providerOptions"]);

/** What is said in a message, without what tools were given or gave. */
export function saidIn(message: JsonObject): string | undefined {
  const content = message["content"] ?? message["parts"];
  if (typeof content === "string") return filledText(content);
  const texts = objects(content).filter((part) => SAID.has(text(part["type"]) ?? "text"));
  return filledText(textOf(texts));
}

const SAID: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

/** The messages that a value holds: a list of them, one, `{messages}`, the arguments of a function, as JSON or as they are. */
export function messageList(value: Json | undefined): readonly JsonObject[] {
  const read = typeof value === "string" ? unwrapped(value) : value;
  if (Array.isArray(read)) {
    const [first] = read as readonly Json[];
    return Array.isArray(first)
      ? objects(first)
      : objects(read).filter((each) => "role" in each || "type" in each || "toolName" in each);
  }
  if (!isJsonObject(read)) return [];
  if ("role" in read) return [read];
  if ("messages" in read) return messageList(read["messages"]);
  const given = functionArguments(read);
  return given ? given.flatMap((each) => (typeof each === "string" ? [] : messageList(each))) : [];
}

/** What the user asked for first, in whatever a span says that it was given. */
export function userTask(value: Json | undefined): string | undefined {
  const read = typeof value === "string" ? unwrapped(value) : value;
  if (typeof read === "string") return filledText(read);
  const messages = messageList(read);
  const user = messages.find((message) => message["role"] === "user");
  if (user) return saidIn(user);
  if (!isJsonObject(read)) return undefined;
  const [only, ...others] = functionArguments(read) ?? [];
  if (others.length === 0 && typeof only === "string") return filledText(only);
  return filledText(member(read, "input", "query", "question", "task", "prompt"));
}

/** Decorators in Python write down `{args, kwargs}`. */
function functionArguments(value: JsonObject): readonly Json[] | undefined {
  const { args, kwargs } = value;
  if (Object.keys(value).length !== 2 || !Array.isArray(args) || !isJsonObject(kwargs)) return undefined;
  return [...(args as readonly Json[]), ...Object.values(kwargs)];
}

/** The arguments in `{args, kwargs}`, where they have names; the only one where it has none. */
export function keywordArguments(value: Json | undefined): Json | undefined {
  if (!isJsonObject(value) || !functionArguments(value)) return value;
  const { args, kwargs = {} } = value;
  const positional = items(args);
  if (positional.length === 0) return kwargs;
  return positional.length === 1 && isJsonObject(kwargs) && Object.keys(kwargs).length === 0
    ? positional[0]
    : value;
}
