import type { APIError } from "openai";
import { type Failure, failure } from "../core/error.ts";
import { cutToLength, plainLine } from "../core/text/display-text.ts";

/** An error of the endpoint, or on the way to it, as a failure: the key stands in no message. */
export function modelFailure(
  error: unknown,
  { endpoint, key }: { readonly endpoint: string; readonly key: string },
): Failure {
  const { status, message, cause } = apiErrorOf(error);
  const why = shownReason([message, causeText(cause)].filter((part) => part !== "").join(": "), key);
  const said = `${endpoint} answers with ${status ?? "an error"}: ${why}`;
  if (status === 429) return failure("MODEL_RATE_LIMITED", `${said}. It was tried several times`);
  if (status === 408 || status === 504) return failure("MODEL_TIMED_OUT", said);
  if (status === undefined) return failure("MODEL_UNAVAILABLE", `${endpoint} cannot be reached: ${why}`);
  if (status >= 500) return failure("MODEL_UNAVAILABLE", said);
  return failure("MODEL_REJECTED", `${said}.${HINTS.get(status) ?? ""}`);
}

const HINTS: ReadonlyMap<number, string> = new Map([
  [401, ' Look at "model.key"'],
  [403, ' Look at "model.key"'],
  [404, ' Look at "model.baseUrl" and "model.name"'],
]);

/** Whether an endpoint may have refused the form of the answer, not the rest of the request. */
export function isAboutForm(error: unknown): boolean {
  const { status, code, message } = apiErrorOf(error);
  // Some servers fail over a form that they do not know, and name it.
  if (status === 500) return FORM_FIELDS.test(message);
  return status !== undefined && FORM_STATUSES.has(status) && !OTHER_CODES.has(String(code));
}

/** What is sent as the most that an answer may have has two names. */
export function isAboutTokenLimit(error: unknown): boolean {
  const { status, message } = apiErrorOf(error);
  return status === 400 && message.includes("max_completion_tokens");
}

const FORM_FIELDS = /\b(?:response_format|json_schema|json_object|text\.format|tool_choice)\b/;
const FORM_STATUSES: ReadonlySet<number> = new Set([400, 415, 422, 501]);
const OTHER_CODES: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "model_not_found",
  "invalid_api_key",
  "insufficient_quota",
  "content_policy_violation",
  "content_filter",
]);

interface ApiErrorParts extends Pick<Partial<APIError>, "status" | "code"> {
  readonly message: string;
  readonly cause?: unknown;
}

function apiErrorOf(error: unknown): ApiErrorParts {
  return error instanceof Error ? error : { message: String(error) };
}

function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return "";
  const { code } = cause as NodeJS.ErrnoException;
  return code ?? (cause.cause === undefined ? cause.message : causeText(cause.cause));
}

function shownReason(message: string, key: string): string {
  const without = key === "" ? message : message.replaceAll(key, "***");
  // Endpoints show keys with a part left out.
  return cutToLength(plainLine(without.replaceAll(/\bsk-[\w*.-]+/g, "***")), MAX_REASON);
}

const MAX_REASON = 300;
