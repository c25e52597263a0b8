import { expect, test, vi } from "vitest";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { newClient, Workplace } from "./connected-client.ts";
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
