// The sandbox by itself: beside isolated-vm, a fresh QuickJS runtime and a bare function, in one process and one run.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_LIMITS } from "../src/core/limits.ts";
import type { Instance } from "../src/runner/sandbox/engine.ts";
import { preludeSource } from "../src/runner/sandbox/prelude-source.ts";
import { quickJsEngine } from "../src/runner/sandbox/quickjs.ts";
import { quickJsBinary } from "../src/runner/sandbox/quickjs-binary.ts";
import { Runner } from "../src/runner/runner.ts";
import { skillSet } from "../test/runner/skill-set.ts";
import { keeps, type Measurement, measured, median } from "./measurement.ts";

const PEERS = fileURLToPath(new URL("peers", import.meta.url));
const BATCHES = 7;

const ADD = "export default ({ a, b }) => ({ result: a + b });";
const COMPOUND = `export default async ({ x, y, z }) => {
  const first = await call_skill("multiply", { a: x, b: 2 });
  const second = await call_skill("multiply", { a: y, b: 3 });
  const sum = await call_skill("add", { a: first.result + second.result, b: z });
  return { result: sum.result };
};`;

export async function sandboxMeasurements(): Promise<readonly Measurement[]> {
  return [...(await isolation()), ...(await pool()), ...(await memory())];
}

// --- a fresh state for a trivial skill

async function isolation(): Promise<readonly Measurement[]> {
  const engine = await quickJsEngine(quickJsBinary(), preludeSource());
  const own = await loadedInstance(engine, ADD);
  const image = own.instance.image();
  const ivm = isolatedVm();
  const contexts = new ivm.Isolate({ memoryLimit: 64 });
  const ways = {
    own: async (n: number) => {
      own.instance.restore(image);
      own.instance.call(JSON.stringify({ a: n, b: 1 }));
      return own.result();
    },
    quickjs: async (n: number) => {
      const fresh = await loadedInstance(engine, ADD);
      fresh.instance.call(JSON.stringify({ a: n, b: 1 }));
      return fresh.result();
    },
    ivmContext: async (n: number) => {
      const context = contexts.createContextSync();
      const text = ivmCall(contexts, context, n);
      context.release();
      return text;
    },
    ivmIsolate: async (n: number) => {
      const isolate = new ivm.Isolate({ memoryLimit: 64 });
      const text = ivmCall(isolate, isolate.createContextSync(), n);
      isolate.dispose();
      return text;
    },
    bare: async (n: number) => {
      const { a, b } = JSON.parse(JSON.stringify({ a: n, b: 1 })) as { a: number; b: number };
      return JSON.stringify({ result: a + b });
    },
  };
  const counts = { own: 4000, quickjs: 150, ivmContext: 300, ivmIsolate: 60, bare: 20_000 };
  const p50: Record<string, number> = {};
  const samples: Record<string, number[]> = {};
  for (let batch = 0; batch <= BATCHES; batch++) {
    for (const [way, call] of Object.entries(ways)) {
      const times: number[] = [];
      for (let n = 0; n < counts[way as keyof typeof counts]; n++) {
        const started = performance.now();
        const text = await call(n);
        times.push((performance.now() - started) * 1000);
        if (text !== `{"result":${n + 1}}`) throw new Error(`${way} gave ${text}`);
      }
      if (batch > 0) (samples[way] ??= []).push(median(times));
    }
  }
  for (const [way, medians] of Object.entries(samples)) p50[way] = median(medians);
  const name = "trivial skill, fresh state, JSON both ways, p50";
  const value = p50["own"] ?? Number.NaN;
  const versus = (peer: string): number => p50[peer] ?? Number.NaN;
  return [
    keeps(
      measured(name, value, "µs", "isolated-vm, fresh isolate", versus("ivmIsolate")),
      "ratio <= 1/150",
      (each) => each.ratio <= 1 / 150,
    ),
    keeps(
      measured(name, value, "µs", "isolated-vm, fresh context", versus("ivmContext")),
      "ratio <= 1/40",
      (each) => each.ratio <= 1 / 40,
    ),
    measured(name, value, "µs", "QuickJS, fresh runtime in an own memory", versus("quickjs")),
    keeps(
      measured(name, value, "µs", "bare function", versus("bare")),
      "<= 15 µs",
      (each) => each.value <= 15,
    ),
  ];
}

interface Loaded {
  readonly instance: Instance;
  readonly result: () => string | undefined;
}

