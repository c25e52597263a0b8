import type { Json } from "../../core/json/json.ts";
import {
  deeper,
  insidePath,
  sampled,
  type Bounds,
  type ComparisonContext,
  type Difference,
  type ComparisonDepth,
} from "./comparison-context.ts";
import { listOf, numberOf } from "../schema-keywords.ts";
import { partOf, type ObjectPart, type Part } from "../schema-root.ts";
import type { OpenShape } from "../shapes/schema-shapes.ts";
import { itemConjunction, listFacts } from "../shapes/shape-facts.ts";
import { listBounds } from "../shapes/shape-extent.ts";
import { firsts, flatMapped } from "../values/streams.ts";

/** What keeps lists from fitting: JSON Schema 2020-12, 10.3.1, and its validation vocabulary, 6.4. */
export function* listDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  target: ObjectPart,
  spot: ComparisonDepth,
): Generator<Difference> {
  const { minItems, maxItems, items, uniqueItems, prefixItems } = target.schema;
  const { tail, isUnique } = listFacts(shape);
  const { least, most } = listBounds(comparing, shape, spot);
  if (typeof minItems === "number" && least < minItems)
    yield sampled(comparing, shape, `it may have fewer than ${minItems} items`);
  if (typeof maxItems === "number" && most > maxItems)
    yield sampled(comparing, shape, `it may have more than ${maxItems} items`, [maxItems]);
  const firstItems = listOf(prefixItems);
  const last = Math.max(tail, firstItems.length);
  for (let index = 0; index <= last && index < most; index += 1) {
    const inner = firstItems[index] ?? items;
    if (inner !== undefined) yield* itemDifferences(comparing, shape, index, partOf(target, inner), spot);
  }
  if (uniqueItems === true && !isUnique && most > 1)
    yield sampled(comparing, shape, "it may have an item twice", [2]);
  if (target.schema["contains"] !== undefined)
    yield* containedDifferences(comparing, shape, target, { least, most }, spot);
}

const MAX_LISTS = 3;

function* itemDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  index: number,
  target: Part,
  spot: ComparisonDepth,
): Generator<Difference> {
  const lists = (value: Json): Iterable<Json> =>
    firsts(comparing.values.lists(shape, new Map([[index, value]])), MAX_LISTS);
  for (const { path, why, values } of comparing.of(itemConjunction(shape, index), target, deeper(spot)))
    yield { path: insidePath(`[${index}]`, path), why, values: () => flatMapped(values(), lists) };
}

function* containedDifferences(
  comparing: ComparisonContext,
  shape: OpenShape,
  target: ObjectPart,
  { least, most }: Bounds,
  spot: ComparisonDepth,
): Generator<Difference> {
  const { contains = true, minContains, maxContains } = target.schema;
  const part = partOf(target, contains);
  const [wanted, limit] = [numberOf(minContains) ?? 1, numberOf(maxContains) ?? Infinity];
  const { contained, tail } = listFacts(shape);
  const key = comparing.shapes.keyOf(part);
  const same = contained.filter((each) => comparing.shapes.keyOf(each.part) === key);
  const places = Array.from({ length: tail + 1 }, (_, index) => itemConjunction(shape, index));
  const isAll = (): boolean =>
    places.every((point) => comparing.of(point, part, deeper(spot)).next().done === true);
  const isNone = (): boolean => places.every((point) => comparing.isNowhere([...point, part], deeper(spot)));
  if (wanted > 0 && !same.some((each) => each.least >= wanted) && !(least >= wanted && isAll()))
    yield sampled(comparing, shape, "it may lack items that it has to contain");
  if (most > limit && !same.some((each) => each.most <= limit) && !isNone())
    yield sampled(comparing, shape, "it may contain too many of some items", [limit + 1]);
}
