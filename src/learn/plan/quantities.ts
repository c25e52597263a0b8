import type { Json } from "../../core/json/json.ts";
import type { ArithmeticOperator, ComparisonOperator } from "./plan.ts";
import { isSame, jsonLeaves, type OrderOperator, type Path, valueAt } from "./values.ts";

// What printed code does with quantities, `codegen/helpers.ts` says in the same words.

/** Whether values can be ordered: all are numbers, or all are dates or times written alike. */
export function areOrdered(values: readonly (Json | undefined)[]): boolean {
  const [first] = values;
  if (typeof first === "number") return values.every((value) => typeof value === "number");
  const form = formOf(first);
  return form !== undefined && values.every((value) => formOf(value) === form);
}

/** A date or time with its digits as zeros; texts of the same form are in the order of time. */
function formOf(value: Json | undefined): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}|^\d{2}:\d{2}/.test(value)) return undefined;
  return value.replaceAll(/\d/g, "0");
}

/** Whether words stand in a text, and not in longer ones. Printed code has the same. */
function containsWords(text: string, words: string): boolean {
  const isInWord = (sign = ""): boolean => /[\p{L}\p{N}]/u.test(sign);
  for (let at = text.indexOf(words); at >= 0 && words !== ""; at = text.indexOf(words, at + 1))
    if (!isInWord(text[at - 1]) && !isInWord(text[at + words.length])) return true;
  return false;
}

/** How a value compares to one other, rather than to a list. */
export type ValueOperator = Exclude<ComparisonOperator, "in" | "not in">;

/** How one value compares to another; undefined: whether they are equal. What cannot be ordered does not. */
export function compares(value: Json, operator: ValueOperator | undefined, limit: Json): boolean {
  if (operator === undefined) return isSame(value, limit);
  if (operator === "!=") return !isSame(value, limit);
  if (operator === "startsWith")
    return typeof value === "string" && typeof limit === "string" && value.startsWith(limit);
  if (operator === "endsWith")
    return typeof value === "string" && typeof limit === "string" && value.endsWith(limit);
  if (operator === "contains")
    return (
      typeof value === "string" &&
      (typeof limit === "string" || typeof limit === "number") &&
      containsWords(value, String(limit))
    );
  if (isDayOperator(operator)) {
    const day = dayIn(value);
    const isDay = typeof limit === "string" && dayIn(limit) === limit;
    return typeof day === "string" && isDay && compares(day, orderIn(operator), limit);
  }
  const own = measured(value, limit);
  if (!areOrdered([own, limit]) || own === null || limit === null) return false;
  switch (operator) {
    case "<":
      return own < limit;
    case "<=":
      return own <= limit;
    case ">":
      return own > limit;
    case ">=":
      return own >= limit;
  }
}

type DayOperator = `day ${OrderOperator}`;

export function isDayOperator(operator: ValueOperator | undefined): operator is DayOperator {
  return operator?.startsWith("day ") === true;
}

/** How the day compares. */
export function orderIn(operator: DayOperator): OrderOperator {
  switch (operator) {
    case "day <":
      return "<";
    case "day <=":
      return "<=";
    case "day >":
      return ">";
    case "day >=":
      return ">=";
  }
}

/**
 * The one day (`2026-03-01`) that stands in a text; null where nothing in it looks like one. Undefined where it has several,
 * or one that is written otherwise. Printed code has the same.
 */
export function dayIn(text: Json): string | null | undefined {
  if (typeof text !== "string") return undefined;
  const [day, ...others] = text.match(new RegExp(WRITTEN_DAY.join(""), "g")) ?? [];
  if (day === undefined) return new RegExp(NEAR_DAY.join(""), "i").test(text) ? undefined : null;
  return others.every((other) => other === day) ? day : undefined;
}

