import { isJsonObject, type Json } from "../../core/json/json.ts";
import { formattedDate } from "../synthesis/dates.ts";
import { comparisonsIn } from "../plan/expression.ts";
import type { Condition, Expression, TracePath, ValueCondition } from "../plan/plan.ts";
import { textPart } from "../plan/text-part.ts";
import { calculated, compares, extremeIndex, numberFrom, sumOf } from "../plan/quantities.ts";
import { isSame, valueAt } from "../plan/values.ts";

/** A value of a recorded run. */
export interface TracedValue {
  readonly value: Json;
  /** Where in a call's result it stands, if it does. */
  readonly place?: TracePath | undefined;
  /** What stands under one of its keys or indices. */
  readonly part: (key: string | number) => TracedValue | undefined;
}

/** What is known where an expression stands. */
export interface EvaluationScope {
  /** Nothing: it is left out. A parameter that is not here at all is sought. */
  readonly params: ReadonlyMap<string, Json | undefined>;
  readonly refs: ReadonlyMap<string, TracedValue>;
}

/** What an expression gives, and what the parameters that were sought must be for it. */
export interface EvaluationResult {
  readonly result: TracedValue;
  readonly bindings: ReadonlyMap<string, TracedValue>;
}

type Bindings = EvaluationResult["bindings"];
const NOTHING: Bindings = new Map();

/** What printed code would give for the expression; nothing where it would fail. */
export function evaluate(expression: Expression, scope: EvaluationScope): TracedValue | undefined {
  for (const { result } of evaluations(expression, scope)) return result;
  return undefined;
}

/**
 * What the expression can give: more than one thing where parameters by which elements are found are sought. Whether a
 * parameter's value finds just one element is told by the expression's meaning with it.
 */
export function* evaluations(
  expression: Expression,
  scope: EvaluationScope,
  bindings: Bindings = NOTHING,
): Generator<EvaluationResult> {
  switch (expression.kind) {
    case "constant":
      yield { result: computedValue(expression.value), bindings };
      return;
    case "param": {
      const value = bindings.get(expression.name)?.value ?? scope.params.get(expression.name);
      if (value !== undefined) yield { result: computedValue(value), bindings };
      return;
    }
    case "ref": {
      const result = scope.refs.get(expression.name);
      if (result) yield { result, bindings };
      return;
    }
    case "or": {
      let isGiven = false;
      for (const evaluation of evaluations(expression.of, scope, bindings)) {
        if (evaluation.result.value === null) break;
        isGiven = true;
        yield evaluation;
      }
      if (!isGiven) yield* evaluations(expression.otherwise, scope, bindings);
      return;
    }
    case "field":
      yield* each(expression.of, scope, bindings, (of) => valueAtPath(of, expression.path));
      return;
    case "find":
      for (const found of evaluations(expression.in, scope, bindings))
        yield* elementsFor(elementsOf(found.result), expression.where, scope, found.bindings);
      return;
    case "filter":
      for (const found of evaluations(expression.in, scope, bindings))
        yield* filtered(elementsOf(found.result), expression.where, scope, found.bindings);
      return;
    case "extreme":
      yield* each(expression.in, scope, bindings, (list) =>
        extreme(elementsOf(list), expression.by, expression.most),
      );
      return;
    case "only":
      yield* each(expression.in, scope, bindings, (list) => only(elementsOf(list)));
      return;
    case "nth":
      yield* each(expression.in, scope, bindings, (list) => elementsOf(list).at(expression.position));
      return;
    case "values":
      yield* each(expression.of, scope, bindings, (of) =>
        isJsonObject(of.value)
          ? listValue(Object.keys(of.value).flatMap((key) => of.part(key) ?? []))
          : undefined,
      );
      return;
    case "entries":
      yield* each(expression.of, scope, bindings, (of) =>
        isJsonObject(of.value) ? listValue(Object.keys(of.value).map((key) => entry(of, key))) : undefined,
      );
      return;
    case "map":
      yield* each(expression.over, scope, bindings, (over) => {
        const elements = elementsOf(over).map((element) =>
          evaluate(expression.value, {
            ...scope,
            refs: new Map([...scope.refs, [expression.item, element]]),
          }),
        );
        return elements.every((element) => element !== undefined) ? listValue(elements) : undefined;
      });
      return;
    case "flat":
      yield* each(expression.of, scope, bindings, (of) =>
        listValue(elementsOf(of).flatMap((element) => elementsOf(valueAtPath(element, expression.path)))),
      );
      return;
    case "list":
      yield* all(expression.items, scope, bindings, (items) =>
        listValue(items.map((item) => item ?? computedValue(null))),
      );
      return;
    case "object":
      yield* all(
        expression.fields.map(({ value }) => value),
        scope,
        bindings,
        (values) => recordValue(expression.fields.map(({ name }, index) => [name, values[index]] as const)),
      );
      return;
    case "template": {
      const inner = expression.parts.filter((part) => typeof part !== "string");
      yield* all(inner, scope, bindings, (values) => {
        const left = [...values];
        const texts = expression.parts.map((part) =>
          typeof part === "string" ? part : textOf(left.shift()?.value ?? ""),
        );
        return computedValue(texts.join(""));
      });
      return;
    }
    case "part":
      yield* each(expression.of, scope, bindings, ({ value }) =>
        textBetween(value, expression.after, expression.before),
      );
      return;
    case "cast":
      yield* each(expression.of, scope, bindings, ({ value }) => {
        const cast = castTo(expression.to, value);
        return cast === undefined ? undefined : computedValue(cast);
      });
      return;
    case "arithmetic":
      yield* all([expression.left, expression.right], scope, bindings, ([left, right]) => {
        const value = calculated(left?.value, expression.operator, right?.value);
        return value === undefined ? undefined : computedValue(value);
      });
      return;
    case "aggregate":
      yield* each(expression.of, scope, bindings, ({ value }) => aggregate(expression.operator, value));
      return;
    case "join":
      yield* each(expression.of, scope, bindings, ({ value }) =>
        Array.isArray(value)
          ? computedValue(value.map((part: Json) => textOf(part)).join(expression.separator))
          : undefined,
      );
      return;
    case "date":
      yield* each(expression.of, scope, bindings, ({ value }) => {
        const text =
          typeof value === "string" ? dateText(value, expression.days, expression.format) : undefined;
        return text === undefined ? undefined : computedValue(text);
      });
  }
}

