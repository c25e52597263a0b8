import { failure } from "../core/error.ts";
import type { CallRecord } from "../core/run.ts";
import type { Call, Outcome } from "./call.ts";

/** Characters of inputs and outputs that a run's record keeps. */
const MOST_RECORDED = 8 * 2 ** 20;

/** A `CallRecord` as JSON text; inputs and outputs are JSON text already. */
export function recordText(call: Call, budget = { left: MOST_RECORDED }): string {
  const { outcome } = call;
  const isRoot = call.parent === undefined;
  const size = call.input.length + (outcome?.ok ? outcome.text.length : 0);
  const isKept = isRoot || size <= budget.left;
  if (isKept) budget.left -= size;
  const shown = outcome?.ok
    ? `{"ok":true,"output":${isKept ? outcome.text : "null"}}`
    : JSON.stringify({ ok: false, error: outcome?.error ?? failure("CANCELLED", "The call did not end") });
  const head = JSON.stringify({
    kind: call.kind,
    callPath: call.callPath,
    name: call.name,
    ...(call.skill ? { digest: call.skill.digest } : {}),
    startMs: call.startMs,
    durationMs: call.endMs - call.startMs,
    console: call.console,
    ...(call.world.readings ? { world: call.world.readings } : {}),
    ...(call.reused ? { reused: true } : {}),
    ...(isKept ? {} : { omitted: true }),
    ...(call.answered === undefined ? {} : { answered: call.answered }),
  });
  return `${head.slice(0, -1)},"input":${isKept ? call.input : "null"},"outcome":${shown},"calls":[${call.calls.map((below) => recordText(below, budget)).join(",")}]}`;
}

export function callsByPath(record: string): ReadonlyMap<string, CallRecord> {
  const found = new Map<string, CallRecord>();
  const visit = (call: CallRecord): void => {
    found.set(call.callPath, call);
    call.calls.forEach(visit);
  };
  visit(JSON.parse(record) as CallRecord);
  return found;
}

export function recordedAnswer(record: CallRecord | undefined, name: string): Outcome {
  if (record?.kind !== "tool" || record.name !== name) {
    return { ok: false, error: failure("TOOL_FAILED", `The record has no call of "${name}" in this place`) };
  }
  const { outcome } = record;
  return outcome.ok ? { ok: true, text: JSON.stringify(outcome.output) } : outcome;
}
