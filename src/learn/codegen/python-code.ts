import { failure, type Failure } from "../../core/error.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { subexpressions } from "../plan/expression.ts";
import type {
  BranchSide,
  BranchStep,
  CallStep,
  ChoiceStep,
  Expression,
  LoopStep,
  Plan,
  Step,
  SwitchStep,
} from "../plan/plan.ts";
import { expressionsOf, namedSteps, skillsOf } from "../plan/steps.ts";
import { mayWriteBy } from "../plan/tool-effects.ts";
import { answerUses } from "../texts/answer-uses.ts";
import { usedReads } from "../texts/readings.ts";
import type { TextForm } from "../texts/text-form.ts";
import { suppliedNames, ownTexts } from "./answered.ts";
import { collectionName } from "./expression-code.ts";
import { enclosed, type Layout, layoutText } from "./layout.ts";
import {
  pythonArguments,
  pythonConditions,
  pythonExpression,
  pythonOutput,
  type PythonPrinting,
} from "./python-expressions.ts";
import { PYTHON_HELPERS } from "./python-helpers.ts";
import { pythonLiteral, PythonNames } from "./python-literal.ts";
import { PYTHON_TEXT_HELPERS } from "./python-text-helpers.ts";
import { formArguments, hasWrittenValues } from "./text-helpers.ts";

const HELPERS: { readonly [name: string]: string } = { ...PYTHON_HELPERS, ...PYTHON_TEXT_HELPERS };

/**
 * The plan as a Python module of its own, for Python 3.10 and later and the standard library alone: `run(given,
 * call_tool)`, and `call_skill` behind it where the plan calls skills. What both of these raise is a call's failure.
 * Refused is a step whose texts are read in a form that Python has no reader for.
 */
export function pythonCode(plan: Plan): Result<string> {
  const unread = namedSteps(plan.steps).find(
    (step) => step.kind === "call" && step.reads?.some(({ forms }) => !forms.every(isReadInPython)),
  );
  if (unread) return fail(unprintable(unread.name));
  const printer = new PythonPrinter(plan);
  const body = printer.body();
  const helpers = helperTexts(printer.helpers);
  const text = [inputType(plan), ...helpers, body].join("\n\n\n");
  const modules = MODULES.filter((name) => text.includes(`${name}.`)).map((name) => `import ${name}\n`);
  const types = TYPES.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const head = plan.description === undefined ? "" : `${docText(plan.description)}\n\n`;
  const imports = `from __future__ import annotations\n\n${modules.join("")}from typing import ${types.join(", ")}`;
  return ok(`${head}${imports}\n\n${text}\n`);
}

function isReadInPython(form: TextForm): boolean {
  return Object.hasOwn(HELPERS, `${form.kind}_of`) && !hasWrittenValues(form);
}

const MODULES = ["asyncio", "datetime", "decimal", "json", "math", "re", "unicodedata"];
const TYPES = ["Any", "Awaitable", "Callable", "TypedDict"];

function unprintable(step: string): Failure {
  return failure(
    "EXPORT_REFUSED",
    `${step}: its answer's text is read in a form that is not printed as Python`,
  );
}

function docText(text: string): string {
  const words = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll("\\", "/")
    .replaceAll('"', "'");
  return `"""${words.trim()}"""`;
}

/** The helpers and those that they use, in the order of the table. */
function helperTexts(wanted: ReadonlySet<string>): readonly string[] {
  const needed = new Set<string>();
  const need = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const [word] of HELPERS[name]?.matchAll(/\w+/g) ?? []) if (Object.hasOwn(HELPERS, word)) need(word);
  };
  for (const name of wanted) need(name);
  return Object.entries(HELPERS).flatMap(([name, text]) => (needed.has(name) ? [text] : []));
}

function inputType({ params }: Plan): string {
  const fieldsOf = (isOptional: boolean): string =>
    params
      .filter(({ optional }) => (optional === true) === isOptional)
      .map(({ name, schema }) => `${pythonLiteral(name)}: ${typeOf(schema)}`)
      .join(", ");
  const [needed, optional] = [fieldsOf(false), fieldsOf(true)];
  const type = (name: string, fields: string, rest = ""): string =>
    `${name} = TypedDict("${name}", {${fields}}${rest})`;
  if (optional === "") return `${type("Given", needed)}\n"""What the caller decides."""`;
  return [
    type("Needed", needed),
    type("Wished", optional, ", total=False"),
    "",
    "",
    "class Given(Needed, Wished):",
    '    """What the caller decides; what is wished may be left out."""',
  ].join("\n");
}

