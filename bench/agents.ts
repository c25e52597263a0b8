// What learning makes of transcripts as agents leave them: `npm run bench:agents -- <folder or file> …`. Each is imported
// as the product does it and learned from in a server's thread, one run at a time. `--read <n>` prints n random drafts to
// be judged by a person (`--seed <s>` chooses others), `--minutes <m>` bounds the time, `--reads <glob>` vouches
// for tools, `--oracle` has a scripted model revise the drafts and tells what each round changes, `--json`.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Config, readConfig } from "../src/config.ts";
import { isJsonObject, type JsonObject } from "../src/core/json/json.ts";
import type { Trace } from "../src/core/trace-event.ts";
import type { Draft, PromotionPolicy } from "../src/learn/drafts/draft.ts";
import { Drafts } from "../src/learn/drafts/drafts.ts";
import { evidenceFault, offerOf, promotionFault } from "../src/learn/drafts/gate.ts";
import { reasonOf, REASONS } from "../src/learn/drafts/reasons.ts";
import type { Learning } from "../src/learn/learning.ts";
import { LearningThread } from "../src/learn/learning-thread.ts";
import { draftInput } from "../src/learn/edits/recorded-run.ts";
import { operationOf } from "../src/learn/plan/tool-effects.ts";
import { subexpressions } from "../src/learn/plan/expression.ts";
import type { Expression } from "../src/learn/plan/plan.ts";
import { isRecording, namedSteps } from "../src/learn/plan/steps.ts";
import { leafText, jsonLeaves } from "../src/learn/plan/values.ts";
import { leafTexts, valueTexts } from "../src/learn/plan/value-texts.ts";
import type { RecordedTrace } from "../src/learn/recording/recorded-trace.ts";
import type { DraftView } from "../src/learn/review/view-types.ts";
import { draftText, draftView } from "../src/learn/review/draft-view.ts";
import { SeededRandom } from "../src/learn/verify/seeded-random.ts";
import type { TraceStore } from "../src/trace/trace-store.ts";
import { openStore } from "../src/trace/store/open-store.ts";
import { importTraces } from "../src/trace/import/import-traces.ts";
import { judgementIn } from "../src/trace/import/reading/judgement-in.ts";
import { judgementOf } from "../src/trace/record/judgement.ts";
import type { LearningConfig } from "../src/learning-worker.ts";
import { Replayer } from "../test/learn/replay.ts";
import { Runner } from "../src/runner/runner.ts";
import { SkillCompiler } from "../src/compiler/compile-skills.ts";
import { openExtraction } from "../src/open-extraction.ts";
import { countRounds, type RoundCounts, roundCounts } from "./agents/oracle.ts";
import { HoldMeter } from "./agents/main-thread.ts";
import { type SafetyFaults, safetyFaults } from "./agents/safety.ts";
import { sourceCalls } from "../test/trace/import/source-calls.ts";

const { values: options, positionals } = parseArgs({
  options: {
    read: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "60" },
    reads: { type: "string", multiple: true, default: [] },
    oracle: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
/** The most that a policy can allow: what it would promote, were the transcripts recorded here. */
const POLICY: PromotionPolicy = { review: "automatic", above: "twin", writes: true };

type Outcome = "solved" | "failed" | "not known";

class Counts {
  readonly #counts = new Map<string, number>();
  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }
  get(what: string): number {
    return this.#counts.get(what) ?? 0;
  }
  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted(([, a], [, b]) => b - a));
  }
}

const reading = new Counts();
const outcomes = new Counts();
const drafted = new Counts();
const noDraft = new Counts();
const notByPerson = new Counts();
const notByPolicy = new Counts();
const notOffered = new Counts();
const safety = new Counts();
const leaves = new Counts();
const promotable = new Counts();
const asked: number[] = [];
/** So many calls of a tool outside of loops are a repeat. */
const REPEATED = 3;
const questions: number[] = [];
const misread: string[] = [];
const shown: string[] = [];
const unsafe: string[] = [];

const FAULTS = ["parallel", "dropped", "unmarked", "swallowed"] as const;
const SAID: Readonly<Record<keyof SafetyFaults, string>> = {
  parallel: "in parallel",
  dropped: "dropped",
  unmarked: "unmarked",
  swallowed: "whose failure is swallowed",
};

if (positionals.length === 0) console.error("Give a folder or files of transcripts");
else await bench();

