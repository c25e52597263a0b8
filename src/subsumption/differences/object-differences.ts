import type { Json } from "../../core/json/json.ts";
import {
  deeper,
  insidePath,
  isFruitless,
  sampled,
  type ComparisonContext,
  type Difference,
  type ComparisonDepth,
} from "./comparison-context.ts";
import { entriesOf, stringsOf } from "../schema-keywords.ts";
import { partOf, type ObjectPart, type Part } from "../schema-root.ts";
import { unwritten, type OpenShape, type Conjunction } from "../shapes/schema-shapes.ts";
import { neededBeside, objectFacts, textFacts, type Region } from "../shapes/shape-facts.ts";
import { mostProperties } from "../shapes/shape-extent.ts";
import { firsts, flatMapped } from "../values/streams.ts";
import { textsOutside } from "./text-differences.ts";

/** What keeps objects from fitting: JSON Schema 2020-12, 10.2.2.4 and 10.3.2, and its validation vocabulary, 6.5. */
export function* objectDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  target: ObjectPart,
  spot: ComparisonDepth,
): Generator<Difference> {
  const { required, most } = objectFacts(shape);
  const { properties } = target.schema;
  for (const name of stringsOf(target.schema["required"]))
    if (!required.has(name)) yield lacking(name, () => comparing.values.objects(shape, { absent: name }));
  for (const [name, inner] of most > 0 ? entriesOf(properties) : [])
    yield* propertyDifferences(comparing, shape, name, partOf(target, inner), spot);
  yield* patternedDifferences(comparing, shape, target, spot);
  yield* otherDifferences(comparing, shape, target, spot);
  yield* nameDifferences(comparing, shape, target, spot);
  yield* countDifferences(comparing, shape, target, spot);
  yield* dependencyDifferences(comparing, shape, target, spot);
}

const MAX_OBJECTS = 3;
const MAX_NAMES = 12;
const MAX_VALUES = 4;

function lacking(name: string, values: () => Iterable<Json>): Difference {
  return { path: name, why: "it may be missing, but is required", values };
}

function* propertyDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  name: string,
  target: Part,
  spot: ComparisonDepth,
): Generator<Difference> {
  comparing.effort.spend();
  const point = comparing.values.property(shape, name);
  for (const { path, why, values } of comparing.of(point, target, deeper(spot))) {
    if (!mayHave(comparing, shape, name, spot)) return;
    const objects = (value: Json): Iterable<Json> => objectsWith(comparing, shape, name, value);
    yield { path: insidePath(name, path), why, values: () => flatMapped(values(), objects) };
  }
}

function mayHave(
  comparing: ComparisonContext,
  shape: OpenShape,
  name: string,
  spot: ComparisonDepth,
): boolean {
  return !comparing.isImpossible(comparing.shapes.narrowed(shape, { required: [name] }), spot);
}

function objectsWith(
  { values }: ComparisonContext,
  shape: OpenShape,
  name: string,
  value: Json,
): Iterable<Json> {
  return firsts(values.objects(shape, { given: new Map([[name, value]]) }), MAX_OBJECTS);
}

function* patternedDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  target: ObjectPart,
  spot: ComparisonDepth,
): Generator<Difference> {
  const { names, regions } = objectFacts(shape);
  for (const [pattern, inner] of entriesOf(target.schema["patternProperties"])) {
    const part = partOf(target, inner);
    for (const name of names) {
      if (comparing.patterns.isFound(pattern, name, comparing.effort) !== false)
        yield* propertyDifferences(comparing, shape, name, part, spot);
    }
    for (const region of regions) {
      const shared: Conjunction = [...region.names, unwritten({ pattern })];
      if (!areMeant(comparing, shared, region.except, new Set()))
        yield* regionDifferences(comparing, shape, { ...region, names: shared }, part, spot);
    }
  }
}

function* otherDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  target: ObjectPart,
  spot: ComparisonDepth,
): Generator<Difference> {
  const { additionalProperties = true, properties, patternProperties } = target.schema;
  if (additionalProperties === true) return;
  const part = partOf(target, additionalProperties);
  const declared = new Set(entriesOf(properties).map(([name]) => name));
  const patterns = entriesOf(patternProperties).map(([pattern]) => pattern);
  const { names, regions } = objectFacts(shape);
  for (const name of names) {
    if (!isMeant(comparing, name, patterns, declared))
      yield* propertyDifferences(comparing, shape, name, part, spot);
  }
  for (const region of regions) {
    if (!areMeant(comparing, region.names, [...patterns, ...region.except], declared))
      yield* regionDifferences(comparing, shape, region, part, spot);
  }
}

