import { mayWriteBy } from "../plan/tool-effects.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { JsonSchema } from "../../core/json/json-schema.ts";
import { subexpressions } from "../plan/expression.ts";
import { suppliedNames, ownTexts } from "./answered.ts";
import {
  argumentCode,
  collectionName,
  conditionsCode,
  wantedCode,
  listCode,
  operandCode,
  type Printing,
  valueCode,
} from "./expression-code.ts";
import { type Helper, HELPERS } from "./helpers.ts";
import { enclosed, headed, layoutText, type Layout } from "./layout.ts";
import { fieldAccess, literal } from "./literal.ts";
import { formArguments, hasWrittenValues, TEXT_HELPER_NEEDS } from "./text-helpers.ts";
import { answerUses } from "../texts/answer-uses.ts";
import { usedReads, withUnreadTexts } from "../texts/readings.ts";
import type { TextForm } from "../texts/text-form.ts";
import { docComment, inputInterface, outputType } from "./type-code.ts";
import { hoist, type Hoisting } from "./hoist.ts";
import { camelCase, UniqueNames, singular } from "../plan/names.ts";
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
import { expressionsOf, stepNames } from "../plan/steps.ts";

/**
 * The plan as the text of a `skill.ts`. Text of traces stands in it only as JSON literals, names of fields and tools
 * included; everything else is made of the plan's checked identifiers.
 */
