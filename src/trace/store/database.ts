import { failure, type Failure } from "../../core/error.ts";
import { keptText, type PreparedPart, REFERENCE_START } from "./prepared-part.ts";
import {
  type Dialect,
  EVENT_COLUMNS,
  type EventTable,
  type FileRow,
  MIGRATIONS,
  type RunRow,
} from "./tables.ts";
import { chainText, type EventFacts, FACT_COLUMNS, NEIGHBOURS, type SessionRun, Tally } from "./tally.ts";
import type { PruneResult, Retention } from "../trace-store.ts";
import {
  type ExistingRows,
  mergedParts,
  type PayloadChanges,
  referencesOf,
  type Stored,
  type WritePlan,
  writePlan,
} from "./write-plan.ts";

/** A database inside a transaction that no other writer of the same runs and sessions can be in. */
export interface Transaction {
  /** `?` stands for each parameter. */
  read<Row>(sql: string, parameters: readonly (string | number)[]): Promise<readonly Row[]>;
  write(plan: WritePlan): Promise<void>;
  remove(removal: Removal): Promise<void>;
}

/** Runs to delete with all that belongs to them. */
export interface Removal {
  readonly runIds: readonly string[];
  readonly payloads: PayloadChanges;
  readonly tally: Tally;
}

/** Where traces are kept. It is opened, and its tables are made, when it is first used. */
export interface Database {
  read<Row>(sql: string, parameters: readonly (string | number)[]): Promise<readonly Row[]>;
  /** All of it or nothing; nobody else who locks one of the names is in a transaction at the same time. */
  transaction<Value>(
    locks: readonly string[],
    work: (transaction: Transaction) => Promise<Value>,
  ): Promise<Value>;
  /** Gives the room of what was deleted back. */
  shrink(): Promise<void>;
  failureOf(error: unknown): Failure;
  /** Ends when what is under way has. */
  close(): Promise<void>;
}

/** Tells of each run how many of the events are new. */
export async function recordParts(
  database: Database,
  parts: readonly PreparedPart[],
): Promise<ReadonlyMap<string, number>> {
  const merged = mergedParts(parts);
  const locks = merged.flatMap(({ runId, sessionId }) => lockNames(runId, sessionId));
  return database.transaction(locks, async (transaction) => {
    const plan = writePlan(merged, await existingRows(transaction, merged));
    await transaction.write(plan);
    const counts = new Map(merged.map(({ runId }) => [runId, 0]));
    for (const { run_id } of plan.events) counts.set(run_id, (counts.get(run_id) ?? 0) + 1);
    return counts;
  });
}

// Chains go across the runs of a session, and a later part of a run need not name it.
function lockNames(runId: string, sessionId: string | null): readonly string[] {
  return sessionId === null ? [`run ${runId}`] : [`run ${runId}`, `session ${sessionId}`];
}

/** Counts all that is recorded into empty summaries. */
async function recount(transaction: Transaction): Promise<void> {
  const runs: RunRow[] = [];
  for (const stored of await transaction.read<RunRow>("select * from runs", [])) {
    const tally = new Tally();
    const facts = await factsOf(transaction, [stored.run_id]);
    const run = stored.counted === 1 ? { ...stored, chain: chainText(facts) } : stored;
    runs.push(run);
    for (const event of facts) tally.event(event, 1);
    for (const file of await filesOf(transaction, [run.run_id])) tally.file(file, 1);
    if (run.counted === 1) tally.sequences(facts, 1);
    await transaction.write({ ...NOTHING, runs: run.chain === stored.chain ? [] : [run], tally });
  }
  const sessions = Map.groupBy(
    runs.filter(({ counted, session_id, chain }) => counted === 1 && session_id !== null && chain !== null),
    ({ session_id }) => session_id,
  );
  for (const session of sessions.values()) {
    const tally = new Tally();
    tally.session(session, 1);
    await transaction.write({ ...NOTHING, tally });
  }
}

