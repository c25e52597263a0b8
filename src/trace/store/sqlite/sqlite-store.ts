import { ok, type Result } from "../../../core/result.ts";
import { storeQueries } from "../queries.ts";
import { redactor } from "../../redact/redaction.ts";
import { StoreThread, storeWriter } from "../store-thread.ts";
import type { ThreadOptions } from "../store-worker.ts";
import { DEFAULT_MAX_PAYLOAD_BYTES, type StoreOptions, type TraceStore } from "../../trace-store.ts";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { FailureError } from "../../../core/error.ts";

export interface SqliteStoreOptions extends StoreOptions {
  /** How long a write waits for other processes; 5 s by default. */
  readonly lockMs?: number;
  /** The file does not grow beyond so many pages of 8 kB; a record that does not fit fails, as on a full disk. */
  readonly mostPages?: number;
}

/**
 * A store in one file, which any number of processes share; the file must be on a local disk. It is opened when it is
 * first used, by threads that are started then: one writes, another reads.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Result<TraceStore> {
  const checked = redactor(options.redaction);
  if (!checked.ok) return checked;
  const threadOptions: ThreadOptions = {
    place: {
      kind: "sqlite",
      path,
      lockMs: options.lockMs ?? 5000,
      ...(options.mostPages === undefined ? {} : { mostPages: options.mostPages }),
    },
    maxPayloadBytes: options.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES,
    redaction: options.redaction ?? {},
  };
  const reader = new StoreThread(threadOptions, options.onNotice);
  const writer = storeWriter(threadOptions, options);
  return ok({
    ...writer,
    ...storeQueries(
      sqliteDialect((sql, parameters) =>
        reader.ask({ kind: "query", sql, parameters: parameters as readonly (string | number)[] }),
      ),
      "sqlite",
    ),
    close: async () => void (await Promise.all([writer.close(), reader.close()])),
  });
}

/** Lets Kysely ask a thread. Only queries: what is written goes by prepared statements. */
function sqliteDialect(
  ask: (sql: string, parameters: readonly unknown[]) => Promise<Result<readonly unknown[]>>,
): Dialect {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const result = await ask(sql, parameters);
      if (!result.ok) throw new FailureError(result.error);
      return { rows: result.value as Row[] };
    },
    streamQuery: () => {
      throw new Error("Rows are not streamed");
    },
  };
  const nothing = async (): Promise<void> => {};
  const noTransaction = async (): Promise<void> => {
    throw new Error("Queries need no transaction");
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createDriver: () => ({
      init: nothing,
      destroy: nothing,
      releaseConnection: nothing,
      acquireConnection: async () => connection,
      beginTransaction: noTransaction,
      commitTransaction: noTransaction,
      rollbackTransaction: noTransaction,
    }),
  };
}
