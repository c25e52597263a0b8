import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { mapFields, mapSchema, inferredSchema } from "../plan/schema-inference.ts";
import { mapExpression, subexpressions } from "../plan/expression.ts";
import type { Choice } from "./argument-decider.ts";
import {
  isFieldList,
  isUnsaidSetting,
  lastName,
  namesListLimit,
  type ParameterSlot,
} from "../plan/parameter-slots.ts";
import { camelCase, snakeCase, UniqueNames, singular } from "../plan/names.ts";
import { parameterNames } from "./parameter-names.ts";
import {
  type Expression,
  type Origin,
  type PlanOutput,
  type Plan,
  type Step,
  type Param,
} from "../plan/plan.ts";
import { serverOf } from "../../core/tools/tool-name.ts";
import { isRedacted } from "../recording/secrets.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { expressionsOf, withExpressions } from "../plan/steps.ts";
import type { ToolInfo } from "./synthesise.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import {
  canonicalJson,
  isEntityName,
  isSame,
  isSettingValue,
  jsonLeaves,
  TaskText,
  valueAt,
} from "../plan/values.ts";
import { mayMeetByChance } from "./same-values.ts";

interface UnnamedPlan {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly output: PlanOutput;
  readonly slots: readonly ParameterSlot[];
  readonly choices: readonly Choice[];
  readonly names: UniqueNames;
  readonly traces: readonly RecordedTrace[];
  readonly tools: readonly ToolInfo[];
  readonly mayWrite: MayWrite;
}

export interface NamedPlan {
  readonly plan: Plan;
  readonly choices: readonly Choice[];
  /** What the caller gives in each trace; what is of no use there is as in another one. */
  readonly inputs: readonly JsonObject[];
}

/** The plan with names for parameters and elements, and the choices in the same words. */
export function namedPlan(draft: UnnamedPlan): NamedPlan {
  const used = new Set(
    draft.steps
      .flatMap(expressionsOf)
      .flatMap(subexpressions)
      .flatMap((part) => (part.kind === "param" ? [part.name] : [])),
  );
  const slots = draft.slots.filter(({ slot }) => used.has(slot));
  const { params, names } = paramsOf(slots, new UniqueNames(), {
    schemaAt: (origin) => schemaAt(draft, origin),
    isSetting: (origin, value) => isSetting(draft, origin, value),
    maps: mapFields(draft.traces),
    trace: draft.traces[0],
    settingAt: (origin) => settingAt(draft, origin),
    tasks: draft.traces.map(({ task }) => new TaskText(task)),
  });
  const isSnakeCase = draft.slots.some(({ field }) => field.includes("_"));
  const styled = isSnakeCase ? snakeCase : camelCase;
  const naming: Naming = { params: names, styled, names: draft.names, items: new Map() };
  const steps = draft.steps.map((step) => namedStep(step, naming));
  const plan: Plan = {
    version: 1,
    name: draft.name,
    params,
    steps,
    output: { ...draft.output, value: namedExpression(draft.output.value, naming) },
  };
  const choices = draft.choices.map((choice) => ({
    ...choice,
    chosen: namedExpression(choice.chosen, naming),
    alternatives: choice.alternatives.map((each) => namedExpression(each, naming)),
  }));
  const inputs = draft.traces.map((_, nth) =>
    Object.fromEntries(
      params.flatMap(({ name, example }) => {
        const own = slots.filter(({ slot }) => names.get(slot) === name);
        const isOfUse = own.some(({ samples }) => samples?.includes(nth) ?? true);
        const value = isOfUse ? own.find(({ values }) => values[nth] !== undefined)?.values[nth] : example;
        return value === undefined ? [] : [[name, value] as const];
      }),
    ),
  );
  return { plan, choices, inputs };
}

interface Naming {
  readonly params: ReadonlyMap<string, string>;
  /** A name as the tools' arguments are written. */
  readonly styled: (name: string) => string;
  readonly names: UniqueNames;
  /** The same element for the same collection and value. */
  readonly items: Map<string, string>;
}

function namedStep(step: Step, naming: Naming): Step {
  return withExpressions(step, (expression) => namedExpression(expression, naming));
}

// From the inside out, so that an inner map's element has its own name before the outer one's is given.
function namedExpression(expression: Expression, naming: Naming): Expression {
  return mapExpression(expression, (part) => {
    if (part.kind === "param")
      return {
        kind: "param",
        name: naming.params.get(part.name) ?? naming.styled(alternativeName(part.name)),
      };
    if (part.kind !== "map") return part;
    const key = JSON.stringify(part);
    const item = naming.items.get(key) ?? naming.names.take(itemName(part.over));
    naming.items.set(key, item);
    return { ...part, item, value: renamed(part.value, part.item, item) };
  });
}

