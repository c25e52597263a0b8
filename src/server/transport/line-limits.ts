import { JsonMeter } from "../../core/json/json-meter.ts";

/** A line that holds too much. */
export interface RefusedLine {
  readonly excess: string;
  /** Of the request, where it can be told without parsing it. */
  readonly id: number | string | null;
}

const NEWLINE = 0x0a;

/** The lines that are within the limits of messages, whole; others are dropped while they come in. */
export async function* linesWithinLimits(
  input: AsyncIterable<Buffer>,
  refuse: (line: RefusedLine) => void,
): AsyncGenerator<Buffer> {
  let line = new Line();
  for await (const chunk of input) {
    for (let start = 0; start < chunk.byteLength;) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.byteLength : newline + 1;
      line.add(chunk.subarray(start, end));
      start = end;
      if (newline === -1) break;
      const { excess, id } = line;
      if (excess === undefined) yield line.content;
      else refuse({ excess, id });
      line = new Line();
    }
  }
  // What ends without a newline is a line, too.
  const { excess, id, content } = line;
  if (excess !== undefined) refuse({ excess, id });
  else if (content.byteLength > 0) yield Buffer.concat([content, Buffer.from("\n")]);
}

class Line {
  readonly #meter = new JsonMeter();
  #parts: Buffer[] = [];
  #head = "";
  #tail = "";
  excess: string | undefined;

  add(part: Buffer): void {
    if (this.excess === undefined) {
      this.excess = this.#meter.read(part);
      this.#parts.push(part);
      if (this.excess !== undefined) {
        this.#head = this.content.subarray(0, ENDS_BYTES).toString();
        this.#parts = [];
      }
    }
    if (this.excess !== undefined)
      this.#tail = (this.#tail + part.subarray(-ENDS_BYTES).toString()).slice(-ENDS_BYTES);
  }

  get content(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** Clients write the id first or last. */
  get id(): number | string | null {
    const found = ID_FIRST.exec(this.#head) ?? ID_LAST.exec(this.#tail);
    return found?.[1] === undefined ? null : (JSON.parse(found[1]) as number | string);
  }
}

const ENDS_BYTES = 200;
const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*,/;
const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*\}\s*$/;
