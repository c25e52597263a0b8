import { awaitsPerson } from "../../../core/error.ts";
import { isJsonObject, type Json } from "../../../core/json/json.ts";
import type { CallRecord, Run } from "../../../core/run.ts";
import { oneLine } from "../../../core/text/display-text.ts";

/** A run's tree of calls with times, a line for each call. */
export function callTree(run: Run): string {
  return lines(run.root, waitingCalls(run), "", "").join("\n");
}

/** The calls that a run waits with, by their call paths. */
function waitingCalls({ root: { outcome } }: Run): readonly string[] {
  if (outcome.ok || !awaitsPerson(outcome.error)) return [];
  const { details } = outcome.error;
  const waiting = isJsonObject(details) ? details["waiting"] : undefined;
  return (Array.isArray(waiting) ? (waiting as readonly Json[]) : []).flatMap((call) =>
    isJsonObject(call) && typeof call["callPath"] === "string" ? [call["callPath"]] : [],
  );
}

function lines(
  call: CallRecord,
  waiting: readonly string[],
  head: string,
  indent: string,
): readonly string[] {
  const { outcome, callPath } = call;
  const what = call.kind === "tool" ? ` (tool)` : "";
  // What it waits with was stopped, as was all that waits for that.
  const isWaiting = waiting.some((path) => path === callPath || path.startsWith(`${callPath}.`));
  const failed = outcome.ok ? "" : isWaiting ? "  ◌ waiting" : `  ✗ ${outcome.error.code}`;
  const own = `${head}${oneLine(call.name)}${what}  ${milliseconds(call.durationMs)}${failed}`;
  const printed = call.console.map(
    ({ level, text }) => `${indent}${call.calls.length > 0 ? "│ " : "  "}${level}: ${oneLine(text)}`,
  );
  const below = call.calls.flatMap((callee, index) => {
    const last = index === call.calls.length - 1;
    return lines(callee, waiting, `${indent}${last ? "└─ " : "├─ "}`, `${indent}${last ? "   " : "│  "}`);
  });
  return [own, ...printed, ...below];
}

function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${ms.toFixed(0)} ms`;
}