async function loadedInstance(
  engine: Awaited<ReturnType<typeof quickJsEngine>>,
  code: string,
): Promise<Loaded> {
  const instance = await engine.instance(64);
  let result: string | undefined;
  instance.host = {
    maxBytes: 1_000_000,
    interrupt: () => undefined,
    now: () => Date.now(),
    seed: () => 1,
    loaded: () => undefined,
    returned: (output) => {
      result = output?.kind === "json" ? output.text : undefined;
    },
    failed: (error) => {
      throw new Error(JSON.stringify(error));
    },
    requested: () => undefined,
    printed: () => undefined,
    mayGrow: () => true,
  };
  instance.load([{ name: "skill.js", code }]);
  return { instance, result: () => result };
}

interface IsolatedVm {
  readonly Isolate: new (options: { memoryLimit: number }) => IvmIsolate;
}
interface IvmIsolate {
  createContextSync(): IvmContext;
  compileScriptSync(code: string): { runSync(context: IvmContext): unknown };
  dispose(): void;
}
interface IvmContext {
  evalSync(code: string): unknown;
  release(): void;
}

// Installed for the measurement alone, so that nobody else has to have a native module.
function isolatedVm(): IsolatedVm {
  if (!existsSync(join(PEERS, "node_modules"))) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: PEERS,
      stdio: "ignore",
    });
  }
  return createRequire(join(PEERS, "package.json"))("isolated-vm") as IsolatedVm;
}

function ivmCall(isolate: IvmIsolate, context: IvmContext, n: number): string {
  const code = `${ADD.replace("export default", "const run =")}; (text) => JSON.stringify(run(JSON.parse(text)))`;
  isolate
    .compileScriptSync(`globalThis.call = (() => { ${code.replace(/; \(text/, "; return (text")} })()`)
    .runSync(context);
  return String(context.evalSync(`call(${JSON.stringify(JSON.stringify({ a: n, b: 1 }))})`));
}

// --- through the pool

async function pool(): Promise<readonly Measurement[]> {
  const multiply = "export default ({ a, b }) => ({ result: a * b });";
  const skills = skillSet({ add: ADD, multiply, compound: COMPOUND });
  const runner = new Runner({ limits: DEFAULT_LIMITS });
  await runner.warm();
  let n = 0;
  const trivial = async (): Promise<void> => expectOk(await runner.run(skills, "add", { a: n++, b: 1 }));
  const compound = async (): Promise<void> =>
    expectOk(await runner.run(skills, "compound", { x: n++, y: n + 0.5, z: n }));
  const reused = async (): Promise<void> => expectOk(await runner.run(skills, "add", { a: 0, b: 1 }));
  const p50s: Record<"trivial" | "reused" | "compound" | "wake" | "rate", number[]> = {
    trivial: [],
    reused: [],
    compound: [],
    wake: [],
    rate: [],
  };
  for (let batch = 0; batch <= BATCHES; batch++) {
    const each = {
      trivial: await p50Us(trivial, 2000),
      reused: await p50Us(reused, 2000),
      compound: await p50Us(compound, 1000),
      wake: await messageRoundTripUs(),
      rate: await perSecond(trivial),
    };
    if (batch > 0)
      for (const key of ["trivial", "reused", "compound", "wake", "rate"] as const) p50s[key].push(each[key]);
  }
  await runner.close();
  const wake = median(p50s.wake);
  return [
    keeps(
      measured(
        "trivial skill through the pool, p50",
        median(p50s.trivial),
        "µs",
        "bare message to a thread and back",
        wake,
      ),
      "<= 35 µs",
      (each) => each.value <= 35,
    ),
    keeps(
      measured(
        "the same with one input again, p50",
        median(p50s.reused),
        "µs",
        "bare message to a thread and back",
        wake,
      ),
      "<= 12 µs",
      (each) => each.value <= 12,
    ),
    keeps(
      measured(
        "1 + 3 skills through the pool, each isolated, p50",
        median(p50s.compound),
        "µs",
        "bare message to a thread and back",
        wake,
      ),
      "<= 170 µs",
      (each) => each.value <= 170,
    ),
    keeps(
      measured(
        "isolated calls a second through the pool, 64 in flight",
        median(p50s.rate),
        "/s",
        "one after another",
        1e6 / median(p50s.trivial),
      ),
      ">= 60000 /s",
      (each) => each.value >= 60_000,
    ),
  ];
}

function expectOk({ root }: { root: { outcome: { ok: boolean } } }): void {
  if (!root.outcome.ok) throw new Error(JSON.stringify(root.outcome));
}

