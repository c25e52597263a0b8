import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { failure, type Failure } from "../../core/error.ts";
import {
  type CallEvent,
  clockMs,
  type FromWorker,
  isFromWorker,
  type Job,
  SHARED,
  type SkillPackage,
  type ToWorker,
} from "./protocol.ts";
import { TransientMap } from "../../core/transient-map.ts";
import { cpuMsOf, letOthersGoFirst } from "../cpu-slice.ts";
import { ThreadPort } from "./thread-port.ts";
import {
  type FirstWorker,
  isAwakeByDefault,
  loadSandbox,
  type Sandbox,
  startWorkerThread,
  type WorkerThread,
} from "./worker-thread.ts";

/** How long after its deadline code may stay on a worker's stack before the worker is terminated. */
const GRACE_MS = 100;
const WATCH_MS = 5;
/** Runs leave a worker whose code has been on the stack so long, and none is sent there. */
const BUSY_MS = 15;
/** The same of a worker's first run, for which most of the worker's own code is compiled. */
const FIRST_BUSY_MS = 60;
/** While another worker is free for light runs, only code that has been on the stack so long has one more started. */
const UNHURRIED_MS = 1000;
/** A run that has moved so often stays where it is. */
const MAX_MOVES = 5;
/** A skill whose code was on the stack so long is, for its caller, kept apart from light ones for a while. */
const HEAVY_MS = 30;
/** The same of a skill that has never ended by itself, when another run of it comes. */
const OPEN_ENDED_MS = 4;
const HEAVY_FOR_MS = 60_000;
/** Runs of a skill that takes less go where others of the kind wait already: to wake another worker costs more. */
const QUICK_MS = 0.2;
const MAX_TOGETHER = 32;
/** How much of what its longest run took is forgotten with each other run. */
const FORGOTTEN = 0.1;
/** How long a run that is alone is waited for awake, by what its skill usually takes: the event loop stands still meanwhile. */
const AWAIT_MS = 0.1;
const AWAIT_LONG_MS = 0.3;
const MAX_PASSED = 64;
const QUARANTINE_MS = 10 * 60_000;
/** Callers beyond these share one. */
const MAX_ISOLATED_WORKERS = 4;
/** So many workers that end before they are ready, one after another, and runs wait for no more. */
const MAX_FALSE_STARTS = 3;

export interface PoolOptions {
  /** Told of what should never happen, and of what was done about it. */
  readonly onWarning: (message: string) => void;
  /** By default as many as cores, at most 8. */
  readonly workers?: number | undefined;
  /**
   * Whether threads wait awake for each other, at most 0.4 ms, while runs come one by one; by default where there is more
   * than one core.
   */
  readonly waitAwake?: boolean | undefined;
  /** A worker that is there already, started with the same `waitAwake`. */
  readonly first?: FirstWorker | undefined;
}

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
  /** Calls an upstream tool. */
  readonly callTool: (asked: ToolRequest) => Promise<ToolResponse>;
  readonly onDone: (ended: { readonly root: string } | { readonly failed: Failure }) => void;
}

/** A call of an upstream tool, as a worker asks for it. */
export type ToolRequest = Pick<
  Extract<FromWorker, { kind: "tool" }>,
  "skill" | "name" | "callPath" | "input" | "answered"
>;

/** JSON text of a tool's output or of a `Failure`. */
export interface ToolResponse {
  readonly ok: boolean;
  readonly text: string;
  /** When it was given, where the run can be resumed: milliseconds since 1970. */
  readonly at?: number;
  /** Whether the tool is known to only read. */
  readonly isRead?: boolean;
}

interface OpenRun extends PoolRun {
  /** Of its caller and its skill. */
  readonly suspect: string;
  /** Upstream tools that it has called. */
  readonly tools: string[];
  /** The number under which a worker knows it; another each time it is handed out. */
  attempt: number;
  startedAt: number | undefined;
  cancelledAt: number | undefined;
  /** Whether its skill was known to be heavy when it was handed out, or it was found to be. */
  isHeavy: boolean;
  /** Whether its skill was known to be quick when it was handed out. */
  isQuick: boolean;
  wasLong: boolean;
  moves: number;
  /** Whether a worker has ended under it by itself. */
  wasLost: boolean;
}

