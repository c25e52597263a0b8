import { fieldExpression, subexpressions } from "../plan/expression.ts";
import { type NamedStep, namedSteps, stepNames } from "../plan/steps.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Failure } from "../../core/error.ts";
import { reasonedFailure } from "../drafts/reasons.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { type AlignedStep, alignedSteps, runsOfOneForm } from "../recording/step-alignment.ts";
import { type Choice, ArgumentDecider } from "./argument-decider.ts";
import { withGroupedParams } from "./grouped-params.ts";
import { namedPlan } from "./named-plan.ts";
import { guardOf, type SaidRun, saidGuards, type TraceGroups, traceGroups } from "./guards.ts";
import { type ValueFork, valueForkOf } from "../recording/value-forks.ts";
import { idleSteps } from "../plan/idle-steps.ts";
import { UniqueNames, snakeCase } from "../plan/names.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import { type MayWrite, mayWriteBy, soundsReading, type ToolEffect } from "../plan/tool-effects.ts";
import type {
  BranchSide,
  BranchStep,
  CallStep,
  Expression,
  GuardStep,
  LoopStep,
  PlanOutput,
  Plan,
  Step,
  SwitchStep,
} from "../plan/plan.ts";
import { withExpectations } from "../expectations/expected-answers.ts";
import { outputStep } from "./output-step.ts";
import { planStep, type SampleView } from "./plan-steps.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import {
  actSignatures,
  alignsActs,
  type AlikeSamples,
  type ForkSide,
  forkOf,
  type RunFork,
} from "../recording/failure-forks.ts";
import { type Sample, sampleOf } from "../recording/sample.ts";
import {
  type Folding,
  type ForkedTools,
  type GivenLayout,
  givenSignature,
  roundSignature,
} from "../recording/sample-step.ts";
import { inferredSchema } from "../plan/schema-inference.ts";
import { answerUses } from "../texts/answer-uses.ts";
import {
  givenAnswer,
  isSameReadings,
  learnedReadings,
  type Readings,
  readTrace,
  usedReadings,
} from "../texts/readings.ts";
import { type OmittedCall, keptCalls } from "../recording/kept-calls.ts";
import type { ParameterSlot } from "../plan/parameter-slots.ts";
import { jsonLeaves } from "../plan/values.ts";

/** A tool that the traces call, as its server describes it. */
export interface ToolInfo {
  /** As traces name it. */
  readonly name: string;
  readonly inputSchema?: JsonSchema;
}

export interface SynthesisOptions {
  readonly tools?: readonly ToolInfo[];
  /** What is known of tools and skills; all others may write. */
  readonly effects?: readonly ToolEffect[];
  readonly limits?: Partial<SynthesisLimits>;
  /** The skill's name; otherwise the tools give one. */
  readonly name?: string;
}

export interface SynthesisLimits {
  /** Of each trace. */
  readonly calls: number;
  readonly traces: number;
  /** Of each trace: characters of JSON. */
  readonly size: number;
  /** Of the whole synthesis, in milliseconds. */
  readonly timeMs: number;
  /** Of each trace: values in arguments. */
  readonly leaves: number;
}

const DEFAULT_LIMITS: SynthesisLimits = {
  calls: 1000,
  traces: 50,
  size: 20_000_000,
  leaves: 5000,
  timeMs: 20_000,
};

/** What traces say of a skill, and why. */
export interface Synthesis {
  readonly plan: Plan;
  readonly choices: readonly Choice[];
  /** Calls that are not in the plan, or need not be. */
  readonly dropped: readonly OmittedCall[];
  /** The traces that the plan is of, by number; origins and calls of choices are of the first of these. */
  readonly from: readonly number[];
  /** Traces that acted in another way: they only tell where the plan must stop, if anything. */
  readonly contrasts: readonly number[];
  /** Whether nothing that the runs were told says for sure when to go the way of the plan. */
  readonly isUndecided: boolean;
  /** The plan's input in each of the traces that it is of, where not every parameter stands in the first of them. */
  readonly inputs?: readonly JsonObject[] | undefined;
}

/**
 * The plan that the traces, runs of the same task, have in common. No model is asked, and nothing is run. Errors:
 * `INPUT_INVALID` (no trace, a trace without a call, no call in common), `INPUT_TOO_LARGE` for what exceeds the limits.
 */
