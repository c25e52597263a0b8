import { isJsonObject, type Json } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";

/** One source of a contract, named as a message names it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

/**
 * The first place where two descriptions of the same value cannot both be right, in words: property names, which of
 * them are required, and basic types are compared. What one of them leaves open agrees with everything.
 */
export function disagreement(
  one: NamedSchema,
  other: NamedSchema,
  leniency: Leniency = {},
): string | undefined {
  return new Comparison(one, other, leniency).differenceAt("", one.schema, other.schema, 0);
}

export interface Leniency {
  /** For a source that cannot say null. */
  readonly ignoreNull?: boolean;
  /** For an inferred source: it tells the types of what there is, not what has to be there. */
  readonly onlyTypes?: boolean;
}

const MAX_DEPTH = 32;

class Comparison {
  readonly #one: NamedSchema;
  readonly #other: NamedSchema;
  readonly #leniency: Leniency;

  constructor(one: NamedSchema, other: NamedSchema, leniency: Leniency) {
    this.#one = one;
    this.#other = other;
    this.#leniency = leniency;
  }

  differenceAt(
    path: string,
    oneSchema: Json | undefined,
    otherSchema: Json | undefined,
    depth: number,
  ): string | undefined {
    const one = targetOf(oneSchema, this.#one.schema);
    const other = targetOf(otherSchema, this.#other.schema);
    if (!one || !other || depth > MAX_DEPTH) return undefined;
    const types = [this.#typesOf(one, this.#one.schema), this.#typesOf(other, this.#other.schema)] as const;
    if (!types[0] || !types[1]) return undefined;
    if (!sameMembers(types[0], types[1])) {
      const [first, second] = types.map((names) => names?.join(" or ") ?? "");
      return this.#words(path, `is ${first}`, `is ${second}`);
    }
    if (types[0].includes("object")) return this.#objects(path, one, other, depth);
    return types[0].includes("array") ? this.#arrays(path, one, other, depth) : undefined;
  }

  #objects(path: string, one: JsonSchema, other: JsonSchema, depth: number): string | undefined {
    const [ones, others] = [propertiesOf(one), propertiesOf(other)];
    if (!ones || !others) return undefined;
    for (const name of new Set([...Object.keys(ones), ...Object.keys(others)])) {
      const at = path === "" ? name : `${path}.${name}`;
      const presence = this.#leniency.onlyTypes ? undefined : this.#presence(at, name, one, other);
      const inside = presence ?? this.differenceAt(at, ones[name], others[name], depth + 1);
      if (inside !== undefined) return inside;
    }
    return this.differenceAt(`${path}[key]`, extraOf(one), extraOf(other), depth + 1);
  }

  #presence(at: string, name: string, one: JsonSchema, other: JsonSchema): string | undefined {
    const [first, second] = [necessity(one, name), necessity(other, name)];
    return first === "open" || second === "open" || first === second
      ? undefined
      : this.#words(at, first, second);
  }

  #arrays(path: string, one: JsonSchema, other: JsonSchema, depth: number): string | undefined {
    if (one["prefixItems"] !== undefined || other["prefixItems"] !== undefined) return undefined;
    return this.differenceAt(`${path}[]`, one["items"], other["items"], depth + 1);
  }

  #typesOf(schema: JsonSchema, root: JsonSchema): readonly string[] | undefined {
    const types = basicTypes(schema, root, 0);
    return (
      types &&
      [...types]
        .filter((type) => !this.#leniency.ignoreNull || type !== "null" || types.size === 1)
        .toSorted()
    );
  }

  #words(path: string, one: string, other: string): string {
    const what = path === "" ? "the value" : `\`${path}\``;
    return `by ${this.#one.name} ${what} ${one}, by ${this.#other.name} it ${other}`;
  }
}

/** The schema that is meant where one refers to another of the same document. */
function targetOf(schema: Json | undefined, root: JsonSchema): JsonSchema | undefined {
  let target = schema;
  for (
    let step = 0;
    step < MAX_DEPTH && isJsonObject(target) && typeof target["$ref"] === "string";
    step += 1
  ) {
    target = pointed(root, target["$ref"]);
  }
  return isJsonObject(target) ? target : undefined;
}

function pointed(root: JsonSchema, reference: string): Json | undefined {
  if (!reference.startsWith("#")) return undefined;
  let value: Json | undefined = root;
  for (const part of decodeURIComponent(reference.slice(1)).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** Which types of JSON value a schema can allow; nothing where it does not say. */
function basicTypes(schema: JsonSchema, root: JsonSchema, depth: number): ReadonlySet<string> | undefined {
  const { type } = schema;
  if (typeof type === "string") return new Set([basic(type)]);
  if (Array.isArray(type)) return new Set(type.map((each) => basic(String(each))));
  if (schema["const"] !== undefined) return new Set([typeOfValue(schema["const"])]);
  if (Array.isArray(schema["enum"])) return new Set((schema["enum"] as readonly Json[]).map(typeOfValue));
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices) && depth < MAX_DEPTH) {
    const all = new Set<string>();
    for (const choice of choices as readonly Json[]) {
      const target = targetOf(choice, root);
      const types = target && basicTypes(target, root, depth + 1);
      if (!types) return undefined;
      for (const each of types) all.add(each);
    }
    return all;
  }
  return schema["properties"] === undefined ? undefined : new Set(["object"]);
}

// TypeScript has one type for all numbers.
function basic(type: string): string {
  return type === "integer" ? "number" : type;
}

function typeOfValue(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function propertiesOf(schema: JsonSchema): JsonSchema | undefined {
  return isJsonObject(schema["properties"]) ? schema["properties"] : undefined;
}

function extraOf(schema: JsonSchema): Json | undefined {
  return schema["additionalProperties"];
}

/** A property with a default is open: whether the caller has to give it depends on whom you ask. */
function necessity(
  schema: JsonSchema,
  name: string,
): "is required" | "is optional" | "does not exist" | "open" {
  const properties = propertiesOf(schema);
  if (!properties || !Object.hasOwn(properties, name) || isForbidden(properties[name]))
    return "does not exist";
  const property = properties[name];
  if (isJsonObject(property) && property["default"] !== undefined) return "open";
  const { required } = schema;
  return Array.isArray(required) && required.includes(name) ? "is required" : "is optional";
}

function isForbidden(schema: Json | undefined): boolean {
  return (
    schema === false ||
    (isJsonObject(schema) && isJsonObject(schema["not"]) && Object.keys(schema["not"]).length === 0)
  );
}

function sameMembers(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
