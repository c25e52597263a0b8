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
import { expressionsOf, namedSteps, sidesOf } from "../plan/steps.ts";
import { mayWriteBy } from "../plan/tool-effects.ts";
import { answerUses } from "../texts/answer-uses.ts";
import { usedReads } from "../texts/readings.ts";
import { suppliedNames, ownTexts } from "./answered.ts";
import { collectionName } from "./expression-code.ts";
import { enclosed, type Layout, layoutText } from "./layout.ts";
import {
  mayMiss,
  pythonArguments,
  pythonConditions,
  pythonWanted,
  pythonExpression,
  pythonOutput,
  type PythonPrinting,
} from "./python-expressions.ts";
import { pythonLiteral, PythonNames } from "./python-literal.ts";
import { formArguments } from "./text-helpers.ts";

/** How steps are printed. */
export interface PythonStepsOptions {
  /** Names that the module around them has for something else. */
  readonly taken: Iterable<string>;
  /** What is called to make a call: it takes the tool's name and the arguments. */
  readonly callee: (step: CallStep) => string;
}

/** The steps of a plan as lines of Python, whatever stands around them. */
export class PythonSteps {
  /** Those that the lines need. */
  readonly helpers = new Set<string>();
  readonly names: PythonNames;
  readonly #plan: Plan;
  readonly #callee: PythonStepsOptions["callee"];
  readonly #printing: PythonPrinting;
  /** What some expression refers to. */
  readonly #used: ReadonlySet<string>;
  readonly #uses: ReturnType<typeof answerUses>;

  constructor(plan: Plan, { taken, callee }: PythonStepsOptions) {
    this.#plan = plan;
    this.#callee = callee;
    this.names = new PythonNames(taken);
    const parts = [...plan.steps.flatMap(expressionsOf), plan.output.value].flatMap(subexpressions);
    this.#used = new Set(parts.flatMap((part) => (part.kind === "ref" ? [part.name] : [])));
    this.#uses = answerUses(plan);
    this.#printing = {
      params: new Map(plan.params.map((param) => [param.name, param])),
      given: suppliedNames(plan),
      answers: new Set(namedSteps(plan.steps).flatMap((step) => (step.kind === "call" ? [step.name] : []))),
      variable: (name) => this.names.of(name),
      helper: (name) => {
        this.helpers.add(name);
        return name;
      },
    };
  }

  /** Whether some expression refers to what is called so. */
  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  /** Whether there may be nothing, in what a step gives or in its place. */
  mayMiss(step: Step): boolean {
    switch (step.kind) {
      case "call":
        return usedReads(step.reads ?? [], this.#uses.get(step.name) ?? []).length > 0;
      case "loop":
        return mayMiss(step.gives, this.#printing, false);
      case "branch":
      case "switch":
        return sidesOf(step).some(({ gives }) => mayMiss(gives, this.#printing, false));
      case "guard":
      case "choice":
        return false;
    }
  }

  /** The line that has, behind some words, what the plan gives. */
  output(indent: string, begin: string): string {
    return this.#line(indent, begin, pythonOutput(this.#plan.output.value, this.#printing));
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

  /** The line that has, behind some words, what a loop goes over. */
  elements({ over }: LoopStep, indent: string, begin: string): string {
    return this.#line(indent, begin, this.#list(over));
  }

  /** The lines of a loop's rounds, over the elements that a variable has. */
  rounds(step: LoopStep, elements: string, indent: string): readonly string[] {
    return this.#loop(step, indent, elements);
  }

  #list(over: Expression): Layout {
    return this.#help("list_of", this.#code(over));
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

  #callCode(step: CallStep): Layout {
    const { tool, args, retried } = step;
    const begin = `${this.#callee(step)}(${pythonLiteral(tool)}, `;
    const call = [begin, pythonArguments(args, this.#printing), ")"];
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
    const name = this.#used.has(step.name) ? this.names.of(step.name) : undefined;
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
    const outcome = this.names.take(`${call.name}Failed`);
    const isUsed = this.#used.has(call.name);
    const answer = this.names.of(call.name);
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
    const found = this.names.take(`${name}Case`);
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
    return [...body, this.#line(indent, `${this.names.of(name)} = `, this.#code(gives))];
  }

  #loop(step: LoopStep, indent: string, list: Layout = this.#list(step.over)): readonly string[] {
    const { name, over, item, steps, gives, until, order } = step;
    const inner = indent + INDENT;
    const isUsed = this.#used.has(name);
    const begin = isUsed ? `${this.names.of(name)} = ` : "";
    const element = this.names.of(item);
    const body = steps.flatMap((each) => this.step(each, inner));
    if (!until && order === "sequential")
      return [
        ...(isUsed ? [`${indent}${begin}[]`] : []),
        this.#line(indent, `for ${element} in `, list, ":"),
        ...orPass(
          isUsed
            ? [...body, this.#line(inner, `${this.names.of(name)}.append(`, this.#code(gives), ")")]
            : body,
          inner,
        ),
      ];
    const round = this.names.take(`${name}Round`);
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
    const wanted = pythonWanted(until, this.#printing);
    const found = this.#help("first_that", list, pythonLiteral(collectionName(over)), round, fits, ...wanted);
    return [...rounds, this.#line(indent, begin, "await ", found)];
  }
}

export const INDENT = "    ";

function orPass(lines: readonly string[], indent: string): readonly string[] {
  return lines.length > 0 ? lines : [`${indent}pass`];
}
