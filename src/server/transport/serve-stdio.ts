import { type Readable, Transform, type TransformCallback, Writable } from "node:stream";
import type { JSONRPCMessage, McpServer } from "@modelcontextprotocol/server";
import { serveStdio as serveSdkStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { McpFront } from "../mcp-server.ts";
import { LAST_ANSWERS_MS, OpenRequests, SHUTTING_DOWN } from "./open-requests.ts";
import { rateLimited } from "./rate-limited.ts";
import { JsonMeter } from "../../core/json/json-meter.ts";

const PARENT_CHECK_MS = 2000;

export interface StdioOptions {
  /** Resolves when the server is asked to end. */
  readonly stop: Promise<void>;
  /** How long what runs then may go on, in milliseconds. */
  readonly graceMs: number;
}

/**
 * Serves MCP on this process's stdin and stdout until it is asked to end or its client is gone. What came in before is
 * answered: where stdin has ended, as long as one answer follows another within `graceMs`; where it is asked to end,
 * within `graceMs` in all, and no new requests are taken. What runs then is cancelled, and that is its answer. From here
 * on stdout carries nothing but the protocol; what anything else prints goes to stderr.
 */
export async function serveStdio(front: McpFront, { stop, graceMs }: StdioOptions): Promise<void> {
  const complain = rateLimited(console.error);
  const stdout = protocolOnlyStdout();
  const refuse = (line: RefusedLine): void => {
    complain(`A message ${line.excess}`);
    const error = { code: -32_600, message: `The message ${line.excess}: send less at a time` };
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: line.id, error })}\n`);
  };
  const gone = clientGone();
  const input = process.stdin.pipe(new MessageLines(refuse));
  const transport = new AccountedTransport(input, stdout);
  const live = new Set<McpServer>();
  const handle = serveSdkStdio(
    (context) => {
      const made = front.factory(context) as McpServer;
      live.add(made);
      made.server.onclose = () => live.delete(made);
      return made;
    },
    { transport, onerror: ({ message }) => complain(message) },
  );
  transport.account();
  front.onToolsChange(() => {
    for (const server of live) if (server.isConnected()) server.sendToolListChanged();
  });
  front.onResourcesChange(() => {
    for (const server of live) if (server.isConnected()) server.sendResourceListChanged();
  });

  const over = Promise.race([gone, transport.closed]);
  const why = await Promise.race([
    input.ended.then(() => "ended" as const),
    stop.then(() => "stop" as const),
    over.then(() => "over" as const),
  ]);
  if (why === "ended") {
    const answered = front.ready.then(async () => transport.requests.settled(graceMs, "latest"));
    await Promise.race([answered, stop, over]);
  } else if (why === "stop") {
    transport.isStopping = true;
    await Promise.race([transport.requests.settled(graceMs), over]);
  }
  transport.isStopping = true;
  front.stop();
  await Promise.race([transport.requests.settled(LAST_ANSWERS_MS), over]);
  await transport.giveUp();
  await handle.close();
}

/** Knows which requests wait for an answer. */
class AccountedTransport extends StdioServerTransport {
  readonly requests = new OpenRequests<string | number>();
  readonly closed: Promise<void>;
  /** Whether new requests are refused. */
  isStopping = false;
  readonly #closed = Promise.withResolvers<void>();

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout);
    this.closed = this.#closed.promise;
  }

  /** From here on each message that comes in is accounted for before it is passed on. */
  account(): void {
    const pass = this.onmessage;
    this.onmessage = (message) => {
      // The SDK has checked it.
      if ("method" in message && "id" in message) {
        const { id, method } = message;
        if (this.isStopping) {
          void super.send({ jsonrpc: "2.0", id, error: SHUTTING_DOWN }).catch(() => undefined);
          return;
        }
        // A subscription is answered when it ends.
        if (method !== "subscriptions/listen") this.requests.open(id);
      } else if ("method" in message && message.method === "notifications/cancelled") {
        this.requests.close(message.params?.["requestId"] as string | number);
      }
      pass?.(message);
    };
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if (!("method" in message) && message.id !== undefined) this.requests.close(message.id);
    }
  }

  override async close(): Promise<void> {
    await super.close();
    this.#closed.resolve();
  }

  /** Says so to each that still waits. */
  async giveUp(): Promise<void> {
    const error = { code: SHUTTING_DOWN.code, message: "The server has shut down before this was done" };
    for (const id of this.requests.keys())
      await this.send({ jsonrpc: "2.0", id, error }).catch(() => undefined);
  }
}

function protocolOnlyStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new MessageOutput(write);
}

/** Answers that are there at the same time leave together: a write costs more than most of them. */
class MessageOutput extends Writable {
  readonly #send: (text: string, done: (error?: Error | null) => void) => void;

  constructor(send: (text: string, done: (error?: Error | null) => void) => void) {
    super({ decodeStrings: false });
    // Each answer that waits for the client to read listens for that.
    this.setMaxListeners(0);
    this.#send = send;
  }

  override write(text: unknown, ...rest: unknown[]): boolean {
    if (this.writableCorked === 0) {
      this.cork();
      setImmediate(() => this.uncork());
    }
    return (super.write as (...given: unknown[]) => boolean)(text, ...rest);
  }

  override _write(text: string, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(text, done);
  }

  override _writev(texts: { readonly chunk: string }[], done: (error?: Error | null) => void): void {
    this.#send(texts.map(({ chunk }) => chunk).join(""), done);
  }
}

async function clientGone(): Promise<void> {
  const parent = process.ppid;
  await new Promise<void>((resolve) => {
    const gone = (): void => resolve();
    process.stdout.once("error", gone);
    setInterval(() => {
      if (process.ppid !== parent) gone();
    }, PARENT_CHECK_MS).unref();
  });
}

/** A line that holds too much. */
interface RefusedLine {
  readonly excess: string;
  /** Of the request, where it can be told without parsing it. */
  readonly id: number | string | null;
}

const NEWLINE = 0x0a;

/**
 * The lines that are within the limits of messages, whole; others are dropped while they come in. That there are no more
 * is told, and ends nothing.
 */
class MessageLines extends Transform {
  readonly ended: Promise<void>;
  readonly #end = Promise.withResolvers<void>();
  readonly #refuse: (line: RefusedLine) => void;
  #line = new Line();

  constructor(refuse: (line: RefusedLine) => void) {
    super();
    this.#refuse = refuse;
    this.ended = this.#end.promise;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let start = 0; start < chunk.byteLength;) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.byteLength : newline + 1;
      this.#line.add(chunk.subarray(start, end));
      start = end;
      if (newline !== -1) this.#pass();
    }
    done();
  }

  override _flush(): void {
    // What ends without a newline is a line, too.
    if (!this.#line.isEmpty) {
      this.#line.add(Buffer.from("\n"));
      this.#pass();
    }
    // The last line is on its way to who reads.
    setImmediate(this.#end.resolve);
  }

  #pass(): void {
    const { excess, id, content } = this.#line;
    if (excess === undefined) this.push(content);
    else this.#refuse({ excess, id });
    this.#line = new Line();
  }
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

  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.excess === undefined;
  }

  get content(): Buffer {
    const [only] = this.#parts;
    return only && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
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
