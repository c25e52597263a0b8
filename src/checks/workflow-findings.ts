import type { CallableTool, CallableTools } from "../contracts/to-types/tool-types.ts";
import { DependencyMemo } from "../core/dependency-memo.ts";
import type { Diagnostic, Severity } from "../core/diagnostic.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { validatorOf, type JsonSchema } from "../core/json/json-schema.ts";
import type { Contract, SkillFolder } from "../core/skill.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { fitOf } from "../subsumption/subsumption.ts";
import { parseDocumentText } from "../workflow/document-text.ts";
import { taskArguments, type ArgumentValue, type Reference } from "../workflow/task-arguments.ts";
import type { DocumentPath } from "../workflow/type-notation.ts";
import { taskOutputSchema, workflowContract } from "../workflow/workflow-contract.ts";
import type { Workflow, WorkflowTask } from "../workflow/workflow.ts";

/** A skill's contract, where it is known. */
type ContractOf = (skill: string) => Pick<Contract, "input" | "output"> | undefined;

interface WorkflowWorld {
  readonly contractOf: ContractOf;
  readonly tools: CallableTools;
}

/**
 * How values flow between the tasks of a workflow, to the tools and skills that it calls, and to its outputs: what is
 * surely missing, or of another type, is an error; what may not fit is a warning, with a value that shows it.
 */
export function workflowFindings(folder: SkillFolder, world: WorkflowWorld): readonly Diagnostic[] {
  if (folder.workflow === undefined) return [];
  // What stands in a folder has been read as a workflow.
  const workflow = folder.workflow as unknown as Workflow;
  const callees = workflow.skill.workflow.tasks.map((task) => calleeOf(task, world));
  return kept.of(folder, callees, () => findingsIn(folder, workflow, world));
}

const kept = new DependencyMemo<SkillFolder, readonly Diagnostic[]>();

/** The skill or the tool that does a task, where it is known. */
function calleeOf(
  task: WorkflowTask,
  { contractOf, tools }: WorkflowWorld,
): ReturnType<ContractOf> | CallableTool {
  switch (task.type) {
    case "skill_task":
      return contractOf(task.skill);
    case "tool_call_task":
      return tools.get(task.tools?.[0]?.name ?? "");
    case "code_execution_task":
    case "agent_task":
      return undefined;
  }
}

function findingsIn(folder: SkillFolder, workflow: Workflow, world: WorkflowWorld): readonly Diagnostic[] {
  const flows = new TaskFlows(workflow, world);
  flows.all();
  if (flows.faults.length === 0) return [];
  const [document] = folder.sources;
  const parsed = parseDocumentText(document?.text ?? "", document?.path.endsWith(".json") ? "json" : "yaml");
  return flows.faults.map(({ path, severity, code, message, fix }) => {
    const { line, column } = parsed.ok ? parsed.value.placeOf(path) : { line: 1, column: 1 };
    return { severity, code, path: document?.path ?? folder.file, line, column, message, fix };
  });
}

interface FlowFault extends Pick<Diagnostic, "code" | "severity" | "message" | "fix"> {
  readonly path: DocumentPath;
}

/** A schema with the document that its references are into. */
interface Typed {
  readonly schema: Json;
  readonly root: JsonSchema;
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** The type of an element of what can only be a list. */
function elementAt({ type, prefixItems, items }: JsonObject, name: string): Json | undefined {
  if (type !== "array" || !INDEX.test(name)) return undefined;
  const first = Array.isArray(prefixItems) ? (prefixItems as readonly Json[]) : [];
  return first[Number(name)] ?? items;
}

/** Whether something of these types can have anything of its own by that name: a text, say, has none. */
function mayHave({ type }: JsonObject, name: string): boolean {
  const types =
    typeof type === "string" ? [type] : Array.isArray(type) ? (type as readonly Json[]) : undefined;
  return types === undefined || types.includes("object") || (types.includes("array") && INDEX.test(name));
}

/** Outputs that a task says it always gives. */
function declaredNames(task: WorkflowTask): readonly string[] {
  const required = taskOutputSchema(task, [], [])?.["required"];
  return Array.isArray(required) ? required.map(String) : [];
}

/** Whether its properties alone say what an object has. */
function isPlainObject({ type, properties, ...others }: JsonObject): boolean {
  const isAlone = !["patternProperties", "$ref", "allOf", "anyOf", "oneOf"].some((each) => each in others);
  return type === "object" && isJsonObject(properties) && Object.keys(properties).length > 0 && isAlone;
}

class TaskFlows {
  readonly faults: FlowFault[] = [];
  readonly #document: Workflow;
  readonly #world: WorkflowWorld;
  readonly #contract: ReturnType<typeof workflowContract>;
  readonly #tasks: ReadonlyMap<string, WorkflowTask>;

