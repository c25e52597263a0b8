import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import type { TraceFormat } from "../format.ts";
import { filledText, label, number, object, objects, text, time } from "../reading/fields.ts";
import { messageList, saidIn, toldIn, userTask } from "../reading/told-calls.ts";
import { unwrappedArguments } from "../reading/unwrap.ts";
import { type Span, SpanTraces } from "../span-tree.ts";

/**
 * Traces and spans of OpenAI's Agents SDK (https://openai.github.io/openai-agents-python/tracing), as `export()` gives
 * them and as they are sent to its backend: a list, `{data}`, or one a line.
 */
export const OPENAI_AGENTS: TraceFormat = {
  name: "openai-agents",
  likeness: (record) => {
    if (record["object"] === "trace.span" && isJsonObject(record["span_data"])) return 2;
    return record["object"] === "trace" && "workflow_name" in record ? 2 : 0;
  },
  open: (importing) => {
    const traces = importing.shared(OPENAI_AGENTS.name, () => new SpanTraces(OPENAI_AGENTS.name, importing));
    return {
      read: (record, place) => {
        if (record["object"] === "trace.span") traces.add(spanOf(record, place));
        else traces.about(label(record["id"]), undefined, filledText(record["group_id"]));
      },
      close: () => undefined,
    };
  },
};

const KINDS: Readonly<Record<string, Span["kind"]>> = {
  function: "call",
  agent: "agent",
  generation: "model",
  response: "model",
  handoff: "handoff",
};

function spanOf(record: JsonObject, place: string): Span {
  const data = object(record["span_data"]) ?? {};
  const type = label(data["type"]);
  const kind = Object.hasOwn(KINDS, type) ? (KINDS[type] ?? "other") : "other";
  const error = object(record["error"]);
  const output = data["output"] ?? undefined;
  const usage = object(data["usage"]);
  const isModel = kind === "model";
  return {
    id: label(record["id"]),
    traceId: label(record["trace_id"]),
    parentId: filledText(record["parent_id"]),
    kind,
    name: (kind === "handoff" ? text(data["to_agent"]) : text(data["name"])) ?? type,
    isFrame: type === "custom" || type === "mcp_tools" || type === "guardrail",
    at: time(record["started_at"]),
    endedAt: time(record["ended_at"]),
    isFailed: error !== undefined,
    message: errorOf(error),
    ...(kind === "call"
      ? {
          args: unwrappedArguments(data["input"] ?? undefined),
          result: output,
          hasResult: output !== undefined,
        }
      : { hasResult: false }),
    usage: isModel
      ? { inputTokens: number(usage?.["input_tokens"]), outputTokens: number(usage?.["output_tokens"]) }
      : undefined,
    task: isModel ? userTask(data["input"]) : undefined,
    said: isModel ? saidBy(output) : undefined,
    told: isModel ? toldIn(messageList(data["input"]), messageList(output)) : undefined,
    model: filledText(data["model"]),
    meta: serverOf(data),
    place,
  };
}

/** What a tool failed with stands in the data, unless it is kept back; then the message tells only that it failed. */
function errorOf(error: JsonObject | undefined): string | undefined {
  const said = filledText(object(error?.["data"])?.["error"]);
  return said === undefined || said.includes("redacted") ? undefined : said;
}

function serverOf(data: JsonObject): JsonObject | undefined {
  const server = filledText(object(data["mcp_data"])?.["server"]);
  return server === undefined ? undefined : { server };
}

function saidBy(output: Json | undefined): string | undefined {
  return filledText(
    objects(output)
      .flatMap((message) => saidIn(message) ?? [])
      .join("\n"),
  );
}
