import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import type { Condition, Expression, ValueCondition } from "../../plan/plan.ts";
import { areOrdered, compares, extremeIndex } from "../../plan/quantities.ts";
import { singular } from "../../plan/names.ts";
import {
  canonicalJson,
  DATE_PREFIX,
  isEntityName,
  isLeaf,
  isMap,
  isOpaqueId,
  isSame,
  isSpecific,
  isState,
  isTag,
  jsonLeaves,
  leafText,
  type Path,
  valueAt,
  type OrderOperator,
} from "../../plan/values.ts";
import { WEIGHTS } from "../weights.ts";

/** A way to a value inside a result, with what must be known to go it. */
export interface Selection {
  readonly expression: Expression;
  /** What it costs: how much it supposes. */
  readonly cost: number;
  /** The values by which elements are told from others. */
  readonly keys: readonly SelectorKey[];
  readonly why: readonly string[];
  /** Where an element has the least or the most: at which field, of how many. */
  readonly extreme?: Extreme | undefined;
  /**
   * It is the only element of its list, and what it is found by says only of which kind it is: others may be, too. Or it
   * relates two things, and what it is found by does not say how.
   */
  readonly isUntested?: boolean | undefined;
}

export interface Extreme {
  readonly by: readonly string[];
  readonly most: boolean;
  readonly isTime: boolean;
  readonly among: number;
  /** It is of those that are within a limit that the task says, and the nearest to that. */
  readonly isWithin?: boolean | undefined;
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
  /** It says of what form the element is, which is the program's word. */
  readonly isForm?: boolean | undefined;
  /** It is a limit, which stands nowhere in the result. */
  readonly isLimit?: boolean | undefined;
  /** It is the id of an element of another answer. */
  readonly isRelation?: boolean | undefined;
}

/** What is known of a value by which an element could be found. */
export interface KnownValues {
  /** The caller says it, or an earlier argument is it. */
  readonly isGiven: (value: Json) => boolean;
  /** The task speaks of it. */
  readonly isMentioned: (value: Json) => boolean;
  /** What the round is about has it in a field that is called so. */
  readonly isOfRound: (value: Json, field: string) => boolean;
  /** It is an id that stands in an element of another answer, of which the task speaks. */
  readonly isRelated: (value: Json) => boolean;
  /** What stands in a text of which the task says it as a name or number of its own. */
  readonly saidPartsOf: (text: string) => readonly string[];
  /** The words with which a sentence begins that other sentences of its kind begin with, too: `Mail: `. */
  readonly beginningOf: (text: string) => string | undefined;
  /** This call or a later one has it as an argument. */
  readonly isActedOn: (value: Json) => boolean;
  /** A key of a text's labels or YAML is what the task speaks of, and the others are of its kind. */
  readonly isChosenKey: (object: JsonObject, path: Path, key: string) => boolean;
  /** Positions of which the task speaks: the first is 0, the last -1. */
  readonly positions: ReadonlySet<number>;
  /** Such positions in lists that texts have. */
  readonly positionsInTexts: ReadonlySet<number>;
  /** What the task says of how much or how late something may be. */
  readonly limits: readonly SaidLimit[];
  /** Whether having the least or the most is looked at. */
  readonly withExtremes: boolean;
}

interface SaidLimit {
  readonly value: number | string;
  readonly operator: OrderOperator;
}

export const NO_KNOWN_VALUES: KnownValues = {
  isGiven: () => false,
  isMentioned: () => false,
  isOfRound: () => false,
  isRelated: () => false,
  beginningOf: () => undefined,
  saidPartsOf: () => [],
  isActedOn: () => false,
  isChosenKey: () => false,
  positions: new Set(),
  positionsInTexts: new Set(),
  limits: [],
  withExtremes: false,
};

/** A list, or a map as a list, with how to write it. */
export interface Collection {
  readonly expression: Expression;
  readonly elements: readonly Json[];
  readonly index: number;
  /** Of an element: the path in the result. */
  readonly pathOf: (index: number) => Path;
  /** A text has it. */
  readonly isOfText?: boolean | undefined;
  /** Its elements are texts of their own, of which none begins or ends with what is the latest. */
  readonly isOfTexts?: boolean | undefined;
}

