import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { entriesOf, isList, numberOf, stringsOf } from "../schema-keywords.ts";
import { conditionOf, partOf, type Part } from "../schema-root.ts";
import { unwritten, type OpenShape, type Conjunction, type Shape } from "./schema-shapes.ts";
import { formatOf } from "../text/text-format.ts";

/** What is known of the numbers of a shape. */
export interface NumberFacts {
  readonly least: number;
  readonly most: number;
  /** Whether the least or the most itself is left out. */
  readonly isAbove: boolean;
  readonly isBelow: boolean;
  readonly isInteger: boolean;
  readonly multiples: readonly number[];
  readonly formats: readonly string[];
}

export const numberFacts: (shape: OpenShape) => NumberFacts = remembered((shape) => {
  const schemas = schemasOf(shape);
  const formats = textsAt(schemas, "format").filter((name) => formatOf(name)?.isNumeric);
  const isInteger =
    schemas.some(({ type, nullable }) => type !== undefined && isIntegers(type, nullable)) ||
    formats.includes("int32") ||
    formats.includes("int64") ||
    numbersAt(schemas, "multipleOf").some((each) => Number.isInteger(each));
  const bytes = formats.includes("int32") ? 2 ** 31 : Infinity;
  const [minimum, above] = [numbersAt(schemas, "minimum"), numbersAt(schemas, "exclusiveMinimum")];
  const [maximum, below] = [numbersAt(schemas, "maximum"), numbersAt(schemas, "exclusiveMaximum")];
  const least = Math.max(-bytes, ...minimum, ...above);
  const most = Math.min(bytes - 1, ...maximum, ...below);
  const facts = {
    least,
    most,
    isAbove: above.includes(least),
    isBelow: below.includes(most),
    isInteger,
    multiples: numbersAt(schemas, "multipleOf"),
    formats,
  };
  return isInteger ? rounded(facts) : facts;
});

/** What is known of the texts of a shape; lengths count code points. */
export interface TextFacts {
  readonly least: number;
  readonly most: number;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
}

export const textFacts: (shape: OpenShape) => TextFacts = remembered((shape) => {
  const schemas = schemasOf(shape);
  return {
    least: Math.max(0, ...numbersAt(schemas, "minLength")),
    most: Math.min(Infinity, ...numbersAt(schemas, "maxLength")),
    patterns: textsAt(schemas, "pattern"),
    formats: textsAt(schemas, "format").filter((name) => formatOf(name)?.isNumeric === false),
  };
});

/** What is known of the lists of a shape. */
export interface ListFacts {
  readonly least: number;
  readonly most: number;
  readonly isUnique: boolean;
  /** From this place on all items are alike. */
  readonly tail: number;
  readonly contained: readonly Contained[];
}

/** Items that a list has to have somewhere. */
interface Contained {
  readonly part: Part;
  readonly least: number;
  readonly most: number;
}

export const listFacts: (shape: OpenShape) => ListFacts = remembered((shape) => {
  const schemas = schemasOf(shape);
  const firsts = schemas.map(({ prefixItems }) => (isList(prefixItems) ? prefixItems.length : 0));
  const inner = [...shape.inner.keys()].map((at) => (typeof at === "number" ? at + 1 : 0));
  const contained = partsWith(shape, "contains").map(({ part, value, schema }) => ({
    part: conditionOf(part, value),
    least: numberOf(schema["minContains"]) ?? 1,
    most: numberOf(schema["maxContains"]) ?? Infinity,
  }));
  return {
    least: Math.max(0, ...numbersAt(schemas, "minItems"), ...contained.map(({ least }) => least)),
    most: Math.min(Infinity, ...numbersAt(schemas, "maxItems")),
    isUnique: schemas.some(({ uniqueItems }) => uniqueItems === true),
    tail: Math.max(0, ...firsts, ...inner),
    contained,
  };
});

export function itemConjunction(shape: OpenShape, index: number): Conjunction {
  const point: (Part | Shape)[] = [];
  for (const part of shape.parts) {
    const { prefixItems, items } = schemaOf(part);
    const item = (isList(prefixItems) ? prefixItems[index] : undefined) ?? items;
    if (item !== undefined) point.push(partOf(part, item));
  }
  const inner = shape.inner.get(index);
  return inner ? [...point, inner] : point;
}

