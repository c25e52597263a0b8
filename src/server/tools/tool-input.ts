import * as z from "zod";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { Skill } from "../../core/skill.ts";
import { clientSchema, resolved } from "./client-schema.ts";
import { JsonMeter } from "../../core/json/json-meter.ts";

/** The input of a skill as its code takes it, from what a client gave for it: the value itself or its JSON text. */
export function skillInput({ contract: { input } }: Skill, given: Json): Json {
  const { wrappedIn } = clientSchema(input, "input");
  if (given === null && wrappedIn === undefined) return {};
  const inner = unpacked(input, given);
  if (typeof inner !== "string" || takesText(input, input)) return inner;
  const value = jsonOf(inner);
  // Of code that says nothing of its input nobody knows whether "5" is a text or a number.
  const isMeant = Object.keys(input).length > 0 || typeof value === "object";
  return value === undefined || !isMeant ? inner : value;
}

/** The arguments of a tool without what only strict clients send: null for what is left out, and text for other JSON. */
export function repairedArguments(shape: Readonly<Record<string, z.core.$ZodType>>, given: unknown): unknown {
  if (!isJsonObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const schema = shape[name];
      if (!schema || z.safeParse(schema, value).success) return [[name, value]];
      if (value === null) return [];
      return [[name, typeof value === "string" ? (jsonOf(value) ?? value) : value]];
    }),
  );
}

// A skill's own tool takes a value that is no object as the property "input", and so may `run_skill`.
function unpacked(schema: JsonSchema, given: Json): Json {
  if (!isJsonObject(given) || Object.keys(given).length !== 1) return given;
  const { input: value } = given;
  if (value === undefined) return given;
  const { wrappedIn, schema: shown } = clientSchema(schema, "input");
  const { properties, additionalProperties } = shown;
  const isOwn = additionalProperties !== false || (isJsonObject(properties) && "input" in properties);
  return wrappedIn === undefined && (isOwn || typeof value !== "string") ? given : value;
}

/** Whether a text fits: then it is meant as it is. */
function takesText(schema: Json, contract: JsonSchema, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return false;
  const target = resolved(schema, contract);
  const { type, const: constant, enum: values, anyOf, oneOf } = target;
  const members = anyOf ?? oneOf;
  if (Array.isArray(members)) return members.some((member) => takesText(member, contract, depth + 1));
  if (type !== undefined) return Array.isArray(type) ? type.includes("string") : type === "string";
  const allowed = constant === undefined ? values : [constant];
  return Array.isArray(allowed) && allowed.some((value) => typeof value === "string");
}

const MAX_DEPTH = 8;

/** The value of JSON text that is within the limits of messages. */
function jsonOf(text: string): Json | undefined {
  if (new JsonMeter().read(Buffer.from(text)) !== undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
