import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import { filledText, list, member, number, text, time } from "../reading/fields.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { Transcript } from "../transcript.ts";

/** The plain shape `{id, task, calls: [{tool, args, result, error, turn}]}`, one run a line: the task is a text or the user's turns. */
export const PLAIN_CALLS: TraceFormat = {
  name: "plain-calls",
  likeness: (record) =>
    typeof record["tool"] === "string" && ("args" in record || "result" in record) ? 2 : 0,
  open: (importing, place) => new PlainReader(importing, place),
};

class PlainReader implements RecordReader {
  readonly #importing: ImportContext;
  readonly #transcript: Transcript;

  constructor(importing: ImportContext, place: string) {
    this.#importing = importing;
    this.#transcript = new Transcript(PLAIN_CALLS.name, place, importing);
  }

  read(call: JsonObject, place: string): void {
    const tool = text(call["tool"]) ?? "";
    if (tool.trim() === "") {
      this.#importing.skip("no-name", place);
      return;
    }
    const turn = number(call["turn"]);
    const step = this.#transcript.call({
      tool,
      args: call["args"] ?? {},
      at: time(member(call, "timestamp", "at")),
      place,
      meta: turn === undefined || turn === 0 ? undefined : { turn },
    });
    if (!("result" in call) && !("error" in call)) return;
    const { error } = call;
    const isFailed = error !== undefined && error !== null && error !== false;
    const message = filledText(error) ?? (isJsonObject(error) ? filledText(error["message"]) : undefined);
    this.#transcript.settle(step, { result: call["result"] ?? null, isFailed, message }, place);
  }

  close(head: JsonObject): void {
    const { task } = head;
    this.#transcript.sourceId = filledText(head["id"]);
    this.#transcript.sessionId = filledText(member(head, "session_id", "sessionId"));
    if (typeof task === "string") this.#transcript.turn(task);
    for (const turn of list(task) ?? []) if (typeof turn === "string") this.#transcript.turn(turn);
    this.#transcript.usage = { at: time(member(head, "started_at", "timestamp")) };
    this.#importing.give(this.#transcript);
  }
}