function isMeant(
  { patterns: known, effort }: ComparisonContext,
  name: Json,
  patterns: readonly string[],
  declared: ReadonlySet<string>,
): boolean {
  if (typeof name !== "string") return true;
  return declared.has(name) || patterns.some((pattern) => known.isFound(pattern, name, effort));
}

/** Whether all these names are declared or have one of the patterns. */
function areMeant(
  comparing: ComparisonContext,
  names: Conjunction,
  patterns: readonly string[],
  declared: ReadonlySet<string>,
): boolean {
  return comparing.shapes.of(names).every((shape) => {
    if (shape.kind === "values")
      return shape.values.every((name) => isMeant(comparing, name, patterns, declared));
    if (shape.kind !== "string") return true;
    const isOneOfThem = textFacts(shape).patterns.some((pattern) => patterns.includes(pattern));
    return isOneOfThem || isFruitless(textsOutside(comparing, shape, patterns));
  });
}

function* regionDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  region: Region,
  target: Part,
  spot: ComparisonDepth,
): Generator<Difference> {
  for (const { path, why, values } of comparing.of(region.values, target, deeper(spot))) {
    const objects = (): Iterable<Json> => objectsWithin(comparing, shape, region, values);
    yield { path: insidePath("[key]", path), why, values: objects };
  }
}

function* objectsWithin(
  comparing: ComparisonContext,
  shape: OpenShape,
  region: Region,
  values: () => Iterable<Json>,
): Generator<Json> {
  for (const name of comparing.values.names(shape, region).take(MAX_NAMES)) {
    for (const value of firsts(values(), MAX_VALUES)) yield* objectsWith(comparing, shape, name, value);
  }
}

function* nameDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  target: ObjectPart,
  spot: ComparisonDepth,
): Generator<Difference> {
  if (target.schema["propertyNames"] === undefined) return;
  const part = partOf(target, target.schema["propertyNames"]);
  const { names, regions } = objectFacts(shape);
  const { values: all } = comparing;
  for (const name of names) {
    const point = all.property(shape, name);
    for (const { why } of comparing.ofValues([name], part)) {
      if (!mayHave(comparing, shape, name, spot)) continue;
      const objects = (value: Json): Iterable<Json> => objectsWith(comparing, shape, name, value);
      yield { path: name, why, values: () => flatMapped(all.of(point), objects) };
    }
  }
  for (const region of regions) {
    if (comparing.isNowhere(region.values, deeper(spot))) continue;
    const objects = (name: Json): Iterable<Json> =>
      flatMapped(firsts(all.of(region.values), 2), (value) =>
        objectsWith(comparing, shape, typeof name === "string" ? name : "", value),
      );
    for (const { why, values } of comparing.of(region.names, part, deeper(spot)))
      yield { path: "[key]", why, values: () => flatMapped(values(), objects) };
  }
}

function* countDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  { schema: { minProperties, maxProperties } }: ObjectPart,
  spot: ComparisonDepth,
): Generator<Difference> {
  if (typeof minProperties === "number" && objectFacts(shape).least < minProperties)
    yield sampled(comparing, shape, `it may have fewer than ${minProperties} properties`);
  if (typeof maxProperties === "number" && mostProperties(comparing, shape, spot) > maxProperties)
    yield sampled(comparing, shape, `it may have more than ${maxProperties} properties`, [maxProperties + 1]);
}

function* dependencyDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  target: ObjectPart,
  spot: ComparisonDepth,
): Generator<Difference> {
  const { dependentRequired, dependentSchemas } = target.schema;
  const { required, dependencies } = objectFacts(shape);
  for (const [name, others] of entriesOf(dependentRequired)) {
    const point = comparing.values.property(shape, name);
    const needed = neededBeside(new Set([...required, name]), dependencies);
    for (const other of stringsOf(others)) {
      if (needed.has(other) || !mayHave(comparing, shape, name, spot)) continue;
      const objects = (value: Json): Iterable<Json> =>
        comparing.values.objects(shape, { absent: other, given: new Map([[name, value]]) });
      yield lacking(other, () => flatMapped(firsts(comparing.values.of(point), 2), objects));
    }
  }
  for (const [name, inner] of entriesOf(dependentSchemas)) {
    const present = comparing.shapes.narrowed(shape, { required: [name] });
    yield* comparing.ofShape(present, partOf(target, inner), spot);
  }
}
