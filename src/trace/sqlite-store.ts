import { Worker } from "node:worker_threads";
import { fail, ok, type Result } from "../core/result.ts";
import { unavailable } from "./database.ts";
import { GroupCommit } from "./group-commit.ts";
import { plainParts, type PlainPart } from "./prepared-part.ts";
import { storeQueries } from "./queries.ts";
import { redactor } from "./redaction.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import type { ThreadAnswer, ThreadOptions, ThreadRequest, ThreadTask } from "./sqlite-thread.ts";
import { DEFAULT_MAX_PAYLOAD_BYTES, type Pruned, type StoreOptions, type TraceStore } from "./trace-store.ts";

export interface SqliteStoreOptions extends StoreOptions {
  /** How long a write waits for other processes; 5 s unless told. */
  readonly lockMs?: number;
  /** The file does not grow beyond so many pages of 8 kB; a record that does not fit fails, as on a full disk. */
  readonly mostPages?: number;
}

/**
 * A store in one file, which any number of processes share; the file must be on a local disk. It is opened when it is
 * first used, by threads that are started then: one writes, another reads.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Result<TraceStore> {
  const checked = redactor(options.redaction);
  if (!checked.ok) return checked;
  const threadOptions: ThreadOptions = {
    path,
    lockMs: options.lockMs ?? 5000,
    ...(options.mostPages === undefined ? {} : { mostPages: options.mostPages }),
    maxPayloadBytes: options.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES,
    redaction: options.redaction ?? {},
  };
  const writer = new SqliteThread(threadOptions);
  const reader = new SqliteThread(threadOptions);
  const commits = new GroupCommit<PlainPart>(
    async (parts) => writer.ask<null>({ kind: "record", parts }),
    ({ events, files }) => events.length + files.length + 1,
  );
  return ok({
    record: async (parts) => {
      const plain = plainParts(parts);
      return plain.ok ? commits.add(plain.value) : plain;
    },
    ...storeQueries(
      sqliteDialect((sql, parameters) => reader.ask({ kind: "query", sql, parameters })),
      "sqlite",
    ),
    prune: async (limits, { dryRun = false } = {}) => writer.ask<Pruned>({ kind: "prune", limits, dryRun }),
    close: async () => {
      await commits.idle();
      await Promise.all([writer.close(), reader.close()]);
    },
  });
}

/** Starts the thread when there is something to do, and anew when it has died; holds the process only for answers. */
class SqliteThread {
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, (result: Result<unknown>) => void>();
  #worker: Worker | undefined;
  #next = 1;

  constructor(options: ThreadOptions) {
    this.#options = options;
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

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.ask({ kind: "close" });
    await worker.terminate();
  }

  #start(): Worker {
    const file = import.meta.url.endsWith(".ts") ? "./sqlite-thread.ts" : "./sqlite-thread.js";
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: this.#options,
      name: "traces",
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    worker.unref();
    worker.on("message", ({ id, result }: ThreadAnswer) => {
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
      for (const settle of lost) settle(fail(unavailable(why, true)));
    });
    return worker;
  }
}
