import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { EVENT_TYPES, type EventType } from "../../core/trace-event.ts";
import { bounded } from "./bounded.ts";
import { filledText, member, number, object, text, time } from "./fields.ts";
import type { Importing, TraceFormat } from "./format.ts";
import type { ImportLimits } from "./limits.ts";
import { OpenTraces } from "./open-traces.ts";
import { Transcript } from "./transcript.ts";
import { unwrapped, unwrappedArguments, unwrappedContent } from "./unwrap.ts";

/** Rows of a table `execution_events` (run_id, event_type, execution_order, inputs, outputs, meta …), one a line or in a list. */
export const EXECUTION_EVENTS: TraceFormat = {
  name: "execution-events",
  likeness: (record) => (isEventType(record["event_type"]) && "run_id" in record ? 2 : 0),
  open: (importing) => {
    const runs = importing.shared(
      EXECUTION_EVENTS.name,
      () =>
        new OpenTraces(
          importing,
          (id) => new Rows(id, importing),
          (rows) => rows.give(),
        ),
    );
    return {
      read: (record, place) => {
        const id = text(record["run_id"]) ?? "";
        runs.change(id, (rows) => rows.add(record, place));
      },
      close: () => undefined,
    };
  },
};

function isEventType(value: Json | undefined): value is EventType {
  return EVENT_TYPES.some((type) => type === value);
}

interface Row {
  readonly record: JsonObject;
  readonly place: string;
}

class Rows {
  size = 1000;
  readonly #id: string;
  readonly #importing: Importing;
  readonly #rows: Row[] = [];

  constructor(id: string, importing: Importing) {
    this.#id = id;
    this.#importing = importing;
  }

  add(record: JsonObject, place: string): void {
    const { limits } = this.#importing;
    if (this.#rows.length >= limits.steps) this.#importing.skip("too-many-steps", place);
    else if (this.size > limits.traceSize) this.#importing.skip("trace-too-large", place);
    else {
      this.#rows.push({ record, place });
      this.size += 400 + sizeOf(record["inputs"], limits) + sizeOf(record["outputs"], limits);
    }
  }

  give(): void {
    const rows = this.#rows.toSorted((a, b) => orderOf(a.record) - orderOf(b.record));
    const transcript = new Transcript(EXECUTION_EVENTS.name, rows[0]?.place ?? "", this.#importing);
    transcript.sourceId = this.#id;
    transcript.sessionId = rows
      .map(({ record }) => filledText(record["session_id"]))
      .find((id) => id !== undefined);
    const steps = new Map<string, number>();
    for (const { record, place } of rows) {
      const step = this.#tell(transcript, record, place, steps.get(text(record["parent_event_id"]) ?? ""));
      const id = text(record["id"]);
      if (id !== undefined && step !== undefined) steps.set(id, step);
    }
    this.#importing.give(transcript);
  }

  #tell(
    transcript: Transcript,
    record: JsonObject,
    place: string,
    within: number | undefined,
  ): number | undefined {
    const inputs = parsed(record["inputs"]);
    const outputs = parsed(record["outputs"]);
    const meta = parsed(record["meta"]);
    const agent = text(record["agent_name"]) ?? "agent";
    const at = time(record["timestamp"]);
    const about = {
      at,
      within,
      nodeId: filledText(record["node_id"]),
      stepId: filledText(record["step_id"]),
      meta: { agent },
    };
    const type = record["event_type"];
    if (!isEventType(type)) return undefined;
    switch (type) {
      case "agent_call": {
        const said =
          filledText(outputs["full_content"]) ??
          filledText(inputs["message"]) ??
          filledText(outputs["content"]);
        if (inputs["role"] === "user" && transcript.steps === 0 && said !== undefined) {
          transcript.turn(said);
          return undefined;
        }
        return transcript.message(agent, said, about);
      }
      case "tool_call":
      case "skill_call": {
        const tool = filledText(inputs["tool"]) ?? filledText(meta["tool_name"]) ?? agent;
        const args = "args" in inputs ? unwrappedArguments(inputs["args"]) : inputs;
        const step = transcript.call({ tool, args: args ?? {}, place, ...about });
        this.#settle(transcript, step, record, outputs, meta, place);
        return step;
      }
      case "code_exec": {
        const language = filledText(inputs["language"]) ?? filledText(meta["language"]) ?? "python";
        const before = transcript.steps;
        transcript.code(agent, language, text(inputs["code"]) ?? "", about);
        const step = transcript.steps > before ? before : undefined;
        this.#settle(transcript, step, record, outputs, meta, place);
        return step;
      }
      case "file_gen": {
        const path =
          filledText(outputs["file_path"]) ?? filledText(meta["file_path"]) ?? filledText(outputs["path"]);
        const content = text(outputs["file_content"]);
        const isWhole = content !== undefined && number(outputs["file_size"]) === Buffer.byteLength(content);
        if (path === undefined) this.#importing.skip("no-name", place);
        else transcript.file({ path, foundBy: "text", ...(isWhole ? { content } : {}) }, about);
        return undefined;
      }
      case "handoff":
        transcript.handoff(text(inputs["from"]) ?? "", filledText(inputs["to"]) ?? agent, about);
        return undefined;
      case "error":
        transcript.error(agent, filledText(outputs["error"]) ?? filledText(meta["error"]) ?? "Error", about);
        return undefined;
    }
  }

  #settle(
    transcript: Transcript,
    step: number | undefined,
    record: JsonObject,
    outputs: JsonObject,
    meta: JsonObject,
    place: string,
  ): void {
    const { status } = record;
    if (status === "pending" || status === "running") return;
    const error = filledText(member(outputs, "error")) ?? filledText(member(record, "error_message"));
    const isFailed = status === "failed" || meta["has_error"] === true;
    const result =
      "result" in outputs
        ? unwrappedContent(outputs["result"])
        : Object.keys(outputs).length === 0
          ? null
          : outputs;
    transcript.settle(
      step,
      {
        result: result ?? null,
        isFailed,
        message: isFailed ? error : undefined,
        isCancelled: status === "cancelled",
      },
      place,
    );
  }
}

// Columns of JSON are texts in many exports.
function parsed(value: Json | undefined): JsonObject {
  const read = typeof value === "string" ? unwrapped(value) : value;
  return isJsonObject(read) ? read : (object(value) ?? {});
}

function orderOf(record: JsonObject): number {
  return number(record["execution_order"]) ?? Number.MAX_SAFE_INTEGER;
}

function sizeOf(value: Json | undefined, limits: ImportLimits): number {
  return value === undefined ? 0 : bounded(value, limits).size;
}
