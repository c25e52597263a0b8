import type { Json, JsonObject } from "../../../core/json/json.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { PendingCalls } from "../pending-calls.ts";
import { filledText, label, list, member, number, object, objects, text, time } from "../reading/fields.ts";
import { saidIn, toldCallsIn, toldResultsIn } from "../reading/told-calls.ts";
import { Transcript } from "../transcript.ts";

/**
 * What the AI SDK keeps of a conversation (https://ai-sdk.dev/docs/reference/ai-sdk-core): model messages, the
 * `steps` of `generateText` and `streamText`, and the messages of its user interfaces with their `parts`.
 */
export const AI_SDK: TraceFormat = {
  name: "ai-sdk",
  likeness: (record) => {
    const parts = [...objects(record["parts"]), ...objects(record["content"])];
    if (parts.some((part) => isToolPart(label(part["type"])))) return 2;
    const isStep =
      "finishReason" in record && (list(record["content"]) ?? list(record["toolCalls"])) !== undefined;
    if (isStep && record["role"] === undefined) return 2;
    if (Array.isArray(record["parts"]) && parts.some((part) => part["type"] === "step-start")) return 2;
    return typeof record["role"] === "string" && (parts.length > 0 || "content" in record) ? 0.5 : 0;
  },
  open: (importing, place) => new AiSdkReader(importing, place),
};

function isToolPart(type: string): boolean {
  return type === "dynamic-tool" || (type.startsWith("tool-") && !type.startsWith("tool-approval-"));
}

class AiSdkReader implements RecordReader {
  readonly #importing: ImportContext;
  readonly #transcript: Transcript;
  readonly #calls: PendingCalls;

  constructor(importing: ImportContext, place: string) {
    this.#importing = importing;
    this.#transcript = new Transcript(AI_SDK.name, place, importing);
    this.#calls = new PendingCalls(this.#transcript, importing);
  }

  read(record: JsonObject, place: string): void {
    const message = modelMessage(record);
    const at = time(member(record, "createdAt", "timestamp") ?? object(record["response"])?.["timestamp"]);
    switch (text(record["role"]) ?? "assistant") {
      case "user": {
        const said = saidIn(message);
        if (said !== undefined) this.#transcript.turn(said);
        return;
      }
      case "assistant":
        this.#answered(record, message, at);
        break;
      case "tool":
        break;
      case "system":
        return;
      default:
        this.#importing.skip("not-understood", place);
        return;
    }
    for (const { id, name, args } of toldCallsIn(message))
      this.#calls.add(id, { tool: name, args, at, place });
    for (const { id, ...outcome } of toldResultsIn(message))
      if (id === undefined) this.#importing.skip("no-call", place);
      else this.#calls.resolve(id, outcome, place);
  }

  close(head: JsonObject): void {
    this.#calls.end();
    this.#transcript.sourceId ??= filledText(head["id"]);
    this.#transcript.sessionId ??= filledText(member(head, "chatId", "sessionId", "session_id"));
    this.#transcript.task ??= filledText(member(head, "task", "prompt"));
    this.#importing.give(this.#transcript);
  }

  #answered(record: JsonObject, message: JsonObject, at: number | undefined): void {
    const usage = object(record["usage"]) ?? object(object(record["metadata"])?.["usage"]);
    const inputTokens = number(member(usage, "inputTokens", "promptTokens"));
    const outputTokens = number(member(usage, "outputTokens", "completionTokens"));
    const said = saidIn(message);
    this.#transcript.model ??= filledText(
      object(record["model"])?.["modelId"] ?? object(record["response"])?.["modelId"],
    );
    if (said !== undefined || inputTokens !== undefined || outputTokens !== undefined)
      this.#transcript.message("assistant", said, { at, inputTokens, outputTokens });
  }
}

/** Whatever stands for a message as one whose content is a list of parts. */
function modelMessage(record: JsonObject): JsonObject {
  const { content } = record;
  if (Array.isArray(record["parts"])) return { content: objects(record["parts"]).flatMap(partsOf) };
  if (Array.isArray(content) || record["role"] !== undefined) return { content: content ?? null };
  // Steps of earlier versions have lists of their own for each kind.
  const said = filledText(record["text"]);
  const parts = [...objects(record["toolCalls"]), ...objects(record["toolResults"])];
  return { content: said === undefined ? parts : [{ type: "text", text: said }, ...parts] };
}

/** A part of a user interface's message tells a call and what came of it. */
function partsOf(part: JsonObject): readonly JsonObject[] {
  const type = label(part["type"]);
  const told = object(part["toolInvocation"]) ?? part;
  if (!isToolPart(type)) return [part];
  const { toolCallId = null } = told;
  const toolName = filledText(told["toolName"]) ?? type.slice("tool-".length);
  const call = {
    type: "tool-call",
    toolCallId,
    toolName,
    input: member(told, "input", "args", "rawInput") ?? {},
  };
  switch (label(told["state"])) {
    case "output-available":
    case "result": {
      const output: Json = member(told, "output", "result") ?? null;
      return [call, { type: "tool-result", toolCallId, result: output }];
    }
    case "output-error":
      return [call, { type: "tool-error", toolCallId, error: told["errorText"] ?? null }];
    case "output-denied":
      return [call, { type: "tool-error", toolCallId, error: "The call was denied" }];
    default:
      return [call];
  }
}
