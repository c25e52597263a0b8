import { isJsonObject } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { mapFields } from "./map-fields.ts";
import { mapped, partsOf } from "./flow-candidates.ts";
import type { Choice } from "./argument-decider.ts";
import type { Slot } from "../plan/parameter-slots.ts";
import { camelCase, Names, singular } from "../plan/names.ts";
import { paramsOf } from "./parameters.ts";
import type { Expression, Origin, Output, Plan, Step } from "../plan/plan.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { expressionsOf, withExpressions } from "../plan/steps.ts";
import type { KnownTool } from "./synthesise.ts";

interface Draft {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly output: Output;
  readonly slots: readonly Slot[];
  readonly choices: readonly Choice[];
  readonly names: Names;
  readonly traces: readonly RecordedTrace[];
  readonly tools: readonly KnownTool[];
}

/** The plan with names for parameters and elements, and the choices in the same words. */
export function finished(draft: Draft): { readonly plan: Plan; readonly choices: readonly Choice[] } {
  const used = new Set(
    draft.steps
      .flatMap(expressionsOf)
      .flatMap(partsOf)
      .flatMap((part) => (part.kind === "param" ? [part.name] : [])),
  );
  const slots = draft.slots.filter(({ slot }) => used.has(slot));
  const { params, names } = paramsOf(
    slots,
    new Names(),
    (origin) => schemaAt(draft, origin),
    mapFields(draft.traces),
  );
  const naming: Naming = { params: names, names: draft.names, items: new Map() };
  const steps = draft.steps.map((step) => namedStep(step, naming));
  const plan: Plan = {
    version: 1,
    name: draft.name,
    params,
    steps,
    output: { ...draft.output, value: named(draft.output.value, naming) },
  };
  const choices = draft.choices.map((choice) => ({
    ...choice,
    chosen: named(choice.chosen, naming),
    alternatives: choice.alternatives.map((each) => named(each, naming)),
  }));
  return { plan, choices };
}

interface Naming {
  readonly params: ReadonlyMap<string, string>;
  readonly names: Names;
  /** The same element for the same collection and value. */
  readonly items: Map<string, string>;
}

function namedStep(step: Step, naming: Naming): Step {
  return withExpressions(step, (expression) => named(expression, naming));
}

// From the inside out, so that an inner map's element has its own name before the outer one's is given.
function named(expression: Expression, naming: Naming): Expression {
  return mapped(expression, (part) => {
    if (part.kind === "param")
      return { kind: "param", name: naming.params.get(part.name) ?? alternativeName(part.name) };
    if (part.kind !== "map") return part;
    const key = JSON.stringify(part);
    const item = naming.items.get(key) ?? naming.names.take(itemName(part.over));
    naming.items.set(key, item);
    return { ...part, item, value: renamed(part.value, part.item, item) };
  });
}

// In an alternative, a parameter that the plan does not have yet.
function alternativeName(slot: string): string {
  return camelCase(slot.split("|").at(-1)?.split(":").at(-1) ?? "value");
}

function itemName(over: Expression): string {
  if (over.kind === "param") return singular(camelCase(over.name));
  const path = collectionPath(over);
  return singular(camelCase(path ?? "element"));
}

function collectionPath(over: Expression): string | undefined {
  switch (over.kind) {
    case "field":
    case "flat":
      return over.path.at(-1);
    case "values":
    case "entries":
    case "or":
      return collectionPath(over.of);
    case "constant":
    case "param":
    case "ref":
    case "find":
    case "only":
    case "nth":
    case "map":
    case "list":
    case "object":
    case "template":
    case "part":
    case "cast":
    case "arithmetic":
    case "date":
      return over.kind === "ref" ? over.name : undefined;
  }
}

function renamed(value: Expression, from: string, to: string): Expression {
  return mapped(value, (part) =>
    part.kind === "ref" && part.name === from ? { kind: "ref", name: to } : part,
  );
}

/** What the tool's own schema says of an argument at the top level. */
function schemaAt({ traces, tools }: Draft, { call, path }: Origin): JsonSchema | undefined {
  const tool = tools.find(({ name }) => name === traces[0]?.calls[call]?.tool);
  const properties = tool?.inputSchema?.["properties"];
  const [key] = path;
  if (path.length !== 1 || !isJsonObject(properties) || typeof key !== "string") return undefined;
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(property) ? plainSchema(property) : undefined;
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
