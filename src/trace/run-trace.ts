import type { Json, JsonObject } from "../core/json.ts";
import type { CallRecord, Run } from "../core/run.ts";
import type { EventStatus, TraceEvent, TraceFile } from "../core/trace-event.ts";
import { type CodeFacts, codeIn } from "./import/code-in.ts";
import { contentFacts, filesIn } from "./import/files-in.ts";
import { type Attempt, isRetryOf, RETRY_WITHIN } from "./retry.ts";
import type { TracePart } from "./trace-store.ts";

/**
 * A run as a trace: an event for each call, in call-path order, and one for each file that a tool has made. What a
 * replay needs (clock, randomness, the order of answers) is in the events' `meta`.
 */
export function runTrace(run: Run, { sessionId, retryOf }: RunTraceOptions = {}): TracePart {
  const startedAt = Date.parse(run.startedAt);
  const session = sessionId === undefined ? {} : { sessionId };
  const events: TraceEvent[] = [];
  const files: TraceFile[] = [];
  const add = (row: Omit<TraceEvent, "id" | "runId" | "sessionId" | "executionOrder">): string => {
    const id = `${run.id}:${events.length}`;
    events.push({ id, runId: run.id, ...session, executionOrder: events.length, ...row });
    return id;
  };
  const write = (call: CallRecord, parent: string | undefined, retryOf: string | undefined): string => {
    const within = parent === undefined ? {} : { parentEventId: parent };
    const timestamp = startedAt + call.startMs;
    const code = call.kind === "tool" ? codeIn(call.name, call.input) : undefined;
    const id = add({ ...within, ...callRow(call, timestamp, { retryOf, code }) });
    for (const file of filesOf(call, code)) {
      const eventId = add({
        parentEventId: id,
        eventType: "file_gen",
        eventSubtype: "created",
        agentName: call.name,
        status: "completed",
        timestamp: timestamp + call.durationMs,
        outputs: { path: file.path },
        meta: { tool: call.name, foundBy: file.foundBy },
      });
      files.push({ id: `${eventId}:file`, runId: run.id, eventId, ...file, ...contentFacts(file.content) });
    }
    const earlier: EarlierCall[] = [];
    for (const inner of call.calls)
      earlier.push({ ...attempt(inner), id: write(inner, id, retriedBy(inner, earlier)) });
    return id;
  };
  write(run.root, undefined, retryOf);
  return {
    runId: run.id,
    ...session,
    source: run.root.kind === "tool" ? "session" : "run",
    startedAt,
    durationMs: run.root.durationMs,
    events,
    files,
  };
}

export interface RunTraceOptions {
  readonly sessionId?: string | undefined;
  /** The event of the failed call that this one tries again. */
  readonly retryOf?: string | undefined;
}

/** A call that has ended, and its event. */
export interface EarlierCall extends Attempt {
  readonly id: string;
}

/** The event of the failed call that a call tries again, if it does. */
export function retriedBy(
  call: Pick<CallRecord, "name" | "input">,
  earlier: readonly EarlierCall[],
): string | undefined {
  const last = earlier.slice(-RETRY_WITHIN).findLast(({ name }) => name === call.name);
  return last && isRetryOf(last, call) ? last.id : undefined;
}

export function attempt({ name, input, outcome }: CallRecord): Attempt {
  return { name, input, isFailed: !outcome.ok };
}

/** What is known of a run while it goes on. */
export function startedTrace(
  {
    id,
    startedAt,
    root,
  }: Pick<Run, "id" | "startedAt"> & { readonly root: Pick<CallRecord, "kind" | "name" | "input"> },
  sessionId?: string,
): TracePart {
  const session = sessionId === undefined ? {} : { sessionId };
  const timestamp = Date.parse(startedAt);
  return {
    runId: id,
    ...session,
    source: root.kind === "tool" ? "session" : "run",
    startedAt: timestamp,
    status: "running",
    name: root.name,
    events: [
      {
        id: `${id}:0`,
        runId: id,
        ...session,
        executionOrder: 0,
        eventType: root.kind === "tool" ? "tool_call" : "skill_call",
        agentName: root.name,
        status: "running",
        timestamp,
        inputs: root.input,
        callPath: "0",
      },
    ],
    files: [],
  };
}

type CallRow = Omit<TraceEvent, "id" | "runId" | "sessionId" | "executionOrder">;

interface CallFacts {
  readonly retryOf: string | undefined;
  /** What the call ran, where it ran code. */
  readonly code: CodeFacts | undefined;
}

function callRow(call: CallRecord, timestamp: number, { retryOf, code }: CallFacts): CallRow {
  const { name, callPath, digest, input, outcome, durationMs } = call;
  const subtype = retryOf === undefined ? (call.reused ? "reused" : code?.language) : "retry";
  const meta = metaOf(call, retryOf, code && { language: code.language, imports: code.imports });
  return {
    eventType: eventTypeOf(call, code !== undefined),
    ...(subtype === undefined ? {} : { eventSubtype: subtype }),
    agentName: name,
    status: statusOf(outcome),
    timestamp,
    durationMs,
    callPath,
    ...(digest === undefined ? {} : { skillDigest: digest }),
    ...(call.omitted ? {} : { inputs: input }),
    ...(outcome.ok && !call.omitted ? { outputs: outcome.output } : {}),
    ...(outcome.ok ? {} : { errorCode: outcome.error.code, errorMessage: outcome.error.message }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

function eventTypeOf({ kind, outcome }: CallRecord, isCode: boolean): TraceEvent["eventType"] {
  if (kind === "tool") return isCode ? "code_exec" : "tool_call";
  // A name that no skill has is no skill, and is not counted as one.
  return !outcome.ok && outcome.error.code === "SKILL_NOT_FOUND" ? "error" : "skill_call";
}

function metaOf(call: CallRecord, retryOf: string | undefined, code: JsonObject | undefined): JsonObject {
  const { outcome, console, world, answered } = call;
  return {
    ...code,
    ...(retryOf === undefined ? {} : { retryOf }),
    ...(outcome.ok ? {} : { failure: outcome.error as unknown as Json }),
    ...(console.length === 0 ? {} : { console: console as unknown as Json }),
    ...(world === undefined ? {} : { world: world as unknown as Json }),
    ...(answered === undefined ? {} : { answered }),
    ...(call.reused ? { reused: true } : {}),
    ...(call.omitted ? { omitted: true } : {}),
  };
}

function statusOf(outcome: CallRecord["outcome"]): EventStatus {
  if (outcome.ok) return "completed";
  return outcome.error.code === "CANCELLED" ? "cancelled" : "failed";
}

function filesOf(
  { kind, name, input, outcome }: CallRecord,
  code: CodeFacts | undefined,
): ReturnType<typeof filesIn> {
  return kind === "tool" && outcome.ok ? filesIn(name, input, outcome.output, code) : [];
}
