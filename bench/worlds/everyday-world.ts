import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Json } from "../../src/core/json/json.ts";
import type { Things, World } from "./job.ts";
import type { ReferenceServers } from "./reference-servers.ts";
import { type Page, type EverydayState, everydayState } from "./everyday-state.ts";
import { GIT_ENVIRONMENT, thingsOfRepository, writeRepository } from "./repositories.ts";

/** Files, repositories, a graph of what is known, a database, and pages on this machine, behind the reference servers. */
export async function everydayWorld(
  folder: string,
  { python, olderPython, modules }: ReferenceServers,
  jobs: World<EverydayState>["jobs"],
): Promise<World<EverydayState>> {
  const root = join(folder, "everyday");
  const memory = join(folder, "everyday-memory.jsonl");
  const database = join(folder, "everyday.db");
  const files = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
  const graph = join(modules, "@modelcontextprotocol/server-memory/dist/index.js");
  const site = await openSite();
  mkdirSync(root, { recursive: true });
  let state: EverydayState | undefined;
  return {
    server: { command: process.execPath, args: [files, root] },
    others: {
      git: { command: join(python, "mcp-server-git"), args: [], env: GIT_ENVIRONMENT },
      time: { command: join(python, "mcp-server-time"), args: ["--local-timezone", "UTC"] },
      fetch: { command: join(python, "mcp-server-fetch"), args: ["--allow-private-ips"] },
      sqlite: { command: join(olderPython, "mcp-server-sqlite"), args: ["--db-path", database] },
      memory: { command: process.execPath, args: [graph], env: { MEMORY_FILE_PATH: memory } },
    },
    jobs,
    stateOf: (dice) => everydayState(root, site.address, dice),
    put: async (given) => {
      state = given;
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      for (const [path, text] of Object.entries(given.files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      for (const repository of given.repositories) writeRepository(root, repository);
      const nodes = [
        ...given.entities.map((entity) => ({ type: "entity", ...entity })),
        ...given.relations.map((relation) => ({ type: "relation", ...relation })),
      ];
      writeFileSync(memory, nodes.map((node) => JSON.stringify(node)).join("\n"));
      rmSync(database, { force: true });
      using opened = new DatabaseSync(database);
      opened.exec(given.tables.join(";\n"));
      site.show(given.pages);
      return Promise.resolve();
    },
    things: async () => {
      const things = new Map<string, Json>([...filesIn(root), ...nodesIn(memory), ...rowsIn(database)]);
      for (const { name } of state?.repositories ?? [])
        for (const [thing, value] of thingsOfRepository(root, name)) things.set(thing, value);
      return Promise.resolve(things satisfies Things);
    },
  };
}

/** Shows pages, on this machine alone. */
async function openSite(): Promise<{
  readonly address: string;
  show(pages: Readonly<Record<string, Page>>): void;
}> {
  let shown: Readonly<Record<string, Page>> = {};
  const server = createServer(({ url = "/" }, response) => {
    const page = shown[url];
    if (page) response.writeHead(200, { "content-type": page.type, connection: "close" }).end(page.body);
    else
      response
        .writeHead(404, { "content-type": "text/plain", connection: "close" })
        .end("There is no such page");
  });
  server.unref();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, show: (pages) => void (shown = pages) };
}

function filesIn(root: string): readonly (readonly [string, Json])[] {
  return readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((each) => {
    const path = join(each.parentPath, each.name);
    const own = relative(root, path);
    return each.isFile() && !own.split("/").includes(".git") ? [[own, readFileSync(path, "utf8")]] : [];
  });
}

function nodesIn(memory: string): readonly (readonly [string, Json])[] {
  const lines = readFileSync(memory, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => {
    const node = JSON.parse(line) as { readonly type: string; readonly name?: string };
    return [node.name === undefined ? `relation ${line}` : `entity ${node.name}`, node];
  });
}

function rowsIn(database: string): readonly (readonly [string, Json])[] {
  using opened = new DatabaseSync(database, { readOnly: true });
  const tables = opened.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.flatMap(({ name }) =>
    opened
      .prepare(`SELECT * FROM ${String(name)}`)
      .all()
      .map((row) => [`${String(name)}/${String(Object.values(row)[0])}`, { ...row } as Json] as const),
  );
}
