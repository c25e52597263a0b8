import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import { nameWords, stateWords } from "../../plan/names.ts";
import type { Expression, ValueCondition } from "../../plan/plan.ts";
import { listedElements } from "../../recording/elements/listed-elements.ts";
import { isStepSpokenOf } from "../../recording/elements/spoken-lists.ts";
import { isOfValueKind } from "../../expectations/value-kind.ts";
import { lastName } from "../../plan/parameter-slots.ts";
import { canonicalJson, isSame, isState, jsonLeaves, valueAt } from "../../plan/values.ts";
import type { CallView } from "../flow-candidates.ts";
import { type KnownList, knownLists } from "./known-lists.ts";

/** Elements of a list that another list has, or those that it has not. */
interface Membership {
  /** These elements of the list. */
  readonly pick: (list: Expression) => Expression;
  readonly chosen: readonly number[];
  /** The task leaves something out, where what the other list has not is meant; else it speaks of the other list. */
  readonly isSaid: boolean;
  /**
   * All that the other list has is in one state, or has the amounts of the elements themselves: what is in another one, or
   * has another, may not be meant.
   */
  readonly isUntested: boolean;
  /** Whether more of what the other list has could be missing in the list than a way that there is, too, lets be. */
  readonly isLoose: boolean;
}

const MIN_WORD = 3;

/** How other lists that are known part the elements of one. */
export function memberships(list: readonly Json[], view: CallView): readonly Membership[] {
  return knownLists(view).flatMap((other) => {
    const listed = listedElements(list, other.list);
    const isOneState = listed.length > 0 && isOfOneState(other.list);
    return listed.flatMap(({ path, at, isListed }) => {
      const equals: Expression =
        at.length === 0
          ? other.expression
          : { kind: "map", over: other.expression, item: "other", value: toldField(other.list, at) };
      const { leavesOut } = view.sample.task;
      const pairs = list.flatMap((own, nth): readonly (readonly [Json, Json])[] => {
        const found = other.list.find((each) =>
          isSame(valueAt(each, at) ?? null, valueAt(own, path) ?? null),
        );
        return isListed[nth] === true && found !== undefined ? [[own, found]] : [];
      });
      const isUntested = isOneState || haveOneAmount(pairs);
      const of = (isOneOf: boolean, pick: Membership["pick"], isLoose: boolean): Membership => ({
        pick,
        chosen: [...isListed.keys()].filter((index) => isListed[index] === isOneOf),
        isSaid: isOneOf ? !leavesOut && isSpokenOf(other, view) : leavesOut,
        isUntested,
        isLoose,
      });
      const filtered = (where: ValueCondition) => (list: Expression) =>
        ({ kind: "filter", in: list, where: [where] }) as const;
      const hasAll = areAllIn(
        other.list.map((each) => valueAt(each, at) ?? null),
        list.map((each) => valueAt(each, path) ?? null),
      );
      const found = of(true, (all) => allFound(all, path, equals), false);
      const known = of(true, filtered({ path, operator: "in", equals }), hasAll);
      const missing = of(false, filtered({ path, operator: "not in", equals }), false);
      return hasAll ? [found, known, missing] : [known, missing];
    });
  });
}

/** The elements of a list that have one of the names at a place; a name that none of them has, or two, is an error. */
function allFound(list: Expression, path: readonly string[], names: Expression): Expression {
  const named: Expression = { kind: "find", in: list, where: [{ path, equals: NAME }] };
  const found: Expression = { kind: "map", over: names, item: "name", value: fieldExpression(named, path) };
  const own: Expression = {
    kind: "filter",
    in: list,
    where: [{ path, operator: "in", equals: { kind: "ref", name: "found" } }],
  };
  const once: Expression = { kind: "list", items: [found] };
  return { kind: "flat", of: { kind: "map", over: once, item: "found", value: own }, path: [] };
}

/** The list of which an expression has those elements that have one of some names; nothing where it is no such choice. */
export function listOfFound(expression: Expression): Expression | undefined {
  if (expression.kind !== "flat" || expression.of.kind !== "map") return undefined;
  const { over, value } = expression.of;
  return over.kind === "list" && value.kind === "filter" ? value.in : undefined;
}

const NAME: Expression = { kind: "ref", name: "name" };

function areAllIn(names: readonly Json[], known: readonly Json[]): boolean {
  const texts = new Set(known.map(canonicalJson));
  return names.every((name) => texts.has(canonicalJson(name)));
}

/** Whether both of each pair have an equal number, wherever they have it. */
function haveOneAmount(pairs: readonly (readonly [Json, Json])[]): boolean {
  const [own = [], other = []] = [0, 1].map((side) =>
    [...jsonLeaves(pairs[0]?.[side] ?? null)].flatMap(([path, value]) =>
      typeof value === "number" ? [path] : [],
    ),
  );
  return own.some((path) =>
    other.some((at) => pairs.every(([one, each]) => valueAt(one, path) === valueAt(each, at))),
  );
}

/** Whether a field for it says the same state of all elements. */
function isOfOneState(list: readonly Json[]): boolean {
  const [first = null] = list;
  return [...jsonLeaves(first)].some(
    ([path, value]) =>
      (typeof value === "boolean" || (isState(value) && STATES.test(lastName(path)))) &&
      list.every((each) => valueAt(each, path) === value),
  );
}

const STATES = /(?:^|_)(?:status|state|stage|outcome|result)$|(?:Status|State)$/i;

/** What each element of a list says at a place: where all said it, one that does not could be about anything. */
function toldField(list: readonly Json[], at: readonly string[]): Expression {
  const field = fieldExpression(OTHER, at);
  const as = (["text", "number"] as const).find((kind) =>
    list.every((each) => isOfValueKind(valueAt(each, at) ?? null, kind)),
  );
  return as && field.kind === "field" ? { ...field, as } : field;
}

const OTHER: Expression = { kind: "ref", name: "other" };

/** Whether the task speaks of a list: by its name, or by what its call was asked for. */
function isSpokenOf({ expression, step }: KnownList, view: CallView): boolean {
  const { task, trace } = view.sample;
  const names = expression.kind === "field" ? expression.path : [];
  return (
    isStepSpokenOf(step, trace.calls, task) ||
    names.flatMap(nameWords).some((word) => word.length > MIN_WORD && task.hintsAt(word)) ||
    names.some((name) => task.mentions(stateWords(name)))
  );
}
