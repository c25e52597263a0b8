import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Trace } from "../../core/trace-event.ts";
import { AG2 } from "./formats/chat/ag2.ts";
import { AI_SDK } from "./formats/ai-sdk.ts";
import { ANTHROPIC } from "./formats/anthropic.ts";
import { CLAUDE_CODE } from "./formats/claude-code.ts";
import { isContainer } from "./reading/document-scanner.ts";
import { EXECUTION_EVENTS } from "./formats/execution-events.ts";
import type { ImportState, ImportContext, RecordReader, TraceFormat } from "./format.ts";
import { roughSize } from "./reading/bounded-value.ts";
import { JsonReader, type JsonChunk } from "./reading/json-reader.ts";
import { GEMINI_CLI } from "./formats/gemini-cli.ts";
import { LANGCHAIN } from "./formats/chat/langchain.ts";
import { LANGFUSE } from "./formats/langfuse.ts";
import { LANGSMITH } from "./formats/langsmith.ts";
import { IMPORT_LIMITS, type ImportLimits, SKIP_REASONS, type SkipReason } from "./reading/limits.ts";
import { MCP_LOG } from "./formats/mcp-log.ts";
import { OPENAI_AGENTS } from "./formats/openai-agents.ts";
import { OPENAI_CHAT } from "./formats/chat/openai-chat.ts";
import { OPENAI_RESPONSES } from "./formats/openai-responses.ts";
import { OTLP } from "./formats/otlp.ts";
import { PLAIN_CALLS } from "./formats/plain-calls.ts";
import { SWE_AGENT } from "./formats/chat/swe-agent.ts";
import { judgementIn } from "./reading/judgement-in.ts";
import { REPERTOIRE } from "./formats/repertoire.ts";
import type { Transcript } from "./transcript.ts";

const FORMATS: readonly TraceFormat[] = [
  REPERTOIRE,
  OPENAI_CHAT,
  CLAUDE_CODE,
  ANTHROPIC,
  MCP_LOG,
  OTLP,
  LANGSMITH,
  LANGFUSE,
  OPENAI_RESPONSES,
  OPENAI_AGENTS,
  AG2,
  LANGCHAIN,
  AI_SDK,
  SWE_AGENT,
  GEMINI_CLI,
  EXECUTION_EVENTS,
  PLAIN_CALLS,
];

export type ImportItem =
  | {
      readonly kind: "trace";
      readonly trace: Trace;
      readonly format: string;
      readonly place: string;
      /** Runs that may have been imported before with some of these events: see `ImportRecorder`. */
      readonly elsewhere: readonly string[];
    }
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
}

/** One of the inputs of an import, such as a file. */
export interface ImportInput {
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Stands before the places in it. */
  readonly name?: string;
  /** Stands where a transcript tells no time: milliseconds since 1970. */
  readonly now?: number;
}

/** The traces of one input, as `importAll` gives them. */
export async function* importTraces(
  chunks: ImportInput["chunks"],
  { now, ...options }: ImportOptions & Pick<ImportInput, "now"> = {},
): AsyncGenerator<ImportItem, void, undefined> {
  yield* importAll([{ chunks, ...(now === undefined ? {} : { now }) }], options);
}

/**
 * Reads transcripts in the formats of other programs, from JSON or JSON Lines of any size, in bounded memory: what
 * several inputs tell of the same run becomes one trace. Gives each trace as soon as it is complete and, at the end,
 * what was not used, by reason. Never throws for the content.
 */
