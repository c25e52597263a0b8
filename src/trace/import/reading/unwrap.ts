import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { filledText, list, object, text } from "./fields.ts";

const MAX_WRAPPINGS = 3;

/** The value that a text carries as JSON, however often it was wrapped: an object, a list or a text; else the text. */
export function unwrapped(value: string): Json {
  let read: Json = value;
  for (let times = 0; times < MAX_WRAPPINGS && typeof read === "string"; times++) {
    const inner = structured(read);
    if (inner === undefined) return read;
    read = inner;
  }
  return read;
}

/** Arguments as models write them: JSON in a string, or already an object. */
export function unwrappedArguments(value: Json | undefined): Json | undefined {
  if (typeof value !== "string") return value;
  return value.trim() === "" ? {} : unwrapped(value);
}

/** A tool's result as messages carry it: a text, or content blocks. */
export function unwrappedContent(content: Json | undefined): Json | undefined {
  if (typeof content === "string") return unwrapped(content);
  const blocks = list(content);
  return blocks !== undefined && isContentBlocks(blocks) ? fromBlocks(blocks) : content;
}

/** What an MCP tool gave: `structuredContent` rather than its text. */
export function unwrappedMcpResult(result: JsonObject): Json | undefined {
  const content = unwrappedContent(result["content"]);
  const structuredContent = object(result["structuredContent"]);
  if (!structuredContent) return Object.hasOwn(result, "content") ? content : result;
  // Servers whose tool gives no object wrap what it gives, and say the same in the text.
  const inner = structuredContent["result"];
  const isWrapped = Object.keys(structuredContent).length === 1 && inner !== undefined;
  return isWrapped && isSame(inner, content) ? inner : structuredContent;
}

export function isContentBlocks(blocks: readonly Json[]): boolean {
  return (
    blocks.length > 0 &&
    blocks.every(
      (block) => isJsonObject(block) && typeof block["type"] === "string" && BLOCKS.has(block["type"]),
    )
  );
}

const BLOCKS: ReadonlySet<string> = new Set([
  "text",
  "image",
  "audio",
  "resource",
  "resource_link",
  "document",
  "input_text",
  "output_text",
  "input_image",
  "image_url",
  "tool_reference",
]);

function fromBlocks(blocks: readonly Json[]): Json {
  const parts = blocks.map((block) => blockValue(block));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return typeof only === "string" ? unwrapped(only) : only;
  if (!parts.every((part) => typeof part === "string"))
    return parts.map((part) => (typeof part === "string" ? unwrapped(part) : part));
  const values = parts.map((part) => unwrapped(part));
  // One block for each element of a list, as some servers write it.
  return values.every((value) => typeof value === "object") ? values : parts.join("\n");
}

function blockValue(block: Json): Json {
  const read = object(block) ?? {};
  return text(read["text"]) ?? text(object(read["resource"])?.["text"]) ?? block;
}

function structured(value: string): Json | undefined {
  const trimmed = value.trim();
  const ends = `${trimmed[0] ?? ""}${trimmed.at(-1) ?? ""}`;
  if (trimmed.length < 2 || (ends !== "{}" && ends !== "[]" && ends !== '""')) return undefined;
  try {
    return JSON.parse(trimmed) as Json;
  } catch {
    return undefined;
  }
}

function isSame(inner: Json, content: Json | undefined): boolean {
  if (content === undefined) return true;
  if (typeof content === "string" && typeof inner !== "object") return String(inner) === content;
  try {
    return isDeepStrictEqual(inner, content);
  } catch {
    // Nested too deeply to be compared.
    return false;
  }
}

/** What a result says that went wrong, in formats that do not mark failures. */
export function errorIn(result: Json | undefined): string | undefined {
  if (typeof result === "string") return ERROR_TEXT.test(result.slice(0, 200)) ? result : undefined;
  if (!isJsonObject(result)) return undefined;
  const error = result["error"];
  const isFailure = Object.keys(result).length <= 3 || result["success"] === false || result["ok"] === false;
  if (!isFailure) return undefined;
  return filledText(error) ?? filledText(object(error)?.["message"]);
}

const ERROR_TEXT =
  /^\s*(?:\[?(?:tool )?(?:error|exception)\b\]?\s*[:\-(]|[A-Z]\w{0,40}(?:Error|Exception):\s|Traceback \(most recent call last\)|Error executing|Failed to )/i;

/** A short text for what a failed call answered. */
export function errorMessage(result: Json | undefined): string | undefined {
  const said = object(result)?.["error"];
  const message =
    filledText(result) ??
    filledText(said) ??
    filledText(object(said)?.["message"]) ??
    filledText(object(result)?.["message"]);
  if (message !== undefined) return message.slice(0, MAX_MESSAGE);
  return result === undefined || result === null ? undefined : shortJson(result);
}

const MAX_MESSAGE = 2000;

function shortJson(value: Json): string | undefined {
  try {
    return JSON.stringify(value).slice(0, MAX_MESSAGE);
  } catch {
    return undefined;
  }
}
