import { awaitsPerson, type ErrorCode, failure, type Failure, isUnanswered } from "../core/error.ts";
import type { Json } from "../core/json/json.ts";
import { durabilityOf } from "../core/reachable-skills.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import { fittingInput } from "../runner/call-failure.ts";
import type { ToolCallContext } from "../runner/runner.ts";
import { type CallDecision, decidedCall } from "./call-decision.ts";
import { changedFailure, digestOf, type DurableRunsOptions } from "./durable-runs.ts";
import { type CallJournal, RunAttempt, type ToolPolicy } from "./run-attempt.ts";
import { isUndecided, type DurableRun, type JournalCall } from "./run-journal.ts";

/** What a run that another engine keeps began with. */
export interface KeptRun extends Pick<DurableRun, "runId" | "skill" | "input" | "seed" | "startedAt"> {
  /** Of the skill and of all that it calls; a run that does not tell it takes the skill as it is now. */
  readonly digest?: string | undefined;
  /** Whether a person has to approve each call that writes, whatever its skill says. */
  readonly confirms?: boolean | undefined;
}

/** What a run's engine keeps of it, and adds the news of each step and each made call to. */
export interface KeptCalls {
  /** Those that are answered, in the order of their answers. */
  readonly calls: readonly JournalCall[];
  /** The places of the calls, of skills too, whose answers the code has seen, in this order. */
  readonly answered: readonly string[];
}

/** A call that the engine has made, by `RunSteps.call`, or has somebody decide about. */
export interface WaitingCall extends Pick<JournalCall, "callPath" | "tool" | "input" | "state" | "at"> {
  readonly policy: ToolPolicy;
  /** What has to come first: nothing, a person's approval, or an answer in the place of a model's. */
  readonly needs: "nothing" | "approval" | "answer";
  /** It is not made earlier: milliseconds since 1970. */
  readonly notBefore?: number;
}

export type RunStep =
  | { readonly kind: "ended"; readonly run: Run }
  /** `news` are the calls that were made and answered on the way. */
  | {
      readonly kind: "waits";
      readonly digest: string;
      readonly news: KeptCalls;
      readonly waiting: readonly WaitingCall[];
    };

/** How a call went; what was not answered may be made again unless its policy is `write`: nobody knows what it did. */
export type MadeCall =
  | { readonly kind: "answered"; readonly call: JournalCall }
  | { readonly kind: "unanswered"; readonly policy: ToolPolicy; readonly error: Failure };

/** Durable runs for engines that keep what happened themselves. */
export interface RunSteps {
  /** What a new run of a skill is held to. `INPUT_INVALID` where the skill does not take the input. */
  readonly begun: (skill: string, input: Json) => Promise<Result<Pick<DurableRun, "digest" | "confirms">>>;
  /**
   * Runs the skill from its start, with the answers that are known, until it ends or everything waits for calls that
   * write or last; calls that read are made on the way. Errors tell that it cannot go on here or now: `RUN_CHANGED` for
   * another digest, `CANCELLED` by the signal, `RUNNER_CLOSED`, `RUNNER_LOST`.
   */
  readonly advance: (run: KeptRun, known: KeptCalls, signal: AbortSignal) => Promise<Result<RunStep>>;
  /** Makes a call that waits, under the key `<runId>/<callPath>`. */
  readonly call: (
    run: Pick<KeptRun, "runId" | "skill">,
    call: Pick<WaitingCall, "callPath" | "tool" | "input" | "at">,
    signal: AbortSignal,
  ) => Promise<MadeCall>;
  /** What a person's decision makes of a call that waits: `approved`, or `answered`. `INPUT_INVALID` as with `DurableRuns.decide`. */
  readonly decide: (
    call: Pick<JournalCall, "callPath" | "tool" | "input" | "state">,
    decision: CallDecision,
    by: string,
  ) => Result<Pick<JournalCall, "state" | "result">>;
}

