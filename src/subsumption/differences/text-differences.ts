import type { JsonObject } from "../../core/json/json.ts";
import {
  isFruitless,
  sampled,
  type Bounds,
  type ComparisonContext,
  type Difference,
} from "./comparison-context.ts";
import type { OpenShape } from "../shapes/schema-shapes.ts";
import { textFacts } from "../shapes/shape-facts.ts";
import { firsts } from "../values/streams.ts";
import { formatOf, isFormatWithin } from "../text/text-format.ts";
import { wantedTexts } from "../text/text-language.ts";

/** What keeps texts from fitting. */
export function* textDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  schema: JsonObject,
): Generator<Difference> {
  const { least, most, formats, patterns } = textFacts(shape);
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === "number" && least < minLength)
    yield* strayTexts(comparing, shape, { least, most: Math.min(most, minLength - 1) }, [], "long enough");
  if (typeof maxLength === "number" && most > maxLength)
    yield* strayTexts(comparing, shape, { least: Math.max(least, maxLength + 1), most }, [], "short enough");
  if (typeof pattern === "string" && !patterns.includes(pattern))
    yield* strayTexts(comparing, shape, { least, most }, [pattern], `like /${pattern}/`);
  const format = typeof schema["format"] === "string" ? formatOf(schema["format"]) : undefined;
  if (format && !format.isNumeric && !formats.some((each) => isFormatWithin(each, format.name)))
    yield sampled(comparing, shape, `it may be no ${format.name}`);
}

/** Texts of the shape, between these lengths, that have none of the patterns. */
export function* textsOutside(
  { patterns, effort }: ComparisonContext,
  shape: OpenShape,
  outside: readonly string[],
  { least, most }: Bounds = textFacts(shape),
): Generator<string, boolean> {
  const facts = textFacts(shape);
  const inside = [...facts.patterns, ...facts.formats.flatMap((format) => formatOf(format)?.pattern ?? [])];
  const others = patterns.all(outside);
  if (others.length < outside.length) return false;
  const search = wantedTexts({ inside: patterns.all(inside), outside: others, least, most }, effort);
  for (;;) {
    const { value, done } = search.next();
    if (done) return value;
    yield value.text;
  }
}

const MAX_TRIED = 12;

function* strayTexts(
  comparing: ComparisonContext,
  shape: OpenShape,
  bounds: Bounds,
  outside: readonly string[],
  expected: string,
): Generator<Difference> {
  if (isFruitless(textsOutside(comparing, shape, outside, bounds))) return;
  const hints = [bounds.least, bounds.most].filter((each) => each > 0 && Number.isFinite(each));
  yield {
    path: "",
    why: `not every such text was seen to be ${expected}`,
    *values() {
      yield* firsts(textsOutside(comparing, shape, outside, bounds), MAX_TRIED);
      yield* comparing.values.ofShape(shape, undefined, hints);
    },
  };
}
