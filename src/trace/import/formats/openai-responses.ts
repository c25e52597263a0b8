import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { PendingCalls } from "../pending-calls.ts";
import {
  filledText,
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
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { type StepOutcome, Transcript, type TokenUsage } from "../transcript.ts";
import { errorMessage } from "../reading/answer-error.ts";
import { toolAnswer, unwrapped, unwrappedArguments } from "../reading/unwrap.ts";

/**
 * The items of OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses): a list, `{input}`
 * or a response with `output`, one item a line, or a session of Codex, which keeps them as `payload`.
 */
export const OPENAI_RESPONSES: TraceFormat = {
  name: "openai-responses",
  likeness: (record) => {
    const type = text(record["type"]);
    if (type !== undefined && CODEX.has(type) && isJsonObject(record["payload"])) return 2;
    if (
      type !== undefined &&
      (Object.hasOwn(CALLS, type) || Object.hasOwn(OUTPUTS, type) || type === "mcp_call")
    )
      return 2;
    if (type === "reasoning" && "summary" in record) return 2;
    if (type === "message" && objects(record["content"]).some((part) => isTextPart(part))) return 2;
    return typeof record["role"] === "string" && objects(record["content"]).some(isTextPart) ? 2 : 0;
  },
  open: (importing, place) => new ItemsReader(importing, place),
};

const CODEX: ReadonlySet<string> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

function isTextPart(part: JsonObject): boolean {
  return part["type"] === "input_text" || part["type"] === "output_text";
}

/** Where the tool's name and its arguments stand; a name in quotes where the item has none. */
const CALLS: Readonly<Record<string, { readonly name: string; readonly args: string }>> = {
  function_call: { name: "", args: "arguments" },
  custom_tool_call: { name: "", args: "input" },
  local_shell_call: { name: "local_shell", args: "action" },
  shell_call: { name: "shell", args: "action" },
  apply_patch_call: { name: "apply_patch", args: "operation" },
  computer_call: { name: "computer", args: "action" },
};

const OUTPUTS: Readonly<Record<string, true>> = {
  function_call_output: true,
  custom_tool_call_output: true,
  local_shell_call_output: true,
  shell_call_output: true,
  apply_patch_call_output: true,
  computer_call_output: true,
};

/** Items that tell no call, message or result. */
const WITHOUT_CALL: ReadonlySet<string> = new Set([
  ...["reasoning", "compaction", "item_reference", "mcp_list_tools", "ghost_snapshot"],
  ...["mcp_approval_request", "mcp_approval_response"],
]);

class ItemsReader implements RecordReader {
  readonly #importing: ImportContext;
  readonly #transcript: Transcript;
  readonly #calls: PendingCalls;

  constructor(importing: ImportContext, place: string) {
    this.#importing = importing;
    this.#transcript = new Transcript(OPENAI_RESPONSES.name, place, importing);
    this.#calls = new PendingCalls(this.#transcript, importing);
  }

  read(record: JsonObject, place: string): void {
    const payload = object(record["payload"]);
    const at = time(member(record, "timestamp", "created_at"));
    if (payload && CODEX.has(label(record["type"])))
      this.#readCodex(label(record["type"]), payload, at, place);
    else this.#readItem(record, at, place);
  }

  close(head: JsonObject): void {
    this.#calls.end();
    const { usage } = head;
    this.#transcript.sourceId ??= filledText(head["id"]);
    this.#transcript.sessionId ??=
      filledText(head["conversation"]) ?? filledText(object(head["conversation"])?.["id"]);
    this.#transcript.model ??= filledText(head["model"]);
    this.#transcript.task ??= filledText(head["input"]);
    if (isJsonObject(usage)) this.#transcript.usage = responsesUsage(usage);
    this.#transcript.usage = { at: time(head["created_at"]), ...this.#transcript.usage };
    this.#importing.give(this.#transcript);
  }

  #readCodex(type: string, payload: JsonObject, at: number | undefined, place: string): void {
    switch (type) {
      case "session_meta":
        this.#transcript.sourceId ??= filledText(payload["id"]);
        this.#transcript.sessionId ??= filledText(payload["id"]);
        return;
      case "turn_context":
        this.#transcript.model ??= filledText(payload["model"]);
        return;
      case "response_item":
        this.#readItem(payload, at, place);
        return;
      case "event_msg": {
        const usage = object(object(payload["info"])?.["total_token_usage"]);
        if (payload["type"] === "token_count" && usage)
          this.#transcript.usage = { ...this.#transcript.usage, ...responsesUsage(usage) };
        return;
      }
      default:
    }
  }

  #readItem(item: JsonObject, at: number | undefined, place: string): void {
    const type = text(item["type"]) ?? (item["role"] === undefined ? "" : "message");
    const call = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
    if (call) {
      const name = call.name === "" ? label(item["name"]) : call.name;
      const args = unwrappedArguments(item[call.args]) ?? {};
      this.#calls.add(idOf(item), { tool: name, args, at, place });
    } else if (Object.hasOwn(OUTPUTS, type)) this.#answered(item, at, place);
    else if (type === "message") this.#message(item, at);
    else if (type === "mcp_call") this.#mcpCall(item, at, place);
    else if (type === "code_interpreter_call") this.#interpreted(item, at, place);
    else if (!WITHOUT_CALL.has(type))
      this.#importing.skip("not-understood", type === "" ? place : `${place}: ${type}`);
  }

  #message(item: JsonObject, at: number | undefined): void {
    const said = filledText(textOf(item["content"]));
    if (said === undefined) return;
    if (item["role"] === "assistant") this.#transcript.message("assistant", said, { at });
    // Codex tells the model of its surroundings as if the user had said it.
    else if (item["role"] === "user" && !/^\s*(?:<[a-z_]+>|# AGENTS\.md)/.test(said))
      this.#transcript.turn(said);
  }

  #answered(item: JsonObject, endedAt: number | undefined, place: string): void {
    const outcome = outcomeOf(item["output"]);
    const isFailed = outcome.isFailed === true || item["status"] === "failed";
    this.#calls.resolve(label(item["call_id"]), { ...outcome, isFailed, endedAt }, place);
  }

  #mcpCall(item: JsonObject, at: number | undefined, place: string): void {
    const server = filledText(item["server_label"]);
    const step = this.#calls.add(undefined, {
      tool: label(item["name"]),
      args: unwrappedArguments(item["arguments"]) ?? {},
      at,
      place,
      meta: server === undefined ? undefined : { server },
    });
    const error = member(item, "error");
    const output = member(item, "output");
    const isFailed = error !== undefined || item["status"] === "failed";
    if (!isFailed && output === undefined) return;
    const said = typeof error === "string" ? error : mcpError(object(error));
    const answer = output === undefined ? { result: said ?? null } : toolAnswer(output);
    const outcome = isFailed ? { ...answer, isFailed, message: said } : answer;
    this.#transcript.settle(step, outcome, place);
  }

  #interpreted(item: JsonObject, at: number | undefined, place: string): void {
    const args = { code: item["code"] ?? "" };
    const step = this.#calls.add(undefined, { tool: "code_interpreter", args, at, place });
    const logs = objects(item["outputs"]).flatMap((output) => text(output["logs"]) ?? []);
    const isFailed = item["status"] === "failed";
    if (logs.length > 0 || item["status"] !== "in_progress")
      this.#transcript.settle(step, { result: logs.join("\n"), isFailed }, place);
  }
}

function idOf(item: JsonObject): string | undefined {
  return text(member(item, "call_id", "id"));
}

function mcpError(error: JsonObject | undefined): string | undefined {
  if (!error) return undefined;
  return filledText(error["message"]) ?? filledText(textOf(error["content"])) ?? errorMessage(error);
}

/** Codex's shell writes its output with the exit code, as JSON or as text. */
function outcomeOf(output: Json | undefined): StepOutcome {
  const answer = toolAnswer(output);
  const record = object(answer.result);
  const shell = number(object(record?.["metadata"])?.["exit_code"]);
  if (record && shell !== undefined && typeof record["output"] === "string")
    return { result: unwrapped(record["output"]), isFailed: shell !== 0, meta: { exitCode: shell } };
  const outcomes = objects(list(answer.result)).map((each) => number(object(each["outcome"])?.["exit_code"]));
  const failed = outcomes.find((code) => code !== undefined && code !== 0) ?? outcomes[0];
  return failed === undefined
    ? answer
    : { result: answer.result, isFailed: failed !== 0, meta: { exitCode: failed } };
}

function responsesUsage(usage: JsonObject): TokenUsage {
  return { inputTokens: number(usage["input_tokens"]), outputTokens: number(usage["output_tokens"]) };
}