export function synthesise(
  traces: readonly RecordedTrace[],
  options: SynthesisOptions = {},
): Result<Synthesis> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const fault = faultOf(traces, limits);
  if (fault) return fail(fault);
  const end = performance.now() + limits.timeMs;
  // What is in texts is looked for where it is of use: what nothing uses stays text.
  for (let readings = learnedReadings(traces); ;) {
    const read = traces.map((trace) => readTrace(trace, readings));
    if (readings.size === 0) {
      const { result } = synthesiseRead(read, options, end);
      return result.ok ? ok(expecting(result.value, read)) : result;
    }
    const halfway = performance.now() + (end - performance.now()) / 2;
    const { result, unlikeReads } = synthesiseRead(read, options, halfway);
    const used: Readings = result.ok ? usedReadings(readings, result.value, unlikeReads, read) : new Map();
    if (isSameReadings(used, readings)) return result.ok ? ok(expecting(result.value, read)) : result;
    readings = used;
  }
}

/** With what all answers were like. */
function expecting(synthesis: Synthesis, traces: readonly RecordedTrace[]): Synthesis {
  const { plan, from, inputs } = synthesis;
  const own = from.flatMap((index) => traces[index] ?? []);
  const sources = own.map((trace, nth) => ({ trace, input: inputs?.[nth] }));
  return { ...synthesis, plan: withExpectations(plan, sources) };
}

interface ReadSynthesis {
  readonly result: Result<Synthesis>;
  /** Tools whose answers cannot be read as they were. */
  readonly unlikeReads: ReadonlySet<string>;
}

/** The plan of traces as their texts are read. */
function synthesiseRead(
  traces: readonly RecordedTrace[],
  options: SynthesisOptions,
  end: number,
): ReadSynthesis {
  const none = new Set<string>();
  const { timeMs } = { ...DEFAULT_LIMITS, ...options.limits };
  const failed = (
    kind: Parameters<typeof reasonedFailure>[0],
    code: "INPUT_INVALID" | "INPUT_TOO_LARGE",
    said: string,
  ): ReadSynthesis => ({
    result: fail(reasonedFailure(kind, code, said)),
    unlikeReads: none,
  });
  const mayWrite = mayWriteBy(options.effects);
  const numbers = runsOfOneForm(traces, mayWrite);
  const alike = alikeRuns(traces, numbers, mayWrite);
  if (alike.aligned.length === 0 || isAlone(alike, traces))
    return failed("nothing-in-common", "INPUT_INVALID", "The traces have no call in common");
  const { same, other, samples, fork } = forkedRuns(alike, traces, mayWrite);
  const own = samples.map(({ trace }) => trace);
  const contrasts = samplesOf(
    other.flatMap((index) => traces[index] ?? []),
    mayWrite,
  );
  const before = fork?.before ?? alike.aligned;
  const draft = unnamedPlan({ samples, before, fork, contrasts, mayWrite }, end);
  if (!draft)
    return failed(
      "too-large",
      "INPUT_TOO_LARGE",
      `It took longer than ${timeMs} ms to learn from the traces`,
    );
  const {
    plan: named,
    choices,
    inputs,
  } = withGroupedParams(
    namedPlan({
      ...draft,
      name: options.name ?? skillName(alike),
      traces: own,
      tools: options.tools ?? [],
      mayWrite,
    }),
    own[0] ?? { id: "", calls: [] },
  );
  const plan = withQuestions(withEffects(named, traces, options.effects), choices);
  const retried = own.flatMap((trace, nth) =>
    keptCalls(trace).dropped.map(({ call = 0, reason, isDropped }): OmittedCall => ({
      trace: same[nth] ?? 0,
      call,
      reason,
      isDropped,
    })),
  );
  const missing = unalignedCalls(samples, draft.made, same);
  const unused = idleSteps(plan, mayWriteBy(plan.effects)).map((step): OmittedCall => ({
    trace: 0,
    step,
    reason: "unused",
    isDropped: false,
  }));
  const synthesis: Synthesis = {
    plan,
    choices,
    dropped: [...retried, ...missing, ...unused],
    from: same,
    isUndecided: other.length > 0 && !draft.isDecided,
    contrasts: [...other, ...[...traces.keys()].filter((index) => !numbers.includes(index))],
    ...(fork || forkedTools(samples).size > 0 || isLeftOut(plan, inputs) ? { inputs } : {}),
  };
  return { result: ok(synthesis), unlikeReads: draft.unlikeReads };
}

