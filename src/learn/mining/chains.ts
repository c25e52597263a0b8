import type { Corpus } from "./corpus.ts";

export interface ChainLimits {
  /** How often a chain occurs at least. */
  readonly least: number;
  /** Tools in a chain that is not a whole trace. */
  readonly length: number;
  readonly chains: number;
}

/** A chain occurs in at least so many traces. */
const MIN_TRACES = 2;

const MAX_OF_A_LENGTH = 200;

const MAX_COMPARED = 1000;

/**
 * The chains that recur, those that are worth most first. A chain that only ever occurs within a longer one is left out.
 * Works through one length after another, each from the one before: time and memory grow with the calls.
 */
export function chainsIn(corpus: Corpus, limits: ChainLimits): readonly ToolChain[] {
  const chains = [...longTraces(corpus, limits)];
  let level: Level | undefined = levelOf(corpus, corpus.tokens, corpus.tools.length, 1);
  while (level) {
    const next: Level | undefined =
      level.length < limits.length ? nextLevel(corpus, level, limits) : undefined;
    chains.push(...chainsOf(corpus, level, next, limits));
    level = next;
  }
  const ordered = chains
    .sort((a, b) => worthOf(b) - worthOf(a) || compareTools(a.tools, b.tools))
    .slice(0, MAX_COMPARED);
  return ordered.filter((chain) => !ordered.some((other) => isWithin(chain, other))).slice(0, limits.chains);
}

/** All chains of one length. */
interface Level {
  readonly length: number;
  /** Of each token: which chain of this length begins there, or -1. */
  readonly ids: Int32Array;
  /** Of each chain: how often its tools stand there, be it within a repetition. */
  readonly counts: Int32Array;
  /** Of each chain: how often it occurs. */
  readonly support: Int32Array;
  readonly traces: Int32Array;
  readonly saved: Float64Array;
}

function levelOf(corpus: Corpus, ids: Int32Array, chains: number, length: number): Level {
  const level: Level = {
    length,
    ids,
    counts: new Int32Array(chains),
    support: new Int32Array(chains),
    traces: new Int32Array(chains),
    saved: new Float64Array(chains),
  };
  const { counts, support, traces, saved } = level;
  const lastTrace = new Int32Array(chains).fill(-1);
  for (const id of ids) if (id >= 0) counts[id] = (counts[id] ?? 0) + 1;
  eachOccurrence(corpus, level, (id, at) => {
    const trace = corpus.trace[at] ?? 0;
    support[id] = (support[id] ?? 0) + 1;
    saved[id] = (saved[id] ?? 0) + callsAt(corpus, at, length) - 1;
    if (lastTrace[id] !== trace) traces[id] = (traces[id] ?? 0) + 1;
    lastTrace[id] = trace;
  });
  return level;
}

/** A chain is one that is shorter by a tool, followed by that of the next token; both must recur. */
function nextLevel(
  corpus: Corpus,
  { ids, counts, length }: Level,
  { least }: ChainLimits,
): Level | undefined {
  const next = new Int32Array(ids.length).fill(-1);
  const known = new Map<number, number>();
  for (let at = 0; at + 1 < ids.length; at++) {
    const head = ids[at] ?? -1;
    const tail = ids[at + 1] ?? -1;
    if (head < 0 || tail < 0 || (counts[head] ?? 0) < least || (counts[tail] ?? 0) < least) continue;
    const key = head * counts.length + tail;
    const id = known.get(key) ?? known.size;
    if (id === known.size) known.set(key, id);
    next[at] = id;
  }
  return known.size === 0 ? undefined : levelOf(corpus, next, known.size, length + 1);
}

/** More calls than a skill may make are none that it could save. */
const MAX_CALLS = 250;

