import { compareTexts } from "../../../core/text/compare-texts.ts";
import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { CENTS, sumOf, textsInCents } from "../../plan/quantities.ts";
import { jsonLeaves, type TaskText, valueAt } from "../../plan/values.ts";
import { mustBeSorted } from "./sorted-lists.ts";
import { inOneUnit, numberPaths } from "../selection/aggregates.ts";

/** Those of a list that say the same, as one of each. */
interface CountedGroups {
  readonly list: readonly Json[];
  readonly expression: Expression;
  /** What each says, how many there are of it, and what these add up to, as texts have it. */
  readonly fields: readonly { readonly expression: Expression; readonly texts: readonly string[] }[];
}

const MIN_ELEMENTS = 3;
const MAX_PATHS = 20;

/**
 * The groups of a list whose names a text has, where some are more than others. The names stand in the order in which the
 * list has them: where that could be another one (by name, or the greatest amount first), only if the task says so.
 */
export function countedGroups(
  text: string,
  elements: readonly Json[],
  of: Expression,
  task: TaskText,
  item: string,
): readonly CountedGroups[] {
  const { groupOrder } = task;
  const isSorted = mustBeSorted(task);
  const isOfLines = text.includes("\n") && /\d/.test(text);
  if (!isOfLines || elements.length < MIN_ELEMENTS) return [];
  const each: Expression = { kind: "ref", name: item };
  return namePaths(elements).flatMap((by): readonly CountedGroups[] => {
    const groups = Map.groupBy(elements, (element) => textAt(element, by));
    const names = [...groups.keys()];
    if (groups.size < 2 || groups.size === elements.length || !names.every((name) => text.includes(name)))
      return [];
    const members = [...groups.values()];
    const counts = members.map((own) => own.length);
    const own = fieldExpression(each, ["elements"]);
    const sums = numberPaths(elements[0] ?? null, []).flatMap((path) => {
      const totals = members.map((group) => sumOf(group.map((element) => valueAt(element, path) ?? null)));
      if (!totals.every((total) => total !== undefined)) return [];
      const value = fieldExpression({ kind: "ref", name: "member" }, path);
      const list: Expression =
        path.length === 0 ? own : { kind: "map", over: inOneUnit(elements, own), item: "member", value };
      return [{ expression: { kind: "aggregate", operator: "sum", of: list } as const, totals }];
    });
    const count = { expression: { kind: "aggregate", operator: "count", of: own } as const, totals: counts };
    const isListed = groupOrder === "listed";
    const isByName = names.toSorted(compareTexts).join() === names.join();
    const amounts = [count, ...sums.filter(({ totals }) => totals.join() !== counts.join())].filter(
      ({ totals }) => new Set(totals).size > 1,
    );
    if (amounts.length === 0) return [];
    const named = { expression: fieldExpression(each, ["name"]), texts: names };
    const whole: Expression = { kind: "groups", in: of, by };
    if (isSorted && task.ordersByAmount) return amounts.map((amount) => byAmount(whole, named, amount, item));
    if (isSorted ? !task.ordersByName : isByName && !isListed) return [];
    const list = [...groups].map(([name, group]) => ({ name, elements: group }));
    const clear = amounts.filter((amount) => isSorted || isListed || !isFalling(amount));
    return [{ list, expression: whole, fields: [named, ...clear.flatMap(writtenAmounts)] }];
  });
}

type GroupField = CountedGroups["fields"][number];

interface Amount {
  readonly expression: Expression;
  readonly totals: readonly number[];
}

/** Numbers as they are, and in cents where that is another text: `850.00`. */
function writtenAmounts({ expression, totals }: Amount): readonly GroupField[] {
  const texts = totals.map(String);
  const inCents = textsInCents(totals);
  const rounded: Expression = { kind: "rounded", of: expression, decimals: CENTS };
  const isOther = inCents !== undefined && inCents.join() !== texts.join();
  return [{ expression, texts }, ...(isOther ? [{ expression: rounded, texts: inCents }] : [])];
}

/** What groups add up to, or how many they are, beside their names, so that they can stand in the order of that. */
function byAmount(of: Expression, named: GroupField, amount: Amount, item: string): CountedGroups {
  const each: Expression = { kind: "ref", name: item };
  const fields = [
    { name: "name", value: named.expression },
    { name: AMOUNT, value: amount.expression },
  ];
  return {
    list: named.texts.map((name, nth) => ({ name, [AMOUNT]: amount.totals[nth] ?? null })),
    expression: { kind: "map", over: of, item, value: { kind: "object", fields } },
    fields: [named, ...writtenAmounts({ ...amount, expression: fieldExpression(each, [AMOUNT]) })],
  };
}

const AMOUNT = "amount";

/** Whether a part of a line is what a group has as its number or sum. */
export function isAmount(part: Expression): boolean {
  if (part.kind === "rounded") return isAmount(part.of);
  return part.kind === "aggregate" || (part.kind === "field" && part.path.join() === AMOUNT);
}

function isFalling({ totals }: Amount): boolean {
  return totals.every((total, nth) => nth === 0 || total <= (totals[nth - 1] ?? 0));
}

/** Where all elements of a list have a text. */
function namePaths(elements: readonly Json[]): readonly (readonly string[])[] {
  return [...jsonLeaves(elements[0] ?? null)]
    .slice(0, MAX_PATHS)
    .flatMap(([path]) => (path.every((part) => typeof part === "string") ? [path] : []))
    .filter((path) => elements.every((element) => textAt(element, path) !== ""));
}

function textAt(element: Json, path: readonly string[]): string {
  const value = valueAt(element, path);
  return typeof value === "string" ? value : "";
}
