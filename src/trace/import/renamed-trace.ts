import type { Trace, TraceEvent } from "../../core/trace-event.ts";

/** The trace as another run of a session: its events and files have ids of that run, and refer to each other by them. */
export function renamedTrace(trace: Trace, runId: string, sessionId?: string): Trace {
  const ids = new Map(
    trace.events.map(({ id }, order) => [id, `${runId}${ownPart(id, trace.runId) ?? `:${order}`}`]),
  );
  const events = trace.events.map((event): TraceEvent => {
    const { id, parentEventId, meta, sessionId: _, ...rest } = event;
    const retried = meta?.["retryOf"];
    const retryOf = typeof retried === "string" ? { retryOf: ids.get(retried) ?? null } : {};
    const parent = parentEventId === undefined ? undefined : ids.get(parentEventId);
    return {
      ...rest,
      id: ids.get(id) ?? id,
      runId,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(parent === undefined ? {} : { parentEventId: parent }),
      ...(meta === undefined ? {} : { meta: { ...meta, ...retryOf } }),
    };
  });
  const files = trace.files.map((file, index) => ({
    ...file,
    id: `${runId}:file-${index}`,
    runId,
    eventId: ids.get(file.eventId) ?? `${runId}:0`,
  }));
  return { ...trace, runId, events, files };
}

/** What an id has besides the run's: the same for a step of the same source, in whatever run it stands. */
export function ownPart(id: string, runId: string): string | undefined {
  return id.startsWith(runId) ? id.slice(runId.length) : undefined;
}
