import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { moduleUrl, threadEnvironment } from "../../core/package/package-files.ts";
import { beginYoung } from "../../core/package/young-generation.ts";
import { preludeSource } from "../sandbox/prelude-source.ts";
import { quickJsBinary } from "../sandbox/quickjs-binary.ts";
import { SHARED_BYTES, type WorkerData } from "./protocol.ts";
import { type PortData, portPair } from "./thread-port.ts";

const STACK_MB = 16;
/** Young objects die with their call; more room for them costs memory in each worker, and gains little. */
const YOUNG_MB = 8;

/** What all workers of a pool are given. */
export type Sandbox = Pick<WorkerData, "binary" | "prelude">;

/** Whether its first run waits for it, or it is there for later. */
export type WorkerUse = "now" | "later";

/** A thread that makes itself ready for runs, and what its pool shares with it. */
export interface WorkerThread {
  readonly worker: Worker;
  readonly port: PortData;
  readonly shared: Int32Array;
}

/** A worker that was started before its pool: it takes as long to be ready as the rest of the program to load. */
export interface FirstWorker {
  readonly sandbox: Sandbox;
  readonly thread: WorkerThread;
}

export function startFirstWorker(waitsAwake = isAwakeByDefault()): FirstWorker {
  const sandbox = loadSandbox();
  return { sandbox, thread: startWorkerThread(sandbox, waitsAwake, "now") };
}

/** Whether threads wait awake for each other where nothing else is said. */
export function isAwakeByDefault(): boolean {
  return availableParallelism() > 1;
}

export function loadSandbox(): Sandbox {
  return { binary: quickJsBinary(), prelude: preludeSource() };
}

export function startWorkerThread(sandbox: Sandbox, waitsAwake: boolean, use: WorkerUse): WorkerThread {
  beginYoung();
  const buffer = new SharedArrayBuffer(SHARED_BYTES);
  const [port, others] = portPair(waitsAwake);
  const worker = new Worker(moduleUrl("runner/threads/worker"), {
    workerData: {
      ...sandbox,
      shared: buffer,
      port: others,
      isForLater: use === "later",
    } satisfies WorkerData,
    transferList: [others.port],
    resourceLimits: { stackSizeMb: STACK_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    stdout: true,
    env: threadEnvironment(),
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  // That it has ended shows also to a pool that comes later.
  worker.on("error", () => {});
  worker.unref();
  return { worker, port, shared: new Int32Array(buffer) };
}
