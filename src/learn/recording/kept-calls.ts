import type { Json, JsonObject } from "../../core/json/json.ts";
import { failureKind } from "../plan/failure-kind.ts";
import { type MayWrite, soundsReading } from "../plan/tool-effects.ts";
import { nameWords } from "../plan/names.ts";
import { MAX_RETRIES } from "../plan/plan.ts";
import { formOf, isEntityName, isSame, jsonLeaves, leafText, valueAt } from "../plan/values.ts";
import type { RecordedCall, RecordedTrace } from "./recorded-trace.ts";

/** A recorded call that the plan does not make, or need not make. */
export interface OmittedCall {
  readonly trace: number;
  /** The call, or the plan's step. */
  readonly call?: number;
  readonly step?: string;
  /**
   * `retried`: it failed and a later call did the same; `refused`: no call of its form was taken, and one of another form
   * was; `unused`: it only reads, and nothing uses what it read.
   */
  readonly reason: "retried" | "refused" | "not-in-all" | "unused";
  /** Whether the plan is without it already; otherwise this is a proposal. */
  readonly isDropped: boolean;
}

/**
 * The calls of a trace that are worth doing again: all but those that failed and were tried again, and those that were
 * refused for their form, which did nothing and would do nothing in any run. A call that has another argument than the
 * failed one, such as `force`, is another call, unless the error had asked for the argument.
 */
export function keptCalls(trace: RecordedTrace): {
  readonly kept: readonly number[];
  readonly dropped: readonly Pick<OmittedCall, "call" | "reason" | "isDropped">[];
} {
  const isRetried = (index: number): boolean => {
    const failed = trace.calls[index];
    const again = failed?.retriedBy === undefined ? undefined : trace.calls[failed.retriedBy];
    return (
      failed !== undefined && again !== undefined && isSameCall(failed, again) && !isRemedied(trace, index)
    );
  };
  const kept: number[] = [];
  const dropped: Pick<OmittedCall, "call" | "reason" | "isDropped">[] = [];
  for (const call of trace.calls.keys())
    if (isRetried(call)) dropped.push({ call, reason: "retried", isDropped: true });
    else if (isRefusedForm(trace, call) || isMisnamed(trace, call))
      dropped.push({ call, reason: "refused", isDropped: true });
    else kept.push(call);
  return { kept, dropped };
}

/**
 * Whether a failed call was taken unchanged after another act had been done about what it names, as a label is made that was
 * not there: where it does not fail, the act would be one too many.
 */
function isRemedied({ calls }: RecordedTrace, index: number): boolean {
  const { tool, args = {}, error = "", retriedBy = -1 } = calls[index] ?? {};
  const again = calls[retriedBy];
  if (!again || again.error !== undefined || !isSame(again.args, args)) return false;
  if (isTransientFailure(failureKind(error, args))) return false;
  const named = namesIn(args, isTelling);
  return calls
    .slice(index + 1, retriedBy)
    .some(
      (call) =>
        call.tool !== tool &&
        call.error === undefined &&
        !soundsReading(call.tool) &&
        !namesIn(call.args, isTelling).isDisjointFrom(named),
    );
}

/** Whether a text is long enough to be about one thing. */
function isTelling(value: Json): boolean {
  return typeof value === "string" && value.length >= MIN_TELLING;
}

const MIN_TELLING = 4;

/**
 * Whether a call was refused for its form, of which its tool took none, and one of another form was taken later, or other
 * tools were given all that it named: as the error says, or as the later call has all that it named, something of it at
 * another place.
 */
function isRefusedForm({ calls }: RecordedTrace, index: number): boolean {
  const { tool, args = {}, error } = calls[index] ?? {};
  if (error === undefined || !(FORM_FAULT.test(error) || REFUSAL.test(error))) return false;
  const form = formOf(args);
  const taken = calls.filter((call) => call.tool === tool && call.error === undefined);
  if (taken.some((call) => formOf(call.args) === form)) return false;
  const later = taken.filter((call) => calls.indexOf(call) > index);
  return FORM_FAULT.test(error)
    ? later.length > 0 || isRedone(args, calls.slice(index + 1))
    : later.some((call) => isRearranged(args, call.args));
}

