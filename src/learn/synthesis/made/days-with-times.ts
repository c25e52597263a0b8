import { refersTo, subexpressions } from "../../plan/expression.ts";
import type { Expression, TracePath } from "../../plan/plan.ts";
import { type ComposedPart, type ComposedText, knownPart, saidPart } from "../composed-text.ts";
import { partedTime } from "../dates.ts";
import { textPieces } from "./text-pieces.ts";
import { type CallView, type DecisionLookup, flowCandidates } from "../flow-candidates.ts";

/**
 * How a day with its time is put together of a day and a time that are told apart, as `2026-05-12T10:00:00` of `2026-05-12`
 * and `10:00`: at least one by an answer, the other may be the caller's.
 */
export function daysWithTimes(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string | undefined,
): readonly ComposedText[] {
  const parted = partedTime(value);
  if (!parted) return [];
  const { sign, format } = parted;
  const partsOf = (text: string, field: string): readonly ComposedPart[] => {
    const known = decisionFor(view, text);
    if (known) return [knownPart(known)];
    const flows = flowParts(text, view, place, decisionFor);
    if (flows.length > 0 || site === undefined) return flows;
    // From when to when something is stands in one text, too: `09:00-11:00`.
    const pieces = view.scope.length > 0 ? textPieces(text, view, place, decisionFor, site) : [];
    if (pieces.length > 0)
      return pieces.map(({ expression, said }) => ({ expression, isGiven: false, isCertain: true, said }));
    if (!view.sample.task.says(text)) return [];
    return [saidPart({ slot: `${site}~${field}`, field, value: text })];
  };
  const days = partsOf(parted.day, "day");
  const times = parted.times.flatMap((text) => partsOf(text, "time"));
  return days.flatMap((of) =>
    times.flatMap((at): readonly ComposedText[] => {
      if (of.isGiven && at.isGiven) return [];
      const text: Expression = { kind: "template", parts: [of.expression, sign, at.expression] };
      return [
        {
          expression: { kind: "date", of: text, days: 0, format },
          isCertain: days.length === 1 && times.length === 1,
          isLikely: true,
          said: [...(of.said ?? []), ...(at.said ?? [])],
          why: "it is a day with a time, which are told apart",
        },
      ];
    }),
  );
}

/** Where answers tell a text, in a loop those of the round where they do. */
function flowParts(
  text: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
): readonly ComposedPart[] {
  const names = new Set(view.scope.map(({ name }) => name));
  const found = flowCandidates(text, view, place, "", decisionFor).filter(({ slots }) => slots.length === 0);
  // What the round itself tells is not sought by what it tells.
  const ofRound = found.filter(({ expression }) => {
    const isSought = subexpressions(expression).some(({ kind }) => kind === "find" || kind === "filter");
    return !isSought && refersTo(expression, names);
  });
  return (ofRound.length > 0 ? ofRound : found)
    .slice(0, MAX_PLACES)
    .map(({ expression }) => ({ expression, isGiven: false, isCertain: true }));
}

const MAX_PLACES = 3;
