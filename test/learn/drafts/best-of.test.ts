import { describe, expect, test } from "vitest";
import { type EventStatus, OWN_TOOL, type Trace, type TraceEvent } from "../../../src/core/trace-event.ts";
import { bestRun, estimatesOf, whyNotLearned } from "../../../src/learn/drafts/best-run.ts";

interface Told {
  readonly statuses: readonly EventStatus[];
  readonly root?: EventStatus;
  readonly durationMs?: number;
  readonly cost?: number;
}

function eventOf(runId: string, index: number, row: Partial<TraceEvent>): TraceEvent {
  return {
    id: `${runId}:${index}`,
    runId,
    eventType: "tool_call",
    agentName: `shop.step${index}`,
    executionOrder: index,
    timestamp: 1000 + index,
    status: "completed",
    ...row,
  };
}

function trace(runId: string, { statuses, root = "completed", durationMs, cost }: Told): Trace {
  const event = (row: Partial<TraceEvent>, index: number): TraceEvent => eventOf(runId, index, row);
  const first = event(
    {
      eventType: "agent_call",
      agentName: "agent",
      status: root,
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(cost === undefined ? {} : { cost }),
    },
    0,
  );
  const calls = statuses.map((status, index) => event({ status, parentEventId: first.id }, index + 1));
  return { runId, source: "import", startedAt: 1000, events: [first, ...calls], files: [] };
}

/** Calls that follow each other, none of which is the whole. */
function session(runId: string, statuses: readonly EventStatus[], times: readonly number[]): Trace {
  const events = statuses.map((status, index) =>
    eventOf(runId, index, { status, durationMs: times[index] ?? 0 }),
  );
  return { runId, source: "session", startedAt: 1000, events, files: [] };
}

describe("of several runs of the same task", () => {
  const failed = trace("failed", { statuses: ["failed"], durationMs: 1 });
  const long = trace("long", {
    statuses: ["completed", "completed", "completed"],
    durationMs: 50,
    cost: 0.1,
  });
  const slow = trace("slow", { statuses: ["completed", "completed"], durationMs: 900, cost: 0.4 });
  const dear = trace("dear", { statuses: ["completed", "completed"], durationMs: 200, cost: 0.5 });

  test.each([
    [undefined, "dear"],
    [["calls"], "slow"],
    [["duration"], "long"],
    [["cost", "calls"], "long"],
    [["calls", "cost"], "slow"],
  ] as const)("the best by %j is taken", (criteria, best) => {
    const result = bestRun([failed, long, slow, dear], criteria);
    if (!result.ok) throw new Error(result.error.message);
    expect(result.value.best.runId).toBe(best);
    expect(result.value.comparison).toMatchObject({
      best,
      criteria: criteria ?? ["success", "calls", "duration", "cost"],
    });
    expect(result.value.comparison.branches).toContainEqual({
      id: "slow",
      success: true,
      calls: 2,
      duration: 900,
      cost: 0.4,
    });
    expect(result.value.comparison.branches[0]).toMatchObject({ id: "failed", success: false });
  });

  test("a session, whose calls follow each other, takes as long as all of them", () => {
    const slow = session("slow", ["completed", "completed"], [10, 810]);
    const long = session("long", ["completed", "completed", "completed"], [50, 50, 50]);
    expect(bestRun([slow, long], ["duration"])).toMatchObject({ value: { comparison: { best: "long" } } });
    expect(estimatesOf([slow])).toMatchObject({ duration: { median: 811 }, toolDuration: { median: 820 } });
  });

  test("a session whose first call failed, and whose last did not, succeeded", () => {
    expect(whyNotLearned(session("r", ["failed", "completed"], [1, 1]))).toBeUndefined();
  });

  test("a session that ended with a tool that is not there is refused by that tool's name", () => {
    const missing = { eventType: "error", agentName: "shop.gone", status: "failed" } as const;
    const { events, ...rest } = session("r", ["completed"], [1]);
    expect(whyNotLearned({ ...rest, events: [...events, eventOf("r", 1, missing)] })).toMatchObject({
      message: expect.stringContaining("ended with a failure of shop.gone:"),
    });
  });

  test("what is not known comes after what is", () => {
    const free = trace("free", { statuses: ["completed"] });
    expect(bestRun([free, dear], ["cost"])).toMatchObject({ value: { comparison: { best: "dear" } } });
  });

  test("which calls may write is for the caller to say", () => {
    const mayWrite = (tool: string): boolean => tool === "shop.step3";
    const result = bestRun([long, slow], ["success", "writes", "cost"], { mayWrite });
    expect(result).toMatchObject({
      value: { comparison: { best: "slow", branches: [{ writes: 1 }, { writes: 0 }] } },
    });
  });

  test("what they took is estimated from those of which it is known", () => {
    const free = trace("free", { statuses: ["completed"], durationMs: 20 });
    expect(estimatesOf([long, slow, dear, free], { mayWrite: () => true })).toEqual({
      runs: 4,
      calls: { n: 4, median: 2, p90: 3 },
      writes: { n: 4, median: 2, p90: 3 },
      duration: { n: 4, median: 50, p90: 900 },
      toolDuration: undefined,
      cost: { n: 3, median: 0.4, p90: 0.5 },
    });
    expect(estimatesOf([])).toBeUndefined();
  });

  test("none is taken where all failed", () => {
    expect(bestRun([failed])).toMatchObject({ ok: false, error: { code: "TRACE_UNSUCCESSFUL" } });
    expect(bestRun([])).toMatchObject({ ok: false });
  });
});

describe("nothing is learned from a run", () => {
  test.each([
    ["whose last call failed", { statuses: ["completed", "failed"] }, "shop.step2"],
    ["that failed as a whole", { statuses: ["completed"], root: "failed" }, "agent"],
    ["that was cancelled", { statuses: ["completed"], root: "cancelled" }, "cancelled"],
    ["that is not over", { statuses: ["completed", "running"] }, "no answer yet"],
    ["that made no call", { statuses: [] }, "made no call"],
  ] as const)("%s", (_, told, said) => {
    const failure = whyNotLearned(trace("r", told));
    expect(failure?.code).toBe("TRACE_UNSUCCESSFUL");
    expect(failure?.message).toContain(said);
  });

  test("but from one whose failures are of this server's own tools alone", () => {
    const done = trace("r", { statuses: ["completed", "failed"] });
    const events = done.events.map((event) =>
      event.status === "failed" ? { ...event, eventSubtype: OWN_TOOL } : event,
    );
    expect(whyNotLearned({ ...done, events })).toBeUndefined();
  });

  test("but from one that mended a failure", () => {
    expect(whyNotLearned(trace("r", { statuses: ["failed", "completed"] }))).toBeUndefined();
  });

  test("of which events are lost, unless asked", () => {
    const cut = { ...trace("cut", { statuses: ["completed"] }), lost: 2 };
    const whole = trace("whole", { statuses: ["completed", "completed"] });
    expect(whyNotLearned(cut)).toMatchObject({ code: "TRACE_INCOMPLETE" });
    expect(whyNotLearned(cut, { incomplete: true })).toBeUndefined();
    expect(bestRun([cut])).toMatchObject({ ok: false, error: { code: "TRACE_INCOMPLETE" } });
    expect(bestRun([cut, whole])).toMatchObject({ value: { best: { runId: "whole" } } });
    expect(bestRun([cut, whole], undefined, { incomplete: true })).toMatchObject({
      value: { best: { runId: "cut" } },
    });
  });
});
