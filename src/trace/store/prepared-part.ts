import { hash } from "node:crypto";
import { extname } from "node:path/posix";
import { failure } from "../../core/error.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { EventStatus, EventType, TraceEvent } from "../../core/trace-event.ts";
import { Allowance, type Redactor, TooCostly } from "../redact/redaction.ts";
import type { EventRow, FileRow, SearchRow } from "./tables.ts";
import type { CutValue, TracePart } from "../trace-store.ts";

/** A part as it goes to a writer: what is JSON is text, so that it crosses to a thread at little cost. */
export interface PlainPart extends Omit<TracePart, "events"> {
  readonly status: EventStatus;
  readonly events: readonly PlainEvent[];
}

interface PlainEvent extends Omit<TraceEvent, "inputs" | "outputs" | "meta"> {
  readonly inputs?: string | undefined;
  readonly outputs?: string | undefined;
  readonly meta?: string | undefined;
  readonly imports?: readonly string[] | undefined;
  readonly handedTo?: string | undefined;
  readonly caller?: string | undefined;
  readonly resultSize?: number | undefined;
  readonly isCallersFault?: boolean;
  readonly retryOf?: string | undefined;
}

export function plainParts(parts: readonly TracePart[]): Result<readonly PlainPart[]> {
  try {
    return ok(
      parts.map((part) => ({
        ...part,
        status: partStatus(part),
        events: plainEvents(part.events),
      })),
    );
  } catch (error) {
    return fail(failure("NOT_JSON", `A trace holds what cannot be written as JSON: ${String(error)}`));
  }
}

/** A part as rows, without credentials; of its run's row what the part tells. */
export interface PreparedPart {
  readonly runId: string;
  readonly sessionId: string | null;
  readonly source: string;
  readonly task: string | null;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly status: string;
  readonly name: string | null;
  readonly lost: number;
  readonly client: string | null;
  readonly events: readonly EventRow[];
  readonly files: readonly FileRow[];
  /** Texts to which rows refer, by the reference. */
  readonly payloads: ReadonlyMap<string, string>;
}

export function preparedPart(part: PlainPart, redact: Redactor, maxPayloadBytes: number): PreparedPart {
  const payloads = new Map<string, string>();
  const kept = (text: string): string => keptText(text, payloads);
  // One allowance for the part, beside what each value has of its own: many values made to be costly take no longer than one.
  const allowance = new Allowance();
  const json = (text: string | undefined): string | null =>
    text === undefined
      ? null
      : kept(cutJson(redact.jsonText(text, allowance.share(text.length)), maxPayloadBytes));
  const plain = (text: string | undefined, most = MAX_TEXT): string | null =>
    text === undefined
      ? null
      : clean(inTime(() => redact.text(text.slice(0, 2 * most), allowance.share(2 * most))) ?? CUT_TEXT)
          .slice(0, most)
          .toWellFormed();
  const name = (text: string | undefined): string | null => shortened(plain(text));
  /** The three values of an event; in place of one that takes too long stands what was cut, and `meta` tells it. */
  const values = ({ inputs, outputs, meta }: PlainEvent): Pick<EventRow, "inputs" | "outputs" | "meta"> => {
    const [input, output, about] = [inputs, outputs, meta].map((text) =>
      text === undefined ? null : (inTime(() => json(text)) ?? undefined),
    );
    if (input !== undefined && output !== undefined && about !== undefined)
      return { inputs: input, outputs: output, meta: about };
    const told =
      about === undefined || about === null ? {} : (JSON.parse(payloads.get(about) ?? about) as JsonObject);
    return {
      inputs: input === undefined ? unseen(inputs) : input,
      outputs: output === undefined ? unseen(outputs) : output,
      meta: kept(JSON.stringify({ ...told, redaction: "cut" })),
    };
  };

  const events = part.events.map((event): EventRow => ({
    id: clean(event.id),
    run_id: clean(part.runId),
    session_id: shortened(cleaned(part.sessionId ?? event.sessionId)),
    node_id: shortened(cleaned(event.nodeId)),
    step_id: cleaned(event.stepId),
    parent_event_id: cleaned(event.parentEventId),
    event_type: event.eventType,
    event_subtype: plain(event.eventSubtype),
    execution_order: event.executionOrder,
    agent_name: name(event.agentName),
    status: event.status,
    timestamp: event.timestamp,
    duration_ms: event.durationMs ?? null,
    ...values(event),
    call_path: cleaned(event.callPath),
    skill_digest: cleaned(event.skillDigest),
    input_tokens: event.inputTokens ?? null,
    output_tokens: event.outputTokens ?? null,
    cost: event.cost ?? null,
    error_code: plain(event.errorCode),
    error_message: plain(event.errorMessage),
    imports: event.imports
      ? JSON.stringify(
          [...new Set(event.imports.map((name) => plain(name, MAX_IMPORT_NAME) ?? ""))].toSorted(),
        )
      : null,
    handed_to: name(event.handedTo),
    caller: name(event.caller),
    result_size: event.resultSize ?? null,
    fault: event.isCallersFault ? "caller" : null,
    retry_of: cleaned(event.retryOf),
  }));
  const makers = new Map(events.map((event) => [event.id, event]));
  const files = part.files.map((file): FileRow => {
    const path = plain(file.path) ?? "";
    const maker = makers.get(clean(file.eventId));
    return {
      run_id: clean(part.runId),
      id: name(file.id) ?? "",
      event_id: clean(file.eventId),
      path,
      extension: shortened(extname(path.replaceAll("\\", "/")).toLowerCase()) ?? "",
      made_by: maker?.agent_name ?? "",
      size: file.size ?? null,
      sha256: cleaned(file.sha256),
      content:
        file.content === undefined
          ? null
          : (inTime(() => fileContent(file.content ?? "", redact, allowance, maxPayloadBytes, kept)) ??
            kept(JSON.stringify(CUT_TEXT))),
      found_by: file.foundBy,
      created_at: maker?.timestamp ?? part.startedAt,
    };
  });
  return {
    runId: clean(part.runId),
    sessionId: shortened(cleaned(part.sessionId)),
    source: part.source,
    task: plain(part.task),
    startedAt: part.startedAt,
    durationMs: part.durationMs ?? null,
    status: part.status,
    name: name(part.name),
    lost: part.lost ?? 0,
    client: name(part.client),
    events,
    files,
    payloads,
  };
}

