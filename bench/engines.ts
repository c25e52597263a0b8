// A learned skill of four calls, run on other engines beside here; where the time goes is told by the engine's own process.
import { readConfig } from "../src/config.ts";
import { openApp } from "../src/app.ts";
import { EXECUTING } from "../src/export/adapters.ts";
import type { EngineAdapter, ProgramTimes } from "../src/export/engine-adapter.ts";
import { EngineShop, installedPython, RUNS } from "../test/engines/engine-shop.ts";
import { type Measurement, measured } from "./measurement.ts";

const ROUNDS = 5;
/** Where a run takes long. */
const ROUNDS_OF: Readonly<Record<string, number>> = { airflow: 3 };
/** By name, where the engine's tests have installed it. */
const PACKAGES: Readonly<Record<string, string>> = {
  langgraph: "langgraph",
  ag2: "ag2",
  "ag2-channel": "ag2",
  "ag2-groupchat": "ag2",
  airflow: "airflow",
};

const WHERE: Readonly<Record<string, string>> = { temporal: "its package has a benchmark of its own" };

interface Sample extends ProgramTimes {
  readonly wholeMs: number;
}

export async function engineMeasurements(): Promise<readonly Measurement[]> {
  await using shop = await EngineShop.open();
  const config = await readConfig({ cwd: shop.workplace.folder });
  if (!config.ok) throw new Error(config.error.message);
  const app = openApp(config.value);
  try {
    const [[skill, input] = ["", {}]] = RUNS;
    const direct: number[] = [];
    const lines: Measurement[] = [];
    for (const name of EXECUTING) {
      const engine = app.engines.get(name);
      const python = installedPython(PACKAGES[name] ?? name);
      if (!engine || python === undefined) {
        console.error(`${name} is left out: ${WHERE[name] ?? "npm run test:engines installs it"}`);
        continue;
      }
      const samples: Sample[] = [];
      for (let round = 0; round <= (ROUNDS_OF[name] ?? ROUNDS); round++) {
        const begun = performance.now();
        const here = await app.call(skill, input);
        const hereMs = performance.now() - begun;
        if (!here.root.outcome.ok) throw new Error(here.root.outcome.error.message);
        const sample = await ranOn(engine, { skill, input, python });
        // The first round warms up: Airflow makes its database then.
        if (round === 0) continue;
        direct.push(hereMs);
        samples.push(sample);
      }
      const whole = samples.map(({ wholeMs }) => wholeMs);
      const part = (what: string, of: (sample: Sample) => number): Measurement =>
        measured(`${name}: of it ${what}`, samples.map(of), "ms", "the whole", whole);
      lines.push(
        measured(`${name}: a run of four calls`, whole, "ms", "run here", direct),
        part("until the engine is loaded", ({ loadMs }) => loadMs),
        part("the run itself", ({ runMs }) => runMs),
        part("the process, and the rest", ({ wholeMs, loadMs, runMs }) => wholeMs - loadMs - runMs),
      );
    }
    return lines;
  } finally {
    await app.close();
  }
}

async function ranOn(
  engine: EngineAdapter,
  { skill, input, python }: { readonly skill: string; readonly input: object; readonly python: string },
): Promise<Sample> {
  let times: ProgramTimes | undefined;
  const begun = performance.now();
  const { root } = await engine.execute(skill, { ...input }, { python, onTimes: (told) => (times = told) });
  const wholeMs = performance.now() - begun;
  if (!root.outcome.ok) throw new Error(`${engine.name}: ${root.outcome.error.message}`);
  if (!times) throw new Error(`${engine.name} has not told its times`);
  return { ...times, wholeMs };
}
