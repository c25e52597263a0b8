import { withUnreadTexts } from "../learn/texts/readings.ts";
import { isJsonObject, type Json } from "../core/json/json.ts";
import type { Result } from "../core/result.ts";
import { enclosed, type Layout } from "../learn/codegen/layout.ts";
import { PYTHON_HELPER_NAMES, readableInPython } from "../learn/codegen/python-code.ts";
import { pythonLiteral } from "../learn/codegen/python-literal.ts";
import { PythonSteps } from "../learn/codegen/python-steps.ts";
import { subexpressions } from "../learn/plan/expression.ts";
import type { CallStep, Expression, LoopStep, Plan, Step } from "../learn/plan/plan.ts";
import { expressionsOf, hasName } from "../learn/plan/steps.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import {
  deedOf,
  type Effect,
  effectsIn,
  inOrder,
  type Needs,
  needsOf,
  printableAsNodes,
  UNLIKE_AJV,
} from "./plan-nodes.ts";

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
  /** Of a loop that is made in parts: its lines go over one of them. */
  readonly parts?: LoopParts;
}

export interface LoopParts {
  /** The line that has the list of all elements behind some words. */
  readonly elements: (indent: string, begin: string) => string;
  readonly elementsNeed: Needs;
  /** What the lines go over. */
  readonly part: string;
  /** Whether there may be nothing in an element. */
  readonly mayMiss: boolean;
}

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
  /** A node that begins again finds the outcomes of its calls by their order, so that one that writes makes none at once. */
  readonly isReplayed?: boolean;
  /** Loops whose rounds only read and are made at once are made in parts. */
  readonly inParts?: boolean;
}

/** A node for each of a plan's steps, in their order. */
export function planNodes(
  made: Plan,
  { taken, callee, indent, isReplayed = false, inParts = false }: NodeOptions,
): PlanNodes {
  const plan = withUnreadTexts(made);
  const effectOf = effectsIn(plan);
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
  const nodes = plan.steps.map((step, nth): PlanNode => {
    ofNode = effectOf([step]);
    const own = hasName(step) ? step.name : undefined;
    const gives = own === undefined ? undefined : given.get(own);
    const about = { name: names[nth] ?? "", step, gives, mayMiss: steps.mayMiss(step), effect: ofNode };
    if (inParts && step.kind === "loop" && gives !== undefined && isSplit(step, ofNode)) {
      const { over } = step;
      const part = newName("part");
      return {
        ...about,
        needs: needsOf(expressionsOf({ ...step, over: NOTHING }), given, own),
        lines: steps.rounds(step, part, indent),
        parts: {
          part,
          elements: (before, begin) => steps.elements(step, before, begin),
          elementsNeed: needsOf([over], given),
          mayMiss: mayMissElements(over, plan),
        },
      };
    }
    return {
      ...about,
      needs: needsOf(expressionsOf(step), given, own),
      lines: steps.step(isReplayed && ofNode === "writes" ? inOrder(step) : step, indent),
    };
  });
  return {
    nodes,
    output: (before, begin) => steps.output(before, begin),
    outputNeeds: needsOf([plan.output.value], given),
    helpers: steps.helpers,
    newName,
  };
}

/** Whether rounds do not depend on each other, and may be made by whomever. */
function isSplit({ order, until }: LoopStep, effect: Effect): boolean {
  return effect === "reads" && order === "parallel" && until === undefined;
}

const NOTHING: Expression = { kind: "constant", value: null };

/** Whether there may be nothing in an element: not where the list is one of an answer, or of what the caller gives. */
function mayMissElements(over: Expression, { steps }: Plan): boolean {
  const answers = new Set(steps.flatMap((step) => (step.kind === "call" && !step.reads ? [step.name] : [])));
  return !subexpressions(over).every((part) =>
    part.kind === "ref"
      ? answers.has(part.name)
      : ["param", "field", "filter", "find", "only", "constant"].includes(part.kind),
  );
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

/** Why a skill is not printed as nodes in Python, if so. */
export function printableInPython(skill: ExportedSkill, access: ToolAccess): Result<null> {
  const { work } = skill;
  const readable = work.kind === "plan" ? readableInPython(work.plan) : undefined;
  if (readable && !readable.ok) return readable;
  return printableAsNodes(skill, access, { language: "Python", unlike: UNLIKE_AJV });
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
