import type { Json } from "../../core/json/json.ts";
import type { Severity } from "../../core/diagnostic.ts";
import type { Tag, TagName } from "../../compiler/program/comment-tags.ts";

/** A schema while it is being made. */
export type SchemaDraft = { [key: string]: Json };

/** A tag that cannot mean what it says. */
interface TagFault {
  readonly tag: Tag;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
}

export interface TaggedSchema {
  readonly schema: SchemaDraft;
  readonly faults: readonly TagFault[];
}

/**
 * A schema with the keywords that the tags say. On an array, tags that only fit its items go to the items. Of a tag
 * given twice the last one counts. `@default` and `@example` are taken as they are; whether they fit is for the caller.
 */
export function taggedSchema(schema: SchemaDraft, tags: readonly Tag[]): TaggedSchema {
  const faults: TagFault[] = [];
  let tagged = schema;
  for (const tag of tags) {
    const read = keywordOf(tag);
    if ("message" in read) faults.push({ tag, severity: "error", ...read });
    else {
      const added = withKeyword(tagged, tag.name, read);
      if (added) tagged = added;
      else faults.push(misplaced(tag, schema));
    }
  }
  return { schema: tagged, faults };
}

/** What `@default` or `@example` gives: JSON where it is JSON, else the text itself. */
export function tagValue(tag: Tag): Json {
  try {
    return JSON.parse(tag.value) as Json;
  } catch {
    return tag.value;
  }
}

type Keyword = { readonly key: string; readonly value: Json };
type Fault = { readonly message: string; readonly fix: string };

function keywordOf(tag: Tag): Keyword | Fault {
  switch (tag.name) {
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return isNumber(tag.value)
        ? { key: tag.name, value: Number(tag.value) }
        : notA("number", tag, "@minimum 1");
    case "multipleOf":
      return isNumber(tag.value) && Number(tag.value) > 0
        ? { key: tag.name, value: Number(tag.value) }
        : notA("number above 0", tag, "@multipleOf 0.01");
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return /^\d{1,15}$/.test(tag.value)
        ? { key: tag.name, value: Number(tag.value) }
        : notA("whole number of 0 or more", tag, `@${tag.name} 1`);
    case "uniqueItems":
      return /^(?:true|false)?$/.test(tag.value)
        ? { key: tag.name, value: tag.value !== "false" }
        : notA("true or false", tag, "@uniqueItems");
    case "pattern":
      return patternOf(tag);
    case "format":
      return FORMATS.has(tag.value) ? { key: "format", value: tag.value } : unknownFormat(tag);
    case "asType":
      return tag.value === "integer"
        ? { key: "asType", value: "integer" }
        : {
            message: `@asType cannot be ${quoted(tag.value)}`,
            fix: "The only type that it knows is `@asType integer`",
          };
    case "deprecated":
      return { key: "deprecated", value: true };
    case "title":
      return { key: "title", value: tag.value };
    case "default":
      return { key: "default", value: tagValue(tag) };
    case "example":
      return { key: "examples", value: [tagValue(tag)] };
    case "examples": {
      const value = tagValue(tag);
      return { key: "examples", value: Array.isArray(value) ? value : [value] };
    }
  }
}

function withKeyword(schema: SchemaDraft, name: TagName, keyword: Keyword): SchemaDraft | undefined {
  const scope = SCOPES[name];
  if (scope && !typesOf(schema).some((type) => type === "any" || scope.includes(type))) {
    const items = schema["items"];
    if (!isDraft(items)) return undefined;
    const tagged = withKeyword(items, name, keyword);
    return tagged && { ...schema, items: tagged };
  }
  if (keyword.key === "asType") return asInteger(schema);
  if (keyword.key === "examples")
    return { ...schema, examples: [...listIn(schema, "examples"), ...(keyword.value as Json[])] };
  if (keyword.key === "pattern" && schema["pattern"] !== undefined) {
    return { ...schema, allOf: [...listIn(schema, "allOf"), { pattern: keyword.value }] };
  }
  return { ...schema, [keyword.key]: keyword.value };
}

function listIn(schema: SchemaDraft, key: string): readonly Json[] {
  const list = schema[key];
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}

function asInteger(schema: SchemaDraft): SchemaDraft {
  const type = schema["type"];
  const anyOf = schema["anyOf"];
  return {
    ...schema,
    ...(type !== undefined && { type: Array.isArray(type) ? type.map(integerFor) : integerFor(type) }),
    ...(Array.isArray(anyOf) && {
      anyOf: anyOf.map((each: Json) => (isDraft(each) ? asInteger(each) : each)),
    }),
  };
}

function integerFor(type: Json): Json {
  return type === "number" ? "integer" : type;
}

/** Which types of value a tag says something about; absent for all. */
const NUMBERS = ["number", "integer"];
const SCOPES: Partial<Record<TagName, readonly string[]>> = {
  minimum: NUMBERS,
  maximum: NUMBERS,
  exclusiveMinimum: NUMBERS,
  exclusiveMaximum: NUMBERS,
  multipleOf: NUMBERS,
  asType: NUMBERS,
  minLength: ["string"],
  maxLength: ["string"],
  pattern: ["string"],
  format: ["string", ...NUMBERS],
  minItems: ["array"],
  maxItems: ["array"],
  uniqueItems: ["array"],
};

function typesOf(schema: SchemaDraft): readonly string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  const anyOf = schema["anyOf"];
  if (Array.isArray(anyOf)) return anyOf.flatMap((each: Json) => (isDraft(each) ? typesOf(each) : []));
  return ["any"];
}

function misplaced(tag: Tag, schema: SchemaDraft): TagFault {
  const scope = SCOPES[tag.name]?.[0] ?? "other";
  return {
    tag,
    severity: "warning",
    message: `@${tag.name} says nothing about a value of type ${typesOf(schema).join(" or ")}; it is for ${scope}s`,
    fix: `Remove @${tag.name}, or put it where the ${scope} is`,
  };
}

function patternOf(tag: Tag): Keyword | Fault {
  try {
    RegExp(tag.value, "u");
    return { key: "pattern", value: tag.value };
  } catch (error) {
    return {
      message: `@pattern is not a valid regular expression: ${error instanceof Error ? error.message : String(error)}`,
      fix: "Patterns are JavaScript regular expressions with the u flag, written without slashes: @pattern ^[A-Z]{3}$",
    };
  }
}

const FORMATS: ReadonlySet<string> = new Set([
  "date-time",
  "date",
  "time",
  "duration",
  "iso-date-time",
  "iso-time",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "uri-template",
  "url",
  "uuid",
  "regex",
  "json-pointer",
  "json-pointer-uri-fragment",
  "relative-json-pointer",
  "byte",
  "int32",
  "int64",
  "float",
  "double",
  "password",
  "binary",
]);

function unknownFormat(tag: Tag): Fault {
  return {
    message: `@format cannot be ${quoted(tag.value)}: that format is not known`,
    fix: "Use one of date-time, date, time, duration, email, hostname, ipv4, ipv6, uri, uuid, or describe the form with @pattern",
  };
}

function isNumber(text: string): boolean {
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
}

function notA(what: string, tag: Tag, example: string): Fault {
  const has = tag.value === "" ? "no value" : `the value ${quoted(tag.value)}`;
  return { message: `@${tag.name} has ${has}, which is not a ${what}`, fix: `Write it as in \`${example}\`` };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function isDraft(value: Json | undefined): value is SchemaDraft {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
