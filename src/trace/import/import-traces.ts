import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Trace } from "../../core/trace-event.ts";
import { AG2 } from "./formats/ag2.ts";
import { ANTHROPIC } from "./formats/anthropic.ts";
import { CLAUDE_CODE } from "./formats/claude-code.ts";
import { isContainer } from "./reading/document-scanner.ts";
import { EXECUTION_EVENTS } from "./formats/execution-events.ts";
import type { ImportState, ImportContext, RecordReader, TraceFormat } from "./format.ts";
import { JsonReader, type JsonChunk } from "./reading/json-reader.ts";
import { LANGFUSE } from "./formats/langfuse.ts";
import { LANGSMITH } from "./formats/langsmith.ts";
import { IMPORT_LIMITS, type ImportLimits, SKIP_REASONS, type SkipReason } from "./reading/limits.ts";
import { MCP_LOG } from "./formats/mcp-log.ts";
import { OPENAI_CHAT } from "./formats/openai-chat.ts";
import { OPENAI_RESPONSES } from "./formats/openai-responses.ts";
import { OTLP } from "./formats/otlp.ts";
import { PLAIN_CALLS } from "./formats/plain-calls.ts";
import type { Transcript } from "./transcript.ts";

const FORMATS: readonly TraceFormat[] = [
  OPENAI_CHAT,
  CLAUDE_CODE,
  ANTHROPIC,
  MCP_LOG,
  OTLP,
  LANGSMITH,
  LANGFUSE,
  OPENAI_RESPONSES,
  AG2,
  EXECUTION_EVENTS,
  PLAIN_CALLS,
];

/** The names of the formats that can be imported. */
export const TRACE_FORMATS: readonly string[] = FORMATS.map(({ name }) => name);

export type ImportItem =
  | { readonly kind: "trace"; readonly trace: Trace; readonly format: string; readonly place: string }
  | {
      readonly kind: "skipped";
      readonly reason: SkipReason;
      readonly message: string;
      /** How much was not used for this reason. */
      readonly count: number;
      /** The first places where it was. */
      readonly places: readonly string[];
    };

export interface ImportOptions {
  /** One of `TRACE_FORMATS`; else it is told from the content. */
  readonly format?: string;
  readonly limits?: Partial<ImportLimits>;
  /** Stands where a transcript tells no time: milliseconds since 1970. */
  readonly now?: number;
}

/**
 * Reads transcripts in the formats of other programs, from JSON or JSON Lines of any size, in bounded memory. Gives
 * each trace as soon as it is complete and, at the end, what was not used, by reason. Never throws for the content.
 */
export async function* importTraces(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ImportOptions = {},
): AsyncGenerator<ImportItem, void, undefined> {
  const importing = new Import(options);
  const reader = new JsonReader(importing.limits);
  for await (const chunk of chunks) {
    for (const piece of reader.push(chunk)) {
      importing.take(piece);
      yield* importing.given();
    }
  }
  for (const piece of reader.end()) {
    importing.take(piece);
    yield* importing.given();
  }
  for (const _ of importing.end()) yield* importing.given();
  yield* importing.skipped();
}

/** A list of records: the lines of the file, or a list in a document. */
interface Group {
  readonly place: string;
  head: JsonObject;
  format: TraceFormat | undefined;
  reader: RecordReader | undefined;
  /** Records that came before the format was sure. */
  readonly waiting: { readonly record: JsonObject; readonly place: string }[];
}

const MAX_WAITING = 50;
const MAX_PLACES = 5;

class Import implements ImportContext {
  readonly limits: ImportLimits;
  readonly #now: number;
  readonly #forced: TraceFormat | undefined;
  readonly #lines: Group = newGroup("line 1");
  /** The lists around what is read, outermost first, while a document goes on in another slice. */
  readonly #open: Group[] = [];
  readonly #given: ImportItem[] = [];
  readonly #shared = new Map<string, ImportState>();
  readonly #skipped = new Map<SkipReason, { count: number; readonly places: string[] }>();
  readonly #keys = new Map<string, number>();
  #last: TraceFormat | undefined;

  constructor({ format, limits, now = Date.now() }: ImportOptions) {
    this.limits = { ...IMPORT_LIMITS, ...limits };
    this.#now = now;
    this.#forced = FORMATS.find(({ name }) => name === format);
  }

  take(piece: JsonChunk): void {
    if (piece.kind === "unread") {
      this.skip(piece.reason, piece.place);
      return;
    }
    const { value, place, continued, more } = piece;
    const depth = continued ? 0 : this.#closeTo(0);
    if (Array.isArray(value)) this.#list(value as readonly Json[], "", {}, place, { depth, continued, more });
    else if (isJsonObject(value))
      this.#object(value, undefined, this.#lines, place, { depth, continued, more });
    else this.skip("unknown-format", place);
  }

  *given(): Generator<ImportItem> {
    yield* this.#given.splice(0);
  }

  /** Ends what is open, step by step. */
  *end(): Generator<void> {
    this.#closeTo(0);
    this.#close(this.#lines);
    yield;
    for (const each of this.#shared.values()) {
      each.end();
      yield;
    }
  }

