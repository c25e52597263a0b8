import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Condition, Expression } from "../../plan/plan.ts";
import { CENTS, calculated, roundedText, sumOf } from "../../plan/quantities.ts";
import { isMap, leafText, type TaskText, valueAt } from "../../plan/values.ts";
import {
  kindsTogether,
  saidKinds,
  type Separation,
  separations,
} from "../../recording/elements/separations.ts";
import type { SampleStep } from "../../recording/sample-step.ts";
import type { CallView, SlotValue } from "../flow-candidates.ts";
import { mayHaveFailed, partedByFailure } from "./failed-rounds.ts";
import { askedOfStep } from "../../recording/elements/spoken-lists.ts";
import { isOfOneSign, knownLists } from "./known-lists.ts";
import { type BesideList, comparisons, ownComparisons } from "./comparisons.ts";
import { memberships } from "./memberships.ts";
import { separatingCondition, siteOfNth } from "./filters.ts";

/** A number that a list tells. */
interface Aggregate {
  readonly expression: Expression;
  readonly value: number;
  /** The same for what the same fields of the same list tell, whichever elements are meant. */
  readonly basis: string;
  /** What the caller says of the elements that are meant. */
  readonly said: readonly SlotValue[];
  /** Another list tells which elements are meant. */
  readonly isListed: boolean;
  /** It is the whole list, of which the task says something that holds for all. */
  readonly isSaidOfAll?: boolean;
  /** All that the other list has is in one state. */
  readonly isUntested: boolean;
}

/** Whichever elements it is of. */
type Total = Omit<Aggregate, "isListed" | "isUntested">;

const MAX_DEPTH = 4;
const MAX_FACTORS = 6;

/**
 * What the lists that are known before a call add up to, field by field and product by product, and how many elements they
 * have: those of which the task speaks, all of them, and those that are of the kind of which all are.
 */
export function aggregates(view: CallView, site = ""): readonly Aggregate[] {
  const lists = knownLists(view, site);
  const parted = lists.flatMap((known) => {
    const isOfRounds = known.step?.kind === "loop" && known.step.value === known.list;
    return isOfRounds && mayHaveFailed(known.step, view.sample.task) ? partedByFailure(known, []) : [];
  });
  const { asksAverage, asksShare } = view.sample.task;
  return [...lists, ...parted].flatMap((known) => {
    const { list, expression, step, said: around = [] } = known;
    return chosenParts(list, view, site, step).flatMap((part) => {
      const { elements, isUntested = false } = part;
      const isListed = part.isListed === true || isOfOneSign(known, view);
      const said = [...around, ...part.said];
      const own = aggregatesOf(elements, meantPart(expression, part), said, part.where !== undefined);
      const averages = asksAverage ? averagesOf(own) : [];
      const shares = asksShare && elements !== list ? shareOf(own, list, expression) : [];
      return [...own, ...averages, ...shares].map((found) =>
        Object.assign(found, { basis: JSON.stringify([expression, found.basis]), isListed, isUntested }),
      );
    });
  });
}

/** The totals that a text is, as it has them. */
export function writtenTotals(text: string, view: CallView, site: string | undefined): readonly Aggregate[] {
  return aggregates(view, site).flatMap((each) => {
    const expression = isInCents(each, text)
      ? { kind: "rounded" as const, of: each.expression, decimals: CENTS }
      : writtenTotal(each, text, view.sample.task);
    return expression ? [Object.assign(each, { expression })] : [];
  });
}

/** Whether a sum is written with two decimals, as money is, though as a number it has fewer. */
function isInCents({ expression, value }: Pick<Aggregate, "expression" | "value">, text: string): boolean {
  const isSum = expression.kind === "aggregate" && expression.operator === "sum";
  return isSum && /\.\d0$/.test(text) && Number(text) === value && roundedText(value, CENTS) === text;
}

