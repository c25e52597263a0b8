import { zstdDecompressSync } from "node:zlib";
import { type Dialect as KyselyDialect, type Expression, Kysely, sql, type SqlBool } from "kysely";
import { failure, FailureError } from "../../core/error.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type {
  EventStatus,
  EventType,
  Trace,
  TraceEvent,
  TraceFile,
  TraceSource,
} from "../../core/trace-event.ts";
import { unavailableFailure } from "./database.ts";
import { isReference, referenceTo, sha256Of } from "./prepared-part.ts";
import type { Dialect, EventTable, FileRow, RunRow, SearchTable, Tables } from "./tables.ts";
import { searchWords } from "./search-words.ts";
import { bucketMs, CALLS_IN_SQL, DAY_MS } from "./tally.ts";
import type {
  Chain,
  ChainFilter,
  CodePattern,
  FileTemplate,
  SearchHit,
  SearchHitKind,
  HandOff,
  PatternFilter,
  RunFilter,
  RunPage,
  RunSummary,
  SearchFilter,
  SessionPage,
  SessionSummary,
  TraceStore,
  Usage,
  UsageFilter,
} from "../trace-store.ts";
import { referencesOf } from "./write-plan.ts";
import { successRate } from "./success-rate.ts";

type Queries = Pick<
  TraceStore,
  | "runs"
  | "sessions"
  | "trace"
  | "usage"
  | "chains"
  | "handOffs"
  | "codePatterns"
  | "fileTemplates"
  | "search"
>;

/**
 * What can be asked of a store, the same of each: only words are looked up differently. Before anything is asked it is
 * made `ready`, before the summaries are they are `summed` up.
 */
export function storeQueries(
  dialect: KyselyDialect,
  kind: Dialect,
  {
    ready = async () => {},
    summed = ready,
  }: { readonly ready?: () => Promise<void>; readonly summed?: () => Promise<void> } = {},
): Queries {
  const tables = new Kysely<Tables>({ dialect });
  const asked = async <Value>(answer: () => Promise<Value>, before = ready): Promise<Result<Value>> => {
    try {
      await before();
      return ok(await answer());
    } catch (error) {
      return fail(error instanceof FailureError ? error.failure : unavailableFailure(String(error), true));
    }
  };
  return {
    runs: async (filter = {}) => {
      const after = filter.after === undefined ? undefined : placeOf(filter.after);
      if (after === "invalid")
        return fail(failure("INPUT_INVALID", "`after` is not what a page gave as `next`"));
      return asked(async () => runPage(tables, kind, filter, after));
    },
    sessions: async (filter = {}) => {
      const after = filter.after === undefined ? undefined : placeOf(filter.after);
      if (after === "invalid")
        return fail(failure("INPUT_INVALID", "`after` is not what a page gave as `next`"));
      return asked(async () => sessionPage(tables, kind, filter, after));
    },
    trace: async (runId) => asked(async () => traceOf(tables, runId)),
    usage: async (filter = {}) => asked(async () => usageOf(tables, filter), summed),
    chains: async (filter = {}) => asked(async () => chainsOf(tables, filter), summed),
    handOffs: async (filter = {}) => asked(async () => handOffsOf(tables, filter), summed),
    codePatterns: async (filter = {}) => asked(async () => codePatternsOf(tables, filter), summed),
    fileTemplates: async (filter = {}) => asked(async () => fileTemplatesOf(tables, filter), summed),
    search: async (text, filter = {}) => asked(async () => found(tables, kind, text, filter)),
  };
}

const USUAL_LIMIT = 50;

// --- runs

async function runPage(
  tables: Kysely<Tables>,
  dialect: Dialect,
  filter: RunFilter,
  after: Place | undefined,
): Promise<RunPage> {
  const limit = filter.limit ?? USUAL_LIMIT;
  let query = tables
    .selectFrom("runs")
    .selectAll()
    .orderBy("started_at", "desc")
    .orderBy("run_id", "desc")
    .limit(limit + 1);
  if (after) query = query.where(sql<SqlBool>`(started_at, run_id) < (${after.startedAt}, ${after.runId})`);
  const wanted = filtered(dialect, filter);
  if (wanted === "none") return { runs: [] };
  if (wanted) query = query.where(wanted);
  const rows = await query.execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    runs: shown.map(runSummary),
    ...(rows.length > limit && last
      ? { next: placeText({ startedAt: last.started_at, runId: last.run_id }) }
      : {}),
  };
}