async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "agents-"));
  const meter = new HoldMeter();
  try {
    await learnAll(folder, meter);
  } finally {
    meter.stop();
    await rm(folder, { recursive: true, force: true });
  }
  report(meter);
}

async function learnAll(folder: string, meter: HoldMeter): Promise<void> {
  const read = await readConfig({ cwd: folder });
  if (!read.ok) throw new Error(read.error.message);
  const { limits, skillLimits, traces, drafts: settings } = read.value;
  const data = join(folder, "data");
  const store = openStore(join(folder, "traces.db"));
  const drafts = new Drafts({ data });
  const replayer = new Replayer();
  const learning = new LearningThread({
    module: new URL("../src/learning-worker.ts", import.meta.url),
    workerData: {
      data,
      drafts: { ...settings, folder: join(folder, "skills") },
      limits,
      skillLimits,
      traces: { ...traces, store: join(folder, "traces.db") },
      servers: new Set(),
    } satisfies LearningConfig,
    catalog: async () => Promise.resolve({ skills: new Map(), tools: new Map() }),
    maxMs: settings.maxMs,
  });
  const rooms = options.oracle ? openRooms(read.value) : undefined;
  const extraction =
    rooms &&
    openExtraction(
      { data, drafts: { ...settings, folder: join(folder, "skills") } },
      { store, ...rooms, skills: async () => new Map(), tools: async () => [] },
    );
  const random = new SeededRandom(options.seed);
  const end = Date.now() + Number(options.minutes) * 60_000;
  const names: string[] = [];
  let learned = 0;
  for (const file of files(positionals)) {
    if (Date.now() > end) {
      reading.add("files not looked at");
      continue;
    }
    for (const { trace, outcome } of await tracesIn(file)) {
      outcomes.add(outcome);
      const recorded = await store.record([trace]);
      if (!recorded.ok) throw new Error(recorded.error.message);
      const name = `d${++learned}`;
      meter.start();
      const made = await learning.extract(
        [trace.runId],
        { kind: "all" },
        { by: "bench", name, anew: true, failed: true, reads: options.reads },
      );
      meter.stop();
      if (!made.ok) {
        noDraft.add(reasonOf(made.error) ?? made.error.code);
        continue;
      }
      names.push(name);
      const draft = await drafts.read(name);
      if (!draft.ok) throw new Error(draft.error.message);
      await judge(draft.value, outcome, replayer);
      if (extraction) await countRounds(extraction, draft.value);
    }
  }
  for (let left = Math.min(Number(options.read), names.length); left > 0; left--) {
    const [name = ""] = names.splice(Math.floor(random.next() * names.length), 1);
    const draft = await drafts.read(name);
    if (draft.ok) shown.push(forReading(draft.value));
  }
  await learnEqualLeaves(store, learning, meter);
  await learning.close();
  await Promise.all([rooms?.runner.close(), rooms?.compiler.close()]);
  await replayer.close();
  await store.close();
}

/** What revisions are verified with, in this thread. */
function openRooms({ limits, skillLimits, data }: Config) {
  return {
    runner: new Runner({ limits, skillLimits, workers: 1 }),
    compiler: new SkillCompiler({ cacheFolder: join(data, "cache", "drafts") }),
  };
}

/** A run whose answers hold the same few values many times: what costs most to learn from. */
async function learnEqualLeaves(store: TraceStore, learning: Learning, meter: HoldMeter): Promise<void> {
  const values = ["value", "a value", "value-1 and value"];
  const calls = Array.from({ length: 60 }, (_, nth) => ({
    tool: `files.list_${nth}`,
    args: { ids: values.slice(0, 2), text: values[2], page: { of: values[0], n: nth % 3 } },
    result: Array.from({ length: 40 }, (__, index) => ({ id: values[0], name: values[index % 3] })),
  }));
  for await (const item of importTraces([Buffer.from(JSON.stringify({ id: "equal", calls }))])) {
    if (item.kind !== "trace") continue;
    await store.record([item.trace]);
    meter.start();
    await learning.extract([item.trace.runId], { kind: "all" }, { by: "bench", anew: true });
    meter.stop();
  }
}

/** The files, in the order of their names; in a folder all that may hold JSON. */
function files(given: readonly string[]): readonly string[] {
  return given.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: "utf8" })
          .filter((name) => /\.(json|jsonl|ndjson|log|traj)$/.test(name))
          .toSorted()
          .map((name) => join(path, name))
      : [path],
  );
}

