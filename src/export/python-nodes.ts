import { failure } from "../core/error.ts";
import { isJsonObject, type Json } from "../core/json/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { RESERVED_SERVER } from "../core/tools/reserved-tools.ts";
import { serverOf } from "../core/tools/tool-name.ts";
import { enclosed, type Layout } from "../learn/codegen/layout.ts";
import { PYTHON_HELPER_NAMES, readableInPython } from "../learn/codegen/python-code.ts";
import { pythonLiteral } from "../learn/codegen/python-literal.ts";
import { PythonSteps } from "../learn/codegen/python-steps.ts";
import { subexpressions } from "../learn/plan/expression.ts";
import type { CallStep, Expression, Plan, Step } from "../learn/plan/plan.ts";
import { conditionsOf } from "../learn/plan/plan-conditions.ts";
import { expressionsOf, hasName, namedSteps, sidesOf } from "../learn/plan/steps.ts";
import { mayWriteBy } from "../learn/plan/tool-effects.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";

/** A step of a plan as the body of a function of its own. */
export interface PlanNode {
  /** The function. */
  readonly name: string;
  readonly step: Step;
  /** Under which name others find what it gives, where one does. */
  readonly gives: string | undefined;
  /** Whether there may be nothing in what it gives. */
  readonly mayMiss: boolean;
  readonly needs: Needs;
  readonly effect: Effect;
  readonly lines: readonly string[];
}

/** What expressions use of what is there before them. */
export interface Needs {
  /** What other nodes give, by the names that they give it. */
  readonly names: readonly string[];
  readonly isGiven: boolean;
}

/** Whether a node calls anything, and whether that may write. */
export type Effect = "none" | "reads" | "writes";

export interface PlanNodes {
  readonly nodes: readonly PlanNode[];
  /** The line that has the output behind some words. */
  readonly output: (indent: string, begin: string) => string;
  readonly outputNeeds: Needs;
  /** The helpers that all lines need. */
  readonly helpers: Set<string>;
  /** A name that is not taken, made of a text. */
  readonly newName: (text: string) => string;
}

export interface NodeOptions {
  /** Names that the module around them has for something else. */
  readonly taken: readonly string[];
  /** What is called to make a call; whether it, and whether its node, may write. */
  readonly callee: (step: CallStep, effect: Effect, ofNode: Effect) => string;
  readonly indent: string;
}

/** A node for each of a plan's steps, in their order. */
export function planNodes(plan: Plan, { taken, callee, indent }: NodeOptions): PlanNodes {
  const mayWrite = mayWriteBy(plan.effects);
  const effectOf = (steps: readonly Step[]): Effect => {
    const calls = callsIn(steps);
    return calls.length === 0 ? "none" : calls.some(({ tool }) => mayWrite(tool)) ? "writes" : "reads";
  };
  let ofNode: Effect = "none";
  const steps = new PythonSteps(plan, {
    taken: [...PYTHON_HELPER_NAMES, ...taken],
    callee: (step) => callee(step, effectOf([step]), ofNode),
  });
  // What is known to all comes first, so that it has its name.
  const given = new Map(
    plan.steps.flatMap((step) =>
      hasName(step) && steps.isUsed(step.name) ? [[step.name, steps.names.of(step.name)] as const] : [],
    ),
  );
  const newName = (text: string): string => steps.names.take(plainName(text));
  const names = plan.steps.map((step) => newName(deedOf(step)));
  const needsOf = (expressions: readonly Expression[], own?: string): Needs => {
    const parts = expressions.flatMap(subexpressions);
    const refs = new Set(
      parts.flatMap((part) => (part.kind === "ref" && part.name !== own ? [part.name] : [])),
    );
    return {
      names: [...given].flatMap(([name, variable]) => (refs.has(name) ? [variable] : [])),
      isGiven: parts.some(({ kind }) => kind === "param"),
    };
  };
  const nodes = plan.steps.map((step, nth): PlanNode => {
    ofNode = effectOf([step]);
    const own = hasName(step) ? step.name : undefined;
    return {
      name: names[nth] ?? "",
      step,
      gives: own === undefined ? undefined : given.get(own),
      mayMiss: steps.mayMiss(step),
      needs: needsOf(expressionsOf(step), own),
      effect: ofNode,
      lines: steps.step(step, indent),
    };
  });
  return {
    nodes,
    output: (before, begin) => steps.output(before, begin),
    outputNeeds: needsOf([plan.output.value]),
    helpers: steps.helpers,
    newName,
  };
}

