import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Json } from "../../src/core/json/json.ts";
import { BULLETINS_JOBS } from "./bulletins-jobs.ts";
import { CHORES_JOBS } from "./chores-jobs.ts";
import { CIRCULARS_JOBS } from "./circulars-jobs.ts";
import { DESK_JOBS } from "./desk-jobs.ts";
import { type DeskState, deskState } from "./desk-state.ts";
import { DOCKETS_JOBS } from "./dockets-jobs.ts";
import { DATABASE_JOBS, type DatabaseState, databaseState } from "./database-jobs.ts";
import { DUTIES_JOBS } from "./duties-jobs.ts";
import { ERRANDS_JOBS } from "./errands-jobs.ts";
import { FAVOURS_JOBS } from "./favours-jobs.ts";
import { FOLDER_JOBS, type FolderState, folderState } from "./folder-jobs.ts";
import { HANDOVERS_JOBS } from "./handovers-jobs.ts";
import { type Program, type Things, thingsOf, type World } from "./job.ts";
import { LEAFLETS_JOBS } from "./leaflets-jobs.ts";
import { MAILINGS_JOBS } from "./mailings-jobs.ts";
import { NOTICES_JOBS } from "./notices-jobs.ts";
import { OFFICE_JOBS } from "./office-jobs.ts";
import { type OfficeState, officeState } from "./office-state.ts";
import { PAPERS_JOBS } from "./papers-jobs.ts";
import type { PapersJob, PapersState } from "./papers.ts";
import { POSTINGS_JOBS } from "./postings-jobs.ts";
import { REQUESTS_JOBS } from "./requests-jobs.ts";
import { ROUNDS_JOBS } from "./rounds-jobs.ts";
import { EVERYDAY_JOBS } from "./everyday-jobs.ts";
import { referenceServers } from "./reference-servers.ts";
import type { EverydayState } from "./everyday-state.ts";
import { everydayWorld } from "./everyday-world.ts";
import { SHELVES_JOBS } from "./shelves-jobs.ts";
import { SLIPS_JOBS } from "./slips-jobs.ts";
import { TALLIES_JOBS } from "./tallies-jobs.ts";
import { SHOP_JOBS } from "./shop-jobs.ts";
import { type ShopState, shopState } from "./shop-state.ts";

/** Whether a kind of work is wanted. */
type Choice = (server: string, job: { readonly name: string; readonly difficulty: string }) => boolean;

/**
 * The worlds by the names of their servers; what they hold is kept below a folder. Those whose servers are installed for the
 * benchmark alone are there where some of their work is wanted.
 */
export async function worldsIn(
  folder: string,
  isWanted: Choice,
): Promise<Readonly<Record<string, World<unknown>>>> {
  const everyday: Record<string, World<EverydayState>> = {};
  const sets = {
    everyday: EVERYDAY_JOBS,
    errands: ERRANDS_JOBS,
    chores: CHORES_JOBS,
    rounds: ROUNDS_JOBS,
    tallies: TALLIES_JOBS,
    handovers: HANDOVERS_JOBS,
    favours: FAVOURS_JOBS,
    requests: REQUESTS_JOBS,
    duties: DUTIES_JOBS,
  };
  for (const [name, jobs] of Object.entries(sets)) {
    if (!jobs.some((job) => isWanted(name, job))) continue;
    const servers = await referenceServers();
    if (servers instanceof Error)
      console.error(`${name} is left out: its servers cannot be installed: ${servers.message}`);
    else everyday[name] = await everydayWorld(folder, servers, jobs);
  }
  return {
    shop: shopWorld(join(folder, "shop.json")),
    office: officeWorld(join(folder, "office.json")),
    desk: deskWorld(join(folder, "desk.json")),
    papers: papersWorld(join(folder, "papers.json"), PAPERS_JOBS),
    slips: papersWorld(join(folder, "slips.json"), SLIPS_JOBS),
    notices: papersWorld(join(folder, "notices.json"), NOTICES_JOBS),
    bulletins: papersWorld(join(folder, "bulletins.json"), BULLETINS_JOBS),
    dockets: papersWorld(join(folder, "dockets.json"), DOCKETS_JOBS),
    leaflets: papersWorld(join(folder, "leaflets.json"), LEAFLETS_JOBS),
    circulars: papersWorld(join(folder, "circulars.json"), CIRCULARS_JOBS),
    mailings: papersWorld(join(folder, "mailings.json"), MAILINGS_JOBS),
    postings: papersWorld(join(folder, "postings.json"), POSTINGS_JOBS),
    files: folderWorld(join(folder, "files"), FOLDER_JOBS),
    shelves: folderWorld(join(folder, "shelves"), SHELVES_JOBS),
    database: databaseWorld(join(folder, "database.db")),
    ...everyday,
  };
}

