import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const WANTED = fileURLToPath(new URL("../reference-servers", import.meta.url));
const FILES = ["package.json", "requirements.txt", "requirements-sqlite.txt"];

/** Where the reference servers that are not in this project's own packages are installed. */
export interface ReferenceServers {
  /** Of git, fetch and time. */
  readonly python: string;
  /** Of sqlite, which takes an older protocol package. */
  readonly olderPython: string;
  readonly modules: string;
}

/** Installs them once, as pinned; or why they cannot be. */
export async function referenceServers(): Promise<ReferenceServers | Error> {
  const cache = process.env["REPERTOIRE_ENGINES_CACHE"] ?? join(homedir(), ".cache/repertoire-engines");
  const folder = join(cache, "reference-servers");
  const servers: ReferenceServers = {
    python: join(folder, "python/bin"),
    olderPython: join(folder, "older-python/bin"),
    modules: join(folder, "node_modules"),
  };
  const wanted = FILES.map((file) => readFileSync(join(WANTED, file), "utf8")).join("\n");
  const stamp = join(folder, "installed.txt");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return servers;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await installPython(join(folder, "python"), "requirements.txt");
    await installPython(join(folder, "older-python"), "requirements-sqlite.txt");
    copyFileSync(join(WANTED, "package.json"), join(folder, "package.json"));
    await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
    await useModules(join(folder, "python/bin/python"));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  writeFileSync(stamp, wanted);
  return servers;
}

async function installPython(folder: string, requirements: string): Promise<void> {
  await run("uv", ["venv", "--quiet", folder]);
  const python = join(folder, "bin/python");
  await run("uv", ["pip", "install", "--quiet", "--python", python, "-r", join(WANTED, requirements)]);
}

/** The fetch server's reader of pages installs what it takes by itself, not pinned, unless it has a folder of modules. */
async function useModules(python: string): Promise<void> {
  const { stdout } = await run(python, ["-c", "import readabilipy; print(readabilipy.__path__[0])"]);
  mkdirSync(join(stdout.trim(), "javascript/node_modules"));
}