/** Whether there is a run in which the caller gave nothing for a parameter. */
function isLeftOut({ params }: Plan, inputs: readonly JsonObject[]): boolean {
  return params.some(
    ({ name, default: otherwise, origins }) =>
      origins.length === 0 ||
      (otherwise === undefined && inputs.some((input) => !Object.hasOwn(input, name))),
  );
}

/** The plan with what its arguments leave open. */
function withQuestions(plan: Plan, choices: readonly Choice[]): Plan {
  const named = stepNames(plan.steps);
  const questions = choices.flatMap(({ question, step, path, alternatives }) => {
    if (question === undefined) return [];
    const refs = new Set(
      alternatives.flatMap(subexpressions).flatMap((part) => (part.kind === "ref" ? [part.name] : [])),
    );
    const reads = question === "element" ? named.filter((name) => refs.has(name)) : [];
    return [{ kind: question, step, path, ...(reads.length > 0 ? { reads } : {}) }];
  });
  return questions.length === 0 ? plan : { ...plan, questions };
}

function faultOf(traces: readonly RecordedTrace[], limits: SynthesisLimits): Failure | undefined {
  if (traces.length === 0)
    return reasonedFailure("nothing-to-learn", "INPUT_INVALID", "There is no trace to learn from");
  if (traces.length > limits.traces)
    return reasonedFailure(
      "too-large",
      "INPUT_TOO_LARGE",
      `There are ${traces.length} traces, the limit is ${limits.traces}`,
    );
  for (const { calls } of traces) {
    if (calls.length === 0)
      return reasonedFailure("nothing-to-learn", "INPUT_INVALID", "A trace has no tool call");
    if (calls.length > limits.calls)
      return reasonedFailure(
        "too-large",
        "INPUT_TOO_LARGE",
        `A trace has ${calls.length} calls, the limit is ${limits.calls}`,
      );
    const size = sizeOf(calls);
    const leaves = argumentLeaves(calls);
    if (size === undefined || leaves === undefined)
      return reasonedFailure("too-large", "INPUT_INVALID", "A trace is nested too deeply");
    if (leaves > limits.leaves)
      return reasonedFailure(
        "too-large",
        "INPUT_TOO_LARGE",
        `A trace has ${leaves} arguments, the limit is ${limits.leaves}`,
      );
    if (size > limits.size)
      return reasonedFailure(
        "too-large",
        "INPUT_TOO_LARGE",
        `A trace has ${size} characters, the limit is ${limits.size}`,
      );
  }
  return undefined;
}

/** How many values the arguments hold; nothing where they are nested too deeply. */
function argumentLeaves(calls: RecordedTrace["calls"]): number | undefined {
  if (calls.some(({ args }) => isDeeperThan(args, MAX_DEPTH))) return undefined;
  const leavesIn = (value: Json): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, inner: Json) => sum + leavesIn(inner), 0)
      : 1;
  return calls.reduce((sum, { args }) => sum + leavesIn(args), 0);
}

const MAX_DEPTH = 256;

function sizeOf(calls: RecordedTrace["calls"]): number | undefined {
  try {
    return calls.reduce((sum, { args, result }) => sum + JSON.stringify([args, result]).length, 0);
  } catch {
    return undefined;
  }
}

/** Those that do the same, as samples. */
interface AlikeRuns extends TraceGroups, AlikeSamples {}

/** Of these traces those that do the same: all that may write in any of them has its counterpart in the others. */
function alikeRuns(
  traces: readonly RecordedTrace[],
  numbers: readonly number[],
  mayWrite: MayWrite,
): AlikeRuns {
  const runs = numbers.flatMap((index) => traces[index] ?? []);
  const groups = traceGroups(foldedSamples(runs, mayWrite), mayWrite);
  let same: readonly number[] = groups.same.flatMap((nth) => numbers[nth] ?? []);
  for (;;) {
    const samples = samplesOf(
      same.flatMap((index) => traces[index] ?? []),
      mayWrite,
    );
    const aligned = alignedSteps(samples);
    const alike = alikeSamples(samples, aligned, mayWrite);
    if (alike.length === samples.length)
      return { same, other: numbers.filter((index) => !same.includes(index)), samples, aligned };
    same = alike.flatMap((nth) => same[nth] ?? []);
  }
}

interface ForkedRuns extends TraceGroups {
  readonly samples: readonly Sample[];
  readonly fork?: RunFork | ValueFork;
}

/**
 * The runs with those that went another way: since a call failed in the ones and succeeded in the others, or since an
 * answer was another one.
 */
