import type { TracePath } from "../../plan/plan.ts";
import { filledGaps, isEntityName } from "../../plan/values.ts";
import {
  type ComposedPart,
  type ComposedText,
  fieldAt,
  knownPart,
  saidPart,
  templateOf,
  withOneSlotEach,
} from "../composed-text.ts";
import { type CallView, type DecisionLookup, flowCandidates, isSaidSlot } from "../flow-candidates.ts";
import { countOf } from "../told/known-texts.ts";

/** How a text is what the task has in quotes with gaps (`Job: …`), with what answers tell in these, or the caller says. */
export function filledTexts(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ComposedText[] {
  return view.sample.task.quotes.flatMap((quote): readonly ComposedText[] => {
    const { around = [], fillers = [] } = filledGaps(quote, value) ?? {};
    let at = 0;
    const made = fillers.map((filler, nth) => {
      at += around[nth]?.length ?? 0;
      const field = fieldAt(value, at, place.path);
      at += filler.length;
      return fillerOf(filler, field, view, place, decisionFor, `${site}~gap ${nth}`);
    });
    const isTold = made.some((part) => part && !part.isGiven);
    if (!isTold || !made.every((part) => part !== undefined)) return [];
    const parts = withOneSlotEach(
      around.flatMap((text, nth) => [text, made[nth] ?? ""]).filter((part) => part !== ""),
    );
    return [
      {
        expression: templateOf(parts),
        isCertain: false,
        isLikely: true,
        said: parts.flatMap((part) => (typeof part === "string" ? [] : (part.said ?? []))),
        why: "the task says it with gaps, in which is what answers tell",
      },
    ];
  });
}

/** What stands in a gap: what is known, what one place of the answers tells, or what the task says. */
function fillerOf(
  filler: string,
  field: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  slot: string,
): ComposedPart | undefined {
  const known = isEntityName(filler) ? decisionFor(view, filler) : undefined;
  if (known) return knownPart(known);
  const { task } = view.sample;
  const flow = flowCandidates(filler, view, place, slot, decisionFor).find(
    ({ slots, isOfOtherThing }) => isOfOtherThing !== true && slots.every((slot) => isSaidSlot(slot, task)),
  );
  // A word that stands in several places is of one of them by chance.
  const isOfOne = isEntityName(filler) || countOf(filler, view) === 1;
  if (flow && isOfOne)
    return { expression: flow.expression, isGiven: false, isCertain: true, said: flow.slots };
  return task.says(filler) && isEntityName(filler) ? saidPart({ slot, field, value: filler }) : undefined;
}