/**
 * Whether a look named a column or table that there is not, as its answer says, be it as an error or as a text, and its tool
 * was asked for others later.
 */
function isMisnamed({ calls }: RecordedTrace, index: number): boolean {
  const { tool = "", error, result = null } = calls[index] ?? {};
  if (!soundsReading(tool) || !NAME_FAULT.test(error ?? faultIn(result))) return false;
  return calls
    .slice(index + 1)
    .some((call) => call.tool === tool && call.error === undefined && faultIn(call.result) === "");
}

/** What an answer says that is a text, and that of an error. */
function faultIn(result: Json): string {
  const [text, ...others] = [...jsonLeaves(result)].map(([, leaf]) => leaf);
  const isFault = typeof text === "string" && others.length === 0 && /^(?:\p{L}+ ){0,2}error\b/iu.test(text);
  return isFault && text.length < MAX_FAULT ? text : "";
}

const MAX_FAULT = 500;
const NAME_FAULT =
  /\bno such (?:column|table)\b|\b(?:unknown|invalid) column\b|\b(?:column|relation) \S+ does not exist\b/i;

/** Whether later calls, of whatever tools, were taken with all that arguments name. */
function isRedone(args: JsonObject, later: readonly RecordedCall[]): boolean {
  const named = [...jsonLeaves(args)].flatMap(([, leaf]) => (isEntityName(leaf) ? [leafText(leaf)] : []));
  const taken = new Set(
    later.flatMap((call) =>
      call.error === undefined ? [...jsonLeaves(call.args)].map(([, leaf]) => leafText(leaf)) : [],
    ),
  );
  return named.length > 0 && named.every((text) => taken.has(text));
}

/** Whether all that arguments name stands in others, and something of it under another name. */
function isRearranged(args: JsonObject, others: JsonObject): boolean {
  const known = new Set([...jsonLeaves(others)].map(([, leaf]) => leafText(leaf)));
  const named = [...jsonLeaves(args)].filter(([, leaf]) => isEntityName(leaf));
  const isMoved = named.some(([path, leaf]) => !isSame(valueAt(others, path), leaf));
  return isMoved && named.every(([, leaf]) => known.has(leafText(leaf)));
}

