import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";

export interface TypeContext {
  /** What is open in an input takes anything; what is open in an output may be used as anything. */
  readonly side: "input" | "output";
  /** The type's name that a `$ref` stands for. */
  readonly reference: (pointer: string) => string | undefined;
}

const MAX_DEPTH = 48;
const MAX_CHARACTERS = 200_000;

/** A JSON Schema as a TypeScript type. What TypeScript cannot say, such as bounds, is left open and told in comments. */
export function schemaType(schema: Json, context: TypeContext): string {
  const writing = new TypeWriting(context);
  return writing.typeOf(schema, 0);
}

class TypeWriting {
  readonly #context: TypeContext;
  #written = 0;

  constructor(context: TypeContext) {
    this.#context = context;
  }

  typeOf(schema: Json | undefined, depth: number): string {
    const text = this.#typeOf(schema, depth);
    this.#written += text.length;
    return text;
  }

  get #open(): string {
    return this.#context.side === "input" ? "unknown" : "any";
  }

  #typeOf(schema: Json | undefined, depth: number): string {
    if (schema === false) return "never";
    if (!isJsonObject(schema) || depth > MAX_DEPTH || this.#written > MAX_CHARACTERS) return this.#open;
    const { $ref, anyOf, oneOf, allOf } = schema;
    const parts: string[] = [];
    if (typeof $ref === "string") parts.push(this.#context.reference($ref) ?? this.#open);
    for (const choices of [anyOf, oneOf])
      if (Array.isArray(choices)) parts.push(this.#union(choices as readonly Json[], depth));
    if (Array.isArray(allOf))
      parts.push(...(allOf as readonly Json[]).map((each) => `(${this.typeOf(each, depth + 1)})`));
    const own = this.#own(schema, depth);
    if (own !== undefined) parts.push(own);
    const said = parts.filter((part) => part !== this.#open);
    if (said.length === 0) return this.#open;
    return said.length === 1 ? (said[0] ?? this.#open) : said.map(bracketed).join(" & ");
  }

  #own(schema: JsonObject, depth: number): string | undefined {
    const { const: constant, enum: values, type } = schema;
    if (constant !== undefined) return literal(constant);
    if (Array.isArray(values)) return joined((values as readonly Json[]).map(literal));
    const types = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : [];
    if (types.length > 0) return joined(types.map((each) => this.#ofType(each, schema, depth)));
    if (schema["properties"] !== undefined) return this.#object(schema, depth);
    return schema["items"] !== undefined || schema["prefixItems"] !== undefined
      ? this.#array(schema, depth)
      : undefined;
  }

  #union(choices: readonly Json[], depth: number): string {
    return joined(choices.map((choice) => this.typeOf(choice, depth + 1)));
  }

  #ofType(type: string, schema: JsonObject, depth: number): string {
    switch (type) {
      case "string":
        return "string";
      case "number":
      case "integer":
        return "number";
      case "boolean":
        return "boolean";
      case "null":
        return "null";
      case "array":
        return this.#array(schema, depth);
      case "object":
        return this.#object(schema, depth);
      default:
        return this.#open;
    }
  }

  #array(schema: JsonObject, depth: number): string {
    const { prefixItems, items, minItems } = schema;
    // Who only reads a list takes one that must not be changed, too.
    const isRead = this.#context.side === "input";
    const list = isRead ? "ReadonlyArray" : "Array";
    if (!Array.isArray(prefixItems)) return `${list}<${this.typeOf(items ?? true, depth + 1)}>`;
    const least = typeof minItems === "number" ? minItems : 0;
    const members = (prefixItems as readonly Json[]).map((each, index) => {
      const text = this.typeOf(each, depth + 1);
      return index < least ? text : `(${text})?`;
    });
    if (items !== false) members.push(`...Array<${this.typeOf(items ?? true, depth + 1)}>`);
    return `${isRead ? "readonly " : ""}[${members.join(", ")}]`;
  }

  #object(schema: JsonObject, depth: number): string {
    const properties = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    const { required } = schema;
    // Names that fit a pattern are open, whatever is said of others.
    const extra = isJsonObject(schema["patternProperties"]) ? true : schema["additionalProperties"];
    const needed = new Set(Array.isArray(required) ? required.map(String) : []);
    const members = properties.map(([name, property]) => {
      const isGiven =
        this.#context.side === "input" && isJsonObject(property) && property["default"] !== undefined;
      const optional = !needed.has(name) || isGiven;
      const text = this.typeOf(property, depth + 1);
      return { comment: commentFor(property), name, text, optional };
    });
    const fields = members.map(
      ({ comment, name, text, optional }) =>
        `${comment}${propertyName(name)}${optional ? "?" : ""}: ${text};`,
    );
    if (
      isJsonObject(extra) ||
      extra === true ||
      (extra === undefined && members.length === 0 && needed.size === 0)
    ) {
      const others = members.map(({ text, optional }) =>
        optional ? `${bracketed(text)} | undefined` : text,
      );
      const value = joined([this.typeOf(extra ?? true, depth + 1), ...others]);
      // Only an index of `any` takes what is declared as an interface.
      fields.push(`[name: string]: ${value === "unknown" ? "any" : value};`);
    }
    for (const name of needed)
      if (!members.some((member) => member.name === name))
        fields.push(`${propertyName(name)}: ${this.#open};`);
    return fields.length === 0 ? "{ [name: string]: never }" : `{\n${indented(fields.join("\n"))}\n}`;
  }
}

/** Constraints that a type cannot say, as the tags from which a contract would be made again. */
const TAGS = [
  "format",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "default",
] as const;

function commentFor(property: Json): string {
  if (!isJsonObject(property)) return "";
  const { description, type } = property;
  const lines = [
    ...(typeof description === "string" ? [description] : []),
    ...(type === "integer" ? ["@asType integer"] : []),
    ...TAGS.flatMap((tag) => {
      const value = property[tag];
      if (value === undefined) return [];
      return [`@${tag} ${typeof value === "string" ? value : JSON.stringify(value)}`];
    }),
  ];
  return lines.length === 0 ? "" : `${commentOf(lines.join("\n"))}\n`;
}

function literal(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(literal).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${propertyName(name)}: ${literal(each)};`);
  return `{ ${fields.join(" ")} }`;
}

// The compiler's messages show a name as it is declared.
function propertyName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

function joined(choices: readonly string[]): string {
  const different = [...new Set(choices)];
  for (const all of ["unknown", "any"]) if (different.includes(all)) return all;
  const some = different.filter((each) => each !== "never");
  return some.length === 0
    ? "never"
    : some.length === 1
      ? (some[0] ?? "never")
      : some.map(bracketed).join(" | ");
}

/** Unions and intersections in brackets; what stands inside quotes, brackets or comments does not make it one. */
function bracketed(text: string): string {
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|\{[^]*\}|<[^]*>|\[[^]*\]/g, "");
  return /[|&]/.test(bare) ? `(${text})` : text;
}

export function indented(text: string): string {
  // Only where a line feed stands: inside of literals other line ends can stand.
  return `  ${text.replaceAll("\n", "\n  ")}`;
}

/** A text as a comment that cannot end before its end. */
export function commentOf(text: string): string {
  const lines = text
    .trim()
    .replaceAll("*/", "*\\/")
    .split(/\r?\n|[\r\u2028\u2029]/);
  return lines.length === 1
    ? `/** ${lines[0]} */`
    : `/**\n${lines.map((line) => ` * ${line}`).join("\n")}\n */`;
}
