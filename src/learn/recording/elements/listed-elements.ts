import type { Json } from "../../../core/json/json.ts";
import { isIn } from "../../expectations/near-texts.ts";
import { canonicalJson, isLeaf, jsonLeaves, leafText, valueAt } from "../../plan/values.ts";

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
const MIN_NAME = 3;

/**
 * How another list parts the elements of one into those that it has and others. What is written otherwise in the other list
 * tells nothing, since nobody could say what is meant then.
 */
export function listedElements(list: readonly Json[], other: readonly Json[]): readonly ListedElements[] {
  if (other === list || list.length < 2) return [];
  return columnsOf(list)
    .filter(({ areNames }) => areNames)
    .flatMap(({ path, values }) =>
      columnsOf(other).flatMap(({ path: at, texts, values: known }) => {
        // Few lists have anything in common.
        if (values.every((value) => !texts.has(canonicalJson(value)))) return [];
        const isListed = values.map((value) => isIn(value, known));
        return isListed.every((each) => each !== undefined) && new Set(isListed).size === 2
          ? [{ path, at, isListed }]
          : [];
      }),
    );
}

/** What stands at one place in each element of a list. */
interface Column {
  readonly path: readonly string[];
  readonly values: readonly Json[];
  /** The values, each as JSON. */
  readonly texts: ReadonlySet<string>;
  /** In no two elements the same. */
  readonly areNames: boolean;
}

/** What stands at each place of the first element, in each element of a list. */
export function columnsOf(list: readonly Json[]): readonly Column[] {
  const known = columns.get(list);
  if (known) return known;
  const [first = null] = list;
  const paths = list.length > MAX_ELEMENTS ? [] : [...jsonLeaves(first)].map(([path]) => path);
  const found = paths
    .filter((path) => path.every((part) => typeof part === "string"))
    .slice(0, MAX_PATHS)
    .map((path): Column => {
      const values = list.map((each) => valueAt(each, path) ?? null);
      const texts = new Set(values.map(canonicalJson));
      const areNames =
        texts.size === list.length &&
        values.every((value) => isLeaf(value) && (leafText(value)?.length ?? 0) >= MIN_NAME);
      return { path: path.map(String), values, texts, areNames };
    });
  columns.set(list, found);
  return found;
}

const columns = new WeakMap<readonly Json[], readonly Column[]>();
