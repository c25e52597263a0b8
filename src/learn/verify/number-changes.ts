import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { isTimeField, traceLeaves } from "./identities.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Numbers that must stay as they are. */
export type KeptNumbers = ReadonlySet<number> | "all";

/**
 * Other numbers for those of a trace's results that no argument uses. The order among all numbers stays: whoever takes
 * the cheapest still does. Where an argument may have been computed, no number changes.
 */
export function numberChanges(
  trace: RecordedTrace,
  kept: KeptNumbers,
  random: SeededRandom,
): ReadonlyMap<number, number> {
  if (kept === "all") return new Map();
  const { leaves } = traceLeaves(trace);
  const used = usedNumbers(trace);
  if (!used) return new Map();
  const isChangeable = new Map<number, boolean>();
  for (const { value, field, at } of leaves) {
    if (typeof value !== "number") continue;
    const isFree = at === "result" && !isTimeField(field) && !used.has(value) && !kept.has(value);
    isChangeable.set(value, isFree && Math.abs(value) > 1 && (isChangeable.get(value) ?? true));
  }
  const sorted = [...isChangeable.keys()].toSorted((a, b) => a - b);
  const noise = new Map<number, number>();
  sorted.forEach((value, index) => {
    if (isChangeable.get(value) !== true) return;
    const room = (sorted[index + 1] ?? value + Math.abs(value)) - value;
    const places = String(value).split(".")[1]?.length ?? 0;
    const changed = Number((value + room * (0.2 + 0.5 * random.next())).toFixed(places));
    if (changed > value && changed < value + room) noise.set(value, changed);
  });
  return noise;
}

/** The value with other numbers. */
export function withNumbers(value: Json, numbers: ReadonlyMap<number, number>): Json {
  if (numbers.size === 0) return value;
  if (typeof value === "number") return numbers.get(value) ?? value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => withNumbers(each, numbers));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withNumbers(each, numbers)]));
}

const SMALL = 10;

const NUMBER = /\d+(?:,\d{3})*(?:\.\d+)?/g;

/** The numbers that the task and the arguments speak of; nothing where an argument's number comes from nowhere. */
function usedNumbers({ task = "", calls }: RecordedTrace): ReadonlySet<number> | undefined {
  const used = new Set(numbersIn(task));
  const known = new Set(used);
  for (const { args, result } of calls) {
    for (const number of numbersOf(args)) {
      const isCount = Number.isInteger(number) && Math.abs(number) <= SMALL;
      if (!known.has(number) && !isCount) return undefined;
      used.add(number);
    }
    for (const number of numbersIn(JSON.stringify(args))) used.add(number);
    for (const number of numbersIn(JSON.stringify(result))) known.add(number);
  }
  return used;
}

function numbersIn(text: string): readonly number[] {
  return (text.match(NUMBER) ?? []).map((each) => Number(each.replaceAll(",", "")));
}

function numbersOf(value: Json): readonly number[] {
  if (typeof value === "number") return [Math.abs(value)];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(numbersOf);
  return isJsonObject(value) ? Object.values(value).flatMap(numbersOf) : [];
}
