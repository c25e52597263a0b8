import { takingsOf } from "./lists/taken-lists.ts";
import { fieldExpression, substituteSlot } from "../plan/expression.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { nameWords, singular } from "../plan/names.ts";
import type { Expression, Origin, TracePath } from "../plan/plan.ts";
import type { ValueOccurrence } from "../recording/value-index.ts";
import { soundsReading } from "../plan/tool-effects.ts";
import { listsIn } from "../recording/elements/joined-elements.ts";
import type { Sample } from "../recording/sample.ts";
import { placeInCalls } from "../recording/sample-step.ts";
import {
  type Extreme,
  type KnownValues,
  NO_KNOWN_VALUES,
  type Selection,
} from "./selection/element-selectors.ts";
import { beginningOf } from "./made/sentence-beginnings.ts";
import { isInText, selectionPaths } from "./selection/selection-paths.ts";
import { numberFrom } from "../plan/quantities.ts";
import {
  isEntityName,
  isLeaf,
  isSame,
  isSpecific,
  isTag,
  leafText,
  jsonLeaves,
  type Path,
  type TaskText,
  valueAt,
} from "../plan/values.ts";
import { areDayNames } from "../texts/written-values.ts";
import { isOfSaidLabel } from "./told/listed-labels.ts";
import { WEIGHTS } from "./weights.ts";

/** One way in which a value could have come about. */
export interface Candidate {
  /** Slots stand in it as parameters. */
  readonly expression: Expression;
  readonly score: number;
  readonly slots: readonly SlotValue[];
  readonly why: string;
  /** The place in the results, as text. */
  readonly place: string;
  /** From 0 to 3: how much the names of the argument and of the place are alike. */
  readonly affinity: number;
  /** Whether more than an equal number speaks for it: a like name, or a place of its own in a result. */
  readonly isNear: boolean;
  /** A line of a text says it by words around it, and nothing else that was answered is equal. */
  readonly isSaidOnce?: boolean | undefined;
  /** It stands below a heading that the task does not say: other texts need not have the same. */
  readonly isBelowHeading?: boolean | undefined;
  /** It is found by what another place tells, which the task does not say. */
  readonly isFoundByTold?: boolean | undefined;
  /** It is in the only element of a list, which is found by its kind alone, or in a relation of whatever type. */
  readonly isUntested?: boolean | undefined;
  /** Another one is alike, but stops where this one passes over something. */
  readonly isLoose?: boolean | undefined;
  /** It is in one of what an act told of another thing than the call is about. */
  readonly isOfOtherThing?: boolean | undefined;
  readonly extreme?: Extreme | undefined;
}

/** A value that the caller must supply, as one sample has it. */
export interface SlotValue {
  readonly slot: string;
  readonly field: string;
  readonly value: Json;
  readonly origins: readonly Origin[];
  /** The caller may leave it out. */
  readonly isOptional: boolean;
  /** It is the heading of a part of a text. */
  readonly isHeading?: boolean | undefined;
  /** It is the same where the caller leaves it out. */
  readonly isDefault?: boolean | undefined;
}

/** Whether the task says a value as it is, or as a heading of a text in whatever letters, as words of their own. */
export function isSaidSlot({ value, isHeading }: SlotValue, task: TaskText): boolean {
  return isHeading === true ? task.mentions(value) : task.says(value);
}

/** From where an argument is looked at: a call of a sample, in a loop one round of it. */
export interface CallView {
  readonly sample: Sample;
  /** The sample's number. */
  readonly nth: number;
  readonly call: number;
  /** Only steps before this one can be sources. */
  readonly before: number;
  /** The steps' names, where they are part of the plan. */
  readonly names: readonly (string | undefined)[];
  /** What steps that are loops go over, where they are part of the plan. */
  readonly overs: readonly (Expression | undefined)[];
  /** What is known in this round alone: the element, and the results of the round's calls so far. */
  readonly scope: readonly { readonly name: string; readonly value: Json }[];
}

