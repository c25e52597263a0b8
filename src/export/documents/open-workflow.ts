import { Document, Scalar } from "yaml";
import { failure } from "../../core/error.ts";
import type { Json } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { suppliedNames } from "../../learn/codegen/answered.ts";
import { subexpressions } from "../../learn/plan/expression.ts";
import type { BranchSide, CallStep, Expression, LoopStep, Plan, Step } from "../../learn/plan/plan.ts";
import { expressionsOf } from "../../learn/plan/steps.ts";
import { mayWriteBy } from "../../learn/plan/tool-effects.ts";
import { isSame } from "../../learn/plan/values.ts";
import type { ExportedSkill, Exporter, ToolAccess } from "../engine-adapter.ts";
import { deedOf, everyStep, printableAsNodes, UNLIKE_AJV } from "../plan-nodes.ts";
import { type JqRef, jqVariable, JqPrinter, keyPath, jqLiteral, NotInJq } from "./jq-expression.ts";
import { openWorkflowReadme } from "./open-workflow-readme.ts";

/**
 * Open Workflow Specification (until 2026 Serverless Workflow), DSL 1.0: a document whose tasks are the steps, with
 * expressions in jq, and calls over plain HTTP.
 */
export const OPEN_WORKFLOW: Exporter = {
  name: "openworkflow",
  canExecute: (skill, access) => {
    const made = documentText(skill, access);
    return made.ok ? ok(null) : made;
  },
  export: (skill, access) => {
    const made = documentText(skill, access);
    if (!made.ok) return made;
    const file = `${skill.name}.workflow.yaml`;
    return ok([
      { path: file, text: made.value },
      { path: "README.md", text: openWorkflowReadme(skill, file) },
    ]);
  },
};

function documentText(skill: ExportedSkill, access: ToolAccess): Result<string> {
  const printable = printableAsNodes(skill, access, { language: "jq", unlike: UNLIKE_AJV });
  if (!printable.ok) return printable;
  const refused = (place: string, why: string): Result<string> =>
    fail(failure("EXPORT_REFUSED", `${place}: ${why}`));
  const { work, name, description, input, output } = skill;
  if (access.kind === "direct")
    return refused(name, "its document calls tools over plain HTTP, which their own servers do not speak");
  const { published } = access;
  if (work.kind === "plan") {
    const secret = work.plan.params.find((param) => param.secret === true);
    if (secret) return refused(secret.name, "it is a credential, which the engine would keep with the input");
    for (const step of everyStep(work.plan.steps)) {
      const why = unlikeHere(step);
      if (why !== undefined)
        return refused(step.kind === "call" || step.kind === "branch" ? step.name : step.kind, why);
    }
  }
  let done: DocumentParts;
  try {
    done =
      work.kind === "plan" ? new PlanTasks(work.plan, published).document() : callTasks(name, work.mayWrite);
  } catch (error) {
    if (error instanceof NotInJq) return refused(error.step ?? "the output", error.message);
    throw error;
  }
  const isChecked = work.kind === "plan";
  const schemaOf = (document: Json): { readonly schema: JsonNode } => ({
    schema: { format: "json", document },
  });
  return ok(
    yamlText({
      document: {
        dsl: "1.0.0",
        namespace: "repertoire",
        name: name.replaceAll(/[^a-z0-9]+/g, "-"),
        version: "1.0.0",
        ...(description === undefined ? {} : { summary: description }),
      },
      ...(isChecked ? { input: schemaOf(input) } : {}),
      ...(done.hasReads ? { use: { retries: { again: RETRIES } } } : {}),
      do: [
        { begin: { set: { Server: "http://127.0.0.1:3333" }, export: { as: expression("$output") } } },
        ...done.tasks,
      ],
      output: { as: expression(done.output), ...(isChecked ? schemaOf(output) : {}) },
    }),
  );
}

/** What is known of a failed call is its protocol's, and what is read of texts is read by programs of ours. */
function unlikeHere(step: Step): string | undefined {
  const call = step.kind === "branch" ? step.call : step;
  if (step.kind === "branch")
    return "what it does depends on the kind of a failure, which only its message tells";
  if (step.kind === "loop" && step.until && step.gives.kind !== "ref")
    return "when it ends depends on something that may be missing";
  if (call.kind !== "call") return undefined;
  if (call.fails !== undefined) return "it must fail in a way that only its message tells";
  if (call.retried) return "it is made again for kinds of failures that only their messages tell";
  if ((call.reads ?? []).length > 0) return "its answer's text is read in a form that jq has no reader for";
  return undefined;
}