/** How a total stands in a text: as it is, or with as many decimals as there where it is an average or a share. */
function writtenTotal(
  { expression, value }: Pick<Aggregate, "expression" | "value">,
  text: string,
  task: TaskText,
): Expression | undefined {
  const isExact = String(value) === text;
  if (expression.kind !== "arithmetic" || (isExact && !task.asksRounding))
    return isExact ? expression : undefined;
  const { length: decimals } = /(?<=\.)\d+$/.exec(text)?.[0] ?? "";
  return roundedText(value, decimals) === text ? { kind: "rounded", of: expression, decimals } : undefined;
}

/** Elements of a list that may be meant. */
export interface ListPart {
  readonly elements: readonly Json[];
  readonly where?: readonly Condition[];
  /** What makes it of the list, where what another list says of each element tells which they are. */
  readonly pick?: (list: Expression) => Expression;
  /** What that list has of each of them. */
  readonly beside?: BesideList;
  readonly said: readonly SlotValue[];
  /** Another list tells which they are. */
  readonly isListed?: boolean;
  /** It is the whole list, of which the task says something that holds for all. */
  readonly isSaidOfAll?: boolean;
  /** All that the other list has is in one state. */
  readonly isUntested?: boolean;
}

/** A part of a list. */
export function meantPart(list: Expression, { where, pick }: Pick<ListPart, "where" | "pick">): Expression {
  if (pick) return pick(list);
  return where ? { kind: "filter", in: list, where } : list;
}

/** Those of which another list tells, as the task says, or of which the task says several things, or something, all, and those of the kind of which all are. */
export function chosenParts(
  list: readonly Json[],
  view: CallView,
  site: string,
  step: SampleStep | undefined,
): readonly ListPart[] {
  if (list.length < 2) return [];
  const { task, trace } = view.sample;
  const asked = step && askedOfStep(step, trace.calls);
  const { all, some } = kindsOf(list, task);
  const toldPart = (told: readonly Separation[], elements: readonly Json[]): ListPart => {
    const conditions = told.map((each, nth) =>
      separatingCondition(each, [], siteOfNth(told, nth, site), () => undefined),
    );
    return {
      elements,
      where: conditions.map(({ condition }) => condition),
      said: conditions.flatMap(({ slots }) => slots),
    };
  };
  // The unit of a limit (`4000 euros or less`) is no state of what is meant.
  const units = task.limits().filter(({ operators }) => operators !== undefined);
  const isUnit = (value: Json): boolean =>
    units.some((limit) => typeof value === "string" && task.mentions(`${limit.value} ${value}`));
  const wholes = all.filter(({ value }) => asked?.has(leafText(value) ?? "") !== true && !isUnit(value));
  const [said = [], others = []] = [true, false].map((isSaid) =>
    wholes.filter((each) => each.isSaid === isSaid),
  );
  const single = some.map(({ separation, chosen }) => ({ told: [separation], chosen }));
  const listed = memberships(list, view).filter((each) => each.isSaid && !each.isLoose);
  const at = (chosen: readonly number[]): readonly Json[] => chosen.map((index) => list[index] ?? null);
  const picked = ({
    chosen,
    ...part
  }: Pick<ListPart, "pick" | "beside" | "isUntested"> & {
    readonly chosen: readonly number[];
  }): ListPart => ({
    ...part,
    elements: at(chosen),
    said: [],
    isListed: true,
  });
  return [
    ...listed.map(({ pick, chosen, isUntested }) => picked({ pick, chosen, isUntested })),
    ...comparisons(list, view).map(picked),
    ...ownComparisons(list, view).map(picked),
    ...[...kindsTogether(some, said), ...single].map(({ told, chosen }) => toldPart(told, at(chosen))),
    ...said.map((each) => Object.assign(toldPart([each], list), { isSaidOfAll: true })),
    { elements: list, said: [] },
    ...others.map((each) => toldPart([each], list)),
  ];
}

interface Kinds {
  readonly task: TaskText;
  /** What holds for all elements of a list. */
  readonly all: readonly Separation[];
  /** What holds for some. */
  readonly some: ReturnType<typeof saidKinds>;
}

/** The kinds of elements of a list, which are the same for all arguments of a run. */
function kindsOf(list: readonly Json[], task: TaskText): Kinds {
  const known = kinds.get(list);
  if (known?.task === task) return known;
  const all = separations(list, [...list.keys()], task, () => false);
  const found: Kinds = { task, all, some: saidKinds(list, task) };
  kinds.set(list, found);
  return found;
}

