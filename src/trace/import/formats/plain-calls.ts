import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import { filledText, items, label, member, number, objects, time } from "../reading/fields.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { Transcript } from "../transcript.ts";

/**
 * The plain shape `{id, task, calls: [{tool, args, result, error, cancelled, kind, turn, calls}]}`, one run a line: the
 * task is a text or the user's turns, `kind` is `agent` where another agent is called, `calls` is what was called within.
 */
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
    this.#read(call, place, undefined, 0);
  }

  #read(call: JsonObject, place: string, within: number | undefined, depth: number): void {
    const tool = label(call["tool"]);
    if (tool.trim() === "") {
      this.#importing.skip("no-name", place);
      return;
    }
    const turn = number(call["turn"]);
    const step = this.#transcript.call({
      kind: call["kind"] === "agent" ? "agent" : "tool",
      tool,
      within,
      args: call["args"] ?? {},
      at: time(member(call, "timestamp", "at")),
      place,
      meta: turn === undefined || turn === 0 ? undefined : { turn },
    });
    this.#settle(step, call, place);
    // What was called within the call.
    for (const inner of depth < MAX_DEPTH ? objects(call["calls"]) : [])
      this.#read(inner, place, step ?? within, depth + 1);
  }

  #settle(step: number | undefined, call: JsonObject, place: string): void {
    const { error, cancelled } = call;
    const isFailed = error !== undefined && error !== null && error !== false;
    const message = filledText(error) ?? (isJsonObject(error) ? filledText(error["message"]) : undefined);
    if (cancelled === true) this.#transcript.settle(step, { isCancelled: true, message }, place);
    else if ("result" in call || "error" in call) {
      // An error may have more to it than its message: a code, for one.
      const result = call["result"] ?? (isJsonObject(error) ? error : null);
      this.#transcript.settle(step, { result, isFailed, message }, place);
    }
  }

  close(head: JsonObject): void {
    const { task } = head;
    this.#transcript.sourceId = filledText(head["id"]);
    this.#transcript.sessionId = filledText(member(head, "session_id", "sessionId"));
    if (typeof task === "string") this.#transcript.turn(task);
    for (const turn of items(task)) if (typeof turn === "string") this.#transcript.turn(turn);
    this.#transcript.usage = { at: time(member(head, "started_at", "timestamp")) };
    this.#importing.give(this.#transcript);
  }
}

const MAX_DEPTH = 64;
