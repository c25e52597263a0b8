import { mayWriteBy, type ToolEffect } from "../plan/tool-effects.ts";
import type { Library } from "../reuse/library.ts";
import { reuseOf } from "../reuse/reuse.ts";
import { type ReplayServices, matchingInput, replayablePlan } from "../reuse/replay-search.ts";
import { type Reason, ReasonCount, type ReasonCounts, reasonOf } from "../drafts/reasons.ts";
import { type ToolInfo, synthesise, type Synthesis, type SynthesisOptions } from "../synthesis/synthesise.ts";
import { type ToolChain, type Recurrence, chainsIn } from "./chains.ts";
import { type Corpus, corpusOf, type CorpusLimits } from "./corpus.ts";
import {
  OccurrenceReader,
  type TraceExcerpt,
  type TraceReader,
  type OccurrenceTrace,
} from "./occurrence-traces.ts";
import { parameterValues } from "../verify/parameter-values.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";

export interface MiningOptions {
  /** How often work recurs at least, 3 by default; always in at least 2 traces. */
  readonly least?: number;
  /** How many occurrences a plan is learned from at most: 3 by default. */
  readonly samples?: number;
  /** On how many others, with other arguments, it is tried at most: 8 by default. */
  readonly heldOut?: number;
  /** How many proposals: 20 by default. */
  readonly limit?: number;
  readonly tools?: readonly ToolInfo[];
  /** What is known of tools and skills; all others may write. */
  readonly effects?: readonly ToolEffect[];
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

interface RecurringWork {
  /** Occurrences with different arguments, by whose numbers synthesis tells what its plan is of. */
  readonly samples: readonly TraceExcerpt[];
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
interface SkillProposal extends RecurringWork, LearnedPlan {
  readonly kind: "skill";
}

/** As a skill does it that there is already. */
interface ReuseProposal extends RecurringWork {
  readonly kind: "reuse";
  readonly skill: string;
}

/** With the same arguments each time: no matter for a skill, but for keeping results where it only looks. */
interface RepeatedProposal extends RecurringWork {
  readonly kind: "repeated";
  readonly isReadOnly: boolean;
}

export interface MiningResult {
  /** Those that save most calls first. */
  readonly proposals: readonly Proposal[];
  readonly traces: number;
  /** Traces that were not looked at: too large, or with the id of another. */
  readonly skipped: number;
  /** Chains that recur, and how many of them were tried. */
  readonly chains: number;
  readonly tried: number;
  /** Why nothing came of work that recurs, and how often. */
  readonly reasons: ReasonCounts;
  /** Whether no limit has cut it short. */
  readonly isComplete: boolean;
}

/**
 * The work that recurs in traces, and the skills that would do it. Of the traces only what their calls are called is
 * kept; samples are read again.
 */
export async function mine(
  source: TraceReader,
  services: ReplayServices,
  options: MiningOptions = {},
): Promise<MiningResult> {
  const limits = { ...DEFAULT_MINING_LIMITS, ...options.limits };
  const { least = 3, limit = 20 } = options;
  const end = performance.now() + limits.wallMs;
  const corpus = await corpusOf(source.all(), limits, end);
  const chains = chainsIn(corpus, {
    least: Math.max(2, least),
    length: limits.chain,
    chains: 10 * limits.tried,
  });
  const miner: Miner = { corpus, reader: new OccurrenceReader(source, corpus), services, options };
  const found: Proposal[] = [];
  const reasons = new ReasonCount();
  let [tried, isCut] = [0, false];
  for (const chain of chains) {
    if (found.filter(({ saved }) => saved >= chain.saved).length >= limit) break;
    isCut = tried >= limits.tried || performance.now() > end;
    if (isCut) break;
    tried++;
    found.push(...(await proposalsFor(chain, miner, reasons)));
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
    reasons: reasons.counts,
    isComplete: corpus.isWhole && !isCut,
  };
}

interface Miner {
  readonly corpus: Corpus;
  readonly reader: OccurrenceReader;
  readonly services: ReplayServices;
  readonly options: MiningOptions;
}

/** What one chain proposes: one skill for all its occurrences, or one for each shape of them if that saves more. */
async function proposalsFor(
  chain: ToolChain,
  miner: Miner,
  reasons: ReasonCount,
): Promise<readonly Proposal[]> {
  const made = await proposalFor(chain, chain, miner);
  const whole = typeof made === "string" ? undefined : made;
  if (chain.shapes.length === 0 || (whole && whole.saved === chain.saved)) {
    if (typeof made === "string") reasons.add(made);
    return whole ? [whole] : [];
  }
  const parted: Proposal[] = [];
  for (const shape of chain.shapes) {
    const proposal = await proposalFor(chain, shape, miner);
    if (typeof proposal !== "string") parted.push(proposal);
  }
  const saved = parted.reduce((sum, each) => sum + each.saved, 0);
  if (whole && whole.saved >= saved) return [whole];
  if (typeof made === "string" && parted.length === 0) reasons.add(made);
  return parted;
}

async function proposalFor(
  { pattern, tools }: ToolChain,
  recurrence: Recurrence,
  { corpus, reader, services, options }: Miner,
): Promise<Proposal | Reason> {
  const {
    samples: mostSamples = 3,
    heldOut: mostHeldOut = 8,
    library,
    tools: known = [],
    effects = [],
  } = options;
  const { support, traces, calls, distinct, saved } = recurrence;
  const drawn = await reader.sample(recurrence, mostSamples + mostHeldOut);
  const count = Math.max(1, Math.min(mostSamples, Math.floor(drawn.length / 2)));
  const [learnedFrom, heldOut] = [drawn.slice(0, count), drawn.slice(count)];
  const samples = learnedFrom.map(({ excerpt }) => excerpt);
  const recurring = { pattern, occurrences: support, traces, calls, distinct, saved, samples };
  if (library) {
    const sampled = learnedFrom.map(({ trace }) => trace);
    const reuse = await reuseOf(sampled, library, services);
    if (reuse) return { ...recurring, kind: "reuse", skill: reuse.skill };
  }
  if (distinct === 1) {
    const mayWrite = mayWriteBy(effects);
    const isReadOnly = !tools.some((tool) => mayWrite(corpus.tools[tool] ?? ""));
    return { ...recurring, kind: "repeated", isReadOnly };
  }
  if (heldOut.length === 0) return "too-little-evidence";
  const plan = await learnedPlan(learnedFrom, heldOut, services, { tools: known, effects });
  if (typeof plan === "string") return plan;
  const { passed, of } = plan.replay;
  return { ...recurring, ...plan, kind: "skill", saved: Math.round((saved * passed) / of) };
}

/** A plan, and how it did. */
interface LearnedPlan {
  readonly synthesis: Synthesis;
  readonly heldOut: readonly TraceExcerpt[];
  /** How many of those that were held out the plan replays. */
  readonly replay: { readonly passed: number; readonly of: number };
}

/**
 * The plan that occurrences have in common, tried on others. Where one that was learned from all of them fails, one that
 * was learned from the first alone may do better. A reason where none does a single occurrence again.
 */
async function learnedPlan(
  samples: readonly OccurrenceTrace[],
  heldOut: readonly OccurrenceTrace[],
  services: ReplayServices,
  known: Pick<SynthesisOptions, "tools" | "effects">,
): Promise<LearnedPlan | Reason> {
  const all = await learnedFrom(samples, heldOut, services, known);
  const passed = typeof all === "string" ? 0 : all.replay.passed;
  if (samples.length === 1 || passed === heldOut.length) return all;
  const first = await learnedFrom(samples.slice(0, 1), heldOut, services, known);
  return typeof first !== "string" && first.replay.passed > passed ? first : all;
}

const SYNTHESIS_MS = 5000;

async function learnedFrom(
  samples: readonly OccurrenceTrace[],
  heldOut: readonly OccurrenceTrace[],
  services: ReplayServices,
  known: Pick<SynthesisOptions, "tools" | "effects">,
): Promise<LearnedPlan | Reason> {
  const made = synthesise(
    samples.map(({ trace }) => trace),
    { ...known, limits: { timeMs: SYNTHESIS_MS } },
  );
  if (!made.ok) return reasonOf(made.error) ?? "nothing-to-learn";
  const { plan, from } = made.value;
  const first = samples[from[0] ?? 0];
  const tried = replayablePlan(plan, services);
  if (!tried || !first) return "not-replayable";
  const replays = async ({ trace }: { readonly trace: RecordedTrace }): Promise<boolean> => {
    const input = parameterValues(plan.params, first.trace, trace);
    return (await matchingInput(tried, trace, [input], { wallMs: services.wallMs })) !== undefined;
  };
  // What does not do again what it was learned from is no plan.
  if (!(await replays(first))) return "not-replayable";
  const passed = (await Promise.all(heldOut.map(replays))).filter(Boolean).length;
  if (passed === 0) return "not-general";
  return {
    synthesis: made.value,
    heldOut: heldOut.map(({ excerpt }) => excerpt),
    replay: { passed, of: heldOut.length },
  };
}
