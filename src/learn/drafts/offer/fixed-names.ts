import { listed } from "../../../core/text/listed.ts";
import { paramsIn, refsIn } from "../../edits/plan-leaves.ts";
import { subexpressions } from "../../plan/expression.ts";
import type { Expression, Plan } from "../../plan/plan.ts";
import { namedSteps } from "../../plan/steps.ts";
import { TaskText } from "../../plan/values.ts";
import type { RecordedTrace } from "../../recording/recorded-trace.ts";
import type { Obstacle } from "./offer.ts";

/**
 * Texts that are made of what an answer tells of a thing which the caller says in another word than the task, and that keep
 * the task's own name for it: `Acme is at ${price}`, whatever `symbol` is asked for.
 */
export function fixedNames(plan: Plan, traces: readonly RecordedTrace[]): readonly Obstacle[] {
  const texts = traces.map(({ task }) => new TaskText(task));
  const unsaid = new Set(
    plan.params.flatMap(({ name, example }) =>
      typeof example === "string" && !texts.some((task) => task.says(example)) ? [name] : [],
    ),
  );
  const calls = namedSteps(plan.steps).filter((step) => step.kind === "call");
  const paramsFor = (text: Expression): readonly string[] => {
    const asked = new Set(refsIn(text));
    const given = calls.flatMap(({ name, args }) => (asked.has(name) ? paramsIn(args) : []));
    return given.filter((name) => unsaid.has(name));
  };
  const isAnswered = (step: string): boolean =>
    (plan.questions ?? []).some(
      (each) => each.kind === "text" && each.step === step && each.decidedBy !== undefined,
    );
  return calls.flatMap(({ name, args }): readonly Obstacle[] => {
    const made = subexpressions(args)
      .filter((part) => part.kind === "template")
      .map((part) => ({ params: paramsFor(part), names: namesIn(part, texts) }))
      .find(({ params, names }) => params.length > 0 && names.length > 0);
    if (!made || isAnswered(name)) return [];
    const said = listed(made.names.map((text) => JSON.stringify(text)));
    return [
      {
        reason: "fixed-text",
        text: `A text of ${name} always says ${said}, whatever its caller says as ${listed(made.params)}.`,
        remedy: `Make the text a parameter with a "flow" edit, or learn from one more run, with other values.`,
      },
    ];
  });
}

/** Names of several words that the tasks say too. */
function namesIn(
  { parts }: Extract<Expression, { kind: "template" }>,
  texts: readonly TaskText[],
): readonly string[] {
  const fixed = parts.filter((part) => typeof part === "string").join("\n");
  return [...new Set(fixed.match(NAME) ?? [])].filter((name) => texts.every((task) => task.says(name)));
}

const NAME = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}'’&-]+(?: \p{Lu}[\p{L}'’&-]+)+/gu;
