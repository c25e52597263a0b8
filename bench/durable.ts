// Durable runs beside plain ones of the same skills, on the same runner, with an upstream that answers at once or soon.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DEFAULT_LIMITS } from "../src/core/limits.ts";
import { ok } from "../src/core/result.ts";
import type { Run } from "../src/core/run.ts";
import { DurableRuns } from "../src/durable/durable-runs.ts";
import { type CallTool, Runner } from "../src/runner/runner.ts";
import { skillSet } from "../test/runner/skill-set.ts";
import { keeps, type Measurement, measured, median } from "./measurement.ts";

const CALLS = 10;
const ROUNDS = 60;
const UPSTREAM_MS = 2;
/** A process that dies with a run of this one's. */
const DYING = "--dying";

const SKILLS = skillSet({
  reads: `export default async () => { for (let i = 0; i < ${CALLS}; i++) await call_tool("shop.read", { i }); return 1; }`,
  writes: `export default async () => { for (let i = 0; i < ${CALLS}; i++) await call_tool("shop.write", { i }); return 1; }`,
});

const atOnce: CallTool = async () => Promise.resolve(ok({ done: true }));
const soon: CallTool = async () => ok(await wait(UPSTREAM_MS, { done: true }));

export async function durableMeasurements(): Promise<readonly Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-bench-durable-"));
  const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
  try {
    const runs = { atOnce: durableRuns(folder, runner, atOnce), soon: durableRuns(folder, runner, soon) };
    const plain = async (skill: string, callTool: CallTool) => runner.run(SKILLS, skill, {}, { callTool });
    const reads = await alternated(
      async () => runs.soon.run("reads", {}),
      async () => plain("reads", soon),
    );
    const writes = await alternated(
      async () => runs.atOnce.run("writes", {}),
      async () => plain("writes", atOnce),
    );
    const perWrite = (writes.first - writes.second) / CALLS;
    const resumed = await resumedAfterKill(folder, runs.soon);
    const again = await alternated(
      async () => plain("reads", atOnce),
      async () => plain("reads", atOnce),
    );
    await Promise.all(Object.values(runs).map(async (each) => each.close()));
    return [
      keeps(
        measured(
          `durable run of ${CALLS} reads of ${UPSTREAM_MS} ms`,
          reads.first,
          "ms",
          "not durable",
          reads.second,
        ),
        "ratio <= 1.1",
        ({ ratio }) => ratio <= 1.1,
      ),
      keeps(
        measured(
          `durable run of ${CALLS} writes, answered at once`,
          writes.first,
          "ms",
          "not durable",
          writes.second,
        ),
        "<= +1 ms a write",
        () => perWrite <= 1,
      ),
      keeps(
        measured("found after kill -9 and resumed to its end", resumed, "ms", "running it", again.first),
        "<= +200 ms",
        () => resumed - again.first <= 200,
      ),
    ];
  } finally {
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function durableRuns(folder: string, runner: Runner, callTool: CallTool): DurableRuns {
  return new DurableRuns({
    folder,
    runner,
    callTool,
    policyOf: async (tool) => Promise.resolve(tool === "shop.read" ? "read" : "write"),
    skills: async () => Promise.resolve({ skills: SKILLS, refusals: new Map() }),
  });
}

/** Medians of both, in milliseconds; each round runs both, in turns. */
async function alternated(
  first: () => Promise<Run>,
  second: () => Promise<Run>,
): Promise<{ readonly first: number; readonly second: number }> {
  const times = { first: [] as number[], second: [] as number[] };
  const timed = async (which: keyof typeof times, work: () => Promise<Run>): Promise<void> => {
    const started = performance.now();
    const { root } = await work();
    if (!root.outcome.ok) throw new Error(root.outcome.error.message);
    times[which].push(performance.now() - started);
  };
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 2 === 0) await timed("first", first);
    await timed("second", second);
    if (round % 2 === 1) await timed("first", first);
  }
  return { first: median(times.first.slice(ROUNDS / 4)), second: median(times.second.slice(ROUNDS / 4)) };
}

async function resumedAfterKill(folder: string, runs: DurableRuns): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const child = fork(fileURLToPath(import.meta.url), [DYING, folder], { execPath: process.execPath });
    await once(child, "message");
    child.kill("SIGKILL");
    await once(child, "exit");
    const started = performance.now();
    const found = runs.interrupted();
    if (!found.ok || found.value.length !== 1)
      throw new Error(`Not one interrupted run: ${JSON.stringify(found)}`);
    const resumed = await runs.resume(found.value[0] ?? "");
    if (!resumed.ok || !resumed.value.root.outcome.ok) throw new Error(JSON.stringify(resumed));
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Answers all but the last call, tells its parent, and waits to be killed. */
async function dying(folder: string): Promise<void> {
  let calls = 0;
  const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
  const runs = durableRuns(folder, runner, async () => {
    if (++calls < CALLS) return ok({ done: true });
    setTimeout(() => process.send?.("now"), 100);
    return new Promise(() => {});
  });
  await runs.run("reads", {});
}

const [flag, folder] = process.argv.slice(2);
if (flag === DYING && folder !== undefined) await dying(folder);
