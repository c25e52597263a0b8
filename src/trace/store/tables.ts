import type { Generated } from "kysely";

/**
 * The tables, the same in every store. What is JSON is of type `json` in PostgreSQL, which keeps the text as it came; in
 * place of a value that is large, or cannot be read by SQL, stands `{"[payload]": sha256}`, which refers to `payloads`.
 */
export interface Tables {
  readonly runs: RunRow;
  readonly execution_events: EventTable;
  readonly files: FileTable;
  readonly payloads: PayloadRow;
  readonly search_texts: SearchTable;
  readonly usage: UsageRow;
  readonly durations: DurationRow;
  readonly patterns: PatternRow;
}

export interface RunRow {
  readonly run_id: string;
  readonly session_id: string | null;
  readonly source: string;
  readonly task: string | null;
  readonly started_at: number;
  readonly duration_ms: number | null;
  readonly status: string;
  readonly name: string | null;
  readonly digest: string | null;
  readonly events: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number;
  readonly bytes: number;
  /** 1 once its sequences are counted in `patterns`: when it has ended. */
  readonly counted: number;
  /** The calls that nothing in the run made, as `chainText` writes them; for chains across the runs of a session. */
  readonly chain: string | null;
  /** How many events could not be recorded. */
  readonly lost: number;
  /** Name and version of the MCP client that called. */
  readonly client: string | null;
}

export interface EventRow {
  readonly id: string;
  readonly run_id: string;
  readonly session_id: string | null;
  readonly node_id: string | null;
  readonly step_id: string | null;
  readonly parent_event_id: string | null;
  readonly event_type: string;
  readonly event_subtype: string | null;
  readonly execution_order: number;
  readonly agent_name: string | null;
  readonly status: string;
  readonly timestamp: number;
  readonly duration_ms: number | null;
  readonly inputs: string | null;
  readonly outputs: string | null;
  readonly meta: string | null;
  readonly call_path: string | null;
  readonly skill_digest: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** What executed code imports: a JSON array, sorted. */
  readonly imports: string | null;
  /** To whom a hand-off hands. */
  readonly handed_to: string | null;
  /** Who called: the agent or skill that made a call. */
  readonly caller: string | null;
  /** Characters of the result: of the text itself, otherwise of its JSON. */
  readonly result_size: number | null;
  /** `caller` where a call failed since its input was not valid: no failure of what was called. */
  readonly fault: string | null;
  /** The event of the failed call that this one tries again. */
  readonly retry_of: string | null;
}

export interface EventTable extends EventRow {
  readonly seq: Generated<number>;
}

export interface FileRow {
  readonly run_id: string;
  readonly id: string;
  readonly event_id: string;
  readonly path: string;
  readonly extension: string;
  readonly made_by: string;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly content: string | null;
  readonly found_by: string;
  readonly created_at: number;
}

interface FileTable extends FileRow {
  readonly seq: Generated<number>;
}

interface PayloadRow {
  readonly sha256: string;
  readonly bytes: number;
  readonly encoding: string;
  readonly content: Uint8Array;
  readonly refs: number;
}

export interface SearchRow {
  readonly kind: string;
  readonly run_id: string;
  readonly event_id: string | null;
  readonly text: string;
}

export interface SearchTable extends SearchRow {
  readonly seq: Generated<number>;
}

export interface UsageRow {
  /** Days since 1970. */
  readonly day: number;
  readonly kind: string;
  readonly name: string;
  readonly digest: string;
  readonly calls: number;
  readonly completed: number;
  readonly failed: number;
  /** Calls that failed since their input was not valid; they are in `calls`, not in `failed`. */
  readonly invalid: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number;
  readonly last_used: number;
}

export interface DurationRow {
  readonly day: number;
  readonly kind: string;
  readonly name: string;
  readonly digest: string;
  readonly bucket: number;
  readonly count: number;
}

export interface PatternRow {
  /** chain, handoff, code or file. */
  readonly kind: string;
  /** A JSON array. */
  readonly pattern: string;
  readonly length: number;
  readonly count: number;
  readonly completed: number;
}

export const EVENT_COLUMNS = [
  "id",
  "run_id",
  "session_id",
  "node_id",
  "step_id",
  "parent_event_id",
  "event_type",
  "event_subtype",
  "execution_order",
  "agent_name",
  "status",
  "timestamp",
  "duration_ms",
  "inputs",
  "outputs",
  "meta",
  "call_path",
  "skill_digest",
  "input_tokens",
  "output_tokens",
  "cost",
  "error_code",
  "error_message",
  "imports",
  "handed_to",
  "caller",
  "result_size",
  "fault",
  "retry_of",
] as const satisfies readonly (keyof EventRow)[];

export const RUN_COLUMNS = [
  "run_id",
  "session_id",
  "source",
  "task",
  "started_at",
  "duration_ms",
  "status",
  "name",
  "digest",
  "events",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost",
  "bytes",
  "counted",
  "chain",
  "lost",
  "client",
] as const satisfies readonly (keyof RunRow)[];

