import { hash } from "node:crypto";
import { isWithin } from "../reuse/bounds.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { canonical } from "../plan/values.ts";
import { foldedTools } from "./folded-tools.ts";

export interface CorpusLimits {
  readonly traces: number;
  /** Of all traces together. */
  readonly calls: number;
  readonly callsPerTrace: number;
  /** Of each trace: signs in all arguments and results, about. */
  readonly size: number;
}

/**
 * What mining keeps of traces: a few numbers for each call, none of what was said. Tokens are tools, repetitions folded;
 * between traces, and where a call failed, stands -1.
 */
export interface Corpus {
  readonly ids: readonly string[];
  readonly tools: readonly string[];
  readonly tokens: Int32Array;
  /** Of each token: its trace, and its calls, counted among those that are kept. */
  readonly trace: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Of each token: whether a chain may begin (1) and end (2) there without cutting a repetition. */
  readonly edges: Uint8Array;
  /** Of each token: what tells the arguments of its calls from others. */
  readonly constants: Int32Array;
  /** How many traces are too large or have the id of another. */
  readonly skipped: number;
  /** Whether all traces were read. */
  readonly isWhole: boolean;
}

/** Reads traces, each once, until the time on the clock of `performance`, and keeps what mining needs. */
export async function corpusOf(
  traces: AsyncIterable<RecordedTrace> | Iterable<RecordedTrace>,
  limits: CorpusLimits,
  until: number,
): Promise<Corpus> {
  const builder = new Builder(limits);
  for await (const trace of traces)
    if (performance.now() > until || !builder.add(trace)) return builder.corpus(false);
  return builder.corpus(true);
}

class Builder {
  readonly #limits: CorpusLimits;
  readonly #ids = new Map<string, number>();
  readonly #tools = new Map<string, number>();
  readonly #rows: {
    tokens: number[];
    trace: number[];
    from: number[];
    to: number[];
    edges: number[];
    constants: number[];
  } = {
    tokens: [],
    trace: [],
    from: [],
    to: [],
    edges: [],
    constants: [],
  };
  #calls = 0;
  #skipped = 0;

  constructor(limits: CorpusLimits) {
    this.#limits = limits;
  }

  /** Gives whether there is room for more. */
  add(trace: RecordedTrace): boolean {
    const { traces, calls, callsPerTrace, size } = this.#limits;
    if (this.#ids.size >= traces || this.#calls >= calls) return false;
    if (this.#ids.has(trace.id) || !isWithin(trace, { calls: callsPerTrace, size })) {
      this.#skipped++;
      return true;
    }
    const index = this.#ids.size;
    this.#ids.set(trace.id, index);
    this.#calls += trace.calls.length;
    this.#addCalls(trace, index);
    return true;
  }

  corpus(isWhole: boolean): Corpus {
    const { tokens, trace, from, to, edges, constants } = this.#rows;
    return {
      ids: [...this.#ids.keys()],
      tools: [...this.#tools.keys()],
      tokens: Int32Array.from(tokens),
      trace: Int32Array.from(trace),
      from: Int32Array.from(from),
      to: Int32Array.from(to),
      edges: Uint8Array.from(edges),
      constants: Int32Array.from(constants),
      skipped: this.#skipped,
      isWhole,
    };
  }

  #addCalls(trace: RecordedTrace, index: number): void {
    const { kept } = keptCalls(trace);
    const tools = kept.map((call) => this.#toolOf(trace, call));
    const args = kept.map((call) => hash("sha256", canonical(trace.calls[call]?.args ?? {})));
    for (const { tool, from, to, edges } of foldedTools(tools)) {
      const constants = Number.parseInt(hash("sha256", args.slice(from, to).join()).slice(0, 8), 16);
      this.#row(tool, index, from, to, edges, constants);
    }
    this.#row(-1, index, kept.length, kept.length, 0, 0);
  }

  // A failed call is no work that is worth doing again.
  #toolOf(trace: RecordedTrace, index: number): number {
    const call = trace.calls[index];
    if (!call || call.error !== undefined) return -1;
    const known = this.#tools.get(call.tool);
    if (known !== undefined) return known;
    this.#tools.set(call.tool, this.#tools.size);
    return this.#tools.size - 1;
  }

  #row(token: number, trace: number, from: number, to: number, edges: number, constants: number): void {
    const rows = this.#rows;
    rows.tokens.push(token);
    rows.trace.push(trace);
    rows.from.push(from);
    rows.to.push(to);
    rows.edges.push(edges);
    rows.constants.push(constants);
  }
}
