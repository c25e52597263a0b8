import { setImmediate, setTimeout } from "node:timers/promises";

/**
 * To be awaited between the steps of long work: lets others at the thread when the work has had it for a while, and for so
 * long, where it is in no hurry.
 */
export function pauses(restMs = 0): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_A_TIME_MS) return;
    await (restMs > 0 ? setTimeout(restMs, undefined, { ref: false }) : setImmediate());
    since = performance.now();
  };
}

const AT_A_TIME_MS = 10;
