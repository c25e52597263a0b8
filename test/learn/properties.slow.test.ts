import { afterAll, expect, test } from "vitest";
import { Replayer } from "./replay.ts";
import { PLAN } from "../../src/learn/plan/plan.ts";
import { learned, replayed } from "./learned.ts";
import { worldRuns } from "./worlds.ts";

const replayer = new Replayer();
afterAll(() => replayer.close());

test("a skill learned from a run of a random world replays that run and its twin", async () => {
  for (const { trace, twin } of worldRuns(60, 20)) {
    const code = await replayed(replayer, learned([trace]), trace, [trace, twin]);
    expect(code).toContain("call_tool");
    expect(code.split("\n").filter((line) => line.length > 110)).toEqual([]);
  }
});

test("a skill learned from a run and its twin replays both, and is a plan that is read back as it is", async () => {
  for (const { trace, twin } of worldRuns(40, 31)) {
    const synthesis = learned([trace, twin]);
    await replayed(replayer, synthesis, trace, [trace, twin]);
    expect(PLAN.parse(JSON.parse(JSON.stringify(synthesis.plan)))).toEqual(synthesis.plan);
  }
});

test("a skill learned from several tasks with the same calls replays each of them", async () => {
  const bySignature = Map.groupBy(worldRuns(120, 42), ({ signature }) => signature);
  const groups = [...bySignature.values()].filter((runs) => runs.length > 2);
  expect(groups.length).toBeGreaterThan(5);
  for (const runs of groups) {
    const traces = runs.slice(0, 3).map(({ trace }) => trace);
    const [first] = traces;
    if (first) await replayed(replayer, learned(traces), first, traces);
  }
});

test("the same traces give the same plan", () => {
  for (const { trace } of worldRuns(10, 53))
    expect(learned([trace])).toEqual(learned([structuredClone(trace)]));
});
