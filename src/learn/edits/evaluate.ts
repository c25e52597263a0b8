import { isJsonObject, type Json } from "../../core/json/json.ts";
import { formattedDate } from "../synthesis/dates.ts";
import { isIn, isNearly, nearlyHas } from "../expectations/near-texts.ts";
import { isOfValueKind, type ValueKind } from "../expectations/value-kind.ts";
import { comparisonsIn } from "../plan/expression.ts";
import type { Condition, Expression, TracePath, ValueCondition } from "../plan/plan.ts";
import {
  besideOf,
  isExcerpt,
  isFixedText,
  replacedText,
  replacedTexts,
  casedText,
  slugOf,
  textPart,
} from "../plan/text-part.ts";
import { textPiece } from "../texts/text-piece.ts";
import {
  areOrdered,
  calculated,
  compares,
  dayIn,
  extremeIndex,
  numberFrom,
  sumOf,
  measured,
  roundedText,
  sortedOrder,
  takenAt,
} from "../plan/quantities.ts";
import { isSame, valueAt } from "../plan/values.ts";

/** A value of a run. */
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
  /** Whether an answer tells what an expression gives: where it tells nothing, what needs it fails. */
  readonly mustTell?: ((expression: Expression) => boolean) | undefined;
}

/** What an expression gives, and what the parameters that were sought must be for it. */
export interface EvaluationResult {
  readonly result: TracedValue;
  readonly bindings: ReadonlyMap<string, TracedValue>;
}

type Bindings = EvaluationResult["bindings"];
const NOTHING: Bindings = new Map();

