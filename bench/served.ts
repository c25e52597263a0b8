import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { median } from "./measurement.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const QUIET = "--disable-warning=ExperimentalWarning";

/** How a server under measurement is started. */
export interface Start {
  readonly args: readonly string[];
  readonly cwd: string;
}

export function bare(cwd: string, tools = 1, ...more: readonly string[]): Start {
  return { args: [QUIET, `${ROOT}bench/echo-server.ts`, String(tools), ...more], cwd };
}

/** How the program is started in a folder with such arguments. */
export type Program = (cwd: string, ...args: readonly string[]) => Start;

const published = new Map<string, Promise<Program>>();

/** The program as it is published, built once and laid into a folder. */
export async function publishedIn(folder: string): Promise<Program> {
  const known = published.get(folder) ?? publishIn(folder);
  published.set(folder, known);
  return known;
}

async function publishIn(folder: string): Promise<Program> {
  const built = spawnSync("npm", ["run", "-s", "build"], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (built.status !== 0) throw new Error("The package cannot be built");
  for (const part of ["bin", "dist", "package.json"])
    await cp(`${ROOT}${part}`, join(folder, part), { recursive: true });
  await symlink(`${ROOT}node_modules`, join(folder, "node_modules"));
  return (cwd, ...args) => startOf(`${folder}/`, cwd, args);
}

function startOf(root: string, cwd: string, more: readonly string[]): Start {
  return { args: [QUIET, `${root}bin/repertoire.js`, ...more], cwd };
}

/** A client connected to a server in a process of its own. */
export interface Served extends AsyncDisposable {
  readonly client: Client;
  readonly memoryMb: () => Promise<number>;
  /** What all its threads have used of the processors. */
  readonly cpuMs: () => Promise<number>;
}

export async function overStdio({ args, cwd }: Start): Promise<Served> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    cwd,
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  return {
    client,
    memoryMb: async () => residentMb(transport.pid ?? 0),
    cpuMs: async () => cpuMsOf(transport.pid ?? 0),
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** A server over HTTP with so many clients. */
export interface ServedToMany extends Served {
  readonly clients: readonly Client[];
}

export async function overHttp({ args, cwd }: Start, count = 1): Promise<ServedToMany> {
  const server: ChildProcess = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
  if (!server.stdout) throw new Error("the server has no stdout");
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const connected = async (): Promise<Client> => {
    const client = new Client({ name: "bench", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  };
  const client = await connected();
  const clients = [client, ...(await Promise.all(Array.from({ length: count - 1 }, connected)))];
  return {
    client,
    clients,
    memoryMb: async () => residentMb(server.pid ?? 0),
    cpuMs: async () => cpuMsOf(server.pid ?? 0),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map(async (each) => each.close()));
      server.kill();
      await once(server, "exit");
    },
  };
}

/** Inputs that nobody has given before, or one that is always the same and whose output may be used again. */
export type Inputs = "fresh" | "reused";

let given = 0;

function inputOf(inputs: Inputs): { readonly a: number; readonly b: number } {
  if (inputs === "fresh") given += 1;
  return { a: inputs === "fresh" ? given : 0, b: 1 };
}

/** The median time of a call of `add`, in milliseconds. */
export async function callMs({ client }: Served, calls: number, inputs: Inputs): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < calls; index++) {
    const started = performance.now();
    await client.callTool({ name: "add", arguments: { ...inputOf(inputs) } });
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Fresh calls of `add` a second, so many always under way. */
export async function callsPerSecond({ client }: Served, calls: number, inFlight: number): Promise<number> {
  let left = calls;
  const started = performance.now();
  const lane = async (): Promise<void> => {
    while (left-- > 0) await client.callTool({ name: "add", arguments: { ...inputOf("fresh") } });
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (calls / (performance.now() - started)) * 1000;
}

/** Fresh calls of `add`, so many by each client one after another: how many a second, and how long the slowest hundredth takes. */
export async function callsOfAll(
  { clients }: ServedToMany,
  calls: number,
): Promise<{ readonly perSecond: number; readonly p99Ms: number }> {
  const times: number[] = [];
  const began = performance.now();
  const work = async (client: Client): Promise<void> => {
    for (let index = 0; index < calls; index++) {
      const started = performance.now();
      await client.callTool({ name: "add", arguments: { ...inputOf("fresh") } });
      times.push(performance.now() - started);
    }
  };
  await Promise.all(clients.map(work));
  const perSecond = (times.length / (performance.now() - began)) * 1000;
  const p99Ms = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  return { perSecond, p99Ms };
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // After the name, which may hold anything; times are in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
