import { listed } from "../core/text/listed.ts";
import { parsedCheck } from "../core/conditions/check-expression.ts";
import type { DiagnosticCode, Severity } from "../core/diagnostic.ts";
import { isJsonObject, type Json } from "../core/json/json.ts";
import { positionAt } from "../core/json/parse-json.ts";
import { schemaFault, validatorOf, type JsonSchema, type Validator } from "../core/json/json-schema.ts";

import { didYouMean } from "../core/text/nearest.ts";
import { shortestCycle, stronglyConnectedComponents } from "../graph/cycles.ts";
import type { DocumentFault } from "./read-workflow.ts";
import { IMPORTS, isParameterName, taskFunction } from "./task-code.ts";
import { hasExpression, referencesIn, taskArguments, tasksBefore, type Reference } from "./task-arguments.ts";
import type { DocumentPath, NotationFault } from "./type-notation.ts";
import { asksModel, taskOutputSchema, workflowContract } from "./workflow-contract.ts";
import {
  OWN_CAPABILITIES,
  type CodeTask,
  type ErrorHandling,
  type Workflow,
  type WorkflowTask,
} from "./workflow.ts";

/** What is wrong in a document whose parts are each what they can be. */
export function workflowFaults(document: Workflow): readonly DocumentFault[] {
  const checked = new WorkflowChecks(document);
  checked.all();
  return checked.faults;
}

const TASKS = ["skill", "workflow", "tasks"] as const;
const INPUTS = ["skill", "interface", "inputs"] as const;
const OUTPUTS = ["skill", "interface", "outputs"] as const;
const GROUPS = ["skill", "workflow", "parallel_groups"] as const;

/** After so many faults no near names are looked for: nobody is shown so many. */
const MAX_HINTS = 300;

/** The file endings of code that the sandbox runs. */
const CODE_FILE = /\.(?:ts|js|mjs)$/;
const SCRIPT_LANGUAGES: ReadonlySet<string> = new Set("javascript js typescript ts".split(" "));

class WorkflowChecks {
  readonly faults: DocumentFault[] = [];
  readonly #document: Workflow;
  readonly #tasks: readonly WorkflowTask[];
  readonly #ids: readonly string[];
  readonly #byId: ReadonlyMap<string, WorkflowTask>;
  readonly #inputs: readonly string[];
  readonly #before: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #befores = new Map<string, ReadonlySet<string>>();

  constructor(document: Workflow) {
    this.#document = document;
    this.#tasks = document.skill.workflow.tasks;
    this.#ids = this.#tasks.map(({ task_id }) => task_id);
    this.#byId = new Map(this.#tasks.map((task) => [task.task_id, task]));
    this.#inputs = (document.skill.interface?.inputs ?? []).map(({ name }) => name);
    this.#before = tasksBefore(document);
  }

  all(): void {
    this.#duplicates(this.#ids, TASKS, "task_id", "Two tasks have the id");
    this.#duplicates(this.#inputs, INPUTS, "name", "Two inputs have the name");
    const outputs = (this.#document.skill.interface?.outputs ?? []).map(({ name }) => name);
    this.#duplicates(outputs, OUTPUTS, "name", "Two outputs have the name");
    for (const [index, task] of this.#tasks.entries()) this.#task(task, [...TASKS, index]);
    this.#cycles();
    this.#groups();
    this.#contract();
    this.#preconditions();
    this.#unreached();
  }

  #told(
    code: DiagnosticCode,
    severity: Severity,
    path: DocumentPath,
    message: string,
    fix: string,
    offset?: number,
  ): void {
    this.faults.push({ code, severity, path, message, fix, ...(offset !== undefined && { offset }) });
  }

  #error(code: DiagnosticCode, path: DocumentPath, message: string, fix: string): void {
    this.#told(code, "error", path, message, fix);
  }

