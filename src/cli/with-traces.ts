import { type ErrorCode, FailureError } from "../core/error.ts";
import { openStore } from "../trace/store/open-store.ts";
import { storesSetAside } from "../trace/store/sqlite/set-aside.ts";
import type { Retention, TraceStore } from "../trace/trace-store.ts";
import { type CommonOptions, configOf, endWith, EXIT } from "./session.ts";

/** What is recorded. Nothing else is opened: no skill is read. */
export interface Traces {
  readonly store: TraceStore;
  /** Where it is, in words. */
  readonly place: string;
  readonly retention: Retention;
}

/** Does `work` with the store open; what it cannot do ends the process with the reason. */
export async function withTraces(
  options: CommonOptions,
  work: (traces: Traces) => Promise<void>,
): Promise<void> {
  const { traces } = await configOf([], options);
  const { store: at, redaction, maxPayloadBytes, retention } = traces;
  const store = openStore(at, { redaction, ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }) });
  for (const name of at.includes("://") ? [] : storesSetAside(at))
    console.error(`Note: ${name} lies beside the store of traces, since it could not be read`);
  try {
    // A connection string may hold a password.
    await work({ store, retention, place: at.includes("://") ? "the database" : at });
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { failure } = error;
    endWith(failure, options.json === true, USAGE.has(failure.code) ? EXIT.usage : EXIT.failed);
  } finally {
    await store.close();
  }
}

const USAGE: ReadonlySet<ErrorCode> = new Set(["INPUT_INVALID", "CONFIG_INVALID"]);
