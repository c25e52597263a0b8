import type { AdvisedResult } from "../../learn/advice/advise.ts";
import type { ModelRound } from "../../learn/advice/model-round.ts";
import { counted } from "./amounts.ts";
import { type AnyDraft, toldState } from "../../learn/drafts/draft.ts";
import { evidenceFault, offerOf } from "../../learn/drafts/gate.ts";
import { draftReview } from "../../learn/review/draft-review.ts";
import { oneLine, plainLine } from "../../core/text/display-text.ts";
import { terminal } from "./terminal.ts";
import { commandLine } from "../../core/text/command-line.ts";

/** A draft as people read it. */
export function shownDraft(draft: AnyDraft): string {
  return draftReview(draft, { columns: terminal().columns }).text.trimEnd();
}

/** A draft as programs read it. */
export function draftJson(draft: AnyDraft): object {
  const { folder, code } = draft;
  return { ...draftReview(draft).view, folder, code };
}

/** What can be done with a draft now. */
export function nextSteps(draft: AnyDraft): string {
  const { name, state, folder, kind } = draft;
  const fault = evidenceFault(draft);
  const promote = commandLine(`promote ${name}`);
  switch (state) {
    case "promoted":
      return `It is promoted: "${commandLine(`run ${name}`)}" runs it, "${commandLine(`revoke ${name}`)}" takes it out`;
    case "rejected":
      return `It was ${toldState(state, draft.provenance.history)}; "${promote}" takes it all the same`;
    case "draft":
    case "reviewed":
      if (!fault && !offerOf(draft).isOffered)
        return `It is kept as a record and not offered; "${promote}" makes it a skill all the same; its files are in ${folder}`;
      return fault
        ? `It cannot be promoted yet: ${oneLine(fault.message)}\nNext: edit ${folder}${kind === "learned" ? `, or "${commandLine(`drafts revise ${name}`)}"` : ""}; then "${commandLine(`drafts verify ${name}`)}"`
        : `Next: "${promote}" makes it a skill, "${commandLine(`reject ${name}`)}" does not; its files are in ${folder}`;
  }
}

/** What came of each round with a model. */
export function roundsText({ rounds, stopped }: AdvisedResult): string {
  const lines = rounds.map(
    (round, index) =>
      `Round ${index + 1}, ${plainLine(round.model)}: ${OUTCOMES[round.outcome]} (${takenText(round)}). ${plainLine(round.why)}`,
  );
  return [...lines, ...(stopped === undefined ? [] : [`No further round: ${plainLine(stopped)}`])].join("\n");
}

const OUTCOMES: Readonly<Record<ModelRound["outcome"], string>> = {
  kept: "kept",
  dropped: "dropped, the draft is as it was",
  empty: "nothing to change",
};

function takenText({ inputTokens, outputTokens, cost }: ModelRound): string {
  const tokens = counted(inputTokens + outputTokens, "token");
  return cost === undefined ? tokens : `${tokens}, $${cost.toFixed(4)}`;
}
