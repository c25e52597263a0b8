import { setTimeout as wait } from "node:timers/promises";
import { failure, type Failure, isUnanswered } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import type { Result } from "../core/result.ts";
import type { ModelUse } from "../core/run.ts";
import { commandLine } from "../core/text/command-line.ts";
import type { CallTool, JournalledAnswer, ResumableRun, ToolCallContext } from "../runner/runner.ts";
import { type DurableRun, type JournalCall, journalFailure, type RunJournal } from "./run-journal.ts";

/**
 * What making a call twice does: nothing, nothing more than once, or something again. A `timed` one lasts, from when it
 * was first made.
 */
export type ToolPolicy = "read" | "timed" | "idempotent" | "write";

/** Where the calls of a run are written down, and its answers in their order. */
export type CallJournal = Pick<RunJournal, "calls" | "answered" | "write">;

export interface RunAttemptOptions {
  readonly run: Pick<DurableRun, "runId" | "startedAt" | "seed" | "confirms" | "skill" | "owner">;
  readonly journal: CallJournal;
  readonly callTool: CallTool;
  readonly policyOf: (tool: string) => Promise<ToolPolicy>;
  /** Cancels the run. */
  readonly signal: AbortSignal;
}

/** One way of a durable run from its start to its end, or to a call that waits for a person. */
export class RunAttempt {
  readonly #options: RunAttemptOptions;
  readonly #calls: Map<string, JournalCall>;
  /** Answers that are written down. */
  #written: number;
  readonly #from: readonly string[];
  #unwrittenAnswers: string[] = [];
  #unwrittenCalls: JournalCall[] = [];
  readonly #open = new Set<Promise<unknown>>();
  readonly #waiting: JournalCall[] = [];
  readonly #stop = new AbortController();
  #stopped: Failure | undefined;
  /** Calls that write and were made before, and not yet again. */
  readonly #unasked: Set<string>;
  readonly #allAsked = Promise.withResolvers<void>();
  #isHeldBack = false;

  constructor(options: RunAttemptOptions) {
    this.#options = options;
    const { journal, run } = options;
    this.#calls = new Map(journal.calls(run.runId).map((call) => [call.callPath, call]));
    this.#unasked = new Set(this.#calls.keys());
    this.#from = journal.answered(run.runId);
    this.#written = this.#from.length;
  }

