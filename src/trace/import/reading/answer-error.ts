import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { filledText, list, number, object, objects } from "./fields.ts";

/**
 * What an answer that no one marked as failed says that went wrong: an object in one of the documented forms of
 * errors and nothing besides, or a text that begins as programs print their errors. Data that also tells an error,
 * a log or prose about errors is none.
 */
export function errorIn(result: Json | undefined): string | undefined {
  if (typeof result === "string") return isErrorText(result) ? result : undefined;
  if (!isJsonObject(result)) return undefined;
  for (const form of ERROR_FORMS) {
    if (!Object.keys(result).every((key) => form.keys.has(key))) continue;
    const message = form.message(result);
    if (message !== undefined) return message;
  }
  return undefined;
}

interface ErrorForm {
  /** What such an error has at most. */
  readonly keys: ReadonlySet<string>;
  readonly message: (value: JsonObject) => string | undefined;
}

const CIRCUMSTANCES = [
  ...["code", "status", "statusCode", "status_code", "message", "details", "detail", "hint", "type", "data"],
  ...[
    "timestamp",
    "path",
    "method",
    "requestId",
    "request_id",
    "traceId",
    "success",
    "ok",
    "isError",
    "is_error",
  ],
];

const ERROR_FORMS: readonly ErrorForm[] = [
  // `{error}` of most services: a text, or an object with what happened.
  {
    keys: new Set(["error", "error_description", "error_uri", "errors", ...CIRCUMSTANCES]),
    message: (value) =>
      isSuccess(value) || hasData(value)
        ? undefined
        : (messageOf(value["error"]) ?? (value["error"] === true ? filledText(value["message"]) : undefined)),
  },
  // `{ok: false, message}`, `{success: false, message}`, `{isError: true, message}`, JSend's `{status: "error", message}`.
  {
    keys: new Set(["errors", ...CIRCUMSTANCES]),
    message: (value) => (saysFailed(value) && !hasData(value) ? filledText(value["message"]) : undefined),
  },
  // `{object: "error", status, code, message}` and `{statusCode: 404, message}`.
  {
    keys: new Set(["object", "error", "developer_survey", "additional_data", ...CIRCUMSTANCES]),
    message: (value) =>
      value["object"] === "error" || isHttpError(value["statusCode"] ?? value["status_code"])
        ? filledText(value["message"])
        : undefined,
  },
  // Problem details of RFC 9457.
  {
    keys: new Set(["type", "title", "status", "detail", "instance", "errors", "traceId"]),
    message: (value) =>
      isHttpError(value["status"]) && typeof value["title"] === "string"
        ? (filledText(value["detail"]) ?? filledText(value["title"]))
        : undefined,
  },
  // GitHub's, which says where it is documented.
  {
    keys: new Set(["message", "documentation_url", "status", "errors"]),
    message: (value) =>
      typeof value["documentation_url"] === "string" ? filledText(value["message"]) : undefined,
  },
  // GraphQL's where nothing was answered besides.
  {
    keys: new Set(["errors", "data", "extensions"]),
    message: (value) => (hasData(value) ? undefined : messageOf(list(value["errors"])?.[0])),
  },
  // JSON-RPC's own codes.
  {
    keys: new Set(["code", "message", "data"]),
    message: (value) => {
      const code = number(value["code"]);
      const isOfRpc = code !== undefined && code <= -32_000 && code >= -32_768;
      return isOfRpc ? filledText(value["message"]) : undefined;
    },
  },
  // AWS's.
  {
    keys: new Set(["__type", "message", "Message"]),
    message: (value) =>
      typeof value["__type"] === "string" ? filledText(value["message"] ?? value["Message"]) : undefined,
  },
];

function messageOf(error: Json | undefined): string | undefined {
  if (typeof error === "string")
    return /^\s*(?:none|null|nil|false|no|ok|0|n\/a)\.?\s*$/i.test(error) ? undefined : filledText(error);
  if (!isJsonObject(error)) return undefined;
  const named =
    filledText(error["message"]) ?? filledText(error["detail"]) ?? filledText(error["description"]);
  return named ?? filledText(object(error["error"])?.["message"]) ?? messageOf(objects(error["errors"])[0]);
}

function isSuccess(value: JsonObject): boolean {
  return (
    value["success"] === true ||
    value["ok"] === true ||
    value["status"] === "success" ||
    value["status"] === "ok"
  );
}

function saysFailed(value: JsonObject): boolean {
  return (
    value["success"] === false ||
    value["ok"] === false ||
    value["isError"] === true ||
    value["is_error"] === true ||
    value["status"] === "error"
  );
}

function hasData(value: JsonObject): boolean {
  const { data } = value;
  return (
    data !== undefined &&
    data !== null &&
    !(isJsonObject(data) && Object.values(data).every((each) => each === null))
  );
}

function isHttpError(status: Json | undefined): boolean {
  const code = typeof status === "number" ? status : undefined;
  return code !== undefined && code >= 400 && code <= 599;
}

function isErrorText(said: string): boolean {
  const start = said.slice(0, MAX_START);
  const marked = ERROR_START.exec(start) ?? EXCEPTION_START.exec(start);
  if (!marked) return false;
  const rest = said.slice(marked[0].length, MAX_LOOKED_AT);
  // A measure or a member that is called so, or the first line of a log or of a record.
  return (
    !/^\s*(?:none|null|nil|no|false|ok|n\/a|[-+±]?[\d.,e-]+\s?%?)\.?\s*(?:\n|$)/i.test(rest) &&
    !LOG_LINE.test(rest) &&
    !(/^\s*[a-z]/.test(start) && MEMBER_LINE.test(rest))
  );
}

const MAX_START = 400;
const MAX_LOOKED_AT = 20_000;

/** `Error: …`, PostgreSQL's `ERROR:  …`, Python's traceback, and what SDKs write for a tool that threw. */
const ERROR_START =
  /^\s*(?:(?:\[error\]|(?:tool |internal |fatal |database |api )?error|fatal)(?: ?\[\w{1,40}\]| \(\w{1,40}\))?\s?:(?=\s|$)|Traceback \(most recent call last\):|MCP error -?\d+:|Error (?:executing|calling|invoking|running) [^\n]{1,200}:|An error occurred while running the tool\b)/i;

/** An exception's class, as Python, Java and JavaScript print it. */
const EXCEPTION_START =
  /^\s*(?:(?:[a-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception)|(?:[a-z_]\w{0,40}\.){1,6}(?:errors|exceptions)\.[A-Z]\w{0,60})(?: \[\w{1,60}\]| \(\w{1,60}\))?:(?=\s)/;

const LOG_LINE =
  /\n\s*\[?(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d)\b|\n\s*\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|NOTICE)\b[\]:]/;

const MEMBER_LINE = /\n[a-z]\w{0,40}: /;

/** A short text for what a failed call answered. */
export function errorMessage(result: Json | undefined): string | undefined {
  const record = object(result);
  const message =
    filledText(result) ??
    filledText(record?.["error"]) ??
    messageOf(record?.["error"]) ??
    filledText(record?.["message"]);
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
