import type { Json } from "../../../core/json/json.ts";
import { isOfValueKind, type ValueKind } from "../../expectations/value-kind.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { valueAt } from "../../plan/values.ts";
import { measuredElements } from "../../recording/elements/measured-elements.ts";
import { comparedElements } from "../../recording/elements/compared-elements.ts";
import type { CallView } from "../flow-candidates.ts";
import { type KnownList, knownLists } from "./known-lists.ts";

/** The element of another list for each of a list. */
export interface BesideList {
  readonly other: KnownList;
  readonly key: readonly string[];
  readonly by: readonly string[];
  readonly found: readonly Json[];
}

/** Elements of a list that the task compares. */
interface OwnComparison {
  readonly chosen: readonly number[];
  /** These elements of the list: one that another list has not, or that one of the lists has twice, is an error. */
  readonly pick: (list: Expression) => Expression;
}

/** Elements of a list of which another list says something else, or the same, as the task says. */
interface Comparison extends OwnComparison {
  /** For each of these elements the other list's. */
  readonly beside: BesideList;
}

/** How other lists that are known part the elements of one by what both say of each, where the task speaks of that. */
export function comparisons(list: readonly Json[], view: CallView): readonly Comparison[] {
  const { compares } = view.sample.task;
  if (compares === undefined) return [];
  return knownLists(view).flatMap((other) =>
    comparedElements(list, other.list).flatMap(
      ({ key, by, path, at, found, isSame }): readonly Comparison[] => {
        const said = [...list.map((each) => valueAt(each, path)), ...found.map((each) => valueAt(each, at))];
        const as = KINDS.find((kind) => said.every((value) => isOfValueKind(value ?? null, kind)));
        // `1.10` is `1.1` as an amount, and another version.
        if (as === undefined || (as === "numeral" && said.some(hasPoint))) return [];
        const chosen = [...isSame.keys()].filter((nth) => isSame[nth] === (compares === "same"));
        const one = otherOf({ other, key, by }, OWN);
        const where = {
          path: [],
          operator: compares === "same" ? ("in" as const) : ("not in" as const),
          equals: { kind: "list" as const, items: [toldValue(one, at, as)] },
        };
        const items = [toldValue(OWN, path, as)];
        const own: Expression = { kind: "filter", in: { kind: "list", items }, where: [where] };
        const pick = (over: Expression): Expression => {
          // Where the list says two things of one, nobody knows which of these is meant.
          const value = otherOf({ other: { ...other, expression: over }, key, by: key }, OWN);
          const each: Expression = { kind: "map", over: own, item: "value", value };
          return { kind: "flat", of: { kind: "map", over, item: "own", value: each }, path: [] };
        };
        return [
          {
            chosen,
            pick,
            beside: { other, key, by, found: chosen.map((nth) => found[nth] ?? null) },
          },
        ];
      },
    ),
  );
}

/** Elements of a list of which one number is below or above another one of the same element, as the task says. */
export function ownComparisons(
  list: readonly Json[],
  { sample: { task } }: CallView,
): readonly OwnComparison[] {
  return measuredElements(list, task).map(({ path, limit, operator, as, chosen }) => {
    const where = { path: [], operator, equals: toldValue(OWN, limit, as) };
    const own: Expression = {
      kind: "filter",
      in: { kind: "list", items: [toldValue(OWN, path, as)] },
      where: [where],
    };
    const each: Expression = { kind: "map", over: own, item: "value", value: OWN };
    return {
      chosen,
      pick: (over) => ({ kind: "flat", of: { kind: "map", over, item: "own", value: each }, path: [] }),
    };
  });
}

/** The element of the other list that is about the same as one of the list. */
export function otherOf(
  { other, key, by }: Pick<BesideList, "other" | "key" | "by">,
  element: Expression,
): Expression {
  return { kind: "find", in: other.expression, where: [{ path: by, equals: fieldExpression(element, key) }] };
}

/** What an element says at a place; a numeral is the number that it says. */
function toldValue(of: Expression, path: readonly string[], as: ValueKind): Expression {
  const value: Expression = path.length === 0 ? of : { kind: "field", of, path, as };
  return as === "numeral" ? { kind: "cast", of: value, to: "number" } : value;
}

function hasPoint(value: Json | undefined): boolean {
  return typeof value === "string" && value.includes(".");
}

const OWN: Expression = { kind: "ref", name: "own" };

/** What both lists may say: what is of another kind cannot be compared. */
const KINDS: readonly ValueKind[] = ["number", "numeral", "version", "numbered", "person", "code", "text"];
