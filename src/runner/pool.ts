import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { failure, type Failure } from "../core/error.ts";
import {
  clockMs,
  type FromWorker,
  type Job,
  SHARED,
  SHARED_BYTES,
  type SkillPackage,
  type ToWorker,
} from "./protocol.ts";
import { quickJsBinary } from "./quickjs-binding.ts";

/** How long after its deadline code may stay on a worker's stack before the worker is terminated. */
const GRACE_MS = 100;
const WATCH_MS = 20;
const WORKER_STACK_MB = 16;

/** What the pool asks and tells about a run. */
export interface PoolRun {
  readonly job: Job;
  /** The skills of the job's library. */
  readonly lookUp: (name: string) => SkillPackage | undefined;
  readonly onEvent: (event: Extract<FromWorker, { kind: "started" | "finished" }>) => void;
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
  cancelledAt: number | undefined;
}

interface Member {
  readonly worker: Worker;
  readonly shared: Int32Array;
  readonly runs: Map<number, OpenRun>;
  readonly libraries: Set<number>;
}

/** Worker threads that run skills, and the watchdog over them. */
export class Pool {
  readonly #size: number;
  #members: Member[] = [];
  #spare: Member | undefined;
  #binary: Promise<WebAssembly.Module> | undefined;
  #loaded: WebAssembly.Module | undefined;
  #watch: NodeJS.Timeout | undefined;
  #waiting: OpenRun[] = [];
  #closed = false;

  constructor(size: number = Math.min(8, availableParallelism())) {
    this.#size = size;
  }

  run(asked: PoolRun): void {
    const run: OpenRun = { ...asked, tools: [], cancelledAt: undefined };
    if (this.#closed) {
      asked.onDone({ failed: failure("RUNNER_CLOSED", "The runner is shutting down") });
      return;
    }
    this.#dispatch(run);
  }

  cancel(id: number): void {
    const waiting = this.#waiting.find((run) => run.job.id === id);
    if (waiting) {
      this.#waiting = this.#waiting.filter((run) => run !== waiting);
      waiting.onDone({ failed: failure("CANCELLED", "The run was cancelled") });
      return;
    }
    const member = this.#members.find((each) => each.runs.has(id));
    const run = member?.runs.get(id);
    if (!member || !run) return;
    run.cancelledAt = clockMs();
    Atomics.store(member.shared, SHARED.cancelled, id);
    post(member, { kind: "cancel", id });
  }

