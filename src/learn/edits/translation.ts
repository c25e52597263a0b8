import { mapConditions, mapExpression, subexpressions } from "../plan/expression.ts";
import { UniqueNames } from "../plan/names.ts";
import type { CallStep, Expression, LoopStep, Plan, Step } from "../plan/plan.ts";
import { refsIn, takenNames } from "./plan-leaves.ts";
import { namedSteps, stepsWithin } from "../plan/steps.ts";
import type { RecordedRun } from "./recorded-run.ts";

/** Whether two expressions differ at most in what they call elements. */
export function isSameExpression(a: Expression, b: Expression): boolean {
  return shapeOf(a) === shapeOf(b);
}

function shapeOf(expression: Expression): string {
  const items = subexpressions(expression).flatMap((part) => (part.kind === "map" ? [part.item] : []));
  const named = mapExpression(expression, (each) => {
    const part = withoutExpectations(each);
    if (part.kind === "map") return { ...part, item: `${items.indexOf(part.item)}` };
    return part.kind === "ref" && items.includes(part.name)
      ? { ...part, name: `${items.indexOf(part.name)}` }
      : part;
  });
  return JSON.stringify(named);
}

/** A part of an expression as it is before what answers were like is added. */
function withoutExpectations(part: Expression): Expression {
  if (part.kind === "ref") return { kind: "ref", name: part.name };
  if (part.kind === "field") return { kind: "field", of: part.of, path: part.path };
  if (part.kind !== "filter") return part;
  const where = mapConditions(part.where, (condition) => ({
    ...condition,
    isClear: undefined,
    isTold: undefined,
    joins: undefined,
    isAlone: undefined,
  }));
  return { ...part, where };
}

export interface Translation {
  /** By the names of steps and of elements of loops. */
  readonly refs: ReadonlyMap<string, string>;
  /** The names that must not be given again. */
  readonly taken: readonly string[];
}

/** Steps of two plans are the same if they are the same calls of the first run. */
export function translationFor(from: Plan, fromRun: RecordedRun, to: Plan, toRun: RecordedRun): Translation {
  const byCalls = new Map(
    namedSteps(to.steps).flatMap((step) =>
      recordedCalls(step, toRun).length > 0 ? [[callsOf(step, toRun), step] as const] : [],
    ),
  );
  const refs = new Map<string, string>();
  for (const step of namedSteps(from.steps)) {
    const found = byCalls.get(callsOf(step, fromRun));
    if (found?.kind !== step.kind) continue;
    refs.set(step.name, found.name);
    if (step.kind === "loop" && found.kind === "loop") refs.set(step.item, found.item);
  }
  return { refs, taken: takenNames(to) };
}

function callsOf(step: CallStep | LoopStep, run: RecordedRun): string {
  return `${step.kind} ${recordedCalls(step, run).join(" ")}`;
}

/** The recorded calls of a step, in a loop those of all rounds. */
export function recordedCalls(step: Step, run: RecordedRun): readonly number[] {
  switch (step.kind) {
    case "guard":
    case "choice":
      return [];
    case "call":
      return (run.get(step.name) ?? []).flatMap(({ call }) => call ?? []);
    case "loop":
      return step.steps.flatMap((each) => recordedCalls(each, run));
    case "branch":
    case "switch":
      return stepsWithin(step).flatMap((each) => recordedCalls(each, run));
  }
}

/** The expression with the names of the other plan; nothing where that does not have what it uses. */
export function translated(expression: Expression, { refs, taken }: Translation): Expression | undefined {
  if (refsIn(expression).some((name) => !refs.has(name))) return undefined;
  const items = subexpressions(expression).flatMap((part) => (part.kind === "map" ? [part.item] : []));
  const names = new UniqueNames();
  if (items.length > 0) for (const name of taken) names.take(name);
  const own = new Map(items.map((item) => [item, names.take(item)] as const));
  return mapExpression(expression, (part) => {
    if (part.kind === "map") return { ...part, item: own.get(part.item) ?? part.item };
    return part.kind === "ref"
      ? { ...part, name: own.get(part.name) ?? refs.get(part.name) ?? part.name }
      : part;
  });
}

export function withParamNames(expression: Expression, names: ReadonlyMap<string, string>): Expression {
  return mapExpression(expression, (part) => renamedParam(part, names));
}

export function renamedParam(part: Expression, names: ReadonlyMap<string, string>): Expression {
  return part.kind === "param" ? { ...part, name: names.get(part.name) ?? part.name } : part;
}
