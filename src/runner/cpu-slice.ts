import { threadCpuMs } from "../core/time/thread-cpu.ts";
import { readFileSync, readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";

/**
 * The time that guest code has been on the thread's stack. Short stays are charged by the wall clock; from the first
 * check on, the thread's own CPU time counts, so that a busy machine does not use up a run's budget.
 */
export class CpuSlice {
  /** When to look again whether the time is up, by `performance.now()`. */
  checkAt: number;
  readonly #startedAt = performance.now();
  readonly #wallEnd: number;
  readonly #cpuLeftMs: number;
  #checked: { readonly wall: number; readonly cpu: number } | undefined;

  constructor(cpuLeftMs: number, wallLeftMs: number) {
    this.#cpuLeftMs = cpuLeftMs;
    this.#wallEnd = this.#startedAt + wallLeftMs;
    this.checkAt = this.#startedAt + Math.min(cpuLeftMs, wallLeftMs);
  }

  /** Milliseconds until `checkAt`. */
  get leftMs(): number {
    return this.checkAt - performance.now();
  }

  get spentMs(): number {
    const { wall, cpu } = this.#checked ?? { wall: performance.now(), cpu: undefined };
    return wall - this.#startedAt + (cpu === undefined ? 0 : threadCpuMs() - cpu);
  }

  /** Whether CPU or wall time is used up. */
  isOver(): boolean {
    const now = performance.now();
    this.#checked ??= { wall: now, cpu: threadCpuMs() };
    if (now < this.checkAt) return false;
    const left = this.#cpuLeftMs - this.spentMs;
    if (now >= this.#wallEnd || left <= 0) return true;
    this.checkAt = Math.min(this.#wallEnd, now + left);
    return false;
  }
}

/** The number by which the system knows the current thread; 0 where it does not tell. */
export function systemThreadId(): number {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return 0;
  }
}

/** From now on a thread of this process has a tenth of the time that another has who wants it, where the system can be told so. */
export function letOthersGoFirst(thread: number): void {
  if (thread === 0) return;
  try {
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It goes on as the others do.
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
