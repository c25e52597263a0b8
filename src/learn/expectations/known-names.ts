import type { EvaluationScope } from "../edits/evaluate.ts";
import { comparisonsIn, fieldExpression, subexpressions } from "../plan/expression.ts";
import type { Expression, GuardStep, Step } from "../plan/plan.ts";
import { expressionsOf } from "../plan/steps.ts";
import { countGuard, passedGuards } from "./count-guards.ts";

/**
 * Steps that stop before one that is about the elements which another list has not, where all that the other list names was
 * in the first, and now something is not: it may be one of these, written otherwise.
 */
export function knownNameGuards(step: Step, scopes: readonly EvaluationScope[]): readonly GuardStep[] {
  const expressions = step.kind === "loop" ? [step.over] : expressionsOf(step);
  const guards = expressions.flatMap(subexpressions).flatMap((part): readonly GuardStep[] => {
    if (part.kind !== "filter") return [];
    return comparisonsIn(part.where).flatMap(({ path, operator, equals }): readonly GuardStep[] => {
      if (operator !== "not in") return [];
      const own: Expression = { kind: "ref", name: "own" };
      const names: Expression =
        path.length === 0
          ? part.in
          : { kind: "map", over: part.in, item: "own", value: fieldExpression(own, path) };
      const known: Expression = {
        kind: "filter",
        in: equals,
        where: [{ path: [], operator: "in", equals: names }],
      };
      return [countGuard(known, equals)];
    });
  });
  return passedGuards(guards, scopes);
}
