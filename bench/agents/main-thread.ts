import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * How long this thread was held at a stretch, in milliseconds: by its own work (CPU time between two ticks), and by the
 * clock, which on a busy machine also counts the work of others.
 */
export class HoldMeter {
  worked = 0;
  byClock = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    // What the measurement itself has left is not swept on the account of what is measured.
    collectGarbage();
    let clock = performance.now();
    let cpu = process.threadCpuUsage();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const used = process.threadCpuUsage(cpu);
      const gap = now - clock - TICK_MS;
      this.byClock = Math.max(this.byClock, gap);
      this.worked = Math.max(this.worked, Math.min(gap + TICK_MS, (used.user + used.system) / 1000));
      clock = now;
      cpu = process.threadCpuUsage();
    }, TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

const TICK_MS = 2;
