import { STATUS_CODES } from "node:http";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type McpHttpHandler,
  PROTOCOL_VERSION_META_KEY,
  type Tool,
  TRACEPARENT_META_KEY,
} from "@modelcontextprotocol/server";
import { ERRORS, type ErrorCode } from "../../core/error.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { IDEMPOTENCY_KEY } from "../../core/tools/idempotency-key.ts";
import { openApiDocument } from "../../core/tools/openapi-document.ts";
import { ERROR_META_KEY, WRAPPED_META_KEY } from "../tools/tool-answer.ts";
import { agentCard } from "./agent-card.ts";
import type { BodyFault } from "./request-body.ts";

const TOOLS_PATH = "/tools/";
const OPENAPI_PATH = "/openapi.json";
const CARD_PATH = "/.well-known/agent-card.json";
const MODERN = "2026-07-28";

/**
 * The tools for those who do not speak MCP: `POST /tools/<name>` takes a tool's input as JSON and gives its output, or a
 * problem (RFC 9457) with our error code; `GET /openapi.json` describes them (OpenAPI 3.1), and
 * `GET /.well-known/agent-card.json` tells what the server can do (an A2A card; the protocol itself is not spoken).
 * Each request is a request of MCP to the same handler, so that what is refused, recorded and asked is the same.
 */
export class HttpApi {
  readonly #about: { readonly name: string; readonly version: string };
  readonly #mcp: Pick<McpHttpHandler, "fetch">;
  readonly #base: string;

  /** All its paths begin with `base`. */
  constructor(
    about: { readonly name: string; readonly version: string },
    mcp: Pick<McpHttpHandler, "fetch">,
    base = "",
  ) {
    this.#about = about;
    this.#mcp = mcp;
    this.#base = base;
  }

