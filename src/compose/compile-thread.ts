import { Worker } from "node:worker_threads";
import type { CompileReport } from "./compile-worker.ts";
import { uncompiled, type CodeUnit, type CompiledCode } from "./compiled-code.ts";

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

  constructor(deadlines: CompileDeadlines) {
    this.#deadlines = deadlines;
  }

  async compile(units: readonly CodeUnit[]): Promise<ReadonlyMap<string, CompiledCode>> {
    const compiled = new Map<string, CompiledCode>();
    clearTimeout(this.#idle);
    const left = (): readonly CodeUnit[] => units.filter(({ key }) => !compiled.has(key));
    while (left().length > 0) {
      if (this.#closed) throw new Error("The compiler is closed");
      const stopped = await this.#attempt(left(), compiled);
      if (stopped) await this.#afterStop(stopped, left(), compiled);
    }
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    return compiled;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#end();
  }

  async #afterStop(
    stopped: Stop,
    left: readonly CodeUnit[],
    compiled: Map<string, CompiledCode>,
  ): Promise<void> {
    const suspect = left.find(({ key }) => key === stopped.at);
    // At its own deadline a skill is guilty. A thread that died may have been exhausted by those before it.
    if (suspect && stopped.why === "deadline")
      compiled.set(suspect.key, tooSlow(suspect, this.#deadlines.skillMs));
    else for (const unit of suspect ? [suspect] : left) await this.#alone(unit, compiled);
  }

  async #alone(unit: CodeUnit, compiled: Map<string, CompiledCode>): Promise<void> {
    const stopped = await this.#attempt([unit], compiled, this.#deadlines.skillMs);
    if (!stopped || compiled.has(unit.key)) return;
    compiled.set(
      unit.key,
      stopped.why === "deadline" ? tooSlow(unit, this.#deadlines.skillMs) : tooMuch(unit),
    );
  }

  /** Works through a batch, as far as it goes; what stopped it, if something did. */
  async #attempt(
    units: readonly CodeUnit[],
    compiled: Map<string, CompiledCode>,
    readingMs = this.#deadlines.batchMs + this.#deadlines.batchPerSkillMs * units.length,
  ): Promise<Stop | undefined> {
    const worker = (this.#worker ??= await this.#start());
    worker.ref();
    const stop = await this.#watch(worker, units, compiled, readingMs);
    if (stop) await this.#end();
    else worker.unref();
    return stop;
  }

  async #watch(
    worker: Worker,
    units: readonly CodeUnit[],
    compiled: Map<string, CompiledCode>,
    readingMs: number,
  ): Promise<Stop | undefined> {
    const { promise, resolve } = Promise.withResolvers<Stop | undefined>();
    let at: string | undefined;
    const onDeadline = (): void => resolve({ why: "deadline", at });
    const onDeath = (): void => resolve({ why: "died", at });
    let timer = setTimeout(onDeadline, readingMs);
    const onReport = (report: CompileReport): void => {
      clearTimeout(timer);
      if (report.kind === "finished") return resolve(undefined);
      at = report.kind === "at" ? report.key : undefined;
      if (report.kind === "done") compiled.set(report.key, report.code);
      timer = setTimeout(onDeadline, this.#deadlines.skillMs);
    };
    worker.on("message", onReport).on("exit", onDeath);
    worker.postMessage(units);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off("message", onReport).off("exit", onDeath);
    }
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(WORKER_FILE, {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      name: "compile",
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

interface Stop {
  readonly why: "deadline" | "died";
  /** The key of the skill that was being looked at. */
  readonly at: string | undefined;
}

const IDLE_MS = 30_000;
const MEMORY_MB = 2_048;
const WORKER_FILE = new URL(
  import.meta.url.endsWith(".ts") ? "./compile-worker.ts" : "./compile-worker.js",
  import.meta.url,
);

function tooSlow(unit: CodeUnit, ms: number): CompiledCode {
  return stoppedOver(unit, `The compiler did not come to an end with this code within ${ms / 1_000} seconds`);
}

function tooMuch(unit: CodeUnit): CompiledCode {
  return stoppedOver(unit, "The compiler ran out of memory over this code");
}

function stoppedOver(unit: CodeUnit, message: string): CompiledCode {
  const file = unit.files[0]?.name ?? "";
  const fix = "Use simpler types: no deep recursion, no large products of unions";
  const finding = {
    code: "type-inexpressible",
    severity: "error",
    file,
    line: 1,
    column: 1,
    message,
    fix,
  } as const;
  return { ...uncompiled([finding]), isFinal: false };
}
