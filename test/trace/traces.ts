import { createHash } from "node:crypto";
import type { TraceEvent, TraceFile } from "../../src/core/trace-event.ts";
import type { TracePart } from "../../src/trace/trace-store.ts";

export const NOON = Date.UTC(2026, 0, 15, 12);
export const DAY = 86_400_000;

/** An event of a call, complete unless the rest says otherwise. */
export function call(
  runId: string,
  order: number,
  agentName: string,
  rest: Partial<TraceEvent> = {},
): TraceEvent {
  return {
    id: `${runId}-${order}`,
    runId,
    eventType: "tool_call",
    executionOrder: order,
    agentName,
    status: "completed",
    timestamp: NOON + order * 1000,
    durationMs: 10,
    inputs: { order },
    outputs: { ok: true },
    ...rest,
  };
}

export function part(runId: string, events: readonly TraceEvent[], rest: Partial<TracePart> = {}): TracePart {
  return { runId, source: "run", startedAt: NOON, status: "completed", events, files: [], ...rest };
}

/** A run that calls the tools one after the other. */
export function run(runId: string, tools: readonly string[], rest: Partial<TracePart> = {}): TracePart {
  const startedAt = rest.startedAt ?? NOON;
  const events = tools.map((tool, order) =>
    call(runId, order, tool, {
      timestamp: startedAt + order,
      ...(rest.sessionId === undefined ? {} : { sessionId: rest.sessionId }),
    }),
  );
  return part(runId, events, { name: tools[0] ?? "none", ...rest });
}

export function file(runId: string, eventId: string, path: string, content?: string): TraceFile {
  return {
    id: `${eventId}-${path}`,
    runId,
    eventId,
    path,
    foundBy: "argument",
    ...(content === undefined
      ? {}
      : { content, size: content.length, sha256: createHash("sha256").update(content).digest("hex") }),
  };
}