export function skillCode(made: Plan): string {
  const plan = withUnreadTexts(made);
  const steps = new SkillSteps(plan);
  const body = [
    ...steps.settings("  "),
    ...plan.steps.flatMap((step) => steps.step(step, "  ")),
    ...steps.output("  ", "return "),
  ].join("\n");
  return [
    inputInterface(plan.params),
    outputType(plan.output.schema),
    `${docComment(plan.description, "")}export default async function run(${plan.params.length > 0 ? "input: Input" : ""}): Promise<Output> {\n${body}\n}`,
    ...neededHelpers(steps.helpers).map((helper) => HELPERS[helper]),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The helpers in the order in which they are printed. */
export function neededHelpers(helpers: ReadonlySet<Helper>): readonly Helper[] {
  const isWritten = helpers.has("writtenEntriesOf");
  return (Object.keys(HELPERS) as Helper[]).filter(
    (helper) => helpers.has(helper) && !(isWritten && helper === "entriesOf"),
  );
}

/** How steps are printed where they stand in other code than a skill's. */
export interface SkillStepsOptions {
  /** Names that the code around them has for something else; the plan has none of them. */
  readonly taken: Iterable<string>;
  /** What is called to make a call: it takes the tool's name and the arguments. */
  readonly callee: (step: CallStep) => string;
}

const IN_SKILLS: SkillStepsOptions = {
  taken: [],
  callee: ({ isSkill }) => (isSkill === true ? "call_skill" : "call_tool"),
};

/** The steps of a plan as lines of TypeScript, in which `input` is what the caller gives. */
export class SkillSteps {
  readonly #plan: Plan;
  readonly #callee: SkillStepsOptions["callee"];
  /** Searches that have a line already, for all steps that are printed. */
  readonly #hoisting: Hoisting = {
    names: new Map(),
    newName: (over) => this.#names.take(elementName(over)),
  };
  readonly #printing: Printing;
  readonly #names = new UniqueNames();
  /** What some expression refers to. */
  readonly #used: ReadonlySet<string>;
  readonly #uses: ReturnType<typeof answerUses>;

  constructor(plan: Plan, { taken, callee }: SkillStepsOptions = IN_SKILLS) {
    this.#plan = plan;
    this.#callee = callee;
    for (const name of taken) this.#names.take(name);
    const expressions = [...plan.steps.flatMap(expressionsOf), plan.output.value].flatMap(subexpressions);
    this.#uses = answerUses(plan);
    this.#used = new Set(expressions.flatMap((part) => (part.kind === "ref" ? [part.name] : [])));
    for (const name of stepNames(plan.steps)) this.#names.take(name);
    for (const part of expressions) if (part.kind === "map") this.#names.take(part.item);
    const settled = plan.params.filter((param) => param.default !== undefined);
    const chosen = plan.steps.flatMap((step) =>
      step.kind === "choice" && step.chosen.kind === "param" ? [step.chosen.name] : [],
    );
    this.#printing = {
      params: new Map(plan.params.map((param) => [param.name, param])),
      variables: new Map(
        [...new Set([...settled.map(({ name }) => name), ...chosen])].map((name) => [
          name,
          this.#names.take(name),
        ]),
      ),
      elements: elementSchemas(plan, expressions),
      given: suppliedNames(plan),
      helpers: new Set(),
    };
  }

  /** Those that the lines need. */
  get helpers(): ReadonlySet<Helper> {
    return this.#printing.helpers;
  }

  /** Whether some expression refers to what is called so. */
  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  /** The lines that give parameters their variables: all that may be left out, or those that are asked for. */
  settings(indent: string, names?: ReadonlySet<string>): readonly string[] {
    return this.#plan.params.flatMap(({ name, default: value }) => {
      const variable = this.#printing.variables.get(name);
      const isWanted = names ? names.has(name) : value !== undefined;
      const otherwise = value === undefined ? "" : ` ?? ${literal(value)}`;
      return isWanted && variable !== undefined
        ? [`${indent}const ${variable} = input.${name}${otherwise};`]
        : [];
    });
  }

  /** The line that has, behind some words, what the plan gives, and those that it needs. */
  output(indent: string, begin: string): readonly string[] {
    const { lines, expression } = this.#hoist(this.#plan.output.value, this.#hoisting, indent);
    return [...lines, layoutText([begin, this.#code(expression), ";"], indent)];
  }

  /** The lines of one step. */
  step(step: Step, indent: string): readonly string[] {
    return this.#step(step, this.#hoisting, indent);
  }

  #step(step: Step, hoisting: Hoisting, indent: string): readonly string[] {
    switch (step.kind) {
      case "call":
        return this.#call(step, hoisting, indent);
      case "loop":
        return this.#loop(step, hoisting, indent);
      case "branch":
        return this.#branch(step, hoisting, indent);
      case "switch":
        return this.#switch(step, hoisting, indent);
      case "choice":
        return this.#choice(step, hoisting, indent);
      case "guard": {
        this.#printing.helpers.add("isSame");
        const value = this.#hoist(step.value, hoisting, indent);
        const equals = this.#hoist(step.equals, hoisting, indent);
        const isOther: Layout = [
          "if (!",
          enclosed("isSame(", [this.#code(value.expression), this.#code(equals.expression)], ")"),
          ")",
        ];
        return [
          ...value.lines,
          ...equals.lines,
          `${indent}// Every run that went on from here had this value; what to do with another is not known.`,
          layoutText(isOther, indent),
          `${indent}  throw new Error("This case is not one that the skill was learned from");`,
        ];
      }
    }
  }

  /** From here on the parameter is known, and its variable has it. */
  #choice({ chosen, in: options, path }: ChoiceStep, hoisting: Hoisting, indent: string): readonly string[] {
    if (chosen.kind !== "param") return [];
    this.#printing.helpers.add("chosenOf");
    const { lines, expression } = this.#hoist(options, hoisting, indent);
    const valueOf = `(each) => each${path.map((name) => fieldAccess(name, true)).join("")}`;
    const isSettled = this.#printing.params.get(chosen.name)?.default !== undefined;
    const variable = this.#printing.variables.get(chosen.name) ?? chosen.name;
    const call = enclosed(
      "chosenOf(",
      [literal(chosen.name), isSettled ? variable : `input.${chosen.name}`, this.#code(expression), valueOf],
      ")",
    );
    return [
      ...lines,
      `${indent}// The person chooses from what was found: without a choice the skill ends here, with the options.`,
      layoutText([isSettled ? "" : `const ${variable} = `, call, ";"], indent),
    ];
  }

  #call(step: CallStep, hoisting: Hoisting, indent: string): readonly string[] {
    const { lines, expression } = this.#hoist(step.args, hoisting, indent);
    const call = this.#callCode(step, expression);
    const name = this.#used.has(step.name) ? `const ${step.name} = ` : "";
    if (step.fails === undefined) {
      const answer: Layout = name === "" ? ["await ", call] : this.#asRead(step, ["await ", call]);
      return [...lines, layoutText([name, answer, ";"], indent)];
    }
    this.#printing.helpers.add("mustFail").add("attempt").add("failureKind");
    const settled = enclosed(
      "await mustFail(",
      this.#outcomeArguments(step, call, expression, step.fails),
      ")",
    );
    return [
      ...lines,
      `${indent}// What follows was done because this call had failed: unless it fails in the same way, the skill ends here.`,
      layoutText([name, settled, ";"], indent),
    ];
  }

  /** An answer with what is used of its texts. */
  #asRead({ name, reads = [] }: CallStep, answer: Layout): Layout {
    const used = usedReads(reads, this.#uses.get(name) ?? []);
    return used.reduce((inner, { path, forms }) => {
      const read = forms.map((form) => this.#formCode(form));
      const [only = ""] = read;
      const said: Layout =
        read.length === 1
          ? only
          : enclosed(
              "({",
              read.map((each): Layout => ["...", each]),
              "})",
              " ",
            );
      this.#printing.helpers.add("withText");
      return enclosed("withText(", [inner, literal(path), headed("(text) =>", said)], ")");
    }, answer);
  }

  #formCode(form: TextForm): Layout {
    const helper = `${form.kind}Of` as const;
    this.#printing.helpers.add(helper);
    for (const needed of TEXT_HELPER_NEEDS[helper]) this.#printing.helpers.add(needed);
    if (form.kind === "sections") {
      const reads = form.parts.map(({ as, form: inner }): Layout => [
        `${as}: `,
        headed("(text) =>", [this.#formCode(inner), `.${inner.kind}`]),
      ]);
      const counted = form.isCounted === true ? ["true"] : [];
      return enclosed(
        "sectionsOf(",
        ["text", literal(form.mark), enclosed("{", reads, "}", " "), ...counted],
        ")",
      );
    }
    if (hasWrittenValues(form)) this.#printing.helpers.add("writtenEntriesOf");
    const arguments_ = formArguments(form).map((each) => literal(each));
    return enclosed(`${helper}(`, ["text", ...arguments_], ")");
  }

  #callCode(step: CallStep, args: Expression): Layout {
    const { tool, retried } = step;
    const call = [`${this.#callee(step)}(${literal(tool)}, `, argumentCode(args, this.#printing), ")"];
    if (!retried || mayWriteBy(this.#plan.effects)(tool)) return call;
    this.#printing.helpers.add("retried").add("failureKind");
    const values = enclosed(
      "[",
      ownTexts(args).map((each) => this.#code(each)),
      "]",
    );
    const { times, kinds } = retried;
    return enclosed("retried(", [String(times), literal([...kinds]), values, headed("() =>", call)], ")");
  }

  /** What the helpers take that look at how a call ends. */
  #outcomeArguments(step: CallStep, call: Layout, args: Expression, kind: string): readonly Layout[] {
    const values = ownTexts(args).map((each) => this.#code(each));
    return [literal(`${step.name} (${step.tool})`), call, literal(kind), enclosed("[", values, "]")];
  }

  #branch(
    { name, call, fails, failed, succeeded }: BranchStep,
    hoisting: Hoisting,
    indent: string,
  ): readonly string[] {
    this.#printing.helpers.add("attempt").add("failureKind");
    const { lines, expression } = this.#hoist(call.args, hoisting, indent);
    const outcome = this.#names.take(`${call.name}Outcome`);
    const settled = this.#outcomeArguments(call, this.#callCode(call, expression), expression, fails);
    const inner = `${indent}  `;
    const side = (taken: BranchSide): readonly string[] => this.#side(name, taken, hoisting, inner);
    const result = this.#used.has(call.name)
      ? [layoutText([`const ${call.name} = `, this.#asRead(call, `${outcome}.value`), ";"], inner)]
      : [];
    const onFailure = side(failed);
    const otherwise = [...result, ...side(succeeded)];
    return [
      ...lines,
      ...(this.#used.has(name) ? [`${indent}let ${name}: any;`] : []),
      `${indent}// In some runs this call failed, in others it succeeded: what was done then is done now.`,
      layoutText([`const ${outcome} = `, enclosed("await attempt(", settled, ")"), ";"], indent),
      ...(onFailure.length > 0 ? [`${indent}if (${outcome}.failed) {`, ...onFailure] : []),
      ...(onFailure.length > 0 && otherwise.length > 0 ? [`${indent}} else {`] : []),
      ...(onFailure.length === 0 && otherwise.length > 0 ? [`${indent}if (!${outcome}.failed) {`] : []),
      ...otherwise,
      ...(onFailure.length > 0 || otherwise.length > 0 ? [`${indent}}`] : []),
    ];
  }

  /** What is done where something is so, and where it is not. */
  #condition(
    { name, cases }: SwitchStep,
    { in: of, where }: Extract<Expression, { kind: "filter" }>,
    hoisting: Hoisting,
    indent: string,
  ): readonly string[] {
    const { lines, expression } = this.#hoist(of, hoisting, indent);
    const holds: Layout = [
      argumentCode(expression, this.#printing),
      enclosed(".some(", [conditionsCode(where, this.#printing, ": any")], ")"),
    ];
    const [isSo = [], isNot = []] = [1, 0].map((count) => {
      const found = cases.find(({ equals }) => equals === count);
      return found ? this.#side(name, found, hoisting, `${indent}  `) : [];
    });
    return [
      ...lines,
      ...(this.#used.has(name) ? [`${indent}let ${name}: any;`] : []),
      layoutText(["if (", holds, ") {"], indent),
      ...isSo,
      ...(isNot.length > 0 ? [`${indent}} else {`, ...isNot] : []),
      `${indent}}`,
    ];
  }

  #switch(step: SwitchStep, hoisting: Hoisting, indent: string): readonly string[] {
    const { name, value, cases } = step;
    const condition = conditionOf(step);
    if (condition) return this.#condition(step, condition, hoisting, indent);
    this.#printing.helpers.add("isSame");
    const { lines, expression } = this.#hoist(value, hoisting, indent);
    const found = this.#names.take(`${name}Case`);
    const branches = cases.flatMap((each, nth) =>
      [
        layoutText(
          [`${nth === 0 ? "if" : "} else if"} (isSame(${found}, `, this.#code(constant(each.equals)), ")) {"],
          indent,
        ),
      ].concat(this.#side(name, each, hoisting, `${indent}  `)),
    );
    return [
      ...lines,
      ...(this.#used.has(name) ? [`${indent}let ${name}: any;`] : []),
      `${indent}// The recorded runs went on from here in different ways, as this was: what to do with another value is not known.`,
      layoutText([`const ${found} = `, this.#code(expression), ";"], indent),
      ...branches,
      `${indent}} else {`,
      `${indent}  throw new Error("This case is not one that the skill was learned from");`,
      `${indent}}`,
    ];
  }

  /** One way of a fork, and what it gives where something uses that. */
  #side(name: string, { steps, gives }: BranchSide, hoisting: Hoisting, indent: string): readonly string[] {
    const own: Hoisting = { names: new Map(hoisting.names), newName: hoisting.newName };
    const body = steps.flatMap((step) => this.#step(step, own, indent));
    if (!this.#used.has(name)) return body;
    const given = this.#hoist(gives, own, indent);
    return [...body, ...given.lines, layoutText([`${name} = `, this.#code(given.expression), ";"], indent)];
  }

  #loop(step: LoopStep, hoisting: Hoisting, indent: string): readonly string[] {
    const { lines, expression } = this.#hoist(step.over, hoisting, indent);
    const inner = `${indent}  `;
    const isParallel = step.order === "parallel";
    const own: Hoisting = { names: new Map(hoisting.names), newName: hoisting.newName };
    const within = isParallel || step.until ? `${inner}  ` : inner;
    const body = step.steps.flatMap((each) => this.#step(each, own, within));
    const gives = this.#hoist(step.gives, own, within);
    const isUsed = this.#used.has(step.name);
    const type = expression.kind === "param" ? "" : ": any";
    if (step.until) {
      this.#printing.helpers.add("firstThat").add("wantedOf");
      const what = literal(collectionName(expression));
      return [
        ...lines,
        layoutText([isUsed ? `const ${step.name} = ` : "", "await firstThat("], indent),
        layoutText([listCode(expression, this.#printing), ","], inner),
        `${inner}${what},`,
        layoutText([`async (${step.item}${type}) => {`], inner),
        ...body,
        ...gives.lines,
        layoutText(["return ", this.#code(gives.expression), ";"], within),
        `${inner}},`,
        layoutText([conditionsCode(step.until, this.#printing), ","], inner),
        ...wantedCode(step.until, this.#printing).map((each) => layoutText([each, ","], inner)),
        `${indent});`,
      ];
    }
    if (isParallel) {
      return [
        ...lines,
        layoutText([isUsed ? `const ${step.name} = ` : "", "await Promise.all("], indent),
        layoutText([operandCode(expression, this.#printing), `.map(async (${step.item}${type}) => {`], inner),
        ...body,
        ...gives.lines,
        layoutText(["return ", this.#code(gives.expression), ";"], within),
        `${inner}}),`,
        `${indent});`,
      ];
    }
    return [
      ...lines,
      ...(isUsed ? [`${indent}const ${step.name}: any[] = [];`] : []),
      layoutText([`for (const ${step.item} of `, listCode(expression, this.#printing), ") {"], indent),
      ...body,
      ...(isUsed
        ? [...gives.lines, layoutText([`${step.name}.push(`, this.#code(gives.expression), ");"], within)]
        : []),
      `${indent}}`,
    ];
  }

  /** Searches get a line and a name of their own. */
  #hoist(expression: Expression, hoisting: Hoisting, indent: string) {
    const { found, rest } = hoist(expression, hoisting);
    const lines = found.map(({ name, search }) =>
      layoutText([`const ${name} = `, this.#code(search), ";"], indent),
    );
    return { lines, expression: rest };
  }

  #code(expression: Expression): Layout {
    return valueCode(expression, this.#printing);
  }
}

/** The condition of a step that asks whether one thing is so, and knows what is done either way. */
function conditionOf({ value, cases }: SwitchStep): Extract<Expression, { kind: "filter" }> | undefined {
  if (value.kind !== "aggregate" || value.operator !== "count" || value.of.kind !== "filter")
    return undefined;
  const { in: of } = value.of;
  const isWhole = [0, 1].every((count) => cases.some(({ equals }) => equals === count));
  return isWhole && of.kind === "list" && of.items.length === 1 ? value.of : undefined;
}

/** The schemas of the elements of parameters that are lists, by the names that maps give the elements. */
function elementSchemas(plan: Plan, expressions: readonly Expression[]): ReadonlyMap<string, JsonSchema> {
  const items = new Map(plan.params.map(({ name, schema }) => [name, schema["items"]]));
  return new Map(
    expressions.flatMap((part) => {
      const schema =
        part.kind === "map" && part.over.kind === "param" ? items.get(part.over.name) : undefined;
      return part.kind === "map" && isJsonObject(schema) ? [[part.item, schema] as const] : [];
    }),
  );
}

function constant(value: Json): Expression {
  return { kind: "constant", value };
}

function elementName(over: Expression): string {
  const name = collectionName(over);
  return name === "the list" ? "found" : singular(camelCase(name));
}
