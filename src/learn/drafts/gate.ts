import { plainLine } from "../../core/text/display-text.ts";
import { listed } from "../../core/text/listed.ts";
import type { Failure } from "../../core/error.ts";
import type { Evidence, RungName } from "../verify/evidence.ts";
import { isRecording } from "../plan/steps.ts";
import { mayWriteBy, unknownTools } from "../plan/tool-effects.ts";
import { draftCalls } from "../edits/recorded-run.ts";
import { transientFailures } from "../recording/kept-calls.ts";
import type { AnyDraft, Draft, PromotionPolicy } from "./draft.ts";
import { type Obstacle, type Offer, planObstacles } from "./offer/offer.ts";
import { type Reason, REASONS, reasonedFailure, reasonOf } from "./reasons.ts";

/** Without these no one can promote a draft. */
const NEEDED: Readonly<Record<AnyDraft["kind"], readonly RungName[]>> = {
  learned: ["types", "own", "twin", "faults"],
  written: ["types", "cases"],
};

/** What a draft lacks before anybody could approve it, or nothing. */
export function evidenceFault(draft: AnyDraft): Failure | undefined {
  const { name, evidence, isStale } = draft;
  if (!evidence) {
    const why = isStale ? "has changed since it was verified" : "was never verified";
    return reasonedFailure("unverified", "DRAFT_UNVERIFIED", `The draft "${name}" ${why}: verify it`);
  }
  const isText = draft.kind === "written" && draft.written.language !== undefined;
  const failing = (isText ? ["types" as const] : NEEDED[draft.kind]).find((rung) => !holds(evidence, rung));
  if (failing === undefined) return missingFault(draft);
  const found = evidence.rungs.find((each) => each.name === failing);
  return found
    ? reasonedFailure(
        RUNG_REASONS[failing],
        "DRAFT_UNVERIFIED",
        `The draft "${name}" does not pass ${SAID[failing]}: ${found.passed} of ${found.of} hold`,
      )
    : reasonedFailure(
        "unverified",
        "DRAFT_UNVERIFIED",
        `The draft "${name}" was verified without ${SAID[failing]}: verify it again`,
      );
}

/** What was recorded elsewhere is replayed well, but could never run here. */
function missingFault({ name, missingTools }: AnyDraft): Failure | undefined {
  if (missingTools.length === 0) return undefined;
  return reasonedFailure(
    "missing-tool",
    "TOOL_NOT_FOUND",
    `The draft "${name}" calls tools that no configured server has: ${missingTools.join(", ")}. ` +
      "Add their servers to mcpServers in the configuration, or revise the draft",
  );
}

/**
 * Whether a draft is offered: its evidence holds, no run that it was learned from is known to have failed, and its work is
 * worth it. What was written for a wish is.
 */
export function offerOf(draft: AnyDraft): Offer {
  const traces = draft.provenance.traces.map(({ trace }) => trace);
  const fault = evidenceFault(draft);
  const failed = traces.find(({ judgement }) => judgement?.isSuccess === false)?.judgement;
  const obstacles: Obstacle[] = draft.kind === "learned" ? [...planObstacles(draft.plan, traces)] : [];
  if (draft.kind === "learned") obstacles.unshift(...lostCalls(draft));
  if (draft.provenance.isUndecided === true)
    obstacles.unshift({
      reason: "another-way",
      text: "Runs of its task went another way, and nothing that they were told says for sure when.",
      remedy: "Learn from more runs that went each way, or only from those that did what is wanted.",
    });
  if (failed)
    obstacles.unshift({
      reason: "failed-task",
      text: `A run that it was learned from failed its task: ${plainLine(failed.by)}.`,
      remedy: "Learn from runs that did it.",
    });
  if (fault)
    obstacles.unshift({
      reason: reasonOf(fault) ?? "unverified",
      text: `${fault.message}.`,
      remedy: "Revise it, or verify it again.",
    });
  return { isOffered: obstacles.length === 0, obstacles };
}

/** What runs called that failed for a while, where the work may lack it. */
function lostCalls({ plan, provenance }: Draft): readonly Obstacle[] {
  // Only other runs tell what is done where such a call succeeds.
  const isCompared = provenance.traces.length > 1;
  const lost = provenance.traces.flatMap((source) => {
    const made = new Set(draftCalls(source));
    return transientFailures(source.trace, mayWriteBy(plan.effects)).filter(
      ({ call, isOpen }) => isOpen && !(made.has(call) && isCompared),
    );
  });
  if (lost.length === 0) return [];
  const tools = listed([...new Set(lost.map(({ tool }) => plainLine(tool)))]);
  return [
    {
      reason: "transient-failure",
      text: `Its runs called ${tools}, which failed for a while, and went on without: nothing tells whether ${lost.length === 1 ? "that call was" : "those calls were"} needed.`,
      remedy: "Learn from a run in which it succeeds, or promote it where the work is whole without it.",
    },
  ];
}

