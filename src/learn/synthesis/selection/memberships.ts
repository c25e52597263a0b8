import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import { nameWords, stateWords } from "../../plan/names.ts";
import type { Expression, ValueCondition } from "../../plan/plan.ts";
import { listedElements } from "../../recording/elements/listed-elements.ts";
import type { CallView } from "../flow-candidates.ts";
import { askedOf, type KnownList, knownLists } from "./known-lists.ts";

/** Elements of a list that another list has, or those that it has not. */
interface Membership {
  readonly condition: ValueCondition;
  readonly chosen: readonly number[];
  /** The task leaves something out, where what the other list has not is meant; else it speaks of the other list. */
  readonly isSaid: boolean;
}

const MIN_WORD = 3;

/** How other lists that are known part the elements of one. */
export function memberships(list: readonly Json[], view: CallView): readonly Membership[] {
  return knownLists(view).flatMap((other) =>
    listedElements(list, other.list).flatMap(({ path, at, isListed }) => {
      const equals: Expression =
        at.length === 0
          ? other.expression
          : { kind: "map", over: other.expression, item: "other", value: fieldExpression(OTHER, at) };
      const { leavesOut } = view.sample.task;
      return [true, false].map((isOneOf): Membership => ({
        condition: { path, operator: isOneOf ? "in" : "not in", equals },
        chosen: [...isListed.keys()].filter((index) => isListed[index] === isOneOf),
        isSaid: isOneOf ? !leavesOut && isSpokenOf(other, view) : leavesOut,
      }));
    }),
  );
}

const OTHER: Expression = { kind: "ref", name: "other" };

/** Whether the task speaks of a list: by its name, or by what its call was asked for. */
function isSpokenOf({ expression, step }: KnownList, view: CallView): boolean {
  const { task } = view.sample;
  const names = expression.kind === "field" ? expression.path : [];
  const tools = step === undefined ? [] : step.kind === "loop" ? step.tools : [step.tool];
  return (
    [...askedOf(step, view)].some((text) => text.length >= MIN_WORD && task.says(text)) ||
    [...names, ...tools].flatMap(nameWords).some((word) => word.length > MIN_WORD && task.hintsAt(word)) ||
    names.some((name) => task.mentions(stateWords(name)))
  );
}
