import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { schemaType, type TypeContext } from "./schema-to-type.ts";

/**
 * TypeScript declarations for one side of a contract: its type, by the name given, and types for the parts of the
 * schema to which a `$ref` leads, so that it may lead back to itself.
 */
export function schemaDeclarations(
  schema: JsonSchema,
  name: string,
  side: TypeContext["side"],
): readonly string[] {
  const parts = partsReferredTo(schema);
  const taken = new Set([name]);
  const names = new Map(
    [...parts].map(([pointer, { key }]) => [pointer, freeName(`${name}_${pascalCase(key)}`, taken)]),
  );
  const reference = (pointer: string): string | undefined => (pointer === "#" ? name : names.get(pointer));
  const typeOf = (part: Json): string => schemaType(part, { side, reference });
  return [
    declared(name, schema, typeOf),
    ...[...parts].map(([pointer, { part }]) => declared(names.get(pointer) ?? "", part, typeOf)),
  ];
}

/** The name in PascalCase, as it can stand in code. */
export function pascalCase(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const joined = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return /^\p{ID_Start}/u.test(joined) ? joined : `_${joined}`;
}

/** The name, or where it is taken another made of it. It is taken from then on. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
  taken.add(name);
  return name;
}

function declared(name: string, schema: Json, typeOf: (schema: Json) => string): string {
  const text = typeOf(schema);
  // An interface has a name in the compiler's messages, where an alias would be spelt out.
  return text.startsWith("{") && isPlainObject(schema)
    ? `interface ${name} ${text}`
    : `type ${name} = ${text};`;
}

function isPlainObject(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    schema["type"] === "object" &&
    !["anyOf", "oneOf", "allOf", "enum", "const", "$ref"].some((keyword) => schema[keyword] !== undefined)
  );
}

interface Part {
  /** The last step of the way to it. */
  readonly key: string;
  readonly part: Json;
}

const MAX_PARTS = 500;

/** What the pointers inside a schema lead to. */
function partsReferredTo(schema: JsonSchema): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const open: Json[] = [schema];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isJsonObject(at)) {
      const { $ref } = at;
      if (typeof $ref === "string" && !parts.has($ref) && parts.size < MAX_PARTS) {
        const part = partAt(schema, $ref);
        if (part) parts.set($ref, part);
      }
      for (const each of Object.values(at).toReversed()) open.push(each);
    } else if (Array.isArray(at)) for (const each of (at as readonly Json[]).toReversed()) open.push(each);
  }
  return parts;
}

function partAt(schema: JsonSchema, pointer: string): Part | undefined {
  const steps = stepsOf(pointer);
  let part: Json | undefined = schema;
  for (const step of steps) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, step)) return undefined;
    part = (part as { readonly [key: string]: Json })[step];
  }
  const key = steps.at(-1);
  return key === undefined || part === undefined ? undefined : { key, part };
}

function stepsOf(pointer: string): readonly string[] {
  if (!pointer.startsWith("#/")) return [];
  try {
    const steps = decodeURIComponent(pointer.slice(2)).split("/");
    return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return [];
  }
}
