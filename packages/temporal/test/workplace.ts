import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { RUN_SKILL } from "../src/protocol.ts";
import { ended } from "./temporal-server.ts";

const PROGRAM = join(import.meta.dirname, "../../../bin/repertoire.js");
const SKILLS = join(import.meta.dirname, "skills");
const FLAGS = ["--disable-warning=ExperimentalWarning"];

interface Written {
  readonly kind: "applied" | "recognised" | "read";
  readonly tool?: string;
  readonly key?: string;
  readonly text: string;
  /** The worker whose upstream server wrote the line. */
  readonly pid: number;
}

/** A folder with skills, a configuration and an upstream server, whose workers have a queue of their own. */
export class Workplace {
  readonly folder: string;
  readonly taskQueue: string;
  readonly client: Client;
  readonly address: string;
  readonly #workers: ChildProcess[] = [];

  static async open(address: string, { answerMs = 0, eachMs = 0 } = {}): Promise<Workplace> {
    const folder = await mkdtemp(join(tmpdir(), "temporal-"));
    await cp(SKILLS, join(folder, "skills"), { recursive: true });
    const client = new Client({ connection: Connection.lazy({ address }) });
    const place = new Workplace(folder, address, client);
    const ledger = {
      command: process.execPath,
      args: [...FLAGS, join(import.meta.dirname, "ledger-server.ts")],
      env: { LEDGER: place.#ledger, LEDGER_MS: String(answerMs), LEDGER_EACH_MS: String(eachMs) },
    };
    const config = {
      skills: ["skills"],
      workers: 1,
      limits: { calls: 100_000, wallMs: 300_000, cpuMs: 300_000 },
      execute: "temporal",
      temporal: { address, taskQueue: place.taskQueue },
      mcpServers: { ledger },
    };
    await writeFile(join(folder, "mcp.config.json"), JSON.stringify(config));
    return place;
  }

  private constructor(folder: string, address: string, client: Client) {
    this.folder = folder;
    this.address = address;
    this.client = client;
    this.taskQueue = `test-${folder.slice(-6)}`;
  }

  get #ledger(): string {
    return join(this.folder, "ledger.jsonl");
  }

  /** What the upstream server has done, whatever worker had it. */
  get written(): readonly Written[] {
    if (!existsSync(this.#ledger)) return [];
    const lines = readFileSync(this.#ledger, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Written);
  }

  of(kind: Written["kind"]): readonly Written[] {
    return this.written.filter((each) => each.kind === kind);
  }

  /** Until so many writes are applied, one of them perhaps not answered yet. */
  async applied(count: number): Promise<void> {
    for (const until = Date.now() + 60_000; this.of("applied").length < count; await wait(10))
      if (Date.now() > until) throw new Error(`Only ${this.of("applied").length} writes are applied`);
  }

  /** A worker in a process of its own, once it works. */
  async worker(): Promise<ChildProcess> {
    const worker = spawn(process.execPath, [...FLAGS, PROGRAM, "worker"], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#workers.push(worker);
    const [line] = (await Promise.race([
      once(createInterface(worker.stdout), "line"),
      once(worker, "exit").then(([code]) => [`ended with ${String(code)}`]),
    ])) as [string];
    if (!line.startsWith("Working on")) throw new Error(`The worker ${line}`);
    return worker;
  }

  async start(skill: string, input: object, workflowId: string, more: object = {}): Promise<unknown> {
    return this.client.workflow.start(RUN_SKILL, {
      workflowId,
      taskQueue: this.taskQueue,
      args: [{ skill, input, ...more }],
      workflowTaskTimeout: "4s",
      workflowIdReusePolicy: "REJECT_DUPLICATE",
    });
  }

  /** Puts a skill back as it was. */
  async restore(skill: string): Promise<void> {
    await cp(join(SKILLS, skill), join(this.folder, "skills", skill), { recursive: true });
  }

  /** The program, in this folder. */
  async command(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, [...FLAGS, PROGRAM, ...args], { cwd: this.folder });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.end();
    const [code] = (await once(child, "close")) as [number];
    return { code, stdout, stderr };
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(async (worker) => ended(worker, "SIGKILL")));
    await this.client.connection.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
