import { LEAST_MEMORY_MB, type Limits } from "../core/skill.ts";
import type { Below, Call, CallTrace } from "./call.ts";
import { type CallEvent, clockMs, type FromWorker, type Job, type SkillPackage } from "./protocol.ts";
import type { Workbench } from "./workbench.ts";

/** CPU milliseconds from which on a call is worth its way to another worker and back, some 0.2 ms. */
const HEAVY_MS = 5;

/** What a run has of its budgets, or lends of them. */
export type Share = Pick<Limits, "cpuMs" | "memoryMb" | "calls" | "inFlight" | "consoleBytes">;

export interface LoansOptions {
  readonly job: Job;
  readonly bench: Workbench;
  /** How many workers the pool has. */
  readonly workers: number;
  readonly post: (message: FromWorker) => void;
  /** What the run has not used of its budgets. */
  readonly unused: () => Share;
}

/** Heavy calls of a run, some of which other workers run for it, each with a share of its budgets. */
export class Loans {
  readonly #options: LoansOptions;
  #mayLend: boolean;
  /** Heavy calls that are about to run here. */
  readonly #heavy = new Set<Call>();
  readonly #loans = new Map<number, Loan>();
  #next = 1;
  /** Calls some of whose callees were lent. */
  readonly #lenders = new Set<Call>();
  /** Calls that no other worker had time for. */
  readonly #refused = new Set<Call>();

  constructor(options: LoansOptions) {
    const { workers, job } = options;
    this.#options = options;
    // What is lent does not lend, so no two workers wait for each other.
    this.#mayLend = workers > 1 && job.place === undefined && job.replayed === undefined;
  }

  /** Told of each call that is about to run here. */
  expect(call: Call, skill: SkillPackage): void {
    if (!this.#mayLend || this.#options.bench.weightOf(skill.digest) < HEAVY_MS) return;
    this.#heavy.add(call);
    call.isHeavy = skill.reuse?.kind === "pure";
  }

  /** Whether the call was lent now, instead of running here. */
  lends(call: Call, skill: SkillPackage): boolean {
    const wasHeavy = this.#heavy.size > 0 && this.#heavy.delete(call);
    if (!wasHeavy || !call.parent || !this.#isWorthIt(call)) return false;
    const { job, bench, workers, post } = this.#options;
    const left = this.#left();
    const share = shareOf(left, workers);
    const isEnough = left.memoryMb >= share.memoryMb && share.cpuMs >= 2 * bench.weightOf(skill.digest);
    if (!isEnough) return false;
    const loan = this.#next++;
    this.#loans.set(loan, { call, share, lentAt: clockMs() });
    this.#lenders.add(call.parent);
    const { callPath, chain, deadline, name, input } = call;
    const limits = { ...job.limits, ...share };
    post({
      kind: "lend",
      id: job.id,
      loan,
      call: { name, input, limits, place: { callPath, chain, deadline } },
    });
    return true;
  }

  // Only what is pure can be run again, and only while this thread has as much to do does it gain by lending.
  #isWorthIt(call: Call): boolean {
    // Two for each other worker, so that it need not wait when it has ended the first.
    const hasRoom = this.#loans.size < 2 * (this.#options.workers - 1);
    return this.#mayLend && call.isHeavy && this.#heavy.size > 0 && hasRoom && !this.#refused.has(call);
  }

  /** The lent call of which the pool tells, unless it was taken back. */
  returned(loan: number, lent: LentCall | undefined): Call | undefined {
    const call = this.#loans.get(loan)?.call;
    this.#loans.delete(loan);
    if (call && !lent) this.#refused.add(call);
    if (call && lent?.kind === "gave-up") {
      this.#mayLend = false;
      if (call.skill) this.#options.bench.bind(call.skill.digest);
    }
    return call;
  }

  /** Takes a call that ends back; gives the CPU milliseconds that the other worker may have spent on it. */
  ended(call: Call): number {
    if (this.#heavy.size > 0) this.#heavy.delete(call);
    if (this.#loans.size === 0) return 0;
    for (const [loan, { call: lent, share, lentAt }] of this.#loans) {
      if (lent !== call) continue;
      this.#recall(loan);
      return Math.min(share.cpuMs, clockMs() - lentAt);
    }
    return 0;
  }

  /** Takes all calls back, since the run itself needs what they were lent. */
  recallAll(): readonly Call[] {
    this.#mayLend = false;
    return [...this.#loans].map(([loan, { call }]) => {
      this.#recall(loan);
      return call;
    });
  }

  #recall(loan: number): void {
    this.#loans.delete(loan);
    this.#options.post({ kind: "recall", id: this.#options.job.id, loan });
  }

  /** Whether the run has used what it had lent. */
  get isOverlent(): boolean {
    if (this.#loans.size === 0) return false;
    const { cpuMs, memoryMb, calls, consoleBytes } = this.#left();
    return Math.min(cpuMs, memoryMb, calls, consoleBytes) < 0;
  }

  get bytes(): number {
    return this.#loans.size * LEAST_MEMORY_MB * 2 ** 20;
  }

  /** Calls that may be in flight elsewhere, apart from the lent ones themselves. */
  get inFlight(): number {
    let sum = 0;
    for (const { share } of this.#loans.values()) sum += share.inFlight - 1;
    return sum;
  }

  /** Whether a callee of this call was ever lent. */
  hasLent(parent: Call): boolean {
    return this.#lenders.has(parent);
  }

  /** What is neither used nor lent. */
  #left(): Share {
    let { cpuMs, memoryMb, calls, inFlight, consoleBytes } = this.#options.unused();
    for (const { share } of this.#loans.values()) {
      cpuMs -= share.cpuMs;
      memoryMb -= share.memoryMb;
      calls -= share.calls;
      inFlight -= share.inFlight - 1;
      consoleBytes -= share.consoleBytes;
    }
    return { cpuMs, memoryMb, calls, inFlight, consoleBytes };
  }
}

interface Loan {
  readonly call: Call;
  readonly share: Share;
  readonly lentAt: number;
}

/** The part of what is left that one of so many workers gets. No lent call grows beyond its first memory. */
function shareOf(left: Share, workers: number): Share {
  const part = (amount: number): number => Math.floor(amount / workers);
  return {
    cpuMs: part(left.cpuMs),
    memoryMb: LEAST_MEMORY_MB,
    calls: part(left.calls),
    inFlight: 1 + part(left.inFlight),
    consoleBytes: part(left.consoleBytes),
  };
}

/** What came of a lent call. */
export type LentCall =
  /** Its share did not suffice, or it did what can only be done where its run is. Nobody has noticed it. */
  | { readonly kind: "gave-up" }
  | {
      readonly kind: "finished";
      readonly trace: CallTrace;
      readonly isPure: boolean;
      readonly below: Below;
      readonly spentMs: number;
      readonly used: Pick<Share, "cpuMs" | "calls" | "consoleBytes">;
      /** Answers that calls below it gave; their places count from 0. */
      readonly answers: number;
      readonly events: readonly CallEvent[];
    };

/** As JSON text. */
export const GAVE_UP = JSON.stringify({ kind: "gave-up" } satisfies LentCall);

/** The trace with its answers in places further down. */
export function answeredLater(trace: CallTrace, by: number): CallTrace {
  const answered = trace.answered === undefined ? undefined : trace.answered + by;
  return { ...trace, answered, calls: trace.calls.map((below) => answeredLater(below, by)) };
}
