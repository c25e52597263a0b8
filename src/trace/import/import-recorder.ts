import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Trace, TraceEvent } from "../../core/trace-event.ts";
import { partStatus } from "../store/prepared-part.ts";
import type { TracePart, TraceStore } from "../trace-store.ts";
import type { ImportItem } from "./import-traces.ts";
import { ownPart, renamedTrace } from "./renamed-trace.ts";

export type ImportedTrace = Extract<ImportItem, { kind: "trace" }>;

/** What became of the traces of an import, as the store counts it. */
export interface RecordedSums {
  /** Runs that were not there before, and events that were not. */
  readonly traces: number;
  readonly events: number;
  /** What an earlier import had recorded. */
  readonly alreadyThere: { readonly traces: number; readonly events: number };
}

/** Of one write to the store; memory holds no more than this and what is being read. */
const BATCH = { traces: 50, events: 5000 };

/**
 * Records imported traces. What is there already is not recorded again; of a run that has grown, or comes in parts,
 * what is new is added; what has the id of a run that was something else becomes a run of its own.
 */
export class ImportRecorder {
  readonly #store: Pick<TraceStore, "record" | "trace">;
  readonly #sums = new Map<string, RecordedSums>();
  readonly #runIds = new Set<string>();
  #batch: Waiting[] = [];

  constructor(store: Pick<TraceStore, "record" | "trace">) {
    this.#store = store;
  }

  /** By format. */
  get sums(): ReadonlyMap<string, RecordedSums> {
    return this.#sums;
  }

  /** The first runs that were given, whether they were there or not. */
  get runIds(): readonly string[] {
    return [...this.#runIds];
  }

  /** Gives the id of the run that the trace is, or is a part of. */
  async add({ trace, format, elsewhere }: ImportedTrace): Promise<Result<string>> {
    const ids = new Set([trace.runId, ...elsewhere]);
    // What waits may be the same.
    if (this.#batch.some(({ part }) => ids.has(part.runId))) {
      const flushed = await this.flush();
      if (!flushed.ok) return flushed;
    }
    const told = await this.#withoutRecorded(trace, elsewhere);
    if (!told.ok) return told;
    const { runId, isThere, part } = told.value;
    if (this.#runIds.size < MAX_IDS) this.#runIds.add(runId);
    if (part) this.#batch.push({ part, format, isThere, given: trace.events.length });
    else this.#count(format, { isThere, given: trace.events.length }, 0);
    const events = this.#batch.reduce((sum, waiting) => sum + waiting.part.events.length, 0);
    if (this.#batch.length < BATCH.traces && events < BATCH.events) return ok(runId);
    const flushed = await this.flush();
    return flushed.ok ? ok(runId) : flushed;
  }

  /** Writes what waits. */
  async flush(): Promise<Result<null>> {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length === 0) return ok(null);
    const recorded = await this.#store.record(batch.map(({ part }) => part));
    if (!recorded.ok) return recorded;
    for (const waiting of batch)
      this.#count(waiting.format, waiting, recorded.value.get(waiting.part.runId) ?? 0);
    return ok(null);
  }

  #count(format: string, { isThere, given }: Pick<Waiting, "isThere" | "given">, events: number): void {
    const before = this.#sums.get(format) ?? { traces: 0, events: 0, alreadyThere: { traces: 0, events: 0 } };
    const { alreadyThere } = before;
    this.#sums.set(format, {
      traces: before.traces + (isThere ? 0 : 1),
      events: before.events + events,
      alreadyThere: {
        traces: alreadyThere.traces + (isThere ? 1 : 0),
        events: alreadyThere.events + given - events,
      },
    });
  }

  async #withoutRecorded(
    trace: Trace,
    elsewhere: readonly string[],
  ): Promise<Result<{ readonly runId: string; readonly isThere: boolean; readonly part?: TracePart }>> {
    const others: Trace[] = [];
    for (const runId of elsewhere) {
      const found = await this.#store.trace(runId);
      if (!found.ok) return found;
      if (found.value) others.push(found.value);
    }
    const rest = withoutEvents(trace, others);
    if (!rest) return ok({ runId: others[0]?.runId ?? trace.runId, isThere: true });
    let named = rest;
    for (let times = 0; times < MAX_NAMESAKES; times++) {
      const found = await this.#store.trace(named.runId);
      if (!found.ok) return found;
      const stored = found.value;
      if (!stored) return ok({ runId: named.runId, isThere: false, part: named });
      const byId = new Map(stored.events.map((event) => [event.id, event]));
      const other = named.events.find((event) => isOther(byId.get(event.id), event, named.runId));
      if (!other) {
        const part = newPart(named, stored, byId);
        return ok({ runId: named.runId, isThere: true, ...(part ? { part } : {}) });
      }
      named = renamedTrace(rest, `${rest.runId}-${digestOf(other)}`, rest.sessionId);
    }
    return ok({ runId: named.runId, isThere: false, part: named });
  }
}

interface Waiting {
  readonly part: TracePart;
  readonly format: string;
  readonly isThere: boolean;
  /** How many events the trace has. */
  readonly given: number;
}

