// What recording adds to a call: two servers, one of which records, called in turns. `node bench/recording.ts`
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inTurn, keeps, type Measurement, measured, table } from "./measurement.ts";
import { callMs, callsPerSecond, overStdio, repertoire } from "./served.ts";

const ROUNDS = 6;
const CALLS = 1000;
const IN_FLIGHT = 16;

export async function recordingMeasurements(): Promise<readonly Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-bench-recording-"));
  try {
    await using recording = await overStdio(repertoire(await serverFolder(join(folder, "on"), true)));
    await using silent = await overStdio(repertoire(await serverFolder(join(folder, "off"), false)));
    const variants = [
      { served: recording, alone: [] as number[], together: [] as number[] },
      { served: silent, alone: [] as number[], together: [] as number[] },
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(table(await recordingMeasurements()));
