import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import type { Draft } from "../../src/learn/drafts/draft.ts";
import type { Edit } from "../../src/learn/edits/edits.ts";
import { revisedPlan } from "../../src/learn/edits/revised-plan.ts";
import { mayWriteBy } from "../../src/learn/plan/tool-effects.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { draftView } from "../../src/learn/review/draft-view.ts";
import type { QuestionView } from "../../src/learn/review/view-types.ts";
import type { Replayer } from "../../test/learn/replay.ts";
import { filledParams, type Wish } from "./caller.ts";

/** Work that was done, and what was wished. */
export interface DoneWork {
  readonly wish: Wish;
  readonly trace: RecordedTrace;
}

/** More than so many questions no person answers. */
export const MAX_QUESTIONS = 12;

/**
 * The answers of somebody who knows the work to the open questions of a draft: of each question the reading with which
 * the draft comes furthest in doing the work again that was done for other wishes. Where it does not do all of it even so,
 * no reading is right, and nothing is answered.
 */
export async function answersTo(
  draft: Draft,
  learned: readonly Wish[],
  known: readonly DoneWork[],
  replayer: Replayer,
): Promise<readonly Edit[]> {
  const edits: Edit[] = [];
  for (let asked = 0; asked < MAX_QUESTIONS; asked++) {
    const revised = revisedPlan(draft, edits);
    if (!revised.ok) break;
    const { questions } = draftView({ ...draft, plan: revised.value.plan });
    const question = questions.find((each) => !edits.some((edit) => isAnswer(edit, each)));
    if (!question) break;
    let best: { readonly edit: Edit; readonly score: number } | undefined;
    for (const choose of choicesOf(question)) {
      const edit: Edit = { kind: "flow", leaf: { step: question.step, path: [...question.path] }, choose };
      const score = await scoreOf(draft, [...edits, edit], learned, known, replayer);
      if (score > (best?.score ?? -1)) best = { edit, score };
    }
    if (!best) break;
    edits.push(best.edit);
  }
  const best = MOST * known.length;
  return (await scoreOf(draft, edits, learned, known, replayer)) >= best ? edits : [];
}

function isAnswer(edit: Edit, { step, path }: QuestionView): boolean {
  return edit.kind === "flow" && edit.leaf.step === step && edit.leaf.path.join("/") === path.join("/");
}

function choicesOf({ now, readings }: QuestionView): readonly (number | "parameter" | "constant")[] {
  const chosen = readings.map(({ choose }) => choose);
  return now.choose === undefined ? chosen : [now.choose, ...chosen];
}

/** What a run counts of which all that may write is done again, and nothing else is done. */
const MOST = 1000;

/** How many calls of the work it does again; a run that is done as a whole counts more than any that is not. */
async function scoreOf(
  draft: Draft,
  edits: readonly Edit[],
  learned: readonly Wish[],
  known: readonly DoneWork[],
  replayer: Replayer,
): Promise<number> {
  const revised = revisedPlan(draft, edits);
  if (!revised.ok) return -1;
  const { plan } = revised.value;
  const mayWrite = mayWriteBy(plan.effects);
  const code = skillCode(plan);
  let score = 0;
  for (const { wish, trace } of known) {
    const { input, unknown } = filledParams(plan.params, learned, wish);
    if (unknown.length > 0) continue;
    const { made, fault } = await replayer.replay(code, input, trace);
    const isWhole = trace.calls.every(({ tool }, index) => !mayWrite(tool) || made.includes(index));
    const isMore = fault !== undefined && !fault.startsWith("did not call");
    score += made.length + (isWhole && !isMore ? MOST : 0);
  }
  return score;
}
