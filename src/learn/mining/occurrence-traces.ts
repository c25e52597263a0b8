import type { RecordedTrace } from "../recording/recorded-call.ts";
import { partOf } from "../reuse/sub-trace.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import type { Occurrence, Recurrence } from "./chain.ts";
import type { Corpus } from "./corpus.ts";

/** Traces that can be read one after another, and one of them again. */
export interface TraceSource {
  all(): AsyncIterable<RecordedTrace> | Iterable<RecordedTrace>;
  one(id: string): Promise<RecordedTrace | undefined>;
}

/** Some calls of a trace. */
export interface TracePart {
  readonly trace: string;
  readonly calls: readonly number[];
}

/** An occurrence as a trace of its own. */
export interface Drawn {
  readonly part: TracePart;
  readonly trace: RecordedTrace;
}

const MOST_KEPT = 100;

/** Reads the occurrences of chains. */
export class Parts {
  readonly #source: TraceSource;
  readonly #ids: readonly string[];
  readonly #known = new Map<string, RecordedTrace | undefined>();

  constructor(source: TraceSource, { ids }: Pick<Corpus, "ids">) {
    this.#source = source;
    this.#ids = ids;
  }

  /** So many occurrences, of different traces rather than of the same; the one with most calls first. */
  async drawn({ occurrences }: Recurrence, most: number): Promise<readonly Drawn[]> {
    const drawn: Drawn[] = [];
    for (const occurrence of spread(occurrences, most)) {
      if (drawn.length >= most) break;
      const found = await this.#read(occurrence);
      if (found) drawn.push(found);
    }
    const sizes = drawn.map(({ part }) => part.calls.length);
    const largest = sizes.indexOf(Math.max(0, ...sizes));
    // What is repeated shows best where it is repeated most.
    return drawn.length === 0 ? [] : [...drawn.slice(largest, largest + 1), ...drawn.toSpliced(largest, 1)];
  }

  async #read({ trace: index, from, to }: Occurrence): Promise<Drawn | undefined> {
    const id = this.#ids[index] ?? "";
    const trace = this.#known.has(id) ? this.#known.get(id) : await this.#source.one(id);
    this.#known.delete(id);
    this.#known.set(id, trace);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KEPT && oldest !== undefined) this.#known.delete(oldest);
    if (!trace) return undefined;
    const calls = keptCalls(trace).kept.slice(from, to);
    return { part: { trace: id, calls }, trace: partOf(trace, calls) };
  }
}

/** Evenly so many of those that are the first of their trace, then of the others. */
function spread(occurrences: readonly Occurrence[], most: number): readonly Occurrence[] {
  const isFirst = (each: Occurrence, index: number): boolean => each.trace !== occurrences[index - 1]?.trace;
  const ranks = [occurrences.filter(isFirst), occurrences.filter((each, index) => !isFirst(each, index))];
  return ranks.flatMap((rank) => {
    const count = Math.min(most, rank.length);
    return Array.from(
      { length: count },
      (_, nth) => rank[Math.floor((nth * rank.length) / count)] ?? [],
    ).flat();
  });
}
