import type { ArithmeticOperator, Expression } from "../../plan/plan.ts";
import { calculated, CENTS, roundedText } from "../../plan/quantities.ts";

/** A field of elements, as lines have it. */
interface NumberField {
  readonly expression: Expression;
  readonly texts: readonly string[];
  readonly isNumber?: boolean;
}

const OPERATORS: readonly ArithmeticOperator[] = ["*", "-", "+"];
const MAX_NUMBERS = 8;
/** Fewer digits in all lines are calculated from others by chance. */
const MIN_DIGITS = 4;

/** What a text has for each element that is calculated from two of its numbers, where these give it in one way alone. */
export function calculatedFields(text: string, fields: readonly NumberField[]): readonly NumberField[] {
  const written = new Set(text.match(NUMERAL));
  const numerals = fields.filter(({ texts }) => texts.every(isNumeral));
  // What is there as a number and as it is written is one thing.
  const numbers = [...Map.groupBy(numerals, ({ texts }) => texts.map(Number).join()).values()]
    .flatMap((same) => same.find(({ isNumber }) => isNumber) ?? same.slice(0, 1))
    .slice(0, MAX_NUMBERS);
  const found = numbers.flatMap((left, at) =>
    numbers.flatMap((right, other) =>
      OPERATORS.flatMap((operator) => {
        const isTwice = left === right || (operator !== "-" && other < at);
        const made = isTwice ? undefined : calculatedField(left, operator, right, written);
        return made ?? [];
      }),
    ),
  );
  const ways = Map.groupBy([...fields, ...found], keyOf);
  return found.filter((each) => ways.get(keyOf(each))?.length === 1);
}

function keyOf({ texts }: NumberField): string {
  return texts.join("\n");
}

/** Numbers of which no part is in another word or number. */
const NUMERAL = /(?<![\p{L}\p{N}.])-?\d+(?:\.\d+)?(?![\p{L}\p{N}]|\.\d)/gu;

function isNumeral(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
}

function calculatedField(
  left: NumberField,
  operator: ArithmeticOperator,
  right: NumberField,
  written: ReadonlySet<string>,
): NumberField | undefined {
  const values = left.texts.map((text, nth) => calculated(Number(text), operator, Number(right.texts[nth])));
  const texts = values.flatMap((value) => (value === undefined ? [] : String(value)));
  const inCents = values.flatMap((value) => roundedText(value ?? Infinity, CENTS) ?? []);
  const isWritten = (each: readonly string[]): boolean =>
    each.length === values.length &&
    new Set(each).size > 1 &&
    each.join("").replaceAll(/\D/g, "").length >= MIN_DIGITS &&
    each.every((one) => written.has(one));
  const of: Expression = { kind: "arithmetic", operator, left: numberOf(left), right: numberOf(right) };
  if (isWritten(inCents)) return { expression: { kind: "rounded", of, decimals: CENTS }, texts: inCents };
  return isWritten(texts) ? { expression: of, texts } : undefined;
}

function numberOf({ expression, isNumber }: NumberField): Expression {
  return isNumber === true ? expression : { kind: "cast", of: expression, to: "number" };
}
