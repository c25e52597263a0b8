import type { JsonObject } from "../../core/json/json.ts";
import { sampled, type ComparisonContext, type Difference } from "./comparison-context.ts";
import type { OpenShape } from "../shapes/schema-shapes.ts";
import { numberFacts } from "../shapes/shape-facts.ts";
import { formatOf, isFormatWithin } from "../text/text-format.ts";
import { isMultiple } from "../values/value-keywords.ts";

/** What keeps numbers from fitting. */
export function* numberDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  schema: JsonObject,
): Generator<Difference> {
  const { least, most, isAbove, isBelow } = numberFacts(shape);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const off = [
    [minimum, typeof minimum === "number" && least < minimum],
    [maximum, typeof maximum === "number" && most > maximum],
    [
      exclusiveMinimum,
      isNumber(exclusiveMinimum) && (isAbove ? least < exclusiveMinimum : least <= exclusiveMinimum),
    ],
    [
      exclusiveMaximum,
      isNumber(exclusiveMaximum) && (isBelow ? most > exclusiveMaximum : most >= exclusiveMaximum),
    ],
  ] as const;
  for (const [bound, isOff] of off) {
    if (isOff && isNumber(bound))
      yield sampled(comparing, shape, `it may be on the wrong side of ${bound}`, [bound]);
  }
  yield* multipleDifferences(comparing, shape, schema);
  yield* formatDifferences(comparing, shape, schema);
}

function* multipleDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  { multipleOf }: JsonObject,
): Generator<Difference> {
  const { isInteger, multiples } = numberFacts(shape);
  if (!isNumber(multipleOf) || multiples.includes(multipleOf)) return;
  const stray = strayMultiples(multipleOf, isInteger ? [...multiples, 1] : multiples);
  if (stray.length > 0) yield sampled(comparing, shape, `it may be no multiple of ${multipleOf}`, stray);
}

function* formatDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  schema: JsonObject,
): Generator<Difference> {
  const format = typeof schema["format"] === "string" ? formatOf(schema["format"]) : undefined;
  const { least, most, isInteger, formats } = numberFacts(shape);
  if (!format?.isNumeric || formats.some((each) => isFormatWithin(each, format.name))) return;
  const isSmall = least >= -(2 ** 31) && most < 2 ** 31;
  if (!isInteger || (format.name === "int32" && !isSmall))
    yield sampled(comparing, shape, `it may be no ${format.name}`, [2 ** 31, 0.5]);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

const TRIED = Array.from({ length: 1_000 }, (_, index) => index + 1);

/**
 * Numbers that are multiples of all of these and may be none of the other; none where there are none. They are tried,
 * because the validator's division rounds: 1.1 is a multiple of 0.1, but not one of 0.01. Numbers of 1e21 and more,
 * which it takes for multiples of nothing, are left out of account.
 */
function strayMultiples(of: number, multiples: readonly number[]): readonly number[] {
  const stray = [of * 1.5, of / 2];
  for (const each of multiples) {
    const found = TRIED.map((times) => times * each).filter(
      (number) => isMultiple(number, each) && !isMultiple(number, of),
    );
    if (found.length === 0) return [];
    stray.push(...found.slice(0, 10));
  }
  return stray;
}