function serverOf(script: string, ...args: readonly string[]): Program {
  return { command: process.execPath, args: ["--disable-warning=ExperimentalWarning", script, ...args] };
}

function ownServer(name: string, ...args: readonly string[]): Program {
  return serverOf(fileURLToPath(new URL(name, import.meta.url)), ...args);
}

function shopWorld(file: string): World<ShopState> {
  return {
    server: ownServer("shop-server.ts", file),
    jobs: SHOP_JOBS,
    stateOf: shopState,
    put: async (state) => writeFile(file, JSON.stringify(state)),
    things: async () => {
      const { customers, products, orders, notes, refunds } = await stateIn<ShopState>(file);
      return thingsOf({ customers, products, orders, notes, refunds });
    },
  };
}

function officeWorld(file: string): World<OfficeState> {
  return {
    server: ownServer("office-server.ts", file),
    jobs: OFFICE_JOBS,
    stateOf: officeState,
    put: async (state) => writeFile(file, JSON.stringify(state)),
    things: async () => {
      const { events, mails } = await stateIn<OfficeState>(file);
      return thingsOf({ events, mails });
    },
  };
}

function deskWorld(file: string): World<DeskState> {
  return {
    server: ownServer("desk-server.ts", file),
    jobs: DESK_JOBS,
    stateOf: deskState,
    put: async (state) => writeFile(file, JSON.stringify(state)),
    things: async () => thingsOf({ ...(await stateIn<DeskState>(file)) }),
  };
}

function papersWorld(file: string, jobs: readonly PapersJob[]): World<PapersState> {
  const tools = jobs.flatMap((job) => job.tools);
  return {
    server: ownServer("papers-server.ts", JSON.stringify(tools), file),
    jobs,
    stateOf: () => ({ answers: {}, refusals: {}, acts: [] }),
    put: async (state) => writeFile(file, JSON.stringify(state)),
    things: async () => {
      const { acts } = await stateIn<PapersState>(file);
      return new Map(acts.map((act) => [act, acts.filter((each) => each === act).length]));
    },
  };
}

async function stateIn<State>(file: string): Promise<State> {
  return JSON.parse(await readFile(file, "utf8")) as State;
}

/** The reference server of files, in a folder that has the same path in every world. */
function folderWorld(root: string, jobs: World<FolderState>["jobs"]): World<FolderState> {
  const script = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
  return {
    server: serverOf(script, root),
    jobs,
    stateOf: (dice) => folderState(root, dice),
    put: async ({ files }) => {
      await mkdir(root, { recursive: true });
      for (const name of await readdir(root)) await rm(join(root, name), { recursive: true });
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
    },
    things: async () => {
      const things = new Map<string, Json>();
      for (const each of await readdir(root, { recursive: true, withFileTypes: true })) {
        const path = join(each.parentPath, each.name);
        if (each.isFile()) things.set(relative(root, path), await readFile(path, "utf8"));
      }
      return things;
    },
  };
}

const TABLES = `
  CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, salary INTEGER);
  CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer TEXT, amount INTEGER, paid INTEGER);
  CREATE TABLE stock (part TEXT PRIMARY KEY, pieces INTEGER);
  CREATE TABLE log (id INTEGER PRIMARY KEY, entry TEXT);
`;

function databaseWorld(file: string): World<DatabaseState> {
  return {
    server: ownServer("database-server.ts", file),
    jobs: DATABASE_JOBS,
    stateOf: databaseState,
    put: async (state) => {
      await rm(file, { force: true });
      using opened = new DatabaseSync(file);
      opened.exec(TABLES);
      for (const [table, rows] of Object.entries(state))
        for (const row of rows) {
          const columns = Object.keys(row);
          const marks = columns.map(() => "?").join(", ");
          const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`;
          opened.prepare(insert).run(...Object.values(row));
        }
    },
    things: async () => {
      using opened = new DatabaseSync(file, { readOnly: true });
      const tables = ["staff", "invoices", "stock", "log"];
      const rows = tables.flatMap((table) =>
        opened
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .map((row) => [`${table}/${String(Object.values(row)[0])}`, { ...row } as Json] as const),
      );
      return Promise.resolve(new Map(rows) satisfies Things);
    },
  };
}
