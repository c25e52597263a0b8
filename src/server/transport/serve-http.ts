import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { once } from "node:events";
import type { Socket } from "node:net";
import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  type McpServer,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { enterSocket } from "./client-session.ts";
import { callRequestIn } from "./direct-call.ts";
import { HttpApi } from "./http-api.ts";
import { HttpSession, HttpSessions, requestIds } from "./http-sessions.ts";
import type { McpFront } from "../mcp-server.ts";
import { LAST_ANSWERS_MS, OpenRequests, SHUTTING_DOWN } from "./open-requests.ts";
import { rateLimited } from "./rate-limited.ts";
import { BodyReader, type BodyFault } from "./request-body.ts";

const MCP_PATH = "/mcp";
const HOST = "127.0.0.1";
const SWEEP_MS = 60_000;
const RETRY_AFTER_SECONDS = 60;
const MAX_CONNECTIONS_PER_ADDRESS = 2500;
/** A request that has not come in by then is given up. */
const REQUEST_MS = 60_000;
/** So long the headers of an answer wait for its first part, to leave with it. */
const HEADERS_MS = 10;
/** A stream on which nothing is sent is kept alive with a comment so often. */
const KEEP_ALIVE_MS = 15_000;
/** So long a client that was refused may still send what nobody reads. */
const LINGER_MS = 2000;

/** A running HTTP server. */
export interface HttpFront {
  readonly url: string;
  /**
   * Takes no more connections and requests. What runs may go on for `graceMs` milliseconds, none by default; then it is
   * cancelled, and that is its answer.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves MCP as Streamable HTTP on the loopback interface, in both protocol eras at one address. Requests whose Host
 * or Origin is not local are refused, so that no web page can reach it by rebinding a name. Beside it stand the tools
 * as plain HTTP: see `HttpApi`. Port 0 takes a free one.
 */
export async function serveHttp(
  front: HttpServed,
  port: number,
  mcpPath: `${string}/mcp` = MCP_PATH,
): Promise<Result<HttpFront>> {
  const sessions = new HttpSessions();
  const modern = createMcpHandler(front.factory, {
    legacy: "reject",
    onerror: ({ message }) => complain(message),
  });
  front.onToolsChange(() => {
    modern.notify.toolsChanged();
    for (const { server } of sessions.all()) if (server.isConnected()) server.sendToolListChanged();
  });
  front.onResourcesChange(() => {
    modern.notify.resourcesChanged();
    for (const { server } of sessions.all()) if (server.isConnected()) server.sendResourceListChanged();
  });

  const serving: Serving = {
    front,
    modern,
    sessions,
    bodies: new BodyReader(),
    requests: new OpenRequests(),
  };
  const mcp = mcpEndpoint(serving);
  const api = new HttpApi(front.about, modern, mcpPath.slice(0, -MCP_PATH.length));
  const http = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const endpoint = path === mcpPath ? mcp : api;
    const isServed = endpoint === mcp || api.serves(path);
    const fault = foreignFault(request) ?? (isServed ? undefined : nowhereFault(mcpPath));
    void handle(serving, endpoint, request, response, fault);
  });
  http.on("connection", limitedPerAddress(MAX_CONNECTIONS_PER_ADDRESS));
  const sweep = setInterval(() => void sessions.closeIdle(), SWEEP_MS);
  sweep.unref();

  http.prependListener("request", ({ socket }) => enterSocket(socket));
  const listening = await listen(http, port);
  if (!listening.ok) return listening;
  return ok({
    url: `http://${HOST}:${listening.value}${mcpPath}`,
    close: async (graceMs = 0) => {
      clearInterval(sweep);
      serving.isStopping = true;
      const closed = new Promise((resolve) => http.close(resolve));
      await serving.requests.settled(graceMs);
      front.stop();
      await serving.requests.settled(LAST_ANSWERS_MS);
      await sessions.closeAll();
      await modern.close();
      http.closeAllConnections();
      await closed;
    },
  });
}

const complain = rateLimited(console.error);

type HttpServed = Pick<
  McpFront,
  "about" | "factory" | "directCall" | "onToolsChange" | "onResourcesChange" | "stop"
>;

function nowhereFault(mcpPath: string): BodyFault {
  // Where the path is a secret, it is not told.
  const message =
    mcpPath === MCP_PATH
      ? `MCP is served at ${MCP_PATH}, the tools as plain HTTP as /openapi.json tells`
      : "There is nothing here";
  return { status: 404, code: -32_600, problem: "REQUEST_INVALID", message };
}

/** Why a request is not taken that a page of another site may have had a browser make. */
function foreignFault({ headers: { host, origin } }: IncomingMessage): BodyFault | undefined {
  const found = [
    validateHostHeader(host, localhostAllowedHostnames()),
    validateOriginHeader(origin, localhostAllowedOrigins()),
  ].find((each) => !each.ok);
  if (found === undefined || found.ok) return undefined;
  return { status: 403, code: -32_000, problem: "REQUEST_INVALID", message: found.message };
}

