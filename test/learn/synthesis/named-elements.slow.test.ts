import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import { importTraces } from "../../../src/trace/import/import-traces.ts";
import { learned } from "../learned.ts";

const NOTION = "../shared/data/agents/notion-official/run-1/japan_travel_planner__packing_progress_summary";

test.skipIf(!existsSync(NOTION))(
  "of a real run over a packing list the names are asked for, not the ids",
  { timeout: 300_000 },
  async () => {
    for await (const item of importTraces([readFileSync(`${NOTION}/messages.json`)])) {
      if (item.kind !== "trace") continue;
      const { plan } = learned([recordedTrace(item.trace)], { effects: [] });
      const examples = JSON.stringify(plan.params.map(({ example }) => example));
      expect(plan.params.find(({ name }) => name === "page_titles")?.example).toHaveLength(12);
      expect(examples).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    }
  },
);
