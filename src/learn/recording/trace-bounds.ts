import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { RecordedTrace } from "./recorded-trace.ts";

/** How large a trace may be to be worked with. */
export interface TraceBounds {
  readonly calls: number;
  /** Characters in all arguments and results, about. */
  readonly size: number;
}

const MAX_DEPTH = 100;

/** Whether a trace is small enough; looks at no more of it than that takes. */
export function fitsBounds({ task = "", calls }: RecordedTrace, bounds: TraceBounds): boolean {
  if (calls.length > bounds.calls) return false;
  let left = bounds.size - task.length;
  const open: (readonly [value: Json, depth: number])[] = [];
  for (const { args, result } of calls) {
    open.push([args, 0], [result, 0]);
    for (let next = open.pop(); next; next = open.pop()) {
      const [value, depth] = next;
      left -= typeof value === "string" ? value.length + 2 : 4;
      if (left < 0 || depth > MAX_DEPTH) return false;
      if (Array.isArray(value)) for (const each of value as readonly Json[]) open.push([each, depth + 1]);
      else if (isJsonObject(value)) {
        for (const [key, each] of Object.entries(value)) {
          left -= key.length;
          open.push([each, depth + 1]);
        }
      }
    }
  }
  return left >= 0;
}