interface Property {
  readonly path: readonly string[];
  /** What stands at the path is a list or map: one of its elements, by its index or key, has all these. */
  readonly inner?: { readonly key: string | number; readonly has: readonly InnerProperty[] };
  readonly value: Json;
  /** The value stands in the text at the path, among other words. */
  readonly isPart?: boolean;
  readonly cost: number;
  readonly why: string;
  /** People call the element by it. */
  readonly isName: boolean;
  readonly isOptional?: boolean;
  readonly isForm?: boolean;
  readonly isRelation?: boolean | undefined;
  readonly isUntested?: boolean;
}

type InnerProperty = Pick<Property, "path" | "value" | "isOptional" | "isForm" | "isRelation" | "isPart">;

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
  const isUnique = (property: Property): boolean => table.having(property).size === 1;
  const properties =
    elements.length === 1
      ? untested(propertiesOf(collection, element, rest, knownValues))
      : propertiesOf(collection, element, rest, knownValues);
  const parts = saidParts(elements, element, knownValues);
  const found: Selection[] = properties
    .filter(isUnique)
    .slice(0, MAX_SELECTIONS)
    .map((property) => selectionBy(collection, [property], site));
  if (parts.length > 0) found.push(selectionBy(collection, parts, site));
  if (found.length < 2) {
    const several = smallestSet(properties, table, elements.length);
    if (several) found.push(selectionBy(collection, several, site));
  }
  const wholes = wholeOf(element, rest);
  const naming = properties.find(({ isName }) => isName);
  const detail = wholes.find(({ path: [field], value }) => naming?.path[0] !== field && !hasTag(value));
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
  const isOfText = collection.isOfText === true;
  const position = isFirstOrLastByDay(collection) ? undefined : positionOf(collection, knownValues);
  if (position !== undefined && (isOfText || found.length === 0))
    found.push({
      expression: { kind: "nth", in: expression, position },
      cost: isOfText ? WEIGHTS.costOfPositionInText : WEIGHTS.costOfPosition,
      keys: [],
      why: ["the task speaks of its position"],
    });
  if (knownValues.withExtremes) found.push(...extremesOf(collection, knownValues, site));
  const sentence = sentenceBy(collection, knownValues);
  if (sentence) found.push(sentence);
  if (elements.length === 1)
    found.push({
      expression: { kind: "only", in: expression },
      cost: WEIGHTS.costOfOnlyElement,
      keys: [],
      why: ["it is the only element"],
    });
  return found;
}

/** A sentence of a list, found by how it begins: which of several things that are told of one it tells. */
function sentenceBy(
  { elements, index, expression }: Collection,
  { beginningOf }: KnownValues,
): Selection | undefined {
  const text = elements[index];
  const begin = typeof text === "string" ? beginningOf(text) : undefined;
  if (begin === undefined || elements.filter((each) => compares(each, "startsWith", begin)).length > 1)
    return undefined;
  const equals: Expression = { kind: "constant", value: begin };
  return {
    expression: { kind: "find", in: expression, where: [{ path: [], operator: "startsWith", equals }] },
    cost: WEIGHTS.costOfMentionedName,
    keys: [],
    why: ["it is found by how it begins"],
    isUntested: true,
  };
}

/** Of the only element of a list: by a word for its kind it need not be told from others. */
function untested(properties: readonly Property[]): readonly Property[] {
  const found = properties.map((property): Property => {
    const isKind = property.cost <= WEIGHTS.costOfUniqueName && !isEntityName(property.value);
    const cost = Math.max(property.cost, WEIGHTS.costOfSameEverywhere);
    return isKind ? { ...property, cost, isUntested: true } : property;
  });
  return found.sort((a, b) => a.cost - b.cost);
}

/** What the task says as a name or number, and stands in a text of one element alone. */
function saidParts(elements: readonly Json[], element: Json, knownValues: KnownValues): readonly Property[] {
  if (elements.length < 2 || elements.length > MAX_SEARCHED) return [];
  const leaves = [...jsonLeaves(element)].filter(([path]) => path.length < 3 && path.every(isText));
  // What is called so is not found by a part of something else that it says.
  const whole = new Set(leaves.map(([, text]) => leafText(text)?.toLowerCase()));
  return leaves.flatMap(([path, text]): readonly Property[] => {
    if (typeof text !== "string" || text.length > MAX_SEARCHED_TEXT || knownValues.isMentioned(text))
      return [];
    return knownValues.saidPartsOf(text).flatMap((value): readonly Property[] => {
      if (whole.has(value.toLowerCase())) return [];
      const having = elements.filter((each) => compares(valueAt(each, path) ?? null, "contains", value));
      const cost = WEIGHTS.costOfSaidPart;
      const why = "found by a part of what the task says";
      return having.length === 1
        ? [{ path: path.map(String), value, isPart: true, cost, why, isName: false }]
        : [];
    });
  });
}

