import { LRUCache } from "lru-cache";
import { awaitsPerson, type Failure } from "../../core/error.ts";
import type { Json } from "../../core/json/json.ts";
import type { Result } from "../../core/result.ts";
import { isoNow } from "../../core/time/iso-now.ts";
import { type CallRecord, newRunId, type Run } from "../../core/run.ts";
import { type Attempt, RETRY_WITHIN, retriedCall } from "./retry.ts";
import { attempt, type Caller, runTrace, type RunTraceOptions, startedTrace } from "./run-trace.ts";
import type { TracePart } from "../trace-store.ts";

/** Takes a part; where it gives a promise, the answer of the run waits for that. */
type Add = (part: TracePart) => Promise<void> | void;

type Beginning = Pick<CallRecord, "kind" | "name" | "input">;

/**
 * Makes traces of runs, and hands them on. A run that takes long is there while it goes on; what a session calls again
 * after it failed is marked as a retry. Without a place to hand them to, nothing is made.
 */
export class RunRecorder {
  readonly #add: Add | undefined;
  readonly #sessions = new LRUCache<string, readonly EarlierRun[]>({ max: 1000 });

  constructor(add?: Add) {
    this.#add = add;
  }

  /** A run of a skill, which gets the given id: a new one, unless it goes on with one that waited. */
  async run(
    name: string,
    input: Json,
    caller: Caller,
    work: (id: string) => Promise<Run>,
    id: string = newRunId(),
  ): Promise<Run> {
    if (!this.#add) return work(id);
    const end = this.#begin(id, { kind: "skill", name, input }, caller);
    const run = await work(id);
    await end(run.root);
    return run;
  }

  /** A tool that a client calls: a run of one call, of which `outcomeOf` tells how it went. */
  async toolCall<Answer>(
    { name, input, ...about }: ToolCall,
    work: () => Promise<Answer>,
    outcomeOf: (answer: Answer) => Result<Json>,
  ): Promise<Answer> {
    if (!this.#add) return work();
    const root = { kind: "tool", name, input } as const;
    const end = this.#begin(newRunId(), root, about);
    const startedAt = performance.now();
    const answer = await work();
    const durationMs = performance.now() - startedAt;
    await end(endedCall(root, outcomeOf(answer), durationMs));
    return answer;
  }

  /** A call that reaches no skill and no tool: a run that has failed at once. */
  async refused(call: Beginning, error: Failure, caller: Caller): Promise<void> {
    await this.#begin(newRunId(), call, caller)(endedCall(call, { ok: false, error }, 0));
  }

  #begin(
    id: string,
    root: Beginning,
    about: Omit<RunTraceOptions, "retryOf">,
  ): (ended: CallRecord) => Promise<void> | void {
    const add = this.#add;
    if (!add) return () => {};
    const { sessionId } = about;
    const startedAt = isoNow();
    // What goes on at the same time is not tried again.
    const earlier = (sessionId === undefined ? undefined : this.#sessions.get(sessionId)) ?? [];
    const timer = setTimeout(() => void add(startedTrace({ id, startedAt, root }, about)), LONG_MS);
    timer.unref();
    return (ended) => {
      clearTimeout(timer);
      if (!ended.outcome.ok && awaitsPerson(ended.outcome.error))
        return add(startedTrace({ id, startedAt, root }, about));
      if (about.source === "server") return add(runTrace({ id, startedAt, root: ended }, about));
      const call = attempt(ended);
      const retryOf = retriedCall(earlier, call)?.id;
      const part = runTrace({ id, startedAt, root: ended }, { ...about, retryOf });
      const recorded = add(part);
      if (sessionId === undefined) return recorded;
      const last = { ...call, id: part.events[0]?.id ?? id };
      this.#sessions.set(sessionId, [...(this.#sessions.get(sessionId) ?? []), last].slice(-RETRY_WITHIN));
      return recorded;
    };
  }
}

/** A call of a tool of another server, or with the source `server` of one of our own. */
export interface ToolCall extends Omit<RunTraceOptions, "retryOf"> {
  readonly name: string;
  readonly input: Json;
}

function endedCall(root: Beginning, result: Result<Json>, durationMs: number): CallRecord {
  const outcome = result.ok ? { ok: true as const, output: result.value } : result;
  return { ...root, callPath: "0", outcome, startMs: 0, durationMs, console: [], calls: [] };
}

interface EarlierRun extends Attempt {
  /** Of its event. */
  readonly id: string;
}

/** A run that takes longer is recorded when it has begun, too. */
const LONG_MS = 250;