function forkedRuns(alike: AlikeRuns, traces: readonly RecordedTrace[], mayWrite: MayWrite): ForkedRuns {
  const taken = [alike];
  let fork: ForkedRuns["fork"];
  for (let left = alike.other; left.length > 0 && fork?.kind !== "failure";) {
    const next = alikeRuns(traces, left, mayWrite);
    const failing = fork ? undefined : forkOf(alike, next, mayWrite);
    const found = failing ?? valueForkOf([...taken, next], mayWrite);
    if (found) {
      taken.push(next);
      fork = found;
    }
    left = next.other;
  }
  const same = taken.flatMap((group) => group.same);
  return {
    same,
    other: alike.other.filter((index) => !same.includes(index)),
    samples: fork?.samples ?? alike.samples,
    ...(fork ? { fork } : {}),
  };
}

/** Which of the samples act in the same way, by their numbers; the first alone where its acts have no counterparts. */
function alikeSamples(
  samples: readonly Sample[],
  aligned: readonly AlignedStep[],
  mayWrite: MayWrite,
): readonly number[] {
  const actsIn = (sample: Sample): string => actSignatures(sample, mayWrite).join("\n");
  const groups = Map.groupBy(samples.keys(), (nth) => samples[nth] && actsIn(samples[nth]));
  const [largest = []] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (largest.length < samples.length) return largest;
  return alignsActs({ samples, aligned }, mayWrite) ? largest : largest.slice(0, 1);
}

/** Whether no other trace has anything to do with those that do the same. */
function isAlone({ same, other }: TraceGroups, traces: readonly RecordedTrace[]): boolean {
  const called = (numbers: readonly number[]): ReadonlySet<string> =>
    new Set(numbers.flatMap((index) => traces[index]?.calls.map(({ tool }) => tool) ?? []));
  return other.length > 0 && called(same).isDisjointFrom(called(other));
}

