import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, FailureError } from "../core/error.ts";
import { journalFailure, RunJournal } from "../durable/run-journal.ts";
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
  /** Runs that wait for a person or an answer, of those that have not ended. */
  readonly waiting: () => ReadonlySet<string>;
}

/** Does `work` with the store open; what it cannot do ends the process with the reason. */
export async function withTraces(
  options: CommonOptions,
  work: (traces: Traces) => Promise<void>,
): Promise<void> {
  const { traces, data } = await configOf([], options);
  const { store: at, redaction, maxPayloadBytes, retention } = traces;
  const store = openStore(at, { redaction, ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }) });
  for (const name of at.includes("://") ? [] : storesSetAside(at))
    console.error(`Note: ${name} lies beside the store of traces, since it could not be read`);
  try {
    // A connection string may hold a password.
    const place = at.includes("://") ? "the database" : at;
    await work({ store, retention, place, waiting: () => waitingRuns(join(data, "durable", "journal.db")) });
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { failure } = error;
    endWith(failure, options.json === true, USAGE.has(failure.code) ? EXIT.usage : EXIT.failed);
  } finally {
    await store.close();
  }
}

function waitingRuns(file: string): ReadonlySet<string> {
  if (!existsSync(file)) return new Set();
  let journal: RunJournal | undefined;
  try {
    journal = new RunJournal(file);
    return new Set(journal.runs("waiting", MAX_WAITING).map(({ runId }) => runId));
  } catch (error) {
    console.error(`Note: which runs wait is not known. ${journalFailure(error).message}`);
    return new Set();
  } finally {
    journal?.close();
  }
}

const MAX_WAITING = 10_000;

const USAGE: ReadonlySet<ErrorCode> = new Set(["INPUT_INVALID", "CONFIG_INVALID"]);
