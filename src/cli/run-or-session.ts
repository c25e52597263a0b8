import { failure } from "../core/error.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Trace, TraceEvent, TraceFile } from "../core/trace-event.ts";
import type { RunFilter, RunSummary, TraceStore } from "../trace/trace-store.ts";
import { IMPORTED, shortIdAmong } from "./output/short-id.ts";
import { valueOrThrow } from "./session.ts";
import { commandLine } from "../core/text/command-line.ts";

export interface RunOrSession {
  readonly kind: "run" | "session";
  readonly id: string;
}

/** The run or session with this id, or the only one whose id begins so. */
export async function runOrSessionOf(
  store: TraceStore,
  given: string,
  kinds: readonly RunOrSession["kind"][] = ["run", "session"],
): Promise<Result<RunOrSession>> {
  if (
    kinds.includes("session") &&
    valueOrThrow(await store.runs({ sessionId: given, limit: 1 })).runs.length > 0
  )
    return ok({ kind: "session", id: given });
  if (kinds.includes("run") && valueOrThrow(await store.trace(given))) return ok({ kind: "run", id: given });
  const found = new Map<string, RunOrSession>();
  for await (const { runId, sessionId } of allRuns(store)) {
    if (kinds.includes("run") && beginsWith(runId, given)) found.set(runId, { kind: "run", id: runId });
    if (kinds.includes("session") && sessionId?.startsWith(given))
      found.set(sessionId, { kind: "session", id: sessionId });
    if (found.size > MAX_TOLD) break;
  }
  const [only, ...others] = found.values();
  if (only && others.length === 0) return ok(only);
  const what = kinds.join(" or ");
  if (!only) {
    const message = `There is no ${what} whose id begins with "${given}"; "${commandLine("traces ls")}" shows those that there are`;
    return fail(failure("RUN_NOT_FOUND", message));
  }
  const ids = [...found.keys()];
  const shown = ids.slice(0, MAX_TOLD).map(shortIdAmong(ids)).join(", ");
  const more = ids.length > MAX_TOLD ? ", …" : "";
  const message = `More than one ${what} has an id that begins with "${given}" (${shown}${more}); give more of it`;
  return fail(failure("RUN_NOT_FOUND", message, { details: ids.slice(0, MAX_TOLD) }));
}

/** The run, or all runs of the session in the order in which they began. */
export async function runOrSessionTrace(store: TraceStore, { kind, id }: RunOrSession): Promise<Trace> {
  if (kind === "run") return traceOf(store, id);
  const runs: RunSummary[] = [];
  for await (const run of allRuns(store, { sessionId: id })) runs.push(run);
  const events: TraceEvent[] = [];
  const files: TraceFile[] = [];
  for (const { runId } of runs.toReversed()) {
    const trace = await traceOf(store, runId);
    for (const event of trace.events) events.push({ ...event, executionOrder: events.length });
    files.push(...trace.files);
  }
  const startedAt = runs.at(-1)?.startedAt ?? 0;
  const lost = runs.reduce((sum, run) => sum + (run.lost ?? 0), 0);
  const rest = lost === 0 ? {} : { lost };
  return { runId: id, sessionId: id, source: "session", startedAt, events, files, ...rest };
}

export async function traceOf(store: TraceStore, runId: string): Promise<Trace> {
  const trace = valueOrThrow(await store.trace(runId));
  return trace ?? valueOrThrow(fail(failure("RUN_NOT_FOUND", `There is no run "${runId}" any more`)));
}

/** Newest first, a page at a time. */
export async function* allRuns(
  store: TraceStore,
  filter: RunFilter = {},
): AsyncGenerator<RunSummary, void, undefined> {
  let after = filter.after;
  let left = filter.limit ?? Infinity;
  do {
    const limit = Math.min(PAGE, left);
    const page = valueOrThrow(
      await store.runs({ ...filter, limit, ...(after === undefined ? {} : { after }) }),
    );
    yield* page.runs;
    left -= page.runs.length;
    after = page.next;
  } while (after !== undefined && left > 0);
}

const PAGE = 1000;
const MAX_TOLD = 5;

function beginsWith(runId: string, given: string): boolean {
  return runId.startsWith(given) || runId.startsWith(`${IMPORTED}${given}`);
}
