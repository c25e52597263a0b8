import { isJsonObject, type Json } from "./json/json.ts";

/** Every code that a failed run, command or request can carry, with what it means. */
export const ERRORS = {
  SKILL_NOT_FOUND: "No skill has this name",
  SKILL_NOT_RUNNABLE: "The skill has instructions but no code to run",
  INPUT_INVALID: "The input does not fit the skill's input schema",
  OUTPUT_INVALID: "What the skill returned does not fit its output schema",
  INPUT_TOO_LARGE: "The input is larger than the limit",
  OUTPUT_TOO_LARGE: "The output is larger than the limit",
  NOT_JSON: "The value cannot be written as JSON",
  PRECONDITION_FAILED: "What must be true before the skill runs is not, so it has not run",
  POSTCONDITION_FAILED: "What must be true of the skill's output is not",
  SKILL_THREW: "The skill threw an exception",
  CHOICE_NEEDED: "The caller has to choose one of the options that the skill has found, and to call it again",
  SKILL_BROKEN: "The skill's code does not load",
  SKILL_TIMED_OUT: "The skill ran out of time",
  SKILL_OUT_OF_MEMORY: "The skill ran out of memory",
  SKILL_NEVER_SETTLES: "The skill waits for something that cannot happen",
  CIRCULAR_CALL: "A skill was called that is already running in the same chain of calls",
  CALL_TOO_DEEP: "Calls are nested deeper than the limit",
  TOO_MANY_CALLS: "The run made more calls than the limit",
  REQUEST_INVALID: "This is no request that is taken at this address",
  SERVER_BUSY: "The server has too much to do for now",
  INTERNAL: "Something is wrong in the server itself, and not with what it was asked",
  TOOL_NOT_FOUND: "No tool has this name",
  TOOL_FAILED: "The upstream tool answered with an error",
  TOOL_CHANGED: "The upstream tool is not what it was when it was pinned, and nobody has accepted the change",
  CANCELLED: "The caller cancelled the run",
  RUNNER_CLOSED: "The runner is shutting down",
  RUNNER_LOST: "The worker that ran the skill ended unexpectedly",
  CONFIG_INVALID: "The configuration is not valid",
  PATH_NOT_FOUND: "There is nothing at this path",
  ALREADY_EXISTS: "There is something at this path already",
  SNAPSHOT_INVALID: "The file holds no contracts that were saved",
  STORE_UNAVAILABLE: "The store of traces cannot be read or written",
  EXPORT_REFUSED: "The skill has something that cannot be said in this form",
  ENGINE_UNAVAILABLE: "The workflow engine is not installed, or has ended without a result",
  RUN_NOT_FOUND: "No recorded run has this id",
  RUN_WAITING: "The run waits for a person to approve a call that writes, or for the answer of a model",
  RUN_CHANGED: "The run cannot go on: its skill is not what it was, or went another way",
  RUN_STATE: "The run's state does not allow this",
  WRITE_UNCERTAIN:
    "A call that writes was begun and its answer did not come: a person decides whether it is made again",
  DRAFT_NOT_FOUND: "No draft or promoted skill has this name",
  DRAFT_INVALID: "The draft's files are not valid",
  DRAFT_CHANGED: "The draft is not the one that was looked at",
  DRAFT_BUSY: "Others are working on the drafts",
  DRAFTS_UNAVAILABLE: "The folder of drafts, or that of skills, cannot be read or written",
  DRAFT_UNVERIFIED: "The draft has no evidence that it does what it was learned from",
  DRAFT_UNREVIEWED: "The draft waits for a review",
  RUN_UNAPPROVED: "The run takes a person's consent, which was not given",
  DRAFT_STATE: "The draft's state does not allow this",
  TRACE_UNSUCCESSFUL: "The run did not succeed, so nothing is learned from it",
  TRACE_INCOMPLETE: "Events of the run are lost, so nothing is learned from it unless asked",
  LEARNING_TIMED_OUT: "Learning from the runs, or the work on the draft, took longer than the limit",
  LEARNING_LOST: "The thread that learns from runs ended unexpectedly",
  MODEL_NEEDED: "This takes a model, and none is configured",
  MODEL_UNAVAILABLE: "The model's endpoint cannot be reached, or fails",
  MODEL_REJECTED: "The model's endpoint does not take the request",
  MODEL_RATE_LIMITED: "The model's endpoint takes no more requests for now",
  MODEL_TIMED_OUT: "The model has not answered in time",
  MODEL_REFUSED: "The model refuses to answer",
  MODEL_TRUNCATED: "The model's answer is cut off",
  MODEL_ANSWER_INVALID: "What the model answers is not what it was asked for",
  MODEL_BUDGET_SPENT: "The model may take no more tokens or money for this piece of work",
  GIT_FAILED: "Git cannot give the skills of an earlier commit",
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A place in an author's file; line and column count from 1. */
export interface Position {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** An expected failure as plain data, so that it can cross threads, sandboxes and protocols. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** The skill in which it happened. */
  readonly skill?: string;
  /** Where the call stands in its run: `0`, `0.1`, `0.1.2`. */
  readonly callPath?: string;
  /** Where the author's code failed or made the failing call, innermost first. */
  readonly positions?: readonly Position[];
  /** What helps to mend it, for example each place where an input does not fit. */
  readonly details?: Json;
}

export function failure(
  code: ErrorCode,
  message: string,
  rest: Omit<Failure, "code" | "message"> = {},
): Failure {
  return { code, message, ...rest };
}

/** Whether a run has not ended, but waits for what somebody says. */
export function awaitsPerson({ code }: Failure): boolean {
  return code === "RUN_WAITING" || code === "WRITE_UNCERTAIN";
}

/** Stands in a failed call that was begun and whose answer did not come: nobody knows what it did. */
export const UNANSWERED = { details: { unanswered: true } } as const;

export function isUnanswered({ details }: Failure): boolean {
  return typeof details === "object" && details !== null && "unanswered" in details;
}

/** A failed call of what only reads, or does nothing twice: it may be made again. */
export function asRepeatable(error: Failure): Failure {
  const { details = {} } = error;
  return isJsonObject(details) ? { ...error, details: { ...details, repeatable: true } } : error;
}

/** Whether a failed call of a tool may be made again: by what it was called, or since it was not made at all. */
export function isRepeatable({ code, details }: Failure): boolean {
  return NOT_MADE.has(code) || (typeof details === "object" && details !== null && "repeatable" in details);
}

const NOT_MADE: ReadonlySet<ErrorCode> = new Set([
  "INPUT_INVALID",
  "INPUT_TOO_LARGE",
  "TOOL_NOT_FOUND",
  "TOO_MANY_CALLS",
]);

/** Whether the file system, or SQLite, has refused something; anything else that is thrown is a bug. */
export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && ("syscall" in error || "errcode" in error);
}

/** Carries a failure through code that only knows exceptions. */
export class FailureError extends Error {
  readonly failure: Failure;

  constructor(error: Failure) {
    super(error.message);
    this.failure = error;
  }
}