/** Occurrences that have two or more calls, cut no repetition, and do not overlap with another of the same chain. */
function eachOccurrence(
  corpus: Corpus,
  { ids, counts, length }: Pick<Level, "ids" | "counts" | "length">,
  visit: (id: number, at: number) => void,
): void {
  const end = new Int32Array(counts.length);
  for (let at = 0; at + length <= ids.length; at++) {
    const id = ids[at] ?? -1;
    if (id < 0 || at < (end[id] ?? 0)) continue;
    const isWhole = ((corpus.edges[at] ?? 0) & 1) !== 0 && ((corpus.edges[at + length - 1] ?? 0) & 2) !== 0;
    const calls = callsAt(corpus, at, length);
    if (!isWhole || calls < 2 || calls > MAX_CALLS) continue;
    end[id] = at + length;
    visit(id, at);
  }
}

function callsAt({ from, to }: Corpus, at: number, length: number): number {
  return (to[at + length - 1] ?? 0) - (from[at] ?? 0);
}

/** The chains of a level that recur on their own, not only within those of the next level. */
function chainsOf(
  corpus: Corpus,
  level: Level,
  next: Level | undefined,
  limits: ChainLimits,
): readonly ToolChain[] {
  const { ids, support, traces, saved, length } = level;
  const isInner = new Uint8Array(support.length);
  for (let at = 0; next && at + 1 < ids.length; at++) {
    const longer = next.ids[at] ?? -1;
    if (longer < 0) continue;
    for (const id of ids.subarray(at, at + 2))
      if ((next.support[longer] ?? 0) >= (support[id] ?? 0)) isInner[id] = 1;
  }
  const isWanted = (id: number): boolean =>
    (support[id] ?? 0) >= limits.least && (traces[id] ?? 0) >= MIN_TRACES && isInner[id] === 0;
  const chosen = [...support.keys()]
    .filter(isWanted)
    .sort((a, b) => (saved[b] ?? 0) - (saved[a] ?? 0) || a - b)
    .slice(0, MAX_OF_A_LENGTH);
  const tallies = new Map(chosen.map((id) => [id, new ChainTally(corpus, length)]));
  eachOccurrence(corpus, level, (id, at) => tallies.get(id)?.add(at));
  return [...tallies.values()].map((tally) => chainOf(tally, limits.least));
}

/** Whole traces with the same tools that are longer than other chains may be. */
function longTraces(corpus: Corpus, { length, least }: ChainLimits): readonly ToolChain[] {
  const tallies = new Map<string, ChainTally>();
  for (let at = 0; at < corpus.tokens.length;) {
    const trace = corpus.trace[at];
    let end = at;
    while (corpus.trace[end + 1] === trace) end++;
    const tokens = corpus.tokens.subarray(at, end);
    if (tokens.length > length && !tokens.includes(-1) && callsAt(corpus, at, tokens.length) <= MAX_CALLS) {
      const key = tokens.join();
      const tally = tallies.get(key) ?? new ChainTally(corpus, tokens.length);
      tallies.set(key, tally);
      tally.add(at);
    }
    at = end + 1;
  }
  return [...tallies.values()]
    .map((tally) => chainOf(tally, least))
    .filter(({ support, traces }) => support >= least && traces >= MIN_TRACES);
}

/**
 * What it is worth to have it done in one call: calls and time that are saved, times the chance that it comes again, which
 * is the greater the more traces it is in.
 */
export function worthOf({
  saved,
  savedMs,
  traces,
}: Pick<Recurrence, "saved" | "savedMs" | "traces">): number {
  return (saved + savedMs / MS_PER_CALL) * (traces / (traces + 1));
}

/** So long a time counts as much as a call. */
const MS_PER_CALL = 5000;

/** Whether two chains have a sequence in common that is at least half of the longer one: they are the same kind of work. */
export function isSameKind(a: Pick<ToolChain, "tools">, b: Pick<ToolChain, "tools">): boolean {
  let longest = 0;
  let above: readonly number[] = [];
  for (const tool of a.tools) {
    const row: readonly number[] = b.tools.map((each, at) => (each === tool ? (above[at - 1] ?? 0) + 1 : 0));
    longest = Math.max(longest, ...row);
    above = row;
  }
  return 2 * longest >= Math.max(a.tools.length, b.tools.length);
}

