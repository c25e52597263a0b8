import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Trace } from "../../src/core/trace-event.ts";
import { sessionTrace } from "../../src/trace/record/session-trace.ts";
import { sqliteStore } from "../../src/trace/store/sqlite/sqlite-store.ts";
import {
  ERAS,
  newClient,
  ROOT,
  servedOverHttp,
  stdioTransport,
  textOf,
  Workplace,
} from "./connected-client.ts";

const SKILLS = {
  double: `export default ({ x }: { x: number }): number => x * 2`,
  quadruple: `export default async ({ x }: { x: number }): Promise<number> => {
  const twice = await call_skill("double", { x });
  return call_skill("double", { x: twice });
}`,
  picky: `export default ({ x, force = false }: { x: number; force?: boolean }): number => {
  if (x < 0 && !force) throw new Error("x is negative");
  return x;
}`,
  "order-city": `export default async ({ id }: { id: string }): Promise<string> => {
  const { order } = await call_tool("shop.get_order", { id });
  return order.shipTo.city;
}`,
  endless: `export default async (): Promise<void> => { await call_tool("shop.get_order", { id: "O-1001" }); for (;;) {} }`,
};

const SHOP = {
  mcpServers: {
    shop: {
      command: process.execPath,
      args: ["--disable-warning=ExperimentalWarning", join(ROOT, "examples/shop-server.ts")],
      publish: true,
    },
  },
};

interface RunLine {
  readonly runId: string;
  readonly name: string;
  readonly status: string;
  readonly source: string;
}

async function runs(client: Client, filter: object = {}): Promise<readonly RunLine[]> {
  const { structuredContent } = await client.callTool({ name: "list_runs", arguments: { ...filter } });
  return (structuredContent as { runs: readonly RunLine[] }).runs;
}

/** Recording never holds up a call, so what was just done may still be on its way. */
async function recorded(client: Client, count: number): Promise<readonly RunLine[]> {
  for (let tries = 0; tries < 100; tries++) {
    const found = await runs(client);
    if (found.length >= count && found.every(({ status }) => status !== "running")) return found;
    await pause(50);
  }
  throw new Error(`there are not ${count} runs`);
}

