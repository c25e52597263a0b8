import { exactJson } from "../../../core/json/exact-json.ts";
import { isUtf8 } from "node:buffer";
import type { Json } from "../../../core/json/json.ts";
import { DocumentScanner } from "./document-scanner.ts";
import { JsonFaults } from "../json-faults.ts";
import type { ImportLimits, SkipReason } from "./limits.ts";

/** A piece of the input: a line, a document, or a slice of a document that is too large to be held. */
export type JsonChunk =
  | {
      readonly kind: "value";
      readonly value: Json;
      readonly place: string;
      /** The slice goes on where the one before was cut. */
      readonly continued: boolean;
      /** The next slice goes on where this one is cut. */
      readonly more: boolean;
    }
  | { readonly kind: "unread"; readonly reason: SkipReason; readonly place: string };

const STEP = 1 << 18;

/** A first line longer than this is read as a document, slice by slice. */
const LONG_LINE = 1 << 20;

const MAX_BROKEN = 50_000;

const NEWLINE = 0x0a;

/**
 * Reads bytes as JSON Lines or as JSON documents, one after the other, whichever they are. Never throws for what
 * the bytes are; a broken line costs that line, a broken document what comes after the break in it.
 */
export class JsonReader {
  readonly #limits: ImportLimits;
  readonly #faults = new JsonFaults();
  readonly #queue = new ByteQueue();
  readonly #pieces: JsonChunk[] = [];
  #mode: "start" | "lines" | "document" = "start";
  #line = 1;
  /** How much of the queue has no newline. */
  #searched = 0;
  #skipsLine = false;
  #broken = 0;
  #scanner: DocumentScanner | undefined;

  constructor(limits: ImportLimits) {
    this.#limits = limits;
  }

  *push(chunk: Uint8Array): Generator<JsonChunk> {
    for (let start = 0; start < chunk.length; start += STEP) {
      this.#queue.push(chunk.subarray(start, start + STEP));
      this.#read(false);
      yield* this.#pieces.splice(0);
    }
  }

  *end(): Generator<JsonChunk> {
    this.#read(true);
    yield* this.#pieces.splice(0);
  }

  #read(isEnd: boolean): void {
    for (;;) {
      switch (this.#mode) {
        case "start":
          if (!this.#chooseMode(isEnd)) return;
          break;
        case "lines":
          this.#readLines(isEnd);
          return;
        case "document":
          if (!this.#readDocument(isEnd)) return;
          break;
      }
    }
  }

  #chooseMode(isEnd: boolean): boolean {
    this.#dropBlank();
    const bytes = this.#queue.bytes;
    const first = bytes[0];
    if (first === undefined) return false;
    if (first !== 0x7b && first !== 0x5b) {
      this.#mode = "lines";
      return true;
    }
    const newline = bytes.indexOf(NEWLINE);
    if (newline === -1 && !isEnd && bytes.length < LONG_LINE) return false;
    const isLine = newline !== -1 && newline < LONG_LINE && parsed(bytes.subarray(0, newline)) !== undefined;
    this.#mode = isLine ? "lines" : "document";
    if (!isLine) this.#scanner = new DocumentScanner(this.#limits, this.#line, this.#faults);
    this.#searched = 0;
    return true;
  }

