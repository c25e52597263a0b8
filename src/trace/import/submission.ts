import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { failure } from "../../core/error.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Trace } from "../../core/trace-event.ts";
import type { TraceStore } from "../trace-store.ts";
import { ImportRecorder } from "./import-recorder.ts";
import { importTraces } from "./import-traces.ts";
import { renamedTrace } from "./renamed-trace.ts";
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
  store: Pick<TraceStore, "record" | "trace">,
  { text, format, sessionId }: Submission,
): Promise<Result<Submitted>> {
  const runs: Submitted["runs"][number][] = [];
  const skipped: Submitted["skipped"][number][] = [];
  const recorder = new ImportRecorder(store);
  for await (const item of importTraces([Buffer.from(text)], format === undefined ? {} : { format })) {
    if (item.kind === "skipped") {
      skipped.push({ reason: item.reason, message: item.message, count: item.count });
      continue;
    }
    if (runs.length >= MAX_RUNS) {
      const message = `Of one submission at most ${MAX_RUNS} runs are kept; import the file on the command line`;
      return fail(failure("INPUT_TOO_LARGE", message));
    }
    const own = (runId: string): string => ownRunId(runId, text, sessionId);
    const trace = ownRun(item.trace, own(item.trace.runId), sessionId);
    const recorded = await recorder.add({ ...item, trace, elsewhere: item.elsewhere.map(own) });
    if (!recorded.ok) return recorded;
    const calls = trace.events.filter(({ eventType }) => CALLS.has(eventType)).length;
    runs.push({
      runId: recorded.value,
      format: item.format,
      ...(trace.task === undefined ? {} : { task: trace.task }),
      calls,
    });
  }
  const flushed = await recorder.flush();
  if (!flushed.ok) return flushed;
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
function ownRunId(runId: string, text: string, sessionId: string | undefined): string {
  return `submitted-${hash("sha256", JSON.stringify([sessionId ?? text, runId])).slice(0, 24)}`;
}

function ownRun(trace: Trace, runId: string, sessionId: string | undefined): Trace {
  const { sessionId: _, ...rest } = renamedTrace(trace, runId, sessionId);
  return { ...rest, ...(sessionId === undefined ? {} : { sessionId }), source: "import" };
}
