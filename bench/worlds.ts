// Whether what was learned in one world does the work in others: `npm run bench:worlds`. An agent that knows how does each
// kind of work once, behind real servers; the skill learned from that run is called for other wishes in other worlds, and
// what it leaves there is compared with what the agent would have left. `--runs 2` learns from two runs, `--seed <s>` makes
// other worlds, `--only <words>` takes the kinds whose name or difficulty is among them, `--verbose` tells of each,
// `--minutes <m>` bounds the time, `--json`.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../src/app.ts";
import type { App } from "../src/rooms.ts";
import { readConfig } from "../src/config.ts";
import type { Failure } from "../src/core/error.ts";
import type { Json, JsonObject } from "../src/core/json/json.ts";
import type { Result } from "../src/core/result.ts";
import type { Draft, PromotionPolicy } from "../src/learn/drafts/draft.ts";
import { evidenceFault, offerOf, promotionFault } from "../src/learn/drafts/gate.ts";
import { reasonOf } from "../src/learn/drafts/reasons.ts";
import { operationOf } from "../src/learn/plan/tool-effects.ts";
import type { RecordedTrace } from "../src/learn/recording/recorded-trace.ts";
import { importTraces } from "../src/trace/import/import-traces.ts";
import { Replayer } from "../test/learn/replay.ts";
import { filledParams, type Wish } from "./worlds/caller.ts";
import { Dice } from "./worlds/dice.ts";
import {
  type Call,
  DIFFICULTIES,
  type Job,
  type Program,
  Refusal,
  type Things,
  type World,
} from "./worlds/job.ts";
import { answersTo, type DoneWork, MAX_QUESTIONS } from "./worlds/oracle.ts";
import { toldByTexts } from "./worlds/told-values.ts";
import { type Verdict, VERDICTS, verdictOn } from "./worlds/verdict.ts";
import { worldsIn } from "./worlds/worlds.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    runs: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "3" },
    verbose: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

/** Which of the worlds of a kind of work are for what: learned from, called in, known to who answers questions. */
const LEARNED = [0, 1].slice(0, Number(options.runs));
const CALLED = [2, 3, 4, 5, 6];
const KNOWN = [8, 10];
/** In this one something is in the way; where a step may fail, it is in every one of an odd number. */
const HINDERED = 6;

/** The most that a policy can allow: what it would promote, were the runs recorded here. */
const POLICY: PromotionPolicy = { review: "automatic", above: "twin", writes: true };

interface Work {
  readonly server: string;
  readonly world: World<unknown>;
  readonly job: Job<unknown>;
}

/** A wish in a world, and how the agent fulfils it. */
interface Instance extends DoneWork {
  readonly state: unknown;
  readonly start: Things;
  /** As it was after each of the agent's calls. */
  readonly course: readonly Things[];
}

type Instances = ReadonlyMap<number, Instance>;

/** What became of a kind of work. */
interface Outcome {
  readonly name: string;
  readonly difficulty: string;
  readonly server: string;
  draft?: string;
  questions: number;
  params: readonly string[];
  byPolicy: boolean;
  /** Why it is not offered, as it was drafted. */
  obstacles: readonly string[];
  /** Why no person can promote it: as it was drafted, and with its questions answered. */
  refused?: string | undefined;
  refusedAnswered?: string | undefined;
  readonly drafted: Verdict[];
  readonly answered: Verdict[];
  /** Values of arguments that texts had told, and those of them that it asks for. */
  told: number;
  asked: readonly string[];
}

const folder = await mkdtemp(join(tmpdir(), "worlds-"));
const worlds = await worldsIn(folder, isWanted);
const replayer = new Replayer();
const app = await opened();
const end = Date.now() + Number(options.minutes) * 60_000;
const outcomes: Outcome[] = [];
let untried = 0;
try {
  await bench();
} finally {
  await app.close();
  await replayer.close();
  await rm(folder, { recursive: true, force: true });
}
report();