export function runSteps({
  skills: now,
  runner,
  callTool,
  policyOf,
}: Omit<DurableRunsOptions, "folder">): RunSteps {
  return {
    begun: async (name, input) => {
      const { skills } = await now();
      const skill = skills.get(name);
      const given = skill ? fittingInput(name, skill.contract.input, input) : ok(input);
      if (!given.ok) return given;
      return ok({ digest: digestOf(skills, name), confirms: durabilityOf(skills, name) === "confirms" });
    },
    advance: async (run, known, signal) => {
      const { skills, refusals } = await now();
      const digest = digestOf(skills, run.skill);
      if (run.digest !== undefined && run.digest !== digest) return fail(changedFailure(run));
      const confirms = run.confirms === true || durabilityOf(skills, run.skill) === "confirms";
      const journal = new CallNews(known);
      const policies = new Map<string, ToolPolicy>();
      const attempt = new RunAttempt({
        run: { ...run, confirms: true, owner: run.runId },
        journal,
        callTool,
        // Whatever does not merely read is the engine's to make.
        policyOf: async (tool) => {
          const policy = await policyOf(tool);
          policies.set(tool, policy);
          return policy === "read" ? policy : "write";
        },
        signal,
      });
      const ended = await runner.run(skills, run.skill, run.input, {
        id: run.runId,
        refusals,
        signal: attempt.signal,
        journal: attempt.resumable,
      });
      const stopped = await attempt.ended();
      if (signal.aborted) return fail(failure("CANCELLED", `The run ${run.runId} was stopped`));
      if (stopped && awaitsPerson(stopped)) {
        const waiting = journal.waiting.map((call) =>
          waitingCall(call, { policy: policies.get(call.tool) ?? "write", confirms }),
        );
        return ok({ kind: "waits", digest, news: journal.news, waiting });
      }
      const { outcome } = ended.root;
      const error = stopped ?? (outcome.ok ? undefined : outcome.error);
      if (error && LATER.has(error.code)) return fail(error);
      const startedAt = new Date(run.startedAt).toISOString();
      const root = stopped ? { ...ended.root, outcome: { ok: false as const, error: stopped } } : ended.root;
      return ok({ kind: "ended", run: { ...ended, startedAt, root } });
    },
    call: async ({ runId, skill }, { callPath, tool, input, at: begunAt }, signal) => {
      const idempotencyKey = `${runId}/${callPath}`;
      const context: ToolCallContext = { skill, runId, callPath, idempotencyKey, signal, begunAt };
      const result = await callTool(tool, JSON.parse(input) as Json, context);
      if (!result.ok && (isUnanswered(result.error) || signal.aborted))
        return { kind: "unanswered", policy: await policyOf(tool), error: result.error };
      return {
        kind: "answered",
        call: { callPath, tool, input, state: "answered", at: Date.now(), result },
      };
    },
    decide: decidedCall,
  };
}

/** It has not ended: another try, or another process, may go on. */
const LATER: ReadonlySet<ErrorCode> = new Set(["RUNNER_CLOSED", "RUNNER_LOST"]);

/** A journal that knows what was told, and keeps what is new. */
class CallNews implements CallJournal {
  readonly #known: KeptCalls;
  readonly #calls: JournalCall[] = [];
  /** Of the known calls, those that no code has seen the answer of: it sees them in the order of their answers. */
  readonly #unseen: readonly string[];
  readonly #answered: string[];

  constructor(known: KeptCalls) {
    this.#known = known;
    const seen = new Set(known.answered);
    this.#unseen = known.calls.map(({ callPath }) => callPath).filter((callPath) => !seen.has(callPath));
    this.#answered = [...this.#unseen];
  }

  calls(): readonly JournalCall[] {
    return this.#known.calls;
  }

  answered(): readonly string[] {
    return [...this.#known.answered, ...this.#unseen];
  }

  write(_run: unknown, { calls, answered }: KeptCalls): boolean {
    this.#calls.push(...calls);
    this.#answered.push(...answered);
    return true;
  }

  get news(): KeptCalls {
    return { calls: this.#calls.filter(({ state }) => state === "answered"), answered: this.#answered };
  }

  get waiting(): readonly JournalCall[] {
    return this.#calls.filter(isUndecided);
  }
}

function waitingCall(
  { callPath, tool, input, state, at }: JournalCall,
  { policy, confirms }: { readonly policy: ToolPolicy; readonly confirms: boolean },
): WaitingCall {
  const call = { callPath, tool, input, state, at, policy };
  if (state === "asked") return { ...call, needs: "answer" };
  if (policy === "timed") {
    const { ms } = JSON.parse(input) as { readonly ms?: unknown };
    return { ...call, needs: "nothing", ...(typeof ms === "number" ? { notBefore: at + ms } : {}) };
  }
  return { ...call, needs: confirms ? "approval" : "nothing" };
}