async function p50Us(call: () => Promise<void>, count: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const started = performance.now();
    await call();
    times.push((performance.now() - started) * 1000);
  }
  return median(times);
}

async function perSecond(call: () => Promise<void>): Promise<number> {
  const count = 10_000;
  let left = count;
  const started = performance.now();
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: 64 }, lane));
  return (count / (performance.now() - started)) * 1000;
}

async function messageRoundTripUs(): Promise<number> {
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads"); parentPort.on("message", (text) => parentPort.postMessage(text));`,
    { eval: true },
  );
  const roundTrip = async (): Promise<void> => {
    const answered = new Promise<void>((resolve) => worker.once("message", () => resolve()));
    worker.postMessage("x");
    await answered;
  };
  await p50Us(roundTrip, 500);
  const p50 = await p50Us(roundTrip, 2000);
  await worker.terminate();
  return p50;
}

// --- others under attack

/** Of honest calls beside others that loop for ever: until these are quarantined, and from then on. */
export async function hostileMeasurements(): Promise<readonly Measurement[]> {
  const samples = { calm: [] as number[], transient: [] as number[], settled: [] as number[] };
  for (let round = 0; round < HOSTILE_ROUNDS; round++) {
    const runner = new Runner({ limits: { ...DEFAULT_LIMITS, cpuMs: 200, wallMs: 2000 } });
    await runner.warm();
    await honestUs(runner, false);
    samples.calm.push(p99Of(await honestUs(runner, false)));
    const attacked = await honestUs(runner, true);
    samples.transient.push(p99Of(attacked.slice(0, SETTLING_CALLS)));
    samples.settled.push(p99Of(attacked.slice(SETTLING_CALLS)));
    await runner.close();
  }
  const { calm, transient, settled } = samples;
  const name = "p99 of honest calls while 1 call in 11 loops for ever";
  return [
    keeps(
      measured(`${name}, the first ${SETTLING_CALLS}`, transient, "µs", "without them", calm),
      "ratio <= 4",
      (each) => each.ratio <= 4,
    ),
    keeps(
      measured(`${name}, from then on`, settled, "µs", "without them", calm),
      "ratio <= 2",
      (each) => each.ratio <= 2,
    ),
  ];
}

const HOSTILE_ROUNDS = 3;
const HONEST_CALLS = 1200;
const SETTLING_CALLS = 300;

const HONEST_AND_LOOP = skillSet({ add: ADD, loop: "export default () => { for (;;) {} };" });

async function honestUs(runner: Runner, isAttacked: boolean): Promise<readonly number[]> {
  const skills = HONEST_AND_LOOP;
  const times: number[] = [];
  const open: Promise<unknown>[] = [];
  for (let index = 0; index < HONEST_CALLS; index++) {
    if (isAttacked && index % 10 === 0) open.push(runner.run(skills, "loop", { n: fresh++ }));
    const started = performance.now();
    // One that misses its deadline counts with the time that it had.
    await runner.run(skills, "add", { a: fresh++, b: 1 });
    times.push((performance.now() - started) * 1000);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.race([Promise.all(open), new Promise((resolve) => setTimeout(resolve, 100))]);
  return times;
}

let fresh = 0;

function p99Of(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

// --- memory

async function memory(): Promise<readonly Measurement[]> {
  const engine = await quickJsEngine(quickJsBinary(), preludeSource());
  const before = process.memoryUsage().rss;
  const kept: Instance[] = [];
  for (let index = 0; index < 100; index++) kept.push((await loadedInstance(engine, ADD)).instance);
  const perInstance = (process.memoryUsage().rss - before) / 2 ** 20 / kept.length;

  const skills = skillSet(
    Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`skill-${index}`, `${ADD}\n// ${index}`])),
  );
  const runner = new Runner({ limits: DEFAULT_LIMITS });
  await runner.warm();
  const start = process.memoryUsage().rss;
  for (const name of skills.keys()) expectOk(await runner.run(skills, name, { a: 1, b: 2 }));
  const inUse = (process.memoryUsage().rss - start) / 2 ** 20;
  await runner.close();
  return [
    keeps(
      measured("memory of a warm instance", perInstance, "MB", "its first memory", 16),
      "<= 0.3 MB",
      (each) => each.value <= 0.3,
    ),
    keeps(
      measured("memory that 1,000 skills in use add", inUse, "MB", "before them", start / 2 ** 20),
      "<= 400 MB",
      (each) => each.value <= 400,
    ),
  ];
}