const MONTHS = "jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez";
/** A day as it is told in names, in two pieces as it is printed. */
export const WRITTEN_DAY: readonly [string, string] = [
  "(?<![0-9])[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|",
  "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))(?![0-9])",
];
/** What may be one that is written otherwise: a year, many digits, numbers as those of a day, a month in words. */
export const NEAR_DAY: readonly [string, string] = [
  "[0-9]{6}|(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])|[0-9]{1,2}[-_. /][0-9]{1,2}[-_. /][0-9]{2}|",
  `(?<![a-z])(?:${MONTHS})[a-z]*[-_. ]*[0-9]|[0-9][-_. ]*(?:${MONTHS})`,
];

/** Beside a limit that is a number, a value that says one is that number: many servers write amounts as texts. */
export function measured(value: Json, limit: Json): Json {
  const isNumeral = typeof value === "string" && /^-?\d{1,15}(?:\.\d{1,12})?$/.test(value);
  return typeof limit === "number" && isNumeral ? Number(value) : value;
}

/**
 * A number with so many decimals; undefined where it is half way between two of these, or too great to be exact. Printed code
 * has the same.
 */
export function roundedText(value: number, decimals: number): string | undefined {
  const scaled = Math.abs(value) * 10 ** decimals;
  const whole = Math.floor(scaled);
  if (!(scaled < 1e12) || Math.abs(scaled - whole - 0.5) < 1e-6) return undefined;
  const digits = String(scaled - whole > 0.5 ? whole + 1 : whole).padStart(decimals + 1, "0");
  const [before, after] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  return (value < 0 && Number(digits) > 0 ? "-" : "") + (decimals === 0 ? before : before + "." + after);
}

/** Numbers as money is written; undefined where one of them has no such text. */
export function textsInCents(values: readonly number[]): readonly string[] | undefined {
  const texts = values.flatMap((value) => roundedText(value, CENTS) ?? []);
  return texts.length === values.length ? texts : undefined;
}

/** The decimals of money. */
export const CENTS = 2;

/**
 * The places of values in the order of numbers, or of texts, equal ones as they were; undefined where something else is among
 * them, it is not clear which of two texts comes first, or two are equal and it is to be strict. Printed code has the same.
 */
export function sortedOrder(
  values: readonly (Json | undefined)[],
  isFalling: boolean,
  isStrict = false,
): readonly number[] | undefined {
  const isOfTexts = values.every((value) => typeof value === "string");
  if (!isOfTexts && !values.every((value) => typeof value === "number")) return undefined;
  const keys = values.map((value) =>
    typeof value === "string" ? value.replaceAll(/[A-Z]/g, (sign) => sign.toLowerCase()) : (value ?? 0),
  );
  const compared = (a: string | number, b: string | number): number =>
    (a < b ? -1 : a > b ? 1 : 0) * (isFalling ? -1 : 1);
  const order = [...keys.keys()].sort((a, b) => compared(keys[a] ?? 0, keys[b] ?? 0));
  const isClear = order.every(
    (index, nth) => nth === 0 || isClearOrder(values[order[nth - 1] ?? 0] ?? null, values[index] ?? null),
  );
  const isOfTies = order.some((index, nth) => nth > 0 && keys[order[nth - 1] ?? 0] === keys[index]);
  return isClear && !(isStrict && isOfTies) ? order : undefined;
}

/** Whether all would put the same of two texts first: by letters of the same case, signs apart, and numbers as long. */
function isClearOrder(a: Json, b: Json): boolean {
  if (typeof a !== "string" || typeof b !== "string") return true;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [x = "", y = ""] = [a[at], b[at]];
  if (x === "" || y === "") return true;
  const before = /\d*$/.exec(a.slice(0, at))?.[0] ?? "";
  const [own, other] = [a, b].map((text) => before + (/^\d*/.exec(text.slice(at))?.[0] ?? ""));
  const isNumber = before !== "" || /^\d{2}$/.test(x + y);
  if (isNumber && own?.length !== other?.length) return false;
  return /^[ 0-9A-Za-z]{2}$/.test(x + y) && x.toLowerCase() !== y.toLowerCase();
}

