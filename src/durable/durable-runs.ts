import { createHash, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { awaitsPerson, type ErrorCode, failure, type Failure } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { digestsBelow, durabilityOf } from "../core/reachable-skills.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { newRunId, type Run, type RunEvent } from "../core/run.ts";
import type { Skill } from "../core/skill.ts";
import { commandLine } from "../core/text/command-line.ts";
import type { CallTool, Runner } from "../runner/runner.ts";
import { type CallDecision, decidedCall } from "./call-decision.ts";
import { ProcessLock } from "./process-lock.ts";
import { RunAttempt, type ToolPolicy } from "./run-attempt.ts";
import {
  isUndecided,
  type DurableRun,
  type DurableRunState,
  type JournalCall,
  journalFailure,
  type ListedRun,
  RunJournal,
} from "./run-journal.ts";

export interface DurableRunsOptions {
  /** Where the journal is kept, and what tells of processes whether they live. */
  readonly folder: string;
  readonly runner: Pick<Runner, "run">;
  readonly callTool: CallTool;
  readonly policyOf: (tool: string) => Promise<ToolPolicy>;
  /** The skills of now, and which of them are not run, with the reason. */
  readonly skills: () => Promise<{
    readonly skills: ReadonlyMap<string, Skill>;
    readonly refusals: ReadonlyMap<string, Failure>;
  }>;
}

export interface ResumeOptions {
  /** Cancels the run. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: (event: RunEvent) => void;
  /** Whose run it is, by any text. */
  readonly caller?: string;
  /** Does the work, and records it; it is not called where the run cannot go on. */
  readonly record?: (run: DurableRun, work: () => Promise<Run>) => Promise<Run>;
}

export interface DurableRunOptions extends Omit<ResumeOptions, "record"> {
  /** The run's id; a new one by default. */
  readonly id?: string;
  /** Whether a person has to approve each call that writes. */
  readonly confirms?: boolean;
  /** The client's piece of work that it is part of, for engines that find runs by it. */
  readonly session?: string | undefined;
}

/** A durable run with its calls, in the order of their last change; of one that has ended its trace has them. */
export interface DurableRunView extends DurableRun {
  readonly calls: readonly JournalCall[];
  /** Whether some process works on it. */
  readonly isOwned: boolean;
}

/**
 * Runs that survive the process: each call of an upstream tool is written down when it is answered, one that writes
 * before it is made, too. A run that was interrupted is run again from its start, with the same clock and randomness;
 * what was answered is answered from the journal. A call that writes, was begun and never answered is made again only
 * when a person says so. Outcomes of their own: `RUN_WAITING`, `WRITE_UNCERTAIN` (it waits for `decide`), `RUN_CHANGED`.
 */
export class DurableRuns {
  readonly #options: DurableRunsOptions;
  readonly #lock: ProcessLock;
  #journal: RunJournal | undefined;
  readonly #stops = new Map<string, AbortController>();
  readonly #atWork = new Set<Promise<Run>>();

  constructor(options: DurableRunsOptions) {
    this.#options = options;
    this.#lock = new ProcessLock(options.folder);
  }

  /** Those whose skill asks for it, or one that it calls. */
  takes(skills: ReadonlyMap<string, Skill>, name: string): boolean {
    return durabilityOf(skills, name) !== undefined;
  }

  /** Runs a skill. Its outcome is a failure of `STORE_UNAVAILABLE` where the journal cannot be written. */
  async run(skill: string, input: Json, options: DurableRunOptions = {}): Promise<Run> {
    const { skills, refusals } = await this.#options.skills();
    const runId = options.id ?? newRunId();
    // What is refused as there is no such skill has nothing to go on with.
    if (!skills.has(skill) || refusals.has(skill))
      return this.#options.runner.run(skills, skill, input, { id: runId, refusals });
    const begun = this.#tried(() => {
      const run = {
        runId,
        skill,
        digest: digestOf(skills, skill),
        input,
        seed: randomInt(2 ** 32),
        startedAt: Date.now(),
        confirms: options.confirms === true || durabilityOf(skills, skill) === "confirms",
        owner: this.#lock.id,
      };
      this.#opened.begin(run);
      return ok(run);
    });
    return begun.ok ? this.#attempt(begun.value, options) : unbegunRun({ runId, skill, input }, begun.error);
  }

  /**
   * Goes on with a run that was interrupted or has waited: `RUN_NOT_FOUND`, `RUN_STATE` where it has ended or another
   * process works on it, `RUN_CHANGED` where its skill is not what it was.
   */
  async resume(given: string, options: ResumeOptions = {}): Promise<Result<Run>> {
    const found = this.#found(given);
    if (!found.ok) return found;
    const run = found.value;
    if (run.state !== "waiting" && (run.state !== "running" || this.#lock.isAlive(run.owner)))
      return fail(stateFailure(run));
    const { skills } = await this.#options.skills();
    if (digestOf(skills, run.skill) !== run.digest) return fail(changedFailure(run));
    const owner = this.#lock.id;
    if (!this.#opened.take(run, owner)) return fail(stateFailure(this.#opened.run(run.runId) ?? run));
    const { record = async (_, work) => work(), ...rest } = options;
    return ok(
      await record(run, async () => this.#attempt({ ...run, owner }, { ...rest, confirms: run.confirms })),
    );
  }

  /** Ids of the runs whose process has died in the middle of them. */
  interrupted(): Result<readonly string[]> {
    // Most folders never have a durable run: no journal is made to find none.
    if (!this.#journal && !existsSync(this.#file)) return ok([]);
    return this.#tried(() => {
      const running = this.#opened.runs("running", MAX_RUNS);
      return ok(running.filter(({ owner }) => !this.#lock.isAlive(owner)).map(({ runId }) => runId));
    });
  }

  /** Newest first. */
  list(
    filter: { readonly state?: DurableRunState; readonly limit?: number } = {},
  ): Result<readonly ListedRun[]> {
    return this.#tried(() => ok(this.#opened.runs(filter.state, filter.limit ?? DEFAULT_LISTED)));
  }

  /** A run is found by its id, here and below, or by the beginning of it. */
  show(given: string): Result<DurableRunView> {
    const found = this.#found(given);
    return found.ok
      ? ok({
          ...found.value,
          calls: this.#opened.calls(found.value.runId),
          isOwned: found.value.state === "running" && this.#lock.isAlive(found.value.owner),
        })
      : found;
  }

  /**
   * Settles a call that waits; of two decisions the first counts. `RUN_NOT_FOUND`, `RUN_STATE` where the call does not
   * wait, or `INPUT_INVALID` for what does not answer the question to a model that waits.
   */
  decide(
    given: string,
    decision: CallDecision,
    { by, callPath }: { readonly by: string; readonly callPath: string },
  ): Result<JournalCall> {
    const found = this.#found(given);
    if (!found.ok) return found;
    const { runId, state } = found.value;
    return this.#tried(() => {
      const call = this.#opened.calls(runId).find((each) => each.callPath === callPath && isUndecided(each));
      const change = call && decidedCall(call, decision, by);
      if (change && !change.ok) return change;
      if (call && change && this.#opened.decide(runId, call, by, change.value))
        return ok({ ...call, ...change.value, decidedBy: by });
      const message = `The call ${callPath} of the run ${runId}, which is ${state}, does not wait for a decision; "${commandLine(`runs show ${runId}`)}" shows its calls`;
      return fail(failure("RUN_STATE", message));
    });
  }

  /** Ends a run for good; what it has done stays done. `RUN_NOT_FOUND`, `RUN_STATE` where it is not ours to end. */
  cancel(given: string): Result<DurableRun> {
    const found = this.#found(given);
    if (!found.ok) return found;
    const { runId } = found.value;
    const own = this.#stops.get(runId);
    own?.abort();
    return this.#tried(() => {
      const run = found.value;
      const mayEnd = run.state === "waiting" || (run.state === "running" && !this.#lock.isAlive(run.owner));
      if (own || (mayEnd && this.#opened.cancel(run))) return ok({ ...run, state: "cancelled" });
      return fail(stateFailure(this.#opened.run(runId) ?? run));
    });
  }

  /** Once the runner is closed: what was at work here goes on with the next process that looks. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#atWork);
    this.#journal?.close();
    this.#journal = undefined;
    this.#lock.close();
  }

  get #opened(): RunJournal {
    this.#journal ??= new RunJournal(this.#file);
    return this.#journal;
  }

  get #file(): string {
    return join(this.#options.folder, "journal.db");
  }

  /** By its id, or the beginning of it that no other has. */
  #found(given: string): Result<DurableRun> {
    return this.#tried(() => {
      const ids = given.length < MIN_ID ? [] : this.#opened.idsFrom(given);
      const run = this.#opened.run(ids.length === 1 ? (ids[0] ?? given) : given);
      if (run) return ok(run);
      const why =
        ids.length > 1 ? `Several durable runs have ids that begin with` : "No durable run has the id";
      const message = `${why} ${given}; "${commandLine("runs ls")}" shows those that there are`;
      return fail(failure("RUN_NOT_FOUND", message));
    });
  }

  // A file that cannot be read or written is no bug.
  #tried<Value>(work: () => Result<Value>): Result<Value> {
    try {
      return work();
    } catch (error) {
      return fail(journalFailure(error));
    }
  }

  async #attempt(run: StartedRun, options: DurableRunOptions): Promise<Run> {
    const attempt = this.#attempted(run, options);
    this.#atWork.add(attempt);
    return attempt.finally(() => this.#atWork.delete(attempt));
  }

  async #attempted(run: StartedRun, options: DurableRunOptions): Promise<Run> {
    const stop = new AbortController();
    const cancel = (): void => stop.abort();
    options.signal?.addEventListener("abort", cancel, { once: true });
    if (options.signal?.aborted) cancel();
    this.#stops.set(run.runId, stop);
    try {
      for (let attempts = 1; ; attempts++) {
        const ended = await this.#once(run, options, stop.signal);
        const isLost = !ended.root.outcome.ok && ended.root.outcome.error.code === "RUNNER_LOST";
        if (!isLost || attempts === MAX_ATTEMPTS) return this.#left(run, ended, stop.signal);
        await wait(attempts * LOST_WAIT_MS);
      }
    } finally {
      this.#stops.delete(run.runId);
      options.signal?.removeEventListener("abort", cancel);
    }
  }

  async #once(run: StartedRun, { onEvent, caller }: DurableRunOptions, signal: AbortSignal): Promise<Run> {
    const { skills, refusals } = await this.#options.skills();
    const { callTool, policyOf, runner } = this.#options;
    const attempt = new RunAttempt({ run, journal: this.#opened, callTool, policyOf, signal });
    const ended = await runner.run(skills, run.skill, run.input, {
      id: run.runId,
      refusals,
      signal: attempt.signal,
      journal: attempt.resumable,
      ...(onEvent ? { onEvent } : {}),
      ...(caller === undefined ? {} : { caller }),
    });
    const stopped = await attempt.ended();
    const startedAt = new Date(run.startedAt).toISOString();
    if (!stopped) return { ...ended, startedAt };
    return { ...ended, startedAt, root: { ...ended.root, outcome: { ok: false, error: stopped } } };
  }

  #left(run: StartedRun, ended: Run, signal: AbortSignal): Run {
    const { outcome } = ended.root;
    const state = stateOf(outcome.ok ? undefined : outcome.error, signal);
    // Whoever comes next goes on with it.
    if (state === "running") return ended;
    const left = this.#tried(() => {
      this.#opened.leave(run.runId, run.owner, state, outcome.ok ? undefined : outcome.error.code);
      if (state !== "waiting") this.#opened.prune(MAX_RUNS);
      return ok(undefined);
    });
    if (left.ok) return ended;
    return { ...ended, root: { ...ended.root, outcome: { ok: false, error: left.error } } };
  }
}

