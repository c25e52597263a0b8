import { exactJson } from "../../../core/json/exact-json.ts";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { errorIn, errorMessage } from "./answer-error.ts";
import { filledText, list, object, text } from "./fields.ts";
import { pythonFields, pythonRepr } from "./python-repr.ts";

/** What a tool answered, freed of what protocols, frameworks and dumps wrapped it in. */
export interface ToolAnswer {
  readonly result: Json;
  /** It says itself that the call failed. */
  readonly isFailed: boolean;
  /** What it failed with. */
  readonly message: string | undefined;
}

/** Text, block, content and result are four for each time that an answer was dumped. */
const MAX_LAYERS = 16;

/**
 * Reads an answer however it was written down: as MCP's result or its content, as a message of a framework, as JSON
 * or Python's `repr` of these in a text, and each of them within another. Data that has more to it than a wrapper
 * stays what it is.
 */
export function toolAnswer(dumped: Json | undefined): ToolAnswer {
  const { value, isFailed } = withoutLayers(dumped ?? null);
  const message = isFailed ? errorMessage(value) : errorIn(value);
  return { result: value, isFailed: isFailed || message !== undefined, message };
}

/** A tool's result as messages carry it, for formats that mark failures themselves. */
export function unwrappedContent(content: Json | undefined): Json | undefined {
  return content === undefined ? undefined : withoutLayers(content).value;
}

/** A tool's result as a server gives it to whoever calls the tool: what Python prints in its text is text. */
export function servedContent(content: Json): Json {
  return withoutLayers(content, true).value;
}

/** The value that a text carries as JSON, however often it was wrapped: an object, a list or a text; else the text. */
export function unwrapped(value: string): Json {
  let read: Json = value;
  for (let times = 0; times < MAX_TEXTS && typeof read === "string"; times++) {
    const inner = parsedJson(read);
    if (inner === undefined) return read;
    read = inner;
  }
  return read;
}

const MAX_TEXTS = 3;

/** Arguments as models and frameworks write them: JSON or Python's `repr` in a string, or already an object. */
export function unwrappedArguments(value: Json | undefined): Json | undefined {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return {};
  const read = unwrapped(value);
  if (typeof read !== "string") return read;
  const literal = pythonRepr(read);
  return isJsonObject(literal) ? literal : read;
}

/** What is left when a layer is taken off. */
interface Layer {
  readonly value: Json;
  readonly isFailed?: boolean;
  /** It was MCP's: a text in it is as the server wrote it. */
  readonly isServed?: boolean;
}

function withoutLayers(dumped: Json, isServed = false): Pick<Required<Layer>, "value" | "isFailed"> {
  let value = dumped;
  let isFailed = false;
  let isOfServer = isServed;
  for (let layers = 0; layers < MAX_LAYERS; layers++) {
    const layer = layerOf(value, isOfServer);
    if (!layer) break;
    value = layer.value;
    isFailed ||= layer.isFailed === true;
    isOfServer ||= layer.isServed === true;
  }
  return { value, isFailed };
}

function layerOf(value: Json, isServed = false): Layer | undefined {
  if (typeof value === "string") return textLayer(value, isServed);
  if (Array.isArray(value)) return contentLayer(value as readonly Json[]);
  if (!isJsonObject(value)) return undefined;
  const said = blockText(value);
  if (said !== undefined) return { value: said, isServed: true };
  return resultLayer(value) ?? messageLayer(value) ?? rpcLayer(value);
}

