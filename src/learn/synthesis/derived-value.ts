import type { Json } from "../../core/json/json.ts";
import type { CallView, DecisionLookup, SlotValue } from "./flow-candidates.ts";
import { extremeOfRounds } from "./told/round-extremes.ts";
import { aggregates, numberPaths, writtenTotals } from "./selection/aggregates.ts";
import { formattedDate, parseDate } from "./dates.ts";
import { ARITHMETIC_OPERATORS, type Expression, type TracePath } from "../plan/plan.ts";
import { calculated } from "../plan/quantities.ts";
import { fieldExpression } from "../plan/expression.ts";
import { composedPaths, composedTexts, isAskedTotal, rewrittenLines } from "./composed-text.ts";
import { type Composing, joinedTexts } from "./joined-texts.ts";
import { dictatedTexts } from "./made/dictated-text.ts";
import { editedLine, isReplaced } from "./edited/edited-line.ts";
import { editedTexts } from "./edited/edited-text.ts";
import { sluggedTexts } from "./made/slugs.ts";
import { headedText } from "./made/headed-text.ts";
import { daysWithTimes } from "./made/days-with-times.ts";
import { filledTexts } from "./made/filled-text.ts";
import { extendedTexts } from "./made/extended-text.ts";
import { framedText } from "./made/framed-text.ts";
import { answeredTexts, argumentTexts, roundTexts } from "./told/known-texts.ts";
import { changedTexts, isFilledInText } from "./edited/changed-text.ts";
import { isSpecific, jsonLeaves, leafText, valueAt } from "../plan/values.ts";
import { isUnsaidSetting, lastName } from "../plan/parameter-slots.ts";
import { textPart } from "../plan/text-part.ts";
import { saidLists } from "./told/said-lists.ts";
import { labelledSentences } from "./told/told-sentences.ts";
import { textPieces } from "./made/text-pieces.ts";
import { toldBodies } from "./told/told-bodies.ts";
import { toldSections } from "./told/told-sections.ts";
import { toldTimes } from "./told/told-times.ts";
import { WEIGHTS } from "./weights.ts";

/** A value made of earlier ones rather than taken from them. */
interface Derivation {
  readonly expression: Expression;
  /** Whether it can hardly be chance. */
  readonly isCertain: boolean;
  readonly why: string;
  /** What in it the caller says. */
  readonly said?: readonly SlotValue[];
  /** Where it is uncertain, it is likelier than that the caller says it all. */
  readonly isLikely?: boolean;
  /** No answer tells anything of it. */
  readonly isGiven?: boolean;
  /** Runs with other values are no proof. */
  readonly isUntested?: boolean | undefined;
}

/**
 * How a value is made of earlier ones, in every view in the same way: a date in another form or some days later, a text
 * composed of values or cut out of one, a calculation. What one run alone suggests is certain only where chance would be
 * strange; several runs in which the values differ confirm it, where they leave only one calculation.
 */
export function derivedValue(
  values: readonly Json[],
  views: readonly CallView[],
  place: TracePath,
  decisionFor: DecisionLookup,
  site?: string,
): DerivedValue | undefined {
  // Small numbers are of others too easily.
  const isSmall = (value: Json): boolean =>
    typeof value === "number" && Math.abs(value) < WEIGHTS.minCalculated;
  const found = values.map((value, index) => {
    const view = values.every(isSmall) ? undefined : views[index];
    return view ? derivations(value, view, place, decisionFor, site) : [];
  });
  const [first = [], ...others] = found;
  const texts = others.map((each) => new Set(each.map(({ expression }) => JSON.stringify(expression))));
  const shared = first.filter(({ expression }) =>
    texts.every((each) => each.has(JSON.stringify(expression))),
  );
  const isOnlyOne = shared.length < 2 || shared.every(({ expression }) => expression.kind === "part");
  const isConfirmed = isOnlyOne && new Set(views.map(({ nth }) => nth)).size > 1 && new Set(values).size > 1;
  const best = shared.find(({ isCertain }) => isCertain) ?? shared[0];
  if (!best) return undefined;
  const text = JSON.stringify(best.expression);
  const alternatives = shared.filter((each) => each !== best).map(({ expression }) => expression);
  const said = found.map(
    (each) => each.find(({ expression }) => JSON.stringify(expression) === text)?.said ?? [],
  );
  return {
    ...best,
    said,
    alternatives,
    isCertain: best.isCertain || (isConfirmed && best.isUntested !== true),
  };
}

/** A value as it is made in every view. */
interface DerivedValue extends Omit<Derivation, "said"> {
  /** In each view. */
  readonly said: readonly (readonly SlotValue[])[];
  readonly alternatives: readonly Expression[];
}