/** Columns of JSON, in whatever table. */
export const JSON_COLUMNS: ReadonlySet<string> = new Set(["inputs", "outputs", "meta", "imports", "content"]);

export const FILE_COLUMNS = [
  "run_id",
  "id",
  "event_id",
  "path",
  "extension",
  "made_by",
  "size",
  "sha256",
  "content",
  "found_by",
  "created_at",
] as const satisfies readonly (keyof FileRow)[];

export const SEARCH_COLUMNS = [
  "kind",
  "run_id",
  "event_id",
  "text",
] as const satisfies readonly (keyof SearchRow)[];

export type Dialect = "sqlite" | "postgres";

/**
 * One step of the schema; `summaries` says that all that was recorded has to be counted anew after it, `values` that
 * values which SQL cannot read have to leave their rows.
 */
export interface Migration {
  readonly version: number;
  readonly statements: (dialect: Dialect) => readonly string[];
  readonly summaries?: true;
  readonly values?: true;
}

/** A version that is published never changes; what changes is another. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: (dialect) => [...TABLES.map((text) => typed(text, dialect)), ...SEARCH[dialect]],
  },
  { version: 2, statements: (dialect) => SUMMARIES.map((text) => typed(text, dialect)), summaries: true },
  { version: 3, statements: (dialect) => LOST.map((text) => typed(text, dialect)) },
  { version: 4, statements: (dialect) => SUMMARY_CHANGES[dialect] },
  {
    version: 5,
    statements: (dialect) => callFacts(dialect).map((text) => typed(text, dialect)),
    summaries: true,
  },
  { version: 6, statements: (dialect) => JSON_CHANGES[dialect], values: true },
  // Calls that execute code are calls of tools.
  { version: 7, statements: emptiedSummaries, summaries: true },
  // A transcript's format calls nothing and hands nothing over.
  {
    version: 8,
    statements: (dialect) => [
      `update execution_events set caller = null where caller is not null and parent_event_id in (
        select id from execution_events where event_type = 'agent_call' and event_subtype = 'transcript')`,
      "update files set found_by = 'transcript' where found_by = 'text'",
      ...emptiedSummaries(dialect),
    ],
    summaries: true,
  },
  { version: 9, statements: () => ["alter table runs add column client text"] },
];

export const NEWEST_VERSION = 9;

const TABLES = [
  `create table runs (
    run_id text primary key, session_id text, source text not null, task text, started_at real not null,
    duration_ms real, status text not null, name text, digest text, events bigint not null, errors bigint not null,
    input_tokens bigint not null, output_tokens bigint not null, cost real not null, bytes bigint not null,
    counted bigint not null, chain text)`,
  "create index runs_started on runs (started_at, run_id)",
  "create index runs_session on runs (session_id, started_at, run_id) where session_id is not null",
  "create index runs_status on runs (status, started_at)",
  "create index runs_name on runs (name, started_at)",
  `create table execution_events (
    seq serial, id text not null, run_id text not null, session_id text, node_id text,
    step_id text, parent_event_id text, event_type text not null, event_subtype text,
    execution_order bigint not null, agent_name text, status text not null, timestamp real not null,
    duration_ms real, inputs text, outputs text, meta text, call_path text, skill_digest text,
    input_tokens bigint, output_tokens bigint, cost real, error_code text, error_message text,
    imports text, handed_to text)`,
  "create index events_run on execution_events (run_id, execution_order)",
  "create index events_agent on execution_events (agent_name, timestamp)",
  "create index events_node on execution_events (node_id) where node_id is not null",
  "create index events_failed on execution_events (timestamp) where status = 'failed'",
  `create table files (
    seq serial, run_id text not null, id text not null, event_id text not null, path text not null, extension text not null,
    made_by text not null, size bigint, sha256 text, content text, found_by text not null, created_at real not null,
    unique (run_id, id))`,
  "create index files_template on files (extension, made_by, created_at)",
  `create table payloads (
    sha256 text primary key, bytes bigint not null, encoding text not null, content blob not null,
    refs bigint not null)`,
  `create table search_texts (
    seq serial, kind text not null, run_id text not null, event_id text, text text not null)`,
  "create index search_texts_run on search_texts (run_id)",
];

const SEARCH: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    `create virtual table search_index using fts5 (text, content='search_texts', content_rowid='seq',
      tokenize='unicode61 remove_diacritics 0')`,
    `create trigger search_added after insert on search_texts begin
      insert into search_index (rowid, text) values (new.seq, new.text); end`,
    `create trigger search_removed after delete on search_texts begin
      insert into search_index (search_index, rowid, text) values ('delete', old.seq, old.text); end`,
  ],
  postgres: [
    "alter table search_texts add column words tsvector",
    "create index search_words on search_texts using gin (words)",
  ],
};

const SUMMARIES = [
  `create table usage (
    day bigint not null, kind text not null, name text not null, digest text not null, calls bigint not null,
    completed bigint not null, failed bigint not null, input_tokens bigint not null, output_tokens bigint not null,
    cost real not null, last_used real not null, primary key (kind, name, digest, day))`,
  `create table durations (
    day bigint not null, kind text not null, name text not null, digest text not null, bucket bigint not null,
    count bigint not null, primary key (kind, name, digest, day, bucket))`,
  `create table patterns (
    kind text not null, pattern text not null, length bigint not null, count bigint not null,
    completed bigint not null, primary key (kind, pattern))`,
  "create index patterns_count on patterns (kind, count)",
];

const LOST = ["alter table runs add column lost bigint not null default 0"];

const SUMMARY_CHANGES: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [],
  // Rows that all writers change would make them wait for each other: each adds a row here, and they are summed up later.
  postgres: [
    `create table summary_changes (
      seq bigserial primary key, takes_away boolean not null, usage json not null, durations json not null, patterns json not null)`,
  ],
};

const callFacts = (dialect: Dialect): readonly string[] => [
  ...["caller text", "result_size bigint", "fault text", "retry_of text"].map(
    (column) => `alter table execution_events add column ${column}`,
  ),
  `update execution_events set
    caller = coalesce(
      ${field("meta", "agent", dialect)},
      (select agent_name from execution_events as parent
        where parent.run_id = execution_events.run_id and parent.id = execution_events.parent_event_id)),
    retry_of = ${field("meta", "retryOf", dialect)},
    result_size = coalesce(
      (select bytes from payloads where outputs like '@%' and sha256 = substr(outputs, 2)), length(outputs)),
    fault = case when error_code in ('INPUT_INVALID', 'INPUT_TOO_LARGE') and not exists (
      select 1 from execution_events as inner_call where inner_call.run_id = execution_events.run_id
        and inner_call.parent_event_id = execution_events.id and inner_call.error_code = execution_events.error_code)
      then 'caller' end
    where event_type in ('tool_call', 'skill_call', 'code_exec', 'agent_call')`,
  "alter table usage add column invalid bigint not null default 0",
  ...emptiedSummaries(dialect),
];

function emptiedSummaries(dialect: Dialect): readonly string[] {
  const tables = ["usage", "durations", "patterns", ...(dialect === "postgres" ? ["summary_changes"] : [])];
  return tables.map((table) => `delete from ${table}`);
}

// References were texts of the form `@sha256`.
const asJson = (column: string): string =>
  `case when ${column} like '@%' then '{"[payload]":"' || substr(${column}, 2) || '"}' else ${column} end`;

const alteredJson = (columns: readonly string[]): string =>
  columns.map((column) => `alter column ${column} type json using (${asJson(column)})::json`).join(", ");

const JSON_CHANGES: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    ...["inputs", "outputs", "meta"].map((column) => ["execution_events", column] as const),
    ["files", "content"] as const,
  ].map(([table, column]) => `update ${table} set ${column} = ${asJson(column)} where ${column} like '@%'`),
  postgres: [
    // Lists of imports that were too long are cut somewhere; `meta` has them.
    "update execution_events set imports = null where imports not like '[%]'",
    `alter table execution_events ${alteredJson(["inputs", "outputs", "meta", "imports"])}`,
    `alter table files ${alteredJson(["content"])}`,
    // Lists of names may be longer than what an index takes.
    "alter table patterns drop constraint patterns_pkey",
    "create unique index patterns_key on patterns (kind, md5(pattern))",
  ],
};

/** A field of a text of JSON; none where the text is a reference, or holds what PostgreSQL cannot read. */
function field(column: string, name: string, dialect: Dialect): string {
  const json = dialect === "sqlite" ? column : `${column}::json`;
  const isPlain = ["\\u0000", "\\ud"]
    .map((sign) => `replace(${column}, '${sign}', '') = ${column}`)
    .join(" and ");
  return `case when ${column} like '{%' and ${isPlain} then ${json}->>'${name}' end`;
}

function typed(statement: string, dialect: Dialect): string {
  switch (dialect) {
    case "sqlite":
      return statement.replaceAll(/\b(?:serial|bigint)\b/g, (type) =>
        type === "serial" ? "integer primary key" : "integer",
      );
    case "postgres":
      // Texts are compared by their characters, as SQLite does, whatever the language of the server.
      return statement
        .replaceAll(/\btext\b(?=\s*(?:,|\)|not null|primary key|$))/g, 'text collate "C"')
        .replaceAll(/\b(?:serial|real|blob)\b/g, (type) => POSTGRES_TYPES[type] ?? type);
  }
}

const POSTGRES_TYPES: Readonly<Record<string, string>> = {
  serial: "bigserial primary key",
  real: "double precision",
  blob: "bytea",
};
