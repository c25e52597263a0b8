import { isJsonObject, type Json } from "../../core/json/json.ts";
import { evaluate } from "../edits/evaluate.ts";
import { RETURN, type RecordedRun } from "../edits/recorded-run.ts";
import { fieldExpression, subexpressions } from "../plan/expression.ts";
import { nameWords } from "../plan/names.ts";
import type { CallStep, Expression, GuardStep, Step } from "../plan/plan.ts";
import { expressionsOf, namedSteps } from "../plan/steps.ts";

/**
 * Steps that stop where a list of which all elements count is only a part: where what stands beside it said in all runs
 * that nothing is left (`has_more`, `next_cursor`), or how many elements there are (`total`), it has to say so again.
 */
export function wholeListGuards(
  steps: readonly Step[],
  { name }: CallStep,
  runs: readonly RecordedRun[],
): readonly GuardStep[] {
  const scopes = runs.flatMap((run) => (run.get(RETURN) ?? []).map(({ scope }) => scope));
  const lists = new Map(
    steps
      .flatMap(listsIn)
      .flatMap((list) =>
        list.kind === "field" && list.of.kind === "ref" && list.of.name === name ? [list] : [],
      )
      .map((list) => [JSON.stringify(list.path), list]),
  );
  const guards = [...lists.values()].flatMap(({ path }): readonly GuardStep[] => {
    const list = fieldExpression({ kind: "ref", name }, path);
    const holder = fieldExpression({ kind: "ref", name }, path.slice(0, -1));
    const seen = scopes.map((scope) => ({
      holder: evaluate(holder, scope)?.value,
      list: evaluate(list, scope)?.value,
    }));
    const [first] = seen;
    return leavesBeside(first?.holder).flatMap(([place, value]): readonly GuardStep[] => {
      const told = fieldExpression({ kind: "ref", name }, [...path.slice(0, -1), ...place]);
      const values = scopes.map((scope) => evaluate(told, scope)?.value);
      const words = nameWords(place.join("."));
      if (values.every((each) => each === value) && isNoMore(value) && words.some((word) => MORE.has(word)))
        return [{ kind: "guard", value: told, equals: { kind: "constant", value } }];
      const lengths = seen.map((each) => (Array.isArray(each.list) ? each.list.length : undefined));
      const isLength = values.every((each, nth) => each !== undefined && each === lengths[nth]);
      const isTold =
        isLength && words.some((word) => HOW_MANY.has(word)) && !words.some((word) => PAGES.has(word));
      return isTold && lengths.some((length = 0) => length > 1)
        ? [{ kind: "guard", value: told, equals: { kind: "aggregate", operator: "count", of: list } }]
        : [];
    });
  });
  return [...new Map(guards.map((guard) => [JSON.stringify(guard), guard])).values()];
}

const MORE = new Set(["more", "next", "cursor", "truncated", "incomplete", "partial", "continuation"]);
const HOW_MANY = new Set(["total", "count", "size", "length"]);
const PAGES = new Set(["page", "pages", "limit", "price", "amount", "cost"]);

function isNoMore(value: Json): boolean {
  return value === false || value === null || value === "";
}

/** What an object says beside a list, and in the objects there. */
function leavesBeside(holder: Json | undefined): readonly (readonly [readonly string[], Json])[] {
  if (!isJsonObject(holder)) return [];
  return Object.entries(holder).flatMap(([key, value]): readonly (readonly [readonly string[], Json])[] =>
    isJsonObject(value)
      ? Object.entries(value).map(([inner, leaf]) => [[key, inner], leaf])
      : Array.isArray(value)
        ? []
        : [[[key], value]],
  );
}

/** The lists of which all elements count. */
function listsIn(step: Step): readonly Expression[] {
  const loops = namedSteps([step]).flatMap((each) =>
    each.kind === "loop" && !each.until ? [each.over] : [],
  );
  const parts = expressionsOf(step).flatMap(subexpressions);
  return [
    ...loops,
    ...parts.flatMap((part) => {
      if (
        part.kind === "filter" ||
        part.kind === "extreme" ||
        part.kind === "groups" ||
        part.kind === "sorted"
      )
        return [part.in];
      if (part.kind === "taken" && part.isLast) return [part.in];
      if (part.kind === "map") return [part.over];
      return part.kind === "aggregate" || part.kind === "join" || part.kind === "flat" ? [part.of] : [];
    }),
  ];
}
