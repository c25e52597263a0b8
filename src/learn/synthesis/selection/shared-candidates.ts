import { type Candidate, type SlotValue, type CallView } from "../flow-candidates.ts";
import type { Expression } from "../../plan/plan.ts";
import { canonicalJson } from "../../plan/values.ts";

/** A candidate that every view has. */
export interface SharedCandidate {
  readonly expression: Expression;
  /** As each view has it. */
  readonly uses: readonly Candidate[];
}

/** The candidates that all have, the best first by the sum of their scores; none that is loose wherever it is. */
export function sharedCandidates(candidates: readonly (readonly Candidate[])[]): readonly SharedCandidate[] {
  return sharedBy(candidates).filter(({ uses }) => !uses.every(({ isLoose }) => isLoose === true));
}

function sharedBy(candidates: readonly (readonly Candidate[])[]): readonly SharedCandidate[] {
  const [first = [], ...others] = candidates;
  if (others.length === 0) return first.map((use) => ({ expression: use.expression, uses: [use] }));
  const byText = others.map((list) => {
    const found = new Map<string, Candidate>();
    for (const each of list) {
      const text = JSON.stringify(each.expression);
      if (!found.has(text)) found.set(text, each);
    }
    return found;
  });
  const shared = first.flatMap((use): readonly SharedCandidate[] => {
    const text = JSON.stringify(use.expression);
    const uses = byText.map((found) => found.get(text));
    return uses.every((each) => each !== undefined)
      ? [{ expression: use.expression, uses: [use, ...uses] }]
      : [];
  });
  const total = ({ uses }: SharedCandidate): number => uses.reduce((sum, { score }) => sum + score, 0);
  return shared.sort((a, b) => total(b) - total(a));
}

/** Whether what the caller must supply is the same in all rounds of a sample. */
export function isLoopInvariant(views: readonly CallView[], uses: readonly Candidate[]): boolean {
  const seen = new Map<string, string>();
  return uses.every(({ slots }, index) =>
    slots.every(({ slot, value }: SlotValue) => {
      const key = `${views[index]?.nth ?? 0} ${slot}`;
      const text = canonicalJson(value);
      const before = seen.get(key) ?? text;
      seen.set(key, text);
      return before === text;
    }),
  );
}