const kinds = new WeakMap<readonly Json[], Kinds>();

function aggregatesOf(
  elements: readonly Json[],
  of: Expression,
  said: readonly SlotValue[],
  isOfSome: boolean,
): readonly Total[] {
  const [first = null] = elements;
  const some = isOfSome ? { isOfSome } : {};
  const paths = numberPaths(first, []);
  const terms = paths.map((path) => ({
    expression: fieldExpression(EACH, path),
    valueIn: (each: Json): Json | undefined => valueAt(each, path),
  }));
  const factors = terms.slice(0, MAX_FACTORS);
  const products = factors.flatMap((left, index) =>
    factors.slice(index + 1).map((right) => ({
      expression: {
        kind: "arithmetic",
        operator: "*",
        left: left.expression,
        right: right.expression,
      } as const,
      valueIn: (each: Json): Json | undefined => calculated(left.valueIn(each), "*", right.valueIn(each)),
    })),
  );
  const alike = inOneUnit(elements, of);
  const sums = [...terms, ...products].flatMap(({ expression, valueIn }): readonly Total[] => {
    const value = sumOf(elements.map((each) => valueIn(each) ?? null));
    const over: Expression =
      expression.kind === "ref" ? of : { kind: "map", over: alike, item: "each", value: expression };
    const sum: Expression = { kind: "aggregate", operator: "sum", of: over, ...some };
    return value === undefined ? [] : [{ expression: sum, value, basis: JSON.stringify(expression), said }];
  });
  const count: Expression = { kind: "aggregate", operator: "count", of, ...some };
  return [...sums, { expression: count, value: elements.length, basis: "count", said }];
}

/** What the numbers of elements are on average. */
function averagesOf(totals: readonly Total[]): readonly Total[] {
  const count = totals.at(-1);
  return totals.slice(0, -1).flatMap((total): readonly Total[] => {
    const value = calculated(total.value, "/", count?.value);
    if (!count || value === undefined) return [];
    const expression: Expression = {
      kind: "arithmetic",
      operator: "/",
      left: total.expression,
      right: count.expression,
    };
    return [{ ...total, expression, value, basis: `average ${total.basis}` }];
  });
}

/** How many of a hundred elements of a list some are. */
function shareOf(totals: readonly Total[], list: readonly Json[], whole: Expression): readonly Total[] {
  const count = totals.at(-1);
  const value = calculated((count?.value ?? 0) * 100, "/", list.length);
  if (!count || value === undefined) return [];
  const all: Expression = { kind: "aggregate", operator: "count", of: whole };
  const hundred: Expression = { kind: "constant", value: 100 };
  const left: Expression = { kind: "arithmetic", operator: "*", left: count.expression, right: hundred };
  const expression: Expression = { kind: "arithmetic", operator: "/", left, right: all };
  return [{ ...count, expression, value, basis: "share" }];
}

const EACH: Expression = { kind: "ref", name: "each" };

/** The elements, all of which have the same currency or unit where they say one: others cannot be added up. */
export function inOneUnit(elements: readonly Json[], of: Expression): Expression {
  const [first = null] = elements;
  const unit = isJsonObject(first) ? Object.keys(first).find((key) => UNIT.test(key)) : undefined;
  const isOfAll = unit !== undefined && elements.every((each) => typeof valueAt(each, [unit]) === "string");
  if (!isOfAll) return of;
  const value = fieldExpression(EACH, [unit]);
  const only: Expression = { kind: "only", in: { kind: "map", over: of, item: "each", value } };
  return { kind: "filter", in: of, where: [{ path: [unit], equals: only }] };
}

const UNIT = /^(?:currency|curr|ccy|units?|uom|währung|waehrung|einheit|devise|moneda|valuta)$/i;

/** Where numbers stand in a record. */
export function numberPaths(value: Json, path: readonly string[]): readonly (readonly string[])[] {
  if (typeof value === "number") return [path];
  if (!isJsonObject(value) || path.length >= MAX_DEPTH || isMap(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => numberPaths(each, [...path, key]));
}
