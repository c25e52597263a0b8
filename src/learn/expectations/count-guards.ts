import { evaluate, type EvaluationScope } from "../edits/evaluate.ts";
import type { Expression, GuardStep } from "../plan/plan.ts";

/** A step that stops where two lists have not as many elements. */
export function countGuard(list: Expression, other: Expression): GuardStep {
  return { kind: "guard", value: countOf(list), equals: countOf(other) };
}

/** Those steps, each once, that would have let all runs pass. */
export function passedGuards(
  guards: readonly GuardStep[],
  scopes: readonly EvaluationScope[],
): readonly GuardStep[] {
  const isPassed = ({ value, equals }: GuardStep): boolean =>
    scopes.length > 0 &&
    scopes.every((scope) => {
      const count = evaluate(value, scope)?.value;
      return count !== undefined && count === evaluate(equals, scope)?.value;
    });
  return [...new Map(guards.map((guard) => [JSON.stringify(guard), guard])).values()].filter(isPassed);
}

function countOf(list: Expression): Expression {
  return { kind: "aggregate", operator: "count", of: list };
}