/** What printed code would give for the expression; nothing where it would fail, or give nothing. */
export function evaluate(expression: Expression, scope: EvaluationScope): TracedValue | undefined {
  for (const { result } of evaluations(expression, scope)) return isAbsent(result) ? undefined : result;
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
      yield { result: value === undefined ? ABSENT : computedValue(value), bindings };
      return;
    }
    case "ref": {
      const result = scope.refs.get(expression.name);
      if (result && isAs(result, expression.as)) yield { result, bindings };
      return;
    }
    case "or":
      for (const evaluation of evaluations(expression.of, scope, bindings)) {
        if (evaluation.result.value !== null) yield evaluation;
        else yield* evaluations(expression.otherwise, scope, evaluation.bindings);
      }
      return;
    case "field":
      yield* each(expression.of, scope, bindings, (of) => {
        const found = fieldOf(of, expression.path);
        return found && isAs(found, expression.as) ? found : undefined;
      });
      return;
    case "find":
      for (const found of evaluations(expression.in, scope, bindings))
        yield* elementsFor(elementsOf(found.result), expression.where, scope, found.bindings);
      return;
    case "filter":
      for (const found of evaluations(expression.in, scope, bindings)) {
        const list = listIn(found.result);
        const mayLack = expression.in.kind !== "list";
        if (list && (mayLack || list.every(({ value }) => value !== null && value !== "")))
          yield* filtered(list, expression.where, scope, found.bindings);
      }
      return;
    case "extreme":
      yield* each(expression.in, scope, bindings, (list) =>
        extreme(elementsOf(list), expression.by, expression.most),
      );
      return;
    case "groups":
      yield* each(expression.in, scope, bindings, (list) => grouped(listIn(list), expression.by));
      return;
    case "sorted":
      yield* each(expression.in, scope, bindings, (list) => sorted(listIn(list), expression));
      return;
    case "taken":
      yield* each(expression.in, scope, bindings, (list) => taken(listIn(list), expression));
      return;
    case "numbered":
      yield* each(expression.in, scope, bindings, (list) => numbered(listIn(list)));
      return;
    case "only":
      yield* each(expression.in, scope, bindings, (list) => only(elementsOf(list)));
      return;
    case "nth":
      yield* each(expression.in, scope, bindings, (list) => {
        const found = elementsOf(list).at(expression.position);
        return found && !isAbsent(found) ? found : undefined;
      });
      return;
    case "values":
      yield* each(expression.of, scope, bindings, (of) => {
        const keys = keysOf(of.value);
        return keys && listValue(keys.flatMap((key) => of.part(key) ?? []));
      });
      return;
    case "entries":
      yield* each(expression.of, scope, bindings, (of) => {
        const keys = keysOf(of.value);
        return keys && listValue(keys.map((key) => entry(of, key)));
      });
      return;
    case "zip":
      yield* all([expression.left, expression.right], scope, bindings, ([left, right]) => {
        const [ones, others] = [listIn(left), listIn(right)];
        return ones && others?.length === ones.length
          ? listValue(
              ones.map((one, nth) =>
                recordValue([
                  ["left", one],
                  ["right", others[nth] ?? ABSENT],
                ]),
              ),
            )
          : undefined;
      });
      return;
    case "map":
      yield* each(expression.over, scope, bindings, (over) => {
        const elements = listIn(over)?.map((element) =>
          firstOf(
            evaluations(expression.value, {
              ...scope,
              refs: new Map([...scope.refs, [expression.item, element]]),
            }),
          ),
        );
        return elements?.every((element) => element !== undefined) ? listValue(elements) : undefined;
      });
      return;
    case "flat":
      yield* each(expression.of, scope, bindings, (of) => {
        const lists = listIn(of)?.map((element) => listIn(fieldOf(element, expression.path)));
        return lists?.every((list) => list !== undefined) ? listValue(lists.flat()) : undefined;
      });
      return;
    case "list":
      yield* all(expression.items, scope, bindings, listValue);
      return;
    case "object":
      yield* all(
        expression.fields.map(({ value }) => value),
        scope,
        bindings,
        (values) =>
          recordValue(expression.fields.map(({ name }, index) => [name, values[index] ?? ABSENT] as const)),
      );
      return;
    case "template": {
      const inner = expression.parts.filter((part) => typeof part !== "string");
      yield* all(inner, scope, bindings, (values) => {
        const left = [...values];
        const texts = expression.parts.map((part, at) =>
          typeof part === "string"
            ? part
            : part.kind === "join"
              ? textOf(left.shift()?.value)
              : textWith(left.shift()?.value, besideOf(expression.parts, at)),
        );
        return texts.every((text) => text !== undefined) ? computedValue(texts.join("")) : undefined;
      });
      return;
    }
    case "slug":
      yield* each(expression.of, scope, bindings, ({ value }) => {
        const slug =
          typeof value === "string" ? slugOf(value, expression.separator, expression.isLower) : undefined;
        return slug === undefined ? undefined : computedValue(slug);
      });
      return;
    case "cased":
      yield* each(expression.of, scope, bindings, ({ value }) => {
        const text = typeof value === "string" ? casedText(value, expression.isUpper) : undefined;
        return text === undefined ? undefined : computedValue(text);
      });
      return;
    case "part":
      yield* each(expression.of, scope, bindings, ({ value }) => textBetween(value, expression));
      return;
    case "rounded":
      yield* each(expression.of, scope, bindings, ({ value }) => {
        const text = typeof value === "number" ? roundedText(value, expression.decimals) : undefined;
        return text === undefined ? undefined : computedValue(text);
      });
      return;
    case "excerpt":
      yield* all([expression.of, expression.part], scope, bindings, ([of, part]) =>
        excerpt(
          of?.value,
          isFixedText(expression.part) ? expression.part.value : textWith(part?.value, ""),
          expression.isLine,
        ),
      );
      return;
    case "replaced":
      yield* all([expression.of, expression.part, expression.by], scope, bindings, ([of, part, by]) =>
        replaced(
          expression.everywhere === true,
          of?.value,
          isFixedText(expression.part) ? expression.part.value : textWith(part?.value, ""),
          isFixedText(expression.by) ? expression.by.value : textWith(by?.value, ""),
        ),
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
      yield* each(expression.of, scope, bindings, ({ value }) => aggregate(expression, value));
      return;
    case "join":
      yield* each(expression.of, scope, bindings, ({ value }) => joined(value, expression.separator));
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

/** Nothing: what the caller leaves out, or what an answer does not have. In a list it stands as null. */
const ABSENT: TracedValue = { value: null, part: () => undefined };

/** Whether there is nothing, rather than null. */
export function isAbsent(seen: TracedValue): boolean {
  return seen === ABSENT;
}

function firstOf(found: Iterable<EvaluationResult>): TracedValue | undefined {
  for (const { result } of found) return result;
  return undefined;
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

function recordValue(fields: readonly (readonly [string, TracedValue])[]): TracedValue {
  const present = fields.filter(([, value]) => !isAbsent(value));
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
    ["value", value ?? ABSENT],
  ]);
}