type StartedRun = Omit<DurableRun, "state" | "changedAt" | "error">;

/** Characters of an id that are enough to look for it. */
const MIN_ID = 4;
const DEFAULT_LISTED = 50;
/** Runs that the journal keeps after their end. */
const MAX_RUNS = 1000;

/** A run whose worker was lost goes on in another. */
const MAX_ATTEMPTS = 3;
const LOST_WAIT_MS = 100;

function stateOf(error: Failure | undefined, signal: AbortSignal): DurableRunState {
  if (!error) return "completed";
  if (awaitsPerson(error)) return "waiting";
  if (INTERRUPTED.has(error.code)) return "running";
  return error.code === "CANCELLED" && signal.aborted ? "cancelled" : "failed";
}

const INTERRUPTED: ReadonlySet<ErrorCode> = new Set(["RUNNER_CLOSED", "STORE_UNAVAILABLE", "RUN_STATE"]);

function stateFailure({ runId, state }: DurableRun): Failure {
  const why = state === "running" ? "is at work in another process" : `is ${state}`;
  return failure("RUN_STATE", `The run ${runId} ${why}`);
}

/** The failure of a run that goes on only with the skill that it began with. */
export function changedFailure({ runId, skill }: Pick<DurableRun, "runId" | "skill">): Failure {
  const message = `The skill "${skill}", or one that it calls, is not what it was when the run ${runId} began: put it back, or cancel the run`;
  return failure("RUN_CHANGED", message, { skill });
}

/** The record of a run that could not begin. */
export function unbegunRun(
  { runId, skill, input }: Pick<DurableRun, "runId" | "skill" | "input">,
  error: Failure,
): Run {
  return {
    id: runId,
    startedAt: new Date().toISOString(),
    root: {
      kind: "skill",
      callPath: "0",
      name: skill,
      input,
      outcome: { ok: false, error },
      startMs: 0,
      durationMs: 0,
      console: [],
      calls: [],
    },
  };
}

/** Of a skill and all that it may call: a run goes on only with the same. */
export function digestOf(skills: ReadonlyMap<string, Skill>, name: string): string {
  return createHash("sha256")
    .update(JSON.stringify(digestsBelow(name, skills)))
    .digest("hex");
}
