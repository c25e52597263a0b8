import { failure } from "../../core/error.ts";
import { type Json, type JsonObject, isJsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Skill } from "../../core/skill.ts";
import type { CallTool, Runner } from "../../runner/runner.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { rawAnswer } from "../texts/readings.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { callDependencies, type CallDependencies } from "./call-dependencies.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import type { Path } from "../plan/values.ts";
import type { FaultOutcome, ReplayDifference } from "./evidence.ts";
import { isAboutOther, isHollow, withoutFields } from "./faults/missing-fields.ts";
import { distance, firstDifference, type JsonDifference } from "./json-difference.ts";

/** A skill of a set, and the runner to run it with. */
export interface Replayable {
  readonly runner: Pick<Runner, "run">;
  readonly skills: ReadonlyMap<string, Skill>;
  readonly name: string;
}

export interface ReplayOptions {
  readonly input: Json;
  /** The recorded calls that the skill must make; by default all but those that failed and were tried again. */
  readonly calls?: readonly number[] | undefined;
  /** Those among them that only read and that it need not make. */
  readonly idle?: readonly number[] | undefined;
  /** What the skill must give. */
  readonly output?: Json | undefined;
  /** How long it may take. */
  readonly wallMs?: number | undefined;
  /** A call that has another outcome than was recorded: from then on no call may be made that is not known to be right. */
  readonly fault?: InjectedFault | undefined;
}

export interface InjectedFault {
  /** The recorded call. */
  readonly call: number;
  readonly outcome: FaultOutcome;
  /** For `lacking`: the places in its answer in which there is nothing then. */
  readonly fields?: readonly Path[] | undefined;
  readonly mayWrite: MayWrite;
}

export interface Replay {
  /** The tool calls that the skill made, in their order. */
  readonly calls: readonly ReplayedCall[];
  /** The first difference from the record, at which the replay ends. */
  readonly difference?: ReplayDifference;
  readonly output?: Json;
}

export interface ReplayedCall {
  readonly tool: string;
  readonly args: Json;
  /** The recorded call that it is. */
  readonly recorded?: number;
}

const WALL_MS = 20_000;

/**
 * Runs a skill against the recorded answers of a trace, never against the world. It must make exactly the recorded
 * calls with equal arguments, in any order in which every value that a call uses has come from a call already made.
 */
export async function replay(
  { runner, skills, name }: Replayable,
  trace: RecordedTrace,
  { input, calls = keptCalls(trace).kept, idle = [], output, wallMs = WALL_MS, fault }: ReplayOptions,
): Promise<Replay> {
  const record = new ReplayRecord(trace, calls, input, fault);
  const ended = new AbortController();
  const callTool: CallTool = async (tool, args) => {
    const answer = record.answer(tool, args);
    if (record.difference) ended.abort();
    return answer;
  };
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(wallMs)]);
  const { root } = await runner.run(withoutReuse(skills), name, input, { signal, callTool });
  const { replayedCalls } = record;
  if (record.difference) return { calls: replayedCalls, difference: record.difference };
  // Whether the skill then ends with a failure or without is its own affair.
  if (record.isFaulted) return { calls: replayedCalls };
  if (!root.outcome.ok) {
    const { code, message, callPath } = root.outcome.error;
    const difference: ReplayDifference = {
      kind: "failed",
      code,
      message: code === "CANCELLED" ? `It took more than ${wallMs} ms` : cut(message),
      ...(callPath === undefined ? {} : { callPath }),
    };
    return { calls: replayedCalls, difference };
  }
  const given = root.outcome.output;
  const difference = record.missing(idle) ?? (output === undefined ? undefined : otherOutput(output, given));
  return { calls: replayedCalls, output: given, ...(difference ? { difference } : {}) };
}

/** What is left of a record while a skill asks for its answers. */
class ReplayRecord {
  readonly replayedCalls: ReplayedCall[] = [];
  difference: ReplayDifference | undefined;
  isFaulted = false;
  readonly #fault: InjectedFault | undefined;
  readonly #trace: RecordedTrace;
  readonly #left: Set<number>;
  readonly #done = new Set<number>();
  readonly #needs: ReadonlyMap<number, CallDependencies>;

  constructor(trace: RecordedTrace, calls: readonly number[], input: Json, fault?: InjectedFault) {
    this.#fault = fault;
    this.#trace = trace;
    this.#left = new Set(calls);
    this.#needs = callDependencies(trace, calls, input);
  }

  answer(tool: string, given: Json): Result<Json> {
    const args = isJsonObject(given) ? given : {};
    const call = this.replayedCalls.length;
    if (this.difference) return fail(failure("TOOL_FAILED", "The replay has ended"));
    if (this.isFaulted) return this.#answerAfterFault(tool, args);
    const same = this.#ofTool(tool).map((index) => ({ index, args: this.#argsOf(index) }));
    const found = same.find((each) => firstDifference(each.args, args) === undefined);
    if (!found) {
      this.replayedCalls.push({ tool, args });
      this.difference = this.#other(call, tool, args, same);
      return fail(failure("TOOL_FAILED", "The record has no answer to this call"));
    }
    const { index } = found;
    this.replayedCalls.push({ tool, args, recorded: index });
    const needed = this.#needs.get(index)?.find((group) => !group.some((source) => this.#done.has(source)));
    if (needed) {
      this.difference = { kind: "too-early", call, recorded: index, tool, needs: needed[0] ?? 0 };
      return fail(failure("TOOL_FAILED", "The record has this call only after another"));
    }
    this.#left.delete(index);
    this.#done.add(index);
    if (this.#fault?.call === index) {
      this.isFaulted = true;
      return this.#faultyAnswer(this.#fault);
    }
    return this.#recordedAnswer(index);
  }