/**
 * What stands in a column of JSON: the text itself, or a reference to it in `payloads` where it is large or functions of
 * SQL could not read it.
 */
export function keptText(text: string, payloads: Map<string, string>): string {
  if (isInline(text)) return text;
  const reference = referenceTo(hash("sha256", text));
  payloads.set(reference, text);
  return reference;
}

export function isReference(text: string | null): text is string {
  return text !== null && REFERENCE.test(text);
}

/** A reference is JSON, as all else in such a column. */
export function referenceTo(sha256: string): string {
  return `${REFERENCE_START}${sha256}"}`;
}

export function sha256Of(reference: string): string {
  return reference.slice(REFERENCE_START.length, -2);
}

/** What can be searched of a run. */
export function searchTexts(
  runId: string,
  about: { readonly task?: string | null; readonly name?: string | null },
  events: readonly EventRow[],
  files: readonly FileRow[],
): readonly SearchRow[] {
  const row = (kind: string, event_id: string | null, text: string): SearchRow => ({
    kind,
    run_id: runId,
    event_id,
    text: text.slice(0, MAX_SEARCHED).toWellFormed(),
  });
  return [
    ...(about.task ? [row("task", null, about.task)] : []),
    ...(about.name ? [row("name", null, about.name)] : []),
    ...events
      .filter(({ status }) => status === "failed")
      .map(({ id, agent_name, error_code, error_message }) =>
        row("error", id, [agent_name, error_code, error_message].filter(Boolean).join(" ")),
      )
      .filter(({ text }) => text !== ""),
    ...files.map(({ event_id, path }) => row("file", event_id, path)),
  ];
}

const MAX_INLINE_BYTES = 16_384;
/** SQLite reads JSON of up to 1000 levels. */
const MAX_INLINE_DEPTH = 900;
const MAX_TEXT = 8192;
const MAX_KEY = 300;
const MAX_SEARCHED = 300;
const MAX_IMPORTS = 50;
const MAX_IMPORT_NAME = 200;
const SHOWN_OF_CUT = 1000;
export const REFERENCE_START = '{"[payload]":"';
const REFERENCE = /^\{"\[payload\]":"[0-9a-f]{64}"\}$/;
/** PostgreSQL refuses to read such escapes: NUL, half of a surrogate pair. */
const UNREADABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

function isInline(text: string): boolean {
  if (text.length * 3 > MAX_INLINE_BYTES && Buffer.byteLength(text) > MAX_INLINE_BYTES) return false;
  if (REFERENCE.test(text) || UNREADABLE.test(text)) return false;
  return text.length <= 2 * MAX_INLINE_DEPTH || !isDeeperThan(JSON.parse(text) as Json, MAX_INLINE_DEPTH);
}