const RETRIES = {
  delay: { seconds: 1 },
  backoff: { exponential: {} },
  limit: { attempt: { count: 2 } },
} as const;

/** JSON in which texts may be written in a way of their own. */
type JsonNode = Json | Scalar | readonly JsonNode[] | { readonly [key: string]: JsonNode };
type Task = { readonly [name: string]: { readonly [key: string]: JsonNode } };

interface DocumentParts {
  readonly tasks: readonly Task[];
  readonly output: string;
  readonly hasReads: boolean;
}

function callTasks(skill: string, mayWrite: boolean): DocumentParts {
  const body = { name: skill, input: expression("$workflow.input") };
  const key = mayWrite ? jqLiteral("run_skill") : undefined;
  return {
    tasks: [callTask("run_skill", { tool: "run_skill", body, key, gives: "result" })],
    output: "$context.result",
    hasReads: !mayWrite,
  };
}

interface HttpCall {
  readonly tool: string;
  readonly body: JsonNode;
  /** Of a call that may write: what tells it from others of the run, as jq. */
  readonly key: string | undefined;
  /** Under which name its answer is kept, where something uses it. */
  readonly gives: string | undefined;
}

function callTask(name: string, { tool, body, key, gives }: HttpCall): Task {
  const call = {
    call: "http",
    with: {
      method: "post",
      endpoint: expression(`$context.Server + ${jqLiteral(`/tools/${encodeURIComponent(tool)}`)}`),
      headers: {
        Prefer: "unwrapped",
        ...(key === undefined ? {} : { "Idempotency-Key": expression(`$workflow.id + "/" + ${key}`) }),
      },
      body,
    },
  };
  const kept = gives === undefined ? {} : { export: { as: expression(`$context + {${gives}: $output}`) } };
  if (key !== undefined) return { [name]: { ...call, ...kept } };
  const catches = { errors: { with: { type: COMMUNICATION } }, retry: "again" };
  return { [name]: { try: [{ call }], catch: catches, ...kept } };
}

const COMMUNICATION = "https://serverlessworkflow.io/spec/1.0.0/errors/communication";

/** The steps of a plan as tasks. */
class PlanTasks {
  readonly #plan: Plan;
  readonly #published: (tool: string) => string;
  readonly #mayWrite: (tool: string) => boolean;
  readonly #used: ReadonlySet<string>;
  readonly #refs = new Map<string, JqRef>();
  readonly #names = new Set<string>(["begin"]);
  readonly #printer: JqPrinter;
  #hasReads = false;