/** Errors with which nothing was done: what they are about is not there, or not as it was called. */
const REFUSAL =
  /\b(?:400|404|422|validation[_ ]?(?:failed|error)|invalid|(?:object_|resource_)?not[_ ]found|could ?n[o']t find|does not exist|no such|unknown)\b/i;

/** Errors that say of which types arguments are and which there must be, which no world changes. */
const FORM_FAULT =
  /\b(?:invalid_type|unrecognized_keys|invalid_union|should be (?:defined|not present|an? (?:object|array|list|string|number|integer|boolean))|must be (?:of type|(?:an? )?(?:object|array|list|string|number|integer|boolean)\b)|(?:is )?not of type|(?:missing|unknown|unexpected|unrecognized|extra|required) (?:\d+ )?(?:required |positional |keyword )*(?:arguments?|params?|parameters?|propert(?:y|ies)|fields?|keys?)|additional properties|field required|not valid json)\b/i;

/**
 * Whether a kind of failure is one of the server, or of the way to it, that passes by itself: what is done after it says
 * nothing of what it means. A 500 with a code of its own tells what was wrong.
 */
export function isTransientFailure(kind: string): boolean {
  if (/(?<!\S)(?:408|429|50[234]|57014|ECONNRESET|ETIMEDOUT)(?!\S)/.test(kind)) return true;
  if (/(?<!\S)500(?!\S)/.test(kind))
    return !kind.split(" ").some((word) => /[a-z]_[a-z]/i.test(word) && !PASSING.test(word));
  return PASSING.test(kind) && !/\b(?:invalid|must|unknown|options?|parameters?|settings?)\b/.test(kind);
}

const PASSING =
  /\btimed out\b|\btime-?out (?:error|exceeded|expired|after)\b|\b(?:call|connect(?:ion)?|gateway|network|query|read|request|server|socket|statement)[ _-]time-?out\b|^time-?out(?: error)?$|\brate[ _-]?limit(?:ed|[ _]exceeded)?\b|\btoo[ _]many[ _]requests\b|\bservice[ _]unavailable\b|\bbad gateway\b|\binternal[ _](?:server[ _])?error\b|\bserver_error\b/i;

/** A call that failed as the server, or the way to it, was not as it is at other times. */
export interface TransientFailure {
  readonly call: number;
  readonly tool: string;
  readonly kind: string;
  /** It may have written, or its tool has answered such calls elsewhere in the run: the work may lack what it was for. */
  readonly isOpen: boolean;
}

/** The calls of a trace after whose transient failures the run went on without having them made again. */
export function transientFailures({ calls }: RecordedTrace, mayWrite: MayWrite): readonly TransientFailure[] {
  return calls.flatMap(({ tool, args, error, retriedBy }, call) => {
    const kind = error === undefined ? "" : failureKind(error, args);
    if (error === undefined || !isTransientFailure(kind)) return [];
    const again = calls[retriedBy ?? -1];
    const names = namesIn(args);
    if (again && names.isSubsetOf(namesIn(again.args))) return [];
    const form = formOf(args);
    const answered = calls.filter((each) => each.tool === tool && each.error === undefined);
    const isAnswered = answered.some((each) => formOf(each.args) === form);
    const isReadLater = answered.some(
      (each) => calls.indexOf(each) > call && names.isSubsetOf(namesIn(each.args)),
    );
    return [{ call, tool, kind, isOpen: mayWrite(tool) || (isAnswered && !isReadLater) }];
  });
}

/** The calls that are kept, without those that failed for a while and, by the names of their tools, only looked. */
export function steadyCalls(trace: RecordedTrace): readonly number[] {
  const failed = transientFailures(trace, (tool) => !soundsReading(tool)).filter(({ isOpen }) => !isOpen);
  const passing = new Set(failed.map(({ call }) => call));
  return keptCalls(trace).kept.filter((call) => !passing.has(call));
}

/** What arguments name: a call for another thing is no other attempt. */
function namesIn(args: JsonObject, isName: (value: Json) => boolean = isEntityName): ReadonlySet<string> {
  return new Set(
    [...jsonLeaves(args)].flatMap(([, leaf]) => (typeof leaf === "string" && isName(leaf) ? leaf : [])),
  );
}

/**
 * In which ways a call had failed before it succeeded when it was made again at once and unchanged; undefined: it had not,
 * or nothing tells the failures from others.
 */
export function unchangedRetry(
  { calls }: RecordedTrace,
  call: number,
): { readonly times: number; readonly kinds: readonly string[] } | undefined {
  const { tool, args, error } = calls[call] ?? {};
  const kinds: string[] = [];
  for (let before = call - 1; error === undefined && kinds.length < MAX_RETRIES; before--) {
    const failed = calls[before];
    if (failed?.error === undefined || failed.retriedBy === undefined) break;
    if (failed.tool !== tool || !isSame(failed.args, args)) break;
    kinds.push(failureKind(failed.error, failed.args));
  }
  return kinds.length === 0 || kinds.includes("") ? undefined : { times: kinds.length, kinds };
}

/** Whether the later call only tries the failed one again. */
function isSameCall({ args, error = "" }: RecordedCall, again: RecordedCall): boolean {
  const changed = new Set(Object.keys(args)).symmetricDifference(new Set(Object.keys(again.args)));
  const said = new Set(nameWords(error.replaceAll(/[^A-Za-z0-9]+/g, " ")));
  return [...changed].every(
    (name) => INPUT_FAULT.test(error) || nameWords(name).some((word) => said.has(word)),
  );
}

/** Errors that are about the arguments rather than about the world. */
const INPUT_FAULT =
  /\b(?:arguments?|parameters?|params?|properties|property|schema|validation|field)\b|-32602/i;
