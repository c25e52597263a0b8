import type { Json } from "../../core/json/json.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { canonicalJson, TaskText } from "../plan/values.ts";
import { leafTexts, valueTexts } from "../plan/value-texts.ts";

/**
 * What must have happened before each call of a trace: of each of these groups at least one call. A value that the
 * caller supplies, or that the task tells, waits for nothing.
 */
export type CallDependencies = readonly (readonly number[])[];

const SHORTEST = 3;

/** The needs of the given calls of a trace, by the call's index. */
export function callDependencies(
  trace: RecordedTrace,
  calls: readonly number[],
  input: Json,
): ReadonlyMap<number, CallDependencies> {
  const given = leafTexts(input);
  const task = new TaskText(trace.task);
  const used = trace.calls.map(({ args }) => [...leafTexts(args)].filter((text) => text.length >= SHORTEST));
  const sources = sourcesOf(trace, new Set(used.flat()));
  const asked = new Set(calls);
  const earlierOf = earlierCalls(trace, calls);
  return new Map(
    calls.map((call) => {
      const flows = (used[call] ?? [])
        .filter((text) => !given.has(text) && !task.says(text))
        .map((text) => (sources.get(text) ?? []).filter((source) => source < call))
        .filter((group) => group.length > 0 && group.every((source) => asked.has(source)));
      const earlier = earlierOf.get(call);
      return [
        call,
        earlier === undefined ? flows : [...flows, ...changesBetween(earlier, call, calls, used)],
      ];
    }),
  );
}

/** By text, the calls in whose results it stands. */
function sourcesOf(
  { calls }: RecordedTrace,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, readonly number[]> {
  const sources = new Map<string, number[]>();
  calls.forEach(({ result }, index) => {
    for (const text of valueTexts(result)) {
      if (!wanted.has(text)) continue;
      const known = sources.get(text);
      if (known) known.push(index);
      else sources.set(text, [index]);
    }
  });
  return sources;
}

/** For each call that was answered differently the time before, that time. */
function earlierCalls({ calls }: RecordedTrace, asked: readonly number[]): ReadonlyMap<number, number> {
  const last = new Map<string, number>();
  const earlier = new Map<number, number>();
  for (const call of asked) {
    const { tool, args, result } = calls[call] ?? { tool: "", args: {}, result: null };
    const asks = `${tool} ${canonicalJson(args)}`;
    const before = last.get(asks);
    if (before !== undefined && canonicalJson(calls[before]?.result ?? null) !== canonicalJson(result))
      earlier.set(call, before);
    last.set(asks, call);
  }
  return earlier;
}

/**
 * Something between two equal calls has changed the world: the calls that speak of the same things, or all of them where
 * none does.
 */
function changesBetween(
  earlier: number,
  call: number,
  asked: readonly number[],
  used: readonly (readonly string[])[],
): CallDependencies {
  const between = asked.filter((index) => index > earlier && index < call);
  const own = new Set(used[call]);
  const akin = between.filter((index) => used[index]?.some((text) => own.has(text)));
  return (akin.length > 0 ? akin : between).map((index) => [index]);
}
