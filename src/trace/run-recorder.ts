import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Json } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { CallRecord, Run } from "../core/run.ts";
import { RETRY_WITHIN } from "./retry.ts";
import { attempt, type EarlierCall, retriedBy, runTrace, startedTrace } from "./run-trace.ts";
import type { TracePart } from "./trace-store.ts";

/** Takes a part; where it gives a promise, the answer of the run waits for that. */
type Add = (part: TracePart) => Promise<void> | void;

type Beginning = Pick<CallRecord, "kind" | "name" | "input">;

/**
 * Makes traces of runs, and hands them on. A run that takes long is there while it goes on; what a session calls again
 * after it failed is marked as a retry. Without a place to hand them to, nothing is made.
 */
export class RunRecorder {
  readonly #add: Add | undefined;
  readonly #sessions = new LRUCache<string, readonly EarlierCall[]>({ max: 1000 });

  constructor(add?: Add) {
    this.#add = add;
  }

  /** A run of a skill, which gets the given id. */
  async run(
    name: string,
    input: Json,
    sessionId: string | undefined,
    work: (id: string) => Promise<Run>,
  ): Promise<Run> {
    const id = randomUUID();
    const end = this.#begin(id, { kind: "skill", name, input }, sessionId);
    const run = await work(id);
    await end(run.root);
    return run;
  }

  /** A tool that a client calls through us: a run of one call. */
  async toolCall(
    name: string,
    input: Json,
    sessionId: string | undefined,
    work: () => Promise<Result<Json>>,
  ): Promise<Result<Json>> {
    const root = { kind: "tool", name, input } as const;
    const end = this.#begin(randomUUID(), root, sessionId);
    const startedAt = performance.now();
    const result = await work();
    const durationMs = performance.now() - startedAt;
    const outcome = result.ok ? { ok: true as const, output: result.value } : result;
    await end({ ...root, callPath: "0", outcome, startMs: 0, durationMs, console: [], calls: [] });
    return result;
  }

  #begin(
    id: string,
    root: Beginning,
    sessionId: string | undefined,
  ): (ended: CallRecord) => Promise<void> | void {
    const add = this.#add;
    if (!add) return () => {};
    const startedAt = new Date().toISOString();
    const timer = setTimeout(() => void add(startedTrace({ id, startedAt, root }, sessionId)), LONG_MS);
    timer.unref();
    return (ended) => {
      clearTimeout(timer);
      const earlier = (sessionId === undefined ? undefined : this.#sessions.get(sessionId)) ?? [];
      const retryOf = retriedBy(ended, earlier);
      const part = runTrace({ id, startedAt, root: ended }, { sessionId, retryOf });
      const recorded = add(part);
      if (sessionId === undefined) return recorded;
      const last = { ...attempt(ended), id: part.events[0]?.id ?? id };
      this.#sessions.set(sessionId, [...earlier, last].slice(-RETRY_WITHIN));
      return recorded;
    };
  }
}

/** A run that takes longer is recorded when it has begun, too. */
const LONG_MS = 250;
