import { isJsonObject, type Json } from "../../core/json/json.ts";
import { formattedDate } from "../synthesis/dates.ts";
import type { Condition, Expression, Place } from "../plan/plan.ts";
import { isSame, valueAt } from "../plan/values.ts";

/** A value of a recorded run. */
export interface Seen {
  readonly value: Json;
  /** Where in a call's result it stands, if it does. */
  readonly place?: Place | undefined;
  /** What stands under one of its keys or indices. */
  readonly part: (key: string | number) => Seen | undefined;
}

/** What is known where an expression stands. */
export interface Known {
  /** Nothing: it is left out. A parameter that is not here at all is sought. */
  readonly params: ReadonlyMap<string, Json | undefined>;
  readonly refs: ReadonlyMap<string, Seen>;
}

/** What an expression gives, and what the parameters that were sought must be for it. */
export interface Meaning {
  readonly seen: Seen;
  readonly sought: ReadonlyMap<string, Seen>;
}

type Sought = Meaning["sought"];
const NOTHING: Sought = new Map();

/** What printed code would give for the expression; nothing where it would fail. */
export function meaningOf(expression: Expression, known: Known): Seen | undefined {
  for (const { seen } of meanings(expression, known)) return seen;
  return undefined;
}

/**
 * What the expression can give: more than one thing where parameters by which elements are found are sought. Whether a
 * parameter's value finds just one element is told by the expression's meaning with it.
 */
export function* meanings(
  expression: Expression,
  known: Known,
  sought: Sought = NOTHING,
): Generator<Meaning> {
  switch (expression.kind) {
    case "constant":
      yield { seen: made(expression.value), sought };
      return;
    case "param": {
      const value = sought.get(expression.name)?.value ?? known.params.get(expression.name);
      if (value !== undefined) yield { seen: made(value), sought };
      return;
    }
    case "ref": {
      const seen = known.refs.get(expression.name);
      if (seen) yield { seen, sought };
      return;
    }
    case "or": {
      let isGiven = false;
      for (const meaning of meanings(expression.of, known, sought)) {
        if (meaning.seen.value === null) break;
        isGiven = true;
        yield meaning;
      }
      if (!isGiven) yield* meanings(expression.otherwise, known, sought);
      return;
    }
    case "field":
      yield* each(expression.of, known, sought, (of) => followed(of, expression.path));
      return;
    case "find":
      for (const found of meanings(expression.in, known, sought))
        yield* elementsFor(elementsOf(found.seen), expression.where, known, found.sought);
      return;
    case "only":
      yield* each(expression.in, known, sought, (list) => only(elementsOf(list)));
      return;
    case "nth":
      yield* each(expression.in, known, sought, (list) => elementsOf(list).at(expression.position));
      return;
    case "values":
      yield* each(expression.of, known, sought, (of) =>
        isJsonObject(of.value) ? list(Object.keys(of.value).flatMap((key) => of.part(key) ?? [])) : undefined,
      );
      return;
    case "entries":
      yield* each(expression.of, known, sought, (of) =>
        isJsonObject(of.value) ? list(Object.keys(of.value).map((key) => entry(of, key))) : undefined,
      );
      return;
    case "map":
      yield* each(expression.over, known, sought, (over) => {
        const elements = elementsOf(over).map((element) =>
          meaningOf(expression.value, {
            ...known,
            refs: new Map([...known.refs, [expression.item, element]]),
          }),
        );
        return elements.every((element) => element !== undefined) ? list(elements) : undefined;
      });
      return;
    case "flat":
      yield* each(expression.of, known, sought, (of) =>
        list(elementsOf(of).flatMap((element) => elementsOf(followed(element, expression.path)))),
      );
      return;
    case "list":
      yield* all(expression.items, known, sought, (items) => list(items.map((item) => item ?? made(null))));
      return;
    case "object":
      yield* all(
        expression.fields.map(({ value }) => value),
        known,
        sought,
        (values) => record(expression.fields.map(({ name }, index) => [name, values[index]] as const)),
      );
      return;
    case "template": {
      const inner = expression.parts.filter((part) => typeof part !== "string");
      yield* all(inner, known, sought, (values) => {
        const left = [...values];
        const texts = expression.parts.map((part) =>
          typeof part === "string" ? part : textOf(left.shift()?.value ?? ""),
        );
        return made(texts.join(""));
      });
      return;
    }
    case "part":
      yield* each(expression.of, known, sought, ({ value }) =>
        textBetween(value, expression.after, expression.before),
      );
      return;
    case "cast":
      yield* each(expression.of, known, sought, ({ value }) => made(castTo(expression.to, value)));
      return;
    case "arithmetic":
      yield* all([expression.left, expression.right], known, sought, ([left, right]) =>
        calculated(expression.operator, left?.value, right?.value),
      );
      return;
    case "date":
      yield* each(expression.of, known, sought, ({ value }) => {
        const text =
          typeof value === "string" ? dateText(value, expression.days, expression.format) : undefined;
        return text === undefined ? undefined : made(text);
      });
  }
}

