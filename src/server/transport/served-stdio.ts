import type { Readable } from "node:stream";
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../core/json/json.ts";
import type { CallParams, DirectCall } from "../mcp-server.ts";
import { type CallRequest, callRequestIn, DirectCalls } from "./direct-call.ts";
import { requestIds } from "./http-sessions.ts";
import { MessageLines, type RefusedLine } from "./message-lines.ts";
import { OpenRequests, SHUTTING_DOWN } from "./open-requests.ts";

export interface ServedStdioOptions {
  readonly stdin: Readable;
  /** Writes to stdout, where what others print does not go any more. */
  readonly write: WriteText;
  /** Told of messages that hold too much, and of faults. */
  readonly complain: (message: string) => void;
  /** How a call is made past the SDK, where it can be. */
  readonly directCall: (params: CallParams) => DirectCall | undefined;
}

type WriteText = (text: string, done: (error?: Error | null) => void) => void;

/** MCP's messages, a line each, on stdin and stdout. Knows which requests wait for an answer. */
export class ServedStdio implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly requests = new OpenRequests<RequestId>();
  /** Resolves when all that came in has been read, and no more comes. */
  readonly ended: Promise<void>;
  readonly closed: Promise<void>;
  /** Whether new requests are refused. */
  isStopping = false;
  readonly #options: ServedStdioOptions;
  readonly #output: MessageOutput;
  readonly #ended = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #calls = new DirectCalls();
  #isClosed = false;

  constructor(options: ServedStdioOptions) {
    this.#options = options;
    this.#output = new MessageOutput(options.write);
    this.ended = this.#ended.promise;
    this.closed = this.#closed.promise;
  }

  async start(): Promise<void> {
    const { stdin } = this.#options;
    const lines = new MessageLines(
      (line) => this.#read(line),
      (line) => this.#refuse(line),
    );
    stdin.on("data", (chunk: Buffer) => lines.read(chunk));
    stdin.on("end", () => {
      lines.end();
      // The last line is on its way to who reads.
      setImmediate(this.#ended.resolve);
    });
    stdin.on("error", (error) => this.onerror?.(error));
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error("The connection is closed");
    const answered = "method" in message ? undefined : message.id;
    await new Promise<void>((resolve, reject) => {
      this.#write(message, answered, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#calls.close();
    this.#options.stdin.pause();
    this.onclose?.();
    this.#closed.resolve();
    return Promise.resolve();
  }

  /** Says so to each that still waits. */
  async giveUp(): Promise<void> {
    const error = { code: SHUTTING_DOWN.code, message: "The server has shut down before this was done" };
    for (const id of this.requests.keys())
      await this.send({ jsonrpc: "2.0", id, error }).catch(() => undefined);
  }

  #read(line: Buffer): void {
    if (this.#isClosed) return;
    const text = line.toString();
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      if (text.trim() !== "") this.#tellFault(-32_700, `It is not JSON: ${(error as Error).message}`);
      return;
    }
    const asked = this.isStopping ? undefined : callRequestIn(message);
    const call = asked && this.#options.directCall(asked.params);
    if (call) void this.#call(asked, call);
    else this.#receive(message);
  }

  /** Hands a message to the SDK. */
  #receive(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch (error) {
      // What has no method may be an answer to an answer like this one, which would have no end.
      if (isJsonObject(value) && !("method" in value))
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      else this.#tellFault(-32_600, Array.isArray(value) ? BATCH : NO_MESSAGE, requestIds(value));
      return;
    }
    if ("method" in message && "id" in message) {
      const { id, method } = message;
      if (this.isStopping) {
        void this.send({ jsonrpc: "2.0", id, error: SHUTTING_DOWN }).catch(() => undefined);
        return;
      }
      // A subscription is answered when it ends.
      if (method !== "subscriptions/listen") this.requests.open(id);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      this.#calls.cancel(message.params);
      this.requests.close(message.params?.["requestId"] as RequestId);
    }
    this.onmessage?.(message);
  }

  async #call({ id, params }: CallRequest, call: DirectCall): Promise<void> {
    this.requests.open(id);
    const answer = await this.#calls.answer(id, call);
    if (answer.kind === "asking") this.#receive({ jsonrpc: "2.0", id, method: "tools/call", params });
    else if (answer.kind === "answered") this.#write(answer.message, id);
  }

  #write(message: unknown, answered: RequestId | undefined, done?: (error?: Error | null) => void): void {
    this.#output.add(`${JSON.stringify(message)}\n`, (error) => {
      if (answered !== undefined) this.requests.close(answered);
      if (error && !this.#isClosed) {
        this.onerror?.(error);
        void this.close();
      }
      done?.(error);
    });
  }

  /** Says what is wrong with a line to each of its requests, as far as they can be told. */
  #tellFault(code: number, why: string, ids: readonly RequestId[] = []): void {
    this.#options.complain(`A line on stdin is no message. ${why}`);
    for (const id of ids.length === 0 ? [null] : ids)
      this.#write({ jsonrpc: "2.0", id, error: { code, message: why } }, undefined);
  }

  #refuse({ excess, id }: RefusedLine): void {
    this.#options.complain(`A message ${excess}`);
    const error = { code: -32_600, message: `The message ${excess}: send less at a time` };
    this.#write({ jsonrpc: "2.0", id, error }, undefined);
  }
}

const BATCH = "It is a batch: send each message in a line of its own";
const NO_MESSAGE =
  'It is no message of JSON-RPC 2.0: that has jsonrpc "2.0", a text as method, an object as params where there are any, and as id a text or an integer';

/** A message that leaves. */
interface Leaving {
  readonly text: string;
  readonly done: (error?: Error | null) => void;
}

/** Messages that are there at the same time leave together: a write costs more than most of them. */
class MessageOutput {
  readonly #write: WriteText;
  #leaving: Leaving[] = [];

  constructor(write: WriteText) {
    this.#write = write;
  }

  /** Tells when the client's end has taken it. */
  add(text: string, done: Leaving["done"]): void {
    this.#leaving.push({ text, done });
    if (this.#leaving.length === 1) setImmediate(() => this.#leave());
  }

  #leave(): void {
    const leaving = this.#leaving;
    this.#leaving = [];
    const text = leaving.map((each) => each.text).join("");
    this.#write(text, (error) => {
      for (const { done } of leaving) done(error);
    });
  }
}
