import { parse } from "acorn";
import { parsedCheck } from "../core/conditions/check-expression.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { ASK_MODEL } from "../core/tools/reserved-tools.ts";
import { fieldAccess, fieldLiteral, literal } from "../learn/codegen/literal.ts";
import { skillCode } from "../learn/codegen/skill-code.ts";
import { stripTypesOrThrow } from "../core/strip-types.ts";
import { workflowPlan } from "./plan-workflow.ts";
import { camelCase, UniqueNames } from "../learn/plan/names.ts";
import { CODE_HELPERS, type CodeHelper, UNCHECKED } from "./code-helpers.ts";
import { type ArgumentValue, type Reference, taskArguments, tasksBefore } from "./task-arguments.ts";
import { isParameterName, taskFunction } from "./task-code.ts";
import { checkedType } from "./checked-type.ts";
import type { DocumentPath } from "./type-notation.ts";
import { asksModel, taskOutputSchema, type WorkflowContract, workflowContract } from "./workflow-contract.ts";
import type {
  AgentTask,
  CodeTask,
  ErrorHandling,
  SuccessCriterion,
  Workflow,
  WorkflowTask,
} from "./workflow.ts";

/** A workflow as one module of JavaScript. */
export interface WorkflowCode {
  readonly code: string;
  /** Where in the document each line of the code comes from; absent where it is of no task. */
  readonly places: readonly (CodePlace | undefined)[];
}

/** A part of a document, or the character of its text that is the first of a line. */
interface CodePlace {
  readonly path: DocumentPath;
  readonly offset?: number;
}

/** Texts of the files that tasks name, by the name as it is written. */
type TaskFiles = ReadonlyMap<string, string>;

/**
 * The code of a document that has been read without errors; the same for the same document. `files` are those of its
 * tasks in other languages, which go to a tool as text. Texts of the document stand in it as literals only, but for the
 * code of its tasks and its checks.
 */
export function workflowCode(document: Workflow, files: TaskFiles = new Map()): WorkflowCode {
  const read = workflowPlan(document);
  if (!("plan" in read) || !read.plan) return new Printer(document, files).print();
  const code = stripTypesOrThrow(skillCode(read.plan));
  return { code: `${schemaCode(workflowContract(document))}\n${code}`, places: [] };
}

/** Whether a task's code is what the sandbox runs. */
function isScript({ language, code_template: template }: CodeTask): boolean {
  const named = (language ?? template?.language ?? "javascript").toLowerCase();
  return ["javascript", "js", "typescript", "ts"].includes(named);
}

function schemaCode({ input, output }: Pick<WorkflowContract, "input" | "output">): string {
  const schemas = [
    `export const inputSchema = ${literal(input)};`,
    `export const outputSchema = ${literal(output)};`,
  ];
  return `${schemas.join("\n")}\n`;
}

/** Which tasks have ended before another begins: also those that may write one after another, in the order of the document. */
function tasksInOrder(document: Workflow): ReadonlyMap<string, ReadonlySet<string>> {
  const { tasks } = document.skill.workflow;
  const before = new Map([...tasksBefore(document)].map(([id, ids]) => [id, new Set(ids)]));
  const groups = Object.entries(document.skill.workflow.parallel_groups ?? {});
  const groupOf = ({ task_id: id, parallel_group: group }: WorkflowTask): string | undefined =>
    group ?? groups.find(([, { tasks: members }]) => members.includes(id))?.[0];
  const reached = new Map<string, Set<string>>();
  const writers: WorkflowTask[] = [];
  for (const task of sorted(tasks, before)) {
    const own = before.get(task.task_id) ?? new Set<string>();
    const all = new Set(own);
    for (const id of own) for (const each of reached.get(id) ?? []) all.add(each);
    if (mayWrite(task)) {
      for (const writer of writers.toReversed()) {
        const isBeside = groupOf(task) !== undefined && groupOf(task) === groupOf(writer);
        if (isBeside || all.has(writer.task_id)) continue;
        own.add(writer.task_id);
        for (const id of [writer.task_id, ...(reached.get(writer.task_id) ?? [])]) all.add(id);
      }
      writers.push(task);
    }
    before.set(task.task_id, own);
    reached.set(task.task_id, all);
  }
  return before;
}

