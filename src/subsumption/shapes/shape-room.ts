import { deeper, isFruitless, type Comparing, type Spot } from "../differences/comparing.ts";
import { conditionOf, partOf } from "../schema-root.ts";
import type { OpenShape } from "./schema-shapes.ts";
import { listBounds, mostProperties } from "./shape-extent.ts";
import { itemPoint, listFacts, numberFacts, objectFacts, partsWith, textFacts } from "./shape-facts.ts";
import { textsOutside } from "../differences/text-differences.ts";

/** Whether a shape may have values: false where there is surely none. */
export function hasRoom(comparing: Comparing, shape: OpenShape, spot: Spot): boolean {
  return (
    hasRoomWithin(comparing, shape, spot) &&
    !partsWith(shape, "not").some(
      ({ part, value }) => comparing.ofShape(shape, conditionOf(part, value), spot).next().done === true,
    )
  );
}

function hasRoomWithin(comparing: Comparing, shape: OpenShape, spot: Spot): boolean {
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
      return hasRoomForItems(comparing, shape, spot);
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

function hasRoomForItems(comparing: Comparing, shape: OpenShape, spot: Spot): boolean {
  const { least, most } = listBounds(comparing, shape, spot);
  const { contained, tail } = listFacts(shape);
  const isLacking = contained.some(
    (each) =>
      each.least > each.most ||
      (each.least > 0 &&
        tail === 0 &&
        comparing.isNowhere([...itemPoint(shape, 0), each.part], deeper(spot))),
  );
  return least <= most && !isLacking;
}

/** Whether the shape's objects have no property of the name because of the name. */
function isForbiddenName({ check }: Comparing, shape: OpenShape, name: string): boolean {
  return partsWith(shape, "propertyNames").some(
    ({ part, value }) => check.verdict(name, partOf(part, value)).faults.length > 0,
  );
}
