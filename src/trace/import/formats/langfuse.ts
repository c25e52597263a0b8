import type { Json, JsonObject } from "../../../core/json/json.ts";
import { filledText, label, member, number, object, text, time } from "../reading/fields.ts";
import type { TraceFormat } from "../format.ts";
import { judgementIn } from "../reading/judgement-in.ts";
import { keywordArguments, messageList, saidIn, toldIn, userTask } from "../reading/told-calls.ts";
import { type Span, SpanTraces } from "../span-tree.ts";
import { unwrapped, unwrappedArguments } from "../reading/unwrap.ts";

/** Observations of Langfuse (https://api.reference.langfuse.com): one a line, a list, `{data}`, or a trace with its `observations`. */
export const LANGFUSE: TraceFormat = {
  name: "langfuse",
  likeness: (record) => {
    const type = text(record["type"])?.toUpperCase();
    const isObservation =
      type !== undefined && TYPES.has(type) && ("startTime" in record || "start_time" in record);
    return isObservation && ("traceId" in record || "trace_id" in record) ? 2 : 0;
  },
  open: (importing) => {
    const traces = importing.shared(LANGFUSE.name, () => new SpanTraces(LANGFUSE.name, importing));
    let last: string | undefined;
    return {
      read: (record, place) => {
        const span = spanOf(record, place);
        last = span.traceId;
        traces.add(span);
      },
      close: (head) => {
        // The head is the trace's only where it has its id.
        if (last !== undefined && head["id"] === last)
          traces.about(
            last,
            userTask(head["input"]),
            filledText(member(head, "sessionId", "session_id")),
            judgementIn({ scores: head["scores"] ?? null }),
          );
      },
    };
  },
};

const TYPES: ReadonlySet<string> = new Set([
  ...[
    "SPAN",
    "GENERATION",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
  ],
]);

function spanOf(record: JsonObject, place: string): Span {
  const kind = kindOf(record);
  const level = text(record["level"]);
  const usage = object(member(record, "usageDetails", "usage_details", "usage"));
  const cost = object(member(record, "costDetails", "cost_details"));
  const output = record["output"];
  return {
    id: label(record["id"]),
    traceId: label(member(record, "traceId", "trace_id")),
    parentId: filledText(member(record, "parentObservationId", "parent_observation_id")),
    sessionId: filledText(member(record, "sessionId", "session_id")),
    kind,
    name: label(record["name"]),
    isFrame: text(record["type"])?.toUpperCase() === "CHAIN",
    args: kind === "call" ? keywordArguments(unwrappedArguments(record["input"]) ?? undefined) : undefined,
    result: kind === "call" || kind === "agent" ? (output ?? undefined) : undefined,
    hasResult: output !== undefined && output !== null,
    isFailed: level === "ERROR",
    isRunning:
      level !== "ERROR" &&
      (output === undefined || output === null) &&
      member(record, "endTime", "end_time") === undefined,
    message: filledText(member(record, "statusMessage", "status_message")),
    at: time(member(record, "startTime", "start_time")),
    endedAt: time(member(record, "endTime", "end_time")),
    usage:
      kind === "model"
        ? {
            inputTokens: number(usage?.["input"]) ?? number(member(record, "promptTokens", "inputUsage")),
            outputTokens:
              number(usage?.["output"]) ?? number(member(record, "completionTokens", "outputUsage")),
            cost: number(cost?.["total"]) ?? number(member(record, "calculatedTotalCost", "totalCost")),
          }
        : undefined,
    task: kind === "call" ? undefined : userTask(record["input"]),
    said: kind === "model" ? saidBy(output) : undefined,
    told: kind === "model" ? toldIn(messageList(record["input"]), messageList(output)) : undefined,
    model: filledText(record["model"]),
    place,
  };
}

function kindOf(record: JsonObject): Span["kind"] {
  switch (text(record["type"])?.toUpperCase() ?? "") {
    case "TOOL":
      return "call";
    case "AGENT":
      return "agent";
    case "GENERATION":
      return "model";
    case "EVENT":
      return record["level"] === "ERROR" ? "error" : "other";
    default:
      return "other";
  }
}

function saidBy(output: Json | undefined): string | undefined {
  const read = typeof output === "string" ? unwrapped(output) : output;
  if (typeof read === "string") return filledText(read);
  return filledText(
    messageList(read)
      .flatMap((message) => saidIn(message) ?? [])
      .join("\n"),
  );
}
