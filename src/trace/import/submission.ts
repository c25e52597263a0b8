import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Trace, TraceEvent, TraceFile } from "../../core/trace-event.ts";
import type { TraceStore } from "../trace-store.ts";
import { importTraces } from "./import-traces.ts";
import type { SkipReason } from "./reading/limits.ts";

/** A transcript that a client gives. */
export interface Submission {
  readonly text: string;
  readonly format?: string | undefined;
  /** The client's, where it has one. */
  readonly sessionId?: string | undefined;
}

/** The runs that were recorded of a transcript, and what was not used of it. */
export interface Submitted {
  readonly runs: readonly {
    readonly runId: string;
    readonly format: string;
    readonly task?: string;
    readonly calls: number;
  }[];
  readonly skipped: readonly {
    readonly reason: SkipReason;
    readonly message: string;
    readonly count: number;
  }[];
}

const MAX_RUNS = 1000;

/** Records the runs in a transcript, each as one of the session's own. */
export async function submitTranscript(
  store: Pick<TraceStore, "record">,
  { text, format, sessionId }: Submission,
): Promise<Result<Submitted>> {
  const runs: Submitted["runs"][number][] = [];
  const skipped: Submitted["skipped"][number][] = [];
  for await (const item of importTraces([Buffer.from(text)], format === undefined ? {} : { format })) {
    if (item.kind === "skipped") {
      skipped.push({ reason: item.reason, message: item.message, count: item.count });
      continue;
    }
    if (runs.length >= MAX_RUNS) {
      const message = `Of one submission at most ${MAX_RUNS} runs are kept; import the file on the command line`;
      return fail(failure("INPUT_TOO_LARGE", message));
    }
    const trace = ownRun(item.trace, text, sessionId);
    const recorded = await store.record([trace]);
    if (!recorded.ok) return recorded;
    const calls = trace.events.filter(({ eventType }) => CALLS.has(eventType)).length;
    runs.push({
      runId: trace.runId,
      format: item.format,
      ...(trace.task === undefined ? {} : { task: trace.task }),
      calls,
    });
  }
  if (runs.length > 0) return ok({ runs, skipped });
  const why = skipped.map(({ message }) => message).join("; ");
  return fail(
    failure(
      "INPUT_INVALID",
      `The transcript holds nothing that can be recorded${why === "" ? "" : `: ${why}`}`,
    ),
  );
}

const CALLS: ReadonlySet<string> = new Set(["tool_call", "code_exec", "skill_call"]);

/**
 * A run of its own for each session that submits it, whatever ids the transcript tells: nobody gets at, or adds to, a run
 * of others by naming it.
 */
function ownRun(trace: Trace, text: string, sessionId: string | undefined): Trace {
  const runId = `submitted-${hash("sha256", JSON.stringify([sessionId ?? text, trace.runId])).slice(0, 24)}`;
  const session = sessionId === undefined ? {} : { sessionId };
  const ids = new Map(trace.events.map(({ id }, order) => [id, `${runId}:${order}`]));
  const events = trace.events.map((event): TraceEvent => {
    const { id, sessionId: _, parentEventId, meta, ...rest } = event;
    const parent = parentEventId === undefined ? undefined : ids.get(parentEventId);
    const retried = meta?.["retryOf"];
    const retryOf = typeof retried === "string" ? { retryOf: ids.get(retried) ?? null } : {};
    return {
      ...rest,
      ...session,
      id: ids.get(id) ?? id,
      runId,
      ...(parent === undefined ? {} : { parentEventId: parent }),
      ...(meta === undefined ? {} : { meta: { ...meta, ...retryOf } }),
    };
  });
  const files = trace.files.map((file, index): TraceFile => ({
    ...file,
    id: `${runId}:file-${index}`,
    runId,
    eventId: ids.get(file.eventId) ?? `${runId}:0`,
  }));
  const { sessionId: _, ...rest } = trace;
  return { ...rest, ...session, runId, events, files };
}
