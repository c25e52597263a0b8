// Every figure stands beside that of a bare SDK server, measured in the same run over the same transport.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { catalogMeasurements } from "./catalog.ts";
import { compositionMeasurements } from "./composition.ts";
import { durableMeasurements } from "./durable.ts";
import { engineMeasurements } from "./engines.ts";
import { importMeasurements } from "./import.ts";
import { inTurn, keeps, type Measurement, measured, table } from "./measurement.ts";
import { recordingMeasurements } from "./recording.ts";
import { hostileMeasurements, sandboxMeasurements } from "./sandbox.ts";
import { startMeasurements } from "./start.ts";
import { storeMeasurements } from "./store.ts";
import { workflowMeasurements } from "./workflow.ts";
import {
  bare,
  callMs,
  callsOfAll,
  callsPerSecond,
  overHttp,
  overStdio,
  publishedIn,
  type Served,
  type Start,
} from "./served.ts";

const ROUNDS = 6;
const CALLS = 1000;
const CALLS_TOGETHER = 4000;
const IN_FLIGHT = 16;
const SKILLS = 1000;
const BARE = "bare SDK server";

interface RatioGoal {
  readonly words: string;
  readonly isKept: (ratio: number) => boolean;
}

// One client over HTTP has no goals, since the server's own cost disappears in the transport's.
const STDIO_GOALS: Readonly<Record<"fresh" | "reused" | "together" | "memory", RatioGoal>> = {
  fresh: { words: "ratio <= 1.5", isKept: (ratio) => ratio <= 1.5 },
  reused: { words: "ratio <= 1.15", isKept: (ratio) => ratio <= 1.15 },
  together: { words: "ratio >= 0.45", isKept: (ratio) => ratio >= 0.45 },
  memory: { words: "ratio <= 1.4", isKept: (ratio) => ratio <= 1.4 },
};
const CLIENTS = 64;
const CALLS_OF_EACH = 50;
const MANY_GOALS: Readonly<Record<"rate" | "p99", RatioGoal>> = {
  rate: { words: "ratio >= 0.9", isKept: (ratio) => ratio >= 0.9 },
  p99: { words: "ratio <= 1.5", isKept: (ratio) => ratio <= 1.5 },
};

const json = process.argv.includes("--json");
const only = process.argv.includes("--only")
  ? (process.argv[process.argv.indexOf("--only") + 1] ?? "").split(",")
  : undefined;
const folder = await mkdtemp(join(tmpdir(), "repertoire-bench-"));
const small = join(folder, "small");
const large = join(folder, "large");
await skillsFolder(small, ["add"]);
await skillsFolder(
  large,
  Array.from({ length: SKILLS }, (_, index) => `skill-${index}`),
);

const packageFolder = join(folder, "package");
const startFolders = { small, large, largeSkills: SKILLS, packageFolder };

const report: Measurement[] = [];
try {
  const parts: Readonly<Record<string, () => Promise<void>>> = {
    stdio: async () => calls("stdio", overStdio, [], []),
    http: async () => {
      await calls("HTTP", overHttp, ["--http"], ["--http", "0", "--json"]);
      await callsOfMany();
    },
    start: async () => void report.push(...(await startMeasurements(startFolders))),
    catalog: async () => void report.push(...(await catalogMeasurements())),
    hostile: async () => void report.push(...(await hostileMeasurements())),
    sandbox: async () => void report.push(...(await sandboxMeasurements())),
    composition: async () => void report.push(...(await compositionMeasurements())),
    durable: async () => void report.push(...(await durableMeasurements())),
    store: async () => void report.push(...(await storeMeasurements())),
    recording: async () => void report.push(...(await recordingMeasurements(packageFolder))),
    workflow: async () => void report.push(...(await workflowMeasurements())),
    engines: async () => void report.push(...(await engineMeasurements())),
    import: async () => void report.push(...(await importMeasurements())),
  };
  if (only?.some((part) => !Object.hasOwn(parts, part)) === true)
    throw new Error(`--only takes some of ${Object.keys(parts).join(", ")}`);
  for (const [name, measure] of Object.entries(parts)) if (only?.includes(name) ?? true) await measure();
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(json ? JSON.stringify(report, undefined, 2) : table(report));

async function skillsFolder(path: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(path, "skills", name), { recursive: true });
    await writeFile(
      join(path, "skills", name, "SKILL.md"),
      `---\nname: ${name}\ndescription: Adds two numbers.\n---\n`,
    );
    const code = `export interface Input { a: number; b: number }\nexport default ({ a, b }: Input): { result: number } => ({ result: a + b });\n// ${name}\n`;
    await writeFile(join(path, "skills", name, "skill.ts"), code);
  }
  // What recording costs is measured by itself.
  await writeFile(join(path, "mcp.config.json"), JSON.stringify({ traces: { record: false } }));
}

