// Every figure stands beside that of a bare SDK server, measured in the same run over the same transport.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compositionMeasurements } from "./composition.ts";
import { durableMeasurements } from "./durable.ts";
import { importMeasurements } from "./import.ts";
import { keeps, type Measurement, measured, median, table } from "./measurement.ts";
import { recordingMeasurements } from "./recording.ts";
import { sandboxMeasurements } from "./sandbox.ts";
import { storeMeasurements } from "./store.ts";
import { workflowMeasurements } from "./workflow.ts";
import {
  bare,
  callMs,
  overHttp,
  overStdio,
  publishedIn,
  repertoire,
  type Served,
  type Start,
} from "./served.ts";

const ROUNDS = 5;
const CALLS = 300;
const IN_FLIGHT = 16;
const SKILLS = 1000;
const BARE = "bare SDK server";

const json = process.argv.includes("--json");
const only = process.argv.includes("--only")
  ? (process.argv[process.argv.indexOf("--only") + 1] ?? "")
  : undefined;
const folder = await mkdtemp(join(tmpdir(), "repertoire-bench-"));
const small = join(folder, "small");
const large = join(folder, "large");
await skillsFolder(small, ["add"]);
await skillsFolder(
  large,
  Array.from({ length: SKILLS }, (_, index) => `skill-${index}`),
);

const report: Measurement[] = [];
try {
  const parts: Readonly<Record<string, () => Promise<void>>> = {
    stdio: async () => calls("stdio", overStdio, [], []),
    http: async () => calls("HTTP", overHttp, ["--http"], ["--http", "0", "--json"]),
    start: starts,
    sandbox: async () => void report.push(...(await sandboxMeasurements())),
    composition: async () => void report.push(...(await compositionMeasurements())),
    durable: async () => void report.push(...(await durableMeasurements())),
    store: async () => void report.push(...(await storeMeasurements())),
    recording: async () => void report.push(...(await recordingMeasurements())),
    workflow: async () => void report.push(...(await workflowMeasurements())),
    import: async () => void report.push(...(await importMeasurements())),
  };
  if (only !== undefined && !Object.hasOwn(parts, only))
    throw new Error(`--only takes one of ${Object.keys(parts).join(", ")}`);
  for (const [name, measure] of Object.entries(parts)) if (name === (only ?? name)) await measure();
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
  await writeFile(join(path, "mcp.config.json"), "{}");
}

async function calls(
  over: string,
  connect: (start: Start) => Promise<Served>,
  bareFlags: readonly string[],
  ownFlags: readonly string[],
): Promise<void> {
  const start = bare(small);
  await using floor = await connect({ ...start, args: [...start.args, ...bareFlags] });
  await using own = await connect(repertoire(small, ...ownFlags));
  const latency: Pair = { own: [], floor: [] };
  const throughput: Pair = { own: [], floor: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [which, served] of [
      ["floor", floor],
      ["own", own],
    ] as const) {
      const p50 = await callMs(served, CALLS);
      const perSecond = await callsPerSecond(served);
      // The first round warms up.
      if (round === 0) continue;
      latency[which].push(p50);
      throughput[which].push(perSecond);
    }
  }
  report.push(
    keepsOverStdio(
      over,
      measured(`tools/call over ${over}, p50`, median(latency.own), "ms", BARE, median(latency.floor)),
      "ratio <= 1.8",
      ({ ratio }) => ratio <= 1.8,
    ),
    keepsOverStdio(
      over,
      measured(
        `tools/call over ${over}, ${IN_FLIGHT} in flight`,
        median(throughput.own),
        "/s",
        BARE,
        median(throughput.floor),
      ),
      "ratio >= 0.6",
      ({ ratio }) => ratio >= 0.6,
    ),
    measured(
      `memory after these calls over ${over}`,
      await own.memoryMb(),
      "MB",
      BARE,
      await floor.memoryMb(),
    ),
  );
}

// There is no goal for HTTP, where the server's own cost disappears in the transport's.
function keepsOverStdio(
  over: string,
  measurement: Measurement,
  goal: string,
  isKept: (measurement: Measurement) => boolean,
): Measurement {
  return over === "stdio" ? keeps(measurement, goal, isKept) : measurement;
}

interface Pair {
  readonly own: number[];
  readonly floor: number[];
}

async function callsPerSecond({ client }: Served): Promise<number> {
  let left = CALLS * 3;
  const started = performance.now();
  const lane = async (): Promise<void> => {
    while (left-- > 0) await client.callTool({ name: "add", arguments: { a: left, b: 1 } });
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return ((CALLS * 3) / (performance.now() - started)) * 1000;
}

async function starts(): Promise<void> {
  const smallOwn: number[] = [];
  const smallFloor: number[] = [];
  const published = await publishedIn(join(folder, "package"));
  /** Until a first list of tools, and until one that has all. */
  const firstList = async (
    start: Start,
    least = SKILLS,
  ): Promise<{ readonly firstMs: number; readonly ms: number; readonly mb: number }> => {
    const started = performance.now();
    await using served = await overStdio(start);
    let { tools } = await served.client.listTools();
    const firstMs = performance.now() - started;
    while (tools.length < least) ({ tools } = await served.client.listTools());
    return { firstMs, ms: performance.now() - started, mb: await served.memoryMb() };
  };
  const coldFirst: number[] = [];
  const cold: number[] = [];
  const warm: number[] = [];
  const floor: number[] = [];
  const memory: number[] = [];
  const floorMemory: number[] = [];
  for (let round = 0; round < 3; round++) {
    await rm(join(large, ".repertoire"), { recursive: true, force: true });
    const coldStart = await firstList(published(large));
    coldFirst.push(coldStart.firstMs);
    cold.push(coldStart.ms);
    for (let again = 0; again < 3; again++) {
      const bareStart = await firstList(bare(large, SKILLS));
      const ownStart = await firstList(published(large));
      floor.push(bareStart.ms);
      floorMemory.push(bareStart.mb);
      warm.push(ownStart.ms);
      memory.push(ownStart.mb);
    }
  }
  for (let round = 0; round < 7; round++) {
    smallFloor.push((await firstList(bare(small), 1)).ms);
    smallOwn.push((await firstList(published(small), 1)).ms);
  }
  const extraMs = median(smallOwn) - median(smallFloor);
  report.push(
    keeps(
      measured("start to first tools/list, 1 skill", median(smallOwn), "ms", BARE, median(smallFloor)),
      "<= +60 ms",
      () => extraMs <= 60,
    ),
  );
  const beside = `bare SDK server with ${SKILLS} tools`;
  report.push(
    measured(
      `start to the tools that are always there, ${SKILLS} skills, cold cache`,
      median(coldFirst),
      "ms",
      beside,
      median(floor),
    ),
    measured(`start to all tools, ${SKILLS} skills, cold cache`, median(cold), "ms", beside, median(floor)),
    measured(
      `start to first tools/list, ${SKILLS} skills, warm cache`,
      median(warm),
      "ms",
      beside,
      median(floor),
    ),
    measured(`memory with ${SKILLS} skills`, median(memory), "MB", beside, median(floorMemory)),
  );
}