interface Serving {
  readonly front: HttpServed;
  readonly modern: McpHttpHandler;
  readonly sessions: HttpSessions;
  readonly bodies: BodyReader;
  readonly requests: OpenRequests<ServerResponse>;
  isStopping?: boolean;
}

/** What is served at some of the paths. */
interface Endpoint {
  /** Whether a request wants an answer, for which the server's end waits; a subscription is answered when it ends. */
  awaits(method: string, body: unknown): boolean;
  /** Whether the request is taken though the server is about to end. */
  takesLast(method: string, body: unknown): boolean;
  /** Answers what need not be made a web request first; gives whether it did. */
  answerDirectly?(
    request: IncomingMessage,
    body: unknown,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<boolean>;
  answer(request: Request, body: unknown, response: ServerResponse): Promise<Response>;
  refusal(fault: BodyFault, headers?: Readonly<Record<string, string>>): Response;
}

function mcpEndpoint(serving: Serving): Endpoint {
  return {
    awaits: (_method, body) => ![undefined, "subscriptions/listen"].includes(methodOf(body)),
    takesLast: (method, body) => method === "POST" && methodOf(body) === undefined,
    answerDirectly: async (request, body, response, gone) =>
      callAnswered(serving, request, body, response, gone),
    answer: async (request, parsedBody, response) =>
      (await isLegacyRequest(request, parsedBody))
        ? legacyAnswer(serving, request, parsedBody, response)
        : serving.modern.fetch(request, { parsedBody }),
    refusal: ({ status, code, message }, headers) => rpcError(status, code, message, headers),
  };
}

async function handle(
  serving: Serving,
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  fault?: BodyFault,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(CLOSED));
  try {
    if (fault) {
      await send(endpoint.refusal(fault), response);
      return;
    }
    const { method = "GET" } = request;
    const body = method === "POST" ? await serving.bodies.read(request) : undefined;
    if (body?.kind === "gone") return;
    if (body?.kind === "fault") {
      await send(endpoint.refusal(body.fault, { connection: "close" }), response);
      drain(request);
      return;
    }
    const parsedBody = body?.value;
    if (serving.isStopping && !endpoint.takesLast(method, parsedBody)) {
      const { code, message } = SHUTTING_DOWN;
      await send(
        endpoint.refusal({ status: 503, code, problem: "RUNNER_CLOSED", message }, { connection: "close" }),
        response,
      );
      return;
    }
    if (endpoint.awaits(method, parsedBody) && !response.closed) {
      serving.requests.open(response);
      response.once("close", () => serving.requests.close(response));
    }
    if (await endpoint.answerDirectly?.(request, parsedBody, response, gone.signal)) return;
    const asked = webRequest(request, gone.signal);
    const answer = await endpoint.answer(asked, parsedBody, response);
    await send(answer, response);
  } catch (error) {
    // What goes wrong in one request ends nothing else.
    if (gone.signal.aborted) return;
    complain(`A request failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    if (response.headersSent) response.destroy();
    else
      await send(
        endpoint.refusal({ status: 500, code: -32_603, problem: "INTERNAL", message: "Internal error" }),
        response,
      );
  }
}

function idOf(message: unknown): RequestId | null {
  return requestIds(message)[0] ?? null;
}

/** What a message asks for, if it asks and wants an answer. */
function methodOf(message: unknown): string | undefined {
  const all: readonly unknown[] = Array.isArray(message) ? message : [message];
  const request = all.find(
    (each) => typeof each === "object" && each !== null && "method" in each && "id" in each,
  );
  return request === undefined ? undefined : String((request as { method: unknown }).method);
}

/** Why the signal of a request is aborted. One for all: to make an error costs more than the rest. */
const CLOSED = new DOMException("The connection is closed, or the answer sent", "AbortError");

/** The request without its body, which has been read. */
function webRequest({ method = "GET", headers, url = "/" }: IncomingMessage, signal: AbortSignal): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const each of Array.isArray(value) ? value : [value ?? ""]) given.append(name, each);
  const request = new Request(new URL(url, `http://${HOST}`), { method, headers: given });
  // One of its own that follows another would be kept until all garbage is collected.
  return Object.defineProperty(request, "signal", { value: signal });
}

/** Sends what is there at the same time together, and the headers soon, whenever the first event of a stream may come. */
async function send({ status, headers, body }: Response, response: ServerResponse): Promise<void> {
  // A call that was to be answered past the SDK has the same ones.
  if (!response.headersSent) response.writeHead(status, Object.fromEntries(headers));
  if (body === null) {
    response.end();
    return;
  }
  const { socket } = response;
  const early = setTimeout(() => response.flushHeaders(), HEADERS_MS);
  const reader = body.getReader();
  const cancel = (): unknown => reader.cancel(CLOSED).catch(() => undefined);
  if (response.closed) await cancel();
  const closed = new Promise((resolve) => response.once("close", resolve));
  void closed.then(cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.closed) break;
      socket?.cork();
      process.nextTick(() => socket?.uncork());
      if (!response.write(value)) await Promise.race([once(response, "drain"), closed]);
    }
  } finally {
    clearTimeout(early);
  }
  response.end();
}

