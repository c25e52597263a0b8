import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { JsonSchema } from "../core/schema.ts";

/**
 * A schema as every client accepts it: an object at the root and no combination of schemas beside it. Where the
 * contract says otherwise its value travels inside a property.
 */
export interface ClientSchema {
  readonly schema: JsonSchema;
  /** The property that holds the whole value, where the contract is not of an object. */
  readonly wrappedIn: string | undefined;
}

/** The client's form of a contract's schema; a value that is no object travels as the property `key`. */
export function clientSchema(contract: JsonSchema, key: string): ClientSchema {
  const root = resolved(contract, contract);
  if (Object.keys(root).length === 0) return { schema: { type: "object" }, wrappedIn: undefined };
  if (isPlainObjectSchema(root)) return { schema: withDefs(root, contract), wrappedIn: undefined };
  const merged = mergedUnion(root, contract);
  if (merged) return { schema: withDefs(merged, contract), wrappedIn: undefined };
  const { $defs: _defs, $schema: _dialect, ...rest } = root;
  const schema: JsonSchema = {
    type: "object",
    properties: { [key]: rest },
    required: [key],
    additionalProperties: false,
  };
  return { schema: withDefs(schema, contract), wrappedIn: key };
}

function isPlainObjectSchema(schema: JsonSchema): boolean {
  return schema["type"] === "object" && !("anyOf" in schema) && !("oneOf" in schema) && !("allOf" in schema);
}

function withDefs(schema: JsonSchema, contract: JsonSchema): JsonSchema {
  return "$defs" in contract ? { ...schema, $defs: contract["$defs"] ?? {} } : schema;
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
  if (!Array.isArray(union) || "allOf" in root) return undefined;
  const members = union.filter(isJsonObject).map((member) => resolved(member, contract));
  if (members.length !== union.length || !members.every(isPlainObjectSchema)) return undefined;

  const properties = new Map<string, Json[]>();
  for (const member of members) {
    const own = isJsonObject(member["properties"]) ? member["properties"] : {};
    for (const [name, schema] of Object.entries(own))
      properties.set(name, [...(properties.get(name) ?? []), schema]);
  }
  const required = members
    .map((member) => (Array.isArray(member["required"]) ? member["required"] : []))
    .reduce((all, own) => all.filter((name) => own.includes(name)));
  const closed = members.every((member) => member["additionalProperties"] === false);
  const { anyOf: _any, oneOf: _one, $defs: _defs, ...rest } = root;
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries([...properties].map(([name, schemas]) => [name, anyOfThese(schemas)])),
    ...(required.length > 0 ? { required } : {}),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

function anyOfThese(schemas: readonly Json[]): JsonObject {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only] = distinct;
  if (distinct.length === 1 && isJsonObject(only)) return only;
  const constants = distinct.map((schema) => (isJsonObject(schema) ? schema["const"] : undefined));
  if (constants.every((constant) => constant !== undefined)) return { enum: constants };
  return { anyOf: distinct };
}
