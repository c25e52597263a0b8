import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { failure, type Failure } from "../core/error.ts";
import {
  type CallEvent,
  clockMs,
  type FromWorker,
  isFromWorker,
  type Job,
  SHARED,
  SHARED_BYTES,
  type SkillPackage,
  type ToWorker,
  type WorkerData,
} from "./protocol.ts";
import { preludeSource } from "./prelude-source.ts";
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
/** So many workers that end before they are ready, one after another, and runs wait for no more. */
const MAX_FALSE_STARTS = 3;

/** What the pool asks and tells about a run. */
export interface PoolRun {
  readonly job: Omit<Job, "startedAt">;
  /** Whose run it is. */
  readonly caller: string;
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
  /** Whether a worker has ended under it by itself. */
  wasLost: boolean;
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
  /** Workers that are given no more runs, until those that they have are done. */
  readonly #leaving = new Set<Member>();
  readonly #quarantined = new LRUCache<string, true>({ max: 1000, ttl: QUARANTINE_MS });
  #loading: Promise<void> | undefined;
  #loaded: Pick<WorkerData, "binary" | "prelude"> | undefined;
  #falseStarts = 0;
  #watch: NodeJS.Timeout | undefined;
  #waiting: OpenRun[] = [];
  #closed = false;
  #nextAttempt = 1;

  readonly #onWarning: (message: string) => void;

  constructor(onWarning: (message: string) => void, size: number = Math.min(8, availableParallelism())) {
    this.#onWarning = onWarning;
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
      for (const run of member.runs.values()) if (run.job.id === id) this.#cancelIn(member, run);
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
    this.#leaving.clear();
    for (const member of members) member.runs.clear();
    for (const run of open) run.onDone({ failed: closedFailure() });
    await Promise.all(members.map(async (member) => member.worker.terminate()));
  }

  #all(): readonly Member[] {
    return [...this.#members, ...(this.#ward ? [this.#ward] : []), ...this.#leaving];
  }

