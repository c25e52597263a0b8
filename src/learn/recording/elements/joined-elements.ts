import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { isEntityName, isMap, isSame, jsonLeaves, type Path, valueAt } from "../../plan/values.ts";

/** For each element of a list the one of another list that is about the same thing. */
export interface JoinedElements {
  /** Where in an element stands what the other one has, too, and where it stands in that. */
  readonly key: readonly string[];
  readonly by: readonly string[];
  readonly found: readonly Json[];
}

const MAX_ELEMENTS = 500;
const MAX_KEYS = 12;
const MAX_DEPTH = 4;
const MAX_LISTS = 20;

/** How elements of another list are found by names or ids that those of a list have, each by its own. */
export function joinedElements(
  elements: readonly Json[],
  others: readonly Json[],
): readonly JoinedElements[] {
  if (elements.length > MAX_ELEMENTS || others.length > MAX_ELEMENTS || others.length < 2) return [];
  const bys = keysOf(others).filter((by) => new Set(valuesAt(others, by)).size === others.length);
  return keysOf(elements).flatMap((key): readonly JoinedElements[] => {
    const wanted = valuesAt(elements, key);
    if (new Set(wanted).size < 2) return [];
    const areNames = wanted.every((value) => typeof value === "string" && isEntityName(value));
    return bys.flatMap((by): readonly JoinedElements[] => {
      // Words and numbers may be equal by chance: what both lists call the same is the same.
      if (!areNames && key.at(-1) !== by.at(-1)) return [];
      const found = wanted.map((value) => others.find((each) => isSame(valueAt(each, by), value)));
      return found.every((each) => each !== undefined) ? [{ key, by, found }] : [];
    });
  });
}

/** Where all elements have a word, a name or an id. */
function keysOf(elements: readonly Json[]): readonly (readonly string[])[] {
  const [first = null] = elements;
  const paths = [...jsonLeaves(first)].flatMap(([path]) =>
    path.length > 0 && path.every((part) => typeof part === "string") ? [path] : [],
  );
  return paths
    .slice(0, MAX_KEYS)
    .filter((path) =>
      valuesAt(elements, path).every(
        (value) => Number.isInteger(value) || (typeof value === "string" && value !== ""),
      ),
    );
}

function valuesAt(elements: readonly Json[], path: Path): readonly Json[] {
  return elements.map((each) => valueAt(each, path) ?? null);
}

/** The lists at fixed places of values, the latest first. */
export function listsIn(values: readonly Json[]): readonly (readonly Json[])[] {
  const found: (readonly Json[])[] = [];
  const visit = (value: Json, depth: number): void => {
    if (found.length >= MAX_LISTS || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) found.push(value as readonly Json[]);
    else if (isJsonObject(value) && !isMap(value))
      for (const each of Object.values(value)) visit(each, depth + 1);
  };
  for (const value of values.toReversed()) visit(value, 0);
  return found;
}