/** The expression of a value that has been decided on already, if there is one. */
export type DecisionLookup = (view: CallView, value: Json) => Expression | undefined;

const MAX_CANDIDATES = 60;

/** The best place that a value could come from where the task says all that a caller has to give for it. */
export function saidFlow(...asked: Parameters<typeof flowCandidates>): Candidate | undefined {
  const [, view] = asked;
  return flowCandidates(...asked).find(({ slots }) =>
    slots.every((slot) => isSaidSlot(slot, view.sample.task)),
  );
}

/** Where a value could come from: the round's own values and the results of earlier steps. The best first. */
export function flowCandidates(
  value: Json,
  view: CallView,
  place: TracePath,
  site: string,
  decisionFor: DecisionLookup,
): readonly Candidate[] {
  if (hasSoManyLines(value, view)) return [];
  const found = [
    ...scopeFlows(value, view, place, site),
    ...stepFlows(value, view, place, site, decisionFor, false),
  ];
  return found
    .filter(({ place: at }) => !isOfSaidThing(at, view))
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_CANDIDATES);
}

/** Whether a text has as many lines as the task says that are taken: a whole text that has no more has them by chance. */
function hasSoManyLines(value: Json, view: CallView): boolean {
  const lines = typeof value === "string" && value.includes("\n") ? value.trim().split("\n") : [];
  return lines.length > 1 && takingsOf(view).some(({ count }) => count === lines.length);
}

/** Whether a place in the results is behind a label that is a thing which the task says. */
function isOfSaidThing(place: string, { sample, names }: CallView): boolean {
  if (!place.includes('"fields"')) return false;
  const [name, ...path] = JSON.parse(place) as readonly [string, ...Path];
  return isOfSaidLabel(path, sample.steps[names.indexOf(name)]?.value, sample.task);
}

/** The places in results of earlier steps where a value stands in an element that has the least or the most of all. */
export function extremeCandidates(
  value: Json,
  view: CallView,
  place: TracePath,
  site: string,
  decisionFor: DecisionLookup,
): readonly Candidate[] {
  const { task } = view.sample;
  return stepFlows(value, view, place, site, decisionFor, true).filter(
    ({ extreme, slots }) =>
      extreme !== undefined && slots.every((slot) => isLeaf(slot.value) && task.mentions(slot.value)),
  );
}

function scopeFlows(value: Json, view: CallView, place: TracePath, site: string): readonly Candidate[] {
  return view.scope.flatMap(({ name, value: source }, index) => {
    const base: Expression = { kind: "ref", name };
    return placesIn(source, value).flatMap((path) =>
      selectionPaths(base, source, path, false, NO_KNOWN_VALUES, site)
        .filter(({ keys }) => keys.length === 0)
        .flatMap(
          (way) =>
            candidate(
              way,
              value,
              valueAt(source, path),
              place,
              WEIGHTS.scoreOfRound + index,
              path,
              [],
              true,
              name,
            ) ?? [],
        ),
    );
  });
}

function placesIn(source: Json, value: Json): readonly Path[] {
  if (!isLeaf(value)) return isSame(source, value) ? [[]] : [];
  const text = leafText(value);
  if (text === undefined) return [];
  const places: Path[] = [];
  for (const [path, leaf] of jsonLeaves(source)) {
    if (leafText(leaf) === text) places.push(path);
    if (places.length === 8) break;
  }
  return places;
}

