import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CallRecord } from "../../src/core/run.ts";
import type { ExportedSkill } from "../../src/export/engine-adapter.ts";
import { estimateOf } from "../../src/export/execution/estimate.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import { runTrace } from "../../src/trace/record/run-trace.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import { CANCEL, MOVE, TOTAL } from "./plans.ts";

const folder = mkdtempSync(join(tmpdir(), "estimate-"));
const traces = openStore(join(folder, "traces.db"), { redaction: {} });
afterAll(async () => {
  await traces.close();
  rmSync(folder, { recursive: true, force: true });
});

const ENGINE = { name: "langgraph", all: new Set(["langgraph", "airflow"]), isRunHere: true };
const isRead = async (tool: string): Promise<boolean> => tool !== "shop.cancel_order";

function skillOf(plan: Plan): ExportedSkill {
  const { name, output } = plan;
  return { name, input: {}, output: output.schema, cases: [], work: { kind: "plan", plan } };
}

async function estimate(skill: ExportedSkill, digest: string | undefined) {
  const told = await estimateOf(ENGINE, skill, digest, { traces, isRead });
  if (!told.ok) throw new Error(told.error.message);
  return told.value;
}

/** A run of so many rounds, each with a call that reads and one that writes, of 10 ms each. */
async function record(nth: number, rounds: number, durationMs: number, client?: string): Promise<void> {
  const about = { input: {}, outcome: { ok: true, output: {} }, console: [] } as const;
  const calls = Array.from({ length: 2 * rounds }, (_, index): CallRecord => ({
    ...about,
    kind: "tool",
    name: index % 2 === 0 ? "shop.get_order" : "shop.cancel_order",
    callPath: `0.${index}`,
    startMs: index * 10,
    durationMs: 10,
    calls: [],
  }));
  const root: CallRecord = {
    ...about,
    kind: "skill",
    name: CANCEL.name,
    digest: "now",
    callPath: "0",
    startMs: 0,
    durationMs,
    calls,
  };
  const startedAt = new Date(Date.UTC(2026, 0, 1, 0, nth)).toISOString();
  const recorded = await traces.record([runTrace({ id: `run ${nth}`, startedAt, root }, { client })]);
  if (!recorded.ok) throw new Error(recorded.error.message);
}

test("what was never recorded is told by the steps, or not at all, and why", async () => {
  expect(await estimate(skillOf(MOVE), "now")).toEqual({
    engine: "langgraph",
    workMs: { kind: "unknown", why: expect.stringContaining("no call of") },
    overheadMs: { kind: "unknown", why: "no run on langgraph is recorded" },
    calls: { kind: "known", from: "steps", samples: 0, low: 4, high: 4 },
    writes: { kind: "known", from: "steps", samples: 0, low: 1, high: 1 },
    costUsd: { kind: "unknown", why: expect.any(String) },
  });
  const round = { kind: "unknown", why: expect.stringContaining('how often "cancelled" goes round') };
  expect(await estimate(skillOf(CANCEL), "now")).toMatchObject({ calls: round, writes: round });
  // Its loop goes round as often as there are orders, and never writes.
  expect(await estimate(skillOf(TOTAL), undefined)).toMatchObject({
    calls: { kind: "unknown" },
    writes: { kind: "known", low: 0, high: 0 },
  });
  const code = { ...skillOf(MOVE), work: { kind: "call", mayWrite: true } } as const;
  expect(await estimate(code, "now")).toMatchObject({
    calls: { kind: "unknown" },
    workMs: { kind: "unknown" },
  });
});

test("recorded runs tell what the next is likely to take, and runs on the engine what that adds", async () => {
  for (const [nth, rounds] of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].entries())
    await record(nth, rounds, 20 * rounds + 1);
  await record(10, 2, 5040, "langgraph");
  await record(11, 2, 90_040, "airflow");
  expect(await estimate(skillOf(CANCEL), "now")).toEqual({
    engine: "langgraph",
    // What engines add is no work of the skill's.
    workMs: { kind: "known", from: "runs", samples: 12, low: 40, median: 81, high: 181 },
    overheadMs: { kind: "known", from: "runs", samples: 1, low: 5000, median: 5000, high: 5000 },
    calls: { kind: "known", from: "runs", samples: 12, low: 4, median: 8, high: 18 },
    writes: { kind: "known", from: "runs", samples: 12, low: 2, median: 4, high: 9 },
    costUsd: { kind: "unknown", why: expect.any(String) },
  });
  const elsewhere = { ...ENGINE, name: "openworkflow", isRunHere: false };
  expect(await estimateOf(elsewhere, skillOf(CANCEL), "now", { traces, isRead })).toMatchObject({
    value: { overheadMs: { kind: "unknown", why: "nothing here runs what is written for openworkflow" } },
  });
  // Of another version nothing is told by them.
  expect(await estimate(skillOf(CANCEL), "another")).toMatchObject({ calls: { kind: "unknown" } });
});

test("calls of the same tools tell how long steps take that were never run", async () => {
  const [first] = MOVE.steps;
  const plan: Plan = {
    ...MOVE,
    name: "look",
    steps:
      first?.kind === "call"
        ? [
            { ...first, tool: "shop.get_order" },
            { ...first, name: "again", tool: "shop.get_order" },
          ]
        : [],
  };
  const { workMs } = await estimate(skillOf(plan), "now");
  expect(workMs).toMatchObject({ kind: "known", from: "calls", samples: 59 });
  if (workMs.kind === "known")
    expect([Math.round(workMs.low / 2), Math.round(workMs.high / 2)]).toEqual([10, 10]);
});