  async #load(): Promise<void> {
    this.#loading ??= Promise.all([quickJsBinary(), preludeSource()]).then(([binary, prelude]) => {
      this.#loaded = { binary, prelude };
    });
    return this.#loading;
  }

  // --- handing out

  #dispatch(run: OpenRun): void {
    // It also keeps the process alive while workers start.
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS);
    const member = this.#quarantined.has(suspectKey(run)) ? this.#readyWard() : this.#freest();
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
    this.#post(member, { kind: "run", job: { ...run.job, id: run.attempt, startedAt: run.startedAt } });
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
    else if (!freest && this.#spare?.isReady && this.#members.length < 2 * this.#size) {
      freest = this.#spare;
      this.#hire();
    }
    if (freest) return freest;
    // All are busy: waiting in the one with the least to do is better than not at all.
    const ready = this.#members.filter((member) => member.isReady);
    return ready.toSorted((a, b) => a.runs.size - b.runs.size)[0];
  }

  #readyWard(): Member | undefined {
    if (!this.#ward) {
      this.#ward = this.#spare ?? this.#started();
      this.#spare = undefined;
      this.#hireSpare();
    }
    return this.#ward?.isReady ? this.#ward : undefined;
  }

  #hire(): void {
    const hired = this.#spare ?? this.#started();
    this.#spare = undefined;
    if (hired) this.#members.push(hired);
    this.#hireSpare();
  }

  #hireSpare(): void {
    this.#spare ??= this.#started();
  }

  #started(): Member | undefined {
    if (!this.#loaded || this.#closed) return undefined;
    try {
      return this.#member(this.#loaded);
    } catch (error) {
      this.#startedFalsely(String(error));
      return undefined;
    }
  }

  // Runs wait while workers start; without end they would wait for one that cannot.
  #startedFalsely(why: string): void {
    this.#falseStarts++;
    this.#onWarning(`A worker does not start: ${why}`);
    if (this.#falseStarts < MAX_FALSE_STARTS) return;
    this.#falseStarts = 0;
    queueMicrotask(() => this.#failWaiting(why));
  }

  #member(loaded: Pick<WorkerData, "binary" | "prelude">): Member {
    const buffer = new SharedArrayBuffer(SHARED_BYTES);
    const file = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js";
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: { ...loaded, shared: buffer } satisfies WorkerData,
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
    worker.stdout.on("data", (chunk: Buffer) => process.stderr.write(chunk));
    worker.unref();
    worker.on("message", (messages: unknown) => this.#receive(member, messages));
    worker.on("messageerror", (error) =>
      this.#broke(member, `a message of it cannot be read: ${error.message}`),
    );
    worker.on("error", (error) => this.#broke(member, String(error)));
    worker.on("exit", () => this.#broke(member, "the worker ended"));
    return member;
  }

  // --- what workers say

  #receive(member: Member, messages: unknown): void {
    for (const message of Array.isArray(messages) ? (messages as readonly unknown[]) : [messages]) {
      if (!isFromWorker(message)) {
        this.#broke(member, "it sent what is no message");
        return;
      }
      try {
        this.#heard(member, message);
      } catch (error) {
        this.#broke(
          member,
          `its "${message.kind}" cannot be handled: ${String(error)}`,
          "id" in message ? message : {},
        );
      }
    }
  }

  #heard(member: Member, message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        member.isReady = true;
        this.#falseStarts = 0;
        this.#handOut();
        return;
      case "wants": {
        const { library, name } = message;
        this.#post(member, { kind: "skill", library, name, skill: member.libraries.get(library)?.(name) });
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
        const { id, root, isOverCpu, fault } = message;
        const run = this.#left(member, id);
        if (!run) return;
        if (isOverCpu || fault !== undefined) this.#quarantined.set(suspectKey(run), true);
        if (fault !== undefined) this.#distrust(member, run, fault);
        run.onDone({ root });
        return;
      }
      case "lost": {
        const run = this.#left(member, message.id);
        if (!run) return;
        this.#distrust(member, run, message.fault);
        run.onDone({ failed: lostFailure(run, "there was a fault in the runner") });
        return;
      }
    }
  }

  async #callTool(member: Member, asked: Extract<FromWorker, { kind: "tool" }>): Promise<void> {
    const { id, tool, skill, name, input } = asked;
    const run = member.runs.get(id);
    if (!run) return;
    run.tools.push(name);
    try {
      this.#post(member, { kind: "answer", id, tool, ...(await run.callTool(skill, name, input)) });
    } catch (error) {
      const text = JSON.stringify(
        failure("TOOL_FAILED", `The tool "${name}" cannot be called: ${String(error)}`),
      );
      this.#post(member, { kind: "answer", id, tool, ok: false, text });
    }
  }

  #left(member: Member, id: number): OpenRun | undefined {
    const run = member.runs.get(id);
    member.runs.delete(id);
    if (run && ![...member.runs.values()].some((each) => each.job.library === run.job.library)) {
      this.#forgetOld(member, run.job.library);
    }
    if (member.runs.size === 0) {
      member.worker.unref();
      if (this.#leaving.delete(member)) void member.worker.terminate();
    }
    return run;
  }

  // A worker keeps what it knows of the newest library, and of older ones while runs use them.
  #forgetOld(member: Member, library: number): void {
    const newest = Math.max(...member.libraries.keys());
    for (const known of [...member.libraries.keys(), library]) {
      const used = [...member.runs.values()].some((each) => each.job.library === known);
      if (known >= newest || used || !member.libraries.delete(known)) continue;
      this.#post(member, { kind: "forget", library: known });
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
      this.#post(member, { kind: "cancel", id: run.attempt });
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
        this.#post(member, { kind: "cancel", id: run.attempt });
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
    if (guilty && !cancelled) this.#quarantined.set(suspectKey(guilty), true);
    this.#stop(member, "it shared a worker with a skill that had to be stopped");
    if (!guilty) return;
    const { limits, name } = guilty.job;
    const timedOut = `The run did not end within its ${limits.cpuMs} ms of CPU time and ${limits.wallMs} ms in all`;
    const failed = cancelled ? cancelledFailure() : failure("SKILL_TIMED_OUT", timedOut);
    guilty.onDone({ failed: { ...failed, skill: name, callPath: "0" } });
  }

  // --- workers that go

  /** Replaces a worker in which something happened that never should; what it has begun it may end. */
  #distrust(member: Member, { job }: OpenRun, fault: string): void {
    this.#onWarning(`The run of "${job.name}" is lost, and its worker is replaced: ${fault}`);
    if (!this.#dismiss(member)) return;
    if (member.runs.size > 0) this.#leaving.add(member);
    else void member.worker.terminate();
    if (this.#members.length < this.#size) this.#hire();
  }

  /** A worker that ended by itself, or that cannot be understood: it costs the run that it was at. */
  #broke(member: Member, why: string, at: { readonly id?: number } = {}): void {
    if (this.#closed || !(this.#all().includes(member) || this.#spare === member)) return;
    if (member.isReady) this.#onWarning(`A worker is replaced: ${why}`);
    else this.#startedFalsely(why);
    const { id = Atomics.load(member.shared, SHARED.running) } = at;
    const lost = [...member.runs.values()].filter((run) => run.attempt === id || run.wasLost);
    for (const run of lost) this.#left(member, run.attempt);
    for (const run of member.runs.values()) run.wasLost = true;
    this.#stop(member, why);
    for (const run of lost) run.onDone({ failed: lostFailure(run, why) });
  }

  /** Its runs start again elsewhere, unless they have touched the world. */
  #stop(member: Member, why: string): void {
    if (!this.#dismiss(member) && !this.#leaving.delete(member)) return;
    void member.worker.terminate();
    const open = [...member.runs.values()];
    member.runs.clear();
    if (this.#closed) return;
    if (this.#members.length < this.#size && member.isReady) this.#hire();
    for (const run of open) {
      if (run.tools.length === 0) this.#dispatch(run);
      else run.onDone({ failed: lostFailure(run, why) });
    }
  }

  /** Whether it was one that is given runs. */
  #dismiss(member: Member): boolean {
    const isMember = this.#members.includes(member);
    if (this.#spare === member) this.#spare = undefined;
    else if (this.#ward === member) this.#ward = undefined;
    else if (isMember) this.#members = this.#members.filter((each) => each !== member);
    else return false;
    return true;
  }

  #post(member: Member, message: ToWorker): void {
    member.outbox.push(message);
    if (member.outbox.length > 1) return;
    queueMicrotask(() => {
      const messages = member.outbox;
      member.outbox = [];
      try {
        member.worker.postMessage(messages);
      } catch (error) {
        this.#broke(member, `it cannot be told something: ${String(error)}`);
      }
    });
  }

  #cancelIn(member: Member, run: OpenRun): void {
    run.cancelledAt ??= clockMs();
    if (Atomics.load(member.shared, SHARED.running) === run.attempt)
      Atomics.store(member.shared, SHARED.cancelled, run.attempt);
    this.#post(member, { kind: "cancel", id: run.attempt });
  }
}

const UNTOUCHED = {
  attempt: 0,
  startedAt: undefined,
  cancelledAt: undefined,
  wasLost: false,
} as const;

/** How long code has been on a worker's stack. */
function stackMs(member: Member, now: number): number {
  if (Atomics.load(member.shared, SHARED.running) === 0) return 0;
  const ms = ((now & 0x7fffffff) - Atomics.load(member.shared, SHARED.since)) & 0x7fffffff;
  // It may have come there after `now`.
  return ms > 0x3fffffff ? 0 : ms;
}

function suspectKey({ caller, digest }: PoolRun): string {
  return JSON.stringify([caller, digest]);
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
