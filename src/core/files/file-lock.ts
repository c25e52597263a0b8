import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./shared-database.ts";

export type FileLock = Pick<DatabaseSync, "close">;

/**
 * A lock on a path, held until it is closed; undefined where another holder has it, in this process or another. It is
 * the lock of an SQLite database in which nothing is ever written: the operating system frees it when its holder dies.
 * Throws what the file system throws.
 */
export function fileLock(file: string): FileLock | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("begin immediate");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
