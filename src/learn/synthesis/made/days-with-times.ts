import { subexpressions } from "../../plan/expression.ts";
import type { Expression, TracePath } from "../../plan/plan.ts";
import { type ComposedPart, type ComposedText, knownPart, saidPart } from "../composed-text.ts";
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
  const [, day, sign, time, seconds = "", zone = ""] = DAY_WITH_TIME.exec(value) ?? [];
  if (day === undefined || sign === undefined || time === undefined) return [];
  const format = `YYYY-MM-DD${sign}hh:mm${seconds === "" ? "" : ":ss"}${zone}`;
  const partsOf = (text: string, field: string): readonly ComposedPart[] => {
    const known = decisionFor(view, text);
    if (known) return [knownPart(known)];
    const flows = flowParts(text, view, place, decisionFor);
    if (flows.length > 0 || site === undefined || !view.sample.task.says(text)) return flows;
    return [saidPart({ slot: `${site}~${field}`, field, value: text })];
  };
  const days = partsOf(day, "day");
  const times = timeTexts(time, seconds).flatMap((text) => partsOf(text, "time"));
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

const DAY_WITH_TIME = /^(\d{4}-\d{2}-\d{2})([T ])(\d{2}:\d{2})(:\d{2})?(Z?)$/;

/** How a time may be written: without seconds that are none, and with an hour of one digit. */
function timeTexts(time: string, seconds: string): readonly string[] {
  const texts = seconds === "" || seconds === ":00" ? [time, `${time}:00`] : [time + seconds];
  return texts.flatMap((text) => (text.startsWith("0") ? [text, text.slice(1)] : [text]));
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
  const ofRound = found.filter(({ expression }) =>
    subexpressions(expression).some((part) => part.kind === "ref" && names.has(part.name)),
  );
  return (ofRound.length > 0 ? ofRound : found)
    .slice(0, MAX_PLACES)
    .map(({ expression }) => ({ expression, isGiven: false, isCertain: true }));
}

const MAX_PLACES = 3;
