import { createReadStream, existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/json/json.ts";
import { importTraces } from "../../../src/trace/import/import-traces.ts";
import { callsOf } from "./imported.ts";

const DATA = fileURLToPath(new URL("../../../../shared/data/traces", import.meta.url));
const files = existsSync(DATA) ? readdirSync(DATA).filter((name) => name.endsWith(".jsonl")) : [];

test("the recorded runs are there", ({ skip }) => {
  skip(files.length === 0, "../shared/data/traces is absent: no recorded run is imported");
  expect(files).toContain("tau_retail.jsonl");
});

interface Run {
  readonly task?: string | readonly string[];
  readonly calls: readonly {
    readonly tool: string;
    readonly args: Json;
    readonly result: Json;
    readonly error: boolean;
  }[];
}

test.each(files)("every run of %s is imported call by call", async (name) => {
  const runs = (await readFile(`${DATA}/${name}`, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Run);
  const traces = [];
  for await (const item of importTraces(createReadStream(`${DATA}/${name}`))) {
    if (item.kind !== "trace") throw new Error(JSON.stringify(item));
    traces.push(item.trace);
  }
  expect(traces).toHaveLength(runs.length);
  expect(new Set(traces.map(({ runId }) => runId)).size).toBe(runs.length);
  for (const [index, { task, calls }] of runs.entries()) {
    const trace = traces[index];
    if (!trace) continue;
    expect(trace.task).toBe(typeof task === "string" ? task : task?.[0]);
    expect(callsOf(trace)).toEqual(
      calls.map(({ tool, args, result, error }) => ({ tool, args, result, failed: error })),
    );
  }
});