function stepFlows(
  value: Json,
  view: CallView,
  place: TracePath,
  site: string,
  decisionFor: DecisionLookup,
  withExtremes: boolean,
): readonly Candidate[] {
  const { sample, names, before } = view;
  const limits = withExtremes ? saidLimits(sample.task) : [];
  const known = { ...knownTo(view, decisionFor), withExtremes, limits };
  const occurrences = sample.valueIndex.of(value);
  return occurrences.flatMap((occurrence) => {
    const name = names[occurrence.step];
    const step = sample.steps[occurrence.step];
    if (occurrence.step >= before || name === undefined || !step) return [];
    const source = occurrence.isKey ? String(occurrence.path.at(-1)) : valueAt(step.value, occurrence.path);
    const recency = (WEIGHTS.scoreOfRecency * (occurrence.step + 1)) / Math.max(1, before);
    const base: Expression = { kind: "ref", name };
    const related = (key: Json): DecidedWay | undefined =>
      relatedWay(key, occurrence.step, view, place, site, decisionFor);
    // In the list of which the round has an element nothing has to be found by that.
    const lists = view.scope.length > 0 ? listsIn([step.value]) : [];
    const elements = view.scope.filter((each) => !lists.some((list) => list.includes(each.value)));
    const knownValues: KnownValues = {
      ...known,
      isRelated: (key) => related(key) !== undefined,
      isOfRound: (key, field) =>
        elements.some((each) => placesIn(each.value, key).some((path) => isSameField(path, [field]))),
    };
    const ways = selectionPaths(base, step.value, occurrence.path, occurrence.isKey, knownValues, site);
    return ways
      .flatMap((way) => decidedWays(way, view, occurrence, place, decisionFor, related))
      .flatMap(({ slots, isBelowHeading, isFoundByTold, ...way }) => {
        const isLatest = occurrence.step === before - 1 || occurrences.length === 1;
        const found = candidate(way, value, source, place, recency, occurrence.path, slots, isLatest, name);
        const isSaid = isOnlySaid(step.value, occurrence.path);
        const isNear = found?.isNear === true || (isLatest && isSaid);
        const isSaidOnce = (isSaid || isInText(step.value, occurrence.path)) && occurrences.length === 1;
        const isOfOtherThing =
          slots.length > 0 && step.kind === "call" && isOnOtherThing(step.call, view, place);
        return found ? [{ ...found, isNear, isSaidOnce, isBelowHeading, isFoundByTold, isOfOtherThing }] : [];
      });
  });
}

/** Whether an earlier call acts on another thing: an argument that both have as their own names different ones. */
function isOnOtherThing(earlier: number, { sample, call }: CallView, { path: [own] }: TracePath): boolean {
  const { calls } = sample.trace;
  const { tool = "", args = {} } = calls[earlier] ?? {};
  const { args: others = {} } = calls[call] ?? {};
  if (!sample.mayWrite(tool) || soundsReading(tool)) return false;
  const [about, value] = Object.entries(args).find(([, each]) => isLeaf(each) && isEntityName(each)) ?? [];
  const other = about === undefined || about === own ? undefined : others[about];
  return other !== undefined && isLeaf(other) && isEntityName(other) && other !== value;
}

/** Whether a place is in a line of a text that is the only one of its kind. */
function isOnlySaid(value: Json, path: Path): boolean {
  const list = path.at(-4) === "blocks" ? valueAt(value, path.slice(0, -2)) : undefined;
  return path.at(-3) === "blocks" || (Array.isArray(list) && list.length === 1);
}

/** Numbers, days and times of which the task says how something compares to each. */
function saidLimits(task: TaskText): KnownValues["limits"] {
  return [...task.limits(), ...task.dayLimits(), ...task.timeLimits()].flatMap(({ value, operators }) => {
    const [operator, ...others] = operators ?? [];
    return operator === undefined || others.length > 0 ? [] : [{ value, operator }];
  });
}

function knownTo(view: CallView, decisionFor: DecisionLookup): KnownValues {
  const { task, lastUses } = view.sample;
  return {
    isGiven: (key) =>
      decisionFor(view, key) !== undefined ||
      (isEntityName(key) && view.scope.some(({ value }) => value === key)),
    isMentioned: (key) => task.mentions(key),
    saidPartsOf: (text) => task.saidPartsOf(text),
    isOfRound: () => false,
    isRelated: () => false,
    beginningOf: (text) => beginningOf(text, task, view.sample.trace.calls.slice(view.call)),
    isActedOn: (key) => (lastUses.get(leafText(key) ?? "") ?? -1) >= view.call,
    isChosenKey: (object, path, key) =>
      path.some((part) => part === "fields" || part === "yaml" || part === "json") &&
      task.mentions(key) &&
      areAlike(object),
    positions: task.positions,
    positionsInTexts: task.positionsInTexts,
    limits: [],
    withExtremes: false,
  };
}

