import type { JsonObject } from "../../core/json/json.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import { askedValues, MAX_DECISIONS } from "../drafts/offer/offer.ts";
import { mapExpression, subexpressions } from "../plan/expression.ts";
import { camelCase, singular, snakeCase, UniqueNames } from "../plan/names.ts";
import { lastName } from "../plan/parameter-slots.ts";
import { type Expression, isIdentifier, type Param, type Step } from "../plan/plan.ts";
import { expressionsOf, namedSteps, withExpressions } from "../plan/steps.ts";
import { soundsReading } from "../plan/tool-effects.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import type { NamedPlan } from "./named-plan.ts";

/** So many arguments of one call are one thing. */
const MIN_FIELDS = 3;

/**
 * A plan that asks for more than anybody wants to say one by one, with what is asked for one call alone as the fields of one
 * parameter, called by what the call is about.
 */
export function withGroupedParams(named: NamedPlan, { calls, turns }: RecordedTrace): NamedPlan {
  const { plan } = named;
  // What the user said late is asked for by itself.
  if (askedValues(plan) <= MAX_DECISIONS || turns !== undefined) return named;
  const single = paramsAsArguments(plan.steps);
  const byCall = Map.groupBy(
    plan.params.filter((param) => single.has(param.name) && isOfOneCall(param)),
    ({ origins: [origin] }) => origin?.call ?? -1,
  );
  const groups = [...byCall].filter(([, params]) => params.length >= MIN_FIELDS);
  if (groups.length === 0) return named;
  const names = new UniqueNames();
  const grouped = new Set(groups.flatMap(([, params]) => params.map(({ name }) => name)));
  for (const { name } of plan.params) if (!grouped.has(name)) names.take(name);
  const isSnakeCase = plan.params.some(({ name }) => name.includes("_"));
  const made = groups.map(([call, params]) =>
    groupOf(params, calls[call]?.tool ?? "", names, isSnakeCase ? snakeCase : camelCase),
  );
  const fields = new Map(
    made.flatMap((group) => [...group.fields].map(([param, field]) => [param, { group, field }])),
  );
  const regrouped = (expression: Expression): Expression =>
    mapExpression(expression, (part) => {
      const found = part.kind === "param" ? fields.get(part.name) : undefined;
      if (!found) return part;
      return { kind: "field", of: { kind: "param", name: found.group.param.name }, path: [found.field] };
    });
  const params = plan.params.flatMap((param): readonly Param[] => {
    const group = fields.get(param.name)?.group;
    if (!group) return [param];
    return group.first === param.name ? [group.param] : [];
  });
  return {
    plan: {
      ...plan,
      params,
      steps: plan.steps.map((step) => withExpressions(step, regrouped)),
      output: { ...plan.output, value: regrouped(plan.output.value) },
    },
    choices: named.choices.map((choice) => ({
      ...choice,
      chosen: regrouped(choice.chosen),
      alternatives: choice.alternatives.map(regrouped),
    })),
    inputs: named.inputs.map((input) => {
      const { ...rest } = input as Record<string, JsonObject[string]>;
      for (const { param, fields: own } of made) {
        const values = [...own].flatMap(([name, field]) => {
          const value = input[name];
          return value === undefined ? [] : [[field, value] as const];
        });
        for (const [name] of own) delete rest[name];
        rest[param.name] = Object.fromEntries(values);
      }
      return rest;
    }),
  };
}

/** The parameters that are nothing but arguments of calls, as they are or as part of what is composed. */
function paramsAsArguments(steps: readonly Step[]): ReadonlySet<string> {
  const all = new Set<string>();
  const others = new Set<string>();
  for (const expression of steps.flatMap(expressionsOf))
    for (const part of subexpressions(expression)) {
      if (part.kind === "param") all.add(part.name);
      // It may be left out, or is one of several.
      if (part.kind === "or" && part.of.kind === "param") others.add(part.of.name);
    }
  for (const step of namedSteps(steps))
    if (step.kind === "loop" && step.over.kind === "param") others.add(step.over.name);
  for (const step of steps) {
    if (step.kind === "choice" && step.chosen.kind === "param") others.add(step.chosen.name);
    if (step.kind === "switch" && step.value.kind === "param") others.add(step.value.name);
  }
  return all.difference(others);
}

function isOfOneCall({ optional, secret, rounds, sameAs, example, origins }: Param): boolean {
  const [first] = origins;
  return (
    optional !== true &&
    secret !== true &&
    rounds === undefined &&
    sameAs === undefined &&
    example !== undefined &&
    first !== undefined &&
    origins.every(({ at, call, within }) => at === "args" && within === undefined && call === first.call)
  );
}

interface ParamGroup {
  readonly param: Param;
  /** In whose place it stands. */
  readonly first: string | undefined;
  /** By the names of the parameters that it stands for. */
  readonly fields: ReadonlyMap<string, string>;
}

function groupOf(
  params: readonly Param[],
  tool: string,
  names: UniqueNames,
  written: (name: string) => string,
): ParamGroup {
  const [verb = "", ...nouns] = toolWords(tool);
  const noun = singular(nouns.join("_") || verb || "details");
  const name = names.take(written(noun), written(`${soundsReading(tool) ? "wanted" : verb}_${noun}`));
  const own = new UniqueNames();
  const fields = new Map(
    params.map((param) => {
      const field = lastName(param.origins[0]?.path ?? []);
      return [param.name, own.take(...(isIdentifier(field) ? [field] : []), param.name)];
    }),
  );
  const fieldOf = (param: Param): string => fields.get(param.name) ?? param.name;
  return {
    first: params[0]?.name,
    fields,
    param: {
      name,
      schema: {
        type: "object",
        properties: Object.fromEntries(params.map((param) => [fieldOf(param), param.schema])),
        required: params.map(fieldOf),
      },
      example: Object.fromEntries(params.map((param) => [fieldOf(param), param.example ?? null])),
      origins: params.flatMap((param) =>
        param.origins.map((origin) => ({ ...origin, within: [fieldOf(param)] })),
      ),
    },
  };
}
