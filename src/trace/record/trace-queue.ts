import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Failure } from "../../core/error.ts";
import type { Json } from "../../core/json/json.ts";
import { fail } from "../../core/result.ts";
import { unavailableFailure } from "../store/database.ts";
import { isTransient } from "../store/group-commit.ts";
import { partStatus } from "../store/prepared-part.ts";
import type { TracePart, TraceStore } from "../trace-store.ts";

export interface TraceQueueOptions {
  /** Told when recording degrades, at most once a minute, and never in the caller's stack. */
  readonly onWarning?: (message: string) => void;
  /** How many events may wait; 20,000 by default. */
  readonly mostEvents?: number;
  /** About how many bytes may wait; 128 MB by default. */
  readonly mostBytes?: number;
  /** How long whoever adds waits for room, at most; 2 s by default. */
  readonly maxWaitMs?: number;
  /** Between two warnings; a minute by default. */
  readonly warnEveryMs?: number;
}

/**
 * Records without being in the way: what is added waits in a bounded queue until the store has it. Where the store takes
 * less than is added, those who add wait a little once the queue is half full. While the store does not answer, nobody
 * waits, and recording goes on trying. What no longer fits in the queue is lost: the run is recorded without it, and
 * tells how many events it had; a warning tells it too.
 */
export class TraceQueue {
  readonly #store: Pick<TraceStore, "record">;
  readonly #options: Required<TraceQueueOptions>;
  readonly #queue: Waiting[] = [];
  /** How many events each run has lost. */
  readonly #lostOf = new LRUCache<string, number>({ max: MAX_REMAINDERS });
  /** What is lost of runs that nothing more can be kept of. */
  #gap: Gap | undefined;
  #remainders = 0;
  #events = 0;
  #bytes = 0;
  #lost = 0;
  #untold = 0;
  #isAway = false;
  #room: PromiseWithResolvers<void> | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;
  #working: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** Whether what is added goes along for longer. */
  #isGathering = false;
  /** Parts that somebody waits for. */
  #awaited = 0;
  #isClosed = false;

