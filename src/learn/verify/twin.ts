import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { RecordedCall, RecordedTrace } from "../recording/recorded-trace.ts";
import { mapTexts, rawAnswer } from "../texts/readings.ts";
import { readAnswer, reorderedText, type TextReading } from "../texts/text-form.ts";
import type { TwinChanges } from "./evidence.ts";
import type { JsonDifference } from "./json-difference.ts";
import { type KeptNumbers, numberChanges, withNumbers } from "./number-changes.ts";
import { SeededRandom } from "./seeded-random.ts";
import { Renaming } from "./renaming.ts";
import { Reordering } from "./reordering.ts";

/** A trace as it would be in a world with other ids and names, other orders and other numbers. */
export interface Twin {
  readonly trace: RecordedTrace;
  readonly changed: TwinChanges;
  /** What a value of the first trace, such as a parameter's, is in the twin. */
  readonly translate: (value: Json) => Json;
  /** Where a value still holds an id of the first trace. */
  readonly staleId: (value: Json) => JsonDifference | undefined;
}

export interface TwinOptions {
  /** The same seed gives the same twin. */
  readonly seed: number;
  /** Numbers that the skill speaks of; `all` where it computes. None by default. */
  readonly keptNumbers?: KeptNumbers | undefined;
  /** Fields that say how much, or by which is sorted: what stands there is no id or name that may be another. */
  readonly quantities?: ReadonlySet<string> | undefined;
}

/**
 * A trace's twin, from the trace alone: what a skill does in it follows from what it did, so a skill that replays its
 * own trace but not the twin has learned an id by heart, or a place in a list. Passing is necessary, not sufficient: the
 * twin has the same branches and the same number of things.
 */
export function twinOf(
  trace: RecordedTrace,
  { seed, keptNumbers = new Set(), quantities }: TwinOptions,
): Twin {
  const random = new SeededRandom(`${seed}`);
  const reordering = new Reordering(trace, `${seed}`);
  const renaming = new Renaming(trace, random, quantities);
  const noise = numberChanges(
    trace,
    keptNumbers === "all" ? "all" : new Set([...keptNumbers, ...renaming.numbers.keys()]),
    random,
  );
  const translate = (value: Json): Json => renaming.value(withNumbers(value, noise));
  // A text is changed as it was written, and says then what stands in it.
  const twinAnswer = (
    result: Json,
    reads: readonly TextReading[],
  ): Pick<RecordedCall, "result" | "reads"> => {
    const ordered = mapTexts(result, reads, (text, form) =>
      reorderedText(text, form, (list) => reordering.orderOf(list)),
    );
    const answer = translate(rawAnswer({ result: reordering.value(ordered), reads }));
    return { result: readAnswer(answer, reads) ?? result, reads };
  };
  const call = ({ args, result, reads = [], error, ...rest }: RecordedCall): RecordedCall => ({
    ...rest,
    args: translate(args) as JsonObject,
    ...twinAnswer(result, reads),
    ...(error === undefined ? {} : { error: renaming.text(error) }),
  });
  return {
    trace: {
      id: `${trace.id}#twin-${seed}`,
      ...(trace.task === undefined ? {} : { task: renaming.text(trace.task) }),
      calls: trace.calls.map(call),
    },
    changed: { renamed: renaming.size, reordered: reordering.size, numbers: noise.size },
    translate,
    staleId: (value) => staleIn(value, renaming, ""),
  };
}

function staleIn(value: Json, renaming: Renaming, path: string): JsonDifference | undefined {
  if (typeof value === "string")
    return renaming.isStale(value) ? { path, expected: renaming.text(value), got: value } : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const entries = isJsonObject(value) ? Object.entries(value) : [...value.entries()];
  for (const [key, each] of entries) {
    const found = staleIn(
      each,
      renaming,
      `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`,
    );
    if (found) return found;
  }
  return undefined;
}
