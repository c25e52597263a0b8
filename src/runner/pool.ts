import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { failure, type Failure } from "../core/error.ts";
import {
  type CallEvent,
  clockMs,
  type FromWorker,
  type Job,
  SHARED,
  SHARED_BYTES,
  type SkillPackage,
  type ToWorker,
  type WorkerData,
} from "./protocol.ts";
import { quickJsBinary } from "./quickjs-binding.ts";

/** How long after its deadline code may stay on a worker's stack before the worker is terminated. */
const GRACE_MS = 100;
const WATCH_MS = 20;
/** Runs leave a worker whose code has been on the stack so long, and none is sent there. */
const BUSY_MS = 30;
const WORKER_STACK_MB = 16;
/** Young objects die with their call; with less room for them, some of those of calls in flight are kept for long. */
const WORKER_YOUNG_MB = 32;
const QUARANTINE_MS = 10 * 60_000;

/** What the pool asks and tells about a run. */
export interface PoolRun {
  readonly job: Omit<Job, "startedAt">;
  /** The digest of the root's skill. */
  readonly digest: string;
  /** The skills of the job's library. */
  readonly lookUp: (name: string) => SkillPackage | undefined;
  readonly onEvent: (event: CallEvent) => void;
  /** Calls an upstream tool; gives JSON text of its output or of a `Failure`. */
  readonly callTool: (
    skill: string,
    name: string,
    input: string,
  ) => Promise<{ readonly ok: boolean; readonly text: string }>;
  readonly onDone: (ended: { readonly root: string } | { readonly failed: Failure }) => void;
}

interface OpenRun extends PoolRun {
  /** Upstream tools that it has called. */
  readonly tools: string[];
  /** The number under which a worker knows it; another each time it is handed out. */
  attempt: number;
  startedAt: number | undefined;
  cancelledAt: number | undefined;
}

interface Member {
  readonly worker: Worker;
  readonly shared: Int32Array;
  readonly runs: Map<number, OpenRun>;
  /** Libraries that it may ask about. */
  readonly libraries: Map<number, PoolRun["lookUp"]>;
  isReady: boolean;
  /** Messages that leave together, at the end of the current turn. */
  outbox: ToWorker[];
}

/**
 * Worker threads that run skills, and the watchdog over them. Skills that once had to be stopped run in a worker of
 * their own, where they keep only each other waiting.
 */
export class Pool {
  readonly #size: number;
  #members: Member[] = [];
  #spare: Member | undefined;
  #ward: Member | undefined;
  readonly #quarantined = new LRUCache<string, true>({ max: 1000, ttl: QUARANTINE_MS });
  #binary: Promise<WebAssembly.Module> | undefined;
  #loaded: WebAssembly.Module | undefined;
  #watch: NodeJS.Timeout | undefined;
  #waiting: OpenRun[] = [];
  #closed = false;
  #nextAttempt = 1;

  constructor(size: number = Math.min(8, availableParallelism())) {
    this.#size = size;
  }

  run(asked: PoolRun): void {
    if (this.#closed) {
      asked.onDone({ failed: closedFailure() });
      return;
    }
    this.#dispatch({ ...asked, ...UNTOUCHED, tools: [] });
  }

  cancel(id: number): void {
    const waiting = this.#waiting.find((run) => run.job.id === id);
    if (waiting) {
      this.#waiting = this.#waiting.filter((run) => run !== waiting);
      waiting.onDone({ failed: cancelledFailure() });
      return;
    }
    for (const member of this.#all()) {
      for (const run of member.runs.values()) if (run.job.id === id) cancelIn(member, run);
    }
  }

