import type { EvaluationScope } from "../edits/evaluate.ts";
import { refsIn } from "../edits/plan-leaves.ts";
import { subexpressions } from "../plan/expression.ts";
import type { Expression, GuardStep, Step } from "../plan/plan.ts";
import { expressionsOf } from "../plan/steps.ts";
import type { TaskText } from "../plan/values.ts";
import { countGuard, passedGuards } from "./count-guards.ts";

/**
 * Steps that stop before one that has something for each element of a list, where the task says `each person` of what its
 * elements call `person`, each of them was another in all runs, and one is there twice: it may be meant once, with all that
 * is told of it.
 */
export function eachOnceGuards(
  step: Step,
  tasks: readonly TaskText[],
  scopes: readonly EvaluationScope[],
): readonly GuardStep[] {
  const guards = listsOf(step).flatMap(({ over, item, parts }) => {
    const fields = parts.flatMap((part) =>
      part.kind === "field" && part.of.kind === "ref" && part.of.name === item ? [part.path] : [],
    );
    const names = fields.map((path) => path.at(-1) ?? "");
    const isNamed = (path: readonly string[]): boolean =>
      tasks.length > 0 && tasks.every((task) => task.eachOf(names).includes(path.at(-1) ?? ""));
    return fields.filter(isNamed).map((by): GuardStep => {
      const each: Expression = { kind: "groups", in: over, by };
      return countGuard(each, over);
    });
  });
  return passedGuards(guards, scopes);
}

interface ListOfStep {
  readonly over: Expression;
  readonly item: string;
  /** All that is made of an element. */
  readonly parts: readonly Expression[];
}

/** The lists of which a step has something for each element, and which are known before it. */
function listsOf(step: Step): readonly ListOfStep[] {
  if (step.kind === "loop") {
    const { over, item, steps } = step;
    return [{ over, item, parts: steps.flatMap((inner) => expressionsOf(inner).flatMap(subexpressions)) }];
  }
  if (step.kind !== "call") return [];
  const parts = subexpressions(step.args);
  const items = new Set(parts.flatMap((part) => (part.kind === "map" ? [part.item] : [])));
  return parts.flatMap((part) =>
    part.kind === "map" && !refsIn(part.over).some((ref) => items.has(ref))
      ? [{ over: part.over, item: part.item, parts: subexpressions(part.value) }]
      : [],
  );
}
