import type { Edit } from "../edits/edits.ts";
import { neededBy } from "../edits/structure/split.ts";
import { subexpressions } from "../plan/expression.ts";
import type { CallStep, LoopStep, Plan } from "../plan/plan.ts";
import { expressionsOf } from "../plan/steps.ts";
import { askedValues, MAX_DECISIONS } from "../drafts/offer/offer.ts";
import { relatedActs } from "../drafts/offer/work-obstacles.ts";

/** Where a plan that asks for too much, or does unrelated things, parts into two skills, with the fewest values that both need. */
export interface CutProposal {
  /** The last step of the first skill. */
  readonly after: string;
  /** How many values each part would ask for. */
  readonly asks: readonly [first: number, second: number];
  /** How many values both need, or the second needs of the first. */
  readonly shared: number;
  readonly edit: Edit;
}

/** The best cut; nothing where the plan asks for few values for one thing, or no cut makes both parts ask for less. */
export function cutProposal(plan: Plan): CutProposal | undefined {
  const asked = askedValues(plan);
  const isTooMuch = asked > MAX_DECISIONS;
  if (!isTooMuch && relatedActs(plan).length < 2) return undefined;
  const steps = plan.steps.filter((step) => step.kind === "call" || step.kind === "loop");
  // What is done only sometimes belongs to what it depends on.
  if (steps.length < plan.steps.length) return undefined;
  const cuts = steps.slice(0, -1).flatMap((_, at) => cutAfter(at + 1, steps, plan) ?? []);
  const [best] = cuts
    .filter(({ asks, shared }) => Math.max(...asks) < asked && (isTooMuch || shared === 0))
    .toSorted((a, b) => a.shared - b.shared || Math.max(...a.asks) - Math.max(...b.asks));
  return best;
}

function cutAfter(
  at: number,
  steps: readonly (CallStep | LoopStep)[],
  { params }: Plan,
): CutProposal | undefined {
  const [before, behind] = [steps.slice(0, at), steps.slice(at)];
  const last = before.at(-1);
  if (!last) return undefined;
  const [start] = behind;
  if (!start) return undefined;
  const names = new Set(before.map(({ name }) => name));
  const needed = neededBy(behind.flatMap(expressionsOf), (name) => names.has(name)).length;
  const [own, others] = [before, behind].map((part) => askedBy(part));
  const isAsked = (name: string): boolean =>
    params.some((each) => each.name === name && each.optional !== true);
  const inFirst = [...(own ?? [])].filter(isAsked);
  const inSecond = [...(others ?? [])].filter(isAsked);
  const both = inSecond.filter((name) => own?.has(name)).length;
  return {
    after: last.name,
    asks: [inFirst.length, inSecond.length + needed],
    shared: both + needed,
    edit: { kind: "split", step: start.name },
  };
}

/** The parameters that steps have. */
function askedBy(steps: readonly (CallStep | LoopStep)[]): ReadonlySet<string> {
  return new Set(
    steps
      .flatMap(expressionsOf)
      .flatMap(subexpressions)
      .flatMap((part) => (part.kind === "param" ? [part.name] : [])),
  );
}
