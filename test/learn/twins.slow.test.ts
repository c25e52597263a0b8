import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Replayer } from "./replay.ts";
import { type RecordedRun, runsOf } from "./runs.ts";
import { learned, replayed } from "./learned.ts";

const TRACES = new URL("../../../shared/data/traces/", import.meta.url);
const file = (name: string): string => fileURLToPath(new URL(name, TRACES));
const replayer = new Replayer();
afterAll(() => replayer.close());

// Recorded runs of public benchmarks, where they are at hand.
describe.skipIf(!existsSync(TRACES))("recorded runs", () => {
  test.each([
    ["tau_retail.jsonl", "tau_retail_twins.jsonl"],
    ["bfcl.jsonl", "bfcl_twins.jsonl"],
  ])(
    "a skill learned from a run of %s replays its twin in a changed world",
    { timeout: 120_000 },
    async (base, twins) => {
      const runs = new Map(runsOf(file(base)).map((run): [string, RecordedRun] => [run.trace.id, run]));
      let replays = 0;
      for (const twin of runsOf(file(twins))) {
        const run = runs.get(twin.twinOf ?? "");
        if (!run) continue;
        await replayed(replayer, learned([run.trace]), run.trace, [run.trace, twin.trace]);
        replays++;
      }
      expect(replays).toBeGreaterThan(100);
    },
  );
});
