import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { threadEnvironment } from "../core/package/package-files.ts";
import { whileYoungGenerationGrows } from "../core/package/young-generation.ts";
import { failure, type Failure } from "../core/error.ts";
import { fail, type Result } from "../core/result.ts";
import type { Skill } from "../core/skill.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import type { UpstreamToolInfo } from "./extraction.ts";
import type { Learning } from "./learning.ts";

/** An upstream tool with all that drafts are checked against. */
export interface LearningTool extends UpstreamToolInfo {
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}

/** What there is to compose of. As long as it is the same map, nothing has changed. */
interface LearningCatalog {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly tools: ReadonlyMap<string, LearningTool>;
}

/** What the thread is told. Of the world, what has changed comes in parts before the task. */
export type LearningRequest =
  | { readonly kind: "forget"; readonly what: keyof LearningCatalog }
  | { readonly kind: "skills"; readonly entries: readonly Skill[] }
  | { readonly kind: "tools"; readonly entries: readonly LearningTool[] }
  | { readonly kind: "task"; readonly method: keyof Learning; readonly args: readonly unknown[] };

export interface LearningThreadOptions {
  /** The module that the thread runs: it answers each task with its `Result`. */
  readonly module: URL;
  readonly workerData: unknown;
  readonly catalog: () => Promise<LearningCatalog>;
  /** Resolves when what was done so far is in the store. */
  readonly flush?: () => Promise<unknown>;
  /** How long one task may take, in milliseconds. */
  readonly maxMs: number;
  /** Of the thread, in megabytes. */
  readonly maxMemoryMb?: number;
}

/**
 * Learning beside the main thread, one task after another. A task that outstays its time is ended with its thread; the next
 * finds a new one. What only looks at drafts or decides on them does not wait for what learns.
 */
export class LearningThread implements Learning {
  readonly #learnQueue: ThreadQueue;
  readonly #readQueue: ThreadQueue;

  constructor(options: LearningThreadOptions) {
    this.#learnQueue = new ThreadQueue(options);
    this.#readQueue = new ThreadQueue(options);
  }

  submit: Learning["submit"] = async (...args) => this.#learnQueue.ask("submit", args);
  extract: Learning["extract"] = async (...args) => this.#learnQueue.ask("extract", args);
  revise: Learning["revise"] = async (...args) => this.#learnQueue.ask("revise", args);
  verify: Learning["verify"] = async (...args) => this.#learnQueue.ask("verify", args);
  show: Learning["show"] = async (...args) => this.#readQueue.ask("show", args);
  review: Learning["review"] = async (...args) => this.#readQueue.ask("review", args);
  refuse: Learning["refuse"] = async (...args) => this.#readQueue.ask("refuse", args);
  current: Learning["current"] = async (...args) => this.#readQueue.ask("current", args);
  promote: Learning["promote"] = async (...args) => this.#readQueue.ask("promote", args);
  revoke: Learning["revoke"] = async (...args) => this.#readQueue.ask("revoke", args);

