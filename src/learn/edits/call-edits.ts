import type { Json } from "../../core/json/json.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { ok, type Result } from "../../core/result.ts";
import { Names } from "../plan/names.ts";
import type { CallStep, Expression, LoopStep, Param, Plan, Step } from "../plan/plan.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { schemaOf } from "../synthesis/schema-inference.ts";
import type { EditOf } from "./edits.ts";
import { leafName, leavesOfPlan, paramsIn, refsIn, stepWithParts, takenNames, withStep } from "./plan-leaves.ts";
import { expressionsOf, type NamedStep, namedSteps, stepNames } from "../plan/steps.ts";
import { meaningOf } from "./evaluate.ts";
import { plainLine, quoted } from "../review/plain-text.ts";
import { inputOf, type Learned, madeCalls, RETURN, recordedRun, type RecordedRun } from "./recorded-run.ts";
import { namingFor, recordedCalls, renamedParam } from "../review/translation.ts";
import {
  adopted,
  firstTrace,
  freshSynthesis,
  refused,
  revised,
  runsOf,
  withInputs,
  type Work,
} from "./revision-context.ts";

/** The plan without a step, and the runs without its calls. */
export function dropped(work: Work, { step: name }: EditOf<"drop">): Result<Work> {
  const { plan } = work;
  const steps = namedSteps(plan.steps);
  const found = stepOf(steps, name);
  if (!found.ok) return found;
  const step = found.value;
  const loop = steps.find((each) => each.kind === "loop" && each.steps.some((inner) => inner === step));
  if (loop?.kind === "loop" && loop.steps.length === 1)
    return refused(`It is all that the loop "${loop.name}" does: drop that one`);
  if (plan.steps.length === 1 && !loop) return refused("It is all that the skill does");
  const users = usersOf(plan, step);
  if (users.length > 0)
    return refused(
      `What "${name}" gives is used by ${users.join(", ")}: have that come from elsewhere first, with a flow`,
    );
  const runs = runsOf(work);
  const learned = work.learned.map((each, index) => {
    const made = new Set(recordedCalls(step, runs[index] ?? new Map()));
    return { ...each, calls: madeCalls(each).filter((call) => !made.has(call)) };
  });
  const without = withStep(plan, name, () => undefined);
  const changed =
    loop?.kind === "loop" ? withStep(without, loop.name, (each) => withoutGiven(each, name)) : without;
  return ok(revised({ ...work, learned }, changed));
}

function stepOf(steps: readonly NamedStep[], name: string): Result<NamedStep> {
  const step = steps.find((each) => each.name === name);
  if (step) return ok(step);
  const names = steps.map((each) => each.name);
  return refused(
    `There is no step ${quoted(name)}: there are ${names.join(", ")}.${didYouMean(name, names)}`,
  );
}

/** The plan in which the skill gives what a step gave, and the runs with that as their output. */
export function withOutput(work: Work, { step: name }: EditOf<"output">): Result<Work> {
  const { plan } = work;
  const step = stepOf(
    plan.steps.filter((each) => each.kind !== "guard"),
    name,
  );
  if (!step.ok) return step;
  const value: Expression = { kind: "ref", name };
  const values = runsOf(work).map((run) => {
    const [end] = run.get(RETURN) ?? [];
    return (end && meaningOf(value, end.known)?.value) ?? null;
  });
  const learned = work.learned.map((each, index) => withGiven(each, values[index] ?? null));
  return ok(revised({ ...work, learned }, { ...plan, output: { value, schema: schemaOf(values) } }));
}

function withGiven(learned: Learned, output: Json): Learned {
  return learned.output === undefined ? learned : { ...learned, output };
}

/** Who uses what a step gives. */
function usersOf(plan: Plan, { name }: CallStep | LoopStep): readonly string[] {
  const isUsed = (expression: Expression): boolean => refsIn(expression).includes(name);
  const leaves = leavesOfPlan(plan).flatMap((leaf) =>
    isUsed(leaf.expression) ? [plainLine(leafName(leaf))] : [],
  );
  const guards = plan.steps.some((step) => step.kind === "guard" && expressionsOf(step).some(isUsed));
  const results = namedSteps(plan.steps).flatMap((step) =>
    step.kind === "loop" && isUsed(step.gives) && usersOf(plan, step).length > 0
      ? [`what "${step.name}" gives`]
      : [],
  );
  return [
    ...leaves,
    ...results,
    ...(guards ? ["a guard"] : []),
    ...(isUsed(plan.output.value) ? ["the output"] : []),
  ];
}

