import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import type { Json } from "../../src/core/json/json.ts";
import { fail } from "../../src/core/result.ts";
import { unavailableFailure } from "../../src/trace/store/database.ts";
import { TraceQueue } from "../../src/trace/record/trace-queue.ts";
import { sqliteStore } from "../../src/trace/store/sqlite/sqlite-store.ts";
import type { TraceStore } from "../../src/trace/trace-store.ts";
import { value } from "./store-contract.ts";
import { run } from "./traces.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-processes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
// A second try begins with nothing, too.
const newPath = (name: string): string => join(mkdtempSync(join(folder, "try-")), name);

// Each starts a process, which takes long on a machine that has much else to do.
const KILLS = 100;

test("kill -9 at any moment: all that was acknowledged is there, nothing is half, the file is whole", async () => {
  const path = newPath("killed.db");
  const acknowledged = new Set<string>();
  // Two at a time, so that one is killed while the other writes.
  await Promise.all([
    killedWriters(path, "a", KILLS / 2, acknowledged),
    killedWriters(path, "b", KILLS / 2, acknowledged),
  ]);
  expect(acknowledged.size).toBeGreaterThan(KILLS);
  const database = new DatabaseSync(path, { timeout: 5000 });
  const all = (sql: string): readonly unknown[] => database.prepare(sql).all();
  const ids = new Set(all("select run_id from runs").map((row) => (row as { run_id: string }).run_id));
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
  expect(
    all(`select run_id from runs r where events <> 10
    or (select count(*) from execution_events e where e.run_id = r.run_id) <> 10
    or (select count(*) from files f where f.run_id = r.run_id) <> 1`),
  ).toEqual([]);
  expect(all("select sum(calls) as calls from usage")).toEqual([{ calls: ids.size * 10 }]);
  expect(all("select sum(count) as count from durations")).toEqual([{ count: ids.size * 10 }]);
  expect(all("select count(*) as texts from search_texts")).toEqual([{ texts: ids.size * 3 }]);
  expect(
    all(`select sha256 from payloads p where refs <> (select count(*) from execution_events
    where inputs = '{"[payload]":"' || p.sha256 || '"}')`),
  ).toEqual([]);
  database.exec("insert into search_index (search_index) values ('integrity-check')");
  database.close();
  expectWhole(path);
}, 240_000);

async function killedWriters(
  path: string,
  name: string,
  times: number,
  acknowledged: Set<string>,
): Promise<void> {
  for (let time = 0; time < times; time++) {
    const writer = started("writer-process.ts", path, `${name}${time}`);
    const lines = createInterface({ input: writer.stdout });
    lines.on("line", (line) => acknowledged.add(line));
    await Promise.race([once(lines, "line"), once(writer, "exit")]);
    await pause(Math.random() * 120);
    writer.kill("SIGKILL");
    await once(writer, "close");
    if (time % 10 === 9) expectWhole(path);
  }
}

function expectWhole(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
}

test("eight processes that make a new database and write to it at once lose nothing", async () => {
  const path = newPath("shared.db");
  const writers = Array.from({ length: 8 }, (_, index) =>
    started("writer-process.ts", path, `w${index}`, "10"),
  );
  const codes = await Promise.all(
    writers.map(async (writer) => {
      writer.stdout.resume();
      const [code] = (await once(writer, "close")) as [number];
      return code;
    }),
  );
  expect(codes).toEqual(Array.from({ length: 8 }, () => 0));
  const store = opened(path);
  expect((await value(store.usage())).reduce((sum, { calls }) => sum + calls, 0)).toBe(8 * 10 * 10);
  await store.close();
});

test("six threads that make a new database at once all open it", async () => {
  for (let round = 0; round < 3; round++) {
    const path = newPath(`${round}.db`);
    const stores = Array.from({ length: 6 }, () => opened(path));
    const results = await Promise.all(
      stores.map(async (store, index) => store.record([run(`r${index}`, ["a"])])),
    );
    expect(results).toEqual(stores.map((_, index) => ({ ok: true, value: new Map([[`r${index}`, 1]]) })));
    await Promise.all(stores.map(async (store) => store.close()));
  }
});

test("a file that another process has locked degrades recording with one warning, and it recovers by itself", async () => {
  const path = newPath("locked.db");
  const store = opened(path, 1_000);
  await value(store.record([run("first", ["a"])]));
  const locker = started("lock-process.ts", path);
  await once(locker.stdout, "data");
  const warnings: string[] = [];
  const recorder = new TraceQueue(store, { onWarning: (message) => warnings.push(message), mostEvents: 10 });
  let slowest = 0;
  const add = (runId: string): void => {
    const before = performance.now();
    void recorder.add(run(runId, ["a", "b"]));
    slowest = Math.max(slowest, performance.now() - before);
  };
  add("r0");
  await vi.waitFor(() => expect(warnings).toHaveLength(1), 20_000);
  for (let index = 1; index < 20; index++) add(`r${index}`);
  await pause(300);
  expect(warnings).toEqual([expect.stringContaining("database is locked")]);
  expect(recorder.state).toEqual({ waiting: 10, lost: 30 });
  // What the store has is still read.
  expect((await value(store.runs())).runs.map(({ runId }) => runId)).toEqual(["first"]);
  // An event loop that had waited for the lock would have stood still for a second each time.
  expect(slowest).toBeLessThan(900);
  locker.stdin.end();
  await once(locker, "close");
  expect(await recorder.flush(10_000)).toBe(true);
  const { runs } = await value(store.runs());
  expect(runs.filter(({ lost }) => lost === undefined)).toHaveLength(6);
  expect(runs.filter(({ lost, events }) => lost === 2 && events === 0)).toHaveLength(15);
  await recorder.close();
  await store.close();
});

