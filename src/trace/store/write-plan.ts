import type { EventRow, EventTable, FileRow, RunRow, SearchRow } from "./tables.ts";
import { chainText, type EventFacts, type SessionRun, Tally } from "./tally.ts";
import { isReference, type PreparedPart, REFERENCE_START, searchTexts } from "./prepared-part.ts";

/** What a store has of the runs of a batch, and of the sessions around them, when it is written. */
export interface ExistingRows {
  readonly runs: ReadonlyMap<string, RunRow>;
  /** Those at the same place as an event of the batch, by run. */
  readonly events: ReadonlyMap<string, readonly Stored<EventTable>[]>;
  /** All of a run that ends or had ended, by run. */
  readonly facts: ReadonlyMap<string, readonly EventFacts[]>;
  readonly files: ReadonlyMap<string, ReadonlySet<string>>;
  /** The counted runs of a session from `NEIGHBOURS` before the first of the batch that ends to as many after the last. */
  readonly sessions: ReadonlyMap<string, readonly SessionRun[]>;
}

export type Stored<Table> = { readonly [Key in keyof Table]: Table[Key] } & { readonly seq: number };

/** What has to be written, all of it in one transaction. */
export interface WritePlan {
  readonly runs: readonly RunRow[];
  readonly events: readonly EventRow[];
  /** Rows of events that ended, by `seq`. */
  readonly replaced: readonly number[];
  readonly files: readonly FileRow[];
  readonly texts: readonly SearchRow[];
  readonly payloads: PayloadChanges;
  readonly tally: Tally;
}

/** By reference: how many rows more (or fewer) refer to it, and the text where it may be new. */
export type PayloadChanges = ReadonlyMap<string, { readonly refs: number; readonly text?: string }>;

/** Works out what recording the parts, one for each run, means for the tables. Touches nothing. */
export function writePlan(parts: readonly PreparedPart[], known: ExistingRows): WritePlan {
  const tally = new Tally();
  const payloads = new Map<string, { readonly refs: number; readonly text?: string }>();
  const refer = (row: EventRow | FileRow, by: 1 | -1, texts?: ReadonlyMap<string, string>): void => {
    for (const reference of referencesOf(row)) {
      const before = payloads.get(reference) ?? { refs: 0 };
      const text = texts?.get(reference) ?? before.text;
      payloads.set(reference, { refs: before.refs + by, ...(text === undefined ? {} : { text }) });
    }
  };
  const runs: RunRow[] = [];
  const events: EventRow[] = [];
  const replaced: number[] = [];
  const files: FileRow[] = [];
  const texts: SearchRow[] = [];
  const sessions = new Map<string, Map<string, SessionRun>>();

  for (const part of parts) {
    const run = known.runs.get(part.runId);
    const { added, gone } = changedEvents(part.events, known.events.get(part.runId) ?? []);
    const knownFiles = known.files.get(part.runId);
    const newFiles = part.files.filter(({ id }) => !knownFiles?.has(id));
    const row = runRow(part, run, added, gone, newFiles);
    const factsBefore = known.facts.get(part.runId) ?? [];
    const goneIds = new Set(gone.map(({ id }) => id));
    const factsNow = [...factsBefore.filter(({ id }) => !goneIds.has(id)), ...added];
    const ends = row.status !== "running";
    const changed = added.length > 0 || run?.counted !== 1;
    const ended = ends && changed ? { ...row, counted: 1, chain: chainText(factsNow) } : row;

    runs.push(ended);
    events.push(...added);
    replaced.push(...gone.map(({ seq }) => seq));
    files.push(...newFiles);
    texts.push(
      ...searchTexts(
        part.runId,
        { task: run?.task ? null : row.task, name: run?.name ? null : row.name },
        added,
        newFiles,
      ),
    );
    for (const event of added) tally.event(event, 1);
    for (const file of newFiles) tally.file(file, 1);
    for (const each of [...added, ...newFiles]) refer(each, 1, part.payloads);
    for (const each of gone) refer(each, -1);
    if (!ends || !changed) continue;
    if (run?.counted === 1) tally.sequences(factsBefore, -1);
    tally.sequences(factsNow, 1);
    if (ended.session_id === null) continue;
    const session = sessions.get(ended.session_id) ?? new Map<string, SessionRun>();
    session.set(ended.run_id, ended);
    sessions.set(ended.session_id, session);
  }

  for (const [id, now] of sessions) {
    const before = known.sessions.get(id) ?? [];
    tally.session(before, -1);
    tally.session([...before.filter(({ run_id }) => !now.has(run_id)), ...now.values()], 1);
  }
  return { runs, events, replaced, files, texts, payloads, tally };
}

/** Parts of the same run become one, so that each run is looked at once. */
export function mergedParts(parts: readonly PreparedPart[]): readonly PreparedPart[] {
  const merged = new Map<string, PreparedPart>();
  for (const part of parts) {
    const before = merged.get(part.runId);
    merged.set(part.runId, mergedPart(before, part));
  }
  return [...merged.values()];
}

export function referencesOf(
  row: Partial<Pick<EventRow, "inputs" | "outputs" | "meta"> & Pick<FileRow, "content">>,
): readonly string[] {
  return [row.inputs, row.outputs, row.meta, row.content].filter((text) =>
    isReference(text ?? null),
  ) as string[];
}

