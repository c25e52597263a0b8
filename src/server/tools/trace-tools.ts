import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { failure } from "../../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { pauses } from "../../core/time/pauses.ts";
import { type Trace, type TraceEvent, WORK_SOURCES } from "../../core/trace-event.ts";
import { TRACE_FORMATS } from "../../trace/import/format.ts";
import type { RunSummary, TraceStore } from "../../trace/trace-store.ts";
import { anyJson } from "./portable-schema.ts";
import { type StableTool, stableTool, type StableToolContext } from "./stable-tools.ts";
import { answer, failureAnswer } from "./tool-answer.ts";
import type { RunRecorder } from "../../trace/record/run-recorder.ts";

const MAX_RUNS = 100;

const MAX_EVENTS = 500;

const MAX_WAITING = 10_000;

/** Of a value in an event, as JSON text, unless all is asked for. */
const MAX_SHOWN = 2000;

const listInput = z.strictObject({
  status: z
    .enum(["running", "completed", "failed", "cancelled"])
    .optional()
    .describe("Only runs that ended so"),
  name: z.string().max(300).optional().describe("Only runs of this skill or tool"),
  source: z
    .enum(["run", "session", "server", "import"])
    .optional()
    .describe("Runs of skills, upstream tools, own tools, or transcripts"),
  text: z.string().max(500).optional().describe("Only runs in which these words occur"),
  limit: z.int().min(1).max(MAX_RUNS).default(20).describe("The most runs"),
  after: z.string().max(200).optional().describe("`next` of the page before"),
});

const getInput = z.strictObject({
  runId: z.string().max(200).describe("The run's id"),
  from: z.int().min(0).default(0).describe("The first event"),
  limit: z.int().min(1).max(MAX_EVENTS).default(100).describe("The most events"),
  full: z.boolean().default(false).describe("Long values whole"),
});

const submitInput = z.strictObject({
  trace: anyJson("trace", "The transcript: its JSON, or its text as JSON or JSON Lines"),
  format: z.enum(TRACE_FORMATS).optional().describe("Its format; told from its content unless given"),
});

/** What was done, for those who did it. */
export const TRACE_TOOLS: readonly StableTool[] = [
  stableTool({
    // To look at what was recorded adds nothing to it.
    name: "list_runs",
    title: "List runs",
    description: "Lists recorded runs and their sessions, newest first. `lost`: events not recorded.",
    input: listInput,
    isRecorded: false,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async ({ status, name, source = WORK_SOURCES, text, limit, after }, context) =>
      withTraces(context, async (traces, sessionId) => {
        if (traces.visible === "session" && sessionId === undefined)
          return answer({ runs: [], note: NO_SESSION });
        const page = await traces.store.runs({
          limit,
          source,
          ...(traces.visible === "session" && sessionId !== undefined ? { sessionId } : {}),
          ...(status === undefined ? {} : { status }),
          ...(name === undefined ? {} : { name }),
          ...(text === undefined ? {} : { text }),
          ...(after === undefined ? {} : { after }),
        });
        if (!page.ok) return failureAnswer(page.error);
        const { runs, next } = page.value;
        const waiting = await waitingRuns(context);
        return answer({
          runs: runs.map((run) => summary(run, waiting)),
          ...(next === undefined ? {} : { next }),
        });
      }),
  }),
  stableTool({
    name: "get_run",
    title: "Show a run",
    description: "Gives a recorded run: its calls in order, inputs, outputs, times, errors.",
    input: getInput,
    isRecorded: false,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async ({ runId, from, limit, full }, context) =>
      withTraces(context, async (traces, sessionId) => {
        const found = await traces.store.trace(runId);
        if (!found.ok) return failureAnswer(found.error);
        const trace = found.value;
        // A run of others is as unknown as one that is not there.
        if (!trace || (traces.visible === "session" && (sessionId ?? null) !== trace.sessionId))
          return failureAnswer(failure("RUN_NOT_FOUND", `There is no run "${runId}"`));
        return answer(runView(trace, from, limit, full));
      }),
  }),
  stableTool({
    name: "submit_trace",
    title: "Submit a transcript",
    description:
      "Records a transcript of work done elsewhere, to make a skill of. " +
      "What is done here is recorded by itself.",
    input: submitInput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async ({ trace, format }, context) =>
      withTraces(context, async (_, sessionId) => submitted(context, { trace, format, sessionId })),
  }),
];

const NO_SESSION =
  "This connection has no session: send a traceparent in _meta with each request, or set traces.visible to all";

async function withTraces(
  { traces, sessionId }: StableToolContext,
  work: (traces: ServedTraces, sessionId: string | undefined) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return traces
    ? work(traces, sessionId)
    : failureAnswer(failure("STORE_UNAVAILABLE", "Nothing is recorded here"));
}

/** Of the runs that have not ended, those that wait for somebody. */
async function waitingRuns({ durable }: StableToolContext): Promise<ReadonlySet<string>> {
  const listed = await durable?.runs.list({ state: "waiting", limit: MAX_WAITING });
  return new Set(listed?.ok ? listed.value.map(({ runId }) => runId) : []);
}