  #duplicates(names: readonly string[], path: DocumentPath, field: string, what: string): void {
    for (const [index, name] of names.entries())
      if (names.indexOf(name) !== index)
        this.#error(
          "workflow-duplicate",
          [...path, index, field],
          `${what} ${JSON.stringify(name)}`,
          "Give each a name of its own",
        );
  }

  #task(task: WorkflowTask, path: DocumentPath): void {
    for (const [index, id] of (task.dependencies ?? []).entries())
      if (!this.#byId.has(id)) this.#unknownTask(id, [...path, "dependencies", index]);
    this.#arguments(task, path);
    this.#criteria(task, path);
    if (task.error_handling) this.#errorHandling(task, task.error_handling, [...path, "error_handling"]);
    switch (task.type) {
      case "tool_call_task":
        return this.#tool(task, path);
      case "code_execution_task":
        return this.#code(task, path);
      case "agent_task":
        return this.#modelTask(task, path);
      case "skill_task":
        if (task.skill === this.#document.skill.metadata.name)
          this.#error(
            "workflow-cycle",
            [...path, "skill"],
            `The task ${JSON.stringify(task.task_id)} calls the skill that it is a part of`,
            "Call another skill",
          );
    }
  }

  #unknownTask(id: string, path: DocumentPath): void {
    if (this.faults.length > MAX_HINTS)
      return this.#error(
        "workflow-reference",
        path,
        `There is no task ${JSON.stringify(id)}`,
        "Name another",
      );
    this.#error(
      "workflow-reference",
      path,
      `There is no task ${JSON.stringify(id)}.${didYouMean(id, this.#ids)}`,
      `The tasks are ${listed(this.#ids)}`,
    );
  }

  #arguments(task: WorkflowTask, path: DocumentPath): void {
    const { args, faults } = taskArguments(task);
    for (const fault of faults)
      this.#error(
        fault.kind === "duplicate" ? "workflow-duplicate" : "workflow-invalid",
        [...path, ...fault.path],
        `In task ${JSON.stringify(task.task_id)}: ${fault.message}`,
        fault.kind === "duplicate"
          ? 'Give one of them another name: "arguments": {"name": {"$from": "tasks.task_id.output"}}'
          : "Write the reference in this form",
      );
    for (const { name, value, path: at } of args) {
      if (hasExpression(value))
        this.#error(
          "workflow-invalid",
          [...path, ...at],
          `In task ${JSON.stringify(task.task_id)}: ${JSON.stringify(name)} has an $expression, which stands in plans only`,
          "Take the parts with $from, and work it out in a code_execution_task",
        );
      for (const reference of referencesIn(value))
        this.#reference(reference, [...path, ...at], value.kind === "expression", task);
    }
    const fromInputs = "code_template" in task ? (task.code_template?.parameters_from_inputs ?? []) : [];
    for (const [index, text] of fromInputs.entries()) {
      const [name = ""] = text.split(".");
      if (!this.#inputs.includes(name))
        this.#unknownInput(name, [...path, "code_template", "parameters_from_inputs", index]);
    }
  }

  #unknownInput(name: string, path: DocumentPath): void {
    this.#error(
      "workflow-reference",
      path,
      `The skill has no input ${JSON.stringify(name)}.${didYouMean(name, this.#inputs)}`,
      this.#inputs.length === 0 ? "Declare it in interface.inputs" : `The inputs are ${listed(this.#inputs)}`,
    );
  }

  #reference(reference: Reference, path: DocumentPath, isBound: boolean, task: WorkflowTask): void {
    if (reference.kind === "input") {
      if (!this.#inputs.includes(reference.name) && !isBound) this.#unknownInput(reference.name, path);
      return;
    }
    // In an expression other names may be bound.
    const giver = this.#byId.get(reference.task);
    if (!giver) {
      if (!isBound) this.#unknownTask(reference.task, path);
      return;
    }
    if (giver === task)
      return this.#error(
        "workflow-cycle",
        path,
        `The task ${JSON.stringify(task.task_id)} takes what it gives itself`,
        "Take it from an earlier task",
      );
    const [output] = reference.path;
    if (output === undefined || giver.outputs === undefined) return;
    if (Object.hasOwn(giver.outputs, output)) return;
    const known = Object.keys(giver.outputs);
    this.#error(
      "workflow-reference",
      path,
      `The task ${JSON.stringify(giver.task_id)} has no output ${JSON.stringify(output)}.${didYouMean(output, known)}`,
      known.length === 0 ? "Declare it in the task's outputs" : `Its outputs are ${listed(known)}`,
    );
  }

  #criteria(task: WorkflowTask, path: DocumentPath): void {
    const names = new Set(taskArguments(task).args.map(({ name }) => name));
    for (const [index, { check, on_failure }] of (task.success_criteria ?? []).entries()) {
      const at = [...path, "success_criteria", index];
      const parsed = parsedCheck(check, "post");
      if (!parsed.ok) {
        const { message, offset } = parsed.error;
        this.#told(
          "condition-invalid",
          "error",
          [...at, "check"],
          `The check of task ${JSON.stringify(task.task_id)} is no expression that can be evaluated, character ${offset + 1}: ${message}`,
          "Write an expression over inputs and outputs, such as outputs.items.length > 0",
          offset,
        );
      } else this.#checkReads(task, parsed.value.reads, [...at, "check"], check);
      if (typeof on_failure !== "object") continue;
      for (const name of Object.keys(on_failure.retry.with ?? {}))
        if (!names.has(name))
          this.#error(
            "workflow-reference",
            [...at, "on_failure", "retry", "with", name],
            `The task ${JSON.stringify(task.task_id)} has no argument ${JSON.stringify(name)} to be changed.${didYouMean(name, [...names])}`,
            names.size === 0 ? "Give the task arguments" : `Its arguments are ${listed([...names])}`,
          );
    }
  }

  #checkReads(
    { task_id, outputs }: WorkflowTask,
    reads: readonly { readonly text: string; readonly path: readonly string[] }[],
    path: DocumentPath,
    check: string,
  ): void {
    if (outputs === undefined) return;
    const known = Object.keys(outputs);
    for (const { text, path: names } of reads) {
      const [root, output] = names;
      if (root !== "outputs" || output === undefined || known.includes(output)) continue;
      this.#told(
        "condition-unknown",
        "error",
        path,
        `The check reads ${text}, but the task ${JSON.stringify(task_id)} has no output ${JSON.stringify(output)}.${didYouMean(output, known)}`,
        `Its outputs are ${listed(known)}`,
        Math.max(0, check.indexOf(text)),
      );
    }
  }

  #errorHandling({ task_id, outputs }: WorkflowTask, handling: ErrorHandling, path: DocumentPath): void {
    const { default_outputs: defaults, retry_allowed, max_attempts } = handling;
    for (const [field, action] of Object.entries(handling)) {
      if (/^on_.+_failure$/.test(field) && typeof action === "string" && action !== "raise_error")
        this.#told(
          "workflow-unchecked",
          "warning",
          [...path, field],
          `"${field}" is taken for every failure of the task ${JSON.stringify(task_id)}: of what kind one is cannot be told`,
          'Write "on_failure" where every failure is meant, else "raise_error"',
        );
      if (action === "use_default" && defaults === undefined)
        this.#error(
          "workflow-invalid",
          [...path, field],
          `The task ${JSON.stringify(task_id)} is to give default outputs, and has none`,
          'Add "default_outputs": {…} beside it',
        );
    }
    if (retry_allowed === false && (max_attempts ?? 1) > 1)
      this.#error(
        "workflow-invalid",
        [...path, "max_attempts"],
        `The task ${JSON.stringify(task_id)} has ${max_attempts} attempts, and no retry is allowed`,
        'Write "retry_allowed": true, or delete max_attempts',
      );
    const known = Object.keys(outputs ?? {});
    for (const name of outputs === undefined ? [] : Object.keys(defaults ?? {}))
      if (!known.includes(name))
        this.#error(
          "workflow-reference",
          [...path, "default_outputs", name],
          `The task ${JSON.stringify(task_id)} has no output ${JSON.stringify(name)}.${didYouMean(name, known)}`,
          `Its outputs are ${listed(known)}`,
        );
  }

  #tool({ task_id, tools = [], "x-repertoire": extension }: WorkflowTask, path: DocumentPath): void {
    if (extension?.step !== undefined) return;
    const [tool, ...others] = tools;
    if (!tool || others.length > 0)
      return this.#error(
        "workflow-invalid",
        tools.length === 0 ? path : [...path, "tools"],
        `The task ${JSON.stringify(task_id)} calls one tool, and names ${tools.length === 0 ? "none" : tools.length}`,
        'Write "tools": [{"name": "server.tool"}]; other calls are tasks of their own',
      );
    this.#toolName(tool.name, [...path, "tools", 0, "name"]);
  }

  #toolName(name: string, path: DocumentPath): void {
    if (!/^[^.\s]+\.\S+$/.test(name))
      this.#error(
        "workflow-invalid",
        path,
        `${JSON.stringify(name)} names no tool: a tool is named server.tool`,
        "Write the configured server's name before it, and a dot",
      );
  }

  #code(task: CodeTask, path: DocumentPath): void {
    const id = JSON.stringify(task.task_id);
    const { code, file, code_template: template, language = template?.language ?? "javascript" } = task;
    if (task["x-repertoire"]?.step !== undefined) return;
    if (asksModel(task)) return this.#modelTask(task, path);
    if (code === undefined && file === undefined)
      return this.#error(
        "workflow-code",
        path,
        `The task ${id} has no code`,
        'Write "code": "return {…}", "file": "./task.js", or describe it in code_template for a model',
      );
    if (code !== undefined && file !== undefined)
      return this.#error(
        "workflow-code",
        [...path, "file"],
        `The task ${id} has code and a file`,
        "Delete one of them",
      );
    const isScript = SCRIPT_LANGUAGES.has(language.toLowerCase());
    if (file !== undefined) this.#codeFile(id, file, isScript, path);
    if (!isScript) this.#foreignCode(task, language, path);
    else if (code !== undefined) this.#script(task, code, [...path, "code"]);
  }

  #codeFile(id: string, file: string, isScript: boolean, path: DocumentPath): void {
    const at = [...path, "file"];
    if (/^(?:[a-z]+:|\/|\\)/i.test(file) || file.split(/[\\/]/).includes(".."))
      this.#error(
        "workflow-code",
        at,
        `The file of task ${id} lies outside the skill's folder`,
        'Copy it into the folder, and write "file": "./task.js"',
      );
    else if (isScript && !CODE_FILE.test(file))
      this.#error(
        "workflow-code",
        at,
        `The file of task ${id} is not JavaScript or TypeScript`,
        "Name a .js, .mjs or .ts file, or say its language",
      );
  }

  /** What the sandbox does not run, a tool of an upstream server runs. */
  #foreignCode({ task_id, tools = [] }: CodeTask, language: string, path: DocumentPath): void {
    const [tool, ...others] = tools;
    if (tool && others.length === 0) return this.#toolName(tool.name, [...path, "tools", 0, "name"]);
    this.#error(
      "workflow-code",
      [...path, "language"],
      `The sandbox does not run ${language}, and the task ${JSON.stringify(task_id)} names ${tool ? "several tools" : "no tool"} that would`,
      'Name the tool of a server that runs it: "tools": [{"name": "server.tool"}], or write JavaScript',
    );
  }

  #script(task: CodeTask, code: string, path: DocumentPath): void {
    const names = taskArguments(task).args.map(({ name }) => name);
    const made = taskFunction(code, names.filter(isParameterName));
    if (made.ok) return;
    const { message, offset } = made.error;
    const { line } = positionAt(code, offset);
    this.#told(
      "workflow-code",
      "error",
      path,
      `The code of task ${JSON.stringify(task.task_id)} makes no function: ${message} (line ${line} of the code)`,
      message === IMPORTS
        ? 'Put it into a file of the folder: "file": "./task.js"'
        : "Mend the JavaScript: a function's body, or a module whose default export is a function; types stand in .ts files",
      offset,
    );
  }

  #modelTask({ task_id, tools = [], outputs, compute_requirements }: WorkflowTask, path: DocumentPath): void {
    const id = JSON.stringify(task_id);
    if (outputs === undefined || Object.keys(outputs).length === 0)
      this.#error(
        "workflow-invalid",
        outputs === undefined ? path : [...path, "outputs"],
        `A model does the task ${id}, which does not say what it gives`,
        'Add "outputs": {"report": "markdown"}',
      );
    if (tools.length > 0)
      this.#told(
        "workflow-unchecked",
        "info",
        [...path, "tools"],
        `The model that does the task ${id} is told of its tools, and cannot call them`,
        "Call them in tasks of their own, and give it what they gave",
      );
    if (compute_requirements?.gpu === true)
      this.#told(
        "workflow-unchecked",
        "info",
        [...path, "compute_requirements"],
        `What the task ${id} requires of the machine is not looked at`,
        "Nothing has to be done",
      );
  }

  #cycles(): void {
    const leads = (id: string): readonly string[] => [...(this.#before.get(id) ?? [])];
    for (const component of stronglyConnectedComponents(this.#ids, leads)) {
      const cycle = shortestCycle(component, leads);
      const [first] = cycle ?? component;
      if (!cycle || first === undefined) continue;
      const isSequential = this.#document.skill.workflow.execution_model === "sequential";
      this.#error(
        "workflow-cycle",
        [...TASKS, this.#ids.indexOf(first), "task_id"],
        `Tasks wait for each other: ${cycle.map((id) => JSON.stringify(id)).join(" waits for ")}`,
        isSequential
          ? "Tasks are done in the order in which they stand: put each behind those that it needs"
          : "Take one of the dependencies, or of the inputs from tasks, out",
      );
    }
  }

  #groups(): void {
    const { parallel_groups: groups, execution_model } = this.#document.skill.workflow;
    for (const [index, { task_id, parallel_group: group }] of this.#tasks.entries()) {
      if (group === undefined || group === null) continue;
      const path = [...TASKS, index, "parallel_group"];
      const declared = groups && Object.hasOwn(groups, group) ? groups[group] : undefined;
      if (groups && !declared)
        this.#error(
          "workflow-reference",
          path,
          `There is no parallel group ${JSON.stringify(group)}.${didYouMean(group, Object.keys(groups))}`,
          `The groups are ${listed(Object.keys(groups))}`,
        );
      if (declared && !declared.tasks.includes(task_id))
        this.#error(
          "workflow-order",
          path,
          `The task ${JSON.stringify(task_id)} is in the group ${JSON.stringify(group)}, which does not list it`,
          `Add it to parallel_groups.${group}.tasks`,
        );
    }
    for (const [name, { tasks, execution = "parallel", wait_for_all }] of Object.entries(groups ?? {})) {
      const path = [...GROUPS, name];
      for (const [index, id] of tasks.entries())
        if (!this.#byId.has(id)) this.#unknownTask(id, [...path, "tasks", index]);
      if (wait_for_all === false)
        this.#error(
          "workflow-order",
          [...path, "wait_for_all"],
          "A group whose first task to succeed ends it is not run: what the others give would be missing",
          'Write "wait_for_all": true, or let later tasks depend on those alone that they need',
        );
      if (execution === "sequential") continue;
      if (execution_model === "sequential")
        this.#error(
          "workflow-order",
          [...path, "execution"],
          `The group ${JSON.stringify(name)} is parallel, and the workflow is sequential`,
          'Write "execution_model": "parallel_where_possible", or take the group out',
        );
      else this.#parallel(tasks, [...path, "tasks"]);
    }
    const members = new Map<string, string[]>();
    for (const { task_id, parallel_group: group } of groups ? [] : this.#tasks)
      if (group) members.set(group, [...(members.get(group) ?? []), task_id]);
    for (const tasks of members.values())
      this.#parallel(tasks, [...TASKS, this.#ids.indexOf(tasks[0] ?? ""), "parallel_group"]);
  }

  #parallel(tasks: readonly string[], path: DocumentPath): void {
    const known = tasks.filter((id) => this.#byId.has(id));
    for (const task of known) {
      const before = this.#allBefore(task);
      const needed = known.find((other) => other !== task && before.has(other));
      if (needed === undefined) continue;
      this.#error(
        "workflow-order",
        path,
        `The tasks ${JSON.stringify(needed)} and ${JSON.stringify(task)} are to run at once, but ${JSON.stringify(task)} waits for ${JSON.stringify(needed)}`,
        "Take one of them out of the group, or the dependency away",
      );
      return;
    }
  }

  #allBefore(task: string): ReadonlySet<string> {
    const known = this.#befores.get(task);
    if (known) return known;
    const found = new Set<string>();
    this.#befores.set(task, found);
    const wanted = [task];
    for (let id = wanted.pop(); id !== undefined; id = wanted.pop())
      for (const before of this.#before.get(id) ?? [])
        if (!found.has(before)) {
          found.add(before);
          wanted.push(before);
        }
    return found;
  }

  #contract(): void {
    const contract = workflowContract(this.#document);
    for (const { path, message } of contract.faults) this.#type(path, message);
    for (const [index, task] of this.#tasks.entries()) {
      const faults: NotationFault[] = [];
      taskOutputSchema(task, [...TASKS, index], faults);
      for (const { path, message } of faults) this.#type(path, message);
    }
    this.#inputSchemas(contract.input["properties"]);
    for (const [index, { name, source, isRequired }] of contract.outputs.entries()) {
      const path = [...OUTPUTS, index];
      const named = JSON.stringify(name);
      const from = this.#document.skill.interface?.outputs?.[index]?.from;
      const mend = 'Write "from": "task_id.output" beside it';
      switch (source.kind) {
        case "reference":
          if (from !== undefined && source.reference.kind === "task")
            this.#from(source.reference, [...path, "from"]);
          break;
        case "several":
          if (from !== undefined) this.#unknownTask(from.split(".")[0] ?? from, [...path, "from"]);
          else
            this.#error(
              "workflow-output",
              [...path, "name"],
              `Several tasks have an output ${named}: ${listed(source.tasks)}`,
              mend,
            );
          break;
        case "model":
          this.#told(
            "workflow-output",
            "info",
            [...path, "name"],
            `No task has an output ${named}: a model is asked for it when all tasks have ended`,
            mend,
          );
          break;
        case "none":
          this.#told(
            "workflow-output",
            isRequired ? "error" : "warning",
            [...path, "name"],
            `No task has an output ${named}, so nobody gives it`,
            mend,
          );
      }
    }
  }

  #type(path: DocumentPath, message: string): void {
    const fix =
      "Write a type such as string, integer, float, boolean, object, array, file_path, or a JSON Schema";
    this.#error("workflow-type", path, `${message.charAt(0).toUpperCase()}${message.slice(1)}`, fix);
  }

  #from(reference: Reference & { readonly kind: "task" }, path: DocumentPath): void {
    const [output] = reference.path;
    const known = Object.keys(this.#byId.get(reference.task)?.outputs ?? {});
    if (output === undefined || known.length === 0 || known.includes(output)) return;
    this.#error(
      "workflow-reference",
      path,
      `The task ${JSON.stringify(reference.task)} has no output ${JSON.stringify(output)}.${didYouMean(output, known)}`,
      `Its outputs are ${listed(known)}`,
    );
  }

  #inputSchemas(properties: Json | undefined): void {
    for (const [index, input] of (this.#document.skill.interface?.inputs ?? []).entries()) {
      const schema = isJsonObject(properties) ? properties[input.name] : undefined;
      if (!isJsonObject(schema)) continue;
      const validator = validatorFor(schema);
      if (!validator) {
        this.#error(
          "schema-invalid",
          [...INPUTS, index, input.validation === undefined ? "type" : "validation"],
          `The input ${JSON.stringify(input.name)} has no valid schema: ${schemaFault(schema) ?? "it cannot be compiled"}`,
          "Mend its type or validation",
        );
        continue;
      }
      if (input.validation?.exists !== undefined)
        this.#told(
          "workflow-unchecked",
          "info",
          [...INPUTS, index, "validation", "exists"],
          `Whether there is a file at the input ${JSON.stringify(input.name)} is not checked: a sandbox sees no files`,
          "Let the first task look, by a tool",
        );
      if (input.default === undefined) continue;
      const fits = validator(structuredClone(input.default));
      if (!fits.ok)
        this.#error(
          "workflow-invalid",
          [...INPUTS, index, "default"],
          `The default of the input ${JSON.stringify(input.name)} does not fit it: ${fits.error[0]?.message ?? ""}`,
          "Write a value that fits the type",
        );
    }
  }

  #preconditions(): void {
    const { preconditions = [] } = this.#document.skill.matching ?? {};
    for (const [index, precondition] of preconditions.entries()) {
      const path = ["skill", "matching", "preconditions", index];
      if (precondition.type === "input_validation" && precondition.check === undefined)
        this.#told(
          "workflow-unchecked",
          "info",
          path,
          "This precondition has no check, so only the inputs' types and validation hold",
          'Add "check": an expression over inputs',
        );
      if (precondition.type !== "capability_check") continue;
      const others = precondition.required_capabilities.filter((each) => !OWN_CAPABILITIES.has(each));
      if (others.length > 0 && !this.#tasks.some(asksModel))
        this.#told(
          "workflow-capability",
          "warning",
          [...path, "required_capabilities"],
          `${listed(others)} ${others.length === 1 ? "is" : "are"} a model's, and no task asks a model`,
          "Delete the capability, or add an agent_task",
        );
    }
  }

  /** Tasks whose work nobody uses, told of those that do nothing but give something. */
  #unreached(): void {
    const { outputs } = workflowContract(this.#document);
    if (outputs.length === 0 || outputs.some(({ source }) => source.kind === "model")) return;
    const used = new Set<string>();
    for (const { source } of outputs)
      if (source.kind === "reference" && source.reference.kind === "task")
        for (const id of [source.reference.task, ...this.#allBefore(source.reference.task)]) used.add(id);
    for (const [index, task] of this.#tasks.entries()) {
      const gives = task.outputs !== undefined && Object.keys(task.outputs).length > 0;
      if (used.has(task.task_id) || !(asksModel(task) || gives)) continue;
      this.#told(
        "workflow-unreached",
        "info",
        [...TASKS, index, "task_id"],
        `Nobody uses what the task ${JSON.stringify(task.task_id)} gives`,
        "Take its outputs in a later task or as the skill's, or delete it",
      );
    }
  }
}

function validatorFor(schema: JsonSchema): Validator | undefined {
  try {
    return validatorOf(schema);
  } catch {
    return undefined;
  }
}
