import type { Result } from "../core/result.ts";
import type { EventStatus, Trace, TraceFile, TraceSource } from "../core/trace-event.ts";

/**
 * Where traces are kept. Every store behaves the same: one contract suite runs against all. Nothing throws: a store that
 * cannot be reached or is full answers with the failure `STORE_UNAVAILABLE`, and works again when the cause is gone.
 */
export interface TraceStore {
  /**
   * Writes runs or parts of them. Once it answers with success they are durable, each part whole with its events and
   * files; after a failure none of them is there. To record the same part again changes nothing. Tells of each run how
   * many of the events are new.
   */
  record(parts: readonly TracePart[]): Promise<Result<ReadonlyMap<string, number>>>;
  /** Newest first. */
  runs(filter?: RunFilter): Promise<Result<RunPage>>;
  /** What was done together, newest first: the runs of a session as one; by itself, a run that is in none. */
  sessions(filter?: RunFilter): Promise<Result<SessionPage>>;
  /** A run with its events in order and its files; nothing where there is no such run. */
  trace(runId: string): Promise<Result<Trace | undefined>>;
  /** How tools and skills are used and how they fare, most used first. */
  usage(filter?: UsageFilter): Promise<Result<readonly Usage[]>>;
  /** Sequences of calls by the same caller, or in the same session, that recur; most frequent first. */
  chains(filter?: ChainFilter): Promise<Result<readonly Chain[]>>;
  /** Which agent hands to which. */
  handOffs(filter?: PatternFilter): Promise<Result<readonly HandOff[]>>;
  /** Which libraries executed code imports together, by agent. */
  codePatterns(filter?: PatternFilter): Promise<Result<readonly CodePattern[]>>;
  /** What kinds of files are made by which tool or agent, with the latest as an example. */
  fileTemplates(filter?: PatternFilter): Promise<Result<readonly FileTemplate[]>>;
  /** Finds tasks, names, errors and files that have each word of the text at the start of a word; newest first. */
  search(text: string, filter?: SearchFilter): Promise<Result<readonly SearchHit[]>>;
  /**
   * Deletes whole runs, oldest first, until all limits are kept, and tells what it has deleted itself; a dry run only
   * tells what it would delete.
   */
  prune(limits: Retention, options?: { readonly dryRun?: boolean }): Promise<Result<PruneResult>>;
  /** Lets go of the file, or of the connections. */
  close(): Promise<void>;
}

/**
 * A run, or a part of one: what has happened since the part before. An event that has not ended (`running`) may come
 * again in a later part, with the same id and order; what that leaves out stays. An event that has ended stays as it is.
 * Of the numbers of events that were `lost`, the largest counts.
 */
export interface TracePart extends Trace {
  /** `running` where parts follow. Unless told, it is that of the root event. */
  readonly status?: EventStatus;
  readonly durationMs?: number;
  /** What ran: the root's name by default. */
  readonly name?: string;
}

export interface RunFilter {
  readonly status?: EventStatus;
  readonly name?: string;
  readonly source?: TraceSource | readonly TraceSource[];
  readonly sessionId?: string;
  /** Milliseconds since 1970, inclusive. */
  readonly since?: number;
  /** Exclusive. */
  readonly until?: number;
  /** Words as for `search`. */
  readonly text?: string;
  /** 50 by default. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Where there are more. */
  readonly next?: string;
}

export interface RunSummary {
  readonly runId: string;
  readonly sessionId?: string;
  readonly source: TraceSource;
  readonly client?: string;
  readonly task?: string;
  readonly startedAt: number;
  readonly durationMs?: number;
  readonly status: EventStatus;
  readonly name?: string;
  /** Of the skill at the root, as it was then. */
  readonly skillDigest?: string;
  readonly events: number;
  /** How many more there were that could not be recorded; absent where all were. */
  readonly lost?: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Where there are more. */
  readonly next?: string;
}

/** Of all runs of a session, also of those that a filter leaves out. */
export interface SessionSummary {
  /** The session's id; of a run that is alone its own. */
  readonly id: string;
  readonly source: TraceSource;
  readonly client?: string;
  /** Of the first run that has one. */
  readonly task?: string;
  /** What ran: the first of the names, in their order. */
  readonly names: readonly string[];
  readonly runs: number;
  /** Calls of tools and skills, of the agent's as well as of those that skills made. */
  readonly calls: number;
  /** How many of the calls failed. */
  readonly failures: number;
  readonly startedAt: number;
  /** From the beginning of the first run to the end of the last. */
  readonly durationMs: number;
  /** Of the latest run. */
  readonly status: EventStatus;
  readonly lost?: number;
}

