import type { Json, JsonObject } from "../../core/json/json.ts";
import {
  deeper,
  type Bounds,
  type ComparisonContext,
  type ComparisonDepth,
  isFruitless,
} from "../differences/comparison-context.ts";
import type { OpenShape, Conjunction, Shape } from "./schema-shapes.ts";
import { itemConjunction, listFacts, numberFacts, objectFacts, textFacts, partsWith } from "./shape-facts.ts";
import { conditionOf, partOf } from "../schema-root.ts";
import { textsOutside } from "../differences/text-differences.ts";

/** How many items a list can have. */
export function listBounds(
  comparing: ComparisonContext,
  shape: OpenShape,
  spot: ComparisonDepth,
  nesting = 0,
): Bounds {
  const { least, most, tail, isUnique } = listFacts(shape);
  for (let index = 0; index <= tail && index < most; index += 1) {
    if (comparing.isNowhere(itemConjunction(shape, index), deeper(spot))) return { least, most: index };
  }
  const different =
    isUnique && tail === 0 ? finitePoint(comparing, itemConjunction(shape, 0), spot, nesting) : undefined;
  return { least, most: Math.min(most, different?.length ?? Infinity) };
}

/** How many properties an object can have. */
export function mostProperties(
  comparing: ComparisonContext,
  shape: OpenShape,
  spot: ComparisonDepth,
): number {
  const { most, names } = objectFacts(shape);
  if (isOpen(comparing, shape, spot)) return most;
  const possible = [...names].filter(
    (name) => !comparing.isNowhere(comparing.values.property(shape, name), deeper(spot)),
  );
  return Math.min(most, possible.length);
}

/** All values of a shape, where they are few. */
export function finiteValues(
  comparing: ComparisonContext,
  shape: Shape,
  spot: ComparisonDepth,
  nesting = 0,
): readonly Json[] | undefined {
  if (shape.kind === "values") return shape.values.length <= MAX_VALUES ? shape.values : undefined;
  comparing.effort.spend();
  if (nesting > MAX_NESTING) return undefined;
  if (comparing.isImpossible(shape, spot)) return [];
  const values = possibleValues(comparing, shape, spot, nesting);
  return values?.filter((value) => comparing.values.isOf(value, shape));
}

/** Whether an object can have properties that have no names of their own. */
function isOpen(comparing: ComparisonContext, shape: OpenShape, spot: ComparisonDepth): boolean {
  return objectFacts(shape).regions.some(
    ({ names, values }) =>
      !comparing.isNowhere(names, deeper(spot)) && !comparing.isNowhere(values, deeper(spot)),
  );
}

const MAX_VALUES = 64;

const MAX_NESTING = 4;

/** All values of a point, where they are few. */
function finitePoint(
  comparing: ComparisonContext,
  point: Conjunction,
  spot: ComparisonDepth,
  nesting: number,
): readonly Json[] | undefined {
  const all: Json[] = [];
  for (const shape of comparing.shapes.of(point)) {
    const values = finiteValues(comparing, shape, deeper(spot), nesting + 1);
    if (!values) return undefined;
    all.push(...values);
  }
  return all;
}

function possibleValues(
  comparing: ComparisonContext,
  shape: OpenShape,
  spot: ComparisonDepth,
  nesting: number,
): readonly Json[] | undefined {
  switch (shape.kind) {
    case "number": {
      const { least, most, isInteger } = numberFacts(shape);
      if (least === most) return [least];
      if (!isInteger || most - least >= MAX_VALUES) return undefined;
      return Array.from({ length: most - least + 1 }, (_, index) => least + index);
    }
    case "string":
      return textFacts(shape).most === 0 ? [""] : undefined;
    case "array":
      return possibleLists(comparing, shape, spot, nesting);
    case "object":
      return possibleObjects(comparing, shape, spot, nesting);
  }
}

function possibleLists(
  comparing: ComparisonContext,
  shape: OpenShape,
  spot: ComparisonDepth,
  nesting: number,
): readonly Json[] | undefined {
  const { least, most } = listBounds(comparing, shape, spot, nesting);
  if (most > MAX_VALUES) return undefined;
  const lists: (readonly Json[])[] = [];
  let longest: readonly (readonly Json[])[] = [[]];
  for (let length = 0; length <= most; length += 1) {
    if (length >= least) lists.push(...longest);
    if (length === most) break;
    const items = finitePoint(comparing, itemConjunction(shape, length), spot, nesting);
    if (!items || items.length * longest.length + lists.length > MAX_VALUES) return undefined;
    longest = longest.flatMap((list) => items.map((item) => list.concat([item])));
  }
  return lists;
}

function possibleObjects(
  comparing: ComparisonContext,
  shape: OpenShape,
  spot: ComparisonDepth,
  nesting: number,
): readonly Json[] | undefined {
  const { required, names } = objectFacts(shape);
  if (names.size > MAX_VALUES || isOpen(comparing, shape, spot)) return undefined;
  let objects: readonly JsonObject[] = [{}];
  for (const name of names) {
    const values = finitePoint(comparing, comparing.values.property(shape, name), spot, nesting);
    if (!values || (values.length + 1) * objects.length > MAX_VALUES) return undefined;
    objects = objects.flatMap((object) => [
      ...(required.has(name) ? [] : [object]),
      ...values.map((value) => Object.fromEntries([...Object.entries(object), [name, value]])),
    ]);
  }
  return objects;
}

/** Whether a shape may have values: false where there is surely none. */
export function isSatisfiable(
  comparing: ComparisonContext,
  shape: OpenShape,
  spot: ComparisonDepth,
): boolean {
  return (
    areBoundsSatisfiable(comparing, shape, spot) &&
    !partsWith(shape, "not").some(
      ({ part, value }) => comparing.ofShape(shape, conditionOf(part, value), spot).next().done === true,
    )
  );
}

function areBoundsSatisfiable(
  comparing: ComparisonContext,
  shape: OpenShape,
  spot: ComparisonDepth,
): boolean {
  switch (shape.kind) {
    case "number": {
      const { least, most, isAbove, isBelow } = numberFacts(shape);
      return least < most || (least === most && !isAbove && !isBelow);
    }
    case "string": {
      const { least, most, patterns, formats } = textFacts(shape);
      const isFree = patterns.length === 0 && formats.length === 0;
      return least <= most && (isFree || !isFruitless(textsOutside(comparing, shape, [])));
    }
    case "array":
      return areItemsSatisfiable(comparing, shape, spot);
    case "object": {
      const { least, required } = objectFacts(shape);
      return (
        least <= mostProperties(comparing, shape, spot) &&
        [...required].every(
          (name) =>
            !isForbiddenName(comparing, shape, name) &&
            !comparing.isNowhere(comparing.values.property(shape, name), deeper(spot)),
        )
      );
    }
  }
}

function areItemsSatisfiable(comparing: ComparisonContext, shape: OpenShape, spot: ComparisonDepth): boolean {
  const { least, most } = listBounds(comparing, shape, spot);
  const { contained, tail } = listFacts(shape);
  const isLacking = contained.some(
    (each) =>
      each.least > each.most ||
      (each.least > 0 &&
        tail === 0 &&
        comparing.isNowhere([...itemConjunction(shape, 0), each.part], deeper(spot))),
  );
  return least <= most && !isLacking;
}

/** Whether the shape's objects have no property of the name because of the name. */
function isForbiddenName({ check }: ComparisonContext, shape: OpenShape, name: string): boolean {
  return partsWith(shape, "propertyNames").some(
    ({ part, value }) => check.verdict(name, partOf(part, value)).faults.length > 0,
  );
}
