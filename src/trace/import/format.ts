import type { Trace } from "../../core/trace-event.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { ImportLimits, SkipReason } from "./reading/limits.ts";
import type { Transcript } from "./transcript.ts";

/** The names of the formats that can be imported. */
export const TRACE_FORMATS = [
  "repertoire",
  "openai-chat",
  "claude-code",
  "anthropic-messages",
  "mcp-log",
  "otlp",
  "langsmith",
  "langfuse",
  "openai-responses",
  "openai-agents",
  "ag2",
  "langchain",
  "ai-sdk",
  "swe-agent",
  "gemini-cli",
  "execution-events",
  "plain-calls",
] as const;

/** A format in which other programs write down what an agent did. */
export interface TraceFormat {
  readonly name: (typeof TRACE_FORMATS)[number];
  /** How much a record looks like this format: 0 not at all, 1 it may be, 2 no other format looks so. */
  likeness(record: JsonObject): number;
  /** Begins a list of records: a document's, or a file's of lines. */
  open(importing: ImportContext, place: string): RecordReader;
}

/** Reads the records of one list, in their order. */
export interface RecordReader {
  read(record: JsonObject, place: string): void;
  /** After the last record, with the other members of the document. */
  close(head: JsonObject): void;
}

/** The import that a format works for. */
export interface ImportContext {
  readonly limits: ImportLimits;
  /** Stands where the input that is read tells no time: milliseconds since 1970. */
  readonly now: number;
  give(transcript: Transcript): void;
  /** A run as it was recorded elsewhere. */
  giveTrace(trace: Trace, format: string, place: string): void;
  skip(reason: SkipReason, place: string, count?: number): void;
  /** What a format keeps over all lists of an input. */
  shared<State extends ImportState>(name: string, make: () => State): State;
}

export interface ImportState {
  /** The input has ended. */
  end(): void;
}
