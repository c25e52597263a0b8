import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { Param } from "../plan/plan.ts";
import { fieldType, literal } from "./literal.ts";

/** The exported interface of the parameters. */
export function inputInterface(params: readonly Param[]): string {
  if (params.length === 0) return `${INPUT}export interface Input {}`;
  const fields = params.map((param) => {
    const comment = docComment(param.description ?? paramMeaning(param), "  ");
    return `${comment}  ${param.name}${param.optional === true ? "?" : ""}: ${typeOf(param.schema, "  ")};`;
  });
  return `${INPUT}export interface Input {\n${fields.join("\n")}\n}`;
}

const INPUT = "/** What the caller decides. */\n";
const OUTPUT = "/** What the skill gives. */\n";

/** What can be said of a parameter in words of our own. */
function paramMeaning({ secret, origins, default: value, optional, sameAs }: Param): string | undefined {
  if (secret === true) return "A credential: nothing keeps it.";
  if (value !== undefined) return "Where it is left out, what the recorded run had.";
  if (sameAs) return "Where it is left out, the same as an earlier argument.";
  const isFinder = origins.length > 0 && origins.every(({ at }) => at === "result");
  if (!isFinder) return undefined;
  return optional === true ? "Tells which one is meant where several could be." : "Tells which one is meant.";
}

export function outputType(schema: JsonSchema): string {
  const text = typeOf(schema, "");
  return text.startsWith("{") && text.endsWith("}") && !isUnion(schema)
    ? `${OUTPUT}export interface Output ${text}`
    : `${OUTPUT}export type Output = ${text};`;
}

export function docComment(text: string | undefined, indent: string): string {
  if (text === undefined) return "";
  const words = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll("*/", "* /")
    .replaceAll(/@(?=\w)/g, "@ ")
    .trim();
  return words === "" ? "" : `${indent}/** ${words} */\n`;
}

function typeOf(schema: Json | undefined, indent: string): string {
  if (!isJsonObject(schema)) return "unknown";
  const { type, enum: values } = schema;
  if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string"))
    return values.map(literal).join(" | ");
  if (typeof type !== "string" && !Array.isArray(type)) return "unknown";
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(" | ");
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return arrayType(schema, indent);
    case "object":
      return objectType(schema, indent);
    default:
      return "unknown";
  }
}

function arrayType(schema: JsonSchema, indent: string): string {
  const element = typeOf(schema["items"], indent);
  return isUnion(schema["items"]) ? `(${element})[]` : `${element}[]`;
}

/** Whether the schema's type is several types or values. */
function isUnion(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  const { type, enum: values } = schema;
  return [type, values].some((several) => Array.isArray(several) && several.length > 1);
}

function objectType(schema: JsonSchema, indent: string): string {
  const { properties, required, additionalProperties } = schema;
  if (properties === undefined && isJsonObject(additionalProperties))
    return `Record<string, ${typeOf(additionalProperties, indent)}>`;
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return "Record<string, unknown>";
  const needed = new Set(Array.isArray(required) ? required : []);
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, each]) => `${inner}${fieldType(name)}${needed.has(name) ? "" : "?"}: ${typeOf(each, inner)};`,
  );
  return `{\n${fields.join("\n")}\n${indent}}`;
}