/** Each task after those that it follows; else in the order of the document. */
function sorted(
  tasks: readonly WorkflowTask[],
  before: ReadonlyMap<string, ReadonlySet<string>>,
): readonly WorkflowTask[] {
  const left = new Set(tasks);
  const done = new Set<string>();
  const order: WorkflowTask[] = [];
  while (left.size > 0) {
    const next = [...left].find(({ task_id: id }) =>
      [...(before.get(id) ?? [])].every((each) => done.has(each)),
    );
    if (!next) throw new Error("the tasks of a document that was read have a cycle");
    left.delete(next);
    done.add(next.task_id);
    order.push(next);
  }
  return order;
}

function mayWrite(task: WorkflowTask): boolean {
  if (asksModel(task)) return false;
  switch (task.type) {
    case "agent_task":
      return false;
    case "tool_call_task":
    case "skill_task":
      return true;
    case "code_execution_task":
      return !isScript(task) || task.file !== undefined || callsOut(task);
  }
}

/** Whether the code of a task reaches out, as far as its text tells. */
function callsOut({ code = "" }: CodeTask): boolean {
  let found = false;
  parse(code, {
    ecmaVersion: 2023,
    sourceType: "module",
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    onToken: (token) => {
      const value = "value" in token ? token.value : undefined;
      found ||= typeof value === "string" && REACHES_OUT.test(value);
    },
  });
  return found;
}

// Also within a text, which may become code, and with escapes.
const REACHES_OUT = /call_(?:tool|skill)|^(?:eval|Function|constructor|globalThis)$/;

const MAX_DEFAULT_ATTEMPTS = 3;
const RESERVED_NAMES = ["inputs", "run", "flow", "args", "refused", "outputs", "error"];

class Printer {
  readonly #document: Workflow;
  readonly #files: TaskFiles;
  readonly #names = new UniqueNames();
  readonly #variables = new Map<string, string>();
  readonly #helpers = new Set<CodeHelper>(["newFlow"]);
  readonly #lines: string[] = [];
  readonly #places: (CodePlace | undefined)[] = [];
  readonly #imports: string[] = [];
  /** The code of tasks, which sees nothing of the run but its arguments. */
  readonly #codes: { readonly text: string; readonly code: string; readonly path: DocumentPath }[] = [];
  #place: CodePlace | undefined;

  constructor(document: Workflow, files: TaskFiles) {
    this.#document = document;
    this.#files = files;
    for (const name of [...RESERVED_NAMES, ...Object.keys(CODE_HELPERS)]) this.#names.take(name);
    for (const { task_id: id } of document.skill.workflow.tasks)
      this.#variables.set(id, this.#names.take(camelCase(id.replaceAll("-", "_"))));
  }

