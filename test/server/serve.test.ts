import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newClient, stdioTransport, Workplace } from "./connected-client.ts";
import { describeServed, overHttp, type Served } from "./served-client.ts";

// The other three ways are in `serve.slow.test.ts`.
describeServed([["legacy", "stdio"]]);

describe("a server on HTTP", () => {
  let served: Served;
  let port: number;
  beforeAll(async () => {
    served = await overHttp();
    port = served.port ?? 0;
  });
  afterAll(async () => served.close());

  async function status(path: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      request(
        {
          host: "127.0.0.1",
          port,
          path,
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      )
        .on("error", reject)
        .end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
    });
  }

  test("refuses a foreign host and a foreign origin", async () => {
    expect(await status("/mcp", { host: "evil.example" })).toBe(403);
    expect(await status("/mcp", { origin: "https://evil.example" })).toBe(403);
  });

  test("answers 404 elsewhere and to a session that it does not know", async () => {
    expect(await status("/", {})).toBe(404);
    expect(await status("/mcp", { "mcp-session-id": "nobody" })).toBe(404);
  });

  test("outlives requests for what is no address", async () => {
    for (const path of ["//", "/..", "*", "/mcp//", "//mcp?x=["]) expect(await status(path, {})).toBe(404);
    expect(await status("/mcp", {})).not.toBe(404);
  });

  test("serves many clients at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { client } = newClient(index % 2 === 0 ? "legacy" : "modern");
        await client.connect(served.transport());
        const result = await client.callTool({ name: "greet", arguments: { name: String(index) } });
        await client.close();
        return result.structuredContent;
      }),
    );
    expect(answers).toEqual(answers.map((_, index) => ({ text: `Hello, ${index}` })));
  });
});

test("what a server says of itself names no tool that it does not list, also before the first skill", async () => {
  await using workplace = await Workplace.create();
  const { client } = newClient("legacy");
  await client.connect(stdioTransport(workplace));
  const { tools } = await client.listTools();
  const named = client.getInstructions()?.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
  expect(named).toContain("search_skills");
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  await client.close();
});
