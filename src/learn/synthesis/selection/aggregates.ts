import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { sumOf } from "../../plan/quantities.ts";
import { isMap, valueAt } from "../../plan/values.ts";
import type { CallView } from "../flow-candidates.ts";

/** A number that a list tells. */
interface Aggregate {
  readonly expression: Expression;
  readonly value: number;
}

const MAX_LISTS = 200;
const MAX_DEPTH = 4;

/** What the lists that are known before a call add up to, field by field, and how many elements they have. */
export function aggregates(view: CallView): readonly Aggregate[] {
  return knownLists(view).flatMap(({ list, expression }) => aggregatesOf(list, expression));
}

interface KnownList {
  readonly list: readonly Json[];
  readonly expression: Expression;
}

/** The lists at fixed places of what is known before a call, the latest first. */
export function knownLists({ sample, names, before, scope }: CallView): readonly KnownList[] {
  const found: KnownList[] = [];
  const visit = (value: Json, expression: Expression, depth: number): void => {
    if (found.length >= MAX_LISTS || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) found.push({ list: value as readonly Json[], expression });
    else if (isJsonObject(value) && isMap(value))
      found.push({ list: Object.values(value), expression: { kind: "values", of: expression } });
    else if (isJsonObject(value))
      for (const [key, each] of Object.entries(value))
        visit(each, fieldExpression(expression, [key]), depth + 1);
  };
  for (const { name, value } of scope.toReversed()) visit(value, { kind: "ref", name }, 0);
  for (const [index, name] of [...names.slice(0, before).entries()].toReversed())
    if (name !== undefined) visit(sample.steps[index]?.value ?? null, { kind: "ref", name }, 0);
  return found;
}

function aggregatesOf(list: readonly Json[], of: Expression): readonly Aggregate[] {
  const [first] = list;
  if (first === undefined || list.length < 2) return [];
  const sums = numberPaths(first, []).flatMap((path): readonly Aggregate[] => {
    const value = sumOf(list.map((each) => valueAt(each, path) ?? null));
    const each = fieldExpression(EACH, path);
    const over: Expression = path.length === 0 ? of : { kind: "map", over: of, item: "each", value: each };
    return value === undefined
      ? []
      : [{ expression: { kind: "aggregate", operator: "sum", of: over }, value }];
  });
  return [...sums, { expression: { kind: "aggregate", operator: "count", of }, value: list.length }];
}

const EACH: Expression = { kind: "ref", name: "each" };

function numberPaths(value: Json, path: readonly string[]): readonly (readonly string[])[] {
  if (typeof value === "number") return [path];
  if (!isJsonObject(value) || path.length >= MAX_DEPTH || isMap(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => numberPaths(each, [...path, key]));
}