async function opened(): Promise<App> {
  await mkdir(join(folder, "skills"));
  await mkdir(join(folder, "files"));
  await mkdir(join(folder, "shelves"));
  const mcpServers: Record<string, Program> = {};
  for (const [name, { server, others }] of Object.entries(worlds))
    Object.assign(mcpServers, { [name]: server }, others);
  await writeFile(join(folder, "mcp.config.json"), JSON.stringify({ data: "data", workers: 1, mcpServers }));
  return openApp(valueOf(await readConfig({ cwd: folder })));
}

function valueOf<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.message}`);
}

function isWanted(server: string, job: { readonly name: string; readonly difficulty: string }): boolean {
  const words = options.only?.split(/[ ,]+/);
  return words?.some((word) => word === server || word === job.difficulty || job.name.includes(word)) ?? true;
}

async function bench(): Promise<void> {
  const all = Object.entries(worlds).flatMap(([server, world]) =>
    world.jobs.map((job): Work => ({ server, world, job })),
  );
  const chosen = all.filter(({ server, job }) => isWanted(server, job));
  const learned: {
    readonly work: Work;
    readonly instances: Instances;
    readonly outcome: Outcome;
  }[] = [];
  for (const work of chosen) {
    if (Date.now() > end) {
      untried++;
      continue;
    }
    const instances = new Map<number, Instance>();
    for (const nth of [...LEARNED, ...CALLED, ...KNOWN]) instances.set(nth, await instanceOf(work, nth));
    const outcome = await learn(work, instances);
    outcomes.push(outcome);
    learned.push({ work, instances, outcome });
  }
  await (await app.catalog).reload();
  for (const { work, instances, outcome } of learned)
    if (outcome.refused === undefined) outcome.drafted.push(...(await callAll(work, instances, outcome)));
  for (const { instances, outcome } of learned) await answer(instances, outcome);
  await (await app.catalog).reload();
  for (const { work, instances, outcome } of learned) {
    if (outcome.refusedAnswered !== undefined) continue;
    const isSame = outcome.questions === 0;
    outcome.answered.push(...(isSame ? outcome.drafted : await callAll(work, instances, outcome)));
  }
}

async function instanceOf({ server, world, job }: Work, nth: number): Promise<Instance> {
  const dice = new Dice(`${job.name} ${nth} ${options.seed}`);
  const state = world.stateOf(dice);
  const told = job.given(state, dice);
  if (nth === HINDERED || (job.difficulty === "fails" && nth % 2 === 1)) job.hinder(state, told, dice);
  const task = job.task(told);
  const course: Things[] = [];
  const calls: { tool: string; args: JsonObject; result: Json; error?: string }[] = [];
  const call: Call = async (name, args) => {
    const tool = name.includes(".") ? name : `${server}.${name}`;
    const answered = await app.upstreams.call(tool, args);
    course.push(await world.things());
    if (answered.ok) calls.push({ tool, args, result: answered.value });
    else calls.push({ tool, args, result: null, error: answered.error.message });
    if (!answered.ok) throw new Refusal(answered.error.message);
    return answered.value;
  };
  await world.put(state);
  const start = await world.things();
  try {
    await job.agent(told, call);
  } catch (error) {
    // Then the agent says that it cannot be done.
    if (!(error instanceof Refusal)) throw error;
  }
  const trace: RecordedTrace = { id: `${job.name}-${nth}`, task, calls };
  return { wish: { told, task }, trace, state, start, course };
}

async function learn({ server, job }: Work, instances: Instances): Promise<Outcome> {
  const { name, difficulty } = job;
  const outcome: Outcome = {
    name,
    difficulty,
    server,
    questions: 0,
    params: [],
    byPolicy: false,
    obstacles: [],
    drafted: [],
    answered: [],
    told: 0,
    asked: [],
  };
  const transcripts = LEARNED.flatMap((nth) => instances.get(nth)?.trace ?? []);
  const traces = [];
  for await (const item of importTraces([
    Buffer.from(transcripts.map((each) => JSON.stringify(each)).join("\n")),
  ]))
    if (item.kind === "trace") traces.push(item.trace);
  const made = await app.extraction.extract(traces, { by: "bench", name, anew: true });
  if (!made.ok || made.value.kind !== "draft") {
    const why = made.ok ? made.value.kind : (reasonOf(made.error) ?? made.error.message);
    return Object.assign(outcome, { refused: why, refusedAnswered: why });
  }
  const { draft } = made.value;
  Object.assign(outcome, toldByTexts(draft.plan.params, instances.get(LEARNED[0] ?? 0)?.trace));
  outcome.draft = draft.name;
  outcome.questions = draft.plan.questions?.length ?? 0;
  outcome.byPolicy =
    promotionFault(asRecordedHere(draft), POLICY, operationOf(draft.plan) === "WRITE") === undefined;
  outcome.obstacles = offerOf(draft).obstacles.map(({ reason }) => reason);
  outcome.refused = await whyNotPromoted(draft, outcome);
  return outcome;
}

/** A person promotes what may be promoted. */
async function whyNotPromoted(draft: Draft, outcome: Outcome): Promise<string | undefined> {
  outcome.params = draft.plan.params.map((param) => param.name);
  const fault: Failure | undefined = evidenceFault(draft);
  if (fault) return reasonOf(fault) ?? fault.code;
  const { name, digest } = draft;
  valueOf(await app.extraction.review(name, { verdict: "approve", digest, by: "bench" }));
  valueOf(await app.extraction.promotions.promote(name, { by: "bench", digest }));
  return undefined;
}

function asRecordedHere(draft: Draft): Draft {
  const traces = draft.provenance.traces.map((each) => ({
    ...each,
    trace: { ...each.trace, origin: "own" as const },
  }));
  return { ...draft, provenance: { ...draft.provenance, traces } };
}

async function answer(instances: Instances, outcome: Outcome): Promise<void> {
  if (outcome.draft === undefined || outcome.questions === 0) {
    outcome.refusedAnswered = outcome.refused;
    return;
  }
  if (outcome.questions > MAX_QUESTIONS) {
    outcome.refusedAnswered = "too many questions";
    return;
  }
  const draft = valueOf(await app.extraction.drafts.read(outcome.draft));
  const known = KNOWN.flatMap((nth) => instances.get(nth) ?? []);
  const edits = await answersTo(draft, wishes(instances), known, replayer);
  const revised = await app.extraction.revise(draft.name, edits, { by: "bench" });
  outcome.refusedAnswered = revised.ok
    ? await whyNotPromoted(revised.value, outcome)
    : `answers are refused: ${revised.error.message}`;
}

async function callAll(
  { world }: Work,
  instances: Instances,
  { draft: name = "" }: Outcome,
): Promise<readonly Verdict[]> {
  const { plan } = valueOf(await app.extraction.drafts.read(name));
  const verdicts: Verdict[] = [];
  for (const nth of CALLED) {
    const instance = instances.get(nth);
    if (!instance) continue;
    const { input, unknown } = filledParams(plan.params, wishes(instances), instance.wish);
    if (unknown.length > 0) {
      verdicts.push({ kind: "stopped", why: `asks what the caller does not know: ${unknown.join(", ")}` });
      continue;
    }
    await world.put(instance.state);
    const { root } = await app.call(name, input, { isApproved: true });
    const failed = root.outcome.ok ? undefined : `${root.outcome.error.code}: ${root.outcome.error.message}`;
    const ends = { start: instance.start, byAgent: instance.course, bySkill: await world.things() };
    verdicts.push(verdictOn(ends, failed));
  }
  return verdicts;
}

/** Those of the runs that were learned from. */
function wishes(instances: Instances): readonly Wish[] {
  return LEARNED.flatMap((nth) => instances.get(nth)?.wish ?? []);
}

function report(): void {
  const rows = [...DIFFICULTIES, "all"].map((difficulty) => {
    const kinds = outcomes.filter((each) => difficulty === "all" || each.difficulty === difficulty);
    return {
      difficulty,
      kinds: kinds.length,
      drafts: kinds.filter(({ draft }) => draft !== undefined).length,
      offered: kinds.filter(({ draft, obstacles }) => draft !== undefined && obstacles.length === 0).length,
      byPolicy: kinds.filter(({ byPolicy }) => byPolicy).length,
      promotable: kinds.filter(({ refused }) => refused === undefined).length,
      answered: kinds.filter(({ refusedAnswered }) => refusedAnswered === undefined).length,
      asDrafted: counted(kinds.flatMap(({ drafted }) => drafted)),
      questionsAnswered: counted(kinds.flatMap(({ answered }) => answered)),
    };
  });
  if (options.json) {
    console.log(JSON.stringify({ runs: LEARNED.length, rows, untried, outcomes }));
    return;
  }
  const columns = ["difficulty", "kinds", "drafts", "offered", "by policy", "by a person", "answered"];
  const kept = VERDICTS.join("/");
  console.log([...columns, `as drafted: ${kept}`, `answered: ${kept}`].join(" | "));
  for (const { difficulty, kinds, drafts, offered, byPolicy, promotable, answered, ...called } of rows) {
    const counts = [kinds, drafts, offered, byPolicy, promotable, answered];
    const cells = [difficulty, ...counts].map((cell, nth) =>
      String(cell).padStart(columns[nth]?.length ?? 0),
    );
    console.log([...cells, slashed(called.asDrafted), slashed(called.questionsAnswered)].join(" | "));
  }
  for (const [why, count] of reasons()) console.log(`${String(count).padStart(5)} ${why}`);
  const all = (count: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, each) => total + count(each), 0);
  console.log(
    `asked for, of what texts had told: ${all(({ asked }) => asked.length)} of ${all(({ told }) => told)} values`,
  );
  if (untried > 0) console.log(`${untried} kinds of work were not tried: the time was up`);
  if (options.verbose) for (const outcome of outcomes) tell(outcome);
}

function counted(verdicts: readonly Verdict[]): Readonly<Record<Verdict["kind"], number>> {
  const count = (kind: Verdict["kind"]): number => verdicts.filter((each) => each.kind === kind).length;
  return { done: count("done"), stopped: count("stopped"), wrong: count("wrong"), damage: count("damage") };
}

function slashed(counts: Readonly<Record<Verdict["kind"], number>>): string {
  return VERDICTS.map((kind) => counts[kind]).join("/");
}

/** Why what is not done is not, most often first. */
function reasons(): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  const add = (why: string): void => void counts.set(why, (counts.get(why) ?? 0) + 1);
  for (const { refusedAnswered, answered } of outcomes) {
    if (refusedAnswered !== undefined) add(`kinds not promotable: ${refusedAnswered}`);
    for (const { kind, why } of answered) if (kind !== "done") add(`calls ${kind}: ${why.split(":", 1)[0]}`);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

function tell({
  name,
  difficulty,
  server,
  questions,
  params,
  refused,
  refusedAnswered,
  ...calls
}: Outcome): void {
  console.log(
    `\n${name} (${difficulty}, ${server}): asks ${params.join(", ") || "nothing"} (${calls.asked.length} of ${calls.told} told by texts); ${questions} questions`,
  );
  for (const value of calls.asked) console.log(`  asks, though a text had told: ${JSON.stringify(value)}`);
  if (refused !== undefined) console.log(`  as drafted: not promotable: ${refused}`);
  for (const { kind, why } of calls.drafted) console.log(`  as drafted: ${kind} ${why}`);
  if (questions === 0) return;
  if (refusedAnswered !== undefined) console.log(`  answered: not promotable: ${refusedAnswered}`);
  for (const { kind, why } of calls.answered) console.log(`  answered: ${kind} ${why}`);
}