/** The elements of a list; undefined for what is none. */
function listIn(seen: TracedValue | undefined): readonly TracedValue[] | undefined {
  return Array.isArray(seen?.value) ? elementsOf(seen) : undefined;
}

/** The keys of a map; an empty list is an empty map, as some servers write it. */
function keysOf(value: Json): readonly string[] | undefined {
  if (Array.isArray(value) && value.length === 0) return [];
  return isJsonObject(value) ? Object.keys(value) : undefined;
}

/** What stands at a path; undefined where something on the way to it is missing. */
function fieldOf(seen: TracedValue, path: readonly string[]): TracedValue | undefined {
  return path.reduce<TracedValue | undefined>(
    (at, key) => (at === undefined || at.value === null ? undefined : (at.part(key) ?? ABSENT)),
    seen,
  );
}

function isAs({ value }: TracedValue, kind: ValueKind | undefined): boolean {
  return kind === undefined || isOfValueKind(value, kind);
}

export function valueAtPath(seen: TracedValue | undefined, path: readonly string[]): TracedValue | undefined {
  return path.reduce((at, key) => at?.part(key), seen);
}

function only(elements: readonly TracedValue[]): TracedValue | undefined {
  const [first, ...others] = elements;
  if (first === undefined || isAbsent(first)) return undefined;
  return others.every((other) => !isAbsent(other) && isSame(other.value, first.value)) ? first : undefined;
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

function* all(
  inner: readonly Expression[],
  scope: EvaluationScope,
  bindings: Bindings,
  give: (results: readonly TracedValue[]) => TracedValue | undefined,
  before: readonly TracedValue[] = [],
): Generator<EvaluationResult> {
  const [first, ...rest] = inner;
  if (!first) {
    const result = give(before);
    if (result) yield { result, bindings };
    return;
  }
  for (const meaning of evaluations(first, scope, bindings))
    yield* all(rest, scope, meaning.bindings, give, [...before, meaning.result]);
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
    const result = only(matching(elements, where, scope, bindings) ?? []);
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
      const found = matching(elements, where, scope, each);
      if (found) yield { result: listValue(found), bindings: each };
    }
  }
}

function matching(
  elements: readonly TracedValue[],
  where: readonly Condition[],
  scope: EvaluationScope,
  bindings: Bindings,
): readonly TracedValue[] | undefined {
  const told = elements.map((element) => allHold(where, (each) => holds(element, each, scope, bindings)));
  return told.includes(undefined) ? undefined : elements.filter((_, index) => told[index]);
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
    return membersOf(valueAtPath(element, condition.path)).flatMap((inner) =>
      allBindings(inner, condition.some, scope, bindings, isSought),
    );
  const { path, equals } = condition;
  if (!isSought(condition) || equals.kind !== "param")
    return holds(element, condition, scope, bindings) === true ? [bindings] : [];
  const value = valueAtPath(element, path);
  return [value ? new Map([...bindings, [equals.name, value]]) : bindings];
}

/** Whether all conditions hold for an element; undefined where printed code would fail. */
export function fulfils(
  element: TracedValue,
  where: readonly Condition[],
  scope: EvaluationScope,
): boolean | undefined {
  return allHold(where, (condition) => holds(element, condition, scope, NOTHING));
}

