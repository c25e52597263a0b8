import { createContext, Script } from "node:vm";
import { threadCpuMs } from "./thread-cpu.ts";

const context = createContext({ work: undefined });
const script = new Script("work()");

/**
 * The outcome of synchronous work that a stranger's data may make endless, such as a schema's regular expression.
 * Throws when the time is over: see `isTimeout`. Work that got little of a busy machine's CPU in its time begins
 * again, a few times at most, so it must bear that.
 */
export function runWithTimeout<Value>(ms: number, work: () => Value): Value {
  const outer: unknown = context["work"];
  context["work"] = work;
  const started = threadCpuMs();
  try {
    for (let tries = 1; ; tries++) {
      try {
        return script.runInContext(context, { timeout: ms }) as Value;
      } catch (error) {
        const isStarved = threadCpuMs() - started < ms / 2;
        if (!isTimeout(error) || !isStarved || tries === MAX_TRIES) throw error;
      }
    }
  } finally {
    context["work"] = outer;
  }
}

const MAX_TRIES = 4;

/** Whether what `runWithTimeout` threw is that the time was over. */
export function isTimeout(error: unknown): boolean {
  // It may be an Error of the other context.
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
