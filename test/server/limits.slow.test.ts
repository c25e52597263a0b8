import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CLI, Workplace } from "./connected-client.ts";
import { legacySession, modernCall, post, servedApp } from "./served-app.ts";

const SKILLS = {
  greet: `export default ({ name }: { name: string }): { text: string } => ({ text: "Hello, " + name })`,
  total: `export default ({ rows }: { rows: { id: number; price: number }[] }): { sum: number } =>
  ({ sum: rows.reduce((sum, { price }) => sum + price, 0) })`,
};

/** A call with this text as its arguments. */
function callText(args: string, tool = "greet"): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;
}

const MANY_NAMES = Array.from({ length: 250_000 }, (_, index) => `"k${index}":1`).join(",");
const EXCESSIVE = [
  ["lists that are never closed", "[".repeat(4_000_000), "deeper than 512"],
  ["objects in objects", callText(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`), "deeper than 512"],
  ["a million empty lists", `[${"[],".repeat(1_000_000)}0]`, "more than 100000 values"],
  ["a million numbers", callText(`{"xs":[${"1,".repeat(1_000_000)}1]}`), "more than 100000 values"],
  ["a quarter of a million names", callText(`{${MANY_NAMES}}`), "5000 different names"],
  [
    "names spread over many objects",
    callText(`{"xs":[${Array.from({ length: 6000 }, (_, index) => `{"k${index}":1}`).join(",")}]}`),
    "5000 different names",
  ],
  [
    "names with escaped quotes",
    callText(`{${MANY_NAMES.slice(0, 200_000).replaceAll('"k', String.raw`"\"[{,:k`)}`),
    "5000 different names",
  ],
  ["five megabytes of text", callText(`{"name":"${"x".repeat(5_000_000)}"}`), "more than 4194304 bytes"],
] as const;
const MALFORMED = [
  "",
  "null",
  "1",
  '"text"',
  "{",
  "[]",
  "[[]]",
  "{}",
  "[null]",
  "\u0000",
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}',
  '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7}}',
  callText("[]"),
  callText("null"),
  callText('{"__proto__":{"name":"x"}}'),
];

/** Whether a line is no JSON; one of only white space is no line. */
function isBroken(line: string): boolean {
  try {
    return JSON.parse(line) === undefined;
  } catch {
    return line.replaceAll("\u0000", " ").trim() !== "";
  }
}

describe("over HTTP", () => {
  let workplace: Workplace;
  let served: Awaited<ReturnType<typeof servedApp>>;
  let url: string;
  beforeAll(async () => {
    workplace = await Workplace.create(SKILLS, { data: "own" });
    // The sweep of idle sessions goes by the test's clock.
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    served = await servedApp(workplace);
    ({ url } = served);
  });
  afterAll(async () => {
    vi.useRealTimers();
    await served[Symbol.asyncDispose]();
    await workplace[Symbol.asyncDispose]();
  });

  async function greeted(): Promise<unknown> {
    const { body } = await modernCall(url, "greet", { name: "Ada" });
    return (body["result"] as Record<string, unknown> | undefined)?.["structuredContent"];
  }

  test.each(EXCESSIVE)("%s are refused, with what is too much", async (_, text, excess) => {
    const { status, body } = await post(url, text);
    expect(status).toBe(413);
    expect(body).toMatchObject({ jsonrpc: "2.0", error: { code: -32_600 } });
    expect(JSON.stringify(body)).toContain(excess);
    expect(await greeted()).toEqual({ text: "Hello, Ada" });
  });

  test("a large message within the limits is a message", async () => {
    const rows = Array.from({ length: 15_000 }, (_, id) => ({ id, price: 2 }));
    const { body } = await modernCall(url, "total", { rows });
    expect(body).toMatchObject({ result: { structuredContent: { sum: 30_000 } } });
    const name = `${String.raw`\"[{,:`.repeat(1000)}ü`;
    const said = await modernCall(url, "greet", { name });
    expect(said.body).toMatchObject({ result: { structuredContent: { text: `Hello, ${name}` } } });
  });

  test("what is malformed is answered, and ends nothing", async () => {
    const session = await legacySession(url);
    const statuses = await Promise.all(MALFORMED.map(async (text) => (await post(url, text)).status));
    for (const status of statuses) expect([400, 202, 413]).toContain(status);
    expect(await greeted()).toEqual({ text: "Hello, Ada" });
    const { body } = await session("tools/call", { name: "greet", arguments: { name: "Bo" } });
    expect(body).toMatchObject({ result: { structuredContent: { text: "Hello, Bo" } } });
  });

  test("large answers to one request come one after another, and are no reason for warnings", async () => {
    const { headers } = await legacySession(url);
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    const name = "x".repeat(100_000);
    const batch = Array.from({ length: 30 }, (_, index) => ({
      jsonrpc: "2.0",
      id: index + 1,
      method: "tools/call",
      params: { name: "greet", arguments: { name } },
    }));
    const accept = "application/json, text/event-stream";
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept },
      body: JSON.stringify(batch),
    });
    const events = (await answer.text()).matchAll(/^data: (.*)$/gm);
    const told = Array.from(events, ([, data = ""]) => JSON.parse(data) as { id: number; result: object });
    process.off("warning", warned);
    expect(told.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(batch.map(({ id }) => id));
    for (const { result } of told)
      expect(result).toMatchObject({ structuredContent: { text: `Hello, ${name}` } });
    expect(warnings).toEqual([]);
  });

  test("a client that goes in the middle of a message harms nobody", async () => {
    for (let count = 0; count < 20; count++) {
      const { hostname, port, pathname } = new URL(url);
      const headers = { "content-type": "application/json", "content-length": "3000000" };
      const cut = request({ hostname, port, path: pathname, method: "POST", headers });
      const closed = new Promise((resolve) => {
        cut.once("error", resolve).once("close", resolve);
      });
      cut.write("x".repeat(100_000), () => cut.destroy());
      await closed;
    }
    expect(await greeted()).toEqual({ text: "Hello, Ada" });
  });

  test("a stream begins at once, and keeps its session, however long nothing is said in it", async () => {
    const watching = await legacySession(url);
    const idle = await legacySession(url);
    const stop = new AbortController();
    const stream = await fetch(url, {
      headers: { ...watching.headers, accept: "text/event-stream" },
      signal: stop.signal,
    });
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    await vi.advanceTimersByTimeAsync(61_000);
    const call = { name: "greet", arguments: { name: "Ada" } };
    expect((await watching("tools/call", call)).status).toBe(200);
    expect(await idle("tools/call", call)).toMatchObject({
      status: 404,
      body: { error: { code: -32_001, message: "Session not found: initialize a new one" } },
    });
    stop.abort();
  });

  test("a session of which nothing was heard for half an hour is still there", async () => {
    const session = await legacySession(url);
    vi.setSystemTime(Date.now() + 40 * 60_000);
    await vi.advanceTimersByTimeAsync(61_000);
    expect((await session("tools/list", {})).status).toBe(200);
  });
});

describe("on stdio", () => {
  test("a line that is too much is answered under its id; malformed ones do not fill the log", async () => {
    await using workplace = await Workplace.create(SKILLS);
    const server = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, "serve"], {
      cwd: workplace.folder,
    });
    let logged = "";
    server.stderr.on("data", (chunk: Buffer) => (logged += chunk.toString()));
    const answers = new Map<unknown, Record<string, unknown>>();
    const faults: unknown[] = [];
    const done = new Promise<void>((resolve) => {
      createInterface(server.stdout).on("line", (line) => {
        const message = JSON.parse(line) as Record<string, unknown>;
        if (message["id"] === null) faults.push(message["error"]);
        answers.set(message["id"], message);
        if (message["id"] === 9) resolve();
      });
    });
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    };
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    for (const text of MALFORMED) server.stdin.write(`${text.replaceAll("\u0000", " ")}\n`);
    for (let count = 0; count < 2000; count++) server.stdin.write('{"jsonrpc":"2.0","id":{},"method":7}\n');
    server.stdin.write(`${callText(`{${MANY_NAMES}}`).replace('"id":1', '"id":"first"')}\n`);
    const last = {
      method: "tools/call",
      params: { name: "greet", arguments: { deep: 0 } },
      jsonrpc: "2.0",
      id: 3,
    };
    server.stdin.write(
      `${JSON.stringify(last).replace("0", `${"[".repeat(90_000)}${"]".repeat(90_000)}`)}\n`,
    );
    const honest = {
      jsonrpc: "2.0",
      id: 9,
      method: "tools/call",
      params: { name: "greet", arguments: { name: "Ada" } },
    };
    server.stdin.write(`${JSON.stringify(honest)}\n`);
    await done;
    // A line that is no JSON is told with nobody's id, as is one that is no object and a request without an id; blank lines are not.
    expect(faults).toContainEqual({ code: -32_700, message: expect.stringMatching(/^It is not JSON: /) });
    const codes = faults.map((fault) => (fault as { readonly code: number }).code);
    expect(codes.filter((code) => code === -32_700)).toHaveLength(MALFORMED.filter(isBroken).length);
    expect(codes.filter((code) => code === -32_600).length).toBeGreaterThanOrEqual(2000);
    expect(answers.get("first")).toMatchObject({ error: { code: -32_600 } });
    expect(answers.get(3)).toMatchObject({
      error: { code: -32_600, message: expect.stringContaining("deeper") },
    });
    expect(answers.get(9)).toMatchObject({ result: { structuredContent: { text: "Hello, Ada" } } });
    const start = logged.length;
    await expect
      .poll(() => logged, { timeout: 10_000 })
      .toMatch(/\d{3,} more messages like this were left out/);
    expect(start).toBeLessThan(5000);
    server.stdin.end();
    await once(server, "exit");
  });
});
