import type { Json, JsonObject } from "../../core/json/json.ts";
import type { Trace, TraceEvent } from "../../core/trace-event.ts";
import { type EventNode, eventTree, isCall, outermost } from "./event-tree.ts";

/** The shape of plain calls; what a skill or an agent called itself stands in the `calls` of its call. */
export function plainTrace(trace: Trace): Json {
  const { runId, sessionId, task } = trace;
  return {
    id: runId,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(task === undefined ? {} : { task }),
    calls: plainCalls(eventTree(trace)),
  };
}

function plainCalls(nodes: readonly EventNode[]): readonly JsonObject[] {
  return outermost(nodes)
    .filter(({ event }) => isCall(event))
    .map(({ event, children }) => plainCall(event, plainCalls(children)));
}

function plainCall(call: TraceEvent, calls: readonly JsonObject[]): JsonObject {
  const { agentName, eventType, status, inputs, outputs, errorMessage } = call;
  const turn = call.meta?.["turn"];
  return {
    tool: agentName ?? "",
    args: inputs ?? {},
    timestamp: new Date(call.timestamp).toISOString(),
    ...(eventType === "agent_call" ? { kind: "agent" } : {}),
    ...(typeof turn === "number" ? { turn } : {}),
    ...(status === "cancelled" ? { cancelled: true } : {}),
    ...(status === "completed" ? { result: outputs ?? null, error: false } : {}),
    ...(status === "failed" ? { result: outputs ?? null, error: errorMessage ?? true } : {}),
    ...(calls.length === 0 ? {} : { calls }),
  };
}