/** Undefined where it cannot be told. */
function holds(
  element: TracedValue,
  condition: Condition,
  scope: EvaluationScope,
  bindings: Bindings,
): boolean | undefined {
  const { path } = condition;
  if (path.length > 0 && element.value === null) return undefined;
  const found = valueAtPath(element, path) ?? ABSENT;
  if (!("some" in condition)) return comparisonHolds(element, found, condition, scope, bindings);
  for (const inner of membersOf(found)) {
    const isFound = allHold(condition.some, (each) =>
      comparisonHolds(inner, valueAtPath(inner, each.path) ?? ABSENT, each, scope, bindings),
    );
    if (isFound !== false) return isFound;
  }
  return false;
}

function comparisonHolds(
  element: TracedValue,
  found: TracedValue,
  condition: ValueCondition,
  scope: EvaluationScope,
  bindings: Bindings,
): boolean | undefined {
  const { operator, equals, optional, isClear, isTold } = condition;
  const wanted = firstOf(evaluations(equals, scope, bindings));
  if (!wanted) return undefined;
  if (optional === true && isAbsent(wanted)) return true;
  if (scope.mustTell?.(equals) === true && tellsNothing(wanted)) return undefined;
  if (isTold === true && (isAbsent(found) || tellsNothing(found))) return undefined;
  const isNear = operator === "contains" ? nearlyHas : isNearly;
  if (isClear === true && isNear(found.value, wanted.value, condition, element.value)) return undefined;
  switch (operator) {
    case undefined:
      return areSame(found, wanted);
    case "!=":
      if (equals.kind === "constant" && tellsNothing(wanted))
        return found.value !== null && !areSame(found, wanted);
      return tellsNothing(found) ? undefined : !areSame(found, wanted);
    case "in":
    case "not in": {
      const isOneOf = Array.isArray(wanted.value)
        ? isIn(found.value, wanted.value as readonly Json[])
        : undefined;
      return isOneOf === undefined ? undefined : isOneOf === (operator === "in");
    }
    case "startsWith":
    case "endsWith":
    case "contains":
      return compares(found.value, operator, wanted.value);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return areOrdered([measured(found.value, wanted.value), wanted.value])
        ? compares(found.value, operator, wanted.value)
        : undefined;
    case "day <":
    case "day <=":
    case "day >":
    case "day >=": {
      const isClearDay = dayIn(found.value) !== undefined && dayIn(wanted.value) === wanted.value;
      return isClearDay ? compares(found.value, operator, wanted.value) : undefined;
    }
  }
}

function areSame(a: TracedValue, b: TracedValue): boolean {
  return isAbsent(a) || isAbsent(b) ? a === b : isSame(a.value, b.value);
}

/** Whether a value says nothing, as no answer did that the runs went on with. */
export function tellsNothing({ value }: TracedValue): boolean {
  return value === null || value === "";
}

function allHold<Each>(
  conditions: readonly Each[],
  holdsFor: (condition: Each) => boolean | undefined,
): boolean | undefined {
  for (const each of conditions) {
    const isSo = holdsFor(each);
    if (isSo !== true) return isSo;
  }
  return true;
}

