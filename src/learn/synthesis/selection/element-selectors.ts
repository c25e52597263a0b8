import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import type { Condition, Expression } from "../../plan/plan.ts";
import { canonicalJson, isLeaf, isOpaqueId, isSpecific, type Path, valueAt } from "../../plan/values.ts";
import { WEIGHTS } from "../weights.ts";

/** A way to a value inside a result, with what must be known to go it. */
export interface Selection {
  readonly expression: Expression;
  /** What it costs: how much it supposes. */
  readonly cost: number;
  /** The values by which elements are told from others. */
  readonly keys: readonly SelectorKey[];
  readonly why: readonly string[];
}

/** A value that an element is found by. */
interface SelectorKey {
  /** Stands for the value in the expression, as the name of a parameter. */
  readonly slot: string;
  readonly field: string;
  readonly value: Json;
  /** Where it stands in the result. */
  readonly path: Path;
  /** The caller may leave it out where the others are enough. */
  readonly isOptional: boolean;
}

/** What is known of a value by which an element could be found. */
export interface KnownValues {
  /** The caller says it, or an earlier argument is it. */
  readonly isGiven: (value: Json) => boolean;
  /** The task speaks of it. */
  readonly isMentioned: (value: Json) => boolean;
  /** Positions of which the task speaks: the first is 0, the last -1. */
  readonly positions: ReadonlySet<number>;
}

export const NO_KNOWN_VALUES: KnownValues = {
  isGiven: () => false,
  isMentioned: () => false,
  positions: new Set(),
};

/** A list, or a map as a list, with how to write it. */
export interface Collection {
  readonly expression: Expression;
  readonly elements: readonly Json[];
  readonly index: number;
  /** Of an element: the path in the result. */
  readonly pathOf: (index: number) => Path;
}

interface Property {
  readonly path: readonly string[];
  readonly value: Json;
  readonly cost: number;
  readonly why: string;
  /** People call the element by it. */
  readonly isName: boolean;
  readonly isOptional?: boolean;
}

const MAX_SELECTIONS = 5;

/** What tells an element of a collection from the others: the ways to find it, each with what must be known for it. */
export function selections(
  collection: Collection,
  rest: Path,
  knownValues: KnownValues,
  site: string,
): readonly Selection[] {
  const { elements, index, expression } = collection;
  const element = elements[index];
  if (element === undefined) return [];
  const table = tableOf(elements);
  const isUnique = ({ path, value }: Property): boolean => table.count(path, value) === 1;
  const properties = propertiesOf(element, rest, knownValues);
  const found: Selection[] = properties
    .filter(isUnique)
    .slice(0, MAX_SELECTIONS)
    .map((property) => selectionBy(collection, [property], site));
  if (found.length < 2) {
    const several = smallestSet(properties, table, elements.length);
    if (several) found.push(selectionBy(collection, several, site));
  }
  const wholes = wholeOf(element, rest);
  const naming = properties.find(({ isName }) => isName);
  const [detail] = wholes;
  // A name may be shared elsewhere: then the details tell, so the caller may add them.
  if (naming && detail && isOnly(table, [naming, detail]))
    found.push(
      selectionBy(
        collection,
        [naming, { ...detail, isOptional: true, cost: WEIGHTS.costOfOptionalDetail }],
        site,
      ),
    );
  const whole = wholes.find(isUnique);
  if (whole) found.push(selectionBy(collection, [whole], site));
  const position = positionOf(element, index, elements.length, knownValues);
  if (position !== undefined && found.length === 0)
    found.push({
      expression: { kind: "nth", in: expression, position },
      cost: WEIGHTS.costOfPosition,
      keys: [],
      why: ["the task speaks of its position"],
    });
  if (elements.length === 1)
    found.push({
      expression: { kind: "only", in: expression },
      cost: WEIGHTS.costOfOnlyElement,
      keys: [],
      why: ["it is the only element"],
    });
  return found;
}

function isOnly(table: Table, properties: readonly Property[]): boolean {
  const [first, ...others] = properties.map(({ path, value }) => table.having(path, value));
  return (
    first !== undefined &&
    [...first].filter((each) => others.every((having) => having.has(each))).length === 1
  );
}

/** The position of a plain, readable element, if the task speaks of it; ids are in no order that people see. */
function positionOf(
  element: Json,
  index: number,
  length: number,
  { positions }: KnownValues,
): number | undefined {
  if (typeof element !== "string" || length < 2 || isOpaqueId(element) || /^[A-Z0-9]{5,}$/.test(element))
    return undefined;
  if (positions.has(index)) return index;
  return positions.has(index - length) ? index - length : undefined;
}

function selectionBy(collection: Collection, properties: readonly Property[], site: string): Selection {
  const base = `${site}|${shapeOfExpression(collection.expression)}`;
  const keys = properties.map(({ path, value, isOptional = false }): SelectorKey => ({
    slot: `${base}|${path.join(".")}`,
    field: fieldName(path, value),
    value,
    path: [...collection.pathOf(collection.index), ...withoutEntry(collection, path)],
    isOptional,
  }));
  const where = properties.map(({ path, isOptional }, nth): Condition => ({
    path,
    equals: { kind: "param", name: keys[nth]?.slot ?? "" },
    ...(isOptional === true ? { optional: true } : {}),
  }));
  return {
    expression: { kind: "find", in: collection.expression, where },
    cost:
      properties.reduce((sum, { cost }) => sum + cost, 0) +
      (properties.filter(({ isOptional }) => isOptional !== true).length - 1) *
        WEIGHTS.costOfAnotherCondition,
    keys,
    why: properties.map(({ why }) => why),
  };
}

