import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import type { Workflow } from "../../src/workflow/workflow.ts";
import { CANCEL, MOVE, PLANS, TOTAL } from "../export/plans.ts";
import { command } from "../cli/in-process.ts";
import { BUNDLED } from "./bundled-skills.ts";
import { newClient, ROOT, servedOverHttp, Workplace } from "../server/connected-client.ts";

type Served = Awaited<ReturnType<typeof servedOverHttp>>;

/** How a run has ended. */
type Ended = { readonly output: Json } | { readonly error: string };

export interface ShopCall {
  readonly tool: string;
  readonly args: Json;
  readonly key?: string;
  /** It was answered as before, and not made again. */
  readonly isKnown: boolean;
}

export function callTexts(calls: readonly ShopCall[]): readonly string[] {
  return calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args, sorted)}`);
}

/** Fields have no order among them. */
function sorted(_name: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

/** Somebody has written it: it has no plan. */
export const GREET = "greet";
const GREET_CODE = `export default async function run(input: { email: string }): Promise<{ text: string }> {
  const found = (await call_tool("shop.find_customer", { text: input.email })) as { customers: { name: string }[] };
  return { text: \`Hello \${found.customers[0]?.name}\` };
}
`;

/** A served folder with the skills that are exported, and the example's shop, whose calls are noted. */
export class EngineShop implements AsyncDisposable {
  readonly workplace: Workplace;
  readonly url: string;
  readonly #server: Served;

  private constructor(workplace: Workplace, server: Served) {
    this.workplace = workplace;
    this.url = server.url;
    this.#server = server;
  }

  /** With the skills, and more that are documents, with the bundled ones, too, or with the tools alone. */
  static async open({
    hasSkills = true,
    hasBundled = false,
    documents = [],
  }: {
    readonly hasSkills?: boolean;
    readonly hasBundled?: boolean;
    readonly documents?: readonly Workflow[];
  } = {}): Promise<EngineShop> {
    const workplace = await Workplace.create();
    const log = join(workplace.folder, "calls.jsonl");
    writeFileSync(log, "");
    const logged = (server: string): object => ({
      command: process.execPath,
      args: [join(import.meta.dirname, "logged-server.js"), log, server],
    });
    const world = logged(join(import.meta.dirname, "world-server.ts"));
    const mcpServers = {
      shop: { ...logged(join(ROOT, "examples/shop-server.ts")), publish: true },
      ...(hasBundled ? { web: world, files: world, notes: world } : {}),
    };
    const skills = ["skills", ...(hasBundled ? [BUNDLED] : [])];
    const config = { data: "data", skills, mcpServers };
    writeFileSync(join(workplace.folder, "mcp.config.json"), JSON.stringify(config));
    if (hasSkills) {
      for (const plan of PLANS) {
        await workplace.write(plan.name, skillCode(plan), plan.description);
        writeFileSync(join(workplace.skills, plan.name, "provenance.json"), JSON.stringify({ plan }));
      }
    }
    for (const document of documents) {
      const folder = join(workplace.skills, document.skill.metadata.name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "workflow.json"), JSON.stringify(document));
    }
    await workplace.write(GREET, GREET_CODE);
    return new EngineShop(workplace, await servedOverHttp(workplace));
  }

  get calls(): readonly ShopCall[] {
    const lines = readFileSync(join(this.workplace.folder, "calls.jsonl"), "utf8").trim().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as ShopCall);
  }

  /** While it is on, the shop does what it is told and answers nothing, or not to one tool. */
  hold(isOn: boolean, tool = ""): void {
    const file = join(this.workplace.folder, "calls.jsonl.hold");
    if (isOn) writeFileSync(file, tool);
    else rmSync(file);
  }

  /** Until there are so many calls. */
  async called(count: number): Promise<void> {
    for (const end = Date.now() + 240_000; this.calls.length < count; await wait(50))
      if (Date.now() > end) throw new Error(`There are only ${this.calls.length} calls`);
  }

  /** Its server is gone, without a word. */
  async kill(): Promise<void> {
    await this.#server.kill();
  }

  /** What the skill does here. */
  async direct(name: string, given: JsonObject): Promise<Ended> {
    const { client } = newClient("modern");
    await client.connect(new StreamableHTTPClientTransport(new URL(this.url)));
    try {
      const answer = await client.callTool({ name, arguments: given });
      const error = answer._meta?.["repertoire/error"] as { code: string } | undefined;
      return error ? { error: error.code } : { output: answer.structuredContent as Json };
    } finally {
      await client.close();
    }
  }

  /** Writes a skill for an engine, with the program. */
  async exported(name: string, to: string, ...more: readonly string[]): Promise<string> {
    const folder = join(this.workplace.folder, to, [name, ...more].join(""));
    const args = ["export", name, "--to", to, "--output", folder, ...more];
    const { code, stderr } = await command(this.workplace.folder, ...args);
    if (code !== 0) throw new Error(stderr);
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.workplace[Symbol.asyncDispose]();
  }
}

const CACHE = process.env["REPERTOIRE_ENGINES_CACHE"] ?? join(homedir(), ".cache/repertoire-engines");

