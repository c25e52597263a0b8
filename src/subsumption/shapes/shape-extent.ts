import type { Json, JsonObject } from "../../core/json/json.ts";
import { deeper, type Bounds, type Comparing, type Spot } from "../differences/comparing.ts";
import type { OpenShape, Point, Shape } from "./schema-shapes.ts";
import { itemPoint, listFacts, numberFacts, objectFacts, textFacts } from "./shape-facts.ts";

/** How many items a list can have. */
export function listBounds(comparing: Comparing, shape: OpenShape, spot: Spot, nesting = 0): Bounds {
  const { least, most, tail, isUnique } = listFacts(shape);
  for (let index = 0; index <= tail && index < most; index += 1) {
    if (comparing.isNowhere(itemPoint(shape, index), deeper(spot))) return { least, most: index };
  }
  const different =
    isUnique && tail === 0 ? finitePoint(comparing, itemPoint(shape, 0), spot, nesting) : undefined;
  return { least, most: Math.min(most, different?.length ?? Infinity) };
}

/** How many properties an object can have. */
export function mostProperties(comparing: Comparing, shape: OpenShape, spot: Spot): number {
  const { most, names } = objectFacts(shape);
  if (isOpen(comparing, shape, spot)) return most;
  const possible = [...names].filter(
    (name) => !comparing.isNowhere(comparing.values.property(shape, name), deeper(spot)),
  );
  return Math.min(most, possible.length);
}

/** All values of a shape, where they are few. */
export function finiteValues(
  comparing: Comparing,
  shape: Shape,
  spot: Spot,
  nesting = 0,
): readonly Json[] | undefined {
  if (shape.kind === "values") return shape.values.length <= MOST_VALUES ? shape.values : undefined;
  comparing.effort.spend();
  if (nesting > MOST_NESTING) return undefined;
  if (comparing.isImpossible(shape, spot)) return [];
  const values = possibleValues(comparing, shape, spot, nesting);
  return values?.filter((value) => comparing.values.isOf(value, shape));
}

/** Whether an object can have properties that have no names of their own. */
function isOpen(comparing: Comparing, shape: OpenShape, spot: Spot): boolean {
  return objectFacts(shape).regions.some(
    ({ names, values }) =>
      !comparing.isNowhere(names, deeper(spot)) && !comparing.isNowhere(values, deeper(spot)),
  );
}

const MOST_VALUES = 64;
const MOST_NESTING = 4;

/** All values of a point, where they are few. */
function finitePoint(
  comparing: Comparing,
  point: Point,
  spot: Spot,
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
  comparing: Comparing,
  shape: OpenShape,
  spot: Spot,
  nesting: number,
): readonly Json[] | undefined {
  switch (shape.kind) {
    case "number": {
      const { least, most, isInteger } = numberFacts(shape);
      if (least === most) return [least];
      if (!isInteger || most - least >= MOST_VALUES) return undefined;
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
  comparing: Comparing,
  shape: OpenShape,
  spot: Spot,
  nesting: number,
): readonly Json[] | undefined {
  const { least, most } = listBounds(comparing, shape, spot, nesting);
  if (most > MOST_VALUES) return undefined;
  const lists: (readonly Json[])[] = [];
  let longest: readonly (readonly Json[])[] = [[]];
  for (let length = 0; length <= most; length += 1) {
    if (length >= least) lists.push(...longest);
    if (length === most) break;
    const items = finitePoint(comparing, itemPoint(shape, length), spot, nesting);
    if (!items || items.length * longest.length + lists.length > MOST_VALUES) return undefined;
    longest = longest.flatMap((list) => items.map((item) => list.concat([item])));
  }
  return lists;
}

function possibleObjects(
  comparing: Comparing,
  shape: OpenShape,
  spot: Spot,
  nesting: number,
): readonly Json[] | undefined {
  const { required, names } = objectFacts(shape);
  if (names.size > MOST_VALUES || isOpen(comparing, shape, spot)) return undefined;
  let objects: readonly JsonObject[] = [{}];
  for (const name of names) {
    const values = finitePoint(comparing, comparing.values.property(shape, name), spot, nesting);
    if (!values || (values.length + 1) * objects.length > MOST_VALUES) return undefined;
    objects = objects.flatMap((object) => [
      ...(required.has(name) ? [] : [object]),
      ...values.map((value) => Object.fromEntries([...Object.entries(object), [name, value]])),
    ]);
  }
  return objects;
}
