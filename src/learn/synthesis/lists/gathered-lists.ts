import { compareTexts } from "../../../core/text/compare-texts.ts";
import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { jsonLeaves, leafText, type TaskText, valueAt } from "../../plan/values.ts";
import { mustBeSorted } from "./sorted-lists.ts";
import type { KnownList } from "../selection/known-lists.ts";

const MAX_DEPTH = 4;
const MAX_LISTS = 20;
const MAX_PATHS = 10;

/** The lists that each round of a loop was answered at one place, as one list. */
export function gatheredLists(lists: readonly KnownList[]): readonly KnownList[] {
  return lists
    .flatMap(({ list, expression, step }): readonly KnownList[] => {
      if (step?.kind !== "loop" || step.value !== list || list.length < 2) return [];
      return listPaths(list[0] ?? null).flatMap((path): readonly KnownList[] => {
        const parts = list.map((each) => valueAt(each, path));
        if (!parts.every((part) => Array.isArray(part))) return [];
        const all = parts.flat() as readonly Json[];
        return [{ list: all, expression: { kind: "flat", of: expression, path }, step }];
      });
    })
    .slice(0, MAX_LISTS);
}

/** What rounds were answered at one place, each element of it beside what its round was for. */
export function gatheredPairs(pairs: readonly KnownList[]): readonly KnownList[] {
  return pairs
    .flatMap(({ list, expression }): readonly KnownList[] => {
      if (expression.kind !== "zip" || list.length < 2) return [];
      return listPaths(valueAt(list[0] ?? null, ["right"]) ?? null).flatMap((path): readonly KnownList[] => {
        const parts = list.map((each) => {
          const own = valueAt(each, ["right", ...path]);
          const left = valueAt(each, ["left"]) ?? null;
          return Array.isArray(own) ? own.map((right: Json) => ({ left, right })) : undefined;
        });
        if (!parts.every((part) => part !== undefined)) return [];
        return [{ list: parts.flat(), expression: pairedWith(expression, path) }];
      });
    })
    .slice(0, MAX_LISTS);
}

function pairedWith(pairs: Expression, path: readonly string[]): Expression {
  const pair: Expression = { kind: "ref", name: "pair" };
  const value: Expression = {
    kind: "object",
    fields: [
      { name: "left", value: fieldExpression(pair, ["left"]) },
      { name: "right", value: { kind: "ref", name: "own" } },
    ],
  };
  const over = fieldExpression(pair, ["right", ...path]);
  const own: Expression = { kind: "map", over, item: "own", value };
  return { kind: "flat", of: { kind: "map", over: pairs, item: "pair", value: own }, path: [] };
}

function listPaths(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (Array.isArray(value)) return [path];
  if (!isJsonObject(value) || path.length >= MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, each]) => listPaths(each, [...path, key]));
}

/** What elements of a list say, each once, in the order in which it comes first. */
interface DistinctList {
  readonly list: readonly Json[];
  readonly expression: Expression;
  /** Where in an element of it stands what these say. */
  readonly path: readonly string[];
}

/**
 * What a list says at its places, each thing once, where the list says some of it several times, or the task asks for each
 * once. None where the order of the list could also be that of the names, or the task asks for another.
 */
export function distinctLists(
  list: readonly Json[],
  of: Expression,
  task: TaskText,
): readonly DistinctList[] {
  const isListed = task.groupOrder === "listed";
  const isSorted = mustBeSorted(task);
  return textPaths(list[0] ?? null).flatMap((path): readonly DistinctList[] => {
    const groups = Map.groupBy(list, (each) => leafText(valueAt(each, path) ?? null) ?? "");
    const names = [...groups.keys()];
    const isRepeated = names.length < list.length || task.asksOnce;
    const isByName = names.toSorted(compareTexts).join("\n") === names.join("\n");
    if (names.length < 2 || names.includes("") || !isRepeated || (isByName && !isListed && !isSorted))
      return [];
    const elements = [...groups].map(([name, own]) => ({ name, elements: own }));
    return [{ list: elements, expression: { kind: "groups", in: of, by: path }, path: ["name"] }];
  });
}

function textPaths(element: Json): readonly (readonly string[])[] {
  return [...jsonLeaves(element)]
    .flatMap(([path, leaf]) =>
      typeof leaf === "string" && path.every((part) => typeof part === "string") ? [path] : [],
    )
    .slice(0, MAX_PATHS);
}
