import { withUnreadTexts } from "../../learn/texts/readings.ts";
import type { Helper } from "../../learn/codegen/helpers.ts";
import { SkillSteps } from "../../learn/codegen/skill-code.ts";
import { mapExpression, subexpressions } from "../../learn/plan/expression.ts";
import { camelCase, UniqueNames } from "../../learn/plan/names.ts";
import type { CallStep, Expression, Plan, Step } from "../../learn/plan/plan.ts";
import { expressionsOf, hasName, stepNames, withExpressions, withSideSteps } from "../../learn/plan/steps.ts";
import { deedOf, type Effect, effectsIn, inOrder, needsOf } from "../plan-nodes.ts";

/** A step of a plan as the body of a function of its own, in TypeScript. */
export interface StepNode {
  /** The function. */
  readonly name: string;
  /** Under which name others find what it gives, where one does. */
  readonly gives: string | undefined;
  /** What other nodes give, by the names that they give it. */
  readonly needs: readonly string[];
  readonly isGiven: boolean;
  readonly effect: Effect;
  readonly lines: readonly string[];
}

export interface StepNodes {
  readonly nodes: readonly StepNode[];
  /** What gives the output, which the lines have as `output`. */
  readonly finish: Pick<StepNode, "needs" | "isGiven" | "lines">;
  /** The helpers that all lines need. */
  readonly helpers: ReadonlySet<Helper>;
}

/** A node for each of a plan's steps, in their order; no name in them is one of those that are taken. */
export function graphNodes(made: Plan, taken: readonly string[]): StepNodes {
  const plan = withUnreadTexts(made);
  const { steps, output } = withFreeNames(plan, taken);
  const named: Plan = { ...plan, steps, output };
  const effectOf = effectsIn(plan);
  const names = new UniqueNames();
  for (const name of new Set([...taken, ...stepNames(steps)])) names.take(name);
  const helpers = new Set<Helper>();
  const used = new SkillSteps(named, { taken, callee: ({ tool }) => tool });
  const given = new Map(
    steps.flatMap((step) =>
      hasName(step) && used.isUsed(step.name) ? [[step.name, step.name] as const] : [],
    ),
  );
  const printed = (
    expressions: readonly Expression[],
    { own, chosen, effect }: { own?: string | undefined; chosen?: string | undefined; effect: Effect },
    print: (printer: SkillSteps) => readonly string[],
  ): StepNodes["finish"] => {
    const callee = (step: CallStep): string => calleeOf(step, effectOf([step]), effect);
    const printer = new SkillSteps(named, { taken, callee });
    const { names: needs, isGiven } = needsOf(expressions, given, own);
    const params = expressions
      .flatMap(subexpressions)
      .flatMap((part) => (part.kind === "param" && part.name !== chosen ? [part.name] : []));
    const lines = [...printer.settings(NODE_INDENT, new Set(params)), ...print(printer)];
    for (const helper of printer.helpers) helpers.add(helper);
    return { needs, isGiven, lines };
  };
  const nodes = steps.map((each): StepNode => {
    const effect = effectOf([each]);
    // A node that begins again finds the outcomes of its calls by their order.
    const step = effect === "writes" ? inOrder(each) : each;
    const own = hasName(step) ? step.name : undefined;
    const about = { own, chosen: chosenIn(step, plan), effect };
    const body = printed(expressionsOf(step), about, (printer) => printer.step(step, NODE_INDENT));
    const gives = own === undefined ? undefined : given.get(own);
    const name = names.take(camelCase(deedOf(step)));
    return Object.assign(body, { name, gives, effect });
  });
  const finish = printed([output.value], { effect: "none" }, (printer) =>
    printer.output(NODE_INDENT, "const output = "),
  );
  return { nodes, finish, helpers };
}

export const NODE_INDENT = "  ";

function calleeOf({ isSkill }: CallStep, effect: Effect, ofNode: Effect): string {
  const what = isSkill === true ? "Skill" : "Tool";
  if (ofNode !== "writes") return isSkill === true ? "runSkill" : "callTool";
  return `calls.${effect === "writes" ? "write" : "read"}${what}`;
}

/** The parameter that has its variable of the step itself. */
function chosenIn(step: Step, { params }: Plan): string | undefined {
  if (step.kind !== "choice" || step.chosen.kind !== "param") return undefined;
  const { name } = step.chosen;
  return params.some((param) => param.name === name && param.default !== undefined) ? undefined : name;
}

/** The plan with other names for what would hide those that are taken. */
function withFreeNames(plan: Plan, taken: readonly string[]): Pick<Plan, "steps" | "output"> {
  const free = new UniqueNames();
  const names = new Map<string, string>();
  const parts = [...plan.steps.flatMap(expressionsOf), plan.output.value].flatMap(subexpressions);
  const own = [
    ...stepNames(plan.steps),
    ...parts.flatMap((part) => (part.kind === "map" ? [part.item] : [])),
  ];
  for (const name of new Set([...taken, ...own])) free.take(name);
  for (const name of own) if (taken.includes(name) && !names.has(name)) names.set(name, free.take(name));
  const of = (name: string): string => names.get(name) ?? name;
  const inExpression = (expression: Expression): Expression =>
    mapExpression(expression, (part) =>
      part.kind === "ref"
        ? { ...part, name: of(part.name) }
        : part.kind === "map"
          ? { ...part, item: of(part.item) }
          : part,
    );
  const inStep = (step: Step): Step => {
    switch (step.kind) {
      case "call":
        return { ...step, name: of(step.name) };
      case "loop":
        return { ...step, name: of(step.name), item: of(step.item), steps: step.steps.map(inStep) };
      case "branch": {
        const call = { ...step.call, name: of(step.call.name) };
        return withSideSteps({ ...step, name: of(step.name), call }, (steps) => steps.map(inStep));
      }
      case "switch":
        return withSideSteps({ ...step, name: of(step.name) }, (steps) => steps.map(inStep));
      case "guard":
      case "choice":
        return step;
    }
  };
  return {
    steps: plan.steps.map((step) => inStep(withExpressions(step, inExpression))),
    output: { ...plan.output, value: inExpression(plan.output.value) },
  };
}
