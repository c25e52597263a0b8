import { createRequire } from "node:module";
import { zstdCompressSync } from "node:zlib";
import type pg from "pg";
import type { Pool, PoolClient } from "pg";
import type { Failure } from "../../../core/error.ts";
import { type Database, migrate, type Removal, type Transaction, unavailableFailure } from "../database.ts";
import { sha256Of } from "../prepared-part.ts";
import { searchWords } from "../search-words.ts";
import {
  EVENT_COLUMNS,
  FILE_COLUMNS,
  JSON_COLUMNS,
  NEWEST_VERSION,
  RUN_COLUMNS,
  SEARCH_COLUMNS,
} from "../tables.ts";
import { CALLS_IN_SQL, DAY_MS, type Tally } from "../tally.ts";
import type { PayloadChanges, WritePlan } from "../write-plan.ts";

/** The tables in PostgreSQL; they are made, or brought to the newest version, when they are first used. */
export class PostgresDatabase implements Database {
  readonly pool: Pool;
  #ready: Promise<void> | undefined;
  #transactions = 0;

  private constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Throws where the connection string cannot be understood. */
  static at(connectionString: string): PostgresDatabase {
    return new PostgresDatabase(poolOf(connectionString));
  }

  async ready(): Promise<void> {
    this.#ready ??= this.#migrate().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async transaction<Value>(
    locks: readonly string[],
    work: (transaction: Transaction) => Promise<Value>,
  ): Promise<Value> {
    await this.ready();
    return this.#tried(locks, work);
  }

  async shrink(): Promise<void> {
    // PostgreSQL does so by itself.
  }

  failureOf(error: unknown): Failure {
    return unavailableFailure(error instanceof Error ? error.message : String(error), passes(error));
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  async #tried<Value>(
    locks: readonly string[],
    work: (transaction: Transaction) => Promise<Value>,
  ): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await this.#once(locks, work);
        if (++this.#transactions % SUMMED_EVERY === 0) void this.#sumUpIfNobodyDoes();
        return value;
      } catch (error) {
        const isConflict = CONFLICTS.has(String((error as { readonly code?: unknown }).code));
        if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async read<Row>(sql: string, parameters: readonly (string | number)[]): Promise<readonly Row[]> {
    await this.ready();
    return (await this.pool.query(numbered(sql), [...parameters])).rows as Row[];
  }

  async #once<Value>(
    locks: readonly string[],
    work: (transaction: Transaction, client: PoolClient) => Promise<Value>,
  ): Promise<Value> {
    const client = await this.pool.connect();
    // A connection that breaks while it is held fails the query under way; it must not end the process.
    const onError = (): void => {};
    client.on("error", onError);
    let isBroken = true;
    try {
      await client.query("begin");
      if (locks.length > 0) await client.query(LOCK, [[...new Set(locks)].sort((a, b) => (a < b ? -1 : 1))]);
      const value = await work(transactionOf(client), client);
      await client.query("commit");
      isBroken = false;
      return value;
    } catch (error) {
      await client.query("rollback").then(
        () => (isBroken = false),
        () => undefined,
      );
      throw error;
    } finally {
      client.off("error", onError);
      client.release(isBroken);
    }
  }

  /** Brings the summaries up to date; where another does so, waits for that. */
  async sumUp(): Promise<void> {
    await this.ready();
    await this.#once([SUMMARIES], async (_, client) => sumUp(client));
  }

  async #sumUpIfNobodyDoes(): Promise<void> {
    try {
      await this.#once([], async (_, client) => {
        const { rows } = await client.query<{ free: boolean }>(TRY_LOCK, [SUMMARIES]);
        if (rows[0]?.free) await sumUp(client);
      });
    } catch {
      // What could not be summed up now is so the next time.
    }
  }

  async #migrate(): Promise<void> {
    await this.#tried(["schema"], async (transaction) => {
      const run = async (sql: string): Promise<void> => void (await transaction.read(sql, []));
      await run("create table if not exists schema_version (version bigint not null)");
      const [row] = await transaction.read<{ version: number }>("select version from schema_version", []);
      const version = row?.version ?? 0;
      if (version > NEWEST_VERSION)
        throw new Error(`its version ${version} is newer than this program, which knows ${NEWEST_VERSION}`);
      if (version === NEWEST_VERSION) return;
      // All that was recorded may have to be written anew.
      await run("set local statement_timeout = 0");
      await migrate(transaction, "postgres", version);
      await run("delete from schema_version");
      await run(`insert into schema_version values (${NEWEST_VERSION})`);
    });
  }
}

const CONNECT_MS = 3000;
const STATEMENT_MS = 60_000;