interface PoolWorker {
  readonly worker: Worker;
  readonly port: ThreadPort<ToWorker>;
  readonly shared: Int32Array;
  readonly runs: TransientMap<OpenRun>;
  /** How many of them are heavy. */
  heavy: number;
  /** How many of them are quick. */
  quick: number;
  /** Libraries that it may ask about. */
  readonly libraries: Map<number, PoolRun["lookUp"]>;
  isReady: boolean;
  /** Whether a run has ended in it. */
  hasRun: boolean;
  /** What the CPU time of its thread was, and when, since the code now on its stack was noticed. */
  noticed:
    | { readonly since: number; readonly cpuMs: number | undefined; readonly onStackMs: number }
    | undefined;
  /** Messages that leave together, at the end of the current turn. */
  outbox: ToWorker[];
}

/**
 * Worker threads that run skills, and the watchdog over them. A skill that once had to be stopped runs, for the caller
 * that had it stopped, in a ward: a worker of that caller's own. One that was only long is still everybody's, but no
 * light one waits behind it where that can be helped.
 */
export class Pool {
  readonly #size: number;
  #members: PoolWorker[] = [];
  #spare: PoolWorker | undefined;
  /** By caller. */
  readonly #wards = new Map<string, PoolWorker>();
  /** Workers that are given no more runs, until those that they have are done. */
  readonly #leaving = new Set<PoolWorker>();
  readonly #quarantined = new LRUCache<string, true>({ max: 1000, ttl: QUARANTINE_MS });
  /** What is known of skills, and of what single callers do with them. */
  readonly #heavy = new LRUCache<string, boolean>({ max: 10_000, ttl: HEAVY_FOR_MS });
  /** Skills that did not end while they were waited for: how many of their runs pass before one is waited for again. */
  readonly #slow = new LRUCache<string, { pass: number; passed: number }>({ max: 1000 });
  /** CPU milliseconds that the code of skills which call no tools takes at most, of late. */
  readonly #spent = new LRUCache<string, number>({ max: 1000 });
  /** Skills that have ended by themselves: of others nobody knows how long they take. */
  readonly #ended = new LRUCache<string, true>({ max: 10_000 });
  #sandbox: Sandbox | undefined;
  #falseStarts = 0;
  #watch: NodeJS.Timeout | undefined;
  #waiting: OpenRun[] = [];
  #closed = false;
  #nextAttempt = 1;

  readonly #onWarning: (message: string) => void;
  readonly #waitsAwake: boolean;

  constructor({
    onWarning,
    workers = Math.min(8, availableParallelism()),
    waitAwake = isAwakeByDefault(),
    first,
  }: PoolOptions) {
    this.#onWarning = onWarning;
    this.#size = workers;
    this.#waitsAwake = waitAwake;
    this.#sandbox = first?.sandbox;
    // One that has ended meanwhile has no thread any more.
    if (first && first.thread.worker.threadId !== -1) this.#members.push(this.#member(first.thread));
  }

  run(asked: PoolRun): void {
    if (this.#closed) {
      asked.onDone({ failed: closedFailure() });
      return;
    }
    this.#dispatch({ ...asked, ...FRESH_RUN, suspect: `${asked.digest} ${asked.caller}`, tools: [] });
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

  /** Starts workers ahead of the first run, at most as many as there will be. */
  async warm(most: number): Promise<void> {
    await this.#load();
    while (!this.#closed && this.#members.length < Math.min(most, this.#size)) this.#hire();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    const members = [...this.#all(), ...(this.#spare ? [this.#spare] : [])];
    const open = [...this.#waiting, ...members.flatMap((member) => member.runs.values())];
    this.#members = [];
    this.#waiting = [];
    this.#spare = undefined;
    this.#wards.clear();
    this.#leaving.clear();
    for (const member of members) member.runs.clear();
    for (const run of open) run.onDone({ failed: closedFailure() });
    await Promise.all(members.map(async (member) => member.worker.terminate()));
  }

  #all(): readonly PoolWorker[] {
    return [...this.#members, ...this.#wards.values(), ...this.#leaving];
  }

  // Runs have been handed over when it fails, so that they can be told.
  async #load(): Promise<void> {
    this.#sandbox ??= loadSandbox();
    return Promise.resolve();
  }

  // --- handing out

  #dispatch(run: OpenRun): void {
    // It also keeps the process alive while workers start.
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS);
    const isQuarantined = this.#quarantined.has(run.suspect);
    const member = isQuarantined ? this.#readyWard(run.caller) : this.#freest(run);
    if (!member) {
      this.#waiting.push(run);
      if (!this.#sandbox)
        this.#load().then(
          () => this.#handOut(),
          (error: unknown) => this.#failWaiting(error),
        );
      return;
    }
    this.#hand(member, run);
  }

