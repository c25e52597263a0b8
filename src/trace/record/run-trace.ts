import type { ErrorCode } from "../../core/error.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import type { CallRecord, Run } from "../../core/run.ts";
import {
  type EventStatus,
  OWN_TOOL,
  type TraceEvent,
  type TraceFile,
  type TraceSource,
} from "../../core/trace-event.ts";
import { type CodeFacts, codeIn, codeMeta } from "./code-in.ts";
import { contentFacts, filesIn, type FoundFile, pathsNamed } from "./files-in.ts";
import { filesOnDisk } from "./files-on-disk.ts";
import { type Attempt, retriedCall } from "./retry.ts";
import type { TracePart } from "../trace-store.ts";

/**
 * A run as a trace: an event for each call, in call-path order, and one for each file that a tool has made. What a
 * replay needs (clock, randomness, the order of answers) is in the events' `meta`.
 */
export function runTrace(run: Run, { sessionId, client, retryOf, source }: RunTraceOptions = {}): TracePart {
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
    const isOwn = source === "server";
    const code = call.kind === "tool" && !isOwn ? codeIn(call.name, call.input) : undefined;
    const id = add({ ...within, ...callRow(call, timestamp, { retryOf, code, isOwn }) });
    for (const file of isOwn ? [] : filesOf(call, code, timestamp)) {
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
      const facts = contentFacts(file.content, file.size);
      files.push({ id: `${eventId}:file`, runId: run.id, eventId, ...file, ...facts });
    }
    const earlier: EarlierCall[] = [];
    for (const inner of call.calls) {
      // What goes on at the same time is not tried again.
      const ended = earlier.filter(({ endMs }) => endMs <= inner.startMs);
      const tried = attempt(inner);
      const innerId = write(inner, id, retriedCall(ended, tried)?.id);
      earlier.push({ ...tried, id: innerId, endMs: inner.startMs + inner.durationMs });
    }
    return id;
  };
  write(run.root, undefined, retryOf);
  return {
    runId: run.id,
    ...session,
    ...(client === undefined ? {} : { client }),
    source: source ?? sourceOf(run.root),
    startedAt,
    durationMs: run.root.durationMs,
    events,
    files,
  };
}

/** Who called, where it is known. */
export interface Caller {
  readonly sessionId?: string | undefined;
  /** Name and version of the MCP client. */
  readonly client?: string | undefined;
}

export interface RunTraceOptions extends Caller {
  /** The event of the failed call that this one tries again. */
  readonly retryOf?: string | undefined;
  /** `server`: the call is one of our own tools. */
  readonly source?: TraceSource | undefined;
}

interface EarlierCall extends Attempt {
  /** Of its event. */
  readonly id: string;
  readonly endMs: number;
}

export function attempt({ name, input, outcome, omitted }: CallRecord): Attempt {
  const isMistake = !outcome.ok && outcome.error.code === "INPUT_INVALID";
  return { name, input: omitted ? undefined : input, isFailed: !outcome.ok, isMistake };
}

/** What is known of a run while it goes on. */
export function startedTrace(
  {
    id,
    startedAt,
    root,
  }: Pick<Run, "id" | "startedAt"> & { readonly root: Pick<CallRecord, "kind" | "name" | "input"> },
  { sessionId, client, source }: Omit<RunTraceOptions, "retryOf"> = {},
): TracePart {
  const session = sessionId === undefined ? {} : { sessionId };
  const timestamp = Date.parse(startedAt);
  return {
    runId: id,
    ...session,
    ...(client === undefined ? {} : { client }),
    source: source ?? sourceOf(root),
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
        ...(source === "server" ? { eventSubtype: OWN_TOOL } : {}),
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

function sourceOf({ kind }: Pick<CallRecord, "kind">): TraceSource {
  return kind === "tool" ? "session" : "run";
}

type CallRow = Omit<TraceEvent, "id" | "runId" | "sessionId" | "executionOrder">;

interface CallFacts {
  readonly retryOf: string | undefined;
  /** What the call ran, where it ran code. */
  readonly code: CodeFacts | undefined;
  readonly isOwn: boolean;
}

function callRow(call: CallRecord, timestamp: number, { retryOf, code, isOwn }: CallFacts): CallRow {
  const { name, callPath, digest, input, outcome, durationMs, modelUse } = call;
  const how = isOwn ? OWN_TOOL : call.reused ? "reused" : code?.language;
  const subtype = retryOf === undefined ? how : "retry";
  const meta = metaOf(call, retryOf, code && codeMeta(code));
  return {
    eventType: eventTypeOf(call, code !== undefined),
    ...(subtype === undefined ? {} : { eventSubtype: subtype }),
    agentName: name,
    status: statusOf(outcome),
    timestamp,
    durationMs,
    callPath,
    ...(digest === undefined ? {} : { skillDigest: digest }),
    ...(modelUse && {
      inputTokens: modelUse.inputTokens,
      outputTokens: modelUse.outputTokens,
      ...(modelUse.cost === undefined ? {} : { cost: modelUse.cost }),
    }),
    ...(call.omitted ? {} : { inputs: input }),
    ...(outcome.ok && !call.omitted ? { outputs: outcome.output } : {}),
    ...(outcome.ok ? {} : { errorCode: outcome.error.code, errorMessage: outcome.error.message }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

function eventTypeOf({ kind, outcome }: CallRecord, isCode: boolean): TraceEvent["eventType"] {
  // What was not called is not counted as a call: a name that nothing has, a skill that is withheld.
  const code = outcome.ok ? undefined : outcome.error.code;
  if (kind === "skill") return code === "SKILL_NOT_FOUND" ? "error" : "skill_call";
  if (code !== undefined && NOT_CALLED.has(code)) return "error";
  return isCode ? "code_exec" : "tool_call";
}

const NOT_CALLED: ReadonlySet<ErrorCode> = new Set([
  "TOOL_NOT_FOUND",
  "SKILL_BROKEN",
  "CIRCULAR_CALL",
  "RUN_UNAPPROVED",
]);

function metaOf(call: CallRecord, retryOf: string | undefined, code: JsonObject | undefined): JsonObject {
  const { outcome, console, world, answered } = call;
  return {
    ...code,
    ...(retryOf === undefined ? {} : { retryOf }),
    ...(outcome.ok ? {} : { failure: outcome.error as unknown as Json }),
    ...(console.length === 0 ? {} : { console: console as unknown as Json }),
    ...(world === undefined ? {} : { world: world as unknown as Json }),
    ...(answered === undefined ? {} : { answered }),
    ...(call.unmet === undefined ? {} : { unmet: call.unmet as unknown as Json }),
    ...(call.modelUse === undefined ? {} : { model: call.modelUse.model }),
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
  startedAt: number,
): readonly FoundFile[] {
  if (kind !== "tool" || !outcome.ok) return [];
  const files = filesIn(name, input);
  const known = new Set(files.map(({ path }) => path));
  const named = pathsNamed(name, input, code).filter((path) => !known.has(path));
  return [...files, ...filesOnDisk(named, startedAt)];
}