/** What a filter asks of a run; `none` where no run can be meant. */
function filtered(dialect: Dialect, filter: RunFilter): Expression<SqlBool> | "none" | undefined {
  const { status, name, source, sessionId, since, until, text } = filter;
  const sources = source === undefined ? [] : [source].flat();
  const conditions: Expression<SqlBool>[] = [];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (name !== undefined) conditions.push(sql`name = ${name}`);
  if (source !== undefined) conditions.push(sql`source in (${sql.join(sources)})`);
  if (sessionId !== undefined) conditions.push(sql`session_id = ${sessionId}`);
  if (since !== undefined) conditions.push(sql`started_at >= ${since}`);
  if (until !== undefined) conditions.push(sql`started_at < ${until}`);
  if (text !== undefined) {
    const words = searchWords(text);
    if (words.length === 0) return "none";
    conditions.push(sql`run_id in (select run_id from search_texts where ${matching(dialect, words)})`);
  }
  return conditions.length === 0 ? undefined : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/** What was submitted in a session tells of work that was done elsewhere. */
const SESSION = sql<string>`case when source = 'import' and run_id like 'submitted-%' then run_id
  else coalesce(session_id, run_id) end`;

async function sessionPage(
  tables: Kysely<Tables>,
  dialect: Dialect,
  filter: RunFilter,
  after: Place | undefined,
): Promise<SessionPage> {
  const limit = filter.limit ?? USUAL_LIMIT;
  const wanted = filtered(dialect, filter);
  if (wanted === "none") return { sessions: [] };
  let query = tables
    .selectFrom("runs")
    .select([SESSION.as("session"), sql<number>`max(started_at)`.as("latest")])
    .groupBy("session")
    .orderBy("latest", "desc")
    .orderBy("session", "desc")
    .limit(limit + 1);
  if (wanted) query = query.where(sql<SqlBool>`${SESSION} in (select ${SESSION} from runs where ${wanted})`);
  if (after)
    query = query.having(sql<SqlBool>`(max(started_at), ${SESSION}) < (${after.startedAt}, ${after.runId})`);
  const places = await query.execute();
  const shown = places.slice(0, limit);
  const ids = shown.map(({ session }) => session);
  const last = shown.at(-1);
  const known = Map.groupBy(await sessionRows(tables, ids), ({ session }) => session);
  return {
    sessions: ids.flatMap((id) => sessionSummary(id, known.get(id) ?? []) ?? []),
    ...(places.length > limit && last
      ? { next: placeText({ startedAt: last.latest, runId: last.session }) }
      : {}),
  };
}

/** Of each of these sessions: its runs in their order, those of the same name and kind as one. */
async function sessionRows(tables: Kysely<Tables>, ids: readonly string[]): Promise<readonly SessionRow[]> {
  if (ids.length === 0) return [];
  const isCall = sql.raw(`(${CALLS_IN_SQL.tool} or ${CALLS_IN_SQL.skill})`);
  const inThese = sql<SqlBool>`${SESSION} in (${sql.join([...ids])})`;
  const calls = sql`(select run_id as called_in, count(*) as calls,
    sum(case when status = 'failed' then 1 else 0 end) as failures
    from execution_events where run_id in (select run_id from runs where ${inThese}) and ${isCall}
    group by run_id)`;
  const { rows } = await sql<SessionRow>`
    select ${SESSION} as session, name, source, client, status, task, count(*) as runs,
      cast(sum(coalesce(calls, 0)) as bigint) as calls, cast(sum(coalesce(failures, 0)) as bigint) as failures,
      cast(sum(lost) as bigint) as lost, min(started_at) as began, max(started_at) as latest,
      max(started_at + coalesce(duration_ms, 0)) as ended
    from runs left join ${calls} as called on called_in = run_id
    where ${inThese} group by ${SESSION}, name, source, client, status, task order by began`.execute(tables);
  return rows;
}

interface SessionRow extends Pick<RunRow, "name" | "source" | "client" | "status" | "task" | "lost"> {
  readonly session: string;
  readonly runs: number;
  readonly calls: number;
  readonly failures: number;
  readonly began: number;
  readonly latest: number;
  readonly ended: number;
}

function sessionSummary(id: string, rows: readonly SessionRow[]): SessionSummary | undefined {
  const latest = rows.reduce<SessionRow | undefined>(
    (last, row) => (last && last.latest >= row.latest ? last : row),
    undefined,
  );
  if (!latest) return undefined;
  const total = (key: "runs" | "calls" | "failures" | "lost"): number =>
    rows.reduce((sum, row) => sum + row[key], 0);
  const startedAt = Math.min(...rows.map(({ began }) => began));
  const lost = total("lost");
  return {
    id,
    source: latest.source as TraceSource,
    names: [...new Set(rows.flatMap(({ name }) => name ?? []))].slice(0, MAX_NAMES),
    runs: total("runs"),
    calls: total("calls"),
    failures: total("failures"),
    startedAt,
    durationMs: Math.max(...rows.map(({ ended }) => ended)) - startedAt,
    status: latest.status as EventStatus,
    ...given({
      client: rows.find(({ client }) => client !== null)?.client ?? null,
      task: rows.find(({ task }) => task !== null)?.task ?? null,
      lost: lost === 0 ? null : lost,
    }),
  };
}

const MAX_NAMES = 20;

interface Place {
  readonly startedAt: number;
  readonly runId: string;
}

function placeText({ startedAt, runId }: Place): string {
  return Buffer.from(JSON.stringify([startedAt, runId])).toString("base64url");
}

function placeOf(text: string): Place | "invalid" {
  try {
    const [startedAt, runId] = JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
    return typeof startedAt === "number" && typeof runId === "string" ? { startedAt, runId } : "invalid";
  } catch {
    return "invalid";
  }
}

function runSummary(row: RunRow): RunSummary {
  return {
    runId: row.run_id,
    source: row.source as TraceSource,
    startedAt: row.started_at,
    status: row.status as EventStatus,
    events: row.events,
    errors: row.errors,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cost: row.cost,
    ...given({
      sessionId: row.session_id,
      task: row.task,
      lost: row.lost === 0 ? null : row.lost,
      durationMs: row.duration_ms,
      name: row.name,
      client: row.client,
      skillDigest: row.digest,
    }),
  };
}

// --- a run

async function traceOf(tables: Kysely<Tables>, runId: string): Promise<Trace | undefined> {
  const [runs, events, files] = await Promise.all([
    tables.selectFrom("runs").selectAll().where("run_id", "=", runId).execute(),
    tables
      .selectFrom("execution_events")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("execution_order")
      .orderBy("seq")
      .execute(),
    tables.selectFrom("files").selectAll().where("run_id", "=", runId).orderBy("seq").execute(),
  ]);
  const [run] = runs;
  if (!run) return undefined;
  const texts = await payloadTexts(tables, new Set([...events, ...files].flatMap(referencesOf)));
  return {
    runId,
    source: run.source as TraceSource,
    startedAt: run.started_at,
    ...given({
      sessionId: run.session_id,
      task: run.task,
      client: run.client,
      lost: run.lost === 0 ? null : run.lost,
    }),
    events: events.map((row) => eventOf(row, texts)),
    files: files.map((row) => fileOf(row, texts)),
  };
}

async function payloadTexts(
  tables: Kysely<Tables>,
  references: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const wanted = [...references].map(sha256Of);
  for (let at = 0; at < wanted.length; at += MAX_AT_ONCE) {
    const rows = await tables
      .selectFrom("payloads")
      .select(["sha256", "content"])
      .where("sha256", "in", wanted.slice(at, at + MAX_AT_ONCE))
      .execute();
    for (const { sha256, content } of rows)
      texts.set(referenceTo(sha256), zstdDecompressSync(content).toString());
  }
  return texts;
}

const MAX_AT_ONCE = 500;

function eventOf(row: Omit<EventTable, "seq">, texts: ReadonlyMap<string, string>): TraceEvent {
  return {
    id: row.id,
    runId: row.run_id,
    eventType: row.event_type as EventType,
    executionOrder: row.execution_order,
    status: row.status as EventStatus,
    timestamp: row.timestamp,
    ...given({
      sessionId: row.session_id,
      nodeId: row.node_id,
      stepId: row.step_id,
      parentEventId: row.parent_event_id,
      eventSubtype: row.event_subtype,
      agentName: row.agent_name,
      durationMs: row.duration_ms,
      callPath: row.call_path,
      skillDigest: row.skill_digest,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cost: row.cost,
      errorCode: row.error_code,
      errorMessage: row.error_message,
    }),
    ...(row.inputs === null ? {} : { inputs: jsonOf(row.inputs, texts) }),
    ...(row.outputs === null ? {} : { outputs: jsonOf(row.outputs, texts) }),
    ...(row.meta === null ? {} : { meta: jsonOf(row.meta, texts) as JsonObject }),
  };
}

function fileOf(row: FileRow, texts: ReadonlyMap<string, string>): TraceFile {
  return {
    id: row.id,
    runId: row.run_id,
    eventId: row.event_id,
    path: row.path,
    foundBy: row.found_by as TraceFile["foundBy"],
    ...given({ size: row.size, sha256: row.sha256 }),
    ...(row.content === null ? {} : { content: jsonOf(row.content, texts) as string }),
  };
}

function jsonOf(text: string, texts: ReadonlyMap<string, string>): Json {
  return JSON.parse(isReference(text) ? (texts.get(text) ?? "null") : text) as Json;
}

// --- usage

async function usageOf(tables: Kysely<Tables>, filter: UsageFilter): Promise<readonly Usage[]> {
  if (filter.byAgent) return usageByAgent(tables, filter);
  const digest = filter.byVersion ? sql<string>`digest` : sql<string>`''`;
  const since = filter.since === undefined ? undefined : Math.floor(filter.since / DAY_MS);
  const number = sql<number>;
  let usage = tables
    .selectFrom("usage")
    .select([
      "kind",
      "name",
      digest.as("version"),
      number`cast(sum(calls) as bigint)`.as("calls"),
      number`cast(sum(completed) as bigint)`.as("completed"),
      number`cast(sum(failed) as bigint)`.as("failed"),
      number`cast(sum(invalid) as bigint)`.as("invalid"),
      number`cast(sum(input_tokens) as bigint)`.as("inputTokens"),
      number`cast(sum(output_tokens) as bigint)`.as("outputTokens"),
      number`sum(cost)`.as("cost"),
      number`max(last_used)`.as("lastUsed"),
    ])
    .groupBy(["kind", "name", "version"])
    .orderBy("calls", "desc")
    .orderBy("name")
    .orderBy("version")
    .limit(filter.limit ?? USUAL_LIMIT);
  let durations = tables
    .selectFrom("durations")
    .select(["kind", "name", digest.as("version"), "bucket", number`cast(sum(count) as bigint)`.as("count")])
    .groupBy(["kind", "name", "version", "bucket"])
    .orderBy("bucket");
  if (filter.kind !== undefined) {
    usage = usage.where("kind", "=", filter.kind);
    durations = durations.where("kind", "=", filter.kind);
  }
  if (filter.name !== undefined) {
    usage = usage.where("name", "=", filter.name);
    durations = durations.where("name", "=", filter.name);
  }
  if (since !== undefined) {
    usage = usage.where("day", ">=", since);
    durations = durations.where("day", ">=", since);
  }
  const [rows, buckets] = await Promise.all([usage.execute(), durations.execute()]);
  const keyOf = (row: { readonly kind: string; readonly name: string; readonly version: string }): string =>
    JSON.stringify([row.kind, row.name, row.version]);
  const histograms = Map.groupBy(buckets, keyOf);
  return rows.map((row) => usageLine(row, histograms.get(keyOf(row)) ?? []));
}

interface UsageSums extends Omit<Usage, "kind" | "skillDigest" | "successRate" | "p50Ms" | "p95Ms"> {
  readonly kind: string;
  readonly version: string;
}

function usageLine({ kind, version, ...sums }: UsageSums, histogram: Histogram): Usage {
  const { completed, failed } = sums;
  return {
    kind: kind as Usage["kind"],
    ...sums,
    successRate: successRate(completed, completed + failed),
    ...given({
      skillDigest: version === "" ? null : version,
      p50Ms: percentile(histogram, 0.5),
      p95Ms: percentile(histogram, 0.95),
    }),
  };
}

/** Counted from the events themselves: it takes longer the more there are. */
async function usageByAgent(
  tables: Kysely<Tables>,
  { kind, name, since, limit }: UsageFilter,
): Promise<readonly Usage[]> {
  const number = sql<number>;
  let query = tables
    .selectFrom("execution_events")
    .select([
      sql<Usage["kind"]>`case when event_type = 'skill_call' then 'skill' else 'tool' end`.as("kind"),
      "agent_name",
      sql<string>`coalesce(caller, '')`.as("agent"),
      number`count(*)`.as("calls"),
      number`cast(sum(case when status = 'completed' then 1 else 0 end) as bigint)`.as("completed"),
      number`cast(sum(case when status = 'failed' and fault is null then 1 else 0 end) as bigint)`.as(
        "failed",
      ),
      number`cast(sum(case when status = 'failed' and fault is not null then 1 else 0 end) as bigint)`.as(
        "invalid",
      ),
      number`cast(sum(coalesce(input_tokens, 0)) as bigint)`.as("inputTokens"),
      number`cast(sum(coalesce(output_tokens, 0)) as bigint)`.as("outputTokens"),
      number`sum(coalesce(cost, 0))`.as("cost"),
      number`max(timestamp)`.as("lastUsed"),
      sql<
        number | null
      >`avg(case when status = 'completed' then cast(result_size as double precision) end)`.as("resultSize"),
    ])
    .where(
      sql<SqlBool>`(${sql.raw(kind === undefined ? Object.values(CALLS_IN_SQL).join(" or ") : CALLS_IN_SQL[kind])})`,
    )
    .where("status", "<>", "running")
    .groupBy(["kind", "agent_name", "agent"])
    .orderBy("calls", "desc")
    .orderBy("agent_name")
    .orderBy("agent")
    .limit(limit ?? USUAL_LIMIT);
  if (name !== undefined) query = query.where("agent_name", "=", name);
  if (since !== undefined) query = query.where("timestamp", ">=", Math.floor(since / DAY_MS) * DAY_MS);
  const rows = await query.execute();
  return rows.map(({ agent_name, ...sums }) => agentLine({ name: agent_name ?? "", ...sums }));
}

function agentLine({
  resultSize,
  ...sums
}: Omit<Usage, "successRate" | "resultSize"> & { readonly resultSize: number | null }): Usage {
  const { completed, failed } = sums;
  return { ...sums, successRate: successRate(completed, completed + failed), ...given({ resultSize }) };
}

type Histogram = readonly { readonly bucket: number; readonly count: number }[];

function percentile(histogram: Histogram, share: number): number | null {
  const total = histogram.reduce((sum, { count }) => sum + count, 0);
  let left = Math.ceil(total * share);
  for (const { bucket, count } of histogram) {
    left -= count;
    if (left <= 0) return bucketMs(bucket);
  }
  return null;
}

// --- patterns

async function chainsOf(tables: Kysely<Tables>, filter: ChainFilter): Promise<readonly Chain[]> {
  let query = patternsOf(tables, "chain", filter);
  if (filter.length !== undefined) query = query.where("length", "=", filter.length);
  if (filter.including !== undefined) {
    const name = JSON.stringify(filter.including).replaceAll(/[\\%_]/g, String.raw`\$&`);
    query = query.where(sql<SqlBool>`pattern like ${`%${name}%`} escape '\\'`);
  }
  return (await query.execute()).map(({ pattern, count, completed }) => ({
    names: JSON.parse(pattern) as string[],
    count,
    completed,
    successRate: successRate(completed, count),
  }));
}

async function handOffsOf(tables: Kysely<Tables>, filter: PatternFilter): Promise<readonly HandOff[]> {
  const rows = await patternsOf(tables, "handoff", filter).execute();
  return rows.map(({ pattern, count }) => {
    const [from, to] = JSON.parse(pattern) as [string, string];
    return { from, to, count };
  });
}

async function codePatternsOf(
  tables: Kysely<Tables>,
  filter: PatternFilter,
): Promise<readonly CodePattern[]> {
  const rows = await patternsOf(tables, "code", filter).execute();
  return rows.map(({ pattern, count, completed }) => {
    const [imports, agent] = JSON.parse(pattern) as [string, string];
    const names = JSON.parse(imports) as string[];
    return { imports: names, agent, count, completed, successRate: successRate(completed, count) };
  });
}

async function fileTemplatesOf(
  tables: Kysely<Tables>,
  filter: PatternFilter,
): Promise<readonly FileTemplate[]> {
  const rows = await patternsOf(tables, "file", filter).execute();
  return Promise.all(
    rows.map(async ({ pattern, count }) => {
      const [extension, madeBy] = JSON.parse(pattern) as [string, string];
      const latest = await tables
        .selectFrom("files")
        .selectAll()
        .where("extension", "=", extension)
        .where("made_by", "=", madeBy)
        .orderBy("created_at", "desc")
        .limit(1)
        .executeTakeFirst();
      if (!latest) return { extension, madeBy, count };
      const texts = await payloadTexts(tables, new Set(referencesOf(latest)));
      const { path, runId, content, sha256 } = fileOf(latest, texts);
      const example = { path, runId, ...given({ content: content ?? null, sha256: sha256 ?? null }) };
      return { extension, madeBy, count, latest: example };
    }),
  );
}

function patternsOf(
  tables: Kysely<Tables>,
  kind: string,
  { atLeast = 1, limit = USUAL_LIMIT }: PatternFilter,
) {
  return tables
    .selectFrom("patterns")
    .select(["pattern", "count", "completed"])
    .where("kind", "=", kind)
    .where("count", ">=", atLeast)
    .orderBy("count", "desc")
    .orderBy("pattern")
    .limit(limit);
}

// --- words

async function found(
  tables: Kysely<Tables>,
  dialect: Dialect,
  text: string,
  { kinds, limit = USUAL_LIMIT }: SearchFilter,
): Promise<readonly SearchHit[]> {
  const words = searchWords(text);
  if (words.length === 0 || kinds?.length === 0) return [];
  let query = tables
    .selectFrom("search_texts")
    .selectAll()
    .where(matching(dialect, words))
    // By relevance would read all that match.
    .orderBy("seq", "desc")
    .limit(limit);
  if (kinds) query = query.where("kind", "in", kinds);
  return (await query.execute()).map(searchHit);
}

function searchHit({ kind, run_id, event_id, text }: Omit<SearchTable, "seq">): SearchHit {
  const found = { kind: kind as SearchHitKind, runId: run_id, text };
  return event_id === null ? found : { ...found, eventId: event_id };
}

function matching(dialect: Dialect, words: readonly string[]): Expression<SqlBool> {
  const all = words.slice(0, MAX_WORDS);
  switch (dialect) {
    case "sqlite": {
      const query = all.map((word) => `"${word}"*`).join(" AND ");
      return sql<SqlBool>`seq in (select rowid from search_index where search_index match ${query})`;
    }
    case "postgres": {
      const query = all.map((word) => `'${word}':*`).join(" & ");
      return sql<SqlBool>`words @@ cast(${query} as tsquery)`;
    }
  }
}

const MAX_WORDS = 20;

type Given<Fields> = { -readonly [Key in keyof Fields]?: NonNullable<Fields[Key]> };

/** The fields that are not null. */
function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<Fields>;
}