/**
 * Where the first so many elements of a list end, or the last begin; undefined where there are fewer, or the next one says
 * the same at a place. Printed code has the same.
 */
export function takenAt(
  elements: readonly Json[],
  count: number,
  isLast: boolean,
  by: readonly string[] | undefined,
): number | undefined {
  if (elements.length < count) return undefined;
  const at = isLast ? elements.length - count : count;
  const isTie =
    by !== undefined &&
    elements.length > count &&
    isSame(valueAt(elements[at - 1], by), valueAt(elements[at], by));
  return isTie ? undefined : at;
}

/** Where the least or the most of the values first stands; undefined where they cannot be ordered. */
export function extremeIndex(values: readonly (Json | undefined)[], most: boolean): number | undefined {
  if (values.length === 0 || !areOrdered(values)) return undefined;
  const operator = most ? ">" : "<";
  return values.reduce<number>(
    (best, value, index) => (compares(value ?? null, operator, values[best] ?? null) ? index : best),
    0,
  );
}

/** What numbers add up to, with as many decimals as they have. */
export function sumOf(values: readonly Json[]): number | undefined {
  return values.reduce<number | undefined>(
    (sum, value) => (sum === undefined ? undefined : calculated(sum, "+", value)),
    0,
  );
}

/** The number that a value is, or that a text says as people write it; undefined: none. */
export function numberFrom(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/** The number that a value is or says, or the time of a date; NaN: none. */
function quantityOf(value: Json | undefined): number {
  if (typeof value === "string" && /^\d{4}-\d{2}/.test(value)) return Date.parse(value);
  return numberFrom(value) ?? Number.NaN;
}

/** Whether all answers of one group have more of something than those of another: a number, a day, a longer list. */
export function arePartedByAmount(groups: readonly (readonly Json[])[]): boolean {
  return areParted(groups, (value) => (Array.isArray(value) ? value.length : quantityOf(value)));
}

/** Whether all answers of one group have something where those of another have nothing. */
export function arePartedByPresence(groups: readonly (readonly Json[])[]): boolean {
  return areParted(groups, (value) => Number(value !== undefined && value !== null && value !== ""));
}

function areParted(
  groups: readonly (readonly Json[])[],
  amountOf: (value: Json | undefined) => number,
): boolean {
  const places = new Map(groups.flat().flatMap(placesOutOfLists));
  return places.values().some((path) => {
    const amounts = groups.map((answers) => answers.map((answer) => amountOf(valueAt(answer, path))));
    return amounts.some((own) => amounts.some((other) => Math.max(...own) < Math.min(...other)));
  });
}

/** Places of leaves and lists. */
function placesOutOfLists(answer: Json): readonly (readonly [text: string, path: Path])[] {
  return [...jsonLeaves(answer)].map(([path]) => {
    const end = path.findIndex((part) => typeof part === "number");
    const place = end < 0 ? path : path.slice(0, end);
    return [JSON.stringify(place), place] as const;
  });
}

/** What two numbers give, as people calculate: with no more decimals than it has. Undefined where there is none. */
export function calculated(
  left: Json | undefined,
  operator: ArithmeticOperator,
  right: Json | undefined,
): number | undefined {
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  const [a, b] = [decimalsOf(left), decimalsOf(right)];
  switch (operator) {
    case "+":
      return withDecimals(left + right, Math.max(a, b));
    case "-":
      return withDecimals(left - right, Math.max(a, b));
    case "*":
      return withDecimals(left * right, a + b);
    case "/":
      return finite(left / right);
  }
}

/** Infinitely many where the number is too large or small to be written with decimals. */
function decimalsOf(value: number): number {
  const text = String(value);
  return text.includes("e") ? Infinity : (/\.(\d+)$/.exec(text)?.[1]?.length ?? 0);
}

function withDecimals(value: number, decimals: number): number | undefined {
  return finite(decimals > MAX_DECIMALS ? value : Number(value.toFixed(decimals)));
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

const MAX_DECIMALS = 12;
