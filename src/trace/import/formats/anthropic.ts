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
import { Transcript, type TokenUsage } from "../transcript.ts";
import { toolAnswer, unwrapped, unwrappedArguments, unwrappedContent } from "../reading/unwrap.ts";

/**
 * The messages of Anthropic's Messages API (https://docs.claude.com/en/api/messages): `tool_use` and `tool_result`
 * blocks, those of tools that run at the server, and whole answers with their `usage`.
 */
export const ANTHROPIC: TraceFormat = {
  name: "anthropic-messages",
  likeness: (record) => {
    if (record["role"] !== "user" && record["role"] !== "assistant") return 0;
    const content = list(record["content"]);
    if (record["type"] === "message" && content && isJsonObject(record["usage"])) return 2;
    if (content?.some((block) => isJsonObject(block) && isToolBlock(text(block["type"])))) return 2;
    return content === undefined ? (typeof record["content"] === "string" ? 0.5 : 0) : 1;
  },
  open: (importing, place) => new MessagesReader(importing, place),
};

function isToolBlock(type: string | undefined): boolean {
  return type !== undefined && (CALLS.has(type) || type.endsWith("tool_result"));
}

const CALLS: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

class MessagesReader implements RecordReader {
  readonly #importing: ImportContext;
  readonly #transcript: Transcript;
  readonly #calls: PendingCalls;

  constructor(importing: ImportContext, place: string) {
    this.#importing = importing;
    this.#transcript = new Transcript(ANTHROPIC.name, place, importing);
    this.#calls = new PendingCalls(this.#transcript, importing);
  }

  read(message: JsonObject, place: string): void {
    const at = time(member(message, "created_at", "timestamp"));
    if (message["role"] === "user") {
      const said = saidBy(message);
      if (said !== undefined) this.#transcript.turn(said);
    } else if (message["role"] === "assistant") {
      this.#transcript.model ??= filledText(message["model"]);
      const said = saidBy(message);
      const usage = anthropicUsage(object(message["usage"]));
      if (said !== undefined || usage.outputTokens !== undefined)
        this.#transcript.message("assistant", said, { at, ...usage });
    } else if (message["role"] !== "system") this.#importing.skip("unknown-format", place);
    for (const block of objects(message["content"])) readToolBlock(block, this.#calls, { at, place });
  }

  close(head: JsonObject): void {
    this.#calls.end();
    this.#transcript.sourceId ??= filledText(head["id"]);
    this.#transcript.sessionId ??= filledText(member(head, "session_id", "conversation_id"));
    this.#transcript.model ??= filledText(head["model"]);
    this.#transcript.usage = anthropicUsage(object(head["usage"]));
    this.#importing.give(this.#transcript);
  }
}

function saidBy(message: JsonObject): string | undefined {
  const content = message["content"];
  if (typeof content === "string") return filledText(content);
  return filledText(textOf(objects(content).filter((block) => block["type"] === "text")));
}

/** Reads a block that makes or answers a call, into the calls; gives what was made. */
function readToolBlock(
  block: JsonObject,
  calls: PendingCalls,
  about: { readonly at?: number | undefined; readonly place: string; readonly within?: number | undefined },
): void {
  const type = label(block["type"]);
  if (CALLS.has(type)) {
    const server = filledText(block["server_name"]);
    calls.add(text(block["id"]), {
      tool: label(block["name"]),
      args: unwrappedArguments(block["input"]) ?? {},
      meta: server === undefined ? undefined : { server },
      ...about,
    });
  } else if (type.endsWith("tool_result")) {
    const answer = toolAnswer(resultOf(block));
    const isFailed =
      answer.isFailed ||
      block["is_error"] === true ||
      text(object(block["content"])?.["type"])?.endsWith("_error") === true;
    const outcome = { ...answer, isFailed, endedAt: about.at };
    calls.resolve(label(block["tool_use_id"]), outcome, about.place);
  }
}

export function resultOf(block: JsonObject): Json {
  const result = unwrappedContent(block["content"]);
  return typeof result === "string" ? unwrapped(withoutErrorTag(result)) : (result ?? null);
}

// Claude Code puts the text of a failure in this tag.
function withoutErrorTag(said: string): string {
  return /^<tool_use_error>([^]*)<\/tool_use_error>$/.exec(said)?.[1] ?? said;
}

/** Tokens as the Messages API counts them: those from and into the cache are input as well. */
export function anthropicUsage(usage: JsonObject | undefined): TokenUsage {
  if (!usage) return {};
  const input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].map((name) =>
    number(usage[name]),
  );
  return {
    inputTokens: input.every((count) => count === undefined)
      ? undefined
      : input.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    outputTokens: number(usage["output_tokens"]),
  };
}