  print(): WorkflowCode {
    const { tasks } = this.#document.skill.workflow;
    const contract = workflowContract(this.#document);
    const before = tasksInOrder(this.#document);
    this.#add(
      ...schemaCode(contract).split("\n"),
      "export default async function run(inputs) {",
      "  const flow = newFlow();",
    );
    const indexes = new Map(tasks.map((task, index) => [task.task_id, index]));
    for (const task of sorted(tasks, before)) {
      const index = indexes.get(task.task_id) ?? 0;
      const path = ["skill", "workflow", "tasks", index];
      this.#place = { path };
      this.#add("");
      this.#task(task, path, [...(before.get(task.task_id) ?? [])]);
    }
    this.#place = undefined;
    this.#add("", "  await flow.ended();");
    this.#result(contract);
    this.#add("}");
    for (const { text, code, path } of this.#codes) {
      this.#place = { path };
      this.#add("", text);
      // The lines of the code stand between that which names it and its end.
      const first = this.#places.length - text.split("\n").length + 1;
      let offset = 0;
      for (const [index, line] of code.split("\n").entries()) {
        this.#places[first + index] = { path: [...path, "code"], offset };
        offset += line.length + 1;
      }
    }
    this.#place = undefined;
    if (this.#helpers.has("settle") || this.#helpers.has("taken")) this.#helpers.add("ofFailed");
    for (const [name, text] of Object.entries(CODE_HELPERS))
      if (this.#helpers.has(name as CodeHelper)) this.#add("", ...text.split("\n"));
    const head = [UNCHECKED, ...this.#imports, ...(this.#imports.length > 0 ? [""] : [])];
    return {
      code: [...head, ...this.#lines].join("\n").concat("\n"),
      places: [...head.map(() => undefined), ...this.#places],
    };
  }

  #add(...lines: readonly string[]): void {
    for (const line of lines.flatMap((each) => each.split("\n"))) {
      this.#lines.push(line);
      this.#places.push(this.#place);
    }
  }

  #variable(id: string): string {
    return this.#variables.get(id) ?? id;
  }

  #task(task: WorkflowTask, path: DocumentPath, before: readonly string[]): void {
    const { task_id: id, name = id, description } = task;
    const own = this.#variable(id);
    const given = before.map((each) => this.#variable(each));
    const retry = retryOf(task);
    const otherwise = otherwiseOf(task.error_handling);
    const work = this.#work(task, path);
    for (const said of comment(description === undefined ? name : `${name}: ${description}`))
      this.#add(`  // ${said}`);
    this.#add(
      `  const ${own} = flow.task(${literal(id)}, [${given.join(", ")}], async (${given.join(", ")}) => {`,
    );
    const indent = otherwise === undefined ? "    " : "      ";
    if (otherwise !== undefined) this.#add("    try {");
    this.#add(`${indent}const args = ${this.#arguments(task)};`);
    if (retry === undefined) this.#add(...work.map((line) => `${indent}${line}`));
    else {
      this.#helpers.add("attempted");
      this.#add(`${indent}return await attempted(flow, args, ${literal(retry)}, async (args, refused) => {`);
      this.#add(...work.map((line) => `${indent}  ${line}`));
      this.#add(`${indent}});`);
    }
    if (otherwise !== undefined) {
      this.#helpers.add("settle");
      this.#add(
        "    } catch (error) {",
        `      return settle(${literal(id)}, error, ${literal(otherwise)});`,
        "    }",
      );
    }
    this.#add("  });");
  }

  /** What a task does with `args`, and gives. */
  #work(task: WorkflowTask, path: DocumentPath): readonly string[] {
    const schema = taskOutputSchema(task, path, []);
    this.#helpers.add("outputsOf").add("misfit");
    const answer = this.#answer(task, schema, path);
    const lines = [`const outputs = outputsOf(${answer}, ${literal(schema ? checkedType(schema) : {})});`];
    const criteria = task.success_criteria ?? [];
    if (criteria.length > 0) {
      this.#helpers.add("checkAll");
      lines.push(
        "checkAll([",
        ...criteria.map((each) => `  ${this.#criterion(each, task)},`),
        "], { inputs: args, outputs });",
      );
    }
    return [...lines, "return outputs;"];
  }

  #answer(task: WorkflowTask, schema: JsonSchema | undefined, path: DocumentPath): string {
    if (task.type === "agent_task" || (task.type === "code_execution_task" && asksModel(task)))
      return this.#question(task, schema ?? RESULT);
    switch (task.type) {
      case "tool_call_task":
        return `await call_tool(${literal(task.tools?.[0]?.name ?? "")}, args)`;
      case "skill_task":
        return `await call_skill(${literal(task.skill)}, args)`;
      case "code_execution_task":
        return this.#executed(task, path);
    }
  }

