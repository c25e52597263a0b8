import { isRead } from "../recording/tool-effects.ts";
import type { Library } from "../reuse/library.ts";
import { reuseOf } from "../reuse/reuse.ts";
import type { Trial } from "../reuse/replay-search.ts";
import type { KnownTool } from "../synthesis/synthesise.ts";
import type { Chain, Recurrence } from "./chain.ts";
import { chainsIn } from "./chains.ts";
import { type Corpus, corpusOf, type CorpusLimits } from "./corpus.ts";
import { type Learned, learned } from "./learned.ts";
import { Parts, type TracePart, type TraceSource } from "./occurrence-traces.ts";

export interface MiningOptions {
  /** How often work recurs at least, 3 unless told; always in at least 2 traces. */
  readonly least?: number;
  /** How many occurrences a plan is learned from at most: 3 unless told. */
  readonly samples?: number;
  /** On how many others, with other arguments, it is tried at most: 8 unless told. */
  readonly heldOut?: number;
  /** How many proposals: 20 unless told. */
  readonly limit?: number;
  readonly tools?: readonly KnownTool[];
  /** Skills that there are already. */
  readonly library?: Library;
  readonly limits?: Partial<MiningLimits>;
}

export interface MiningLimits extends CorpusLimits {
  /** Tools in a chain that is not a whole trace. */
  readonly chain: number;
  /** How many chains are tried. */
  readonly tried: number;
  /** After this time no further trace is read, and no further chain tried. */
  readonly wallMs: number;
}

export const DEFAULT_MINING_LIMITS: MiningLimits = {
  traces: 100_000,
  calls: 2_000_000,
  callsPerTrace: 1000,
  size: 1_000_000,
  chain: 24,
  tried: 60,
  wallMs: 60_000,
};

/** Work that recurs. */
type Proposal = SkillProposal | ReuseProposal | RepeatedProposal;

interface Recurring {
  /** Occurrences with different arguments, by whose numbers synthesis tells what its plan is of. */
  readonly samples: readonly TracePart[];
  /** The tools in their order, as `a b+ (c d)+`: what the longest occurrence repeats has a `+`. */
  readonly pattern: string;
  readonly occurrences: number;
  readonly traces: number;
  /** Calls of all occurrences together. */
  readonly calls: number;
  /** With how many different arguments it occurs. */
  readonly distinct: number;
  /** How many calls fewer there would be if each occurrence that replays were one call. */
  readonly saved: number;
}

/** With different arguments each time, as a skill would do it. */
interface SkillProposal extends Recurring, Learned {
  readonly kind: "skill";
}

/** As a skill does it that there is already. */
interface ReuseProposal extends Recurring {
  readonly kind: "reuse";
  readonly skill: string;
}

/** With the same arguments each time: no matter for a skill, but for keeping results where it only looks. */
interface RepeatedProposal extends Recurring {
  readonly kind: "repeated";
  readonly isReadOnly: boolean;
}

export interface Mined {
  /** Those that save most calls first. */
  readonly proposals: readonly Proposal[];
  readonly traces: number;
  /** Traces that were not looked at: too large, or with the id of another. */
  readonly skipped: number;
  /** Chains that recur, and how many of them were tried. */
  readonly chains: number;
  readonly tried: number;
  /** Whether no limit has cut it short. */
  readonly isComplete: boolean;
}

/**
 * The work that recurs in traces, and the skills that would do it. Of the traces only what their calls are called is
 * kept; samples are read again.
 */
export async function mined(source: TraceSource, trial: Trial, options: MiningOptions = {}): Promise<Mined> {
  const limits = { ...DEFAULT_MINING_LIMITS, ...options.limits };
  const { least = 3, limit = 20 } = options;
  const end = performance.now() + limits.wallMs;
  const corpus = await corpusOf(source.all(), limits, end);
  const chains = chainsIn(corpus, {
    least: Math.max(2, least),
    length: limits.chain,
    chains: 10 * limits.tried,
  });
  const miner: Miner = { corpus, parts: new Parts(source, corpus), trial, options };
  const found: Proposal[] = [];
  let [tried, isCut] = [0, false];
  for (const chain of chains) {
    if (found.filter(({ saved }) => saved >= chain.saved).length >= limit) break;
    isCut = tried >= limits.tried || performance.now() > end;
    if (isCut) break;
    tried++;
    found.push(...(await proposalsFor(chain, miner)));
  }
  const proposals = found.toSorted(
    (a, b) => b.saved - a.saved || b.occurrences - a.occurrences || (a.pattern < b.pattern ? -1 : 1),
  );
  return {
    proposals: proposals.slice(0, limit),
    traces: corpus.ids.length,
    skipped: corpus.skipped,
    chains: chains.length,
    tried,
    isComplete: corpus.isWhole && !isCut,
  };
}

interface Miner {
  readonly corpus: Corpus;
  readonly parts: Parts;
  readonly trial: Trial;
  readonly options: MiningOptions;
}

/** What one chain proposes: one skill for all its occurrences, or one for each shape of them if that saves more. */
async function proposalsFor(chain: Chain, miner: Miner): Promise<readonly Proposal[]> {
  const whole = await proposalFor(chain, chain, miner);
  if (chain.shapes.length === 0 || (whole && whole.saved === chain.saved)) return whole ? [whole] : [];
  const parted: Proposal[] = [];
  for (const shape of chain.shapes) {
    const proposal = await proposalFor(chain, shape, miner);
    if (proposal) parted.push(proposal);
  }
  const saved = parted.reduce((sum, each) => sum + each.saved, 0);
  if (whole && whole.saved >= saved) return [whole];
  return parted;
}

async function proposalFor(
  { pattern, tools }: Chain,
  recurrence: Recurrence,
  { corpus, parts, trial, options }: Miner,
): Promise<Proposal | undefined> {
  const { samples: mostSamples = 3, heldOut: mostHeldOut = 8, library, tools: known = [] } = options;
  const { support, traces, calls, distinct, saved } = recurrence;
  const drawn = await parts.drawn(recurrence, mostSamples + mostHeldOut);
  const count = Math.max(1, Math.min(mostSamples, Math.floor(drawn.length / 2)));
  const [learnedFrom, heldOut] = [drawn.slice(0, count), drawn.slice(count)];
  const samples = learnedFrom.map(({ part }) => part);
  const recurring = { pattern, occurrences: support, traces, calls, distinct, saved, samples };
  if (library) {
    const sampled = learnedFrom.map(({ trace }) => trace);
    const reuse = await reuseOf(sampled, library, trial);
    if (reuse) return { ...recurring, kind: "reuse", skill: reuse.skill };
  }
  if (distinct === 1) {
    const isReadOnly = tools.every((tool) => isRead(corpus.tools[tool] ?? ""));
    return { ...recurring, kind: "repeated", isReadOnly };
  }
  if (heldOut.length === 0) return undefined;
  const plan = await learned(learnedFrom, heldOut, trial, known);
  if (!plan) return undefined;
  const { passed, of } = plan.replay;
  return { ...recurring, ...plan, kind: "skill", saved: Math.round((saved * passed) / of) };
}
