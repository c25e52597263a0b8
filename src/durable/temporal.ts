import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { failure, type Failure } from "../core/error.ts";
import { PACKAGE_FOLDER } from "../core/package/package-files.ts";
import { durabilityOf } from "../core/reachable-skills.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import type { DurableEngine } from "./durable-engine.ts";
import { unbegunRun } from "./durable-runs.ts";
import type { RunSteps } from "./run-steps.ts";

/** Where runs wait to be worked on. */
export interface TemporalSettings {
  /** Host and port of the server; credentials are in the environment, as Temporal's own programs take them. */
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** What the package that is installed beside this one for Temporal has. */
export interface TemporalPackage {
  /** Works on runs until it is stopped. `STORE_UNAVAILABLE` where the server cannot be reached. */
  readonly startWorker: (options: TemporalWorkerOptions) => Promise<Result<TemporalWorker>>;
  /** Has workers do runs, and asks about them. The server is reached with the first. */
  readonly temporalRuns: (settings: TemporalSettings, steps: RunSteps) => DurableEngine;
}

export interface TemporalWorkerOptions extends TemporalSettings {
  readonly steps: RunSteps;
  /** How long what is at work may go on when the worker is stopped, in milliseconds. */
  readonly graceMs: number;
  /** Told what an operator has to know. */
  readonly onNotice: (line: string) => void;
}

export interface TemporalWorker {
  readonly stop: () => void;
  /** Resolves once it has stopped, and rejects where it cannot go on. */
  readonly ended: Promise<void>;
}

const NAME = "repertoire-temporal";

/** The package, where it is installed: beside this one, in the project that is worked in, or built in this checkout. */
export async function temporalPackage(): Promise<Result<TemporalPackage>> {
  const file = [join(PACKAGE_FOLDER, "package.json"), join(process.cwd(), "package.json")]
    .map(installedFile)
    .concat(builtFile)
    .find((each) => each !== undefined);
  return file === undefined
    ? fail(missing())
    : ok((await import(pathToFileURL(file).href)) as TemporalPackage);
}

const CHECKOUT = join(PACKAGE_FOLDER, "packages", "temporal");
const BUILT = join(CHECKOUT, "dist", "index.js");
const builtFile = existsSync(BUILT) ? BUILT : undefined;

function installedFile(from: string): string | undefined {
  try {
    return createRequire(from).resolve(NAME);
  } catch {
    return undefined;
  }
}

function missing(): Failure {
  const how = existsSync(CHECKOUT)
    ? `"npm ci --prefix packages/temporal && npm run build --prefix packages/temporal" in ${PACKAGE_FOLDER}`
    : `"npm install" with the file that "npm pack ./packages/temporal" makes in a checkout`;
  return failure("ENGINE_UNAVAILABLE", `Temporal takes a package that is not installed here: ${how} does it`);
}

/** Durable runs on Temporal, whose package is loaded when the first is asked for. */
export function runsOnTemporal(settings: TemporalSettings, steps: RunSteps): DurableEngine {
  let opening: Promise<Result<DurableEngine>> | undefined;
  const opened = async (): Promise<Result<DurableEngine>> => {
    opening ??= temporalPackage().then((loaded) =>
      loaded.ok ? ok(loaded.value.temporalRuns(settings, steps)) : loaded,
    );
    return opening;
  };
  const through = async <Value>(
    work: (engine: DurableEngine) => Result<Value> | Promise<Result<Value>>,
  ): Promise<Result<Value>> => {
    const engine = await opened();
    return engine.ok ? work(engine.value) : engine;
  };
  return {
    // What only reads or calculates is done at once, and can be done again: no server has to keep it.
    takes: (skills, name) =>
      durabilityOf(skills, name) !== undefined || skills.get(name)?.operation === "WRITE",
    run: async (skill, input, options) => {
      const unbegun = (error: Failure): Run => unbegunRun({ skill, input, runId: options?.id ?? "" }, error);
      // An input that does not fit is told first, whether or not there is a server.
      const begun = await steps.begun(skill, input);
      if (!begun.ok) return unbegun(begun.error);
      const engine = await opened();
      return engine.ok ? engine.value.run(skill, input, options) : unbegun(engine.error);
    },
    resume: async (run, options) => through(async (engine) => engine.resume(run, options)),
    // They go on by themselves.
    interrupted: () => ok([]),
    list: async (filter) => through((engine) => engine.list(filter)),
    show: async (run) => through((engine) => engine.show(run)),
    decide: async (run, decision, about) => through((engine) => engine.decide(run, decision, about)),
    cancel: async (run) => through((engine) => engine.cancel(run)),
    close: async () => {
      const engine = await opening;
      if (engine?.ok) await engine.value.close();
    },
  };
}
