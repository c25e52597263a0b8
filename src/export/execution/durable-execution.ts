import { isJsonObject, type Json } from "../../core/json/json.ts";
import { failure, type Failure } from "../../core/error.ts";
import type { Run } from "../../core/run.ts";
import type { DurableEngine } from "../../durable/durable-engine.ts";
import type { ApprovalRequest, ExecuteOptions } from "../engine-adapter.ts";
import type { EngineRun } from "./execution.ts";

/** A run that is kept elsewhere: calls that wait for a person are settled by `approve`, and it goes on. */
export async function runOnDurable(
  runs: Pick<DurableEngine, "run" | "decide" | "resume">,
  { signal, ...asked }: EngineRun,
  { approve, timeoutMs }: Pick<ExecuteOptions, "approve"> & { readonly timeoutMs: number },
): Promise<Run> {
  const timer = AbortSignal.timeout(timeoutMs);
  const run = await settled(runs, { ...asked, signal: AbortSignal.any([signal, timer]) }, approve);
  const { outcome } = run.root;
  const isLate = timer.aborted && !signal.aborted && !outcome.ok && outcome.error.code === "CANCELLED";
  const ended = isLate
    ? failed(run, failure("SKILL_TIMED_OUT", `The run took longer than ${timeoutMs} ms`))
    : run;
  return { ...ended, root: { digest: asked.digest, ...ended.root } };
}

async function settled(
  runs: Parameters<typeof runOnDurable>[0],
  { id, skill, input, signal }: EngineRun,
  approve: ExecuteOptions["approve"],
): Promise<Run> {
  let run = await runs.run(skill.name, input, { id, signal, confirms: approve !== undefined });
  for (;;) {
    const waiting = approve ? unapprovedIn(run) : [];
    if (!approve || waiting.length === 0) return run;
    for (const call of waiting) {
      const kind = (await approve(call)) ? "approve" : "refuse";
      const decided = await runs.decide(id, { kind }, { by: "the caller", callPath: call.callPath });
      if (!decided.ok) return failed(run, decided.error);
    }
    const gone = await runs.resume(id, { signal });
    if (!gone.ok) return failed(run, gone.error);
    run = gone.value;
  }
}

function failed(run: Run, error: Failure): Run {
  return { ...run, root: { ...run.root, outcome: { ok: false, error } } };
}

/** The calls that wait for a person's consent; none where it waits for something else, too. */
function unapprovedIn({ root: { outcome } }: Run): readonly ApprovalRequest[] {
  const details = outcome.ok || outcome.error.code !== "RUN_WAITING" ? undefined : outcome.error.details;
  const waiting = details !== undefined && isJsonObject(details) ? details["waiting"] : undefined;
  const calls = (Array.isArray(waiting) ? (waiting as readonly Json[]) : []).map((call) => {
    const { callPath, tool, input = null, state } = isJsonObject(call) ? call : {};
    const isKnown = typeof callPath === "string" && typeof tool === "string" && state === "unapproved";
    return isKnown ? { name: tool, input, callPath } : undefined;
  });
  return calls.includes(undefined) ? [] : calls.flatMap((call) => call ?? []);
}