/** The Python of an engine, where it is installed already. */
export function installedPython(name: string): string | undefined {
  const folder = join(CACHE, name);
  return existsSync(join(folder, "installed.txt")) ? join(folder, "bin/python") : undefined;
}

/** What each Python has. */
const PACKAGES = {
  langgraph: ["jsonschema==4.26.0", "mcp==1.30.0", "langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2"],
  ag2: ["jsonschema==4.26.0", "mcp==1.30.0", "ag2==1.2.1", "autogen==0.14.1"],
  arazzo: ["arazzo-runner==0.9.6", "jsonschema==4.26.0"],
  airflow: ["apache-airflow==3.3.2", "jsonschema==4.26.0", "mcp==1.30.0"],
} as const;

const PYTHONS = {
  langgraph: "langgraph",
  ag2: "ag2",
  "ag2-channel": "ag2",
  "ag2-groupchat": "ag2",
  airflow: "airflow",
  arazzo: "arazzo",
} as const;

/** By the name of what is exported, the Python that runs it; what cannot be installed is told and left out. */
export async function enginePythons(): Promise<Map<string, string>> {
  const pythons = new Map<string, string>();
  for (const [engine, name] of Object.entries(PYTHONS)) {
    const python = await enginePython(name);
    if (python instanceof Error)
      console.warn(`${engine} is left out: it cannot be installed: ${python.message}`);
    else pythons.set(engine, python);
  }
  return pythons;
}

/** A Python with what an engine takes installed, made once; or why there is none. */
export async function enginePython(name: keyof typeof PACKAGES): Promise<string | Error> {
  const packages = PACKAGES[name];
  const folder = join(CACHE, name);
  const wanted = packages.join("\n");
  const stamp = join(folder, "installed.txt");
  const python = join(folder, "bin/python");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return python;
  mkdirSync(CACHE, { recursive: true });
  try {
    const run = promisify(execFile);
    await run("uv", ["venv", "--quiet", "--clear", folder]);
    await run("uv", ["pip", "install", "--quiet", "--python", python, ...packages]);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  writeFileSync(stamp, wanted);
  return python;
}

const CLIENT_MODULES = {
  "@modelcontextprotocol/client": "2.4.0",
  "@types/node": "24.19.2",
  ajv: "8.20.0",
  "ajv-formats": "3.0.1",
  typescript: "6.0.3",
};

/** What engines in JavaScript take. */
const MODULES = {
  "langgraph-js": {
    "@langchain/core": "1.4.0",
    "@langchain/langgraph": "1.7.3",
    "@langchain/langgraph-checkpoint-postgres": "1.0.5",
    ...CLIENT_MODULES,
    zod: "4.6.7",
  },
  temporal: {
    "@temporalio/activity": "1.24.0",
    "@temporalio/client": "1.24.0",
    "@temporalio/common": "1.24.0",
    "@temporalio/worker": "1.24.0",
    "@temporalio/workflow": "1.24.0",
    ...CLIENT_MODULES,
  },
  "arazzo-js": { "@redocly/openapi-core": "2.64.0" },
} as const;

/** The modules of an engine, where they are installed already. */
export function installedModules(name: keyof typeof MODULES): string | undefined {
  const folder = join(CACHE, name);
  return existsSync(join(folder, "installed.txt")) ? join(folder, "node_modules") : undefined;
}

/** A folder of modules with what is needed installed, made once; or why there is none. */
export async function engineModules(name: keyof typeof MODULES): Promise<string | Error> {
  const folder = join(CACHE, name);
  const stamp = join(folder, "installed.txt");
  const wanted = JSON.stringify({ private: true, dependencies: MODULES[name] });
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return join(folder, "node_modules");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), wanted);
  try {
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  writeFileSync(stamp, wanted);
  return join(folder, "node_modules");
}

/** Starts a process; `ended` gives the last line that it has printed, as JSON. */
export function started(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): { readonly child: ChildProcess; readonly ended: Promise<Json> } {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const told = { out: "", err: "" };
  child.stdout.on("data", (text) => (told.out += String(text)));
  child.stderr.on("data", (text) => (told.err += String(text)));
  const ended = new Promise<Json>((resolve, reject) => {
    child.on("close", (code) => {
      const last = told.out.trim().split("\n").at(-1) ?? "";
      if (code === 0) resolve(JSON.parse(last) as Json);
      else reject(new Error(told.err.slice(-4000)));
    });
  });
  return { child, ended };
}

export const ADA = { email: "ada@example.org" };
const shipTo = { street: "Rue Neuve 2", city: "Annecy", postcode: "74000", country: "FR" };

/** Runs that all engines make, good and bad, one after the other in the same shop. */
export const RUNS: readonly (readonly [skill: string, given: JsonObject])[] = [
  [MOVE.name, { email: "chloe@example.org", status: "pending", shipTo }],
  [MOVE.name, { email: "chloe@example.org", status: "shipped", shipTo }],
  [MOVE.name, { email: "chloe@example.org", status: "pending", shipTo: { street: 5 } }],
  [MOVE.name, { email: "chloe@example.org", status: "pending", shipTo: { ...shipTo, country: "" } }],
  [CANCEL.name, { email: "bruno@example.org" }],
  [TOTAL.name, ADA],
  [GREET, ADA],
  [CANCEL.name, { ...ADA, reason: "moved" }],
];
