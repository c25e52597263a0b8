/** What a JSON message may hold at most: as much as is read in a few tens of milliseconds, whatever its shape. */
export const MESSAGE_LIMITS = {
  bytes: 4 * 1024 * 1024,
  /** Levels of objects and lists. */
  depth: 512,
  /** Properties, elements, objects and lists. */
  values: 100_000,
  /** Properties of different names. */
  names: 5000,
} as const;

export const TOO_LONG = tooLong(MESSAGE_LIMITS.bytes);

function tooLong(bytes: number): string {
  return `has more than ${bytes} bytes`;
}

/** Counts what JSON text holds while it comes in, without making anything of it. */
export class JsonMeter {
  #bytes = 0;
  #depth = 0;
  #values = 0;
  #isText = false;
  #isEscaped = false;
  #hash = SEED;
  #length = 0;
  /** A hash of each name; two names may be taken for one, which is seldom and does no harm. */
  readonly #names = new Set<number>();
  readonly #maxBytes: number;

  constructor(maxBytes: number = MESSAGE_LIMITS.bytes) {
    this.#maxBytes = maxBytes;
  }

  /** Says what of the text so far is too much, or nothing. */
  read(chunk: Uint8Array): string | undefined {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#maxBytes) return tooLong(this.#maxBytes);
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isText) at = this.#endOfText(chunk, at);
      else if (!this.#take(chunk[at] ?? 0)) return `is nested deeper than ${MESSAGE_LIMITS.depth} levels`;
    }
    if (this.#values > MESSAGE_LIMITS.values) return `holds more than ${MESSAGE_LIMITS.values} values`;
    if (this.#names.size > MESSAGE_LIMITS.names)
      return `has properties of more than ${MESSAGE_LIMITS.names} different names`;
    return undefined;
  }

  /** Gives whether it is not too deep. */
  #take(byte: number): boolean {
    switch (byte) {
      case QUOTE:
        this.#isText = true;
        this.#hash = SEED;
        this.#length = 0;
        return true;
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#values++;
        this.#depth++;
        return this.#depth <= MESSAGE_LIMITS.depth;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        this.#depth--;
        return true;
      case COMMA:
        this.#values++;
        return true;
      case COLON:
        if (this.#names.size <= MESSAGE_LIMITS.names) this.#names.add(this.#hash);
        return true;
      default:
        return true;
    }
  }

  /** Follows a text to its closing quote, or to the end of the chunk. */
  #endOfText(chunk: Uint8Array, start: number): number {
    let hash = this.#hash;
    let isEscaped = this.#isEscaped;
    let at = start;
    const hashed = start + NAME_BYTES - this.#length;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (at < hashed) hash = Math.imul(hash ^ byte, PRIME);
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#isText = false;
        break;
      }
    }
    this.#length = Math.min(NAME_BYTES, this.#length + at - start);
    this.#hash = hash;
    this.#isEscaped = isEscaped;
    return at;
  }
}

/** Names are told apart by so many bytes: there are not many longer ones in a message. */
const NAME_BYTES = 128;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Of FNV-1a; the start is this process's own, so that no one can make names that look alike. */
const PRIME = 0x01000193;
const SEED = Math.floor(Math.random() * 2 ** 32);
