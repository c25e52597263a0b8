import type { JsonObject } from "../../core/json/json.ts";
import { valueTexts } from "../plan/value-texts.ts";
import { jsonLeaves, leafText } from "../plan/values.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

/** A run, with the calls of it that a draft makes and what the draft is given. */
interface GivenRun {
  readonly trace: RecordedTrace;
  readonly calls?: readonly number[] | undefined;
  readonly input?: JsonObject | undefined;
}

/** All that the runs say which a draft was learned from: in the arguments of its calls and in what it is given. */
export function learnedTexts(learned: readonly GivenRun[]): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const run of learned) {
    for (const text of argumentTexts(run)) texts.add(text);
    for (const text of valueTexts(run.input ?? {})) texts.add(text);
  }
  return texts;
}

/**
 * How many values in the calls of a run the draft has from answers, of which the runs that it was learned from say
 * nothing. A draft that passes where there are none could have learned these values by heart: it was not put to the test.
 */
export function changedFlows(run: GivenRun, learned: ReadonlySet<string>): number {
  const given = valueTexts(run.input ?? {});
  return [...argumentTexts(run)].filter((text) => !learned.has(text) && !given.has(text)).length;
}

function* argumentTexts({ trace, calls }: GivenRun): Generator<string> {
  for (const index of calls ?? trace.calls.keys()) {
    for (const [, leaf] of jsonLeaves(trace.calls[index]?.args ?? {})) {
      const text = leafText(leaf);
      if (text) yield text;
    }
  }
}
