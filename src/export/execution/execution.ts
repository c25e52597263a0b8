import { failure, type Failure } from "../../core/error.ts";
import type { Json } from "../../core/json/json.ts";
import { fail, type Result } from "../../core/result.ts";
import type { CallRecord, Run } from "../../core/run.ts";
import { toolsOf } from "../../learn/plan/steps.ts";
import { fittingInput } from "../../runner/call-failure.ts";
import type { ExecuteOptions, ExportedSkill, Exporter } from "../engine-adapter.ts";
import { engineProcess, type EngineOutcome } from "./engine-process.ts";
import { type EngineCall, RunCalls, type RunCallsOptions } from "./run-calls.ts";

/** What runs on engines have of the other rooms. */
export interface ExecutionRooms extends Pick<RunCallsOptions, "callTool" | "runSkill" | "isRead"> {
  /** Serves the calls of a run at an address of its own. */
  readonly serve: (
    answerTo: (call: EngineCall) => Promise<Result<Json>>,
  ) => Promise<Result<{ readonly url: string; readonly close: () => Promise<void> }>>;
  readonly published: (tool: string) => string;
  /** The most calls of a run of the skill. */
  readonly mostCalls: (skill: string) => Promise<number>;
  readonly settings: EngineSettings;
  /** What an engine needs each time is kept there. */
  readonly kept: string;
}

export interface EngineSettings {
  /** The interpreter whose packages engines of Python are. */
  readonly python: string;
  /** How long a run on an engine may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** A run that is to be made. */
export interface EngineRun {
  readonly id: string;
  readonly skill: ExportedSkill;
  readonly digest: string;
  readonly input: Json;
  readonly signal: AbortSignal;
}

/** The run as it went on an engine, with the calls as they were made here. */
export async function executedRun(
  exporter: Exporter,
  run: EngineRun,
  options: ExecuteOptions,
  rooms: ExecutionRooms,
): Promise<Run> {
  const { id, skill, digest, signal } = run;
  const { approve, onTimes } = options;
  const startedAt = new Date().toISOString();
  const plan = skill.work.kind === "plan" ? skill.work.plan : undefined;
  const calls = new RunCalls({
    ...rooms,
    id,
    skill: skill.name,
    tools: new Map(toolsOf(plan?.steps ?? []).map((tool) => [rooms.published(tool), tool])),
    mostCalls: await rooms.mostCalls(skill.name),
    approve,
    signal,
  });
  const given = fittingInput(skill.name, skill.input, run.input);
  const { outcome, times } = given.ok
    ? await onEngine(
        exporter,
        { ...run, input: given.value },
        calls,
        { ...rooms.settings, ...options },
        rooms,
      )
    : { outcome: given, times: undefined };
  if (times) onTimes?.(times);
  const records = calls.records;
  const ended: CallRecord["outcome"] = outcome.ok
    ? { ok: true, output: outcome.value }
    : { ok: false, error: wholeFailure(outcome.error, skill.name, records) };
  const about = {
    kind: "skill",
    callPath: "0",
    name: skill.name,
    input: given.ok ? given.value : run.input,
    outcome: ended,
    startMs: 0,
    durationMs: calls.nowMs,
  } as const;
  // A skill that is one call there is that call: its last attempt.
  const own = skill.work.kind === "call" ? records.at(-1) : undefined;
  const root: CallRecord = own
    ? { ...own, ...about, calls: own.calls.map(unnested) }
    : { ...about, digest, console: [], calls: records };
  return { id, startedAt, root };
}

async function onEngine(
  { name: engine, program, export: files }: Exporter,
  { skill, input, signal }: EngineRun,
  calls: RunCalls,
  { python, timeoutMs }: EngineSettings,
  { serve, published, kept }: ExecutionRooms,
): Promise<EngineOutcome> {
  if (!program) {
    const message = `${skill.name}: nothing here runs what is written for ${engine}`;
    return { outcome: fail(failure("EXPORT_REFUSED", message)) };
  }
  const written = files(skill, { kind: "served", published });
  if (!written.ok) return { outcome: written };
  const door = await serve((call) => calls.answer(call));
  if (!door.ok) return { outcome: door };
  try {
    const text = program.text(skill);
    return await engineProcess({
      engine,
      program: { ...program, text },
      files: written.value,
      input,
      url: door.value.url,
      python,
      kept,
      signal,
      timeoutMs,
    });
  } finally {
    await door.value.close();
  }
}

/** What an engine tells of a failure is less than what is known of the call that failed. */
function wholeFailure(error: Failure, skill: string, calls: readonly CallRecord[]): Failure {
  const failed = calls.findLast(
    ({ outcome }) =>
      !outcome.ok && outcome.error.code === error.code && error.message.includes(outcome.error.message),
  );
  if (failed && !failed.outcome.ok) return { ...failed.outcome.error, message: error.message };
  return { ...error, skill, callPath: "0" };
}

/** The call of a run whose root is itself within another. */
function unnested(call: CallRecord): CallRecord {
  return { ...call, callPath: call.callPath.replace(/^0\.\d+/, "0"), calls: call.calls.map(unnested) };
}
