import { serverOf } from "../../core/tools/tool-name.ts";
import { mayWriteBy, type ToolEffect } from "../plan/tool-effects.ts";
import type { Library } from "../reuse/library.ts";
import { reuseOf } from "../reuse/reuse.ts";
import { type ReplayServices, matchingInput, replayablePlan } from "../reuse/replay-search.ts";
import { type Reason, ReasonCount, type ReasonCounts, reasonOf } from "../drafts/reasons.ts";
import { type ToolInfo, synthesise, type Synthesis, type SynthesisOptions } from "../synthesis/synthesise.ts";
import {
  type ToolChain,
  type Recurrence,
  chainsIn,
  isSameKind,
  shareOfArguments,
  worthOf,
} from "./chains.ts";
import { ok } from "../../core/result.ts";
import { skillCode } from "../codegen/skill-code.ts";
import { RUNG_REASONS } from "../drafts/gate.ts";
import { planObstacles } from "../drafts/offer/offer.ts";
import type { Step } from "../plan/plan.ts";
import { isRecording } from "../plan/steps.ts";
import { learnedRuns } from "../verify/learned-runs.ts";
import { evidenceFor } from "../verify/verification.ts";
import { type Corpus, corpusOf, type CorpusLimits } from "./corpus.ts";
import {
  OccurrenceReader,
  type TraceExcerpt,
  type TraceReader,
  type OccurrenceTrace,
} from "./occurrence-traces.ts";
import { planInput } from "../verify/parameter-values.ts";
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
  /** The servers that are configured: a skill that needs another one is not proposed, unless there are none at all. */
  readonly servers?: ReadonlySet<string> | undefined;
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
  tried: 100,
  wallMs: 60_000,
};

/** Work that recurs. */
type Proposal = SkillProposal | ReuseProposal | RepeatedProposal;

interface RecurringWork extends Pick<Recurrence, "traces" | "calls" | "distinct"> {
  /** Occurrences with different arguments, by whose numbers synthesis tells what its plan is of. */
  readonly samples: readonly TraceExcerpt[];
  /** The tools in their order, as `a b+ (c d)+`: what the longest occurrence repeats has a `+`. */
  readonly pattern: string;
  readonly occurrences: number;
  /** How many calls fewer there would be if each occurrence that replays were one call, and how long these took. */
  readonly saved: number;
  readonly savedMs: number;
  /** What is saved, in calls, times the chance that the work comes again and is done. */
  readonly worth: number;
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
  /** Each kind of work once, what is worth most first. */
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
  const found: ChainProposal[] = [];
  const reasons = new ReasonCount();
  let [tried, isCut] = [0, false];
  for (const chain of chains) {
    const isEnough = found.filter(({ proposal }) => proposal.worth >= worthOf(chain)).length >= limit;
    if (isEnough) break;
    // The same kind of work, which saves more as it is.
    if (found.some((each) => each.proposal.worth >= worthOf(chain) && isSameKind(each.chain, chain)))
      continue;
    isCut = tried >= limits.tried || performance.now() > end;
    if (isCut) break;
    tried++;
    const proposal = await proposalFor(chain, miner);
    if (typeof proposal === "string") reasons.add(proposal);
    else found.push({ chain, proposal });
  }
  const kinds: ChainProposal[] = [];
  for (const each of found.toSorted(
    ({ proposal: a }, { proposal: b }) =>
      b.worth - a.worth || b.occurrences - a.occurrences || (a.pattern < b.pattern ? -1 : 1),
  ))
    if (!kinds.some(({ chain }) => isSameKind(chain, each.chain))) kinds.push(each);
  return {
    proposals: kinds.slice(0, limit).map(({ proposal }) => proposal),
    traces: corpus.ids.length,
    skipped: corpus.skipped,
    chains: chains.length,
    tried,
    reasons: reasons.counts,
    isComplete: corpus.isWhole && !isCut,
  };
}

interface ChainProposal {
  readonly chain: ToolChain;
  readonly proposal: Proposal;
}

interface Miner {
  readonly corpus: Corpus;
  readonly reader: OccurrenceReader;
  readonly services: ReplayServices;
  readonly options: MiningOptions;
}

/** What a chain proposes: one skill for all its occurrences, or for those of one shape if that is worth more. */
async function proposalFor(chain: ToolChain, miner: Miner): Promise<Proposal | Reason> {
  const whole = await recurrenceProposal(chain, chain, miner);
  let best = whole;
  for (const shape of chain.shapes) {
    if (typeof best !== "string" && best.worth >= worthOf(shape)) break;
    const proposal = await recurrenceProposal(chain, shape, miner);
    if (typeof proposal === "string") continue;
    if (typeof best === "string" || best.worth < proposal.worth) best = proposal;
  }
  return best;
}

