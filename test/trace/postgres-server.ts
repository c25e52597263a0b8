import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A private server in a temporary folder, reached by a socket there; undefined where there are no binaries. */
export interface PostgresServer {
  /** The connection string of a new, empty database. */
  readonly database: () => string;
  readonly stop: () => void;
  readonly start: () => void;
  readonly remove: () => void;
}

export function postgresServer(): PostgresServer | undefined {
  const bin = binaries();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "repertoire-pg-"));
  const data = join(folder, "data");
  // PostgreSQL does not run as root.
  const user = process.getuid?.() === 0 ? ownerOf(folder) : undefined;
  const run = (program: string, ...args: readonly string[]): void => {
    const [command, ...rest] = user === undefined ? [] : ["runuser", "-u", user, "--"];
    const path = join(bin, program);
    const all = command === undefined ? [path, ...args] : [command, ...rest, path, ...args];
    execFileSync(all[0] ?? path, all.slice(1), { stdio: ["ignore", "ignore", "pipe"], cwd: folder });
  };
  const start = (): void =>
    run(
      "pg_ctl",
      "-D",
      data,
      "-w",
      "-l",
      join(folder, "log"),
      "-o",
      `-F -c listen_addresses= -k ${folder}`,
      "start",
    );
  const stop = (): void => run("pg_ctl", "-D", data, "-w", "-m", "fast", "stop");
  run("initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C");
  start();
  let count = 0;
  return {
    database: () => {
      const name = `traces_${++count}`;
      run("createdb", "-h", folder, "-U", "tester", name);
      return `postgresql://tester@/${name}?host=${encodeURIComponent(folder)}`;
    },
    start,
    stop,
    remove: () => {
      try {
        stop();
      } catch {
        // It is stopped already.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function hasPostgres(): boolean {
  return binaries() !== undefined;
}

function binaries(): string | undefined {
  const versions = "/usr/lib/postgresql";
  const installed = existsSync(versions)
    ? readdirSync(versions)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, "bin"))
    : [];
  const inPath = (process.env["PATH"] ?? "").split(":");
  return [...installed, ...inPath].find((folder) =>
    ["initdb", "pg_ctl", "createdb"].every((program) => existsSync(join(folder, program))),
  );
}

function ownerOf(folder: string): string {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const [, , uid, gid] = lines.find((line) => line.startsWith("postgres:"))?.split(":") ?? [];
  chownSync(folder, Number(uid), Number(gid));
  chmodSync(folder, 0o700);
  return "postgres";
}
