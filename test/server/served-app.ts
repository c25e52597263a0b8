import { join } from "node:path";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openApp } from "../../src/app.ts";
import type { App } from "../../src/rooms.ts";
import { readConfig } from "../../src/config.ts";
import { type HttpFront, serveHttp } from "../../src/server/transport/serve-http.ts";
import { type Era, newClient, type Workplace } from "./connected-client.ts";

/** A server over HTTP in this process, so that a test can turn its clock and look behind its door. */
export async function servedApp(
  workplace: Workplace,
): Promise<{ readonly app: App; readonly url: string; readonly http: HttpFront } & AsyncDisposable> {
  const config = await readConfig({ file: join(workplace.folder, "mcp.config.json"), skills: [] });
  if (!config.ok) throw new Error(config.error.message);
  const app = openApp(config.value, { watch: false });
  const running = await serveHttp(app.front, 0);
  if (!running.ok) throw new Error(running.error.message);
  return {
    app,
    url: running.value.url,
    http: running.value,
    [Symbol.asyncDispose]: async () => {
      await running.value.close();
      await app.close();
    },
  };
}

/** A client of the official SDK, connected. */
export async function clientOf(url: string, era: Era): Promise<Client> {
  const { client } = newClient(era);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON-RPC message, whether it came as JSON or as the last event of a stream. */
  readonly body: Record<string, unknown>;
}

const ACCEPT = "application/json, text/event-stream";

/** Posts what no honest client would send. */
export async function post(
  url: string,
  message: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<RpcAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: ACCEPT, ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    body: data.startsWith("{") ? (JSON.parse(data) as Record<string, unknown>) : {},
  };
}

let lastId = 0;

/** What each request of the 2026 revision says of its client. */
export function modernMeta(): object {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
}

/** The headers that say again what a request of the 2026 revision asks for. */
export function modernHeaders(method: string, name: string): Record<string, string> {
  return { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": name };
}

/** A call of a tool as clients of the 2026 revision make it; `more` goes into the parameters. */
export async function modernCall(
  url: string,
  name: string,
  input: object,
  { meta = {}, ...more }: { readonly meta?: object; readonly [key: string]: unknown } = {},
): Promise<RpcAnswer> {
  const params = {
    name,
    arguments: input,
    ...more,
    _meta: { ...modernMeta(), ...meta },
  };
  return post(
    url,
    { jsonrpc: "2.0", id: ++lastId, method: "tools/call", params },
    modernHeaders("tools/call", name),
  );
}

/** Posts in a session of the 2025 revisions. */
export interface LegacySession {
  (method: string, params: object): Promise<RpcAnswer>;
  readonly headers: Record<string, string>;
  /** How the server answered when it was to be opened. */
  readonly opened: RpcAnswer;
}

/** Opens a session of the 2025 revisions. */
export async function legacySession(url: string, capabilities: object = {}): Promise<LegacySession> {
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "1" } };
  const opened = await post(url, { jsonrpc: "2.0", id: ++lastId, method: "initialize", params });
  const headers = {
    "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
  const call = async (method: string, given: object): Promise<RpcAnswer> =>
    post(url, { jsonrpc: "2.0", id: ++lastId, method, params: given }, headers);
  return Object.assign(call, { headers, opened });
}
