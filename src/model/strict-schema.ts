import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { type JsonSchema, validatorOf } from "../core/json/json-schema.ts";
import { parseJson } from "../core/json/parse-json.ts";

/**
 * A schema in the part of JSON Schema that endpoints hold answers to: every property required, no others, no defaults.
 * What may be absent may be null, and what that part cannot tell is JSON in a text; `fromStrict` takes both back.
 */
export function strictSchema(schema: JsonSchema): JsonSchema {
  const strict = strictOf(schema);
  const definitions = schema["$defs"];
  return isJsonObject(definitions)
    ? { ...strict, $defs: mapped(definitions, (each) => strictOf(schemaOf(each))) }
    : strict;
}

/** A value of the strict schema as one of the schema itself. What fits neither stays as it is. */
export function fromStrict(value: Json, schema: JsonSchema, root: JsonSchema = schema): Json {
  const found = resolved(schema, root);
  if (!isExpressible(found)) return typeof value === "string" ? parsedOr(value) : value;
  const variants = variantsOf(found);
  if (variants) {
    const taken = variants.map((variant) => fromStrict(value, variant, root));
    return taken.find((each, index) => fits(each, variants[index] ?? {}, root)) ?? value;
  }
  const { items, properties } = found;
  if (Array.isArray(value) && isJsonObject(items))
    return value.map((each: Json) => fromStrict(each, items, root));
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const required = requiredOf(found);
  const own = Object.entries(value).flatMap(([name, each]) => {
    const property = Object.hasOwn(properties, name) ? schemaOf(properties[name]) : undefined;
    if (!property) return [[name, each] as const];
    if (each === null && !required.has(name) && !fits(null, property, root)) return [];
    return [[name, fromStrict(each, property, root)] as const];
  });
  return Object.fromEntries(own);
}

function strictOf(schema: JsonSchema): JsonSchema {
  const { description, $ref, items, properties } = schema;
  const said = typeof description === "string" ? { description } : {};
  if (typeof $ref === "string") return { $ref, ...said };
  if (!isExpressible(schema)) {
    const form =
      isJsonObject(schema) && Object.keys(schema).length > 0 ? JSON.stringify(schema) : "any value";
    return { type: "string", description: `JSON, as text: ${form}`.slice(0, MAX_DESCRIPTION) };
  }
  const variants = variantsOf(schema);
  if (variants) return { anyOf: variants.map(strictOf), ...said };
  if (schema["const"] !== undefined) return { ...valuesOf([schema["const"]]), ...said };
  if (Array.isArray(schema["enum"])) return { ...valuesOf(schema["enum"]), ...said };
  const type = schema["type"] ?? null;
  if (isJsonObject(properties)) {
    const required = requiredOf(schema);
    const all = mapped(properties, (each, name) =>
      required.has(name) ? strictOf(schemaOf(each)) : nullable(strictOf(schemaOf(each))),
    );
    return { type, properties: all, required: Object.keys(all), additionalProperties: false, ...said };
  }
  return isJsonObject(items) ? { type, items: strictOf(items), ...said } : { type, ...said };
}

const MAX_DESCRIPTION = 2000;

function nullable(schema: JsonSchema): JsonSchema {
  const others = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as readonly Json[]) : [schema];
  return { anyOf: [...others, { type: "null" }] };
}

function valuesOf(values: readonly Json[]): JsonSchema {
  const types = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  const type = types.size === 1 ? [...types][0] : undefined;
  return { ...(type === undefined ? {} : { type }), enum: values };
}

/** Keywords of which the strict part has no likeness; those that only bound a value are checked of the answer. */
const INEXPRESSIBLE = ["allOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas"];

function isExpressible(schema: JsonSchema): boolean {
  if (INEXPRESSIBLE.some((keyword) => keyword in schema)) return false;
  if ("$ref" in schema || "const" in schema || "enum" in schema || variantsOf(schema)) return true;
  const type = schema["type"];
  if (Array.isArray(type)) return type.every((each) => each !== "object" && each !== "array");
  if (type === "array") return isJsonObject(schema["items"]);
  if (type !== "object") return typeof type === "string";
  // What may have other properties than those that are named is an object of any form.
  const others = schema["additionalProperties"];
  return isJsonObject(schema["properties"]) && (others === undefined || others === false);
}

function variantsOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  const variants = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(variants) ? variants.map(schemaOf) : undefined;
}

function requiredOf(schema: JsonSchema): ReadonlySet<string> {
  const required = schema["required"];
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

function resolved(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  const name = /^#\/\$defs\/(.+)$/.exec($ref)?.[1];
  const definitions = root["$defs"];
  if ($ref === "#") return root;
  if (name === undefined || !isJsonObject(definitions) || depth > MAX_REFERENCES) return schema;
  return resolved(schemaOf(definitions[name]), root, depth + 1);
}

const MAX_REFERENCES = 20;

function fits(value: Json, schema: JsonSchema, root: JsonSchema): boolean {
  return validatorOf(withDefinitions(schema, root))(structuredClone(value)).ok;
}

/** Validators are kept by the schema object. */
const complete = new WeakMap<JsonSchema, JsonSchema>();

function withDefinitions(schema: JsonSchema, { $defs }: JsonSchema): JsonSchema {
  if (!isJsonObject($defs)) return schema;
  const known = complete.get(schema) ?? { ...schema, $defs };
  complete.set(schema, known);
  return known;
}

function mapped(object: JsonObject, map: (value: Json, name: string) => JsonSchema): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}

/** A schema that is `true`, or no schema, tells nothing. */
function schemaOf(value: Json | undefined): JsonSchema {
  return isJsonObject(value) ? value : {};
}

function parsedOr(text: string): Json {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}
