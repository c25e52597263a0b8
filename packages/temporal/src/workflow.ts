import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  setWorkflowOptions,
  sleep,
  TimeoutFailure,
  upsertMemo,
  workflowInfo,
} from "@temporalio/workflow";
import type { Failure, Json, JournalCall, Result, WaitingCall } from "repertoire";
import {
  type Activities,
  type Advanced,
  DECIDE,
  type Decided,
  type Given,
  type Kept,
  MAX_VALUE_BYTES,
  type Memo,
  type OpenCall,
  VIEW,
  type View,
} from "./protocol.ts";

const AGAIN = { initialInterval: "200ms", backoffCoefficient: 2, maximumInterval: "5s" } as const;
// The call itself tells when it takes too long; that its worker has died the heartbeats tell.
const DURATION = "1 hour";

const { advance } = proxyLocalActivities<Pick<Activities, "advance">>({
  startToCloseTimeout: DURATION,
  retry: { ...AGAIN, maximumAttempts: 3 },
});

/** How often a call that does nothing twice is made, before its failure is the skill's to deal with. */
const MAX_ATTEMPTS = 10;
/** As the server says that heartbeats do not come. */
const LOST_WORKER = "TemporalTimeout:Heartbeat";
/** How long nothing is tried where no worker can go on, as with another version of the skill. */
const HELD = "5s";
/** Beyond this Temporal ends a run, at 51,200 events. */
const MAX_EVENTS = 45_000;

/** Runs any skill: what it reads, in local activities; each call that writes in an activity of its own. */
export async function runSkill(given: Given): Promise<Json> {
  if (typeof given?.skill !== "string")
    throw failed({ code: "INPUT_INVALID", message: `A run is given {"skill": "its name", "input": {…}}` });
  return new SkillRun(given).ended();
}
// A fault of this code fails the run, where it would be tried again for ever.
setWorkflowOptions({ failureExceptionTypes: [TypeError] }, runSkill);

class SkillRun {
  readonly #given: Given;
  readonly #runId = workflowInfo().workflowId;
  readonly #began: Pick<Kept, "seed" | "startedAt">;
  readonly #calls: JournalCall[];
  readonly #answered: string[];
  readonly #open: Map<string, OpenCall>;
  readonly #making = new Map<string, Promise<void>>();
  #digest: string | undefined;
  #held: string | undefined;
  /** Whether there are answers that the skill has not seen. */
  #hasAnswers = false;
  /** Whether anything has changed since it was looked at. */
  #isStirred = false;
  #told: Pick<Memo, "digest" | "waits">;

