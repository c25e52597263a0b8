import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fail } from "../../src/core/result.ts";
import { unavailableFailure } from "../../src/trace/store/database.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import { TraceQueue, type TraceQueueOptions } from "../../src/trace/record/trace-queue.ts";
import type { TraceStore } from "../../src/trace/trace-store.ts";
import { command } from "../cli/in-process.ts";
import { Workplace } from "../server/connected-client.ts";
import { modernCall, servedApp } from "../server/served-app.ts";
import { value } from "./store-contract.ts";
import { call, part, run } from "./traces.ts";

/** A store whose writing can be held up, or refused as by a store that does not answer. */
class Gate {
  readonly #store: TraceStore;
  #passing = Promise.withResolvers<void>();
  isAway = false;

  constructor(store: TraceStore) {
    this.#store = store;
  }

  open(): void {
    this.#passing.resolve();
  }

  async record(parts: Parameters<TraceStore["record"]>[0]): ReturnType<TraceStore["record"]> {
    if (this.isAway) return fail(unavailableFailure("it is away", true));
    await this.#passing.promise;
    return this.#store.record(parts);
  }
}

describe("a recorder", () => {
  let folder: string;
  let store: TraceStore;
  let gate: Gate;
  let recorder: TraceQueue;
  const warnings: string[] = [];
  const begin = (options: TraceQueueOptions): void => {
    recorder = new TraceQueue(gate, { onWarning: (message) => warnings.push(message), ...options });
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "repertoire-recorder-"));
    store = openStore(join(folder, "traces.db"));
    gate = new Gate(store);
    warnings.length = 0;
  });
  afterEach(async () => {
    gate.isAway = false;
    gate.open();
    await recorder.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  test("lets nobody wait while there is room; where the queue is half full, those who add wait for room", async () => {
    begin({ mostEvents: 20, maxWaitMs: 60_000 });
    for (let each = 0; each < 5; each++) expect(recorder.add(run(`r${each}`, ["a", "b"]))).toBeUndefined();
    let isLetGo = false;
    const held = Promise.all(["x", "y"].map(async (id) => recorder.add(run(id, ["a", "b"])))).then(
      () => (isLetGo = true),
    );
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect(isLetGo).toBe(false);
    gate.open();
    await held;
    expect(await recorder.flush()).toBe(true);
    expect((await value(store.runs())).runs).toHaveLength(7);
    expect(recorder.state).toEqual({ waiting: 0, lost: 0 });
    expect(warnings).toEqual([]);
  });

  test("lets those who add go on when the time is over, and keeps what they added", async () => {
    begin({ mostEvents: 20, maxWaitMs: 30 });
    for (let each = 0; each < 5; each++) void recorder.add(run(`r${each}`, ["a", "b"]));
    await recorder.add(run("late", ["a", "b"]));
    expect(recorder.state).toEqual({ waiting: 12, lost: 0 });
    gate.open();
    expect(await recorder.flush()).toBe(true);
    expect((await value(store.runs())).runs).toHaveLength(6);
  });

  test("lets nobody wait for a store that does not answer", async () => {
    gate.isAway = true;
    begin({ mostEvents: 20, maxWaitMs: 600_000 });
    void recorder.add(run("first", ["a"]));
    await vi.waitFor(() => expect(warnings).toHaveLength(1), 5000);
    for (let each = 0; each < 30; each++) await recorder.add(run(`r${each}`, ["a"]));
    expect(recorder.state).toEqual({ waiting: 20, lost: 11 });
  });

  test("lets those who wait go on when the store turns out not to answer", async () => {
    begin({ mostEvents: 2, maxWaitMs: 600_000 });
    gate.isAway = true;
    await recorder.add(run("a", ["a", "b"]));
    expect(recorder.state.waiting).toBe(2);
  });

  test("records a run without what it lost, with how much that is, over all its parts", async () => {
    gate.isAway = true;
    begin({ mostEvents: 2, warnEveryMs: 0 });
    void recorder.add(run("kept", ["a", "b"]));
    const startedAt = 1_700_000_000_000;
    void recorder.add(
      part("one", [call("one", 0, "x"), call("one", 1, "y")], {
        status: "running",
        startedAt,
        sessionId: "s",
        task: "Do it",
      }),
    );
    void recorder.add(
      part("one", [call("one", 2, "z", { status: "failed", parentEventId: "one-0" })], {
        status: "failed",
        startedAt,
        durationMs: 70,
      }),
    );
    gate.isAway = false;
    gate.open();
    expect(await recorder.flush(20_000)).toBe(true);
    const { runs } = await value(store.runs());
    expect(runs).toMatchObject([
      { runId: "kept", events: 2 },
      {
        runId: "one",
        name: "x",
        sessionId: "s",
        task: "Do it",
        status: "failed",
        startedAt,
        durationMs: 70,
        events: 0,
        lost: 3,
      },
    ]);
    expect(runs[0]).not.toHaveProperty("lost");
    expect(recorder.state).toEqual({ waiting: 0, lost: 3 });
    expect(await value(store.usage())).toMatchObject([{ name: "a" }, { name: "b" }]);
  });

  test("does not count an event as lost that has not ended, since it comes again", async () => {
    gate.isAway = true;
    begin({ mostEvents: 1 });
    void recorder.add(run("kept", ["a"]));
    void recorder.add(part("long", [call("long", 0, "x", { status: "running" })], { status: "running" }));
    gate.isAway = false;
    gate.open();
    expect(await recorder.flush(20_000)).toBe(true);
    void recorder.add(part("long", [call("long", 0, "x")]));
    expect(await recorder.flush(20_000)).toBe(true);
    expect(recorder.state.lost).toBe(0);
    const { runs } = await value(store.runs({ name: "x" }));
    expect(runs).toMatchObject([{ runId: "long", events: 1, status: "completed" }]);
    expect(runs[0]).not.toHaveProperty("lost");
  });

  test("tells at its end what no warning has told yet", async () => {
    gate.isAway = true;
    begin({ mostEvents: 1 });
    void recorder.add(run("kept", ["a"]));
    await vi.waitFor(() => expect(warnings).toHaveLength(1), 5000);
    void recorder.add(run("lost", ["a", "b"]));
    gate.isAway = false;
    gate.open();
    expect(await recorder.flush(20_000)).toBe(true);
    await recorder.close();
    expect(warnings).toEqual([
      expect.stringContaining("it is away"),
      expect.stringContaining("2 events are lost"),
    ]);
  });
});

