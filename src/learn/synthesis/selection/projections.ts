import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { nameSimilarity, type CallView } from "../flow-candidates.ts";
import type { Expression, Field } from "../../plan/plan.ts";
import { NO_KNOWN_VALUES } from "./element-selectors.ts";
import { fieldExpression, whereEmpty } from "../../plan/expression.ts";
import { selectionPaths } from "./selection-paths.ts";
import { isLeaf, isSame, leafText, jsonLeaves, type Path, valueAt } from "../../plan/values.ts";

/** A list that is a whole collection, element by element in its order. */
export interface Projection {
  readonly expression: Expression;
  /** Of records, or of all keys: nothing else would give this list. */
  readonly isWhole: boolean;
  readonly why: string;
}

/** How a list of arguments is a collection of an earlier result, with fewer fields or one of them; in every view the same. */
export function projectionOf(
  values: readonly (readonly Json[])[],
  views: readonly CallView[],
  path: Path,
): Projection | undefined {
  const found = values.map((value, index) => {
    const view = views[index];
    return view ? projections(value, view, path) : [];
  });
  const [first = [], ...others] = found;
  return first.find(({ expression }) => {
    const text = JSON.stringify(expression);
    return others.every((each) => each.some((other) => JSON.stringify(other.expression) === text));
  });
}

function projections(value: readonly Json[], view: CallView, path: Path): readonly Projection[] {
  const [head] = value;
  if (head === undefined) return [];
  const isOfRecords = isJsonObject(head);
  if (!isOfRecords && value.length < 2) return [];
  const keys = wholeKeys(value, view);
  if (keys.length > 0) return keys;
  const leaf = [...jsonLeaves(head)].find(([, each]) => (leafText(each)?.length ?? 0) >= 3);
  if (!leaf) return [];
  const found: Projection[] = [];
  for (const { step, path: place, isKey } of view.sample.valueIndex.of(leaf[1])) {
    const name = view.names[step];
    if (isKey || step >= view.before || name === undefined) continue;
    const result = view.sample.steps[step]?.value ?? null;
    for (const [depth, part] of place.entries()) {
      if (typeof part !== "number") continue;
      const at = place.slice(0, depth);
      const elements = valueAt(result, at);
      if (!Array.isArray(elements) || elements.length !== value.length) continue;
      const [way] = selectionPaths({ kind: "ref", name }, result, at, false, NO_KNOWN_VALUES, "");
      if (!way || way.keys.length > 0) continue;
      const each = elementOf(value, elements as readonly Json[], path);
      if (!each) continue;
      const expression: Expression = { kind: "map", over: way.expression, item: "each", value: each };
      found.push({
        expression,
        isWhole: isOfRecords,
        why: "it is a whole list of an earlier result, in its order",
      });
    }
  }
  return found;
}

/** A list of all the keys of an object, in their order. */
function wholeKeys(value: readonly Json[], { sample, names, before }: CallView): readonly Projection[] {
  const [head = null] = value;
  if (value.length < 2 || !value.every((each) => typeof each === "string")) return [];
  return sample.valueIndex.of(head).flatMap(({ step, path, isKey }) => {
    const name = names[step];
    if (!isKey || step >= before || name === undefined) return [];
    const result = sample.steps[step]?.value ?? null;
    const place = path.slice(0, -1);
    const object = valueAt(result, place);
    const [way] =
      isJsonObject(object) && isSame(Object.keys(object), value)
        ? selectionPaths({ kind: "ref", name }, result, place, false, NO_KNOWN_VALUES, "")
        : [];
    if (!way || way.keys.length > 0) return [];
    const over: Expression = { kind: "entries", of: way.expression };
    const expression: Expression = { kind: "map", over, item: "each", value: fieldExpression(EACH, ["key"]) };
    return [{ expression, isWhole: true, why: "it is all keys of an earlier result, in their order" }];
  });
}

const EACH: Expression = { kind: "ref", name: "each" };

/** How each value is made of the element at the same position. */
function elementOf(values: readonly Json[], elements: readonly Json[], path: Path): Expression | undefined {
  const [head] = values;
  if (!isJsonObject(head)) {
    const source = sourceOf(values, elements, path);
    return source && whereEmpty(fieldExpression(EACH, source), values);
  }
  const fields: Field[] = [];
  for (const key of Object.keys(head)) {
    const column = values.map((value) => valueAt(value, [key]));
    if (!column.every((each): each is Json => each !== undefined)) return undefined;
    const source = sourceOf(column, elements, [...path, key]);
    if (!source) return undefined;
    fields.push({ name: key, value: whereEmpty(fieldExpression(EACH, source), column) });
  }
  const isComplete = values.every(
    (value) => isJsonObject(value) && Object.keys(value).length === fields.length,
  );
  return isComplete && fields.length > 0 ? { kind: "object", fields } : undefined;
}

function sourceOf(
  values: readonly Json[],
  elements: readonly Json[],
  path: Path,
): readonly string[] | undefined {
  const [first] = elements;
  if (first === undefined) return undefined;
  const places = [...jsonLeaves(first)].map(([place]) => place);
  if (!isLeaf(values[0])) places.push(...Object.keys(isJsonObject(first) ? first : {}).map((key) => [key]));
  return places
    .filter((place) => place.every((part) => typeof part === "string"))
    .filter((place) => values.every((value, index) => isSame(valueAt(elements[index], place), value)))
    .sort((a, b) => nameSimilarity(path, b) - nameSimilarity(path, a))[0]
    ?.map(String);
}