function typeOf(schema: { readonly [key: string]: Json }): string {
  const { type, items } = schema;
  if (type === "array") return `list[${isJsonObject(items) ? typeOf(items) : "Any"}]`;
  return (typeof type === "string" ? PYTHON_TYPES[type] : undefined) ?? "Any";
}

const PYTHON_TYPES: { readonly [type: string]: string } = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  object: "dict[str, Any]",
};

class PythonPrinter {
  readonly helpers = new Set<string>();
  readonly #plan: Plan;
  readonly #names = new PythonNames(Object.keys(HELPERS));
  readonly #printing: PythonPrinting;
  /** What some expression refers to. */
  readonly #used: ReadonlySet<string>;
  readonly #uses: ReturnType<typeof answerUses>;

  constructor(plan: Plan) {
    this.#plan = plan;
    const parts = [...plan.steps.flatMap(expressionsOf), plan.output.value].flatMap(subexpressions);
    this.#used = new Set(parts.flatMap((part) => (part.kind === "ref" ? [part.name] : [])));
    this.#uses = answerUses(plan);
    this.#printing = {
      params: new Map(plan.params.map((param) => [param.name, param])),
      given: suppliedNames(plan),
      answers: new Set(namedSteps(plan.steps).flatMap((step) => (step.kind === "call" ? [step.name] : []))),
      variable: (name) => this.#names.of(name),
      helper: (name) => {
        this.helpers.add(name);
        return name;
      },
    };
  }

  body(): string {
    const { steps, output } = this.#plan;
    const lines = steps.flatMap((step) => this.step(step, INDENT));
    const skills = skillsOf(steps).length > 0 ? ", call_skill: Callable[[str, Any], Awaitable[Any]]" : "";
    return [
      `async def run(given: Given, call_tool: Callable[[str, Any], Awaitable[Any]]${skills}) -> Any:`,
      ...lines,
      this.#line(INDENT, "return ", pythonOutput(output.value, this.#printing)),
    ].join("\n");
  }

  /** The lines of one step. */
  step(step: Step, indent: string): readonly string[] {
    switch (step.kind) {
      case "call":
        return this.#call(step, indent);
      case "loop":
        return this.#loop(step, indent);
      case "guard": {
        const [value, equals] = [this.#code(step.value), this.#code(step.equals)];
        return [
          this.#line(indent, "if not ", this.#help("is_same", value, equals), ":"),
          `${indent}${INDENT}${this.#unknownCase()}`,
        ];
      }
      case "choice":
        return this.#choice(step, indent);
      case "branch":
        return this.#branch(step, indent);
      case "switch":
        return this.#switch(step, indent);
    }
  }

  #line(indent: string, ...parts: readonly Layout[]): string {
    return layoutText(parts, indent);
  }

  #code(expression: Expression): Layout {
    return pythonExpression(expression, this.#printing);
  }

  #help(name: string, ...given: readonly Layout[]): Layout {
    return enclosed(`${this.#printing.helper(name)}(`, given, ")");
  }

  #unknownCase(): string {
    return `raise ${this.#printing.helper("PlanError")}("This case is not one that the skill was learned from")`;
  }

  #callCode({ isSkill, tool, args, retried }: CallStep): Layout {
    const callee = isSkill === true ? "call_skill" : "call_tool";
    const call = [`${callee}(${pythonLiteral(tool)}, `, pythonArguments(args, this.#printing), ")"];
    if (!retried || mayWriteBy(this.#plan.effects)(tool)) return call;
    const { times, kinds } = retried;
    return this.#help("retried", String(times), pythonLiteral([...kinds]), this.#texts(args), [
      "lambda: ",
      call,
    ]);
  }

  /** What the message of a failure may repeat of the arguments. */
  #texts(args: Expression): Layout {
    return enclosed(
      "[",
      ownTexts(args).map((each) => this.#code(each)),
      "]",
    );
  }

  /** What the helpers take that look at how a call ends. */
  #attempt(helper: string, step: CallStep, kind: string): Layout {
    const what = pythonLiteral(`${step.name} (${step.tool})`);
    return [
      "await ",
      this.#help(helper, what, this.#callCode(step), pythonLiteral(kind), this.#texts(step.args)),
    ];
  }

  #call(step: CallStep, indent: string): readonly string[] {
    const name = this.#used.has(step.name) ? this.#names.of(step.name) : undefined;
    const begin = name === undefined ? "" : `${name} = `;
    if (step.fails !== undefined)
      return [this.#line(indent, begin, this.#attempt("must_fail", step, step.fails))];
    const call: Layout = ["await ", this.#callCode(step)];
    return [this.#line(indent, begin, name === undefined ? call : this.#asRead(step, call))];
  }

  /** An answer with what is used of its texts. */
  #asRead({ name, reads = [] }: CallStep, answer: Layout): Layout {
    return usedReads(reads, this.#uses.get(name) ?? []).reduce((inner, { path, forms }) => {
      const read = forms.map((form): Layout => {
        const given = form.kind === "sections" ? [] : formArguments(form).map(pythonLiteral);
        return ["**", this.#help(`${form.kind}_of`, "text", ...given)];
      });
      return this.#help("with_text", inner, pythonLiteral([...path]), [
        "lambda text: ",
        enclosed("{", read, "}"),
      ]);
    }, answer);
  }

  #choice({ chosen, in: options, path }: ChoiceStep, indent: string): readonly string[] {
    if (chosen.kind !== "param") return [];
    const name = pythonLiteral(chosen.name);
    const given = this.#help(
      "chosen_of",
      name,
      this.#code(chosen),
      this.#code(options),
      ...path.map(pythonLiteral),
    );
    return [this.#line(indent, given)];
  }

  #branch({ name, call, fails, failed, succeeded }: BranchStep, indent: string): readonly string[] {
    const inner = indent + INDENT;
    const outcome = this.#names.take(`${call.name}Failed`);
    const isUsed = this.#used.has(call.name);
    const answer = this.#names.of(call.name);
    const read = this.#asRead(call, answer);
    const onSuccess = [
      ...(isUsed && read !== answer ? [this.#line(inner, `${answer} = `, read)] : []),
      ...this.#side(name, succeeded, inner),
    ];
    return [
      this.#line(indent, `${outcome}, ${isUsed ? answer : "_"} = `, this.#attempt("attempt", call, fails)),
      `${indent}if ${outcome}:`,
      ...orPass(this.#side(name, failed, inner), inner),
      ...(onSuccess.length > 0 ? [`${indent}else:`, ...onSuccess] : []),
    ];
  }

  #switch({ name, value, cases }: SwitchStep, indent: string): readonly string[] {
    const inner = indent + INDENT;
    const found = this.#names.take(`${name}Case`);
    const sides = cases.flatMap((each, nth) => [
      this.#line(
        indent,
        nth === 0 ? "if " : "elif ",
        this.#help("is_same", found, pythonLiteral(each.equals)),
        ":",
      ),
      ...orPass(this.#side(name, each, inner), inner),
    ]);
    return [
      this.#line(indent, `${found} = `, this.#code(value)),
      ...sides,
      `${indent}else:`,
      `${inner}${this.#unknownCase()}`,
    ];
  }

  /** One way of a fork, and what it gives where something uses that. */
  #side(name: string, { steps, gives }: BranchSide, indent: string): readonly string[] {
    const body = steps.flatMap((step) => this.step(step, indent));
    if (!this.#used.has(name)) return body;
    return [...body, this.#line(indent, `${this.#names.of(name)} = `, this.#code(gives))];
  }

  #loop(step: LoopStep, indent: string): readonly string[] {
    const { name, over, item, steps, gives, until, order } = step;
    const inner = indent + INDENT;
    const isUsed = this.#used.has(name);
    const begin = isUsed ? `${this.#names.of(name)} = ` : "";
    const element = this.#names.of(item);
    const list = this.#help("list_of", this.#code(over));
    const body = steps.flatMap((each) => this.step(each, inner));
    if (!until && order === "sequential")
      return [
        ...(isUsed ? [`${indent}${begin}[]`] : []),
        this.#line(indent, `for ${element} in `, list, ":"),
        ...orPass(
          isUsed
            ? [...body, this.#line(inner, `${this.#names.of(name)}.append(`, this.#code(gives), ")")]
            : body,
          inner,
        ),
      ];
    const round = this.#names.take(`${name}Round`);
    const rounds = [
      `${indent}async def ${round}(${element}: Any) -> Any:`,
      ...body,
      this.#line(inner, "return ", this.#code(gives)),
      "",
    ];
    if (!until) {
      const all: Layout = ["await asyncio.gather(*[", `${round}(${element}) for ${element} in `, list, "])"];
      return [...rounds, this.#line(indent, begin, isUsed ? ["list(", all, ")"] : all)];
    }
    const fits: Layout = ["lambda each: ", pythonConditions(until, this.#printing)];
    const found = this.#help("first_that", list, pythonLiteral(collectionName(over)), round, fits);
    return [...rounds, this.#line(indent, begin, "await ", found)];
  }
}

const INDENT = "    ";

function orPass(lines: readonly string[], indent: string): readonly string[] {
  return lines.length > 0 ? lines : [`${indent}pass`];
}
