import { type JsonObject, isJsonObject, type Json } from "../../core/json/json.ts";
import { jsonLeaves, leafText } from "../plan/values.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

/** A run, with the calls of it that a draft makes and what the draft is given. */
interface GivenRun {
  readonly trace: RecordedTrace;
  readonly calls?: readonly number[] | undefined;
  readonly input: JsonObject;
}

/**
 * How many values in the calls of a run the draft has from answers, of which the runs that it was learned from say
 * nothing. A draft that passes where there are none could have learned these values by heart: it was not put to the test.
 */
export function changedFlows(run: GivenRun, learned: readonly GivenRun[]): number {
  const known = new Set(
    learned.flatMap((each) => [...argumentTexts(each), ...textsIn(each.input, { withKeys: true })]),
  );
  const given = new Set(textsIn(run.input, { withKeys: true }));
  return argumentTexts(run).filter((text) => !known.has(text) && !given.has(text)).length;
}

function argumentTexts({ trace, calls }: GivenRun): readonly string[] {
  const made = calls ?? [...trace.calls.keys()];
  return made.flatMap((index) => textsIn(trace.calls[index]?.args ?? {}));
}

function textsIn(value: Json, { withKeys = false } = {}): readonly string[] {
  const leaves = [...jsonLeaves(value)].flatMap(([, leaf]) => leafText(leaf) ?? []);
  return withKeys ? [...leaves, ...keysIn(value)] : leaves;
}

/** The keys of a map that the caller gives are values, too. */
function keysIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(keysIn);
  return isJsonObject(value) ? Object.keys(value).concat(...Object.values(value).map(keysIn)) : [];
}
