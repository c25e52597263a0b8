import { comparisonsIn, mapConditions, refersTo } from "./expression.ts";
import type { BranchSide, BranchStep, CallStep, Expression, LoopStep, Step, SwitchStep } from "./plan.ts";

/** A step whose result others can use. */
export type NamedStep = CallStep | LoopStep;

/** Whether others can use what a step gives. */
export function hasName(step: Step): step is NamedStep | BranchStep | SwitchStep {
  return step.kind !== "guard" && step.kind !== "choice";
}

/** Every step that has a name, those inside loops too. */
export function namedSteps(steps: readonly Step[]): readonly NamedStep[] {
  return steps.flatMap((step) => {
    switch (step.kind) {
      case "call":
        return [step];
      case "loop":
        return [step, ...namedSteps(step.steps)];
      case "guard":
      case "choice":
        return [];
      case "branch":
      case "switch":
        return namedSteps(stepsWithin(step));
    }
  });
}

/** The steps that are directly in a fork: the call that a branch depends on, and those of all sides. */
export function stepsWithin(step: BranchStep | SwitchStep): readonly Step[] {
  const inSides = sidesOf(step).flatMap(({ steps }) => steps);
  return step.kind === "branch" ? [step.call, ...inSides] : inSides;
}

/** What a fork does, one way or another. */
export function sidesOf(step: BranchStep | SwitchStep): readonly BranchSide[] {
  return step.kind === "branch" ? [step.failed, step.succeeded] : step.cases;
}

/** Every fork, those inside others too. */
export function forksIn(steps: readonly Step[]): readonly (BranchStep | SwitchStep)[] {
  return steps.flatMap((step) => {
    switch (step.kind) {
      case "call":
      case "guard":
      case "choice":
        return [];
      case "loop":
        return forksIn(step.steps);
      case "branch":
      case "switch":
        return [step, ...forksIn(stepsWithin(step))];
    }
  });
}

/** The names of steps, and of the elements that loops go over. */
export function stepNames(steps: readonly Step[]): readonly string[] {
  return [
    ...namedSteps(steps).flatMap((step) => (step.kind === "loop" ? [step.name, step.item] : [step.name])),
    ...forksIn(steps).map(({ name }) => name),
  ];
}

/**
 * Whether the steps only make the calls of a run again with what the caller gives: nothing in a call comes from an answer,
 * and nothing is done for each element of a list that an answer gave. No replay tells whether that was what the run was
 * about.
 */
export function isRecording(steps: readonly Step[]): boolean {
  const answers = new Set<string>();
  const isAnswered = (expression: Expression): boolean => refersTo(expression, answers);
  const isRepeated = (step: Step): boolean => {
    switch (step.kind) {
      case "call": {
        const isDerived = isAnswered(step.args);
        answers.add(step.name);
        return !isDerived;
      }
      case "loop": {
        const isDerived = isAnswered(step.over);
        const isInner = step.steps.every(isRepeated);
        answers.add(step.name);
        return !isDerived && isInner;
      }
      case "guard":
      case "choice":
        return true;
      case "branch":
      case "switch":
        return stepsWithin(step).every(isRepeated);
    }
  };
  return steps.every(isRepeated);
}

/** Which upstream tools the steps call, in their order, each once. */
export function toolsOf(steps: readonly Step[]): readonly string[] {
  return calleeNames(steps, false);
}

/** Which skills the steps call, in their order, each once. */
export function skillsOf(steps: readonly Step[]): readonly string[] {
  return calleeNames(steps, true);
}

/** Every expression of a step, inner steps' too. */
export function expressionsOf(step: Step): readonly Expression[] {
  switch (step.kind) {
    case "call":
      return [step.args];
    case "loop":
      return [
        step.over,
        ...step.steps.flatMap(expressionsOf),
        step.gives,
        ...comparisonsIn(step.until ?? []).map(({ equals }) => equals),
      ];
    case "guard":
      return [step.value, step.equals];
    case "choice":
      return [step.chosen, step.in];
    case "branch":
      return [...stepsWithin(step).flatMap(expressionsOf), step.failed.gives, step.succeeded.gives];
    case "switch":
      return [
        step.value,
        ...stepsWithin(step).flatMap(expressionsOf),
        ...step.cases.map(({ gives }) => gives),
      ];
  }
}

/** The step with each of its expressions, inner steps' too, changed from the first to the last. */
export function withExpressions(step: Step, change: (expression: Expression) => Expression): Step {
  switch (step.kind) {
    case "call":
      return { ...step, args: change(step.args) };
    case "loop":
      return {
        ...step,
        over: change(step.over),
        steps: step.steps.map((each) => withExpressions(each, change)),
        gives: change(step.gives),
        ...(step.until
          ? { until: mapConditions(step.until, (each) => ({ ...each, equals: change(each.equals) })) }
          : {}),
      };
    case "guard":
      return { ...step, value: change(step.value), equals: change(step.equals) };
    case "choice":
      return { ...step, chosen: change(step.chosen), in: change(step.in) };
    case "branch": {
      const call = { ...step.call, args: change(step.call.args) };
      return withSides({ ...step, call }, (side) => withSideExpressions(side, change));
    }
    case "switch":
      return withSides({ ...step, value: change(step.value) }, (side) => withSideExpressions(side, change));
  }
}

function withSideExpressions(
  { steps, gives }: BranchSide,
  change: (expression: Expression) => Expression,
): BranchSide {
  return { steps: steps.map((each) => withExpressions(each, change)), gives: change(gives) };
}

/** A fork with each of its sides changed. */
function withSides<Fork extends BranchStep | SwitchStep>(
  step: Fork,
  change: (side: BranchSide) => BranchSide,
): Fork;
function withSides(
  step: BranchStep | SwitchStep,
  change: (side: BranchSide) => BranchSide,
): BranchStep | SwitchStep {
  return step.kind === "branch"
    ? { ...step, failed: change(step.failed), succeeded: change(step.succeeded) }
    : { ...step, cases: step.cases.map(({ equals, ...side }) => ({ equals, ...change(side) })) };
}

/** A fork with each list of steps in it changed. */
export function withSideSteps<Fork extends BranchStep | SwitchStep>(
  step: Fork,
  change: (steps: readonly Step[]) => readonly Step[],
): Fork {
  return withSides(step, ({ steps, gives }) => ({ steps: change(steps), gives }));
}

function calleeNames(steps: readonly Step[], bySkill: boolean): readonly string[] {
  const calls = namedSteps(steps).filter((step) => step.kind === "call");
  return [...new Set(calls.filter(({ isSkill = false }) => isSkill === bySkill).map(({ tool }) => tool))];
}
