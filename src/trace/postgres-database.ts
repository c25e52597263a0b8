import { zstdCompressSync } from "node:zlib";
import type { Pool, PoolClient } from "pg";
import { recount, type Removal, type Transaction } from "./database.ts";
import { wordsOf } from "./search-words.ts";
import {
  EVENT_COLUMNS,
  FILE_COLUMNS,
  MIGRATIONS,
  NEWEST_VERSION,
  RUN_COLUMNS,
  SEARCH_COLUMNS,
} from "./schema.ts";
import { DAY_MS, type Tally } from "./tally.ts";
import type { PayloadChanges, WritePlan } from "./write-plan.ts";

/** The tables in PostgreSQL; they are made, or brought to the newest version, when they are first used. */
export class PostgresDatabase {
  readonly #pool: Pool;
  #ready: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async ready(): Promise<void> {
    this.#ready ??= this.#migrate().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** All of it or nothing; nobody else who locks one of the names is in a transaction at the same time. */
  async transaction<Value>(
    locks: readonly string[],
    work: (transaction: Transaction) => Promise<Value>,
  ): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(locks, work);
      } catch (error) {
        const isConflict = CONFLICTS.has(String((error as { readonly code?: unknown }).code));
        if (!isConflict || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  async read<Row>(sql: string, parameters: readonly (string | number)[]): Promise<readonly Row[]> {
    return (await this.#pool.query(numbered(sql), [...parameters])).rows as Row[];
  }

  async #once<Value>(
    locks: readonly string[],
    work: (transaction: Transaction) => Promise<Value>,
  ): Promise<Value> {
    const client = await this.#pool.connect();
    // A connection that breaks while it is held fails the query under way; it must not end the process.
    const onError = (): void => {};
    client.on("error", onError);
    let isBroken = true;
    try {
      await client.query("begin");
      if (locks.length > 0) await client.query(LOCK, [[...new Set(locks)].sort((a, b) => (a < b ? -1 : 1))]);
      const value = await work(transactionOf(client));
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

  async #migrate(): Promise<void> {
    await this.transaction(["schema"], async (transaction) => {
      const run = async (sql: string): Promise<void> => void (await transaction.read(sql, []));
      await run("create table if not exists schema_version (version bigint not null)");
      const [row] = await transaction.read<{ version: number }>("select version from schema_version", []);
      const version = row?.version ?? 0;
      if (version > NEWEST_VERSION)
        throw new Error(`its version ${version} is newer than this program, which knows ${NEWEST_VERSION}`);
      if (version === NEWEST_VERSION) return;
      for (const migration of MIGRATIONS.filter((each) => each.version > version)) {
        for (const statement of migration.statements("postgres")) await run(statement);
        if (migration.summaries) await recount(transaction);
      }
      await run("delete from schema_version");
      await run(`insert into schema_version values (${NEWEST_VERSION})`);
    });
  }
}

const MOST_ATTEMPTS = 5;
/** Serialization failure, deadlock. */
const CONFLICTS: ReadonlySet<string> = new Set(["40001", "40P01"]);

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
  const texts = plan.texts.map((row) => ({ ...row, words: [...new Set(wordsOf(row.text))] }));
  if (texts.length > 0) await client.query(INSERT_TEXTS, [JSON.stringify(texts)]);
  await writePayloads(client, plan.payloads);
  await writeTally(client, plan.tally);
}

async function remove(client: PoolClient, { runIds, payloads, tally }: Removal): Promise<void> {
  for (const table of ["execution_events", "files", "search_texts", "runs"])
    await client.query(`delete from ${table} where run_id = any($1::text[])`, [runIds]);
  await writePayloads(client, payloads);
  await writeTally(client, tally);
  for (const { kind, name, digest, day } of tally.usage())
    await client.query(LAST_USED, [
      `${kind}_call`,
      name,
      digest,
      day * DAY_MS,
      (day + 1) * DAY_MS,
      kind,
      day,
    ]);
}

async function insert<Column extends string>(
  client: PoolClient,
  table: string,
  columns: readonly Column[],
  rows: readonly { readonly [Key in Column]: unknown }[],
  onConflict = "",
): Promise<void> {
  if (rows.length === 0) return;
  const names = columns.join(", ");
  await client.query(
    `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1::json)
     ${onConflict}`,
    [JSON.stringify(rows)],
  );
}

async function writePayloads(client: PoolClient, payloads: PayloadChanges): Promise<void> {
  const changes = [...payloads]
    .filter(([, { refs }]) => refs !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reference, { refs, text }]) => ({ sha256: reference.slice(1), refs, text }));
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
  for (const [rows, change, cleanUp] of [
    [tally.usage(), USAGE_CHANGE, "delete from usage where calls <= 0"],
    [tally.durations(), DURATION_CHANGE, "delete from durations where count <= 0"],
    [tally.patterns(), PATTERN_CHANGE, "delete from patterns where count <= 0"],
  ] as const) {
    if (rows.length === 0) continue;
    await client.query(change, [JSON.stringify(rows)]);
    if (rows.some((row) => ("calls" in row ? row.calls : row.count) < 0)) await client.query(cleanUp);
  }
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

// Rows come sorted by their key, so that two writers never wait for each other.
const USAGE_CHANGE = `insert into usage
  select * from json_populate_recordset(null::usage, $1::json)
  on conflict (kind, name, digest, day) do update set calls = usage.calls + excluded.calls,
  completed = usage.completed + excluded.completed, failed = usage.failed + excluded.failed,
  input_tokens = usage.input_tokens + excluded.input_tokens,
  output_tokens = usage.output_tokens + excluded.output_tokens, cost = usage.cost + excluded.cost,
  last_used = greatest(usage.last_used, excluded.last_used)`;

const DURATION_CHANGE = `insert into durations
  select * from json_populate_recordset(null::durations, $1::json)
  on conflict (kind, name, digest, day, bucket) do update set count = durations.count + excluded.count`;

const PATTERN_CHANGE = `insert into patterns
  select * from json_populate_recordset(null::patterns, $1::json)
  on conflict (kind, pattern) do update set count = patterns.count + excluded.count,
  completed = patterns.completed + excluded.completed`;

const LAST_USED = `update usage set last_used = coalesce((select timestamp from execution_events
  where event_type = $1 and agent_name = $2 and coalesce(skill_digest, '') = $3 and timestamp >= $4
  and timestamp < $5 and status <> 'running' order by timestamp desc limit 1), last_used)
  where kind = $6 and name = $2 and digest = $3 and day = $7`;
