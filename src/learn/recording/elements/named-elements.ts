import type { Json } from "../../../core/json/json.ts";
import { isOpaqueId, jsonLeaves, type Path, type TaskText, valueAt } from "../../plan/values.ts";
import type { SampleStep } from "../sample-step.ts";
import type { ValueIndex } from "../value-index.ts";
import { chosenElements } from "./chosen-elements.ts";

/** How the elements of an earlier list are named, from which rounds have an argument. */
export interface ElementNaming {
  /** Which step gave the list, and where in what it gave. */
  readonly step: number;
  readonly path: readonly string[];
  /** Where in an element the argument stands. */
  readonly inside: readonly string[];
  /** Where in an element its name stands. */
  readonly name: readonly string[];
  /** What stands there is a list: one of its elements has the name there. */
  readonly inner?: readonly string[];
}

/** A naming, with the name of each round's element, and where in the list it stands. */
export interface NamedElements {
  readonly naming: ElementNaming;
  readonly names: readonly string[];
  readonly places: readonly Path[];
}

/** So many elements are named by the caller where the task does not say the names. */
const MIN_UNSAID = 3;
const MAX_NAME = 120;
/** What a field is called that has a name, or a list of its pieces, before any other text. */
const TITLE = /(?:^|_)(?:name|title)$/i;
const NAME = /(?:^|_)(?:name|title|label|subject|text|content)$/i;

/**
 * The names by which a caller can tell the elements of a list of which each round has a value, such as an id: each has
 * another one, which no other element of the list has. Undefined where there are none.
 */
export function namedElements(
  values: readonly Json[],
  steps: readonly SampleStep[],
  valueIndex: ValueIndex,
  task: TaskText,
): NamedElements | undefined {
  const found = chosenElements([values], steps, valueIndex, false);
  const path = found?.path.filter((part) => typeof part === "string") ?? [];
  if (!found || path.length < found.path.length) return undefined;
  const { step, elements, chosen, inside } = found;
  const naming = { step, path, inside: inside[0] ?? [] };
  const ways = placesOfNames(elements[chosen[0] ?? 0] ?? null).flatMap(
    ({ name, inner }) => named({ ...naming, name, ...(inner ? { inner } : {}) }, elements, chosen) ?? [],
  );
  const isSaid = ({ names }: NamedElements): boolean => names.every((name) => task.mentions(name));
  return ways.find(isSaid) ?? (values.length < MIN_UNSAID ? undefined : ways[0]);
}

function named(
  naming: ElementNaming,
  elements: readonly Json[],
  chosen: readonly number[],
): NamedElements | undefined {
  const own = elements.map((element) => namesIn(element, naming));
  const all = own.flatMap((names) => [...new Set(names.map(({ name }) => name))]);
  const found = chosen.map((index) =>
    own[index]?.find(({ name }) => all.filter((other) => other === name).length === 1),
  );
  if (!found.every((each) => each !== undefined)) return undefined;
  const places = found.map(({ place }, round) => [...naming.path, chosen[round] ?? 0, ...place]);
  return { naming, names: found.map(({ name }) => name), places };
}

interface Name {
  readonly name: string;
  /** In the element. */
  readonly place: Path;
}

function namesIn(element: Json, { name, inner }: ElementNaming): readonly Name[] {
  const value = valueAt(element, name);
  const count = Array.isArray(value) ? value.length : 0;
  const placeIn = (index: number): Path => [...name, index, ...(inner ?? [])];
  const places = inner ? Array.from({ length: count }, (_, index) => placeIn(index)) : [name];
  return places.flatMap((place) => {
    const text = valueAt(element, place);
    return isNameText(text) ? [{ name: text, place }] : [];
  });
}

function isNameText(value: Json | undefined): value is string {
  return (
    typeof value === "string" &&
    value.trim().length > 1 &&
    value.length <= MAX_NAME &&
    /\p{L}/u.test(value) &&
    !isOpaqueId(value)
  );
}

function placesOfNames(element: Json): readonly Pick<ElementNaming, "name" | "inner">[] {
  const found = [...jsonLeaves(element)].flatMap(([path, leaf]) => {
    const at = path.findIndex((part) => typeof part === "number");
    const [name, inner] = at < 0 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)];
    const isPlain = [...name, ...(inner ?? [])].every((part) => typeof part === "string");
    if (!isPlain || !NAME.test(String(path.at(-1))) || !isNameText(leaf)) return [];
    return [{ name: name.map(String), ...(inner ? { inner: inner.map(String) } : {}) }];
  });
  const places = [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
  const isTitle = ({ name }: Pick<ElementNaming, "name">): number => Number(TITLE.test(name.at(-1) ?? ""));
  return places.toSorted((a, b) => isTitle(b) - isTitle(a));
}
