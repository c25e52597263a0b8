import { checkWithRenamedInput, parsedCheck } from "../../core/conditions/check-expression.ts";
import type { ConditionTime } from "../../core/conditions/skill-condition.ts";
import { isJsonObject } from "../../core/json/json.ts";
import { quotedLine } from "../../core/text/display-text.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import type { Plan, PlanCondition } from "./plan.ts";

/** A plan's conditions with when they are evaluated. */
export function conditionsOf({
  preconditions = [],
  postconditions = [],
}: Plan): readonly (PlanCondition & { readonly when: ConditionTime })[] {
  return [
    ...preconditions.map((each) => ({ ...each, when: "pre" as const })),
    ...postconditions.map((each) => ({ ...each, when: "post" as const })),
  ];
}

/** What is wrong with the first condition that cannot be evaluated, or reads what the plan does not take or give. */
export function conditionFault(plan: Plan): string | undefined {
  for (const { check, when } of conditionsOf(plan)) {
    const what = `The ${when}condition ${quotedLine(check)}`;
    const parsed = parsedCheck(check, when);
    if (!parsed.ok)
      return `${what} is not valid at character ${parsed.error.offset + 1}: ${parsed.error.message}`;
    for (const { text, path } of parsed.value.reads) {
      const [root, name] = path;
      const known = root === "inputs" ? plan.params.map((param) => param.name) : outputFields(plan);
      if (name !== undefined && known && !known.includes(name))
        return `${what} reads ${quotedLine(text)}, which there is not: there is ${known.join(", ") || "none"}.${didYouMean(name, known)} Remove it, or have it read something else`;
    }
  }
  return undefined;
}

/** The fields of the output, where it has fields. */
function outputFields({ output: { schema } }: Plan): readonly string[] | undefined {
  return schema["type"] === "object" && isJsonObject(schema["properties"])
    ? Object.keys(schema["properties"])
    : undefined;
}

/** The plan with its conditions after an input was renamed. */
export function withRenamedInput(plan: Plan, from: string, to: string): Plan {
  const renamed = (when: ConditionTime, conditions: readonly PlanCondition[]): readonly PlanCondition[] =>
    conditions.map((each) => ({ ...each, check: checkWithRenamedInput(each.check, when, from, to) }));
  return {
    ...plan,
    ...(plan.preconditions && { preconditions: renamed("pre", plan.preconditions) }),
    ...(plan.postconditions && { postconditions: renamed("post", plan.postconditions) }),
  };
}
