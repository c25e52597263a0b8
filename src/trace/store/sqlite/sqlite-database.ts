import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { sharedDatabase } from "../../../core/files/shared-database.ts";
import { migrate, type Removal, type Transaction, placeholders } from "../database.ts";
import { EVENT_COLUMNS, FILE_COLUMNS, NEWEST_VERSION, RUN_COLUMNS, SEARCH_COLUMNS } from "../tables.ts";
import { sha256Of } from "../prepared-part.ts";
import { expectTraces } from "./set-aside.ts";
import { CALLS_IN_SQL, DAY_MS, type Tally } from "../tally.ts";
import type { PayloadChanges, WritePlan } from "../write-plan.ts";

/** A file of SQLite that any number of processes share. Everything is synchronous: it belongs in a thread of its own. */
export class SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #transaction: Transaction;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#transaction = {
      read: async <Row>(sql: string, parameters: readonly (string | number)[]) =>
        this.#statement(sql).all(...parameters) as unknown as Row[],
      write: async (plan) => this.#write(plan),
      remove: async (removal) => this.#remove(removal),
    };
  }

  /** Opens the file, makes it where there is none, and brings it to the newest version. */
  static async open(
    path: string,
    { lockMs, mostPages }: { readonly lockMs: number; readonly mostPages?: number },
  ): Promise<SqliteDatabase> {
    const database = sharedDatabase(path, lockMs, (opened) => {
      expectTraces(opened);
      // Rows of about 4 kB fit such a page. On a file that is not new this would wait for writers, and readers with it.
      if (isEmpty(opened)) opened.exec("pragma page_size = 8192; pragma auto_vacuum = incremental");
    });
    try {
      database.exec(
        "pragma synchronous = normal; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864; pragma cache_size = -4000",
      );
      if (mostPages !== undefined) database.exec(`pragma max_page_count = ${mostPages}`);
      const opened = new SqliteDatabase(database);
      await opened.#migrate();
      return opened;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** All of it or nothing. It begins as a writer, since one that has read cannot become one while others write. */
  async transaction<Value>(work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    this.#database.exec("begin immediate");
    try {
      const value = await work(this.#transaction);
      this.#database.exec("commit");
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }

  query(sql: string, parameters: readonly unknown[]): readonly object[] {
    return this.#statement(sql).all(...(parameters as SQLInputValue[]));
  }

  /** Gives the room of deleted rows back to the file system. */
  shrink(): void {
    this.#database.exec("pragma incremental_vacuum");
  }

  close(): void {
    this.#database.close();
  }

  async #migrate(): Promise<void> {
    if (this.#version() === NEWEST_VERSION) return;
    await this.transaction(async (transaction) => {
      const version = this.#version();
      if (version > NEWEST_VERSION)
        throw new Error(`its version ${version} is newer than this program, which knows ${NEWEST_VERSION}`);
      await migrate(transaction, "sqlite", version);
      this.#database.exec(`pragma user_version = ${NEWEST_VERSION}`);
    });
  }

  #version(): number {
    const { user_version } = this.#database.prepare("pragma user_version").get() as { user_version: number };
    return user_version;
  }

  #write({ runs, events, replaced, files, texts, payloads, tally }: WritePlan): void {
    this.#insert("runs", RUN_COLUMNS, runs, RUN_CHANGE);
    for (const seq of replaced) this.#run("delete from execution_events where seq = ?", [seq]);
    this.#insert("execution_events", EVENT_COLUMNS, events);
    this.#insert("files", FILE_COLUMNS, files);
    // In one statement: the index of words costs much for each statement, little for each row.
    if (texts.length > 0) this.#run(INSERT_TEXTS, [JSON.stringify(texts)]);
    this.#writePayloads(payloads);
    this.#writeTally(tally);
  }

  #remove({ runIds, payloads, tally }: Removal): void {
    const which = `where run_id in (${placeholders(runIds)})`;
    for (const table of ["execution_events", "files", "search_texts", "runs"])
      this.#run(`delete from ${table} ${which}`, runIds);
    this.#writePayloads(payloads);
    this.#writeTally(tally);
    for (const { kind, name, digest, day } of tally.usage())
      this.#run(lastUsed(kind === "skill" ? "skill" : "tool"), [
        name,
        digest,
        day * DAY_MS,
        (day + 1) * DAY_MS,
        kind,
        name,
        digest,
        day,
      ]);
  }

  #writePayloads(payloads: PayloadChanges): void {
    for (const [reference, { refs, text }] of payloads) {
      const sha256 = sha256Of(reference);
      if (refs === 0) continue;
      const { changes } = this.#run("update payloads set refs = refs + ? where sha256 = ?", [refs, sha256]);
      if (changes === 0 && text !== undefined)
        this.#run(
          "insert into payloads (sha256, bytes, encoding, content, refs) values (?, ?, 'zstd', ?, ?)",
          [sha256, Buffer.byteLength(text), zstdCompressSync(text), refs],
        );
      if (refs < 0) this.#run("delete from payloads where sha256 = ? and refs <= 0", [sha256]);
    }
  }

  #writeTally(tally: Tally): void {
    for (const row of tally.usage())
      this.#run(USAGE_CHANGE, [
        row.kind,
        row.name,
        row.digest,
        row.day,
        row.calls,
        row.completed,
        row.failed,
        row.invalid,
        row.input_tokens,
        row.output_tokens,
        row.cost,
        row.last_used,
      ]);
    for (const { kind, name, digest, day, bucket, count } of tally.durations())
      this.#run(DURATION_CHANGE, [kind, name, digest, day, bucket, count]);
    for (const { kind, pattern, length, count, completed } of tally.patterns())
      this.#run(PATTERN_CHANGE, [kind, pattern, length, count, completed]);
    for (const { kind, name, digest, day, calls } of tally.usage())
      if (calls < 0)
        this.#run("delete from usage where kind = ? and name = ? and digest = ? and day = ? and calls <= 0", [
          kind,
          name,
          digest,
          day,
        ]);
    for (const { kind, name, digest, day, bucket, count } of tally.durations())
      if (count < 0)
        this.#run(
          "delete from durations where kind = ? and name = ? and digest = ? and day = ? and bucket = ? and count <= 0",
          [kind, name, digest, day, bucket],
        );
    for (const { kind, pattern, count } of tally.patterns())
      if (count < 0)
        this.#run("delete from patterns where kind = ? and pattern = ? and count <= 0", [kind, pattern]);
  }

  #insert<Column extends string>(
    table: string,
    columns: readonly Column[],
    rows: readonly { readonly [Key in Column]: SQLInputValue }[],
    onConflict = "",
  ): void {
    if (rows.length === 0) return;
    const statement = this.#statement(
      `insert into ${table} (${columns.join(", ")}) values (${placeholders(columns)}) ${onConflict}`,
    );
    for (const row of rows) statement.run(...columns.map((column) => row[column]));
  }

  #run(sql: string, parameters: readonly SQLInputValue[]): { readonly changes: number | bigint } {
    return this.#statement(sql).run(...parameters);
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const prepared = this.#database.prepare(sql);
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function isEmpty(database: DatabaseSync): boolean {
  const { page_count } = database.prepare("pragma page_count").get() as { page_count: number };
  return page_count === 0;
}