function poolOf(connectionString: string): Pool {
  // Few stores need it.
  const { Pool: PoolOf, types } = createRequire(import.meta.url)("pg") as typeof pg;
  const pool = new PoolOf({
    connectionString,
    max: 4,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
    // Does not hold the process when it has nothing else to do.
    allowExitOnIdle: true,
    types: {
      getTypeParser: ((oid: number, format?: "text" | "binary") =>
        PARSERS.get(oid) ?? types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  });
  // An idle connection that breaks would end the process otherwise.
  pool.on("error", () => {});
  return pool;
}

const INT8 = 20;
const JSON_TEXT = 114;

/** By the number of the type. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [JSON_TEXT, String],
]);

// What is wrong with the data itself has a class of 22, 23 or 54; all else may be otherwise the next time.
function passes(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return !(typeof code === "string" && /^(?:22|23|54)/.test(code)) && !(error instanceof TypeError);
}

const MAX_ATTEMPTS = 5;
/** Serialization failure, deadlock. */
const CONFLICTS: ReadonlySet<string> = new Set(["40001", "40P01"]);

const TRY_LOCK = "select pg_try_advisory_xact_lock(hashtextextended('repertoire ' || $1::text, 0)) as free";

const LOCK = `select pg_advisory_xact_lock(hashtextextended('repertoire ' || name, 0))
  from unnest($1::text[]) with ordinality as names (name, place) order by place`;

function transactionOf(client: PoolClient): Transaction {
  return {
    read: async <Row>(sql: string, parameters: readonly (string | number)[]) =>
      (await client.query(numbered(sql), [...parameters])).rows as Row[],
    write: async (plan) => write(client, plan),
    remove: async (removal) => remove(client, removal),
  };
}

function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${++count}`);
}

async function write(client: PoolClient, plan: WritePlan): Promise<void> {
  await insert(client, "runs", RUN_COLUMNS, plan.runs, RUN_CHANGE);
  if (plan.replaced.length > 0)
    await client.query("delete from execution_events where seq = any($1::bigint[])", [plan.replaced]);
  await insert(client, "execution_events", EVENT_COLUMNS, plan.events);
  await insert(client, "files", FILE_COLUMNS, plan.files);
  const texts = plan.texts.map((row) => ({ ...row, words: [...new Set(searchWords(row.text))] }));
  if (texts.length > 0) await client.query(INSERT_TEXTS, [JSON.stringify(texts)]);
  await writeTally(client, plan.tally);
  // Writers of the same payload wait for each other from here on.
  await writePayloads(client, plan.payloads);
}

async function remove(client: PoolClient, { runIds, payloads, tally }: Removal): Promise<void> {
  for (const table of ["execution_events", "files", "search_texts", "runs"])
    await client.query(`delete from ${table} where run_id = any($1::text[])`, [runIds]);
  await writeTally(client, tally);
  await client.query(LOCK, [[SUMMARIES]]);
  await sumUp(client);
  for (const { kind, name, digest, day } of tally.usage())
    await client.query(lastUsed(kind === "skill" ? "skill" : "tool"), [
      name,
      digest,
      day * DAY_MS,
      (day + 1) * DAY_MS,
      kind,
      day,
    ]);
  await writePayloads(client, payloads);
}

async function insert<Column extends string>(
  client: PoolClient,
  table: string,
  columns: readonly Column[],
  rows: readonly { readonly [Key in Column]: unknown }[],
  onConflict = "",
): Promise<void> {
  if (rows.length === 0) return;
  const values = columns.map((column) => (JSON_COLUMNS.has(column) ? `(${column} #>> '{}')::json` : column));
  await client.query(
    `insert into ${table} (${columns.join(", ")}) select ${values.join(", ")} from json_populate_recordset(null::${table}, $1::json)
     ${onConflict}`,
    [JSON.stringify(rows)],
  );
}

async function writePayloads(client: PoolClient, payloads: PayloadChanges): Promise<void> {
  const changes = [...payloads]
    .filter(([, { refs }]) => refs !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reference, { refs, text }]) => ({ sha256: sha256Of(reference), refs, text }));
  if (changes.length === 0) return;
  const known = await client.query<{ sha256: string }>(CHANGE_REFS, [
    JSON.stringify(changes.map(({ sha256, refs }) => ({ sha256, refs }))),
  ]);
  const present = new Set(known.rows.map(({ sha256 }) => sha256));
  for (const { sha256, refs, text } of changes) {
    if (present.has(sha256) || text === undefined) continue;
    await client.query(INSERT_PAYLOAD, [sha256, Buffer.byteLength(text), zstdCompressSync(text), refs]);
  }
  const fewer = changes.filter(({ refs }) => refs < 0).map(({ sha256 }) => sha256);
  if (fewer.length > 0)
    await client.query("delete from payloads where sha256 = any($1::text[]) and refs <= 0", [fewer]);
}

