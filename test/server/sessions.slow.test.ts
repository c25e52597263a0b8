import { Worker } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { newClient, servedOverHttp, Workplace } from "./connected-client.ts";
import { type LegacySession, legacySession, modernCall, servedApp } from "./served-app.ts";

const SKILLS = {
  greet: `export default ({ name }: { name: string }): { text: string } => ({ text: "Hello, " + name })`,
};
const PER_ADDRESS = 1000;

test("who opens sessions without end is refused, and nobody else's is closed for it", async () => {
  await using workplace = await Workplace.create(SKILLS, { data: "own" });
  await using served = await servedApp(workplace);
  const { url } = served;
  const works = async (session: LegacySession): Promise<boolean> =>
    (await session("tools/call", { name: "greet", arguments: { name: "Ada" } })).status === 200;
  const { client } = newClient("legacy");
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const quiet = await legacySession(url);
  const flood: LegacySession[] = [];
  for (let opened = 0; opened < PER_ADDRESS + 200; opened += 50)
    flood.push(...(await Promise.all(Array.from({ length: 50 }, async () => legacySession(url)))));
  const refused = flood.filter(({ opened }) => opened.status !== 200);
  expect(refused).toHaveLength(200 + 2);
  for (const { opened } of refused) {
    expect(opened.status).toBe(429);
    expect(opened.headers.get("retry-after")).toBe("60");
    expect(opened.body).toMatchObject({ error: { code: -32_000 } });
  }
  expect(await works(quiet)).toBe(true);
  expect((await client.callTool({ name: "greet", arguments: { name: "Bo" } })).isError).not.toBe(true);
  // The 2026 revision has no sessions.
  expect((await modernCall(url, "greet", { name: "Cy" })).status).toBe(200);

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * 60_000 });
  try {
    const late = await Promise.all(Array.from({ length: 100 }, async () => legacySession(url)));
    expect(late.map(({ opened }) => opened.status)).toEqual(late.map(() => 200));
    // Its stream is open.
    expect((await client.callTool({ name: "greet", arguments: { name: "Bo" } })).isError).not.toBe(true);
  } finally {
    vi.useRealTimers();
  }
  await client.close();
});

/** Posts the same text without end, in a thread of its own. */
const ATTACKER = `
const { workerData: { url, text } } = require("node:worker_threads");
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "greet" };
const attack = async () => {
  for (;;) await fetch(url, { method: "POST", headers, body: text }).then((answer) => answer.text()).catch(() => {});
};
for (let each = 0; each < 6; each++) void attack();
`;

function names(count: number): string {
  const pairs = Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",");
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","_meta":${JSON.stringify(meta)},"arguments":{${pairs}}}}`;
}

test.each([
  ["too deep", "[".repeat(4_000_000)],
  ["too wide", names(250_000)],
  ["as wide as can be", names(4900)],
])("beside six that send messages that are %s without end, honest calls are answered", async (_, text) => {
  await using workplace = await Workplace.create(SKILLS, { data: "own" });
  await using served = await servedOverHttp(workplace);
  const { client } = newClient("legacy");
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  await client.callTool({ name: "greet", arguments: { name: "Ada" } });
  const honest = async (): Promise<number> => {
    const took: number[] = [];
    for (let calls = 0; calls < 40; calls++) {
      const startedAt = performance.now();
      const result = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
      expect(result.structuredContent).toEqual({ text: "Hello, Ada" });
      took.push(performance.now() - startedAt);
    }
    return took.toSorted((a, b) => a - b)[36] ?? Number.NaN;
  };
  const calm = await honest();
  const attackers = new Worker(ATTACKER, { eval: true, workerData: { url: served.url, text } });
  try {
    // Seconds before messages were measured; what a busy machine takes beside it, it takes in calm, too.
    expect(await honest()).toBeLessThan(Math.max(750, 10 * calm));
  } finally {
    await attackers.terminate();
    await client.close();
  }
});