const MAX_PREPARED = 300;

const RUN_CHANGE = `on conflict (run_id) do update set ${RUN_COLUMNS.slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(", ")}`;

const INSERT_TEXTS = `insert into search_texts (${SEARCH_COLUMNS.join(", ")})
  select ${SEARCH_COLUMNS.map((column) => `value->>'${column}'`).join(", ")} from json_each(?)`;

const USAGE_CHANGE = `insert into usage
  (kind, name, digest, day, calls, completed, failed, invalid, input_tokens, output_tokens, cost, last_used)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (kind, name, digest, day) do update set calls = calls + excluded.calls,
  completed = completed + excluded.completed, failed = failed + excluded.failed, invalid = invalid + excluded.invalid,
  input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
  cost = cost + excluded.cost, last_used = max(last_used, excluded.last_used)`;

const DURATION_CHANGE = `insert into durations (kind, name, digest, day, bucket, count) values (?, ?, ?, ?, ?, ?)
  on conflict (kind, name, digest, day, bucket) do update set count = count + excluded.count`;

const PATTERN_CHANGE = `insert into patterns (kind, pattern, length, count, completed) values (?, ?, ?, ?, ?)
  on conflict (kind, pattern) do update set count = count + excluded.count,
  completed = completed + excluded.completed`;

const lastUsed = (
  kind: keyof typeof CALLS_IN_SQL,
): string => `update usage set last_used = coalesce((select timestamp from execution_events
  where ${CALLS_IN_SQL[kind]} and agent_name = ? and coalesce(skill_digest, '') = ? and timestamp >= ? and timestamp < ?
  and status <> 'running' order by timestamp desc limit 1), last_used)
  where kind = ? and name = ? and digest = ? and day = ?`;