function plainEvents(events: readonly TraceEvent[]): readonly PlainEvent[] {
  const names = new Map(
    events.map(({ id, agentName, eventSubtype }) => [
      id,
      // It bears the name of the transcript's format, which calls nothing.
      eventSubtype === "transcript" ? undefined : agentName,
    ]),
  );
  return events.map((event) => plainEvent(event, names.get(event.parentEventId ?? "")));
}

function plainEvent(event: TraceEvent, parentName: string | undefined): PlainEvent {
  const { inputs, outputs, meta, eventType } = event;
  const imports = eventType === "code_exec" ? stringsOf(meta?.["imports"]) : undefined;
  const to = eventType === "handoff" ? (meta?.["to"] ?? fieldOf(inputs, "to")) : undefined;
  const plain = {
    ...event,
    inputs: inputs === undefined ? undefined : JSON.stringify(inputs),
    outputs: outputs === undefined ? undefined : JSON.stringify(outputs),
    meta: meta === undefined ? undefined : JSON.stringify(meta),
    imports,
    handedTo: typeof to === "string" ? to : undefined,
  };
  if (!CALL_TYPES.has(eventType)) return plain;
  const [agent, retryOf] = [meta?.["agent"], meta?.["retryOf"]];
  return {
    ...plain,
    caller: typeof agent === "string" ? agent : parentName,
    resultSize: typeof outputs === "string" ? outputs.length : plain.outputs?.length,
    isCallersFault: isCallersFault(event),
    retryOf: typeof retryOf === "string" ? retryOf : undefined,
  };
}

const CALL_TYPES: ReadonlySet<EventType> = new Set(["tool_call", "skill_call", "code_exec", "agent_call"]);

/** A skill that passes on that it gave another what is not valid has failed by its own fault. */
function isCallersFault({ errorCode, callPath, meta }: TraceEvent): boolean {
  const failedAt = fieldOf(meta?.["failure"], "callPath") ?? callPath;
  return (errorCode === "INPUT_INVALID" || errorCode === "INPUT_TOO_LARGE") && failedAt === callPath;
}

function stringsOf(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const strings = value.filter((each) => typeof each === "string").slice(0, MAX_IMPORTS);
  return strings.length === 0 ? undefined : strings;
}

function fieldOf(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

/** As the part tells it, or as its events do. */
export function partStatus({ status, events }: Pick<TracePart, "status" | "events">): EventStatus {
  if (status !== undefined) return status;
  const root = events.find(({ parentEventId }) => parentEventId === undefined);
  if (events.some(({ status }) => status === "running")) return "running";
  return root?.status ?? "completed";
}

/** What the work gives; nothing where it would take too long, or the value is nested too deeply to be gone through. */
function inTime<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooCostly || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Stands for a value whose credentials could not be looked for in time: nothing of it is shown. */
function unseen(text: string | undefined): string | null {
  if (text === undefined) return null;
  return JSON.stringify({
    "[cut]": { bytes: Buffer.byteLength(text), sha256: hash("sha256", text), start: "" },
  } satisfies CutValue);
}

const CUT_TEXT = "[cut: it could not be looked through for credentials in time]";

function cutJson(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const cut: CutValue = {
    "[cut]": {
      bytes: Buffer.byteLength(text),
      sha256: hash("sha256", text),
      start: text.slice(0, Math.min(SHOWN_OF_CUT, maxBytes)).toWellFormed(),
    },
  };
  return JSON.stringify(cut);
}

// As a JSON string it cannot be taken for a reference, and can hold every sign.
function fileContent(
  content: string,
  redact: Redactor,
  allowance: Allowance,
  maxBytes: number,
  kept: (text: string) => string,
): string {
  const text = redact.text(content, allowance.share(content.length));
  const bytes = Buffer.byteLength(text);
  const shown =
    bytes <= maxBytes
      ? text
      : `${text.slice(0, maxBytes).toWellFormed()}\n[cut: ${bytes} bytes, sha256 ${hash("sha256", text)}]`;
  return kept(JSON.stringify(shown));
}

function cleaned(text: string | undefined): string | null {
  return text === undefined ? null : clean(text);
}

/** What is looked up has to fit into an index: of a longer text its digest tells it from others that begin so. */
function shortened(text: string | null): string | null {
  if (text === null || text.length <= MAX_KEY) return text;
  return `${text.slice(0, MAX_KEY - 20).toWellFormed()}…${hash("sha256", text).slice(0, 16)}`;
}

/** PostgreSQL has no NUL, and neither store half a surrogate pair. */
function clean(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "�") : text).toWellFormed();
}