  *skipped(): Generator<ImportItem> {
    for (const [reason, { count, places }] of this.#skipped)
      yield { kind: "skipped", reason, message: SKIP_REASONS[reason], count, places };
  }

  give(transcript: Transcript): void {
    if (transcript.isEmpty) return;
    const { key, format, place } = transcript;
    const nth = this.#keys.get(key) ?? 0;
    if (this.#keys.size < MAX_KEYS) this.#keys.set(key, nth + 1);
    this.#given.push({ kind: "trace", trace: transcript.trace(nth, this.#now), format, place });
  }

  skip(reason: SkipReason, place: string, count = 1): void {
    const before = this.#skipped.get(reason) ?? { count: 0, places: [] };
    before.count += count;
    if (before.places.length < MAX_PLACES) before.places.push(place);
    this.#skipped.set(reason, before);
  }

  shared<State extends ImportState>(name: string, make: () => State): State {
    const state = this.#shared.get(name) ?? make();
    this.#shared.set(name, state);
    return state as State;
  }

  #object(value: JsonObject, list: string | undefined, group: Group, place: string, slice: Slice): void {
    const containers = this.#isRecord(value) ? [] : containersOf(value, list);
    if (containers.length === 0) {
      this.#record(group, value, place);
      return;
    }
    const head = without(value, containers);
    containers.forEach((key, index) => {
      const isFirst = index === 0;
      const isLast = index === containers.length - 1;
      const elements = value[key];
      if (Array.isArray(elements))
        this.#list(elements as readonly Json[], key, head, place, {
          depth: slice.depth,
          continued: isFirst ? slice.continued : isAnswer(containers, index),
          more: isLast ? slice.more : isAnswer(containers, index + 1),
        });
    });
  }

  #list(elements: readonly Json[], name: string, head: JsonObject, place: string, slice: Slice): void {
    const { depth, continued, more } = slice;
    if (!continued || this.#open.length <= depth) {
      this.#closeTo(depth);
      this.#open.push(newGroup(place));
    }
    const group = this.#open[depth];
    if (!group) return;
    group.head = { ...group.head, ...head };
    elements.forEach((element, index) => {
      const at = elements.length > 1 ? `${place}, ${name === "" ? "element" : name} ${index + 1}` : place;
      const inner = {
        depth: depth + 1,
        continued: continued && index === 0,
        more: more && index === elements.length - 1,
      };
      if (!inner.continued) this.#closeTo(depth + 1);
      if (isJsonObject(element)) this.#object(element, name, group, at, inner);
      else if (Array.isArray(element)) this.#list(element as readonly Json[], "", {}, at, inner);
      else this.skip("unknown-format", at);
    });
    if (!more) this.#closeTo(depth);
  }

  #closeTo(depth: number): number {
    while (this.#open.length > depth) {
      const group = this.#open.pop();
      if (group) this.#close(group);
    }
    return depth;
  }

  #isRecord(value: JsonObject): boolean {
    return (this.#forced ? [this.#forced] : FORMATS).some((format) => format.likeness(value) === 2);
  }

  #record(group: Group, record: JsonObject, place: string): void {
    const { reader, format } = group;
    if (
      reader &&
      format &&
      (group !== this.#lines || format === this.#forced || format.likeness(record) > 0)
    ) {
      reader.read(record, place);
      return;
    }
    const sure = this.#forced ?? FORMATS.find((each) => each.likeness(record) === 2);
    // In a file of lines another format may begin; a line that no format knows is for the one that is being read.
    if (reader && (sure === undefined || sure === format)) {
      reader.read(record, place);
      return;
    }
    group.waiting.push({ record, place });
    if (sure) this.#begin(group, sure);
    else if (group.waiting.length >= MAX_WAITING) this.#begin(group, likeliest(group, this.#last));
  }

  #begin(group: Group, format: TraceFormat | undefined): void {
    const waiting = group.waiting.splice(0);
    if (!format) {
      for (const { place } of waiting) this.skip("unknown-format", place);
      return;
    }
    group.reader?.close({});
    group.format = format;
    this.#last = format;
    const reader = format.open(this, waiting[0]?.place ?? group.place);
    group.reader = reader;
    for (const { record, place } of waiting) reader.read(record, place);
  }

  #close(group: Group): void {
    if (group.waiting.length > 0) this.#begin(group, this.#forced ?? likeliest(group, this.#last));
    // A document that holds no call at all may still tell a task.
    else if (!group.reader && "task" in group.head && "id" in group.head)
      this.#begin(group, this.#forced ?? PLAIN_CALLS);
    group.reader?.close(group.head);
    group.reader = undefined;
  }
}

interface Slice {
  /** How many lists are around. */
  readonly depth: number;
  readonly continued: boolean;
  readonly more: boolean;
}

const MAX_KEYS = 500_000;

function newGroup(place: string): Group {
  return { place, head: {}, format: undefined, reader: undefined, waiting: [] };
}

function containersOf(value: JsonObject, list: string | undefined): readonly string[] {
  return Object.keys(value).filter((key) => {
    const elements = isContainer(key, list) ? value[key] : undefined;
    return (
      Array.isArray(elements) && elements.every((element) => typeof element === "object" && element !== null)
    );
  });
}

/** What a model was given and what it answered are one conversation. */
function isAnswer(containers: readonly string[], index: number): boolean {
  return containers[index - 1] === "input" && containers[index] === "output";
}

function without(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function likeliest(group: Group, last: TraceFormat | undefined): TraceFormat | undefined {
  let best: TraceFormat | undefined;
  let most = 0;
  for (const format of FORMATS) {
    const sum = group.waiting.reduce(
      (total, { record }) => total + format.likeness(record),
      format === last ? 0.1 : 0,
    );
    if (sum > most && sum > 0.1) [best, most] = [format, sum];
  }
  return best;
}
