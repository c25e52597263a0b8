import { mapExpression, subexpressions } from "../plan/expression.ts";
import type { Expression, Plan, Step } from "../plan/plan.ts";
import {
  hasName,
  type NamedStep,
  namedSteps,
  stepNames,
  withExpressions,
  withSideSteps,
} from "../plan/steps.ts";
import type { Path } from "../plan/values.ts";
import type { LeafPlace } from "./edits.ts";

/** A part of what a step is given that comes from one place: an argument, or what a loop goes over. */
export interface Leaf extends LeafPlace {
  readonly expression: Expression;
}

export function leavesOfPlan({ steps }: Plan): readonly Leaf[] {
  return namedSteps(steps).flatMap(leavesOfStep);
}

export function leavesOfStep(step: NamedStep): readonly Leaf[] {
  return step.kind === "loop"
    ? [{ step: step.name, path: [], expression: step.over }]
    : leavesIn(step.name, step.args, []);
}

function leavesIn(step: string, expression: Expression, path: Path): readonly Leaf[] {
  if (expression.kind === "object" && expression.fields.length > 0)
    return expression.fields.flatMap(({ name, value }) => leavesIn(step, value, [...path, name]));
  if (expression.kind === "list" && expression.items.length > 0)
    return expression.items.flatMap((item, index) => leavesIn(step, item, [...path, index]));
  return path.length === 0 && expression.kind === "object" ? [] : [{ step, path: [...path], expression }];
}

/** The expression at a place, which may hold several leaves. */
export function expressionAt(plan: Plan, { step, path }: LeafPlace): Expression | undefined {
  const found = namedSteps(plan.steps).find(({ name }) => name === step);
  if (found?.kind === "loop") return path.length === 0 ? found.over : undefined;
  return path.length === 0 || !found ? undefined : inside(found.args, path);
}

function inside(expression: Expression, [part, ...rest]: Path): Expression | undefined {
  if (part === undefined) return expression;
  const inner =
    expression.kind === "object"
      ? expression.fields.find(({ name }) => name === part)?.value
      : expression.kind === "list" && typeof part === "number"
        ? expression.items[part]
        : undefined;
  return inner && inside(inner, rest);
}

/** The plan with another expression at a place. */
export function withExpression(plan: Plan, { step, path }: LeafPlace, expression: Expression): Plan {
  return withStep(plan, step, (found) =>
    found.kind === "loop"
      ? { ...found, over: expression }
      : { ...found, args: replacedAt(found.args, path, expression) },
  );
}

function replacedAt(of: Expression, [part, ...rest]: Path, by: Expression): Expression {
  if (part === undefined) return by;
  if (of.kind === "list")
    return {
      ...of,
      items: of.items.map((item, index) => (index === part ? replacedAt(item, rest, by) : item)),
    };
  if (of.kind !== "object") return of;
  const fields = of.fields.map((each) =>
    each.name === part ? { ...each, value: replacedAt(each.value, rest, by) } : each,
  );
  return { ...of, fields };
}

/** The plan with a step changed; without it where nothing is given. */
export function withStep(plan: Plan, name: string, change: (step: NamedStep) => Step | undefined): Plan {
  const changed = (steps: readonly Step[]): readonly Step[] =>
    steps.flatMap((step) => {
      if (!hasName(step)) return [step];
      if (step.kind === "branch") {
        // What a branch depends on stays a call.
        const call = step.call.name === name ? change(step.call) : undefined;
        const sides = withSideSteps(step, changed);
        return [call?.kind === "call" ? { ...sides, call } : sides];
      }
      if (step.kind === "switch") return [withSideSteps(step, changed)];
      if (step.name === name) return change(step) ?? [];
      return [step.kind === "loop" ? { ...step, steps: changed(step.steps) } : step];
    });
  return { ...plan, steps: changed(plan.steps) };
}

/** The plan with each part of its expressions given anew, from the inside out. */
export function mapPlanExpressions(plan: Plan, change: (part: Expression) => Expression): Plan {
  return {
    ...plan,
    steps: plan.steps.map((step) => mapStepExpressions(step, change)),
    output: { ...plan.output, value: mapExpression(plan.output.value, change) },
  };
}

export function mapStepExpressions(step: Step, change: (part: Expression) => Expression): Step {
  return withExpressions(step, (expression) => mapExpression(expression, change));
}

/** The names of what an expression takes from steps, and from the elements of loops. */
export function refsIn(expression: Expression): readonly string[] {
  const parts = subexpressions(expression);
  const own = new Set(parts.flatMap((part) => (part.kind === "map" ? [part.item] : [])));
  return [
    ...new Set(parts.flatMap((part) => (part.kind === "ref" && !own.has(part.name) ? [part.name] : []))),
  ];
}

export function paramsIn(expression: Expression): readonly string[] {
  return [
    ...new Set(subexpressions(expression).flatMap((part) => (part.kind === "param" ? [part.name] : []))),
  ];
}

/** All names that steps and elements of loops and maps have. */
export function takenNames(plan: Plan): readonly string[] {
  const names = [...stepNames(plan.steps)];
  mapPlanExpressions(plan, (part) => {
    if (part.kind === "map") names.push(part.item);
    return part;
  });
  return names;
}

/** How a place is written. */
export function leafName({ step, path }: { readonly step: string; readonly path: Path }): string {
  return [step, ...path].join(".");
}
