import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { upstreamServers } from "../../src/upstream/upstream-config.ts";
import { Upstreams } from "../../src/upstream/upstreams.ts";

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

/** What answers a call over HTTP, after the server behind it may have done what it was asked. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse, id: unknown) => void>> = {
  bad_gateway: (response) => void response.writeHead(502).end("<html>Bad gateway</html>"),
  gateway_timeout: (response) => void response.writeHead(504).end(),
  cut_json: (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":'),
  a_page: (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
  proxy_timeout: (response, id) =>
    json(response, 200, { jsonrpc: "2.0", id, error: { code: -32_001, message: "Request timed out" } }),
  hang_up: (response) => void response.destroy(),
  refused: (response, id) =>
    json(response, 200, { jsonrpc: "2.0", id, error: { code: -32_602, message: "No such order" } }),
  forbidden: (response) => void response.writeHead(403).end(),
  failed: (response, id) =>
    json(response, 200, {
      jsonrpc: "2.0",
      id,
      result: { isError: true, content: [{ type: "text", text: "sold out" }] },
    }),
};
const REFUSALS: ReadonlySet<string> = new Set(["refused", "forbidden", "failed"]);

const server = createServer((request, response) => {
  void text(request).then((body) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: unknown;
      method: string;
      params: { name?: string; protocolVersion?: string };
    };
    if (id === undefined) return response.writeHead(202).end();
    switch (method) {
      case "initialize":
        return json(response, 200, {
          jsonrpc: "2.0",
          id,
          result: {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "s", version: "1" },
          },
        });
      case "tools/list":
        return json(response, 200, {
          jsonrpc: "2.0",
          id,
          result: { tools: Object.keys(ANSWERS).map((name) => ({ name, inputSchema: { type: "object" } })) },
        });
      case "tools/call":
        return ANSWERS[params.name ?? ""]?.(response, id);
      default:
        return json(response, 200, { jsonrpc: "2.0", id, error: { code: -32_601, message: "unknown" } });
    }
  });
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

test.each(Object.keys(ANSWERS))(
  "whether a call was answered is told where it is answered so: %s",
  async (name) => {
    const { port } = server.address() as AddressInfo;
    const servers = upstreamServers({ shop: { url: `http://127.0.0.1:${port}/mcp` } }, "/");
    const upstreams = new Upstreams({ servers });
    const called = await upstreams.call(`shop.${name}`, {});
    await upstreams.close();
    expect(called.ok).toBe(false);
    expect(called.ok ? undefined : called.error.details).toEqual(
      REFUSALS.has(name) ? undefined : { unanswered: true },
    );
  },
);