  #question(task: AgentTask | CodeTask, schema: JsonSchema): string {
    const criteria = (task.success_criteria ?? []).map(({ check }) => check);
    const fields = [
      `task: ${literal(task.task_id)}`,
      `prompt: ${literal(promptOf(task))}`,
      "inputs: args",
      `schema: ${literal(schema)}`,
      ...(criteria.length > 0 ? [`criteria: ${literal(criteria)}`] : []),
      ...(retryOf(task) === undefined ? [] : ["refused"]),
    ];
    return `await call_tool(${literal(ASK_MODEL)}, {\n      ${fields.join(",\n      ")},\n    })`;
  }

  #executed(task: CodeTask, path: DocumentPath): string {
    const { code, file, tools, language, code_template: template } = task;
    if (!isScript(task)) {
      this.#helpers.add("printedJson");
      const text = code ?? this.#files.get(file ?? "") ?? "";
      const input = `{ language: ${literal(language ?? template?.language ?? "")}, code: ${literal(text)}, inputs: args }`;
      return `printedJson(await call_tool(${literal(tools?.[0]?.name ?? "")}, ${input}))`;
    }
    this.#helpers.add("copied");
    const name = this.#names.take(`${this.#variable(task.task_id)}Code`);
    if (file !== undefined) {
      this.#imports.push(`import ${name} from ${literal(file.startsWith(".") ? file : `./${file}`)};`);
      return `copied(await ${name}(copied(args)))`;
    }
    const parameters = taskArguments(task)
      .args.map((each) => each.name)
      .filter(isParameterName);
    const made = taskFunction(code ?? "", parameters);
    if (!made.ok) throw new Error(`Code that was checked makes no function: ${made.error.message}`);
    this.#codes.push({ text: `const ${name} = ${made.value};`, code: code ?? "", path });
    return `copied(await ${name}(copied(args)))`;
  }

  #criterion(criterion: SuccessCriterion, task: WorkflowTask): string {
    const { check, critical = true, description, on_failure: action } = criterion;
    const parsed = parsedCheck(check, "post");
    const reads = parsed.ok ? parsed.value.reads.map(({ text }) => text) : [];
    const of = (expression: string): string => `({ inputs, outputs }) => (${expression})`;
    const retry = action === undefined ? undefined : retryAfter(action, task);
    return `{ ${[
      `check: ${literal(check)}`,
      `holds: ${of(check)}`,
      `reads: [${reads.map((each) => `[${literal(each)}, ${of(each)}]`).join(", ")}]`,
      `isCritical: ${critical && action !== "continue"}`,
      ...(retry === undefined ? [] : [`retry: ${literal(retry)}`]),
      ...(description === undefined ? [] : [`description: ${literal(description)}`]),
    ].join(", ")} }`;
  }

  #arguments(task: WorkflowTask): string {
    const { args } = taskArguments(task);
    if (args.length === 0) return "{}";
    const taker = task.type === "tool_call_task" || task.type === "skill_task" ? "call" : "code";
    const fields = args.map(({ name, value }) => `${fieldLiteral(name)}: ${this.#value(value, taker)}`);
    const line = `{ ${fields.join(", ")} }`;
    return line.length <= 90 ? line : `{\n      ${fields.join(",\n      ")},\n    }`;
  }

  /** `taker`: whether it goes into a call, which is not made without it. */
  #value(value: ArgumentValue, taker: "call" | "code"): string {
    switch (value.kind) {
      case "constant":
        return literal(value.value);
      case "reference":
        return this.#taken(value.reference, taker);
      case "text": {
        this.#helpers.add("textOf");
        const parts = value.parts.map((part) =>
          typeof part === "string"
            ? literal(part)
            : `textOf(${this.#taken(part, taker)}, ${literal(referenceText(part))})`,
        );
        return parts.length === 0
          ? `""`
          : parts.length === 1
            ? (parts[0] ?? "")
            : `[${parts.join(", ")}].join("")`;
      }
      case "list":
        return `[${value.items.map((item) => this.#value(item, taker)).join(", ")}]`;
      case "object":
        return `{ ${value.fields.map((field) => `${fieldLiteral(field.name)}: ${this.#value(field.value, taker)}`).join(", ")} }`;
      case "expression":
        throw new Error("a document without a plan was read that has an expression of one");
    }
  }

  /** What a task takes from elsewhere. What another task says that it may leave out is taken as it is. */
  #taken(reference: Reference, taker: "call" | "code"): string {
    const text = this.#reference(reference);
    if (reference.kind === "input" || this.#mayLeaveOut(reference)) return text;
    this.#helpers.add("taken");
    const own = this.#variable(reference.task);
    return `taken(${own}, ${text}, ${literal(referenceText(reference))}, ${taker === "call"})`;
  }

  #mayLeaveOut({ task: id, path }: Reference & { readonly kind: "task" }): boolean {
    const task = this.#document.skill.workflow.tasks.find(({ task_id }) => task_id === id);
    let schema: Json = (task && taskOutputSchema(task, [], [])) ?? {};
    for (const name of path) {
      if (!isJsonObject(schema)) return false;
      const { properties, required }: JsonSchema = schema;
      if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return false;
      if (!Array.isArray(required) || !required.includes(name)) return true;
      schema = properties[name] ?? {};
    }
    return false;
  }

  #reference(reference: Reference): string {
    const [root, path] =
      reference.kind === "input"
        ? ["inputs", [reference.name, ...reference.path]]
        : [this.#variable(reference.task), reference.path];
    return this.#within(root, path);
  }

  #within(root: string, path: readonly string[]): string {
    if (path.every((name) => !mayBeInherited(name)))
      return `${root}${path.map((name) => fieldAccess(name, true)).join("")}`;
    this.#helpers.add("at");
    return `at(${[root, ...path.map((name) => literal(name))].join(", ")})`;
  }

  #result({ outputs }: ReturnType<typeof workflowContract>): void {
    const { tasks } = this.#document.skill.workflow;
    const asked = outputs.filter(({ source }) => source.kind === "model");
    if (asked.length > 0) {
      const known = tasks.map(({ task_id: id }) => `${fieldLiteral(id)}: await ${this.#variable(id)}`);
      const properties = Object.fromEntries(asked.map(({ name, schema }) => [name, schema])) as JsonObject;
      const required = asked.filter(({ isRequired }) => isRequired).map(({ name }) => name);
      const schema = { type: "object", properties, required, additionalProperties: false };
      const names = asked.map(({ name }) => JSON.stringify(name)).join(", ");
      const prompt = `All tasks of "${this.#document.skill.metadata.name}" have ended. Put together, of nothing but what they gave, the outputs that no task has named so: ${names}.`;
      this.#add(
        `  // No task has an output of the name ${names.replaceAll(/[\r\n]/g, " ")}: a model puts them together.`,
        `  const composed = await call_tool(${literal(ASK_MODEL)}, {`,
        `    task: "outputs",`,
        `    prompt: ${literal(prompt)},`,
        `    inputs: { ${known.join(", ")} },`,
        `    schema: ${literal(schema)},`,
        "  });",
      );
    }
    const fields = outputs.flatMap(({ name, source }): readonly string[] => {
      switch (source.kind) {
        case "model":
          return [`${fieldLiteral(name)}: ${this.#within("composed", [name])}`];
        case "reference": {
          const { reference } = source;
          if (reference.kind === "input") return [`${fieldLiteral(name)}: ${this.#reference(reference)}`];
          return [
            `${fieldLiteral(name)}: ${this.#within(`(await ${this.#variable(reference.task)})`, reference.path)}`,
          ];
        }
        case "none":
        case "several":
          return [];
      }
    });
    this.#add(fields.length === 0 ? "  return {};" : `  return {\n    ${fields.join(",\n    ")},\n  };`);
  }
}

