// How long mining takes for twice as many traces each time, and what it finds: `node bench/mining.ts runs.jsonl …`,
// with `--show` the proposals, `--json`. Files that are absent are left out.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { stripTypesOrThrow } from "../src/core/strip-types.ts";
import { DEFAULT_LIMITS } from "../src/core/limits.ts";
import { chainsIn } from "../src/learn/mining/chains.ts";
import { corpusOf } from "../src/learn/mining/corpus.ts";
import { DEFAULT_MINING_LIMITS, mine, type MiningResult } from "../src/learn/mining/mine.ts";
import type { RecordedTrace } from "../src/learn/recording/recorded-trace.ts";
import { Runner } from "../src/runner/runner.ts";
import { runsOf } from "../test/learn/runs.ts";
import { keeps, type Measurement, measured, table } from "./measurement.ts";

const FOLDER = "../shared/data/traces/";
const FILES = ["tau_retail", "tau_retail_twins", "bfcl", "bfcl_twins"].map(
  (name) => `${FOLDER}${name}.jsonl`,
);

/** Beyond the traces that there are, they are mined as several, under other names. */
const COPIES = 7;

const { values: options, positionals } = parseArgs({
  options: { show: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
  allowPositionals: true,
});
const files = (positionals.length > 0 ? positionals : FILES).filter((file) => existsSync(file));
const traces = files.flatMap(runsOf).map(({ trace }) => trace);
if (traces.length === 0) console.error("There are no traces: give files with a run a line");
else await report();

async function report(): Promise<void> {
  const all = copied(shuffled(traces), COPIES);
  const sizes = [1 / 8, 1 / 4, 1 / 2, 1, 2, COPIES].map((times) => Math.floor(traces.length * times));
  const runner = new Runner({ limits: { ...DEFAULT_LIMITS, payloadBytes: 20_000_000 }, workers: 2 });
  const rows: Measurement[] = [];
  await mineRuns(all.slice(0, 50), runner);
  let before: Awaited<ReturnType<typeof mineRuns>> | undefined;
  for (const size of sizes) {
    const now = await mineRuns(all.slice(0, size), runner);
    const name = `${size} traces, ${now.calls} calls`;
    const versus = before ? `${before.traces} traces` : "itself";
    rows.push(
      measured(`${name}: signatures and chains`, now.chainsMs, "ms", versus, (before ?? now).chainsMs),
    );
    const whole = measured(`${name}: mined`, now.ms / 1000, "s", versus, (before ?? now).ms / 1000);
    rows.push(keeps(whole, "<= 20 s for 1000", ({ value }) => (value / size) * 1000 <= 20));
    before = now;
  }
  await runner.close();
  if (options.json) console.log(JSON.stringify(rows));
  else console.log(table(rows));
  if (before) show(before.result);
}

async function mineRuns(some: readonly RecordedTrace[], runner: Runner) {
  const start = performance.now();
  chainsIn(await corpusOf(some, DEFAULT_MINING_LIMITS, Infinity), {
    least: 3,
    length: DEFAULT_MINING_LIMITS.chain,
    chains: 600,
  });
  const between = performance.now();
  const byId = new Map(some.map((trace) => [trace.id, trace]));
  const source = { all: () => some, one: (id: string) => Promise.resolve(byId.get(id)) };
  const result = await mine(source, { runner, stripTypes: stripTypesOrThrow });
  const calls = some.reduce((sum, trace) => sum + trace.calls.length, 0);
  return { traces: some.length, calls, result, chainsMs: between - start, ms: performance.now() - between };
}

function show({ proposals, ...counts }: MiningResult): void {
  console.error(JSON.stringify({ ...counts, proposals: proposals.length }));
  if (!options.show) return;
  for (const proposal of proposals) {
    const { kind, pattern, saved, occurrences, traces: within, distinct } = proposal;
    const replay =
      kind === "skill"
        ? ` replay ${proposal.replay.passed}/${proposal.replay.of}, ${proposal.synthesis.plan.params.length} params`
        : "";
    console.error(
      `${kind} saves ${saved}: ${occurrences} in ${within} traces, ${distinct} distinct${replay}: ${pattern}`,
    );
  }
}

function copied(list: readonly RecordedTrace[], times: number): readonly RecordedTrace[] {
  return Array.from({ length: times }, (_, nth) =>
    nth === 0 ? list : list.map(({ id, ...trace }) => ({ id: `${id}-copy-${nth}`, ...trace })),
  ).flat();
}

/** In an order that is always the same, so that each part is like the whole. */
function shuffled(list: readonly RecordedTrace[]): readonly RecordedTrace[] {
  return list
    .map((trace, index) => ({ trace, rank: (index * 7919) % list.length }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ trace }) => trace);
}