// In a map's entries, `value` is no part of the result's path, and `key` stands for the last part itself.
function withoutEntry(collection: Collection, path: readonly string[]): readonly string[] {
  return collection.expression.kind === "entries" ? path.slice(1) : path;
}

function fieldName(path: readonly string[], value: Json): string {
  return path.at(-1) ?? (typeof value === "string" ? "value" : "element");
}

/** An expression's text, in which slots have no say. */
function shapeOfExpression(expression: Expression): string {
  return JSON.stringify(expression, (_key, value: unknown) =>
    isJsonObject(value) && value["kind"] === "param" ? "?" : value,
  );
}

function propertiesOf(element: Json, rest: Path, knownValues: KnownValues): readonly Property[] {
  const target = rest.join("\n");
  const properties: Property[] = [];
  const visit = (value: Json, path: readonly string[]): void => {
    if (path.length > 0 && path.join("\n") === target) return;
    if (isLeaf(value)) {
      const cost = costOf(value, path, knownValues);
      const isName = NAMING.test(path.at(-1) ?? "");
      if (cost) properties.push({ path, value, ...cost, isName });
    } else if (isJsonObject(value) && path.length < 3) {
      for (const [key, each] of Object.entries(value).slice(0, 60)) visit(each, [...path, key]);
    }
  };
  visit(element, []);
  return properties.sort((a, b) => a.cost - b.cost);
}

/** How much it supposes that an element is known by this value; undefined: it must not be. */
function costOf(
  value: Json,
  path: readonly string[],
  knownValues: KnownValues,
): { cost: number; why: string } | undefined {
  const name = path.at(-1) ?? "";
  if (path.length === 0) return undefined;
  const isId = isSpecific(value) || (/(?:^|_)(?:id|key|code)$|Id$/.test(name) && value !== null);
  if (typeof value !== "boolean" && isId && knownValues.isGiven(value))
    return { cost: WEIGHTS.costOfGivenId, why: "found by a value that is given" };
  if (typeof value !== "string" || MONEY.test(value) || value.trim() === "" || value.length > 120)
    return undefined;
  const otherField = NAMING.test(name) ? 0 : WEIGHTS.costOfOtherField;
  if (value.length >= 2 && knownValues.isMentioned(value))
    return { cost: WEIGHTS.costOfMentionedName + otherField, why: "found by what the task says" };
  if (isOpaqueId(value)) return undefined;
  if (!/\p{L}/u.test(value))
    return { cost: WEIGHTS.costOfUniqueNumerals, why: "found by a field that only it has" };
  return { cost: WEIGHTS.costOfUniqueName + otherField * 2, why: "found by a field that only it has" };
}

/** What people call things by. */
const NAMING = /(?:^|_)(?:name|title|label|type|kind|source|category|subject|key)$/i;
const MONEY = /^[$€£]?\d+(?:[.,]\d+)*[%$€£]?$/;

/** Whole objects inside the element, such as its options. */
function wholeOf(element: Json, rest: Path): readonly Property[] {
  if (!isJsonObject(element)) return [];
  return Object.entries(element)
    .filter(([key, value]) => key !== rest[0] && isJsonObject(value) && isDescriptive(value))
    .map(([key, value]) => ({
      path: [key],
      value,
      cost: WEIGHTS.costOfUniqueObject,
      why: "found by an object that only it has",
      isName: false,
    }));
}

function isDescriptive(value: JsonObject): boolean {
  const values = Object.values(value);
  return values.length > 0 && values.every((each) => typeof each === "string" && !isOpaqueId(each));
}

function smallestSet(
  properties: readonly Property[],
  table: Table,
  size: number,
): readonly Property[] | undefined {
  let left: ReadonlySet<number> | undefined;
  const chosen: Property[] = [];
  for (const property of properties) {
    const having = table.having(property.path, property.value);
    const remaining: ReadonlySet<number> = left
      ? new Set([...left].filter((each) => having.has(each)))
      : having;
    if (remaining.size === (left?.size ?? size)) continue;
    chosen.push(property);
    left = remaining;
    if (left.size === 1) return chosen.length <= 4 ? chosen : undefined;
  }
  return undefined;
}

// --- which elements have which values

class Table {
  readonly #elements: readonly Json[];
  readonly #columns = new Map<string, Map<string, Set<number>>>();

  constructor(elements: readonly Json[]) {
    this.#elements = elements;
  }

  having(path: readonly string[], value: Json): ReadonlySet<number> {
    return this.#column(path).get(canonicalJson(value)) ?? new Set();
  }

  count(path: readonly string[], value: Json): number {
    return this.having(path, value).size;
  }

  #column(path: readonly string[]): ReadonlyMap<string, ReadonlySet<number>> {
    const name = path.join("\n");
    const known = this.#columns.get(name);
    if (known) return known;
    const column = new Map<string, Set<number>>();
    this.#elements.forEach((element, index) => {
      const value = valueAt(element, path);
      if (value === undefined) return;
      const text = canonicalJson(value);
      const having = column.get(text);
      if (having) having.add(index);
      else column.set(text, new Set([index]));
    });
    this.#columns.set(name, column);
    return column;
  }
}

const tables = new WeakMap<readonly Json[], Table>();

function tableOf(elements: readonly Json[]): Table {
  const known = tables.get(elements);
  if (known) return known;
  const table = new Table(elements);
  tables.set(elements, table);
  return table;
}
