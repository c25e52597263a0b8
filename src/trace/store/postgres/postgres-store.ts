import { PostgresDialect } from "kysely";
import { failure } from "../../../core/error.ts";
import { fail, ok, type Result } from "../../../core/result.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { storeQueries } from "../queries.ts";
import { redactor } from "../../redact/redaction.ts";
import { storeWriter } from "../store-thread.ts";
import { DEFAULT_MAX_PAYLOAD_BYTES, type StoreOptions, type TraceStore } from "../../trace-store.ts";

/** A store in a database of PostgreSQL (12 or newer) that is its own. It is connected to when it is first used. */
export function postgresStore(connectionString: string, options: StoreOptions = {}): Result<TraceStore> {
  const redact = redactor(options.redaction);
  if (!redact.ok) return redact;
  const database = databaseAt(connectionString);
  if (!database.ok) return database;
  const { pool } = database.value;
  const writer = storeWriter(
    {
      place: { kind: "postgres", connectionString },
      maxPayloadBytes: options.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES,
      redaction: options.redaction ?? {},
    },
    options,
  );
  let isClosed = false;
  return ok({
    ...writer,
    ...storeQueries(new PostgresDialect({ pool }), "postgres", {
      ready: async () => database.value.ready(),
      summed: async () => database.value.sumUp(),
    }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await writer.close();
      await database.value.close();
    },
  });
}

function databaseAt(connectionString: string): Result<PostgresDatabase> {
  try {
    return ok(PostgresDatabase.at(connectionString));
  } catch (error) {
    return fail(
      failure("CONFIG_INVALID", `The connection string of the store cannot be used: ${String(error)}`),
    );
  }
}
