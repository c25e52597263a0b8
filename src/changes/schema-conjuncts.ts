import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";

/** One of several schemas all of which a value fits where it fits the whole. */
export interface SchemaConjunct {
  readonly schema: JsonSchema;
  /** The property that it is about. */
  readonly property?: string;
  /** Whether all values that fit the other schema are known to fit. */
  readonly isSame: boolean;
}

/**
 * A schema in parts: one for each property that it or the other schema speaks of, and one for the rest; or in one part,
 * where its properties cannot be told apart. So a comparison with the other finds more than the first difference.
 */
export function schemaConjuncts(schema: JsonSchema, other: JsonSchema): readonly SchemaConjunct[] {
  const names = [...new Set([...namesIn(schema), ...namesIn(other)])];
  if (!isDivisible(schema) || other["type"] !== "object" || names.length > MAX_NAMES)
    return [{ schema, isSame: false }];
  const all: JsonObject = Object.fromEntries(names.map((name) => [name, true]));
  const rest = { ...schema, properties: all, required: [] };
  return [
    ...names.map((name) => propertyConjunct(name, schema, other)),
    { schema: rest, isSame: isDeepStrictEqual(restOf(schema), restOf(other)) },
  ];
}

const MAX_NAMES = 60;

/** Keywords that say nothing of which values fit. */
const WORDS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "examples",
  "default",
  "deprecated",
  "$comment",
]);

function propertyConjunct(name: string, schema: JsonSchema, other: JsonSchema): SchemaConjunct {
  const isNeeded = requiredNames(schema).includes(name);
  const inner = propertyOf(schema, name) ?? schema["additionalProperties"] ?? true;
  return {
    property: name,
    schema: {
      type: "object",
      properties: { [name]: inner },
      ...(isNeeded && { required: [name] }),
      ...definitionsOf(schema),
    },
    isSame:
      isDeepStrictEqual(propertyOf(schema, name), propertyOf(other, name)) &&
      propertyOf(schema, name) !== undefined &&
      (!isNeeded || requiredNames(other).includes(name)) &&
      isDeepStrictEqual(definitionsOf(schema), definitionsOf(other)),
  };
}

/** Whether each property can be told without the others, and references lead to what every part has. */
function isDivisible(schema: JsonSchema): boolean {
  return (
    schema["type"] === "object" &&
    isJsonObject(schema["properties"]) &&
    schema["patternProperties"] === undefined &&
    schema["unevaluatedProperties"] === undefined &&
    !/"\$(?:ref":"(?!#\/(?:\$defs|definitions)\/)|(?:id|anchor|dynamicAnchor|dynamicRef)":)/.test(
      JSON.stringify(schema),
    )
  );
}

function namesIn(schema: JsonSchema): readonly string[] {
  const { properties } = schema;
  return [...(isJsonObject(properties) ? Object.keys(properties) : []), ...requiredNames(schema)];
}

export function requiredNames({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? (required as readonly Json[]).map(String) : [];
}

function propertyOf({ properties }: JsonSchema, name: string): Json | undefined {
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function definitionsOf({ $defs, definitions }: JsonSchema): JsonObject {
  return { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) };
}

function restOf(schema: JsonSchema): JsonObject {
  const said = Object.entries(schema).filter(
    ([key]) => key !== "properties" && key !== "required" && !WORDS.has(key),
  );
  return Object.fromEntries(said);
}