/** A value in which every place is told by its path in a call's result. */
export function callResult(call: number, value: Json, path: TracePath["path"] = []): TracedValue {
  return {
    value,
    place: { call, path },
    part: (key) => {
      const inner = valueAt(value, [key]);
      return inner === undefined ? undefined : callResult(call, inner, [...path, key]);
    },
  };
}

export function listValue(elements: readonly TracedValue[]): TracedValue {
  return { value: elements.map(({ value }) => value), part: (key) => elements[Number(key)] };
}

/** A value that is no part of a result. */
export function computedValue(value: Json): TracedValue {
  return {
    value,
    part: (key) => {
      const inner = valueAt(value, [key]);
      return inner === undefined ? undefined : computedValue(inner);
    },
  };
}

export function elementsOf(seen: TracedValue | undefined): readonly TracedValue[] {
  return Array.isArray(seen?.value) ? seen.value.flatMap((_, index) => seen.part(index) ?? []) : [];
}

function recordValue(fields: readonly (readonly [string, TracedValue | undefined])[]): TracedValue {
  const present = fields.filter((field): field is readonly [string, TracedValue] => field[1] !== undefined);
  const parts = new Map(present);
  return {
    value: Object.fromEntries(present.map(([name, { value }]) => [name, value])),
    part: (key) => parts.get(String(key)),
  };
}

/** Of a map: its key stands at the same place as its value. */
function entry(map: TracedValue, key: string): TracedValue {
  const value = map.part(key);
  return recordValue([
    ["key", { ...computedValue(key), place: value?.place }],
    ["value", value],
  ]);
}

export function valueAtPath(seen: TracedValue | undefined, path: readonly string[]): TracedValue | undefined {
  return path.reduce((at, key) => at?.part(key), seen);
}

function only(elements: readonly TracedValue[]): TracedValue | undefined {
  const [first, ...others] = elements;
  return others.every(({ value }) => isSame(value, first?.value)) ? first : undefined;
}

function* each(
  inner: Expression,
  scope: EvaluationScope,
  bindings: Bindings,
  give: (result: TracedValue) => TracedValue | undefined,
): Generator<EvaluationResult> {
  for (const meaning of evaluations(inner, scope, bindings)) {
    const result = give(meaning.result);
    if (result) yield { result, bindings: meaning.bindings };
  }
}

// What is left out is no fault inside a list, an object or a text.
function* all(
  inner: readonly Expression[],
  scope: EvaluationScope,
  bindings: Bindings,
  give: (results: readonly (TracedValue | undefined)[]) => TracedValue | undefined,
  before: readonly (TracedValue | undefined)[] = [],
): Generator<EvaluationResult> {
  const [first, ...rest] = inner;
  if (!first) {
    const result = give(before);
    if (result) yield { result, bindings };
    return;
  }
  let isLeftOut = true;
  for (const meaning of evaluations(first, scope, bindings)) {
    isLeftOut = false;
    yield* all(rest, scope, meaning.bindings, give, [...before, meaning.result]);
  }
  if (isLeftOut) yield* all(rest, scope, bindings, give, [...before, undefined]);
}

/** The element that the conditions find; where something is sought, each that they could find. */
function* elementsFor(
  elements: readonly TracedValue[],
  where: readonly Condition[],
  scope: EvaluationScope,
  bindings: Bindings,
): Generator<EvaluationResult> {
  const isSought = isSoughtIn(scope, bindings);
  if (!comparisonsIn(where).some(isSought)) {
    const result = only(matching(elements, where, scope, bindings));
    if (result) yield { result, bindings };
    return;
  }
  for (const element of elements)
    for (const each of allBindings(element, where, scope, bindings, isSought))
      yield { result: element, bindings: each };
}