/** A loop whose result nothing uses, without one of the things that it gives. */
function withoutGiven(step: Step, name: string): Step {
  if (step.kind !== "loop" || !refsIn(step.gives).includes(name)) return step;
  const [last] = step.steps.toReversed();
  const fields =
    step.gives.kind === "object"
      ? step.gives.fields.filter(({ value }) => !refsIn(value).includes(name))
      : [];
  const ref: Expression =
    last && last.kind !== "guard" ? { kind: "ref", name: last.name } : { kind: "constant", value: null };
  return { ...step, gives: fields.length > 0 ? { kind: "object", fields } : ref };
}

/** The plan with a recorded call that it did not make, as synthesis understands that call. */
export function kept(work: Work, { call }: EditOf<"keep">): Result<Work> {
  const trace = firstTrace(work);
  const missing = missingCalls(work);
  if (!missing.includes(call)) {
    const known =
      missing.length === 0
        ? "the skill makes every call of the first run"
        : `of the first run's calls it does not make ${missing.join(", ")}`;
    return refused(`There is no call ${call} to keep: ${known}`);
  }
  // As if nobody had tried it again.
  const traces = work.learned.map((each) => (each.trace === trace ? tried(trace, call) : each.trace));
  const fresh = freshSynthesis(traces);
  const runs = fresh && traces.map((each) => recordedRun(fresh.plan, { trace: each }, traces[0] ?? trace));
  const step = fresh?.plan.steps.find((each) => recordedCalls(each, runs?.[0] ?? new Map()).includes(call));
  if (!fresh || !runs || !step || step.kind === "guard")
    return refused(
      `Call ${call} has no counterpart in the other runs: the skill cannot make it in all of them`,
    );
  const again = recordedCalls(step, runs[0] ?? new Map()).find((each) => !missing.includes(each));
  if (again !== undefined)
    return refused(`Call ${call} is a round of a loop, of which the skill makes call ${again} already`);
  const own = runsOf(work)[0] ?? new Map();
  const naming = namingFor(fresh.plan, runs[0] ?? new Map(), work.plan, own);
  const unknown = namedSteps(fresh.plan.steps).find(
    (each) => usesOf(step).includes(each.name) && !naming.refs.has(each.name),
  );
  if (unknown) {
    const [needed = 0] = recordedCalls(unknown, runs[0] ?? new Map());
    return refused(
      `Call ${call} uses what call ${needed} gave, which the skill does not make: keep that one first`,
    );
  }
  const added = inWordsOf(work.plan, step, fresh.plan.params, naming.refs);
  const plan = {
    ...work.plan,
    params: added.params,
    steps: inserted(work.plan.steps, added.step, call, own),
  };
  const learned = work.learned.map((each, index) => ({
    ...each,
    calls: [...madeCalls(each), ...recordedCalls(step, runs[index] ?? new Map())].toSorted((a, b) => a - b),
  }));
  const inputs = traces.map((each) => inputOf(fresh.plan, { trace: each }, traces[0] ?? trace));
  const values = [...added.called].map(([from, to]) => [to, inputs.map((input) => input[from])] as const);
  return ok(withInputs(revised({ ...work, learned }, plan), new Map(values)));
}

/** The calls of the first run that the skill does not make. */
function missingCalls(work: Work): readonly number[] {
  const [first] = work.learned;
  if (!first) return [];
  const made = new Set(madeCalls(first));
  return [...first.trace.calls.keys()].filter((call) => !made.has(call));
}

function tried(trace: RecordedTrace, call: number): RecordedTrace {
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
function inWordsOf(
  plan: Plan,
  step: CallStep | LoopStep,
  params: readonly Param[],
  refs: ReadonlyMap<string, string>,
): {
  readonly step: Step;
  readonly params: readonly Param[];
  readonly called: ReadonlyMap<string, string>;
} {
  const names = new Names();
  for (const name of takenNames(plan)) names.take(name);
  const given = new Map(refs);
  for (const name of takenNames({ ...plan, steps: [step], output: { value: NOTHING, schema: {} } }))
    given.set(name, names.take(name));
  const wanted = new Set(expressionsOf(step).flatMap(paramsIn));
  let all = plan.params;
  const called = new Map<string, string>();
  for (const param of params.filter(({ name }) => wanted.has(name))) {
    const found = adopted(all, param);
    all = found.params;
    called.set(param.name, found.name);
  }
  const worded = stepWithParts(step, (part) => {
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
      return step;
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
function inserted(steps: readonly Step[], step: Step, call: number, run: RecordedRun): readonly Step[] {
  const last = steps.findLastIndex((each) => recordedCalls(each, run).some((made) => made < call));
  return steps.toSpliced(last + 1, 0, step);
}
