import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { JsonSchema } from "../../src/core/json/json-schema.ts";

/** Schemas as contracts have them; the wider ones use the other keywords of JSON Schema too. */
export function schemas(width: "contract" | "wide" = "contract"): Arbitrary<JsonSchema> {
  const $defs = fc.record({ A: schemaAt(2, width), B: schemaAt(1, width) });
  return fc.record({ schema: schemaAt(3, width), $defs }).map(withDefinitions);
}

function withDefinitions({ schema, $defs }: { schema: JsonSchema; $defs: JsonObject }): JsonSchema {
  return JSON.stringify(schema).includes("$ref") ? { ...schema, $defs } : schema;
}

/** A schema that is the other with one thing made wider, and what was done; nothing where there is nothing to do. */
export function widened(schema: JsonSchema, choice: number): JsonSchema | undefined {
  const places = placesIn(schema, []).flatMap((path) =>
    WIDENINGS.map((widen) => ({ path, wider: widen(at(schema, path)) })).filter(({ wider }) => wider),
  );
  const place = places[choice % Math.max(1, places.length)];
  return place?.wider && (replaced(schema, place.path, place.wider) as JsonSchema);
}

/** Values for a schema, most of them valid, and always the same for the same seed. */
export function valuesFor(schema: JsonSchema, seed: number, count: number): readonly Json[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => valueFor(schema, schema, random, 5));
}

const PATTERNS = [
  "^[A-Z]{3}$",
  "^[A-Z]+$",
  "^a",
  "\\d",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^v-?\\d+\\.[\\s\\S]*$",
  "^x-",
];
const FORMATS = ["date", "date-time", "email", "uuid", "uri", "ipv4"];
const NAMES = ["a", "b", "kind", "items", "x-1"];
const small = fc.integer({ min: -3, max: 5 });
const count = fc.integer({ min: 0, max: 3 });
const literal = fc.constantFrom<Json[]>("a", "b", "AAA", 1, 2, 1.5, true, null);

function leaves(): Arbitrary<JsonSchema> {
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom<JsonSchema[]>(
        { type: "string" },
        { type: "number" },
        { type: "integer" },
        { type: "boolean" },
        { type: "null" },
        {},
        { not: {} },
        { type: ["string", "null"] },
        { type: ["integer", "string"] },
      ),
    },
    {
      weight: 3,
      arbitrary: fc.uniqueArray(literal, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
    },
    { weight: 2, arbitrary: literal.map((value) => ({ const: value })) },
    { weight: 1, arbitrary: fc.constantFrom(...PATTERNS).map((pattern) => ({ type: "string", pattern })) },
    { weight: 1, arbitrary: fc.constantFrom(...FORMATS).map((format) => ({ type: "string", format })) },
    {
      weight: 2,
      arbitrary: fc
        .record(
          { minimum: small, maximum: small, exclusiveMinimum: small, multipleOf: fc.constantFrom(2, 3, 0.5) },
          { requiredKeys: [] },
        )
        .chain((bounds) => fc.constantFrom("integer", "number").map((type) => typed(type)(bounds))),
    },
    {
      weight: 1,
      arbitrary: fc.record({ minLength: count, maxLength: count }, { requiredKeys: [] }).map(typed("string")),
    },
  );
}

function schemaAt(depth: number, width: "contract" | "wide"): Arbitrary<JsonSchema> {
  if (depth === 0) return leaves();
  const inner = schemaAt(depth - 1, width);
  const member = fc.oneof({ weight: 6, arbitrary: inner }, { weight: 1, arbitrary: references });
  const contract = [
    { weight: 4, arbitrary: leaves() },
    { weight: 3, arbitrary: objects(member) },
    { weight: 2, arbitrary: lists(member) },
    { weight: 1, arbitrary: tuples(member) },
    { weight: 1, arbitrary: records(member) },
    { weight: 2, arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map((anyOf) => ({ anyOf })) },
    { weight: 1, arbitrary: inner.map((schema) => ({ anyOf: [schema, { type: "null" }] })) },
    { weight: 1, arbitrary: fc.array(member, { minLength: 2, maxLength: 3 }).map(taggedUnion) },
  ];
  return width === "contract" ? fc.oneof(...contract) : fc.oneof(...contract, ...rare(inner, member));
}

// Only in members, so that a definition never is nothing but a reference to itself.
const references = fc
  .constantFrom("A", "B")
  .chain((name) =>
    fc.constantFrom<JsonSchema[]>(
      { $ref: `#/$defs/${name}` },
      { anyOf: [{ $ref: `#/$defs/${name}` }, { type: "null" }] },
    ),
  );

interface Weighted {
  readonly weight: number;
  readonly arbitrary: Arbitrary<JsonSchema>;
}