  async close(): Promise<void> {
    await Promise.all([this.#learnQueue.close(), this.#readQueue.close()]);
  }
}

/** How many tasks wait for a thread, beside the one that it works on. */
const MAX_WAITING = 16;
const MEMORY_MB = 1024;
const IDLE_MS = 60_000;
/** Of the world, how much is sent before others have a turn. */
const PART = 16;

/** A thread, when there is something to do, and what waits for it. */
class ThreadQueue {
  readonly #options: LearningThreadOptions;
  #thread: Worker | undefined;
  #sentCatalog: Partial<LearningCatalog> = {};
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(options: LearningThreadOptions) {
    this.#options = options;
  }

  async ask<Method extends keyof Learning>(
    method: Method,
    args: Parameters<Learning[Method]>,
  ): Promise<Awaited<ReturnType<Learning[Method]>>> {
    // What the thread answers is what the method gives.
    type Answer = Awaited<ReturnType<Learning[Method]>>;
    if (this.#waiting > MAX_WAITING) return fail(BUSY) as Answer;
    this.#waiting++;
    const answer = this.#last.then(async () =>
      whileYoungGenerationGrows(async () => this.#answer(method, args)),
    );
    this.#last = answer.catch(() => undefined).finally(() => this.#waiting--);
    return (await answer) as Answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
    await this.#last;
  }

  async #answer(method: keyof Learning, args: readonly unknown[]): Promise<Result<unknown>> {
    if (this.#isClosed) return fail(CLOSED);
    clearTimeout(this.#idle);
    await this.#options.flush?.();
    const catalog = await this.#options.catalog();
    const thread = (this.#thread ??= this.#start());
    const answered = answerOf(thread, this.#options.maxMs);
    thread.ref();
    await this.#sendCatalog(thread, catalog);
    thread.postMessage({ kind: "task", method, args } satisfies LearningRequest);
    const answer = await answered;
    if (answer.kind === "stopped") {
      await this.#end();
      return fail(this.#isClosed ? CLOSED : answer.failure);
    }
    thread.unref();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    return answer.result;
  }

  #start(): Worker {
    const { module, workerData, maxMemoryMb = MEMORY_MB } = this.#options;
    return new Worker(module, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
      name: "learning",
      env: threadEnvironment(),
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
  }

  /** Tells what differs from what the thread knows, in parts: a large catalog must not hold others up. */
  async #sendCatalog(thread: Worker, { skills, tools }: LearningCatalog): Promise<void> {
    if (this.#sentCatalog.tools !== tools) {
      thread.postMessage({ kind: "forget", what: "tools" } satisfies LearningRequest);
      for (const entries of chunks(tools)) {
        thread.postMessage({ kind: "tools", entries } satisfies LearningRequest);
        await turn();
      }
    }
    if (this.#sentCatalog.skills !== skills) {
      thread.postMessage({ kind: "forget", what: "skills" } satisfies LearningRequest);
      for (const entries of chunks(skills)) {
        thread.postMessage({ kind: "skills", entries } satisfies LearningRequest);
        await turn();
      }
    }
    this.#sentCatalog = { skills, tools };
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#sentCatalog = {};
    await thread?.terminate();
  }
}

type Answer =
  | { readonly kind: "answer"; readonly result: Result<unknown> }
  | { readonly kind: "stopped"; readonly failure: Failure };

async function answerOf(thread: Worker, maxMs: number): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const onMessage = (result: Result<unknown>): void => resolve({ kind: "answer", result });
  let cause: Error | undefined;
  const onError = (error: Error): void => {
    cause = error;
  };
  const onExit = (): void => resolve({ kind: "stopped", failure: threadFailure(cause) });
  const timer = setTimeout(() => resolve({ kind: "stopped", failure: tooSlow(maxMs) }), maxMs);
  thread.on("message", onMessage).on("error", onError).on("exit", onExit);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    thread.off("message", onMessage).off("error", onError).off("exit", onExit);
  }
}

function* chunks<Value>(entries: ReadonlyMap<string, Value>): Generator<readonly Value[]> {
  let part: Value[] = [];
  for (const value of entries.values()) {
    part.push(value);
    if (part.length < PART) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

const LESS = "give it fewer or shorter runs";

function tooSlow(maxMs: number): Failure {
  const message = `It took longer than ${maxMs} ms and was ended: ${LESS}, or set "drafts.maxMs" higher`;
  return failure("LEARNING_TIMED_OUT", message);
}

function threadFailure(cause: Error | undefined): Failure {
  const isMemory = cause !== undefined && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
  const why = isMemory ? "it ran out of memory" : (cause?.message ?? "it ended");
  return failure("LEARNING_LOST", `The thread that learns was lost: ${why}; ${LESS}`);
}

const BUSY = failure(
  "DRAFT_BUSY",
  `${MAX_WAITING} others wait to learn from runs or to work on drafts: try again in a minute`,
);
const CLOSED = failure("RUNNER_CLOSED", "The server is shutting down");
