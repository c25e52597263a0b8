import { fieldExpression } from "../../plan/expression.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { type Collection, type KnownValues, type Selection, selections } from "./element-selectors.ts";
import type { Expression } from "../../plan/plan.ts";
import { isLeaf, isMap, type Path, valueAt } from "../../plan/values.ts";
import { FORM_KEYS } from "../../texts/text-form.ts";
import { WEIGHTS } from "../weights.ts";

const MAX_WAYS = 12;

/**
 * The ways to what stands at a path in a value, without a list position in any of them: an element is found by a field
 * that only it has, or it is the only one. The cheapest first; none where nothing tells the elements apart.
 */
export function selectionPaths(
  base: Expression,
  value: Json,
  path: Path,
  isKey: boolean,
  knownValues: KnownValues,
  site: string,
): readonly Selection[] {
  const isOfText = isInText(value, path);
  const start: SelectionPath = { expression: base, value, path: [], cost: 0, keys: [], why: [], isOfText };
  const paths = walk(start, path, isKey, knownValues, site);
  return paths.sort((a, b) => a.cost - b.cost).slice(0, MAX_WAYS);
}

/** Whether a place in an answer is in what a text of it says, other than data. */
export function isInText(value: Json, path: Path): boolean {
  return path.some(
    (key, nth) => WRITTEN.has(key) && typeof valueAt(value, [...path.slice(0, nth), "text"]) === "string",
  );
}

const WRITTEN: ReadonlySet<string | number> = new Set(
  Object.entries(FORM_KEYS).flatMap(([kind, keys]) => (kind === "json" || kind === "yaml" ? [] : keys)),
);

interface SelectionPath extends Selection {
  readonly value: Json;
  readonly path: Path;
  readonly isOfText: boolean;
}

function walk(
  start: SelectionPath,
  rest: Path,
  isKey: boolean,
  knownValues: KnownValues,
  site: string,
): SelectionPath[] {
  let way = start;
  for (let index = 0; index < rest.length; index++) {
    const part = rest[index] ?? "";
    const isLast = index === rest.length - 1;
    const isChosen =
      isJsonObject(way.value) &&
      !isMap(way.value) &&
      !isKey &&
      knownValues.isChosenKey(way.value, way.path, String(part));
    if (isChosen || Array.isArray(way.value) || (isJsonObject(way.value) && isMap(way.value))) {
      const after = rest.slice(index + 1);
      const wants = isKey ? (isLast ? "key" : "inner-key") : "value";
      const elements = elementPaths(way, part, after, wants, knownValues, site);
      const paths = elements.flatMap(({ way: element, rest: left }) =>
        walk(element, left, isKey && !isLast, knownValues, site),
      );
      return [...paths, ...flatPaths(way, part, after, isKey, knownValues, site)];
    }
    if (isLast && isKey) return [];
    way = inField(way, String(part));
  }
  return [way];
}

function inField(way: SelectionPath, key: string): SelectionPath {
  return {
    ...way,
    expression: fieldExpression(way.expression, [key]),
    value: valueAt(way.value, [key]) ?? null,
    path: [...way.path, key],
  };
}

function elementPaths(
  way: SelectionPath,
  part: string | number,
  after: Path,
  wants: "value" | "key" | "inner-key",
  knownValues: KnownValues,
  site: string,
): readonly { readonly way: SelectionPath; readonly rest: Path }[] {
  const found = collectionOf(way, part, after, wants === "key");
  if (!found) return [];
  const { collection, wanted } = found;
  const paths = selections(collection, wanted, knownValues, site).map((selection) => ({
    way: {
      expression: selection.expression,
      value: collection.elements[collection.index] ?? null,
      path: collection.pathOf(collection.index),
      cost: way.cost + selection.cost,
      keys: [...way.keys, ...selection.keys],
      why: [...way.why, ...selection.why],
      extreme: selection.extreme ?? way.extreme,
      isUntested: selection.isUntested === true || way.isUntested,
      isOfText: way.isOfText,
    },
    rest: wanted,
  }));
  // What stands under a key is another thing than the key.
  const same = wants === "inner-key" ? undefined : sameEverywhere(collection, wanted);
  if (same === undefined) return paths;
  const value = valueAt(collection.elements[collection.index], wanted) ?? null;
  const why = [...way.why, "it is the same in every element"];
  return [
    ...paths,
    {
      way: { ...way, expression: same, value, path: [], cost: way.cost + WEIGHTS.costOfSameEverywhere, why },
      rest: [],
    },
  ];
}