test("a disk that is full fails a record as a whole, and the store works again when there is room", async () => {
  const path = newPath("full.db");
  const store = opened(path);
  await value(store.record([run("first", ["a"])]));
  const limited = opened(path, 5000, 60);
  const random = (): string =>
    Array.from({ length: 120_000 }, () => Math.random().toString(36).slice(2, 6)).join("");
  const large = run("large", ["a"]);
  const [event] = large.events;
  const failed = await limited.record([
    {
      ...large,
      events: event ? [...large.events, { ...event, id: "x", executionOrder: 9, inputs: random() }] : [],
    },
  ]);
  expect(failed).toMatchObject({
    ok: false,
    error: {
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("full") as string,
      details: { passes: true },
    },
  });
  expect((await value(limited.runs())).runs.map(({ runId }) => runId)).toEqual(["first"]);
  expect(await limited.record([run("small", ["a"])])).toMatchObject({ ok: true });
  await limited.close();
  expect(await store.record([large])).toMatchObject({ ok: true });
  await store.close();
});

test("a folder that cannot be made degrades recording, and nothing is thrown", async () => {
  const store = opened(join(fileURLToPath(import.meta.url), "no-folder", "traces.db"));
  const warnings: string[] = [];
  const recorder = new TraceQueue(store, { onWarning: (message) => warnings.push(message) });
  void recorder.add(run("r", ["a"]));
  await vi.waitFor(() => expect(warnings).toHaveLength(1), 5000);
  expect(await recorder.flush(300)).toBe(false);
  expect(warnings).toEqual([expect.stringMatching(/no-folder: what should be its folder is a file/)]);
  await recorder.close(0);
  await store.close();
});

test("what the store refuses for good is lost alone, and who listens to warnings cannot stop the recording", async () => {
  const store = opened(join(folder, "refused.db"));
  const warnings: string[] = [];
  const recorder = new TraceQueue(store, {
    onWarning: (message) => {
      warnings.push(message);
      throw new Error("the listener is broken");
    },
  });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const bad = run("bad", ["a"]);
  void recorder.add(run("before", ["a"]));
  void recorder.add({
    ...bad,
    events: bad.events.map((event) => Object.assign({}, event, { inputs: circle as Json })),
  });
  void recorder.add(run("after", ["a"]));
  expect(await recorder.flush(20_000)).toBe(true);
  expect(recorder.state).toEqual({ waiting: 0, lost: 1 });
  expect(warnings).toEqual([expect.stringContaining("1 events are lost")]);
  expect((await value(store.runs())).runs).toMatchObject([
    { runId: "before", events: 1 },
    { runId: "bad", events: 0, lost: 1 },
    { runId: "after", events: 1 },
  ]);
  await recorder.close();
  void recorder.add(run("late", ["a"]));
  expect(recorder.state.lost).toBe(2);
  await store.close();
});

test("of more runs than can be told one by one, one entry tells how much is lost", async () => {
  const store = opened(join(folder, "gap.db"));
  const isAway = { now: true };
  const recorder = new TraceQueue(
    { record: async (parts) => (isAway.now ? fail(unavailableFailure("away", true)) : store.record(parts)) },
    { mostEvents: 1 },
  );
  for (let each = 0; each < 10_501; each++) void recorder.add(run(`r${each}`, ["a", "b"]));
  isAway.now = false;
  expect(await recorder.flush(60_000)).toBe(true);
  const { runs } = await value(store.runs({ limit: 20_000 }));
  expect(runs).toHaveLength(1 + 10_000 + 1);
  expect(runs.reduce((sum, { events, lost }) => sum + events + (lost ?? 0), 0)).toBe(10_501 * 2);
  expect(runs.filter(({ runId }) => runId.startsWith("lost:"))).toMatchObject([
    { lost: 1000, status: "failed", task: "1000 events of 500 further runs could not be recorded" },
  ]);
  await recorder.close();
  await store.close();
});

test("a database that a newer version wrote is left alone", async () => {
  const path = join(folder, "newer.db");
  const database = new DatabaseSync(path);
  database.exec("pragma user_version = 99");
  database.close();
  const store = opened(path);
  expect(await store.record([run("r", ["a"])])).toMatchObject({
    ok: false,
    error: { code: "STORE_UNAVAILABLE", message: expect.stringContaining("newer") as string },
  });
  await store.close();
});

function started(file: string, ...args: readonly string[]) {
  return spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", fileURLToPath(new URL(file, import.meta.url)), ...args],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
}

function opened(path: string, lockMs = 5000, mostPages?: number): TraceStore {
  const store = sqliteStore(path, { lockMs, ...(mostPages === undefined ? {} : { mostPages }) });
  if (!store.ok) throw new Error(store.error.message);
  return store.value;
}
