import { subexpressions } from "../../plan/expression.ts";
import type { TracePath } from "../../plan/plan.ts";
import { SLUG_SEPARATORS, slugOf } from "../../plan/text-part.ts";
import type { ComposedPart } from "../composed-text.ts";
import { type CallView, type DecisionLookup, saidFlow } from "../flow-candidates.ts";
import { toldTexts } from "../told/known-texts.ts";

/** What a round tells, as the names of files and folders have it: `cafe-luna` of `Cafe Luna`. */
export function sluggedPart(
  run: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): ComposedPart | undefined {
  if (run.length < MIN_NAME || run.length > MAX_NAME || !SLUG.test(run)) return undefined;
  const names = new Set(view.scope.map(({ name }) => name));
  const texts = [...new Set(Array.from(toldTexts(view), ({ text }) => text))];
  return SLUG_SEPARATORS.flatMap((separator) =>
    texts.flatMap((text): readonly ComposedPart[] => {
      if (text === run || slugOf(text, separator, true) !== run) return [];
      const flow = saidFlow(text, view, place, site, decisionFor);
      const isOfRound =
        flow !== undefined &&
        subexpressions(flow.expression).some((part) => part.kind === "ref" && names.has(part.name));
      if (!isOfRound) return [];
      const expression = { kind: "slug", of: flow.expression, separator, isLower: true } as const;
      return [{ expression, isGiven: false, isCertain: true, said: flow.slots }];
    }),
  )[0];
}

const MIN_NAME = 2;
const MAX_NAME = 120;
const SLUG = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;
