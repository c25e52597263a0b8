import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { failure } from "../core/error.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { subexpressions } from "../learn/plan/expression.ts";
import { type Param, type Plan, PLAN, type PlanCondition, type Step } from "../learn/plan/plan.ts";
import { expressionsOf, hasName, skillsOf, toolsOf } from "../learn/plan/steps.ts";
import { type DocumentPath, schemaOfNotation } from "./type-notation.ts";
import {
  type TypeNotation,
  WORKFLOW,
  type Workflow,
  WORKFLOW_SCHEMA_ID,
  WORKFLOW_VERSION,
  type WorkflowInput,
  type WorkflowOutput,
  type WorkflowPrecondition,
  type WorkflowTask,
} from "./workflow.ts";

/**
 * The document that says what a plan says: a task for each of its steps. What the fields of the format cannot say stands
 * in `x-repertoire`; all others are derived from it, so that `workflowPlan` gives the same plan. `EXPORT_REFUSED` where
 * the format has no place for so much.
 */
export function planWorkflow(plan: Plan): Result<Workflow> {
  const parsed = WORKFLOW.safeParse(documentOf(plan));
  if (parsed.success) return ok(parsed.data);
  return fail(
    failure(
      "EXPORT_REFUSED",
      `${plan.name} does not fit a workflow document: ${z.prettifyError(parsed.error)}`,
    ),
  );
}

/** Why a document's plan cannot be read, and where. */
export interface PlanFault {
  readonly path: DocumentPath;
  readonly message: string;
}

/**
 * The plan that a document says; undefined where it is none of a plan. A document whose other fields say something else
 * than its plan has a fault; roles and hints for other engines are nothing of a plan's.
 */
export function workflowPlan(
  document: Workflow,
): { readonly plan: Plan | undefined } | { readonly fault: PlanFault } {
  const whole = document.skill["x-repertoire"]?.["plan"];
  const { tasks } = document.skill.workflow;
  if (whole === undefined) {
    const lost = tasks.findIndex((task) => task["x-repertoire"]?.step !== undefined);
    if (lost < 0) return { plan: undefined };
    const path = ["skill", "workflow", "tasks", lost, "x-repertoire", "step"];
    return { fault: { path, message: "This is a step of a plan, and the skill's x-repertoire has no plan" } };
  }
  const steps = tasks.flatMap((task) => task["x-repertoire"]?.step ?? []);
  const parsed = PLAN.safeParse(isJsonObject(whole) ? { ...whole, steps } : whole);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      fault: { path: EXTENSION, message: `This is no plan: ${issue?.path.join(".")}: ${issue?.message}` },
    };
  }
  const path = firstDifference(plainJson(documentOf(parsed.data)), plainJson(withoutHints(document)), []);
  if (!path) return { plan: parsed.data };
  const message =
    "This is not what the plan in x-repertoire says: change the plan, or delete it and its steps";
  return { fault: { path, message } };
}

/** A document without what it tells other engines alone, whatever a plan does: roles, and hints. */
function withoutHints({ skill, ...document }: Workflow): Workflow {
  const { framework_adapters: _, ...rest } = skill;
  const tasks = skill.workflow.tasks.map(({ role: _role, ...task }) => task);
  return { ...document, skill: { ...rest, workflow: { ...skill.workflow, tasks } } };
}

/** What a plan takes and gives, as JSON Schema. */
export function planContract({ params, output }: Plan): {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
} {
  const required = params.flatMap(({ name, optional }) => (optional === true ? [] : [name]));
  const properties = params.map(({ name, schema, description, default: value }) => [
    name,
    {
      ...schema,
      ...(description === undefined ? {} : { description }),
      ...(value === undefined ? {} : { default: value }),
    },
  ]);
  return {
    input: {
      type: "object",
      properties: Object.fromEntries(properties) as JsonObject,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    output: output.schema,
  };
}

const EXTENSION: DocumentPath = ["skill", "x-repertoire", "plan"];

function plainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function firstDifference(
  a: Json | undefined,
  b: Json | undefined,
  path: DocumentPath,
): DocumentPath | undefined {
  if (isDeepStrictEqual(a, b)) return undefined;
  const [left, right] = [childrenOf(a), childrenOf(b)];
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  const other = keys.find((key) => !isDeepStrictEqual(left.get(key), right.get(key)));
  if (other === undefined || !right.has(other)) return path;
  return firstDifference(left.get(other), right.get(other), [...path, other]);
}

function childrenOf(value: Json | undefined): ReadonlyMap<string | number, Json> {
  if (Array.isArray(value)) return new Map(value.entries());
  return new Map(isJsonObject(value) ? Object.entries(value) : []);
}

function documentOf({ steps, ...plan }: Plan): Workflow {
  const { name, description, matching, preconditions = [], postconditions = [] } = plan;
  const tasks = tasksOf(steps);
  const document: Workflow = {
    $schema: WORKFLOW_SCHEMA_ID,
    skill_schema_version: WORKFLOW_VERSION,
    skill: {
      metadata: {
        name,
        description: description || describedBy(steps),
        ...(matching?.category === undefined ? {} : { category: matching.category }),
        ...(matching && matching.tags.length > 0 ? { tags: matching.tags } : {}),
      },
      interface: { inputs: plan.params.map(inputOf), outputs: outputsOf(plan.output) },
      workflow: {
        type: "dag",
        tasks:
          tasks.length > 0
            ? tasks
            : [{ task_id: "result", type: "code_execution_task", "x-repertoire": { version: 1 } }],
      },
      matching: {
        pattern_signature: { keywords: matching?.keywords ?? [] },
        examples: matching?.examples ?? [],
        preconditions: preconditions.map(preconditionOf),
      },
      quality: { postconditions: [...postconditions] },
      "x-repertoire": { version: 1, plan },
    },
  };
  return plainJson(document) as unknown as Workflow;
}

function describedBy(steps: readonly Step[]): string {
  const callees = [...toolsOf(steps), ...skillsOf(steps)];
  return callees.length === 0 ? "Gives what it makes of its inputs." : `Calls ${callees.join(", ")}.`;
}

function inputOf({ name, schema, description, optional, default: value }: Param): WorkflowInput {
  return {
    name,
    type: typeOf(schema),
    ...(description === undefined ? {} : { description }),
    ...(optional === true ? { required: false } : {}),
    ...(value === undefined ? {} : { default: value }),
  };
}

/** The schema, where the notation reads it as it is. */
function typeOf(schema: JsonObject): TypeNotation {
  const type = withoutEmpty(schema);
  if (!isJsonObject(type)) return "any";
  return isDeepStrictEqual(plainJson(schemaOfNotation(type, [], [])), type) ? type : "any";
}

/** An empty schema would be an object without properties. */
function withoutEmpty(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  if (Object.keys(schema).length === 0) return true;
  const { items, properties } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: withoutEmpty(items) }),
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, withoutEmpty(each)]),
          ),
        }
      : {}),
  };
}