/** Every call in steps. */
function callsIn(steps: readonly Step[]): readonly CallStep[] {
  return namedSteps(steps).filter((step) => step.kind === "call");
}

/** What a step does, in words that a function may be called. */
function deedOf(step: Step): string {
  switch (step.kind) {
    case "call":
      return toolWord(step.tool);
    case "loop":
      return `for_each_${step.item}`;
    case "guard":
      return "check_case";
    case "choice":
      return step.chosen.kind === "param" ? `choose_${step.chosen.name}` : "choose";
    case "branch":
      return `try_${toolWord(step.call.tool)}`;
    case "switch":
      return `by_${step.name}`;
  }
}

function toolWord(tool: string): string {
  return tool.slice(tool.indexOf(".") + 1);
}

/** A text as a name; a capital within it begins a word. */
export function plainName(text: string): string {
  const words = text
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .replaceAll(/\W+/g, "_")
    .toLowerCase();
  const word = words.replaceAll(/^_+|_+$/g, "");
  return /^[a-z]/.test(word) ? word : `call_${word}`;
}

/** Why a plan is not printed as nodes in Python, if so. */
export function printableAsNodes(
  { name, input, output, work }: ExportedSkill,
  access: ToolAccess,
): Result<null> {
  const refused = (place: string, why: string): Result<null> =>
    fail(failure("EXPORT_REFUSED", `${place}: ${why}`));
  const isDirect = access.kind === "direct";
  if (work.kind === "call")
    return isDirect
      ? refused(name, "it is a step that calls the skill, which only its own server has")
      : ok(null);
  const { plan } = work;
  const readable = readableInPython(plan);
  if (!readable.ok) return readable;
  const [condition] = conditionsOf(plan);
  if (condition)
    return refused(name, `its ${condition.when}condition is code, which is not printed as Python`);
  for (const schema of [input, output]) {
    const keyword = unlikeKeyword(schema);
    if (keyword !== undefined)
      return refused(
        name,
        `its contract has the keyword "${keyword}", which validators in Python take otherwise`,
      );
  }
  const secrets = new Set(plan.params.flatMap((param) => (param.secret === true ? [param.name] : [])));
  const holdsSecret = (expression: Expression): boolean =>
    subexpressions(expression).some((part) => part.kind === "param" && secrets.has(part.name));
  if (holdsSecret(plan.output.value)) return refused("the output", KEPT);
  const mayWrite = mayWriteBy(plan.effects);
  for (const step of everyStep(plan.steps)) {
    const own = hasName(step) ? step.name : step.kind;
    if (
      step.kind === "loop" &&
      step.order === "parallel" &&
      callsIn([step]).some(({ tool }) => mayWrite(tool))
    )
      return refused(own, "its rounds run at once, and may write");
    const gives =
      step.kind === "loop"
        ? [step.gives]
        : "name" in step && step.kind !== "call"
          ? sidesOf(step).map((side) => side.gives)
          : [];
    if (gives.some(holdsSecret)) return refused(own, KEPT);
    const call = step.kind === "branch" ? step.call : step;
    if (call.kind !== "call") continue;
    if (isDirect && call.isSkill === true)
      return refused(call.name, "it calls a skill, which only its own server has");
    if (call.isSkill !== true && serverOf(call.tool) === RESERVED_SERVER)
      return refused(call.name, `it calls ${call.tool}, which only skills here have`);
  }
  return ok(null);
}

const KEPT = "a credential would be kept in the engine's state";

/** Steps, and those inside others. */
function everyStep(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => {
    switch (step.kind) {
      case "loop":
        return [step, ...everyStep(step.steps)];
      case "branch":
      case "switch":
        return [step, ...sidesOf(step).flatMap((side) => everyStep(side.steps))];
      case "call":
      case "guard":
      case "choice":
        return [step];
    }
  });
}

/** A keyword that one validator takes otherwise than another, where a schema has one. */
function unlikeKeyword(schema: Json): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const own = isJsonObject(schema)
    ? ["pattern", "format"].find((key) => typeof schema[key] === "string")
    : undefined;
  return (
    own ??
    Object.values(schema)
      .map(unlikeKeyword)
      .find((found) => found !== undefined)
  );
}

/** A value as Python that is broken into lines where it is long. */
export function literalLayout(value: Json): Layout {
  if (Array.isArray(value)) return enclosed("[", value.map(literalLayout), "]");
  if (!isJsonObject(value)) return pythonLiteral(value);
  return enclosed(
    "{",
    Object.entries(value).map(([key, each]): Layout => [`${pythonLiteral(key)}: `, literalLayout(each)]),
    "}",
  );
}