/** Why a draft must not be promoted, or nothing. Of a draft that writes the policy may ask more. */
export function promotionFault(
  draft: AnyDraft,
  policy: PromotionPolicy,
  writes: boolean,
): Failure | undefined {
  const { name, state } = draft;
  if (state === "rejected")
    return reasonedFailure("rejected", "DRAFT_STATE", `The draft "${name}" was rejected`);
  const fault = evidenceFault(draft);
  if (fault || state !== "draft") return fault;
  // Its cases are of the same hand as its code.
  const found = draft.kind === "written" ? (["written"] as const) : reviewReason(draft, policy, writes);
  if (!found) return undefined;
  const [reason, text = REASONS[reason]] = found;
  return reasonedFailure(reason, "DRAFT_UNREVIEWED", `The draft "${name}" waits for a review: ${text}`);
}

/** Why a person has to look at a draft, and in which words if not the reason's own; or nothing: the policy promotes it by itself. */
function reviewReason(
  draft: Draft,
  policy: PromotionPolicy,
  writes: boolean,
): readonly [Reason, string?] | undefined {
  const { evidence, plan, provenance, isEdited } = draft;
  if (policy.review === "always") return ["review"];
  if (!provenance.traces.every(({ trace }) => trace.origin === "own"))
    return [
      "transcript",
      "it was learned from a transcript that was submitted or imported, not from runs that were recorded here",
    ];
  if ((evidence?.given ?? 0) > 0)
    return [
      "transcript",
      `${evidence?.given} of the held-out runs are transcripts that were submitted or imported`,
    ];
  if (isEdited) return ["edited"];
  if (writes && policy.writes !== true)
    return [
      unknownTools(plan).length > 0 ? "unknown-effect" : "writes",
      "it calls what is not known to only look, and the policy promotes no draft that may write",
    ];
  const { questions = [] } = plan;
  const open = questions.filter(({ decidedBy }) => decidedBy === undefined).length;
  if (open > 0)
    return ["open-question", `its runs leave ${open === 1 ? "a question" : `${open} questions`} open`];
  const [decided] = questions;
  if (decided) return ["open-question", `${decided.decidedBy} has chosen a reading that no run confirms`];
  if (isRecording(plan.steps))
    return [
      "recording",
      "it is a recording: it derives nothing from answers and repeats nothing over a list of theirs, so no replay can fail",
    ];
  const [obstacle] = offerOf(draft).obstacles;
  if (obstacle) return [obstacle.reason, `it is not offered. ${obstacle.text}`];
  const needed =
    policy.above === "heldOut" || policy.above === "live"
      ? [...NEEDED.learned, policy.above]
      : NEEDED.learned;
  const missing = needed.find((rung) => !evidence || !holds(evidence, rung, policy.least));
  if (missing) return ["too-little-evidence", `the policy needs ${SAID[missing]}`];
  const empty = evidence?.rungs.find(
    ({ name, flows = 0 }) => needed.includes(name) && (name === "twin" || name === "heldOut") && flows === 0,
  )?.name;
  return (
    empty && [
      "too-little-evidence",
      `${SAID[empty]} tells nothing: no value that it has from answers was another than in its own traces`,
    ]
  );
}

/** Why a draft that does not pass a rung cannot be promoted. */
export const RUNG_REASONS: Readonly<Record<RungName, Reason>> = {
  types: "not-typed",
  cases: "cases-fail",
  own: "not-replayable",
  twin: "not-general",
  faults: "goes-on",
  heldOut: "too-little-evidence",
  live: "too-little-evidence",
};

const SAID: Readonly<Record<RungName, string>> = {
  types: "its types",
  cases: "its cases",
  own: "the replay of its own traces",
  twin: "the replay of their twins",
  faults: "the replay in which its calls fail",
  heldOut: "the replay of held-out traces",
  live: "its live runs",
};

const MIN = 0.5;
const ALWAYS_NEEDED: ReadonlySet<RungName> = new Set(Object.values(NEEDED).flat());

function holds({ rungs }: Evidence, name: RungName, least: number = MIN): boolean {
  const rung = rungs.find((each) => each.name === name);
  if (!rung || rung.of === 0) return false;
  return ALWAYS_NEEDED.has(name) ? rung.passed === rung.of : rung.low >= least;
}
