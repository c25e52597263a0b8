import { readFileSync, readlinkSync } from "node:fs";

/** The number by which the system knows the current thread; 0 where it does not tell. */
export function systemThreadId(): number {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return 0;
  }
}

/** CPU milliseconds of a thread of this process, however busy that thread is; nothing where the system does not tell. */
export function cpuMsOf(thread: number): number | undefined {
  if (thread === 0) return undefined;
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