function mergedPart(before: PreparedPart | undefined, part: PreparedPart): PreparedPart {
  const parts = before ? [before, part] : [part];
  const events = new Map<string, EventRow>();
  for (const event of parts.flatMap((each) => each.events)) {
    const same = events.get(event.id);
    if (same === undefined) events.set(event.id, event);
    else if (same.status === "running") events.set(event.id, completedBy(same, event));
  }
  const files = new Map<string, FileRow>();
  for (const file of parts.flatMap((each) => each.files)) if (!files.has(file.id)) files.set(file.id, file);
  const rest = {
    events: [...events.values()],
    files: [...files.values()],
    payloads: new Map(parts.flatMap((each) => Array.from(each.payloads))),
  };
  if (!before) return { ...part, ...rest };
  return {
    ...part,
    ...rest,
    sessionId: before.sessionId ?? part.sessionId,
    task: before.task ?? part.task,
    name: before.name ?? part.name,
    startedAt: before.startedAt,
    durationMs: part.durationMs ?? before.durationMs,
    status: before.status === "running" ? part.status : before.status,
    lost: Math.max(before.lost, part.lost),
    client: before.client ?? part.client,
  };
}

/** Which events come new or in the place of one that had not ended; those that had stay as they are. */
function changedEvents(
  events: readonly EventRow[],
  stored: readonly Stored<EventTable>[],
): { readonly added: readonly EventRow[]; readonly gone: readonly Stored<EventTable>[] } {
  if (stored.length === 0) return { added: events, gone: [] };
  const added: EventRow[] = [];
  const gone: Stored<EventTable>[] = [];
  const byId = new Map(stored.map((event) => [event.id, event]));
  for (const event of events) {
    const before = byId.get(event.id);
    if (before === undefined) added.push(event);
    else if (before.status === "running" && event.status !== "running") {
      added.push(completedBy(before, event));
      gone.push(before);
    }
  }
  return { added, gone };
}

function completedBy(before: EventRow, now: EventRow): EventRow {
  const merged: Record<string, unknown> = { ...now };
  for (const [key, value] of Object.entries(now))
    if (value === null) merged[key] = before[key as keyof EventRow] ?? null;
  return merged as unknown as EventRow;
}

function runRow(
  part: PreparedPart,
  run: RunRow | undefined,
  added: readonly EventRow[],
  gone: readonly EventRow[],
  files: readonly FileRow[],
): RunRow {
  const root = part.events.find(({ parent_event_id }) => parent_event_id === null);
  const before = run ?? newRun(part);
  const sum = (key: "input_tokens" | "output_tokens" | "cost"): number =>
    before[key] + total(added, key) - total(gone, key);
  return {
    ...before,
    session_id: before.session_id ?? part.sessionId,
    task: before.task ?? part.task,
    duration_ms: part.durationMs ?? before.duration_ms ?? spanOf(part),
    status: before.status === "running" ? part.status : before.status,
    name: before.name ?? part.name ?? root?.agent_name ?? null,
    digest: before.digest ?? root?.skill_digest ?? null,
    events: before.events + added.length - gone.length,
    errors: before.errors + added.filter(({ status }) => status === "failed").length,
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cost: sum("cost"),
    bytes: before.bytes + bytesOf([...added, ...files], part.payloads) - bytesOf(gone, new Map()),
    lost: Math.max(before.lost, part.lost),
    client: before.client ?? part.client,
  };
}

function newRun({ runId, source, startedAt, ...part }: PreparedPart): RunRow {
  return {
    ...{ run_id: runId, session_id: part.sessionId, source, task: part.task, started_at: startedAt },
    ...{ duration_ms: null, status: "running", name: null, digest: null, chain: null, client: part.client },
    ...{
      events: 0,
      errors: 0,
      input_tokens: 0,
      output_tokens: 0,
      cost: 0,
      bytes: RUN_BYTES,
      counted: 0,
      lost: 0,
    },
  };
}

const RUN_BYTES = 300;
const ROW_BYTES = 200;

function total(events: readonly EventRow[], key: "input_tokens" | "output_tokens" | "cost"): number {
  return events.reduce((sum, event) => sum + (event[key] ?? 0), 0);
}

function bytesOf(rows: readonly (EventRow | FileRow)[], payloads: ReadonlyMap<string, string>): number {
  return rows.reduce((sum, row) => {
    const texts = "inputs" in row ? [row.inputs, row.outputs, row.meta] : [row.content, row.path];
    return sum + texts.reduce((bytes, text) => bytes + lengthOf(text, payloads), ROW_BYTES);
  }, 0);
}

function lengthOf(text: string | null, payloads: ReadonlyMap<string, string>): number {
  if (text === null) return 0;
  // To look a long text up in a map would read all of it.
  return text.startsWith(REFERENCE_START) ? (payloads.get(text)?.length ?? text.length) : text.length;
}

function spanOf({ status, startedAt, events }: PreparedPart): number | null {
  if (status === "running" || events.length === 0) return null;
  const end = events.reduce(
    (last, { timestamp, duration_ms }) => Math.max(last, timestamp + (duration_ms ?? 0)),
    0,
  );
  return Math.max(0, end - startedAt);
}
