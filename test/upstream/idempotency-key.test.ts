import { expect, onTestFinished, test } from "vitest";
import { Upstreams } from "../../src/upstream/upstreams.ts";
import { readConfig } from "../../src/config.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Answers each call with what stood in its `_meta`. */
const SERVER = `
const { createInterface } = require("node:readline");
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
createInterface(process.stdin).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/list") say({ id, result: { tools: [{ name: "write", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") say({ id, result: { content: [{ type: "text", text: JSON.stringify({ key: params._meta?.["repertoire/idempotencyKey"] ?? null }) }] } });
  else if (id !== undefined) say({ id, error: { code: -32601, message: "unknown" } });
});`;

test("a call's key reaches the server in _meta; a call without one has none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "key-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "mcp.config.json");
  const shop = { command: process.execPath, args: ["-e", SERVER] };
  await writeFile(file, JSON.stringify({ mcpServers: { shop } }));
  const config = await readConfig({ file });
  if (!config.ok) throw new Error(config.error.message);
  const upstreams = new Upstreams({ servers: config.value.upstream });
  onTestFinished(() => upstreams.close());
  expect(await upstreams.call("shop.write", {}, { idempotencyKey: "run-1/0.2" })).toEqual({
    ok: true,
    value: { key: "run-1/0.2" },
  });
  expect(await upstreams.call("shop.write", {})).toEqual({ ok: true, value: { key: null } });
});