  #faultyAnswer({ call, outcome, fields = [] }: InjectedFault): Result<Json> {
    switch (outcome) {
      case "failed":
        return fail(failure("TOOL_FAILED", FAULT_MESSAGE));
      case "succeeded":
        return ok({});
      case "lacking":
        return ok(withoutFields(this.#trace.calls[call]?.result ?? null, fields));
    }
  }

  #answerAfterFault(tool: string, args: JsonObject): Result<Json> {
    this.replayedCalls.push({ tool, args });
    const { call = 0, outcome = "failed", fields } = this.#fault ?? {};
    if (this.#goesOn(tool, args)) {
      const faulty = this.#trace.calls[call]?.tool ?? "";
      const field = fields?.[0]?.at(-1);
      this.difference = {
        kind: "went-on",
        ...(field === undefined ? {} : { field: String(field) }),
        recorded: call,
        tool: faulty,
        outcome,
        next: tool,
        args: shown(args),
      };
      return fail(failure("TOOL_FAILED", "The replay has ended"));
    }
    const known = this.#ofTool(tool).find(
      (index) => firstDifference(this.#argsOf(index), args) === undefined,
    );
    if (known === undefined) return fail(failure("TOOL_FAILED", "The record has no answer to this call"));
    return this.#recordedAnswer(known);
  }

  /** Whether a call after the fault is one that nothing in the runs says to be right. */
  #goesOn(tool: string, args: JsonObject): boolean {
    const mayWrite = this.#fault?.mayWrite(tool) === true;
    if (this.#fault?.outcome !== "lacking") return mayWrite;
    const recorded = this.#trace.calls.flatMap((each) => (each.tool === tool ? [each.args] : []));
    return mayWrite && (isHollow(args, recorded) || isAboutOther(args, recorded));
  }

  #recordedAnswer(index: number): Result<Json> {
    const { error, result = null, reads } = this.#trace.calls[index] ?? {};
    return error === undefined ? ok(rawAnswer({ result, reads })) : fail(failure("TOOL_FAILED", error));
  }

  missing(idle: readonly number[]): ReplayDifference | undefined {
    const recorded = [...this.#left].find((index) => !idle.includes(index));
    if (recorded === undefined) return undefined;
    const tool = this.#trace.calls[recorded]?.tool ?? "";
    return { kind: "missing-call", recorded, tool, args: shown(this.#argsOf(recorded)) };
  }

  #ofTool(tool: string): readonly number[] {
    return [...this.#left].filter((index) => this.#trace.calls[index]?.tool === tool);
  }

  #argsOf(index: number): JsonObject {
    return this.#trace.calls[index]?.args ?? {};
  }

  /** The difference from the nearest recorded call of the tool that has not been made. */
  #other(
    call: number,
    tool: string,
    args: JsonObject,
    same: readonly { readonly index: number; readonly args: JsonObject }[],
  ): ReplayDifference {
    let [nearest] = same;
    if (!nearest) return { kind: "unexpected-call", call, tool, args: shown(args) };
    let least = MAX_DIFFERENCES;
    for (const each of same.slice(0, MAX_COMPARED)) {
      const far = distance(each.args, args, least);
      if (far < least) [nearest, least] = [each, far];
    }
    const found = firstDifference(nearest.args, args) ?? { path: "" };
    return { kind: "other-arguments", call, recorded: nearest.index, tool, ...shownDifference(found) };
  }
}

/** Such a failure is in no record. */
const FAULT_MESSAGE = "This call fails on purpose, so that it shows what the skill does then";

const MAX_COMPARED = 200;
const MAX_DIFFERENCES = 100;
const MAX_SHOWN = 2000;

function otherOutput(expected: Json, got: Json): ReplayDifference | undefined {
  const found = firstDifference(expected, got);
  return found && { kind: "other-output", ...shownDifference(found) };
}

/** What a counterexample shows of a difference. */
export function shownDifference({ path, expected, got }: JsonDifference): JsonDifference {
  return {
    path,
    ...(expected === undefined ? {} : { expected: shown(expected) }),
    ...(got === undefined ? {} : { got: shown(got) }),
  };
}

function shown(value: Json): Json {
  const text = jsonText(value);
  return text.length <= MAX_SHOWN ? value : cut(text);
}

function jsonText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "nested too deeply ".padEnd(MAX_SHOWN + 1);
  }
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

const unreusing = new WeakMap<ReadonlyMap<string, Skill>, ReadonlyMap<string, Skill>>();

// An output that the runner gave again would hide the calls that it once took.
function withoutReuse(skills: ReadonlyMap<string, Skill>): ReadonlyMap<string, Skill> {
  const known = unreusing.get(skills);
  if (known) return known;
  const made = new Map([...skills].map(([name, skill]) => [name, { ...skill, operation: "WRITE" as const }]));
  unreusing.set(skills, made);
  return made;
}
