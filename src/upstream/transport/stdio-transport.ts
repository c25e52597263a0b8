import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { isJsonObject } from "../../core/json/json.ts";
import { JsonMeter } from "../../core/json/json-meter.ts";
import { type Child, NO_STOP_TIMEOUTS, startChild } from "./child.ts";
import { MessageRateGuard, TOO_MANY_MESSAGES } from "./message-rate-guard.ts";
import type { LastLines } from "./last-lines.ts";
import type { TransportConfig } from "../upstream-config.ts";

export interface StdioTransportOptions {
  readonly command: Extract<TransportConfig, { kind: "stdio" }>;
  readonly stderr: LastLines;
  /** A longer message is answered in its sender's place by an error. */
  readonly mostMessageBytes: number;
  /** Told once, why no more messages will come. */
  readonly onEnd: (reason: string) => void;
}

/** A code of our own for an answer that was too large to be read. */
export const TOO_LARGE = -32_090;

const NO_MESSAGE = -32_092;

const MAX_ID_CHARACTERS = 512;

const MAX_WAITING_BYTES = 32 * 2 ** 20;

const STDERR_BYTES = 256 * 1024;

const STDERR_EVERY_MS = 100;

/**
 * A child process that is spoken to over its stdin and stdout, and that cannot take more of us than it should: messages
 * and lines have a largest size, garbage is skipped, a flood ends it.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  // The SDK tells by this and `pid` that it has a child process before it, which may be silent for good reason.
  readonly stderr: LastLines;
  readonly #options: StdioTransportOptions;
  readonly #asked = new Set<string | number>();
  readonly #flood = new MessageRateGuard();
  readonly #lines: MessageLines;
  #child: Child | undefined;
  #isClosed = false;
  #fault: string | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.stderr = options.stderr;
    this.#lines = new MessageLines(options.mostMessageBytes);
  }

  get pid(): number | undefined {
    return this.#child?.process.pid;
  }

  async start(): Promise<void> {
    const started = await startChild(this.#options.command);
    if (!started.ok) throw new Error(started.error);
    const child = started.value;
    this.#child = child;
    child.process.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#followStderr(child);
    void child.ended.then((how) => this.#ended(how));
    if (this.#isClosed) await child.stop();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.process.stdin;
    if (!stdin?.writable) throw new Error("it has ended");
    if (stdin.writableLength > MAX_WAITING_BYTES) throw new Error("it does not read what it is sent");
    if ("method" in message && "id" in message && message.id !== undefined) this.#asked.add(message.id);
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#child?.stop();
  }

  #ended(how: string): void {
    this.#isClosed = true;
    this.#options.stderr.end();
    const words = this.#options.stderr.lines.slice(-3).join(" / ");
    this.#options.onEnd(this.#fault ?? (words === "" ? how : `${how}; its last words: ${words}`));
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    for (const line of this.#lines.add(chunk)) {
      this.#take(line);
      if (this.#isClosed) return;
    }
    const { openBytes } = this.#lines;
    if (openBytes > 16 * this.#options.mostMessageBytes) this.#endFor(`it sent a line of ${openBytes} bytes`);
  }

  #take(line: Line): void {
    const message =
      line.kind === "line"
        ? this.#messageOf(line.text)
        : refusedAnswer(line, `the answer has ${line.bytes} bytes`, this.#asked);
    if (line.kind === "too long" && message === undefined) {
      this.#endFor(`it sent a message of ${line.bytes} bytes`);
      return;
    }
    const isAnswer = message !== undefined && !("method" in message) && this.#isAwaited(message.id);
    if (!isAnswer && this.#flood.add(line.bytes)) {
      this.#endFor(TOO_MANY_MESSAGES);
      return;
    }
    if (message !== undefined) this.onmessage?.(message);
  }

  #messageOf(text: string): JSONRPCMessage | undefined {
    const excess = new JsonMeter(this.#options.mostMessageBytes).read(Buffer.from(text));
    if (excess === undefined) return messageOf(text, this.#asked);
    const ends = { head: text.slice(0, MAX_ID_CHARACTERS), tail: text.slice(-MAX_ID_CHARACTERS) };
    return refusedAnswer(ends, `the answer ${excess}`, this.#asked);
  }

  #isAwaited(id: string | number | undefined): boolean {
    return id !== undefined && this.#asked.delete(id);
  }

  #endFor(fault: string): void {
    this.#fault = fault;
    this.#isClosed = true;
    void this.#child?.stop(NO_STOP_TIMEOUTS);
  }

  #followStderr({ process: { stderr } }: Child): void {
    let inTurn = 0;
    stderr.setEncoding("utf8");
    stderr.on("data", (text: string) => {
      this.#options.stderr.add(text);
      inTurn += text.length;
      if (inTurn < STDERR_BYTES || this.#isClosed) return;
      stderr.pause();
      setTimeout(() => {
        inTurn = 0;
        stderr.resume();
      }, STDERR_EVERY_MS);
    });
  }
}

function messageOf(text: string, asked: ReadonlySet<string | number>): JSONRPCMessage | undefined {
  if (!text.startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
    return parseJSONRPCMessage(value);
  } catch {
    // Whoever waits for it need not wait for the timeout.
    const id = isJsonObject(value) ? value["id"] : undefined;
    if ((typeof id !== "string" && typeof id !== "number") || !asked.has(id)) return undefined;
    return { jsonrpc: "2.0", id, error: { code: NO_MESSAGE, message: "the answer is no valid message" } };
  }
}

// The id stands at the start or at the end of a message, whoever writes it.
function refusedAnswer(
  { head, tail }: { readonly head: string; readonly tail: string },
  message: string,
  asked: ReadonlySet<string | number>,
): JSONRPCMessage | undefined {
  const written =
    /^\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*("[^"\\]{1,200}"|\d{1,15})/.exec(head)?.[1] ??
    /"id":\s*("[^"\\]{1,200}"|\d{1,15})(?:,\s*"jsonrpc":\s*"2\.0")?\s*\}\s*$/.exec(tail)?.[1];
  const id = written === undefined ? undefined : (JSON.parse(written) as string | number);
  if (id === undefined || !asked.has(id)) return undefined;
  return { jsonrpc: "2.0", id, error: { code: TOO_LARGE, message } };
}

const KEPT_OF_LONG = 512;

/** A line of a stream; of one that is too long only its start and its end are known. */
type Line =
  | { readonly kind: "line"; readonly text: string; readonly bytes: number }
  | { readonly kind: "too long"; readonly head: string; readonly tail: string; readonly bytes: number };

/** Cuts a stream into lines and holds no more of one than may be. */
class MessageLines {
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
