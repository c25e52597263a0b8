import type { Json, JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { planContract, workflowPlan } from "./plan-workflow.ts";
import { taskReference, type Reference } from "./task-arguments.ts";
import {
  formatKeyword,
  propertiesSchema,
  schemaOfNotation,
  type DocumentPath,
  type NotationFault,
} from "./type-notation.ts";
import type { Workflow, WorkflowInput, WorkflowOutput, WorkflowTask } from "./workflow.ts";

/** Where an output of the skill comes from. */
interface OutputSource {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  /**
   * `model`: no task gives it, so a model is asked for it when all tasks have ended; `none`: nobody gives it; `several`:
   * more than one task has an output of that name, or none that `from` names.
   */
  readonly source:
    | { readonly kind: "reference"; readonly reference: Reference }
    | { readonly kind: "model" }
    | { readonly kind: "none" }
    | { readonly kind: "several"; readonly tasks: readonly string[] };
}

export interface WorkflowContract {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  /** By output of the skill, in their order. */
  readonly outputs: readonly OutputSource[];
  /** Types that cannot be read; paths are from the document's root. */
  readonly faults: readonly NotationFault[];
}

const INTERFACE = ["skill", "interface"] as const;

/** What the skill takes and gives, as JSON Schema. */
export function workflowContract(document: Workflow): WorkflowContract {
  const read = workflowPlan(document);
  if ("plan" in read && read.plan) return { ...planContract(read.plan), outputs: [], faults: [] };
  const faults: NotationFault[] = [];
  const { inputs = [], outputs = [] } = document.skill.interface ?? {};
  const inputSchemas = inputs.map((input, index) => [
    input.name,
    inputSchema(input, [...INTERFACE, "inputs", index], faults),
  ]);
  const required = inputs.filter((each) => isRequiredInput(each)).map(({ name }) => name);
  const sources = outputs.map((output, index): OutputSource => ({
    name: output.name,
    isRequired: output.required !== false,
    schema: valueSchema(output, [...INTERFACE, "outputs", index], faults),
    source: sourceOf(output, document),
  }));
  return {
    input: objectSchema(Object.fromEntries(inputSchemas) as JsonObject, required),
    output: objectSchema(
      Object.fromEntries(sources.map(({ name, schema }) => [name, schema])),
      sources.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ),
    outputs: sources,
    faults,
  };
}

/** What a task gives, as it declares it; undefined: it declares nothing. */
export function taskOutputSchema(
  task: WorkflowTask,
  path: DocumentPath,
  faults: NotationFault[],
): JsonSchema | undefined {
  return task.outputs === undefined
    ? undefined
    : propertiesSchema(task.outputs, [...path, "outputs"], faults);
}

function isRequiredInput({ required, default: otherwise }: WorkflowInput): boolean {
  return required ?? otherwise === undefined;
}

/** Whether a task's work is a model's: an agent's, or code that is only described. */
export function asksModel(task: WorkflowTask): boolean {
  switch (task.type) {
    case "agent_task":
      return true;
    case "code_execution_task":
      return task.code === undefined && task.file === undefined && task.code_template !== undefined;
    case "tool_call_task":
    case "skill_task":
      return false;
  }
}

function objectSchema(properties: JsonObject, required: readonly string[]): JsonSchema {
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function sourceOf({ name, from }: WorkflowOutput, { skill }: Workflow): OutputSource["source"] {
  const { tasks } = skill.workflow;
  if (from !== undefined) {
    const reference = taskReference(from);
    const isKnown = reference?.kind === "task" && tasks.some(({ task_id }) => task_id === reference.task);
    return reference && isKnown ? { kind: "reference", reference } : { kind: "several", tasks: [] };
  }
  const givers = tasks.filter(({ outputs }) => outputs !== undefined && Object.hasOwn(outputs, name));
  const [giver, ...others] = givers;
  if (giver && others.length === 0)
    return { kind: "reference", reference: { kind: "task", task: giver.task_id, path: [name] } };
  if (giver) return { kind: "several", tasks: givers.map(({ task_id }) => task_id) };
  return { kind: tasks.some(asksModel) ? "model" : "none" };
}

/** The schema of a value of the interface, without what only inputs have. */
function valueSchema(
  { type, description, format, item_type, schema: properties }: WorkflowOutput | WorkflowInput,
  path: DocumentPath,
  faults: NotationFault[],
): JsonSchema {
  return {
    ...schemaOfNotation(type, [...path, "type"], faults),
    ...(format !== undefined && formatKeyword(format)),
    ...(item_type !== undefined && { items: schemaOfNotation(item_type, [...path, "item_type"], faults) }),
    ...(properties !== undefined && schemaOfNotation(properties, [...path, "schema"], faults)),
    ...(description !== undefined && { description }),
  };
}

function inputSchema(input: WorkflowInput, path: DocumentPath, faults: NotationFault[]): JsonSchema {
  const { validation = {}, default: otherwise } = input;
  const { extensions, pattern } = validation;
  const ending =
    extensions && extensions.length > 0
      ? `(?:${extensions.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})$`
      : undefined;
  const patterns = [pattern, ending].filter((each) => each !== undefined);
  return {
    ...valueSchema(input, path, faults),
    ...(validation.format !== undefined && formatKeyword(validation.format)),
    ...present({
      minimum: validation.minimum,
      maximum: validation.maximum,
      minLength: validation.min_length,
      maxLength: validation.max_length,
      minItems: validation.min_items,
      maxItems: validation.max_items,
      enum: validation.enum,
      default: otherwise,
    }),
    ...(patterns.length === 1 && { pattern: patterns[0] ?? "" }),
    ...(patterns.length > 1 && { allOf: patterns.map((each) => ({ pattern: each })) }),
  };
}

function present(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, given]) => (given === undefined ? [] : [[key, given]])),
  );
}
