import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Result } from "../../core/result.ts";
import { StoreError } from "./store-error.ts";

/** Lets Kysely ask a thread. Only queries: what is written goes by prepared statements. */
export function sqliteDialect(
  ask: (sql: string, parameters: readonly unknown[]) => Promise<Result<readonly unknown[]>>,
): Dialect {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const result = await ask(sql, parameters);
      if (!result.ok) throw new StoreError(result.error);
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
