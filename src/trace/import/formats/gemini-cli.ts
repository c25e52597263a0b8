import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import type { ImportContext, RecordReader, TraceFormat } from "../format.ts";
import { roughSize } from "../reading/bounded-value.ts";
import { filledText, label, list, number, object, objects, text, textOf, time } from "../reading/fields.ts";
import { toolAnswer, unwrappedArguments } from "../reading/unwrap.ts";
import { type StepOutcome, Transcript } from "../transcript.ts";

/**
 * Sessions of Gemini CLI (https://github.com/google-gemini/gemini-cli), as it records them in `chats`: lines, of which
 * later ones replace or take back earlier ones, or the document of earlier versions.
 */
export const GEMINI_CLI: TraceFormat = {
  name: "gemini-cli",
  likeness: (record) => {
    if (typeof record["projectHash"] === "string" && typeof record["sessionId"] === "string") return 2;
    if (isJsonObject(record["$set"]) || typeof record["$rewindTo"] === "string") return 2;
    const isMessage = typeof record["id"] === "string" && "timestamp" in record && "content" in record;
    if (!isMessage || "role" in record || "message" in record) return 0;
    return record["type"] === "gemini" ? 2 : MESSAGES.has(label(record["type"])) ? 1 : 0;
  },
  open: (importing, place) => new SessionReader(importing, place),
};

const MESSAGES: ReadonlySet<string> = new Set(["user", "info", "warning", "error"]);

class SessionReader implements RecordReader {
  readonly #importing: ImportContext;
  readonly #messages = new Map<string, { readonly record: JsonObject; readonly place: string }>();
  #place: string;
  #sessionId: string | undefined;
  #startedAt: number | undefined;
  #size = 0;

  constructor(importing: ImportContext, place: string) {
    this.#importing = importing;
    this.#place = place;
  }

  read(record: JsonObject, place: string): void {
    const change = object(record["$set"]);
    const back = text(record["$rewindTo"]);
    if (change) this.#about(change, place);
    else if (back !== undefined) this.#rewind(back);
    else if (typeof record["projectHash"] === "string") this.#about(record, place);
    else if (typeof record["id"] === "string") this.#keep(record["id"], record, place);
    else this.#importing.skip("not-understood", place);
  }

  close(head: JsonObject): void {
    this.#about(head, this.#place);
    this.#give();
  }

  #about(about: JsonObject, place: string): void {
    const id = filledText(about["sessionId"]);
    if (id !== undefined && this.#sessionId !== undefined && id !== this.#sessionId) {
      this.#give();
      this.#place = place;
    }
    this.#sessionId = id ?? this.#sessionId;
    this.#startedAt ??= time(about["startTime"]);
    for (const message of objects(about["messages"])) this.#keep(label(message["id"]), message, place);
  }

  /** A message is written again when its calls have ended. */
  #keep(id: string, record: JsonObject, place: string): void {
    const size = roughSize(record, 16);
    if (this.#size + size > this.#importing.limits.traceSize) this.#importing.skip("trace-too-large", place);
    else {
      this.#size += size;
      this.#messages.set(id, { record, place });
    }
  }

  #rewind(to: string): void {
    const ids = [...this.#messages.keys()];
    for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) {
      this.#importing.skip("abandoned", this.#messages.get(id)?.place ?? this.#place);
      this.#messages.delete(id);
    }
  }

  #give(): void {
    const transcript = new Transcript(GEMINI_CLI.name, this.#place, this.#importing);
    transcript.sourceId = this.#sessionId;
    transcript.sessionId = this.#sessionId;
    transcript.usage = { at: this.#startedAt };
    for (const { record, place } of this.#messages.values()) tell(record, place, transcript, this.#importing);
    this.#messages.clear();
    this.#size = 0;
    this.#startedAt = undefined;
    this.#importing.give(transcript);
  }
}

function tell(record: JsonObject, place: string, transcript: Transcript, importing: ImportContext): void {
  const at = time(record["timestamp"]);
  const said = filledText(textOf(record["content"]));
  switch (label(record["type"])) {
    case "user":
      // What the program tells the model of its surroundings stands there, too.
      if (said !== undefined && !said.startsWith("<session_context>")) transcript.turn(said);
      return;
    case "gemini": {
      const tokens = object(record["tokens"]);
      const usage = { inputTokens: number(tokens?.["input"]), outputTokens: number(tokens?.["output"]) };
      transcript.model ??= filledText(record["model"]);
      if (said !== undefined || tokens) transcript.message("gemini", said, { at, ...usage });
      for (const call of objects(record["toolCalls"])) tellCall(call, at, place, transcript, importing);
      return;
    }
    case "error":
      transcript.error("gemini", said ?? "Error", { at });
      return;
    case "info":
    case "warning":
      return;
    default:
      importing.skip("not-understood", place);
  }
}

function tellCall(
  call: JsonObject,
  at: number | undefined,
  place: string,
  transcript: Transcript,
  importing: ImportContext,
): void {
  const tool = label(call["name"]);
  if (tool.trim() === "") {
    importing.skip("no-name", place);
    return;
  }
  const args = unwrappedArguments(call["args"]) ?? {};
  const step = transcript.call({ id: filledText(call["id"]), tool, args, at, place });
  const outcome = outcomeOf(call);
  if (outcome) transcript.settle(step, { ...outcome, endedAt: time(call["timestamp"]) }, place);
}

function outcomeOf(call: JsonObject): StepOutcome | undefined {
  const { status } = call;
  if (status === "cancelled") return { isCancelled: true };
  if (status !== "success" && status !== "error") return undefined;
  const [answered] = objects(call["result"]).flatMap(
    (part): JsonObject | readonly JsonObject[] =>
      object(object(part["functionResponse"])?.["response"]) ?? [],
  );
  const error = answered?.["error"];
  const answer = toolAnswer(error ?? givenIn(answered, call));
  return { ...answer, isFailed: status === "error" || answer.isFailed };
}

function givenIn(answered: JsonObject | undefined, call: JsonObject): Json | undefined {
  if (answered) return Object.keys(answered).length === 1 ? (answered["output"] ?? answered) : answered;
  return list(call["result"]) ? call["result"] : (call["resultDisplay"] ?? undefined);
}