function derivations(
  value: Json,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string | undefined,
): readonly Derivation[] {
  if (typeof value === "number")
    return [
      ...pieceDerivations(value, view, place, decisionFor, site),
      ...arithmeticDerivations(value, view, site),
    ];
  if (typeof value !== "string" || value.length > MAX_JOINED) return [];
  const totals = /^\d+(?:\.\d+)?$/.test(value) ? askedTotals(value, view, site) : [];
  if (totals.length > 0) return totals;
  const edited = site === undefined ? undefined : editedLine(value, { view, place, decisionFor, site });
  if (edited)
    return [
      { ...edited, isLikely: true, why: "it is a line of an earlier text, or the same with a part changed" },
    ];
  if (value.length < 3 && !/^\d\n$/.test(value))
    return pieceDerivations(value, view, place, decisionFor, site);
  const around = (text: string): ReturnType<Composing> => {
    const [best] = composedTexts(text, view, place, decisionFor);
    return best?.expression.kind === "template"
      ? { parts: best.expression.parts, isCertain: best.isCertain }
      : undefined;
  };
  const said = value.includes("\n") && site !== undefined ? saidLists(view, place, site, decisionFor) : [];
  const joined = joinedTexts(value, view, around, site ?? "", said);
  const texts = [...answeredTexts(view), ...argumentTexts(view, decisionFor)];
  const extended =
    site === undefined
      ? []
      : [
          ...extendedTexts(value, view, place, decisionFor, site, (added) =>
            joinedTexts(added, view, around, site, said),
          ),
          ...changedTexts(value, texts, view, place, decisionFor, site),
          // What an edit replaces is a part of a text, which may go on behind it.
          ...(isReplaced(place.path)
            ? []
            : toldBodies(
                value,
                [...roundTexts(view), ...answeredTexts(view)],
                view,
                place,
                decisionFor,
                site,
              )),
          ...toldSections(value, view, place, decisionFor, site),
          ...editedTexts(value, answeredTexts(view), { view, place, decisionFor, site }),
        ];
  // Line by line it is made in no surer way than of the whole text.
  const isOpen = extended.length > 0 && !extended.some(({ isCertain }) => isCertain);
  if (value.length > MAX_TEXT || extended.length > 0)
    return [
      ...extended,
      ...(isOpen ? joined.map((each) => Object.assign(each, { isCertain: false })) : joined),
    ];
  const dates = [...dateDerivations(value, view), ...daysWithTimes(value, view, place, decisionFor, site)];
  if (dates.length > 0) return dates;
  const extreme = site === undefined ? undefined : extremeOfRounds(value, view);
  if (extreme) return [{ expression: extreme, isCertain: false, isLikely: true, why: OF_ROUNDS }];
  const isOfRounds = joined.some(({ mayFail }) => mayFail === true);
  const dictated = site === undefined ? [] : dictatedTexts(value, view, place, decisionFor, site);
  const composed = [
    ...dictated,
    ...(site === undefined || dictated.length > 0 ? [] : filledTexts(value, view, place, decisionFor, site)),
    ...joined,
    ...(site === undefined ? [] : sluggedTexts(value, view, place, decisionFor, site)),
    ...(site === undefined ? [] : composedPaths(value, view, place, decisionFor, site)),
    // What the task dictates is a form, of which it says a part alone in other words; what failed is no fixed place.
    ...(isFilledInText(value, texts, view.sample.task)
      ? []
      : composedTexts(value, view, place, decisionFor, site).map((each) =>
          Object.assign(each, { isCertain: each.isCertain && dictated.length === 0 && !isOfRounds }),
        )),
    ...(site === undefined ? [] : rewrittenLines(value, view, place, decisionFor, site)),
    ...substringDerivations(value, view),
    ...(site === undefined ? [] : sentenceDerivations(value, view, place, decisionFor, site)),
  ];
  const headed = composed.some(({ isCertain, isLikely }) => isCertain || isLikely)
    ? []
    : headedDerivations(value, view, place, decisionFor, site);
  if (headed.length > 0) return [...headed, ...composed];
  if (composed.length === 0) composed.push(...pieceDerivations(value, view, place, decisionFor, site));
  return composed.length > 0 || site === undefined
    ? composed
    : framedDerivations(value, view, place, decisionFor, site);
}

const OF_ROUNDS = "it names what has the least or the most of what was told of each";

/** What stands below a heading, with the heading. */
function headedDerivations(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string | undefined,
): readonly Derivation[] {
  const headed = site === undefined ? undefined : headedText(value, view, site);
  if (!headed) return [];
  return derivations(headed.body, view, place, decisionFor, site)
    .filter(({ isCertain, isLikely, isGiven }) => (isCertain || isLikely) && isGiven !== true)
    .map((each): Derivation => {
      const parts = each.expression.kind === "template" ? each.expression.parts : [each.expression];
      const expression: Expression = { kind: "template", parts: headed.parts.concat(parts) };
      return Object.assign(each, { expression, said: headed.said.concat(each.said ?? []) });
    });
}