/** Brings tables of a version to the newest. */
export async function migrate(transaction: Transaction, dialect: Dialect, version: number): Promise<void> {
  const missing = MIGRATIONS.filter((each) => each.version > version);
  for (const migration of missing)
    for (const statement of migration.statements(dialect)) await transaction.read(statement, []);
  if (missing.some(({ values }) => values)) await moveUnreadable(transaction);
  if (missing.some(({ summaries }) => summaries)) await recount(transaction);
}

/** Moves values that SQL cannot read out of their rows, some at a time. */
async function moveUnreadable(transaction: Transaction): Promise<void> {
  for (const [table, column] of VALUE_COLUMNS) {
    const some = `select seq, ${column} as text from ${table} where seq > ? and (${mayBeUnreadable(column)})
      order by seq limit ${VALUES_AT_ONCE}`;
    let rows = await transaction.read<StoredValue>(some, [-1]);
    for (let last = rows.at(-1); last; last = rows.at(-1)) {
      const tally = new Tally();
      const payloads = new Map<string, { refs: number; text: string }>();
      for (const { seq, text } of rows) {
        const apart = new Map<string, string>();
        const reference = keptText(text, apart);
        if (apart.size === 0) continue;
        payloads.set(reference, { refs: (payloads.get(reference)?.refs ?? 0) + 1, text });
        await transaction.read(`update ${table} set ${column} = ? where seq = ?`, [reference, seq]);
      }
      await transaction.write({ ...NOTHING, payloads, tally });
      rows = await transaction.read<StoredValue>(some, [last.seq]);
    }
  }
}

interface StoredValue {
  readonly seq: number;
  readonly text: string;
}

const VALUE_COLUMNS = [
  ["execution_events", "inputs"],
  ["execution_events", "outputs"],
  ["execution_events", "meta"],
  ["files", "content"],
] as const;

const VALUES_AT_ONCE = 500;

/** Whether a value may be one that `keptText` does not leave in its row: it has such an escape, or may be nested deeply. */
function mayBeUnreadable(column: string): string {
  const text = `cast(${column} as text)`;
  return `${text} like '%\\u0000%' or ${text} like '%\\ud%' or length(${text}) > 1800`;
}

/** What the limits say is to be deleted: up to `most` runs, the oldest first. */
async function runsToPrune(
  transaction: Pick<Transaction, "read">,
  limits: Retention,
  now: number,
  most: number,
): Promise<readonly RunToPrune[]> {
  const [all] = await transaction.read<{ runs: number; bytes: number }>(
    "select count(*) as runs, coalesce(sum(bytes), 0) as bytes from runs",
    [],
  );
  const oldest = await transaction.read<RunToPrune>(
    `select run_id, session_id, events, bytes, started_at from runs where status <> 'running' or started_at < ?
     order by started_at, run_id limit ?`,
    [now - GOING_ON_MS, most],
  );
  const before = limits.maxAgeDays === undefined ? -Infinity : now - limits.maxAgeDays * 86_400_000;
  let runs = all?.runs ?? 0;
  let bytes = all?.bytes ?? 0;
  const doomed: RunToPrune[] = [];
  for (const run of oldest) {
    const isTooMuch = runs > (limits.maxRuns ?? Infinity) || bytes > (limits.maxBytes ?? Infinity);
    if (run.started_at >= before && !isTooMuch) break;
    doomed.push(run);
    runs--;
    bytes -= run.bytes;
  }
  return doomed;
}

type RunToPrune = Pick<RunRow, "run_id" | "session_id" | "events" | "bytes" | "started_at">;

/**
 * Deletes what is beyond the limits, some runs at a time, so that others write in between; a dry run deletes nothing.
 * What others have deleted meanwhile does not count.
 */
export async function pruneRuns(
  database: Database,
  limits: Retention,
  dryRun: boolean,
): Promise<PruneResult> {
  const doomed = await runsToPrune(database, limits, Date.now(), MAX_PRUNED);
  if (dryRun || doomed.length === 0) return sumOf(doomed);
  const deleted: RunToPrune[] = [];
  for (let at = 0; at < doomed.length; at += RUNS_AT_ONCE) {
    const some = doomed.slice(at, at + RUNS_AT_ONCE);
    const locks = some.flatMap(({ run_id, session_id }) => lockNames(run_id, session_id));
    deleted.push(...(await database.transaction(locks, (transaction) => removeRuns(transaction, some))));
  }
  await database.shrink();
  return sumOf(deleted);
}

