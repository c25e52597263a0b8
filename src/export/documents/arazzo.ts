import type { Tool } from "@modelcontextprotocol/server";
import { Document } from "yaml";
import { failure } from "../../core/error.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { type JsonSchema, validatorOf } from "../../core/json/json-schema.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { openApiDocument } from "../../core/tools/openapi-document.ts";
import type { CallStep, Expression, Plan } from "../../learn/plan/plan.ts";
import { mayWriteBy } from "../../learn/plan/tool-effects.ts";
import type { ExportedSkill, Exporter, ExportFile, ToolAccess } from "../engine-adapter.ts";
import { deedOf, printableAsNodes, UNLIKE_AJV } from "../plan-nodes.ts";
import { pythonProgram } from "../execution/python-program.ts";
import { ARAZZO_REQUIREMENTS, ARAZZO_RUN, arazzoProgram, arazzoReadme } from "./arazzo-files.ts";

/**
 * Arazzo 1.0.1: a workflow whose steps are operations of an OpenAPI document beside it, where what a plan says can be said
 * without computing anything.
 */
export const ARAZZO: Exporter = {
  name: "arazzo",
  canExecute: (skill, access) => {
    const made = arazzoFiles(skill, access);
    return made.ok ? ok(null) : made;
  },
  export: arazzoFiles,
  program: {
    language: "python",
    requirements: ARAZZO_REQUIREMENTS,
    text: () => pythonProgram({ module: "run", requirements: ARAZZO_REQUIREMENTS, run: ARAZZO_RUN }),
  },
};

function arazzoFiles(skill: ExportedSkill, access: ToolAccess): Result<readonly ExportFile[]> {
  const printable = printableAsNodes(skill, access, { language: "Python", unlike: UNLIKE_AJV });
  if (!printable.ok) return printable;
  const { work, name } = skill;
  try {
    if (access.kind === "direct")
      throw new NotInArazzo(
        name,
        "its operations are called over plain HTTP, which their own servers do not speak",
      );
    const done =
      work.kind === "plan"
        ? new PlanSteps(work.plan, access.published).document(skill)
        : calledSkill(skill, work.mayWrite);
    const text = yamlText(skill, done);
    const openApi = openApiDocument({ name, version: VERSION }, done.tools);
    const served = { ...openApi, servers: [{ url: "http://127.0.0.1:3333" }] };
    return ok([
      { path: `${name}.arazzo.yaml`, text },
      { path: SOURCE, text: `${JSON.stringify(served, null, 2)}\n` },
      { path: "run.py", text: arazzoProgram(skill) },
      { path: "README.md", text: arazzoReadme(skill) },
    ]);
  } catch (error) {
    if (error instanceof NotInArazzo)
      return fail(failure("EXPORT_REFUSED", `${error.place}: ${error.message}`));
    throw error;
  }
}

const SOURCE = "openapi.json";
const VERSION = "1.0.0";

/** What Arazzo cannot say as it is meant, and where. */
class NotInArazzo extends Error {
  override readonly name = "NotInArazzo";
  readonly place: string;

  constructor(place: string, message: string) {
    super(message);
    this.place = place;
  }
}

interface WorkflowParts {
  readonly inputs: JsonSchema;
  readonly steps: readonly ArazzoStep[];
  /** By name, as runtime expressions. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Whose operations are called. */
  readonly tools: readonly Tool[];
}

interface ArazzoStep {
  readonly id: string;
  readonly operation: string;
  readonly mayWrite: boolean;
  readonly payload: Json;
  /** What stands in the payload in the place of null: where, and as runtime expression. */
  readonly replacements: readonly (readonly [target: string, value: string])[];
  /** What is told of the answer, as runtime expressions by name. */
  readonly outputs: Map<string, string>;
  /** What else than the status makes it succeed, as conditions. */
  readonly criteria: Set<string>;
}