/** Whether all that an object has is of one kind: numbers, records with the same fields, or something for each day or month. */
function areAlike(object: JsonObject): boolean {
  const kinds = Object.values(object).map((value) =>
    isJsonObject(value) ? Object.keys(value).toSorted().join("\n") : typeof value,
  );
  const isOfDays = kinds[0] === "string" && areDayNames(Object.keys(object));
  return kinds.length > 1 && new Set(kinds).size === 1 && (kinds[0] !== "string" || isOfDays);
}

/** The ways to a place in what a step gave, with given values in them. */
export function pathCandidates(
  step: number,
  path: Path,
  view: CallView,
  place: TracePath,
  site: string,
  decisionFor: DecisionLookup,
): readonly Candidate[] {
  const name = view.names[step];
  const value = view.sample.steps[step]?.value;
  if (name === undefined || value === undefined) return [];
  const knownValues = knownTo(view, decisionFor);
  const ways = selectionPaths({ kind: "ref", name }, value, path, false, knownValues, site);
  const isMapThere = isJsonObject(valueAt(value, path));
  const decided = ways.flatMap((way) =>
    decidedWays(way, view, { step, path, isKey: false }, place, decisionFor),
  );
  return decided.map(({ expression, slots, isBelowHeading, ...way }) => {
    const list: Expression = isMapThere ? { kind: "entries", of: expression } : expression;
    return {
      expression: list,
      slots,
      isBelowHeading,
      score: WEIGHTS.scoreOfFlow - way.cost,
      why: way.why.join("; "),
      place: pathKey(name, path),
      affinity: 0,
      isNear: true,
    };
  });
}

/** A way with what is known in place of its slots. */
interface DecidedWay extends Pick<Candidate, "slots" | "isBelowHeading" | "isFoundByTold"> {
  readonly expression: Expression;
  readonly cost: number;
  readonly why: readonly string[];
  readonly extreme?: Extreme | undefined;
  readonly isUntested?: boolean | undefined;
}

/** The way with what is known in place of its slots; where another place tells that, also without. */
function decidedWays(
  selection: Selection,
  view: CallView,
  occurrence: ValueOccurrence,
  place: TracePath,
  decisionFor: DecisionLookup,
  related?: (value: Json) => DecidedWay | undefined,
): readonly DecidedWay[] {
  // What relates an element to one of another answer is an id, which nobody says.
  if (selection.keys.some(({ isRelation }) => isRelation))
    return waysWith(selection, view, occurrence, place, decisionFor, related);
  const own = waysWith(selection, view, occurrence, place, decisionFor);
  const told = waysWith(
    selection,
    view,
    occurrence,
    place,
    (at, value) => decisionFor(at, value) ?? toldElsewhere(at, value),
  );
  const isSame = JSON.stringify(own) === JSON.stringify(told);
  return isSame
    ? own
    : [
        ...told.map((way) => Object.assign(way, { isFoundByTold: true })),
        ...own.map((way) => Object.assign(way, { cost: way.cost + WEIGHTS.costOfAnotherCondition })),
      ];
}

/** The way to an id in another answer, where it stands once: as that of an element which is found by what the task says. */
function relatedWay(
  value: Json,
  except: number,
  view: CallView,
  place: TracePath,
  site: string,
  decisionFor: DecisionLookup,
): DecidedWay | undefined {
  const { sample, names, before } = view;
  if (typeof value !== "string" || !ID.test(value) || sample.task.mentions(value)) return undefined;
  const [found, ...others] = sample.valueIndex
    .of(value)
    .filter(({ step, isKey }) => step < before && step !== except && !isKey);
  const name = names[found?.step ?? -1];
  const source = sample.steps[found?.step ?? -1]?.value;
  if (!found || name === undefined || source === undefined || others.length > 0) return undefined;
  if (!OWN_ID.test(String(found.path.at(-1)))) return undefined;
  const base: Expression = { kind: "ref", name };
  const ways = selectionPaths(base, source, found.path, false, knownTo(view, decisionFor), site);
  const said = ways.find(
    ({ keys, isUntested }) =>
      keys.length > 0 && isUntested !== true && keys.every((key) => sample.task.mentions(key.value)),
  );
  return said && waysWith(said, view, found, place, decisionFor)[0];
}

