import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Connection } from "@temporalio/client";
import { answers, ended, freePort } from "./temporal-server.ts";

const { TEMPORAL_SERVER_BIN: server, TEMPORAL_SQL_BIN: sqlTool, TEMPORAL_SCHEMA: schema } = process.env;

/** Whether there are programs for a server that keeps its state in PostgreSQL. */
export const hasPostgres = server !== undefined && sqlTool !== undefined && schema !== undefined;
if (!hasPostgres)
  console.log(
    "Left out: the server that is killed. It takes TEMPORAL_SERVER_BIN and TEMPORAL_SQL_BIN, Temporal's `server` and `sql`, TEMPORAL_SCHEMA, the folder schema/postgresql/v12 of its source, and PostgreSQL's programs in the path",
  );

/** A server of Temporal whose state is in a PostgreSQL of its own, in a temporary folder. */
export class TemporalOnPostgres {
  readonly address: string;
  readonly #folder: string;
  readonly #postgres: number;
  #process: ChildProcess | undefined;

  static async open(): Promise<TemporalOnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), "temporal-pg-"));
    const [postgres, frontend, ...rest] = await Promise.all(Array.from({ length: 9 }, freePort));
    const place = new TemporalOnPostgres(folder, postgres ?? 0, frontend ?? 0);
    try {
      await place.#begin(configOf({ postgres: postgres ?? 0, frontend: frontend ?? 0, rest, folder }));
      return place;
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  async #begin(config: object): Promise<void> {
    const folder = this.#folder;
    this.#initialise();
    mkdirSync(join(folder, "config"));
    writeFileSync(join(folder, "config/pg.yaml"), JSON.stringify(config));
    writeFileSync(join(folder, "dynamic.yaml"), "system.namespaceCacheRefreshInterval:\n  - value: 1s\n");
    this.start();
    await this.#namespace();
  }

  private constructor(folder: string, postgres: number, frontend: number) {
    this.#folder = folder;
    this.#postgres = postgres;
    this.address = `127.0.0.1:${frontend}`;
  }

  start(): void {
    const args = ["--root", this.#folder, "--config", "config", "--env", "pg", "--allow-no-auth", "start"];
    this.#process = spawn(server ?? "", args, { stdio: "ignore" });
  }

  async kill(): Promise<void> {
    if (this.#process) await ended(this.#process, "SIGKILL");
  }

  async close(): Promise<void> {
    await this.kill();
    this.#run("pg_ctl", "-D", join(this.#folder, "data"), "-w", "-m", "immediate", "stop");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #initialise(): void {
    const data = join(this.#folder, "data");
    this.#run("initdb", "-D", data, "-A", "trust", "-U", "temporal", "--no-sync", "-E", "UTF8", "--locale=C");
    const options = `-F -c listen_addresses=127.0.0.1 -p ${this.#postgres} -k ${this.#folder}`;
    this.#run("pg_ctl", "-D", data, "-w", "-l", join(this.#folder, "log"), "-o", options, "start");
    for (const [database, folder] of [
      ["temporal", "temporal"],
      ["temporal_visibility", "visibility"],
    ] as const) {
      const at = ["--plugin", "postgres12", "--ep", "127.0.0.1", "-p", String(this.#postgres)];
      const sql = (...args: readonly string[]): unknown =>
        execFileSync(sqlTool ?? "", [...at, "-u", "temporal", "--pw", "x", "--db", database, ...args], {
          stdio: ["ignore", "ignore", "pipe"],
        });
      sql("create");
      sql("setup-schema", "-v", "0.0");
      sql("update-schema", "-d", join(schema ?? "", folder, "versioned"));
    }
  }

  async #namespace(): Promise<void> {
    for (const until = Date.now() + 60_000; ; await wait(300)) {
      try {
        const connection = await Connection.connect({ address: this.address, connectTimeout: "1s" });
        await connection.workflowService.registerNamespace({
          namespace: "default",
          workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
        });
        await connection.close();
        break;
      } catch (error) {
        if (error instanceof Error && /already/i.test(error.message)) break;
        if (Date.now() > until) throw error;
      }
    }
    await answers(this.address);
    // The server's parts hear of a namespace one after another.
    await wait(3000);
  }

  /** PostgreSQL does not run as root. */
  #run(program: string, ...args: readonly string[]): void {
    if (process.getuid?.() !== 0) {
      execFileSync(program, args, { stdio: "ignore", cwd: this.#folder });
      return;
    }
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((each) => each.startsWith("postgres:"));
    const [, , uid, gid] = line?.split(":") ?? [];
    chownSync(this.#folder, Number(uid), Number(gid));
    execFileSync("runuser", ["-u", "postgres", "--", program, ...args], {
      stdio: "ignore",
      cwd: this.#folder,
    });
  }
}

function configOf({
  postgres,
  frontend,
  rest,
  folder,
}: {
  readonly postgres: number;
  readonly frontend: number;
  readonly rest: readonly number[];
  readonly folder: string;
}): object {
  const store = (databaseName: string): object => ({
    sql: {
      pluginName: "postgres12",
      databaseName,
      connectAddr: `127.0.0.1:${postgres}`,
      connectProtocol: "tcp",
      user: "temporal",
      password: "x",
      maxConns: 20,
      maxIdleConns: 20,
    },
  });
  const service = (grpcPort: number, membershipPort = 0): object => ({
    rpc: { grpcPort, membershipPort, bindOnLocalHost: true },
  });
  return {
    log: { stdout: true, level: "error" },
    persistence: {
      defaultStore: "default",
      visibilityStore: "visibility",
      numHistoryShards: 4,
      datastores: { default: store("temporal"), visibility: store("temporal_visibility") },
    },
    global: { membership: { maxJoinDuration: "30s", broadcastAddress: "127.0.0.1" } },
    services: {
      frontend: service(frontend, rest[0]),
      matching: service(rest[1] ?? 0, rest[2]),
      history: service(rest[3] ?? 0, rest[4]),
      worker: service(rest[5] ?? 0, rest[6]),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: "active",
      currentClusterName: "active",
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: "frontend",
          rpcAddress: `127.0.0.1:${frontend}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: "noop" },
    dynamicConfigClient: { filepath: join(folder, "dynamic.yaml"), pollInterval: "10s" },
  };
}