export interface UsageFilter {
  readonly kind?: "tool" | "skill";
  readonly name?: string;
  /** Whole days (UTC): the day in which this time lies is the first. */
  readonly since?: number;
  /** One line for each version of a skill. */
  readonly byVersion?: boolean;
  /** One line for each agent or skill that calls, with the size of the results; without percentiles and versions. */
  readonly byAgent?: boolean;
  readonly limit?: number;
}

export interface Usage {
  readonly kind: "tool" | "skill";
  readonly name: string;
  /** Only by version, and only where it is known. */
  readonly skillDigest?: string;
  /** Only by agent: who calls it; empty where nobody is known. */
  readonly agent?: string;
  /** Only by agent: characters of a result, on average, of the calls that completed. */
  readonly resultSize?: number;
  readonly calls: number;
  readonly completed: number;
  readonly failed: number;
  /** Calls that failed since their input was not valid: mistakes of the callers, no failures of what was called. */
  readonly invalid: number;
  /** Of those that completed and those that failed. */
  readonly successRate: Rate;
  /** Within 5 %; absent where no call has a duration. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  /** When the latest call began. */
  readonly lastUsed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

/** A share of successes with its Wilson interval of 95 %. */
export interface Rate {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

export interface PatternFilter {
  /** 1 by default. */
  readonly atLeast?: number;
  /** 50 by default. */
  readonly limit?: number;
}

export interface ChainFilter extends PatternFilter {
  /** From 2 to 5; all by default. */
  readonly length?: number;
  /** Only chains in which this tool or skill is called. */
  readonly including?: string;
}

export interface Chain {
  readonly names: readonly string[];
  readonly count: number;
  /** How often all calls of the chain succeeded. */
  readonly completed: number;
  readonly successRate: Rate;
}

export interface HandOff {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface CodePattern {
  readonly imports: readonly string[];
  readonly agent: string;
  readonly count: number;
  readonly completed: number;
  readonly successRate: Rate;
}

export interface FileTemplate {
  /** With its dot, in lower case; empty where there is none. */
  readonly extension: string;
  /** The tool or agent of the event that made it. */
  readonly madeBy: string;
  readonly count: number;
  readonly latest?: Pick<TraceFile, "path" | "runId" | "content" | "sha256">;
}

export type SearchHitKind = "task" | "name" | "error" | "file";

export interface SearchFilter {
  readonly kinds?: readonly SearchHitKind[];
  /** 50 by default. */
  readonly limit?: number;
}

export interface SearchHit {
  readonly kind: SearchHitKind;
  readonly runId: string;
  readonly eventId?: string;
  readonly text: string;
}

/** What is kept; what is not told is not limited. A run that may still go on is never deleted. */
export interface Retention {
  readonly maxAgeDays?: number;
  readonly maxRuns?: number;
  /** Of all runs together, before compression; what runs share counts for each. */
  readonly maxBytes?: number;
}

export interface PruneResult {
  readonly runs: number;
  readonly events: number;
  readonly bytes: number;
  /** The latest start among them. */
  readonly upTo?: number;
}

export const DEFAULT_MAX_PAYLOAD_BYTES = 1024 * 1024;

export interface StoreOptions {
  readonly redaction?: RedactionOptions;
  /** Larger inputs, outputs and contents of files are cut, and tell their full size and digest; 1 MB by default. */
  readonly maxPayloadBytes?: number;
  /** Told what a person should know of the store: that a file was set aside. On stderr by default. */
  readonly onNotice?: (notice: string) => void;
}

export interface RedactionOptions {
  /** Kinds that are not redacted. */
  readonly off?: readonly string[];
  readonly rules?: readonly RedactionRule[];
}

/** A kind of credential of one's own. */
export interface RedactionRule {
  readonly name: string;
  /**
   * A regular expression of RE2 (no references back, nothing that looks ahead or behind) that begins with at least three
   * literal letters, digits, `-` or `_`.
   */
  readonly pattern: string;
}

/**
 * What stands in a trace for a value that was larger than `maxPayloadBytes`, or could not be looked through for
 * credentials in time: then the event's `meta` has `redaction: "cut"`.
 */
export interface CutValue {
  readonly "[cut]": {
    readonly bytes: number;
    /** sha256 (hex) of the JSON text, after redaction where it could be made. */
    readonly sha256: string;
    /** How the text begins; empty where nothing of it could be looked through. */
    readonly start: string;
  };
}
