import { Worker } from "node:worker_threads";
import type { Callables } from "../checks/body-checker.ts";
import { whileYoungGenerationGrows } from "../core/package/young-generation.ts";
import { moduleUrl, threadEnvironment } from "../core/package/package-files.ts";
import type { CompileReport, CompileRequest } from "./compile-worker.ts";
import {
  uncompiled,
  type CodeFinding,
  type CodeUnit,
  type CompiledCode,
  type CodePosition,
} from "./program/compiled-code.ts";

export interface CompileDeadlines {
  /** How long the compiler may work on one skill. */
  readonly skillMs: number;
  /** How long it may take to read a batch before it looks at single skills, and how much of that each skill adds. */
  readonly batchMs: number;
  readonly batchPerSkillMs: number;
}

export const COMPILE_DEADLINES: CompileDeadlines = { skillMs: 10_000, batchMs: 60_000, batchPerSkillMs: 20 };

/**
 * Compiles in a thread of its own, which is started when there is something to compile and ended when it has been idle.
 * Code that the compiler does not come to an end with, or dies of, is found out and reported; the rest is compiled.
 */
export class CompileThread {
  readonly #deadlines: CompileDeadlines;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deadlines: CompileDeadlines) {
    this.#deadlines = deadlines;
  }

  async compile(units: readonly CodeUnit[]): Promise<ReadonlyMap<string, CompiledCode>> {
    return this.#work(units, {
      request: (left) => ({ kind: "compile", units: left }),
      stopped: (unit, why) => ({
        ...uncompiled([{ code: "type-inexpressible", severity: "error", ...why, ...startOf(unit) }]),
        isFinal: false,
      }),
    });
  }

  /** What is wrong with bodies, the contracts of all that they call given. */
  async check(
    units: readonly CodeUnit[],
    callable: Callables,
  ): Promise<ReadonlyMap<string, readonly CodeFinding[]>> {
    return this.#work(units, {
      request: (left) => ({ kind: "check", units: left, callable }),
      stopped: (unit, why) => [{ code: "call-unchecked", severity: "warning", ...why, ...startOf(unit) }],
    });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#end();
  }

  // One batch after another: reports do not tell to which of them they belong.
  async #work<Result>(units: readonly CodeUnit[], work: Work<Result>): Promise<ReadonlyMap<string, Result>> {
    const results = this.#last.then(async () =>
      whileYoungGenerationGrows(async () => this.#resultsOf(units, work)),
    );
    this.#last = results.catch(() => undefined);
    return results;
  }

  async #resultsOf<Result>(
    units: readonly CodeUnit[],
    work: Work<Result>,
  ): Promise<ReadonlyMap<string, Result>> {
    const results = new Map<string, Result>();
    clearTimeout(this.#idle);
    const left = (): readonly CodeUnit[] => units.filter(({ key }) => !results.has(key));
    while (left().length > 0) {
      if (this.#closed) throw new Error("The compiler is closed");
      const stopped = await this.#attempt(left(), work, results);
      if (stopped) await this.#afterStop(stopped, left(), work, results);
    }
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    return results;
  }

  async #afterStop<Result>(
    stopped: Stop,
    left: readonly CodeUnit[],
    work: Work<Result>,
    results: Map<string, Result>,
  ): Promise<void> {
    const suspect = left.find(({ key }) => key === stopped.at);
    // At its own deadline a skill is guilty. A thread that died may have been exhausted by those before it.
    if (suspect && stopped.why === "deadline")
      results.set(suspect.key, work.stopped(suspect, tooSlow(this.#deadlines.skillMs)));
    else for (const unit of suspect ? [suspect] : left) await this.#alone(unit, work, results);
  }

  async #alone<Result>(unit: CodeUnit, work: Work<Result>, results: Map<string, Result>): Promise<void> {
    const { skillMs } = this.#deadlines;
    const stopped = await this.#attempt([unit], work, results, skillMs);
    if (!stopped || results.has(unit.key)) return;
    results.set(unit.key, work.stopped(unit, stopped.why === "deadline" ? tooSlow(skillMs) : TOO_MUCH));
  }

  /** Works through a batch, as far as it goes; what stopped it, if something did. */
  async #attempt<Result>(
    units: readonly CodeUnit[],
    work: Work<Result>,
    results: Map<string, Result>,
    readingMs = this.#deadlines.batchMs + this.#deadlines.batchPerSkillMs * units.length,
  ): Promise<Stop | undefined> {
    const worker = (this.#worker ??= await this.#start());
    worker.ref();
    const stop = await this.#watch(worker, work.request(units), results, readingMs);
    if (stop) await this.#end();
    else worker.unref();
    return stop;
  }

  async #watch<Result>(
    worker: Worker,
    request: CompileRequest,
    results: Map<string, Result>,
    readingMs: number,
  ): Promise<Stop | undefined> {
    const { promise, resolve } = Promise.withResolvers<Stop | undefined>();
    let at: string | undefined;
    const onDeath = (): void => resolve({ why: "died", at });
    let round = 0;
    let timer: NodeJS.Timeout | undefined;
    // A thread that got little of a busy machine's CPU in its time gets that time again, a few times at most.
    const wait = (ms: number, begunMs: number, own: number, waits = 0): void => {
      const end = async (): Promise<void> => {
        const isStarved = waits < MAX_WAITS && (await threadMs(worker)) - begunMs < ms / 2;
        if (own !== round) return;
        if (isStarved) wait(ms, begunMs, own, waits + 1);
        else resolve({ why: "deadline", at });
      };
      clearTimeout(timer);
      timer = setTimeout(() => void end(), ms);
    };
    wait(readingMs, 0, round);
    const onReport = ({ cpuMs, ...report }: CompileReport & { readonly cpuMs: number }): void => {
      if (report.kind === "finished") return resolve(undefined);
      at = report.kind === "at" ? report.key : undefined;
      if (report.kind === "done") results.set(report.key, report.result as Result);
      wait(this.#deadlines.skillMs, cpuMs, ++round);
    };
    worker.on("message", onReport).on("exit", onDeath);
    worker.postMessage(request);
    try {
      return await promise;
    } finally {
      round++;
      clearTimeout(timer);
      worker.off("message", onReport).off("exit", onDeath);
    }
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(WORKER_FILE, {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      name: "compile",
      env: threadEnvironment(),
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    await new Promise<void>((resolve, reject) => {
      worker.once("message", () => resolve());
      worker.on("error", reject);
      worker.once("exit", () => {
        if (this.#worker === worker) this.#worker = undefined;
        reject(new Error("The compiler's thread ended before it was ready"));
      });
    });
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

interface Work<Result> {
  readonly request: (units: readonly CodeUnit[]) => CompileRequest;
  /** The result for a skill over which the compiler had to be stopped, or died. */
  readonly stopped: (unit: CodeUnit, why: StopReason) => Result;
}

type StopReason = Pick<CodeFinding, "message" | "fix">;

interface Stop {
  readonly why: "deadline" | "died";
  /** The key of the skill that was being looked at. */
  readonly at: string | undefined;
}

/** CPU milliseconds of a thread; endless where Node cannot tell them (before 24.6) or it has ended. */
async function threadMs(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== "function" || typeof process.threadCpuUsage !== "function")
    return Number.POSITIVE_INFINITY;
  const { user, system } = await worker
    .cpuUsage()
    .catch(() => ({ user: Number.POSITIVE_INFINITY, system: 0 }));
  return (user + system) / 1000;
}

const MAX_WAITS = 3;
const IDLE_MS = 30_000;
const MEMORY_MB = 2_048;
const WORKER_FILE = moduleUrl("compiler/compile-worker");

function tooSlow(ms: number): StopReason {
  return reason(`The compiler did not come to an end with this code within ${ms / 1_000} seconds`);
}

const TOO_MUCH = reason("The compiler ran out of memory over this code");

function reason(message: string): StopReason {
  return {
    message,
    fix: "Use simpler types: no deep recursion, no large products of unions; of thousands of lines in one function, make a loop or several functions",
  };
}

function startOf(unit: CodeUnit): CodePosition {
  return { file: unit.files[0]?.name ?? "", line: 1, column: 1 };
}
