import type { Json, JsonObject } from "./json/json.ts";

/** What an event of a trace is about. */
export const EVENT_TYPES = [
  "agent_call",
  "tool_call",
  "skill_call",
  "code_exec",
  "file_gen",
  "handoff",
  "error",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export type EventStatus = "running" | "completed" | "failed" | "cancelled";

/**
 * Where a trace came from: a run of our own, a call that a client made through us, a call of one of the server's own
 * tools (`search_skills`), or a transcript.
 */
export type TraceSource = "run" | "session" | "server" | "import";

/** What is listed unless another source is asked for: what was done, without calls of this server's own tools. */
export const WORK_SOURCES: readonly TraceSource[] = ["run", "session", "import"];

/** The subtype of a call of one of the server's own tools: it is no part of the work that was done. */
export const OWN_TOOL = "server";

/** One thing that happened: a row of a trace. Plain data, the same in every store. */
export interface TraceEvent {
  /** Unique everywhere. */
  readonly id: string;
  /** The run (one call from outside, or one transcript) that it is part of. */
  readonly runId: string;
  /** The client's session, where there is one: all its runs form one trace. */
  readonly sessionId?: string;
  readonly nodeId?: string;
  readonly stepId?: string;
  /** The event within which this one happened. */
  readonly parentEventId?: string;
  readonly eventType: EventType;
  /** For example `retry`, `reused`, `message`, or the language of code. */
  readonly eventSubtype?: string;
  /** Counts from 0 in its run; events are read in this order. */
  readonly executionOrder: number;
  /** The tool's, skill's or agent's name. */
  readonly agentName?: string;
  readonly status: EventStatus;
  /** When it began, in milliseconds since 1970. */
  readonly timestamp: number;
  readonly durationMs?: number;
  readonly inputs?: Json;
  readonly outputs?: Json;
  readonly meta?: JsonObject;
  /** Where a call stands in its run: `0`, `0.1`, `0.1.2`. */
  readonly callPath?: string;
  /** sha256 (hex) of the skill as it was then. */
  readonly skillDigest?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** US dollars. */
  readonly cost?: number;
  /** A failure's code and message, where the status is `failed`. */
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

/** A file that a run made or changed. */
export interface TraceFile {
  readonly id: string;
  readonly runId: string;
  readonly eventId: string;
  /** As the tool or the text names it. */
  readonly path: string;
  /** Bytes, where they are known. */
  readonly size?: number;
  /** sha256 (hex) of the content, where it is known. */
  readonly sha256?: string;
  /** Where it is text and small. */
  readonly content?: string;
  /** Who says so: an argument of the call, which carries its content; the transcript, which records it; or the disk. */
  readonly foundBy: "argument" | "transcript" | "disk";
}

/** A run as a whole: its events in their order, and its files. */
export interface Trace {
  readonly runId: string;
  readonly sessionId?: string;
  readonly source: TraceSource;
  /** What was to be done, in words, where it is known: a transcript's first user message. */
  readonly task?: string;
  /** Name and version of the MCP client that called, as it told them. */
  readonly client?: string;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly events: readonly TraceEvent[];
  readonly files: readonly TraceFile[];
  /** How many of its events could not be recorded; absent where all were. */
  readonly lost?: number;
}
