import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { didYouMean } from "../core/text/nearest.ts";

/** Where something stands in a document: keys and indices from its root. */
export type DocumentPath = readonly (string | number)[];

export interface NotationFault {
  readonly path: DocumentPath;
  readonly message: string;
}

/** What names of types mean. */
const TYPES: Readonly<Record<string, JsonSchema>> = {
  string: { type: "string" },
  text: { type: "string" },
  str: { type: "string" },
  integer: { type: "integer" },
  int: { type: "integer" },
  number: { type: "number" },
  float: { type: "number" },
  double: { type: "number" },
  boolean: { type: "boolean" },
  bool: { type: "boolean" },
  object: { type: "object" },
  dict: { type: "object" },
  map: { type: "object" },
  array: { type: "array" },
  list: { type: "array" },
  null: { type: "null" },
  none: { type: "null" },
  any: {},
  json: {},
  file_path: { type: "string" },
  directory_path: { type: "string" },
  path: { type: "string" },
  markdown: { type: "string", contentMediaType: "text/markdown" },
  html: { type: "string", contentMediaType: "text/html" },
  date: { type: "string", format: "date" },
  datetime: { type: "string", format: "date-time" },
  time: { type: "string", format: "time" },
  uri: { type: "string", format: "uri" },
  url: { type: "string", format: "uri" },
  email: { type: "string", format: "email" },
  uuid: { type: "string", format: "uuid" },
};

/** Formats of JSON Schema that are asserted; others, such as `markdown`, are types of the notation, or notes. */
const FORMATS: ReadonlySet<string> = new Set(
  (
    "date date-time time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid regex json-pointer " +
    "relative-json-pointer byte int32 int64"
  ).split(" "),
);

const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;
const SINGLE = ["items", "contains", "not", "additionalProperties", "if", "then", "else"] as const;
const MAPS = ["properties", "patternProperties", "$defs", "dependentSchemas"] as const;

/**
 * The JSON Schema that a type means: a name (`float`, `file_path`, `string[]`, `list<integer>`, `string | null`), a JSON
 * Schema in whose parts types may stand too, or a map from the names of properties to types, all of them required that
 * have no default. What no type can be is told, and is any value.
 */
export function schemaOfNotation(notation: Json, path: DocumentPath, faults: NotationFault[]): JsonSchema {
  if (typeof notation === "string") return namedType(notation, path, faults);
  if (notation === true) return {};
  if (!isJsonObject(notation)) {
    faults.push({ path, message: "a type is a name, a JSON Schema, or an object of properties with types" });
    return {};
  }
  return isSchema(notation) ? readSchema(notation, path, faults) : propertiesSchema(notation, path, faults);
}

/** The schema of an object with these properties; what has a default, or says so, may be left out. */
export function propertiesSchema(
  properties: JsonObject,
  path: DocumentPath,
  faults: NotationFault[],
): JsonSchema {
  const entries = Object.entries(properties);
  const required = entries.filter(([, type]) => !isOptional(type)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, type]) => [name, schemaOfNotation(type, [...path, name], faults)]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function isOptional(type: Json): boolean {
  return (
    isJsonObject(type) && isSchema(type) && (type["required"] === false || Object.hasOwn(type, "default"))
  );
}

/** A property may be called like a keyword: what stands below it tells which it is. */
function isSchema(notation: JsonObject): boolean {
  const of = (key: string): Json | undefined => (Object.hasOwn(notation, key) ? notation[key] : undefined);
  const type = of("type");
  const listed = ["enum", "anyOf", "oneOf", "allOf"].some((key) => Array.isArray(of(key)));
  return (
    (typeof type === "string" && !/^\s*$/.test(type)) ||
    Array.isArray(type) ||
    listed ||
    typeof of("$ref") === "string" ||
    Object.hasOwn(notation, "const") ||
    isJsonObject(of("properties")) ||
    isJsonObject(of("items"))
  );
}

