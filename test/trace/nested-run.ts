import type { Json } from "../../src/core/json/json.ts";
import type { CallRecord, Run } from "../../src/core/run.ts";

const STARTED = "2026-01-05T10:00:00.000Z";

function call(
  kind: CallRecord["kind"],
  name: string,
  callPath: string,
  startMs: number,
  durationMs: number,
  rest: Partial<CallRecord> = {},
): CallRecord {
  const input: Json = { path: callPath };
  const outcome = { ok: true as const, output: { from: name } };
  return { kind, name, callPath, input, outcome, startMs, durationMs, console: [], calls: [], ...rest };
}

/** A run of a skill that calls another, whose tools fail, are tried again, are cancelled and write a file. */
export function nestedRun(id: string): Run {
  const failure = { code: "TOOL_FAILED" as const, message: "Error: 503", callPath: "0.0.0" };
  const cancelled = { code: "CANCELLED" as const, message: "The run was cancelled", callPath: "0.1" };
  const inner = call("skill", "collect", "0.0", 10, 60, {
    digest: "c".repeat(64),
    calls: [
      call("tool", "shop.get_order", "0.0.0", 12, 8, { outcome: { ok: false, error: failure } }),
      call("tool", "shop.get_order", "0.0.1", 25, 9, { input: { path: "0.0.0" } }),
      call("tool", "files.write_file", "0.0.2", 40, 5, { input: { path: "out/a.md", content: "# A\n" } }),
    ],
  });
  const root = call("skill", "report", "0", 0, 90, {
    digest: "d".repeat(64),
    input: { order: "W1", count: 4, note: '{"not": "arguments"}' },
    outcome: { ok: false, error: cancelled },
    console: [{ level: "log", message: "collecting", atMs: 11 }] as unknown as CallRecord["console"],
    calls: [inner, call("tool", "mail.send", "0.1", 75, 10, { outcome: { ok: false, error: cancelled } })],
  });
  return { id, startedAt: STARTED, root };
}
