import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Trace, TraceEvent } from "../../core/trace-event.ts";
import { eventTree, isCall, outermost } from "./event-tree.ts";

/** What the user and the agent said, and what the agent called itself; what was called within has no place in a chat. */
export function chatTrace(trace: Trace): Json {
  const turns = turnsOf(trace);
  const messages: JsonObject[] = [];
  let asked = 0;
  const ask = (until: number): void => {
    for (; asked <= until && asked < turns.length; asked++)
      messages.push({ role: "user", content: turns[asked] ?? "" });
  };
  ask(0);
  outermost(eventTree(trace)).forEach(({ event }, index) => {
    const turn = event.meta?.["turn"];
    if (typeof turn === "number") ask(turn);
    messages.push(...(isCall(event) ? called(event, `call_${index}`) : said(event)));
  });
  ask(turns.length);
  return { id: trace.runId, messages };
}

function turnsOf({ events, task }: Trace): readonly string[] {
  const root = events.find(({ parentEventId }) => parentEventId === undefined);
  const turns = root?.meta?.["turns"];
  const texts = Array.isArray(turns) ? turns.filter((turn) => typeof turn === "string") : [];
  return texts.length > 0 ? texts : task === undefined ? [] : [task];
}

function said({ agentName, outputs }: TraceEvent): readonly JsonObject[] {
  if (typeof outputs !== "string") return [];
  const name = agentName === undefined || agentName === "assistant" ? {} : { name: agentName };
  return [{ role: "assistant", ...name, content: outputs }];
}

function called(call: TraceEvent, id: string): readonly JsonObject[] {
  const made = { name: call.agentName ?? "", arguments: JSON.stringify(call.inputs ?? {}) };
  const asked: JsonObject = {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: made }],
  };
  if (call.status === "running") return [asked];
  return [asked, { role: "tool", tool_call_id: id, content: contentOf(call) }];
}

// The format marks no failure: it is told as tools tell it.
function contentOf(call: TraceEvent): string {
  const { outputs = null, status, errorMessage } = call;
  if (status === "cancelled")
    return `Error: cancelled${errorMessage === undefined ? "" : `: ${errorMessage}`}`;
  const text = typeof outputs === "string" && !/^\s*["[{]/.test(outputs) ? outputs : JSON.stringify(outputs);
  if (status !== "failed") return text;
  if (/^\s*error\b\s*[:(-]/i.test(text)) return text;
  return isJsonObject(outputs) && "error" in outputs ? text : `Error: ${errorMessage ?? text}`;
}
