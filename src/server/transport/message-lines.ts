import { JsonMeter, MESSAGE_LIMITS } from "../../core/json/json-meter.ts";

/** A line that holds too much. */
export interface RefusedLine {
  readonly excess: string;
  /** Of the request, where it can be told without parsing it. */
  readonly id: number | string | null;
}

/** The lines that are within the limits of messages, whole; others are dropped while they come in. */
export class MessageLines {
  readonly #pass: (line: Buffer) => void;
  readonly #refuse: (line: RefusedLine) => void;
  #line = new Line();

  constructor(pass: (line: Buffer) => void, refuse: (line: RefusedLine) => void) {
    this.#pass = pass;
    this.#refuse = refuse;
  }

  read(chunk: Buffer): void {
    for (let start = 0; start < chunk.byteLength;) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.byteLength : newline + 1;
      const part = chunk.subarray(start, end);
      start = end;
      if (newline !== -1 && this.#line.isEmpty && part.byteLength <= SHORT_BYTES) {
        this.#pass(part);
        continue;
      }
      this.#line.add(part);
      if (newline !== -1) this.#end();
    }
  }

  /** What ends without a newline is a line, too. */
  end(): void {
    if (!this.#line.isEmpty) this.#end();
  }

  #end(): void {
    const { excess, id, content } = this.#line;
    this.#line = new Line();
    if (excess === undefined) this.#pass(content);
    else this.#refuse({ excess, id });
  }
}

const NEWLINE = 0x0a;
/** What is no longer holds too much of nothing. */
const SHORT_BYTES = MESSAGE_LIMITS.depth;

class Line {
  readonly #meter = new JsonMeter();
  /** Its first part or, where it comes in several, room for what has come, which doubles. */
  #held: Buffer = NOTHING;
  #length = 0;
  #head = "";
  #tail = "";
  excess: string | undefined;

  add(part: Buffer): void {
    if (this.excess === undefined) {
      this.excess = this.#meter.read(part);
      this.#hold(part);
      if (this.excess !== undefined) {
        this.#head = this.content.subarray(0, ENDS_BYTES).toString();
        this.#held = NOTHING;
      }
    }
    if (this.excess !== undefined)
      this.#tail = (this.#tail + part.subarray(-ENDS_BYTES).toString()).slice(-ENDS_BYTES);
  }

  // A part keeps all the memory that it was read into.
  #hold(part: Buffer): void {
    const length = this.#length + part.byteLength;
    if (this.#length === 0) this.#held = part;
    else {
      if (length > this.#held.byteLength) {
        const room = Buffer.allocUnsafeSlow(length * 2);
        this.#held.copy(room, 0, 0, this.#length);
        this.#held = room;
      }
      part.copy(this.#held, this.#length);
    }
    this.#length = length;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  get content(): Buffer {
    return this.#held.subarray(0, this.#length);
  }

  /** Clients write the id first or last. */
  get id(): number | string | null {
    const found = ID_FIRST.exec(this.#head) ?? ID_LAST.exec(this.#tail);
    return found?.[1] === undefined ? null : (JSON.parse(found[1]) as number | string);
  }
}

const NOTHING = Buffer.alloc(0);

const ENDS_BYTES = 200;

const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*,/;

const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*\}\s*$/;
