const KEPT_OF_LONG = 512;

/** A line of a stream; of one that is too long only its start and its end are known. */
export type Line =
  | { readonly kind: "line"; readonly text: string; readonly bytes: number }
  | { readonly kind: "too long"; readonly head: string; readonly tail: string; readonly bytes: number };

/** Cuts a stream into lines and holds no more of one than may be. */
export class MessageLines {
  readonly #mostBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #head = "";
  #tail = Buffer.alloc(0);

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes of the line that has not ended yet. */
  get openBytes(): number {
    return this.#bytes;
  }

  *add(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(10, start);
      if (end === -1) break;
      this.#take(chunk.subarray(start, end));
      yield this.#line();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= this.#mostBytes) {
      this.#parts.push(piece);
      return;
    }
    if (this.#parts.length > 0) {
      const whole = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#head = whole.toString("latin1", 0, KEPT_OF_LONG);
      this.#tail = whole.subarray(-KEPT_OF_LONG);
    }
    this.#tail = Buffer.from(
      Buffer.concat([this.#tail, piece.subarray(-KEPT_OF_LONG)]).subarray(-KEPT_OF_LONG),
    );
  }

  #line(): Line {
    const bytes = this.#bytes;
    const line: Line =
      bytes <= this.#mostBytes
        ? { kind: "line", text: Buffer.concat(this.#parts).toString("utf8"), bytes }
        : { kind: "too long", head: this.#head, tail: this.#tail.toString("latin1"), bytes };
    this.#parts = [];
    this.#bytes = 0;
    this.#head = "";
    this.#tail = Buffer.alloc(0);
    return line;
  }
}