async function tracesIn(
  file: string,
): Promise<readonly { readonly trace: Trace; readonly outcome: Outcome }[]> {
  const content = await readFile(file);
  const traces: Trace[] = [];
  let calls = 0;
  for await (const item of importTraces([content])) {
    if (item.kind === "skipped") reading.add(`left out: ${item.reason}`, item.count);
    else {
      traces.push(item.trace);
      calls += readCalls(item.trace);
    }
  }
  if (traces.length === 0) {
    reading.add("files without a run");
    return [];
  }
  reading.add("files with runs");
  reading.add("runs", traces.length);
  reading.add("calls read", calls);
  const source = sourceCalls(content.toString("utf8"));
  if (source) {
    reading.add("calls in the source", source.calls);
    reading.add("calls read of these files", calls);
    reading.add("results in the source", source.paired);
    if (source.calls !== calls) misread.push(`${file}: ${calls} of ${source.calls}`);
  } else reading.add("files whose calls are not counted", 1);
  const beside = outcomeBeside(file);
  return traces.map((trace) => ({ trace, outcome: outcomeOf(trace) ?? beside ?? "not known" }));
}

function readCalls({ events }: Trace): number {
  const made = events.filter(
    ({ eventType, eventSubtype }) =>
      eventType === "tool_call" ||
      eventType === "code_exec" ||
      eventType === "handoff" ||
      (eventType === "agent_call" && eventSubtype === "subagent"),
  );
  reading.add(
    "results read",
    made.filter(({ status }) => status === "completed" || status === "failed").length,
  );
  reading.add("errors seen", made.filter(({ status }) => status === "failed").length);
  return made.length;
}

function outcomeOf(trace: Trace): Outcome | undefined {
  const judgement = judgementOf(trace);
  return judgement && (judgement.isSuccess ? "solved" : "failed");
}

/** What a `meta.json` beside the transcript says, which the product does not read. */
function outcomeBeside(file: string): Outcome | undefined {
  try {
    const meta: unknown = JSON.parse(readFileSync(join(dirname(file), "meta.json"), "utf8"));
    const judgement = isJsonObject(meta) ? judgementIn(meta) : undefined;
    return judgement && (judgement.isSuccess ? "solved" : "failed");
  } catch {
    return undefined;
  }
}

async function judge(draft: Draft, outcome: Outcome, replayer: Replayer): Promise<void> {
  const view = draftView(draft);
  drafted.add("drafts");
  drafted.add(`drafts of runs: ${outcome}`);
  const recording = isRecording(draft.plan.steps);
  if (recording) drafted.add("recordings");
  if (!derives(draft.plan)) drafted.add("derive nothing");
  const fault = evidenceFault(draft);
  if (fault) notByPerson.add(reasonOf(fault) ?? fault.code);
  else {
    drafted.add("promotable by a person");
    drafted.add(`promotable, of runs: ${outcome}`);
    if (!recording) drafted.add("promotable, no recording");
    countWork(draft, view);
  }
  const { isOffered, obstacles } = offerOf(draft);
  if (isOffered) drafted.add("offered");
  else if (view.proposed?.isOffered === true) drafted.add("offered with the edits that the view proposes");
  for (const { reason } of obstacles) notOffered.add(reason);
  const own = asRecordedHere(draft);
  const waits = promotionFault(own, POLICY, operationOf(draft.plan) === "WRITE");
  if (waits) notByPolicy.add(reasonOf(waits) ?? waits.code);
  else {
    drafted.add("promotable by policy");
    if (!derives(draft.plan)) safety.add("promotable by policy, derives nothing");
  }
  questions.push(draft.plan.questions?.length ?? 0);
  const [source] = draft.provenance.traces;
  const input: JsonObject = source ? draftInput(draft.plan, source, source.trace) : {};
  countLeaves(draft, input, leaves);
  if (!fault) countLeaves(draft, input, promotable);
  const skillText = await readFile(join(draft.folder, "SKILL.md"), "utf8");
  const faults = await safetyFaults(draft, view, skillText, replayer, input);
  for (const what of FAULTS)
    if (faults[what] > 0) {
      safety.add(`drafts with a call that may write ${SAID[what]}`);
      unsafe.push(`${what} ${faults[what]} (${draft.name}, ${source?.trace.id ?? ""})`);
    }
}

