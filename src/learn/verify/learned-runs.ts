import type { JsonObject } from "../../core/json/json.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import type { RecordedTrace, SourceTrace } from "../recording/recorded-trace.ts";
import type { Synthesis } from "../synthesis/synthesise.ts";

/** The runs that a plan was learned from, with the calls that it makes in them and its input there. */
export function learnedRuns(
  { dropped, from, inputs }: Pick<Synthesis, "dropped" | "from" | "inputs">,
  traces: readonly RecordedTrace[],
  input?: JsonObject,
): readonly SourceTrace[] {
  return from.flatMap((index, nth) => {
    const trace = traces[index];
    if (!trace) return [];
    const left = new Set(
      dropped.flatMap((each) => (each.isDropped && each.trace === index ? (each.call ?? []) : [])),
    );
    const calls = keptCalls(trace).kept.filter((call) => !left.has(call));
    return [{ trace, input: inputs?.[nth] ?? input, calls }];
  });
}