/** The elements for which the conditions hold; where something is sought, those that are found by what an element has. */
function* filtered(
  elements: readonly TracedValue[],
  where: readonly Condition[],
  scope: EvaluationScope,
  bindings: Bindings,
): Generator<EvaluationResult> {
  const isSought = isSoughtIn(scope, bindings);
  const seen = new Set<string>();
  for (const element of comparisonsIn(where).some(isSought) ? elements : [undefined]) {
    const known = element ? allBindings(element, where, scope, bindings, isSought) : [bindings];
    for (const each of known) {
      const text = JSON.stringify([...each].map(([name, { value }]) => [name, value]));
      if (seen.has(text)) continue;
      seen.add(text);
      yield { result: listValue(matching(elements, where, scope, each)), bindings: each };
    }
  }
}

function matching(
  elements: readonly TracedValue[],
  where: readonly Condition[],
  scope: EvaluationScope,
  bindings: Bindings,
): readonly TracedValue[] {
  return elements.filter((element) => where.every((each) => holds(element, each, scope, bindings)));
}

function isSoughtIn(scope: EvaluationScope, bindings: Bindings): (condition: ValueCondition) => boolean {
  return ({ equals }) =>
    equals.kind === "param" && !scope.params.has(equals.name) && !bindings.has(equals.name);
}

function allBindings(
  element: TracedValue,
  where: readonly Condition[],
  scope: EvaluationScope,
  bindings: Bindings,
  isSought: (condition: ValueCondition) => boolean,
): readonly Bindings[] {
  return where.reduce<readonly Bindings[]>(
    (found, each) => found.flatMap((known) => bindingsWith(element, each, scope, known, isSought)),
    [bindings],
  );
}

/** What sought parameters can be for a condition to hold; nothing where it does not. */
function bindingsWith(
  element: TracedValue,
  condition: Condition,
  scope: EvaluationScope,
  bindings: Bindings,
  isSought: (condition: ValueCondition) => boolean,
): readonly Bindings[] {
  if ("some" in condition)
    return partsOf(valueAtPath(element, condition.path)).flatMap((inner) =>
      allBindings(inner, condition.some, scope, bindings, isSought),
    );
  const { path, equals } = condition;
  if (!isSought(condition) || equals.kind !== "param")
    return holds(element, condition, scope, bindings) ? [bindings] : [];
  const value = valueAtPath(element, path);
  return [value ? new Map([...bindings, [equals.name, value]]) : bindings];
}

/** Whether all conditions hold for an element. */
export function fulfils(element: TracedValue, where: readonly Condition[], scope: EvaluationScope): boolean {
  return where.every((condition) => holds(element, condition, scope, NOTHING));
}

function holds(
  element: TracedValue,
  condition: Condition,
  scope: EvaluationScope,
  bindings: Bindings,
): boolean {
  if ("some" in condition)
    return partsOf(valueAtPath(element, condition.path)).some((inner) =>
      condition.some.every((each) => holds(inner, each, scope, bindings)),
    );
  const { path, operator, equals, optional } = condition;
  for (const { result } of evaluations(equals, scope, bindings)) {
    const value = valueAtPath(element, path)?.value;
    return value !== undefined && compares(value, operator, result.value);
  }
  return optional === true;
}

/** The elements of a list, or the values of a map. */
function partsOf(seen: TracedValue | undefined): readonly TracedValue[] {
  return isJsonObject(seen?.value)
    ? Object.keys(seen.value).flatMap((key) => seen.part(key) ?? [])
    : elementsOf(seen);
}

function extreme(
  elements: readonly TracedValue[],
  by: readonly string[],
  most: boolean,
): TracedValue | undefined {
  const values = elements.map((element) => valueAtPath(element, by)?.value);
  const index = extremeIndex(values, most);
  const found = index === undefined ? undefined : elements[index];
  const equals = elements.filter((_, at) => values[at] === values[index ?? -1]);
  return equals.every(({ value }) => isSame(value, found?.value)) ? found : undefined;
}

function aggregate(operator: "sum" | "count", value: Json): TracedValue | undefined {
  if (!Array.isArray(value)) return undefined;
  if (operator === "count") return computedValue(value.length);
  const sum = sumOf(value as readonly Json[]);
  return sum === undefined ? undefined : computedValue(sum);
}

function textBetween(value: Json, after: string, before: string): TracedValue | undefined {
  const part = typeof value === "string" ? textPart(value, after, before) : undefined;
  return part === undefined ? undefined : computedValue(part);
}

function castTo(to: "string" | "number" | "integer" | "boolean", value: Json): Json | undefined {
  switch (to) {
    case "string":
      return value === null || value === "" ? undefined : textOf(value);
    case "number":
      return numberFrom(value);
    case "integer": {
      const number = numberFrom(value);
      return number === undefined ? undefined : Math.trunc(number);
    }
    case "boolean":
      return Boolean(value);
  }
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function dateText(text: string, days: number, format: string): string | undefined {
  try {
    return formattedDate(text, days, format);
  } catch {
    // Days of a plan that somebody wrote can lead out of the calendar.
    return undefined;
  }
}