function rare(inner: Arbitrary<JsonSchema>, member: Arbitrary<JsonSchema>): readonly Weighted[] {
  const some = fc.array(inner, { minLength: 1, maxLength: 2 });
  const name = fc.constantFrom(...NAMES);
  const names = fc.constantFrom<JsonSchema[]>({ pattern: "^[a-k]" }, { enum: ["a", "b"] }, { maxLength: 1 });
  const bounds = { minProperties: count, maxProperties: count };
  const others: readonly Arbitrary<JsonSchema>[] = [
    some.map((oneOf) => ({ oneOf })),
    some.map((allOf) => ({ allOf })),
    fc.tuple(inner, inner).map(([one, not]) => ({ allOf: [one], not })),
    fc
      .record(
        { items: member, contains: inner, minContains: count, maxContains: count },
        { requiredKeys: ["contains"] },
      )
      .map(typed("array")),
    fc.record({ additionalProperties: member, ...bounds }, { requiredKeys: [] }).map(typed("object")),
    fc.record({ propertyNames: names, additionalProperties: member }).map(typed("object")),
    fc
      .tuple(objects(member), name, name)
      .map(([object, one, other]) => merged(object, { dependentRequired: { [one]: [other] } })),
    fc
      .tuple(objects(member), name, inner)
      .map(([object, one, other]) => merged(object, { dependentSchemas: { [one]: other } })),
    fc.tuple(inner, inner, inner).map(([condition, one, other]) =>
      Object.fromEntries(
        Object.entries({ if: condition }).concat([
          ["then", one],
          ["else", other],
        ]),
      ),
    ),
    fc.tuple(inner, inner).map(([one, other]) => merged(one, other)),
  ];
  return others.map((arbitrary) => ({ weight: 1, arbitrary }));
}

function merged(one: JsonObject, other: JsonObject): JsonSchema {
  return { ...one, ...other };
}

function typed(type: string): (rest: object) => JsonSchema {
  return (rest) => ({ type, ...(rest as JsonObject) });
}

interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

function objects(inner: Arbitrary<JsonSchema>): Arbitrary<JsonSchema> {
  const member = fc.record({ name: fc.constantFrom(...NAMES), schema: inner, isRequired: fc.boolean() });
  const members = fc.uniqueArray(member, { selector: ({ name }) => name, maxLength: 3 });
  const others = fc.oneof(
    { weight: 4, arbitrary: fc.constant({ additionalProperties: false }) },
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: inner.map((additionalProperties) => ({ additionalProperties })) },
  );
  return fc.tuple(members, others).map(([some, rest]) => merged(objectOf(some), rest));
}

function objectOf(members: readonly Member[]): JsonSchema {
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
  };
}

function lists(inner: Arbitrary<JsonSchema>): Arbitrary<JsonSchema> {
  const bounds = { minItems: count, maxItems: count, uniqueItems: fc.boolean() };
  return fc.record({ items: inner, ...bounds }, { requiredKeys: ["items"] }).map(typed("array"));
}

function tuples(inner: Arbitrary<JsonSchema>): Arbitrary<JsonSchema> {
  const prefixItems = fc.array(inner, { minLength: 1, maxLength: 3 });
  const items = fc.oneof(fc.constant(false), inner);
  return fc.record({ prefixItems, items, minItems: count }).map(typed("array"));
}

function records(inner: Arbitrary<JsonSchema>): Arbitrary<JsonSchema> {
  const patterned = fc
    .tuple(fc.constantFrom("^x-", "^[a-k]"), inner)
    .map(([pattern, schema]): JsonSchema => ({ type: "object", patternProperties: { [pattern]: schema } }));
  return fc.oneof(
    inner.map((additionalProperties) => ({ type: "object", additionalProperties })),
    patterned,
    patterned.map((schema) => merged(schema, { additionalProperties: false })),
  );
}

function taggedUnion(members: readonly JsonSchema[]): JsonSchema {
  return {
    anyOf: members.map((value, index) => ({
      type: "object",
      properties: { kind: { type: "string", const: ["a", "b", "c"][index] ?? "" }, value },
      required: ["kind", "value"],
      additionalProperties: false,
    })),
  };
}

type Path = readonly (string | number)[];

const WIDENINGS: readonly ((schema: JsonObject) => JsonObject | undefined)[] = [
  ({ required, ...rest }) => (required === undefined ? undefined : rest),
  ({ additionalProperties, ...rest }) => (additionalProperties === false ? rest : undefined),
  ({ type, ...rest }) => (type === "integer" ? { ...rest, type: "number" } : undefined),
  ({ type, ...rest }) =>
    typeof type === "string" && !("const" in rest) ? { ...rest, type: [type, "null"] } : undefined,
  ({ minimum, ...rest }) => (minimum === undefined ? undefined : rest),
  ({ maximum, ...rest }) => (maximum === undefined ? undefined : rest),
  ({ minLength, ...rest }) => (minLength === undefined ? undefined : rest),
  ({ maxItems, ...rest }) => (maxItems === undefined ? undefined : rest),
  ({ pattern, ...rest }) => (pattern === undefined ? undefined : rest),
  ({ format, ...rest }) => (format === undefined ? undefined : rest),
  (schema) =>
    Array.isArray(schema["enum"]) ? { ...schema, enum: [...(schema["enum"] as Json[]), "more"] } : undefined,
  (schema) =>
    Array.isArray(schema["anyOf"])
      ? { ...schema, anyOf: [...(schema["anyOf"] as Json[]), { const: "more" }] }
      : undefined,
];

