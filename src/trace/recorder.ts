import type { Failure } from "../core/error.ts";
import type { Json } from "../core/json.ts";
import { fail } from "../core/result.ts";
import { unavailable } from "./database.ts";
import { passes } from "./group-commit.ts";
import type { TracePart, TraceStore } from "./trace-store.ts";

export interface RecorderOptions {
  /** Told when recording degrades, at most once a minute, and never in the caller's stack. */
  readonly onWarning?: (message: string) => void;
  /** How many events may wait; 10,000 unless told. */
  readonly mostEvents?: number;
  /** About how many bytes may wait; 64 MB unless told. */
  readonly mostBytes?: number;
  /** Between two warnings; a minute unless told. */
  readonly warnEveryMs?: number;
}

/**
 * Records without ever being in the way: what is added waits in a bounded queue until the store has it. While the store
 * does not answer, recording goes on trying; what no longer fits in the queue is lost, and a warning tells how much.
 */
export class Recorder {
  readonly #store: Pick<TraceStore, "record">;
  readonly #options: Required<RecorderOptions>;
  readonly #queue: Waiting[] = [];
  #events = 0;
  #bytes = 0;
  #lost = 0;
  #untold = 0;
  #warnedAt = Number.NEGATIVE_INFINITY;
  #working: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(store: Pick<TraceStore, "record">, options: RecorderOptions = {}) {
    this.#store = store;
    this.#options = {
      onWarning: options.onWarning ?? (() => {}),
      mostEvents: options.mostEvents ?? 10_000,
      mostBytes: options.mostBytes ?? 64 * 1024 * 1024,
      warnEveryMs: options.warnEveryMs ?? 60_000,
    };
  }

  /** Takes a part; never throws and never waits. The part must not be changed afterwards. */
  add(part: TracePart): void {
    void this.recorded(part);
  }

  /** Takes a part, and is kept when it is recorded or lost. */
  async recorded(part: TracePart): Promise<void> {
    const events = part.events.length;
    const bytes = roughBytes(part);
    const fits =
      this.#events + events <= this.#options.mostEvents && this.#bytes + bytes <= this.#options.mostBytes;
    if (this.#isClosed || (!fits && this.#queue.length > 0)) {
      this.#lose(events, "too much waits to be recorded");
      return;
    }
    const { promise, resolve: settle } = Promise.withResolvers<void>();
    this.#queue.push({ part, events, bytes, settle });
    this.#events += events;
    this.#bytes += bytes;
    this.#working ??= this.#work();
    await promise;
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

  /** Records what it can within the time, and tells what was not; what is added later is lost. */
  async close(withinMs = 5000): Promise<void> {
    const isRecorded = await this.flush(withinMs);
    this.#isClosed = true;
    this.#wake?.();
    if (isRecorded) return;
    const lost = this.#events + this.#untold;
    this.#lost += this.#events;
    this.#take(this.#queue.slice());
    this.#options.onWarning(
      `Traces are not recorded: the store did not take them in time; ${lost} events are lost`,
    );
  }

  async #work(): Promise<void> {
    let waitMs = LEAST_WAIT_MS;
    // What is added soon after goes along: a write costs much the same for one part and for many.
    await this.#sleep(GATHER_MS);
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, MOST_PARTS);
      const away = await this.#record(batch);
      if (this.#isClosed) break;
      if (away === undefined) {
        this.#take(batch);
        waitMs = LEAST_WAIT_MS;
        if (this.#queue.length < MOST_PARTS) await this.#sleep(GATHER_MS);
        continue;
      }
      this.#warn(away);
      await this.#sleep(waitMs);
      waitMs = Math.min(MOST_WAIT_MS, waitMs * 2);
    }
    this.#working = undefined;
  }

  /** Gives why the store does not answer; what it refuses for good is lost. */
  async #record(batch: readonly Waiting[]): Promise<string | undefined> {
    // Each by itself, so that one that is refused does not take others with it; the store writes them together.
    const results = await Promise.all(batch.map(async ({ part }) => this.#attempt(part)));
    const away = results.find((result) => result !== undefined && passes(result));
    if (away) return away.error.message;
    for (const [index, refused] of results.entries())
      if (refused) this.#lose(batch[index]?.events ?? 0, refused.error.message);
    return undefined;
  }

  async #attempt(part: TracePart): Promise<Failed | undefined> {
    try {
      const result = await this.#store.record([part]);
      return result.ok ? undefined : result;
    } catch (error) {
      return fail(unavailable(String(error), false));
    }
  }

  #take(batch: readonly Waiting[]): void {
    this.#queue.splice(0, batch.length);
    for (const { events, bytes, settle } of batch) {
      this.#events -= events;
      this.#bytes -= bytes;
      settle();
    }
  }

  #lose(events: number, why: string): void {
    this.#lost += events;
    this.#untold += events;
    this.#warn(why);
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
  readonly settle: () => void;
}

const MOST_PARTS = 500;
/** What a process that is killed loses was added within this time, and that of one write. */
const GATHER_MS = 2;
const LEAST_WAIT_MS = 100;
const MOST_WAIT_MS = 5000;
const EVENT_BYTES = 300;

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
  for (let looked = 0; left.length > 0 && looked < MOST_LOOKED; looked++) {
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

const MOST_LOOKED = 100_000;

async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
