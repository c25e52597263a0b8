import type { Json } from "../../../core/json/json.ts";
import { canonicalJson, isLeaf, valueAt } from "../../plan/values.ts";
import { columnsOf } from "./listed-elements.ts";

/** What a list and another one say of the same things, each element of the list being found there by what names it. */
interface ComparedElements {
  /** Where the name stands in an element of the list, and where in one of the other list. */
  readonly key: readonly string[];
  readonly by: readonly string[];
  /** Where each of them says what is compared. */
  readonly path: readonly string[];
  readonly at: readonly string[];
  /** The element of the other list, for each of the list. */
  readonly found: readonly Json[];
  /** Of each element, whether the other list says the same. */
  readonly isSame: readonly boolean[];
}

/** Two things that are so or so tell less than which is which. */
const MIN_ELEMENTS = 3;

/** How another list parts the elements of one into those of which it says the same and those of which it says something else. */
export function comparedElements(list: readonly Json[], other: readonly Json[]): readonly ComparedElements[] {
  if (other === list || list.length < MIN_ELEMENTS) return [];
  const [own, others] = [columnsOf(list), columnsOf(other)];
  return own
    .filter(({ areNames }) => areNames)
    .flatMap(({ path: key, values: names }) =>
      others.flatMap(({ path: by, values: known, texts }) => {
        if (!names.every((name) => texts.has(canonicalJson(name)))) return [];
        const places = names.map((name) => onlyPlace(known, name));
        if (places.includes(-1)) return [];
        const found = places.map((place) => other[place] ?? null);
        return own
          .filter(({ path }) => path !== key)
          .flatMap(({ path, values }) =>
            others
              .filter(({ path: at }) => at !== by)
              .flatMap(({ path: at }): readonly ComparedElements[] => {
                const said = found.map((each) => valueAt(each, at) ?? null);
                if (!values.every((value, nth) => areOfOneType(value, said[nth] ?? null))) return [];
                const isSame = values.map((value, nth) => value === said[nth]);
                return new Set(isSame).size === 2 ? [{ key, by, path, at, found, isSame }] : [];
              }),
          );
      }),
    );
}

function onlyPlace(values: readonly Json[], value: Json): number {
  const place = values.indexOf(value);
  return place === values.lastIndexOf(value) ? place : -1;
}

function areOfOneType(one: Json, other: Json): boolean {
  return (
    isLeaf(one) && one !== null && one !== "" && other !== "" && typeof one === typeof other && other !== null
  );
}
