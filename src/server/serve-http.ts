import { randomUUID } from "node:crypto";
import { createServer, type Server as HttpServer } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { failure } from "../core/error.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { McpFront } from "./mcp-server.ts";

const MCP_PATH = "/mcp";
const HOST = "127.0.0.1";
const MOST_SESSIONS = 1000;
const IDLE_MS = 30 * 60_000;

/** A running HTTP server. */
export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

interface Session {
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

/**
 * Serves MCP as Streamable HTTP on the loopback interface, in both protocol eras at one address. Requests whose Host
 * or Origin is not local are refused, so that no web page can reach it by rebinding a name. Port 0 takes a free one.
 */
export async function serveHttp(front: McpFront, port: number): Promise<Result<HttpFront>> {
  const sessions = new Map<string, Session>();
  const modern = createMcpHandler(front.factory, { legacy: "reject" });
  front.onToolsChange(() => {
    modern.notify.toolsChanged();
    for (const { server } of sessions.values()) if (server.isConnected()) server.sendToolListChanged();
  });

  const handle = toNodeHandler({
    fetch: async (request, options) =>
      (await isLegacyRequest(request))
        ? legacyAnswer(front, sessions, request)
        : modern.fetch(request, options),
  });
  const isLocalHost = localhostHostValidation();
  const isLocalOrigin = localhostOriginValidation();
  const http = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    if ((request.url ?? "/").split("?", 1)[0] !== MCP_PATH) {
      response.writeHead(404, { "content-type": "text/plain" }).end(`MCP is served at ${MCP_PATH}\n`);
      return;
    }
    void handle(request as Parameters<typeof handle>[0], response);
  });
  const sweep = setInterval(() => void closeIdle(sessions), IDLE_MS / 10);
  sweep.unref();

  const listening = await listen(http, port);
  if (!listening.ok) return listening;
  return ok({
    url: `http://${HOST}:${listening.value}${MCP_PATH}`,
    close: async () => {
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map(async ({ server }) => server.close()));
      await modern.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
}

// The 2025 revisions have sessions, and only in a session can a client be told that the list of tools has changed.
async function legacyAnswer(
  front: McpFront,
  sessions: Map<string, Session>,
  request: Request,
): Promise<Response> {
  const id = request.headers.get("mcp-session-id");
  const known = id === null ? undefined : sessions.get(id);
  if (known) {
    known.usedAt = Date.now();
    return known.transport.handleRequest(request);
  }
  if (id !== null) return rpcError(404, -32_001, "Session not found");
  if (sessions.size >= MOST_SESSIONS) await closeLongestIdle(sessions);

  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (made) => {
      sessions.set(made, { server, transport, usedAt: Date.now() });
    },
    onsessionclosed: (closed) => {
      sessions.delete(closed);
    },
  });
  const server = (await front.factory({ era: "legacy", requestInfo: request })) as McpServer;
  await server.connect(transport);
  const response = await transport.handleRequest(request);
  if (transport.sessionId === undefined) await server.close();
  return response;
}

function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

async function closeIdle(sessions: Map<string, Session>): Promise<void> {
  for (const [id, { server, usedAt }] of sessions) {
    if (Date.now() - usedAt < IDLE_MS) continue;
    sessions.delete(id);
    await server.close();
  }
}

async function closeLongestIdle(sessions: Map<string, Session>): Promise<void> {
  const [longest] = [...sessions].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
  if (!longest) return;
  const [id, { server }] = longest;
  sessions.delete(id);
  await server.close();
}

async function listen(http: HttpServer, port: number): Promise<Result<number>> {
  return new Promise((resolve) => {
    http.once("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE"
          ? `port ${port} is in use; choose another with --http <port>`
          : error.message;
      resolve(fail(failure("CONFIG_INVALID", `The HTTP server cannot start: ${why}`)));
    });
    http.listen(port, HOST, () => {
      const address = http.address();
      resolve(ok(typeof address === "object" && address ? address.port : port));
    });
  });
}
