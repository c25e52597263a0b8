import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

const BUSY = 5;
const PAUSE_MS = 10;

/**
 * A file of SQLite that processes share, made where there is none: for its owner alone, with a write-ahead log. `prepare`
 * gets it before the log is set, and throws where it is not what was expected. Others are waited for, `lockMs`
 * milliseconds at most, for each lock. Throws what SQLite and the file system throw.
 */
export function sharedDatabase(
  path: string,
  lockMs: number,
  prepare: (database: DatabaseSync) => void = () => {},
): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  // SQLite's other files get the same mode.
  closeSync(openSync(path, "a", 0o600));
  const until = performance.now() + lockMs;
  for (;;) {
    const database = new DatabaseSync(path, { timeout: lockMs });
    try {
      prepare(database);
      database.exec("pragma journal_mode = wal");
      return database;
    } catch (error) {
      database.close();
      // Of two that set the log of a new file at once, one reads while the other waits for readers to end: SQLite refuses
      // it at once, whatever the timeout.
      if (!isBusy(error) || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** Whether another holder's lock is why SQLite refused. */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === BUSY;
}