  constructor(plan: Plan, published: (tool: string) => string) {
    this.#plan = plan;
    this.#published = published;
    this.#mayWrite = mayWriteBy(plan.effects);
    const parts = [...plan.steps.flatMap(expressionsOf), plan.output.value].flatMap(subexpressions);
    this.#used = new Set(parts.flatMap((part) => (part.kind === "ref" ? [part.name] : [])));
    this.#printer = new JqPrinter({
      params: new Map(plan.params.map((param) => [param.name, param])),
      given: suppliedNames(plan),
      input: "$workflow.input",
      ref: (name) => this.#refs.get(name) ?? { code: jqVariable(name), holds: "value" },
    });
  }

  document(): DocumentParts {
    const tasks = this.#tasks(this.#plan.steps, []);
    const finish = { set: { result: expression(this.#printer.output(this.#plan.output.value)) } };
    return {
      tasks: [...tasks, { [this.#name("finish")]: finish }],
      output: ".result",
      hasReads: this.#hasReads,
    };
  }

  #tasks(steps: readonly Step[], rounds: readonly string[]): readonly Task[] {
    return steps.flatMap((step) => {
      try {
        return this.#step(step, rounds);
      } catch (error) {
        if (error instanceof NotInJq) error.step ??= "name" in step ? step.name : step.kind;
        throw error;
      }
    });
  }

  #name(wanted: string): string {
    let name = wanted;
    for (let next = 2; this.#names.has(name); next++) name = `${wanted}_${next}`;
    this.#names.add(name);
    return name;
  }

  /** Has what a step gives in the context; no name of a plan begins with a capital, as those do that are added here. */
  #keep(name: string, holds: JqRef["holds"]): void {
    this.#refs.set(name, { code: `$context${keyPath([name])}`, holds });
  }

  #step(step: Step, rounds: readonly string[]): readonly Task[] {
    const name = this.#name(deedOf(step));
    switch (step.kind) {
      case "call":
        return [this.#call(name, step, rounds)];
      case "guard":
        return [
          {
            [name]: {
              if: expression(this.#printer.compared(step.value, "!=", step.equals)),
              ...raised("SKILL_THREW", OTHER_CASE),
            },
          },
        ];
      case "choice": {
        if (step.chosen.kind !== "param") return [];
        const { chosen, in: list, path } = step;
        const options = this.#printer.options(list, path);
        return [
          {
            [name]: {
              if: expression(this.#printer.isNoOption(chosen, list, path)),
              do: [
                {
                  nothing: {
                    if: expression(`(${options}) == []`),
                    ...raised("SKILL_THREW", `There is nothing to choose ${chosen.name} from`),
                  },
                },
                {
                  options: raised(
                    "CHOICE_NEEDED",
                    expression(
                      `"${chosen.name} is to be one of " + (${options} | tojson)`.replaceAll(/\n\s*/g, " "),
                    ),
                  ),
                },
              ],
            },
          },
        ];
      }
      case "loop":
        return this.#loop(name, step, rounds);
      case "switch": {
        // The first of equal cases is the one that is taken; no runtime is asked which.
        const distinct = step.cases.filter(
          ({ equals }, nth) => !step.cases.slice(0, nth).some((before) => isSame(before.equals, equals)),
        );
        const sides = distinct.map((each, nth) => ({ each, name: this.#name(`${step.name}_${nth + 1}`) }));
        const isOption = distinct.some(({ gives }) => this.#printer.isOptional(gives));
        const other = this.#name(`${step.name}_unknown`);
        const cases = sides.map(({ each, name: to }, nth) => ({
          [`case_${nth + 1}`]: {
            when: expression(
              this.#printer.compared(step.value, "==", { kind: "constant", value: each.equals }),
            ),
            ...directive(to),
          },
        }));
        const done = sides.map(({ each, name: side }): Task => ({
          [side]: { do: [...this.#side(step.name, each, { isOption, rounds })], ...directive("exit") },
        }));
        if (this.#used.has(step.name)) this.#keep(step.name, isOption ? "option" : "value");
        const choose: Task = {
          [this.#name(`${step.name}_case`)]: { switch: [...cases, { otherwise: directive(other) }] },
        };
        return [{ [name]: { do: [choose, ...done, { [other]: raised("SKILL_THREW", OTHER_CASE) }] } }];
      }
      case "branch":
        return [];
    }
  }

  #side(
    name: string,
    { steps, gives }: BranchSide,
    { isOption, rounds }: { readonly isOption: boolean; readonly rounds: readonly string[] },
  ): readonly Task[] {
    const inner = this.#tasks(steps, rounds);
    if (!this.#used.has(name))
      return inner.length > 0 ? inner : [{ [this.#name("nothing")]: { set: { done: true } } }];
    const code = this.#printer.value(gives);
    return [...inner, this.#kept(name, expression(isOption ? `[${code}]` : code))];
  }

  #kept(key: string, value: JsonNode): Task {
    return {
      [this.#name(`keep_${key}`)]: {
        set: { [key]: value },
        export: { as: expression("$context + $output") },
      },
    };
  }

  #call(name: string, { name: own, tool, args, isSkill }: CallStep, rounds: readonly string[]): Task {
    const mayWrite = this.#mayWrite(tool);
    this.#hasReads ||= !mayWrite;
    const given = this.#arguments(args);
    const place =
      rounds.length === 0 ? jqLiteral(name) : `"${name}${rounds.map((round) => `/\\(${round})`).join("")}"`;
    const key = mayWrite ? place : undefined;
    const call =
      isSkill === true
        ? { tool: "run_skill", body: { name: tool, input: given } }
        : { tool: this.#published(tool), body: given };
    const task = { ...call, key, gives: this.#used.has(own) ? own : undefined };
    if (task.gives !== undefined) this.#keep(own, "value");
    return callTask(name, task);
  }

  /** Arguments field by field, where all fields are there. */
  #arguments(args: Expression): JsonNode {
    if (args.kind !== "object" || args.fields.some(({ value }) => this.#printer.isOptionalArgument(value)))
      return expression(this.#printer.argument(args));
    return Object.fromEntries(
      args.fields.map(({ name, value }) => [
        name,
        value.kind === "constant" && isPlainInYaml(value.value)
          ? value.value
          : expression(this.#printer.argument(value)),
      ]),
    );
  }

  /**
   * The rounds are counted, and their elements kept, in the context: the reference runtime has the variables of all rounds
   * set before the first has ended.
   */
  #loop(
    name: string,
    { name: own, over, item, steps, gives, until }: LoopStep,
    rounds: readonly string[],
  ): readonly Task[] {
    const isUsed = this.#used.has(own) || until !== undefined;
    const list = this.#printer.list(over);
    const place = `$context${keyPath([own])}`;
    const begin: Task = {
      [this.#name(`${name}_begin`)]: {
        set: {
          [`List_${item}`]: expression(list),
          [`Place_${item}`]: -1,
          ...(isUsed ? { [own]: [] } : {}),
        },
        export: { as: expression("$context + $output") },
      },
    };
    this.#keep(item, "value");
    const at = `$context.Place_${item}`;
    const next: Task = {
      [this.#name(`next_${item}`)]: {
        set: {
          [`Place_${item}`]: expression(`${at} + 1`),
          [item]: expression(`$context.List_${item}[${at} + 1]`),
        },
        export: { as: expression("$context + $output") },
      },
    };
    const inner = [next, ...this.#tasks(steps, [...rounds, at])];
    const holds = this.#printer.isOptional(gives) ? "options" : "value";
    if (isUsed) {
      const code = until ? this.#printer.fulfilling(gives, until) : this.#printer.value(gives);
      inner.push(this.#kept(own, expression(until ? code : added(code, place, holds === "options"))));
    }
    const loop: Task = {
      [name]: {
        for: { each: jqVariable(item).slice(1), in: expression(`$context.List_${item}`) },
        do: until
          ? [{ [this.#name(`${name}_round`)]: { if: expression(`${place} == []`), do: inner } }]
          : inner,
      },
    };
    this.#keep(own, holds);
    if (!until) return [begin, loop];
    this.#refs.set(own, { code: `${place}[0]`, holds: "value" });
    const why = "No round leads to what the input asks for";
    const none: Task = {
      [this.#name(`${name}_in_vain`)]: { if: expression(`${place} == []`), ...raised("SKILL_THREW", why) },
    };
    return [begin, loop, none];
  }
}

/** A list with what code gives behind it, which may have its helpers before it. */
function added(code: string, place: string, isOption: boolean): string {
  const lines = code.split("\n");
  const value = lines.pop() ?? "";
  return [...lines, `(${place} + [${isOption ? `[${value}]` : value}])`].join("\n");
}

const OTHER_CASE = "This case is not one that the skill was learned from";

/** What is done next. */
function directive(to: string): { readonly [key: string]: JsonNode } {
  // oxlint-disable-next-line unicorn/no-thenable -- the DSL calls it so, and nobody awaits a document
  return { then: to };
}

/** Ends the run with a code of ours. */
function raised(code: string, detail: JsonNode): { readonly raise: JsonNode } {
  const status = code === "CHOICE_NEEDED" ? 409 : 500;
  return { raise: { error: { type: `repertoire://errors/${code}`, status, title: code, detail } } };
}

/** Whether a value stands for itself in a document, and no expression is seen in it. */
function isPlainInYaml(value: Json): boolean {
  const text = JSON.stringify(value);
  return !text.includes("${") && !/\d{16}|\de/.test(text);
}

function expression(code: string): Scalar {
  const isLong = code.includes("\n");
  const node = new Scalar(isLong ? `\${\n${code}\n}` : `\${ ${code} }`);
  if (isLong || /["'#]|: /.test(code)) node.type = Scalar.BLOCK_LITERAL;
  return node;
}

function yamlText(value: JsonNode): string {
  return new Document(value, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 });
}
