import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { type JsonSchema, schemaFault, type Validator, validatorOf } from "../../core/json/json-schema.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { canonicalJson, isLeaf } from "../plan/values.ts";
import { traceValues, type TraceValue } from "./trace-values.ts";
import { singular, nameWords } from "../plan/names.ts";

/** A value for a property; undefined: it is left out. */
interface PropertyChoice {
  readonly value: Json | undefined;
  /** How far-fetched it is. */
  readonly cost: number;
}

interface PropertySlot {
  readonly name: string;
  /** The likeliest first. */
  readonly choices: readonly PropertyChoice[];
}

const MAX = { properties: 60, choices: 6, depth: 2 };

/**
 * The inputs of this schema that a trace may have been a run with, the likeliest first: values of its arguments and of
 * what its task speaks of, by their names and types.
 */
export function* likelyInputs(schema: JsonSchema, trace: RecordedTrace): Generator<JsonObject> {
  const values = traceValues(trace);
  const slots = propertySlots(schema, schema, values, 0);
  if (slots.every(({ choices }) => choices.length > 0)) yield* combined(slots);
}

function propertySlots(
  schema: JsonSchema,
  root: JsonSchema,
  values: readonly TraceValue[],
  depth: number,
): readonly PropertySlot[] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
  return Object.entries(properties)
    .slice(0, MAX.properties)
    .map(([name, each]) => {
      const property = resolved(each, root);
      const choices = choicesFor(name, property, root, values, depth);
      return { name, choices: needed.has(name) ? choices : withAbsent(choices) };
    });
}

function withAbsent(choices: readonly PropertyChoice[]): readonly PropertyChoice[] {
  return ordered([...choices, { value: undefined, cost: 3 }]);
}

function choicesFor(
  name: string,
  schema: JsonSchema,
  root: JsonSchema,
  values: readonly TraceValue[],
  depth: number,
): readonly PropertyChoice[] {
  const fits = fitting(schema, root);
  const found = values.flatMap(({ value, names, cost }): readonly PropertyChoice[] => {
    const total = cost + namesCost(name, names);
    if (fits(value)) return [{ value, cost: total }];
    const other = otherNotation(value);
    return other !== undefined && fits(other) ? [{ value: other, cost: total + 1 }] : [];
  });
  return ordered([...found, ...schemaExamples(schema, fits), ...composed(schema, root, values, depth)]);
}

/** What the schema itself proposes. */
function schemaExamples(schema: JsonSchema, fits: (value: Json) => boolean): readonly PropertyChoice[] {
  const { default: usual, const: only, enum: some, examples, type } = schema;
  const list = (value: Json | undefined): readonly Json[] =>
    Array.isArray(value) ? (value as readonly Json[]) : [];
  const said = [
    ...[usual, only].flatMap((value) => (value === undefined ? [] : [{ value, cost: 3 }])),
    ...[...list(some), ...list(examples), ...(type === "boolean" ? [true, false] : [])].map((value) => ({
      value,
      cost: 6,
    })),
  ];
  return said.filter(({ value }) => fits(value));
}

function composed(
  schema: JsonSchema,
  root: JsonSchema,
  values: readonly TraceValue[],
  depth: number,
): readonly PropertyChoice[] {
  if (depth >= MAX.depth || !isJsonObject(schema["properties"])) return [];
  const [input] = combined(propertySlots(schema, root, values, depth + 1)).take(1);
  return input === undefined ? [] : [{ value: input, cost: 2 }];
}

function otherNotation(value: Json): Json | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;
}

/** Each value once, as it is cheapest. */
function ordered(choices: readonly PropertyChoice[]): readonly PropertyChoice[] {
  const known = new Set<string>();
  const cheapest = choices.toSorted((a, b) => a.cost - b.cost).values();
  const isNew = ({ value }: PropertyChoice): boolean => {
    const { size } = known;
    return known.add(value === undefined ? "" : canonicalJson(value)).size > size;
  };
  return [...cheapest.filter(isNew).take(MAX.choices)];
}

/** All inputs of these choices, the cheapest first. */
function* combined(slots: readonly PropertySlot[]): Generator<JsonObject> {
  const costOf = (ranks: readonly number[]): number =>
    slots.reduce((sum, { choices }, index) => sum + (choices[ranks[index] ?? 0]?.cost ?? 0), 0);
  const first = slots.map(() => 0);
  const open = [{ ranks: first, cost: costOf(first) }];
  const known = new Set([first.join()]);
  for (let next = open.shift(); next; next = open.shift()) {
    const { ranks } = next;
    yield Object.fromEntries(
      slots.flatMap(({ name, choices }, index) => {
        const value = choices[ranks[index] ?? 0]?.value;
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
    for (const [index, rank] of ranks.entries()) {
      const other = ranks.with(index, rank + 1);
      if (rank + 1 >= (slots[index]?.choices.length ?? 0) || known.has(other.join())) continue;
      known.add(other.join());
      open.push({ ranks: other, cost: costOf(other) });
    }
    open.sort((a, b) => a.cost - b.cost);
  }
}

function fitting(schema: JsonSchema, root: JsonSchema): (value: Json) => boolean {
  const own = isJsonObject(root["$defs"]) ? { ...schema, $defs: root["$defs"] } : schema;
  if (Object.keys(schema).length === 0 || schemaFault(own) !== undefined) return () => true;
  const validate: Validator = validatorOf(own);
  const { type } = schema;
  return (value) => {
    if (typeof type === "string" && !isOfType(value, type)) return false;
    // A validator fills in defaults, in the value itself.
    return validate(isLeaf(value) ? value : structuredClone(value)).ok;
  };
}

function isOfType(value: Json, type: string): boolean {
  if (type === "integer") return typeof value === "number";
  if (type === "object") return isJsonObject(value);
  return type === (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);
}

function resolved(schema: Json, root: JsonSchema): JsonSchema {
  if (!isJsonObject(schema)) return {};
  const { $ref: reference } = schema;
  const name = typeof reference === "string" ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined;
  const named = name === undefined || !isJsonObject(root["$defs"]) ? undefined : root["$defs"][name];
  return isJsonObject(named) ? named : schema;
}

/** How unlike a property's name is to the names under which a value was seen: 0 is the same, 5 is nothing in common. */
function namesCost(property: string, names: readonly string[]): number {
  const own = wordsOf(property);
  return Math.min(5, ...names.map((name) => costOf(own, wordsOf(name))));
}

function wordsOf(name: string): ReadonlySet<string> {
  return new Set(nameWords(name).map(singular));
}

function costOf(own: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = own.intersection(other);
  const telling = [...shared].filter((word) => !COMMON.has(word)).length;
  if (shared.size === own.size && shared.size === other.size) return 0;
  if (telling === 0) return 5;
  return shared.size === own.size || shared.size === other.size ? 1 : 2;
}

/** Words that many names have. */
const COMMON: ReadonlySet<string> = new Set([
  "id",
  "ids",
  "name",
  "value",
  "number",
  "type",
  "code",
  "text",
  "data",
]);
