import type { Json } from "../../core/json/json.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { ok, type Result } from "../../core/result.ts";
import { UniqueNames } from "../plan/names.ts";
import type { CallStep, Expression, LoopStep, Param, Plan, Step } from "../plan/plan.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { type RecordedTrace, type SourceTrace } from "../recording/recorded-trace.ts";
import { answerUses } from "../texts/answer-uses.ts";
import { givenAnswer } from "../texts/readings.ts";
import { inferredSchema } from "../plan/schema-inference.ts";
import type { EditOf } from "./edits.ts";
import {
  expressionAt,
  leafName,
  mapPlanExpressions,
  leavesOfPlan,
  paramsIn,
  refsIn,
  mapStepExpressions,
  takenNames,
  withStep,
} from "./plan-leaves.ts";
import {
  expressionsOf,
  forksIn,
  hasName,
  type NamedStep,
  namedSteps,
  sidesOf,
  stepNames,
  withSideSteps,
} from "../plan/steps.ts";
import { evaluate } from "./evaluate.ts";
import { plainLine, quotedLine } from "../../core/text/display-text.ts";
import { draftInput, draftCalls, RETURN, recordedRun, type RecordedRun } from "./recorded-run.ts";
import { translationFor, recordedCalls, renamedParam } from "./translation.ts";
import {
  mergedParams,
  firstTrace,
  freshSynthesis,
  invalidEdit,
  withPlan,
  recordedRuns,
  withInputs,
  type RevisionContext,
} from "./revision-context.ts";

/** The plan without steps that nothing else uses, and the runs without their calls. */
export function applyDrop(whole: RevisionContext, { step: given }: EditOf<"drop">): Result<RevisionContext> {
  const all = namedSteps(whole.plan.steps);
  const dropped: NamedStep[] = [];
  for (const name of [given].flat()) {
    const found = stepOf(all, name);
    if (!found.ok) return found;
    dropped.push(found.value);
  }
  const names = new Set(dropped.map(({ name }) => name));
  const context = withoutAnswersOf(whole, names);
  const { plan } = context;
  if (forksIn(plan.steps).some((fork) => fork.kind === "branch" && names.has(fork.call.name)))
    return invalidEdit("What the skill does depends on whether it succeeds");
  const loops = all.filter((step) => step.kind === "loop" && !names.has(step.name));
  for (const loop of loops)
    if (loop.kind === "loop" && loop.steps.every((step) => hasName(step) && names.has(step.name)))
      return invalidEdit(`It is all that the loop "${loop.name}" does: drop that one`);
  if (plan.steps.every((step) => !hasName(step) || names.has(step.name)))
    return invalidEdit("It is all that the skill does");
  const without = [...names].reduce((left, name) => withStep(left, name, () => undefined), plan);
  for (const step of dropped) {
    const users = usersOf(without, step);
    if (users.length > 0)
      return invalidEdit(
        `What "${step.name}" gives is used by ${users.join(", ")}: have that come from elsewhere first, with a flow`,
      );
  }
  const runs = recordedRuns(context);
  const sources = context.sources.map((each, index) => {
    const made = new Set(dropped.flatMap((step) => recordedCalls(step, runs[index] ?? new Map())));
    return { ...each, calls: draftCalls(each).filter((call) => !made.has(call)) };
  });
  const changed = loops.reduce(
    (left, { name }) => withStep(left, name, (loop) => [...names].reduce(withoutResult, loop as Step)),
    without,
  );
  return ok(withPlan({ ...context, sources }, withOwnValues(changed)));
}