function yamlText({ name, description, output }: ExportedSkill, parts: WorkflowParts): string {
  const about = description === undefined ? {} : { summary: description };
  const document = {
    arazzo: "1.0.1",
    info: { title: name, version: VERSION, ...about },
    sourceDescriptions: [{ name: "repertoire", url: SOURCE, type: "openapi" }],
    workflows: [
      {
        workflowId: name,
        inputs: parts.inputs,
        steps: parts.steps.map(stepObject),
        outputs: parts.outputs,
        "x-output": output,
      },
    ],
  };
  const text = new Document(document, { aliasDuplicateObjects: false, compat: "yaml-1.1" }).toString({
    lineWidth: 0,
  });
  const isPlain = !/[\u007F-\u009F\u2028\u2029\uFEFF]|[ ]=$/m.test(text);
  if (isPlain && hasPlainNumbers(document)) return text;
  throw new NotInArazzo(name, "it has a number or a character that readers of YAML take in different ways");
}

function stepObject({
  id,
  operation,
  mayWrite,
  payload,
  replacements,
  outputs,
  criteria,
}: ArazzoStep): JsonObject {
  const conditions = ["$statusCode == 200", ...criteria];
  return {
    stepId: id,
    operationId: operation,
    parameters: [{ name: "Prefer", in: "header", value: "unwrapped" }],
    requestBody: {
      contentType: "application/json",
      payload,
      ...(replacements.length === 0
        ? {}
        : { replacements: replacements.map(([target, value]) => ({ target, value })) }),
    },
    successCriteria: conditions.map((condition) => ({ condition })),
    ...(mayWrite ? {} : { onFailure: [AGAIN] }),
    ...(outputs.size === 0 ? {} : { outputs: Object.fromEntries(outputs) }),
  };
}

/** What merely reads is asked for again where the server has no time for it. */
const AGAIN: JsonObject = {
  name: "again",
  type: "retry",
  retryAfter: 1,
  retryLimit: 2,
  criteria: [{ condition: "$statusCode == 503" }],
};

const ANSWER = "answer";

function answerOf(step: string, output = ANSWER): string {
  return `$steps.${step}.outputs.${output}`;
}

function calledSkill({ name, input, output }: ExportedSkill, mayWrite: boolean): WorkflowParts {
  const id = "run_skill";
  return {
    inputs: { type: "object", properties: { input }, required: ["input"] },
    steps: [
      {
        id,
        operation: "run_skill",
        mayWrite,
        payload: { name, input: null },
        replacements: [["/input", "$inputs.input"]],
        outputs: new Map([[ANSWER, "$response.body"]]),
        criteria: new Set(),
      },
    ],
    outputs: { output: answerOf(id) },
    tools: [runSkill({ outputSchema: output })],
  };
}

/** The operation that runs a skill of the server. */
function runSkill(rest: Pick<Tool, "outputSchema"> = {}): Tool {
  const properties = { name: { type: "string" }, input: {} };
  return {
    name: "run_skill",
    inputSchema: { type: "object", properties, required: ["name", "input"] },
    ...rest,
  };
}

/** The steps of a plan that calls one tool after the other, and computes nothing. */
class PlanSteps {
  readonly #plan: Plan;
  readonly #published: (tool: string) => string;
  readonly #params: ReadonlySet<string>;
  readonly #steps: ArazzoStep[] = [];
  /** By their names in the plan. */
  readonly #named = new Map<string, ArazzoStep>();

  constructor(plan: Plan, published: (tool: string) => string) {
    this.#plan = plan;
    this.#published = published;
    for (const { name, optional, default: value, secret } of plan.params) {
      if (secret === true)
        throw new NotInArazzo(name, "it is a credential, which a runner would keep with the input");
      if (optional === true || value !== undefined)
        throw new NotInArazzo(name, "it may be left out, and Arazzo has no argument that is left out too");
    }
    this.#params = new Set(plan.params.map(({ name }) => name));
  }

