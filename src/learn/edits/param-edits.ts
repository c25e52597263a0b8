import { ok, type Result } from "../../core/result.ts";
import { validatorOf } from "../../core/json/json-schema.ts";
import type { ValueCondition, Expression, Param, Plan } from "../plan/plan.ts";
import { isSecretName, isSecretText } from "../recording/secrets.ts";
import { isSame } from "../plan/values.ts";
import type { EditOf } from "./edits.ts";
import { comparisonsIn, mapConditions } from "../plan/expression.ts";
import { mapPlanExpressions } from "./plan-leaves.ts";
import { findParam } from "./name-edits.ts";
import { draftInput } from "./recorded-run.ts";
import { firstTrace, invalidEdit, withPlan, type RevisionContext } from "./revision-context.ts";

/** The parameter's value in every run stands where the parameter stood. */
export function applyConstant(
  context: RevisionContext,
  { param: name }: EditOf<"constant">,
): Result<RevisionContext> {
  const { plan, sources } = context;
  const param = findParam(plan, name);
  if (!param.ok) return param;
  if (isSecret(param.value)) return invalidEdit(`"${name}" is a credential: it stays a parameter`);
  const [value, ...others] = sources.map((each) => draftInput(plan, each, firstTrace(context))[name]);
  if (value === undefined) return invalidEdit(`The value of "${name}" is not known`);
  if (!others.every((other) => isSame(other, value)))
    return invalidEdit(
      `The runs have different values for "${name}": only one that is the same in all is a constant`,
    );
  const changed = mapPlanExpressions(plan, (part) => {
    if (part.kind === "param" && part.name === name) return { kind: "constant", value };
    if (part.kind === "or" && part.of.kind === "constant") return part.of;
    return part.kind === "find" || part.kind === "filter"
      ? { ...part, where: mapConditions(part.where, withoutOption) }
      : part;
  });
  return ok(withPlan(context, changed));
}

/** Whether a parameter's value must not stand in a plan. */
function isSecret({ name, secret, example }: Param): boolean {
  return secret === true || isSecretName(name) || (example !== undefined && isSecretText(example));
}

function withoutOption(condition: ValueCondition): ValueCondition {
  if (condition.equals.kind !== "constant") return condition;
  const { optional: _, ...rest } = condition;
  return rest;
}

/** Callers may leave the parameter out: then the default holds, or what it would tell is not asked for. */
export function applyOptional(context: RevisionContext, edit: EditOf<"optional">): Result<RevisionContext> {
  const { plan } = context;
  const param = findParam(plan, edit.param);
  if (!param.ok) return param;
  const { default: _, ...rest } = param.value;
  if (edit.default === null) {
    if (!mayBeAbsent(plan, edit.param))
      return invalidEdit(`The skill computes with "${edit.param}": give it a default`);
    return ok(withParam(context, { ...rest, optional: true }, true));
  }
  if (isSecret(param.value) || isSecretText(edit.default))
    return invalidEdit(`A credential has no default: "${edit.param}" may only be left out`);
  const fits = validatorOf(param.value.schema)(structuredClone(edit.default));
  if (!fits.ok)
    return invalidEdit(`The default of "${edit.param}" ${fits.error[0]?.message ?? "does not fit"}`);
  return ok(withParam(context, { ...rest, optional: true, default: edit.default }, false));
}

export function applyRequired(
  context: RevisionContext,
  { param: name }: EditOf<"required">,
): Result<RevisionContext> {
  const param = findParam(context.plan, name);
  if (!param.ok) return param;
  if (hasSubstitute(context.plan, name))
    return invalidEdit(
      `Where "${name}" is left out, another value stands for it: make the argument a "parameter" by a flow`,
    );
  const { default: _, optional: __, ...rest } = param.value;
  return ok(withParam(context, rest, false));
}

/** The work with a parameter changed; where it may be absent, elements are found without it too. */
function withParam(context: RevisionContext, param: Param, isAbsent: boolean): RevisionContext {
  const changed = mapPlanExpressions(context.plan, (part) => {
    if (part.kind !== "find" && part.kind !== "filter") return part;
    const where = mapConditions(part.where, (condition) => {
      const { optional: _, ...rest } = condition;
      if (rest.equals.kind !== "param" || rest.equals.name !== param.name) return condition;
      return isAbsent ? { ...rest, optional: true } : rest;
    });
    return { ...part, where };
  });
  const params = context.plan.params.map((each) => (each.name === param.name ? param : each));
  return { ...context, plan: { ...changed, params } };
}

function hasSubstitute(plan: Plan, name: string): boolean {
  let isFound = false;
  mapPlanExpressions(plan, (part) => {
    if (part.kind === "or" && part.of.kind === "param" && part.of.name === name) isFound = true;
    return part;
  });
  return isFound;
}

/** Whether the parameter is only ever an argument as it is, or one by which an element is found. */
function mayBeAbsent(plan: Plan, name: string): boolean {
  const isIt = (part: Expression): boolean => part.kind === "param" && part.name === name;
  let uses = 0;
  let open = 0;
  mapPlanExpressions(plan, (part) => {
    if (isIt(part)) uses++;
    if (part.kind === "or" && isIt(part.of)) open++;
    if (part.kind === "find" || part.kind === "filter")
      open += comparisonsIn(part.where).filter(({ equals }) => isIt(equals)).length;
    if (part.kind === "object") open += part.fields.filter(({ value }) => isIt(value)).length;
    return part;
  });
  return uses === open;
}
