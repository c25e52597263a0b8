import type { Json } from "../../../core/json/json.ts";
import { isEntityName, isSame, jsonLeaves, type Path, valueAt } from "../../plan/values.ts";
import { listsIn } from "./joined-elements.ts";

/** Where in the elements of a list stands a name or an id of each round, another one in each, in their order, to the last element. */
export function pathInAll(list: readonly Json[], rounds: readonly Json[]): readonly string[] | undefined {
  const isEach = rounds.every(isEntityName) && new Set(rounds).size === rounds.length;
  if (rounds.length < 2 || list.length !== rounds.length || !isEach) return undefined;
  const isThere = (path: Path): boolean =>
    rounds.every((value, nth) => isSame(valueAt(list[nth] ?? null, path) ?? null, value));
  return [...jsonLeaves(list[0] ?? null)].find(([path]) => isThere(path))?.[0].map(String);
}

/** Whether each of several things of the rounds is in an answer's list, and not all in the same. */
export function areZipped(columns: readonly (readonly Json[])[], answers: readonly Json[]): boolean {
  const lists = listsIn(answers);
  const holding = columns.map((column) => lists.filter((list) => pathInAll(list, column) !== undefined));
  const [first = [], ...others] = holding;
  return (
    holding.every((found) => found.length > 0) &&
    !first.some((list) => others.every((found) => found.includes(list)))
  );
}