const MAX_SEARCHED = 500;
const MAX_SEARCHED_TEXT = 300;

function isOnly(table: Table, properties: readonly Property[]): boolean {
  const [first, ...others] = properties.map((property) => table.having(property));
  return (
    first !== undefined &&
    [...first].filter((each) => others.every((having) => having.has(each))).length === 1
  );
}

/**
 * The fields in which an element has the least or the most: of all, or of those with which it shares a state, or something of
 * which the task speaks.
 */
function extremesOf(collection: Collection, knownValues: KnownValues, site: string): readonly Selection[] {
  const { elements, index, expression } = collection;
  const element = elements[index];
  if (elements.length < 2 || !isJsonObject(element)) return [];
  const leaves = [...jsonLeaves(element)].filter(([path]) => path.length < 4 && path.every(isText));
  const kinds = leaves.filter(([, value]) => typeof value === "boolean" || isKindOf(value, knownValues));
  const among = kinds.slice(0, MAX_KINDS).flatMap(([path, value]): readonly Selection[] => {
    const own = elements.filter((each) => valueAt(each, path) === value);
    if (own.length < 2 || own.length === elements.length) return [];
    const isSaid = typeof value === "string" && knownValues.isMentioned(value);
    const slot = `${site}|${shapeOfExpression(expression)}|of ${path.join(".")}`;
    const equals: Expression = isSaid ? { kind: "param", name: slot } : { kind: "constant", value };
    const where = [{ path: path.map(String), equals }];
    const at = withoutEntry(collection, path);
    const key = { slot, field: String(path.at(-1)), value, path: [...collection.pathOf(index), ...at] };
    return extremesAmong(own, element, { kind: "filter", in: expression, where }).map((found) =>
      Object.assign(found, { keys: isSaid ? [{ ...key, isOptional: false }] : [] }),
    );
  });
  return [
    ...extremesAmong(elements, element, expression),
    ...among,
    ...extremesWithin(collection, element, knownValues, site),
  ];
}

/** Of those that are within a limit which the task says, the one that is nearest to it: the last that arrives by 10:30. */
function extremesWithin(
  { elements, expression }: Collection,
  element: Json,
  { limits }: KnownValues,
  site: string,
): readonly Selection[] {
  const paths = [...jsonLeaves(element)].filter(([path]) => path.length < 4 && path.every(isText));
  return paths.slice(0, MAX_ORDERED).flatMap(([path]): readonly Selection[] => {
    const values = elements.map((each) => valueAt(each, path) ?? null);
    return limits.flatMap(({ value, operator }): readonly Selection[] => {
      if (!areOrdered([value, ...values])) return [];
      const own = elements.filter((_, index) => compares(values[index] ?? null, operator, value));
      if (own.length === elements.length || !own.includes(element)) return [];
      const by = path.map(String);
      const slot = `${site}|${shapeOfExpression(expression)}|${operator} ${by.join(".")}`;
      const where = [{ path: by, operator, equals: { kind: "param", name: slot } as const }];
      const key = {
        slot,
        field: `${by.at(-1) ?? ""}_limit`,
        value,
        path: [],
        isOptional: false,
        isLimit: true,
      };
      const isUpper = operator === "<" || operator === "<=";
      return extremesAmong(own, element, { kind: "filter", in: expression, where }, true)
        .filter(({ extreme }) => extreme?.most === isUpper && isSame(extreme.by, by))
        .map((found) => Object.assign(found, { keys: [key] }));
    });
  });
}

const MAX_KINDS = 8;

function isKindOf(value: Json, { isMentioned }: KnownValues): boolean {
  return typeof value === "string" && value.length > 1 && (isMentioned(value) || isState(value));
}

