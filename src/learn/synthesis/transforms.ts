import type { Json } from "../../core/json/json.ts";
import { flowsTo, type Given, type View } from "./flow-candidates.ts";
import { formattedDate, readDate } from "./dates.ts";
import type { Expression, Place } from "../plan/plan.ts";
import { field } from "./selection-paths.ts";
import { WORD } from "../recording/occurrences.ts";
import { isSpecific, isThing, valueAt } from "../plan/values.ts";

/** A value made of earlier ones rather than taken from them. */
export interface Derived {
  readonly expression: Expression;
  /** Whether it can hardly be chance. */
  readonly isCertain: boolean;
  readonly why: string;
}

/**
 * How a value is made of earlier ones, in every view in the same way: a date in another form or some days later, a text
 * composed of values or cut out of one, a calculation. What one run alone suggests is certain only where chance would be
 * strange; several runs in which the values differ confirm it.
 */
export function derivedValue(
  values: readonly Json[],
  views: readonly View[],
  place: Place,
  given: Given,
): Derived | undefined {
  const found = values.map((value, index) => {
    const view = views[index];
    return view ? derivations(value, view, place, given) : [];
  });
  const [first = [], ...others] = found;
  const texts = others.map((each) => new Set(each.map(({ expression }) => JSON.stringify(expression))));
  const shared = first.filter(({ expression }) =>
    texts.every((each) => each.has(JSON.stringify(expression))),
  );
  const isConfirmed = new Set(views.map(({ nth }) => nth)).size > 1 && new Set(values).size > 1;
  const best = shared.find(({ isCertain }) => isCertain) ?? shared[0];
  return best && isConfirmed ? { ...best, isCertain: true } : best;
}

function derivations(value: Json, view: View, place: Place, given: Given): readonly Derived[] {
  if (typeof value === "number") return sums(value, view);
  if (typeof value !== "string" || value.length < 3 || value.length > MOST_TEXT) return [];
  const dates = movedDates(value, view);
  return dates.length > 0 ? dates : [...composed(value, view, place, given), ...cutOut(value, view)];
}

const MOST_TEXT = 1000;

// --- dates

const MOST_DAYS = 366;
const DAY = 86_400_000;

function movedDates(value: string, view: View): readonly Derived[] {
  const wanted = readDate(value);
  if (!wanted) return [];
  return earlier(view).flatMap(({ expression, value: source }) => {
    const read = typeof source === "string" ? readDate(source) : undefined;
    if (!read || typeof source !== "string") return [];
    const days = Math.round((wanted.day - read.day) / DAY);
    if (Math.abs(days) > MOST_DAYS || formattedDate(source, days, wanted.format) !== value) return [];
    return [
      {
        expression: { kind: "date", of: expression, days, format: wanted.format },
        isCertain: days === 0,
        why: days === 0 ? "it is an earlier date in another form" : "it is an earlier date, moved by days",
      },
    ];
  });
}

// --- numbers

function sums(value: number, view: View): readonly Derived[] {
  if (Math.abs(value) < 3) return [];
  const numbers = earlier(view).flatMap(({ expression, value: source }) =>
    typeof source === "number" && source !== 0 ? [{ expression, number: source }] : [],
  );
  const found: Derived[] = [];
  for (const left of numbers) {
    for (const right of numbers) {
      if (left === right) continue;
      for (const operator of OPERATORS) {
        const isTwice =
          (operator === "+" || operator === "*") && numbers.indexOf(left) > numbers.indexOf(right);
        if (isTwice || calculated(left.number, operator, right.number) !== value) continue;
        const expression: Expression = {
          kind: "arithmetic",
          operator,
          left: left.expression,
          right: right.expression,
        };
        found.push({ expression, isCertain: false, why: "it is calculated from earlier numbers" });
      }
    }
  }
  return found.slice(0, MOST_FOUND);
}

const OPERATORS = ["+", "-", "*", "/"] as const;
const MOST_FOUND = 40;

function calculated(left: number, operator: (typeof OPERATORS)[number], right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
  }
}

/** Dates and numbers that stand at fixed places of earlier results. */
function earlier({
  sample,
  names,
  before,
}: View): readonly { readonly expression: Expression; readonly value: Json }[] {
  return sample.provenance.quantities.flatMap(({ step, path, value }) => {
    const name = names[step];
    if (step >= before || name === undefined) return [];
    return [{ expression: field({ kind: "ref", name }, path.map(String)), value }];
  });
}

// --- texts

const MOST_WORDS = 4;

/** A text that is composed of earlier values: the longest runs of words that stand somewhere, and what is between. */
function composed(value: string, view: View, place: Place, given: Given): readonly Derived[] {
  const words = [...value.matchAll(WORD)];
  const parts: (string | Expression)[] = [];
  let flows = 0;
  let end = 0;
  for (let index = 0; index < words.length;) {
    const found = longestRun(words, index, value, view, place, given);
    if (!found) {
      index++;
      continue;
    }
    const start = words[index]?.index ?? 0;
    if (start > end) parts.push(value.slice(end, start));
    parts.push(found.expression);
    flows += found.isGiven ? 0 : 1;
    end = start + found.length;
    index += found.words;
  }
  if (end < value.length) parts.push(value.slice(end));
  if (flows === 0 || parts.length < 2) return [];
  const between = parts.filter((part) => typeof part === "string").join("");
  const isCertain = !/[\p{L}\p{N}]/u.test(between);
  return [{ expression: { kind: "template", parts }, isCertain, why: "it is composed of earlier values" }];
}

function longestRun(
  words: readonly RegExpExecArray[],
  index: number,
  text: string,
  view: View,
  place: Place,
  given: Given,
) {
  for (let count = Math.min(MOST_WORDS, words.length - index); count > 0; count--) {
    const first = words[index];
    const last = words[index + count - 1];
    if (!first || !last) continue;
    const run = text.slice(first.index, last.index + last[0].length);
    if (run.length < 3 || run.length === text.length || !isThing(run)) continue;
    const known = given(view, run);
    if (known)
      return { expression: known, isGiven: known.kind === "param", length: run.length, words: count };
    const flow = flowsTo(run, view, place, "", given).find(({ slots }) => slots.length === 0);
    if (flow) return { expression: flow.expression, isGiven: false, length: run.length, words: count };
  }
  return undefined;
}

const MOST_MARK = 12;

/** A word that stands inside an earlier text, between marks that find it again. */
function cutOut(value: string, view: View): readonly Derived[] {
  if (!isSpecific(value)) return [];
  const { sample, names, before } = view;
  return sample.provenance.texts(value).flatMap(({ step, path }): readonly Derived[] => {
    const name = names[step];
    const text = valueAt(sample.steps[step]?.value, path);
    const isFixed = path.every((part) => typeof part === "string");
    if (step >= before || name === undefined || typeof text !== "string" || !isFixed) return [];
    const at = text.indexOf(value);
    const after = /[^\p{N}]*$/u.exec(text.slice(Math.max(0, at - MOST_MARK), at))?.[0] ?? "";
    const before_ = /^[^\p{L}\p{N}]{1,3}/u.exec(text.slice(at + value.length))?.[0] ?? "";
    const isFound =
      text.indexOf(after) + after.length === at && (before_ !== "" || at + value.length === text.length);
    if (!isFound || (after === "" && at > 0) || text.indexOf(before_, at) !== at + value.length) return [];
    const of = field({ kind: "ref", name }, path.map(String));
    return [
      {
        expression: { kind: "part", of, after, before: before_ },
        isCertain: true,
        why: "it stands inside an earlier text",
      },
    ];
  });
}
