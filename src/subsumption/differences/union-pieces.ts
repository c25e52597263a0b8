import type { Json } from "../../core/json/json.ts";
import type { Bounds, ComparisonContext, ComparisonDepth } from "./comparison-context.ts";
import { partOf } from "../schema-root.ts";
import type { OpenShape, Conjunction, Shape } from "../shapes/schema-shapes.ts";
import { itemConjunction, listFacts, numberFacts, objectFacts, textFacts } from "../shapes/shape-facts.ts";
import { finiteValues, listBounds } from "../shapes/shape-extent.ts";
import type { Union } from "./union-differences.ts";

/** Shapes that together are the shape, cut where alternatives differ; nothing where no good cut is known. */
export function unionPieces(
  comparing: ComparisonContext,
  shape: OpenShape,
  union: Union,
  spot: ComparisonDepth,
): readonly Shape[] | undefined {
  const { shapes } = comparing;
  const finite = finiteValues(comparing, shape, spot);
  if (finite) return [shapes.listed(finite)];
  const others = union.choices
    .slice(0, MAX_OTHERS)
    .flatMap((choice) => shapes.of([partOf(union.target, choice)]))
    .filter((each): each is OpenShape => each.kind === shape.kind);
  switch (shape.kind) {
    case "number":
      return numberPieces(comparing, shape, others);
    case "string":
      return countPieces(comparing, shape, textFacts(shape), others.map(textFacts), "Length");
    case "array":
      return (
        countPieces(comparing, shape, listBounds(comparing, shape, spot), others.map(listFacts), "Items") ??
        itemPieces(comparing, shape, others, spot)
      );
    case "object":
      return propertyPieces(comparing, shape, others, spot);
  }
}

const MAX_OTHERS = 60;
const MAX_NAMES = 12;
const MAX_ITEMS = 6;

function numberPieces(
  { shapes }: ComparisonContext,
  shape: OpenShape,
  others: readonly OpenShape[],
): readonly Shape[] | undefined {
  const { least, most, isAbove, isBelow } = numberFacts(shape);
  for (const other of others.map(numberFacts)) {
    if ((other.most > least || (other.most === least && !isAbove)) && other.most < most) {
      const keywords = other.isBelow ? ["exclusiveMaximum", "minimum"] : ["maximum", "exclusiveMinimum"];
      return keywords.map((keyword) => shapes.narrowed(shape, { [keyword]: other.most }));
    }
    if ((other.least < most || (other.least === most && !isBelow)) && other.least > least) {
      const keywords = other.isAbove ? ["maximum", "exclusiveMinimum"] : ["exclusiveMaximum", "minimum"];
      return keywords.map((keyword) => shapes.narrowed(shape, { [keyword]: other.least }));
    }
  }
  return undefined;
}

function countPieces(
  { shapes }: ComparisonContext,
  shape: OpenShape,
  { least, most }: Bounds,
  others: readonly Bounds[],
  keyword: "Length" | "Items",
): readonly Shape[] | undefined {
  const cuts = others.flatMap((other) => [other.most, other.least - 1]);
  const cut = cuts.find((each) => each >= least && each < most);
  if (cut === undefined) return undefined;
  return [
    shapes.narrowed(shape, { [`max${keyword}`]: cut }),
    shapes.narrowed(shape, { [`min${keyword}`]: cut + 1 }),
  ];
}

function itemPieces(
  comparing: ComparisonContext,
  shape: OpenShape,
  others: readonly OpenShape[],
  spot: ComparisonDepth,
): readonly Shape[] | undefined {
  const { shapes } = comparing;
  const { least, most } = listBounds(comparing, shape, spot);
  const places = Math.max(listFacts(shape).tail, ...others.map((other) => listFacts(other).tail));
  for (let index = 0; index < Math.min(places, most, MAX_ITEMS); index += 1) {
    const there = others.map((other) => itemConjunction(other, index));
    const groups = groupsOf(comparing, itemConjunction(shape, index), there);
    if (groups.length < 2) continue;
    if (index < least) return groups.map((group) => shapes.narrowedInside(shape, index, group));
    return [shapes.narrowed(shape, { maxItems: index }), shapes.narrowed(shape, { minItems: index + 1 })];
  }
  return undefined;
}

function propertyPieces(
  comparing: ComparisonContext,
  shape: OpenShape,
  others: readonly OpenShape[],
  spot: ComparisonDepth,
): readonly Shape[] | undefined {
  const { shapes, values } = comparing;
  const { required } = objectFacts(shape);
  for (const name of tellingNames(comparing, others)) {
    const point = values.property(shape, name);
    const there = others.map((other) => values.property(other, name));
    const groups = groupsOf(comparing, point, there);
    if (groups.length < (required.has(name) ? 2 : 1) || comparing.isNowhere(point, spot)) continue;
    const present = shapes.narrowed(shape, { required: [name] });
    const pieces = groups.map((group) => shapes.narrowedInside(present, name, group));
    return required.has(name)
      ? pieces
      : [shapes.narrowed(shape, { properties: { [name]: false } }), ...pieces];
  }
  return undefined;
}

/** Properties by which alternatives are told apart, those with listed values first. */
function tellingNames(
  { shapes, values, effort }: ComparisonContext,
  others: readonly OpenShape[],
): readonly string[] {
  const weights = new Map<string, number>();
  for (const other of others) {
    const { names, required } = objectFacts(other);
    effort.spend(names.size);
    for (const name of names) {
      const isListed = shapes.of(values.property(other, name)).every(({ kind }) => kind === "values");
      const weight = (isListed ? 4 : 0) + (required.has(name) ? 1 : 0);
      weights.set(name, (weights.get(name) ?? 0) + weight);
    }
  }
  const ranked = [...weights].toSorted(([, one], [, other]) => other - one);
  return ranked.map(([name]) => name).slice(0, MAX_NAMES);
}

/** The shapes of a point; listed values apart where the alternatives take them apart. */
function groupsOf(
  { shapes, check }: ComparisonContext,
  point: Conjunction,
  others: readonly Conjunction[],
): readonly Shape[] {
  const mayBe = (value: Json, other: Conjunction): boolean =>
    other.every((piece) => "kind" in piece || check.verdict(value, piece).faults.length === 0);
  return shapes.of(point).flatMap((shape): readonly Shape[] => {
    if (shape.kind !== "values" || shape.values.length < 2) return [shape];
    const groups = Map.groupBy(shape.values, (value) =>
      others.map((other) => (mayBe(value, other) ? "1" : "0")).join(""),
    );
    return [...groups.values()].map((values) => shapes.listed(values));
  });
}
