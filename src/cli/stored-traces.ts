import type { TraceEvent } from "../core/trace-event.ts";
import type { TraceSource } from "../learn/mining/occurrence-traces.ts";
import { type RecordedTrace, recordedTrace } from "../learn/recording/recorded-call.ts";
import type { TraceStore } from "../trace/trace-store.ts";
import { allRuns, traceOf } from "./named-run.ts";

/** What agents did: transcripts, and of each session the tools that were called. What a skill did is done by a skill. */
export class StoredTraces implements TraceSource {
  readonly #store: TraceStore;
  readonly #since: number | undefined;
  readonly #sessions = new Set<string>();

  constructor(store: TraceStore, since?: number) {
    this.#store = store;
    this.#since = since;
  }

  async *all(): AsyncGenerator<RecordedTrace, void, undefined> {
    const filter = this.#since === undefined ? {} : { since: this.#since };
    for await (const { runId, sessionId, source, status } of allRuns(this.#store, filter)) {
      if (source === "run" || status === "running") continue;
      if (source === "import" || sessionId === undefined) yield this.#run(runId);
      else if (!this.#sessions.has(sessionId)) {
        this.#sessions.add(sessionId);
        yield this.#session(sessionId);
      }
    }
  }

  async one(id: string): Promise<RecordedTrace> {
    return this.#sessions.has(id) ? this.#session(id) : this.#run(id);
  }

  async #run(runId: string): Promise<RecordedTrace> {
    return recordedTrace(await traceOf(this.#store, runId));
  }

  async #session(sessionId: string): Promise<RecordedTrace> {
    const runIds: string[] = [];
    for await (const { runId } of allRuns(this.#store, { sessionId, source: "session", limit: MOST_RUNS }))
      runIds.push(runId);
    const events: TraceEvent[] = [];
    for (const runId of runIds.toReversed()) events.push(...(await traceOf(this.#store, runId)).events);
    return recordedTrace({ runId: sessionId, sessionId, source: "session", startedAt: 0, events, files: [] });
  }
}

const MOST_RUNS = 2000;
