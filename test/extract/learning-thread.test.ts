import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type App, openApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { type RunningServer, serveHttp } from "../../src/server/serve-http.ts";

const MAX_MS = 2_500;
/** Far below the time that the work takes, far above what a busy machine adds. */
const MAX_STALL_MS = 1_000;

let folder: string;
let app: App;
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "repertoire-"));
  await mkdir(join(folder, "skills", "double"), { recursive: true });
  await writeFile(
    join(folder, "skills", "double", "SKILL.md"),
    "---\nname: double\ndescription: Doubles a number.\n---\n",
  );
  await writeFile(
    join(folder, "skills", "double", "skill.ts"),
    "export default async (input: { n: number }): Promise<number> => input.n * 2;\n",
  );
  const file = join(folder, "mcp.config.json");
  await writeFile(
    file,
    JSON.stringify({ data: "data", workers: 1, drafts: { maxMs: MAX_MS }, traces: { visible: "all" } }),
  );
  const config = await readConfig({ file });
  if (!config.ok) throw new Error(config.error.message);
  app = openApp(config.value);
  const running = await serveHttp(app.front, 0);
  if (!running.ok) throw new Error(running.error.message);
  server = running.value;
  client = await connected();
  await call(client, "double", { n: 1 });
});

afterAll(async () => {
  await client.close();
  await server.close();
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

async function connected(): Promise<Client> {
  const made = new Client({ name: "test", version: "1.0.0" });
  await made.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  return made;
}

async function call(by: Client, name: string, input: object): Promise<Record<string, unknown>> {
  const result = await by.callTool({ name, arguments: { ...input } });
  if (result.isError) return { failed: JSON.stringify(result.content) };
  return result.structuredContent as Record<string, unknown>;
}

interface Call {
  readonly tool: string;
  readonly args: object;
  readonly result: unknown;
}

async function submit(id: string, calls: readonly Call[]): Promise<string> {
  const answer = await call(client, "submit_trace", { trace: JSON.stringify({ id, calls }) });
  expect(answer).toMatchObject({ runs: [{ calls: calls.length }] });
  return (answer["runs"] as { readonly runId: string }[])[0]?.runId ?? "";
}

/** Answers that hold the same few values many times, under many names. */
function equalLeaves(calls: number, leaves: number): readonly Call[] {
  const values = ["value", "a value", "value-1 and value"];
  return Array.from({ length: calls }, (_, nth) => ({
    tool: `files.list_${nth}`,
    args: { ids: [values[0], values[1]], text: values[2], page: { of: values[0], n: nth % 3 } },
    result: {
      items: Array.from({ length: leaves }, (__, index) => ({
        id: values[0],
        name: values[index % 3],
        [`key${index}`]: values[0],
      })),
    },
  }));
}

/** The longest that the main thread was held while the work went on, in milliseconds, and what the work gave. */
async function heldDuring<Value>(
  work: Promise<Value>,
): Promise<{ readonly ms: number; readonly value: Value }> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let isOver = false;
  const honest = (async (): Promise<void> => {
    while (!isOver) expect(await call(client, "double", { n: 21 })).toEqual({ result: 42 });
  })();
  const value = await work.finally(() => {
    isOver = true;
  });
  await honest;
  delay.disable();
  return { ms: delay.max / 1e6, value };
}

describe("while runs are learned from", () => {
  test("others are answered, and what takes too long is ended with the reason", async () => {
    const [other, run] = [await connected(), await submit("heavy", equalLeaves(900, 40))];
    const { ms, value } = await heldDuring(call(other, "extract_skill", { runs: [run] }));
    expect(value["failed"]).toContain("LEARNING_TIMED_OUT");
    expect(value["failed"]).toContain(`${MAX_MS} ms`);
    expect(value["failed"]).toContain("drafts.maxMs");
    expect(ms).toBeLessThan(MAX_STALL_MS);
    await other.close();
  });

  test("what comes after a task that was ended is done", async () => {
    const run = await submit("light", equalLeaves(2, 2));
    expect(await call(client, "extract_skill", { runs: [run] })).toMatchObject({ kind: "draft" });
  });

  test("a draft is shown though another task works", async () => {
    const run = await submit("heavy", equalLeaves(900, 40));
    const light = await submit("light", equalLeaves(2, 2));
    const made = await call(client, "extract_skill", { runs: [light], anew: true });
    const { name } = made["draft"] as { readonly name: string };
    let isOver = false;
    const heavy = call(client, "extract_skill", { runs: [run] }).finally(() => {
      isOver = true;
    });
    expect(await call(client, "review_draft", { draft: name })).toMatchObject({ draft: { name } });
    expect(isOver).toBe(false);
    await heavy;
  });

  test("no more tasks wait than there is room for", async () => {
    const run = await submit("heavy", equalLeaves(900, 40));
    const tasks = Array.from({ length: 20 }, async () =>
      call(client, "extract_skill", { runs: [run, "no-such-run"] }),
    );
    const failures = (await Promise.all(tasks)).map(({ failed }) => String(failed));
    const busy = failures.filter((text) => text.includes("DRAFT_BUSY"));
    expect(busy.length).toBeGreaterThan(0);
    expect(busy.length).toBeLessThan(20);
    expect(failures.filter((text) => text.includes("RUN_NOT_FOUND"))).toHaveLength(20 - busy.length);
  });
});

describe("while a transcript is read", () => {
  test.each([
    ["as text", true],
    ["as JSON", false],
  ])("others are answered: %s", async (_, isText) => {
    const other = await connected();
    const trace = { id: "large", calls: equalLeaves(300, 100) };
    const submitted = call(other, "submit_trace", { trace: isText ? JSON.stringify(trace) : trace });
    const { ms, value } = await heldDuring(submitted);
    expect(value).toMatchObject({ runs: [{ calls: 300 }] });
    expect(ms).toBeLessThan(MAX_STALL_MS);
    await other.close();
  });
});
