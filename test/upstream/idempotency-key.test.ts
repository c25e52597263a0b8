import { expect, onTestFinished, test } from "vitest";
import { Upstreams } from "../../src/upstream/upstreams.ts";
import { readConfig } from "../../src/config.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY_SERVER } from "./key-server.ts";

test("a call's key reaches the server in _meta; a call without one has none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "key-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "mcp.config.json");
  const shop = { command: process.execPath, args: ["-e", KEY_SERVER] };
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