const MAX_PRUNED = 1_000_000;
const RUNS_AT_ONCE = 50;

function sumOf(runs: readonly RunToPrune[]): PruneResult {
  return {
    runs: runs.length,
    events: runs.reduce((sum, { events }) => sum + events, 0),
    bytes: runs.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(runs.length === 0
      ? {}
      : { upTo: runs.reduce((latest, { started_at }) => Math.max(latest, started_at), -Infinity) }),
  };
}

/** Deletes those of the runs that are there, takes what they added from the summaries, and gives them. */
async function removeRuns(
  transaction: Transaction,
  doomed: readonly Pick<RunToPrune, "run_id">[],
): Promise<readonly RunToPrune[]> {
  const runIds = doomed.map(({ run_id }) => run_id);
  const tally = new Tally();
  const payloads = new Map<string, { refs: number }>();
  const runs = await transaction.read<RunRow>(
    `select * from runs where run_id in (${placeholders(runIds)})`,
    runIds,
  );
  for (const { run_id, counted } of runs) {
    const events = await transaction.read<EventFacts & Pick<EventTable, "inputs" | "outputs" | "meta">>(
      `select ${FACT_COLUMNS.join(", ")}, ${["inputs", "outputs", "meta"].map(referenceOnly).join(", ")}
       from execution_events where run_id = ?`,
      [run_id],
    );
    const files = await filesOf(transaction, [run_id]);
    for (const event of events) tally.event(event, -1);
    for (const file of files) tally.file(file, -1);
    if (counted === 1) tally.sequences(events, -1);
    for (const reference of [...events, ...files].flatMap(referencesOf))
      payloads.set(reference, { refs: (payloads.get(reference)?.refs ?? 0) - 1 });
  }
  const gone = new Set(runIds);
  const counted = runs.filter((run) => run.counted === 1 && run.chain !== null);
  for (const neighbours of (await sessionsAround(transaction, counted)).values()) {
    tally.session(neighbours, -1);
    tally.session(
      neighbours.filter(({ run_id }) => !gone.has(run_id)),
      1,
    );
  }
  await transaction.remove({ runIds, payloads, tally });
  return runs;
}

/** Whether the cause may pass: the same works later. */
export function unavailableFailure(why: string, passes: boolean): Failure {
  return failure("STORE_UNAVAILABLE", `The store of traces does not answer: ${why}`, { details: { passes } });
}

