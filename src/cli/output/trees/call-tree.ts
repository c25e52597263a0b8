import type { CallRecord, Run } from "../../../core/run.ts";
import { oneLine } from "../../../core/text/display-text.ts";

/** A run's tree of calls with times, a line for each call. */
export function callTree(run: Run): string {
  return lines(run.root, "", "").join("\n");
}

function lines(call: CallRecord, head: string, indent: string): readonly string[] {
  const { outcome } = call;
  const what = call.kind === "tool" ? ` (tool)` : "";
  const failed = outcome.ok ? "" : `  ✗ ${outcome.error.code}`;
  const own = `${head}${oneLine(call.name)}${what}  ${milliseconds(call.durationMs)}${failed}`;
  const printed = call.console.map(
    ({ level, text }) => `${indent}${call.calls.length > 0 ? "│ " : "  "}${level}: ${oneLine(text)}`,
  );
  const below = call.calls.flatMap((callee, index) => {
    const last = index === call.calls.length - 1;
    return lines(callee, `${indent}${last ? "└─ " : "├─ "}`, `${indent}${last ? "   " : "│  "}`);
  });
  return [own, ...printed, ...below];
}

function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${ms.toFixed(0)} ms`;
}
