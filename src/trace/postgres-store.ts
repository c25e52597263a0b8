import { PostgresDialect } from "kysely";
import pg from "pg";
import { failure } from "../core/error.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { pruneRuns, recordParts, removeRuns, unavailable } from "./database.ts";
import { GroupCommit } from "./group-commit.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { type PlainPart, plainParts, preparedPart } from "./prepared-part.ts";
import { storeQueries } from "./queries.ts";
import { redactor } from "./redaction.ts";
import { DEFAULT_MAX_PAYLOAD_BYTES, type StoreOptions, type TraceStore } from "./trace-store.ts";

/** A store in a database of PostgreSQL (12 or newer) that is its own. It is connected to when it is first used. */
export function postgresStore(connectionString: string, options: StoreOptions = {}): Result<TraceStore> {
  const redact = redactor(options.redaction);
  if (!redact.ok) return redact;
  const pool = poolOf(connectionString);
  if (!pool.ok) return pool;
  const maxPayloadBytes = options.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES;
  const database = new PostgresDatabase(pool.value);
  const commits = new GroupCommit<PlainPart>(
    async (plain) =>
      attempted(async () => {
        await database.ready();
        const parts = plain.map((part) => preparedPart(part, redact.value, maxPayloadBytes));
        const locks = parts.flatMap(({ runId, sessionId }) => lockNames(runId, sessionId));
        await database.transaction(locks, (transaction) => recordParts(transaction, parts));
        return null;
      }),
    ({ events, files }) => events.length + files.length + 1,
  );
  const dialect = new PostgresDialect({ pool: pool.value });
  let isClosed = false;
  return ok({
    record: async (parts) => {
      const plain = plainParts(parts);
      return plain.ok ? commits.add(plain.value) : plain;
    },
    ...storeQueries(dialect, "postgres", {
      ready: async () => database.ready(),
      summed: async () => database.sumUp(),
    }),
    prune: async (limits, { dryRun = false } = {}) =>
      attempted(async () => {
        await database.ready();
        return pruneRuns(database, limits, {
          dryRun,
          remove: async (runs) => {
            const locks = runs.flatMap(({ run_id, session_id }) => lockNames(run_id, session_id));
            return database.transaction(locks, (transaction) => removeRuns(transaction, runs));
          },
        });
      }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await commits.idle();
      await pool.value.end();
    },
  });
}

const CONNECT_MS = 3000;
const STATEMENT_MS = 60_000;

// Chains go across the runs of a session, and a later part of a run need not name it.
function lockNames(runId: string, sessionId: string | null): readonly string[] {
  return sessionId === null ? [`run ${runId}`] : [`run ${runId}`, `session ${sessionId}`];
}

function poolOf(connectionString: string): Result<pg.Pool> {
  try {
    const pool = new pg.Pool({
      connectionString,
      max: 4,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: STATEMENT_MS,
      keepAlive: true,
      // Does not hold the process when it has nothing else to do.
      allowExitOnIdle: true,
      types: {
        getTypeParser: ((oid: number, format?: "text" | "binary") =>
          oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
      },
    });
    // An idle connection that breaks would end the process otherwise.
    pool.on("error", () => {});
    return ok(pool);
  } catch (error) {
    return fail(
      failure("CONFIG_INVALID", `The connection string of the store cannot be used: ${String(error)}`),
    );
  }
}

const BIGINT = 20;

async function attempted<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
  try {
    return ok(await work());
  } catch (error) {
    return fail(unavailable(error instanceof Error ? error.message : String(error), passes(error)));
  }
}

// What is wrong with the data itself has a class of 22 or 23; all else may be otherwise the next time.
function passes(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return !(typeof code === "string" && /^(?:22|23)/.test(code)) && !(error instanceof TypeError);
}