function extremesAmong(
  elements: readonly Json[],
  element: Json,
  expression: Expression,
  isWithin = false,
): readonly Selection[] {
  const index = elements.indexOf(element);
  const paths = [...jsonLeaves(element)].filter(([path]) => path.length < 4 && path.every(isText));
  return paths.slice(0, MAX_ORDERED).flatMap(([path, own]): readonly Selection[] => {
    const values = elements.map((each) => valueAt(each, path));
    if (values.filter((value) => value === own).length > 1) return [];
    const most = [false, true].find((each) => extremeIndex(values, each) === index);
    if (most === undefined) return [];
    const by = path.map(String);
    return [
      {
        expression: { kind: "extreme", in: expression, by, most },
        cost: WEIGHTS.costOfExtreme,
        keys: [],
        why: [
          `it has the ${most ? "most" : "least"} of ${expression.kind === "filter" ? "its kind" : "all"}`,
        ],
        extreme: { by, most, isTime: typeof own === "string", among: elements.length, isWithin },
      },
    ];
  });
}

const MAX_ORDERED = 40;

/**
 * The position of an element, if the task speaks of it: of a plain, readable one, as ids are in no order that people see, or
 * of any that a text has.
 */
function positionOf(
  { elements, index, isOfText, isOfTexts }: Collection,
  { positions, positionsInTexts }: KnownValues,
): number | undefined {
  const { length } = elements;
  const element = elements[index];
  const isReadable = typeof element === "string" && !isOpaqueId(element) && !/^[A-Z0-9]{5,}$/.test(element);
  if (length < 2 || (isOfText !== true && !isReadable)) return undefined;
  const mayBeLatest = isOfText === true && isOfTexts !== true && !areSorted(elements) && !haveYears(elements);
  const said = mayBeLatest ? positionsInTexts : positions;
  return [index, index - length].find((each) => said.has(each));
}

/**
 * Whether what first tells elements apart stands in the order of letters, as branches and files do (`1.10` before `1.9`):
 * nothing says then that the last of them is the newest.
 */
function areSorted(elements: readonly Json[]): boolean {
  const [first = null] = elements;
  const columns = isJsonObject(first)
    ? Object.keys(first).map((field) => elements.map((each) => valueAt(each, [field])))
    : [elements];
  const names = columns.find((values) => new Set(values).size === elements.length) ?? [];
  const texts = names.flatMap((name) => (typeof name === "string" && !DAY_INSIDE.test(name) ? name : []));
  if (texts.length < elements.length) return false;
  return [texts, texts.map((text) => text.toLowerCase())].some((each) =>
    each.every((text, nth) => nth === 0 || (each[nth - 1] ?? "") < text),
  );
}

/** Whether elements tell a year each: of these the oldest is none by its position. */
function haveYears(elements: readonly Json[]): boolean {
  const [first = null] = elements;
  const fields = isJsonObject(first) ? Object.keys(first) : [];
  return fields.some((field) => {
    const years = elements.map((each) => leafText(valueAt(each, [field]) ?? null) ?? "");
    return years.every((year) => YEAR.test(year)) && new Set(years).size > 1;
  });
}

const YEAR = /^(?:1\d|20)\d{2}$/;

const DAY_INSIDE = /(?<!\d)(?:19|20)\d{2}[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?[0-3]\d)?(?!\d)/;

/** Whether an element of a text's list alone has the earliest or the latest day: it is that, and no position, which is meant. */
function isFirstOrLastByDay({ elements, index, isOfText }: Collection): boolean {
  const element = elements[index];
  if (isOfText !== true || elements.length < 2 || !isJsonObject(element)) return false;
  return Object.entries(element).some(([field, own]) => {
    const days = elements.map((each) => valueAt(each, [field]));
    const isAlone = days.filter((day) => day === own).length === 1;
    const isDay = days.every((day) => typeof day === "string" && DATE_PREFIX.test(day));
    return isDay && isAlone && [false, true].some((most) => extremeIndex(days, most) === index);
  });
}