/** The plan in which a parameter is given that stood for another one where it was left out, and that nothing else uses now. */
function withOwnValues(plan: Plan): Plan {
  const uses = new Map<string, number>();
  const own = new Map<string, string>();
  mapPlanExpressions(plan, (part) => {
    if (part.kind === "param") uses.set(part.name, (uses.get(part.name) ?? 0) + 1);
    if (part.kind === "or" && part.of.kind === "param" && part.otherwise.kind === "param")
      own.set(part.of.name, part.otherwise.name);
    return part;
  });
  const settled = new Set(
    plan.params.flatMap(({ name, sameAs }) =>
      sameAs !== undefined && uses.get(name) === 1 && uses.get(own.get(name) ?? "") === 1 ? [name] : [],
    ),
  );
  if (settled.size === 0) return plan;
  const isSettled = (part: Expression | undefined): boolean =>
    part?.kind === "or" && part.of.kind === "param" && settled.has(part.of.name);
  const params = plan.params.map((param) => {
    const { optional: _, sameAs: __, ...rest } = param;
    return settled.has(param.name) ? rest : param;
  });
  const questions = plan.questions?.filter(
    ({ step, path }) => !isSettled(expressionAt(plan, { step, path: [...path] })),
  );
  const given = mapPlanExpressions(plan, (part) => (part.kind === "or" && isSettled(part) ? part.of : part));
  return { ...given, params, ...(questions ? { questions } : {}) };
}

function stepOf<Named extends { readonly name: string }>(
  steps: readonly Named[],
  name: string,
): Result<Named> {
  const step = steps.find((each) => each.name === name);
  if (step) return ok(step);
  const names = steps.map((each) => each.name);
  return invalidEdit(
    `There is no step ${quotedLine(name)}: there are ${names.join(", ")}.${didYouMean(name, names)}`,
  );
}

/** The plan in which the skill gives what a step gave, and the runs with that as their output. */
export function applyOutput(
  context: RevisionContext,
  { step: name }: EditOf<"output">,
): Result<RevisionContext> {
  const { plan } = context;
  const step = stepOf(plan.steps.filter(hasName), name);
  if (!step.ok) return step;
  const { reads } = step.value.kind === "call" ? step.value : {};
  const uses = answerUses({ steps: plan.steps, output: plan.output }).get(name) ?? [];
  return ok(
    giving(context, { kind: "ref", name }, (result) =>
      reads ? givenAnswer({ result, reads }, uses) : result,
    ),
  );
}

/** The work that gives a value, and the runs with that as their output. */
export function giving(
  context: RevisionContext,
  value: Expression,
  shown = (given: Json): Json => given,
): RevisionContext {
  const values = recordedRuns(context).map((run) => {
    const [end] = run.get(RETURN) ?? [];
    return shown((end && evaluate(value, end.scope)?.value) ?? null);
  });
  const sources = context.sources.map((each, index) => withOutput(each, values[index] ?? null));
  const output = { value, schema: inferredSchema(values) };
  return withPlan({ ...context, sources }, { ...context.plan, output });
}

/** The work that does not give, of several answers, those of these steps. */
function withoutAnswersOf(context: RevisionContext, names: ReadonlySet<string>): RevisionContext {
  const { value } = context.plan.output;
  if (value.kind !== "object") return context;
  const left = value.fields.filter((field) => !refsIn(field.value).some((name) => names.has(name)));
  const [only] = left;
  if (!only || left.length === value.fields.length) return context;
  return giving(context, left.length === 1 ? only.value : { kind: "object", fields: left });
}

function withOutput(source: SourceTrace, output: Json): SourceTrace {
  return source.output === undefined ? source : { ...source, output };
}