function placesIn(schema: Json, path: Path): readonly Path[] {
  if (!isJsonObject(schema)) return [];
  const inner = (key: string): readonly Path[] => {
    const value = schema[key];
    if (key === "properties" && isJsonObject(value))
      return Object.keys(value).flatMap((name) => placesIn(value[name] ?? true, [...path, key, name]));
    if (["anyOf", "prefixItems"].includes(key) && Array.isArray(value))
      return (value as Json[]).flatMap((each, index) => placesIn(each, [...path, key, index]));
    return ["items", "additionalProperties"].includes(key) ? placesIn(value ?? true, [...path, key]) : [];
  };
  return [path, ...Object.keys(schema).flatMap(inner)];
}

function at(schema: JsonSchema, path: Path): JsonObject {
  let value: Json = schema;
  for (const step of path) value = (value as Record<string | number, Json>)[step] ?? {};
  return value as JsonObject;
}

function replaced(schema: Json, [step, ...rest]: Path, wider: Json): Json {
  if (step === undefined) return wider;
  const inner = replaced((schema as Record<string | number, Json>)[step] ?? {}, rest, wider);
  return Array.isArray(schema)
    ? (schema as Json[]).with(Number(step), inner)
    : { ...(schema as JsonObject), [step]: inner };
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TEXTS = [
  ...["", "a", "b", "AAA", "ABC", "A", "x-1", "v1.x", "v-2.", "more", "kind", "0000-00-00", "2026-01-31"],
  ...["2026-01-31T12:00:00Z", "a@b.cd", "123e4567-e89b-12d3-a456-426614174000", "urn:a", "127.0.0.1"],
];
const NUMBERS = [0, 1, 2, 3, 4, 6, -1, -2, -3, -4, 0.5, 1.5, -0.5, 5, 7, 12, 100];

function valueFor(schema: Json | undefined, root: JsonSchema, random: () => number, depth: number): Json {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  if (!isJsonObject(schema) || depth < 0 || random() < 0.03)
    return pick<Json>([null, "a", 1, 0.5, true, [], {}]);
  const inner = (each: Json | undefined, less = 0): Json => valueFor(each, root, random, depth - less);
  const { $ref, const: only, enum: values, type } = schema;
  if (typeof $ref === "string") return inner(at(root, $ref.split("/").slice(1)));
  if (only !== undefined) return only;
  if (Array.isArray(values)) return pick(values as Json[]);
  const choices = [
    schema["anyOf"],
    schema["oneOf"],
    schema["allOf"],
    [schema["then"] ?? schema["else"]],
  ].flatMap((list) =>
    Array.isArray(list) ? (list as (Json | undefined)[]).filter((each) => each !== undefined) : [],
  );
  if (choices.length > 0 && (type === undefined || random() < 0.5)) return inner(pick(choices));
  const kinds =
    type === undefined ? ["string", "number", "null", "boolean", "array", "object"] : [type].flat();
  const kind = pick(kinds);
  if (kind === "string") return pick(TEXTS);
  if (kind === "number" || kind === "integer") return pick(NUMBERS);
  if (kind === "boolean") return random() < 0.5;
  if (kind === "array") return listFor(schema, random, inner);
  return kind === "object" ? objectFor(schema, random, inner) : null;
}

type Inner = (schema: Json | undefined, less?: number) => Json;

function listFor(schema: JsonObject, random: () => number, inner: Inner): Json {
  const first = Array.isArray(schema["prefixItems"]) ? (schema["prefixItems"] as Json[]) : [];
  const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
  const length = Math.max(
    least,
    schema["items"] === false ? Math.floor(random() * (first.length + 1)) : Math.floor(random() * 4),
  );
  return Array.from({ length }, (_, index) =>
    inner(
      index > 0 && random() < 0.2
        ? schema["contains"]
        : (first[index] ?? schema["items"] ?? schema["contains"]),
      1,
    ),
  );
}

function objectFor(schema: JsonObject, random: () => number, inner: Inner): Json {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  const names = Object.keys(properties).filter((name) => required.includes(name) || random() < 0.5);
  const patterned = isJsonObject(schema["patternProperties"])
    ? Object.values(schema["patternProperties"])
    : [];
  const extras =
    schema["additionalProperties"] !== false || patterned.length > 0
      ? ["a", "b", "kind", "x-1", "x-2", "extra"]
      : [];
  const more = extras.filter((name) => !Object.hasOwn(properties, name) && random() < 0.2);
  return Object.fromEntries([
    ...names.map((name) => [name, inner(properties[name], 1)] as const),
    ...more.map((name) => [name, inner(patterned[0] ?? schema["additionalProperties"], 1)] as const),
  ]);
}
