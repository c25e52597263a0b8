import { isJsonObject, type Json } from "../../core/json/json.ts";

/** A value as code: JSON, in which a key can never be anything but a key. */
export function literal(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(literal).join(", ")}]`;
  if (!isJsonObject(value)) return quoted(value);
  const fields = Object.entries(value).map(([key, each]) => `${fieldLiteral(key)}: ${literal(each)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** A text's literal stays one line of plain characters, whatever it says. */
function quoted(value: Json): string {
  return JSON.stringify(value).replaceAll(
    /[\u007F-\u009F\u2028\u2029\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g,
    escaped,
  );
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The name of a field in an object. */
export function fieldLiteral(name: string): string {
  if (isPlain(name)) return name;
  // As a plain key it would set the prototype.
  return name === "__proto__" ? `["__proto__"]` : quoted(name);
}

/** The way from a value to its field. */
export function fieldAccess(name: string, isOptional = false): string {
  if (isPlain(name)) return `${isOptional ? "?." : "."}${name}`;
  return `${isOptional ? "?." : ""}[${quoted(name)}]`;
}

/** The name of a field in a type. */
export function fieldType(name: string): string {
  return isPlain(name) ? name : quoted(name);
}

function isPlain(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) && name !== "__proto__";
}
