import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { FromWorker, ToWorker } from "./protocol.ts";

type Message = FromWorker | ToWorker;

/** Words of one direction's mailbox; see `ThreadPort`. */
const WORD = {
  /** EMPTY, FULL or TAKING. */
  state: 0,
  /** Bytes of the message in it. */
  length: 1,
  /** Batches that were posted, modulo 2^32. */
  posted: 2,
  /** Batches of these that were received. */
  received: 3,
  /** NOT_LISTENING, AWAKE or ASLEEP. */
  listening: 4,
  /** How often a receiver that sleeps was woken, modulo 2^32. */
  woken: 5,
} as const;
const WORDS = 6;
const NOT_LISTENING = 0;
const AWAKE = 1;
const ASLEEP = 2;
const EMPTY = 0;
const FULL = 1;
const TAKING = 2;
/** What is larger gains nothing by it. */
const MAX_BYTES = 24 * 1024;
/** Who waits awake takes a message in less, unless another thread has its core: perhaps the one that waits for the answer. */
const TAKEN_MS = 0.02;
/** A character has at most so many bytes in UTF-8, for each unit of a JavaScript string. */
const BYTES_PER_UNIT = 3;
const DIRECTION_BYTES = WORDS * Int32Array.BYTES_PER_ELEMENT + MAX_BYTES + 4;

/** What an end is made of. */
export interface PortData {
  readonly port: MessagePort;
  /** The mailboxes of both directions. */
  readonly shared: SharedArrayBuffer;
  /** Whether threads wait awake for each other at all. */
  readonly waitsAwake: boolean;
}

/** The two ends, one for each thread; the second can be transferred by its `port`. */
export function portPair(waitsAwake: boolean): readonly [PortData, PortData] {
  const { port1, port2 } = new MessageChannel();
  const shared = new SharedArrayBuffer(2 * DIRECTION_BYTES);
  return [
    { port: port1, shared, waitsAwake },
    { port: port2, shared, waitsAwake },
  ];
}

/**
 * One end of the way between two threads. Messages are posted in batches through a port of Node's, which wakes the other
 * thread; to one that waits awake, a single message goes through a mailbox in shared memory, which costs a tenth. They
 * arrive in the order in which they were sent, whichever way they take.
 */
export class ThreadPort<Sent extends Message> {
  readonly #port: MessagePort;
  readonly #out: Mailbox;
  readonly #in: Mailbox;
  readonly #waitsAwake: boolean;

  /** Exactly one of the two ends is the first. */
  constructor({ port, shared, waitsAwake }: PortData, isFirst: boolean) {
    this.#port = port;
    this.#waitsAwake = waitsAwake;
    this.#out = new Mailbox(shared, isFirst ? 0 : DIRECTION_BYTES);
    this.#in = new Mailbox(shared, isFirst ? DIRECTION_BYTES : 0);
  }

  /** Throws where a message cannot be cloned. Tells whether the other end takes it without being woken. */
  send(messages: readonly Sent[]): boolean {
    const [only] = messages;
    const isPut = only !== undefined && messages.length === 1 && this.#out.put(only);
    if (!isPut) {
      Atomics.add(this.#out.words, WORD.posted, 1);
      this.#port.postMessage(messages.map((message) => textOf(message) ?? message));
    }
    this.#out.wake();
    return isPut;
  }

  /** Tells what comes while this thread does not wait awake. What it says is not yet known to be messages. */
  onMessages(receive: (messages: readonly unknown[]) => void): void {
    this.#port.on("message", (batch: unknown) => {
      Atomics.add(this.#in.words, WORD.received, 1);
      receive(batchOf(batch));
    });
  }