/** The elements of a list, or the values of a map. */
export function membersOf(seen: TracedValue | undefined): readonly TracedValue[] {
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

function grouped(
  elements: readonly TracedValue[] | undefined,
  by: readonly string[],
): TracedValue | undefined {
  const groups = new Map<Json, { readonly name: TracedValue; readonly own: TracedValue[] }>();
  for (const element of elements ?? []) {
    const name = valueAtPath(element, by);
    if (!name || (typeof name.value !== "string" && typeof name.value !== "number")) return undefined;
    const isKnown = isIn(name.value, [...groups.keys()]);
    if (isKnown === undefined) return undefined;
    if (isKnown) groups.get(name.value)?.own.push(element);
    else groups.set(name.value, { name, own: [element] });
  }
  const records = [...groups.values()].map(({ name, own }) =>
    recordValue([
      ["name", name],
      ["elements", listValue(own)],
    ]),
  );
  return elements && listValue(records);
}

function aggregate(
  { operator, isOfSome }: Extract<Expression, { readonly kind: "aggregate" }>,
  value: Json,
): TracedValue | undefined {
  if (!Array.isArray(value) || (isOfSome === true && value.length === 0)) return undefined;
  if (operator === "count") return computedValue(value.length);
  const sum = sumOf(value as readonly Json[]);
  return sum === undefined ? undefined : computedValue(sum);
}

function textBetween(
  value: Json,
  { after, before, is }: Extract<Expression, { readonly kind: "part" }>,
): TracedValue | undefined {
  if (typeof value !== "string") return undefined;
  const part = is === undefined ? textPart(value, after, before) : textPiece(value, after, before, is);
  return part === undefined ? undefined : computedValue(part);
}

function replaced(
  isEverywhere: boolean,
  of: Json | undefined,
  before: string | undefined,
  after: string | undefined,
): TracedValue | undefined {
  if (typeof of !== "string" || before === undefined || after === undefined) return undefined;
  const text = (isEverywhere ? replacedTexts : replacedText)(of, before, after);
  return text === undefined ? undefined : computedValue(text);
}

function sorted(
  elements: readonly TracedValue[] | undefined,
  { by, isFalling, isStrict }: Extract<Expression, { readonly kind: "sorted" }>,
): TracedValue | undefined {
  const order =
    elements &&
    sortedOrder(
      elements.map((each) => valueAt(each.value, by)),
      isFalling,
      isStrict,
    );
  return order && listValue(order.flatMap((index) => elements[index] ?? []));
}

function taken(
  elements: readonly TracedValue[] | undefined,
  { count, isLast, by }: Extract<Expression, { readonly kind: "taken" }>,
): TracedValue | undefined {
  if (!elements) return undefined;
  const values = elements.map(({ value }) => value);
  const at = takenAt(values, count, isLast, by);
  return at === undefined ? undefined : listValue(isLast ? elements.slice(at) : elements.slice(0, at));
}

function numbered(elements: readonly TracedValue[] | undefined): TracedValue | undefined {
  return (
    elements &&
    listValue(
      elements.map((element, nth) =>
        recordValue([
          ["number", computedValue(nth + 1)],
          ["element", element],
        ]),
      ),
    )
  );
}

function excerpt(of: Json | undefined, part: string | undefined, isLine: boolean): TracedValue | undefined {
  const isThere = typeof of === "string" && part !== undefined && isExcerpt(of, part, isLine);
  return isThere ? computedValue(part) : undefined;
}

function castTo(to: "string" | "number" | "integer" | "boolean", value: Json): Json | undefined {
  switch (to) {
    case "string":
      return textWith(value, "");
    case "number":
      return numberFrom(value);
    case "integer": {
      const number = numberFrom(value);
      return number === undefined ? undefined : Math.trunc(number);
    }
    case "boolean":
      return value === null || value === "" ? undefined : Boolean(value);
  }
}

/** A text, a number or a truth value as a text. */
function textOf(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === "object" ? undefined : String(value);
}

/** A part of a text; undefined where it is missing, or would end what stands around it. */
function textWith(part: Json | undefined, beside: string): string | undefined {
  const text = textOf(part);
  return text === "" || (text !== undefined && endsSurroundings(text, beside)) ? undefined : text;
}

function endsSurroundings(text: string, beside: string): boolean {
  if (beside === "/") return /(^|[\\/])\.\.([\\/]|$)/.test(text);
  if (beside === "=") return /[\s;'"`()]/.test(text);
  return beside !== "" && (text.includes(beside) || text.includes("\\"));
}

function joined(list: Json, separator: string): TracedValue | undefined {
  const texts = Array.isArray(list) ? list.map((each: Json) => textOf(each)) : undefined;
  return texts?.every((text) => text !== undefined) ? computedValue(texts.join(separator)) : undefined;
}

function dateText(text: string, days: number, format: string): string | undefined {
  try {
    return formattedDate(text, days, format);
  } catch {
    // Days of a plan that somebody wrote can lead out of the calendar.
    return undefined;
  }
}
