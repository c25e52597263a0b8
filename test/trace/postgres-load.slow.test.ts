import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { TraceQueue } from "../../src/trace/record/trace-queue.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import type { RunSummary, TraceStore } from "../../src/trace/trace-store.ts";
import { postgresServer, type PostgresServer } from "./postgres-server.ts";
import { value } from "./store-contract.ts";
import { run } from "./traces.ts";

const server = postgresServer();
afterAll(() => server?.remove());

const TOOLS = ["plan", "fetch", "fetch", "merge", "send"];

describe.skipIf(server === undefined)("PostgreSQL under load, where it is installed", () => {
  test.each([1, 40])(
    "a thousand calls a second in %i sessions for five seconds: all is recorded, in its order",
    async (sessions) => {
      const store = openStore(running().database());
      const warnings: string[] = [];
      const recorder = new TraceQueue(store, { onWarning: (message) => warnings.push(message) });
      const calls = 5000;
      const beganAt = performance.now();
      let next = 0;
      const lane = async (): Promise<void> => {
        for (let mine = next++; mine < calls; mine = next++) {
          await pause(Math.max(0, beganAt + mine - performance.now()));
          const startedAt = Date.now();
          await recorder.add(run(`r${mine}`, TOOLS, { startedAt, sessionId: `s${mine % sessions}` }));
        }
      };
      await Promise.all(Array.from({ length: 64 }, lane));
      expect(await recorder.flush(100_000)).toBe(true);
      expect({ state: recorder.state, warnings }).toEqual({ state: { waiting: 0, lost: 0 }, warnings: [] });
      const runs = await allRuns(store);
      expect(runs).toHaveLength(calls);
      expect(runs.every(({ events, lost }) => events === TOOLS.length && lost === undefined)).toBe(true);
      expect((await value(store.usage())).map(({ name, calls: count }) => [name, count])).toEqual([
        ["fetch", calls * 2],
        ["merge", calls],
        ["plan", calls],
        ["send", calls],
      ]);
      for (const id of ["r0", `r${calls - 1}`])
        expect((await value(store.trace(id)))?.events.map(({ agentName }) => agentName)).toEqual(TOOLS);
      await recorder.close();
      await store.close();
    },
  );

  test("a database that is stopped for a while: what was lost is told by the runs, and counted", async () => {
    const store = openStore(running().database());
    const warnings: string[] = [];
    const recorder = new TraceQueue(store, {
      onWarning: (message) => warnings.push(message),
      mostEvents: 500,
    });
    await recorder.add(run("before", TOOLS));
    expect(await recorder.flush(60_000)).toBe(true);
    running().stop();
    for (let each = 0; each < 300; each++) {
      await recorder.add(run(`r${each}`, TOOLS, { startedAt: Date.now() }));
      if (each % 100 === 0) await pause(200);
    }
    const { lost } = recorder.state;
    expect(lost).toBe((300 - 100) * TOOLS.length);
    running().start();
    expect(await recorder.flush(60_000)).toBe(true);
    const runs = await allRuns(store);
    expect(runs).toHaveLength(301);
    expect(runs.filter((each) => each.lost === undefined)).toHaveLength(101);
    expect(runs.reduce((sum, each) => sum + (each.lost ?? 0), 0)).toBe(lost);
    await recorder.close();
    expect(warnings.join("\n")).toMatch(/does not answer/);
    expect(warnings.at(-1)).toMatch(/\d+ events are lost/);
    await store.close();
  });
});

async function allRuns(store: TraceStore): Promise<readonly RunSummary[]> {
  return (await value(store.runs({ limit: 10_000 }))).runs;
}

function running(): PostgresServer {
  if (server === undefined) throw new Error("PostgreSQL is not installed here");
  return server;
}
