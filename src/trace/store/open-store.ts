import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { postgresStore } from "./postgres/postgres-store.ts";
import { redactedTrace } from "../redact/redacted-trace.ts";
import { redactor } from "../redact/redaction.ts";
import { sqliteStore } from "./sqlite/sqlite-store.ts";
import type { StoreOptions, TraceStore } from "../trace-store.ts";

/**
 * The store at a connection string of PostgreSQL, or in the file at a path. It is opened when it is first used; one that
 * cannot be is a store too, which answers everything with the reason.
 */
export function openStore(at: string, options: StoreOptions = {}): TraceStore {
  const store = storeAt(at, options);
  if (!store.ok) return unusableStore(store);
  const redact = redactor(options.redaction);
  if (!redact.ok) return unusableStore(redact);
  return {
    ...store.value,
    // What was recorded by fewer rules is read by those of now.
    trace: async (runId) => {
      const found = await store.value.trace(runId);
      return found.ok && found.value ? ok(await redactedTrace(found.value, redact.value)) : found;
    },
  };
}

function storeAt(at: string, options: StoreOptions): Result<TraceStore> {
  if (/^postgres(?:ql)?:\/\//.test(at)) return postgresStore(at, options);
  const [scheme] = /^[a-z][a-z0-9+.-]+:\/\//.exec(at) ?? [];
  if (scheme === undefined) return sqliteStore(at, options);
  const message = `Traces are kept in a file or in PostgreSQL (postgres://…), not at ${scheme}`;
  return fail(failure("CONFIG_INVALID", message));
}

function unusableStore(refusal: Extract<Result<never>, { ok: false }>): TraceStore {
  const refuse = async (): Promise<typeof refusal> => Promise.resolve(refusal);
  return {
    record: refuse,
    runs: refuse,
    sessions: refuse,
    trace: refuse,
    usage: refuse,
    chains: refuse,
    handOffs: refuse,
    codePatterns: refuse,
    fileTemplates: refuse,
    search: refuse,
    prune: refuse,
    close: async () => Promise.resolve(),
  };
}
