import type { Below } from "./call.ts";

/** An output that may be given again, and what its first call took, so that a reuse gets no other verdict than a run. */
export interface ReusableOutput {
  /** JSON text. */
  readonly text: string;
  readonly below: Below;
}
