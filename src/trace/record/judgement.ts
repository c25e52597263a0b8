import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { Trace } from "../../core/trace-event.ts";

/** What somebody, or a check, has judged of a run: whether it did what it was to do. */
export interface Judgement {
  readonly isSuccess: boolean;
  /** As it was told: `reward 0`. */
  readonly by: string;
}

/** Under which a judgement stands in the `meta` of a run's first event. */
export const JUDGEMENT = "judgement";

/** What is known of a run's outcome; of several judgements the one that says that it failed. */
export function judgementOf({ events }: Pick<Trace, "events">): Judgement | undefined {
  const judgements = events.flatMap(({ parentEventId, meta }) =>
    parentEventId === undefined ? (readJudgement(meta?.[JUDGEMENT]) ?? []) : [],
  );
  return judgements.find(({ isSuccess }) => !isSuccess) ?? judgements[0];
}

function readJudgement(value: Json | undefined): Judgement | undefined {
  if (!isJsonObject(value)) return undefined;
  const { isSuccess, by } = value;
  return typeof isSuccess === "boolean" && typeof by === "string" ? { isSuccess, by } : undefined;
}