function summary(
  { runId, sessionId, startedAt, source, status, events, errors, ...rest }: RunSummary,
  waiting: ReadonlySet<string>,
): JsonObject {
  const { name, task, durationMs, skillDigest, lost, inputTokens, outputTokens, cost } = rest;
  return {
    runId,
    ...(sessionId === undefined ? {} : { session: sessionId }),
    startedAt: new Date(startedAt).toISOString(),
    source,
    status: status === "running" && waiting.has(runId) ? "waiting" : status,
    ...(name === undefined ? {} : { name }),
    ...(task === undefined ? {} : { task: task.slice(0, MAX_SHOWN) }),
    ...(durationMs === undefined ? {} : { durationMs: Math.round(durationMs) }),
    ...(skillDigest === undefined ? {} : { skillDigest }),
    events,
    ...(lost === undefined ? {} : { lost }),
    errors,
    ...(inputTokens + outputTokens > 0 ? { inputTokens, outputTokens } : {}),
    ...(cost > 0 ? { cost } : {}),
  };
}

function runView(trace: Trace, from: number, limit: number, full: boolean): JsonObject {
  const shown = trace.events.filter(({ executionOrder }) => executionOrder >= from).slice(0, limit);
  const last = shown.at(-1)?.executionOrder ?? 0;
  const hasMore = trace.events.some(({ executionOrder }) => executionOrder > last);
  const orders = new Map(trace.events.map(({ id, executionOrder }) => [id, executionOrder]));
  return {
    runId: trace.runId,
    source: trace.source,
    startedAt: new Date(trace.startedAt).toISOString(),
    ...(trace.task === undefined ? {} : { task: trace.task }),
    ...(trace.lost === undefined ? {} : { lost: trace.lost }),
    events: shown.map((event) => eventView(event, orders, full)),
    files: trace.files.map(({ path, size, sha256 }) => ({
      path,
      ...(size === undefined ? {} : { size }),
      ...(sha256 === undefined ? {} : { sha256 }),
    })),
    ...(hasMore ? { next: last + 1 } : {}),
  };
}

function eventView(event: TraceEvent, orders: ReadonlyMap<string, number>, full: boolean): JsonObject {
  const { executionOrder, eventType, eventSubtype, agentName, status, callPath, durationMs } = event;
  const { inputs, outputs, errorCode, errorMessage, parentEventId, meta } = event;
  const { console: lines, unmet } = meta ?? {};
  const within = parentEventId === undefined ? undefined : orders.get(parentEventId);
  return {
    order: executionOrder,
    ...(within === undefined ? {} : { within }),
    type: eventType,
    ...(eventSubtype === undefined ? {} : { subtype: eventSubtype }),
    ...(agentName === undefined ? {} : { name: agentName }),
    status,
    ...(callPath === undefined ? {} : { callPath }),
    ...(durationMs === undefined ? {} : { durationMs: Math.round(durationMs) }),
    ...(inputs === undefined ? {} : { inputs: shown(inputs, full) }),
    ...(outputs === undefined ? {} : { outputs: shown(outputs, full) }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(lines === undefined ? {} : { console: shown(lines, full) }),
    ...(unmet === undefined ? {} : { unmet: shown(unmet, full) }),
  };
}

function shown(value: Json, full: boolean): Json {
  if (full) return value;
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? value : { cut: text.slice(0, MAX_SHOWN), length: text.length };
}

interface Given {
  readonly trace: unknown;
  readonly format: string | undefined;
  readonly sessionId: string | undefined;
}

async function submitted(
  { learning }: StableToolContext,
  { trace, ...rest }: Given,
): Promise<CallToolResult> {
  if (!learning) return failureAnswer(failure("DRAFTS_UNAVAILABLE", "No transcripts are read here"));
  if (trace === undefined)
    return failureAnswer(failure("INPUT_INVALID", "There is no transcript: give it as `trace`"));
  const inner = isJsonObject(trace) && typeof trace["trace"] === "string" ? trace["trace"] : trace;
  const text = typeof inner === "string" ? inner : await jsonText(inner as Json);
  const recorded = await learning.submit({ text, ...rest });
  if (!recorded.ok) return failureAnswer(recorded.error);
  const { runs, skipped } = recorded.value;
  return answer({ runs: [...runs], skipped: [...skipped] });
}

/** JSON as text. A large value is written in parts, between which others have their turn. */
async function jsonText(value: Json): Promise<string> {
  const texts: string[] = [];
  const pause = pauses();
  for (const text of jsonParts(value, PARTED_LEVELS)) {
    texts.push(text);
    await pause();
  }
  return texts.join("");
}

/** Below so many levels a value is written at once. */
const PARTED_LEVELS = 6;

function* jsonParts(value: Json, levels: number): Generator<string> {
  if (typeof value !== "object" || value === null || levels === 0) {
    yield JSON.stringify(value);
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? "[" : "{";
  for (const [key, inner] of isList ? value.entries() : Object.entries(value)) {
    yield isList ? before : `${before}${JSON.stringify(key)}:`;
    yield* jsonParts(inner, levels - 1);
    before = ",";
  }
  yield before === "," ? (isList ? "]" : "}") : isList ? "[]" : "{}";
}

/** What was recorded, and what records. */
export interface ServedTraces {
  readonly store: TraceStore;
  readonly recorder: RunRecorder;
  /** Which runs a client can look at: those of its own session, or those of all. */
  readonly visible: "session" | "all";
}
