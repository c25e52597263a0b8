// The thread that writes to a store, and reads files of SQLite: whoever looks for credentials, waits for a lock or for a
// long query, it is not the caller's event loop.
import { parentPort, workerData } from "node:worker_threads";
import type { Result } from "../../core/result.ts";
import { type Database, pruneRuns, recordParts } from "./database.ts";
import { PostgresDatabase } from "./postgres/postgres-database.ts";
import { type PlainPart, preparedPart } from "./prepared-part.ts";
import { redactor, type Redactor } from "../redact/redaction.ts";
import { SqliteFile, type SqliteFileOptions } from "./sqlite/sqlite-file.ts";
import type { RedactionOptions, Retention } from "../trace-store.ts";
import { showSourcePositions } from "../../core/package/source-positions.ts";

showSourcePositions();

export interface ThreadOptions {
  readonly place:
    | ({ readonly kind: "sqlite" } & SqliteFileOptions)
    | { readonly kind: "postgres"; readonly connectionString: string };
  readonly maxPayloadBytes: number;
  readonly redaction: RedactionOptions;
}

export type ThreadTask =
  | { readonly kind: "record"; readonly parts: readonly PlainPart[] }
  | { readonly kind: "query"; readonly sql: string; readonly parameters: readonly (string | number)[] }
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

const { place, maxPayloadBytes, redaction } = workerData as ThreadOptions;
const redact = redactorOf(redaction);
const database = databaseAt(place);

parentPort?.on("message", ({ id, task }: ThreadRequest) => {
  void answer(task).then((result) => {
    parentPort?.postMessage({ id, result } satisfies ThreadAnswer);
    if (task.kind === "close") parentPort?.close();
  });
});

async function answer(task: ThreadTask): Promise<Result<unknown>> {
  try {
    return { ok: true, value: await done(task) };
  } catch (error) {
    return { ok: false, error: database.failureOf(error) };
  }
}

async function done(task: ThreadTask): Promise<unknown> {
  switch (task.kind) {
    case "record":
      return recordParts(
        database,
        task.parts.map((part) => preparedPart(part, redact, maxPayloadBytes)),
      );
    case "query":
      return database.read(task.sql, task.parameters);
    case "prune":
      return pruneRuns(database, task.limits, task.dryRun);
    case "close":
      await database.close();
      return null;
  }
}

function databaseAt(at: ThreadOptions["place"]): Database {
  switch (at.kind) {
    case "sqlite":
      return new SqliteFile(at, (notice) => parentPort?.postMessage({ notice } satisfies ThreadNotice));
    case "postgres":
      return PostgresDatabase.at(at.connectionString);
  }
}

function redactorOf(options: RedactionOptions): Redactor {
  const made = redactor(options);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}
