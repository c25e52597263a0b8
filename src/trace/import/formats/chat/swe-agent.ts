import type { JsonObject } from "../../../../core/json/json.ts";
import type { ImportContext, TraceFormat } from "../../format.ts";
import { filledText, list, number, object, objects, textOf } from "../../reading/fields.ts";
import { toolAnswer } from "../../reading/unwrap.ts";
import { ChatReader } from "./openai-chat.ts";

/**
 * Trajectories of SWE-agent (https://swe-agent.com/latest/usage/trajectories), of which the `history` is read: calls
 * of tools where the model made such, else its actions as commands of the shell that they are.
 */
export const SWE_AGENT: TraceFormat = {
  name: "swe-agent",
  likeness: (record) => {
    const isMessage = typeof record["role"] === "string" && typeof record["agent"] === "string";
    return isMessage && ("message_type" in record || "content" in record) ? 2 : 0;
  },
  open: (importing, place) => new HistoryReader(importing, place),
};

const SHELL = "bash";

class HistoryReader extends ChatReader {
  /** The action that is not answered. */
  #action: string | undefined;
  #actions = 0;

  constructor(importing: ImportContext, place: string) {
    super(SWE_AGENT.name, importing, place);
  }

  override read(message: JsonObject, place: string): void {
    // What others did is shown to the model, and was not done here.
    if (message["is_demo"] === true || message["message_type"] === "demonstration") return;
    const { role } = message;
    const id = filledText(list(message["tool_call_ids"])?.[0]);
    if (role === "assistant") this.#acted(message, place);
    else if (role === "tool" && id !== undefined) this.#observed(id, message, place);
    else if (role === "user" && this.#action !== undefined) this.#observed(this.#action, message, place);
    else super.read(message, place);
  }

  override close(head: JsonObject): void {
    const info = object(head["info"]);
    const stats = object(info?.["model_stats"]);
    const usage = {
      input_tokens: stats?.["tokens_sent"] ?? null,
      output_tokens: stats?.["tokens_received"] ?? null,
    };
    super.close({
      ...head,
      usage,
      cost: number(stats?.["instance_cost"]) ?? number(stats?.["total_cost"]) ?? null,
    });
  }

  #acted(message: JsonObject, place: string): void {
    this.assistant(message, place);
    const command = filledText(message["action"])?.trim();
    this.#action = undefined;
    if (command === undefined || objects(message["tool_calls"]).length > 0) return;
    this.#action = `action ${this.#actions++}`;
    this.calls.add(this.#action, { tool: SHELL, args: { command }, place });
  }

  #observed(id: string, message: JsonObject, place: string): void {
    this.#action = undefined;
    const content = message["content"];
    const said = typeof content === "string" ? content : textOf(content);
    this.calls.resolve(id, toolAnswer(said === undefined ? content : withoutState(said)), place);
  }
}

/** The observation, without what is told of the terminal after it. */
function withoutState(said: string): string {
  return said
    .replace(/^(?:OBSERVATION|Observation):[ ]?\n?/, "")
    .replace(/\s*\(Open file: [^\n]{0,1000}\)\s*\(Current directory: [^\n]{0,1000}\)\s*bash-\$\s*$/, "");
}