/** Who uses what a step gives. */
function usersOf(plan: Plan, { name }: NamedStep): readonly string[] {
  const isUsed = (expression: Expression): boolean => refsIn(expression).includes(name);
  const leaves = leavesOfPlan(plan).flatMap((leaf) =>
    isUsed(leaf.expression) ? [plainLine(leafName(leaf))] : [],
  );
  const forks = forksIn(plan.steps);
  const sides = forks.some((fork) => sidesOf(fork).some(({ gives }) => isUsed(gives)));
  const conditions = forks.some((fork) => fork.kind === "switch" && isUsed(fork.value));
  const guards = plan.steps.some((step) => step.kind === "guard" && expressionsOf(step).some(isUsed));
  const choices = plan.steps.some((step) => step.kind === "choice" && expressionsOf(step).some(isUsed));
  const results = namedSteps(plan.steps).flatMap((step) =>
    step.kind === "loop" && isUsed(step.gives) && usersOf(plan, step).length > 0
      ? [`what "${step.name}" gives`]
      : [],
  );
  return [
    ...leaves,
    ...results,
    ...(guards ? ["a guard"] : []),
    ...(choices ? ["a choice"] : []),
    ...(conditions ? ["what decides which steps are taken"] : []),
    ...(sides ? ["what a branch gives"] : []),
    ...(isUsed(plan.output.value) ? ["the output"] : []),
  ];
}

/** A loop whose result nothing uses, without one of the things that it gives. */
function withoutResult(step: Step, name: string): Step {
  if (step.kind !== "loop" || !refsIn(step.gives).includes(name)) return step;
  const [last] = step.steps.toReversed();
  const fields =
    step.gives.kind === "object"
      ? step.gives.fields.filter(({ value }) => !refsIn(value).includes(name))
      : [];
  const ref: Expression =
    last && hasName(last) ? { kind: "ref", name: last.name } : { kind: "constant", value: null };
  return { ...step, gives: fields.length > 0 ? { kind: "object", fields } : ref };
}

/** The plan with a recorded call that it did not make, as synthesis understands that call. */
export function applyKeep(context: RevisionContext, { call }: EditOf<"keep">): Result<RevisionContext> {
  const trace = firstTrace(context);
  const missing = missingCalls(context);
  if (!missing.includes(call)) {
    const known =
      missing.length === 0
        ? "the skill makes every call of the first run"
        : `of the first run's calls it does not make ${missing.join(", ")}`;
    return invalidEdit(`There is no call ${call} to keep: ${known}`);
  }
  if (keptCalls(trace).dropped.some((each) => each.call === call && each.reason === "refused"))
    return invalidEdit(`Call ${call} was refused for its form, and would be again: there is nothing to keep`);
  // As if nobody had tried it again.
  const traces = context.sources.map((each) =>
    each.trace === trace ? withoutRetry(trace, call) : each.trace,
  );
  const fresh = freshSynthesis(traces, context.plan);
  const runs = fresh && traces.map((each) => recordedRun(fresh.plan, { trace: each }, traces[0] ?? trace));
  const step = fresh?.plan.steps.find((each) => recordedCalls(each, runs?.[0] ?? new Map()).includes(call));
  if (!fresh || !runs || (step?.kind !== "call" && step?.kind !== "loop"))
    return invalidEdit(
      `Call ${call} has no counterpart in the other runs: the skill cannot make it in all of them`,
    );
  const again = recordedCalls(step, runs[0] ?? new Map()).find((each) => !missing.includes(each));
  if (again !== undefined)
    return invalidEdit(`Call ${call} is a round of a loop, of which the skill makes call ${again} already`);
  const own = recordedRuns(context)[0] ?? new Map();
  const naming = translationFor(fresh.plan, runs[0] ?? new Map(), context.plan, own);
  const unknown = namedSteps(fresh.plan.steps).find(
    (each) => usesOf(step).includes(each.name) && !naming.refs.has(each.name),
  );
  if (unknown) {
    const [needed = 0] = recordedCalls(unknown, runs[0] ?? new Map());
    return invalidEdit(
      `Call ${call} uses what call ${needed} gave, which the skill does not make: keep that one first`,
    );
  }
  const added = translatedStep(context.plan, step, fresh.plan.params, naming.refs);
  const plan = {
    ...context.plan,
    params: added.params,
    steps: withStepInserted(context.plan.steps, added.step, call, own),
  };
  const sources = context.sources.map((each, index) => ({
    ...each,
    calls: [...draftCalls(each), ...recordedCalls(step, runs[index] ?? new Map())].toSorted((a, b) => a - b),
  }));
  const inputs = traces.map((each) => draftInput(fresh.plan, { trace: each }, traces[0] ?? trace));
  const values = [...added.called].map(([from, to]) => [to, inputs.map((input) => input[from])] as const);
  return ok(withInputs(withPlan({ ...context, sources }, plan), new Map(values)));
}

