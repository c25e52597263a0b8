// What recording adds to a call: two servers, one of which records, called in turns.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTurn, keeps, type Measurement, measured } from "./measurement.ts";
import { bare, callMs, callsPerSecond, overStdio, publishedIn, type Start } from "./served.ts";

const ROUNDS = 6;
const CALLS = 1000;
const IN_FLIGHT = 16;

export async function recordingMeasurements(packageFolder: string): Promise<readonly Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-bench-recording-"));
  try {
    const program = await publishedIn(packageFolder);
    const start = async (name: string, record: boolean): Promise<Start> =>
      program(await serverFolder(join(folder, name), record), "serve", "--no-watch");
    const starts = { on: await start("on", true), off: await start("off", false) };
    // What is compiled once is there: compiling takes memory that is given back later.
    for (const each of Object.values(starts)) await (await overStdio(each))[Symbol.asyncDispose]();
    await using recording = await overStdio(starts.on);
    await using silent = await overStdio(starts.off);
    await using floor = await overStdio(bare(folder));
    const variants = [
      { served: recording, alone: [] as number[], together: [] as number[] },
      { served: silent, alone: [] as number[], together: [] as number[] },
      { served: floor, alone: [] as number[], together: [] as number[] },
    ] as const;
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { served, alone, together } of inTurn(variants, round)) {
        const p50 = await callMs(served, CALLS, "fresh");
        const perSecond = await callsPerSecond(served, CALLS * 2, IN_FLIGHT);
        // The first round warms up.
        if (round === 0) continue;
        alone.push(p50);
        together.push(1000 / perSecond);
      }
    }
    const [on, off] = variants;
    return [
      keeps(
        measured("tools/call over stdio, recorded, p50", on.alone, "ms", "the same, not recorded", off.alone),
        "ratio <= 1.1",
        ({ ratio }) => ratio <= 1.1,
      ),
      keeps(
        measured(
          `tools/call over stdio, recorded, ${IN_FLIGHT} in flight, time for each`,
          on.together,
          "ms",
          "the same, not recorded",
          off.together,
        ),
        "ratio <= 1.2",
        ({ ratio }) => ratio <= 1.2,
      ),
      keeps(
        measured(
          "memory after these calls over stdio, recorded",
          await recording.memoryMb(),
          "MB",
          "bare SDK server",
          await floor.memoryMb(),
        ),
        "ratio <= 1.4",
        ({ ratio }) => ratio <= 1.4,
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function serverFolder(path: string, record: boolean): Promise<string> {
  await mkdir(join(path, "skills/add"), { recursive: true });
  await writeFile(join(path, "skills/add/SKILL.md"), `---\nname: add\ndescription: Adds two numbers.\n---\n`);
  await writeFile(
    join(path, "skills/add/skill.ts"),
    `export default ({ a, b }: { a: number; b: number }): { result: number } => ({ result: a + b });\n`,
  );
  await writeFile(join(path, "mcp.config.json"), JSON.stringify({ traces: { record } }));
  return path;
}
