import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import type { App } from "../../src/rooms.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import { Workplace } from "./connected-client.ts";
import { legacySession, modernCall, type RpcAnswer, servedApp } from "./served-app.ts";

const SKILLS = {
  brief: `export default (): string => { const until = Date.now() + 600; while (Date.now() < until); return "done"; }`,
  loop: `export default (): number => { for (;;); }`,
  outer: `export default async (): Promise<number> => call_skill("loop", {})`,
};
const LONG_MS = 25_000;

type Call = (name: string) => Promise<RpcAnswer>;
const ERAS = [
  [
    "2025",
    async (url: string): Promise<Call> => {
      const session = await legacySession(url);
      return async (name) => session("tools/call", { name, arguments: {} });
    },
  ],
  [
    "2026",
    async (url: string): Promise<Call> =>
      async (name) =>
        modernCall(url, name, {}),
  ],
] as const;

/** Resolves when a run begins from now on. */
async function begun({ runner }: App): Promise<void> {
  const run = vi.spyOn(runner, "run");
  await vi.waitFor(() => expect(run).toHaveBeenCalledOnce(), { timeout: 20_000 });
}

test.each(ERAS)("in %s what runs when an HTTP server ends is answered", async (_, open) => {
  await using workplace = await Workplace.create(SKILLS, { data: "data" });
  await using served = await servedApp(workplace);
  const call = await open(served.url);
  const answer = call("brief");
  await begun(served.app);
  await served.http.close(LONG_MS);
  expect(await answer).toMatchObject({
    status: 200,
    body: { result: { content: [{ text: '{"result":"done"}' }] } },
  });
  await expect(call("brief")).rejects.toThrow("fetch failed");
});

test.each(ERAS)("in %s what runs for too long is cancelled, told so, and recorded", async (_, open) => {
  await using workplace = await Workplace.create(SKILLS, { data: "data" });
  const store = `${workplace.folder}/data/traces.db`;
  {
    await using served = await servedApp(workplace);
    const answer = (await open(served.url))("outer");
    await begun(served.app);
    await served.http.close(100);
    const { status, body } = await answer;
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain("CANCELLED: The run was cancelled: the server is shutting down");
  }
  const traces = openStore(store, {});
  const listed = await traces.runs({});
  await traces.close();
  expect(listed).toMatchObject({ ok: true, value: { runs: [{ name: "outer", status: "cancelled" }] } });
});

test("a request that comes while an HTTP server ends is refused, and told why", async () => {
  await using workplace = await Workplace.create(SKILLS, { data: "data" });
  await using served = await servedApp(workplace);
  const running = modernCall(served.url, "brief", {});
  await begun(served.app);
  const late = request(served.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  });
  const answered = new Promise<{ status: number; body: string }>((resolve, reject) => {
    late.once("error", reject).once("response", (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }));
    });
  });
  // It is connected before the end begins, and says what it wants after it.
  late.flushHeaders();
  await new Promise((resolve) => late.once("socket", (socket) => socket.once("connect", resolve)));
  await modernCall(served.url, "list_runs", {});
  const closing = served.http.close(LONG_MS);
  late.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
  const { status, body } = await answered;
  expect([status, JSON.parse(body)]).toEqual([
    503,
    {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_000, message: "The server is shutting down and takes no more requests" },
    },
  ]);
  await closing;
  expect((await running).status).toBe(200);
});
