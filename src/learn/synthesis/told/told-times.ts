import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { jsonLeaves } from "../../plan/values.ts";
import { partsOfTime } from "../dates.ts";
import type { CallView } from "../flow-candidates.ts";

/** A time or day that answers tell as a part of a day with its time. */
interface ToldTime {
  readonly text: string;
  readonly expression: Expression;
  /** Whether the round's own answers tell it. */
  readonly isOfRound: boolean;
}

/** What days with their times say by themselves, at fixed places of the round's answers and of earlier ones. */
export function toldTimes({ sample, names, before, scope }: CallView): readonly ToldTime[] {
  const partsOf = (text: string, of: Expression, isOfRound: boolean): readonly ToldTime[] =>
    partsOfTime(text).map((part) => ({
      text: part.text,
      expression: { kind: "date", of, days: 0, format: part.format },
      isOfRound,
    }));
  const ofRound = scope.flatMap(({ name, value }) =>
    [...jsonLeaves(value)].flatMap(([path, leaf]) =>
      typeof leaf === "string" && path.every((part) => typeof part === "string")
        ? partsOf(leaf, fieldExpression({ kind: "ref", name }, path.map(String)), true)
        : [],
    ),
  );
  const earlier = sample.valueIndex.quantities.flatMap(({ step, path, value }) => {
    const name = names[step];
    return step < before && name !== undefined && typeof value === "string"
      ? partsOf(value, fieldExpression({ kind: "ref", name }, path.map(String)), false)
      : [];
  });
  return [...ofRound, ...earlier];
}
