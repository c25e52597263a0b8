import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { isSpecific, jsonLeaves, leafText, type Path } from "../../plan/values.ts";
import { placesOf } from "../../texts/block-learning.ts";
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
    return name === undefined ? [] : textsAt(name, value);
  });
}

/** Texts at fixed places of what is known in a round alone. */
export function roundTexts({ scope }: CallView): readonly KnownText[] {
  return scope.flatMap(({ name, value }) => textsAt(name, value));
}

function textsAt(name: string, value: Json): readonly KnownText[] {
  return [...jsonLeaves(value)].flatMap(([path, leaf]) =>
    typeof leaf === "string" && isText(leaf) && path.every((part) => typeof part === "string")
      ? [{ text: leaf, expression: fieldExpression({ kind: "ref", name }, path) }]
      : [],
  );
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

/** What the leaves of a step's answer say. */
export function stepTexts(step: number, { sample }: CallView): readonly string[] {
  return [...jsonLeaves(sample.steps[step]?.value ?? null)].flatMap(([, leaf]) =>
    typeof leaf === "string" ? leaf : (leafText(leaf) ?? []),
  );
}

/** In how many places answers tell something, but the one with a text: in their texts, or as values of their own. */
export function countOf(said: string, view: CallView, except?: string): number {
  const counts = view.sample.steps.slice(0, view.before).map((_, step) => {
    const leaves = stepTexts(step, view);
    if (except !== undefined && leaves.includes(except)) return 0;
    const lines = leaves.filter((leaf) => leaf.includes("\n")).flatMap((text) => text.split("\n"));
    const inLines = lines.reduce((count, line) => count + placesOf(line, said).length, 0);
    return inLines > 0 ? inLines : leaves.filter((leaf) => leaf === said).length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function isText(text: string): boolean {
  return /\S\n/.test(text) || (text.length >= MIN_TEXT && isSpecific(text));
}
