import { RESERVED_TOOLS } from "../core/tools/reserved-tools.ts";
import { type ErrorCode, type Failure, failure, isRepeatable } from "../core/error.ts";
import { skillRefusal } from "../core/tools/allowed-skills.ts";
import type { CallRecord } from "../core/run.ts";
import type { UnmetCondition } from "../core/conditions/skill-condition.ts";
import type { JsonSchema } from "../core/json/json-schema.ts";
import type { Script } from "../core/skill.ts";
import type { Limits } from "../core/limits.ts";
import { type ConditionCode, unmetConditions } from "./conditions.ts";
import { validatedPayload } from "./validated-payload.ts";
import { reachesTool, subtreeWith, type Call, EMPTY_SUBTREE, openCalls, type CallOutcome } from "./call.ts";
import {
  brokenSkillFailure,
  conditionFailure,
  failureOf,
  schemaFailure,
  publicFailure,
} from "./call-failure.ts";
import { moduleName, positionsIn } from "./call-position.ts";
import { callsByPath, recordedOutcome, recordText } from "./call-record.ts";
import {
  type GuestError,
  GuestFault,
  type GuestRequest,
  type Host,
  type Image,
  type Instance,
  Unwind,
} from "./sandbox/engine.ts";
import { MAX_NESTING, type Payload, payloadOf } from "./sandbox/payload.ts";
import {
  type CallEvent,
  clockMs,
  type FromWorker,
  type Job,
  SHARED,
  type ToWorker,
  type SkillPackage,
} from "./threads/protocol.ts";
import { CpuSlice } from "./cpu-slice.ts";
import { ClockAndRandom, type ClockAndRandomSource } from "./clock-and-random.ts";
import type { WorkerCache } from "./threads/worker-cache.ts";

/** Pending jobs run in slices, so that a flood of them cannot hide from the deadline. */
const JOBS_A_SLICE = 200;

/** Requests of one run, refused ones included, after which it is ended. */
const MAX_REQUESTS = 10_000;

/** What is known of a tool's answer. */
type AnswerFacts = Pick<Extract<ToWorker, { kind: "answer" }>, "at" | "isRead">;

export interface RunTreeOptions {
  readonly job: Job;
  readonly cache: WorkerCache;
  readonly shared: Int32Array;
  readonly post: (message: FromWorker) => void;
  /** Queues work of this run for when the worker is free. */
  readonly enqueue: (work: () => void) => void;
  /** Told once, after the last message about the run has been posted. */
  readonly onEnd: () => void;
}

/**
 * One run in a worker: the root call and the calls below it, each in an own instance, under budgets that belong to
 * the run. Only code on the stack uses the thread; a call that waits for its callees is a suspended instance.
 */
