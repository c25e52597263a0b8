import { setImmediate, setTimeout as delay } from "node:timers/promises";

/**
 * Resolves when the client has taken what was written to stdout so far, at the latest after so many milliseconds: a long
 * message is written in parts, between which this thread has to be free.
 */
export async function stdoutTaken(mostMs: number): Promise<void> {
  const since = performance.now();
  await setImmediate();
  while (process.stdout.writableLength > 0 && performance.now() - since < mostMs) await delay(1);
}