/** The list or map in which an element stands, and the path in the element to what is wanted. */
function collectionOf(
  way: SelectionPath,
  part: string | number,
  after: Path,
  isKeyWanted: boolean,
): { readonly collection: Collection; readonly wanted: Path } | undefined {
  const { value, expression } = way;
  if (Array.isArray(value)) {
    if (typeof part !== "number") return undefined;
    const pathOf = (index: number): Path => [...way.path, index];
    return {
      collection: {
        expression,
        elements: value as readonly Json[],
        index: part,
        pathOf,
        isOfText: way.isOfText,
        isOfTexts: way.isOfText && !way.path.some((key) => WRITTEN.has(key)),
      },
      wanted: after,
    };
  }
  if (!isJsonObject(value)) return undefined;
  const keys = Object.keys(value);
  const index = keys.indexOf(String(part));
  const pathOf = (nth: number): Path => [...way.path, keys[nth] ?? ""];
  const ownKey = keyField(value);
  const isRecords = isMap(value) && keys.every((key) => isJsonObject(value[key]));
  if (isRecords && (!isKeyWanted || ownKey !== undefined)) {
    const elements = valuesOf(value);
    const collection: Collection = {
      expression: { kind: "values", of: expression },
      elements,
      index,
      pathOf,
    };
    return { collection, wanted: isKeyWanted && ownKey !== undefined ? [ownKey] : after };
  }
  const collection: Collection = {
    expression: { kind: "entries", of: expression },
    elements: entriesOf(value),
    index,
    pathOf,
  };
  return { collection, wanted: isKeyWanted ? ["key"] : ["value", ...after] };
}

const lists = new WeakMap<JsonObject, readonly Json[]>();
const pairs = new WeakMap<JsonObject, readonly Json[]>();

function valuesOf(map: JsonObject): readonly Json[] {
  return memoized(lists, map, () => Object.values(map));
}

function entriesOf(map: JsonObject): readonly Json[] {
  return memoized(pairs, map, () => Object.entries(map).map(([key, value]) => ({ key, value })));
}

// The same list for the same map, so that its table is made once.
function memoized(
  made: WeakMap<JsonObject, readonly Json[]>,
  map: JsonObject,
  make: () => readonly Json[],
): readonly Json[] {
  const known = made.get(map);
  if (known) return known;
  const list = make();
  made.set(map, list);
  return list;
}

/** The field of each record in which its own key stands again. */
function keyField(map: JsonObject): string | undefined {
  const entries = Object.entries(map);
  const [first] = entries;
  if (!first || !isJsonObject(first[1])) return undefined;
  return Object.keys(first[1]).find((name) =>
    entries.every(([key, record]) => isJsonObject(record) && record[name] === key),
  );
}

function sameEverywhere({ expression, elements, index }: Collection, rest: Path): Expression | undefined {
  if (elements.length < 2 || rest.some((part) => typeof part === "number")) return undefined;
  const value = valueAt(elements[index], rest);
  if (value === undefined || !isLeaf(value)) return undefined;
  if (!elements.every((element) => valueAt(element, rest) === value)) return undefined;
  const path = rest.map(String);
  return {
    kind: "only",
    in: { kind: "map", over: expression, item: "each", value: fieldExpression(EACH, path) },
  };
}

const EACH: Expression = { kind: "ref", name: "each" };

/** Elements of lists inside the elements: found among all of them, whichever element they are in. */
function flatPaths(
  way: SelectionPath,
  part: string | number,
  after: Path,
  isKey: boolean,
  knownValues: KnownValues,
  site: string,
): SelectionPath[] {
  if (!Array.isArray(way.value) || typeof part !== "number" || way.value.length < 2) return [];
  const inner = after.findIndex((each) => typeof each === "number");
  const path = after.slice(0, inner);
  if (inner < 1 || isKey || path.some((each) => typeof each === "number")) return [];
  const outer = way.value as readonly Json[];
  const lists = outer.map((element) => valueAt(element, path));
  if (!lists.every((list) => Array.isArray(list))) return [];
  const paths = lists.flatMap((list, nth) =>
    list.map((_, index): Path => [...way.path, nth, ...path, index]),
  );
  const before = lists.slice(0, part).reduce((sum, list) => sum + list.length, 0);
  const collection: Collection = {
    expression: { kind: "flat", of: way.expression, path: path.map(String) },
    elements: lists.flat(),
    index: before + Number(after[inner]),
    pathOf: (index) => paths[index] ?? [],
  };
  const rest = after.slice(inner + 1);
  return selections(collection, rest, knownValues, site).flatMap((selection) =>
    walk(
      {
        expression: selection.expression,
        value: collection.elements[collection.index] ?? null,
        path: collection.pathOf(collection.index),
        cost: way.cost + selection.cost + WEIGHTS.costOfFlatList,
        keys: [...way.keys, ...selection.keys],
        why: [...way.why, ...selection.why],
        extreme: selection.extreme ?? way.extreme,
        isUntested: selection.isUntested === true || way.isUntested,
        isOfText: way.isOfText,
      },
      rest,
      false,
      knownValues,
      site,
    ),
  );
}
