import { threadCpuMs } from "../src/core/time/thread-cpu.ts";

/**
 * The longest that this thread worked without looking at what else is to be done, in milliseconds of its CPU, which a
 * busy machine does not make more; and what the work gave.
 */
export async function heldDuring<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly ms: number; readonly value: Value }> {
  let ms = 0;
  let last = threadCpuMs();
  const look = (): void => {
    const now = threadCpuMs();
    ms = Math.max(ms, now - last);
    last = now;
  };
  const looking = setInterval(look, 5);
  try {
    const value = await work();
    look();
    return { ms, value };
  } finally {
    clearInterval(looking);
  }
}
