import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { expect, test } from "vitest";
import { traceTree } from "../../src/cli/output/trees/trace-tree.ts";
import type { Trace } from "../../src/core/trace-event.ts";
import { openStore } from "../../src/trace/store/open-store.ts";
import { CLI, Workplace } from "../server/connected-client.ts";
import { callsOf, FIXTURES } from "../trace/import/imported.ts";
import { call, NOON, part } from "../trace/traces.ts";

const SETTINGS = { traces: { store: "traces.db" } };

function started(folder: string, args: readonly string[], options: readonly string[] = []) {
  return spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", ...options, CLI, "traces", ...args],
    { cwd: folder, stdio: ["pipe", "pipe", "inherit"] },
  );
}

test("what is exported and imported again has the same calls", async () => {
  await using first = await Workplace.create({}, SETTINGS);
  await using second = await Workplace.create({}, SETTINGS);
  const files = ["openai-chat.finetune.jsonl", "anthropic-messages.orders.json", "langfuse.orders.json"];
  const imported = await printedBy(first.folder, [
    "import",
    "--json",
    ...files.map((name) => join(FIXTURES, name)),
  ]);
  expect(imported).toMatchObject({
    traces: 4,
    formats: { "openai-chat": { traces: 2 }, "anthropic-messages": { traces: 1 }, langfuse: { traces: 1 } },
    skipped: [],
    errors: [],
  });
  const nowhere = started(first.folder, ["export", "--all", "-o", "no/such/folder/file"]);
  expect(await once(nowhere, "exit")).toEqual([1, null]);
  const written = join(second.folder, "out.jsonl");
  expect(await printedBy(first.folder, ["export", "--all", "-o", written, "--json"])).toEqual({
    runs: 4,
    callsWithoutPlace: 0,
    file: written,
  });
  expect(await printedBy(second.folder, ["import", "out.jsonl", "--json"])).toMatchObject({ traces: 4 });
  expect(await callsIn(second)).toEqual(await callsIn(first));
});

async function printedBy(folder: string, args: readonly string[]): Promise<unknown> {
  return JSON.parse(await text(started(folder, args).stdout));
}

/** Each run's task and calls, whatever its id is. */
async function callsIn({ folder }: Workplace): Promise<readonly string[]> {
  const store = openStore(join(folder, "traces.db"));
  const page = await store.runs();
  const found = await Promise.all(
    page.ok ? page.value.runs.map(async ({ runId }) => store.trace(runId)) : [],
  );
  await store.close();
  return found
    .map((trace) =>
      JSON.stringify(trace.ok && trace.value ? [trace.value.task, callsOf(trace.value)] : trace),
    )
    .toSorted();
}

test("imports more than fits into memory, from stdin", async () => {
  await using workplace = await Workplace.create({}, SETTINGS);
  const child = started(workplace.folder, ["import", "-", "--json"], ["--max-old-space-size=96"]);
  const printed = text(child.stdout);
  const ended = once(child, "exit");
  const result = "word ".repeat(1000);
  const lines = function* (): Generator<string> {
    for (let run = 0; run < 1000; run++) {
      const calls = Array.from({ length: 20 }, (_, at) => ({
        tool: `tool-${at}`,
        args: { run, at },
        result: `${run} ${result}`,
      }));
      yield `${JSON.stringify({ id: `run-${run}`, task: `Do ${run}`, calls })}\n`;
    }
  };
  await pipeline(Readable.from(lines()), child.stdin);
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(await printed)).toMatchObject({ traces: 1000, events: 1000 * 21, skipped: [] });
}, 120_000);

test("an export to a reader that has read enough ends well", async () => {
  await using workplace = await Workplace.create({}, SETTINGS);
  const store = openStore(join(workplace.folder, "traces.db"));
  const runs = Array.from({ length: 300 }, (_, at) =>
    part(`run-${at}`, [call(`run-${at}`, 0, "search", { outputs: "word ".repeat(2000) })]),
  );
  expect(await store.record(runs)).toMatchObject({ ok: true });
  await store.close();
  const child = started(workplace.folder, ["export", "--all"]);
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await ended).toEqual([0, null]);
});

test("draws 20,000 calls within seconds, side by side and one within the other", () => {
  const side = Array.from({ length: 20_000 }, (_, at) =>
    call("run", at, `tool-${at % 7}`, at === 0 ? {} : { parentEventId: `run-${at % 3 === 1 ? 0 : at - 1}` }),
  );
  const deep = side.map((event, at) => (at === 0 ? event : { ...event, parentEventId: `run-${at - 1}` }));
  for (const events of [side, deep]) {
    const trace: Trace = { runId: "run", source: "run", startedAt: NOON, events, files: [] };
    const began = performance.now();
    const lines = traceTree(trace, { columns: 80, isColoured: true, all: true }).split("\n");
    expect(lines).toHaveLength(20_004);
    expect(performance.now() - began).toBeLessThan(10_000);
  }
});
