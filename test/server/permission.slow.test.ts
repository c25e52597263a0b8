import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { newClient, ROOT, textOf } from "./connected-client.ts";

test(
  "under Node's permission model the server serves, runs and records, and reads nothing else",
  { timeout: 120_000 },
  async () => {
    const place = await realpath(await mkdtemp(join(tmpdir(), "repertoire-")));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    const folder = join(place, "own");
    const data = join(folder, "data");
    const outside = join(place, "outside");
    await cp(join(ROOT, "skills/add"), join(folder, "skills/add"), { recursive: true });
    await cp(join(ROOT, "skills/multiply"), join(outside, "multiply"), { recursive: true });
    await mkdir(data);
    await writeFile(
      join(folder, "mcp.config.json"),
      JSON.stringify({ data: "data", skills: ["./skills", "../outside"] }),
    );

    const { client } = newClient("modern");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        "--permission",
        "--allow-worker",
        `--allow-fs-read=${ROOT}`,
        `--allow-fs-read=${folder}`,
        `--allow-fs-write=${data}`,
        join(ROOT, "bin/repertoire.js"),
        "serve",
      ],
      cwd: folder,
      env: getDefaultEnvironment(),
      stderr: "ignore",
    });
    await client.connect(transport);
    onTestFinished(() => client.close());

    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("add");
    expect(names).not.toContain("multiply");
    const { contents } = await client.readResource({ uri: "repertoire://findings" });
    expect(JSON.stringify(contents)).toContain("Access to this API has been restricted");
    const sum = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(sum.structuredContent).toEqual({ result: 3 });
    await expect
      .poll(async () => textOf(await client.callTool({ name: "list_runs", arguments: {} })), {
        timeout: 10_000,
      })
      .toContain('"add"');

    // A skill that comes while the server runs is followed.
    await cp(join(ROOT, "skills/multiply"), join(folder, "skills/times"), { recursive: true });
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 30_000 })
      .toContain("multiply");
  },
);
