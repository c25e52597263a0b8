import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { DocumentPath } from "./type-notation.ts";
import type { Workflow, WorkflowTask } from "./workflow.ts";

/** What a task takes from elsewhere: from an input of the skill, or from what an earlier task gave. */
export type Reference =
  | { readonly kind: "input"; readonly name: string; readonly path: readonly string[] }
  /** An empty path is all that the task gave. */
  | { readonly kind: "task"; readonly task: string; readonly path: readonly string[] };

export type ArgumentValue =
  | { readonly kind: "constant"; readonly value: Json }
  | { readonly kind: "reference"; readonly reference: Reference }
  | { readonly kind: "text"; readonly parts: readonly (string | Reference)[] }
  /** A plan's expression, in which a parameter is an input of the skill and a reference what a task gave. */
  | { readonly kind: "expression"; readonly expression: JsonObject }
  | { readonly kind: "list"; readonly items: readonly ArgumentValue[] }
  | {
      readonly kind: "object";
      readonly fields: readonly { readonly name: string; readonly value: ArgumentValue }[];
    };

/** What a task is given under a name. */
export interface TaskArgument {
  readonly name: string;
  readonly value: ArgumentValue;
  /** Where in the task it is written. */
  readonly path: DocumentPath;
}

export interface ArgumentFault {
  readonly path: DocumentPath;
  readonly kind: "invalid" | "duplicate";
  readonly message: string;
}

/** What a task is given, in the order in which it is written, and what of it cannot be read. */
export function taskArguments(task: Pick<WorkflowTask, "inputs" | "arguments">): {
  readonly args: readonly TaskArgument[];
  readonly faults: readonly ArgumentFault[];
} {
  const faults: ArgumentFault[] = [];
  const args = [
    ...listed(task.inputs?.from_skill_inputs, "from_skill_inputs", inputReference, faults),
    ...listed(task.inputs?.from_previous_tasks, "from_previous_tasks", taskReference, faults),
    ...Object.entries(task.arguments ?? {}).map(([name, value]): TaskArgument => {
      const path = ["arguments", name];
      return { name, value: argumentValue(value, path, faults), path };
    }),
  ];
  const names = new Map<string, TaskArgument>();
  for (const argument of args) {
    const first = names.get(argument.name);
    if (first) {
      const message = `two arguments have the name ${JSON.stringify(argument.name)}; the other is ${documentPlace(first.path)}`;
      faults.push({ path: argument.path, kind: "duplicate", message });
    } else names.set(argument.name, argument);
  }
  return { args: [...names.values()], faults };
}

function listed(
  references: readonly string[] | undefined,
  field: string,
  read: (text: string) => Reference | undefined,
  faults: ArgumentFault[],
): readonly TaskArgument[] {
  return (references ?? []).flatMap((text, index): readonly TaskArgument[] => {
    const path = ["inputs", field, index];
    const reference = read(text);
    if (reference) {
      const own = reference.kind === "input" ? reference.name : reference.task;
      return [{ name: reference.path.at(-1) ?? own, value: { kind: "reference", reference }, path }];
    }
    const form = field === "from_skill_inputs" ? "input or input.path" : "task_id.output";
    faults.push({
      path,
      kind: "invalid",
      message: `it must be written as ${form}, not ${JSON.stringify(text)}`,
    });
    return [];
  });
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** `name.path` of the skill's inputs. */
function inputReference(text: string): Reference | undefined {
  const [name = "", ...path] = text.split(".");
  return NAME.test(name) && !path.includes("") ? { kind: "input", name, path } : undefined;
}

/** `task.output.path`. */
export function taskReference(text: string): Reference | undefined {
  const [task = "", ...path] = text.split(".");
  return NAME.test(task) && !path.includes("") ? { kind: "task", task, path } : undefined;
}

/** `inputs.name.path` or `tasks.id.output.path`. */
function anyReference(text: string): Reference | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith("inputs.")) return inputReference(trimmed.slice("inputs.".length));
  return trimmed.startsWith("tasks.") ? taskReference(trimmed.slice("tasks.".length)) : undefined;
}

const FORM = `it must be written as "inputs.name" or "tasks.task_id.output"`;

