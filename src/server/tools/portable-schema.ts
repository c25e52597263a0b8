import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";

/**
 * The schema of a tool's input in words that every client takes. OpenAI's strict mode makes all properties required, so
 * those that may be left out may be null; it takes no free objects, no unions in `type` and no defaults. What is not
 * said here is checked all the same when the tool is called.
 */
export function portableSchema(input: z.ZodType): JsonSchema {
  return portable(z.toJSONSchema(input, { io: "input" }) as JsonSchema);
}

/**
 * Any JSON, or its text. Strict clients send the text: from an object they strike what is not declared, and an object
 * that declares nothing they refuse. So it declares the one property in which others may travel, too.
 */
export function anyJson(key: string, description: string): z.ZodType {
  const text = { type: "string", description: "All of it, as JSON text" };
  const scalars = ["string", "number", "boolean"].map((type) => ({ type }));
  const element = { type: "object", properties: { [key]: { type: "string" } } };
  const members = [
    { type: "object", properties: { [key]: text } },
    ...scalars,
    { type: "array", items: { anyOf: [element, ...scalars] } },
  ];
  return z.unknown().meta({ anyOf: members, description });
}

const DROPPED: ReadonlySet<string> = new Set(["$schema", "default", "minLength", "maxLength"]);

function portable(schema: JsonSchema): JsonSchema {
  const { type, properties, items, anyOf, ...rest } = schema;
  const kept = Object.entries(rest).filter(
    ([keyword, value]) => !DROPPED.has(keyword) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER,
  );
  const types = Array.isArray(type) ? type.map((each) => ({ type: each })) : undefined;
  return {
    ...(types || type === undefined ? {} : { type }),
    ...(types ? { anyOf: types } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(inside) } : {}),
    ...(isJsonObject(properties) ? { properties: portableProperties(schema, properties) } : {}),
    ...(items === undefined ? {} : { items: inside(items) }),
    ...Object.fromEntries(kept),
  };
}

function inside(schema: Json): Json {
  return isJsonObject(schema) ? portable(schema) : schema;
}

function portableProperties({ required = [] }: JsonSchema, properties: JsonObject): JsonObject {
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isRequired(name) || !isJsonObject(schema) ? inside(schema) : nullable(schema),
    ]),
  );
}

function nullable(schema: JsonSchema): JsonSchema {
  const { description, default: byDefault } = schema;
  const { description: _description, ...value } = portable(schema);
  const told = [
    ...(typeof description === "string" ? [description] : []),
    // What may be left out and is a yes or no is a no.
    ...(byDefault === undefined || byDefault === false ? [] : [`${JSON.stringify(byDefault)} unless given`]),
  ].join("; ");
  const members = Array.isArray(value["anyOf"]) ? value["anyOf"] : [value];
  return { anyOf: [...members, { type: "null" }], ...(told === "" ? {} : { description: told }) };
}
