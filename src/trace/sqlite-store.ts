import { Worker } from "node:worker_threads";
import { fail, ok, type Result } from "../core/result.ts";
import { unavailable } from "./database.ts";
import { GroupCommit } from "./group-commit.ts";
import { plainParts, type PlainPart } from "./prepared-part.ts";
import { storeQueries } from "./queries.ts";
import { redactor } from "./redaction.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import type {
  ThreadAnswer,
  ThreadNotice,
  ThreadOptions,
  ThreadRequest,
  ThreadTask,
} from "./sqlite-thread.ts";
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
  const onNotice = options.onNotice ?? ((notice) => console.error(notice));
  const writer = new SqliteThread(threadOptions, onNotice);
  const reader = new SqliteThread(threadOptions, onNotice);
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
      const until = performance.now() + CLOSE_MS;
      await Promise.race([commits.idle(), after(CLOSE_MS)]);
      const left = Math.max(100, until - performance.now());
      await Promise.all([writer.close(left), reader.close(left)]);
    },
  });
}

/** How long the end waits for what is under way. */
const CLOSE_MS = 2000;

async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
}

/** Starts the thread when there is something to do, and anew when it has died; holds the process only for answers. */
class SqliteThread {
  readonly #options: ThreadOptions;
  readonly #onNotice: (notice: string) => void;
  readonly #pending = new Map<number, (result: Result<unknown>) => void>();
  #worker: Worker | undefined;
  #next = 1;

  constructor(options: ThreadOptions, onNotice: (notice: string) => void) {
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
  async close(withinMs: number): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await Promise.race([this.ask({ kind: "close" }), after(withinMs)]);
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
      for (const settle of lost) settle(fail(unavailable(why, true)));
    });
    return worker;
  }
}
