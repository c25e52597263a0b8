import { valueAt } from "../../plan/values.ts";
import type { Expression, TracePath } from "../../plan/plan.ts";
import { type Candidate, type CallView, type DecisionLookup, flowCandidates } from "../flow-candidates.ts";
import { LABEL, MAX_SENTENCE } from "../made/sentence-beginnings.ts";

/** What stands behind the label of a sentence in a list, which is found by it. */
export function labelledSentences(
  value: string,
  view: CallView,
  place: TracePath,
  site: string,
  decisionFor: DecisionLookup,
): readonly Pick<Candidate, "expression" | "slots">[] {
  const { sample, before } = view;
  return sample.valueIndex
    .texts(value.match(/[\p{L}\p{N}_@.-]{3,}/u)?.[0] ?? "")
    .flatMap(({ step, path }) => {
      const text = valueAt(sample.steps[step]?.value, path);
      const isListed = step < before && typeof path.at(-1) === "number" && typeof text === "string";
      const [, label = "", rest] = isListed ? (LABEL.exec(text) ?? []) : [];
      if (!isListed || rest !== value || text.length > MAX_SENTENCE) return [];
      const found = flowCandidates(text, view, place, site, decisionFor).find(
        (each) => isByBeginning(each.expression) && each.slots.every((slot) => sample.task.says(slot.value)),
      );
      if (!found) return [];
      const expression: Expression = { kind: "part", of: found.expression, after: label, before: "" };
      return [{ expression, slots: found.slots }];
    });
}

/** Whether an element is found by how it begins. */
export function isByBeginning(expression: Expression): boolean {
  return (
    expression.kind === "find" &&
    expression.where.some((each) => "operator" in each && each.operator === "startsWith")
  );
}
