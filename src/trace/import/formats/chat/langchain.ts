import { isJsonObject, type Json, type JsonObject } from "../../../../core/json/json.ts";
import type { ImportContext, TraceFormat } from "../../format.ts";
import { filledText, label, list, object, objects } from "../../reading/fields.ts";
import { ChatReader } from "./openai-chat.ts";

/**
 * The messages of LangChain and LangGraph (https://docs.langchain.com/oss/python/langchain/messages), however they are
 * written: `messages_to_dict`, `dumpd`, `model_dump`, and the same of the JavaScript libraries.
 */
export const LANGCHAIN: TraceFormat = {
  name: "langchain",
  likeness: (record) => (chatMessage(record) ? 2 : 0),
  open: (importing, place) => new LangChainReader(importing, place),
};

const ROLES: Readonly<Record<string, string>> = {
  ...{ human: "user", HumanMessage: "user", HumanMessageChunk: "user" },
  ...{ ai: "assistant", AIMessage: "assistant", AIMessageChunk: "assistant" },
  ...{ tool: "tool", ToolMessage: "tool", ToolMessageChunk: "tool" },
  ...{ function: "function", FunctionMessage: "function", FunctionMessageChunk: "function" },
  ...{ system: "system", SystemMessage: "system", SystemMessageChunk: "system", developer: "system" },
};

class LangChainReader extends ChatReader {
  constructor(importing: ImportContext, place: string) {
    super(LANGCHAIN.name, importing, place);
  }

  override read(record: JsonObject, place: string): void {
    const message = chatMessage(record);
    if (message) this.transcript.model ??= filledText(message["model"]);
    super.read(message ?? record, place);
  }
}

/** The message as Chat Completions write it. */
function chatMessage(record: JsonObject): JsonObject | undefined {
  const written = writtenMessage(record);
  if (!written) return undefined;
  const { type, message } = written;
  const role = Object.hasOwn(ROLES, type) ? ROLES[type] : undefined;
  if (role === undefined || message["content"] === undefined) return undefined;
  const about = object(message["response_metadata"]);
  const calls = [...objects(message["tool_calls"]), ...objects(message["invalid_tool_calls"])];
  const older = object(message["additional_kwargs"]);
  return {
    role,
    content: message["content"],
    tool_calls: calls.length > 0 ? calls : objects(older?.["tool_calls"]),
    // An agent's name is the speaker's, a tool's is the tool's.
    ...member("name", message["name"]),
    ...member("tool_call_id", message["tool_call_id"]),
    ...member("status", message["status"]),
    ...member("function_call", calls.length > 0 ? undefined : older?.["function_call"]),
    ...member("usage", message["usage_metadata"] ?? about?.["token_usage"]),
    ...member("model", about?.["model_name"] ?? about?.["model"]),
  };
}

function member(name: string, value: Json | undefined): JsonObject {
  return value === undefined || value === null ? {} : { [name]: value };
}

function writtenMessage(
  record: JsonObject,
): { readonly type: string; readonly message: JsonObject } | undefined {
  const { kwargs, data } = record;
  const type = label(record["type"]);
  if (record["lc"] === 1 && isJsonObject(kwargs))
    return { type: label(list(record["id"])?.at(-1)), message: kwargs };
  if (isJsonObject(data) && Object.keys(record).length === 2) return { type, message: data };
  return "additional_kwargs" in record || "response_metadata" in record
    ? { type, message: record }
    : undefined;
}
