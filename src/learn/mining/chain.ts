import type { Corpus } from "./corpus.ts";

/** Tools that are called in this order again and again; a repetition counts once. */
export interface Chain extends Recurrence {
  readonly tools: readonly number[];
  /** As its longest occurrence is, what that repeats with a `+`: `a b+ (c d)+`. */
  readonly pattern: string;
  /** Its occurrences parted by how often they repeat what, where they differ in that and each recurs; most saved first. */
  readonly shapes: readonly Recurrence[];
}

/** How something recurs. */
export interface Recurrence {
  /** How often it occurs, and in how many traces. */
  readonly support: number;
  readonly traces: number;
  /** Calls of all occurrences together. */
  readonly calls: number;
  /** How many calls fewer there would be if each occurrence were one call. */
  readonly saved: number;
  /** How many different arguments it occurs with. */
  readonly distinct: number;
  /** The first occurrence with each of these arguments; some of them where they are many. */
  readonly occurrences: readonly Occurrence[];
}

/** Calls of a trace, counted among those that are kept. */
export interface Occurrence {
  readonly trace: number;
  readonly from: number;
  readonly to: number;
  /** Tells its arguments from others. */
  readonly constants: string;
}

const MOST_KEPT = 200;
const MOST_SHAPES = 50;
const MOST_TRIED_SHAPES = 3;

/** Counts the occurrences of a chain of this many tokens. */
export class ChainTally {
  readonly #corpus: Corpus;
  readonly #length: number;
  readonly #whole = new Tally();
  readonly #shapes = new Map<string, Tally>();
  #longest = { at: 0, calls: 0 };

  constructor(corpus: Corpus, length: number) {
    this.#corpus = corpus;
    this.#length = length;
  }

  add(at: number): void {
    const { trace, from, to, constants } = this.#corpus;
    const end = at + this.#length;
    const occurrence: Occurrence = {
      trace: trace[at] ?? 0,
      from: from[at] ?? 0,
      to: to[end - 1] ?? 0,
      constants: constants.subarray(at, end).join(),
    };
    const calls = occurrence.to - occurrence.from;
    if (calls > this.#longest.calls) this.#longest = { at, calls };
    this.#whole.add(occurrence);
    const shape = from
      .subarray(at, end)
      .map((start, index) => (to[at + index] ?? 0) - start)
      .join();
    const known = this.#shapes.get(shape) ?? (this.#shapes.size < MOST_SHAPES ? new Tally() : undefined);
    if (!known) return;
    this.#shapes.set(shape, known);
    known.add(occurrence);
  }

  get whole(): Recurrence {
    return this.#whole.recurrence();
  }

  get shapes(): readonly Recurrence[] {
    return this.#shapes.size < 2 ? [] : [...this.#shapes.values()].map((tally) => tally.recurrence());
  }

  get tools(): readonly number[] {
    return [...this.#corpus.tokens.subarray(this.#longest.at, this.#longest.at + this.#length)];
  }

  get pattern(): string {
    const { tokens, tools, edges, from, to } = this.#corpus;
    const { at } = this.#longest;
    const parts = Array.from({ length: this.#length }, (_, index) => {
      const edge = edges[at + index] ?? 0;
      const name = tools[tokens[at + index] ?? -1] ?? "";
      const isRepeated = (to[at + index] ?? 0) - (from[at + index] ?? 0) > 1;
      if (edge === 3) return isRepeated ? `${name}+` : name;
      return edge === 1 ? `(${name}` : edge === 2 ? `${name})+` : name;
    });
    return parts.join(" ");
  }
}

/** The chain that was counted. */
export function chainOf({ whole, shapes, tools, pattern }: ChainTally, least: number): Chain {
  const recurring = shapes
    .filter(({ support, traces }) => support >= least && traces > 1)
    .toSorted((a, b) => b.saved - a.saved)
    .slice(0, MOST_TRIED_SHAPES);
  return { ...whole, tools, pattern, shapes: recurring };
}

class Tally {
  #support = 0;
  #traces = 0;
  #calls = 0;
  #lastTrace = -1;
  readonly #constants = new Set<string>();
  readonly #occurrences: Occurrence[] = [];

  add(occurrence: Occurrence): void {
    const { trace, from, to, constants } = occurrence;
    this.#support++;
    this.#calls += to - from;
    if (trace !== this.#lastTrace) this.#traces++;
    this.#lastTrace = trace;
    if (this.#constants.has(constants)) return;
    this.#constants.add(constants);
    if (this.#occurrences.length < MOST_KEPT) this.#occurrences.push(occurrence);
  }

  recurrence(): Recurrence {
    return {
      support: this.#support,
      traces: this.#traces,
      calls: this.#calls,
      saved: this.#calls - this.#support,
      distinct: this.#constants.size,
      occurrences: this.#occurrences,
    };
  }
}