/** The plan with what is known of the tools that its runs call. */
function withEffects(
  plan: Plan,
  traces: readonly RecordedTrace[],
  effects: readonly ToolEffect[] = [],
): Plan {
  const called = new Set(traces.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  const known = effects.filter(({ tool }) => called.has(tool));
  return known.length === 0 ? plan : { ...plan, effects: known };
}

/**
 * The traces as steps; what is a loop in one is a loop in all, or in none. Over a whole list in one, and over some of its
 * elements in another, it is over what both chose.
 */
function samplesOf(traces: readonly RecordedTrace[], mayWrite: MayWrite): readonly Sample[] {
  const folded = foldingOf(traces, mayWrite);
  const samples = folded(UNTOLD);
  const looping = madeLoops(samples);
  if (looping.size === 0 || traces.length === 1) return samples;
  const alike = alikeFolded(folded, samples, { looping, never: new Set() });
  const left = madeLoops(alike);
  const parted = wholeLoops(samples).filter((loop) => !left.has(loop));
  if (parted.length === 0) return alike;
  const never = new Set(parted);
  const chosen = new Set(parted.map(givenSignature));
  const partly: Folding = { looping: looping.difference(never).union(chosen), never };
  const fewer = alikeFolded(folded, folded(partly), partly);
  return chosen.isSubsetOf(madeLoops(fewer)) ? fewer : alike;
}

/** The traces with those loops that all have. */
function alikeFolded(
  folded: (folding: Folding) => readonly Sample[],
  samples: readonly Sample[],
  { looping, never }: Folding,
): readonly Sample[] {
  const { given, unlike } = givenLayouts(samples);
  const known = never.union(unlike);
  const forks = forkedTools(folded({ looping, never: known, given, behind: toolsBehind(samples) }));
  const alike = folded({ looping, never: known, given, forks });
  const left = known.union(new Set([...looping].filter((loop) => !isInAll(loop, alike))));
  return left.size === known.size ? alike : folded({ looping, never: left, given, forks });
}

/** Loops over all elements of lists. */
function wholeLoops(samples: readonly Sample[]): readonly string[] {
  const loops = samples.flatMap(({ steps }) => steps).filter((step) => step.kind === "loop");
  return [...new Set(loops.filter(({ given, until }) => !given && !until).map(roundSignature))];
}

/** The traces as steps, each by itself but for what the others tell of failures in rounds of loops. */
function foldedSamples(traces: readonly RecordedTrace[], mayWrite: MayWrite): readonly Sample[] {
  const folded = foldingOf(traces, mayWrite);
  const samples = folded(UNTOLD);
  const looping = madeLoops(samples);
  const mayFail = samples.some(({ steps }) =>
    steps.some((step) => step.kind === "call" && step.fails !== undefined),
  );
  const forks = forkedTools(mayFail ? folded({ ...UNTOLD, looping, behind: toolsBehind(samples) }) : samples);
  return forks.size === 0 ? samples : folded({ ...UNTOLD, looping: new Set(forks.keys()), forks });
}

const UNTOLD: Folding = { looping: new Set(), never: new Set() };

function foldingOf(
  traces: readonly RecordedTrace[],
  mayWrite: MayWrite,
): (folding: Folding) => readonly Sample[] {
  return (folding) => traces.map((trace) => sampleOf(trace, keptCalls(trace).kept, folding, mayWrite));
}

/** What rounds of loops do after a failure, where some run tells it. */
function forkedTools(samples: readonly Sample[]): ReadonlyMap<string, ForkedTools> {
  const loops = samples.flatMap(({ steps }) => steps).filter((step) => step.kind === "loop");
  return new Map(
    loops.flatMap((loop) =>
      loop.fork ? [[roundSignature(loop), { tools: loop.tools, fork: loop.fork }] as const] : [],
    ),
  );
}

/** What runs call after a loop, where they agree on it. */
function toolsBehind(samples: readonly Sample[]): ReadonlyMap<string, readonly string[]> {
  const behind = new Map<string, readonly string[]>();
  const unlike = new Set<string>();
  for (const { steps } of samples)
    for (const [index, step] of steps.entries()) {
      if (step.kind !== "loop") continue;
      const signature = roundSignature(step);
      const tools = steps
        .slice(index + 1)
        .flatMap((each) => (each.kind === "call" ? [each.tool] : each.tools));
      const known = behind.get(signature) ?? tools;
      if (JSON.stringify(known) !== JSON.stringify(tools)) unlike.add(signature);
      behind.set(signature, tools);
    }
  for (const signature of unlike) behind.delete(signature);
  return behind;
}

/** What callers give for each round of loops, and the loops for which runs tell different things. */
function givenLayouts(samples: readonly Sample[]): {
  readonly given: ReadonlyMap<string, GivenLayout>;
  readonly unlike: ReadonlySet<string>;
} {
  const given = new Map<string, GivenLayout>();
  const unlike = new Set<string>();
  for (const step of samples.flatMap(({ steps }) => steps)) {
    if (step.kind !== "loop" || step.given === undefined) continue;
    const signature = roundSignature(step);
    const known = given.get(signature) ?? step.given;
    if (JSON.stringify(known) === JSON.stringify(step.given)) given.set(signature, known);
    else unlike.add(signature);
  }
  return { given, unlike };
}

function loopsOf({ steps }: Sample): readonly string[] {
  return steps.filter((step) => step.kind === "loop").map(roundSignature);
}

function madeLoops(samples: readonly Sample[]): ReadonlySet<string> {
  return new Set(samples.flatMap((sample) => loopsOf(sample)));
}

function isInAll(loop: string, samples: readonly Sample[]): boolean {
  const counts = samples.map((sample) => loopsOf(sample).filter((each) => each === loop).length);
  return new Set(counts).size === 1;
}

interface UnnamedPlan {
  readonly steps: readonly Step[];
  readonly output: PlanOutput;
  readonly slots: readonly ParameterSlot[];
  readonly choices: readonly Choice[];
  readonly names: UniqueNames;
  /** Of each sample, the steps that are in the plan. */
  readonly made: readonly ReadonlySet<number>[];
  readonly unlikeReads: ReadonlySet<string>;
  /** Whether something tells for sure when runs went another way. */
  readonly isDecided: boolean;
}

interface ComparedRuns {
  readonly fork: RunFork | ValueFork | undefined;
  readonly samples: readonly Sample[];
  /** The steps that all have, where there is a fork those before it. */
  readonly before: readonly AlignedStep[];
  /** Runs that went another way. */
  readonly contrasts: readonly Sample[];
  readonly mayWrite: MayWrite;
}

function unnamedPlan(
  { samples, before, contrasts, mayWrite, fork }: ComparedRuns,
  deadline: number,
): UnnamedPlan | undefined {
  const planner = new StepPlanner(samples, mayWrite, deadline);
  const all = [...samples.keys()];
  const steps = planner.steps("s", all, before);
  const branch = planner.fork(steps, fork);
  if (planner.isLate) return undefined;
  const { names, decider, made } = planner;
  const ends = made.map((positions) => Math.max(-1, ...positions));
  const [first] = samples;
  const told =
    branch || !first
      ? undefined
      : outputStep(
          first,
          [...(made[0] ?? [])].sort((a, b) => a - b),
        );
  const giving = before.find(([at]) => at === told);
  const name = giving && planner.stepNames(0)[giving[0] ?? -1];
  const chosen = outputOf(branch ? [...steps, branch] : steps, name);
  const guard = guardOf(samples, before, contrasts, planner.stepNames(0), mayWrite);
  const planned: readonly Step[] = branch ? [...steps, branch] : steps;
  const uses = answerUses({ steps: planned, output: { value: chosen.chosen, schema: {} } });
  const values = samples.map(({ steps: own, trace }, nth) => {
    const step = own[giving?.[nth] ?? ends[nth] ?? -1];
    const read = step?.kind === "call" ? trace.calls[step.call] : undefined;
    return read?.reads && chosen.chosen.kind === "ref"
      ? givenAnswer(read, uses.get(chosen.chosen.name) ?? [])
      : (step?.value ?? null);
  });
  const schema = inferredSchema(values);
  const idle = new Set(idleSteps({ steps: planned, output: { value: chosen.chosen, schema } }, mayWrite));
  const lastAct = planned.findLastIndex((step) =>
    namedSteps([step]).some((each) => each.kind === "call" && mayWrite(each.tool)),
  );
  const given = samples.map((_, nth) => givenLeaves([...decider.slots.values()], nth));
  const guarded: Step[] = [];
  for (const [index, step] of planned.entries()) {
    guarded.push(
      step.kind === "loop" ? withRoundGuards(step, samples, before[index], { given, idle, mayWrite }) : step,
    );
    if (index < planned.length - 1) guarded.push(...outcomeGuards(step, samples, before[index]));
    if (index < lastAct && isLook(step, mayWrite))
      guarded.push(
        ...saidGuards(
          step.name,
          runsAt(samples, before[index], given),
          idle.has(step.name),
          actsOf(planned.slice(index + 1), mayWrite),
        ),
      );
    if (guard && before[index]?.[0] === guard.after) guarded.push(guard.step);
  }
  return {
    steps: guarded,
    output: { value: chosen.chosen, schema },
    slots: [...decider.slots.values()],
    choices: [...decider.choices, chosen],
    names,
    made,
    unlikeReads: decider.unlikeReads,
    isDecided: guard?.isSure === true,
  };
}

/** The tools of steps that act. */
function actsOf(steps: readonly Step[], mayWrite: MayWrite): readonly string[] {
  return namedSteps(steps).flatMap((step) =>
    step.kind === "call" && mayWrite(step.tool) ? [step.tool] : [],
  );
}

/** A loop in which what the task makes a condition of each round is looked at before the round does anything. */
function withRoundGuards(
  loop: LoopStep,
  samples: readonly Sample[],
  positions: AlignedStep = [],
  { given, idle, mayWrite }: RoundFacts,
): LoopStep {
  const lastAct = loop.steps.findLastIndex((step) =>
    namedSteps([step]).some((each) => each.kind === "call" && mayWrite(each.tool)),
  );
  const steps = loop.steps.flatMap((step, nth): readonly Step[] => {
    if (nth >= lastAct || !isLook(step, mayWrite)) return [step];
    const runs = samples.flatMap((sample, run) => {
      const own = sample.steps[positions[run] ?? -1];
      const rounds = own?.kind === "loop" ? own.rounds : [];
      return rounds.flatMap((round) => saidRun(sample, round[nth], given[run]) ?? []);
    });
    const acts = actsOf(loop.steps.slice(nth + 1), mayWrite);
    return [step, ...saidGuards(step.name, runs, idle.has(step.name), acts)];
  });
  return { ...loop, steps };
}

interface RoundFacts {
  /** What the caller gives in each run. */
  readonly given: readonly ReadonlySet<Json>[];
  readonly idle: ReadonlySet<string>;
  readonly mayWrite: MayWrite;
}

/** Whether a step reads, or is called so: what it tells can be a condition, whoever vouches for it. */
function isLook(step: Step, mayWrite: MayWrite): step is CallStep {
  return (
    step.kind === "call" && step.fails === undefined && (!mayWrite(step.tool) || soundsReading(step.tool))
  );
}

/** What each run asked and was answered at a step, and what its caller gives. */
function runsAt(
  samples: readonly Sample[],
  positions: AlignedStep = [],
  given: readonly ReadonlySet<Json>[],
): readonly SaidRun[] {
  return samples.flatMap((sample, nth) => {
    const step = sample.steps[positions[nth] ?? -1];
    return (step?.kind === "call" && saidRun(sample, step.call, given[nth])) || [];
  });
}

function saidRun(
  { task, trace }: Sample,
  call = -1,
  given: ReadonlySet<Json> = new Set(),
): SaidRun | undefined {
  const made = trace.calls[call];
  return made && { task, value: made.result, given: new Set([...given, ...leavesOf(made.args)]) };
}

function givenLeaves(slots: readonly ParameterSlot[], nth: number): ReadonlySet<Json> {
  return new Set(slots.flatMap(({ values }) => leavesOf(values[nth] ?? null)));
}

function leavesOf(value: Json): readonly Json[] {
  return [...jsonLeaves(value)].map(([, leaf]) => leaf);
}

/** Answers that say themselves whether what was asked has been done must say the same as in the runs that went on. */
function outcomeGuards(
  step: Step,
  samples: readonly Sample[],
  positions: AlignedStep = [],
): readonly GuardStep[] {
  if (step.kind !== "call") return [];
  const values = samples.map((sample, nth) => sample.steps[positions[nth] ?? -1]?.value);
  const [first] = values;
  if (!isJsonObject(first)) return [];
  return Object.entries(first).flatMap(([name, value]): readonly GuardStep[] => {
    const isOutcome =
      typeof value === "boolean" && /^(?:is_?)?(?:ok|success|succeeded|successful)$/i.test(name);
    if (!isOutcome || !values.every((each) => isJsonObject(each) && each[name] === value)) return [];
    const said = fieldExpression({ kind: "ref", name: step.name }, [name]);
    return [{ kind: "guard", value: said, equals: { kind: "constant", value } }];
  });
}

/** Plans steps one after the other, of all samples or of some. */
class StepPlanner {
  readonly names = new UniqueNames();
  readonly decider: ArgumentDecider;
  /** Of each sample, the steps that are planned. */
  readonly made: readonly Set<number>[];
  isLate = false;
  readonly #samples: readonly Sample[];
  readonly #mayWrite: MayWrite;
  readonly #deadline: number;
  readonly #names: readonly (string | undefined)[][];
  readonly #overs: readonly (Expression | undefined)[][];

  constructor(samples: readonly Sample[], mayWrite: MayWrite, deadline: number) {
    this.#samples = samples;
    this.#mayWrite = mayWrite;
    this.#deadline = deadline;
    this.decider = new ArgumentDecider(samples.length, mayWrite);
    this.made = samples.map(() => new Set());
    this.#names = samples.map((sample): (string | undefined)[] => sample.steps.map(() => undefined));
    this.#overs = samples.map((sample): (Expression | undefined)[] => sample.steps.map(() => undefined));
  }

  stepNames(nth: number): readonly (string | undefined)[] {
    return this.#names[nth] ?? [];
  }

  steps(site: string, numbers: readonly number[], aligned: readonly AlignedStep[]): readonly NamedStep[] {
    const steps: NamedStep[] = [];
    for (const [index, positions] of aligned.entries()) {
      this.isLate ||= performance.now() > this.#deadline;
      if (this.isLate) break;
      const views = numbers.flatMap((nth, column): readonly SampleView[] => {
        const sample = this.#samples[nth];
        const before = positions[column] ?? 0;
        return sample
          ? [{ sample, nth, before, names: this.stepNames(nth), overs: this.#overs[nth] ?? [] }]
          : [];
      });
      const step = planStep(this.decider, this.names, `${site}${index}`, views, this.#mayWrite);
      steps.push(step);
      numbers.forEach((nth, column) => {
        const position = positions[column] ?? 0;
        this.made[nth]?.add(position);
        const known = this.#names[nth];
        if (known) known[position] = step.name;
        const overs = this.#overs[nth];
        if (overs && step.kind === "loop") overs[position] = step.over;
      });
    }
    return steps;
  }

  /** What follows on the steps where runs part. */
  fork(steps: readonly NamedStep[], fork: ForkedRuns["fork"]): BranchStep | SwitchStep | undefined {
    switch (fork?.kind) {
      case "failure":
        return this.#branch(fork);
      case "value":
        return this.#switch(steps, fork);
      case undefined:
        return undefined;
    }
  }

  #switch(steps: readonly NamedStep[], { deciding, sides, optional }: ValueFork): SwitchStep {
    const items =
      optional === undefined
        ? deciding.map(({ step, path }) =>
            fieldExpression({ kind: "ref", name: steps[step]?.name ?? "" }, path),
          )
        : [this.decider.wish("wish", toolWords(optional).join("_"), wishes(sides))];
    const [only, ...others] = items;
    const isOne = only !== undefined && others.length === 0;
    const otherwise: Expression = { kind: "constant", value: null };
    return {
      kind: "switch",
      value: isOne ? only : { kind: "list", items },
      cases: sides.map((side, nth) => ({
        equals: isOne ? (side.values[0] ?? null) : side.values,
        ...this.#side(side, `c${nth}.`, otherwise),
      })),
      name: this.names.take("outcome"),
    };
  }

  #side({ samples, aligned }: ForkSide, site: string, otherwise: Expression): BranchSide {
    const steps = this.steps(site, samples, aligned);
    const last = steps.at(-1);
    return { steps, gives: last ? { kind: "ref", name: last.name } : otherwise };
  }

  #branch({ call, fails, failed, succeeded }: RunFork): BranchStep | undefined {
    const [step] = this.steps("f", [...this.#samples.keys()], [call]);
    if (step?.kind !== "call") return undefined;
    const { fails: _, ...deciding } = step;
    return {
      kind: "branch",
      call: deciding,
      fails,
      failed: this.#side(failed, "a", { kind: "constant", value: null }),
      succeeded: this.#side(succeeded, "b", { kind: "ref", name: step.name }),
      name: this.names.take("outcome"),
    };
  }
}

/** Of each sample, whether it has gone the first way. */
function wishes(sides: ValueFork["sides"]): readonly boolean[] {
  const taken = new Map(
    sides.flatMap(({ samples, values }) => samples.map((nth) => [nth, values[0] === true])),
  );
  return [...taken.keys()].toSorted((a, b) => a - b).map((nth) => taken.get(nth) === true);
}

const MAX_OUTPUTS = 5;

/** What the run was for, by a step's name, or else what the last one gave; the others are told as alternatives. */
function outputOf(
  steps: readonly (NamedStep | BranchStep | SwitchStep)[],
  wanted: string | undefined,
): Choice {
  const last = steps.at(-1);
  const chosen = steps.find(({ name }) => name === wanted) ?? last;
  const others = steps
    .filter((step) => step !== chosen)
    .map(({ name }): Expression => ({ kind: "ref", name }))
    .toReversed();
  return {
    step: "return",
    calls: [],
    path: [],
    chosen: chosen ? { kind: "ref", name: chosen.name } : { kind: "constant", value: null },
    alternatives: others.slice(0, MAX_OUTPUTS),
    why:
      chosen === last
        ? "it is what the last call gave"
        : "it is what the run was for: the calls after it only told of it, or that something is done",
  };
}

function skillName({ samples, aligned }: AlikeSamples): string {
  const tools = aligned.flatMap(([index = 0]) => {
    const step = samples[0]?.steps[index];
    return step?.kind === "loop" ? step.tools : step ? [step.tool] : [];
  });
  const acting = tools.filter((tool) => !soundsReading(tool));
  const chosen = [...new Set(acting.length > 0 ? acting : tools)].slice(-2);
  const name = chosen.map((tool) => snakeCase(toolName(tool)).replaceAll("_", "-")).join("-and-");
  // No word of it is cut.
  return (name.length > MAX_NAME ? name.slice(0, name.lastIndexOf("-", MAX_NAME)) : name) || "skill";
}

const MAX_NAME = 60;

/** Without its server, and without `API`, which tells nothing. */
function toolName(tool: string): string {
  return tool.slice(tool.lastIndexOf(".") + 1).replace(/^api[-_](?=.)/i, "");
}

function unalignedCalls(
  samples: readonly Sample[],
  made: readonly ReadonlySet<number>[],
  numbers: readonly number[],
): readonly OmittedCall[] {
  if (samples.length === 1) return [];
  return samples.flatMap((sample, nth) => {
    const trace = numbers[nth] ?? 0;
    return sample.steps.flatMap((step, index) => {
      if (made[nth]?.has(index) === true) return [];
      const calls =
        step.kind === "call" ? [step.call] : step.rounds.flat().filter((call) => call !== undefined);
      return calls.map((call) => ({ trace, call, reason: "not-in-all" as const, isDropped: true }));
    });
  });
}
