import { plainLine } from "../../../core/text/display-text.ts";
import { listed } from "../../../core/text/listed.ts";
import { toolWords } from "../../../trace/record/tool-words.ts";
import type { CallStep, Plan } from "../../plan/plan.ts";
import { namedSteps } from "../../plan/steps.ts";
import { soundsActing } from "../../plan/tool-effects.ts";
import { TaskText } from "../../plan/values.ts";
import type { RecordedTrace, Turn } from "../../recording/recorded-trace.ts";
import type { Obstacle } from "./offer.ts";

/**
 * Acts that the user of the first run wished for only when others had been done, in words of which nothing was said before:
 * who wants the first need not want those, too.
 */
export function laterWishes(plan: Plan, [trace]: readonly RecordedTrace[]): readonly Obstacle[] {
  const { calls = [], turns = [] } = trace ?? {};
  const isActing = soundsActing(plan.effects);
  const acts = namedSteps(plan.steps).flatMap((step): readonly (CallStep & { readonly at: number })[] => {
    const at = step.kind === "call" ? calls.findIndex(({ tool }) => tool === step.tool) : -1;
    return step.kind === "call" && at >= 0 && isActing(step.tool) ? [{ ...step, at }] : [];
  });
  const [first] = acts.toSorted((a, b) => a.at - b.at);
  if (!first || turns.length < 2) return [];
  const known = textOf(turns.filter(({ after }) => after <= first.at));
  const own = new Set(toolWords(first.tool));
  const later = acts.flatMap((act) => {
    const said = turns.filter(({ after }) => after > first.at && after <= act.at);
    const words = toolWords(act.tool).filter((word) => word.length > 2 && !own.has(word));
    const wish = said.findLast(({ text }) => words.some((word) => new TaskText(text).hintsAt(word)));
    return wish && !words.some((word) => known.hintsAt(word)) ? [{ name: act.name, text: wish.text }] : [];
  });
  if (later.length === 0) return [];
  const texts = [...new Set(later.map(({ text }) => JSON.stringify(shortened(text))))];
  return [
    {
      reason: "later-wish",
      text: `Its user wished for ${listed(later.map(({ name }) => name))} only after ${first.name}: ${listed(texts)}.`,
      remedy: `Part it with a "split" edit, or drop what is not meant.`,
    },
  ];
}

function textOf(turns: readonly Turn[]): TaskText {
  return new TaskText(turns.map(({ text }) => text).join("\n"));
}

function shortened(text: string): string {
  const line = plainLine(text);
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

const MAX_SHOWN = 120;