  constructor(store: Pick<TraceStore, "record">, options: TraceQueueOptions = {}) {
    this.#store = store;
    this.#options = {
      onWarning: options.onWarning ?? (() => {}),
      mostEvents: options.mostEvents ?? 20_000,
      mostBytes: options.mostBytes ?? 128 * 1024 * 1024,
      maxWaitMs: options.maxWaitMs ?? 2000,
      warnEveryMs: options.warnEveryMs ?? 60_000,
    };
  }

  /**
   * Takes a part; never throws. Where the queue is half full it gives a promise, which is kept when there is room again,
   * or the time is over. The part must not be changed afterwards.
   */
  add(part: TracePart): Promise<void> | void {
    this.#put(part, undefined);
    if (this.#isHalfFull && !this.#isAway && !this.#isClosed) return this.#hasRoom();
  }

  /** Takes a part, and is kept when it is recorded or lost. */
  async recorded(part: TracePart): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited++;
    // Nobody is to wait for what is still to come.
    if (this.#isGathering) this.#wake?.();
    this.#put(part, () => {
      this.#awaited--;
      resolve();
    });
    await promise;
  }

  #put(part: TracePart, settle: (() => void) | undefined): void {
    const events = part.events.length;
    const bytes = roughBytes(part);
    const fits =
      this.#events + events <= this.#options.mostEvents && this.#bytes + bytes <= this.#options.mostBytes;
    if (this.#isClosed || (!fits && this.#queue.length > 0)) {
      this.#lose(part, "too much waits to be recorded");
      settle?.();
      return;
    }
    this.#enqueue({ part, events, bytes, settle });
  }

  /** How many events wait, and how many were lost since the start. */
  get state(): { readonly waiting: number; readonly lost: number } {
    return { waiting: this.#events, lost: this.#lost };
  }

  /** Waits until all that was added is recorded, at most so long; gives whether it is. */
  async flush(withinMs = 5000): Promise<boolean> {
    const until = performance.now() + withinMs;
    while (this.#working !== undefined && performance.now() < until) {
      this.#wake?.();
      await Promise.race([this.#working, pause(Math.min(50, withinMs))]);
    }
    return this.#queue.length === 0;
  }

  /** Waits until all that was added before is recorded or lost, at most so long: what is added meanwhile may still wait. */
  async caughtUp(withinMs: number): Promise<void> {
    const last = this.#queue.at(-1);
    if (!last) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { settle } = last;
    last.settle = () => {
      settle?.();
      resolve();
    };
    if (this.#isGathering) this.#wake?.();
    await Promise.race([promise, delay(withinMs, undefined, { ref: false })]);
  }

  /** Records what it can within the time, and tells what was not; what is added later is lost. */
  async close(withinMs = 5000): Promise<void> {
    const isRecorded = await this.flush(withinMs);
    this.#isClosed = true;
    this.#wake?.();
    this.#lost += this.#events;
    this.#untold += this.#events;
    this.#take(this.#queue.slice());
    if (isRecorded && this.#untold === 0) return;
    const why = isRecorded ? "" : ": the store did not take them in time";
    this.#options.onWarning(`Traces are not recorded${why}; ${this.#untold} events are lost`);
  }

  #enqueue(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#events += waiting.events;
    this.#bytes += waiting.bytes;
    this.#working ??= this.#work();
  }

  get #isHalfFull(): boolean {
    const { mostEvents, mostBytes } = this.#options;
    return this.#events > mostEvents / 2 || this.#bytes > mostBytes / 2;
  }

  async #hasRoom(): Promise<void> {
    this.#room ??= Promise.withResolvers();
    await Promise.race([this.#room.promise, delay(this.#options.maxWaitMs, undefined, { ref: false })]);
  }

  #letGoOn(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  async #work(): Promise<void> {
    let waitMs = MIN_WAIT_MS;
    // What is added soon after goes along: a write costs much the same for one part and for many.
    await this.#sleep(GATHER_MS);
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      const away = await this.#record(batch);
      if (this.#isClosed) break;
      this.#isAway = away !== undefined;
      if (away === undefined) {
        this.#take(batch);
        this.#closeGap();
        waitMs = MIN_WAIT_MS;
        if (this.#queue.length < MAX_PARTS) await this.#gather(batch.length);
        continue;
      }
      this.#letGoOn();
      this.#warn(away);
      await this.#sleep(waitMs);
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
    this.#working = undefined;
  }

  /** The more comes, the more is written together: most of what a write costs it costs once. */
  async #gather(written: number): Promise<void> {
    this.#isGathering = written >= BUSY_PARTS && this.#awaited === 0;
    await this.#sleep(this.#isGathering ? GATHER_BUSY_MS : GATHER_MS);
    this.#isGathering = false;
  }

  /** What is written in one transaction: so little that other processes need not wait long for it. */
  #nextBatch(): readonly Waiting[] {
    let [parts, events] = [0, 0];
    for (const waiting of this.#queue.slice(0, MAX_PARTS)) {
      events += waiting.events;
      if (parts > 0 && events > MAX_EVENTS) break;
      parts++;
    }
    return this.#queue.slice(0, parts);
  }

  /** Gives why the store does not answer; what it refuses for good is lost. */
  async #record(batch: readonly Waiting[]): Promise<string | undefined> {
    const together = await this.#attempt(batch.map(({ part }) => part));
    if (together === undefined) return undefined;
    // Each by itself, so that one that is refused does not take others with it.
    const results = isTransient(together)
      ? [together]
      : await Promise.all(batch.map(async ({ part }) => this.#attempt([part])));
    const away = results.find((result) => result !== undefined && isTransient(result));
    if (away) return away.error.message;
    for (const [index, refused] of results.entries())
      if (refused) this.#lose(batch[index]?.part, refused.error.message);
    return undefined;
  }

  async #attempt(parts: readonly TracePart[]): Promise<Failed | undefined> {
    try {
      const result = await this.#store.record(parts);
      return result.ok ? undefined : result;
    } catch (error) {
      return fail(unavailableFailure(String(error), false));
    }
  }

  #take(batch: readonly Waiting[]): void {
    this.#queue.splice(0, batch.length);
    for (const { events, bytes, settle } of batch) {
      this.#events -= events;
      this.#bytes -= bytes;
      settle?.();
    }
    if (!this.#isHalfFull) this.#letGoOn();
  }

  /** Counts what is lost, and leaves the run without it. An event that goes on comes again when it ends. */
  #lose(part: TracePart | undefined, why: string): void {
    const lost = part?.events.filter(({ status }) => status !== "running").length ?? 0;
    if (part === undefined || lost === 0) return;
    this.#lost += lost;
    this.#untold += lost;
    this.#warn(why);
    if (this.#isClosed) return;
    if (this.#remainders >= MAX_REMAINDERS) return this.#widenGap(part, lost);
    const inAll = (this.#lostOf.get(part.runId) ?? 0) + lost;
    this.#lostOf.set(part.runId, inAll);
    this.#remainders++;
    this.#enqueue({
      part: remainderOf(part, inAll),
      events: 0,
      bytes: EVENT_BYTES,
      settle: () => this.#remainders--,
    });
  }

  #widenGap({ startedAt }: TracePart, lost: number): void {
    const { parts = 0, events = 0, from = startedAt } = this.#gap ?? {};
    this.#gap = { parts: parts + 1, events: events + lost, from: Math.min(from, startedAt), to: Date.now() };
  }

  /** Records that there were runs of which nothing is kept. */
  #closeGap(): void {
    const gap = this.#gap;
    if (gap === undefined) return;
    this.#gap = undefined;
    this.#enqueue({ part: gapPart(gap), events: 0, bytes: EVENT_BYTES, settle: undefined });
  }

  #warn(why: string): void {
    const now = performance.now();
    if (now - this.#warnedAt < this.#options.warnEveryMs) return;
    this.#warnedAt = now;
    const lost = this.#untold === 0 ? "" : `; ${this.#untold} events are lost`;
    this.#untold = 0;
    const message = `Traces are not recorded: ${why}; ${this.#events} events wait${lost}`;
    queueMicrotask(() => {
      try {
        this.#options.onWarning(message);
      } catch {
        // Whoever listens cannot stop the recording.
      }
    });
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

type Failed = { readonly ok: false; readonly error: Failure };

interface Waiting {
  readonly part: TracePart;
  readonly events: number;
  readonly bytes: number;
  settle: (() => void) | undefined;
}

/** From when to when parts were lost of which nothing is kept; times in milliseconds since 1970. */
interface Gap {
  readonly parts: number;
  readonly events: number;
  readonly from: number;
  readonly to: number;
}

/** Runs that wait to be recorded without what they have lost. */
const MAX_REMAINDERS = 10_000;
const MAX_PARTS = 1000;
const MAX_EVENTS = 4000;
/** What a process that is killed loses was added within this time, and that of one write. */
const GATHER_MS = 2;
const GATHER_BUSY_MS = 50;
/** So many parts in one write tell that more are coming. */
const BUSY_PARTS = 8;
const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;
const EVENT_BYTES = 300;

function remainderOf(part: TracePart, lost: number): TracePart {
  const root = part.events.find(({ parentEventId }) => parentEventId === undefined);
  const name = part.name ?? root?.agentName;
  return {
    ...part,
    ...(name === undefined ? {} : { name }),
    status: partStatus(part),
    events: [],
    files: [],
    lost,
  };
}

function gapPart({ parts, events, from, to }: Gap): TracePart {
  return {
    runId: `lost:${randomUUID()}`,
    source: "run",
    task: `${events} events of ${parts} further runs could not be recorded`,
    startedAt: from,
    durationMs: Math.max(0, to - from),
    status: "failed",
    events: [],
    files: [],
    lost: events,
  };
}

function roughBytes({ events, files }: TracePart): number {
  let bytes = EVENT_BYTES;
  for (const { inputs, outputs, meta } of events)
    bytes += EVENT_BYTES + sizeOf(inputs) + sizeOf(outputs) + sizeOf(meta);
  for (const { content } of files) bytes += EVENT_BYTES + (content?.length ?? 0);
  return bytes;
}

// Without recursion, since what is recorded may be nested deeply; what refers to itself is refused by the store.
function sizeOf(json: Json | undefined): number {
  let bytes = 0;
  const left: (Json | undefined)[] = [json];
  for (let looked = 0; left.length > 0 && looked < MAX_LOOKED; looked++) {
    const value = left.pop();
    if (typeof value === "string") bytes += value.length;
    else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        bytes += key.length + 8;
        left.push(inner);
      }
    else bytes += 8;
  }
  return bytes;
}

const MAX_LOOKED = 100_000;

async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