/** A value in which every place is told by its path in a call's result. */
export function resultOf(call: number, value: Json, path: Place["path"] = []): Seen {
  return {
    value,
    place: { call, path },
    part: (key) => {
      const inner = valueAt(value, [key]);
      return inner === undefined ? undefined : resultOf(call, inner, [...path, key]);
    },
  };
}

export function list(elements: readonly Seen[]): Seen {
  return { value: elements.map(({ value }) => value), part: (key) => elements[Number(key)] };
}

/** A value that is no part of a result. */
export function made(value: Json): Seen {
  return {
    value,
    part: (key) => {
      const inner = valueAt(value, [key]);
      return inner === undefined ? undefined : made(inner);
    },
  };
}

export function elementsOf(seen: Seen | undefined): readonly Seen[] {
  return Array.isArray(seen?.value) ? seen.value.flatMap((_, index) => seen.part(index) ?? []) : [];
}

function record(fields: readonly (readonly [string, Seen | undefined])[]): Seen {
  const present = fields.filter((field): field is readonly [string, Seen] => field[1] !== undefined);
  const parts = new Map(present);
  return {
    value: Object.fromEntries(present.map(([name, { value }]) => [name, value])),
    part: (key) => parts.get(String(key)),
  };
}

/** Of a map: its key stands at the same place as its value. */
function entry(map: Seen, key: string): Seen {
  const value = map.part(key);
  return record([
    ["key", { ...made(key), place: value?.place }],
    ["value", value],
  ]);
}

function followed(seen: Seen | undefined, path: readonly string[]): Seen | undefined {
  return path.reduce((at, key) => at?.part(key), seen);
}

function only(elements: readonly Seen[]): Seen | undefined {
  const [first, ...others] = elements;
  return others.every(({ value }) => isSame(value, first?.value)) ? first : undefined;
}

function* each(
  inner: Expression,
  known: Known,
  sought: Sought,
  give: (seen: Seen) => Seen | undefined,
): Generator<Meaning> {
  for (const meaning of meanings(inner, known, sought)) {
    const seen = give(meaning.seen);
    if (seen) yield { seen, sought: meaning.sought };
  }
}

// What is left out is no fault inside a list, an object or a text.
function* all(
  inner: readonly Expression[],
  known: Known,
  sought: Sought,
  give: (seen: readonly (Seen | undefined)[]) => Seen | undefined,
  before: readonly (Seen | undefined)[] = [],
): Generator<Meaning> {
  const [first, ...rest] = inner;
  if (!first) {
    const seen = give(before);
    if (seen) yield { seen, sought };
    return;
  }
  let isLeftOut = true;
  for (const meaning of meanings(first, known, sought)) {
    isLeftOut = false;
    yield* all(rest, known, meaning.sought, give, [...before, meaning.seen]);
  }
  if (isLeftOut) yield* all(rest, known, sought, give, [...before, undefined]);
}

/** The element that the conditions find; where something is sought, each that they could find. */
function* elementsFor(
  elements: readonly Seen[],
  where: readonly Condition[],
  known: Known,
  sought: Sought,
): Generator<Meaning> {
  const isSought = ({ equals }: Condition): boolean =>
    equals.kind === "param" && !known.params.has(equals.name) && !sought.has(equals.name);
  const told = where.filter((condition) => !isSought(condition));
  const left = elements.filter((element) =>
    told.every((condition) => holds(element, condition, known, sought)),
  );
  const seeking = where.filter(isSought);
  if (seeking.length === 0) {
    const seen = only(left);
    if (seen) yield { seen, sought };
    return;
  }
  for (const element of left) {
    const found = new Map(sought);
    for (const { path, equals } of seeking) {
      const value = followed(element, path);
      if (value && equals.kind === "param") found.set(equals.name, value);
    }
    yield { seen: element, sought: found };
  }
}

function holds(element: Seen, { path, equals, optional }: Condition, known: Known, sought: Sought): boolean {
  for (const { seen } of meanings(equals, known, sought))
    return isSame(followed(element, path)?.value, seen.value);
  return optional === true;
}

function textBetween(value: Json, after: string, before: string): Seen | undefined {
  if (typeof value !== "string") return undefined;
  const start = after === "" ? 0 : value.indexOf(after) + after.length;
  const end = before === "" ? value.length : value.indexOf(before, start);
  return start < after.length || end < start ? undefined : made(value.slice(start, end));
}

function castTo(to: "string" | "number" | "integer" | "boolean", value: Json): Json {
  switch (to) {
    case "string":
      return textOf(value);
    case "number":
      return Number(value);
    case "integer":
      return Math.trunc(Number(value));
    case "boolean":
      return Boolean(value);
  }
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function calculated(operator: "+" | "-" | "*" | "/", left: unknown, right: unknown): Seen | undefined {
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  switch (operator) {
    case "+":
      return made(left + right);
    case "-":
      return made(left - right);
    case "*":
      return made(left * right);
    case "/":
      return made(left / right);
  }
}

function dateText(text: string, days: number, format: string): string | undefined {
  try {
    return formattedDate(text, days, format);
  } catch {
    // Days of a plan that somebody wrote can lead out of the calendar.
    return undefined;
  }
}