  /** Ends the code: it is cancelled, or waits. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#options.signal, this.#stop.signal]);
  }

  get resumable(): ResumableRun {
    const { startedAt, seed } = this.#options.run;
    return {
      from: { startedAt, seed, answered: this.#from },
      confirms: this.#options.run.confirms,
      call: async (name, input, context) => this.#call(name, input, context),
    };
  }

  /** Resolves when no call is out any more, and all is written down; gives why the run has not ended, if so. */
  async ended(): Promise<Failure | undefined> {
    while (this.#open.size > 0) await Promise.all(this.#open);
    this.#write();
    if (this.#stopped) return this.#stopped;
    if (this.#isHeldBack) return this.#lostWay();
    return this.#options.signal.aborted ? undefined : this.#waitingFailure();
  }

  async #call(
    tool: string,
    input: Json,
    context: ToolCallContext & { readonly answered: readonly string[] },
  ): Promise<JournalledAnswer> {
    const { callPath } = context;
    this.#unwrittenAnswers.push(...context.answered);
    this.#unasked.delete(callPath);
    if (this.#unasked.size === 0) this.#allAsked.resolve();
    const asked = { callPath, tool, input: JSON.stringify(input) };
    const known = this.#calls.get(callPath);
    if (known && (known.tool !== tool || known.input !== asked.input)) return this.#diverged(known, asked);
    if (known?.result) return { ...known, result: known.result };
    const policy = await this.#options.policyOf(tool);
    // What was called before comes again: a run that writes something else first goes another way.
    const writes = policy === "write" || policy === "idempotent";
    if (!known && writes && this.#unasked.size > 0) {
      this.#isHeldBack = true;
      await this.#allAsked.promise;
      this.#isHeldBack = false;
    }
    switch (known?.state) {
      case "unapproved":
      case "uncertain":
        return this.#waits(known);
      case "begun":
        if (policy === "write") return this.#waits({ ...known, state: "uncertain", at: Date.now() });
        break;
      case "answered":
      case "approved":
      case "asked":
      case undefined:
        break;
    }
    if (!known && writes && this.#options.run.confirms)
      return this.#waits({ ...asked, state: "unapproved", at: Date.now() });
    const begunAt = known?.state === "begun" ? known.at : Date.now();
    return this.#made(asked, input, policy, { ...context, begunAt });
  }

  async #made(
    asked: Pick<JournalCall, "callPath" | "tool" | "input">,
    input: Json,
    policy: ToolPolicy,
    context: ToolCallContext & { readonly begunAt: number },
  ): Promise<JournalledAnswer> {
    if (this.#stop.signal.aborted || this.#options.signal.aborted || context.signal.aborted) return NEVER;
    const isNoted = policy === "write" || policy === "timed";
    if (isNoted && !this.#write({ ...asked, state: "begun", at: context.begunAt })) return NEVER;
    let modelUse: ModelUse | undefined;
    const onModelUse = (use: ModelUse): void => {
      modelUse = use;
    };
    const answer = this.#answer(asked.tool, input, policy, { ...context, onModelUse });
    this.#open.add(answer);
    try {
      const result = await answer;
      const at = Date.now();
      const isUnknown = !result.ok && isUnanswered(result.error);
      if (isUnknown && policy === "write") return this.#waits({ ...asked, state: "uncertain", at });
      // Whoever takes the run up calls again what nobody answered.
      if (isUnknown && this.#options.signal.aborted) return NEVER;
      if (!result.ok && result.error.code === "MODEL_NEEDED")
        return this.#waits({ ...asked, state: "asked", at });
      const isRead = policy === "read";
      const answered: JournalCall = { ...asked, state: "answered", at, result, modelUse, isRead };
      if (policy === "write") this.#write(answered);
      else this.#writeSoon(answered);
      return { result, at, modelUse, isRead };
    } finally {
      this.#open.delete(answer);
      this.#stopIfIdle();
    }
  }

  async #answer(
    tool: string,
    input: Json,
    policy: ToolPolicy,
    context: ToolCallContext,
  ): Promise<Result<Json>> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.#options.callTool(tool, input, context);
      const mayTryAgain = !result.ok && isUnanswered(result.error) && policy !== "write";
      if (!mayTryAgain || attempt === MAX_TRIES || context.signal.aborted) return result;
      await wait(attempt * TRY_AGAIN_MS);
    }
  }

  #waits(call: JournalCall): Promise<JournalledAnswer> {
    if (this.#calls.get(call.callPath)?.state !== call.state) this.#write(call);
    this.#waiting.push(call);
    this.#stopIfIdle();
    return NEVER;
  }

  // Calls that are out are answered first: what they did would not be known otherwise.
  #stopIfIdle(): void {
    if (this.#waiting.length === 0) return;
    setImmediate(() => {
      if (this.#open.size === 0) this.#stop.abort();
    });
  }

  #diverged(known: JournalCall, asked: Pick<JournalCall, "callPath" | "tool">): Promise<JournalledAnswer> {
    const { runId, skill } = this.#options.run;
    const message = `The run ${runId} went another way than before: call ${asked.callPath} was "${known.tool}" and is ${asked.tool === known.tool ? "that with another input" : `"${asked.tool}"`} now`;
    this.#stopped ??= failure("RUN_CHANGED", message, { skill, callPath: asked.callPath });
    this.#stop.abort();
    return NEVER;
  }

  #lostWay(): Failure {
    const { runId, skill } = this.#options.run;
    const [callPath = ""] = this.#unasked;
    const message = `The run ${runId} went another way than before: it came to a new call that writes before call ${callPath}, which it had made`;
    return failure("RUN_CHANGED", message, { skill, callPath });
  }

  /** Whether it is written; where not, the run stops, and goes on when the journal can be written again. */
  #write(...calls: readonly JournalCall[]): boolean {
    const { journal, run } = this.#options;
    const answered = this.#unwrittenAnswers;
    const unwritten = [...this.#unwrittenCalls, ...calls];
    if (answered.length === 0 && unwritten.length === 0) return true;
    try {
      if (!journal.write(run, { calls: unwritten, answered, from: this.#written })) {
        this.#stopped ??= failure("RUN_STATE", `Another process works on the run ${run.runId}`);
        this.#stop.abort();
        return false;
      }
    } catch (error) {
      this.#stopped ??= journalFailure(error);
      this.#stop.abort();
      return false;
    }
    this.#written += answered.length;
    this.#unwrittenAnswers = [];
    this.#unwrittenCalls = [];
    for (const call of unwritten) this.#calls.set(call.callPath, call);
    return true;
  }

  /** What only reads may be read again: its answers are written together. */
  #writeSoon(call: JournalCall): void {
    if (this.#unwrittenCalls.length === 0) setTimeout(() => this.#write(), WRITE_WITHIN_MS).unref();
    this.#unwrittenCalls.push(call);
  }

  #waitingFailure(): Failure | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const { runId, skill } = this.#options.run;
    const isUncertain = this.#waiting.some(({ state }) => state === "uncertain");
    const what = this.#waiting.map(
      ({ callPath, tool, state }) => `"${tool}" (call ${callPath}) ${WHY[state]}`,
    );
    const isAsked = this.#waiting.every(({ state }) => state === "asked");
    const message = `The run ${runId} waits for ${isAsked ? "an answer" : "a person"}: ${what.join("; ")}. "${commandLine(`runs show ${runId}`)}" shows it`;
    const waiting = this.#waiting.map(({ callPath, tool, input, state }) => ({
      callPath,
      tool,
      input: JSON.parse(input) as Json,
      state,
    }));
    return failure(isUncertain ? "WRITE_UNCERTAIN" : "RUN_WAITING", message, {
      skill,
      details: { runId, waiting },
    });
  }
}

/** Why a call waits, by its state. */
const WHY: Readonly<Partial<Record<JournalCall["state"], string>>> = {
  uncertain: "was called and did not answer, so that nobody knows what it did",
  unapproved: "writes, and nobody has approved it",
  asked: "asks a model, and none is configured",
};

const NEVER = new Promise<JournalledAnswer>(() => {});

const MAX_TRIES = 3;
const TRY_AGAIN_MS = 200;
/** Answers of calls that read wait for others so long, in milliseconds. */
const WRITE_WITHIN_MS = 20;
