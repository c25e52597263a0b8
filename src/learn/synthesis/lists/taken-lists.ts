import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { nameWords } from "../../plan/names.ts";
import { MAX_TAKEN, type Expression } from "../../plan/plan.ts";
import { sortedOrder, takenAt } from "../../plan/quantities.ts";
import { DATE_PREFIX, jsonLeaves, leafText, type TaskText, valueAt } from "../../plan/values.ts";
import type { CallView } from "../flow-candidates.ts";
import { extremeOf, MONEY } from "../selection/superlative-words.ts";
import { keyPaths } from "./sorted-lists.ts";

/** So many elements of a list, from one of its ends on. */
interface TakenList {
  readonly list: readonly Json[];
  readonly expression: Expression;
  /** The places of its elements in the list. */
  readonly order: readonly number[];
  /** The task names by what the list is sorted, or says that it is as it stands. */
  readonly isNamed: boolean;
}

/**
 * The elements that the task may ask for by how many they are: the first or the last of a list as it stands, or those with
 * the most or the least of something, the one or the other first.
 */
export function takenLists(list: readonly Json[], of: Expression, view: CallView): readonly TakenList[] {
  const { task } = view.sample;
  const takings = takingsOf(view).filter(({ count }) => count <= Math.min(list.length, MAX_TAKEN));
  return takings.flatMap(({ count, word, end }): readonly TakenList[] => {
    const plain = [...list.keys()];
    const listed =
      end === undefined
        ? []
        : [
            takenOf(list, {
              expression: of,
              order: plain,
              count,
              isLast: end === "last",
              isNamed: word !== "top",
            }),
          ];
    return [...listed, ...extremesOf(list, of, { count, word }, task)].flatMap((each) => each ?? []);
  });
}

/** So many as the task says of something, where no earlier call was asked for so many (`LIMIT 3`): what that gave is all of them. */
export function takingsOf({
  sample: { task, trace },
  call,
}: Pick<CallView, "sample" | "call">): ReturnType<TaskText["takes"]> {
  const earlier = trace.calls.slice(0, call);
  const asked = earlier.flatMap(({ args }) => [...jsonLeaves(args)].map(([, leaf]) => leafText(leaf) ?? ""));
  const numbers = new Set(asked.flatMap((text) => text.match(/\d+/g) ?? []));
  const isAsked = (count: number): boolean => numbers.has(String(count));
  return task.takes().filter(({ count }) => !isAsked(count));
}

/** Those with the most or the least of something, in both orders. */
function extremesOf(
  list: readonly Json[],
  of: Expression,
  { count, word }: { readonly count: number; readonly word: string },
  task: TaskText,
): readonly (TakenList | undefined)[] {
  const extreme = extremeOf(word);
  if (!extreme) return [];
  const { most, quantity } = extreme;
  const keys = keyPaths(list[0] ?? null).filter((by) => {
    const values = list.map((each) => valueAt(each, by));
    return quantity === "time"
      ? values.every((value) => typeof value === "string" && DATE_PREFIX.test(value))
      : values.every((value) => typeof value === "number");
  });
  const named = keys.filter((by) => isNamed(by, word, task));
  const isOne = named.length === 1 || (named.length === 0 && keys.length === 1 && quantity !== "quality");
  return (named.length > 0 ? named : keys).flatMap((by) =>
    [most, !most].map((isFalling) => {
      const order = sortedOrder(
        list.map((each) => valueAt(each, by)),
        isFalling,
      );
      if (!order) return undefined;
      const expression: Expression = { kind: "sorted", in: of, by, isFalling };
      return takenOf(list, { expression, order, count, isLast: isFalling !== most, by, isNamed: isOne });
    }),
  );
}

interface Ordered extends Pick<TakenList, "expression" | "order" | "isNamed"> {
  readonly count: number;
  readonly isLast: boolean;
  readonly by?: readonly string[];
}

function takenOf(
  list: readonly Json[],
  { expression, order, count, isLast, by, isNamed: isOne }: Ordered,
): TakenList | undefined {
  const ordered = order.map((index) => list[index] ?? null);
  const at = takenAt(ordered, count, isLast, by);
  if (at === undefined) return undefined;
  const part = <Element>(all: readonly Element[]): readonly Element[] =>
    isLast ? all.slice(at) : all.slice(0, at);
  return {
    list: part(ordered),
    expression: { kind: "taken", in: expression, count, isLast, ...(by ? { by } : {}) },
    order: part(order),
    isNamed: isOne,
  };
}

/** Whether the task names a quantity, or a word for its least or most is one for nothing else. */
function isNamed(by: readonly string[], word: string, task: TaskText): boolean {
  const words = nameWords(by.at(-1) ?? "");
  const isMoney =
    /^(?:cheap|dear|pric|least expens|most expens)/.test(word) && words.some((each) => MONEY.test(each));
  return isMoney || words.some((each) => each.length > 2 && (task.mentions(each) || task.hintsAt(each)));
}

/** The elements with their numbers, from 1. */
export function numberedList(
  list: readonly Json[],
  of: Expression,
): { readonly list: readonly Json[]; readonly expression: Expression } {
  return {
    list: list.map((element, nth) => ({ number: nth + 1, element })),
    expression: { kind: "numbered", in: of },
  };
}

/** Whether lines of a text that follow each other have the numbers from 1 on, as many as there are elements. */
export function hasNumberedLines(text: string, count: number): boolean {
  const lines = text.split("\n");
  const numberOf = (line = ""): number => Number(/^[^\p{L}\p{N}]*(\d+)(?!\d)/u.exec(line)?.[1]);
  return lines.some((_, start) =>
    Array.from({ length: count }).every((_each, nth) => numberOf(lines[start + nth]) === nth + 1),
  );
}

/** Whether elements say at a place what their numbers are. */
export function areNumbered(list: readonly Json[]): boolean {
  const [first = null] = list;
  const keys = isJsonObject(first) ? Object.keys(first) : [];
  return keys.some((key) =>
    list.every((each, nth) => leafText(valueAt(each, [key]) ?? null) === String(nth + 1)),
  );
}
