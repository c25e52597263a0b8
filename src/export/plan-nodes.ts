import { failure } from "../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { RESERVED_SERVER } from "../core/tools/reserved-tools.ts";
import { serverOf } from "../core/tools/tool-name.ts";
import { subexpressions } from "../learn/plan/expression.ts";
import type { CallStep, Expression, Plan, Step } from "../learn/plan/plan.ts";
import { conditionsOf } from "../learn/plan/plan-conditions.ts";
import { hasName, namedSteps, sidesOf, toolsOf, withSideSteps } from "../learn/plan/steps.ts";
import { mayWriteBy } from "../learn/plan/tool-effects.ts";
import { subschemaForm } from "../subsumption/schema-root.ts";
import type { ExportedSkill, ToolAccess } from "./engine-adapter.ts";

/** What expressions use of what is there before them. */
export interface Needs {
  /** What other nodes give, by the names that they give it. */
  readonly names: readonly string[];
  readonly isGiven: boolean;
}

/** What expressions take of steps, which have variables by their names, and of the input. */
export function needsOf(
  expressions: readonly Expression[],
  variables: ReadonlyMap<string, string>,
  own?: string,
): Needs {
  const parts = expressions.flatMap(subexpressions);
  const refs = new Set(
    parts.flatMap((part) => (part.kind === "ref" && part.name !== own ? [part.name] : [])),
  );
  return {
    names: [...variables].flatMap(([name, variable]) => (refs.has(name) ? [variable] : [])),
    isGiven: parts.some(({ kind }) => kind === "param"),
  };
}

/** Whether a node calls anything, and whether that may write. */
export type Effect = "none" | "reads" | "writes";

/** What the calls in steps may do. */
export function effectsIn(plan: Plan): (steps: readonly Step[]) => Effect {
  const mayWrite = mayWriteBy(plan.effects);
  return (steps) => {
    const calls = callsIn(steps);
    return calls.length === 0 ? "none" : calls.some(({ tool }) => mayWrite(tool)) ? "writes" : "reads";
  };
}

/** A step whose rounds are one after the other, also where they only read and were made at once. */
export function inOrder(step: Step): Step {
  switch (step.kind) {
    case "loop":
      return { ...step, order: "sequential", steps: step.steps.map(inOrder) };
    case "branch":
    case "switch":
      return withSideSteps(step, (steps) => steps.map(inOrder));
    case "call":
    case "guard":
    case "choice":
      return step;
  }
}

/** Every call in steps. */
function callsIn(steps: readonly Step[]): readonly CallStep[] {
  return namedSteps(steps).filter((step) => step.kind === "call");
}

/** By which variables of the environment the servers are found whose tools a plan calls: each by one of its own. */
export function serverVariables({ work }: Pick<ExportedSkill, "work">): ReadonlyMap<string, string> {
  const servers = work.kind === "plan" ? new Set(toolsOf(work.plan.steps).map(serverOf)) : [];
  const names = new Map<string, string>();
  for (const server of servers) {
    const name = server
      .replaceAll(/\W/g, "_")
      .replace(/^(?=\d)/, "_")
      .toUpperCase();
    const taken = new Set(names.values());
    let variable = `${name}_SERVER`;
    for (let number = 2; taken.has(variable); number++) variable = `${name}_${number}_SERVER`;
    names.set(server, variable);
  }
  return names;
}

/** What a step does, in words that a function may be called. */
export function deedOf(step: Step): string {
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

/** Why a plan is not printed as nodes in a language, if so; contracts with some keywords are refused. */
export function printableAsNodes(
  { name, input, output, work }: ExportedSkill,
  access: ToolAccess,
  { language, unlike }: { readonly language: string; readonly unlike: readonly string[] },
): Result<null> {
  const refused = (place: string, why: string): Result<null> =>
    fail(failure("EXPORT_REFUSED", `${place}: ${why}`));
  const isDirect = access.kind === "direct";
  if (work.kind === "call") {
    const [secret] = work.secrets ?? [];
    if (secret !== undefined)
      return refused(secret, "it is a credential, which would be kept with what the step is given");
    return isDirect
      ? refused(name, "it is a step that calls the skill, which only its own server has")
      : ok(null);
  }
  const { plan } = work;
  const [condition] = conditionsOf(plan);
  if (condition)
    return refused(name, `its ${condition.when}condition is code, which is not printed as ${language}`);
  for (const schema of [withoutOwnDefaults(input), output]) {
    const keyword = unlikeKeyword(schema, unlike);
    if (keyword !== undefined)
      return refused(
        name,
        `its contract has the keyword "${keyword}", which validators in ${language} take otherwise`,
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
export function everyStep(steps: readonly Step[]): readonly Step[] {
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

/** Keywords that validators of other languages take otherwise than the one here does, which fills in defaults, too. */
export const UNLIKE_AJV: readonly string[] = [
  "pattern",
  "patternProperties",
  "format",
  "dependencies",
  "nullable",
  "default",
];

/** A keyword that one validator takes otherwise than another, where a schema has one. */
function unlikeKeyword(schema: Json, unlike: readonly string[]): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  return (
    unlike.find((key) => Object.hasOwn(schema, key)) ??
    subschemasOf(schema)
      .map((each) => unlikeKeyword(each, unlike))
      .find((found) => found !== undefined)
  );
}

function subschemasOf(schema: JsonObject): readonly Json[] {
  return Object.entries(schema).flatMap(([key, value]): readonly Json[] => {
    const form = subschemaForm(key);
    if (form === "map") return isJsonObject(value) ? Object.values(value) : [];
    return form === undefined ? [] : Array.isArray(value) ? value : [value];
  });
}

/** A schema of an input without the defaults of its parameters, which steps fill in. */
function withoutOwnDefaults(input: JsonSchema): JsonSchema {
  const { properties } = input;
  if (!isJsonObject(properties)) return input;
  const own = Object.entries(properties).map(([name, schema]): [string, Json] => {
    if (!isJsonObject(schema)) return [name, schema];
    const { default: _, ...rest } = schema;
    return [name, rest];
  });
  return { ...input, properties: Object.fromEntries(own) };
}
