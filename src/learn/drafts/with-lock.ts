import { setTimeout as wait } from "node:timers/promises";
import { failure, isSystemError } from "../../core/error.ts";
import { placedFault } from "../../core/files/file-fault.ts";
import { type FileLock, fileLock } from "../../core/files/file-lock.ts";
import { fail, type Result } from "../../core/result.ts";

/** Does the work while no one else, in this process or another, does work under the same lock. */
export async function withLock<Value>(
  file: string,
  work: () => Promise<Result<Value>>,
  patienceMs: number = PATIENCE_MS,
): Promise<Result<Value>> {
  let lock: FileLock | undefined;
  try {
    const deadline = Date.now() + patienceMs;
    for (lock = fileLock(file); !lock; lock = fileLock(file)) {
      if (Date.now() > deadline)
        return fail(failure("DRAFT_BUSY", "Others are working on the drafts: try again"));
      await wait(TRY_MS);
    }
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return fail(failure("DRAFTS_UNAVAILABLE", `The drafts cannot be read or written: ${placedFault(error)}`));
  } finally {
    lock?.close();
  }
}

const PATIENCE_MS = 10_000;
const TRY_MS = 15;
