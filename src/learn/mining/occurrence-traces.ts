import { type CallTime, type RecordedTrace, subTrace } from "../recording/recorded-trace.ts";
import { steadyCalls } from "../recording/kept-calls.ts";
import type { ChainOccurrence, Recurrence } from "./chains.ts";
import type { Corpus } from "./corpus.ts";

/** Traces that can be read one after another, and one of them again. */
export interface TraceReader {
  all(): AsyncIterable<TimedTrace> | Iterable<TimedTrace>;
  one(id: string): Promise<RecordedTrace | undefined>;
}

/** A trace with the times of its calls, where they are known. */
export interface TimedTrace extends RecordedTrace {
  readonly times?: readonly CallTime[];
}

/** Some calls of a trace. */
export interface TraceExcerpt {
  readonly trace: string;
  readonly calls: readonly number[];
}

/** An occurrence as a trace of its own. */
export interface OccurrenceTrace {
  readonly excerpt: TraceExcerpt;
  readonly trace: RecordedTrace;
}

const MAX_KEPT = 100;

/** Reads the occurrences of chains. */
export class OccurrenceReader {
  readonly #source: TraceReader;
  readonly #ids: readonly string[];
  readonly #cache = new Map<string, RecordedTrace | undefined>();

  constructor(source: TraceReader, { ids }: Pick<Corpus, "ids">) {
    this.#source = source;
    this.#ids = ids;
  }

  /** So many occurrences, of different traces rather than of the same; the one with most calls first. */
  async sample({ occurrences }: Recurrence, most: number): Promise<readonly OccurrenceTrace[]> {
    const drawn: OccurrenceTrace[] = [];
    for (const occurrence of spread(occurrences, most)) {
      if (drawn.length >= most) break;
      const found = await this.#read(occurrence);
      if (found) drawn.push(found);
    }
    const sizes = drawn.map(({ excerpt }) => excerpt.calls.length);
    const largest = sizes.indexOf(Math.max(0, ...sizes));
    // What is repeated shows best where it is repeated most.
    return drawn.length === 0 ? [] : [...drawn.slice(largest, largest + 1), ...drawn.toSpliced(largest, 1)];
  }

  async #read({ trace: index, from, to }: ChainOccurrence): Promise<OccurrenceTrace | undefined> {
    const id = this.#ids[index] ?? "";
    const trace = this.#cache.has(id) ? this.#cache.get(id) : await this.#source.one(id);
    this.#cache.delete(id);
    this.#cache.set(id, trace);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > MAX_KEPT && oldest !== undefined) this.#cache.delete(oldest);
    if (!trace) return undefined;
    const calls = steadyCalls(trace).slice(from, to);
    return { excerpt: { trace: id, calls }, trace: subTrace(trace, calls) };
  }
}

/** Evenly so many of those that are the first of their trace, then of the others. */
function spread(occurrences: readonly ChainOccurrence[], most: number): readonly ChainOccurrence[] {
  const isFirst = (each: ChainOccurrence, index: number): boolean =>
    each.trace !== occurrences[index - 1]?.trace;
  const ranks = [occurrences.filter(isFirst), occurrences.filter((each, index) => !isFirst(each, index))];
  return ranks.flatMap((rank) => {
    const count = Math.min(most, rank.length);
    return Array.from(
      { length: count },
      (_, nth) => rank[Math.floor((nth * rank.length) / count)] ?? [],
    ).flat();
  });
}
