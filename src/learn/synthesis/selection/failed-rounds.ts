import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import type { TaskText } from "../../plan/values.ts";
import type { SampleStep } from "../../recording/sample-step.ts";
import type { KnownList } from "./known-lists.ts";

/** Whether some rounds of a loop looked at what is not there, and nothing else was done then; the task speaks of that. */
export function mayHaveFailed(step: SampleStep | undefined, task: TaskText): boolean {
  return (
    step?.kind === "loop" &&
    step.fork?.fails !== undefined &&
    step.fork.isLook === true &&
    step.fork.failed === 0 &&
    task.speaksOfFailure
  );
}

/** The rounds that have failed, and those that have not: of each what stands at a place is nothing, or something. */
export function partedByFailure(
  { list, expression, step }: KnownList,
  path: readonly string[],
): readonly KnownList[] {
  const isAnswered = (each: Json): boolean => answerOf(each, path) !== null;
  const nothing: Expression = { kind: "constant", value: null };
  return [
    {
      list: list.filter(isAnswered),
      expression: { kind: "filter", in: expression, where: [{ path, operator: "!=", equals: nothing }] },
      step,
    },
    {
      list: list.filter((each) => !isAnswered(each)),
      expression: { kind: "filter", in: expression, where: [{ path, equals: nothing }] },
      step,
    },
  ];
}

function answerOf(each: Json, [name]: readonly string[]): Json {
  return name === undefined ? each : ((each as Readonly<Record<string, Json>>)[name] ?? null);
}

/** What was answered, or something else at one place of it where nothing was. */
export function answerOr(answer: Expression, path: readonly string[], otherwise: string): Expression {
  const instead = path.reduceRight<Expression>(
    (value, name) => ({ kind: "object", fields: [{ name, value }] }),
    { kind: "constant", value: otherwise },
  );
  return fieldExpression({ kind: "or", of: answer, otherwise: instead }, path);
}
