import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { isIn } from "../../expectations/near-texts.ts";
import { isLeaf, isMap, jsonLeaves, leafText, valueAt } from "../../plan/values.ts";

/** Which elements of a list another list has, by what names each of them. */
interface ListedElements {
  /** Where the name stands in an element of the list. */
  readonly path: readonly string[];
  /** Where it stands in one of the other list. */
  readonly at: readonly string[];
  /** Of each element, whether the other list has it. */
  readonly isListed: readonly boolean[];
}

const MAX_ELEMENTS = 1000;
const MAX_PATHS = 20;
const MAX_DEPTH = 4;
const MIN_NAME = 3;

/**
 * How another list parts the elements of one into those that it has and others. What is written otherwise in the other list
 * tells nothing, since nobody could say what is meant then.
 */
export function listedElements(list: readonly Json[], other: readonly Json[]): readonly ListedElements[] {
  if (other === list || list.length < 2 || Math.max(list.length, other.length) > MAX_ELEMENTS) return [];
  return namesIn(list).flatMap(({ path, names }) =>
    leafPaths(other[0]).flatMap((at) => {
      const known = other.map((each) => valueAt(each, at) ?? null);
      const isListed = names.map((name) => isIn(name, known));
      return isListed.every((each) => each !== undefined) && new Set(isListed).size === 2
        ? [{ path, at, isListed }]
        : [];
    }),
  );
}

/** What stands at one place in each element, and in no two the same. */
function namesIn(
  list: readonly Json[],
): readonly { readonly path: readonly string[]; readonly names: readonly Json[] }[] {
  return leafPaths(list[0]).flatMap((path) => {
    const names = list.map((each) => valueAt(each, path) ?? null);
    const texts = new Set(names.map((name) => (isLeaf(name) ? leafText(name) : undefined) ?? ""));
    const areNames = texts.size === list.length && [...texts].every((text) => text.length >= MIN_NAME);
    return areNames ? [{ path, names }] : [];
  });
}

function leafPaths(element: Json = null): readonly (readonly string[])[] {
  return [...jsonLeaves(element)]
    .map(([path]) => path)
    .filter((path) => path.every((part) => typeof part === "string"))
    .slice(0, MAX_PATHS)
    .map((path) => path.map(String));
}

/** The lists at fixed places of a value. */
export function listsIn(value: Json, depth = 0): readonly (readonly Json[])[] {
  if (Array.isArray(value)) return [value as readonly Json[]];
  if (!isJsonObject(value) || isMap(value) || depth === MAX_DEPTH) return [];
  return Object.values(value).flatMap((each) => listsIn(each, depth + 1));
}