function textLayer(value: string, isServed: boolean): Layer | undefined {
  const json = parsedJson(value);
  if (json !== undefined) return { value: json };
  const told = pythonRepr(value);
  // A tuple of one is a text in brackets, and a call in a text may be code.
  if (told !== undefined && ((!isServed && /^\s*[{[]/.test(value)) || isWrapper(told)))
    return { value: told };
  const fields = pythonFields(value);
  return fields !== undefined && isWrapper(fields) ? { value: fields } : undefined;
}

function isWrapper(value: Json): boolean {
  return typeof value === "object" && layerOf(value) !== undefined;
}

/** MCP's `CallToolResult`, as JSON and as its SDKs name its members. */
function resultLayer(value: JsonObject): Layer | undefined {
  const blocks = list(value["content"]);
  if (!blocks || !blocks.every(isBlock) || !hasOnly(value, RESULT_KEYS)) return undefined;
  const isFailed = value["isError"] === true || value["is_error"] === true;
  const content = blocks.length === 0 ? null : contentValue(blocks);
  const structured = object(value["structuredContent"]) ?? object(value["structured_content"]);
  if (!structured || isFailed) return { value: content, isFailed, isServed: true };
  // Servers whose tool gives no object wrap what it gives, and say the same in the text.
  const inner = structured["result"];
  const isWrapped = Object.keys(structured).length === 1 && inner !== undefined;
  return { value: isWrapped && isSame(inner, withoutLayers(content).value) ? inner : structured };
}

const RESULT_KEYS: ReadonlySet<string> = new Set([
  ...["content", "structuredContent", "structured_content", "isError", "is_error", "_meta", "meta", "data"],
  ...["resultType", "result_type"],
]);

/** A tool's message, as OpenAI, Anthropic and LangChain write it; within LangChain's ways of writing any message. */
function messageLayer(value: JsonObject): Layer | undefined {
  const inner =
    value["lc"] === 1
      ? object(value["kwargs"])
      : hasOnly(value, DATA_KEYS)
        ? object(value["data"])
        : undefined;
  const message = inner ?? value;
  const isOfTool =
    value["type"] === "tool" && (inner || "status" in message || "additional_kwargs" in message);
  const isAnswer = isOfTool || "tool_call_id" in message || "tool_use_id" in message;
  const { content } = message;
  if (!isAnswer || content === undefined || !hasOnly(message, MESSAGE_KEYS)) return undefined;
  return { value: content, isFailed: message["status"] === "error" || message["is_error"] === true };
}

const DATA_KEYS: ReadonlySet<string> = new Set(["type", "data"]);

const MESSAGE_KEYS: ReadonlySet<string> = new Set([
  ...["type", "role", "name", "id", "content", "tool_call_id", "tool_use_id", "status", "is_error"],
  ...["additional_kwargs", "response_metadata", "artifact", "cache_control"],
]);

function rpcLayer(value: JsonObject): Layer | undefined {
  if (value["jsonrpc"] !== "2.0" || !hasOnly(value, RPC_KEYS)) return undefined;
  const { result, error } = value;
  if (error !== undefined && error !== null) return { value: { error }, isFailed: true };
  return result === undefined ? undefined : { value: result };
}

const RPC_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "result", "error"]);

function contentLayer(blocks: readonly Json[]): Layer | undefined {
  return isContentBlocks(blocks) ? { value: contentValue(blocks), isServed: true } : undefined;
}

export function isContentBlocks(blocks: readonly Json[]): boolean {
  return blocks.length > 0 && blocks.every(isBlock) && blocks.some((block) => blockText(block) !== undefined);
}

function contentValue(blocks: readonly Json[]): Json {
  const parts = blocks.map((block) => blockText(block) ?? block);
  const [only] = parts;
  if (parts.length === 1 && typeof only === "string") return only;
  if (!parts.every((part) => typeof part === "string"))
    return parts.map((part) => (typeof part === "string" ? unwrapped(part) : part));
  const values = parts.map((part) => withoutLayers(part, true).value);
  // One block for each element of a list, as some servers write it.
  return values.every((value) => typeof value === "object") ? values : parts.join("\n");
}

function isBlock(block: Json): boolean {
  if (!isJsonObject(block)) return false;
  const type = text(block["type"]);
  return blockText(block) !== undefined || (type !== undefined && OTHER_BLOCKS.has(type));
}

const OTHER_BLOCKS: ReadonlySet<string> = new Set([
  ...["image", "audio", "resource", "resource_link", "document", "file"],
  ...["input_image", "input_file", "image_url", "tool_reference"],
]);

/** The text of a block that has nothing else. */
function blockText(block: Json): string | undefined {
  const read = object(block);
  const type = text(read?.["type"]);
  if (!read || type === undefined) return undefined;
  if (type === "resource") return text(object(read["resource"])?.["text"]);
  const isText = TEXT_BLOCKS.has(type) && hasOnly(read, TEXT_KEYS) && !isOwnId(read["id"]);
  return isText ? text(read["text"]) : undefined;
}

const TEXT_BLOCKS: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

const TEXT_KEYS: ReadonlySet<string> = new Set([
  ...["type", "text", "annotations", "_meta", "meta", "cache_control", "citations", "logprobs"],
  ...["id", "index", "extras"],
]);

/** An id that means something, other than what LangChain gives each block. */
function isOwnId(id: Json | undefined): boolean {
  return id !== undefined && id !== null && filledText(id)?.startsWith("lc_") !== true;
}

function hasOnly(value: JsonObject, keys: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => keys.has(key));
}

function parsedJson(value: string): Json | undefined {
  const trimmed = value.trim();
  const ends = `${trimmed[0] ?? ""}${trimmed.at(-1) ?? ""}`;
  if (trimmed.length < 2 || (ends !== "{}" && ends !== "[]" && ends !== '""')) return undefined;
  try {
    return exactJson(trimmed);
  } catch {
    return undefined;
  }
}

function isSame(inner: Json, content: Json): boolean {
  if (content === null) return true;
  if (typeof content === "string" && typeof inner !== "object") return String(inner) === content;
  try {
    return isDeepStrictEqual(inner, content);
  } catch {
    // Nested too deeply to be compared.
    return false;
  }
}
