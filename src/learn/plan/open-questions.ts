import type { TracePath } from "./plan.ts";

/**
 * What the runs leave open. `element`: which elements of a list; `source`: which of several places or arguments with an
 * equal value; `constant`: whether a value that was the same in all runs is the same for every caller; `date`,
 * `calculation`, `text`: whether it is made of earlier values, or only happened to be equal.
 */
export const QUESTION_KINDS = ["element", "source", "constant", "date", "calculation", "text"] as const;

/**
 * An argument, or what a loop goes over (an empty path), of which the runs allow more than one reading. The plan has the
 * safest of them until somebody, or another run, answers.
 */
export interface OpenQuestion {
  readonly kind: (typeof QUESTION_KINDS)[number];
  readonly step: string;
  readonly path: TracePath["path"];
  /** The steps of whose answers the readings are: they are of use until it is answered. */
  readonly reads?: readonly string[] | undefined;
  /** The model, or the client, that has chosen a reading: no run confirms it, and no person has yet. */
  readonly decidedBy?: string | undefined;
}

/** Whether a question is about a place, or about something inside it. */
export function isAbout(question: OpenQuestion, place: Pick<OpenQuestion, "step" | "path">): boolean {
  return question.step === place.step && place.path.every((part, index) => question.path[index] === part);
}
