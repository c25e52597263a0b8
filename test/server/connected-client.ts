import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const CLI = join(ROOT, "src/cli.ts");

export type Era = "legacy" | "modern";
export const ERAS: readonly Era[] = ["legacy", "modern"];

/** A folder of its own for a test's skills and data, removed when disposed of. */
export class Workplace implements AsyncDisposable {
  readonly folder: string;
  readonly skills: string;

  constructor(folder: string, skills = "skills") {
    this.folder = folder;
    this.skills = join(folder, skills);
  }

  static async create(
    skills: Readonly<Record<string, string>> = {},
    config: object = {},
  ): Promise<Workplace> {
    const made = new Workplace(await mkdtemp(join(tmpdir(), "repertoire-")));
    await mkdir(made.skills);
    const data = process.env["REPERTOIRE_TEST_DATA"];
    const shared = data === undefined ? config : { data, ...config };
    await writeFile(join(made.folder, "mcp.config.json"), JSON.stringify(shared));
    for (const [name, code] of Object.entries(skills)) await made.write(name, code);
    return made;
  }

  async write(name: string, code: string, description = `Does ${name}.`): Promise<void> {
    await mkdir(join(this.skills, name), { recursive: true });
    await writeFile(
      join(this.skills, name, "SKILL.md"),
      `---\nname: ${name}\ndescription: ${description}\n---\nRead me.\n`,
    );
    await writeFile(join(this.skills, name, "skill.ts"), code);
  }

  async copy(name: string): Promise<void> {
    await cp(join(ROOT, "skills", name), join(this.skills, name), { recursive: true });
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.skills, name), { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A client of the given era; `changes` counts the changes of the tool list that it was told. */
export function newClient(era: Era): { readonly client: Client; readonly changed: () => Promise<void> } {
  let waiting: (() => void)[] = [];
  let count = 0;
  let seen = 0;
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
      listChanged: {
        tools: {
          autoRefresh: false,
          debounceMs: 0,
          onChanged: () => {
            count++;
            for (const tell of waiting) tell();
            waiting = [];
          },
        },
      },
    },
  );
  /** Resolves at the next change that has not been waited for yet. */
  const changed = async (): Promise<void> => {
    if (count === seen) await new Promise<void>((resolve) => waiting.push(resolve));
    seen = count;
  };
  return { client, changed };
}

/** Starts the server as clients do: a child process, spoken to over its stdin and stdout. */
export function stdioTransport(workplace: Workplace, more: readonly string[] = []): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: ["--disable-warning=ExperimentalWarning", CLI, "serve", ...more],
    cwd: workplace.folder,
    env: { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" },
    stderr: "pipe",
  });
}

/** A server over HTTP on a free port, ended when disposed of. */
export async function servedOverHttp(
  workplace: Workplace,
): Promise<{ readonly url: string; readonly kill: () => Promise<void> } & AsyncDisposable> {
  const server = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", CLI, "serve", "--http", "0", "--json"],
    { cwd: workplace.folder, stdio: ["ignore", "pipe", "ignore"] },
  );
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const exit = once(server, "exit");
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal);
    await exit;
  };
  return { url, kill: async () => end("SIGKILL"), [Symbol.asyncDispose]: async () => end("SIGTERM") };
}

export function textOf(result: { content: readonly unknown[] }): string {
  return result.content
    .map((part) => (typeof part === "object" && part !== null && "text" in part ? String(part.text) : ""))
    .join("\n");
}