async function recurrenceProposal(
  chain: ToolChain,
  recurrence: Recurrence,
  { corpus, reader, services, options }: Miner,
): Promise<Proposal | Reason> {
  const { samples: mostSamples = 3, heldOut: mostHeldOut = 8, library, servers } = options;
  const { tools: known = [], effects = [] } = options;
  const { pattern } = chain;
  const { support: occurrences, traces, calls, distinct, saved, savedMs } = recurrence;
  const drawn = await reader.sample(recurrence, mostSamples + mostHeldOut);
  const count = Math.max(1, Math.min(mostSamples, Math.floor(drawn.length / 2)));
  const [learnedFrom, heldOut] = [drawn.slice(0, count), drawn.slice(count)];
  const samples = learnedFrom.map(({ excerpt }) => excerpt);
  const recurring = { pattern, occurrences, traces, calls, distinct, saved, savedMs, samples };
  if (library) {
    const sampled = learnedFrom.map(({ trace }) => trace);
    const reuse = await reuseOf(sampled, library, services);
    if (reuse) return { ...recurring, worth: worthOf(recurrence), kind: "reuse", skill: reuse.skill };
  }
  const tools = chain.tools.map((tool) => corpus.tools[tool] ?? "");
  if (distinct === 1) {
    // Where the same tools are called with other arguments elsewhere, somebody or something was only met again.
    const share = recurrence === chain ? shareOfArguments(corpus, chain) : 0;
    if (share < MIN_SHARE) return "not-general";
    const isReadOnly = !tools.some(mayWriteBy(effects));
    return { ...recurring, worth: worthOf(recurrence) * share, kind: "repeated", isReadOnly };
  }
  if (heldOut.length === 0) return "too-little-evidence";
  const isMissing = (tool: string): boolean => servers?.has(serverOf(tool)) === false;
  if (servers && servers.size > 0 && tools.some(isMissing)) return "missing-tool";
  const plan = await learnedPlan(learnedFrom, heldOut, services, { tools: known, effects });
  if (typeof plan === "string") return plan;
  const { replay, synthesis } = plan;
  if (pattern.includes("+") && isUnrolled(synthesis.plan.steps)) return "not-general";
  const fault = await verifiedFault(synthesis, learnedFrom, services, effects);
  if (fault !== undefined) return fault;
  const runs = synthesis.from.flatMap((nth) => learnedFrom[nth]?.trace ?? []);
  const [obstacle] = planObstacles(synthesis.plan, runs);
  if (obstacle) return obstacle.reason;
  const share = replay.passed / replay.of;
  // What derives nothing replays whatever was recorded, so that its replays tell nothing.
  const tried = isRecording(synthesis.plan.steps) ? { passed: 0, of: 0 } : replay;
  const chance = (tried.passed + 1) / (tried.of + 2);
  return {
    ...recurring,
    ...plan,
    kind: "skill",
    saved: Math.round(saved * share),
    savedMs: Math.round(savedMs * share),
    worth: worthOf(recurrence) * chance,
  };
}

/** Less than that is not "always the same". */
const MIN_SHARE = 0.5;

/** Whether what was repeated is written out so often as it happened to be. */
function isUnrolled(steps: readonly Step[]): boolean {
  return steps.some((step, at) => {
    const before = steps[at - 1];
    return step.kind === "call" && before?.kind === "call" && before.tool === step.tool;
  });
}

/** What keeps a plan from ever being promoted: that it does not do again what it did, nor where ids are others or a call fails. */
async function verifiedFault(
  synthesis: Synthesis,
  learnedFrom: readonly OccurrenceTrace[],
  services: ReplayServices,
  effects: readonly ToolEffect[],
): Promise<Reason | undefined> {
  const { plan } = synthesis;
  const skill = replayablePlan(plan, services);
  if (!skill) return "not-replayable";
  const learned = learnedRuns(
    synthesis,
    learnedFrom.map(({ trace }) => trace),
  );
  const evidence = await evidenceFor(
    {
      plan,
      code: skillCode(plan),
      digest: "",
      traces: learned.map(({ trace, input, calls }) => ({ trace, input, calls, digest: trace.id })),
    },
    {
      runner: services.runner,
      derive: async () => Promise.resolve(ok({ name: skill.name, skills: skill.skills, faults: [] })),
    },
    { effects, seeds: [1], wallMs: services.wallMs },
  );
  const failing = evidence.rungs.find(({ passed, of }) => passed < of);
  return failing && RUNG_REASONS[failing.name];
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
    const input = planInput(plan, first.trace, trace);
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
