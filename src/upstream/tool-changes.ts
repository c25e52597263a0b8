import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { JsonSchema } from "../core/schema.ts";
import type { ToolFieldChange, ToolHints } from "../core/tool-change.ts";

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
  const isOnlyText = found.every(({ field }) => isOfText(field));
  const isNarrower = !isOnlyText && !accepts(before, now, true);
  // What a call leaves out the server fills in: another default is another call.
  return found.map(({ field, before: old, after }) =>
    fieldChange(field, old, after, (isNarrower && !isOfText(field)) || field.endsWith(".default")),
  );
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
  const isOnlyText = found.every(({ field }) => isOfText(field));
  const isWider = !isOnlyText && !accepts(now, before, false);
  return found.map(({ field, before: old, after }) =>
    fieldChange(field, old, after, isWider && !isOfText(field)),
  );
}

/** Says nothing of which values fit, unless it is the name of a property. */
function isOfText(field: string): boolean {
  return /(?<!\.(?:properties|\$defs|definitions|patternProperties|dependentSchemas))\.(?:title|description|\$comment|examples)$/.test(
    field,
  );
}

function* differing(before: Json, now: Json, field: string): Generator<ToolFieldChange> {
  if (!isJsonObject(before) || !isJsonObject(now)) {
    if (!isDeepStrictEqual(before, now)) yield fieldChange(field, before, now, false);
    return;
  }
  for (const key of [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted()) {
    const [old, fresh] = [own(before, key), own(now, key)];
    const at = `${field}.${key}`;
    if (old !== undefined && fresh !== undefined) yield* differing(old, fresh, at);
    else yield fieldChange(at, old, fresh, false);
  }
}

function differences(before: JsonObject, now: JsonObject, field: string): readonly ToolFieldChange[] {
  return [...differing(before, now, field)];
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
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