const ID = /^(?=.*(?:[\p{N}_-]|\p{Ll}\p{Lu}))\S{4,}$/u;
const OWN_ID = /^_?(?:id|uuid|guid|key|code|number)$/i;

/** The only fixed place of earlier results at which a name or id stands that the task does not say. */
function toldElsewhere({ sample, names, before }: CallView, value: Json): Expression | undefined {
  if (typeof value !== "string" || !isEntityName(value) || sample.task.mentions(value)) return undefined;
  const [found, ...others] = sample.valueIndex
    .of(value)
    .filter(
      ({ step, path, isKey }) => step < before && !isKey && path.every((part) => typeof part === "string"),
    );
  const name = names[found?.step ?? -1];
  return !found || name === undefined || others.length > 0
    ? undefined
    : fieldExpression({ kind: "ref", name }, found.path.map(String));
}

/** The way with given values in place of its slots; a heading that the task does not say may be the same in all texts. */
function waysWith(
  { keys, ...way }: Selection,
  view: CallView,
  occurrence: ValueOccurrence,
  place: TracePath,
  decisionFor: DecisionLookup,
  related?: (value: Json) => DecidedWay | undefined,
): readonly DecidedWay[] {
  const { task, steps } = view.sample;
  const step = steps[occurrence.step];
  // A label that the task says is rather the thing that is meant than what is said of one.
  const label = occurrence.path.at(-2) === "fields" ? String(occurrence.path.at(-1)) : "";
  const saidLabel = label !== "" && task.says(label) && task.mentions(label) ? WEIGHTS.costOfUniqueName : 0;
  const cost = way.cost + saidLabel;
  const slots: SlotValue[] = [];
  const headings: SlotValue[] = [];
  let { expression } = way;
  for (const { slot, field, value, path, isOptional, isForm, isRelation, isLimit } of keys) {
    if (isLimit === true) {
      slots.push({ slot, field, value, origins: [], isOptional });
      continue;
    }
    const other = isRelation === true ? related?.(value) : undefined;
    if (other) {
      expression = substituteSlot(expression, slot, other.expression);
      slots.push(...other.slots);
      continue;
    }
    const isHeading =
      isHeadingAt(step?.value, path) || (!task.mentions(value) && isKindAt(step?.value, path));
    const known = isHeading
      ? undefined
      : ((isSign(value) || isForm === true) && !task.mentions(value)) ||
          (isOnlyMarked(step?.value, path) && !task.says(value))
        ? ({ kind: "constant", value } as const)
        : (ofRound(view, value, path) ?? decisionFor(view, value));
    if (known) {
      expression = substituteSlot(expression, slot, known);
      continue;
    }
    const origin = step && placeInCalls(step, path);
    const origins: readonly Origin[] = origin ? [{ ...origin, at: "result", selects: place }] : [];
    const isDefault = isHeading && task.mentions(value) && !task.says(value);
    const name = isHeading ? "section" : field;
    const said = { slot, field: name, value, origins, isOptional, isHeading, isDefault };
    if (isHeading && !task.mentions(value)) headings.push(said);
    slots.push(said);
  }
  const asked = { ...way, cost, expression, slots };
  if (headings.length === 0 || headings.some(({ value }) => isOfRun(value))) return [asked];
  const constant = headings.reduce<Expression>(
    (made, { slot, value }) => substituteSlot(made, slot, { kind: "constant", value }),
    expression,
  );
  const others = slots.filter((each) => !headings.includes(each));
  return [
    { ...way, cost, expression: constant, slots: others, isBelowHeading: true },
    { ...asked, cost: cost + WEIGHTS.costOfAnotherCondition },
  ];
}

