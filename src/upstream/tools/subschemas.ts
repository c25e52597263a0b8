import { isJsonObject, type Json } from "../../core/json/json.ts";

/** What stands at a place of a schema document: what is data is never a schema, whatever its keys are called. */
type SubschemaKind = "schema" | "map" | "list" | "data";

/** What keywords hold: JSON Schema 2020-12, sections 8 to 11, and what older drafts had in their stead. */
const KINDS: ReadonlyMap<string, SubschemaKind> = new Map([
  ...["additionalProperties", "propertyNames", "items", "contains"].map(kind("schema")),
  ...["not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems"].map(kind("schema")),
  ...["additionalItems", "contentSchema"].map(kind("schema")),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map(kind("list")),
  ...["properties", "patternProperties", "dependentSchemas", "dependencies"].map(kind("map")),
  ...["$defs", "definitions"].map(kind("map")),
]);

function kind(of: SubschemaKind): (keyword: string) => readonly [string, SubschemaKind] {
  return (keyword) => [keyword, of];
}

export interface Subschema {
  readonly value: Json;
  readonly kind: SubschemaKind;
}

/** The parts of a part by their keys or positions; nothing where it is to be taken as a whole. */
export function subschemasOf({ value, kind: of }: Subschema): ReadonlyMap<string, Subschema> | undefined {
  if (of === "data") return undefined;
  if (Array.isArray(value)) {
    // Older drafts have lists of schemas in `items` and lists of names in `dependencies`.
    if (of === "map" || !value.every(isSchema)) return undefined;
    return new Map(value.map((each: Json, index) => [String(index), { value: each, kind: "schema" }]));
  }
  if (!isJsonObject(value) || of === "list") return undefined;
  const kindOf = (key: string): SubschemaKind => (of === "map" ? "schema" : (KINDS.get(key) ?? "data"));
  return new Map(Object.entries(value).map(([key, each]) => [key, { value: each, kind: kindOf(key) }]));
}

export function isSchema(value: Json): boolean {
  return isJsonObject(value) || typeof value === "boolean";
}
