import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { CLI, newClient, stdioTransport, Workplace } from "./connected-client.ts";

const SKILLS = {
  noisy: `export default () => { console.log("from a skill"); return 1; }`,
  loop: `export default () => { for (;;) {} }`,
  long: `export default ({ n }: { n: number }): string => String(n).padEnd(20_000, "x")`,
};

test("a server on stdio writes nothing but JSON-RPC to stdout, whatever skills and code print", async () => {
  await using workplace = await Workplace.create(SKILLS);
  await writeFile(
    join(workplace.folder, "noise.mjs"),
    `console.log("a banner"); process.on("SIGUSR2", () => { process.stdout.write("later\\n"); console.log("noise"); });`,
  );
  const server = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--import", "./noise.mjs", CLI, "serve"],
    { cwd: workplace.folder },
  );
  const lines: string[] = [];
  createInterface(server.stdout).on("line", (line) => lines.push(line));
  const asides: string[] = [];
  createInterface(server.stderr).on("line", (line) => asides.push(line));
  const send = (message: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });
  send({ method: "notifications/initialized" });
  await vi.waitFor(() => expect(lines.join("")).toContain('"id":1'), { timeout: 20_000 });
  server.kill("SIGUSR2");
  send({ id: 2, method: "tools/call", params: { name: "noisy", arguments: {} } });
  await vi.waitFor(() => expect(lines.join("")).toContain('"id":2'), { timeout: 20_000 });
  await vi.waitFor(() => expect(asides).toEqual(expect.arrayContaining(["later", "noise"])), 20_000);
  server.stdin.end();
  const [code] = (await once(server, "exit")) as [number];
  // What ran before ours, in a preload of the user's own, is out of our hands.
  const own = lines.filter((line) => line !== "a banner");
  expect(own.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).toEqual(own.map(() => "2.0"));
  expect(code).toBe(0);
});

test("a server on stdio outlives faults that nobody caught, and tells them", async () => {
  await using workplace = await Workplace.create(SKILLS);
  await writeFile(
    join(workplace.folder, "faults.mjs"),
    `process.on("SIGUSR2", () => { void Promise.reject(new Error("a lost promise")); throw new Error("a lost throw"); });`,
  );
  const server = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--import", "./faults.mjs", CLI, "serve"],
    { cwd: workplace.folder },
  );
  const told: string[] = [];
  const isTold = new Promise<void>((resolve) => {
    createInterface(server.stderr).on("line", (line) => {
      told.push(line);
      if (["promise", "throw"].every((what) => told.join().includes(`a lost ${what}`))) resolve();
    });
  });
  const send = (message: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  const lines = createInterface(server.stdout);
  send({ id: 1, method: "initialize", params });
  await once(lines, "line");
  server.kill("SIGUSR2");
  await isTold;
  send({ id: 2, method: "ping" });
  const [pong] = (await once(lines, "line")) as [string];
  expect(JSON.parse(pong)).toMatchObject({ id: 2, result: {} });
  server.stdin.end();
  expect(await once(server, "exit")).toEqual([0, null]);
});

test.each(["SIGTERM", "SIGINT"] as const)("a server on stdio ends on %s", async (signal) => {
  await using workplace = await Workplace.create(SKILLS);
  const server = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, "serve"], {
    cwd: workplace.folder,
  });
  server.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } } })}\n`,
  );
  await once(server.stdout, "data");
  server.kill(signal);
  expect(await once(server, "exit")).toEqual([0, null]);
});

test("answers that a client reads late are all there, and are no reason for warnings", async () => {
  await using workplace = await Workplace.create(SKILLS);
  const server = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, "serve"], {
    cwd: workplace.folder,
  });
  const errors = text(server.stderr);
  const calls = Array.from({ length: 100 }, (_, n) => ({
    jsonrpc: "2.0",
    id: n + 1,
    method: "tools/call",
    params: { name: "long", arguments: { n } },
  }));
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  const messages = [{ jsonrpc: "2.0", id: 0, method: "initialize", params }, ...calls];
  server.stdin.end(messages.map((message) => JSON.stringify(message)).join("\n"));
  // What the system keeps for it is read; all else waits in the server.
  await once(server.stdout, "readable");
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const answers = (await text(server.stdout)).trimEnd().split("\n");
  const results = answers.map(
    (line) => JSON.parse(line) as { id: number; result: { structuredContent?: { result: string } } },
  );
  const told = new Map(results.map(({ id, result }) => [id, result.structuredContent?.result]));
  expect(answers).toHaveLength(messages.length);
  for (const { id } of calls) expect(told.get(id)).toBe(String(id - 1).padEnd(20_000, "x"));
  expect(await errors).toBe("");
});

test("a server on stdio ends when its client closes the connection, even while a skill loops", async () => {
  await using workplace = await Workplace.create(SKILLS, { data: "data" });
  const transport = stdioTransport(workplace);
  const { client } = newClient("legacy");
  await client.connect(transport);
  await client.callTool({ name: "noisy", arguments: {} });
  const { pid } = transport;
  const isLooping = new Promise<void>((resolve) => {
    const loop = client.callTool({ name: "loop", arguments: {} }, { onprogress: () => resolve() });
    loop.catch(() => undefined);
  });
  await isLooping;
  await client.close();
  await vi.waitFor(() => expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH"));
  const listed = spawn(process.execPath, [CLI, "traces", "ls", "--flat", "--json"], {
    cwd: workplace.folder,
  });
  const { runs } = JSON.parse(await text(listed.stdout)) as { runs: { name: string; status: string }[] };
  // It was not killed: what it was asked for is recorded to its end.
  expect(runs.map(({ name, status }) => [name, status])).toEqual([
    ["loop", "cancelled"],
    ["noisy", "completed"],
  ]);
});
