import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { EVENT_TYPES, type EventType } from "../../../core/trace-event.ts";
import { boundedValue } from "../reading/bounded-value.ts";
import type { CodeFacts } from "../../record/code-in.ts";
import { filledText, items, label, member, number, object, text, time } from "../reading/fields.ts";
import type { ImportContext, TraceFormat } from "../format.ts";
import type { ImportLimits } from "../reading/limits.ts";
import { OpenTraces } from "../open-traces.ts";
import { Transcript } from "../transcript.ts";
import { unwrapped, unwrappedArguments, unwrappedContent } from "../reading/unwrap.ts";

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
        const id = label(record["run_id"]);
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
  readonly #importing: ImportContext;
  readonly #rows: Row[] = [];

  constructor(id: string, importing: ImportContext) {
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
    const files = new Set(
      rows.map(({ record }) => pathOf(parsed(record["outputs"]), parsed(record["meta"]))),
    );
    for (const { record, place } of rows) {
      const step = this.#tell(transcript, record, place, steps.get(label(record["parent_event_id"])));
      const id = text(record["id"]);
      if (id !== undefined && step !== undefined) steps.set(id, step);
      if (step === undefined || record["status"] === "failed") continue;
      // Files that a call tells, of which no event of their own tells.
      for (const path of filesTold(record)) {
        if (files.has(path)) continue;
        files.add(path);
        transcript.file(
          { path, foundBy: "transcript" },
          {
            id: `${idOf(record) ?? ""}.${path}`,
            at: time(record["timestamp"]),
            within: step,
            by: makerOf(record),
          },
        );
      }
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
      id: idOf(record),
      at,
      within,
      nodeId: filledText(record["node_id"]),
      stepId: filledText(record["step_id"]),
      meta: { ...restOf(inputs, outputs, meta, this.#importing.limits), agent },
    };
    const type = record["event_type"];
    if (!isEventType(type)) {
      this.#importing.skip("not-understood", `${place}: ${text(type) ?? "no event_type"}`);
      return undefined;
    }
    switch (type) {
      case "agent_call": {
        const said =
          filledText(outputs["full_content"]) ??
          filledText(inputs["message"]) ??
          filledText(outputs["content"]);
        if (inputs["role"] === "user" && transcript.steps === 0 && said !== undefined) transcript.turn(said);
        return transcript.message(agent, said, about);
      }
      case "tool_call":
      case "skill_call": {
        const tool = filledText(inputs["tool"]) ?? filledText(meta["tool_name"]) ?? agent;
        const args = "args" in inputs ? unwrappedArguments(inputs["args"]) : inputs;
        const step = transcript.call({ tool, args: args ?? {}, place, isCode: false, ...about });
        this.#settle(transcript, step, record, outputs, meta, place);
        return step;
      }
      case "code_exec": {
        const language = filledText(inputs["language"]) ?? filledText(meta["language"]) ?? "python";
        const before = transcript.steps;
        transcript.code(agent, language, text(inputs["code"]) ?? "", { ...about, facts: codeTold(meta) });
        const step = transcript.steps > before ? before : undefined;
        this.#settle(transcript, step, record, outputs, meta, place);
        return step;
      }
      case "file_gen": {
        const path = pathOf(outputs, meta);
        const content = text(outputs["file_content"]);
        const size = number(outputs["file_size"]);
        if (path === undefined) this.#importing.skip("no-name", place);
        else
          transcript.file(
            {
              path,
              foundBy: "transcript",
              ...(content === undefined ? {} : { content }),
              ...(size === undefined ? {} : { size }),
            },
            { ...about, by: makerOf(record) },
          );
        return undefined;
      }
      case "handoff":
        transcript.handoff(label(inputs["from"]), filledText(inputs["to"]) ?? agent, about);
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

function idOf(record: JsonObject): string | undefined {
  const { id } = record;
  return filledText(id) ?? (typeof id === "number" ? String(id) : undefined);
}

function pathOf(outputs: JsonObject, meta: JsonObject): string | undefined {
  return filledText(outputs["file_path"]) ?? filledText(meta["file_path"]) ?? filledText(outputs["path"]);
}

function filesTold(record: JsonObject): readonly string[] {
  const [outputs, meta] = [parsed(record["outputs"]), parsed(record["meta"])];
  return [outputs["files_generated"], meta["files_generated"], meta["files_written"]].flatMap(texts);
}

/** The tool, or the agent, that a file is made by. */
function makerOf(record: JsonObject): string | undefined {
  const [inputs, meta] = [parsed(record["inputs"]), parsed(record["meta"])];
  return (
    filledText(inputs["tool"]) ??
    filledText(meta["tool_name"]) ??
    filledText(meta["tool"]) ??
    filledText(record["agent_name"])
  );
}

/** What the row itself says of its code. */
function codeTold(meta: JsonObject): Partial<CodeFacts> {
  const [imports, filesWritten, filesRead] = ["imports", "files_written", "files_read"].map((name) =>
    texts(meta[name]),
  );
  return {
    ...(imports?.length ? { imports } : {}),
    ...(filesWritten?.length ? { filesWritten } : {}),
    ...(filesRead?.length ? { filesRead } : {}),
  };
}

function texts(value: Json | undefined): readonly string[] {
  return items(value).flatMap((each) => filledText(each) ?? []);
}

/** What a row says besides what an event has a place for: under the names that it has there. */
function restOf(inputs: JsonObject, outputs: JsonObject, meta: JsonObject, limits: ImportLimits): JsonObject {
  const rest: JsonObject = Object.fromEntries(
    [...Object.entries(meta), ...Object.entries(outputs), ...Object.entries(inputs)].filter(
      ([name, value]) => value !== null && !PLACED.has(name) && !OWN.has(name),
    ),
  );
  return boundedValue(rest, limits).value as JsonObject;
}

/** They are the event's inputs or outputs, its file, or the beginning of these. */
const PLACED: ReadonlySet<string> = new Set([
  ...["tool", "args", "language", "code", "message", "from", "to"],
  ...["result", "result_preview", "full_content", "content", "file_content", "error"],
]);

/** What our own records mean by these is not for others to say. */
const OWN: ReadonlySet<string> = new Set([
  ...["retryOf", "reused", "omitted", "failure", "world", "answered", "console", "redaction"],
  ...["notExtractable", "noResult", "turn", "turns", "times", "format", "sourceId", "model", "foundBy"],
]);

// Columns of JSON are texts in many exports.
function parsed(value: Json | undefined): JsonObject {
  const read = typeof value === "string" ? unwrapped(value) : value;
  return isJsonObject(read) ? read : (object(value) ?? {});
}

function orderOf(record: JsonObject): number {
  return number(record["execution_order"]) ?? Number.MAX_SAFE_INTEGER;
}

function sizeOf(value: Json | undefined, limits: ImportLimits): number {
  return value === undefined ? 0 : boundedValue(value, limits).size;
}
