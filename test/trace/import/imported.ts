import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "../../../src/core/json/json.ts";
import type { Trace } from "../../../src/core/trace-event.ts";
import {
  type ImportItem,
  type ImportOptions,
  importTraces,
} from "../../../src/trace/import/import-traces.ts";

export const FIXTURES = fileURLToPath(new URL("../../fixtures/traces", import.meta.url));
const NOW = Date.UTC(2026, 0, 1);

export function fixture(name: string): Buffer {
  return readFileSync(`${FIXTURES}/${name}`);
}

export interface Imported {
  readonly traces: readonly Trace[];
  readonly formats: readonly string[];
  readonly skipped: Readonly<Record<string, number>>;
}

export async function imported(
  content: Uint8Array | string | Iterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<Imported> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const items: ImportItem[] = [];
  for await (const item of importTraces(bytes instanceof Uint8Array ? [bytes] : bytes, {
    now: NOW,
    ...options,
  }))
    items.push(item);
  const traces = items.filter((item) => item.kind === "trace");
  return {
    traces: traces.map(({ trace }) => trace),
    formats: [...new Set(traces.map(({ format }) => format))],
    skipped: Object.fromEntries(
      items.filter((item) => item.kind === "skipped").map(({ reason, count }) => [reason, count]),
    ),
  };
}

export interface Call {
  readonly tool: string | undefined;
  readonly args: Json | undefined;
  readonly result: Json | undefined;
  readonly failed: boolean;
}

/** What was called, in its order, sub-agents too. */
export function callsOf(trace: Trace): readonly Call[] {
  return trace.events
    .filter(({ eventType, parentEventId, eventSubtype }) =>
      eventType === "agent_call"
        ? parentEventId !== undefined && eventSubtype !== "message"
        : CALLS.has(eventType),
    )
    .map(({ agentName, inputs, outputs, status }) => ({
      tool: agentName,
      args: inputs,
      result: outputs,
      failed: status === "failed",
    }));
}

const CALLS: ReadonlySet<string> = new Set(["tool_call", "skill_call", "code_exec"]);

/** A line for each event, which shows what it is and where it stands. */
export function outline(trace: Trace): readonly string[] {
  const depths = new Map<string, number>();
  return trace.events.map(({ id, parentEventId, eventType, eventSubtype, agentName, status }) => {
    const depth = parentEventId === undefined ? 0 : (depths.get(parentEventId) ?? Number.NaN) + 1;
    depths.set(id, depth);
    const kind = eventSubtype === undefined ? eventType : `${eventType}/${eventSubtype}`;
    return `${"  ".repeat(depth)}${kind} ${agentName ?? ""}${status === "completed" ? "" : ` ${status}`}`;
  });
}

export function total(trace: Trace, what: "inputTokens" | "outputTokens" | "cost"): number {
  return trace.events.reduce((sum, event) => sum + (event[what] ?? 0), 0);
}