function selectionBy(collection: Collection, properties: readonly Property[], site: string): Selection {
  const base = `${site}|${shapeOfExpression(collection.expression)}`;
  const keys: SelectorKey[] = [];
  const condition = (
    { path, value, isOptional = false, isForm, isRelation, isPart = false }: InnerProperty,
    within: Path = [],
  ): ValueCondition => {
    const outer = within.at(-2);
    const names = outer === undefined ? path : [String(outer), ...path];
    const wanted = `${base}|${names.join(".")}`;
    const taken = keys.filter(({ slot }) => slot.startsWith(wanted)).length;
    const slot = taken === 0 ? wanted : `${wanted}_${taken + 1}`;
    keys.push({
      slot,
      field: outer === undefined ? fieldName(path, value) : innerName(String(outer), path),
      value,
      path: [...collection.pathOf(collection.index), ...withoutEntry(collection, [...within, ...path])],
      isOptional,
      isForm,
      isRelation,
    });
    const operator = isPart ? { operator: "contains" as const } : {};
    return {
      path,
      ...operator,
      equals: { kind: "param", name: slot },
      ...(isOptional ? { optional: true } : {}),
    };
  };
  const where = properties.map((property): Condition => {
    const { path, inner } = property;
    if (!inner) return condition(property);
    return { path, some: inner.has.map((each) => condition(each, [...path, inner.key])) };
  });
  return {
    expression: { kind: "find", in: collection.expression, where },
    cost:
      properties.reduce((sum, { cost }) => sum + cost, 0) +
      (properties.filter(({ isOptional }) => isOptional !== true).length - 1) *
        WEIGHTS.costOfAnotherCondition,
    keys,
    why: properties.map(({ why }) => why),
    isUntested:
      properties.every((property) => property.isUntested === true) || isOfAnyType(collection, properties),
  };
}

/** Whether an element relates two things, of which nothing is said in what way, and others relate them in other ways. */
function isOfAnyType({ elements, index }: Collection, properties: readonly Property[]): boolean {
  const element = elements[index];
  if (!isJsonObject(element)) return false;
  const fields = Object.keys(element);
  const type = fields.find((field) => RELATION.test(field));
  if (type === undefined || ![ORIGIN, AIM].every((end) => fields.some((field) => end.test(field))))
    return false;
  const isSaid = properties.some(({ path: [field], isOptional }) => field === type && isOptional !== true);
  return !isSaid && elements.some((each) => !isSame(valueAt(each, [type]) ?? null, element[type] ?? null));
}

const RELATION = /^(?:(?:relation|edge|link)\w*|type|kind|predicate|label)$/i;
const ORIGIN = /^(?:from|source|subject|start)/i;
const AIM = /^(?:to|target|object|end)/i;

// In a map's entries, `value` is no part of the result's path, and `key` stands for the last part itself.
function withoutEntry(collection: Collection, path: Path): Path {
  return collection.expression.kind === "entries" ? path.slice(1) : path;
}

function fieldName(path: readonly string[], value: Json): string {
  return path.at(-1) ?? (typeof value === "string" ? "value" : "element");
}

/** `item_name` for the name of one of the `items`; `title` for a piece of a `title`. */
function innerName(list: string, inner: readonly string[]): string {
  const name = inner.at(-1);
  const element = singular(list);
  return name === undefined || WORDS.test(name) ? element : `${element}_${name}`;
}

/** An expression's text, in which slots have no say. */
function shapeOfExpression(expression: Expression): string {
  return JSON.stringify(expression, (_key, value: unknown) =>
    isJsonObject(value) && value["kind"] === "param" ? "?" : value,
  );
}

function propertiesOf(
  { isOfText }: Collection,
  element: Json,
  rest: Path,
  knownValues: KnownValues,
): readonly Property[] {
  const [first] = isOfText === true && isJsonObject(element) ? Object.keys(element) : [];
  const target = rest.join("\n");
  const properties: Property[] = [];
  const visit = (value: Json, path: readonly string[]): void => {
    if (path.length > 0 && path.join("\n") === target) return;
    if (isLeaf(value)) {
      const within = valueAt(element, path.slice(0, -1));
      const isKind = value === path.at(-2) || (isJsonObject(within) && isTag(within, path.at(-1) ?? ""));
      const isLabel = path.length === 1 && path[0] === first;
      const told =
        costOf(value, path, knownValues) ?? costOfNumeral(value, path, isLabel, element, knownValues);
      // By what says in which field it stands, or which one stands beside it, nobody finds things.
      const cost = isKind && told ? { ...told, cost: WEIGHTS.costOfUniqueNumerals } : told;
      const isName = !isKind && NAMING.test(path.at(-1) ?? "");
      // The path of names in a tree has others in it, too.
      const isPath = path.join() === "path" && isJsonObject(element) && typeof element["parent"] === "string";
      if (cost && !(isPath && cost.cost >= WEIGHTS.costOfUniqueName))
        properties.push({ path, value, ...cost, isName, isForm: isKind });
    } else if (path.length > 0 && (Array.isArray(value) || (isJsonObject(value) && isMap(value)))) {
      properties.push(...innerProperties(value, path, knownValues));
      // Its keys may be data, or only look so, as every record says by which key it stands.
      if (isJsonObject(value)) visitFields(value, path);
    } else if (isJsonObject(value)) visitFields(value, path);
  };
  const visitFields = (value: JsonObject, path: readonly string[]): void => {
    if (path.length >= 3) return;
    for (const [key, each] of Object.entries(value).slice(0, 60))
      if (!isMap(value) || FIELD.test(key)) visit(each, [...path, key]);
  };
  visit(element, []);
  return properties.sort((a, b) => a.cost - b.cost);
}

