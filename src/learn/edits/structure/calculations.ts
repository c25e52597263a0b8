import { isJsonObject, type Json } from "../../../core/json/json.ts";
import type { ArithmeticOperator, CallStep, Expression, Plan } from "../../plan/plan.ts";
import { calculated, numberFrom } from "../../plan/quantities.ts";
import { namedSteps } from "../../plan/steps.ts";
import { isSame } from "../../plan/values.ts";
import type { RecordedCall } from "../../recording/recorded-trace.ts";
import { mapPlanExpressions } from "../plan-leaves.ts";

/**
 * The plan in which what a tool only calculates is calculated by the skill: calls with a single argument, a calculation
 * of values that are known by then, whose answer was exactly what that gives in every run. A rounded answer is another
 * one. The calls stay; nothing needs them any more.
 */
export function withCalculations(
  plan: Plan,
  callsOf: (step: CallStep) => readonly (RecordedCall | undefined)[],
): Plan {
  return namedSteps(plan.steps).reduce((left, { name }) => {
    const step = namedSteps(left.steps).find((each) => each.name === name);
    const made =
      step?.kind === "call" && step.fails === undefined ? calculationOf(step, callsOf(step)) : undefined;
    if (!made) return left;
    const { value, field } = made;
    const isAnswer = (part: Expression): boolean =>
      field === undefined
        ? part.kind === "ref" && part.name === name
        : part.kind === "field" &&
          part.of.kind === "ref" &&
          part.of.name === name &&
          isSame([...part.path], [field]);
    return mapPlanExpressions(left, (part) => {
      if (part.kind === "cast" && part.to === "number" && (isAnswer(part.of) || part.of === value))
        return value;
      return !made.isText && isAnswer(part) ? value : part;
    });
  }, plan);
}

interface Calculation {
  readonly value: Expression;
  /** Where in the answer the result stands; undefined: it is the answer. */
  readonly field: string | undefined;
  /** The result is a text: it stands for a number where it is made one. */
  readonly isText: boolean;
}

function calculationOf(
  { args }: CallStep,
  calls: readonly (RecordedCall | undefined)[],
): Calculation | undefined {
  const [only, ...others] = args.kind === "object" ? args.fields : [];
  if (!only || others.length > 0 || only.value.kind !== "template" || calls.length === 0) return undefined;
  const { parts } = only.value;
  const value = arithmeticOf(
    parts.flatMap((part) => (typeof part === "string" ? tokensOf(part) : [operandOf(part)])),
  );
  if (value?.kind !== "arithmetic") return undefined;
  const places = calls.map((call) => {
    const text = call?.args[only.name];
    const result = typeof text === "string" ? numberIn(arithmeticOf(tokensOf(text))) : undefined;
    return result === undefined ? [] : placesOf(result, call?.result ?? null);
  });
  const place = places[0]?.find(({ field, isText }) =>
    places.every((each) => each.some((other) => other.field === field && other.isText === isText)),
  );
  return place && { value, ...place };
}

/** Where in an answer a number stands: as the answer or in one of its fields. */
function placesOf(number: number, answer: Json): readonly Omit<Calculation, "value">[] {
  const isIt = (value: Json): boolean => numberFrom(value) === number;
  if (isIt(answer)) return [{ field: undefined, isText: typeof answer === "string" }];
  if (!isJsonObject(answer)) return [];
  return Object.entries(answer).flatMap(([field, value]) =>
    isIt(value) ? [{ field, isText: typeof value === "string" }] : [],
  );
}

/** A number, or what gives one, an operator or a bracket. */
type Token = Expression | ArithmeticOperator | "(" | ")" | "?";

/** `?` stands for what is none of these. */
function tokensOf(text: string): readonly Token[] {
  return (text.match(/\d+(?:\.\d+)?|\S/g) ?? []).map((token) => {
    const number = numberFrom(token);
    if (number !== undefined) return { kind: "constant", value: number };
    return token === "+" || token === "-" || token === "*" || token === "/" || token === "(" || token === ")"
      ? token
      : "?";
  });
}

function operandOf(part: Expression): Expression {
  return part.kind === "cast" && part.to === "string" ? part.of : part;
}

/** The calculation that tokens write, or nothing. */
function arithmeticOf(tokens: readonly Token[]): Expression | undefined {
  let at = 0;
  const operand = (): Expression | undefined => {
    const token = tokens[at++];
    if (typeof token === "object") return token;
    const inner = token === "(" ? sum() : undefined;
    return inner && tokens[at++] === ")" ? inner : undefined;
  };
  const chained = (
    next: () => Expression | undefined,
    operators: readonly Token[],
  ): Expression | undefined => {
    let left = next();
    for (
      let operator = tokens[at];
      left && isOperator(operator) && operators.includes(operator);
      operator = tokens[at]
    ) {
      at++;
      const right = next();
      left = right && { kind: "arithmetic", operator, left, right };
    }
    return left;
  };
  const product = (): Expression | undefined => chained(operand, ["*", "/"]);
  function sum(): Expression | undefined {
    return chained(product, ["+", "-"]);
  }
  const whole = sum();
  return at === tokens.length ? whole : undefined;
}

function isOperator(token: Token | undefined): token is ArithmeticOperator {
  return token === "+" || token === "-" || token === "*" || token === "/";
}

/** What a calculation of numbers gives. */
function numberIn(expression: Expression | undefined): number | undefined {
  if (expression?.kind === "constant") return numberFrom(expression.value);
  if (expression?.kind !== "arithmetic") return undefined;
  return calculated(numberIn(expression.left), expression.operator, numberIn(expression.right));
}
