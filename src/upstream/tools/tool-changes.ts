import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import type { ToolFieldChange, ToolHints } from "../../core/tool-change.ts";
import { hasOtherDefaults } from "./schema-defaults.ts";
import { isSchema, partsOf, type SchemaPart } from "./schema-parts.ts";

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
  before: SchemaPart,
  now: SchemaPart,
  path: readonly string[],
  isText = false,
): Generator<SchemaDifference> {
  const [old, fresh] = [partsOf(before), partsOf(now)];
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
