import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { isMap, isSame, jsonLeaves, type Path, valueAt } from "../../plan/values.ts";
import type { SampleStep } from "../sample-step.ts";
import type { ValueIndex } from "../value-index.ts";

/** The elements of an earlier list that rounds are for: all of them, or some. */
export interface ChosenElements {
  /** Which step gave the list, and where in what it gave. */
  readonly step: number;
  readonly path: Path;
  readonly elements: readonly Json[];
  /** For each round its element, by number. */
  readonly chosen: readonly number[];
  /** Where in an element each of the values stands. */
  readonly inside: readonly (readonly string[])[];
}

/**
 * The latest list of which each round has another element, in the list's order or in any, where all values of the round
 * stand.
 */
export function chosenElements(
  columns: readonly (readonly Json[])[],
  steps: readonly SampleStep[],
  valueIndex: ValueIndex,
  isInOrder = true,
): ChosenElements | undefined {
  const [first = []] = columns;
  const [value = null] = first;
  for (const { step, path } of valueIndex.of(value).toReversed()) {
    if (step >= steps.length) continue;
    for (const depth of [...path.keys()].toReversed()) {
      const place = path.slice(0, depth);
      const elements = elementsIn(valueAt(steps[step]?.value, place));
      const own = elements?.find((element) => pathsTo(element, value).length > 0);
      if (!elements || own === undefined) continue;
      for (const inside of pathsTo(own, value)) {
        const chosen = first.map((each) => onlyIndex(elements, inside, each));
        const isFound = isInOrder
          ? chosen.every((index, at) => index > (chosen[at - 1] ?? -1))
          : !chosen.includes(-1) && new Set(chosen).size === chosen.length;
        if (!isFound) continue;
        const others = columns.slice(1).map((column) => sharedPath(column, elements, chosen));
        if (others.every((each) => each !== undefined))
          return { step, path: place, elements, chosen, inside: [inside, ...others] };
      }
    }
  }
  return undefined;
}

/** The elements of a list, or the entries of a map. */
export function elementsIn(value: Json | undefined): readonly Json[] | undefined {
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isJsonObject(value) || !isMap(value)) return undefined;
  return Object.entries(value).map(([key, each]) => ({ key, value: each }));
}

function onlyIndex(elements: readonly Json[], inside: Path, value: Json): number {
  const index = elements.findIndex((element) => isSame(valueAt(element, inside), value));
  const last = elements.findLastIndex((element) => isSame(valueAt(element, inside), value));
  return index === last ? index : -1;
}

function sharedPath(
  column: readonly Json[],
  elements: readonly Json[],
  chosen: readonly number[],
): readonly string[] | undefined {
  const [value = null] = column;
  return pathsTo(elements[chosen[0] ?? -1] ?? null, value).find((inside) =>
    column.every((each, round) => isSame(valueAt(elements[chosen[round] ?? -1], inside), each)),
  );
}

function pathsTo(element: Json, value: Json): readonly (readonly string[])[] {
  return [...jsonLeaves(element)].flatMap(([path, leaf]) =>
    isSame(leaf, value) && path.every((part) => typeof part === "string") ? [path.map(String)] : [],
  );
}