export async function* importAll(
  inputs: AsyncIterable<ImportInput> | Iterable<ImportInput>,
  options: ImportOptions = {},
): AsyncGenerator<ImportItem, void, undefined> {
  const importing = new Import(options);
  for await (const input of inputs) {
    importing.begin(input);
    const reader = new JsonReader(importing.limits);
    for await (const chunk of input.chunks) {
      for (const piece of reader.push(chunk)) {
        importing.take(piece);
        yield* importing.given();
      }
    }
    for (const piece of reader.end()) {
      importing.take(piece);
      yield* importing.given();
    }
    importing.endInput();
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
  /** The first records, by all of which the format is decided. */
  readonly waiting: WaitingRecord[];
  /** Characters of these, roughly. */
  waitingSize: number;
}

interface WaitingRecord {
  readonly record: JsonObject;
  readonly place: string;
}

/** A format is decided when so many records are there, or the list has ended. */
const WINDOW = { records: 1000, size: 1 << 20 };
const MAX_PLACES = 5;

class Import implements ImportContext {
  readonly limits: ImportLimits;
  now = Date.now();
  readonly #forced: TraceFormat | undefined;
  #name = "";
  #lines: Group = newGroup("line 1");
  /** How many values of the input were taken, or told why they are not. */
  #told = 0;
  #traces = 0;
  /** The lists around what is read, outermost first, while a document goes on in another slice. */
  readonly #open: Group[] = [];
  readonly #given: ImportItem[] = [];
  readonly #shared = new Map<string, ImportState>();
  readonly #skipped = new Map<SkipReason, { count: number; readonly places: string[] }>();
  readonly #keys = new Map<string, number>();
  #last: TraceFormat | undefined;
  /** The other members of the document whose list has ended. */
  #closing: JsonObject = {};

  constructor({ format, limits }: ImportOptions) {
    this.limits = { ...IMPORT_LIMITS, ...limits };
    this.#forced = FORMATS.find(({ name }) => name === format);
  }

  begin({ name = "", now = Date.now() }: ImportInput): void {
    this.#name = name;
    this.now = now;
    this.#lines = newGroup(this.#placeOf("line 1"));
    this.#told = 0;
    this.#keys.clear();
  }

  take(piece: JsonChunk): void {
    const place = this.#placeOf(piece.place);
    if (piece.kind === "unread") {
      this.skip(piece.reason, place);
      return;
    }
    const { value, continued, more } = piece;
    const depth = continued ? 0 : this.#closeTo(0);
    if (Array.isArray(value)) this.#list(value as readonly Json[], "", {}, place, { depth, continued, more });
    else if (isJsonObject(value))
      this.#object(value, undefined, this.#lines, place, { depth, continued, more });
    else this.skip("unknown-format", place);
  }

  *given(): Generator<ImportItem> {
    yield* this.#given.splice(0);
  }

  endInput(): void {
    this.#closeTo(0);
    this.#close(this.#lines);
    if (this.#told === 0) this.skip("nothing", this.#placeOf("line 1"));
  }

  #placeOf(place: string): string {
    return this.#name === "" ? place : `${this.#name}, ${place}`;
  }

  /** Ends what is open over all inputs, step by step. */
  *end(): Generator<void> {
    for (const each of this.#shared.values()) {
      each.end();
      yield;
    }
    // That there is nothing has a reason, too.
    if (this.#traces === 0 && this.#skipped.size === 0) this.skip("nothing", this.#placeOf("line 1"));
  }

  *skipped(): Generator<ImportItem> {
    for (const [reason, { count, places }] of this.#skipped)
      yield { kind: "skipped", reason, message: SKIP_REASONS[reason], count, places };
  }

  give(transcript: Transcript): void {
    transcript.judgement ??= judgementIn(this.#closing);
    const { key, format, place, elsewhere } = transcript;
    if (transcript.isEmpty) {
      this.skip("nothing", place);
      return;
    }
    const nth = transcript.hasStepIds ? 0 : (this.#keys.get(key) ?? 0);
    if (this.#keys.size < MAX_KEYS) this.#keys.set(key, nth + 1);
    this.#traces++;
    this.#given.push({ kind: "trace", trace: transcript.trace(nth), format, place, elsewhere });
  }

  giveTrace(trace: Trace, format: string, place: string): void {
    this.#traces++;
    this.#given.push({ kind: "trace", trace, format, place, elsewhere: [] });
  }

  skip(reason: SkipReason, place: string, count = 1): void {
    this.#told++;
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
    const isRecord = this.#isRecord(value);
    const containers = isRecord ? [] : containersOf(value, list);
    if (containers.length === 0) {
      const inner = isRecord ? undefined : conversationIn(value);
      if (inner) this.#object(inner, list, group, place, slice);
      else this.#record(group, value, place);
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
    this.#told++;
    if (group.reader) {
      this.#read(group, record, place);
      return;
    }
    group.waiting.push({ record, place });
    group.waitingSize += roughSize(record, 8);
    if (group.waiting.length >= WINDOW.records || group.waitingSize >= WINDOW.size) this.#decide(group);
  }

  /** Reads the first records of a list as what they are together. */
  #decide(group: Group): void {
    const waiting = group.waiting.splice(0);
    group.waitingSize = 0;
    const format = this.#forced ?? likeliest(waiting, this.#last);
    for (const { record, place } of waiting) {
      if (format) this.#read(group, record, place, format);
      else this.skip("unknown-format", place);
    }
  }

  #read(group: Group, record: JsonObject, place: string, likely = group.format): void {
    const next = this.#formatOf(group, record, likely);
    if (next && next !== group.format) this.#begin(group, next, place);
    group.reader?.read(record, place);
  }

  /** In a file of lines another format may begin; a line that no format knows is for the one that is being read. */
  #formatOf(group: Group, record: JsonObject, likely: TraceFormat | undefined): TraceFormat | undefined {
    const isKnown = (format: TraceFormat | undefined): boolean => (format?.likeness(record) ?? 0) > 0;
    if (this.#forced) return this.#forced;
    if (group !== this.#lines) return group.format ?? likely;
    if (isKnown(group.format)) return group.format;
    if (isKnown(likely)) return likely;
    return FORMATS.find((each) => each.likeness(record) === 2) ?? group.format ?? likely;
  }

  #begin(group: Group, format: TraceFormat, place: string): void {
    group.reader?.close({});
    group.format = format;
    this.#last = format;
    group.reader = format.open(this, place);
  }

  #close(group: Group): void {
    if (group.waiting.length > 0) this.#decide(group);
    // A document that holds no call at all may still tell a task.
    else if (!group.reader && "task" in group.head && "id" in group.head) {
      this.#told++;
      this.#begin(group, this.#forced ?? PLAIN_CALLS, group.place);
    }
    this.#closing = group.head;
    group.reader?.close(group.head);
    this.#closing = {};
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
  return { place, head: {}, format: undefined, reader: undefined, waiting: [], waitingSize: 0 };
}

function containersOf(value: JsonObject, list: string | undefined): readonly string[] {
  return Object.keys(value).filter((key) => {
    const elements = isContainer(key, list) ? value[key] : undefined;
    return (
      Array.isArray(elements) && elements.every((element) => typeof element === "object" && element !== null)
    );
  });
}

/** The only member that holds a conversation, as answers and states of agents do, with the other members at its side. */
function conversationIn(value: JsonObject): JsonObject | undefined {
  const [only, ...others] = Object.keys(value).filter((key) => {
    const inner = value[key];
    return isJsonObject(inner) && CONVERSATIONS.some((name) => Array.isArray(inner[name]));
  });
  const inner = only === undefined ? undefined : value[only];
  if (only === undefined || others.length > 0 || !isJsonObject(inner)) return undefined;
  return { ...without(value, [only]), ...inner };
}

const CONVERSATIONS = ["messages", "chat_history", "history"];

/** What a model was given and what it answered are one conversation. */
function isAnswer(containers: readonly string[], index: number): boolean {
  return containers[index - 1] === "input" && containers[index] === "output";
}

function without(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/**
 * What records are together: the format that most of them show to be it, where each other only may be; else the one that
 * they look like most.
 */
function likeliest(
  waiting: readonly WaitingRecord[],
  last: TraceFormat | undefined,
): TraceFormat | undefined {
  const sums = FORMATS.map((format) => ({ format, shown: 0, sum: format === last ? 0.1 : 0 }));
  for (const { record } of waiting) {
    const likenesses = FORMATS.map((format) => format.likeness(record));
    const sure = likenesses.filter((likeness) => likeness === 2).length;
    sums.forEach((each, index) => {
      const likeness = likenesses[index] ?? 0;
      each.sum += likeness;
      if (likeness === 2 && sure === 1) each.shown++;
    });
  }
  const [best] = sums.toSorted((a, b) => b.shown - a.shown || b.sum - a.sum);
  return best && best.sum > 0.1 ? best.format : undefined;
}
