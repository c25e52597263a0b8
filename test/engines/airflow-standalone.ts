import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Json, JsonObject } from "../../src/core/json/json.ts";

/** How a task of a run has ended. */
interface TaskInstance {
  readonly task_id: string;
  readonly state: string;
  readonly try_number: number;
  readonly pid: number | null;
  /** Which of a mapped task; -1 where it is none. */
  readonly map_index: number;
}

const STARTS_MS = 600_000;
const RUNS_MS = 300_000;

/** What Airflow is told of where it is and which DAGs it has, with a database that is new. */
export async function airflowHome(
  airflow: string,
  { home, dags }: { readonly home: string; readonly dags: string },
): Promise<Variables> {
  mkdirSync(home, { recursive: true });
  const env = {
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: dags,
    AIRFLOW__CORE__LOAD_EXAMPLES: "False",
  };
  await promisify(execFile)(airflow, ["db", "migrate"], { env: { ...process.env, ...env } });
  return env;
}

/** `airflow standalone`, the real scheduler with its API, on loopback and in a folder of its own. */
export class AirflowStandalone {
  readonly #url: string;
  readonly #home: string;
  readonly #parent: ChildProcess;
  #token = "";

  static async open(
    airflow: string,
    { home, dags, env }: { readonly home: string; readonly dags: string; readonly env: Variables },
  ): Promise<AirflowStandalone> {
    const port = await freePort();
    mkdirSync(home, { recursive: true });
    const url = `http://127.0.0.1:${port}`;
    const parent = spawn(airflow, ["standalone"], {
      // A group of their own: its children live on when the parent alone is ended.
      detached: true,
      stdio: "ignore",
      env: {
        ...process.env,
        ...env,
        PATH: [componentsOnLoopback(airflow, home), process.env["PATH"]].join(delimiter),
        AIRFLOW_HOME: home,
        AIRFLOW__CORE__DAGS_FOLDER: dags,
        AIRFLOW__CORE__LOAD_EXAMPLES: "False",
        AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION: "False",
        AIRFLOW__CORE__EXECUTION_API_SERVER_URL: `${url}/execution/`,
        AIRFLOW__API__HOST: "127.0.0.1",
        AIRFLOW__API__PORT: String(port),
        AIRFLOW__API__WORKERS: "1",
        AIRFLOW__CORE__PARALLELISM: "2",
        AIRFLOW__SCHEDULER__ENABLE_HEALTH_CHECK: "False",
      },
    });
    const place = new AirflowStandalone(url, home, parent);
    try {
      await place.#logIn();
      return place;
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  private constructor(url: string, home: string, parent: ChildProcess) {
    this.#url = url;
    this.#home = home;
    this.#parent = parent;
  }

  /** Until the scheduler knows them. */
  async knows(dags: readonly string[]): Promise<void> {
    for (const dag of dags)
      await until(STARTS_MS, `${dag} is known`, async () => {
        const { status } = await this.#asked("GET", `/api/v2/dags/${dag}`);
        const { body } = await this.#asked("GET", "/api/v2/monitor/health");
        const { scheduler } = body as { scheduler?: { status: string } };
        return status === 200 && scheduler?.status === "healthy" ? true : undefined;
      });
  }

  /** How a run ends that is begun over REST, as the skill ends where it is called. */
  async run(dag: string, conf: JsonObject): Promise<{ readonly ended: JsonObject; readonly tasks: Tasks }> {
    const begun = await this.begin(dag, conf);
    return begun === undefined
      ? { ended: { error: "INPUT_INVALID" }, tasks: new Map() }
      : this.ended(dag, begun);
  }

  /** The id of a run; undefined where what it is given does not fit. */
  async begin(dag: string, conf: JsonObject): Promise<string | undefined> {
    const { status, body } = await this.#asked("POST", `/api/v2/dags/${dag}/dagRuns`, {
      logical_date: null,
      conf,
    });
    if (status === 400) return undefined;
    if (status !== 200) throw new Error(`${dag} is not begun: ${status} ${JSON.stringify(body)}`);
    return (body as { dag_run_id: string }).dag_run_id;
  }