  constructor(document: Workflow, world: WorkflowWorld) {
    this.#document = document;
    this.#world = world;
    this.#contract = workflowContract(document);
    this.#tasks = new Map(document.skill.workflow.tasks.map((task) => [task.task_id, task]));
  }

  all(): void {
    for (const [index, task] of this.#document.skill.workflow.tasks.entries()) {
      const path = ["skill", "workflow", "tasks", index];
      const { args } = taskArguments(task);
      // Also where the callee is not known, what is taken must be there.
      for (const { value, path: at } of args) this.#given(value, [...path, ...at]);
      for (const name of declaredNames(task))
        this.#typeOf({ kind: "task", task: task.task_id, path: [name] }, [...path, "outputs", name]);
      const taken = this.#takenBy(task);
      if (!taken || task["x-repertoire"]?.step !== undefined) continue;
      const { schema, words } = taken;
      const fields = isJsonObject(schema["properties"]) ? schema["properties"] : {};
      const names = new Set(args.map(({ name }) => name));
      for (const { name, value, path: at } of args) {
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
        if (field !== undefined)
          this.#argument(name, value, { schema: field, root: schema }, words, [...path, ...at]);
        else if (schema["additionalProperties"] === false)
          this.#told(
            "error",
            "flow-mismatch",
            [...path, ...at],
            `T${words.slice(1)} takes no ${JSON.stringify(name)}.${didYouMean(name, Object.keys(fields))}`,
            `It takes ${Object.keys(fields).join(", ") || "nothing"}; give the argument that name in "arguments"`,
          );
      }
      const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
      for (const name of required.filter((each) => !names.has(each)))
        this.#told(
          "error",
          "flow-missing",
          [...path, "task_id"],
          `Nobody gives the task ${JSON.stringify(task.task_id)} ${JSON.stringify(name)}, which ${words} requires`,
          `Add it to the task's arguments: {${JSON.stringify(name)}: {"$from": "inputs.…"}}`,
        );
    }
    for (const [index, { name, source, schema }] of this.#contract.outputs.entries()) {
      if (source.kind !== "reference") continue;
      const path = ["skill", "interface", "outputs", index];
      const given = this.#typeOf(source.reference, [...path, "name"]);
      if (given)
        this.#fit(given, { schema, root: schema }, `the output ${JSON.stringify(name)}`, [...path, "name"]);
    }
  }

  #told(
    severity: Severity,
    code: Diagnostic["code"],
    path: DocumentPath,
    message: string,
    fix: string,
  ): void {
    this.faults.push({ severity, code, path, message, fix });
  }

  #takenBy(task: WorkflowTask): { readonly schema: JsonSchema; readonly words: string } | undefined {
    switch (task.type) {
      case "skill_task": {
        const contract = this.#world.contractOf(task.skill);
        return contract && { schema: contract.input, words: `the skill ${JSON.stringify(task.skill)}` };
      }
      case "tool_call_task": {
        const name = task.tools?.[0]?.name ?? "";
        const tool = this.#world.tools.get(name);
        return tool && { schema: tool.inputSchema, words: `the tool ${JSON.stringify(name)}` };
      }
      case "code_execution_task":
      case "agent_task":
        return undefined;
    }
  }

  /** What a task gives: as who does it says, else as the task declares it. */
  #givenBy(task: WorkflowTask): JsonSchema | undefined {
    const declared = taskOutputSchema(task, [], []);
    switch (task.type) {
      case "skill_task":
        return this.#world.contractOf(task.skill)?.output ?? declared;
      case "tool_call_task":
        return this.#world.tools.get(task.tools?.[0]?.name ?? "")?.outputSchema ?? declared;
      case "code_execution_task":
      case "agent_task":
        return declared;
    }
  }

  /** Looks at all references in a value. */
  #given(value: ArgumentValue, path: DocumentPath): void {
    if (value.kind === "reference") this.#typeOf(value.reference, path);
    if (value.kind === "text")
      for (const part of value.parts) if (typeof part !== "string") this.#typeOf(part, path);
    if (value.kind === "list") for (const item of value.items) this.#given(item, path);
    if (value.kind === "object") for (const field of value.fields) this.#given(field.value, path);
  }

  /** The type of what a reference takes; undefined: nobody says it. What is surely not there is told once. */
  #typeOf(reference: Reference, path: DocumentPath): Typed | undefined {
    const task = reference.kind === "task" ? this.#tasks.get(reference.task) : undefined;
    const root = reference.kind === "input" ? this.#contract.input : task && this.#givenBy(task);
    if (!root) return undefined;
    const isCalled = task?.type === "skill_task" || task?.type === "tool_call_task";
    const names = reference.kind === "input" ? [reference.name, ...reference.path] : reference.path;
    let schema: Json = root;
    for (const name of names) {
      schema = resolved(schema, root);
      if (!isJsonObject(schema)) return undefined;
      const { properties, additionalProperties } = schema;
      const fields = isJsonObject(properties) ? properties : {};
      const next: Json | undefined = Object.hasOwn(fields, name) ? fields[name] : elementAt(schema, name);
      if (next !== undefined) {
        schema = next;
        continue;
      }
      // As in code, what a skill or a tool does not say that it gives is not there.
      const isClosed = isCalled && additionalProperties === undefined && isPlainObject(schema);
      const isNothing = additionalProperties === false || isClosed || !mayHave(schema, name);
      const known = `${path.map(String).join("/")} ${name}`;
      if (isNothing && !this.#missing.has(known)) {
        this.#missing.add(known);
        const giver =
          reference.kind === "input" ? "the input" : `what the task ${JSON.stringify(reference.task)} gives`;
        this.#told(
          "error",
          "flow-missing",
          path,
          `There is no ${JSON.stringify(name)} in ${giver}.${didYouMean(name, Object.keys(fields))}`,
          Object.keys(fields).length > 0
            ? `There are ${Object.keys(fields).join(", ")}`
            : "Take it as a whole, or declare what it has",
        );
      }
      return undefined;
    }
    return { schema, root };
  }

  readonly #missing = new Set<string>();

  #argument(name: string, value: ArgumentValue, target: Typed, words: string, path: DocumentPath): void {
    const what = `${JSON.stringify(name)} of ${words}`;
    switch (value.kind) {
      case "reference": {
        const given = this.#typeOf(value.reference, path);
        return given && this.#fit(given, target, what, path);
      }
      case "text": {
        const schema = { type: "string" };
        return this.#fit({ schema, root: schema }, target, what, path, "error");
      }
      case "constant": {
        const fits = validatorOf(whole(target))(structuredClone(value.value));
        const [issue] = fits.ok ? [] : fits.error;
        if (issue)
          this.#told(
            "error",
            "flow-mismatch",
            path,
            `The value does not fit ${what}: ${[issue.at, issue.message].join(" ").trim()}`,
            "Write a value that it takes",
          );
        return;
      }
      case "expression":
      case "list":
      case "object":
        return;
    }
  }

  #fit(given: Typed, target: Typed, what: string, path: DocumentPath, severity?: "error"): void {
    const [source, taken] = [whole(given), whole(target)];
    const fit = fitOf(source, taken, { exactSource: true });
    if (fit.kind !== "misfit") return;
    if (severity === "error" && !isDisjoint(source, taken)) return;
    this.#told(
      isDisjoint(source, taken) ? "error" : "warning",
      "flow-mismatch",
      path,
      `What is given does not fit ${what}: ${fit.why}, as in ${short(fit.counterexample)}`,
      "Give both the same type, or put a code_execution_task between them that converts the value",
    );
  }
}

function resolved(schema: Json, { $defs }: JsonSchema): Json {
  const reference = isJsonObject(schema) ? schema["$ref"] : undefined;
  const name = typeof reference === "string" ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined;
  return name !== undefined && isJsonObject($defs) && Object.hasOwn($defs, name)
    ? ($defs[name] ?? schema)
    : schema;
}

function whole({ schema, root }: Typed): JsonSchema {
  const own = isJsonObject(schema) ? schema : schema === false ? { not: {} } : {};
  return root["$defs"] === undefined || own === root ? own : { ...own, $defs: root["$defs"] };
}

/** Whether no value can be of both types, as far as their `type` tells. */
function isDisjoint(source: JsonSchema, target: JsonSchema): boolean {
  const [from, to] = [typesOf(source), typesOf(target)];
  return from !== undefined && to !== undefined && !from.some((type) => to.includes(type));
}

function typesOf({ type }: JsonSchema): readonly string[] | undefined {
  const names = Array.isArray(type) ? type.map(String) : typeof type === "string" ? [type] : undefined;
  return names?.map((each) => (each === "integer" ? "number" : each));
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
