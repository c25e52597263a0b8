import { Worker } from "node:worker_threads";
import { fail, type Result } from "../../core/result.ts";
import { unavailableFailure } from "./database.ts";
import { GroupCommit } from "./group-commit.ts";
import { plainParts, type PlainPart } from "./prepared-part.ts";
import type { ThreadAnswer, ThreadNotice, ThreadOptions, ThreadRequest, ThreadTask } from "./store-worker.ts";
import { type PruneResult, type StoreOptions, type TraceStore } from "../trace-store.ts";
import { moduleUrl, threadEnvironment } from "../../core/package/package-files.ts";

/** What writes to a store is the same for each: one thread. What is recorded at the same time is written together. */
export function storeWriter(
  options: ThreadOptions,
  { onNotice }: Pick<StoreOptions, "onNotice">,
): Pick<TraceStore, "record" | "prune" | "close"> {
  const thread = new StoreThread(options, onNotice);
  const commits = new GroupCommit<PlainPart, ReadonlyMap<string, number>>(
    async (parts) => thread.ask({ kind: "record", parts }),
    ({ events, files }) => events.length + files.length + 1,
  );
  return {
    record: async (parts) => {
      const plain = plainParts(parts);
      return plain.ok ? commits.add(plain.value) : plain;
    },
    prune: async (limits, { dryRun = false } = {}) =>
      thread.ask<PruneResult>({ kind: "prune", limits, dryRun }),
    close: async () => {
      const until = performance.now() + CLOSE_MS;
      await Promise.race([commits.idle(), after(CLOSE_MS)]);
      await thread.close(Math.max(100, until - performance.now()));
    },
  };
}

/** How long the end waits for what is under way. */
const CLOSE_MS = 2000;
/** Of young and of old objects. */
const YOUNG_MB = 8;
const OLD_MB = 1024;

async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
}

/** Starts the thread when there is something to do, and anew when it has died; holds the process only for answers. */
export class StoreThread {
  readonly #options: ThreadOptions;
  readonly #onNotice: (notice: string) => void;
  readonly #pending = new Map<number, (result: Result<unknown>) => void>();
  #worker: Worker | undefined;
  #next = 1;

  constructor(options: ThreadOptions, onNotice = (notice: string): void => console.error(notice)) {
    this.#options = options;
    this.#onNotice = onNotice;
  }

  async ask<Value>(task: ThreadTask): Promise<Result<Value>> {
    const worker = (this.#worker ??= this.#start());
    const id = this.#next++;
    return new Promise((settle) => {
      if (this.#pending.size === 0) worker.ref();
      this.#pending.set(id, settle as (result: Result<unknown>) => void);
      worker.postMessage({ id, task } satisfies ThreadRequest);
    });
  }

  /** What it has not done within the time is not done: a transaction under way is as if it had not begun. */
  async close(withinMs = CLOSE_MS): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await Promise.race([this.ask({ kind: "close" }), after(withinMs)]);
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(moduleUrl("trace/store/store-worker"), {
      workerData: this.#options,
      name: "traces",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
      env: threadEnvironment(),
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    worker.unref();
    worker.on("message", (message: ThreadAnswer | ThreadNotice) => {
      if ("notice" in message) return this.#onNotice(message.notice);
      const { id, result } = message;
      const settle = this.#pending.get(id);
      this.#pending.delete(id);
      if (this.#pending.size === 0) worker.unref();
      settle?.(result);
    });
    let why = "its thread ended";
    worker.on("error", (error: Error) => (why = error.message));
    worker.on("exit", () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const lost = [...this.#pending.values()];
      this.#pending.clear();
      for (const settle of lost) settle(fail(unavailableFailure(why, true)));
    });
    return worker;
  }
}