  async ended(dag: string, run: string): Promise<{ readonly ended: JsonObject; readonly tasks: Tasks }> {
    const at = `/api/v2/dags/${dag}/dagRuns/${encodeURIComponent(run)}`;
    const state = await until(RUNS_MS, `${dag} has ended`, async () => {
      const { body } = await this.#asked("GET", at);
      const { state } = body as { state: string };
      return state === "success" || state === "failed" ? state : undefined;
    });
    const { body } = await this.#asked("GET", `${at}/taskInstances`);
    const { task_instances: instances } = body as { task_instances: readonly TaskInstance[] };
    const tasks = new Map(instances.map((each) => [each.task_id, each]));
    if (state === "success") {
      const given = await this.#asked("GET", `${at}/taskInstances/finish/xcomEntries/return_value`);
      return { ended: { output: (given.body as { value: Json }).value }, tasks };
    }
    const failed = instances.find((each) => each.state === "failed");
    const logs = `${at}/taskInstances/${failed?.task_id}/logs/${failed?.try_number}?full_content=true&map_index=${failed?.map_index}`;
    const { body: log } = await this.#asked("GET", logs);
    const text = JSON.stringify(log);
    const [, code] = /AirflowFailException[^A-Z]*([A-Z]+_[A-Z_]+): /.exec(text) ?? [];
    // Without a code it is told what is there instead.
    return { ended: { error: code ?? text.slice(-3000) }, tasks };
  }

  /** Kills the process of a task that runs. */
  async kill(dag: string, run: string, task: string): Promise<void> {
    const at = `/api/v2/dags/${dag}/dagRuns/${encodeURIComponent(run)}/taskInstances/${task}`;
    const { body } = await this.#asked("GET", at);
    const { pid, state } = body as TaskInstance;
    if (pid === null || state !== "running") throw new Error(`${task} does not run: it is ${state}`);
    process.kill(pid, "SIGKILL");
  }

  /** It and all that it has started, of which some have groups of their own. */
  async close(): Promise<void> {
    const { pid, exitCode } = this.#parent;
    if (pid === undefined || exitCode !== null) return;
    const exit = once(this.#parent, "exit");
    for (const each of [pid, ...descendantsOf(pid), -pid])
      try {
        process.kill(each, "SIGKILL");
      } catch {
        // It has ended.
      }
    await exit;
  }

  async #logIn(): Promise<void> {
    const file = join(this.#home, "simple_auth_manager_passwords.json.generated");
    this.#token = await until(STARTS_MS, "Airflow answers", async () => {
      if (this.#parent.exitCode !== null) throw new Error(`Airflow has ended with ${this.#parent.exitCode}`);
      try {
        const [user] = Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, string>);
        const [username, password] = user ?? [];
        const { body } = await this.#asked("POST", "/auth/token", { username, password });
        return (body as { access_token?: string }).access_token;
      } catch {
        return undefined;
      }
    });
  }

  async #asked(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(this.#token === "" ? {} : { authorization: `Bearer ${this.#token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }
}

type Variables = Readonly<Record<string, string>>;
type Tasks = ReadonlyMap<string, TaskInstance>;

/** A folder with an `airflow` whose parts do not serve their logs, which they would to all interfaces. */
function componentsOnLoopback(airflow: string, home: string): string {
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  const text = `#!/bin/sh\ncase $1 in scheduler | triggerer) set -- "$@" --skip-serve-logs ;; esac\nexec ${dirname(airflow)}/airflow "$@"\n`;
  writeFileSync(join(bin, "airflow"), text);
  chmodSync(join(bin, "airflow"), 0o755);
  return bin;
}

function descendantsOf(pid: number): readonly number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const found = new Set([pid]);
  // A child may stand before its parent.
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const [child = 0, parent = 0] of processes) if (found.has(parent)) found.add(child);
  }
  return [...found].slice(1);
}

async function until<Value>(
  ms: number,
  what: string,
  look: () => Promise<Value | undefined>,
): Promise<Value> {
  for (const end = Date.now() + ms; Date.now() < end; await wait(300)) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error(`It does not come that ${what}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("It has no port");
  return address.port;
}
