import { createContext, Script } from "node:vm";

const context = createContext({ work: undefined });
const script = new Script("work()");

/**
 * The outcome of synchronous work that a stranger's data may make endless, such as a schema's regular expression.
 * Throws when the time is over: see `isTimeout`.
 */
export function runWithTimeout<Value>(ms: number, work: () => Value): Value {
  const outer: unknown = context["work"];
  context["work"] = work;
  try {
    return script.runInContext(context, { timeout: ms }) as Value;
  } finally {
    context["work"] = outer;
  }
}

/** Whether what `runWithTimeout` threw is that the time was over. */
export function isTimeout(error: unknown): boolean {
  // It may be an Error of the other context.
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