/** A piece of an earlier text: certain where only one text has it, and nothing else is called so; no setting is one alone. */
function pieceDerivations(
  value: string | number,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string | undefined,
): readonly Derivation[] {
  if (site === undefined) return [];
  const pieces = textPieces(value, view, place, decisionFor, site);
  const isSetting = isUnsaidSetting(place.path, value, view.sample.task) || SORTED.test(lastName(place.path));
  return pieces.map(({ expression, said, isTelling }) => ({
    expression,
    isCertain: isTelling && pieces.length === 1,
    isLikely: isTelling || (typeof value !== "number" && !isSetting),
    said,
    why: "it is a piece of an earlier text",
  }));
}

/** What arguments are called that sort things by words of which there are few. */
const SORTED = /(?:^|_)(?:priority|severity|urgency|status|state|level|label|language|category)$/i;

/** A text of which all but its form is the caller's. */
function framedDerivations(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly Derivation[] {
  // A document that the task does not say is the caller's as a whole.
  const isDocument = value.trimEnd().includes("\n") && !view.sample.task.says(value);
  const framed = isDocument ? undefined : framedText(value, view, place, decisionFor, site);
  if (!framed) return [];
  return [
    {
      expression: { kind: "template", parts: framed.parts },
      isCertain: framed.isBare,
      isLikely: true,
      isGiven: true,
      said: framed.said,
      why: "it is what the caller says, in the form of the work",
    },
  ];
}

const MAX_TEXT = 1000;
const MAX_JOINED = 20_000;

// --- dates

const DAY = 86_400_000;

function dateDerivations(value: string, view: CallView): readonly Derivation[] {
  const wanted = parseDate(value);
  if (!wanted) return timeDerivations(value, view);
  return earlierQuantities(view).flatMap(({ expression, value: source }) => {
    const read = typeof source === "string" ? parseDate(source) : undefined;
    if (!read || typeof source !== "string") return [];
    const days = Math.round((wanted.day - read.day) / DAY);
    if (Math.abs(days) > WEIGHTS.maxDays || formattedDate(source, days, wanted.format) !== value) return [];
    return [
      {
        expression: { kind: "date", of: expression, days, format: wanted.format },
        isCertain: days === 0,
        why: days === 0 ? "it is an earlier date in another form" : "it is an earlier date, moved by days",
      },
    ];
  });
}

function timeDerivations(value: string, view: CallView): readonly Derivation[] {
  const told = toldTimes(view).filter(({ text }) => text === value);
  return told.map(({ expression, isOfRound }) => ({
    expression,
    isCertain: told.filter((each) => each.isOfRound === isOfRound).length === 1,
    why: "it is the time of an earlier day",
  }));
}

// --- numbers

function arithmeticDerivations(
  value: number,
  view: CallView,
  site: string | undefined,
): readonly Derivation[] {
  const totals = totalDerivations(value, view, site);
  const quantities = earlierQuantities(view);
  const [own, ...others] = quantities.filter((each) => each.value === value);
  // A field that says the number itself is rather meant than one that is counted.
  const isSaid = own !== undefined && others.length === 0 && totals.some(({ isCertain }) => isCertain);
  const said: readonly Derivation[] = isSaid
    ? [{ expression: own.expression, isCertain: false, isLikely: true, why: "an earlier answer says it" }]
    : [];
  const numbers = quantities.flatMap(({ expression, value: source }) =>
    typeof source === "number" && source !== 0 ? [{ expression, number: source }] : [],
  );
  const found: Derivation[] = [];
  for (const left of numbers) {
    for (const right of numbers) {
      if (left === right) continue;
      for (const operator of ARITHMETIC_OPERATORS) {
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
  const counted = isSaid ? totals.map((total) => Object.assign(total, { isCertain: false })) : totals;
  return [...said, ...counted, ...found].slice(0, MAX_FOUND);
}

const MAX_FOUND = 40;

/** What earlier lists add up to, and how many elements they have, where it is the number. */
function totalDerivations(
  value: number | string,
  view: CallView,
  site: string | undefined,
): readonly Derivation[] {
  const equal =
    typeof value === "string"
      ? writtenTotals(value, view, site)
      : aggregates(view, site).filter((each) => each.value === value);
  const asked = equal.filter(({ expression }) => isAskedTotal(expression, view));
  return equal.map((each) => {
    const { expression, said, isListed, isUntested } = each;
    const isAsked = asked.length === 1 && asked.includes(each);
    // That another list or words of the task tell which elements are meant is one reading of these.
    const isCertain = isAsked && equal.length === 1 && !isListed && said.length === 0;
    const why = "it is the total of an earlier list";
    return { expression, isCertain, isLikely: isAsked, isUntested, why, said };
  });
}

/** The total that the task asks for, as a text, where nothing else is the same number. */
function askedTotals(text: string, view: CallView, site: string | undefined): readonly Derivation[] {
  const value = Number(text);
  const isSaid = earlierQuantities(view).some((each) => each.value === value);
  const asked = isSaid ? [] : totalDerivations(text, view, site).filter(({ isLikely }) => isLikely);
  return asked.map((each): Derivation => {
    // What is divided may have more decimals than one wants.
    const isDivided = each.expression.kind === "arithmetic";
    const expression: Expression =
      each.expression.kind === "rounded"
        ? each.expression
        : { kind: "cast", of: each.expression, to: "string" };
    // Small numbers are equal by chance.
    return Object.assign(each, { expression, isCertain: each.isCertain && value > 9 && !isDivided });
  });
}

/** Dates and numbers that stand at fixed places of earlier results, and the numbers of the round. */
function earlierQuantities({
  sample,
  names,
  before,
  scope,
}: CallView): readonly { readonly expression: Expression; readonly value: Json }[] {
  const earlier = sample.valueIndex.quantities.flatMap(({ step, path, value }) => {
    const name = names[step];
    if (step >= before || name === undefined) return [];
    return [{ expression: fieldExpression({ kind: "ref", name }, path.map(String)), value }];
  });
  const ofRound = scope.flatMap(({ name, value }) =>
    numberPaths(value, []).map((path) => ({
      expression: fieldExpression({ kind: "ref", name }, path),
      value: valueAt(value, path) ?? null,
    })),
  );
  return [...ofRound, ...earlier];
}

// --- texts

const MAX_MARK = 12;
const MIN_WORD = 3;

/** The words of what a run was asked for: another run is asked for others. */
function givenWords({ sample, call }: CallView): ReadonlySet<string> {
  const words = sample.trace.calls
    .slice(0, call)
    .flatMap(({ args }) => Array.from(jsonLeaves(args), ([, leaf]) => leafText(leaf) ?? ""))
    .flatMap((text) => text.match(/\p{L}+/gu) ?? []);
  return new Set(words.filter((word) => word.length >= MIN_WORD).map((word) => word.toLowerCase()));
}

/** What stands behind the last of these words in a mark, of which the first may be the end of one. */
function withoutWords(mark: string, words: ReadonlySet<string>): string {
  const known = [...mark.matchAll(/\p{L}+/gu)].findLast(({ 0: text, index }) => {
    const word = text.toLowerCase();
    return index > 0 ? words.has(word) : [...words].some((each) => each.endsWith(word));
  });
  return known ? mark.slice(known.index + known[0].length) : mark;
}

/** What a sentence in a list says behind its label. */
function sentenceDerivations(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly Derivation[] {
  return labelledSentences(value, view, place, site, decisionFor).map(({ expression, slots }) => ({
    expression,
    isCertain: false,
    isLikely: true,
    said: slots,
    why: "it is what a sentence says behind its label",
  }));
}

/** A word that stands inside an earlier text, between marks that find it again. */
function substringDerivations(value: string, view: CallView): readonly Derivation[] {
  if (!isSpecific(value)) return [];
  const { sample, names, before } = view;
  const given = givenWords(view);
  return sample.valueIndex.texts(value).flatMap(({ step, path }): readonly Derivation[] => {
    const name = names[step];
    const text = valueAt(sample.steps[step]?.value, path);
    const isFixed = path.every((part) => typeof part === "string");
    if (step >= before || name === undefined || typeof text !== "string" || !isFixed) return [];
    const beside = path.at(-1) === "text" ? [...path.slice(0, -1), "json"] : undefined;
    if (beside && valueAt(sample.steps[step]?.value, beside) !== undefined) return [];
    const at = text.indexOf(value);
    const mark = /[^\p{N}]*$/u.exec(text.slice(Math.max(0, at - MAX_MARK), at))?.[0] ?? "";
    const words = withoutWords(mark, given);
    // The words before a bracket may be what the line says, too.
    const [sign = ""] = /[<({[]$/.exec(mark) ?? [];
    const marks = text.includes("\n") || sign === "" ? [words] : [sign, words];
    const before_ = /^[^\p{L}\p{N}]{1,3}/u.exec(text.slice(at + value.length))?.[0] ?? "";
    const after = marks.find((each) => (each !== "" || at === 0) && textPart(text, each, before_) === value);
    if (after === undefined) return [];
    const of = fieldExpression({ kind: "ref", name }, path.map(String));
    return [
      {
        expression: { kind: "part", of, after, before: before_ },
        isCertain: true,
        why: "it stands inside an earlier text",
      },
    ];
  });
}
