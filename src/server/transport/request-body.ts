import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { ErrorCode } from "../../core/error.ts";
import { JsonMeter, MESSAGE_LIMITS, TOO_LONG } from "../../core/json/json-meter.ts";

/** A body that is no message: what to answer. */
export interface BodyFault {
  readonly status: number;
  /** Of JSON-RPC. */
  readonly code: number;
  /** Of the table of refusals. */
  readonly problem: ErrorCode;
  readonly message: string;
}

export type RequestBody =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "fault"; readonly fault: BodyFault }
  /** The client has gone. */
  | { readonly kind: "gone" };

/** Up to here a body is read at once, however many wait. */
const SMALL_BYTES = 16 * 1024;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * Reads the bodies of requests within the limits of messages. What is too much is refused while it comes in, before
 * anything is made of it; large bodies are parsed one after another, and other requests come between.
 */
export class BodyReader {
  #waitingBytes = 0;
  #last: Promise<void> = Promise.resolve();

  async read(request: IncomingMessage): Promise<RequestBody> {
    if (Number(request.headers["content-length"]) > MESSAGE_LIMITS.bytes) return tooLarge(TOO_LONG);
    const meter = new JsonMeter();
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      // What is refused is still to be answered, so the request is not destroyed.
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        const excess = meter.read(chunk);
        if (excess !== undefined) return tooLarge(excess);
        chunks.push(chunk);
        bytes += chunk.byteLength;
        this.#waitingBytes += chunk.byteLength;
        if (bytes > SMALL_BYTES && this.#waitingBytes > MAX_WAITING_BYTES) return BUSY;
      }
      const text = Buffer.concat(chunks);
      return bytes <= SMALL_BYTES ? parsed(text) : await this.#inTurn(() => parsed(text));
    } catch {
      return { kind: "gone" };
    } finally {
      this.#waitingBytes -= bytes;
    }
  }

  /** Does large work when what came before is done; as long as it took, others come first. */
  async #inTurn<Value>(work: () => Value): Promise<Value> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      // The message is handled before this timer is.
      void pause(0)
        .then(async () => pause(performance.now() - startedAt))
        .then(resolve);
    }
  }
}

const BUSY: RequestBody = {
  kind: "fault",
  fault: {
    status: 503,
    code: -32_000,
    problem: "SERVER_BUSY",
    message: "Too many large requests wait here: try again later",
  },
};

function tooLarge(excess: string): RequestBody {
  const message = `The message ${excess}: send less at a time`;
  return { kind: "fault", fault: { status: 413, code: -32_600, problem: "INPUT_TOO_LARGE", message } };
}

function parsed(text: Buffer): RequestBody {
  try {
    return { kind: "json", value: JSON.parse(text.toString()) };
  } catch {
    const message = "Parse error: the body is not valid JSON";
    return { kind: "fault", fault: { status: 400, code: -32_700, problem: "REQUEST_INVALID", message } };
  }
}
