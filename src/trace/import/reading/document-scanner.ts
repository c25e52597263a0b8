import { exactJson } from "../../../core/json/exact-json.ts";
import { isUtf8 } from "node:buffer";
import type { Json } from "../../../core/json/json.ts";
import type { JsonChunk } from "./json-reader.ts";
import type { JsonFaults } from "../json-faults.ts";
import type { ImportLimits, SkipReason } from "./limits.ts";

/** What became of the document in the bytes so far. `used` bytes need not be given again. */
export type Scanned =
  | { readonly kind: "open" | "ended"; readonly used: number; readonly line: number }
  | { readonly kind: "broken"; readonly used: number; readonly line: number; readonly isInLine: boolean };

/** An object or a list that leads to records, or holds them. */
interface Level {
  readonly isList: boolean;
  /** A list's own name; an object's list, or nothing where it is the document. */
  readonly list: string | undefined;
  /** The member of an object that is being read. */
  key: string;
}

interface Cut {
  readonly at: number;
  readonly closers: string;
}

/** A document is given slice by slice from this size on. */
const SLICE = 1 << 20;

/** Nesting of what is read at all. */
const MAX_LEVELS = 500;

const QUOTE = 0x22;

const BACKSLASH = 0x5c;

const COMMA = 0x2c;

const COLON = 0x3a;

const NEWLINE = 0x0a;

const OPEN_OBJECT = 0x7b;

const CLOSE_OBJECT = 0x7d;

const OPEN_LIST = 0x5b;

const CLOSE_LIST = 0x5d;

/**
 * Finds where a JSON document ends, and cuts one that is too large to be held, or that is broken, between the
 * elements of its lists of records, so that each slice is a document of the same shape.
 */
export class DocumentScanner {
  readonly #limits: ImportLimits;
  readonly #levels: Level[] = [];
  /** Whether each level below those is a list. */
  readonly #below: boolean[] = [];
  readonly #faults: JsonFaults;
  #line: number;
  #startLine: number;
  /** Where the scan goes on, where the slice begins, where the line begins, in the bytes of the next scan. */
  #at = 0;
  #start = 0;
  #lineStart = -1;
  #keyStart = -1;
  #isInString = false;
  #isEscaped = false;
  #expectsKey = false;
  #isAfterValue = false;
  /** What a slice that goes on has to open first. */
  #opening = "";
  #cut: Cut | undefined;
  /** How many levels are open where the element that is dropped stands. */
  #dropsIn: number | undefined;
  #values = 0;

  constructor(limits: ImportLimits, line: number, faults: JsonFaults) {
    this.#limits = limits;
    this.#faults = faults;
    this.#line = line;
    this.#startLine = line;
  }

