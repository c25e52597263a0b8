import type { RunRecorder } from "../trace/record/run-recorder.ts";
import type { TraceStore } from "../trace/trace-store.ts";

/** What was recorded, and what records. */
export interface ServedTraces {
  readonly store: TraceStore;
  readonly recorder: RunRecorder;
  /** Which runs a client can look at: those of its own session, or those of all. */
  readonly visible: "session" | "all";
}
