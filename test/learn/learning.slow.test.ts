import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heldDuring } from "../held.ts";
import { openApp } from "../../src/app.ts";
import type { App } from "../../src/rooms.ts";
import { readConfig } from "../../src/config.ts";
import { type HttpFront, serveHttp } from "../../src/server/transport/serve-http.ts";

/** Far below the time that the work takes, far above what a busy machine adds. */
const MAX_STALL_MS = 1_000;

let folder: string;
let served: Served;
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
  served = await Served.with({});
  client = await served.connected();
  await call(client, "double", { n: 1 });
});

afterAll(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** A server in this thread, so that what holds it is measured. */
class Served implements AsyncDisposable {
  readonly #app: App;
  readonly #server: HttpFront;

  private constructor(app: App, server: HttpFront) {
    this.#app = app;
    this.#server = server;
  }

  static async with(drafts: object): Promise<Served> {
    const file = join(folder, "mcp.config.json");
    await writeFile(file, JSON.stringify({ data: "data", workers: 1, drafts, traces: { visible: "all" } }));
    const config = await readConfig({ file });
    if (!config.ok) throw new Error(config.error.message);
    const app = openApp(config.value);
    const server = await serveHttp(app.front, 0);
    if (!server.ok) throw new Error(server.error.message);
    return new Served(app, server.value);
  }

  async connected(): Promise<Client> {
    const made = new Client({ name: "test", version: "1.0.0" });
    await made.connect(new StreamableHTTPClientTransport(new URL(this.#server.url)));
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await this.#app.close();
  }
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

/** The longest that the main thread was held while the work went on beside honest calls, and what the work gave. */
async function heldBeside<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly ms: number; readonly value: Value }> {
  let isOver = false;
  const honest = (async (): Promise<void> => {
    while (!isOver) expect(await call(client, "double", { n: 21 })).toEqual({ result: 42 });
  })();
  const held = await heldDuring(work).finally(() => {
    isOver = true;
  });
  await honest;
  return held;
}

describe("while runs are learned from", () => {
  test("others are answered", async () => {
    const [other, run] = [await served.connected(), await submit("heavy", equalLeaves(900, 40))];
    const { ms } = await heldBeside(async () => call(other, "extract_skill", { runs: [run] }));
    expect(ms).toBeLessThan(MAX_STALL_MS);
    await other.close();
  });

  test("what takes too long is ended, and the reason tells how to mend it", async () => {
    const run = await submit("heavy", equalLeaves(900, 40));
    await using hasty = await Served.with({ maxMs: 100 });
    const other = await hasty.connected();
    const { failed } = await call(other, "extract_skill", { runs: [run] });
    expect(failed).toContain("LEARNING_TIMED_OUT");
    expect(failed).toContain("100 ms");
    expect(failed).toContain("drafts.maxMs");
    expect(await call(other, "double", { n: 21 })).toEqual({ result: 42 });
    await other.close();
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
    expect(await call(client, "review_draft", { name })).toMatchObject({ draft: { name } });
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
    ["as text", true, 300],
    // A message of more values than a server takes would be refused.
    ["as JSON", false, 100],
  ])("others are answered: %s", async (_, isText, calls) => {
    const other = await served.connected();
    const trace = { id: "large", calls: equalLeaves(calls, 100) };
    const { ms, value } = await heldBeside(async () =>
      call(other, "submit_trace", { trace: isText ? JSON.stringify(trace) : trace }),
    );
    expect(value).toMatchObject({ runs: [{ calls }] });
    expect(ms).toBeLessThan(MAX_STALL_MS);
    await other.close();
  });
});
