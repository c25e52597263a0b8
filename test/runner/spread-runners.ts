import { Worker } from "node:worker_threads";
import { expect, onTestFinished, vi } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { ok, type Result } from "../../src/core/result.ts";
import type { CallRecord } from "../../src/core/run.ts";
import { DEFAULT_LIMITS, type Limits, type Skill } from "../../src/core/skill.ts";
import type { Job, ToWorker } from "../../src/runner/protocol.ts";
import { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "./skill-set.ts";

export type Skills = ReadonlyMap<string, Skill>;

/** Messages to workers show where calls run; records do not. */
const toWorkers = vi.spyOn(Worker.prototype, "postMessage");

/** Upstream tools that were called. */
export const toolCalls: string[] = [];

/** A runner whose workers have all started. Its tools take a while. */
export async function runnerOf(workers: number): Promise<Runner> {
  const callTool = async (name: string): Promise<Result<Json>> => {
    toolCalls.push(name);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return ok("told");
  };
  const runner = new Runner({ limits: { ...DEFAULT_LIMITS, cpuMs: 20_000 }, workers, callTool });
  await runner.warm();
  toWorkers.mockClear();
  const used = (): number => new Set(jobs().map(({ worker }) => worker)).size;
  const trivial = skillSet({ trivial: `export default ({ n }) => n` });
  for (let n = 0; used() < workers; n += workers) {
    await Promise.all(range(workers).map(async (more) => runner.run(trivial, "trivial", { n: n + more })));
  }
  return runner;
}

export async function ownRunner(workers = 2): Promise<Runner> {
  const runner = await runnerOf(workers);
  onTestFinished(async () => runner.close());
  return runner;
}

function jobs(): readonly { readonly job: Job; readonly worker: Worker }[] {
  return toWorkers.mock.calls.flatMap(([messages], index) => {
    const worker = toWorkers.mock.contexts[index] as Worker;
    return (messages as readonly ToWorker[]).flatMap((message) =>
      message.kind === "run" ? [{ job: message.job, worker }] : [],
    );
  });
}

/** Calls that another worker was asked to run since the last teaching, and that worker. */
export function lent(): readonly { readonly callPath: string; readonly worker: Worker }[] {
  return jobs().flatMap(({ job: { place }, worker }) =>
    place ? [{ callPath: place.callPath, worker }] : [],
  );
}

export async function someLent(): Promise<void> {
  await expect.poll(() => lent().length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);
}

/** Lets both workers run a root, so that they know what its callees weigh. */
export async function teach(runner: Runner, skills: Skills, input: Json = { teach: true }): Promise<void> {
  await Promise.all(range(2).map(async () => runner.run(skills, "root", input)));
  toWorkers.mockClear();
}

export async function taught(runner: Runner, skills: Skills): Promise<CallRecord> {
  await teach(runner, skills);
  return (await runner.run(skills, "root", {})).root;
}

/** Code of a function `work` that takes some 20 ms. */
export const WORK = `function work(n, rounds = 1.5e5) { let sum = n; for (let i = 0; i < rounds; i++) sum = (sum * 31 + i) | 0; return sum; }\n`;

let sets = 0;

/** A root that calls `heavy` four times at once. No two sets share outputs. */
export function four(
  heavy: string,
  more: Readonly<Record<string, string>> = {},
  limits: Partial<Limits> = {},
): Skills {
  const own = `\n// ${sets++}`;
  return skillSet(
    {
      ...Object.fromEntries(Object.entries(more).map(([name, source]) => [name, source + own])),
      heavy: `${WORK}export default ${heavy}${own}`,
      root: `export default async ({ teach }) => Promise.all([0, 1, 2, 3].map((n) => call_skill("heavy", { teach, n: teach ? n + 7 : n })))`,
    },
    { root: { limits } },
  );
}

/** The record without its times and what is read of the clock. */
export function timeless({ startMs, durationMs, world, ...rest }: CallRecord): Json {
  expect(startMs + durationMs).toBeGreaterThanOrEqual(0);
  const reads = world && { clock: world.clock !== undefined, seed: world.seed !== undefined };
  return JSON.parse(JSON.stringify({ ...rest, reads, calls: rest.calls.map(timeless) })) as Json;
}

/** The record without its times and without the order of its answers. */
export function unordered(call: CallRecord): Json {
  const text = JSON.stringify(timeless(call), (key, value: Json) => (key === "answered" ? undefined : value));
  return JSON.parse(text) as Json;
}

export function output(call: CallRecord): Json {
  if (!call.outcome.ok) throw new Error(JSON.stringify(call.outcome.error));
  return call.outcome.output;
}

export function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}
