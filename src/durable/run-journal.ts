import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { failure, type Failure, isSystemError } from "../core/error.ts";
import { placedFault } from "../core/files/file-fault.ts";
import { sharedDatabase } from "../core/files/shared-database.ts";
import type { Json } from "../core/json/json.ts";
import type { Result } from "../core/result.ts";
import type { ModelUse } from "../core/run.ts";

/** What a durable run does now: it is at work, waits for a person's decision, or has ended. */
export const DURABLE_RUN_STATES = ["running", "waiting", "completed", "failed", "cancelled"] as const;
export type DurableRunState = (typeof DURABLE_RUN_STATES)[number];

/** A run as its journal keeps it. Times are milliseconds since 1970. */
export interface DurableRun {
  readonly runId: string;
  readonly skill: string;
  /** Of the skill and of all that it calls. */
  readonly digest: string;
  readonly input: Json;
  readonly seed: number;
  readonly startedAt: number;
  /** When its state changed last. */
  readonly changedAt: number;
  readonly state: DurableRunState;
  /** Whether a person has to approve each call that writes. */
  readonly confirms: boolean;
  /** The process that works on it, or worked on it last. */
  readonly owner: string;
  /** Why it has failed. */
  readonly error?: string;
}

/** A run without what it was given. */
export type ListedRun = Omit<DurableRun, "input">;

export interface JournalCall {
  readonly callPath: string;
  readonly tool: string;
  /** JSON text. */
  readonly input: string;
  /** Where it stands; `asked` is a question to a model that none has answered. */
  readonly state: "unapproved" | "approved" | "begun" | "uncertain" | "asked" | "answered";
  /** When it came into this state. */
  readonly at: number;
  /** Once it is answered. */
  readonly result?: Result<Json>;
  /** Of a question that a model has answered. */
  readonly modelUse?: ModelUse | undefined;
  /** Whether the tool was known to only read. */
  readonly isRead?: boolean;
  /** Who decided about it. */
  readonly decidedBy?: string;
}

/** Whether a call waits for somebody. */
export function isUndecided({ state }: Pick<JournalCall, "state">): boolean {
  return state === "unapproved" || state === "uncertain" || state === "asked";
}

/**
 * The runs that go on after a crash, with the calls that they made and what these were answered, in one file that the
 * processes of a machine share. It holds what tools were given and answered as it was, until the run has ended. Every
 * method throws what SQLite throws.
 */
