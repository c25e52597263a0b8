import type { Json } from "../../../core/json/json.ts";
import { wordStem } from "../../../core/text/word-stem.ts";
import { isOfValueKind, type ValueKind } from "../../expectations/value-kind.ts";
import { nameWords } from "../../plan/names.ts";
import { compares, measured } from "../../plan/quantities.ts";
import { isSame, type OrderOperator, type TaskText } from "../../plan/values.ts";
import { columnsOf } from "./listed-elements.ts";

/** Elements that are told by what two of their own numbers are to each other, as the task says: `below the minimum`. */
interface MeasuredElements {
  /** Where the number stands, and where the one that it is below or above. */
  readonly path: readonly string[];
  readonly limit: readonly string[];
  readonly operator: OrderOperator;
  /** What all of these numbers are. */
  readonly as: ValueKind;
  readonly chosen: readonly number[];
}

/** Two things that are so or so tell less than which is which. */
const MIN_ELEMENTS = 3;

/** Which elements of a list are below or above one of their own numbers, where the task says of which and no other pair parts them so. */
export function measuredElements(list: readonly Json[], task: TaskText): readonly MeasuredElements[] {
  const limits = list.length < MIN_ELEMENTS ? [] : task.fieldLimits();
  if (limits.length === 0) return [];
  const all = columnsOf(list);
  // What else the task says of all of these is a condition, too.
  const isSaidOf = (chosen: readonly number[]): boolean =>
    all.some(({ values }) => {
      const [first, ...more] = chosen.map((nth) => values[nth] ?? null);
      const isOne = typeof first === "string" && more.every((value) => value === first);
      return isOne && chosen.length > 1 && /\p{L}{2}/u.test(first) && task.mentions(first);
    });
  const columns = all.flatMap(({ path, values }): readonly NumberColumn[] => {
    const as = KINDS.find((kind) => values.every((value) => isOfValueKind(value, kind)));
    return as === undefined ? [] : [{ path, values, as, words: nameWords(path.at(-1) ?? "") }];
  });
  const found = limits.flatMap(({ words, operator }) => {
    const limit = columnCalled(words, columns);
    if (!limit) return [];
    const others = columns.filter((column) => column !== limit);
    const named = others.filter((column) => isNamed(column, limit, task));
    return (named.length > 0 ? named : others).flatMap((own): readonly MeasuredElements[] => {
      const chosen = own.values.flatMap((value, nth) =>
        compares(measured(value, 0), operator, measured(limit.values[nth] ?? null, 0)) ? [nth] : [],
      );
      const isPart = chosen.length > 0 && chosen.length < list.length && !isSaidOf(chosen);
      const as = own.as === limit.as ? own.as : "numeral";
      return isPart ? [{ path: own.path, limit: limit.path, operator, as, chosen }] : [];
    });
  });
  return found.filter(
    (each) => !found.some((other) => other !== each && isSame([...other.chosen], [...each.chosen])),
  );
}

/** Whether elements, by their numbers, are all those of a list of which the task says so. */
export function areMeasured(list: readonly Json[], chosen: readonly number[], task: TaskText): boolean {
  return measuredElements(list, task).some((each) => isSame([...each.chosen], [...chosen]));
}

interface NumberColumn {
  readonly path: readonly string[];
  readonly values: readonly Json[];
  readonly as: ValueKind;
  /** How it is called. */
  readonly words: readonly string[];
}

const KINDS: readonly ValueKind[] = ["number", "numeral"];

/** The one column that is called by most of some words. */
function columnCalled(words: readonly string[], columns: readonly NumberColumn[]): NumberColumn | undefined {
  const counts = columns.map((column) => ({
    column,
    count: words.filter((word) => column.words.some((own) => areOneWord(own, word))).length,
  }));
  const most = Math.max(0, ...counts.map(({ count }) => count));
  const called = most === 0 ? [] : counts.filter(({ count }) => count === most);
  const [only, ...others] = called;
  return others.length === 0 ? only?.column : undefined;
}

/** Whether a column's name is a word, or short for it: `min` of the minimum. */
function areOneWord(own: string, word: string): boolean {
  return wordStem(own) === wordStem(word) || (/^(?:min|max)$/.test(own) && word.startsWith(own));
}

/** Whether the task speaks of what a column has, by a word that the limit is not called by. */
function isNamed({ words }: NumberColumn, limit: NumberColumn, task: TaskText): boolean {
  return words.some((word) => !limit.words.includes(word) && task.hintsAt(word));
}