  serves(path: string): boolean {
    if (!path.startsWith(this.#base)) return false;
    const own = path.slice(this.#base.length);
    return own === OPENAPI_PATH || own === CARD_PATH || own.startsWith(TOOLS_PATH);
  }

  awaits(): boolean {
    return true;
  }

  takesLast(): boolean {
    return false;
  }

  async answer(request: Request, body: unknown): Promise<Response> {
    const pathname = new URL(request.url).pathname.slice(this.#base.length);
    const allowed = pathname.startsWith(TOOLS_PATH) ? "POST" : "GET";
    if (request.method !== allowed)
      return problem(405, `${pathname} is asked with ${allowed}`, {
        code: "REQUEST_INVALID",
        headers: { allow: allowed },
      });
    if (allowed === "POST") return this.#call(request, nameIn(pathname), body);
    const listed = await this.#ask("tools/list", {}, request);
    if (!("result" in listed)) return problem(500, listed.error.message, { code: "INTERNAL" });
    const { tools } = listed.result as { readonly tools: readonly Tool[] };
    return Response.json(
      pathname === CARD_PATH
        ? agentCard(this.#about, tools, request.headers.get("host") ?? "127.0.0.1")
        : openApiDocument(this.#about, tools),
    );
  }

  refusal(
    { status, problem: code, message }: Omit<BodyFault, "code">,
    headers: Readonly<Record<string, string>> = {},
  ): Response {
    return problem(status, message, { headers, code });
  }

  async #call(request: Request, name: string | undefined, body: unknown): Promise<Response> {
    const type = request.headers.get("content-type") ?? "";
    if (!/^application\/json\s*(?:;|$)/i.test(type))
      return problem(415, "The input is sent as application/json", { code: "REQUEST_INVALID" });
    if (!isJsonObject(body)) return problem(400, "The input is a JSON object", { code: "INPUT_INVALID" });
    if (name === undefined) return problem(404, "No tool has this name", { code: "TOOL_NOT_FOUND" });
    const answer = await this.#ask("tools/call", { name, arguments: body }, request);
    if (!("result" in answer)) {
      const isUnknown = answer.error.code === -32_602;
      return problem(isUnknown ? 404 : 500, answer.error.message, {
        code: isUnknown ? "TOOL_NOT_FOUND" : "INTERNAL",
      });
    }
    const result = answer.result as CallToolResult;
    if (result.isError !== true) return toolResponse(result, request.headers);
    const { code, ...place } = errorIn(result);
    const detail = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return problem(STATUS[code] ?? 500, detail, { code, place });
  }

  async #ask(method: string, params: JsonObject, from: Request): Promise<RpcAnswer> {
    const traceparent = from.headers.get("traceparent");
    const key = from.headers.get("idempotency-key");
    const _meta = {
      [PROTOCOL_VERSION_META_KEY]: MODERN,
      [CLIENT_INFO_META_KEY]: { name: from.headers.get("user-agent") ?? "HTTP", version: "" },
      [CLIENT_CAPABILITIES_META_KEY]: {},
      ...(traceparent === null ? {} : { [TRACEPARENT_META_KEY]: traceparent }),
      ...(key === null ? {} : { [IDEMPOTENCY_KEY]: key }),
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {}),
    };
    const asked = new Request(from.url, { method: "POST", headers, signal: from.signal });
    const parsedBody = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
    const answer = await this.#mcp.fetch(asked, { parsedBody });
    return (await answer.json()) as RpcAnswer;
  }
}

/** What an MCP server answers, which here is our own. */
type RpcAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** A name that the headers of MCP can carry. */
function nameIn(pathname: string): string | undefined {
  try {
    const name = decodeURIComponent(pathname.slice(TOOLS_PATH.length));
    return /^[\w.-]{1,200}$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The output; who prefers it `unwrapped` is given a value that is no object as it is, and not inside of one. */
function toolResponse({ structuredContent, content, _meta: meta }: CallToolResult, asked: Headers): Response {
  const property = meta?.[WRAPPED_META_KEY];
  const isPreferred = /(?:^|,)\s*unwrapped\s*(?:$|[,;])/i.test(asked.get("prefer") ?? "");
  if (!isPreferred || !isJsonObject(structuredContent))
    return Response.json(structuredContent ?? { content });
  const output = typeof property === "string" ? structuredContent[property] : structuredContent;
  return Response.json(output ?? null, { headers: { "preference-applied": "unwrapped" } });
}

interface CalledError {
  readonly code: ErrorCode;
  readonly skill?: string;
  readonly callPath?: string;
}

function errorIn({ _meta: meta }: CallToolResult): CalledError {
  const told = meta?.[ERROR_META_KEY];
  // An error without a code of ours is one that a published tool of another server answers.
  return (told ?? { code: "TOOL_FAILED" }) as CalledError;
}

/** The HTTP status of failures; all others are 500. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  INPUT_INVALID: 400,
  INPUT_TOO_LARGE: 413,
  SKILL_NOT_FOUND: 404,
  TOOL_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  DRAFT_NOT_FOUND: 404,
  RUN_UNAPPROVED: 403,
  PRECONDITION_FAILED: 422,
  CHOICE_NEEDED: 409,
  RUN_WAITING: 409,
  WRITE_UNCERTAIN: 409,
  RUN_STATE: 409,
  RUN_CHANGED: 409,
  DRAFT_STATE: 409,
  DRAFT_CHANGED: 409,
  TOOL_FAILED: 502,
  CANCELLED: 503,
  RUNNER_CLOSED: 503,
  RUNNER_LOST: 503,
  SKILL_TIMED_OUT: 504,
};

function problem(
  status: number,
  detail: string,
  {
    code,
    place = {},
    headers = {},
  }: {
    readonly code: ErrorCode;
    readonly place?: Omit<CalledError, "code">;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Response {
  // What is wrong with a request the status says better.
  const title = code === "REQUEST_INVALID" ? STATUS_CODES[status] : ERRORS[code];
  const told = { title, code, status, detail, ...place };
  return Response.json(told, { status, headers: { "content-type": "application/problem+json", ...headers } });
}