// In an alternative, a parameter that the plan does not have yet.
function alternativeName(slot: string): string {
  const place = slot.split("|").at(-1)?.split(":").at(-1) ?? "value";
  return place.slice(place.lastIndexOf(".") + 1);
}

function itemName(over: Expression): string {
  if (over.kind === "param") return singular(camelCase(over.name));
  const path = collectionPath(over);
  return singular(camelCase(path ?? "element"));
}

function collectionPath(over: Expression): string | undefined {
  if (over.kind === "field" || over.kind === "flat") return over.path.at(-1);
  if (over.kind === "values" || over.kind === "entries" || over.kind === "or") return collectionPath(over.of);
  return over.kind === "ref" ? over.name : undefined;
}

function renamed(value: Expression, from: string, to: string): Expression {
  return mapExpression(value, (part) =>
    part.kind === "ref" && part.name === from ? { kind: "ref", name: to } : part,
  );
}

/** What the tool's own schema says of an argument. */
function declaredSchema({ traces, tools }: UnnamedPlan, { call, path }: Origin): JsonSchema | undefined {
  const tool = tools.find(({ name }) => name === traces[0]?.calls[call]?.tool);
  const keywords = path.flatMap((part) => (typeof part === "number" ? ["items"] : ["properties", part]));
  const schema = keywords.length === 0 ? undefined : valueAt(tool?.inputSchema, keywords);
  return isJsonObject(schema) ? schema : undefined;
}

function schemaAt(draft: UnnamedPlan, origin: Origin): JsonSchema | undefined {
  const schema = declaredSchema(draft, origin);
  return schema && plainSchema(schema);
}

/**
 * Whether an argument's value says how the work is done rather than for whom: what the tool would do without being told,
 * or, where the call only reads, one of the few values that there are. Any other value is a fact of the run.
 */
function isSetting(draft: UnnamedPlan, origin: Origin, value: Json): boolean {
  if (origin.at !== "args") return false;
  const { default: otherwise, enum: values } = declaredSchema(draft, origin) ?? {};
  if (otherwise !== undefined && isSame(otherwise, value)) return true;
  const [trace] = draft.traces;
  if (draft.mayWrite(trace?.calls[origin.call]?.tool ?? "")) return false;
  if (typeof value === "boolean" || value === null || Array.isArray(values)) return true;
  if (typeof value === "number") return namesListLimit(origin.path);
  const task = new TaskText(trace?.task);
  const answer = trace?.calls[origin.call]?.result ?? null;
  return isUnsaidSetting(origin.path, value, task) || isFieldList(origin.path, value, task, answer);
}

/**
 * The setting that an argument is in every call of its tool, wherever in lists; undefined: it is none, differs, is there too
 * seldom, or the task says it of each.
 */
function settingAt({ traces }: UnnamedPlan, { at, call, path, within }: Origin): string | undefined {
  const own = traces[0]?.calls[call];
  const value = valueAt(own?.args, path);
  if (at !== "args" || within || !own || value === undefined || !isSettingValue(value)) return undefined;
  const place = placeText(path);
  const values = traces.flatMap(({ calls }) =>
    calls
      .filter(({ tool, error }) => tool === own.tool && error === undefined)
      .flatMap(({ args }) => Array.from(jsonLeaves(args)))
      .flatMap(([other, leaf]) => (placeText(other) === place ? [leaf] : [])),
  );
  const isOne =
    values.length >= MIN_SETTINGS * traces.length &&
    values.every((each) => each === value) &&
    !traces.some(({ task }) => new TaskText(task).saysOfEach(lastName(path), value, values.length));
  return isOne ? `setting ${own.tool} ${place}` : undefined;
}

/** Fewer are equal by chance, as flags often are. */
const MIN_SETTINGS = 3;

/** A place in arguments, of all elements of lists. */
function placeText(path: Origin["path"]): string {
  return JSON.stringify(path.map((part) => (typeof part === "number" ? 0 : part)));
}

/** The parts of a schema that hold no words of its author. */
function plainSchema(schema: JsonSchema): JsonSchema | undefined {
  const { type, enum: values, items, format } = schema;
  if (typeof type !== "string" || type === "object") return undefined;
  const inner = isJsonObject(items) ? plainSchema(items) : undefined;
  if (type === "array" && !inner) return undefined;
  return {
    type,
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(inner ? { items: inner } : {}),
    ...(typeof format === "string" && /^[a-z-]{1,20}$/.test(format) ? { format } : {}),
  };
}

/** The parameters of a plan, and for each slot the name of its parameter. */
interface Params {
  readonly params: readonly Param[];
  readonly names: ReadonlyMap<string, string>;
}