describe.each(ERAS)("what a client of the %s era does", (era) => {
  let workplace: Workplace;
  let client: Client;
  beforeAll(async () => {
    workplace = await Workplace.create(SKILLS, { ...SHOP, traces: { store: "own/traces.db" } });
    client = newClient(era).client;
    await client.connect(stdioTransport(workplace));
    for (let tries = 0; tries < 200; tries++) {
      const { tools } = await client.listTools();
      if (tools.some(({ name }) => name.includes("get_order"))) break;
      await pause(50);
    }
    const calls = [
      ["quadruple", { x: 3 }],
      ["picky", { x: -1 }],
      ["picky", { x: -1, force: true }],
      [await passedName(client), { id: "O-1002" }],
      ["order-city", { id: "O-1002" }],
    ] as const;
    for (const [name, input] of calls) await client.callTool({ name, arguments: input });
    await recorded(client, calls.length);
  });
  afterAll(async () => {
    await client.close();
    await workplace[Symbol.asyncDispose]();
  });

  test("is listed, newest first, with how it ended", async () => {
    const listed = (await runs(client)).map(({ name, status, source }) => `${source} ${name} ${status}`);
    expect(listed).toEqual([
      "run order-city completed",
      "session shop.get_order completed",
      "run picky completed",
      "run picky failed",
      "run quadruple completed",
    ]);
    expect(await runs(client, { status: "failed" })).toHaveLength(1);
    expect(await runs(client, { name: "order-city" })).toHaveLength(1);
    const { structuredContent } = await client.callTool({ name: "list_runs", arguments: { limit: 2 } });
    const { next } = structuredContent as { next: string };
    expect((await runs(client, { limit: 2, after: next })).map(({ name }) => name)).toEqual([
      "picky",
      "picky",
    ]);
  });

  test("is shown call by call", async () => {
    const [{ runId } = { runId: "" }] = await runs(client, { name: "quadruple" });
    const { structuredContent } = await client.callTool({ name: "get_run", arguments: { runId } });
    expect(structuredContent).toMatchObject({
      runId,
      source: "run",
      events: [
        { order: 0, type: "skill_call", name: "quadruple", callPath: "0", inputs: { x: 3 }, outputs: 12 },
        {
          order: 1,
          within: 0,
          name: "double",
          callPath: "0.0",
          inputs: { x: 3 },
          outputs: 6,
          status: "completed",
        },
        { order: 2, within: 0, name: "double", callPath: "0.1", inputs: { x: 6 }, outputs: 12 },
      ],
    });
    const [failed] = await runs(client, { status: "failed" });
    const shown = await client.callTool({ name: "get_run", arguments: { runId: failed?.runId ?? "" } });
    expect(shown.structuredContent).toMatchObject({
      events: [{ status: "failed", errorCode: "SKILL_THREW", errorMessage: "x is negative" }],
    });
    const part = await client.callTool({ name: "get_run", arguments: { runId, from: 1, limit: 1 } });
    expect(part.structuredContent).toMatchObject({ events: [{ order: 1 }], next: 2 });
  });

  test("is not shown to others", async () => {
    const other = newClient(era).client;
    await other.connect(stdioTransport(workplace));
    const [{ runId } = { runId: "" }] = await runs(client);
    expect(await runs(other)).toEqual([]);
    const result = await other.callTool({ name: "get_run", arguments: { runId } });
    expect(textOf(result)).toContain("RUN_NOT_FOUND");
    await other.close();
  });

  test("is one trace with order, in which what was tried again is marked", async () => {
    const { events } = await traceOf(join(workplace.folder, "own/traces.db"), client);
    expect(
      events.map(({ eventType, eventSubtype, agentName, callPath, status }) =>
        [eventType, eventSubtype, agentName, callPath, status].filter((part) => part !== undefined).join(" "),
      ),
    ).toEqual([
      "skill_call quadruple 0 completed",
      "skill_call double 0.0 completed",
      "skill_call double 0.1 completed",
      "skill_call picky 0 failed",
      "skill_call retry picky 0 completed",
      "tool_call shop.get_order 0 completed",
      "skill_call order-city 0 completed",
      "tool_call shop.get_order 0.0 completed",
    ]);
    expect(events.map(({ executionOrder }) => executionOrder)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(events[4]?.meta).toMatchObject({ retryOf: events[3]?.id });
    expect(events[0]?.skillDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(events[5]?.outputs).toMatchObject({ order: { id: "O-1002" } });
  });

  test("tells how skills fare, where they are described and found", async () => {
    const described = await client.callTool({ name: "describe_skill", arguments: { name: "double" } });
    expect(described.structuredContent).toMatchObject({
      usage: {
        calls: 2,
        successRate: { rate: 1, low: 0.342, high: 1 },
        p95Ms: expect.any(Number),
        lastUsed: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        versions: [{ isCurrent: true, calls: 2, digest: expect.stringMatching(/^[0-9a-f]{12}$/) }],
      },
    });
    const found = await client.callTool({ name: "search_skills", arguments: { query: "picky" } });
    expect(found.structuredContent).toMatchObject({
      skills: [{ name: "picky", usage: { calls: 2, successRate: { rate: 0.5 } } }],
    });
    const unused = await client.callTool({ name: "describe_skill", arguments: { name: "endless" } });
    expect(unused.structuredContent).not.toHaveProperty("usage");
  });

  test("can be added to by transcripts of work done elsewhere", async () => {
    const text = await readFile(join(ROOT, "test/fixtures/traces/openai-chat.orders.json"), "utf8");
    const before = (await runs(client)).length;
    for (const trace of [text, JSON.parse(text)]) {
      const result = await client.callTool({ name: "submit_trace", arguments: { trace } });
      expect(result.structuredContent).toMatchObject({
        runs: [{ runId: expect.any(String), format: "openai-chat", calls: expect.any(Number) }],
      });
    }
    const listed = await runs(client);
    expect(listed).toHaveLength(before + 1);
    expect(listed.filter(({ source }) => source === "import")).toHaveLength(1);
    const submitted = listed.find(({ source }) => source === "import");
    const shown = await client.callTool({ name: "get_run", arguments: { runId: submitted?.runId ?? "" } });
    expect(shown.structuredContent).toMatchObject({ source: "import", runId: submitted?.runId });
    const nothing = await client.callTool({ name: "submit_trace", arguments: { trace: { hello: "world" } } });
    expect(nothing.isError).toBe(true);
    expect(textOf(nothing)).toContain("INPUT_INVALID: The transcript holds nothing that can be recorded");
  });
});

test("a run that the server does not live to end is there, with what was known of it", async () => {
  await using workplace = await Workplace.create(SKILLS, { ...SHOP, traces: { store: "traces.db" } });
  const { client } = newClient("modern");
  const transport = stdioTransport(workplace);
  await client.connect(transport);
  const call = client.callTool({ name: "endless", arguments: {} }).catch(() => undefined);
  for (let tries = 0; tries < 100 && (await runs(client)).length === 0; tries++) await pause(50);
  expect(transport.pid).toBeTypeOf("number");
  process.kill(transport.pid ?? 0, "SIGKILL");
  await call;
  const store = sqliteStore(join(workplace.folder, "traces.db"));
  if (!store.ok) throw new Error(store.error.message);
  const page = await store.value.runs();
  expect(page).toMatchObject({ ok: true, value: { runs: [{ name: "endless", status: "running" }] } });
  await store.value.close();
});

test("where traces cannot be written, calls are answered all the same, and a warning says why", async () => {
  await using workplace = await Workplace.create(SKILLS, { traces: { store: "folder" } });
  await mkdir(join(workplace.folder, "folder"));
  const { client } = newClient("modern");
  const transport = stdioTransport(workplace);
  let told = "";
  transport.stderr?.on("data", (chunk: Buffer) => (told += chunk.toString()));
  await client.connect(transport);
  const result = await client.callTool({ name: "double", arguments: { x: 4 } });
  expect(result.structuredContent).toEqual({ result: 8 });
  const described = await client.callTool({ name: "describe_skill", arguments: { name: "double" } });
  expect(described.structuredContent).toMatchObject({ name: "double" });
  const listed = await client.callTool({ name: "list_runs", arguments: {} });
  expect(textOf(listed)).toContain("STORE_UNAVAILABLE");
  for (let tries = 0; tries < 100 && !told.includes("not recorded"); tries++) await pause(50);
  expect(told).toContain("Traces are not recorded");
  await client.close();
});

test("a server deletes what the configuration does not keep", async () => {
  await using workplace = await Workplace.create(SKILLS, {
    traces: { store: "traces.db", retention: { maxRuns: 2 }, visible: "all" },
  });
  const first = newClient("modern").client;
  await first.connect(stdioTransport(workplace));
  for (const x of [1, 2, 3, 4]) await first.callTool({ name: "double", arguments: { x } });
  expect(await recorded(first, 4)).toHaveLength(4);
  await first.close();
  const second = newClient("modern").client;
  await second.connect(stdioTransport(workplace));
  for (let tries = 0; tries < 100 && (await runs(second)).length > 2; tries++) await pause(50);
  expect(await runs(second)).toHaveLength(2);
  await second.close();
});

test("nothing is recorded where the configuration says so", async () => {
  await using workplace = await Workplace.create(SKILLS, { traces: { record: false, store: "traces.db" } });
  const { client } = newClient("modern");
  await client.connect(stdioTransport(workplace));
  await client.callTool({ name: "double", arguments: { x: 4 } });
  await pause(100);
  expect(await runs(client)).toEqual([]);
  await client.close();
});

test("over HTTP without sessions, requests of one trace id belong together", async () => {
  await using workplace = await Workplace.create(SKILLS, { traces: { store: "traces.db" } });
  await using served = await servedOverHttp(workplace);
  const { client } = newClient("modern");
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  const asked = async (name: string, input: object, trace?: string): Promise<unknown> => {
    const meta =
      trace === undefined ? {} : { _meta: { traceparent: `00-${trace.repeat(32)}-00f067aa0ba902b7-01` } };
    return (await client.callTool({ name, arguments: { ...input }, ...meta })).structuredContent;
  };
  await asked("double", { x: 1 }, "a");
  await asked("double", { x: 2 });
  for (let tries = 0; tries < 100; tries++) {
    const { runs: found } = (await asked("list_runs", {}, "a")) as { runs: readonly RunLine[] };
    if (found.some(({ name }) => name === "double")) break;
    await pause(50);
  }
  expect(await asked("list_runs", { name: "double" }, "a")).toMatchObject({ runs: [{ name: "double" }] });
  expect(await asked("list_runs", {}, "b")).toEqual({ runs: [] });
  expect(await asked("list_runs", {})).toMatchObject({
    runs: [],
    note: expect.stringContaining("no session"),
  });
  await client.close();
});

async function passedName(client: Client): Promise<string> {
  const { tools } = await client.listTools();
  return tools.find(({ name }) => name.includes("get_order"))?.name ?? "";
}

async function traceOf(file: string, client: Client): Promise<Trace> {
  const store = sqliteStore(file);
  if (!store.ok) throw new Error(store.error.message);
  const [{ runId } = { runId: "" }] = await runs(client, { name: "quadruple" });
  const page = await store.value.runs({ name: "quadruple" });
  const run = page.ok ? page.value.runs.find((each) => each.runId === runId) : undefined;
  const trace = await sessionTrace(store.value, run?.sessionId ?? "");
  await store.value.close();
  if (!trace.ok || !trace.value) throw new Error("there is no such session");
  return trace.value;
}
