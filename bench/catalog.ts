// What a large library costs: loading it, one edit of it, checking it, memory; beside the same with few skills.
// `node bench/catalog.ts [how many skills]`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { skillName, writeLibrary } from "../test/catalog/library.ts";
import { inTurn, keeps, type Measurement, measured, table } from "./measurement.ts";
import { overStdio, publishedIn, type Served, type Start } from "./served.ts";

const MANY = 10_000;
const FEW = 100;
const EDITS = 6;
const STARTS = 3;
/** Of half a second each. */
const MAX_SETTLING = 40;

interface Library {
  readonly folder: string;
  readonly skills: number;
  readonly loadMs: number[];
  readonly checkMs: number[];
  readonly editMs: number[];
  readonly editCpuMs: number[];
  readonly memoryMb: number[];
}

type Published = (cwd: string, ...args: readonly string[]) => Start;

export async function catalogMeasurements(most = MANY): Promise<readonly Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "repertoire-bench-catalog-"));
  try {
    const published = await publishedIn(join(folder, "package"));
    const few = await written(join(folder, "few"), FEW);
    const many = await written(join(folder, "many"), most);
    // The first reading compiles, and keeps what it has found.
    for (const library of [few, many]) await checked(published, library);
    for (let round = 0; round < STARTS; round++)
      for (const library of inTurn([few, many], round)) {
        await edit(library, round, 0);
        library.checkMs.push(await checked(published, library));
        await serve(published, library, round);
      }
    const beside = `the same with ${FEW} skills`;
    const goal = (measurement: Measurement, unit: string, limit: number): Measurement =>
      keeps(measurement, `<= ${limit} ${unit}`, ({ value }) => value <= limit);
    const name = `${most} skills, warm`;
    return [
      goal(
        measured(`${name}: start until a skill is described`, many.loadMs, "ms", beside, few.loadMs),
        "ms",
        3000,
      ),
      goal(measured(`${name}: one edit until it is seen`, many.editMs, "ms", beside, few.editMs), "ms", 300),
      measured(`${name}: one edit, processor time`, many.editCpuMs, "ms", beside, few.editCpuMs),
      goal(
        measured(`${name}: \`check\` after one edit`, many.checkMs, "ms", beside, few.checkMs),
        "ms",
        2000,
      ),
      goal(
        measured(`${name}: memory after ${EDITS} edits`, many.memoryMb, "MB", beside, few.memoryMb),
        "MB",
        600,
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function written(folder: string, skills: number): Promise<Library> {
  await writeLibrary(join(folder, "skills"), skills);
  await writeFile(join(folder, "mcp.config.json"), JSON.stringify({ traces: { record: false } }));
  return { folder, skills, loadMs: [], checkMs: [], editMs: [], editCpuMs: [], memoryMb: [] };
}

async function checked(published: Published, { folder }: Library): Promise<number> {
  const { args, cwd } = published(folder, "check");
  const started = performance.now();
  const [code] = (await once(spawn(process.execPath, args, { cwd, stdio: "ignore" }), "exit")) as [number];
  if (code !== 0) throw new Error(`check ended with ${code}`);
  return performance.now() - started;
}

async function serve(published: Published, library: Library, round: number): Promise<void> {
  const started = performance.now();
  await using served = await overStdio(published(library.folder, "serve"));
  const last = skillName(library.skills - 1);
  while ((await answerOf(served, "describe_skill", last)) === undefined) await delay(5);
  library.loadMs.push(performance.now() - started);
  await settled(served);
  for (let time = 1; time <= EDITS; time++) {
    const cpu = await served.cpuMs();
    const begun = performance.now();
    const { name, mark } = await edit(library, round, time);
    while (!(await answerOf(served, "activate_skill", name))?.includes(mark)) await delay(5);
    library.editMs.push(performance.now() - begun);
    await delay(100);
    library.editCpuMs.push((await served.cpuMs()) - cpu);
  }
  library.memoryMb.push(await served.memoryMb());
}

/** Until the watch has begun, and the server does nothing any more. */
async function settled({ cpuMs }: Served): Promise<void> {
  for (let idle = 0, before = 0, left = MAX_SETTLING; idle < 2 && left > 0; left -= 1) {
    await delay(500);
    const now = await cpuMs();
    idle = now - before < 50 ? idle + 1 : 0;
    before = now;
  }
}

/** Writes another last line to some skill's instructions. */
async function edit(
  { folder, skills }: Library,
  round: number,
  time: number,
): Promise<{ readonly name: string; readonly mark: string }> {
  // Instructions alone: each tenth skill is one.
  const name = skillName(((round * 31 + time * 7) * 10) % skills);
  const mark = `Mark ${round} ${time}.`;
  await appendFile(join(folder, "skills", name, "SKILL.md"), `${mark}\n`);
  return { name, mark };
}

async function answerOf({ client }: Served, tool: string, name: string): Promise<string | undefined> {
  const { content, isError } = await client.callTool({ name: tool, arguments: { name } });
  return isError ? undefined : JSON.stringify(content);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(table(await catalogMeasurements(Number(process.argv[2] ?? MANY))));