export class RunJournal {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#database = sharedDatabase(path, LOCK_MS);
    this.#database.exec("pragma synchronous = normal; pragma secure_delete = on");
    this.#database.exec(TABLES);
  }

  begin(run: Omit<DurableRun, "state" | "changedAt" | "error">): void {
    const { runId, skill, digest, input, seed, startedAt, confirms, owner } = run;
    this.#run(
      `insert into runs (run_id, skill, digest, input, seed, started_at, changed_at, state, confirms, owner)
       values (?, ?, ?, ?, ?, ?, ?, 'running', ?, ?)`,
      [runId, skill, digest, JSON.stringify(input), seed, startedAt, startedAt, confirms ? 1 : 0, owner],
    );
  }

  run(runId: string): DurableRun | undefined {
    const [row] = this.#all("select * from runs where run_id = ?", [runId]);
    return row && runOf(row as unknown as RunRow);
  }

  /** Ids that begin so; not all where there are many. */
  idsFrom(start: string): readonly string[] {
    const rows = this.#all("select run_id from runs where substr(run_id, 1, length(?)) = ? limit 2", [
      start,
      start,
    ]);
    return rows.map(({ run_id }) => String(run_id));
  }

  /** Newest first. */
  runs(state: DurableRunState | undefined, limit: number): readonly ListedRun[] {
    const rows = this.#all(
      "select * from runs where ? is null or state = ? order by started_at desc, run_id limit ?",
      [state ?? null, state ?? null, limit],
    );
    return rows.map((row) => {
      const { input: _input, ...run } = runOf({ ...(row as unknown as RunRow), input: "null" });
      return run;
    });
  }

  /** Makes the run this owner's, where it is still in the state and hands in which it was seen. */
  take({ runId, state, owner }: Pick<DurableRun, "runId" | "state" | "owner">, by: string): boolean {
    return this.#changes(
      "update runs set state = 'running', owner = ?, changed_at = ? where run_id = ? and state = ? and owner = ?",
      [by, Date.now(), runId, state, owner],
    );
  }

  /** What its owner says of a run at work; of one that has ended, contents go, since its trace has them. */
  leave(runId: string, owner: string, state: DurableRunState, error?: string): boolean {
    return this.#together(() => {
      const isChanged = this.#changes(
        "update runs set state = ?, error = ?, changed_at = ? where run_id = ? and owner = ? and state = 'running'",
        [state, error ?? null, Date.now(), runId, owner],
      );
      if (isChanged && state !== "waiting" && state !== "running") this.#forget(runId);
      return isChanged;
    });
  }

  /** Ends a run that waits, or whose owner is dead. */
  cancel({ runId, state, owner }: Pick<DurableRun, "runId" | "state" | "owner">): boolean {
    return this.#together(() => {
      const isChanged = this.#changes(
        "update runs set state = 'cancelled', changed_at = ? where run_id = ? and state = ? and owner = ?",
        [Date.now(), runId, state, owner],
      );
      if (isChanged) this.#forget(runId);
      return isChanged;
    });
  }

  calls(runId: string): readonly JournalCall[] {
    const rows = this.#all("select * from calls where run_id = ? order by at, call_path", [runId]);
    return rows.map((row) => callOf(row as unknown as CallRow));
  }

  /** Call paths in the order in which their calls were answered. */
  answered(runId: string): readonly string[] {
    const rows = this.#all("select call_path from answers where run_id = ? order by place", [runId]);
    return rows.map(({ call_path }) => String(call_path));
  }

  /**
   * Writes what is new of a run's calls, and which calls were answered after those that are known: all or nothing. False
   * where the run is not its owner's any more. What is begun outlives the machine, too.
   */
  write(
    { runId, owner }: Pick<DurableRun, "runId" | "owner">,
    news: {
      readonly calls: readonly JournalCall[];
      readonly answered: readonly string[];
      readonly from: number;
    },
  ): boolean {
    const { calls, answered, from } = news;
    const isBegun = calls.some(({ state }) => state === "begun");
    if (isBegun) this.#database.exec("pragma synchronous = full");
    try {
      return this.#together(() => {
        const own = this.#all("select 1 from runs where run_id = ? and owner = ? and state = 'running'", [
          runId,
          owner,
        ]);
        if (own.length === 0) return false;
        for (const [index, callPath] of answered.entries())
          this.#run("insert into answers (run_id, place, call_path) values (?, ?, ?)", [
            runId,
            from + index,
            callPath,
          ]);
        for (const { callPath, tool, input, state, at, result, modelUse, isRead } of calls)
          this.#run(
            `insert into calls (run_id, call_path, tool, input, state, at, result) values (?, ?, ?, ?, ?, ?, ?)
             on conflict (run_id, call_path) do update set state = excluded.state, at = excluded.at, result = excluded.result`,
            [
              runId,
              callPath,
              tool,
              input,
              state,
              at,
              result ? JSON.stringify({ ...result, modelUse, ...(isRead === true && { isRead }) }) : null,
            ],
          );
        return true;
      });
    } finally {
      if (isBegun) this.#database.exec("pragma synchronous = normal");
    }
  }

  /** A person's decision about a call that waits for one; false where it does not, or somebody was faster. */
  decide(
    runId: string,
    call: JournalCall,
    decidedBy: string,
    change: Pick<JournalCall, "state" | "result">,
  ): boolean {
    return this.#changes(
      `update calls set state = ?, result = ?, decided_by = ?, at = ?
       where run_id = ? and call_path = ? and state = ? and at = ?
       and exists (select 1 from runs where runs.run_id = calls.run_id and runs.state <> 'cancelled')`,
      [
        change.state,
        change.result ? JSON.stringify(change.result) : null,
        decidedBy,
        Date.now(),
        runId,
        call.callPath,
        call.state,
        call.at,
      ],
    );
  }

  /** Forgets runs that have ended, but for so many of the newest. */
  prune(keep: number): void {
    this.#together(() => {
      const old = this.#all(
        `select run_id from runs where state in ('completed', 'failed', 'cancelled')
         order by changed_at desc limit -1 offset ?`,
        [keep],
      );
      for (const { run_id } of old) {
        this.#forget(String(run_id));
        this.#run("delete from calls where run_id = ?", [String(run_id)]);
        this.#run("delete from runs where run_id = ?", [String(run_id)]);
      }
    });
  }

  close(): void {
    this.#database.close();
  }

  // Which calls nobody knows the outcome of stays to be told; what they were given does not.
  #forget(runId: string): void {
    this.#run("update runs set input = 'null' where run_id = ?", [runId]);
    this.#run("delete from calls where run_id = ? and state not in ('begun', 'uncertain')", [runId]);
    this.#run("update calls set input = 'null' where run_id = ?", [runId]);
    this.#run("delete from answers where run_id = ?", [runId]);
  }

  #together<Value>(work: () => Value): Value {
    this.#database.exec("begin immediate");
    try {
      const value = work();
      this.#database.exec("commit");
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }

  #changes(sql: string, parameters: readonly SQLInputValue[]): boolean {
    return Number(this.#run(sql, parameters).changes) > 0;
  }

  #all(sql: string, parameters: readonly SQLInputValue[]): ReturnType<StatementSync["all"]> {
    return this.#statement(sql).all(...parameters);
  }

  #run(sql: string, parameters: readonly SQLInputValue[]): ReturnType<StatementSync["run"]> {
    return this.#statement(sql).run(...parameters);
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}