  /** Starts the workers ahead of the first run. */
  async warm(): Promise<void> {
    this.#loaded ??= await this.#compiled();
    while (!this.#closed && this.#members.length < this.#size) this.#members.push(this.#hired(this.#loaded));
    this.#spare ??= this.#closed ? undefined : this.#hired(this.#loaded);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    const members = [...this.#members, ...(this.#spare ? [this.#spare] : [])];
    this.#members = [];
    for (const run of [...this.#waiting, ...members.flatMap((member) => [...member.runs.values()])]) {
      run.onDone({ failed: failure("RUNNER_CLOSED", "The runner is shutting down") });
    }
    await Promise.all(members.map(async (member) => member.worker.terminate()));
  }

  #compiled(): Promise<WebAssembly.Module> {
    this.#binary ??= quickJsBinary();
    return this.#binary;
  }

  #dispatch(run: OpenRun): void {
    const binary = this.#loaded;
    if (!binary) {
      this.#waiting.push(run);
      void this.#compiled().then((module) => {
        this.#loaded = module;
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const each of waiting) this.#dispatch(each);
      });
      return;
    }
    const member = this.#freest(binary);
    member.runs.set(run.job.id, run);
    member.libraries.add(run.job.library);
    member.worker.ref();
    post(member, { kind: "run", job: run.job });
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS);
  }

  #freest(binary: WebAssembly.Module): Member {
    const [freest] = this.#members.toSorted((a, b) => a.runs.size - b.runs.size);
    if (freest && (freest.runs.size === 0 || this.#members.length >= this.#size)) return freest;
    const hired = this.#spare ?? this.#hired(binary);
    this.#spare = undefined;
    this.#members.push(hired);
    return hired;
  }

  #hired(binary: WebAssembly.Module): Member {
    const buffer = new SharedArrayBuffer(SHARED_BYTES);
    const worker = new Worker(
      new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url),
      {
        workerData: { binary, shared: buffer },
        resourceLimits: { stackSizeMb: WORKER_STACK_MB },
        stdout: true,
        execArgv: [
          ...process.execArgv.filter((flag) => !flag.startsWith("--inspect")),
          "--disable-warning=ExperimentalWarning",
        ],
      },
    );
    const member: Member = { worker, shared: new Int32Array(buffer), runs: new Map(), libraries: new Set() };
    worker.stdout.pipe(process.stderr);
    worker.unref();
    worker.on("message", (message: FromWorker) => this.#heard(member, message));
    worker.on("error", (error) => this.#lost(member, undefined, error.message));
    worker.on("exit", () => this.#lost(member, undefined, "the worker ended"));
    return member;
  }

  #heard(member: Member, message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        return;
      case "wants": {
        const { library, name } = message;
        const run = [...member.runs.values()].find((each) => each.job.library === library);
        post(member, { kind: "skill", library, name, skill: run?.lookUp(name) });
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
    const newest = Math.max(...member.libraries);
    for (const known of [library, ...member.libraries]) {
      const used = [...member.runs.values()].some((each) => each.job.library === known);
      if (known >= newest || used || !member.libraries.delete(known)) continue;
      post(member, { kind: "forget", library: known });
    }
  }

  // --- the watchdog

  #look(): void {
    const now = clockMs();
    let busy = false;
    for (const member of [...this.#members]) {
      busy ||= member.runs.size > 0;
      const running = Atomics.load(member.shared, SHARED.running);
      const run = running === 0 ? undefined : member.runs.get(running);
      if (!run) continue;
      const sinceMs = ((now & 0x7fffffff) - Atomics.load(member.shared, SHARED.since)) & 0x7fffffff;
      const late = sinceMs > Atomics.load(member.shared, SHARED.cpuLeft) + GRACE_MS;
      const deaf = run.cancelledAt !== undefined && now > run.cancelledAt + GRACE_MS;
      if (run.cancelledAt !== undefined) Atomics.store(member.shared, SHARED.cancelled, running);
      // Between the two looks the run may have left the stack.
      if ((late || deaf) && Atomics.load(member.shared, SHARED.running) === running)
        this.#terminate(member, run, deaf);
    }
    this.#dropOverdue(now);
    if (!busy) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
  }

  // A run whose time is up while its worker is busy with another is answered here.
  #dropOverdue(now: number): void {
    for (const member of this.#members) {
      for (const run of [...member.runs.values()]) {
        const { id, limits, startedAt } = run.job;
        if (now < startedAt + limits.wallMs + GRACE_MS || Atomics.load(member.shared, SHARED.running) === id)
          continue;
        this.#left(member, id);
        post(member, { kind: "cancel", id });
        run.onDone({ failed: failure("SKILL_TIMED_OUT", `The run did not end within ${limits.wallMs} ms`) });
      }
    }
  }

  #terminate(member: Member, guilty: OpenRun, cancelled: boolean): void {
    const { wallMs, cpuMs } = guilty.job.limits;
    const failed = cancelled
      ? failure("CANCELLED", "The run was cancelled")
      : failure(
          "SKILL_TIMED_OUT",
          `The run did not end within its ${cpuMs} ms of CPU time and ${wallMs} ms in all`,
        );
    this.#left(member, guilty.job.id);
    this.#lost(member, guilty, "it shared a worker with a skill that had to be stopped");
    guilty.onDone({ failed: { ...failed, skill: guilty.job.name, callPath: "0" } });
  }

  /** Runs of a worker that is gone start again elsewhere, unless they have touched the world. */
  #lost(member: Member, guilty: OpenRun | undefined, why: string): void {
    if (!this.#members.includes(member) && this.#spare !== member) return;
    this.#members = this.#members.filter((each) => each !== member);
    if (this.#spare === member) this.#spare = undefined;
    void member.worker.terminate();
    const innocent = [...member.runs.values()];
    member.runs.clear();
    if (this.#closed) return;
    for (const run of innocent) {
      if (guilty && run.tools.length === 0) this.#dispatch(run);
      else run.onDone({ failed: lostFailure(run, why) });
    }
    if (this.#loaded && !this.#spare && guilty) this.#spare = this.#hired(this.#loaded);
  }
}

function lostFailure(run: OpenRun, why: string): Failure {
  const called =
    run.tools.length === 0 ? "It had called no upstream tool" : `It had called ${run.tools.join(", ")}`;
  return failure("RUNNER_LOST", `The run was lost: ${why}. ${called}.`, { details: { tools: run.tools } });
}

function post(member: Member, message: ToWorker): void {
  member.worker.postMessage(message);
}
