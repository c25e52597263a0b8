import type { RecordedCall, RecordedTrace } from "../recording/recorded-trace.ts";

/** The given calls of a trace as a trace of their own. None of them may have been tried again. */
export function subTrace(trace: RecordedTrace, calls: readonly number[]): RecordedTrace {
  const part = calls.flatMap((index): readonly RecordedCall[] => {
    const call = trace.calls[index];
    if (!call) return [];
    const { retriedBy: _, ...rest } = call;
    return [rest];
  });
  const isWhole = part.length === trace.calls.length;
  return { ...trace, id: isWhole ? trace.id : `${trace.id}#${calls.join(",")}`, calls: part };
}