function readSchema(notation: JsonObject, path: DocumentPath, faults: NotationFault[]): JsonSchema {
  const schema: Record<string, Json> = {};
  const required: Json[] = [];
  const inner = (value: Json, ...at: DocumentPath): Json =>
    typeof value === "boolean" ? value : schemaOfNotation(value, [...path, ...at], faults);
  for (const [key, value] of Object.entries(notation)) {
    if (key === "type") Object.assign(schema, typeKeyword(value, [...path, key], faults));
    else if (key === "item_type") schema["items"] = inner(value, key);
    else if (includes(SINGLE, key)) schema[key] = inner(value, key);
    else if (includes(LISTS, key) && Array.isArray(value))
      schema[key] = (value as readonly Json[]).map((each, index) => inner(each, key, index));
    else if (includes(MAPS, key) && isJsonObject(value)) {
      schema[key] = Object.fromEntries(
        Object.entries(value).map(([name, type]) => [name, inner(type, key, name)]),
      );
      if (key === "properties")
        required.push(...Object.entries(value).flatMap(([name, type]) => (isNeeded(type) ? [name] : [])));
    } else if (key === "format") Object.assign(schema, formatKeyword(value));
    else if (key !== "required") schema[key] = value;
  }
  const declared = notation["required"];
  if (Array.isArray(declared)) required.push(...(declared as readonly Json[]));
  return required.length === 0 ? schema : { ...schema, required: [...new Set(required)] };
}

/** A property that says `required: true` itself. */
function isNeeded(type: Json): boolean {
  return isJsonObject(type) && type["required"] === true;
}

/** `format: "markdown"` is a type, `"date"` a format; what is neither is left out. */
export function formatKeyword(format: Json): JsonSchema {
  if (typeof format !== "string") return {};
  if (FORMATS.has(format)) return { format };
  const named = Object.hasOwn(TYPES, format) ? TYPES[format] : undefined;
  if (named?.["type"] !== "string") return {};
  return Object.fromEntries(Object.entries(named).filter(([key]) => key !== "type"));
}

function typeKeyword(value: Json, path: DocumentPath, faults: NotationFault[]): JsonSchema {
  if (!Array.isArray(value)) {
    if (typeof value === "string") return namedType(value, path, faults);
    faults.push({ path, message: "a type is a name or a list of names" });
    return {};
  }
  const types = (value as readonly Json[]).map((each, index) =>
    schemaOfNotation(each, [...path, index], faults),
  );
  return alternatives(types);
}

/** Names alone are a list of names in JSON Schema. */
function alternatives(types: readonly JsonSchema[]): JsonSchema {
  const names = types.flatMap((type) => {
    const keys = Object.keys(type);
    return keys.length === 1 && keys[0] === "type" && type["type"] !== undefined ? [type["type"]] : [];
  });
  return names.length === types.length ? { type: [...new Set(names.flat())] } : { anyOf: types };
}

const MAX_NAME = 300;

function namedType(written: string, path: DocumentPath, faults: NotationFault[]): JsonSchema {
  if (written.length > MAX_NAME) {
    faults.push({ path, message: `the name of a type has at most ${MAX_NAME} characters` });
    return {};
  }
  const name = written.trim();
  if (name.includes("|") && !/[<[(][^>\])]*\|/.test(name))
    return alternatives(name.split("|").map((each) => namedType(each, path, faults)));
  const element = /^(.+)\[\]$/.exec(name)?.[1] ?? /^(?:array|list)\s*[<[](.+)[>\]]$/i.exec(name)?.[1];
  if (element !== undefined) return { type: "array", items: namedType(element, path, faults) };
  const key = name.toLowerCase().replaceAll("-", "_");
  const known = Object.hasOwn(TYPES, key) ? TYPES[key] : TYPES[key.replaceAll("_", "")];
  if (known) return { ...known };
  const names = Object.keys(TYPES);
  faults.push({ path, message: `there is no type ${JSON.stringify(written)}.${didYouMean(name, names)}` });
  return {};
}

function includes<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
