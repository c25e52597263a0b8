import { type ErrorCode, failure, type Failure } from "../../core/error.ts";
import { isJsonObject } from "../../core/json/json.ts";

/** Why no draft comes of runs, or why a draft does not become a skill: each reason there is, in words. */
export const REASONS = {
  // No draft.
  "nothing-to-learn": "no call was made",
  unfinished: "the run is not over, or was cancelled",
  "ended-in-failure": "the last thing that was done failed",
  "failed-task": "the run was judged to have failed its task",
  incomplete: "events of the run are lost",
  "nothing-in-common": "the runs have no call in common",
  "too-large": "the runs are larger than the limits",
  // A draft that nobody can promote as it is.
  unverified: "nothing says that it works as it is now",
  "not-typed": "its code does not fit its types",
  "cases-fail": "it does not do what its cases say",
  "not-replayable": "it does not do again what it was learned from",
  "not-general": "it does not do the same where ids, orders or numbers are others",
  "goes-on": "it writes after a call that has another outcome than in its runs",
  "missing-tool": "it calls tools that no configured server has",
  rejected: "a person does not want it",
  // A draft that is no more than a record of what was done.
  "another-way": "runs of its task did other things, and nothing tells when",
  "must-fail": "a step of it has to fail again as it did",
  "transient-failure": "a call of its runs failed for a while, and nothing tells whether it is needed",
  "given-program": "its caller writes the programs that it runs",
  "fixed-text": "it has a text, or a name in one, that is about one run alone",
  "callers-thinking": "what was read decides nothing, and its caller does the thinking",
  "copied-rows": "its caller has to copy what an answer holds",
  "unknown-names": "its caller has to give names or ids that only an answer told, or nobody",
  "untold-place": "its task names a place that no call does: what it does depends on where its run was",
  "untold-exception": "its task leaves something out of which its runs had nothing",
  "untold-limit": "its task sets a limit that nothing in it looks at",
  "adds-nothing": "its caller says all that its calls have, as the tools themselves want it",
  "fixed-number": "it does the same for a fixed number of things that its caller names",
  undone: "a step of it takes back what another has done, or sets it anew",
  "unrelated-acts": "it does things that have nothing to do with one another",
  "later-wish": "it does what its user wished for only when other things had been done",
  // A draft that waits for a person.
  review: "a person promotes drafts",
  written: "a model has written its code and its cases: no recorded run shows that it is right",
  transcript: "it rests on transcripts that somebody gave, not on runs that were recorded here",
  edited: "its files were edited by hand",
  "unknown-effect": "nobody says what some of its tools do to the world",
  writes: "it may write",
  recording: "it derives nothing and repeats nothing over a list",
  "too-many-decisions": "it leaves many values to its caller",
  "open-question": "its runs can be read in more than one way, and nobody has chosen",
  "too-little-evidence": "what was tried tells too little",
} as const;

export type Reason = keyof typeof REASONS;

/** A failure that tells its reason to programs, too. */
export function reasonedFailure(reason: Reason, code: ErrorCode, message: string): Failure {
  return failure(code, message, { details: { reason } });
}

/** The reason that a failure tells. */
export function reasonOf({ details }: Pick<Failure, "details">): Reason | undefined {
  const reason = isJsonObject(details) ? details["reason"] : undefined;
  return typeof reason === "string" && Object.hasOwn(REASONS, reason) ? (reason as Reason) : undefined;
}

/** How often each reason held; those that never did are absent. */
export type ReasonCounts = Readonly<Partial<Record<Reason, number>>>;

/** Counts reasons. */
export class ReasonCount {
  readonly #counts: Partial<Record<Reason, number>> = {};

  add(reason: Reason): void {
    this.#counts[reason] = (this.#counts[reason] ?? 0) + 1;
  }

  get counts(): ReasonCounts {
    return { ...this.#counts };
  }
}