/** Whether a value of JSON can have something by that name that is not its own data: a method, a length, a character. */
function mayBeInherited(name: string): boolean {
  return /^\d/.test(name) || [{}, [], "", 0, true].some((each) => name in Object(each));
}

const RESULT: JsonSchema = {
  type: "object",
  properties: { result: { type: "string" } },
  required: ["result"],
  additionalProperties: false,
};

/** A text as lines of a comment, which no text can leave. */
function comment(text: string): readonly string[] {
  const [line = ""] = text.split(/[\r\n\u2028\u2029]/, 1);
  return [line.length > 100 ? `${line.slice(0, 100)}…` : line];
}

function referenceText(reference: Reference): string {
  return reference.kind === "input"
    ? ["inputs", reference.name, ...reference.path].join(".")
    : ["tasks", reference.task, ...reference.path].join(".");
}

/** What a model is told of a task. */
function promptOf(task: AgentTask | CodeTask): string {
  const { name, description, role, code_template: template, tools = [] } = task;
  const {
    logic_description: logic,
    language,
    expected_operations: operations,
    frameworks,
    plot_types: plots,
  } = template ?? {};
  const listed = (title: string, items: readonly string[] | undefined): readonly string[] =>
    items && items.length > 0 ? [`${title}: ${items.join(", ")}.`] : [];
  return [
    ...(role === undefined ? [] : [`You are the ${role}.`]),
    description ?? name ?? task.task_id,
    ...("prompt" in task && task.prompt !== undefined ? [task.prompt] : []),
    ...(logic === undefined ? [] : [logic]),
    ...(language === undefined
      ? []
      : [`It was described as work for a program in ${language}; you have none to run.`]),
    ...listed("It takes these operations", operations),
    ...listed("It was to use", frameworks),
    ...listed("Plots that are wanted", plots),
    ...listed(
      "Tools that were meant for it, which you cannot call",
      tools.map((tool) => tool.name),
    ),
  ].join("\n");
}