  /** `bytes` begin with those that were given before and not used. */
  scan(bytes: Buffer, isEnd: boolean, pieces: JsonChunk[]): Scanned {
    while (this.#at < bytes.length) {
      if (this.#isInString) {
        if (!this.#skipString(bytes)) return this.#broken(bytes, pieces);
        continue;
      }
      const byte = bytes[this.#at] ?? 0;
      switch (byte) {
        case QUOTE:
          this.#isInString = true;
          this.#keyStart =
            this.#expectsKey && this.#below.length === 0 && this.#dropsIn === undefined ? this.#at : -1;
          break;
        case OPEN_OBJECT:
        case OPEN_LIST:
          if (this.#expectsKey || this.#isAfterValue) return this.#broken(bytes, pieces);
          this.#open(byte === OPEN_LIST, bytes, pieces);
          break;
        case CLOSE_OBJECT:
        case CLOSE_LIST:
          if (!this.#close(byte === CLOSE_LIST)) return this.#broken(bytes, pieces);
          if (this.#levels.length === 0) return this.#ended(bytes, pieces);
          break;
        case COMMA:
          this.#comma(bytes, pieces);
          break;
        case COLON:
          this.#expectsKey = false;
          this.#isAfterValue = false;
          break;
        case NEWLINE:
          this.#line++;
          this.#lineStart = this.#at + 1;
          break;
        default:
          if (byte > 0x20) this.#isAfterValue = true;
      }
      this.#at++;
    }
    return isEnd ? this.#truncated(bytes, pieces) : this.#opened(bytes, pieces);
  }

  /** Whether it is a string so far: JSON has no line break in a string. */
  #skipString(bytes: Buffer): boolean {
    let at = this.#at;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE || byte === NEWLINE) break;
    }
    this.#at = at;
    if (at === bytes.length) return true;
    if (bytes[at] === NEWLINE) return false;
    const level = this.#levels.at(-1);
    if (this.#keyStart !== -1 && level) level.key = bytes.toString("utf8", this.#keyStart + 1, at);
    this.#keyStart = -1;
    this.#isInString = false;
    this.#isAfterValue = true;
    this.#at++;
    return true;
  }

  #open(isList: boolean, bytes: Buffer, pieces: JsonChunk[]): void {
    this.#values++;
    this.#expectsKey = !isList;
    const parent = this.#levels.at(-1);
    if (this.#below.length > 0 || (parent && !leads(parent, isList))) {
      this.#below.push(isList);
      if (this.#below.length > MAX_LEVELS) this.#drop("too-deep", bytes, pieces);
      return;
    }
    this.#levels.push({ isList, list: isList ? (parent?.key ?? "") : parent?.list, key: "" });
    // A list may be cut before its first element, so that what stands around it is saved.
    if (isList) this.#setCut();
  }

  #close(isList: boolean): boolean {
    this.#expectsKey = false;
    this.#isAfterValue = true;
    if (this.#below.length > 0) {
      if (this.#below.pop() !== isList) return false;
    } else {
      // The slice that begins here is the end of the list in which an element was dropped.
      if (this.#levels.length === this.#dropsIn) this.#restart(this.#at);
      if (this.#levels.pop()?.isList !== isList) return false;
    }
    if (this.#below.length === 0 && this.#levels.at(-1)?.isList) this.#setCut();
    return true;
  }

  #setCut(): void {
    if (this.#dropsIn === undefined) this.#cut = { at: this.#at + 1, closers: this.#closers() };
  }

  #comma(bytes: Buffer, pieces: JsonChunk[]): void {
    this.#values++;
    this.#isAfterValue = false;
    const level = this.#levels.at(-1);
    this.#expectsKey = !(this.#below.at(-1) ?? level?.isList);
    if (this.#below.length > 0 || !level?.isList) return;
    if (this.#dropsIn !== undefined) {
      if (this.#dropsIn === this.#levels.length) this.#restart(this.#at + 1);
      return;
    }
    this.#values = 0;
    if (this.#at - this.#start < SLICE) return;
    this.#give(bytes, { at: this.#at, closers: this.#closers() }, true, pieces);
    this.#restart(this.#at + 1);
  }

  /** Begins a slice in the midst of the lists that are open. */
  #restart(at: number): void {
    this.#start = at;
    this.#startLine = this.#line;
    this.#cut = undefined;
    this.#dropsIn = undefined;
    this.#values = 0;
    this.#opening = this.#levels
      .map(({ isList, key }) => (isList ? "[" : `{${JSON.stringify(key)}:`))
      .join("");
  }

  #closers(): string {
    return this.#levels.map(({ isList }) => (isList ? "]" : "}")).reduce((all, each) => each + all, "");
  }

  /** Leaves out the element that is being read, or, outside every list of records, the rest of the document. */
  #drop(reason: SkipReason, bytes: Buffer, pieces: JsonChunk[]): void {
    if (this.#dropsIn !== undefined) return;
    const depth = this.#levels.findLastIndex(({ isList }) => isList) + 1;
    if (this.#cut) this.#give(bytes, this.#cut, depth > 0, pieces);
    pieces.push({ kind: "unread", reason, place: this.#place() });
    this.#cut = undefined;
    this.#dropsIn = depth;
  }

  #opened(bytes: Buffer, pieces: JsonChunk[]): Scanned {
    if (bytes.length - this.#start > this.#limits.valueBytes || this.#values > this.#limits.values)
      this.#drop("too-large", bytes, pieces);
    const used = this.#dropsIn === undefined ? this.#start : bytes.length;
    this.#at -= used;
    this.#start = Math.max(0, this.#start - used);
    this.#lineStart -= used;
    this.#keyStart = this.#keyStart === -1 ? -1 : this.#keyStart - used;
    if (this.#cut) this.#cut = { ...this.#cut, at: this.#cut.at - used };
    return { kind: "open", used, line: this.#line };
  }

  #ended(bytes: Buffer, pieces: JsonChunk[]): Scanned {
    const used = this.#at + 1;
    if (this.#dropsIn === undefined) this.#give(bytes, { at: used, closers: "" }, false, pieces);
    return { kind: "ended", used, line: this.#line };
  }

  #truncated(bytes: Buffer, pieces: JsonChunk[]): Scanned {
    this.#save("truncated", bytes, pieces);
    return { kind: "ended", used: bytes.length, line: this.#line };
  }

  #broken(bytes: Buffer, pieces: JsonChunk[]): Scanned {
    this.#save("not-json", bytes, pieces);
    if (bytes[this.#at] === NEWLINE)
      return { kind: "broken", used: this.#at + 1, line: this.#line + 1, isInLine: false };
    // The line in which it breaks may be whole, unless it is the one in which the document began.
    const isInLine = this.#lineStart <= this.#start;
    return { kind: "broken", used: isInLine ? this.#at : this.#lineStart, line: this.#line, isInLine };
  }

  #save(reason: SkipReason, bytes: Buffer, pieces: JsonChunk[]): void {
    if (this.#dropsIn !== undefined) return;
    if (this.#cut) this.#give(bytes, this.#cut, false, pieces);
    const place = `line ${this.#line}`;
    const end = bytes.indexOf(NEWLINE, this.#at);
    pieces.push({
      kind: "unread",
      reason,
      place: reason === "not-json" ? this.#faultIn(bytes, end === -1 ? bytes.length : end, place) : place,
    });
  }

  /** Where a slice that something was opened for begins, and so where its fault is, is not known. */
  #faultIn(bytes: Buffer, end: number, place: string): string {
    if (this.#opening !== "") return place;
    return this.#faults.placeIn(bytes.subarray(this.#start, end), this.#startLine, place);
  }

  #give(bytes: Buffer, cut: Cut, more: boolean, pieces: JsonChunk[]): void {
    const slice = bytes.subarray(this.#start, cut.at);
    const place = this.#place();
    const value = parsed(this.#opening + slice.toString("utf8") + cut.closers);
    if (value === undefined) {
      pieces.push({ kind: "unread", reason: "not-json", place: this.#faultIn(bytes, cut.at, place) });
      return;
    }
    if (!isUtf8(slice)) pieces.push({ kind: "unread", reason: "not-utf8", place });
    pieces.push({ kind: "value", value, place, continued: this.#opening !== "", more });
  }

  #place(): string {
    return this.#startLine === this.#line ? `line ${this.#line}` : `lines ${this.#startLine}–${this.#line}`;
  }
}

function parsed(text: string): Json | undefined {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

/** Whether what opens within this level leads to records, or holds them. */
function leads({ isList, list, key }: Level, opensList: boolean): boolean {
  if (isList) return !opensList && holdsDocuments(list ?? "");
  return opensList && isContainer(key, list);
}

/** Members that hold a list of records, where they stand in the document's own object. */
const OF_DOCUMENT: ReadonlySet<string> = new Set([
  "messages",
  "chat_history",
  "history",
  "traj",
  "steps",
  "calls",
  "resourceSpans",
  "spans",
  "data",
  "runs",
  "observations",
  "traces",
  "conversations",
  "execution_events",
  "events",
  "items",
  "input",
  "output",
]);

/** The same, where they stand in an element of a list of documents. */
const OF_ELEMENT: ReadonlySet<string> = new Set([
  "messages",
  "chat_history",
  "history",
  "traj",
  "steps",
  "calls",
  "observations",
  "resourceSpans",
  "scopeSpans",
  "spans",
]);

/** Lists whose elements may be documents; "" is a list that is itself the document. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set([
  "",
  "data",
  "traces",
  "conversations",
  "resourceSpans",
  "scopeSpans",
]);

/** Whether the member `key` of an object that stands in `list` (undefined: it is the document) is a list of records. */
export function isContainer(key: string, list: string | undefined): boolean {
  return list === undefined ? OF_DOCUMENT.has(key) : holdsDocuments(list) && OF_ELEMENT.has(key);
}

/** Whether the elements of this list may hold lists of records. */
function holdsDocuments(list: string): boolean {
  return OF_DOCUMENTS.has(list);
}