export class RunTree {
  readonly #options: RunTreeOptions;
  readonly #job: Job;
  readonly #limits: Limits;
  readonly #queued: Call[] = [];
  readonly #deadline: number;
  readonly #root: Call;
  #working = 0;
  #calls = 0;
  #requests = 0;
  #cpuLeftMs: number;
  #consoleLeft: number;
  #ended = false;
  #answers = 0;
  readonly #recorded: ReadonlyMap<string, CallRecord> | undefined;
  /** Of a run that goes on: the place of each answer among those that it had before. */
  readonly #earlierAnswers: ReadonlyMap<string, number>;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RunTreeOptions) {
    this.#options = options;
    this.#job = options.job;
    this.#limits = options.job.limits;
    this.#recorded = options.job.replayed === undefined ? undefined : callsByPath(options.job.replayed);
    const { resumable } = options.job;
    this.#earlierAnswers = resumable
      ? new Map(resumable.answered.map((callPath, place) => [callPath, place]))
      : NO_ANSWERS;
    this.#cpuLeftMs = this.#limits.cpuMs;
    this.#consoleLeft = this.#limits.consoleBytes;
    this.#deadline = this.#job.startedAt + this.#limits.wallMs;
    this.#root = this.#opened({
      kind: "skill",
      name: this.#job.name,
      input: this.#job.input,
      given: undefined,
    });
  }

  start(): void {
    if (!this.#ended) this.#admit(this.#root);
  }

  get id(): number {
    return this.#job.id;
  }

  cancel(): void {
    this.#end(failure("CANCELLED", "The run was cancelled"));
  }

  /** Ends the run after a fault of ours, so that it takes no other run down. */
  crash(error: unknown): void {
    const why = error instanceof Error ? error.message : "something else than an error was thrown";
    this.#fault =
      error instanceof GuestFault
        ? `the sandbox of a skill below "${this.#job.name}" is broken: ${why}`
        : `a fault in the runner: ${(error instanceof Error ? error.stack : undefined) ?? why}`;
    this.#end(failure("RUNNER_LOST", `The run was lost: ${why}`));
  }

  #fault: string | undefined;

  /** The answer of an upstream tool. */
  answer(tool: number, ok: boolean, text: string, { at = 0, isRead = false }: AnswerFacts): void {
    const call = this.#tools?.get(tool);
    this.#tools?.delete(tool);
    if (!call || call.outcome) return;
    call.answeredAt = at;
    call.isRead = isRead;
    this.#finish(call, ok ? { ok, text } : { ok, error: JSON.parse(text) as Failure });
  }

  // Most runs call no tool, and one skill.
  #tools: Map<number, Call> | undefined;
  #nextTool = 1;

  // --- a call's life

  #opened(
    asked: { kind: Call["kind"]; name: string; input: string; given: Call["given"] },
    parent?: Call,
    request = 0,
    site = "",
  ): Call {
    const callPath = parent ? `${parent.callPath}.${parent.calls.length}` : "0";
    const call: Call = {
      ...asked,
      callPath,
      parent,
      request,
      site,
      chain: parent ? [...parent.chain, asked.name] : [asked.name],
      startMs: clockMs() - this.#job.startedAt,
      calls: [],
      console: [],
      endMs: 0,
      outcome: undefined,
      skill: undefined,
      scripts: NO_SCRIPTS,
      instance: undefined,
      working: false,
      open: 0,
      lastRequest: 0,
      refused: undefined,
      deadline: parent?.deadline ?? this.#deadline,
      cpuLeftMs: Number.POSITIVE_INFINITY,
      timer: undefined,
      now: parent?.now ?? this.#job.resumable?.startedAt ?? 0,
      clockAndRandom: new ClockAndRandom(this.#clockSource(callPath, () => call.now)),
      readings: undefined,
      spentMs: 0,
      below: EMPTY_SUBTREE,
      isPure: true,
      isLimited: false,
      reused: false,
      unmet: [],
      answered: undefined,
      answeredAt: 0,
      isRead: this.#recorded?.get(callPath)?.isRead === true,
    };
    parent?.calls.push(call);
    return call;
  }

  #clockSource(callPath: string, now: () => number): ClockAndRandomSource {
    const { resumable } = this.#job;
    if (this.#recorded) return { kind: "record", readings: this.#recorded.get(callPath)?.world ?? {} };
    if (!resumable) return { kind: "world" };
    return { kind: "given", now, seed: seedOf(resumable.seed, callPath) };
  }

  get #isFull(): boolean {
    return this.#working >= this.#limits.inFlight;
  }

  #admit(call: Call): void {
    if (this.#isFull) {
      // In which order its caller gets its answers may now be another.
      if (call.parent) call.parent.isLimited = true;
      this.#queued.push(call);
      return;
    }
    this.#setWorking(call, true);
    this.#later(() => (call.kind === "tool" ? this.#callTool(call) : this.#findSkill(call)));
  }

  #setWorking(call: Call, working: boolean): void {
    if (call.working === working) return;
    call.working = working;
    this.#working += working ? 1 : -1;
    this.#admitQueued();
  }

  #admitQueued(): void {
    while (!this.#isFull) {
      const next = this.#queued.shift();
      if (!next) return;
      if (!next.outcome) this.#admit(next);
    }
  }

  #findSkill(call: Call): void {
    if (call.outcome) return;
    this.#tell({ kind: "started", id: this.#job.id, callPath: call.callPath, name: call.name });
    this.#options.cache.lookUp(this.#job.library, call.name, (skill) =>
      this.#later(() => this.#begin(call, skill)),
    );
  }

  #begin(call: Call, skill: SkillPackage | undefined): void {
    if (call.outcome) return;
    if (skill?.refusal) {
      this.#refuse(call, skill.refusal);
      return;
    }
    const code = skill?.code;
    if (!skill || !code) {
      const [errorCode, message]: [ErrorCode, string] = skill
        ? ["SKILL_NOT_RUNNABLE", `The skill "${call.name}" has instructions but no code to run`]
        : ["SKILL_NOT_FOUND", `There is no skill named "${call.name}"`];
      this.#refuse(call, failure(errorCode, message));
      return;
    }
    call.skill = skill;
    const refusal = this.#refusal(call, skill);
    if (refusal) {
      this.#refuse(call, refusal);
      return;
    }
    const input = this.#charged(call, () =>
      validatedPayload(call.given ?? payloadOf(call.input), code.input),
    );
    call.given = undefined;
    if (!input.ok) {
      this.#refuse(
        call,
        schemaFailure("INPUT_INVALID", `The input of "${call.name}" is not valid`, "input", input.issues),
      );
      return;
    }
    call.input = input.text;
    const known = this.#knownOutput(call, skill);
    if (known) {
      call.reused = true;
      call.isPure = skill.reuse?.kind === "pure";
      this.#finish(call, { ok: true, text: known });
      return;
    }
    this.#setOwnLimits(call, skill);
    this.#options.cache.take(
      this.#memoryMb(skill),
      (instance) => this.#later(() => this.#useInstance(call, instance, skill)),
      (error) => this.#finish(call, { ok: false, error: failure("SKILL_OUT_OF_MEMORY", String(error)) }),
    );
  }

  // A replay reuses where the recorded run did, and nowhere else.
  #knownOutput(call: Call, skill: SkillPackage): string | undefined {
    if (this.#recorded) {
      const record = this.#recorded.get(call.callPath);
      return record?.reused && record.outcome.ok ? JSON.stringify(record.outcome.output) : undefined;
    }
    // What was reused is not known to whoever takes the run up after a crash.
    if (this.#job.resumable) return undefined;
    const known = skill.reuse && this.#options.cache.outputs.get(outputKey(skill, call.input));
    if (!known) return undefined;
    const above = call.chain.slice(0, -1);
    const { below } = known;
    if (Math.max(Buffer.byteLength(known.text), below.bytes) > this.#limits.payloadBytes) return undefined;
    const isSame = below.callees.every(
      ({ name, digest }) =>
        !above.includes(name) && this.#options.cache.digestOf(this.#job.library, name) === digest,
    );
    const isDeep = above.length + below.levels > this.#limits.depth;
    if (!isSame || isDeep || this.#calls + below.calls > this.#limits.calls) return undefined;
    this.#calls += below.calls;
    return known.text;
  }

  #keepOutput(call: Call, text: string): void {
    const { skill, below } = call;
    // To whom a budget said no may have gone another way than by itself. What was reused below says nothing of the
    // calls that it once took.
    // Nor is one whose conditions did not all hold: each such call tells so.
    if (
      !skill?.reuse ||
      call.isLimited ||
      call.reused ||
      call.unmet.length > 0 ||
      this.#recorded ||
      !below.isWell
    )
      return;
    if (skill.reuse.kind === "pure" && !call.isPure) return;
    const ttl = skill.reuse.kind === "fresh" ? { ttl: skill.reuse.forMs } : {};
    this.#options.cache.outputs.set(outputKey(skill, call.input), { text, below }, ttl);
  }

  #refusal(call: Call, skill: SkillPackage): Failure | undefined {
    const { chain, name } = call;
    const unshown = this.#unshown(call);
    if (unshown) return unshown;
    if (skill.confirms && !this.#job.isConfirmed) {
      const message = `"${name}" waits for a person before it writes (durable: confirm), which this run does not`;
      return failure("RUN_UNAPPROVED", message);
    }
    const above = chain.length - 1;
    const mayRecur = skill.recursive && chain[above - 1] === name;
    if (chain.indexOf(name) < above && !mayRecur) {
      return failure("CIRCULAR_CALL", `Circular dependency detected: ${chain.join(" -> ")}`);
    }
    if (above > this.#limits.depth) {
      const message = `Max call depth (${this.#limits.depth}) exceeded: ${chain.join(" -> ")}`;
      return failure("CALL_TOO_DEEP", message);
    }
    return undefined;
  }

  // A replay refuses what the recorded run did: its time may have known no such rule.
  #unshown({ parent, name, callPath }: Call): Failure | undefined {
    const refusal = parent?.skill && skillRefusal(parent.name, parent.skill.callees, name);
    const recorded = this.#recorded?.get(callPath)?.outcome;
    const wasMade = recorded && (recorded.ok || recorded.error.code !== refusal?.code);
    return wasMade ? undefined : refusal;
  }

  #setOwnLimits(call: Call, skill: SkillPackage): void {
    call.cpuLeftMs = skill.limits.cpuMs ?? Number.POSITIVE_INFINITY;
    const own = clockMs() + (skill.limits.wallMs ?? Number.POSITIVE_INFINITY);
    if (own >= call.deadline) return;
    call.deadline = own;
    const wait = own - clockMs();
    const end = (): void => this.#endSlow(call);
    call.timer = setTimeout(() => this.#later(end), wait);
  }

  #useInstance(call: Call, instance: Instance, skill: SkillPackage): void {
    call.instance = instance;
    if (call.outcome) {
      this.#release(call);
      return;
    }
    call.scripts = scriptsOf(skill);
    const refusal = this.#conditionFault(call, skill.code?.preconditions, `{"inputs":${call.input}}`);
    if (refusal) this.#finish(call, refusal);
    if (call.outcome) return;
    instance.host = this.#hostOf(call);
    const image = this.#options.cache.images.get(imageKey(skill));
    const isThere = image
      ? this.#enter(call, () => instance.restore(image))
      : this.#load(call, instance, skill);
    if (!isThere) return;
    this.#drive(call, () => instance.call(call.input));
  }

  // Loading runs the skill's top level, under the same limits as a call.
  #load(call: Call, instance: Instance, skill: SkillPackage): boolean {
    let ended = false;
    let broken: GuestError | undefined;
    const host = this.#hostOf(call);
    instance.host = {
      ...host,
      loaded: (error) => {
        ended = true;
        broken = error;
      },
      requested: () => undefined,
    };
    instance.restore(this.#options.cache.base);
    const modules = [...call.scripts].map(([name, script]) => ({ name, code: script.code }));
    const entered = this.#enter(call, () => {
      instance.load(modules);
      while (!ended && instance.pump(JOBS_A_SLICE)) host.interrupt();
    });
    if (!entered || call.outcome) return false;
    if (broken || !ended) {
      this.#finish(call, { ok: false, error: brokenSkillFailure(call, broken) });
      return false;
    }
    instance.host = host;
    call.spentMs = 0;
    // What the top level read of the world, or did where a budget said no, is true for this call alone.
    if (!call.clockAndRandom.readings && !call.isLimited) {
      this.#options.cache.images.set(imageKey(skill), instance.image());
    }
    return true;
  }

  /** Lets the call's code go on until it has settled or waits. */
  #drive(call: Call, step: (instance: Instance) => void): void {
    const { instance } = call;
    if (!instance || call.outcome) return;
    const before = call.calls.length;
    const entered = this.#enter(call, () => {
      step(instance);
      while (!this.#given && instance.pump(JOBS_A_SLICE)) instance.host.interrupt();
    });
    if (!entered || call.outcome) return;
    if (call.open === 0) {
      const message = `The skill "${call.name}" waits for a promise that nothing can settle any more`;
      this.#finish(call, { ok: false, error: failure("SKILL_NEVER_SETTLES", message) });
      return;
    }
    if (!this.#hasRoom(instance, instance.usedBytes)) {
      const message = `The skill "${call.name}" and those that wait beside it need more memory than the run may use`;
      const where = { skill: call.name, callPath: call.callPath };
      this.#finish(call, { ok: false, error: failure("SKILL_OUT_OF_MEMORY", message, where) });
      return;
    }
    this.#heldBytes ??= new Map();
    this.#heldBytes.set(instance, instance.usedBytes);
    const end = (): void => this.#end(this.#tooLate());
    this.#timer ??= setTimeout(() => this.#later(end), Math.max(0, this.#deadline - clockMs()));
    this.#setWorking(call, false);
    for (const asked of call.calls.slice(before)) if (!asked.outcome) this.#admit(asked);
  }

  // Every entry into guest code passes here; an unwinding ends here.
  #enter(call: Call, work: () => void): boolean {
    try {
      this.#charged(call, work);
    } catch (error) {
      this.#trapped(call, error);
      return false;
    }
    this.#settleEarly(call);
    return true;
  }

  // Whatever a skill can make long is told to the watchdog and charged to its run: its code, and checking its values.
  #charged<Value>(call: Call, work: () => Value): Value {
    const { shared } = this.#options;
    const now = clockMs();
    const cpuLeftMs = Math.min(this.#cpuLeftMs, call.cpuLeftMs);
    const wallLeftMs = call.deadline - now;
    const slice = new CpuSlice(cpuLeftMs, wallLeftMs);
    this.#slice = slice;
    this.#tellWatchdog(now, Math.min(cpuLeftMs, wallLeftMs));
    Atomics.store(shared, SHARED.running, this.#job.id);
    try {
      return work();
    } finally {
      Atomics.store(shared, SHARED.running, 0);
      const spent = slice.spentMs;
      this.#cpuLeftMs -= spent;
      call.cpuLeftMs -= spent;
      call.spentMs += spent;
    }
  }

  #slice = new CpuSlice(0, 0);

  #tellWatchdog(now: number, leftMs: number): void {
    const { shared } = this.#options;
    Atomics.store(shared, SHARED.cpuLeft, Math.max(0, Math.ceil(leftMs)));
    Atomics.store(shared, SHARED.since, now & 0x7fffffff);
  }

  // A result that the guest gave is acted on only when its code is off the stack.
  #settleEarly(call: Call): void {
    const given = this.#given;
    this.#given = undefined;
    if (!given) return;
    const outcome = given();
    const fault =
      outcome.ok &&
      this.#conditionFault(
        call,
        call.skill?.code?.postconditions,
        `{"inputs":${call.input},"outputs":${outcome.text}}`,
      );
    this.#finish(call, fault || outcome);
  }

  #given: (() => CallOutcome) | undefined;

  /** Evaluates conditions in the call's own instance, from which its code is gone then. */
  #conditionFault(
    call: Call,
    code: ConditionCode | undefined,
    values: string,
  ): Extract<CallOutcome, { ok: false }> | undefined {
    const { instance, skill } = call;
    if (!code || !instance || !skill) return undefined;
    const { images, base } = this.#options.cache;
    const key = `${imageKey(skill)} ${code.when}`;
    const keep = (image: Image): unknown => images.set(key, image);
    const host = this.#hostOf(call);
    let unmet: readonly UnmetCondition[] = [];
    const isEvaluated = this.#enter(call, () => {
      unmet = unmetConditions(code, { instance, base, known: images.get(key), keep, host, values });
    });
    if (!isEvaluated) return undefined;
    const error = conditionFailure(call, unmet);
    call.unmet = [...call.unmet, ...unmet.filter(({ critical }) => !critical)];
    return error && { ok: false, error };
  }

  #trapped(call: Call, thrown: unknown): void {
    this.#given = undefined;
    if (thrown instanceof Unwind) {
      const isOverRun = this.#requests > MAX_REQUESTS || this.#cpuLeftMs <= 0;
      const isOverOwn = call.cpuLeftMs <= 0 || call.deadline < this.#deadline;
      if (this.#wasCancelled()) this.cancel();
      else if (isOverOwn && !isOverRun && clockMs() < this.#deadline) {
        this.#endSlow(call);
      } else this.#end(this.#tooLate(call));
      return;
    }
    // What a WebAssembly module ends in by itself. All else is ours.
    const isOfEngine =
      thrown instanceof Error && ["RuntimeError", "RangeError", "GuestMemoryError"].includes(thrown.name);
    if (!isOfEngine) {
      this.crash(thrown);
      return;
    }
    const message = `The skill "${call.name}" ran out of memory or stack`;
    const error = failure("SKILL_OUT_OF_MEMORY", message, { skill: call.name, callPath: call.callPath });
    this.#finish(call, { ok: false, error });
  }

  #finish(call: Call, outcome: CallOutcome): void {
    if (call.outcome || this.#ended) return;
    this.#close(call, outcome);
    if (outcome.ok) this.#keepOutput(call, outcome.text);
    const { parent } = call;
    if (!parent) {
      this.#conclude();
      return;
    }
    if (!call.isPure || !outcome.ok) parent.isPure = false;
    const give = (): void => this.#answer(parent, call, outcome);
    if (this.#recorded?.has(call.callPath)) {
      const place = this.#recorded.get(call.callPath)?.answered;
      if (place === undefined) return;
      this.#hold(place, give);
      this.#releaseHeld();
      return;
    }
    const place = this.#earlierAnswers.get(call.callPath);
    if (place !== undefined) this.#hold(place, give);
    else if (this.#answers < this.#earlierAnswers.size) this.#behind.push(give);
    else this.#later(give);
    if (this.#earlierAnswers.size > 0) this.#releaseHeld();
  }

  #answer(parent: Call, call: Call, outcome: CallOutcome): void {
    call.answered = this.#answers++;
    parent.now = Math.max(parent.now, call.kind === "tool" ? call.answeredAt : call.now);
    if (this.#job.resumable && call.answered >= this.#earlierAnswers.size) this.#untold.push(call.callPath);
    if (!parent.outcome) {
      parent.open--;
      this.#noteOrder(parent, call.request);
      this.#setWorking(parent, true);
      const text = outcome.ok ? outcome.text : JSON.stringify(publicFailure(outcome.error));
      const isFree = mayRepeat(call);
      this.#drive(parent, (instance) => instance.settle(call.request, outcome.ok, text, isFree));
    }
    this.#releaseHeld();
  }

  // Which of two skills ends first, where none waits for the world, depends on what the worker knows from other runs.
  #noteOrder(parent: Call, answered: number): void {
    if (parent.open === 0 || parent.isLimited) return;
    for (const older of parent.calls) {
      if (older.request >= answered) return;
      if (older.answered !== undefined || reachesTool(older)) continue;
      parent.isLimited = true;
      return;
    }
  }

  /** Answers that a replay, or a run that goes on, gives in the order of before, by their place in it. */
  #held: Map<number, () => void> | undefined;
  /** Answers that come when all those of before are given. */
  readonly #behind: (() => void)[] = [];
  /** Calls that were answered since a tool was called last. */
  #untold: string[] = [];

  #hold(place: number, give: () => void): void {
    this.#held ??= new Map();
    this.#held.set(place, give);
  }

  #releaseHeld(): void {
    const next = this.#held?.get(this.#answers);
    if (next) {
      this.#held?.delete(this.#answers);
      this.#later(next);
    } else if (this.#answers >= this.#earlierAnswers.size) {
      for (const give of this.#behind.splice(0)) this.#later(give);
    }
  }

  #outputOf(call: Call, output: Payload): CallOutcome {
    const where = { skill: call.name, callPath: call.callPath };
    if (output.kind === "too-large") {
      const message = `The output of "${call.name}" has ${output.bytes} bytes, the limit is ${this.#limits.payloadBytes}`;
      return { ok: false, error: failure("OUTPUT_TOO_LARGE", message, where) };
    }
    const schema = call.skill?.code?.output ?? ANYTHING;
    const checked = this.#charged(call, () => validatedPayload(output, schema));
    if (checked.ok) return checked;
    const message = `The output of "${call.name}" does not fit its output schema`;
    return {
      ok: false,
      error: { ...schemaFailure("OUTPUT_INVALID", message, "output", checked.issues), ...where },
    };
  }

  // What is wrong with the input is the callee's to say; all else is what the caller did.
  #refuse(call: Call, refusal: Failure): void {
    const isCallees = refusal.code === "INPUT_INVALID" || !call.parent;
    const skill = isCallees ? call.name : call.parent.name;
    this.#finish(call, { ok: false, error: { ...refusal, skill, callPath: call.callPath } });
  }

  #close(call: Call, outcome: CallOutcome): void {
    for (const below of call.calls) {
      if (below.outcome) continue;
      const message = `"${call.name}" ended without waiting for this call`;
      this.#close(below, { ok: false, error: failure("CANCELLED", message, { callPath: below.callPath }) });
    }
    call.outcome = outcome;
    call.readings ??= call.clockAndRandom.readings;
    if (call.readings) call.isPure = false;
    call.endMs = clockMs() - this.#job.startedAt;
    const { parent } = call;
    if (parent) {
      parent.below = subtreeWith(parent, call);
      if (call.isLimited) parent.isLimited = true;
      parent.spentMs += call.spentMs;
    }
    clearTimeout(call.timer);
    this.#release(call);
    this.#setWorking(call, false);
    this.#tell({
      kind: "finished",
      id: this.#job.id,
      callPath: call.callPath,
      name: call.name,
      ok: outcome.ok,
    });
  }

  #release(call: Call): void {
    const { instance, skill } = call;
    if (!instance) return;
    call.instance = undefined;
    this.#heldBytes?.delete(instance);
    const { cache } = this.#options;
    cache.giveBack(this.#memoryMb(skill), instance, skill && cache.images.get(imageKey(skill)));
  }

  #memoryMb(skill: SkillPackage | undefined): number {
    return Math.min(this.#limits.memoryMb, skill?.limits.memoryMb ?? Number.POSITIVE_INFINITY);
  }

  /** Bytes that suspended calls hold; with what the running one has they keep to the run's limit. */
  #heldBytes: Map<Instance, number> | undefined;

  #hasRoom(instance: Instance, bytes: number): boolean {
    let sum = bytes;
    for (const [other, held] of this.#heldBytes ?? []) if (other !== instance) sum += held;
    return sum <= this.#limits.memoryMb * 2 ** 20;
  }

  // --- what guest code asks for

  #hostOf(call: Call): Host {
    return {
      maxBytes: this.#limits.payloadBytes,
      interrupt: () => {
        const slice = this.#slice;
        const { checkAt } = slice;
        if (this.#wasCancelled() || slice.isOver()) throw new Unwind();
        if (slice.checkAt !== checkAt) this.#tellWatchdog(clockMs(), slice.leftMs);
      },
      now: () => call.clockAndRandom.now(),
      seed: () => call.clockAndRandom.seed(),
      loaded: () => undefined,
      returned: (output) => {
        this.#given = () => (output ? this.#outputOf(call, output) : this.#returnedNothing(call));
      },
      failed: (error) => {
        this.#given = () => ({ ok: false, error: failureOf(call, error) });
      },
      requested: (request) => this.#requested(call, request),
      printed: (level, text) => this.#printed(call, level, text),
      mayGrow: (bytes) => {
        const { instance, skill } = call;
        if (!instance) return false;
        const grown = instance.memoryBytes + bytes;
        const mayGrow = grown <= this.#memoryMb(skill) * 2 ** 20 && this.#hasRoom(instance, grown);
        if (!mayGrow) call.isLimited = true;
        return mayGrow;
      },
    };
  }

  #returnedNothing(call: Call): CallOutcome {
    const schema = call.skill?.code?.output;
    if (schema && validatedPayload(payloadOf("null"), schema).ok) return { ok: true, text: "null" };
    const message = `The skill "${call.name}" returned nothing (undefined)`;
    return { ok: false, error: failure("NOT_JSON", message, { skill: call.name, callPath: call.callPath }) };
  }

  #requested(call: Call, request: GuestRequest): void {
    this.#requests++;
    if (this.#requests > MAX_REQUESTS) throw new Unwind();
    const { id, kind, name, input, stack } = request;
    if (!Number.isSafeInteger(id) || id <= call.lastRequest)
      throw new GuestFault("it numbers its calls in its own way");
    call.lastRequest = id;
    call.open++;
    const refusal = this.#requestRefusal(request);
    if (refusal) this.#refuseRequest(call, request, refusal);
    else if (input.kind === "json") {
      this.#calls++;
      this.#opened({ kind, name, input: input.text, given: input }, call, id, stack);
    }
  }

  #requestRefusal({ name, input }: GuestRequest): Failure | undefined {
    const { calls, payloadBytes } = this.#limits;
    if (this.#calls >= calls) {
      return failure("TOO_MANY_CALLS", `The run made more than ${calls} calls; "${name}" is not called`);
    }
    switch (input.kind) {
      case "too-large": {
        const message = `The input of "${name}" has ${input.bytes} bytes, the limit is ${payloadBytes}`;
        return failure("INPUT_TOO_LARGE", message);
      }
      case "too-deep":
        return failure("INPUT_INVALID", `The input of "${name}" is nested deeper than ${MAX_NESTING} levels`);
      case "json":
        return undefined;
    }
  }

  // It does not become a call; the guest is told as of any other failure.
  #refuseRequest(call: Call, { id, stack }: GuestRequest, why: Failure): void {
    const positions = positionsIn(stack, call.scripts);
    const refusal = { ...why, skill: call.name, callPath: call.callPath, positions };
    if (why.code !== "INPUT_INVALID") call.isLimited = true;
    call.refused ??= new Map();
    call.refused.set(id, refusal);
    this.#later(() => {
      if (call.outcome) return;
      call.open--;
      this.#noteOrder(call, id);
      const text = JSON.stringify(publicFailure(refusal));
      this.#drive(call, (instance) => instance.settle(id, false, text, true));
    });
  }

  #callTool(call: Call): void {
    if (call.outcome) return;
    this.#tell({ kind: "started", id: this.#job.id, callPath: call.callPath, name: call.name });
    call.isPure = false;
    if (this.#recorded) {
      this.#finish(call, recordedOutcome(this.#recorded.get(call.callPath), call.name));
      return;
    }
    const tool = this.#nextTool++;
    this.#tools ??= new Map();
    this.#tools.set(tool, call);
    const skill = call.parent?.name ?? "";
    const { callPath, name, input } = call;
    const answered = this.#untold;
    // The message leaves later: what is answered meanwhile was not answered before this call.
    this.#untold = [];
    this.#options.post({ kind: "tool", id: this.#job.id, tool, skill, name, callPath, input, answered });
  }

  #printed(call: Call, level: string, text: string): void {
    if (this.#consoleLeft > 0) this.#print(call, level, text);
    if (this.#consoleLeft <= 0) call.isLimited = true;
  }

  #print(call: Call, level: string, text: string): void {
    this.#consoleLeft -= Buffer.byteLength(text) + 16;
    const known =
      level === "info" || level === "warn" || level === "error" || level === "debug" ? level : "log";
    call.console.push({
      level: known,
      text: this.#consoleLeft > 0 ? text : "(the console's limit is reached)",
    });
  }

  // --- the end

  #wasCancelled(): boolean {
    return Atomics.load(this.#options.shared, SHARED.cancelled) === this.#job.id;
  }

  #tooLate(call?: Call): Failure {
    const at = call ?? this.#deepestOpen();
    const where = { skill: at.name, callPath: at.callPath };
    if (this.#requests > MAX_REQUESTS) {
      return failure("TOO_MANY_CALLS", `The run asked for more than ${MAX_REQUESTS} calls`, where);
    }
    const message =
      this.#cpuLeftMs <= 0
        ? `The run used up its cpuMs, ${this.#limits.cpuMs} ms of CPU time`
        : `The run did not end within its wallMs, ${this.#limits.wallMs} ms`;
    return failure("SKILL_TIMED_OUT", message, where);
  }

  // How long code takes is another each time: what a caller does about it would be, too.
  #endSlow(call: Call): void {
    if (this.#job.resumable) this.#end(this.#slow(call));
    else this.#finish(call, { ok: false, error: this.#slow(call) });
  }

  #slow(call: Call): Failure {
    const { wallMs, cpuMs } = call.skill?.limits ?? {};
    const limit = call.cpuLeftMs <= 0 ? `cpuMs, ${cpuMs} ms of CPU time` : `wallMs, ${wallMs} ms`;
    const message = `The skill "${call.name}" did not end within its own ${limit}`;
    return failure("SKILL_TIMED_OUT", message, { skill: call.name, callPath: call.callPath });
  }

  #deepestOpen(): Call {
    let at = this.#root;
    for (;;) {
      const below: Call | undefined = at.calls.find((call) => !call.outcome);
      if (!below) return at;
      at = below;
    }
  }

  /** Ends the whole run with a failure that no skill can catch. */
  #end(error: Failure): void {
    if (this.#ended) return;
    for (const call of openCalls(this.#root)) this.#close(call, { ok: false, error });
    this.#conclude();
  }

  #conclude(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    const root = recordText(this.#root);
    const spentMs = this.#limits.cpuMs - this.#cpuLeftMs;
    const isOverspent = this.#cpuLeftMs <= 0 && this.#root.outcome?.ok === false;
    const ended = { root, spentMs, isOverspent, fault: this.#fault };
    this.#options.post({ kind: "done", id: this.#job.id, ...ended });
    this.#options.onEnd();
  }

  #later(work: () => void): void {
    this.#options.enqueue(() => {
      if (!this.#ended) work();
    });
  }

  #tell(event: CallEvent): void {
    if (this.#job.events) this.#options.post(event);
  }
}

