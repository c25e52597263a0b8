import type { Json } from "../../core/json/json.ts";
import type { Effort } from "../effort.ts";
import type { OpenShape } from "../shapes/schema-shapes.ts";
import { numberFacts, textFacts } from "../shapes/shape-facts.ts";
import { firsts } from "./streams.ts";
import { formatOf } from "../text/text-format.ts";
import { wantedTexts, type FoundText } from "../text/text-language.ts";
import type { TextPatterns } from "../text/text-pattern.ts";

/** Numbers that a shape may have, those near the hints first. */
export function shapeNumbers(shape: OpenShape, hints: readonly number[]): Iterable<Json> {
  const { least, most, multiples } = numberFacts(shape);
  const near = [...hints, least, most].filter(Number.isFinite).flatMap(neighbours);
  const middle = Number.isFinite(least) && Number.isFinite(most) ? [(least + most) / 2] : [];
  const times = multiples.flatMap((each) =>
    [
      ...TIMES,
      ...[least, ...hints].flatMap((bound) => [Math.ceil(bound / each), Math.floor(bound / each + 1)]),
    ].map((time) => time * each),
  );
  const numbers = [...hints.flatMap(neighbours), ...NUMBERS, ...near, ...middle, ...times];
  const possible = numbers.filter((each) => Number.isFinite(each) && each >= least && each <= most);
  // Without negative zeros.
  return new Set(possible.map((each) => each + 0));
}

/** Texts that a shape may have; the hints are lengths. */
export function* shapeTexts(
  shape: OpenShape,
  hints: readonly number[],
  patterns: TextPatterns,
  effort: Effort,
): Generator<Json> {
  const facts = textFacts(shape);
  for (const format of facts.formats) yield* formattedTexts(format, [facts.least, ...hints]);
  if (facts.formats.length > 0 && facts.patterns.length === 0) return;
  yield* TEXTS;
  if (facts.patterns.length === 0) yield* repeated([facts.least, facts.most, ...hints], hints);
  else yield* patternedTexts(shape, hints, patterns, effort);
}

const MAX_TEXT = 1_000;
const MAX_FOUND = 12;
const MAX_VARIED = 10;

const NUMBERS = [0, 1, 0.5, -1, -0.5, 2, 10, 1.5, 100, -100, 1_000_000];
const TIMES = [0, 1, -1, 2, 3, 5, 7, 11, -2, -3];
const TEXTS = [
  "text",
  "",
  "a",
  "A",
  "0",
  " ",
  "other",
  "A b",
  "1.5",
  "2026-01-31",
  "2026-01-31T12:00:00Z",
  "é",
  "漢字",
  "-",
  "_",
  "(",
];

function neighbours(number: number): readonly number[] {
  const [low, high] = [Math.floor(number), Math.ceil(number)];
  return [number, low, high, number - 1, number + 1, number - 0.5, number + 0.5, number * 1.5];
}

function* repeated(lengths: readonly number[], hints: readonly number[]): Generator<Json> {
  const wanted = new Set([...lengths, ...hints.flatMap((each) => [each - 1, each + 1])]);
  for (const length of wanted) if (length >= 0 && length <= MAX_TEXT) yield "a".repeat(length);
}

function* formattedTexts(name: string, lengths: readonly number[]): Generator<Json> {
  const format = formatOf(name);
  yield* format?.examples ?? [];
  const { around: [before, after] = [] } = format ?? {};
  if (before === undefined || after === undefined) return;
  for (const length of lengths) {
    const zeros = Math.min(length, MAX_TEXT) - before.length - after.length;
    if (zeros > 0) yield `${before}${"0".repeat(zeros)}${after}`;
  }
}

function* patternedTexts(
  shape: OpenShape,
  hints: readonly number[],
  patterns: TextPatterns,
  effort: Effort,
): Generator<Json> {
  const facts = textFacts(shape);
  const sources = [...facts.patterns, ...facts.formats.flatMap((format) => formatOf(format)?.pattern ?? [])];
  const inside = patterns.all(sources);
  const lengths = [facts.least, ...hints].filter(
    (each) => each >= facts.least && each <= facts.most && each <= MAX_TEXT,
  );
  for (const least of new Set(lengths)) {
    const wanted = { inside, outside: [], least, most: facts.most };
    for (const found of firsts(wantedTexts(wanted, effort), MAX_FOUND)) yield* variations(found);
  }
}

function* variations({ text, classes }: FoundText): Generator<string> {
  yield text;
  const characters = Array.from(text);
  for (const [index, members] of classes.slice(0, MAX_VARIED).entries()) {
    for (const other of members.slice(1)) yield characters.with(index, String.fromCodePoint(other)).join("");
  }
}
