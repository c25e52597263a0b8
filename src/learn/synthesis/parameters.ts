import { isJsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { Slot } from "../plan/parameter-slots.ts";
import { camelCase, type Names, snakeCase, words } from "../plan/names.ts";
import { isIdentifier, type Origin, type Param } from "../plan/plan.ts";
import { mapSchema, schemaOf } from "./schema-inference.ts";
import { canonical, isThing } from "../plan/values.ts";

/** The parameters of a plan, and for each slot the name of its parameter. */
export interface Params {
  readonly params: readonly Param[];
  readonly names: ReadonlyMap<string, string>;
}

/** One parameter for each thing: slots with the same value everywhere become one. `schemaAt`: what the tool says of an argument. */
export function paramsOf(
  slots: readonly Slot[],
  names: Names,
  schemaAt: (origin: Origin) => JsonSchema | undefined,
  maps: ReadonlySet<string>,
): Params {
  const byThing = new Map<string, Slot[]>();
  for (const slot of slots) {
    const thing = thingOf(slot);
    const group = byThing.get(thing);
    if (group) group.push(slot);
    else byThing.set(thing, [slot]);
  }
  const isSnakeCase = slots.some(({ field }) => field.includes("_"));
  const nameOf = new Map<string, string>();
  const params = [...byThing.values()].map((group) => {
    const name = names.take(...nameIdeas(group, isSnakeCase));
    for (const { slot } of group) nameOf.set(slot, name);
    return paramOf(name, group, schemaAt, maps);
  });
  return { params, names: nameOf };
}

function thingOf({ slot, values, sameAs }: Slot): string {
  if (sameAs) return slot;
  const isAbsent = values.some(
    (value) => value === undefined || value === null || typeof value === "boolean",
  );
  if (isAbsent) return slot;
  const text = values.map((value) => canonical(value ?? null)).join("\n");
  if (text.length > 10_000) return slot;
  const isOneThing = values.every((value) => value !== undefined && isThing(value));
  return isOneThing ? text : slot;
}

function nameIdeas(group: readonly Slot[], isSnakeCase: boolean): readonly string[] {
  const argument = group.find(({ origins }) => origins.some(({ at }) => at === "args"));
  const { field, site } = argument ?? group[0] ?? { field: "value", site: "" };
  const name = nameOf(field);
  // `modifyOrderItemsResult2` is what an act gave: its verb says enough.
  const [verb = site] = /Result\d*$/.test(site) ? words(site) : [];
  const longer = [verb, site].map((prefix) =>
    isSnakeCase ? `${snakeCase(prefix)}_${snakeCase(name)}` : camelCase(`${prefix} ${name}`),
  );
  return [name, ...longer];
}

function nameOf(field: string): string {
  return isIdentifier(field) ? field : snakeCase(field);
}

function paramOf(
  name: string,
  group: readonly Slot[],
  schemaAt: (origin: Origin) => JsonSchema | undefined,
  maps: ReadonlySet<string>,
): Param {
  const values = group[0]?.values ?? [];
  const present = values.filter((value) => value !== undefined);
  const origins = group.flatMap((slot) => slot.origins);
  const told = origins.filter(({ at, within }) => at === "args" && !within).map(schemaAt);
  const isMap = group.some(({ field }) => maps.has(field));
  const schema = withOptional(
    told.find((each) => each !== undefined) ??
      (isMap ? mapSchema(present) : undefined) ??
      schemaOf(present, maps),
    group[0]?.optionalFields ?? [],
  );
  const isSecret = group.some((slot) => slot.isSecret);
  const [example] = present;
  const isLeftOut = present.length < values.length;
  const isOptional = group.every((slot) => slot.isOptional === true);
  const isSettled = present.every((value) => canonical(value) === canonical(example ?? null));
  const hasDefault = !isSecret && !isLeftOut && isSettled && group.every((slot) => !slot.isNeeded);
  return {
    name,
    schema,
    ...(isLeftOut || hasDefault || isOptional ? { optional: true } : {}),
    ...(hasDefault && example !== undefined ? { default: example } : {}),
    ...(isSecret ? { secret: true } : example === undefined ? {} : { example }),
    origins,
    ...(group[0]?.sameAs ? { sameAs: group[0].sameAs } : {}),
  };
}

/** The list's schema in which some fields of its elements may be left out. */
function withOptional(schema: JsonSchema, fields: readonly string[]): JsonSchema {
  const { items } = schema;
  if (fields.length === 0 || !isJsonObject(items)) return schema;
  const required = Array.isArray(items["required"]) ? items["required"] : [];
  return {
    ...schema,
    items: { ...items, required: required.filter((name) => !fields.includes(String(name))) },
  };
}
