import type { Json } from "../../../core/json/json.ts";
import { nameWords, singular } from "../../plan/names.ts";
import type { Expression } from "../../plan/plan.ts";
import { sortedOrder } from "../../plan/quantities.ts";
import { DATE_PREFIX, jsonLeaves, type TaskText, valueAt } from "../../plan/values.ts";

/** The elements of a list in another order. */
interface SortedList {
  readonly list: readonly Json[];
  readonly expression: Expression;
  /** The places of its elements in the list. */
  readonly order: readonly number[];
  /** The task names by what it is sorted, or there is nothing else. */
  readonly isNamed: boolean;
}

const MAX_KEYS = 10;

/** Whether the order in which a list is told is no order that the task asks for. */
export function mustBeSorted(task: TaskText): boolean {
  return task.groupOrder === "other" || (task.saysOrder && task.groupOrder !== "listed");
}

/**
 * The orders in which the task may ask for the elements of a list: by numbers or texts in them, each order once, by what the
 * task names where it names one of those that come to it.
 */
export function sortedLists(list: readonly Json[], of: Expression, task: TaskText): readonly SortedList[] {
  const isAsked = mustBeSorted(task);
  if (list.length < 2 || (!isAsked && task.groupOrder === undefined)) return [];
  const keys = keyPaths(list[0] ?? null);
  const { orderedBy, ordersWords } = task;
  const plain = [...list.keys()].join();
  const found = keys.flatMap((by) =>
    [false, true].flatMap((isFalling) => {
      const values = list.map((each) => valueAt(each, by));
      const order = sortedOrder(values, isFalling);
      const first = valueAt(list[0] ?? null, by);
      const isText = typeof first === "string";
      const isDay = isText && DATE_PREFIX.test(first);
      if (ordersWords && (!isText || isDay || !/\p{L}/u.test(first))) return [];
      if (!isText && task.isMostFirst === !isFalling) return [];
      if (isText && !isDay && (task.ordersByAmount || isFalling !== task.ordersFalling)) return [];
      // What is asked to be sorted may have been so already; `the latest first` is how many lists are told.
      return order === undefined || (!isAsked && order.join() === plain)
        ? []
        : [
            {
              order,
              by,
              isFalling,
              isSaid: isNamed(by, keys, task),
              // Which of two with one name stands first a run without such a pair does not tell.
              isStrict: isText && !isDay && by.length > 0 && new Set(values).size === values.length,
            },
          ];
    }),
  );
  const named = orderedBy === undefined ? [] : found.filter(({ by }) => isCalled(by, orderedBy));
  // By a part of names nothing is sorted that has them whole.
  const isOfPart = partOfName(orderedBy) !== undefined;
  return [...Map.groupBy(found, ({ order }) => order.join()).values()].flatMap((alike) => {
    const own = alike.filter((each) => named.includes(each));
    if (isOfPart && own.length === 0 && alike.every(({ by }) => partOfName(by.at(-1)) === undefined))
      return [];
    // Another than the one that stands behind `sorted by` is not meant, wherever the task speaks of it.
    if (named.length > 0 && own.length === 0) return [];
    const said = own.length > 0 ? own : alike.filter(({ isSaid }) => isSaid);
    // Of several columns of words in the same order any may be meant where an order of words is all that is asked for.
    if (own.length === 0 && alike.length > 1 && ordersWords) return [];
    const [first, ...others] = said.length > 0 ? said : alike;
    if (!first) return [];
    const { by, isFalling, order, isStrict } = first;
    const expression: Expression = {
      kind: "sorted",
      in: of,
      by,
      isFalling,
      ...(isStrict ? { isStrict } : {}),
    };
    const sorted = order.map((index) => list[index] ?? null);
    return [{ list: sorted, expression, order, isNamed: others.length === 0 && first.isSaid }];
  });
}

/** Where elements have texts and numbers; a number that is also written as a text is one. */
export function keyPaths(element: Json): readonly (readonly string[])[] {
  const paths = [...jsonLeaves(element)].flatMap(([path, leaf]) =>
    (typeof leaf === "string" || typeof leaf === "number") && path.every((part) => typeof part === "string")
      ? [path.map(String)]
      : [],
  );
  const names = new Set(paths.map((path) => path.join("\n")));
  const isWritten = (path: readonly string[]): boolean =>
    ["Text", " text"].some(
      (end) => path.at(-1)?.endsWith(end) && names.has(path.join("\n").slice(0, -end.length)),
    );
  return paths.filter((path) => !isWritten(path)).slice(0, MAX_KEYS);
}

/** Whether words are what a field is called: a `last name` is no `name`, and the other way round. */
function isCalled(by: readonly string[], words: string): boolean {
  const own = nameWords(by.at(-1) ?? "").map(singular);
  const said = new Set(nameWords(words).map(singular));
  return partOfName(by.at(-1)) === partOfName(words) && own.some((word) => word.length > 2 && said.has(word));
}

/** Which part of a name words are for, if they are for one. */
function partOfName(words = ""): string | undefined {
  return nameWords(words).find((word) => PARTS_OF_NAMES.has(word));
}

const PARTS_OF_NAMES: ReadonlySet<string> = new Set(
  "first last given family fore surname lastname firstname forename vorname nachname".split(" "),
);

/** Whether the task names a field, in whatever form, or there is no other. */
function isNamed(by: readonly string[], keys: readonly (readonly string[])[], task: TaskText): boolean {
  const words = nameWords(by.at(-1) ?? "").filter((word) => word.length > 2);
  return keys.length === 1 || words.some((word) => task.mentions(word) || task.hintsAt(word));
}