const ANYTHING: JsonSchema = {};

/** Whether making a call again can do nothing twice: by what it has called, whatever a skill declares but that it writes. */
function mayRepeat({ kind, name, skill, calls, outcome, isRead }: Call): boolean {
  if (kind === "skill") return skill?.declaresWrite !== true && calls.every(mayRepeat);
  return isRead || RESERVED_TOOLS.has(name) || (outcome?.ok === false && isRepeatable(outcome.error));
}

const NO_ANSWERS: ReadonlyMap<string, number> = new Map();

const NO_SCRIPTS: ReadonlyMap<string, Script> = new Map();

const scriptMaps = new WeakMap<SkillPackage, ReadonlyMap<string, Script>>();

function scriptsOf(skill: SkillPackage): ReadonlyMap<string, Script> {
  const known = scriptMaps.get(skill);
  if (known) return known;
  const { folder = "", scripts = [] } = skill.code ?? {};
  const made = new Map(scripts.map((script) => [moduleName(skill.name, folder, script), script] as const));
  scriptMaps.set(skill, made);
  return made;
}

/** A number for each call, by FNV-1a. */
function seedOf(seed: number, callPath: string): number {
  let hash = 0x811c9dc5 ^ (seed >>> 0);
  for (const character of callPath) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

// Joined, a text holds none of the parts that it was put together of: the input may be part of a whole batch of messages.
function outputKey({ name, digest }: SkillPackage, input: string): string {
  return [name, digest, input].join(" ");
}

function imageKey({ name, digest }: SkillPackage): string {
  return `${name} ${digest}`;
}
