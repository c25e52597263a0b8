import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { mappedSchema } from "../../core/json/mapped-schema.ts";

/**
 * A schema as every client accepts it: an object at the root and no combination of schemas beside it. Where the
 * contract is of no object its value travels inside a property.
 */
export interface ClientSchema {
  readonly schema: JsonSchema;
  /** For clients of the revisions since 2026-07-28: the contract as it stands, where it says itself that it is an object. */
  readonly whole: JsonSchema;
  /** The property that holds the whole value, where the contract is not of an object. */
  readonly wrappedIn: string | undefined;
}

/** The client's form of a contract's schema; a value that is no object travels as the property `key`. */
export function clientSchema(contract: JsonSchema, key: string): ClientSchema {
  const known = withoutHeaders(contract);
  const { schema, wrappedIn } = plainSchema(known, key);
  return { schema, whole: known["type"] === "object" ? known : schema, wrappedIn };
}

function plainSchema(contract: JsonSchema, key: string): Omit<ClientSchema, "whole"> {
  const root = resolved(contract, contract);
  if (Object.keys(root).length === 0) return { schema: { type: "object" }, wrappedIn: undefined };
  const object = isPlainObjectSchema(root)
    ? root
    : (mergedUnion(root, contract) ?? (root["type"] === "object" ? mergedRoot(root, contract) : undefined));
  if (object) return { schema: withOrigin(object, contract), wrappedIn: undefined };
  const { $defs: _defs, $schema: _dialect, ...rest } = root;
  const schema: JsonSchema = {
    type: "object",
    properties: { [key]: rest },
    required: [key],
    additionalProperties: false,
  };
  return { schema: withOrigin(schema, contract), wrappedIn: key };
}

function isPlainObjectSchema(schema: JsonSchema): boolean {
  return schema["type"] === "object" && COMBINATIONS.every((keyword) => !(keyword in schema));
}

const COMBINATIONS = ["anyOf", "oneOf", "allOf"];

/** The dialect and the definitions of a contract belong at the root. */
function withOrigin(schema: JsonSchema, { $schema: dialect, $defs: definitions }: JsonSchema): JsonSchema {
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...schema,
    ...(definitions === undefined ? {} : { $defs: definitions }),
  };
}

// Its clients would send the values as HTTP headers, too, which nobody here would hold against the arguments.
function withoutHeaders(schema: JsonSchema): JsonSchema {
  return mappedSchema(schema, ({ "x-mcp-header": _header, ...rest }) => rest) as JsonSchema;
}

/** The schema that a reference into the contract's definitions leads to. */
export function resolved(schema: JsonSchema, contract: JsonSchema): JsonSchema {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  const name = /^#\/\$defs\/(.+)$/.exec(reference)?.[1];
  const definitions = contract["$defs"];
  const target = name !== undefined && isJsonObject(definitions) ? definitions[name] : undefined;
  const { $ref: _reference, ...beside } = schema;
  return isJsonObject(target) ? { ...target, ...beside } : schema;
}

// A union of objects becomes one object that allows what any of them allows. The contract itself is checked when the
// skill is called, so the looser form costs nothing but a later error.
function mergedUnion(root: JsonSchema, contract: JsonSchema): JsonSchema | undefined {
  const union = root["anyOf"] ?? root["oneOf"];
  if (!Array.isArray(union) || "allOf" in root || "properties" in root) return undefined;
  const members = union.filter(isJsonObject).map((member) => resolved(member, contract));
  if (members.length !== union.length || !members.every(isPlainObjectSchema)) return undefined;
  const required = members.map(requiredOf).reduce((all, own) => all.filter((name) => own.includes(name)));
  const closed = members.every((member) => member["additionalProperties"] === false);
  const { anyOf: _any, oneOf: _one, $defs: _defs, ...rest } = root;
  return {
    ...rest,
    type: "object",
    properties: mergedProperties(members),
    ...(required.length > 0 ? { required } : {}),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

// Likewise an object that other schemas beside it narrow: they tell of properties, and what all of them ask for.
function mergedRoot(root: JsonSchema, contract: JsonSchema): JsonSchema {
  const { anyOf: _any, oneOf: _one, allOf, $defs: _defs, ...rest } = root;
  const always = [rest, ...membersOf(allOf, contract)];
  const required = [...new Set(always.flatMap(requiredOf))];
  return {
    ...rest,
    properties: { ...mergedProperties(membersBelow(root, contract)), ...mergedProperties([rest]) },
    ...(required.length > 0 ? { required } : {}),
  };
}

function membersBelow(schema: JsonSchema, contract: JsonSchema, depth = 0): readonly JsonSchema[] {
  if (depth > MAX_DEPTH) return [];
  const members = COMBINATIONS.flatMap((keyword) => membersOf(schema[keyword], contract));
  return members.concat(members.flatMap((member) => membersBelow(member, contract, depth + 1)));
}

function membersOf(members: Json | undefined, contract: JsonSchema): readonly JsonSchema[] {
  if (!Array.isArray(members)) return [];
  return members.filter(isJsonObject).map((member) => resolved(member, contract));
}

const MAX_DEPTH = 4;

function requiredOf({ required }: JsonSchema): readonly Json[] {
  return Array.isArray(required) ? required : [];
}

function mergedProperties(members: readonly JsonSchema[]): JsonObject {
  const properties = new Map<string, Json[]>();
  for (const member of members) {
    const own = isJsonObject(member["properties"]) ? member["properties"] : {};
    for (const [name, schema] of Object.entries(own))
      properties.set(name, [...(properties.get(name) ?? []), schema]);
  }
  return Object.fromEntries([...properties].map(([name, schemas]) => [name, anyOfThese(schemas)]));
}

function anyOfThese(schemas: readonly Json[]): JsonObject {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only] = distinct;
  if (distinct.length === 1 && isJsonObject(only)) return only;
  const constants = distinct.map((schema) => (isJsonObject(schema) ? schema["const"] : undefined));
  if (constants.every((constant) => constant !== undefined)) return { enum: constants };
  return { anyOf: distinct };
}