  constructor(given: Given) {
    const { kept, digest } = given;
    this.#given = given;
    this.#digest = digest;
    const { seed = Math.floor(Math.random() * 2 ** 32), startedAt = Date.now() } = kept ?? {};
    this.#began = { seed, startedAt };
    this.#calls = [...(kept?.calls ?? [])];
    this.#answered = [...(kept?.answered ?? [])];
    this.#open = new Map(kept?.waiting.map((open) => [open.call.callPath, open]));
    this.#told = { digest: digest ?? "", waits: this.#waits };
    setHandler(defineSignal<[Decided]>(DECIDE), (decided) => this.#decide(decided));
    setHandler(defineQuery<View>(VIEW), () => this.#view());
  }

  async ended(): Promise<Json> {
    try {
      for (;;) {
        const step = await this.#advanced();
        if (step.kind === "ended") {
          if (step.outcome.ok) return step.outcome.output;
          throw failed(step.outcome.error);
        }
        this.#take(step);
        await this.#answer();
      }
    } catch (error) {
      // What is out is cancelled, too, and waited for: what it has done is known then.
      if (isCancellation(error))
        await CancellationScope.nonCancellable(async () => Promise.all(this.#making.values()));
      throw error;
    }
  }

  async #advanced(): Promise<Advanced> {
    const { skill, input = {}, confirms } = this.#given;
    for (;;) {
      this.#hasAnswers = false;
      try {
        const step = await advance(
          { runId: this.#runId, skill, input, ...this.#began, confirms, digest: this.#digest },
          { calls: this.#calls, answered: this.#answered },
        );
        this.#held = undefined;
        return step;
      } catch (error) {
        if (isCancellation(error)) throw error;
        const why = failureIn(error);
        if (!why || why.code === "OUTPUT_TOO_LARGE") throw why ? failed(why) : error;
        this.#held = `${why.code}: ${why.message}`;
        await sleep(HELD);
      }
    }
  }

  #take({ digest, news, waiting }: Extract<Advanced, { kind: "waits" }>): void {
    this.#digest = digest;
    this.#calls.push(...news.calls);
    this.#answered.push(...news.answered);
    for (const call of waiting)
      if (!this.#open.has(call.callPath))
        this.#open.set(call.callPath, { call, state: call.needs === "nothing" ? "due" : "undecided" });
  }

  /** Makes the calls that may be made, until one of them is answered. */
  async #answer(): Promise<void> {
    for (;;) {
      this.#isStirred = false;
      const isFull = workflowInfo().continueAsNewSuggested && this.#fits();
      if (isFull && this.#making.size === 0) await this.#goOnAnew();
      if (!isFull) {
        for (const open of this.#open.values()) if (open.state === "due") this.#make(open);
        if (this.#hasAnswers) return;
      }
      this.#tell();
      await condition(() => this.#isStirred);
    }
  }

  #make(open: OpenCall): void {
    const { callPath } = open.call;
    this.#open.set(callPath, { ...open, state: "making" });
    const made = this.#made(open).finally(() => {
      this.#making.delete(callPath);
      this.#isStirred = true;
    });
    this.#making.set(callPath, made);
  }

  async #made(open: OpenCall): Promise<void> {
    const { call, by } = open;
    const { callPath, tool, policy, notBefore } = call;
    try {
      if (notBefore !== undefined) await sleep(Math.max(0, notBefore - Date.now()));
      const { callTool } = proxyActivities<Pick<Activities, "callTool">>({
        startToCloseTimeout: DURATION,
        heartbeatTimeout: "2s",
        cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        summary: `${tool} (call ${callPath})`,
        retry: {
          ...AGAIN,
          maximumAttempts: policy === "write" ? 1 : MAX_ATTEMPTS,
          nonRetryableErrorTypes: [LOST_WORKER],
        },
      });
      const run = { runId: this.#runId, skill: this.#given.skill };
      const made = await againWhereLost(policy, async () => callTool(run, call));
      this.#settle({ ...made, ...(by === undefined ? {} : { decidedBy: by }) });
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) return;
      const why = failureIn(error);
      if (policy === "write" && why?.code !== "OUTPUT_TOO_LARGE")
        this.#open.set(callPath, { call, state: "uncertain" });
      else this.#settle(answeredCall(call, { ok: false, error: why ?? unanswered(tool) }));
    }
  }

  #settle(call: JournalCall): void {
    this.#open.delete(call.callPath);
    this.#calls.push(call);
    this.#hasAnswers = true;
    this.#isStirred = true;
  }

  #decide(decided: Decided): void {
    const open = this.#open.get(decided?.callPath);
    if (!open || !isAsking(open)) return;
    const { state, result, by = "somebody" } = decided;
    if (state === "answered" && result) this.#settle({ ...answeredCall(open.call, result), decidedBy: by });
    else if (state === "approved" && open.call.needs !== "answer")
      this.#open.set(decided.callPath, { call: open.call, state: "due", by });
    this.#isStirred = true;
  }

  get #waits(): boolean {
    return this.#making.size === 0 && this.#open.values().some(isAsking);
  }

  /** What has changed for those who look at the list of workflows. */
  #tell(): void {
    const { skill } = this.#given;
    const now = { digest: this.#digest ?? "", waits: this.#waits };
    if (now.digest === this.#told.digest && now.waits === this.#told.waits) return;
    this.#told = now;
    upsertMemo({ skill, ...now });
  }

  #kept(): Kept {
    const waiting = [...this.#open.values()];
    return { ...this.#began, calls: this.#calls, answered: this.#answered, waiting };
  }

  #fits(): boolean {
    const isSmall = JSON.stringify(this.#kept()).length * MAX_BYTES_EACH < MAX_VALUE_BYTES;
    if (isSmall || workflowInfo().historyLength < MAX_EVENTS) return isSmall;
    const message =
      "The run has been answered more than Temporal takes as one value, and its history is full";
    throw failed({ code: "OUTPUT_TOO_LARGE", message });
  }

  async #goOnAnew(): Promise<never> {
    const { digest } = { digest: this.#digest };
    return continueAsNew<typeof runSkill>({
      ...this.#given,
      ...(digest === undefined ? {} : { digest }),
      kept: this.#kept(),
    });
  }

  #view(): View {
    const { skill, input = {}, confirms = false } = this.#given;
    const calls = [
      ...this.#calls.map(({ callPath, tool, input, state, at, decidedBy }) => ({
        ...{ callPath, tool, input, state, at },
        ...(decidedBy === undefined ? {} : { decidedBy }),
      })),
      ...[...this.#open.values()].map(({ call: { callPath, tool, input, state, at }, ...open }) => ({
        callPath,
        tool,
        input,
        at,
        state: STATES[open.state] ?? state,
      })),
    ];
    return { skill, input, digest: this.#digest, ...this.#began, confirms, calls, held: this.#held };
  }
}

/** Those of a call that is not answered, as a journal says them; of what nobody has decided about the call's own. */
const STATES: Readonly<Partial<Record<OpenCall["state"], JournalCall["state"]>>> = {
  due: "approved",
  making: "begun",
  uncertain: "uncertain",
};

/** What a character of a text of JSON may take. */
const MAX_BYTES_EACH = 1.1;

function isAsking({ state }: OpenCall): boolean {
  return state === "undecided" || state === "uncertain";
}

/**
 * A call that does nothing twice is made anew where its worker has died. The server would first wait for a second, by
 * the grain of its timers, and a second time for the worker that has died to go on with the run.
 */
async function againWhereLost<Value>(
  policy: WaitingCall["policy"],
  make: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await make();
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : undefined;
      const isLost = cause instanceof TimeoutFailure && cause.timeoutType === "HEARTBEAT";
      if (policy === "write" || !isLost || attempt === MAX_ATTEMPTS || !patched("again-where-lost"))
        throw error;
    }
  }
}

function answeredCall({ callPath, tool, input }: WaitingCall, result: Result<Json>): JournalCall {
  return { callPath, tool, input, state: "answered", at: Date.now(), result };
}

function failed(error: Failure): ApplicationFailure {
  const { code: type, message } = error;
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [error] });
}

/** What the activity says, where it has said something. */
function failureIn(error: unknown): Failure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? (cause.details?.[0] as Failure | undefined) : undefined;
}

function unanswered(tool: string): Failure {
  return { code: "TOOL_FAILED", message: `"${tool}" has not answered`, details: { unanswered: true } };
}
