import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { CLI, ROOT, Workplace } from "./connected-client.ts";

// Agent frameworks make of tools what their models take, each in its own way. They are large, and nothing else needs
// them, so they are installed beside the project's own packages when these tests run.
const FRAMEWORKS = {
  "@mastra/mcp": "2.0.0",
  "@mastra/core": "1.71.0",
  "@openai/agents-core": "0.20.0",
  zod: "4.2.1",
};
const FOLDER = join(ROOT, "node_modules/.cache/agent-frameworks");

const missing = await install();
if (missing !== undefined) console.warn(`Agent frameworks are not tested: ${missing}`);

async function install(): Promise<string | undefined> {
  const wanted = JSON.stringify({ private: true, dependencies: FRAMEWORKS });
  const file = join(FOLDER, "package.json");
  const done = join(FOLDER, "installed.json");
  if (existsSync(done) && (await readFile(done, "utf8")) === wanted) return undefined;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(file, wanted);
  try {
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
      cwd: FOLDER,
      timeout: 300_000,
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  await writeFile(done, wanted);
  return undefined;
}

/** A module of one of the frameworks, of whose types nothing is known here. */
async function framework<Module>(name: keyof typeof FRAMEWORKS): Promise<Module> {
  const entry = createRequire(join(FOLDER, "package.json")).resolve(name);
  return (await import(pathToFileURL(entry).href)) as Module;
}

const SKILLS = {
  greet: `export default ({ name }: { name: string }): { text: string } => ({ text: "Hello, " + name })`,
  total: `export default (numbers: number[]): number => numbers.reduce((sum, each) => sum + each, 0)`,
};
const STABLE = [
  "activate_skill",
  "describe_skill",
  "extract_skill",
  "get_run",
  "list_runs",
  "review_draft",
  "revise_draft",
  "run_skill",
  "search_skills",
  "submit_trace",
];

function server(workplace: Workplace): { readonly command: string; readonly args: string[] } {
  const config = join(workplace.folder, "mcp.config.json");
  return {
    command: process.execPath,
    args: ["--disable-warning=ExperimentalWarning", CLI, "serve", workplace.skills, "--config", config],
  };
}

describe.skipIf(missing !== undefined)("an agent of", () => {
  test("Mastra gets every tool, and runs skills by name", { timeout: 120_000 }, async () => {
    await using workplace = await Workplace.create(SKILLS);
    const { MCPClient } = await framework<{ MCPClient: new (options: object) => MastraClient }>(
      "@mastra/mcp",
    );
    const client = new MCPClient({ timeout: 60_000, servers: { r: server(workplace) } });
    try {
      const tools = await client.listTools();
      expect(Object.keys(tools)).toEqual(
        expect.arrayContaining([...STABLE, ...Object.keys(SKILLS)].map((name) => `r_${name}`)),
      );
      const run = async (name: string, input: unknown): Promise<string> =>
        JSON.stringify(await tools["r_run_skill"]?.execute({ name, input }, {}));
      for (const input of [{ name: "Ada" }, '{"name":"Ada"}', { input: '{"name":"Ada"}' }])
        expect(await run("greet", input)).toContain("Hello, Ada");
      for (const input of [[1, 2], "[1,2]"]) expect(await run("total", input)).toContain("3");
      expect(JSON.stringify(await tools["r_list_runs"]?.execute({ limit: null }, {}))).toContain("greet");
    } finally {
      await client.disconnect();
    }
  });

  test(
    "OpenAI's SDK makes every stable tool strict, and runs skills by name",
    { timeout: 120_000 },
    async () => {
      await using workplace = await Workplace.create(SKILLS);
      const { MCPServerStdio, getAllMcpTools } = await framework<AgentsSdk>("@openai/agents-core");
      const connected = new MCPServerStdio({ ...server(workplace), clientSessionTimeoutSeconds: 60 });
      await connected.connect();
      try {
        const tools = await getAllMcpTools({ mcpServers: [connected], convertSchemasToStrict: true });
        const strict = tools.filter((tool) => tool.strict).map(({ name }) => name);
        expect(strict).toEqual(expect.arrayContaining(STABLE));
        const run = tools.find(({ name }) => name === "run_skill");
        for (const input of ['{"name":"Ada"}', { input: '{"name":"Ada"}' }, { name: "Ada" }]) {
          const answer = await run?.invoke(undefined, JSON.stringify({ name: "greet", input }));
          expect(JSON.stringify(answer)).toContain("Hello, Ada");
        }
        const list = tools.find(({ name }) => name === "list_runs");
        const nothing = { status: null, name: null, text: null, limit: null, after: null };
        expect(JSON.stringify(await list?.invoke(undefined, JSON.stringify(nothing)))).toContain("greet");
      } finally {
        await connected.close();
      }
    },
  );
});

interface MastraClient {
  listTools(): Promise<Record<string, { execute(input: object, context: object): Promise<unknown> }>>;
  disconnect(): Promise<void>;
}

interface AgentsSdk {
  readonly MCPServerStdio: new (options: object) => { connect(): Promise<void>; close(): Promise<void> };
  readonly getAllMcpTools: (options: object) => Promise<readonly AgentsTool[]>;
}

interface AgentsTool {
  readonly name: string;
  readonly strict: boolean;
  invoke(context: undefined, input: string): Promise<unknown>;
}