/**
 * What tells an element by one of those inside it: by what the task or the caller says of that, or, where it is acted on,
 * by its name.
 */
function innerProperties(
  value: Json,
  path: readonly string[],
  knownValues: KnownValues,
): readonly Property[] {
  const inner: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? [...(value as readonly Json[]).entries()]
    : Object.entries(value as JsonObject);
  return inner.slice(0, MAX_INNER).flatMap(([key, element]) => {
    const leaves = [...jsonLeaves(element)].filter(
      ([at]) => at.length < 3 && at.every(isText) && !isTagAt(element, at),
    );
    const isActedOn = leaves.some(([, leaf]) => isSpecific(leaf) && knownValues.isActedOn(leaf));
    const detail = wholeOf(element, []).find(({ value: each }) => !hasTag(each));
    return leaves.flatMap(([at, leaf]): readonly Property[] => {
      const place = at.map(String);
      const isWords = isWordsOf(place, leaf);
      const cost = costOf(leaf, at.length === 0 || isWords ? path : place, knownValues);
      const own = { path: place, value: leaf, isRelation: cost?.isRelation };
      const isName = NAMING.test(own.path.at(-1) ?? "");
      const isTold = cost !== undefined && cost.cost < WEIGHTS.costOfUniqueName;
      // That something in it has a colour of which the task speaks says little.
      const isTelling = isTold
        ? isName || isWords || isSpecific(leaf) || isProperName(leaf) || cost.isRelation === true
        : (isName && isActedOn) || isWords;
      if (!cost || !isTelling) return [];
      const found = {
        path,
        inner: { key, has: [own] },
        value: leaf,
        cost: cost.cost + WEIGHTS.costOfInnerElement,
        why: `it has one that is ${cost.why}`,
        isName: false,
      };
      if (!isName || !detail) return [found];
      // A name may be shared elsewhere: then the details tell, so the caller may add them.
      const has = [own, { path: detail.path, value: detail.value, isOptional: true }];
      return [{ ...found, inner: { key, has }, cost: found.cost + WEIGHTS.costOfOptionalDetail }, found];
    });
  });
}

/** Whether a text is what an element of a document says, as its heading, title or sentence, which is kept in pieces. */
function isWordsOf(path: readonly string[], value: Json): boolean {
  return WORDS.test(path.at(-1) ?? "") && typeof value === "string" && value.trim().length > 2;
}

function isTagAt(value: Json, path: Path): boolean {
  const within = valueAt(value, path.slice(0, -1));
  return isJsonObject(within) && isTag(within, String(path.at(-1) ?? ""));
}

/** Whether it is called so by several words, of which one is a name's. */
function isProperName(value: Json): boolean {
  return isEntityName(value) && typeof value === "string" && /\p{L}\s+\S/u.test(value);
}

const MAX_INNER = 60;
/** A key that a field may have. */
const FIELD = /^[a-z]+(?:_[a-z]+)*$/i;

function isText(part: string | number): boolean {
  return typeof part === "string";
}

/** How much it supposes that an element is known by this value; undefined: it must not be. */
function costOf(
  value: Json,
  path: readonly string[],
  knownValues: KnownValues,
): { readonly cost: number; readonly why: string; readonly isRelation?: boolean } | undefined {
  const name = path.at(-1) ?? "";
  if (path.length === 0) return undefined;
  const isId = isSpecific(value) || (/(?:^|_)(?:id|key|code)$|Id$/.test(name) && value !== null);
  if (typeof value !== "boolean" && isId && knownValues.isGiven(value))
    return { cost: WEIGHTS.costOfGivenId, why: "found by a value that is given" };
  if ((typeof value === "string" || Number.isInteger(value)) && knownValues.isOfRound(value, name))
    return { cost: WEIGHTS.costOfGivenId, why: "found by what the element of the round is called" };
  if (typeof value !== "string" || MONEY.test(value) || value.trim() === "" || value.length > 120)
    return undefined;
  const otherField = NAMING.test(name) ? 0 : WEIGHTS.costOfOtherField;
  if (isProperName(value) && knownValues.isGiven(value))
    return { cost: WEIGHTS.costOfGivenId, why: "found by a value that is given" };
  if (value.length >= 2 && knownValues.isMentioned(value))
    return { cost: WEIGHTS.costOfMentionedName + otherField, why: "found by what the task says" };
  if (knownValues.isRelated(value)) {
    const cost = WEIGHTS.costOfMentionedName + WEIGHTS.costOfAnotherCondition;
    return { cost, why: "found by the id of what the task says, in another answer", isRelation: true };
  }
  if (isOpaqueId(value)) return undefined;
  if (!/\p{L}/u.test(value))
    return { cost: WEIGHTS.costOfUniqueNumerals, why: "found by a field that only it has" };
  return { cost: WEIGHTS.costOfUniqueName + otherField * 2, why: "found by a field that only it has" };
}

