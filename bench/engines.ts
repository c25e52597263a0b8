// A learned skill of four calls, run on other engines beside here; where the time goes is told by the engine's own process,
// and of Temporal by the run's history.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readConfig } from "../src/config.ts";
import { openApp } from "../src/app.ts";
import { EXECUTING } from "../src/export/adapters.ts";
import type { EngineAdapter, ProgramTimes } from "../src/export/engine-adapter.ts";
import { EngineShop, installedModules, installedPython, RUNS } from "../test/engines/engine-shop.ts";
import { type TemporalServer, temporalServer } from "../test/engines/temporal-server.ts";
import { ROOT } from "../test/server/connected-client.ts";
import { type Measurement, measured } from "./measurement.ts";

const ROUNDS = 5;
/** Where a run takes long. */
const ROUNDS_OF: Readonly<Record<string, number>> = { airflow: 3 };
/** By name, where the engine's tests have installed it. */
const PACKAGES: Readonly<Record<string, string>> = {
  langgraph: "langgraph",
  ag2: "ag2",
  "ag2-channel": "ag2",
  "ag2-groupchat": "ag2",
  airflow: "airflow",
};

/** What the parts of a run are that its process, or its history, tells. */
const PARTS: Readonly<Record<string, readonly [before: string, rest: string]>> = {
  temporal: ["until a worker has taken it", "asking for it, and hearing of its end"],
};
const OF_PROCESSES = ["until the engine is loaded", "the process, and the rest"] as const;

interface Sample extends ProgramTimes {
  readonly wholeMs: number;
}

/** An engine with what it takes here. */
interface Installed {
  readonly engine: EngineAdapter;
  readonly python?: string;
  /** Where its process does not tell it. */
  readonly timesOf?: (run: string, begunAt: number) => Promise<ProgramTimes>;
}

export async function engineMeasurements(): Promise<readonly Measurement[]> {
  await using stack = new AsyncDisposableStack();
  const shop = stack.use(await EngineShop.open());
  const server = stack.adopt(await temporalServer(), async (made) => {
    if (!(made instanceof Error)) await made[Symbol.asyncDispose]();
  });
  const config = await readConfig({ cwd: shop.workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  const temporal = server instanceof Error ? {} : { address: server.address };
  const app = openApp({ ...config.value, temporal: { ...config.value.temporal, ...temporal } });
  stack.defer(async () => app.close());
  if (!(server instanceof Error)) stack.defer(await worker(shop, server.address));
  stack.defer(inProjectWith(installedModules("langgraph-js")));
  const [[skill, input] = ["", {}]] = RUNS;
  const direct: number[] = [];
  const lines: Measurement[] = [];
  for (const name of EXECUTING) {
    const adapter = app.engines.get(name);
    const found = adapter && installed(adapter, server);
    if (found === undefined || typeof found === "string") {
      console.error(`${name} is left out: ${found ?? "there is no such engine"}`);
      continue;
    }
    const samples: Sample[] = [];
    for (let round = 0; round <= (ROUNDS_OF[name] ?? ROUNDS); round++) {
      const begun = performance.now();
      const here = await app.call(skill, input);
      const hereMs = performance.now() - begun;
      if (!here.root.outcome.ok) throw new Error(here.root.outcome.error.message);
      const sample = await ranOn(found, skill, input);
      // The first round warms up: Airflow makes its database then.
      if (round === 0) continue;
      direct.push(hereMs);
      samples.push(sample);
    }
    const whole = samples.map(({ wholeMs }) => wholeMs);
    const part = (what: string, of: (sample: Sample) => number): Measurement =>
      measured(`${name}: of it ${what}`, samples.map(of), "ms", "the whole", whole);
    const [before, rest] = PARTS[name] ?? OF_PROCESSES;
    lines.push(
      measured(`${name}: a run of four calls`, whole, "ms", "run here", direct),
      part(before, ({ loadMs }) => loadMs),
      part("the run itself", ({ runMs }) => runMs),
      part(rest, ({ wholeMs, loadMs, runMs }) => wholeMs - loadMs - runMs),
    );
  }
  return lines;
}

/** Or why it is left out. */
function installed(engine: EngineAdapter, server: TemporalServer | Error): Installed | string {
  const missing = "npm run test:engines installs it";
  switch (engine.name) {
    case "temporal":
      return server instanceof Error
        ? server.message
        : { engine, timesOf: async (run, begunAt) => historyTimes(server, run, begunAt) };
    case "langgraph-js":
      return installedModules(engine.name) === undefined ? missing : { engine };
    default: {
      const python = installedPython(PACKAGES[engine.name] ?? engine.name);
      return python === undefined ? missing : { engine, python };
    }
  }
}

/** Packages of Node are those of the folder in which a run is asked for; gives what ends that. */
function inProjectWith(modules: string | undefined): () => void {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), "repertoire-project-"));
  if (modules !== undefined) symlinkSync(modules, join(folder, "node_modules"));
  process.chdir(folder);
  return () => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  };
}

/** Starts a worker for runs on Temporal; gives what ends it. */
async function worker(shop: EngineShop, address: string): Promise<() => Promise<void>> {
  const args = [join(ROOT, "bin/repertoire.js"), "worker", "--temporal", address];
  const started = spawn(process.execPath, args, {
    cwd: shop.workplace.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(started, "exit");
  await Promise.race([once(createInterface(started.stdout), "line"), ended]);
  if (started.exitCode !== null) throw new Error("A worker for Temporal does not start");
  return async () => {
    started.kill("SIGKILL");
    await ended;
  };
}

interface Event {
  readonly eventType: string;
  readonly eventTime: string;
}

/** From when it was asked for until a worker has begun, and from then until it has ended. */
async function historyTimes(server: TemporalServer, run: string, begunAt: number): Promise<ProgramTimes> {
  const text = await server.told("workflow", "show", "--workflow-id", run, "--output", "json");
  const { events = [] } = JSON.parse(text ?? "{}") as { readonly events?: readonly Event[] };
  const [began, ended] = ["WORKFLOW_TASK_STARTED", "WORKFLOW_EXECUTION_COMPLETED"].map((type) =>
    Date.parse(events.find(({ eventType }) => eventType.endsWith(type))?.eventTime ?? ""),
  );
  if (!began || !ended) throw new Error(`The history of ${run} does not tell when it began and ended`);
  return { loadMs: began - begunAt, runMs: ended - began };
}

async function ranOn({ engine, python, timesOf }: Installed, skill: string, input: object): Promise<Sample> {
  let times: ProgramTimes | undefined;
  const [begunAt, begun] = [Date.now(), performance.now()];
  const { id, root } = await engine.execute(
    skill,
    { ...input },
    { ...(python === undefined ? {} : { python }), onTimes: (told) => (times = told) },
  );
  const wholeMs = performance.now() - begun;
  if (!root.outcome.ok) throw new Error(`${engine.name}: ${root.outcome.error.message}`);
  times ??= await timesOf?.(id, begunAt);
  if (!times) throw new Error(`${engine.name} has not told its times`);
  return { ...times, wholeMs };
}
