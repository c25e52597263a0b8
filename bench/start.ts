// From the start of a process to its answers, with the package as it is published, beside a bare server.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { inTurn, keeps, type Measurement, measured } from "./measurement.ts";
import { bare, overStdio, publishedIn, type Start } from "./served.ts";

interface StartSamples {
  /** Until the connection is open, the list has all tools, and the first call of a skill is answered. */
  readonly initializeMs: number[];
  readonly firstListMs: number[];
  readonly allListedMs: number[];
  readonly firstCallMs: number[];
  readonly memoryMb: number[];
}

const WARM_STARTS = 7;
const COLD_STARTS = 3;
const BARE = "bare SDK server";

export interface StartFolders {
  /** A folder with one skill, one with many, and where the package may be laid. */
  readonly small: string;
  readonly large: string;
  readonly largeSkills: number;
  readonly packageFolder: string;
}

export async function startMeasurements({
  small,
  large,
  largeSkills,
  packageFolder,
}: StartFolders): Promise<readonly Measurement[]> {
  const published = await publishedIn(packageFolder);
  const own = { small: noSamples(), large: noSamples(), cold: noSamples() };
  const floor = { small: noSamples(), large: noSamples() };
  const variants = [
    { start: bare(small), samples: floor.small, tool: "add", tools: 1 },
    { start: published(small, "serve", "--no-watch"), samples: own.small, tool: "add", tools: 1 },
    { start: bare(large, largeSkills), samples: floor.large, tool: "skill-0", tools: largeSkills },
    {
      start: published(large, "serve", "--no-watch"),
      samples: own.large,
      tool: "skill-0",
      tools: largeSkills,
    },
  ];
  for (let round = 0; round < COLD_STARTS; round++) {
    await rm(join(large, ".repertoire"), { recursive: true, force: true });
    await sample(published(large, "serve", "--no-watch"), own.cold, "skill-0", largeSkills);
  }
  // The first round fills what is kept from one start to the next.
  for (let round = 0; round <= WARM_STARTS; round++)
    for (const { start, samples, tool, tools } of inTurn(variants, round))
      await sample(start, round === 0 ? noSamples() : samples, tool, tools);
  const many = `${largeSkills} skills`;
  const beside = `${BARE} with ${largeSkills} tools`;
  return [
    withGoal(
      measured("start to initialize, 1 skill", own.small.initializeMs, "ms", BARE, floor.small.initializeMs),
      1.1,
    ),
    withGoal(
      measured(
        "start to first tools/list, 1 skill",
        own.small.firstListMs,
        "ms",
        BARE,
        floor.small.firstListMs,
      ),
      1.15,
    ),
    withGoal(
      measured(
        "start to first call answered, 1 skill",
        own.small.firstCallMs,
        "ms",
        BARE,
        floor.small.firstCallMs,
      ),
      2,
    ),
    withGoal(
      measured(
        `start to all tools listed, ${many}, warm cache`,
        own.large.allListedMs,
        "ms",
        beside,
        floor.large.allListedMs,
      ),
      1.5,
    ),
    withGoal(
      measured(
        `start to first call answered, ${many}, warm cache`,
        own.large.firstCallMs,
        "ms",
        beside,
        floor.large.firstCallMs,
      ),
      2.5,
    ),
    withGoal(
      measured(
        `start to the tools that are always there, ${many}, cold cache`,
        own.cold.firstListMs,
        "ms",
        beside,
        floor.large.firstListMs,
      ),
      1.2,
    ),
    keeps(
      measured(
        `start to all tools, ${many}, cold cache`,
        own.cold.allListedMs,
        "ms",
        beside,
        floor.large.allListedMs,
      ),
      "<= 3000 ms",
      ({ value }) => value <= 3000,
    ),
    measured(`memory with ${many}`, own.large.memoryMb, "MB", beside, floor.large.memoryMb),
  ];
}

function withGoal(measurement: Measurement, most: number): Measurement {
  return keeps(measurement, `ratio <= ${most}`, ({ ratio }) => ratio <= most);
}

function noSamples(): StartSamples {
  return { initializeMs: [], firstListMs: [], allListedMs: [], firstCallMs: [], memoryMb: [] };
}

async function sample(start: Start, samples: StartSamples, tool: string, least: number): Promise<void> {
  const started = performance.now();
  const sinceStart = (): number => performance.now() - started;
  await using served = await overStdio(start);
  samples.initializeMs.push(sinceStart());
  let { tools } = await served.client.listTools();
  samples.firstListMs.push(sinceStart());
  while (tools.length < least) ({ tools } = await served.client.listTools());
  samples.allListedMs.push(sinceStart());
  const { isError } = await served.client.callTool({ name: tool, arguments: { a: 1, b: 2 } });
  if (isError) throw new Error(`${tool} failed`);
  samples.firstCallMs.push(sinceStart());
  samples.memoryMb.push(await served.memoryMb());
}
