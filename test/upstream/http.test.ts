import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { Neighbours, refusal, until } from "./upstream-fixtures.ts";

/** An HTTP server on the loopback, gone when disposed of. */
class Site implements AsyncDisposable {
  readonly url: string;
  readonly requests: IncomingMessage[] = [];
  readonly #server;

  private constructor(server: ReturnType<typeof createServer>, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}/mcp`;
  }

  static async open(answer: RequestListener, port = 0): Promise<Site> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const address = server.address();
    const site = new Site(server, typeof address === "object" && address ? address.port : 0);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      site.requests.push(request);
      answer(request, response);
    });
    return site;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const object = { type: "object" } as const;
const tools = ["hello", "big", "slow"].map((name) => ({ name, inputSchema: object }));

function good(): McpServer {
  const mcp = new McpServer(
    { name: "web", version: "2.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  mcp.server.setRequestHandler("tools/list", () => ({ tools }));
  mcp.server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal } }) => {
    if (params.name === "slow")
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    const text = params.name === "big" ? "x".repeat(9_000_000) : "hello";
    return { content: [{ type: "text", text }], structuredContent: { text } };
  });
  return mcp;
}

function goodListener(legacy: "stateless" | "reject" = "stateless"): RequestListener {
  const handle = toNodeHandler(createMcpHandler(good, { legacy }));
  return (request, response) => void handle(request as Parameters<typeof handle>[0], response);
}

/** A server of the old era with a session, which answers by hand. */
function oldListener(isKnown: () => boolean = () => true): RequestListener {
  return (request, response) => {
    const json = (status: number, body: object, headers = {}): void => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ jsonrpc: "2.0", ...body }));
    };
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const { id, method } = JSON.parse(text) as { id?: number; method: string };
      const serverInfo = { name: "old", version: "0" };
      switch (method) {
        case "initialize":
          return json(
            200,
            { id, result: { protocolVersion: "2025-03-26", capabilities: { tools: {} }, serverInfo } },
            { "mcp-session-id": "session-1" },
          );
        case "tools/list":
          return json(200, { id, result: { tools } });
        case "tools/call":
          if (!isKnown())
            return json(404, { id: null, error: { code: -32001, message: "Session not found" } });
          return json(200, { id, result: { content: [{ type: "text", text: "old" }] } });
        default:
          if (id !== undefined)
            return json(400, { id, error: { code: -32601, message: "Method not found" } });
          response.writeHead(202).end();
      }
    });
  };
}

describe("a server over HTTP", () => {
  test.each([
    ["both eras", goodListener(), "2026-07-28"],
    ["the new era alone", goodListener("reject"), "2026-07-28"],
    ["the old era alone", oldListener(), "2025-03-26"],
  ])("of %s is reached", async (_, listener, version) => {
    await using site = await Site.open(listener);
    await using others = new Neighbours({ web: { type: "http", url: site.url } });
    expect(await refusal(others, "web.hello")).toBe("");
    expect(others.healthOf("web")).toMatchObject({
      state: "ready",
      transport: "http",
      protocolVersion: version,
    });
  });

  test("is sent the configured headers", async () => {
    await using site = await Site.open((request, response) => {
      if (request.headers.authorization === "Bearer is set") goodListener()(request, response);
      else response.writeHead(401).end();
    });
    await using others = new Neighbours({
      web: { url: site.url, headers: { Authorization: "Bearer ${SET}" } },
      without: { url: site.url },
    });
    expect(await refusal(others, "web.hello")).toBe("");
    expect(await refusal(others, "without.hello")).toBe(
      `TOOL_FAILED: The server "without" cannot be used: ${site.url} answered 401: look at the credentials in its "headers"`,
    );
  });

  test.each([
    ["500", 500, "text/plain", "oops", "answered 500: the server itself failed"],
    ["403", 403, "text/plain", "no", 'answered 403: look at the credentials in its "headers"'],
    ["404", 404, "text/html", "<p>Where?</p>", 'answered 404: look at the path of its "url"'],
    ["HTML", 200, "text/html", "<p>Welcome</p>", "does not speak MCP: Unexpected content type: text/html"],
    ["nonsense", 200, "application/json", "{", "/mcp does not speak MCP: "],
  ])("that answers %s cannot be used", async (_, status, type, body, why) => {
    await using site = await Site.open((_, response) => {
      response.writeHead(status, { "content-type": type });
      response.end(body);
    });
    await using others = new Neighbours({ web: { url: `${site.url}?key=secret` } });
    const told = await refusal(others, "web.hello");
    expect(told).toContain(`TOOL_FAILED: The server "web" cannot be used: `);
    expect(told).toContain(why);
    expect(told).not.toContain("secret");
  });

  test("that is down is found again when it is up", async () => {
    const site = await Site.open(goodListener());
    const { port, url } = site;
    await using others = new Neighbours({ web: { url } });
    expect(await refusal(others, "web.hello")).toBe("");
    await site[Symbol.asyncDispose]();
    expect(await refusal(others, "web.hello")).toMatch(/cannot be reached: (ECONN|UND_ERR_SOCKET)/);
    expect(await refusal(others, "web.hello")).toMatch(/cannot be reached: ECONNREFUSED/);
    await using _again = await Site.open(goodListener(), port);
    await until(() => others.healthOf("web").state !== "connecting");
    expect(await refusal(others, "web.hello")).toBe("");
    expect(others.healthOf("web")).toMatchObject({ state: "ready", restarts: 1 });
  });

  test("whose address cannot be used is told as that", async () => {
    await using others = new Neighbours({ web: { url: "http://127.0.0.1:9/mcp" } });
    expect(await refusal(others, "web.hello")).toBe(
      'TOOL_FAILED: The server "web" cannot be used: http://127.0.0.1:9/mcp cannot be reached: bad port',
    );
  });

  test("that never answers lets nobody wait for long", async () => {
    await using site = await Site.open(() => undefined);
    await using others = new Neighbours({ web: { url: site.url, startTimeoutMs: 500 } });
    expect(await refusal(others, "web.hello")).toMatch(/^TOOL_FAILED: The server "web" cannot be used: /);
  });

  test("is told of a timeout and of a cancelled call", async () => {
    await using site = await Site.open(goodListener());
    await using others = new Neighbours({ web: { url: site.url, timeoutMs: 400 } });
    await others.tools();
    expect(await refusal(others, "web.slow")).toMatch(/it did not answer within \d+ ms$/);
    const controller = new AbortController();
    const calling = others.call("web.slow", {}, { signal: controller.signal, timeoutMs: 10_000 });
    await until(() => others.healthOf("web").inFlight === 1);
    controller.abort();
    expect(await calling).toMatchObject({ error: { code: "CANCELLED" } });
    expect(await refusal(others, "web.hello")).toBe("");
  });

  test("that gives more than the limit: that call alone fails", async () => {
    await using site = await Site.open(goodListener());
    await using others = new Neighbours({ web: { url: site.url } }, { mostResultBytes: 2 ** 20 });
    expect(await refusal(others, "web.big")).toMatch(/^(TOOL_FAILED|OUTPUT_TOO_LARGE): .*4194304 bytes/);
    expect(await refusal(others, "web.hello")).toBe("");
  });

  test.each([
    ["breaks off", (response: ServerResponse) => void response.destroy()],
    [
      "streams without end",
      (response: ServerResponse) => {
        const event = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x".repeat(1000) } })}\n\n`;
        const more = (): void => {
          while (!response.destroyed && response.write(event.repeat(50)));
          if (!response.destroyed) response.once("drain", () => setImmediate(more));
        };
        more();
      },
    ],
  ])("whose answer %s fails that call", async (_, answer) => {
    let isBad = false;
    const listener = goodListener();
    await using site = await Site.open((request, response) => {
      if (!isBad || request.method !== "POST") return listener(request, response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": \n\n");
      setTimeout(() => answer(response), 20);
    });
    await using others = new Neighbours({ web: { url: site.url } });
    await others.tools();
    isBad = true;
    const asked = performance.now();
    expect(await refusal(others, "web.hello")).toMatch(/^TOOL_FAILED: The tool "web.hello" failed: /);
    expect(performance.now() - asked).toBeLessThan(10_000);
    isBad = false;
    expect(await refusal(others, "web.hello")).toBe("");
  });

  test("that has forgotten the session is given a new one", async () => {
    let isKnown = true;
    await using site = await Site.open(oldListener(() => isKnown));
    await using others = new Neighbours({ web: { url: site.url } });
    expect(await refusal(others, "web.hello")).toBe("");
    isKnown = false;
    expect(await refusal(others, "web.hello")).toContain("answered 404");
    isKnown = true;
    expect(await refusal(others, "web.hello")).toBe("");
  });

  test("that redirects elsewhere is not followed with the credentials", async () => {
    await using thief = await Site.open(goodListener());
    await using site = await Site.open((_, response) =>
      response.writeHead(307, { location: thief.url }).end(),
    );
    await using others = new Neighbours({ web: { url: site.url, headers: { "x-key": "secret" } } });
    expect(await refusal(others, "web.hello")).toMatch(/^TOOL_FAILED: The server "web" cannot be used/);
    expect(thief.requests).toEqual([]);
  });
});
