import { failure } from "../core/error.ts";
import type { CallRecord } from "../core/run.ts";
import type { Call, CallOutcome } from "./call.ts";

/** Characters of inputs and outputs that a run's record keeps. */
const MAX_RECORDED = 8 * 2 ** 20;

/** A `CallRecord` as JSON text; inputs and outputs are JSON text already. */
export function recordText(call: Call, budget = { left: MAX_RECORDED }): string {
  const { outcome, calls } = call;
  const isRoot = call.callPath === "0";
  const size = call.input.length + (outcome?.ok ? outcome.text.length : 0);
  const isKept = isRoot || size <= budget.left;
  if (isKept) budget.left -= size;
  const shown = outcome?.ok
    ? `{"ok":true,"output":${isKept ? outcome.text : "null"}}`
    : JSON.stringify({ ok: false, error: outcome?.error ?? failure("CANCELLED", "The call did not end") });
  const { kind, callPath, name, skill, startMs, endMs, console, readings, reused, unmet, answered, isRead } =
    call;
  const below = calls.map((each) => recordText(each, budget));
  return [
    `{"kind":"${kind}","callPath":"${callPath}","name":${JSON.stringify(name)}`,
    skill ? `,"digest":${JSON.stringify(skill.digest)}` : "",
    `,"startMs":${startMs},"durationMs":${endMs - startMs}`,
    `,"console":${console.length === 0 ? "[]" : JSON.stringify(console)}`,
    readings ? `,"world":${JSON.stringify(readings)}` : "",
    reused ? `,"reused":true` : "",
    unmet.length === 0 ? "" : `,"unmet":${JSON.stringify(unmet)}`,
    isKept ? "" : `,"omitted":true`,
    answered === undefined ? "" : `,"answered":${answered}`,
    isRead ? `,"isRead":true` : "",
    `,"input":${isKept ? call.input : "null"},"outcome":${shown},"calls":[${below.join(",")}]}`,
  ].join("");
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

export function recordedOutcome(record: CallRecord | undefined, name: string): CallOutcome {
  if (record?.kind !== "tool" || record.name !== name) {
    return { ok: false, error: failure("TOOL_FAILED", `The record has no call of "${name}" in this place`) };
  }
  const { outcome } = record;
  return outcome.ok ? { ok: true, text: JSON.stringify(outcome.output) } : outcome;
}