  /**
   * Waits until something has come, and gives it, or for so many milliseconds, and gives undefined. Who waits awake is
   * there at once, and takes a core; who sleeps is woken, at half the cost of waking an event loop. What comes during
   * the work that is done first has not to wake anybody either.
   */
  listen(
    ms: number,
    how: "awake" | "asleep" = "awake",
    first: () => void = () => {},
  ): readonly unknown[] | undefined {
    const { words } = this.#in;
    if (this.#waitsAwake) Atomics.store(words, WORD.listening, how === "awake" ? AWAKE : ASLEEP);
    first();
    if (!this.#waitsAwake) return undefined;
    const began = performance.now();
    let isAwake = how === "awake";
    let messages: readonly unknown[] | undefined;
    for (;;) {
      const woken = Atomics.load(words, WORD.woken);
      messages = this.#received();
      const passed = performance.now() - began;
      if (messages !== undefined || passed >= ms) break;
      if (!isAwake) Atomics.wait(words, WORD.woken, woken, ms - passed);
      else if (passed > TAKEN_MS && this.#out.isLeftBehind) {
        isAwake = false;
        Atomics.store(words, WORD.listening, ASLEEP);
      }
    }
    Atomics.store(words, WORD.listening, NOT_LISTENING);
    // The other end may have put something there before it could see that nobody listens any more.
    const last = this.#received();
    return last === undefined ? messages : [...(messages ?? []), ...last];
  }

  #received(): readonly unknown[] | undefined {
    const { words } = this.#in;
    const put = this.#in.take();
    if (put !== undefined) return [put];
    if (Atomics.load(words, WORD.posted) === Atomics.load(words, WORD.received)) return undefined;
    const posted: { readonly message: unknown } | undefined = receiveMessageOnPort(this.#port);
    // It is counted a moment before it can be received.
    if (posted === undefined) return undefined;
    // It was put there meanwhile, before the batch was posted: nothing more is put there until that is received.
    const earlier = this.#in.take();
    Atomics.add(words, WORD.received, 1);
    return [...(earlier === undefined ? [] : [earlier]), ...batchOf(posted.message)];
  }
}

/** What a thread says need not be a batch. */
function batchOf(message: unknown): readonly unknown[] {
  const batch: readonly unknown[] = Array.isArray(message) ? message : [message];
  return batch.map((each) => (typeof each === "string" ? messageOf(each) : each));
}

/** Room for one message in shared memory. */
class Mailbox {
  readonly words: Int32Array;
  readonly #text: Buffer;
  /** Whether the receiver of what was put there last waited awake for it. */
  #wasAwake = false;

  constructor(shared: SharedArrayBuffer, at: number) {
    this.words = new Int32Array(shared, at, WORDS);
    this.#text = Buffer.from(shared, at + WORDS * Int32Array.BYTES_PER_ELEMENT, MAX_BYTES);
  }

  /** Whether the message is in it: only where the receiver listens, and has received all that was posted before. */
  put(message: Message): boolean {
    const { words } = this;
    const listening = Atomics.load(words, WORD.listening);
    if (listening === NOT_LISTENING || Atomics.load(words, WORD.state) !== EMPTY) return false;
    if (Atomics.load(words, WORD.posted) !== Atomics.load(words, WORD.received)) return false;
    const text = textOf(message);
    if (text === undefined) return false;
    this.#wasAwake = listening === AWAKE;
    words[WORD.length] = this.#text.write(text);
    Atomics.store(words, WORD.state, FULL);
    // One that still listens looks again when it stops. From one that has stopped it is taken back, if it can be.
    if (Atomics.load(words, WORD.listening) !== NOT_LISTENING) return true;
    return Atomics.compareExchange(words, WORD.state, FULL, EMPTY) !== FULL;
  }

  /** Wakes a receiver that sleeps. */
  wake(): void {
    const { words } = this;
    if (Atomics.load(words, WORD.listening) !== ASLEEP) return;
    Atomics.add(words, WORD.woken, 1);
    Atomics.notify(words, WORD.woken);
  }

  /** Whether a receiver that was awake has not taken yet what was put there for it. */
  get isLeftBehind(): boolean {
    return this.#wasAwake && Atomics.load(this.words, WORD.state) === FULL;
  }

  take(): unknown {
    const { words } = this;
    if (Atomics.load(words, WORD.state) !== FULL) return undefined;
    if (Atomics.compareExchange(words, WORD.state, FULL, TAKING) !== FULL) return undefined;
    const text = this.#text.toString("utf8", 0, words[WORD.length]);
    Atomics.store(words, WORD.state, EMPTY);
    return messageOf(text);
  }
}

/** A line of JSON and, below it, the message's own JSON text: less work for both threads than to clone an object. */
function textOf(message: Message): string | undefined {
  switch (message.kind) {
    case "run": {
      const { input, replayed } = message.job;
      return replayed === undefined
        ? joined({ ...message, job: { ...message.job, input: "" } }, input)
        : undefined;
    }
    case "tool":
      return joined({ ...message, input: "" }, message.input);
    case "answer":
      return joined({ ...message, text: "" }, message.text);
    case "done":
      return joined({ ...message, root: "" }, message.root);
    case "ready":
    case "wants":
    case "skill":
    case "forget":
    case "cancel":
    case "started":
    case "finished":
    case "lost":
      return undefined;
  }
}

function joined(head: Message, body: string): string | undefined {
  if (body.length * BYTES_PER_UNIT > MAX_BYTES) return undefined;
  const text = `${JSON.stringify(head)}\n${body}`;
  return text.length * BYTES_PER_UNIT > MAX_BYTES ? undefined : text;
}

/** What a text says, which is itself where it says nothing. */
function messageOf(text: string): unknown {
  const at = text.indexOf("\n");
  try {
    return withBody(JSON.parse(text.slice(0, at)) as Message, text.slice(at + 1));
  } catch {
    return text;
  }
}

function withBody(head: Message, body: string): Message {
  switch (head.kind) {
    case "run":
      return { ...head, job: { ...head.job, input: body } };
    case "tool":
      return { ...head, input: body };
    case "answer":
      return { ...head, text: body };
    case "done":
      return { ...head, root: body };
    case "ready":
    case "wants":
    case "skill":
    case "forget":
    case "cancel":
    case "started":
    case "finished":
    case "lost":
      return head;
  }
}
