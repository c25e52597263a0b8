// The thread that holds a file of SQLite: whoever waits for a lock or a long query, it is not the caller's event loop.
import { parentPort, workerData } from "node:worker_threads";
import type { Failure } from "../core/error.ts";
import type { Result } from "../core/result.ts";
import { pruneRuns, recordParts, removeRuns, unavailable } from "./database.ts";
import { type PlainPart, preparedPart } from "./prepared-part.ts";
import { redactor, type Redactor } from "./redaction.ts";
import { isUnreadable, setStoreAside } from "./set-aside.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import type { Pruned, RedactionOptions, Retention } from "./trace-store.ts";

export interface ThreadOptions {
  readonly path: string;
  readonly lockMs: number;
  readonly mostPages?: number;
  readonly maxPayloadBytes: number;
  readonly redaction: RedactionOptions;
}

export type ThreadTask =
  | { readonly kind: "record"; readonly parts: readonly PlainPart[] }
  | { readonly kind: "query"; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: "prune"; readonly limits: Retention; readonly dryRun: boolean }
  | { readonly kind: "close" };

export interface ThreadRequest {
  readonly id: number;
  readonly task: ThreadTask;
}

export interface ThreadAnswer {
  readonly id: number;
  readonly result: Result<unknown>;
}

export interface ThreadNotice {
  readonly notice: string;
}

/** Busy, locked, full: the connection is as good as before. */
const LEAVE_OPEN: ReadonlySet<number> = new Set([5, 6, 13]);
/** These and the causes in the file system pass, or somebody mends them. */
const PASSING: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 10, 11, 13, 14, 26]);

const options = workerData as ThreadOptions;
const redact = redactorOf(options.redaction);
let database: SqliteDatabase | undefined;
let last: Promise<unknown> = Promise.resolve();

parentPort?.on("message", ({ id, task }: ThreadRequest) => {
  last = last.then(async () => {
    parentPort?.postMessage({ id, result: await answer(task) } satisfies ThreadAnswer);
    if (task.kind === "close") parentPort?.close();
  });
});

async function answer(task: ThreadTask): Promise<Result<unknown>> {
  try {
    return { ok: true, value: await done(task) };
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

async function done(task: ThreadTask): Promise<unknown> {
  switch (task.kind) {
    case "record": {
      const parts = task.parts.map((part) => preparedPart(part, redact, options.maxPayloadBytes));
      const opened = await open();
      await opened.transaction((transaction) => recordParts(transaction, parts));
      return null;
    }
    case "query":
      return (await open()).query(task.sql, task.parameters);
    case "prune":
      return prune(await open(), task.limits, task.dryRun);
    case "close":
      database?.close();
      database = undefined;
      return null;
  }
}

async function open(): Promise<SqliteDatabase> {
  if (database) return database;
  try {
    database = await SqliteDatabase.open(options.path, options);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    setAside(error);
    database = await SqliteDatabase.open(options.path, options);
  }
  return database;
}

/** Puts a store that cannot be read out of the way; others may have done so already. */
function setAside(error: unknown): void {
  const { path } = options;
  const name = setStoreAside(path);
  if (name === undefined) return;
  const why = error instanceof Error ? error.message : String(error);
  const notice = `The store of traces ${path} cannot be read (${why}): it is set aside as ${name}, and a new one is begun`;
  parentPort?.postMessage({ notice } satisfies ThreadNotice);
}

// In short transactions, so that others write in between.
async function prune(opened: SqliteDatabase, limits: Retention, dryRun: boolean): Promise<Pruned> {
  const read = async <Row>(sql: string, parameters: readonly (string | number)[]): Promise<readonly Row[]> =>
    opened.query(sql, parameters) as unknown as readonly Row[];
  const pruned = await pruneRuns({ read }, limits, {
    dryRun,
    remove: async (runs) => opened.transaction((transaction) => removeRuns(transaction, runs)),
  });
  if (!dryRun && pruned.runs > 0) opened.shrink();
  return pruned;
}

function failureOf(error: unknown): Failure {
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  const primary = typeof errcode === "number" ? errcode & 0xff : undefined;
  if (primary !== undefined && !LEAVE_OPEN.has(primary)) {
    try {
      database?.close();
    } catch {
      // It is given up in any case.
    }
    database = undefined;
    if (isUnreadable(error)) setAside(error);
  }
  const passes =
    primary === undefined ? typeof code === "string" && /^E[A-Z]+$/.test(code) : PASSING.has(primary);
  return unavailable(error instanceof Error ? error.message : String(error), passes);
}

function redactorOf(redaction: RedactionOptions): Redactor {
  const made = redactor(redaction);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}
