// How well skills learned from one run do another one: `node bench/extract.ts --base runs.jsonl --twins twins.jsonl`,
// with `--cross-task` also between different tasks that call the same tools, `--limit n` of the runs, `--json`,
// `--faults` with the reason of each run that did not replay, `--reads` as if servers said that tools only read whose
// names sound so (else all may write).
import { parseArgs } from "node:util";
import { synthesise, type Synthesis } from "../src/learn/synthesis/synthesise.ts";
import { skillCode } from "../src/learn/codegen/skill-code.ts";
import { filledInput, type Filling, FILLINGS } from "./extract/filling.ts";
import { countEdges, type EdgeCounts } from "./extract/edges.ts";
import { soundEffects } from "../test/learn/learned.ts";
import { Replayer } from "../test/learn/replay.ts";
import { type RecordedRun, runsOf } from "../test/learn/runs.ts";
import { type Rates, ratesOf, type Score, scoreOf } from "./extract/score.ts";

const { values: options } = parseArgs({
  options: {
    reads: { type: "boolean", default: false },
    base: { type: "string", multiple: true, default: [] },
    twins: { type: "string", multiple: true, default: [] },
    "cross-task": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    faults: { type: "boolean", default: false },
    limit: { type: "string" },
  },
});
const limit = options.limit === undefined ? Infinity : Number(options.limit);

const base = new Map(options.base.flatMap(runsOf).map((run) => [run.trace.id, run]));
const twins = options.twins.flatMap(runsOf).map((twin) => withTask(twin, base.get(twin.twinOf ?? "")));
const drafts = new Map<string, { readonly synthesis: Synthesis; readonly code: string } | undefined>();
const groups = new Map<string, Score[]>();
const edges: EdgeCounts = { found: 0, missed: 0, wrong: 0 };
const replayer = new Replayer();
let learning = 0;

await own();
await overTwins();
if (options["cross-task"]) await acrossTasks();
await replayer.close();
report();

/** Each run by its own draft: less than all would be a fault. */
async function own(): Promise<void> {
  for (const run of [...base.values()].slice(0, limit)) await compare(`own trace, ${splitOf(run)}`, run, run);
}

async function overTwins(): Promise<void> {
  for (const twin of twins.slice(0, limit)) {
    const run = base.get(twin.twinOf ?? "");
    if (!run) continue;
    await compare(`${twin.kind ?? "twin"}, ${splitOf(run)}`, run, twin);
    const draft = draftOf(run);
    if (twin.gold && draft) countEdges(edges, run, twin, draft.synthesis);
  }
}

async function acrossTasks(): Promise<void> {
  const bySignature = Map.groupBy(
    [...base.values()].filter(({ hasErrors, trace }) => !hasErrors && trace.calls.length > 1),
    ({ signature }) => signature,
  );
  const pairs = [...bySignature.values()].flatMap((runs) =>
    runs.flatMap((a) => runs.filter((b) => a !== b).map((b) => [a, b] as const)),
  );
  for (const [a, b] of pairs.slice(0, limit)) await compare(`cross-task, ${splitOf(a)}`, a, b);
}

async function compare(group: string, a: RecordedRun, b: RecordedRun): Promise<void> {
  for (const filling of FILLINGS) await compareFilled(group, a, b, filling);
}

async function compareFilled(set: string, a: RecordedRun, b: RecordedRun, filling: Filling): Promise<void> {
  const group = filling === "told" ? set : `${set}, with what only the run knows`;
  const draft = draftOf(a);
  const input = draft ? filledInput(draft.synthesis.plan, a.trace, b.trace, filling) : {};
  const { replays, fault } = draft
    ? await replayer.replay(draft.code, input, b.trace)
    : { replays: false, fault: "there is no draft" };
  if (options.faults && fault !== undefined)
    console.error(`${group}: ${a.trace.id} -> ${b.trace.id}: ${fault}`);
  const score = scoreOf(b.trace, draft?.synthesis.plan, input, replays);
  if (options.faults && replays && score.autonomous < score.derivable)
    console.error(
      `${group}: ${a.trace.id} -> ${b.trace.id}: ${score.autonomous} of ${score.derivable} leaves`,
    );
  const scores = groups.get(group);
  if (scores) scores.push(score);
  else groups.set(group, [score]);
}

function draftOf(run: RecordedRun): { readonly synthesis: Synthesis; readonly code: string } | undefined {
  const { id } = run.trace;
  if (drafts.has(id)) return drafts.get(id);
  const start = performance.now();
  const made = synthesise([run.trace], { effects: options.reads ? soundEffects([run.trace]) : [] });
  const draft = made.ok ? { synthesis: made.value, code: skillCode(made.value.plan) } : undefined;
  learning += performance.now() - start;
  drafts.set(id, draft);
  return draft;
}

function withTask(twin: RecordedRun, original: RecordedRun | undefined): RecordedRun {
  const task = twin.trace.task ?? original?.trace.task;
  return task === undefined ? twin : { ...twin, trace: { ...twin.trace, task } };
}

/** Ids end with what tells runs of a set apart. */
function splitOf({ trace }: RecordedRun): string {
  return trace.id.replace(/[-_]?\d+$/, "").replace(/^(tooltalk)-.*$/, "$1");
}

function report(): void {
  const tables = [...groups].map(([group, scores]) => Object.assign({ group }, ratesOf(scores)));
  const precision = edges.found / Math.max(1, edges.found + edges.wrong);
  const recall = edges.found / Math.max(1, edges.found + edges.missed);
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  const isGolden = edges.found + edges.missed > 0;
  if (options.json) {
    console.log(
      JSON.stringify({ groups: tables, ...(isGolden ? { edges: { ...edges, precision, recall, f1 } } : {}) }),
    );
    return;
  }
  for (const row of tables) console.log(lineOf(row));
  if (isGolden)
    console.log(
      `edges: F1 ${f1.toFixed(3)} (precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}; ${edges.found} found, ${edges.missed} missed, ${edges.wrong} wrong)`,
    );
  console.log(
    `synthesis: ${(learning / Math.max(1, drafts.size)).toFixed(1)} ms a draft, ${drafts.size} drafts`,
  );
}

function lineOf({
  group,
  runs,
  replay,
  replayRange,
  leaves,
  avr,
  avrRange,
  avrDerived,
  ceiling,
  params,
  supplied,
}: Rates & { readonly group: string }): string {
  const range = ([low, high]: readonly [number, number]): string => `[${low.toFixed(2)}, ${high.toFixed(2)}]`;
  return `${group.padEnd(76)} ${String(runs).padStart(5)} runs  replay ${replay.toFixed(3)} ${range(replayRange)}  AVR ${avr.toFixed(3)} ${range(avrRange)} of ${leaves} leaves, at most ${ceiling.toFixed(3)} (${avrDerived.toFixed(3)} without defaults)  ${params.toFixed(2)} parameters, ${supplied.toFixed(2)} supplied`;
}