/** Whether anything that a call is given, or that a loop goes over, comes from an answer. */
function derives({ steps }: Draft["plan"]): boolean {
  const answers = new Set(namedSteps(steps).map(({ name }) => name));
  const isFromAnswer = (expression: Expression): boolean =>
    subexpressions(expression).some((part) => part.kind === "ref" && answers.has(part.name));
  return namedSteps(steps).some((step) => isFromAnswer(step.kind === "loop" ? step.over : step.args));
}

/** A transcript is never promoted by a policy: what would be, were it a run that was recorded here. */
function asRecordedHere(draft: Draft): Draft {
  const traces = draft.provenance.traces.map((each) => ({
    ...each,
    trace: { ...each.trace, origin: "own" as const },
  }));
  return { ...draft, provenance: { ...draft.provenance, traces } };
}

/** Values of arguments that stand in an earlier answer and not in the task, and those that the caller need not give. */
function countLeaves({ provenance }: Draft, input: JsonObject, counts: Counts): void {
  const given = leafTexts(input);
  for (const { trace } of provenance.traces) {
    const seen = new Set<string>();
    const task = trace.task ?? "";
    for (const { args, result } of trace.calls) {
      for (const [, leaf] of jsonLeaves(args)) {
        const text = leafText(leaf);
        if (text === undefined || text.length < 3 || task.includes(text)) continue;
        counts.add("values");
        if (!seen.has(text)) continue;
        counts.add("derivable");
        if (!given.has(text)) counts.add("derivable, not asked for");
      }
      for (const text of valueTexts(result)) seen.add(text);
    }
  }
}

/** What a person who promotes a draft would have: how much it asks for, and what in it is of no use. */
function countWork({ plan }: Draft, { steps, idle }: DraftView): void {
  const calls = steps.filter(({ tool }) => tool !== undefined);
  const isRepeating = [
    ...Map.groupBy(
      calls.filter(({ depth }) => depth === 0),
      ({ tool }) => tool,
    ).values(),
  ].some((same) => same.length >= REPEATED);
  asked.push(plan.params.length);
  promotable.add("calls", calls.length);
  const unused = steps.filter(({ isUnused }) => isUnused).length;
  promotable.add("calls of no use", unused + (idle?.steps.length ?? 0));
  promotable.add("calls of no use after the edits that the view proposes", unused);
  promotable.add("drafts");
  if (isRepeating) promotable.add(`drafts that call a tool ${REPEATED} times and more outside of loops`);
  promotable.add("open questions", plan.questions?.length ?? 0);
}

function forReading(draft: Draft): string {
  const text = draftText(draftView(draft), { columns: 100 });
  const [source] = draft.provenance.traces;
  const task = source ? (recordedTask(source.trace) ?? "not told") : "";
  return [`=== ${draft.name}: ${source?.trace.id ?? ""}`, `Task: ${task}`, draft.code, text].join("\n\n");
}

function recordedTask({ task }: Pick<RecordedTrace, "task">): string | undefined {
  return task?.slice(0, 2000);
}

function report(meter: HoldMeter): void {
  const result = {
    reading: reading.all,
    misread,
    outcomes: outcomes.all,
    drafts: drafted.all,
    noDraft: noDraft.all,
    notPromotableByAPerson: notByPerson.all,
    notOffered: notOffered.all,
    notPromotableByPolicy: notByPolicy.all,
    leaves: leaves.all,
    promotable: { ...promotable.all, "inputs asked for, median": median(asked) },
    ...(options.oracle ? roundParts() : {}),
    openQuestions: { median: median(questions), most: Math.max(0, ...questions) },
    unsafe: { ...safety.all, where: unsafe },
    mainThread: { heldByItsOwnWorkMs: meter.worked, heldByTheClockMs: meter.byClock },
  };
  if (options.json) console.log(JSON.stringify({ ...result, read: shown }));
  else {
    for (const text of shown) console.log(`${text}\n`);
    for (const [part, counts] of Object.entries(result)) {
      console.log(part);
      for (const [what, count] of Object.entries(counts))
        console.log(
          `  ${String(typeof count === "number" ? round(count) : count).padStart(8)}  ${what}${wordsOf(what)}`,
        );
    }
  }
}

function roundParts(): Readonly<Record<string, RoundCounts>> {
  const names = ["without a model", "oracle, round 1", "oracle, round 2", "oracle, round 3"];
  return Object.fromEntries(
    names.flatMap((name, nth) => (roundCounts[nth] ? [[name, roundCounts[nth]]] : [])),
  );
}

function wordsOf(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? `: ${REASONS[reason as keyof typeof REASONS]}` : "";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