async function calls(
  over: string,
  connect: (start: Start) => Promise<Served>,
  bareFlags: readonly string[],
  ownFlags: readonly string[],
): Promise<void> {
  const ownStart = (await publishedIn(packageFolder))(small, "serve", "--no-watch", ...ownFlags);
  // What is compiled once is there: compiling takes memory that is given back later.
  await (await connect(ownStart))[Symbol.asyncDispose]();
  await using bareServer = await connect(bare(small, 1, ...bareFlags));
  await using ownServer = await connect(ownStart);
  const [floor, own] = [samplesOf(bareServer), samplesOf(ownServer)];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { served, fresh, reused, together } of inTurn([floor, own], round)) {
      const freshMs = await callMs(served, CALLS, "fresh");
      const reusedMs = await callMs(served, CALLS, "reused");
      const perSecond = await callsPerSecond(served, CALLS_TOGETHER, IN_FLIGHT);
      // The first round warms up.
      if (round === 0) continue;
      fresh.push(freshMs);
      reused.push(reusedMs);
      together.push(perSecond);
    }
  }
  const name = `tools/call over ${over}`;
  const goals = over === "stdio" ? STDIO_GOALS : undefined;
  report.push(
    withGoal(measured(`${name}, fresh inputs, p50`, own.fresh, "ms", BARE, floor.fresh), goals?.fresh),
    withGoal(measured(`${name}, one input again, p50`, own.reused, "ms", BARE, floor.reused), goals?.reused),
    withGoal(
      measured(`${name}, ${IN_FLIGHT} in flight, fresh inputs`, own.together, "/s", BARE, floor.together),
      goals?.together,
    ),
    withGoal(
      measured(
        `memory after these calls over ${over}`,
        await ownServer.memoryMb(),
        "MB",
        BARE,
        await bareServer.memoryMb(),
      ),
      goals?.memory,
    ),
  );
}

/** Many clients over HTTP, each with one call under way. */
async function callsOfMany(): Promise<void> {
  const start = (await publishedIn(packageFolder))(small, "serve", "--no-watch", "--http", "0", "--json");
  await using bareServer = await overHttp(bare(small, 1, "--http"), CLIENTS);
  await using ownServer = await overHttp(start, CLIENTS);
  const floor = { served: bareServer, rates: [] as number[], p99s: [] as number[] };
  const own = { served: ownServer, rates: [] as number[], p99s: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { served, rates, p99s } of inTurn([floor, own], round)) {
      const { perSecond, p99Ms } = await callsOfAll(served, CALLS_OF_EACH);
      // The first round warms up.
      if (round === 0) continue;
      rates.push(perSecond);
      p99s.push(p99Ms);
    }
  }
  const name = `tools/call over HTTP, ${CLIENTS} clients`;
  report.push(
    withGoal(measured(name, own.rates, "/s", BARE, floor.rates), MANY_GOALS.rate),
    withGoal(measured(`${name}, p99`, own.p99s, "ms", BARE, floor.p99s), MANY_GOALS.p99),
  );
}

interface CallSamples {
  readonly served: Served;
  readonly fresh: number[];
  readonly reused: number[];
  readonly together: number[];
}

function samplesOf(served: Served): CallSamples {
  return { served, fresh: [], reused: [], together: [] };
}

function withGoal(measurement: Measurement, goal: RatioGoal | undefined): Measurement {
  return goal ? keeps(measurement, goal.words, ({ ratio }) => goal.isKept(ratio)) : measurement;
}
