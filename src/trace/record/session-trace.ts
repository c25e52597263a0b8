import { ok, type Result } from "../../core/result.ts";
import type { Trace, TraceEvent, TraceFile } from "../../core/trace-event.ts";
import type { RunSummary, TraceStore } from "../trace-store.ts";

/**
 * All that a client did in one session, in the order in which it began, as one trace whose `runId` is the session's id.
 * Nothing where there is no such session; transcripts that were submitted in it are left out.
 */
export async function sessionTrace(
  store: Pick<TraceStore, "runs" | "trace">,
  sessionId: string,
): Promise<Result<Trace | undefined>> {
  const runs: RunSummary[] = [];
  let after: string | undefined;
  do {
    const page = await store.runs({ sessionId, limit: PAGE, ...(after === undefined ? {} : { after }) });
    if (!page.ok) return page;
    runs.push(...page.value.runs.filter(({ source }) => source !== "import"));
    after = page.value.next;
  } while (after !== undefined && runs.length < MAX_RUNS);

  const events: TraceEvent[] = [];
  const files: TraceFile[] = [];
  for (const { runId } of runs.toReversed()) {
    const found = await store.trace(runId);
    if (!found.ok) return found;
    for (const event of found.value?.events ?? []) events.push({ ...event, executionOrder: events.length });
    files.push(...(found.value?.files ?? []));
  }
  const first = runs.at(-1);
  const lost = runs.reduce((sum, run) => sum + (run.lost ?? 0), 0);
  return ok(
    first && {
      runId: sessionId,
      sessionId,
      source: "session",
      startedAt: first.startedAt,
      events,
      files,
      ...(lost === 0 ? {} : { lost }),
    },
  );
}

const PAGE = 200;
const MAX_RUNS = 2000;
