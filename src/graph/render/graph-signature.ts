import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Contract } from "../../core/skill.ts";

/** What a skill takes and gives, as TypeScript would write it: `{ n: number } → number`. Long types are shortened. */
export function signatureText({ input, output }: Contract): string {
  return `${typeText(input)} → ${typeText(output)}`;
}

const MAX_LEVELS = 4;
const MAX_MEMBERS = 12;

function typeText(schema: Json | undefined, level = 0): string {
  if (!isJsonObject(schema)) return schema === false ? "never" : "unknown";
  const { $ref, enum: options, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === "string") return nameIn($ref);
  if (Object.hasOwn(schema, "const")) return JSON.stringify(schema["const"]);
  if (Array.isArray(options))
    return joined(
      options.map((option) => JSON.stringify(option)),
      " | ",
    );
  if (level > MAX_LEVELS) return "…";
  for (const members of [anyOf, oneOf])
    if (Array.isArray(members))
      return joined(
        members.map((member) => grouped(member, level)),
        " | ",
      );
  if (Array.isArray(allOf))
    return joined(
      allOf.map((member) => grouped(member, level)),
      " & ",
    );
  const types = Array.isArray(type) ? (type as readonly Json[]) : [type];
  return joined([...new Set(types.map((each) => namedType(each, schema, level)))], " | ");
}

function namedType(type: Json | undefined, schema: JsonObject, level: number): string {
  if (type === "object") return objectText(schema, level);
  if (type === "array") return arrayText(schema, level);
  if (typeof type === "string") return type;
  return isJsonObject(schema["properties"]) ? objectText(schema, level) : "unknown";
}

function objectText({ properties, required, additionalProperties }: JsonObject, level: number): string {
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  if (members.length === 0)
    return isJsonObject(additionalProperties)
      ? `Record<string, ${typeText(additionalProperties, level + 1)}>`
      : "object";
  const needed = Array.isArray(required) ? (required as readonly Json[]) : [];
  const shown = members
    .slice(0, MAX_MEMBERS)
    .map(
      ([name, member]) =>
        `${keyText(name)}${needed.includes(name) ? "" : "?"}: ${typeText(member, level + 1)}`,
    );
  return `{ ${[...shown, ...(members.length > MAX_MEMBERS ? ["…"] : [])].join("; ")} }`;
}

function arrayText({ items, prefixItems }: JsonObject, level: number): string {
  if (Array.isArray(prefixItems))
    return `[${joined(
      prefixItems.map((item) => typeText(item, level + 1)),
      ", ",
    )}]`;
  return `${grouped(items, level + 1)}[]`;
}

/** In parentheses where it would otherwise be read as two types. */
function grouped(schema: Json | undefined, level: number): string {
  const text = typeText(schema, level);
  if (!isJsonObject(schema) || typeof schema["$ref"] === "string") return text;
  const choices = [schema["anyOf"], schema["oneOf"], schema["allOf"], schema["enum"], schema["type"]];
  return choices.some((choice) => Array.isArray(choice) && choice.length > 1) ? `(${text})` : text;
}

function joined(parts: readonly string[], separator: string): string {
  return [...parts.slice(0, MAX_MEMBERS), ...(parts.length > MAX_MEMBERS ? ["…"] : [])].join(separator);
}

function keyText(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : JSON.stringify(name);
}

function nameIn(reference: string): string {
  const name = reference.split("/").at(-1) ?? "";
  return name === "" || name === "#" ? "unknown" : name;
}