function argumentValue(value: Json, path: DocumentPath, faults: ArgumentFault[]): ArgumentValue {
  const invalid = (at: DocumentPath, message: string): ArgumentValue => {
    faults.push({ path: at, kind: "invalid", message });
    return { kind: "constant", value: null };
  };
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item, index) =>
      argumentValue(item, [...path, index], faults),
    );
    return items.every(isConstant) ? { kind: "constant", value } : { kind: "list", items };
  }
  if (!isJsonObject(value)) return { kind: "constant", value };
  const keys = Object.keys(value);
  const marker = keys.find((key) => key.startsWith("$"));
  if (marker === undefined) {
    const fields = Object.entries(value).map(([name, field]) => ({
      name,
      value: argumentValue(field, [...path, name], faults),
    }));
    return fields.every((field) => isConstant(field.value))
      ? { kind: "constant", value }
      : { kind: "object", fields };
  }
  const at = [...path, marker];
  const other = keys.find((key) => key !== marker && !(marker === "$expression" && key === "version"));
  if (other !== undefined)
    return invalid([...path, other], `nothing stands beside ${JSON.stringify(marker)}`);
  const given = value[marker];
  switch (marker) {
    case "$from": {
      const reference = typeof given === "string" ? anyReference(given) : undefined;
      return reference ? { kind: "reference", reference } : invalid(at, FORM);
    }
    case "$text":
      if (typeof given !== "string") return invalid(at, "it must be a text");
      return textValue(given) ?? invalid(at, `between \${ and } stands no reference: ${FORM}`);
    case "$expression":
      if (!isJsonObject(given)) return invalid(at, "it must be an expression of a plan");
      return value["version"] === 1
        ? { kind: "expression", expression: given }
        : invalid(path, 'an expression has a version beside it: "version": 1');
    default:
      return invalid(at, "names that begin with $ are $from and $text");
  }
}

function isConstant({ kind }: ArgumentValue): boolean {
  return kind === "constant";
}

/** A text with `${…}` in it; `$${` stands for `${` itself. */
function textValue(text: string): ArgumentValue | undefined {
  const parts: (string | Reference)[] = [];
  let at = 0;
  for (const found of text.matchAll(/\$\$\{|\$\{([^}]*)\}/g)) {
    parts.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[1] === undefined) parts.push("${");
    else {
      const reference = anyReference(found[1]);
      if (!reference) return undefined;
      parts.push(reference);
    }
  }
  parts.push(text.slice(at));
  return { kind: "text", parts: parts.filter((part) => part !== "") };
}

/** Whether an expression of a plan is in a value. */
export function hasExpression(value: ArgumentValue): boolean {
  switch (value.kind) {
    case "constant":
    case "reference":
    case "text":
      return false;
    case "expression":
      return true;
    case "list":
      return value.items.some(hasExpression);
    case "object":
      return value.fields.some((field) => hasExpression(field.value));
  }
}

/** All references in a value. */
export function referencesIn(value: ArgumentValue): readonly Reference[] {
  switch (value.kind) {
    case "constant":
      return [];
    case "reference":
      return [value.reference];
    case "text":
      return value.parts.filter((part) => typeof part !== "string");
    case "expression":
      return referencesInExpression(value.expression);
    case "list":
      return value.items.flatMap(referencesIn);
    case "object":
      return value.fields.flatMap((field) => referencesIn(field.value));
  }
}

/** What a plan's expression names, also names that are bound in it, which are no tasks. */
function referencesInExpression(expression: Json): readonly Reference[] {
  if (Array.isArray(expression)) return (expression as readonly Json[]).flatMap(referencesInExpression);
  if (!isJsonObject(expression)) return [];
  const { kind, name } = expression;
  if (kind === "constant") return [];
  if (kind === "param" && typeof name === "string") return [{ kind: "input", name, path: [] }];
  if (kind === "ref" && typeof name === "string") return [{ kind: "task", task: name, path: [] }];
  return Object.values(expression).flatMap(referencesInExpression);
}

/**
 * For each task the tasks that must have ended before it: those it names, those whose outputs it takes, and those that
 * stand before it where the workflow or a group is sequential.
 */
export function tasksBefore({ skill: { workflow } }: Workflow): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Set(workflow.tasks.map(({ task_id }) => task_id));
  const sequences = [
    ...(workflow.execution_model === "sequential" ? [[...known]] : []),
    ...Object.values(workflow.parallel_groups ?? {}).flatMap(({ tasks, execution }) =>
      execution === "sequential" ? [tasks] : [],
    ),
  ];
  const previous = (id: string): readonly string[] =>
    sequences.flatMap((ids) => (ids.includes(id) ? (ids[ids.indexOf(id) - 1] ?? []) : []));
  return new Map(
    workflow.tasks.map((task) => {
      const taken = taskArguments(task).args.flatMap(({ value }) =>
        referencesIn(value).flatMap((each) => (each.kind === "task" ? [each.task] : [])),
      );
      const all = [...(task.dependencies ?? []), ...taken, ...previous(task.task_id)];
      return [task.task_id, new Set(all.filter((id) => known.has(id) && id !== task.task_id))];
    }),
  );
}

/** How a path is written for people: `inputs.from_skill_inputs[0]`. */
export function documentPlace(path: DocumentPath): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join("");
}