/** What is known of the objects of a shape. */
export interface ObjectFacts {
  readonly least: number;
  readonly most: number;
  readonly required: ReadonlySet<string>;
  /** All names that are spoken of. */
  readonly names: ReadonlySet<string>;
  /** Properties that are told by a pattern of their names, and all others where there may be others. */
  readonly regions: readonly Region[];
  /** Names, and which others have to be there when they are. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** Properties that have no names of their own. */
export interface Region {
  readonly pattern: string | undefined;
  /** Names with these patterns are meant elsewhere. */
  readonly except: readonly string[];
  /** What the names have to be like, and what the values. */
  readonly names: Conjunction;
  readonly values: Conjunction;
}

export const objectFacts: (shape: OpenShape) => ObjectFacts = remembered((shape) => {
  const schemas = schemasOf(shape);
  const dependencies = new Map<string, readonly string[]>();
  for (const schema of schemas) {
    for (const [name, others] of entriesOf(schema["dependentRequired"]))
      dependencies.set(name, [...(dependencies.get(name) ?? []), ...stringsOf(others)]);
  }
  const always = new Set(schemas.flatMap((schema) => stringsOf(schema["required"])));
  const required = neededBeside(always, dependencies);
  const inner = [...shape.inner.keys()].filter((at) => typeof at === "string");
  const names = new Set([...shape.parts.flatMap((part) => declaredNames(part)), ...required, ...inner]);
  for (const [name, others] of dependencies) for (const each of [name, ...others]) names.add(each);
  const most = Math.min(Infinity, ...numbersAt(schemas, "maxProperties"));
  return {
    least: Math.max(required.size, ...numbersAt(schemas, "minProperties")),
    most,
    required,
    names,
    regions: most > 0 ? regionsOf(shape) : [],
    dependencies,
  };
});

/** What the value of a property has to be like, where it is there. */
export function propertyConjunction(
  shape: OpenShape,
  name: string,
  isFound: (pattern: string, name: string) => boolean | undefined,
): Conjunction {
  const point: (Part | Shape)[] = [];
  let isDeclared: boolean | undefined = !isClosed(shape);
  for (const part of shape.parts) {
    const { properties, patternProperties, additionalProperties } = schemaOf(part);
    const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) point.push(partOf(part, own));
    let isMeant: boolean | undefined = own !== undefined;
    for (const [pattern, schema] of entriesOf(patternProperties)) {
      const found = isFound(pattern, name);
      if (found) point.push(partOf(part, schema));
      isMeant = isMeant || found ? true : found === undefined ? undefined : isMeant;
    }
    if (isMeant === false && additionalProperties !== undefined)
      point.push(partOf(part, additionalProperties));
    const isOwn = part.isExact && (declaredNames(part).includes(name) || isMeant);
    if (isDeclared !== true && isOwn !== false) isDeclared = isOwn;
  }
  const inner = shape.inner.get(name);
  if (inner) point.push(inner);
  return isDeclared === false ? [FALSE_SCHEMA] : point;
}

/** Names with all those that have to be there when they are. */
export function neededBeside(
  names: ReadonlySet<string>,
  dependencies: ObjectFacts["dependencies"],
): ReadonlySet<string> {
  const needed = new Set(names);
  for (const name of dependencies.size > 0 ? needed : [])
    for (const other of dependencies.get(name) ?? []) needed.add(other);
  return needed;
}

/** What a part says of a keyword, for each part that says something. */
export function partsWith(
  shape: OpenShape,
  keyword: string,
): readonly { readonly part: Part; readonly schema: JsonObject; readonly value: Json }[] {
  return shape.parts.flatMap((part) => {
    const schema = schemaOf(part);
    const value = schema[keyword];
    return value === undefined ? [] : [{ part, schema, value }];
  });
}

function remembered<Facts extends object>(tell: (shape: OpenShape) => Facts): (shape: OpenShape) => Facts {
  const known = new WeakMap<OpenShape, Facts>();
  return (shape) => {
    const facts = known.get(shape) ?? tell(shape);
    known.set(shape, facts);
    return facts;
  };
}

/** No value fits here. */
export const FALSE_SCHEMA: Part = unwritten(false);

function regionsOf(shape: OpenShape): readonly Region[] {
  const names: Conjunction = [
    unwritten({ type: "string" }),
    ...partsWith(shape, "propertyNames").map(({ part, value }) => partOf(part, value)),
  ];
  const patterned = partsWith(shape, "patternProperties").flatMap(({ part, value }) =>
    entriesOf(value).map(([pattern, schema]): Region => ({
      pattern,
      except: [],
      names: names.concat(unwritten({ pattern })),
      values: [partOf(part, schema)],
    })),
  );
  const others = partsWith(shape, "additionalProperties");
  if (isClosed(shape) || others.some(({ value }) => value === false)) return patterned;
  const values = others.map(({ part, value }) => partOf(part, value));
  const except = patterned.flatMap(({ pattern }) => pattern ?? []);
  return [...patterned, { pattern: undefined, except, names, values }];
}

/** Whether there are no properties but those that the exact parts declare. */
function isClosed(shape: OpenShape): boolean {
  const exact = shape.parts.filter((part) => part.isExact).map(schemaOf);
  return (
    exact.some(({ properties, patternProperties }) => properties ?? patternProperties) &&
    !exact.some(
      (schema) =>
        schema["additionalProperties"] !== undefined || schema["unevaluatedProperties"] !== undefined,
    )
  );
}

function declaredNames(part: Part): readonly string[] {
  const { properties, required, dependentRequired } = schemaOf(part);
  return [
    ...(isJsonObject(properties) ? Object.keys(properties) : []),
    ...stringsOf(required),
    ...entriesOf(dependentRequired).flatMap(([name, others]) => [name].concat(stringsOf(others))),
  ];
}

function isIntegers(type: Json, nullable: Json | undefined): boolean {
  const types = isList(type) ? type : [type, ...(nullable === true ? ["null"] : [])];
  return types.includes("integer") && !types.includes("number");
}

/** Bounds that are integers of the shape themselves. */
function rounded(facts: NumberFacts): NumberFacts {
  const step = Math.max(1, ...facts.multiples.filter((each) => Number.isInteger(each)));
  const least = Math.ceil(facts.least / step) * step;
  const most = Math.floor(facts.most / step) * step;
  return {
    ...facts,
    least: facts.isAbove && least === facts.least ? least + step : least,
    most: facts.isBelow && most === facts.most ? most - step : most,
    isAbove: false,
    isBelow: false,
  };
}

function schemasOf(shape: OpenShape): readonly JsonObject[] {
  return shape.parts.map(schemaOf);
}

function schemaOf({ schema }: Part): JsonObject {
  return isJsonObject(schema) ? schema : {};
}

function numbersAt(schemas: readonly JsonObject[], keyword: string): readonly number[] {
  return schemas.map((schema) => schema[keyword]).filter((value) => typeof value === "number");
}

function textsAt(schemas: readonly JsonObject[], keyword: string): readonly string[] {
  const texts = schemas.map((schema) => schema[keyword]).filter((value) => typeof value === "string");
  return [...new Set(texts)];
}
