import { createContext, Script } from "node:vm";

const context = createContext({ work: undefined });
const script = new Script("work()");

/**
 * The outcome of synchronous work that a stranger's data may make endless, such as a schema's regular expression.
 * Throws when the time is over. Not to be nested.
 */
export function within<Value>(ms: number, work: () => Value): Value {
  context["work"] = work;
  try {
    return script.runInContext(context, { timeout: ms }) as Value;
  } finally {
    context["work"] = undefined;
  }
}
