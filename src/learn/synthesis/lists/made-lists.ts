import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { fieldExpression, substituteSlot } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { isEntityName, isLeaf, isSame, jsonLeaves, type Path, valueAt } from "../../plan/values.ts";
import { type CallView, type DecisionLookup, flowCandidates, type SlotValue } from "../flow-candidates.ts";
import { fieldsOf, lineParts, roundLists } from "../joined-texts.ts";
import { chosenParts, type ListPart, meantPart } from "../selection/aggregates.ts";
import { knownLists } from "../selection/known-lists.ts";

/** A list that has an element for each of an earlier list, or for those of which the task says something. */
export interface MadeList {
  readonly expression: Expression;
  /** What the caller says of the elements that are meant. */
  readonly said: readonly SlotValue[];
  /** They are all elements of the list, or the task says what tells these apart, or another list, and it names none of them. */
  readonly isChosen: boolean;
}

/** What all elements have alike, by where it stands in the first, or what stands between what they tell. */
export type SharedPart = (value: Json, path: Path) => Expression | undefined;

const EACH: Expression = { kind: "ref", name: "each" };
const MAX_ELEMENTS = 200;
const MAX_LEAVES = 20;

/** How a list of arguments is made, element by element, of what a list tells that is known before. */
export function madeLists(
  value: readonly Json[],
  view: CallView,
  path: Path,
  site: string,
  shared: SharedPart,
  decisionFor: DecisionLookup,
): readonly MadeList[] {
  const [first] = value;
  if (first === undefined || value.length < 2 || value.length > MAX_ELEMENTS) return [];
  if ([...jsonLeaves(first)].length > MAX_LEAVES) return [];
  const lists = knownLists(view, site);
  const { task } = view.sample;
  const parts = [...lists, ...roundLists(lists, view)].flatMap(({ list, expression, step, said = [] }) =>
    chosenParts(list, view, site, step).map((part) =>
      Object.assign(part, { list, of: expression, said: [...said, ...part.said] }),
    ),
  );
  return [...parts, ...namedLists(value, view, path, site, decisionFor)].flatMap(
    ({ list, of: expression, elements, said, isListed, ...part }): readonly MadeList[] => {
      const made =
        elements.length === value.length ? elementOf(value, elements, [...path, 0], shared) : undefined;
      if (made?.isVarying !== true) return [];
      const over = meantPart(expression, part);
      const whole: Expression = { kind: "map", over, item: "each", value: made.expression };
      // What a caller would have to say in other words than the task is the same each time.
      const isSaid = (slot: SlotValue): boolean => task.says(slot.value);
      const constants = said.filter((slot) => !isSaid(slot));
      const isWhole = elements.length === list.length;
      const isNamed = areNamed(elements, view);
      // Those that a list has need not be all that it has where the caller says which.
      if (isWhole && isNamed) return [];
      const isChosen = (isWhole || isListed === true || said.some(isSaid)) && !isNamed;
      return [
        {
          expression: constants.reduce<Expression>(
            (each, slot) => substituteSlot(each, slot.slot, { kind: "constant", value: slot.value }),
            whole,
          ),
          said: said.filter(isSaid),
          isChosen,
        },
      ];
    },
  );
}

/** All of a list that stands in an element which the task names: what the elements of the value have at one place. */
function namedLists(
  value: readonly Json[],
  view: CallView,
  path: Path,
  site: string,
  decisionFor: DecisionLookup,
): readonly (ListPart & { readonly list: readonly Json[]; readonly of: Expression })[] {
  const [first = null] = value;
  if (isLeaf(first)) return [];
  return [...jsonLeaves(first)].flatMap(([place]) => {
    const list = value.map((each) => valueAt(each, place) ?? null);
    if (!list.every(isEntityName) || new Set(list).size < list.length) return [];
    const named = flowCandidates([...list], view, { call: view.call, path }, site, decisionFor).find(
      ({ slots }) => slots.length > 0 && slots.every((slot) => view.sample.task.says(slot.value)),
    );
    return named ? [{ list, of: named.expression, elements: list, said: named.slots }] : [];
  });
}

/** Whether the task names elements one by one. */
function areNamed(elements: readonly Json[], { sample: { task } }: CallView): boolean {
  const names = elements.map(
    (element) => new Set([...jsonLeaves(element)].flatMap(([, leaf]) => (isEntityName(leaf) ? [leaf] : []))),
  );
  return names.every((own, nth) =>
    [...own].some((name) => task.mentions(name) && !names.some((other, at) => at !== nth && other.has(name))),
  );
}

interface MadeElement {
  readonly expression: Expression;
  /** Whether it tells elements apart. */
  readonly isVarying: boolean;
}

function elementOf(
  values: readonly Json[],
  elements: readonly Json[],
  path: Path,
  shared: SharedPart,
): MadeElement | undefined {
  const [first = null] = values;
  if (isLeaf(first)) return leafOf(values, elements, path, shared);
  const keys: readonly (string | number)[] = Array.isArray(first)
    ? [...first.keys()]
    : Object.keys(first as object);
  const isOneForm = values.every((value) =>
    Array.isArray(first)
      ? Array.isArray(value) && value.length === first.length
      : isJsonObject(value) && isSame(Object.keys(value), keys as readonly string[]),
  );
  if (!isOneForm) return undefined;
  const inner = keys.map((key) =>
    elementOf(
      values.map((value) => valueAt(value, [key]) ?? null),
      elements,
      [...path, key],
      shared,
    ),
  );
  if (!inner.every((each) => each !== undefined)) return undefined;
  const parts = inner.map(({ expression }) => expression);
  const isVarying = inner.some((each) => each.isVarying);
  return Array.isArray(first)
    ? { expression: { kind: "list", items: parts }, isVarying }
    : {
        expression: {
          kind: "object",
          fields: keys.flatMap((key, nth) => {
            const value = parts[nth];
            return value ? [{ name: String(key), value }] : [];
          }),
        },
        isVarying,
      };
}

function leafOf(
  values: readonly Json[],
  elements: readonly Json[],
  path: Path,
  shared: SharedPart,
): MadeElement | undefined {
  const [first = null] = values;
  if (values.every((value) => value === first)) {
    const expression = shared(first, path);
    return expression && { expression, isVarying: false };
  }
  const places = isLeaf(elements[0] ?? null)
    ? [[]]
    : [...jsonLeaves(elements[0] ?? null)].map(([place]) => place);
  const place = places.find(
    (each) =>
      each.every((part) => typeof part === "string") &&
      values.every((value, nth) => isEntityName(value) && isSame(valueAt(elements[nth], each), value)),
  );
  if (place) return { expression: fieldExpression(EACH, place.map(String)), isVarying: true };
  if (!values.every((value) => typeof value === "string")) return undefined;
  const parts = lineParts(
    values,
    fieldsOf(elements, (each) => fieldExpression(EACH, each)),
  )?.map((part) => (typeof part === "string" ? shared(part, path) : part));
  if (parts?.every((part) => part !== undefined) !== true) return undefined;
  const texts = parts.flatMap((part): readonly (string | Expression)[] =>
    part.kind === "template"
      ? part.parts
      : [part.kind === "constant" && typeof part.value === "string" ? part.value : part],
  );
  return { expression: { kind: "template", parts: texts }, isVarying: true };
}
