import { isDeepStrictEqual } from "node:util";
import { type Json, isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { ToolFieldChange, ToolHints } from "../../core/tools/tool-change.ts";
import { isSchema, subschemasOf, type Subschema } from "./subschemas.ts";

/** What is compared of a tool. */
export interface ToolDefinition {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolHints | undefined;
}

/**
 * Whether every value of the source surely fits the target. With `isExact` the source's objects have no other properties
 * than those that they declare.
 */
export type Accepts = (source: JsonSchema, target: JsonSchema, isExact: boolean) => boolean;

/** All that differs between two definitions of a tool; equal schemas whose keys are in another order do not. */
export function toolChanges(
  before: ToolDefinition,
  now: ToolDefinition,
  accepts: Accepts,
): readonly ToolFieldChange[] {
  return [
    ...textChanges(before, now),
    ...hintChanges(before.annotations, now.annotations),
    ...inputChanges(before.inputSchema, now.inputSchema, accepts),
    ...outputChanges(before.outputSchema, now.outputSchema, accepts),
  ];
}

function textChanges(before: ToolDefinition, now: ToolDefinition): readonly ToolFieldChange[] {
  return (["title", "description"] as const).flatMap((field) =>
    before[field] === now[field] ? [] : [fieldChange(field, before[field], now[field], false)],
  );
}

/** What each hint says where it promises the most; to lose that is a change for the stronger. */
const PROMISES: Required<ToolHints> = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function hintChanges(before: ToolHints = {}, now: ToolHints = {}): readonly ToolFieldChange[] {
  return (Object.keys(PROMISES) as (keyof ToolHints)[]).flatMap((hint) => {
    if (before[hint] === now[hint]) return [];
    const isStronger = before[hint] === PROMISES[hint];
    return [fieldChange(`annotations.${hint}`, before[hint], now[hint], isStronger)];
  });
}

function inputChanges(before: JsonSchema, now: JsonSchema, accepts: Accepts): readonly ToolFieldChange[] {
  const found = differences(before, now, "inputSchema");
  // What a call leaves out the server fills in: another default is another call.
  const isStronger =
    !found.every(({ isText }) => isText) && (hasOtherDefaults(before, now) || !accepts(before, now, true));
  return changesOf(found, isStronger);
}

function outputChanges(
  before: JsonSchema | undefined,
  now: JsonSchema | undefined,
  accepts: Accepts,
): readonly ToolFieldChange[] {
  if (before === undefined && now === undefined) return [];
  if (before === undefined || now === undefined)
    return [fieldChange("outputSchema", before, now, now === undefined)];
  const found = differences(before, now, "outputSchema");
  return changesOf(found, !found.every(({ isText }) => isText) && !accepts(now, before, false));
}

interface SchemaDifference {
  readonly path: readonly string[];
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** Says nothing of which values fit. */
  readonly isText: boolean;
}

function changesOf(found: readonly SchemaDifference[], isStronger: boolean): readonly ToolFieldChange[] {
  return found.map(({ path, before, after, isText }) =>
    fieldChange(path.join("."), before, after, isStronger && !isText),
  );
}

const TEXTS: ReadonlySet<string> = new Set(["title", "description", "$comment", "examples"]);

/** What no reference can take for a schema. */
function isPlain(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.every((each: Json) => !Array.isArray(each) && isPlain(each));
  return value === undefined || !(isSchema(value) || Array.isArray(value));
}

function* differing(
  before: Subschema,
  now: Subschema,
  path: readonly string[],
  isText = false,
): Generator<SchemaDifference> {
  const [old, fresh] = [subschemasOf(before), subschemasOf(now)];
  if (!old || !fresh || Array.isArray(before.value) !== Array.isArray(now.value)) {
    if (!isDeepStrictEqual(before.value, now.value))
      yield { path, before: before.value, after: now.value, isText };
    return;
  }
  for (const key of [...new Set([...old.keys(), ...fresh.keys()])].toSorted()) {
    const [one, other] = [old.get(key), fresh.get(key)];
    const isTextHere =
      now.kind === "schema" && TEXTS.has(key) && isPlain(one?.value) && isPlain(other?.value);
    const at = [...path, key];
    if (one && other) yield* differing(one, other, at, isTextHere);
    else yield { path: at, before: one?.value, after: other?.value, isText: isTextHere };
  }
}

function differences(before: JsonSchema, now: JsonSchema, field: string): readonly SchemaDifference[] {
  return [...differing({ value: before, kind: "schema" }, { value: now, kind: "schema" }, [field])];
}

function fieldChange(
  field: string,
  before: Json | ToolHints | undefined,
  after: Json | undefined,
  isStronger: boolean,
): ToolFieldChange {
  return {
    field,
    ...(before === undefined ? {} : { before: before as Json }),
    ...(after === undefined ? {} : { after }),
    isStronger,
  };
}

/**
 * What follows when a tool is not what it was: `ask` holds a tool whose change is for the stronger until someone accepts
 * it; `tell` only tells of it; `allow` takes every change, and says nothing.
 */
export const TOOL_CHANGE_POLICIES = ["ask", "tell", "allow"] as const;

export type ToolChangePolicy = (typeof TOOL_CHANGE_POLICIES)[number];

/** Pairs of larger schemas are taken to differ. */
const MAX_STEPS = 50_000;

/**
 * Whether two schemas have other defaults at some place. References within a document count as what they lead to, so a
 * definition may have another name, and one that nothing refers to does not count.
 */
function hasOtherDefaults(before: JsonSchema, now: JsonSchema): boolean {
  const [oldTarget, freshTarget] = [targets(before), targets(now)];
  const met = new Map<JsonObject, Set<JsonObject>>();
  const open: (readonly [JsonObject, JsonObject])[] = [[before, now]];
  let steps = 0;
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const others = met.get(pair[0]) ?? new Set();
    if (others.has(pair[1])) continue;
    met.set(pair[0], others.add(pair[1]));
    const [old, fresh] = [referred(pair[0], oldTarget), referred(pair[1], freshTarget)];
    if (!isDeepStrictEqual(defaultsOf(old), defaultsOf(fresh))) return true;
    const [oldInner, freshInner] = [innerOf(old), innerOf(fresh)];
    for (const key of new Set([...oldInner.keys(), ...freshInner.keys()]))
      open.push([oldInner.get(key) ?? NOTHING, freshInner.get(key) ?? NOTHING]);
    steps += old.length + fresh.length + oldInner.size + freshInner.size;
    if (steps > MAX_STEPS) return true;
  }
  return false;
}

