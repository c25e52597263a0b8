import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { JSONRPCMessage, McpServer, Transport } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import type { Catalog } from "../../src/catalog/catalog.ts";
import { type McpFront, mcpFront, type ServerOptions } from "../../src/server/mcp-server.ts";
import { KeptList, type ListTexts, listTexts } from "../../src/server/tools/kept-list.ts";
import { folderWith } from "../catalog/folders.ts";

const TOOL = { name: "kept", description: "It was there.", inputSchema: { type: "object" as const } };
const TEXTS = listTexts({ legacy: [TOOL], modern: [TOOL] });

test("a list is kept under what it was made of", async () => {
  const file = join(await folderWith(), "cache", "listed-tools.txt");
  const notices: string[] = [];
  const opened = (): KeptList => new KeptList(file, (notice) => notices.push(notice));
  const kept = opened();
  expect(kept.read("these skills")).toBeUndefined();
  kept.keep(() => ({ key: "these skills", texts: TEXTS }));
  kept.save();
  expect(opened().read("these skills")).toEqual(TEXTS);
  // As after a change of the skills, the settings or the version.
  expect(opened().read("other skills")).toBeUndefined();
  expect(notices).toEqual([]);
});

test.each([
  ["is cut off", (text: string) => text.slice(0, -20)],
  ["is empty", () => ""],
  ["has garbage in a list", (text: string) => text.replace('"kept"', '"kep\u0000"')],
  ["has another list", (text: string) => text.replaceAll(/^\[.*\]$/gm, "[5]")],
  ["is of another form", () => "these skills\n[]\n[]\n"],
])("a kept list that %s is told, and made anew", async (_, damaged) => {
  const file = join(await folderWith(), "listed-tools.txt");
  const notices: string[] = [];
  const opened = (): KeptList => new KeptList(file, (notice) => notices.push(notice));
  const save = (kept: KeptList): void => {
    kept.keep(() => ({ key: "these skills", texts: TEXTS }));
    kept.save();
  };
  save(opened());
  await writeFile(file, damaged(await readFile(file, "utf8")));
  const kept = opened();
  expect(kept.read("these skills")).toBeUndefined();
  // Told once, although not all that read it write it.
  expect(opened().read("these skills")).toBeUndefined();
  expect(notices).toEqual([`The list of tools that was kept in ${file} is damaged: it is made anew`]);
  save(kept);
  expect(opened().read("these skills")).toEqual(TEXTS);
});

/** A front whose catalog is still loading, and without skills when it is there. */
function loading(early: ListTexts | undefined): {
  readonly front: McpFront;
  readonly load: () => Promise<void>;
  readonly lists: readonly ListTexts[];
} {
  const catalog = Promise.withResolvers<Catalog>();
  const lists: ListTexts[] = [];
  const options: Partial<ServerOptions> = {
    name: "test",
    version: "1.0.0",
    catalog: catalog.promise,
    early: Promise.resolve(early),
    onList: (texts) => lists.push(texts()),
    mostTools: 10,
    pinned: [],
    publish: "sound",
  };
  const snapshot = { version: 1, skills: new Map(), diagnostics: [], faulty: new Map(), leftOut: [] };
  const load = async (): Promise<void> => {
    catalog.resolve({ snapshot, onChange: () => () => {} } as unknown as Catalog);
    await setImmediate();
  };
  return { front: mcpFront(options as ServerOptions), load, lists };
}

async function toolsListedBy(front: McpFront): Promise<readonly unknown[]> {
  const answers: JSONRPCMessage[] = [];
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => Promise.resolve(void answers.push(message)),
  };
  const server = (await front.factory({ era: "legacy" })) as McpServer;
  await server.connect(transport);
  const ask = async (message: object): Promise<unknown> => {
    transport.onmessage?.({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
    while (answers.length === 0) await setImmediate();
    const [answer] = answers.splice(0);
    return answer && "result" in answer ? answer.result : undefined;
  };
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  await ask({ id: 1, method: "initialize", params });
  const listed = (await ask({ id: 2, method: "tools/list" })) as { readonly tools: readonly unknown[] };
  return listed.tools;
}

test("while skills are loading, the list that was kept is shown, and a change when it is another one then", async () => {
  const { front, load, lists } = loading(TEXTS);
  let changes = 0;
  front.onToolsChange(() => changes++);
  expect(await toolsListedBy(front)).toEqual([TOOL]);
  await load();
  expect(changes).toBe(1);
  expect(lists).toHaveLength(1);
  expect(await toolsListedBy(front)).toEqual(JSON.parse(lists[0]?.legacy ?? ""));
});

test("no change is told where the list that was kept is the one that there is", async () => {
  const before = loading(undefined);
  before.front.onToolsChange(() => {});
  await before.load();
  const { front, load } = loading(before.lists[0]);
  let changes = 0;
  front.onToolsChange(() => changes++);
  const tools = await toolsListedBy(front);
  await load();
  expect(await toolsListedBy(front)).toEqual(tools);
  expect(changes).toBe(0);
});
