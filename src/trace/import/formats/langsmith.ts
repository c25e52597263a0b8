import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import {
  filledText,
  items,
  label,
  list,
  member,
  number,
  object,
  objects,
  text,
  textOf,
  time,
} from "../reading/fields.ts";
import type { TraceFormat } from "../format.ts";
import { judgementIn } from "../reading/judgement-in.ts";
import { type Span, SpanTraces } from "../span-tree.ts";
import { unwrappedArguments } from "../reading/unwrap.ts";

/** Runs of LangSmith (https://docs.langchain.com/langsmith/run-data-format): one a line, a list, `{runs}`, or nested by `child_runs`. */
export const LANGSMITH: TraceFormat = {
  name: "langsmith",
  likeness: (record) =>
    typeof record["run_type"] === "string" &&
    ("trace_id" in record || "dotted_order" in record || "start_time" in record || "id" in record)
      ? 2
      : 0,
  open: (importing) => {
    const traces = importing.shared(LANGSMITH.name, () => new SpanTraces(LANGSMITH.name, importing));
    return { read: (record, place) => addRun(record, undefined, place, traces, 0), close: () => undefined };
  },
};

function addRun(
  run: JsonObject,
  parent: Span | undefined,
  place: string,
  traces: SpanTraces,
  depth: number,
): void {
  const span = spanOf(run, parent, place);
  traces.add(span);
  if (depth < 64)
    for (const child of objects(run["child_runs"])) addRun(child, span, place, traces, depth + 1);
}

const FRAMES: ReadonlySet<string> = new Set(["chain", "prompt", "parser"]);

function spanOf(run: JsonObject, parent: Span | undefined, place: string): Span {
  const id = text(run["id"]) ?? label(run["run_id"]);
  const kind = kindOf(run);
  const error = filledText(run["error"]);
  const inputs = object(run["inputs"]);
  const outputs = object(run["outputs"]);
  const metadata = object(object(run["extra"])?.["metadata"]);
  const order = filledText(run["dotted_order"]);
  const message = object(objects(member(outputs, "messages")).at(-1) ?? {});
  const result = kind === "call" ? resultOf(outputs) : undefined;
  const endedAt = time(run["end_time"]);
  const parentId = filledText(run["parent_run_id"]) ?? parent?.id ?? order?.split(".").at(-2)?.slice(-36);
  return {
    id,
    traceId: text(run["trace_id"]) ?? parent?.traceId ?? order?.split(".")[0]?.slice(-36) ?? id,
    parentId,
    sessionId: filledText(member(metadata, "thread_id", "session_id", "conversation_id")),
    kind,
    name: label(run["name"]),
    isFrame: FRAMES.has(label(run["run_type"])),
    args: kind === "call" ? argumentsOf(inputs) : undefined,
    result,
    hasResult: result !== undefined,
    isRunning: error === undefined && outputs === undefined && endedAt === undefined,
    isFailed: error !== undefined || run["status"] === "error",
    message: error,
    at: time(run["start_time"]),
    endedAt,
    order,
    usage: kind === "model" ? usageOf(run) : undefined,
    task: kind === "call" ? undefined : taskIn(inputs),
    said: kind === "model" && message ? filledText(textOf(message["content"])) : undefined,
    model: filledText(metadata?.["ls_model_name"]),
    judgement: parentId === undefined ? judgementIn(feedbackOf(run)) : undefined,
    place,
  };
}

function feedbackOf({ feedback_stats = null, feedback = null }: JsonObject): JsonObject {
  return { feedback_stats, feedback };
}

function kindOf(run: JsonObject): Span["kind"] {
  switch (label(run["run_type"])) {
    case "tool":
      return "call";
    case "llm":
      return "model";
    default:
      return "other";
  }
}

function usageOf(run: JsonObject): Span["usage"] {
  const usage =
    object(object(object(run["extra"])?.["metadata"])?.["usage_metadata"]) ??
    object(object(run["outputs"])?.["usage_metadata"]);
  return {
    inputTokens: number(run["prompt_tokens"]) ?? number(usage?.["input_tokens"]),
    outputTokens: number(run["completion_tokens"]) ?? number(usage?.["output_tokens"]),
    cost: number(run["total_cost"]),
  };
}

// A tool's input is `{input: …}` where LangChain wrote it, as JSON or as Python's repr; or it is the arguments.
function argumentsOf(inputs: JsonObject | undefined): Json | undefined {
  if (!inputs) return undefined;
  const { input } = inputs;
  if (Object.keys(inputs).length !== 1 || input === undefined) return inputs;
  const read = unwrappedArguments(input);
  return isJsonObject(read) ? read : inputs;
}

// `{output: …}` is LangSmith's wrapper.
function resultOf(outputs: JsonObject | undefined): Json | undefined {
  if (!outputs || Object.keys(outputs).length !== 1) return outputs;
  return outputs["output"] ?? outputs["result"] ?? outputs;
}

function taskIn(inputs: JsonObject | undefined): string | undefined {
  if (!inputs) return undefined;
  const messages = items(inputs["messages"]);
  const flat = messages.flatMap((each) => (Array.isArray(each) ? (each as readonly Json[]) : [each]));
  for (const each of objects(flat)) {
    const message = object(each["kwargs"]) ?? each;
    const isHuman =
      each["role"] === "user" || each["type"] === "human" || list(each["id"])?.at(-1) === "HumanMessage";
    if (isHuman) return filledText(textOf(message["content"]));
  }
  return filledText(member(inputs, "input", "question", "query", "task"));
}
