import type { JsonObject } from "../../../../core/json/json.ts";
import { languageNamed } from "../../../record/code-in.ts";
import { filledText, member, number, object, objects, text, textOf, time } from "../../reading/fields.ts";
import type { ImportContext, TraceFormat } from "../../format.ts";
import { ChatReader } from "./openai-chat.ts";

/**
 * The messages of an AG2 (AutoGen) group chat or `ChatResult` (https://docs.ag2.ai): chat messages with the
 * speaker's `name` and with `tool_responses`, and code blocks that the next speaker ran.
 */
export const AG2: TraceFormat = {
  name: "ag2",
  likeness: (record) => {
    if (typeof record["role"] !== "string" || !("content" in record)) return 0;
    if (Array.isArray(record["tool_responses"])) return 2;
    const isNamed =
      typeof record["name"] === "string" && record["role"] !== "function" && record["role"] !== "system";
    if (isNamed && typeof record["content"] === "string" && EXIT_CODE.test(record["content"].slice(0, 100)))
      return 2;
    return isNamed && !("tool_call_id" in record) ? 1.5 : 0.5;
  },
  open: (importing, place) => new GroupChatReader(importing, place),
};

const EXIT_CODE = /^exitcode: (-?\d{1,6}) \(execution (?:succeeded|failed)\)/;
const CODE_OUTPUT = /\nCode output:[ \n]?/;
const CODE_BLOCK = /```([\w+-]{0,20})[ \t]{0,10}\r?\n([^]*?)```/g;

class GroupChatReader extends ChatReader {
  #hasTask = false;
  #speaker: string | undefined;
  #blocks: readonly { readonly language: string; readonly code: string }[] = [];

  constructor(importing: ImportContext, place: string) {
    super(AG2.name, importing, place);
  }

  override read(message: JsonObject, place: string): void {
    if (objects(message["tool_responses"]).length > 0) {
      this.tool(message, place);
      return;
    }
    if (message["role"] === "tool" || message["role"] === "system" || message["role"] === "function") {
      super.read(message, place);
      return;
    }
    const said = textOf(message["content"]) ?? "";
    const ran = EXIT_CODE.exec(said.slice(0, 100));
    if (ran) this.#ran(message, Number(ran[1]), said);
    else this.#said(message, said, place);
  }

  override close(head: JsonObject): void {
    const cost = object(object(head["cost"])?.["usage_including_cached_inference"]);
    super.close({ ...head, cost: number(cost?.["total_cost"]) ?? number(head["cost"]) ?? null });
  }

  // Roles are relative to who reads: the first message is the task, whoever sent it.
  #said(message: JsonObject, said: string, place: string): void {
    const speaker = filledText(message["name"]) ?? text(message["role"]) ?? "agent";
    if (!this.#hasTask && !("tool_calls" in message) && said.trim() !== "") {
      this.#hasTask = true;
      this.transcript.turn(said);
      return;
    }
    if (this.#speaker !== undefined && this.#speaker !== speaker)
      this.transcript.handoff(this.#speaker, speaker, { at: time(member(message, "timestamp")) });
    this.#speaker = speaker;
    this.#blocks = [...said.slice(0, MAX_SAID).matchAll(CODE_BLOCK)].flatMap(([, language = "", code = ""]) =>
      code.trim() === "" ? [] : { language: languageNamed(language === "" ? "python" : language), code },
    );
    this.assistant(message, place);
  }

  #ran(message: JsonObject, exitCode: number, said: string): void {
    const result = said.slice((CODE_OUTPUT.exec(said)?.index ?? -1) + 1).replace(/^Code output:[ \n]?/, "");
    const agent = filledText(message["name"]) ?? "executor";
    const [first] = this.#blocks;
    const code = this.#blocks.map((block) => block.code).join("\n");
    this.transcript.code(agent, first?.language ?? "python", code, {
      at: time(member(message, "timestamp")),
      outcome: {
        result,
        isFailed: exitCode !== 0,
        message: exitCode === 0 ? undefined : result,
        meta: { exitCode },
      },
    });
    this.#blocks = [];
  }
}

const MAX_SAID = 1 << 16;
