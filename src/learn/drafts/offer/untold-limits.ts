import { plainLine } from "../../../core/text/display-text.ts";
import { listed } from "../../../core/text/listed.ts";
import { subexpressions } from "../../plan/expression.ts";
import type { Plan } from "../../plan/plan.ts";
import { expressionsOf, namedSteps } from "../../plan/steps.ts";
import { soundsActing } from "../../plan/tool-effects.ts";
import { TaskText } from "../../plan/values.ts";
import { leafTexts } from "../../plan/value-texts.ts";
import type { RecordedTrace } from "../../recording/recorded-trace.ts";
import type { Obstacle } from "./offer.ts";

/**
 * Numbers that the task sets as limits (a budget of 2400) where an act is done and no call, condition or parameter has the
 * number: whatever another run finds, it would be done there, too.
 */
export function untoldLimits(plan: Plan, [trace]: readonly RecordedTrace[]): readonly Obstacle[] {
  const isActing = soundsActing(plan.effects);
  const doesAct = namedSteps(plan.steps).some((step) => step.kind === "call" && isActing(step.tool));
  if (!trace || !doesAct) return [];
  const values = plan.params
    .map(({ example = null }) => example)
    .concat(
      plan.steps
        .flatMap(expressionsOf)
        .flatMap(subexpressions)
        .flatMap((part) => (part.kind === "constant" ? [part.value] : [])),
    );
  const told = new Set(
    values.flatMap((value) =>
      Array.from(leafTexts(value), (text) => text.match(/\d+(?:\.\d+)?/g)?.map(Number) ?? []).flat(),
    ),
  );
  const untold = new TaskText(trace.task).bounds().filter(({ value }) => !told.has(value));
  if (untold.length === 0) return [];
  return [
    {
      reason: "untold-limit",
      text: `Its task sets a limit that nothing in it looks at: ${listed(untold.map(({ words }) => JSON.stringify(plainLine(words))))}.`,
      remedy:
        "Learn from a run in which what is limited is looked up and compared, or say in the description that its caller does so.",
    },
  ];
}