/** What SQLite or the file system says; anything else is a bug, and thrown. */
export function journalFailure(error: unknown): Failure {
  if (!(error instanceof DamagedJournalError) && !isSystemError(error)) throw error;
  return failure("STORE_UNAVAILABLE", `The journal of runs cannot be read or written: ${placedFault(error)}`);
}

/** How long one process waits for another's transaction, in milliseconds. */
const LOCK_MS = 5000;

const TABLES = `
  create table if not exists runs (
    run_id text primary key, skill text not null, digest text not null, input text not null, seed integer not null,
    started_at real not null, changed_at real not null, state text not null, confirms integer not null,
    owner text not null, error text) strict;
  create index if not exists runs_state on runs (state, started_at);
  create table if not exists calls (
    run_id text not null, call_path text not null, tool text not null, input text not null, state text not null,
    at real not null, result text, decided_by text, primary key (run_id, call_path)) strict, without rowid;
  create table if not exists answers (
    run_id text not null, place integer not null, call_path text not null,
    primary key (run_id, place)) strict, without rowid;`;

interface RunRow {
  readonly run_id: string;
  readonly skill: string;
  readonly digest: string;
  readonly input: string;
  readonly seed: number;
  readonly started_at: number;
  readonly changed_at: number;
  readonly state: DurableRunState;
  readonly confirms: number;
  readonly owner: string;
  readonly error: string | null;
}

interface CallRow {
  readonly call_path: string;
  readonly tool: string;
  readonly input: string;
  readonly state: JournalCall["state"];
  readonly at: number;
  readonly result: string | null;
  readonly decided_by: string | null;
}

function runOf(row: RunRow): DurableRun {
  return {
    runId: row.run_id,
    skill: row.skill,
    digest: row.digest,
    input: jsonIn(row.input),
    seed: row.seed,
    startedAt: row.started_at,
    changedAt: row.changed_at,
    state: row.state,
    confirms: row.confirms === 1,
    owner: row.owner,
    ...(row.error === null ? {} : { error: row.error }),
  };
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new DamagedJournalError("It holds a text that is no JSON", { cause });
  }
}

/** The file was changed by somebody else than a journal. */
class DamagedJournalError extends Error {}

type JournalResult = Result<Json> & { readonly modelUse?: ModelUse; readonly isRead?: boolean };

function callOf({ call_path, tool, input, state, at, result, decided_by }: CallRow): JournalCall {
  const answer = result === null ? undefined : (jsonIn(result) as unknown as JournalResult);
  return {
    callPath: call_path,
    tool,
    input,
    state,
    at,
    ...(answer && { result: answer }),
    ...(answer?.modelUse && { modelUse: answer.modelUse }),
    ...(answer?.isRead === true && { isRead: true }),
    ...(decided_by === null ? {} : { decidedBy: decided_by }),
  };
}
