import { isDeeperThan, type Json, type JsonObject, isJsonObject } from "../../core/json/json.ts";
import { type Judgement, judgementOf } from "../../trace/record/judgement.ts";
import { OWN_TOOL, type Trace, type TraceEvent } from "../../core/trace-event.ts";
import type { TextReading } from "../texts/text-form.ts";
import { withTextsAsAnswered } from "../texts/answered-texts.ts";
import { servedContent } from "../../trace/import/reading/unwrap.ts";

/** A tool call as it happened. */
export interface RecordedCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** Unwrapped: a value, not the message that carried it. */
  readonly result: Json;
  /** The texts in the result that stand there as they are read. */
  readonly reads?: readonly TextReading[] | undefined;
  /** What it failed with; undefined: it succeeded. */
  readonly error?: string;
  /** For a failed call, the index of the call that tried it again. */
  readonly retriedBy?: number;
}

/** What extraction learns from: one run's tool calls, in their order. */
export interface RecordedTrace {
  readonly id: string;
  /** `own`: Repertoire has recorded it itself; otherwise it is a transcript that somebody gave. */
  readonly origin?: "own";
  /** What was to be done, in the user's words: all that the user said. */
  readonly task?: string;
  /** What the user said, bit by bit, where some of it came between calls. */
  readonly turns?: readonly Turn[];
  /** What was judged of the run; undefined: nobody has told whether it did its task. */
  readonly judgement?: Judgement;
  readonly calls: readonly RecordedCall[];
}

/** Something that the user said. */
export interface Turn {
  readonly text: string;
  /** How many calls had been made by then. */
  readonly after: number;
}

/** A run that a draft was learned from. */
export interface SourceTrace {
  readonly trace: RecordedTrace;
  /** The calls that the draft makes; by default all but those that failed and were tried again. */
  readonly calls?: readonly number[] | undefined;
  /** The draft's input in this run; by default the parameters' values are found by their origins. */
  readonly input?: JsonObject | undefined;
  /** What the run gave, where it is known. */
  readonly output?: Json | undefined;
}

/** As it is kept with the draft. */
export interface OwnTrace extends SourceTrace {
  readonly digest: string;
}

/**
 * The tool calls of a trace. A call that itself made calls (a skill, an agent) is given by those. Calls without recorded
 * arguments, or still without an answer, are left out: nothing can be learned from them. What an agent has copied from an
 * answer with other spaces, quotation marks or dashes stands there as it was answered.
 */
export function recordedTrace(trace: Trace): RecordedTrace {
  const calls = trace.events.filter(isCall);
  const indices = new Map(calls.map(({ id }, index) => [id, index]));
  const retries = new Map<number, number>();
  calls.forEach((event, index) => {
    const retried = event.meta?.["retryOf"];
    const failed = typeof retried === "string" ? indices.get(retried) : undefined;
    if (failed !== undefined) retries.set(failed, index);
  });
  const task = taskOf(trace);
  const turns = turnsIn(trace, calls);
  const judgement = judgementOf(trace);
  return {
    id: trace.runId,
    ...(trace.source === "import" ? {} : { origin: "own" }),
    ...(task === undefined ? {} : { task }),
    ...(turns.some(({ after }) => after > 0 && after < calls.length) ? { turns } : {}),
    ...(judgement === undefined ? {} : { judgement }),
    calls: withTextsAsAnswered(
      calls.map((event, index) => recordedCall(event, trace.source, retries.get(index))),
      task,
    ),
  };
}

/** When each of the calls of `recordedTrace` began and ended, in milliseconds since 1970. */
export function callTimes({ events }: Trace): readonly CallTime[] {
  return events
    .filter(isCall)
    .map(({ timestamp, durationMs = 0 }) => ({ startMs: timestamp, endMs: timestamp + durationMs }));
}

export interface CallTime {
  readonly startMs: number;
  readonly endMs: number;
}

function isCall({ eventType, eventSubtype, agentName, inputs, status }: TraceEvent): boolean {
  const isWork = eventSubtype !== OWN_TOOL;
  const isToolCall = isWork && (eventType === "tool_call" || eventType === "code_exec");
  const isSettled = status === "completed" || status === "failed";
  return isToolCall && isSettled && agentName !== undefined && isJsonObject(inputs);
}

function recordedCall(
  event: TraceEvent,
  source: Trace["source"],
  retriedBy: number | undefined,
): RecordedCall {
  const { agentName = "", inputs, outputs = null, status, errorMessage } = event;
  // What we record is what the tools gave to skills; others write down messages that carry it.
  const result = source === "import" ? servedContent(outputs) : outputs;
  return {
    tool: agentName,
    args: isJsonObject(inputs) ? inputs : {},
    result,
    ...(status === "failed" ? { error: failureText(result, errorMessage) } : {}),
    ...(retriedBy === undefined ? {} : { retriedBy }),
  };
}

/** All that a failed call answered, where the message is a part of that: the answer may have a code besides. */
function failureText(answer: Json, message: string | undefined): string {
  if (answer === null || isDeeperThan(answer, MAX_DEPTH)) return message ?? "failed";
  const whole = JSON.stringify(answer);
  const said = JSON.stringify(message ?? "").slice(1, -1);
  if (!whole.includes(said.slice(0, MAX_SAID))) return message ?? "failed";
  return typeof answer === "string" ? answer : whole;
}

const MAX_DEPTH = 200;

/** Messages are cut somewhere. */
const MAX_SAID = 200;

function taskOf({ task, events }: Trace): string | undefined {
  const turns = events[0]?.meta?.["turns"];
  if (!Array.isArray(turns)) return task;
  return [...new Set([task, ...turns])].filter((turn) => typeof turn === "string").join("\n");
}

/** The task first, where it is none of the turns. */
function turnsIn({ task, events }: Trace, calls: readonly TraceEvent[]): readonly Turn[] {
  const said = events[0]?.meta?.["turns"];
  const texts = Array.isArray(said) ? said.map((turn) => (typeof turn === "string" ? turn : "")) : [];
  const turnOf = ({ meta }: TraceEvent): number => (typeof meta?.["turn"] === "number" ? meta["turn"] : 0);
  const turns = texts.map((text, nth): Turn => ({
    text,
    after: calls.filter((call) => turnOf(call) < nth).length,
  }));
  return task === undefined || texts.includes(task) ? turns : [{ text: task, after: 0 }, ...turns];
}

/** The given calls of a trace as a trace of their own. None of them may have been tried again. */
export function subTrace(trace: RecordedTrace, calls: readonly number[]): RecordedTrace {
  const part = calls.flatMap((index): readonly RecordedCall[] => {
    const call = trace.calls[index];
    if (!call) return [];
    const { retriedBy: _, ...rest } = call;
    return [rest];
  });
  const isWhole = part.length === trace.calls.length;
  const { turns, ...rest } = trace;
  const said = turns?.map(({ text, after }): Turn => ({
    text,
    after: calls.filter((index) => index < after).length,
  }));
  const own = said ? { ...rest, turns: said } : rest;
  return { ...own, id: isWhole ? trace.id : `${trace.id}#${calls.join(",")}`, calls: part };
}
