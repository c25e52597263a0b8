// The store of traces: beside bare prepared statements in the same process and run. `node bench/store.ts --events=1000000`
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Result } from "../src/core/result.ts";
import type { TraceEvent } from "../src/core/trace-event.ts";
import { sqliteStore } from "../src/trace/store/sqlite/sqlite-store.ts";
import type { TracePart, TraceStore } from "../src/trace/trace-store.ts";
import { keeps, type Measurement, measured, median, table } from "./measurement.ts";

const EVENTS_OF_A_RUN = 20;
const RUNS_AT_ONCE = 25;
const SINGLE_EVENTS = 4000;
const IN_FLIGHT = 64;
const FLOOR = "bare prepared statements";

/** A store with so many events of about 3.8 kB: what is written each second, and what reading takes. */
export async function storeMeasurements(events = 100_000): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-store-"));
  const opened = sqliteStore(join(folder, "traces.db"));
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  try {
    const floor = bareWrites(join(folder, "floor.db"), Math.min(events, 40_000));
    const batched = await batchedWrites(store, events);
    const single = await singleWrites(store);
    const trees = await treeMs(store, events);
    const queries = await queryMs(store);
    return [
      keeps(
        measured("events recorded, runs of 20 in batches", batched, "/s", FLOOR, floor.batched),
        ">= 20000 /s",
        ({ value }) => value >= 20_000,
      ),
      keeps(
        measured(
          `events recorded one by one, ${IN_FLIGHT} in flight`,
          single.inFlight,
          "/s",
          FLOOR,
          floor.single,
        ),
        ">= 8000 /s",
        ({ value }) => value >= 8000,
      ),
      measured("events recorded, each awaited before the next", single.alone, "/s", FLOOR, floor.single),
      keeps(
        measured(`a run's tree from ${events} events, p50`, trees, "ms", "the same rows, bare", floor.treeMs),
        "<= 3 ms",
        ({ value }) => value <= 3,
      ),
      ...queries.map(([name, ms]) =>
        keeps(
          measured(`${name} over ${events} events`, ms, "ms", "a run's tree", trees),
          "<= 1000 ms",
          ({ value }) => value <= 1000,
        ),
      ),
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

// --- the floor: one table with the same indexes, nothing redacted, counted or searched

interface Floor {
  readonly batched: number;
  readonly single: number;
  readonly treeMs: number;
}

function bareWrites(path: string, events: number): Floor {
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = normal");
  database.exec(`create table events (seq integer primary key, id text, run_id text, parent text, type text,
    place integer, name text, status text, timestamp real, duration real, inputs text, outputs text, meta text);
    create index by_run on events (run_id, place); create index by_name on events (name, timestamp);
    create index by_failure on events (timestamp) where status = 'failed'`);
  const insert = database.prepare(
    `insert into events (id, run_id, parent, type, place, name, status, timestamp, duration, inputs, outputs, meta)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const write = (event: TraceEvent): void =>
    void insert.run(
      event.id,
      event.runId,
      event.parentEventId ?? null,
      event.eventType,
      event.executionOrder,
      event.agentName ?? null,
      event.status,
      event.timestamp,
      event.durationMs ?? null,
      JSON.stringify(event.inputs),
      JSON.stringify(event.outputs),
      JSON.stringify(event.meta),
    );
  const batched = perSecond(events, () => {
    for (let first = 0; first * EVENTS_OF_A_RUN < events; first += RUNS_AT_ONCE) {
      database.exec("begin immediate");
      for (let index = first; index < first + RUNS_AT_ONCE; index++)
        runOf("floor", index).events.forEach(write);
      database.exec("commit");
    }
  });
  const singles = Array.from({ length: SINGLE_EVENTS / EVENTS_OF_A_RUN }, (_, index) =>
    runOf("single", index),
  );
  const single = perSecond(SINGLE_EVENTS, () => singles.forEach((run) => run.events.forEach(write)));
  const select = database.prepare("select * from events where run_id = ? order by place");
  const times = Array.from({ length: 200 }, (_, index) => {
    const started = performance.now();
    for (const row of select.all(`floor-${(index * 7919) % Math.floor(events / EVENTS_OF_A_RUN)}`))
      JSON.parse(String(row["inputs"]));
    return performance.now() - started;
  });
  database.close();
  return { batched, single, treeMs: median(times) };
}

function perSecond(count: number, work: () => void): number {
  const started = performance.now();
  work();
  return (count / (performance.now() - started)) * 1000;
}

// --- the store

async function batchedWrites(store: TraceStore, events: number): Promise<number> {
  await expectOk(store.record([runOf("warm", 0)]));
  const started = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next * EVENTS_OF_A_RUN < events) {
      const first = next;
      next += RUNS_AT_ONCE;
      const parts = Array.from({ length: RUNS_AT_ONCE }, (_, index) => runOf("run", first + index));
      await expectOk(store.record(parts));
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return (events / (performance.now() - started)) * 1000;
}

async function singleWrites(
  store: TraceStore,
): Promise<{ readonly inFlight: number; readonly alone: number }> {
  const parts = (name: string): TracePart[] =>
    Array.from({ length: SINGLE_EVENTS / EVENTS_OF_A_RUN }, (_, index) => runOf(name, index)).flatMap((run) =>
      run.events.map((event): TracePart => ({ ...run, events: [event], status: "running" })),
    );
  const rate = async (lanes: number, left: TracePart[]): Promise<number> => {
    const count = left.length;
    const started = performance.now();
    const lane = async (): Promise<void> => {
      for (let part = left.pop(); part !== undefined; part = left.pop()) await expectOk(store.record([part]));
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return (count / (performance.now() - started)) * 1000;
  };
  return {
    inFlight: await rate(IN_FLIGHT, parts("flight")),
    alone: await rate(1, parts("alone").slice(0, 1000)),
  };
}

async function treeMs(store: TraceStore, events: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 220; index++) {
    const started = performance.now();
    const trace = await expectOk(store.trace(`run-${(index * 7919) % Math.floor(events / EVENTS_OF_A_RUN)}`));
    // The first start the thread.
    if (index >= 20) times.push(performance.now() - started);
    if (trace?.events.length !== EVENTS_OF_A_RUN) throw new Error("the run is not whole");
  }
  return median(times);
}

async function queryMs(store: TraceStore): Promise<readonly (readonly [string, number])[]> {
  const queries: readonly (readonly [string, () => Promise<Result<unknown>>])[] = [
    ["usage of tools, by version", async () => store.usage({ byVersion: true })],
    ["recurring chains", async () => store.chains({ atLeast: 2 })],
    ["code patterns", async () => store.codePatterns()],
    ["failed runs of a tool with a word", async () => store.runs({ status: "failed", text: "report" })],
    ["search for a common word", async () => store.search("report")],
  ];
  const measuredMs: (readonly [string, number])[] = [];
  for (const [name, query] of queries) {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      await expectOk(query());
      times.push(performance.now() - started);
    }
    measuredMs.push([name, median(times)]);
  }
  return measuredMs;
}

async function expectOk<Value>(result: Promise<Result<Value>>): Promise<Value> {
  const settled = await result;
  if (!settled.ok) throw new Error(settled.error.message);
  return settled.value;
}

// --- what is written

const TOOLS = ["search", "fetch", "parse", "compute", "plot", "save", "mail"];
const TEXT = "The quick brown fox jumps over the lazy dog and writes what it saw into its notes. ".repeat(22);
const START = Date.UTC(2026, 0, 1);

function runOf(name: string, index: number): TracePart {
  const runId = `${name}-${index}`;
  const startedAt = START + index * 60_000;
  const events = Array.from({ length: EVENTS_OF_A_RUN }, (_, order): TraceEvent => {
    const isCode = order % 5 === 4;
    const fails = (index * 31 + order) % 41 === 0;
    return {
      id: `${runId}-${order}`,
      runId,
      eventType: isCode ? "code_exec" : order === 0 ? "skill_call" : "tool_call",
      executionOrder: order,
      agentName: isCode ? "engineer" : (TOOLS[(index * (1 + (order % 3)) + order) % TOOLS.length] ?? ""),
      status: fails ? "failed" : "completed",
      timestamp: startedAt + order * 100,
      durationMs: 5 + ((index * 7 + order * 13) % 400),
      inputs: { query: `${runId} ${order}`, text: TEXT },
      outputs: { text: TEXT, count: order },
      meta: isCode ? { imports: ["numpy", TOOLS[index % 7] ?? ""] } : { attempt: 1 },
      ...(order > 0 ? { parentEventId: `${runId}-0` } : { skillDigest: `digest-${index % 3}` }),
      ...(fails ? { errorCode: "TOOL_FAILED", errorMessage: `It failed with ${order}` } : {}),
    };
  });
  const status = index % 10 === 0 ? "failed" : "completed";
  return { runId, source: "run", task: `Write report number ${index}`, startedAt, status, events, files: [] };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const events = process.argv.find((argument) => argument.startsWith("--events="));
  console.log(table(await storeMeasurements(events === undefined ? undefined : Number(events.slice(9)))));
}