/** The calls of the first run that the skill does not make. */
function missingCalls(context: RevisionContext): readonly number[] {
  const [first] = context.sources;
  if (!first) return [];
  const made = new Set(draftCalls(first));
  return [...first.trace.calls.keys()].filter((call) => !made.has(call));
}

function withoutRetry(trace: RecordedTrace, call: number): RecordedTrace {
  return {
    ...trace,
    calls: trace.calls.map((each, index) => {
      if (index !== call) return each;
      const { retriedBy: _, ...rest } = each;
      return rest;
    }),
  };
}

/** What a step uses of those before it. */
function usesOf(step: CallStep | LoopStep): readonly string[] {
  const own = new Set(stepNames([step]));
  return expressionsOf(step)
    .flatMap(refsIn)
    .filter((name) => !own.has(name));
}

/** A step of another plan with names that are free in this one, and its parameters among those of this one. */
function translatedStep(
  plan: Plan,
  step: CallStep | LoopStep,
  params: readonly Param[],
  refs: ReadonlyMap<string, string>,
): {
  readonly step: Step;
  readonly params: readonly Param[];
  readonly called: ReadonlyMap<string, string>;
} {
  const names = new UniqueNames();
  for (const name of takenNames(plan)) names.take(name);
  const given = new Map(refs);
  for (const name of takenNames({ ...plan, steps: [step], output: { value: NOTHING, schema: {} } }))
    given.set(name, names.take(name));
  const wanted = new Set(expressionsOf(step).flatMap(paramsIn));
  let all = plan.params;
  const called = new Map<string, string>();
  for (const param of params.filter(({ name }) => wanted.has(name))) {
    const found = mergedParams(all, param);
    all = found.params;
    called.set(param.name, found.name);
  }
  const worded = mapStepExpressions(step, (part) => {
    if (part.kind === "map") return { ...part, item: given.get(part.item) ?? part.item };
    if (part.kind === "ref") return { ...part, name: given.get(part.name) ?? part.name };
    return renamedParam(part, called);
  });
  return { step: withNames(worded, given), params: all, called };
}

const NOTHING: Expression = { kind: "constant", value: null };

function withNames(step: Step, names: ReadonlyMap<string, string>): Step {
  switch (step.kind) {
    case "guard":
    case "choice":
      return step;
    case "branch": {
      const sides = withSideSteps(step, (steps) => steps.map((each) => withNames(each, names)));
      const call = { ...step.call, name: names.get(step.call.name) ?? step.call.name };
      return { ...sides, call, name: names.get(step.name) ?? step.name };
    }
    case "switch": {
      const sides = withSideSteps(step, (steps) => steps.map((each) => withNames(each, names)));
      return { ...sides, name: names.get(step.name) ?? step.name };
    }
    case "call":
      return { ...step, name: names.get(step.name) ?? step.name };
    case "loop":
      return {
        ...step,
        name: names.get(step.name) ?? step.name,
        item: names.get(step.item) ?? step.item,
        steps: step.steps.map((each) => withNames(each, names)),
      };
  }
}

/** The steps with another one after those that make earlier calls. */
function withStepInserted(
  steps: readonly Step[],
  step: Step,
  call: number,
  run: RecordedRun,
): readonly Step[] {
  const last = steps.findLastIndex((each) => recordedCalls(each, run).some((made) => made < call));
  return steps.toSpliced(last + 1, 0, step);
}