async function writeTally(client: PoolClient, tally: Tally): Promise<void> {
  const changes = [tally.usage(), tally.durations(), tally.patterns()];
  if (changes.every((rows) => rows.length === 0)) return;
  const takesAway = changes.flat().some((row) => ("calls" in row ? row.calls : row.count) < 0);
  await client.query(
    "insert into summary_changes (takes_away, usage, durations, patterns) values ($1, $2, $3, $4)",
    [takesAway, ...changes.map((rows) => JSON.stringify(rows))],
  );
}

/** Adds what has changed to the summaries; for one at a time. */
async function sumUp(client: PoolClient): Promise<void> {
  let tookAway = false;
  let summed: readonly { readonly takes_away: boolean }[];
  do {
    summed = (await client.query<{ takes_away: boolean }>(SUM_UP, [SUMMED_AT_ONCE])).rows;
    tookAway ||= summed.some(({ takes_away }) => takes_away);
  } while (summed.length === SUMMED_AT_ONCE);
  if (tookAway) for (const cleanUp of CLEAN_UPS) await client.query(cleanUp);
}

const RUN_CHANGE = `on conflict (run_id) do update set ${RUN_COLUMNS.slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(", ")}`;

const INSERT_TEXTS = `insert into search_texts (${SEARCH_COLUMNS.join(", ")}, words)
  select ${SEARCH_COLUMNS.join(", ")}, array_to_tsvector(words)
  from json_to_recordset($1::json) as rows (kind text, run_id text, event_id text, text text, words text[])`;

const CHANGE_REFS = `update payloads set refs = payloads.refs + changes.refs
  from json_to_recordset($1::json) as changes (sha256 text, refs bigint)
  where payloads.sha256 = changes.sha256 returning payloads.sha256`;

const INSERT_PAYLOAD = `insert into payloads (sha256, bytes, encoding, content, refs)
  values ($1, $2, 'zstd', $3, $4) on conflict (sha256) do update set refs = payloads.refs + excluded.refs`;

const SUMMARIES = "summaries";
const SUMMED_AT_ONCE = 1000;
/** So many transactions are summed up together, unless somebody asks before. */
const SUMMED_EVERY = 50;

/** Gives a row for each change that was summed up. */
const SUM_UP = `with changes as (
    delete from summary_changes where seq in (select seq from summary_changes order by seq limit $1)
    returning takes_away, usage, durations, patterns),
  summed_usage as (
    insert into usage
      (kind, name, digest, day, calls, completed, failed, invalid, input_tokens, output_tokens, cost, last_used)
    select kind, name, digest, day, sum(calls), sum(completed), sum(failed), sum(invalid), sum(input_tokens), sum(output_tokens),
      sum(cost), max(last_used) from changes, json_populate_recordset(null::usage, changes.usage)
    group by kind, name, digest, day
    on conflict (kind, name, digest, day) do update set calls = usage.calls + excluded.calls,
    completed = usage.completed + excluded.completed, failed = usage.failed + excluded.failed,
    invalid = usage.invalid + excluded.invalid, input_tokens = usage.input_tokens + excluded.input_tokens,
    output_tokens = usage.output_tokens + excluded.output_tokens, cost = usage.cost + excluded.cost,
    last_used = greatest(usage.last_used, excluded.last_used)),
  summed_durations as (
    insert into durations (kind, name, digest, day, bucket, count)
    select kind, name, digest, day, bucket, sum(count)
      from changes, json_populate_recordset(null::durations, changes.durations)
    group by kind, name, digest, day, bucket
    on conflict (kind, name, digest, day, bucket) do update set count = durations.count + excluded.count),
  summed_patterns as (
    insert into patterns (kind, pattern, length, count, completed)
    select kind, pattern, length, sum(count), sum(completed)
      from changes, json_populate_recordset(null::patterns, changes.patterns)
    group by kind, pattern, length
    on conflict (kind, md5(pattern)) do update set count = patterns.count + excluded.count,
    completed = patterns.completed + excluded.completed)
  select takes_away from changes`;

const CLEAN_UPS = [
  "delete from usage where calls <= 0",
  "delete from durations where count <= 0",
  "delete from patterns where kind in ('chain', 'handoff', 'code', 'file') and count <= 0",
];

const lastUsed = (
  kind: keyof typeof CALLS_IN_SQL,
): string => `update usage set last_used = coalesce((select timestamp from execution_events
  where ${CALLS_IN_SQL[kind]} and agent_name = $1 and coalesce(skill_digest, '') = $2 and timestamp >= $3
  and timestamp < $4 and status <> 'running' order by timestamp desc limit 1), last_used)
  where kind = $5 and name = $1 and digest = $2 and day = $6`;