  /** Starts the workers ahead of the first run. */
  async warm(): Promise<void> {
    await this.#load();
    while (!this.#closed && this.#members.length < this.#size) this.#hire();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    const members = [...this.#all(), ...(this.#spare ? [this.#spare] : [])];
    const open = [...this.#waiting, ...members.flatMap((member) => [...member.runs.values()])];
    this.#members = [];
    this.#waiting = [];
    this.#spare = undefined;
    this.#ward = undefined;
    for (const member of members) member.runs.clear();
    for (const run of open) run.onDone({ failed: closedFailure() });
    await Promise.all(members.map(async (member) => member.worker.terminate()));
  }

  #all(): readonly Member[] {
    return this.#ward ? [...this.#members, this.#ward] : this.#members;
  }

  async #load(): Promise<void> {
    this.#binary ??= quickJsBinary();
    this.#loaded = await this.#binary;
  }

  // --- handing out

  #dispatch(run: OpenRun): void {
    // It also keeps the process alive while workers start.
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS);
    const member = this.#quarantined.has(run.digest) ? this.#readyWard() : this.#freest();
    if (!member) {
      this.#waiting.push(run);
      if (!this.#loaded)
        this.#load().then(
          () => this.#handOut(),
          (error: unknown) => this.#failWaiting(error),
        );
      return;
    }
    this.#hand(member, run);
  }

  #hand(member: Member, run: OpenRun): void {
    run.startedAt ??= clockMs();
    run.attempt = this.#nextAttempt;
    this.#nextAttempt = (this.#nextAttempt % 0x7fffffff) + 1;
    member.runs.set(run.attempt, run);
    member.libraries.set(run.job.library, run.lookUp);
    member.worker.ref();
    post(member, { kind: "run", job: { ...run.job, id: run.attempt, startedAt: run.startedAt } });
  }

  #handOut(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) this.#dispatch(run);
  }

  #failWaiting(error: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) {
      run.onDone({ failed: failure("RUNNER_LOST", `The sandbox does not start: ${String(error)}`) });
    }
  }

  #freest(): Member | undefined {
    const now = clockMs();
    let freest: Member | undefined;
    for (const member of this.#members) {
      const isAtWork = member.runs.size > 0 && stackMs(member, now) > BUSY_MS;
      if (!member.isReady || isAtWork) continue;
      if (!freest || member.runs.size < freest.runs.size) freest = member;
    }
    if (freest?.runs.size === 0) return freest;
    if (this.#members.length < this.#size) this.#hire();
    else if (!freest && this.#spare?.isReady && this.#members.length < 2 * this.#size)
      return this.#useSpare();
    if (freest) return freest;
    // All are busy: waiting in the one with the least to do is better than not at all.
    const ready = this.#members.filter((member) => member.isReady);
    return ready.toSorted((a, b) => a.runs.size - b.runs.size)[0];
  }

  #readyWard(): Member | undefined {
    if (!this.#ward && this.#loaded) {
      this.#ward = this.#spare ?? this.#started(this.#loaded);
      this.#spare = undefined;
      this.#hireSpare();
    }
    return this.#ward?.isReady ? this.#ward : undefined;
  }

  #hire(): void {
    if (!this.#loaded || this.#closed) return;
    if (this.#spare) this.#useSpare();
    else this.#members.push(this.#started(this.#loaded));
    this.#hireSpare();
  }

  #useSpare(): Member | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare) this.#members.push(spare);
    this.#hireSpare();
    return spare;
  }

  #hireSpare(): void {
    if (this.#loaded && !this.#closed) this.#spare ??= this.#started(this.#loaded);
  }

  #started(binary: WebAssembly.Module): Member {
    const buffer = new SharedArrayBuffer(SHARED_BYTES);
    const file = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js";
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: { binary, shared: buffer } satisfies WorkerData,
      resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
      stdout: true,
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    const shared = new Int32Array(buffer);
    const member: Member = {
      worker,
      shared,
      runs: new Map(),
      libraries: new Map(),
      isReady: false,
      outbox: [],
    };
    worker.stdout.pipe(process.stderr);
    worker.unref();
    worker.on("message", (messages: readonly FromWorker[]) => {
      for (const message of messages) this.#heard(member, message);
    });
    worker.on("error", (error) => this.#lost(member, error.message));
    worker.on("exit", () => this.#lost(member, "the worker ended"));
    return member;
  }

  // --- what workers say

  #heard(member: Member, message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        member.isReady = true;
        this.#handOut();
        return;
      case "wants": {
        const { library, name } = message;
        post(member, { kind: "skill", library, name, skill: member.libraries.get(library)?.(name) });
        return;
      }
      case "started":
      case "finished":
        member.runs.get(message.id)?.onEvent(message);
        return;
      case "tool":
        void this.#callTool(member, message);
        return;
      case "done": {
        const run = this.#left(member, message.id);
        if (run && message.isOverCpu) this.#quarantined.set(run.digest, true);
        run?.onDone({ root: message.root });
        return;
      }
    }
  }

  async #callTool(member: Member, asked: Extract<FromWorker, { kind: "tool" }>): Promise<void> {
    const run = member.runs.get(asked.id);
    if (!run) return;
    run.tools.push(asked.name);
    const answer = await run.callTool(asked.skill, asked.name, asked.input);
    post(member, { kind: "answer", id: asked.id, tool: asked.tool, ...answer });
  }

  #left(member: Member, id: number): OpenRun | undefined {
    const run = member.runs.get(id);
    member.runs.delete(id);
    if (run && ![...member.runs.values()].some((each) => each.job.library === run.job.library)) {
      this.#forgetOld(member, run.job.library);
    }
    if (member.runs.size === 0) member.worker.unref();
    return run;
  }

  // A worker keeps what it knows of the newest library, and of older ones while runs use them.
  #forgetOld(member: Member, library: number): void {
    const newest = Math.max(...member.libraries.keys());
    for (const known of [...member.libraries.keys(), library]) {
      const used = [...member.runs.values()].some((each) => each.job.library === known);
      if (known >= newest || used || !member.libraries.delete(known)) continue;
      post(member, { kind: "forget", library: known });
    }
  }

  // --- the watchdog

  #look(): void {
    const now = clockMs();
    for (const member of this.#all()) {
      const running = Atomics.load(member.shared, SHARED.running);
      const run = running === 0 ? undefined : member.runs.get(running);
      if (run?.cancelledAt !== undefined) Atomics.store(member.shared, SHARED.cancelled, running);
      const onStack = stackMs(member, now);
      const late = running !== 0 && onStack > Atomics.load(member.shared, SHARED.cpuLeft) + GRACE_MS;
      const deaf = run?.cancelledAt !== undefined && now > run.cancelledAt + GRACE_MS;
      // Between the two looks the run may have left the stack.
      const isStuck = (late || deaf) && Atomics.load(member.shared, SHARED.running) === running;
      if (isStuck) this.#terminate(member, run, deaf);
      else if (onStack > BUSY_MS) this.#moveAway(member, running);
    }
    this.#dropOverdue(now);
    if (this.#waiting.length > 0) this.#handOut();
    this.#letGo();
    if (this.#all().some((member) => member.runs.size > 0) || this.#waiting.length > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  // Runs that wait behind another's code, and have not touched the world, begin again elsewhere.
  #moveAway(member: Member, running: number): void {
    if (member === this.#ward) return;
    for (const run of [...member.runs.values()]) {
      if (run.attempt === running || run.tools.length > 0 || run.cancelledAt !== undefined) continue;
      const now = clockMs();
      const other = this.#members.find(
        (each) => each.isReady && each !== member && stackMs(each, now) <= BUSY_MS,
      );
      if (!other && !(this.#spare?.isReady && this.#members.length < 2 * this.#size)) return;
      this.#left(member, run.attempt);
      post(member, { kind: "cancel", id: run.attempt });
      this.#dispatch(run);
    }
  }

  // A run whose time is up while its worker is busy with another is answered here.
  #dropOverdue(now: number): void {
    for (const member of this.#all()) {
      for (const run of [...member.runs.values()]) {
        const { limits } = run.job;
        const isOverdue = now >= (run.startedAt ?? now) + limits.wallMs + GRACE_MS;
        if (!isOverdue || Atomics.load(member.shared, SHARED.running) === run.attempt) continue;
        this.#left(member, run.attempt);
        post(member, { kind: "cancel", id: run.attempt });
        run.onDone({ failed: failure("SKILL_TIMED_OUT", `The run did not end within ${limits.wallMs} ms`) });
      }
    }
  }

  // Workers hired above the pool's size leave when they have nothing to do.
  #letGo(): void {
    if (this.#members.length <= this.#size) return;
    const idle = this.#members.find((member) => member.isReady && member.runs.size === 0);
    if (!idle) return;
    this.#members = this.#members.filter((member) => member !== idle);
    void idle.worker.terminate();
  }

  #terminate(member: Member, guilty: OpenRun | undefined, cancelled: boolean): void {
    if (guilty) this.#left(member, guilty.attempt);
    if (guilty && !cancelled) this.#quarantined.set(guilty.digest, true);
    this.#lost(member, "it shared a worker with a skill that had to be stopped", true);
    if (!guilty) return;
    const { limits, name } = guilty.job;
    const timedOut = `The run did not end within its ${limits.cpuMs} ms of CPU time and ${limits.wallMs} ms in all`;
    const failed = cancelled ? cancelledFailure() : failure("SKILL_TIMED_OUT", timedOut);
    guilty.onDone({ failed: { ...failed, skill: name, callPath: "0" } });
  }

  /** Runs of a worker that was stopped start again elsewhere, unless they have touched the world. */
  #lost(member: Member, why: string, wasStopped = false): void {
    if (this.#spare === member) this.#spare = undefined;
    else if (this.#ward === member) this.#ward = undefined;
    else if (this.#members.includes(member)) this.#members = this.#members.filter((each) => each !== member);
    else return;
    void member.worker.terminate();
    const open = [...member.runs.values()];
    member.runs.clear();
    if (this.#closed) return;
    if (wasStopped && this.#members.length < this.#size) this.#hire();
    for (const run of open) {
      if (wasStopped && run.tools.length === 0) this.#dispatch(run);
      else run.onDone({ failed: lostFailure(run, why) });
    }
  }
}

const UNTOUCHED = {
  attempt: 0,
  startedAt: undefined,
  cancelledAt: undefined,
} as const;

function cancelIn(member: Member, run: OpenRun): void {
  run.cancelledAt ??= clockMs();
  if (Atomics.load(member.shared, SHARED.running) === run.attempt)
    Atomics.store(member.shared, SHARED.cancelled, run.attempt);
  post(member, { kind: "cancel", id: run.attempt });
}

/** How long code has been on a worker's stack. */
function stackMs(member: Member, now: number): number {
  if (Atomics.load(member.shared, SHARED.running) === 0) return 0;
  const ms = ((now & 0x7fffffff) - Atomics.load(member.shared, SHARED.since)) & 0x7fffffff;
  // It may have come there after `now`.
  return ms > 0x3fffffff ? 0 : ms;
}

function closedFailure(): Failure {
  return failure("RUNNER_CLOSED", "The runner is shutting down");
}

function cancelledFailure(): Failure {
  return failure("CANCELLED", "The run was cancelled");
}

function lostFailure(run: OpenRun, why: string): Failure {
  const called =
    run.tools.length === 0 ? "It had called no upstream tool" : `It had called ${run.tools.join(", ")}`;
  return failure("RUNNER_LOST", `The run was lost: ${why}. ${called}.`, { details: { tools: run.tools } });
}

function post(member: Member, message: ToWorker): void {
  member.outbox.push(message);
  if (member.outbox.length > 1) return;
  queueMicrotask(() => {
    member.worker.postMessage(member.outbox);
    member.outbox = [];
  });
}
