import type { Json } from "../../core/json/json.ts";
import type { Trace } from "../../core/trace-event.ts";
import { chatTrace } from "./chat-trace.ts";
import { nestedCalls } from "./event-tree.ts";
import { otlpTrace } from "./otlp-trace.ts";
import { plainTrace } from "./plain-trace.ts";

/**
 * `repertoire`: all that is recorded, to be imported as the same runs; `jsonl`: the plain shape, a trace a line; `chat`:
 * OpenAI's chat messages, a conversation a line; `otlp`: OTLP/JSON, a trace a line.
 */
export const EXPORT_FORMATS = ["jsonl", "chat", "otlp", "repertoire"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Writes traces in a format that `importTraces` reads: what is imported again has the same calls. */
export function exportTraces(traces: readonly Trace[], format: ExportFormat): string {
  return traces
    .flatMap((trace) => exported(trace, format))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/**
 * How many calls of a trace a format has no place for. Chat messages tell what the agent itself called, and nothing of
 * what the skills and agents that it called did within.
 */
export function callsWithoutPlace(trace: Trace, format: ExportFormat): number {
  return format === "chat" ? nestedCalls(trace) : 0;
}

function exported(trace: Trace, format: ExportFormat): readonly Json[] {
  switch (format) {
    case "jsonl":
      return [plainTrace(trace)];
    case "chat":
      return [chatTrace(trace)];
    case "otlp":
      return [otlpTrace(trace)];
    case "repertoire":
      return traceLines(trace);
  }
}

/** A line for the run and one for each of its events and files, so that none is too long to be read. */
function traceLines({ events, files, ...run }: Trace): readonly Json[] {
  return [
    { repertoire: "run", version: 1, ...run },
    ...events.map((event) => ({ repertoire: "event", ...event })),
    ...files.map((file) => ({ repertoire: "file", ...file })),
  ];
}
