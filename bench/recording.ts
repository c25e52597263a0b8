// What recording adds to a call: two servers, one of which records, called in turns. `node bench/recording.ts`
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { keeps, type Measurement, measured, median, table } from "./measurement.ts";
import { callMs, overStdio, repertoire } from "./served.ts";

const ROUNDS = 12;
const CALLS = 300;

export async function recordingMeasurements(): Promise<readonly Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-bench-recording-"));
  try {
    const [on, off] = await Promise.all([
      serverFolder(join(folder, "on"), true),
      serverFolder(join(folder, "off"), false),
    ]);
    await using recording = await overStdio(repertoire(on));
    await using silent = await overStdio(repertoire(off));
    const times = { recording: [] as number[], silent: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      const silentFirst = round % 2 === 0;
      const first = await callMs(silentFirst ? silent : recording, CALLS);
      const second = await callMs(silentFirst ? recording : silent, CALLS);
      // The first round warms up.
      if (round === 0) continue;
      times.silent.push(silentFirst ? first : second);
      times.recording.push(silentFirst ? second : first);
    }
    return [
      keeps(
        measured(
          "tools/call over stdio, recorded, p50",
          median(times.recording),
          "ms",
          "the same, not recorded",
          median(times.silent),
        ),
        "ratio <= 1.1",
        ({ ratio }) => ratio <= 1.1,
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