/** How many of the occurrences of its tools have the same arguments as the chain: 1, they never have others. */
export function shareOfArguments(corpus: Corpus, { tools, occurrences }: ToolChain): number {
  const own = new Set(
    occurrences[0]?.constants.split(",").map((constants, at) => `${tools[at]} ${constants}`),
  );
  const known = new Set(tools);
  let [same, all] = [0, 0];
  for (const [at, token] of corpus.tokens.entries()) {
    if (!known.has(token)) continue;
    all++;
    if (own.has(`${token} ${corpus.constants[at]}`)) same++;
  }
  return all === 0 ? 0 : same / all;
}

function isWithin(chain: ToolChain, other: ToolChain): boolean {
  if (other.tools.length <= chain.tools.length || other.support < chain.support) return false;
  const last = other.tools.length - chain.tools.length;
  for (let start = 0; start <= last; start++)
    if (chain.tools.every((tool, index) => tool === other.tools[start + index])) return true;
  return false;
}

function compareTools(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((tool, index) => tool !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

/** Tools that are called in this order again and again; a repetition counts once. */
export interface ToolChain extends Recurrence {
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
  /** How many calls fewer there would be if each occurrence were one call, and how long they took, in milliseconds. */
  readonly saved: number;
  readonly savedMs: number;
  /** How many different arguments it occurs with. */
  readonly distinct: number;
  /** The first occurrence with each of these arguments; some of them where they are many. */
  readonly occurrences: readonly ChainOccurrence[];
}

/** Calls of a trace, counted among those that are kept. */
export interface ChainOccurrence {
  readonly trace: number;
  readonly from: number;
  readonly to: number;
  /** Tells its arguments from others. */
  readonly constants: string;
  /** How long it took. */
  readonly ms: number;
}

const MAX_KEPT = 200;

const MAX_SHAPES = 50;

const MAX_TRIED_SHAPES = 3;

/** Counts the occurrences of a chain of this many tokens. */
class ChainTally {
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
    const { trace, from, to, constants, ms } = this.#corpus;
    const end = at + this.#length;
    const occurrence: ChainOccurrence = {
      trace: trace[at] ?? 0,
      from: from[at] ?? 0,
      to: to[end - 1] ?? 0,
      constants: constants.subarray(at, end).join(),
      ms: ms.subarray(at, end).reduce((sum, each) => sum + each, 0),
    };
    const calls = occurrence.to - occurrence.from;
    if (calls > this.#longest.calls) this.#longest = { at, calls };
    this.#whole.add(occurrence);
    const shape = from
      .subarray(at, end)
      .map((start, index) => (to[at + index] ?? 0) - start)
      .join();
    const known = this.#shapes.get(shape) ?? (this.#shapes.size < MAX_SHAPES ? new Tally() : undefined);
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
function chainOf({ whole, shapes, tools, pattern }: ChainTally, least: number): ToolChain {
  const recurring = shapes
    .filter(({ support, traces }) => support >= least && traces > 1)
    .toSorted((a, b) => worthOf(b) - worthOf(a))
    .slice(0, MAX_TRIED_SHAPES);
  return { ...whole, tools, pattern, shapes: recurring };
}

class Tally {
  #support = 0;
  #traces = 0;
  #calls = 0;
  #savedMs = 0;
  #lastTrace = -1;
  readonly #constants = new Set<string>();
  readonly #occurrences: ChainOccurrence[] = [];

  add(occurrence: ChainOccurrence): void {
    const { trace, from, to, constants, ms } = occurrence;
    const calls = to - from;
    this.#support++;
    this.#calls += calls;
    this.#savedMs += ms * (1 - 1 / calls);
    if (trace !== this.#lastTrace) this.#traces++;
    this.#lastTrace = trace;
    if (this.#constants.has(constants)) return;
    this.#constants.add(constants);
    if (this.#occurrences.length < MAX_KEPT) this.#occurrences.push(occurrence);
  }

  recurrence(): Recurrence {
    return {
      support: this.#support,
      traces: this.#traces,
      calls: this.#calls,
      saved: this.#calls - this.#support,
      savedMs: Math.round(this.#savedMs),
      distinct: this.#constants.size,
      occurrences: this.#occurrences,
    };
  }
}
