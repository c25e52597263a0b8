import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { partsOf, type SchemaPart } from "./schema-parts.ts";

/** Pairs of larger schemas are taken to differ. */
const MAX_STEPS = 50_000;

/**
 * Whether two schemas have other defaults at some place. References within a document count as what they lead to, so a
 * definition may have another name, and one that nothing refers to does not count.
 */
export function hasOtherDefaults(before: JsonSchema, now: JsonSchema): boolean {
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

function* schemasIn(part: SchemaPart, at = ""): Generator<readonly [place: string, JsonObject]> {
  for (const [key, each] of partsOf(part) ?? []) {
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