  #dropBlank(): void {
    const bytes = this.#queue.bytes;
    let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    for (; at < bytes.length && isBlank(bytes[at]); at++) if (bytes[at] === NEWLINE) this.#line++;
    this.#queue.drop(at);
  }

  #readLines(isEnd: boolean): void {
    const bytes = this.#queue.bytes;
    let start = 0;
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, Math.max(start, this.#searched));
      if (newline === -1) break;
      if (this.#skipsLine) this.#skipsLine = false;
      else this.#readLine(bytes.subarray(start, newline));
      this.#line++;
      start = newline + 1;
    }
    this.#searched = bytes.length - start;
    if (isEnd && start < bytes.length && !this.#skipsLine) this.#readLastLine(bytes.subarray(start));
    else if (this.#searched > this.#limits.valueBytes || this.#skipsLine) this.#skipRest();
    const isEmptied = isEnd || this.#skipsLine;
    this.#queue.drop(isEmptied ? bytes.length : start);
    if (isEmptied) this.#searched = 0;
  }

  #skipRest(): void {
    if (!this.#skipsLine) this.#unread("too-large");
    this.#skipsLine = true;
  }

  #readLine(line: Buffer): void {
    if (isAllBlank(line)) return;
    const reason = line.length > this.#limits.valueBytes ? "too-large" : excess(line, this.#limits);
    if (reason !== undefined) {
      this.#unread(reason);
      return;
    }
    // A file with so many broken lines is something else: a try takes long.
    const value = this.#broken < MAX_BROKEN ? read(line) : undefined;
    if (value === undefined) {
      this.#broken++;
      this.#unread("not-json", this.#faults.placeIn(line, this.#line, `line ${this.#line}`));
    } else this.#value(value, line);
  }

  // Only here can a line be cut, so that its whole elements are worth saving.
  #readLastLine(line: Buffer): void {
    const value = excess(line, this.#limits) === undefined ? read(line) : undefined;
    if (value !== undefined) {
      this.#value(value, line);
      return;
    }
    if (isAllBlank(line)) return;
    const scanner = new DocumentScanner(this.#limits, this.#line, this.#faults);
    scanner.scan(line, true, this.#pieces);
  }

  #value(value: Json, bytes: Buffer): void {
    if (!isUtf8(bytes)) this.#unread("not-utf8");
    this.#pieces.push({
      kind: "value",
      value,
      place: `line ${this.#line}`,
      continued: false,
      more: false,
    });
  }

  #unread(reason: SkipReason, place = `line ${this.#line}`): void {
    this.#pieces.push({ kind: "unread", reason, place });
  }

  /** Whether the document has ended, in one way or the other. */
  #readDocument(isEnd: boolean): boolean {
    const scanner = this.#scanner;
    if (!scanner) return true;
    const bytes = this.#queue.bytes;
    const end = scanner.scan(bytes, isEnd, this.#pieces);
    this.#queue.drop(end.used);
    this.#line = end.line;
    if (end.kind === "open") return false;
    this.#scanner = undefined;
    this.#mode = end.kind === "broken" ? "lines" : "start";
    this.#skipsLine = end.kind === "broken" && end.isInLine;
    this.#searched = 0;
    return true;
  }
}

function parsed(bytes: Buffer): Json | undefined {
  // Only objects and lists are of use; most that is broken is seen at its ends.
  if (!isClosed(bytes)) return undefined;
  try {
    return exactJson(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function read(line: Buffer): Json | undefined {
  const value = parsed(line);
  return value === undefined ? logged(line) : value;
}

/** JSON-RPC within a line of a log: `2026-01-05T10:00:00.000Z [orders] [info] Message from client: {…}`. */
function logged(bytes: Buffer): Json | undefined {
  const start = bytes.indexOf("{");
  const end = bytes.lastIndexOf("}");
  if (start <= 0 || end < start || !bytes.includes('"jsonrpc"')) return undefined;
  const message = parsed(bytes.subarray(start, end + 1)) ?? beforeMetadata(bytes, start);
  if (message === undefined) return undefined;
  const text = bytes.toString("utf8", 0, Math.min(start, 300));
  const timestamp = /^\[?(\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)/.exec(text)?.[1];
  const server = /\[([\w.-]+)\]\s*\[\w+\]/.exec(text)?.[1];
  return { message, ...(timestamp ? { timestamp } : {}), ...(server ? { server } : {}) };
}

// Claude Desktop ends its lines with ` { metadata: undefined }`.
function beforeMetadata(bytes: Buffer, start: number): Json | undefined {
  const end = bytes.lastIndexOf("} {");
  return end > start ? parsed(bytes.subarray(start, end + 1)) : undefined;
}

function isClosed(bytes: Buffer): boolean {
  let start = 0;
  let end = bytes.length - 1;
  while (isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end])) end--;
  // Where a byte order mark stands before it, the first line is read as a document.
  return (bytes[start] === 0x7b && bytes[end] === 0x7d) || (bytes[start] === 0x5b && bytes[end] === 0x5d);
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

function isAllBlank(line: Buffer): boolean {
  for (const byte of line) if (!isBlank(byte)) return false;
  return true;
}

/** Why a line is not worth parsing: many small values take fifty times their bytes. A short line cannot hold many. */
function excess(line: Buffer, { values }: ImportLimits): SkipReason | undefined {
  if (line.length <= values) return undefined;
  let count = 0;
  let isInString = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (isInString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++;
  }
  return count > values ? "too-large" : undefined;
}

/** Bytes that are written at one end and dropped at the other, in one growing piece of memory. */
class ByteQueue {
  #memory = Buffer.allocUnsafe(1 << 16);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** Valid until the next `push`. */
  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end);
  }

  push(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#memory.length) this.#makeRoom(chunk.length);
    this.#memory.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  drop(count: number): void {
    this.#start += count;
    if (this.#start >= this.#end) this.#start = this.#end = 0;
  }

  #makeRoom(more: number): void {
    const needed = this.length + more;
    const memory =
      needed * 2 > this.#memory.length ? Buffer.allocUnsafe(Math.max(needed * 2, 1 << 16)) : this.#memory;
    this.#memory.copy(memory, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#memory = memory;
  }
}
