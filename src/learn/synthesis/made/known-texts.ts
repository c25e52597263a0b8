import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { isSpecific, jsonLeaves, type Path } from "../../plan/values.ts";
import type { CallView, DecisionLookup } from "../flow-candidates.ts";

/** Lines, or a text of some length, that is known before a call, or is another argument of it. */
export interface KnownText {
  readonly text: string;
  readonly expression: Expression;
}

const MIN_TEXT = 12;

/** Texts at fixed places of earlier answers. */
export function answeredTexts({ sample, names, before }: CallView): readonly KnownText[] {
  return sample.steps.slice(0, before).flatMap(({ value }, step) => {
    const name = names[step];
    if (name === undefined) return [];
    return [...jsonLeaves(value)].flatMap(([path, leaf]) =>
      typeof leaf === "string" && isText(leaf) && path.every((part) => typeof part === "string")
        ? [{ text: leaf, expression: fieldExpression({ kind: "ref", name }, path) }]
        : [],
    );
  });
}

/** All texts that are known before a call, those of its round first, and where each stands in what was told. */
export function* toldTexts({ sample, before, scope }: CallView): Generator<{
  readonly text: string;
  readonly value: Json;
  readonly path: Path;
}> {
  for (const { value } of [...scope, ...sample.steps.slice(0, before)])
    for (const [path, leaf] of jsonLeaves(value))
      if (typeof leaf === "string") yield { text: leaf, value, path };
}

/** Other arguments of the call that have been decided on, but what the caller says alone. */
export function argumentTexts(view: CallView, decisionFor: DecisionLookup): readonly KnownText[] {
  const { args = {} } = view.sample.trace.calls[view.call] ?? {};
  return [...jsonLeaves(args)].flatMap(([, leaf]) => {
    const expression = typeof leaf === "string" && isText(leaf) ? decisionFor(view, leaf) : undefined;
    return typeof leaf === "string" && expression && expression.kind !== "param"
      ? [{ text: leaf, expression }]
      : [];
  });
}

function isText(text: string): boolean {
  return /\S\n/.test(text) || (text.length >= MIN_TEXT && isSpecific(text));
}
