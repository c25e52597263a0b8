import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { isMap } from "../plan/values.ts";

/** A leaf of a trace, or a key that is data. */
export interface TraceLeaf {
  readonly call: number;
  readonly at: "args" | "result";
  /** The name of the field that it stands in. */
  readonly field: string;
  readonly value: string | number;
}

export interface TraceLeaves {
  readonly leaves: readonly TraceLeaf[];
  /** Names of records' fields. */
  readonly fields: ReadonlySet<string>;
}

/** Every text and number of a trace's calls. */
export function traceLeaves({ calls }: RecordedTrace): TraceLeaves {
  const leaves: TraceLeaf[] = [];
  const fields = new Set<string>();
  const visit = (call: number, at: TraceLeaf["at"], field: string, value: Json): void => {
    if (typeof value === "string" || typeof value === "number") leaves.push({ call, at, field, value });
    else if (Array.isArray(value)) for (const each of value as readonly Json[]) visit(call, at, field, each);
    else if (isJsonObject(value)) {
      const isData = isMap(value);
      for (const [key, each] of Object.entries(value)) {
        if (isData) leaves.push({ call, at, field, value: key });
        else fields.add(key);
        visit(call, at, isData ? field : key, each);
      }
    }
  };
  calls.forEach(({ args, result }, call) => {
    for (const [key, value] of Object.entries(args)) {
      fields.add(key);
      visit(call, "args", key, value);
    }
    visit(call, "result", "", result);
  });
  return { leaves, fields };
}