  document({ input, output }: ExportedSkill): WorkflowParts {
    const mayWrite = mayWriteBy(this.#plan.effects);
    for (const step of this.#plan.steps) {
      if (step.kind !== "call")
        throw new NotInArazzo(
          "name" in step ? step.name : step.kind,
          "it is no call, and Arazzo has only calls one after the other",
        );
      const added = this.#call(step, mayWrite(step.tool));
      this.#steps.push(added);
      this.#named.set(step.name, added);
    }
    const outputs = this.#outputs(output);
    return { inputs: input, steps: this.#steps, outputs, tools: this.#tools() };
  }

  #call(step: CallStep, mayWrite: boolean): ArazzoStep {
    const { name, tool, args, isSkill } = step;
    if (step.fails !== undefined || step.retried)
      throw new NotInArazzo(
        name,
        "what it does depends on the kind of a failure, which only its message tells",
      );
    if ((step.reads ?? []).length > 0)
      throw new NotInArazzo(name, "its answer's text is read, and Arazzo reads no texts");
    if (args.kind !== "object" && args.kind !== "constant")
      throw new NotInArazzo(name, "its arguments are one value, which is known only in the run");
    const operation = isSkill === true ? "run_skill" : this.#published(tool);
    if (!/^[\w.-]+$/.test(operation))
      throw new NotInArazzo(name, `no operation can be called "${operation}"`);
    const replacements: (readonly [string, string])[] = [];
    const isRun = isSkill === true;
    const given = this.#payload(args, { place: isRun ? "/input" : "", step: name, replacements });
    const deed = deedOf(step).replaceAll(/[^\w-]/g, "_");
    const taken = new Set(this.#steps.map(({ id }) => id));
    let id = deed;
    for (let next = 2; taken.has(id); next++) id = `${deed}_${next}`;
    return {
      id,
      operation,
      mayWrite,
      payload: isRun ? { name: tool, input: given } : given,
      replacements,
      outputs: new Map(),
      criteria: new Set(),
    };
  }

  /** An argument, with null where something is put in its place. */
  #payload(
    expression: Expression,
    at: {
      readonly place: string;
      readonly step: string;
      readonly replacements: (readonly [string, string])[];
    },
  ): Json {
    const { place, step, replacements } = at;
    if (expression.kind === "constant") {
      if (isNoExpression(expression.value)) return expression.value;
      throw new NotInArazzo(step, "it has a text that would be read as an expression");
    }
    if (expression.kind !== "object") {
      const { code, of, path } = this.#value(expression, step);
      if (of !== undefined) this.#tell(of, path);
      replacements.push([place, code]);
      return null;
    }
    const fields = expression.fields.map(({ name, value }) => {
      if (value.kind !== "constant" && /[~/]/.test(name))
        throw new NotInArazzo(
          step,
          `an argument is called "${name}", which not every runner finds by its JSON Pointer`,
        );
      return [name, this.#payload(value, { ...at, place: `${place}/${name}` })] as const;
    });
    if (new Set(fields.map(([name]) => name)).size < fields.length)
      throw new NotInArazzo(step, "two of its arguments have one name");
    return Object.fromEntries(fields);
  }

  /** What the caller gives or an answer tells, as runtime expression. */
  #value(expression: Expression, place: string): ArazzoValue {
    if (expression.kind === "param" && this.#params.has(expression.name))
      return { code: `$inputs.${expression.name}`, of: undefined, path: [] };
    const told = toldBy(expression);
    const of = told && this.#named.get(told.step);
    if (!told || !of) throw new NotInArazzo(place, notTaken(expression));
    const odd = told.path.find((key) => !/^[A-Za-z_][\w-]*$/.test(key));
    if (odd !== undefined)
      throw new NotInArazzo(
        place,
        `it uses a field "${odd}", which not every runner finds by its JSON Pointer`,
      );
    return { code: answerOf(of.id, this.#output(of, told.path)), of, path: told.path };
  }

  /** By which name a place of an answer is known. */
  #output({ outputs }: ArazzoStep, path: readonly string[]): string {
    const code = pointer(path);
    const known = [...outputs].find(([, each]) => each === code);
    if (known) return known[0];
    const wanted = path.length === 0 ? ANSWER : `${ANSWER}_${path.join("_")}`;
    let name = wanted;
    for (let next = 2; outputs.has(name); next++) name = `${wanted}_${next}`;
    outputs.set(name, code);
    return name;
  }

  /** Has the step before fail where an answer does not tell what comes next: before anything else is called. */
  #tell(of: ArazzoStep, path: readonly string[], { orEmpty = false } = {}): void {
    const last = this.#steps.at(-1);
    const value = of === last ? pointer(path) : answerOf(of.id, this.#output(of, path));
    last?.criteria.add(`null != ${value}`);
    if (!orEmpty) last?.criteria.add(`'' != ${value}`);
  }

  #outputs(schema: JsonSchema): Readonly<Record<string, string>> {
    const { value } = this.#plan.output;
    const place = "the output";
    if (this.#steps.length === 0) throw new NotInArazzo(place, "nothing is called, and a workflow has steps");
    if (value.kind !== "object") return { output: this.#told(value, schema, place) };
    const fields = value.fields.map(({ name, value: each }) => {
      if (!/^[\w-]+$/.test(name)) throw new NotInArazzo(place, `no output can be called "${name}"`);
      const property = propertyOf(schema, name);
      return [name, this.#told(each, property, place)] as const;
    });
    if (fields.length === 0 || new Set(fields.map(([name]) => name)).size < fields.length)
      throw new NotInArazzo(place, "it has no fields, or two of one name");
    return Object.fromEntries(fields);
  }

  /** What is missing and what is null are the same to Arazzo, so that one is an error. */
  #told(expression: Expression, schema: JsonSchema | undefined, place: string): string {
    const { code, of, path } = this.#value(expression, place);
    if (of === undefined || path.length === 0) return code;
    if (schema === undefined || validatorOf(schema)(null).ok)
      throw new NotInArazzo(
        place,
        `an answer may not tell ${path.join(".")}, and Arazzo has no output without it`,
      );
    this.#tell(of, path, { orEmpty: true });
    return code;
  }

  /** The tools, as the steps call them. */
  #tools(): readonly Tool[] {
    const tools = new Map<string, Tool>();
    for (const { operation, payload } of this.#steps) {
      const before = tools.get(operation)?.inputSchema.properties ?? {};
      const names = Object.keys((payload ?? {}) as JsonObject);
      const properties = { ...before, ...Object.fromEntries(names.map((name) => [name, {}])) };
      const tool = { name: operation, inputSchema: { type: "object", properties } } as const;
      tools.set(operation, operation === "run_skill" ? runSkill() : tool);
    }
    return [...tools.values()];
  }
}

interface ArazzoValue {
  /** As runtime expression. */
  readonly code: string;
  /** The step whose answer tells it; undefined: the caller's. */
  readonly of: ArazzoStep | undefined;
  /** Where in the answer. */
  readonly path: readonly string[];
}

/** Which step's answer tells a value, and where. */
function toldBy(
  expression: Expression,
): { readonly step: string; readonly path: readonly string[] } | undefined {
  if (expression.kind === "ref") return { step: expression.name, path: [] };
  if (expression.kind !== "field") return undefined;
  const of = toldBy(expression.of);
  return of && { step: of.step, path: [...of.path, ...expression.path] };
}

/** Why a value is not taken over. */
function notTaken(expression: Expression): string {
  if (expression.kind === "field") return notTaken(expression.of);
  if (expression.kind === "param")
    return "it takes a part of what the caller gives, which not every runner finds";
  return `it computes something ("${expression.kind}"), and Arazzo only takes values over; "--whole" exports the skill as one call`;
}

function pointer(path: readonly string[]): string {
  return path.length === 0 ? "$response.body" : `$response.body#/${path.join("/")}`;
}

/** The schema of a field that has to be there. */
function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const {
    properties = {},
    required = [],
    $defs = {},
  } = schema as {
    readonly properties?: Readonly<Record<string, JsonObject | boolean>>;
    readonly required?: readonly string[];
    readonly $defs?: JsonObject;
  };
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return required.includes(name) && typeof own === "object" ? { ...own, $defs } : undefined;
}

/** Whether all texts in a value stand for themselves where expressions are looked for. */
function isNoExpression(value: Json): boolean {
  if (typeof value === "string") return !value.startsWith("$") && !value.includes("{$");
  return typeof value !== "object" || value === null || Object.values(value).every(isNoExpression);
}

/** Whether all numbers are written as every reader of YAML takes them. */
function hasPlainNumbers(value: unknown): boolean {
  if (typeof value === "number") return !/e|\d{16}/.test(String(value));
  return typeof value !== "object" || value === null || Object.values(value).every(hasPlainNumbers);
}