/** Whether a heading is a day, a version or a number as one run has it: another text has others. */
function isOfRun(value: Json): boolean {
  return typeof value === "string" && /\d{3}|\d\.\d/.test(value);
}

/** Whether a value is a sign by which a text marks what it lists, which nobody says. */
function isSign(value: Json): boolean {
  return typeof value === "string" && /^[^\p{L}\p{N}\s]{1,3}$/u.test(value);
}

/** What the elements of a text's list have in a field, of which one stands at a path. */
function columnAt(value: Json | undefined, path: Path): readonly (Json | undefined)[] {
  const index = path.findLastIndex((key) => typeof key === "number");
  const list = value === undefined || index < 0 ? undefined : valueAt(value, path.slice(0, index));
  if (!Array.isArray(list) || value === undefined || !isInText(value, path)) return [];
  return (list as readonly Json[]).map((each) => valueAt(each, path.slice(index + 1)));
}

/** Whether a remark such as `default` stands at a path, where no other element has one. */
function isOnlyMarked(value: Json | undefined, path: Path): boolean {
  const column = columnAt(value, path);
  return column.length > 1 && column.filter((each) => each !== "").length === 1;
}

/** Whether at a path stands a word for a kind of elements, of which there are several and others. */
function isKindAt(value: Json | undefined, path: Path): boolean {
  const column = columnAt(value, path);
  const own = value === undefined ? undefined : valueAt(value, path);
  const isWord = typeof own === "string" && /^(?:\p{Ll}+|\p{Lu}+|\p{Lu}\p{Ll}+)$/u.test(own);
  const count = column.filter((each) => each === own).length;
  return isWord && count > 1 && count < column.length && new Set(column).size <= column.length / 2;
}

/** What the round is about that is a name or id by which it stands elsewhere, too, or is called there as it is here. */
function ofRound({ scope }: CallView, value: Json, at: Path): Expression | undefined {
  const isName = typeof value === "string" && isEntityName(value);
  for (const { name, value: source } of scope) {
    const path = placesIn(source, value).find(
      (each) => each.every((part) => typeof part === "string") && (isName || isSameField(each, at)),
    );
    if (path) return fieldExpression({ kind: "ref", name }, path.map(String));
  }
  return undefined;
}

function isSameField(path: Path, other: Path): boolean {
  return path.length > 0 && typeof path.at(-1) === "string" && path.at(-1) === other.at(-1);
}

/** Whether at a place of an answer stands the title of a part of a text, or a label in a tree or what it stands below. */
function isHeadingAt(value: Json | undefined, path: Path): boolean {
  const [list, , key] = path.slice(-3);
  const isTitle = list === "sections" && key === "title";
  const isLabel =
    list === "tree" &&
    (key === "name" || key === "parent") &&
    valueAt(value, [...path.slice(0, -1), "value"]) !== undefined;
  return (isTitle || isLabel) && typeof valueAt(value, [...path.slice(0, -3), "text"]) === "string";
}

function candidate(
  way: Omit<DecidedWay, "slots">,
  value: Json,
  source: Json | undefined,
  place: TracePath,
  bonus: number,
  path: Path,
  slots: readonly SlotValue[],
  isLatest: boolean,
  name: string,
): Candidate | undefined {
  const expression = castTo(way.expression, source, value);
  if (!expression) return undefined;
  const affinity = nameSimilarity(place.path, path);
  // Prices and counts stand in many elements alike; which one is meant is no matter of the number.
  const isAlone = path.slice(0, -1).every((part) => typeof part === "string");
  const score =
    WEIGHTS.scoreOfFlow +
    affinity * WEIGHTS.scoreOfLikeName +
    bonus -
    way.cost * WEIGHTS.scorePerCost -
    path.length * WEIGHTS.scorePerDepth;
  return {
    expression,
    score,
    slots,
    why: ["it stands in an earlier result", ...way.why].join("; "),
    place: pathKey(name, path),
    affinity,
    extreme: way.extreme,
    isUntested: way.isUntested,
    isNear: isAlone ? affinity > 0 || isLatest || isSpecific(value) : affinity > (isSpecific(value) ? 0 : 2),
  };
}