/** The fields of an object are outputs of their own; whatever else there is has the name `result`. */
function outputsOf({ value, schema }: Plan["output"]): readonly WorkflowOutput[] {
  const { properties, required } = schema;
  const names = isJsonObject(properties) ? Object.entries(properties) : [];
  const areFields =
    value.kind === "object" &&
    names.length > 0 &&
    names.every(([name]) => /^[A-Za-z_][\w-]{0,63}$/.test(name));
  if (!areFields) return [{ name: "result", type: typeOf(schema) }];
  const needed = new Set(Array.isArray(required) ? required : []);
  return names.map(([name, type]) =>
    outputOf(name, isJsonObject(type) ? typeOf(type) : "any", needed.has(name)),
  );
}

function outputOf(name: string, type: TypeNotation, isNeeded: boolean): WorkflowOutput {
  return isNeeded ? { name, type } : { name, type, required: false };
}

function preconditionOf(condition: PlanCondition): WorkflowPrecondition {
  return { type: "input_validation", ...condition };
}

const MAX_LISTED = 200;

function tasksOf(steps: readonly Step[]): readonly WorkflowTask[] {
  const known = new Set<string>(steps.flatMap((step) => (hasName(step) ? [step.name] : [])));
  const ids: string[] = [];
  return steps.map((step, index): WorkflowTask => {
    const id = hasName(step) ? step.name : freeId(`${step.kind}_${index + 1}`, known);
    ids.push(id);
    const within = [step];
    const tools = toolsOf(within);
    const [skill] = skillsOf(within);
    const refs = referencesOf(step);
    // A step comes after the one before it, after what it uses, and after what decides whether it is done at all.
    const uses = steps.slice(0, index).flatMap((other, at) => {
      const isUsed = hasName(other) && refs.has(other.name);
      return isUsed || !hasName(other) || at === index - 1 ? [ids[at] ?? ""] : [];
    });
    const common = {
      task_id: id,
      ...(uses.length > 0 ? { dependencies: uses.slice(-MAX_LISTED) } : {}),
      ...(tools.length > 0 ? { tools: tools.slice(0, MAX_LISTED).map((name) => ({ name })) } : {}),
      ...inputsOf(step),
      "x-repertoire": { version: 1 as const, step: plainJson(step) as JsonObject },
    };
    if (tools.length > 0) return { ...common, type: "tool_call_task" };
    return skill === undefined
      ? { ...common, type: "code_execution_task" }
      : { ...common, type: "skill_task", skill };
  });
}

function freeId(wanted: string, taken: Set<string>): string {
  const id = taken.has(wanted) ? freeId(`${wanted}_`, taken) : wanted;
  taken.add(id);
  return id;
}

function referencesOf(step: Step): ReadonlySet<string> {
  const parts = expressionsOf(step).flatMap(subexpressions);
  return new Set(parts.flatMap((part) => (part.kind === "ref" ? [part.name] : [])));
}

function inputsOf(step: Step): { readonly inputs?: { readonly from_skill_inputs: readonly string[] } } {
  const parts = expressionsOf(step).flatMap(subexpressions);
  const names = parts.flatMap((part) => (part.kind === "param" ? [part.name] : []));
  const given = [...new Set(names)].slice(0, MAX_LISTED);
  return given.length === 0 ? {} : { inputs: { from_skill_inputs: given } };
}
