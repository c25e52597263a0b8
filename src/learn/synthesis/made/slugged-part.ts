import { refersTo } from "../../plan/expression.ts";
import type { TracePath } from "../../plan/plan.ts";
import { SLUG_SEPARATORS, type SlugSeparator, slugOf } from "../../plan/text-part.ts";
import type { ComposedPart } from "../composed-text.ts";
import { type CallView, type DecisionLookup, saidFlow } from "../flow-candidates.ts";
import { toldTexts } from "../told/known-texts.ts";

/** A told text as the names of branches, files and folders have it, where something tells it there. */
export function slugPart(
  text: string,
  { separator, isLower }: { readonly separator: SlugSeparator; readonly isLower: boolean },
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): ComposedPart | undefined {
  const flow = saidFlow(text, view, place, site, decisionFor);
  return (
    flow && {
      expression: { kind: "slug", of: flow.expression, separator, isLower },
      isGiven: false,
      isCertain: true,
      said: flow.slots,
    }
  );
}

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
  // A slug is as long as its text.
  const texts = Array.from(toldTexts(view), ({ text }) => text).filter(
    (text) => text.length === run.length && text !== run,
  );
  return SLUG_SEPARATORS.flatMap((separator) =>
    [...new Set(texts)].flatMap((text): readonly ComposedPart[] => {
      if (slugOf(text, separator, true) !== run) return [];
      const part = slugPart(text, { separator, isLower: true }, view, place, decisionFor, site);
      return part && refersTo(part.expression, names) ? [part] : [];
    }),
  )[0];
}

const MIN_NAME = 2;
export const MAX_NAME = 120;
const SLUG = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;
