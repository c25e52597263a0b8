import type { Json } from "../../../core/json/json.ts";
import { isIn } from "../../expectations/near-texts.ts";
import { fieldExpression } from "../../plan/expression.ts";
import { nameWords, stateWords } from "../../plan/names.ts";
import type { Expression, ValueCondition } from "../../plan/plan.ts";
import { isLeaf, jsonLeaves, leafText, valueAt } from "../../plan/values.ts";
import type { CallView } from "../flow-candidates.ts";
import { askedOf, type KnownList, knownLists } from "./known-lists.ts";

/** Elements of a list of which another list has something, or those of which it has nothing. */
export interface Membership {
  readonly condition: ValueCondition;
  readonly chosen: readonly number[];
  /** The task speaks of the other list, and of what it leaves out where that is meant. */
  readonly isSaid: boolean;
}

const MAX_ELEMENTS = 1000;
const MAX_PATHS = 20;
const MIN_TEXT = 3;

/**
 * How other lists that are known part the elements of one: by what names each of them. What is written otherwise in the other
 * list says nothing, since nobody could tell what is meant then.
 */
export function memberships(list: readonly Json[], view: CallView): readonly Membership[] {
  if (list.length < 2 || list.length > MAX_ELEMENTS) return [];
  const own = namingPaths(list);
  if (own.length === 0) return [];
  const others = knownLists(view).filter((other) => other.list !== list && other.list.length <= MAX_ELEMENTS);
  return others.flatMap((other) =>
    leafPaths(other.list[0] ?? null).flatMap((at) => {
      const values = other.list.map((each) => valueAt(each, at) ?? null);
      return own.flatMap(({ path, names }) => {
        const isListed = names.map((name) => isIn(name, values));
        if (isListed.includes(undefined) || new Set(isListed).size < 2) return [];
        return [true, false].map((isOneOf): Membership => {
          const equals: Expression =
            at.length === 0
              ? other.expression
              : { kind: "map", over: other.expression, item: "other", value: fieldExpression(OTHER, at) };
          return {
            condition: { path, operator: isOneOf ? "in" : "not in", equals },
            chosen: [...isListed.keys()].filter((index) => isListed[index] === isOneOf),
            isSaid: isSpokenOf(other, view) && view.sample.task.leavesOut !== isOneOf,
          };
        });
      });
    }),
  );
}

const OTHER: Expression = { kind: "ref", name: "other" };

/** Where in the elements something stands that each of them has, and no two the same. */
function namingPaths(
  list: readonly Json[],
): readonly { readonly path: readonly string[]; readonly names: readonly Json[] }[] {
  return leafPaths(list[0] ?? null).flatMap((path) => {
    const names = list.map((each) => valueAt(each, path) ?? null);
    const texts = new Set(names.map((name) => (isLeaf(name) ? leafText(name) : undefined) ?? ""));
    const isNaming = [...texts].every((text) => text.length >= MIN_TEXT) && texts.size === list.length;
    return isNaming ? [{ path, names }] : [];
  });
}

function leafPaths(element: Json): readonly (readonly string[])[] {
  return [...jsonLeaves(element)]
    .map(([path]) => path)
    .filter((path) => path.every((part) => typeof part === "string"))
    .slice(0, MAX_PATHS)
    .map((path) => path.map(String));
}

/** Whether the task speaks of a list: by its name, or by what its call was asked for. */
function isSpokenOf({ expression, step }: KnownList, view: CallView): boolean {
  const { task } = view.sample;
  const names = expression.kind === "field" ? expression.path : [];
  const tools = step === undefined ? [] : step.kind === "loop" ? step.tools : [step.tool];
  const words = [...names, ...tools].flatMap(nameWords);
  return (
    [...askedOf(step, view)].some((text) => text.length >= MIN_TEXT && task.says(text)) ||
    words.some((word) => word.length > MIN_TEXT && task.hintsAt(word)) ||
    names.some((name) => task.mentions(stateWords(name)))
  );
}