const MAX_IDS = 1000;
/** Of so many different runs with the same id each is told from the others. */
const MAX_NAMESAKES = 50;

/** Without the steps that other runs hold; nothing where they hold all. */
function withoutEvents(trace: Trace, others: readonly Trace[]): Trace | undefined {
  const there = new Map(
    others.flatMap(({ runId, events }) =>
      events.flatMap(({ id }): (readonly [string, string])[] => {
        const part = stepOf(id, runId);
        return part === undefined ? [] : [[part, id]];
      }),
    ),
  );
  if (there.size === 0) return trace;
  const isThere = (id: string): boolean => there.has(stepOf(id, trace.runId) ?? "");
  const byId = new Map(trace.events.map((event) => [event.id, event]));
  const gone = trace.events.filter(({ id }) => isThere(id));
  if (gone.length === 0) return trace;
  if (gone.length === trace.events.length - 1 && trace.events[0] && !isThere(trace.events[0].id))
    return undefined;
  const parentOf = (id: string | undefined): string | undefined => {
    let at = id;
    while (at !== undefined && isThere(at)) at = byId.get(at)?.parentEventId;
    return at;
  };
  const events: TraceEvent[] = [];
  for (const event of trace.events.filter(({ id }) => !isThere(id))) {
    const { parentEventId: _, ...rest } = event;
    const parent = parentOf(event.parentEventId);
    events.push({
      ...rest,
      executionOrder: events.length,
      ...(parent === undefined ? {} : { parentEventId: parent }),
    });
  }
  return { ...trace, events, files: trace.files.filter(({ eventId }) => !isThere(eventId)) };
}

/** The step as the source names it. */
function stepOf(id: string, runId: string): string | undefined {
  const part = ownPart(id, runId);
  return part?.startsWith("/") ? part : undefined;
}

/** What of a run is new, behind what is there; nothing where all is there. */
function newPart(trace: Trace, stored: Trace, byId: ReadonlyMap<string, TraceEvent>): TracePart | undefined {
  let last = stored.events.reduce((most, { executionOrder }) => Math.max(most, executionOrder), -1);
  const events = trace.events.flatMap((event): TraceEvent | readonly never[] => {
    const before = byId.get(event.id);
    if (!before) return { ...event, executionOrder: ++last };
    const hasEnded = before.status === "running" && event.status !== "running";
    return hasEnded ? { ...event, executionOrder: before.executionOrder } : [];
  });
  if (events.length === 0) return undefined;
  const ids = new Set(events.map(({ id }) => id));
  const files = trace.files.filter(({ eventId }) => ids.has(eventId));
  return { ...trace, events, files, status: partStatus(trace) };
}

/** Whether what is stored under an id is another event than this one. */
function isOther(stored: TraceEvent | undefined, event: TraceEvent, runId: string): boolean {
  if (!stored) return false;
  const step = stepOf(event.id, runId);
  const isNamed = step !== undefined;
  // What a run is as a whole becomes known with its parts.
  if (!isNamed && event.parentEventId === undefined && stored.parentEventId === undefined)
    return event.inputs !== undefined && !isStored(stored.inputs, event.inputs);
  if (stored.eventType !== event.eventType || !isStored(stored.agentName, event.agentName)) return true;
  if (!isStored(stored.inputs, event.inputs)) return true;
  const haveEnded = stored.status !== "running" && event.status !== "running";
  // Results of a step whose id is nobody else's may be told in more or less detail.
  const isUnique = isNamed && step.length >= MIN_UNIQUE;
  return !isUnique && haveEnded && !isStored(stored.outputs, event.outputs);
}

/** Whether a value is stored as this one would be: without credentials, and cut where it is too large. */
function isStored(stored: Json | undefined, value: Json | undefined): boolean {
  if (stored === undefined || value === undefined) return stored === value;
  if (typeof stored === "string" && REPLACED.test(stored)) return true;
  if (isJsonObject(stored) && "[cut]" in stored) return true;
  if (typeof stored === "string" && typeof value === "string")
    return stored === value || stored === value.replaceAll("\0", "\u{fffd}").toWellFormed();
  if (typeof stored !== "object" || typeof value !== "object" || stored === null || value === null)
    return Object.is(stored, value) || (stored === 0 && value === 0);
  const [one, other] = [Object.entries(stored), new Map(Object.entries(value))];
  try {
    return (
      Array.isArray(stored) === Array.isArray(value) &&
      one.length === other.size &&
      one.every(([key, inner]) => isStored(inner, other.get(key)) || REPLACED.test(key))
    );
  } catch (error) {
    if (error instanceof RangeError) return isDeepStrictEqual(stored, value);
    throw error;
  }
}

/** Characters of an id that no other source gives by chance. */
const MIN_UNIQUE = 16;

const REPLACED = /\[(?:redacted|cut)\b/;

function digestOf({ eventType, agentName, inputs, outputs, status }: TraceEvent): string {
  return hash("sha256", JSON.stringify([eventType, agentName, inputs, outputs, status])).slice(0, 12);
}