const NOTHING: JsonObject = {};

type Target = (reference: Json | undefined) => JsonObject | undefined;

/** The schema and those that it refers to, one after the other. */
function referred(schema: JsonObject, target: Target): readonly JsonObject[] {
  const chain = new Set<JsonObject>();
  for (let at: JsonObject | undefined = schema; at && !chain.has(at); at = target(at["$ref"])) chain.add(at);
  return [...chain];
}

function defaultsOf(chain: readonly JsonObject[]): readonly (Json | undefined)[] {
  return chain.filter((each) => Object.hasOwn(each, "default")).map((each) => each["default"]);
}

/** The schemas within, by place; what several of the chain have at one place is kept apart by its turn. */
function innerOf(chain: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const inner = new Map<string, JsonObject>();
  for (const schema of chain)
    for (const [place, value] of schemasIn({ value: schema, kind: "schema" })) {
      let turn = 0;
      while (inner.has(`${turn} ${place}`)) turn += 1;
      inner.set(`${turn} ${place}`, value);
    }
  return inner;
}

function* schemasIn(part: Subschema, at = ""): Generator<readonly [place: string, JsonObject]> {
  for (const [key, each] of subschemasOf(part) ?? []) {
    if (part.kind === "schema" && (key === "$defs" || key === "definitions")) continue;
    const place = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (each.kind === "schema" && isJsonObject(each.value)) yield [place, each.value];
    else yield* schemasIn(each, place);
  }
}

/** What references to places of this document lead to (RFC 6901). */
function targets(root: JsonSchema): Target {
  const known = new Map<string, JsonObject | undefined>();
  return (reference) => {
    if (typeof reference !== "string") return undefined;
    if (!known.has(reference)) known.set(reference, targetOf(root, reference));
    return known.get(reference);
  };
}

function targetOf(root: JsonSchema, reference: string): JsonObject | undefined {
  const [start, ...parts] = pointerOf(reference).split("/");
  if (start !== "#") return undefined;
  let place: unknown = root;
  for (const part of parts) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return undefined;
    place = (place as Record<string, unknown>)[key];
  }
  return isJsonObject(place) ? place : undefined;
}

function pointerOf(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
