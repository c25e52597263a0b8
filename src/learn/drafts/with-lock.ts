import { fail, type Result } from "../../core/result.ts";
import { failure, isSystemError } from "../../core/error.ts";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";

/**
 * Does the work while no one else, in this process or another, does work under the same lock. The operating system
 * gives the lock back when its holder dies.
 */
export async function withLock<Value>(
  file: string,
  work: () => Promise<Result<Value>>,
  patienceMs: number = PATIENCE_MS,
): Promise<Result<Value>> {
  let lock: DatabaseSync | undefined;
  try {
    await mkdir(dirname(file), { recursive: true });
    // The lock of an SQLite database in which nothing is ever written.
    lock = new DatabaseSync(file, { timeout: 0 });
    const deadline = Date.now() + patienceMs;
    while (!taken(lock)) {
      if (Date.now() > deadline)
        return fail(failure("DRAFT_BUSY", "Others are working on the drafts: try again"));
      await wait(TRY_MS);
    }
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return fail(failure("DRAFTS_UNAVAILABLE", `The drafts cannot be read or written: ${error.message}`));
  } finally {
    lock?.close();
  }
}

const PATIENCE_MS = 10_000;
const TRY_MS = 15;
const BUSY = 5;

function taken(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return false;
    throw error;
  }
}
