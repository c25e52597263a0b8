import { setImmediate } from "node:timers/promises";

/** To be awaited between the steps of long work: lets others at the thread when the work has had it for a while. */
export function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_A_TIME_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

const AT_A_TIME_MS = 10;