describe("what comes fast", () => {
  const writes: number[] = [];
  const store = {
    record: async (parts: Parameters<TraceStore["record"]>[0]) => {
      writes.push(parts.length);
      return { ok: true as const, value: new Map<string, number>() };
    },
  };
  const written = (): number => writes.reduce((sum, each) => sum + each, 0);
  beforeEach(() => {
    writes.length = 0;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const after = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };

  test("is written together, the more the faster it comes; what comes seldom at once", async () => {
    const queue = new TraceQueue(store);
    void queue.add(run("seldom", ["add"]));
    await after(2);
    expect(writes).toEqual([1]);
    for (let count = 0; count < 20; count++) void queue.add(run("first", ["add"]));
    await after(2);
    expect(writes).toEqual([1, 20]);
    for (let time = 0; time < 10; time++) {
      void queue.add(run("next", ["add"]));
      await after(1);
    }
    expect(writes).toEqual([1, 20]);
    await after(40);
    expect(writes).toEqual([1, 20, 10]);
  });

  test("waits for no more where somebody waits", async () => {
    const queue = new TraceQueue(store);
    for (let count = 0; count < 20; count++) void queue.add(run("first", ["add"]));
    await after(2);
    const recorded = queue.recorded(run("waited for", ["add"]));
    await after(0);
    expect(written()).toBe(21);
    await recorded;
  });
});

test("runs that lost events tell it to clients and on the command line", async () => {
  await using workplace = await Workplace.create({}, { traces: { store: "traces.db", visible: "all" } });
  const store = openStore(join(workplace.folder, "traces.db"));
  await value(store.record([{ ...run("whole", ["a"]), sessionId: "s" }]));
  await value(store.record([{ ...run("holed", ["b"]), sessionId: "s", lost: 41 }]));
  await store.close();
  await using served = await servedApp(workplace);
  const listed = await modernCall(served.url, "list_runs", {});
  expect(listed.body).toMatchObject({
    result: { structuredContent: { runs: [{ runId: "whole" }, { runId: "holed", lost: 41, events: 1 }] } },
  });
  expect(await modernCall(served.url, "get_run", { runId: "holed" })).toMatchObject({
    body: { result: { structuredContent: { lost: 41 } } },
  });
  const sessions = await command(workplace.folder, "traces", "ls");
  expect(sessions.stdout.split("\n")[0]).toMatch(/calls +lost +took/);
  expect(sessions.stdout).toMatch(/^s .* 2 +41 /m);
  const ls = await command(workplace.folder, "traces", "ls", "--flat");
  expect(ls.stdout.split("\n")[0]).toMatch(/events +lost +took/);
  expect(ls.stdout).toMatch(/holed .* 1 +41 /);
  expect((await command(workplace.folder, "traces", "show", "holed")).stdout).toContain(
    "41 events not recorded",
  );
  expect((await command(workplace.folder, "traces", "show", "s")).stdout).toContain("41 events not recorded");
  expect((await command(workplace.folder, "traces", "show", "whole")).stdout).not.toContain("not recorded");
});