export function placeholders(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

const GOING_ON_MS = 86_400_000;

const NOTHING: Omit<WritePlan, "tally"> = {
  runs: [],
  events: [],
  replaced: [],
  files: [],
  texts: [],
  payloads: new Map(),
};

async function existingRows(transaction: Transaction, parts: readonly PreparedPart[]): Promise<ExistingRows> {
  const ids = parts.map(({ runId }) => runId);
  const rows = await transaction.read<RunRow>(
    `select * from runs where run_id in (${placeholders(ids)})`,
    ids,
  );
  const runs = new Map(rows.map((row) => [row.run_id, row]));
  const there = parts.filter(({ runId }) => runs.has(runId));
  const events = await eventsOf(transaction, there);
  const withFiles = there.filter((part) => part.files.length > 0).map(({ runId }) => runId);
  const files = Map.groupBy(await filesOf(transaction, withFiles), ({ run_id }) => run_id);
  const ended = there.filter(({ runId, status }) => {
    const run = runs.get(runId);
    return run?.counted === 1 || status !== "running" || run?.status !== "running";
  });
  const facts = await factsOf(
    transaction,
    ended.map(({ runId }) => runId),
  );
  const ending = parts.flatMap((part) => {
    const run = runs.get(part.runId);
    const ends = part.status !== "running" || (run !== undefined && run.status !== "running");
    const session_id = run?.session_id ?? part.sessionId;
    if (!ends || session_id === null) return [];
    return [{ run_id: part.runId, session_id, started_at: run?.started_at ?? part.startedAt }];
  });
  return {
    runs,
    events: Map.groupBy(events, ({ run_id }) => run_id),
    facts: Map.groupBy(facts, ({ run_id }) => run_id),
    files: new Map([...files].map(([runId, rows]) => [runId, new Set(rows.map(({ id }) => id))])),
    sessions: await sessionsAround(transaction, ending),
  };
}

/** What is stored at the places of the parts' events. */
async function eventsOf(
  { read }: Pick<Transaction, "read">,
  parts: readonly PreparedPart[],
): Promise<readonly Stored<EventTable>[]> {
  const places = parts.flatMap(({ runId, events: [first, ...others] }) => {
    if (!first) return [];
    const orders = others.map(({ execution_order }) => execution_order);
    const least = orders.reduce((so, order) => Math.min(so, order), first.execution_order);
    const most = orders.reduce((so, order) => Math.max(so, order), first.execution_order);
    return [[runId, least, most]];
  });
  if (places.length === 0) return [];
  return read(
    `with places (in_run, least, most) as (
       values ${places.map(() => "(?, cast(? as bigint), cast(? as bigint))").join(", ")})
     select seq, ${EVENT_COLUMNS.join(", ")} from places
     join execution_events on run_id = in_run and execution_order between least and most`,
    places.flat(),
  );
}

async function sessionsAround(
  { read }: Pick<Transaction, "read">,
  runs: readonly Pick<RunRow, "run_id" | "session_id" | "started_at">[],
): Promise<ReadonlyMap<string, readonly SessionRun[]>> {
  const spans = [...Map.groupBy(runs, ({ session_id }) => session_id)].flatMap(([id, members]) => {
    const starts = members.map(({ started_at }) => started_at);
    const first = starts.reduce((so, at) => Math.min(so, at), Infinity);
    const last = starts.reduce((so, at) => Math.max(so, at), -Infinity);
    return id === null ? [] : [[id, first, last]];
  });
  if (spans.length === 0) return new Map();
  const counted = "counted = 1 and chain is not null";
  const neighbour = (which: string, order: string): string =>
    `(select started_at from runs where session_id = spans.id and ${counted} and ${which}
      order by started_at ${order} limit 1 offset ${NEIGHBOURS - 1})`;
  const found = await read<SessionRun & Pick<RunRow, "session_id">>(
    `with spans (id, first, last) as (values ${spans.map(() => `(?, ${REAL}, ${REAL})`).join(", ")}),
     wider (id, since, until) as (select id,
       coalesce(${neighbour("started_at < first", "desc")}, -1e300),
       coalesce(${neighbour("started_at > last", "asc")}, 1e300) from spans)
     select session_id, run_id, started_at, chain from wider
     join runs on session_id = id and started_at between since and until where ${counted}`,
    spans.flat(),
  );
  return Map.groupBy(found, ({ session_id }) => session_id ?? "");
}

const REAL = "cast(? as double precision)";

async function factsOf(
  { read }: Pick<Transaction, "read">,
  runIds: readonly string[],
): Promise<readonly FactsRow[]> {
  if (runIds.length === 0) return [];
  return read(
    `select run_id, ${FACT_COLUMNS.join(", ")} from execution_events where run_id in (${placeholders(runIds)})`,
    runIds,
  );
}

type FactsRow = EventFacts & Pick<EventTable, "run_id">;

async function filesOf(
  { read }: Pick<Transaction, "read">,
  runIds: readonly string[],
): Promise<readonly Pick<FileRow, "run_id" | "id" | "extension" | "made_by" | "content">[]> {
  if (runIds.length === 0) return [];
  return read(
    `select run_id, id, extension, made_by, ${referenceOnly("content")} from files
     where run_id in (${placeholders(runIds)})`,
    runIds,
  );
}

// Whole payloads need not be read to be deleted.
function referenceOnly(column: string): string {
  return `case when cast(${column} as text) like '${REFERENCE_START}%' then ${column} end as ${column}`;
}