/**
 * The same for a number of several digits by which the task calls it: the first of its line, or in a field of such a name. An
 * amount of the element may be equal to it.
 */
function costOfNumeral(
  value: Json,
  path: readonly string[],
  isLabel: boolean,
  element: Json,
  { isMentioned }: KnownValues,
): { readonly cost: number; readonly why: string } | undefined {
  const name = path.at(-1) ?? "";
  const isNumber = typeof value === "number" && Number.isInteger(value);
  if (!isNumber && typeof value !== "string") return undefined;
  const said = [String(value), `#${value}`];
  const isCalled = said.some((each) => isMentioned(`${name} ${each}`));
  const isNumbered = /^\d{3}|\.\d/.test(String(value)) && (isLabel || isCalled || NUMBERING.test(name));
  if (!isNumbered || !said.some(isMentioned)) return undefined;
  const isAmount =
    !isLabel &&
    !isCalled &&
    [...jsonLeaves(element)].some(
      ([at, leaf]) =>
        leaf === value && !NUMBERING.test(String(at.at(-1))) && at.join("\n") !== path.join("\n"),
    );
  return isAmount
    ? undefined
    : { cost: WEIGHTS.costOfMentionedName, why: "found by the number that the task says" };
}

function hasTag(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).some((key) => isTag(value, key));
}

/** What people call things by. */
const NAMING = /(?:^|_)(?:name|title|label|type|kind|source|category|subject|key)$/i;
/** What numbers of things are called. */
const NUMBERING =
  /(?:^|_)(?:i?id|key|code|number|num|no|nr|version|release|name|label)$|(?:Id|Number|No|Code)$/;
/** Where a piece of a text stands. */
const WORDS = /(?:^|_)(?:text|content)$/i;
/** An amount, also with signs between thousands; with other points it is no amount, but a version. */
const MONEY = /^[$€£]?(?:\d+(?:[.,]\d+)?|\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?)[%$€£]?$/;

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
    const having = table.having(property);
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

  /** The elements that have a property, by their numbers. */
  having({ path, inner, value }: Pick<Property, "path" | "inner" | "value">): ReadonlySet<number> {
    const parts = inner?.has.map((each) => each.path);
    const values = inner ? inner.has.map((each) => each.value) : value;
    return this.#column(path, parts).get(canonicalJson(values)) ?? new Set();
  }

  #column(
    path: readonly string[],
    parts: readonly (readonly string[])[] | undefined,
  ): ReadonlyMap<string, ReadonlySet<number>> {
    const name = JSON.stringify([path, parts]);
    const known = this.#columns.get(name);
    if (known) return known;
    const column = new Map<string, Set<number>>();
    this.#elements.forEach((element, index) => {
      const found = valueAt(element, path);
      for (const value of parts ? innerValues(found, parts) : [found]) {
        if (value === undefined) continue;
        const text = canonicalJson(value);
        const having = column.get(text);
        if (having) having.add(index);
        else column.set(text, new Set([index]));
      }
    });
    this.#columns.set(name, column);
    return column;
  }
}

function innerValues(value: Json | undefined, parts: readonly (readonly string[])[]): readonly Json[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).map((each: Json) => parts.map((part) => valueAt(each, part) ?? null));
}

const tables = new WeakMap<readonly Json[], Table>();

function tableOf(elements: readonly Json[]): Table {
  const known = tables.get(elements);
  if (known) return known;
  const table = new Table(elements);
  tables.set(elements, table);
  return table;
}
