import { isJsonObject, type Json, type JsonObject } from "../../../../core/json/json.ts";
import { PendingCalls } from "../../pending-calls.ts";
import {
  filledText,
  label,
  member,
  number,
  object,
  objects,
  text,
  textOf,
  time,
} from "../../reading/fields.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../../format.ts";
import { type StepOutcome, Transcript, type TokenUsage } from "../../transcript.ts";
import { toolAnswer, unwrappedArguments } from "../../reading/unwrap.ts";

/**
 * The messages of OpenAI's Chat Completions (https://platform.openai.com/docs/api-reference/chat): one conversation
 * as a list or as `{messages}`, or one conversation a line, as for fine-tuning. Also with the older `function_call`.
 */
export const OPENAI_CHAT: TraceFormat = {
  name: "openai-chat",
  likeness: (record) => {
    const role = text(record["role"]);
    if (role === undefined || !ROLES.has(role) || "tool_responses" in record) return 0;
    if (role === "tool" && typeof record["tool_call_id"] === "string") return 2;
    if (role === "developer" || (role === "function" && "name" in record)) return 2;
    if (objects(record["tool_calls"]).some(isToolCall) || isJsonObject(record["function_call"]))
      return "name" in record ? 1 : 1.5;
    return typeof record["content"] === "string" || record["content"] === null ? 1 : 0;
  },
  open: (importing, place) => new ChatReader(OPENAI_CHAT.name, importing, place),
};

const ROLES: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

function isToolCall(call: JsonObject): boolean {
  return isJsonObject(call["function"]) || isJsonObject(call["custom"]);
}

/** Reads chat messages into one transcript. */
export class ChatReader implements RecordReader {
  protected readonly importing: ImportContext;
  protected readonly transcript: Transcript;
  protected readonly calls: PendingCalls;

  constructor(format: string, importing: ImportContext, place: string) {
    this.importing = importing;
    this.transcript = new Transcript(format, place, importing);
    this.calls = new PendingCalls(this.transcript, importing);
  }

  read(message: JsonObject, place: string): void {
    this.transcript.sessionId ??= filledText(member(message, "session_id", "conversation_id", "thread_id"));
    switch (label(message["role"])) {
      case "user":
        this.user(message);
        return;
      case "assistant":
        this.assistant(message, place);
        return;
      case "tool":
        this.tool(message, place);
        return;
      case "function":
        this.#function(message, place);
        return;
      case "system":
      case "developer":
        return;
      default:
        this.importing.skip("unknown-format", place);
    }
  }

  close(head: JsonObject): void {
    this.calls.end();
    const { transcript } = this;
    transcript.sourceId ??= filledText(member(head, "id", "conversation_id", "trace_id"));
    transcript.sessionId ??= filledText(member(head, "session_id", "thread_id"));
    transcript.task ??= filledText(member(head, "task"));
    transcript.model ??= filledText(head["model"]);
    transcript.usage = {
      ...chatUsage(object(head["usage"])),
      ...(number(head["cost"]) === undefined ? {} : { cost: number(head["cost"]) }),
      at: time(member(head, "created", "created_at", "timestamp")),
    };
    this.importing.give(transcript);
  }

  protected user(message: JsonObject): void {
    const said = textOf(message["content"]);
    if (said !== undefined && said.trim() !== "") this.transcript.turn(said);
  }

  protected assistant(message: JsonObject, place: string): void {
    const at = time(member(message, "created_at", "timestamp", "created"));
    const said = filledText(textOf(message["content"])) ?? filledText(message["refusal"]);
    const usage = chatUsage(object(message["usage"]));
    if (said !== undefined || usage.inputTokens !== undefined)
      this.transcript.message(filledText(message["name"]) ?? "assistant", said, { at, ...usage });
    for (const call of objects(message["tool_calls"])) this.called(call, filledText(call["id"]), at, place);
    const older = object(message["function_call"]);
    if (older) this.called({ function: older }, `function ${label(older["name"])}`, at, place);
  }

  protected called(call: JsonObject, id: string | undefined, at: number | undefined, place: string): void {
    const made = object(call["function"]) ?? object(call["custom"]) ?? call;
    const args = unwrappedArguments(member(made, "arguments", "input", "args"));
    this.calls.add(id ?? `unnamed ${this.transcript.steps}`, {
      tool: label(made["name"]),
      args: args ?? {},
      at,
      place,
    });
  }

  protected tool(message: JsonObject, place: string): void {
    const responses = objects(message["tool_responses"]);
    if (responses.length > 0) {
      for (const each of responses) this.tool(each, place);
      return;
    }
    const id = filledText(message["tool_call_id"]);
    const answer = outcomeOf(message["content"], time(member(message, "created_at", "timestamp")));
    const outcome = message["status"] === "error" ? { ...answer, isFailed: true } : answer;
    if (id === undefined) this.calls.resolveUnnamed(filledText(message["name"]), outcome, place);
    else this.calls.resolve(id, outcome, place);
  }

  #function(message: JsonObject, place: string): void {
    this.calls.resolve(`function ${label(message["name"])}`, outcomeOf(message["content"]), place);
  }
}

function outcomeOf(content: Json | undefined, endedAt?: number): StepOutcome {
  return { ...toolAnswer(content), endedAt };
}

function chatUsage(usage: JsonObject | undefined): TokenUsage {
  if (!usage) return {};
  return {
    inputTokens: number(member(usage, "prompt_tokens", "input_tokens")),
    outputTokens: number(member(usage, "completion_tokens", "output_tokens")),
    cost: number(usage["cost"]),
  };
}
