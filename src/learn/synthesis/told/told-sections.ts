import type { Expression, TracePath } from "../../plan/plan.ts";
import { type CallView, type DecisionLookup, saidFlow, type SlotValue } from "../flow-candidates.ts";

/** All that stands below a heading of an earlier text, with a line end. */
interface ToldSection {
  readonly expression: Expression;
  readonly isCertain: boolean;
  readonly isLikely: true;
  readonly said: readonly SlotValue[];
  readonly why: string;
}

/** How a text is what stands below a heading that the task says, with a line end; where it says the heading in other words, that is open. */
export function toldSections(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ToldSection[] {
  const body = value.replace(/\n$/, "");
  const found = body === value ? undefined : saidFlow(body, view, place, site, decisionFor);
  const isBody =
    found?.expression.kind === "field" &&
    found.expression.of.kind === "find" &&
    found.expression.path.join() === "body";
  if (!found || !isBody) return [];
  return [
    {
      expression: { kind: "template", parts: [found.expression, "\n"] },
      isCertain: found.isBelowHeading !== true,
      isLikely: true,
      said: found.slots,
      why: "it stands below a heading of an earlier text",
    },
  ];
}