  #hand(member: PoolWorker, run: OpenRun): void {
    run.startedAt ??= clockMs();
    run.attempt = this.#nextAttempt;
    this.#nextAttempt = (this.#nextAttempt % 0x7fffffff) + 1;
    member.runs.set(run.attempt, run);
    run.isHeavy = this.#isHeavy(run);
    run.isQuick = this.#isQuick(run);
    if (run.isHeavy) member.heavy++;
    if (run.isQuick) member.quick++;
    member.libraries.set(run.job.library, run.lookUp);
    if (member.runs.size === 1) member.worker.ref();
    Atomics.store(member.shared, SHARED.alone, this.#isAlone() ? 1 : 0);
    this.#post(member, { kind: "run", job: { ...run.job, id: run.attempt, startedAt: run.startedAt } });
  }

  /**
   * Waits awake for what the only run gives, where its worker is awake and the skill is usually quick: to be woken costs
   * more than most runs.
   */
  #await(member: PoolWorker): void {
    const [run] = member.runs.values();
    if (!run || !this.#isAlone()) return;
    const slow = this.#slow.get(run.digest);
    if (slow && slow.passed++ < slow.pass) return;
    const usualMs = (this.#spent.get(run.digest) ?? 0) * 1.5;
    const messages = member.port.listen(Math.min(Math.max(AWAIT_MS, usualMs), AWAIT_LONG_MS));
    if (messages === undefined) {
      // As often as it was too slow, so rarely is it waited for.
      this.#slow.set(run.digest, { pass: Math.min(MAX_PASSED, (slow?.pass ?? 1) * 2), passed: 0 });
      return;
    }
    if (slow) slow.pass /= 2;
    this.#receive(member, messages);
  }

  #isAlone(): boolean {
    let open = this.#waiting.length;
    for (const { runs } of this.#members) open += runs.size;
    for (const { runs } of this.#wards.values()) open += runs.size;
    for (const { runs } of this.#leaving) open += runs.size;
    return open === 1;
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

  #freest(run: OpenRun): PoolWorker | undefined {
    const now = clockMs();
    if (!this.#ended.has(run.digest)) this.#noteOpenEnded(run.digest, now);
    const isHeavy = this.#isHeavy(run);
    const together = isHeavy ? undefined : this.#together(run, now);
    if (together && this.#members.length >= this.#size) return together;
    const ready = this.#members.filter((member) => member.isReady);
    const free = ready.filter((member) => member.runs.size === 0 || stackMs(member, now) <= BUSY_MS);
    // Calls of a heavy skill fill no more workers than the pool's size, so that there is one left for others.
    const same = isHeavy ? ready.filter((member) => hasHeavy(member, run.digest)) : [];
    // One that has never ended by itself fills no more than one.
    const isFull = same.length >= (this.#ended.has(run.digest) ? this.#size : 1);
    const fit = free.filter((member) => (isFull ? same.includes(member) : member.heavy === 0));
    const best = together ?? leastLoaded(fit);
    if (best?.runs.size === 0) return best;
    // One that starts already takes the first run that waits.
    const starting = this.#members.length - ready.length;
    if (this.#members.length < this.#size && starting <= this.#waiting.length) this.#hire();
    else if (!best && !isFull && this.#spare?.isReady && this.#members.length < 2 * this.#size) {
      const spare = this.#spare;
      this.#hire();
      return spare;
    }
    // All are busy: waiting in the one with the least to do is better than not at all.
    return best ?? leastLoaded(isFull ? same : free) ?? leastLoaded(ready);
  }

  // Before it is known for long, its next run would take the next worker.
  #noteOpenEnded(digest: string, now: number): void {
    for (const member of this.#members) {
      const run = member.runs.get(Atomics.load(member.shared, SHARED.running));
      if (run?.digest === digest && stackMs(member, now) > OPEN_ENDED_MS) this.#isFoundHeavy(member, run);
    }
  }

  /** A worker that is at quick runs, for another one. */
  #together(run: OpenRun, now: number): PoolWorker | undefined {
    if (!this.#isQuick(run)) return undefined;
    return this.#members.find(
      ({ isReady, runs, quick, shared }) =>
        isReady &&
        runs.size > 0 &&
        runs.size < MAX_TOGETHER &&
        quick === runs.size &&
        stackMs({ shared }, now) <= 1,
    );
  }

  #isQuick({ digest }: OpenRun): boolean {
    return (this.#spent.get(digest) ?? QUICK_MS) < QUICK_MS;
  }

  // What others did with a skill counts until one has done something with it oneself; the last time tells.
  #isHeavy(run: OpenRun): boolean {
    return this.#heavy.get(run.suspect) ?? this.#heavy.has(run.digest);
  }

  #readyWard(caller: string): PoolWorker | undefined {
    let ward = this.#wards.get(caller);
    if (!ward && this.#wards.size >= MAX_ISOLATED_WORKERS) ward = leastLoaded([...this.#wards.values()]);
    if (!ward) {
      ward = this.#spare ?? this.#started();
      this.#spare = undefined;
      if (ward) this.#makeWard(ward, caller);
      this.#hireSpare();
    }
    return ward?.isReady ? ward : undefined;
  }

  /** Makes the worker in which a skill was stopped its caller's ward: other runs of the skill wait there already. */
  #setApart(member: PoolWorker, caller: string): void {
    const others = this.#members.filter((each) => each !== member);
    const isNeeded = this.#wards.has(caller) || this.#wards.size >= MAX_ISOLATED_WORKERS;
    if (isNeeded || others.length === this.#members.length || !others.some(({ isReady }) => isReady)) return;
    this.#members = others;
    this.#makeWard(member, caller);
  }

  #makeWard(member: PoolWorker, caller: string): void {
    this.#wards.set(caller, member);
    if (member.isReady) putBehind(member);
  }

  #hire(): void {
    const hired = this.#spare ?? this.#started();
    if (hired) this.#members.push(hired);
    const wasSpare = hired !== undefined && hired === this.#spare;
    this.#spare = undefined;
    if (wasSpare) this.#hireSpare();
  }

  /** From the first skill that keeps a worker busy there is one more, for others to go on in. */
  #hireSpare(): void {
    this.#spare ??= this.#started();
  }

  #started(): PoolWorker | undefined {
    if (!this.#sandbox || this.#closed) return undefined;
    try {
      return this.#member(startWorkerThread(this.#sandbox, this.#waitsAwake, "later"));
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

  #member({ worker, port: own, shared }: WorkerThread): PoolWorker {
    const member: PoolWorker = {
      worker,
      port: new ThreadPort(own, true),
      shared,
      runs: new TransientMap(),
      heavy: 0,
      quick: 0,
      libraries: new Map(),
      isReady: false,
      hasRun: false,
      noticed: undefined,
      outbox: [],
    };
    worker.stdout.on("data", (chunk: Buffer) => process.stderr.write(chunk));
    member.port.onMessages((messages) => this.#receive(member, messages));
    own.port.on("messageerror", (error) =>
      this.#broke(member, `a message of it cannot be read: ${error.message}`),
    );
    // What keeps the process alive is a worker that has something to do.
    own.port.unref();
    worker.on("error", (error) => this.#broke(member, String(error)));
    worker.on("exit", () => this.#broke(member, "the worker ended"));
    return member;
  }

  // --- what workers say

  #receive(member: PoolWorker, messages: readonly unknown[]): void {
    for (const message of messages) {
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

  #heard(member: PoolWorker, message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        member.isReady = true;
        if (this.#wards.values().some((ward) => ward === member)) putBehind(member);
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
        const { id, root, spentMs, isOverspent, fault } = message;
        const run = this.#left(member, id);
        member.hasRun = true;
        if (!run) return;
        if (run.isHeavy && !run.wasLong) this.#heavy.set(run.suspect, false);
        if (!isOverspent) {
          this.#ended.set(run.digest, true);
          this.#learnTime(run, spentMs);
        }
        if (isOverspent || fault !== undefined) this.#quarantined.set(run.suspect, true);
        if (fault !== undefined) this.#distrust(member, run, fault);
        else if (isOverspent) this.#setApart(member, run.caller);
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

  // Runs that call tools are bound to their worker: where it has to be stopped, few should be lost.
  #learnTime({ digest, tools }: OpenRun, spentMs: number): void {
    if (tools.length > 0) return;
    const most = (this.#spent.get(digest) ?? 0) * (1 - FORGOTTEN);
    this.#spent.set(digest, Math.max(spentMs, most));
  }

  async #callTool(member: PoolWorker, asked: Extract<FromWorker, { kind: "tool" }>): Promise<void> {
    const { id, tool, name } = asked;
    const run = member.runs.get(id);
    if (!run) return;
    run.tools.push(name);
    try {
      this.#post(member, { kind: "answer", id, tool, ...(await run.callTool(asked)) });
    } catch (error) {
      const text = JSON.stringify(
        failure("TOOL_FAILED", `The tool "${name}" cannot be called: ${String(error)}`),
      );
      this.#post(member, { kind: "answer", id, tool, ok: false, text });
    }
  }

  #left(member: PoolWorker, id: number): OpenRun | undefined {
    const run = member.runs.get(id);
    // What comes from one that is being ended must not let the process go before it has.
    if (!run) return undefined;
    member.runs.delete(id);
    if (run.isHeavy) member.heavy--;
    if (run.isQuick) member.quick--;
    if (member.libraries.size > 1) this.#forgetOld(member);
    if (member.runs.size === 0) {
      member.worker.unref();
      if (this.#leaving.delete(member)) void member.worker.terminate();
    }
    return run;
  }

  // A worker keeps what it knows of the newest library, and of older ones while runs use them.
  #forgetOld(member: PoolWorker): void {
    const newest = Math.max(...member.libraries.keys());
    for (const known of [...member.libraries.keys()]) {
      const used = member.runs.values().some((each) => each.job.library === known);
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
      const late = run !== undefined && isLate(member, run, onStack);
      const deaf = run?.cancelledAt !== undefined && now > run.cancelledAt + GRACE_MS;
      // Between the two looks the run may have left the stack.
      const isStuck = (late || deaf) && Atomics.load(member.shared, SHARED.running) === running;
      if (isStuck) this.#terminate(member, run, deaf);
      else if (onStack > (member.hasRun ? BUSY_MS : FIRST_BUSY_MS)) {
        if (onStack > UNHURRIED_MS || !this.#hasLight(now)) this.#hireSpare();
        if (run && onStack > HEAVY_MS) this.#isFoundHeavy(member, run);
        this.#moveAway(member, running);
      }
    }
    this.#dropOverdue(now);
    if (this.#waiting.length > 0) this.#handOut();
    this.#letGo();
    if (this.#all().some((member) => member.runs.size > 0) || this.#waiting.length > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  /** Whether there is a worker that can go on with light runs. */
  #hasLight(now: number): boolean {
    return this.#members.some(
      (member) => member.isReady && member.heavy === 0 && stackMs(member, now) <= BUSY_MS,
    );
  }

  #isFoundHeavy(member: PoolWorker, run: OpenRun): void {
    this.#heavy.set(run.suspect, true);
    this.#heavy.set(run.digest, true);
    run.wasLong = true;
    if (run.isHeavy) return;
    run.isHeavy = true;
    member.heavy++;
  }

  // Runs that wait behind another's code, and have not touched the world, begin again elsewhere.
  #moveAway(member: PoolWorker, running: number): void {
    for (const run of member.runs.values()) {
      const isBound = run.tools.length > 0 || run.cancelledAt !== undefined || run.moves >= MAX_MOVES;
      if (run.attempt === running || isBound || this.#quarantined.has(run.suspect)) continue;
      const other = this.#freest(run);
      if (!other || other === member || stackMs(other, clockMs()) > BUSY_MS) continue;
      this.#left(member, run.attempt);
      this.#post(member, { kind: "cancel", id: run.attempt });
      run.moves++;
      this.#hand(other, run);
    }
  }

  // A run whose time is up while its worker is busy with another is answered here.
  #dropOverdue(now: number): void {
    for (const member of this.#all()) {
      for (const run of member.runs.values()) {
        const { limits } = run.job;
        const isOverdue = now >= (run.startedAt ?? now) + limits.wallMs + GRACE_MS;
        if (!isOverdue || Atomics.load(member.shared, SHARED.running) === run.attempt) continue;
        this.#left(member, run.attempt);
        this.#post(member, { kind: "cancel", id: run.attempt });
        run.onDone({
          failed: failure("SKILL_TIMED_OUT", `The run did not end within its wallMs, ${limits.wallMs} ms`),
        });
      }
    }
  }

  // Workers hired above the pool's size leave when they have nothing to do, but the one that keeps light runs apart.
  #letGo(): void {
    for (const [caller, ward] of this.#wards) {
      if (this.#wards.size === 1) break;
      if (!ward.isReady || ward.runs.size > 0) continue;
      this.#wards.delete(caller);
      void ward.worker.terminate();
    }
    const isMixed = this.#members.some(({ heavy }) => heavy > 0);
    if (this.#members.length <= this.#size + (isMixed ? 1 : 0)) return;
    const idle = this.#members.find((member) => member.isReady && member.runs.size === 0);
    if (!idle) return;
    this.#members = this.#members.filter((member) => member !== idle);
    void idle.worker.terminate();
  }

  #terminate(member: PoolWorker, guilty: OpenRun | undefined, cancelled: boolean): void {
    if (guilty) this.#left(member, guilty.attempt);
    if (guilty && !cancelled) this.#quarantined.set(guilty.suspect, true);
    this.#stop(member, "it shared a worker with a skill that had to be stopped");
    if (!guilty) return;
    const { limits, name } = guilty.job;
    const isLate = clockMs() >= (guilty.startedAt ?? 0) + limits.wallMs;
    const timedOut = isLate
      ? `The run did not end within its wallMs, ${limits.wallMs} ms`
      : `The run used up its cpuMs, ${limits.cpuMs} ms of CPU time`;
    const failed = cancelled ? cancelledFailure() : failure("SKILL_TIMED_OUT", timedOut);
    guilty.onDone({ failed: { ...failed, skill: name, callPath: "0" } });
  }

  // --- workers that go

  /** Replaces a worker in which something happened that never should; what it has begun it may end. */
  #distrust(member: PoolWorker, { job }: OpenRun, fault: string): void {
    this.#onWarning(`The run of "${job.name}" is lost, and its worker is replaced: ${fault}`);
    if (!this.#dismiss(member)) return;
    if (member.runs.size > 0) this.#leaving.add(member);
    else void member.worker.terminate();
    if (this.#members.length < this.#size) this.#hire();
  }

  /** A worker that ended by itself, or that cannot be understood: it costs the run that it was at. */
  #broke(member: PoolWorker, why: string, at: { readonly id?: number } = {}): void {
    if (this.#closed || !(this.#all().includes(member) || this.#spare === member)) return;
    if (member.isReady) this.#onWarning(`A worker is replaced: ${why}`);
    else this.#startedFalsely(why);
    const { id = Atomics.load(member.shared, SHARED.running) } = at;
    const lost = member.runs.values().filter((run) => run.attempt === id || run.wasLost);
    for (const run of lost) this.#left(member, run.attempt);
    for (const run of member.runs.values()) run.wasLost = true;
    this.#stop(member, why);
    for (const run of lost) run.onDone({ failed: lostFailure(run, why) });
  }

  /** Its runs start again elsewhere, unless they have touched the world. */
  #stop(member: PoolWorker, why: string): void {
    if (!this.#dismiss(member) && !this.#leaving.delete(member)) return;
    void member.worker.terminate();
    const open = member.runs.values();
    member.runs.clear();
    member.heavy = 0;
    member.quick = 0;
    if (this.#closed) return;
    if (this.#members.length < this.#size && member.isReady) this.#hire();
    for (const run of open) {
      if (run.tools.length === 0) this.#dispatch(run);
      else run.onDone({ failed: lostFailure(run, why) });
    }
  }

  /** Whether it was one that is given runs. */
  #dismiss(member: PoolWorker): boolean {
    const isMember = this.#members.includes(member);
    if (this.#spare === member) this.#spare = undefined;
    else if (isMember) this.#members = this.#members.filter((each) => each !== member);
    else {
      for (const [caller, ward] of this.#wards) if (ward === member) return this.#wards.delete(caller);
      return false;
    }
    return true;
  }

  #post(member: PoolWorker, message: ToWorker): void {
    member.outbox.push(message);
    if (member.outbox.length > 1) return;
    // When all that came in together has been handed out.
    process.nextTick(() => {
      const messages = member.outbox;
      member.outbox = [];
      try {
        if (member.port.send(messages)) this.#await(member);
      } catch (error) {
        this.#broke(member, `it cannot be told something: ${String(error)}`);
      }
    });
  }

  #cancelIn(member: PoolWorker, run: OpenRun): void {
    run.cancelledAt ??= clockMs();
    if (Atomics.load(member.shared, SHARED.running) === run.attempt)
      Atomics.store(member.shared, SHARED.cancelled, run.attempt);
    this.#post(member, { kind: "cancel", id: run.attempt });
  }
}

const FRESH_RUN = {
  attempt: 0,
  startedAt: undefined,
  cancelledAt: undefined,
  isHeavy: false,
  isQuick: false,
  wasLong: false,
  moves: 0,
  wasLost: false,
} as const;

function hasHeavy({ heavy, runs }: PoolWorker, digest: string): boolean {
  return heavy > 0 && runs.values().some((run) => run.isHeavy && run.digest === digest);
}

function leastLoaded(members: readonly PoolWorker[]): PoolWorker | undefined {
  return members.toSorted((a, b) => a.runs.size - b.runs.size)[0];
}

/** Lets all others have the processor before a worker. */
function putBehind({ shared }: PoolWorker): void {
  letOthersGoFirst(Atomics.load(shared, SHARED.thread));
}

/** How long code has been on a worker's stack. */
function stackMs({ shared }: Pick<PoolWorker, "shared">, now: number): number {
  if (Atomics.load(shared, SHARED.running) === 0) return 0;
  const ms = ((now & 0x7fffffff) - Atomics.load(shared, SHARED.since)) & 0x7fffffff;
  // It may have come there after `now`.
  return ms > 0x3fffffff ? 0 : ms;
}

/** Whether the code on its stack has outstayed its time. A thread that the machine does not let run has not used any. */
function isLate(member: PoolWorker, { job, startedAt = 0 }: OpenRun, onStackMs: number): boolean {
  if (onStackMs <= BUSY_MS) return false;
  const thread = Atomics.load(member.shared, SHARED.thread);
  const since = Atomics.load(member.shared, SHARED.since);
  if (member.noticed?.since !== since)
    // Where nobody has looked for longer, as of a machine that stood still, it need not have worked all the time.
    member.noticed = { since, cpuMs: cpuMsOf(thread), onStackMs: Math.min(onStackMs, GRACE_MS) };
  const mostMs = Atomics.load(member.shared, SHARED.cpuLeft) + GRACE_MS;
  if (onStackMs <= mostMs) return false;
  const { noticed } = member;
  const cpuMs = noticed.cpuMs === undefined ? undefined : cpuMsOf(thread);
  const isOverdue = clockMs() > startedAt + job.limits.wallMs + GRACE_MS;
  if (isOverdue || cpuMs === undefined || noticed.cpuMs === undefined) return true;
  return noticed.onStackMs + cpuMs - noticed.cpuMs > mostMs;
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