/** How often, and after which pauses, a task is made again; nothing where it is made once. */
function retryOf(task: WorkflowTask): JsonObject | undefined {
  const { error_handling: handling = {}, success_criteria: criteria = [] } = task;
  const attempts = attemptsOf(handling);
  const isAfterUnmet = criteria.some(
    ({ on_failure: action }) => action !== undefined && retryAfter(action, task),
  );
  if (attempts <= 1 && !isAfterUnmet) return undefined;
  return {
    attempts,
    backoffMs: handling.backoff_ms ?? 0,
    growth: handling.backoff === "exponential" ? 2 : 1,
    isIdempotent: task.idempotent === true || asksModel(task) || task.type === "agent_task",
    isOneCall: task.type === "tool_call_task" || task.type === "skill_task",
  };
}

function attemptsOf(handling: ErrorHandling): number {
  if (handling.retry_allowed === false) return 1;
  const strategies = Object.values(handling as Readonly<Record<string, Json | undefined>>).flatMap((each) =>
    typeof each === "object" && each !== null && "max_retries" in each
      ? [Number(each["max_retries"]) + 1]
      : [],
  );
  return (
    handling.max_attempts ?? strategies[0] ?? (handling.retry_allowed === true ? MAX_DEFAULT_ATTEMPTS : 1)
  );
}

function retryAfter(
  action: NonNullable<SuccessCriterion["on_failure"]>,
  { error_handling: handling = {} }: WorkflowTask,
): JsonObject | undefined {
  const most = handling.max_attempts ?? MAX_DEFAULT_ATTEMPTS;
  if (typeof action === "string") return action.startsWith("retry") ? { attempts: most } : undefined;
  const { max_attempts: attempts = most, backoff_ms: backoffMs, with: changed } = action.retry;
  return {
    attempts,
    ...(backoffMs === undefined ? {} : { backoffMs }),
    ...(changed === undefined ? {} : { with: changed }),
  };
}

/** What a failed task gives where the run goes on; nothing where it does not. */
function otherwiseOf(handling: ErrorHandling | undefined): JsonObject | undefined {
  const { on_failure: plain, default_outputs: outputs = {}, ...rest } = handling ?? {};
  const special = Object.entries(rest).find(
    ([key, each]) => /^on_.*_failure$/.test(key) && typeof each === "string",
  );
  const action = plain ?? special?.[1];
  if (action === "use_default") return outputs;
  return action === "continue" || action === "skip" ? {} : undefined;
}