/** Lets a client that was refused read the answer, though it still sends. */
function drain(request: IncomingMessage): void {
  request.resume();
  setTimeout(() => request.destroy(), LINGER_MS).unref();
}

/** Refuses the connections of an address that has so many. */
function limitedPerAddress(most: number): (socket: Socket) => void {
  const open = new Map<string, number>();
  return (socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > most) socket.destroy();
  };
}

/**
 * Answers a call of a skill's tool in a session past the SDK, as the SDK would; gives whether it did. What is not as the
 * SDK wants it, and calls that tell how they go on, are left to it.
 */
async function callAnswered(
  { front, sessions }: Serving,
  request: IncomingMessage,
  body: unknown,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<boolean> {
  const { headers } = request;
  const known = headers["mcp-session-id"];
  if (typeof known !== "string" || !isAcceptable(headers)) return false;
  const session = sessions.get(known);
  const asked = session && callRequestIn(body);
  if (!asked || asked.params._meta?.["progressToken"] !== undefined) return false;
  const call = front.directCall(session.server, asked.params);
  if (!call || session.begin(body, gone) !== undefined) return false;

  session.use(response);
  response.writeHead(200, { ...STREAM_HEADERS, "mcp-session-id": known, "x-accel-buffering": "no" });
  const early = setTimeout(() => response.flushHeaders(), HEADERS_MS);
  const alive = setInterval(() => response.write(": keepalive\n\n"), KEEP_ALIVE_MS);
  const answer = await session.call(asked.id, call);
  clearTimeout(early);
  clearInterval(alive);
  if (answer.kind === "asking") {
    const rest = await session.transport.handleRequest(webRequest(request, gone), { parsedBody: body });
    await send(rest, response);
    return true;
  }
  if (answer.kind === "answered")
    response.write(`event: message\ndata: ${JSON.stringify(answer.message)}\n\n`);
  response.end();
  return true;
}

/** Whether the SDK takes a request with these headers, in the revisions with sessions. */
function isAcceptable(headers: IncomingHttpHeaders): boolean {
  const { accept = "", "mcp-protocol-version": version } = headers;
  const isOfSessions =
    version === undefined || (typeof version === "string" && SUPPORTED_PROTOCOL_VERSIONS.includes(version));
  const takesBoth = accept.includes("application/json") && accept.includes("text/event-stream");
  return isOfSessions && takesBoth && isJsonContentType(headers["content-type"]);
}

/** As the SDK has them, in its order. */
const STREAM_HEADERS = {
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "content-type": "text/event-stream",
} as const;

// The 2025 revisions have sessions, and only in a session can a client be told that the list of tools has changed.
async function legacyAnswer(
  { front, sessions }: Serving,
  request: Request,
  parsedBody: unknown,
  response: ServerResponse,
): Promise<Response> {
  const known = request.headers.get("mcp-session-id");
  if (known !== null) {
    const session = sessions.get(known);
    if (!session) return rpcError(404, -32_001, "Session not found: initialize a new one");
    session.use(response);
    const running = session.begin(parsedBody, request.signal);
    if (running === undefined) return session.transport.handleRequest(request, { parsedBody });
    const message = `A request with the id ${JSON.stringify(running)} is still running: each has an id of its own`;
    return rpcError(400, -32_600, message, {}, running);
  }
  if (methodOf(parsedBody) === "initialize" && !isInitializeRequest(parsedBody)) {
    const message = "Invalid params: initialize takes protocolVersion, capabilities and clientInfo";
    return rpcError(400, -32_602, message, {}, idOf(parsedBody));
  }
  const address = response.socket?.remoteAddress ?? "";
  const full = sessions.makeRoom(address);
  if (full !== undefined) return noRoom(full);

  const id = randomUUID();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: () => sessions.delete(id),
  });
  const server = front.factory({ era: "legacy", requestInfo: request }) as McpServer;
  const session = new HttpSession({ address, server, transport });
  sessions.add(id, session);
  session.use(response);
  await session.connect();
  const answer = await transport.handleRequest(request, { parsedBody });
  if (transport.sessionId === undefined) {
    sessions.delete(id);
    await server.close();
  }
  return answer;
}

function noRoom(full: "address" | "server"): Response {
  const [status, whose] = full === "address" ? [429, "from your address"] : [503, "on this server"];
  const message = `There are too many sessions ${whose}: end one with DELETE, or try again later`;
  return rpcError(status, -32_000, message, { "retry-after": `${RETRY_AFTER_SECONDS}` });
}

function rpcError(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  id: RequestId | null = null,
): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status, headers });
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