/** What is known of arguments besides their values. */
interface ArgumentFacts {
  /** What the tool says of an argument. */
  readonly schemaAt: (origin: Origin) => JsonSchema | undefined;
  readonly isSetting: (origin: Origin, value: Json) => boolean;
  /** The names of fields that hold maps. */
  readonly maps: ReadonlySet<string>;
  /** The run in which origins stand. */
  readonly trace: RecordedTrace | undefined;
  /** By what is told in all its calls, where an argument is a setting that all of them have: the same for all of these. */
  readonly settingAt: (origin: Origin) => string | undefined;
  readonly tasks: readonly TaskText[];
}

/** One parameter for each thing: slots with the same value everywhere become one, unless they may be equal by chance. */
function paramsOf(slots: readonly ParameterSlot[], names: UniqueNames, facts: ArgumentFacts): Params {
  const byThing = new Map<string, ParameterSlot[]>();
  for (const slot of slots) {
    const thing = entityKey(slot, facts);
    const group = byThing.get(thing);
    if (group) group.push(slot);
    else byThing.set(thing, [slot]);
  }
  const nameOf = new Map<string, string>();
  const groups = [...byThing.values()];
  const candidates = parameterNames(groups, facts.trace);
  const params = groups.map((group, index) => {
    const name = names.take(...(candidates[index] ?? []));
    for (const { slot } of group) nameOf.set(slot, name);
    return paramOf(name, group, facts);
  });
  return { params, names: nameOf };
}

function entityKey(
  { slot, field, values, origins, sameAs, isApart, rounds, isHeading, isSecret }: ParameterSlot,
  { tasks, settingAt, trace }: ArgumentFacts,
): string {
  if (sameAs || isApart === true) return slot;
  const [origin, ...others] = origins;
  // Of credentials is recorded that there were some: a server has one of a name.
  if (isSecret && origin && values.every((value) => typeof value === "string" && isRedacted(value))) {
    const { tool = "" } = trace?.calls[origin.call] ?? {};
    return `secret ${tool.includes(".") ? serverOf(tool) : ""} ${field} ${canonicalJson(values as readonly string[])}`;
  }
  const setting = origin && others.length === 0 && !rounds ? settingAt(origin) : undefined;
  if (setting !== undefined) return setting;
  const isAbsent = values.some(
    (value) => value === undefined || value === null || typeof value === "boolean",
  );
  if (isAbsent) return slot;
  const text = values.map((value) => canonicalJson(value ?? null)).join("\n");
  if (text.length > 10_000) return slot;
  if (isHeading === true) return `heading ${text}`;
  const isOneThing = values.every((value) => value !== undefined && isEntityName(value));
  if (!isOneThing) return slot;
  const isArgument = origins.some(({ at }) => at === "args");
  return isArgument &&
    mayMeetByChance(
      values.map((value) => value ?? null),
      tasks,
    )
    ? `${field} ${text}`
    : text;
}

function paramOf(
  name: string,
  group: readonly ParameterSlot[],
  { schemaAt, isSetting, maps }: ArgumentFacts,
): Param {
  const [{ values: all, samples } = { values: [], samples: undefined }] = group;
  const values = samples ? samples.map((nth) => all[nth]) : all;
  const present = values.filter((value) => value !== undefined);
  const origins = group.flatMap((slot) => slot.origins);
  const declaredSchemas = origins.filter(({ at, within }) => at === "args" && !within).map(schemaAt);
  const isMap = group.some(({ field }) => maps.has(field));
  const schema = withOptional(
    declaredSchemas.find((each) => each !== undefined) ??
      (isMap ? mapSchema(present) : undefined) ??
      inferredSchema(present, maps),
    group[0]?.optionalFields ?? [],
  );
  const isSecret = group.some((slot) => slot.isSecret);
  const [example] = present;
  const isLeftOut = present.length < values.length;
  const isOptional = group.every((slot) => slot.isOptional === true);
  const isSettled = present.every((value) => canonicalJson(value) === canonicalJson(example ?? null));
  const isSet =
    origins.length > 0 &&
    group.every((slot) => !slot.isNeeded) &&
    origins.every((origin) => isSetting(origin, example ?? null));
  const hasDefault =
    !isSecret && !isLeftOut && isSettled && (isSet || group.every((slot) => slot.isDefault === true));
  return {
    name,
    schema,
    ...(isLeftOut || hasDefault || isOptional ? { optional: true } : {}),
    ...(hasDefault && example !== undefined ? { default: example } : {}),
    ...(isSecret ? { secret: true } : example === undefined ? {} : { example }),
    origins,
    ...(group[0]?.rounds ? { rounds: group[0].rounds } : {}),
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
