import { hash } from "node:crypto";
import { fitsBounds } from "../recording/trace-bounds.ts";
import type { TimedTrace } from "./occurrence-traces.ts";
import { steadyCalls } from "../recording/kept-calls.ts";
import { canonicalJson } from "../plan/values.ts";

export interface CorpusLimits {
  readonly traces: number;
  /** Of all traces together. */
  readonly calls: number;
  readonly callsPerTrace: number;
  /** Of each trace: characters in all arguments and results, about. */
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
  /** Of each token: how long it took from the end of the call before it, in milliseconds, long waits cut. */
  readonly ms: Float64Array;
  /** How many traces are too large or have the id of another. */
  readonly skipped: number;
  /** Whether all traces were read. */
  readonly isWhole: boolean;
}

/** Reads traces, each once, until the time on the clock of `performance`, and keeps what mining needs. */
export async function corpusOf(
  traces: AsyncIterable<TimedTrace> | Iterable<TimedTrace>,
  limits: CorpusLimits,
  until: number,
): Promise<Corpus> {
  const builder = new Builder(limits);
  for await (const trace of traces)
    if (performance.now() > until || !builder.add(trace)) return builder.corpus(false);
  return builder.corpus(true);
}

/** A column each for what a token has. */
type Rows = Record<"tokens" | "trace" | "from" | "to" | "edges" | "constants" | "ms", number[]>;

class Builder {
  readonly #limits: CorpusLimits;
  readonly #ids = new Map<string, number>();
  readonly #tools = new Map<string, number>();
  readonly #rows: Rows = { tokens: [], trace: [], from: [], to: [], edges: [], constants: [], ms: [] };
  #calls = 0;
  #skipped = 0;

  constructor(limits: CorpusLimits) {
    this.#limits = limits;
  }

  /** Gives whether there is room for more. */
  add(trace: TimedTrace): boolean {
    const { traces, calls, callsPerTrace, size } = this.#limits;
    if (this.#ids.size >= traces || this.#calls >= calls) return false;
    if (this.#ids.has(trace.id) || !fitsBounds(trace, { calls: callsPerTrace, size })) {
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
    const { tokens, trace, from, to, edges, constants, ms } = this.#rows;
    return {
      ids: [...this.#ids.keys()],
      tools: [...this.#tools.keys()],
      tokens: Int32Array.from(tokens),
      trace: Int32Array.from(trace),
      from: Int32Array.from(from),
      to: Int32Array.from(to),
      edges: Uint8Array.from(edges),
      constants: Int32Array.from(constants),
      ms: Float64Array.from(ms),
      skipped: this.#skipped,
      isWhole,
    };
  }

  #addCalls(trace: TimedTrace, index: number): void {
    const kept = steadyCalls(trace);
    const tools = kept.map((call) => this.#toolOf(trace, call));
    const args = kept.map((call) => hash("sha256", canonicalJson(trace.calls[call]?.args ?? {})));
    const ms = kept.map((call, nth) => waitedMs(trace, kept[nth - 1], call));
    for (const { tool, from, to, edges } of foldedTools(tools)) {
      const constants = Number.parseInt(hash("sha256", args.slice(from, to).join()).slice(0, 8), 16);
      const took = ms.slice(from, to).reduce((sum, each) => sum + each, 0);
      this.#row({ tokens: tool, trace: index, from, to, edges, constants, ms: took });
    }
    const end = kept.length;
    this.#row({ tokens: -1, trace: index, from: end, to: end, edges: 0, constants: 0, ms: 0 });
  }

  // A failed call is no work that is worth doing again.
  #toolOf(trace: TimedTrace, index: number): number {
    const call = trace.calls[index];
    if (!call || call.error !== undefined) return -1;
    const known = this.#tools.get(call.tool);
    if (known !== undefined) return known;
    this.#tools.set(call.tool, this.#tools.size);
    return this.#tools.size - 1;
  }

  #row(row: Readonly<Record<keyof Rows, number>>): void {
    for (const [column, value] of Object.entries(row)) this.#rows[column as keyof Rows].push(value);
  }
}

/** From the end of the call before until the call had its answer: what whoever called thought about is part of it. */
function waitedMs({ times }: TimedTrace, before: number | undefined, call: number): number {
  const { startMs, endMs } = times?.[call] ?? { startMs: 0, endMs: 0 };
  const since = before === undefined ? startMs : (times?.[before]?.endMs ?? startMs);
  return Math.min(Math.max(0, endMs - since), MAX_WAIT_MS);
}

/** Who waited longer did something else. */
const MAX_WAIT_MS = 60_000;

/** A tool's call, or calls, in a sequence in which repetitions stand once. */
interface FoldedTool {
  readonly tool: number;
  /** Its calls; the last of a repeated group has those of all further rounds too. */
  readonly from: number;
  readonly to: number;
  /** Whether a chain may begin (1) and end (2) here without cutting a repetition. */
  readonly edges: number;
}

const MAX_GROUP = 8;

/** A sequence of tools with each repetition of up to eight of them folded: `a b b b c d c d` is `a b+ (c d)+`. */
export function foldedTools(tools: readonly number[]): readonly FoldedTool[] {
  let folded: readonly FoldedTool[] = tools.map((tool, index) => ({
    tool,
    from: index,
    to: index + 1,
    edges: 3,
  }));
  for (let length = 1; length <= MAX_GROUP; length++) folded = foldedBy(length, folded);
  return folded;
}

function foldedBy(length: number, tools: readonly FoldedTool[]): readonly FoldedTool[] {
  const folded: FoldedTool[] = [];
  for (let at = 0; at < tools.length;) {
    const end = endOfRounds(tools, at, length);
    if (end < at + 2 * length) {
      folded.push(...tools.slice(at, ++at));
      continue;
    }
    for (const [nth, tool] of tools.slice(at, at + length).entries()) {
      const isLast = nth === length - 1;
      const to = isLast ? (tools[end - 1]?.to ?? tool.to) : tool.to;
      const edges = tool.edges & ((nth === 0 ? 1 : 0) | (isLast ? 2 : 0));
      folded.push({ ...tool, to, edges });
    }
    at = end;
  }
  return folded;
}

/** Where the rounds of the tools that begin here end. What has failed is no round, nor what cuts an inner repetition. */
function endOfRounds(tools: readonly FoldedTool[], at: number, length: number): number {
  let end = at + length;
  const isWhole = ((tools[at]?.edges ?? 0) & 1) !== 0 && ((tools[end - 1]?.edges ?? 0) & 2) !== 0;
  while (isWhole && isSame(tools[end], tools[end - length])) end++;
  return end - ((end - at) % length);
}

function isSame(a: FoldedTool | undefined, b: FoldedTool | undefined): boolean {
  return a !== undefined && a.tool !== -1 && a.tool === b?.tool && a.edges === b.edges;
}