function pathKey(name: string, path: Path): string {
  return JSON.stringify([name, ...path]);
}

function castTo(expression: Expression, source: Json | undefined, value: Json): Expression | undefined {
  if (source === undefined) return undefined;
  if (isSame(source, value)) return expression;
  if (typeof value === "number" && typeof source === "string" && numberFrom(source) === value)
    return { kind: "cast", of: expression, to: "number" };
  if (typeof value === "string" && typeof source === "number" && String(source) === value)
    return { kind: "cast", of: expression, to: "string" };
  return undefined;
}

/** From 0 to 3: how much the names of an argument and of a result's field are alike. */
export function nameSimilarity(argument: Path, source: Path): number {
  const wanted = fieldWords(argument);
  const found = fieldWords(source);
  if (wanted.length === 0 || found.length === 0) return 0;
  const whole = wanted.join(" ");
  if (whole === found.join(" ") || whole === thingWords(source)) return 3;
  if (wanted.at(-1) === found.at(-1)) return 2;
  return wanted.some((word) => found.includes(word)) ? 1 : 0;
}

/** What an element's own field is called elsewhere: `panel id` is the `id` of one of `panels`. */
function thingWords(path: Path): string | undefined {
  const [list, index, field] = path.slice(-3);
  return typeof list === "string" && typeof index === "number" && OWN_ID.test(String(field))
    ? [...nameWords(singular(list)), ...nameWords(String(field))].join(" ")
    : undefined;
}

function fieldWords(path: Path): readonly string[] {
  const name = path.findLast((part) => typeof part === "string");
  return nameWords(name ?? "").map((word) =>
    word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word,
  );
}

/** Whether a flow is more than chance: small numbers and short words are equal too easily. */
export function isCredible(value: Json, { score, isNear, isSaidOnce, isOfOtherThing }: Candidate): boolean {
  if (isOfOtherThing === true) return false;
  if (typeof value === "boolean" || value === null) return false;
  if (!isLeaf(value)) return true;
  // Who makes up a number takes a round one.
  const isUnlikely =
    typeof value === "number" && Math.abs(value) > 10 && value % (Math.abs(value) < 100 ? 5 : 50) !== 0;
  if (isUnlikely && isSaidOnce === true) return true;
  if (typeof value === "number" && !isNear) return false;
  if (isSpecific(value)) return true;
  const text = leafText(value) ?? "";
  return score >= (text.length < WEIGHTS.minWord ? WEIGHTS.minScoreOfShortWord : WEIGHTS.minScoreOfWord);
}

/** Whether anything in an argument could come from a result. */
export function hasFlow(
  value: Json,
  view: CallView,
  at: { readonly site: string; readonly path: Path; readonly isOfRound: boolean },
  decisionFor: DecisionLookup,
): boolean {
  if (isLeaf(value)) {
    if (typeof value === "boolean" || value === null) return false;
    if (view.sample.task.says(value) && !at.isOfRound) return false;
    if (decisionFor(view, value) !== undefined && isSpecific(value)) return true;
    const place = { call: view.call, path: at.path };
    return flowCandidates(value, view, place, at.site, decisionFor).some((each) => isCredible(value, each));
  }
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object);
  return (entries as readonly [string | number, Json][]).some(
    ([key, each]) =>
      !(isJsonObject(value) && isTag(value, String(key))) &&
      hasFlow(each, view, { ...at, path: [...at.path, key] }, decisionFor),
  );
}

/** Whether the task says every leaf of a value. */
export function taskSays(value: Json, view: CallView | undefined): boolean {
  if (!view) return false;
  if (isLeaf(value)) return value !== null && typeof value !== "boolean" && view.sample.task.says(value);
  const inner = Array.isArray(value) ? (value as readonly Json[]) : Object.values(value as object);
  return inner.length > 0 && inner.every((each) => taskSays(each as Json, view));
}
