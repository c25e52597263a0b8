import type { OwnTrace, RecordedTrace } from "../recording/recorded-trace.ts";
import type { ShownFlow } from "../../core/flow.ts";
import type { Failure } from "../../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Result } from "../../core/result.ts";
import type { Skill, SkillCase } from "../../core/skill.ts";
import type { Runner } from "../../runner/runner.ts";
import { successRate } from "../../trace/store/success-rate.ts";
import type { Plan } from "../plan/plan.ts";
import { skillCode } from "../codegen/skill-code.ts";
import type { Counterexample, Evidence, Rung, RungName, TwinChanges } from "./evidence.ts";
import type { KeptNumbers } from "./number-changes.ts";
import { changedFlows, learnedTexts } from "./changed-flows.ts";
import { readingsIn, readTrace } from "../texts/readings.ts";
import { planInput } from "./parameter-values.ts";
import { type InjectedFault, replay, type Replay, shownDifference } from "./replay.ts";
import { faultPositions, type MadeRun } from "./faults/fault-positions.ts";
import { joinedEffects, type MayWrite, mayWriteBy, type ToolEffect } from "../plan/tool-effects.ts";
import { twinOf } from "./twin.ts";

/** A draft as it is verified. */
export interface Verifiable {
  readonly plan: Plan;
  /** The text of its `skill.ts`. */
  readonly code: string;
  /** Of all its files and traces. */
  readonly digest: string;
  /** What it was learned from; parameters stood in the first. */
  readonly traces: readonly OwnTrace[];
}

/** A draft as a skill among those that it may call, with what the catalog and the type checker find wrong with it. */
export interface DerivedDraft {
  readonly name: string;
  readonly skills: ReadonlyMap<string, Skill>;
  readonly faults: readonly string[];
  /** Ways from answers of untrusted tools into calls that write, through skills that the draft calls. */
  readonly flows?: readonly ShownFlow[];
  /** Those of its `tests.yaml`, or what is wrong with that. */
  readonly cases?: Result<readonly SkillCase[]>;
}

export interface VerificationServices {
  readonly runner: Pick<Runner, "run">;
  /** Derives the skill from the draft's folder. */
  readonly derive: () => Promise<Result<DerivedDraft>>;
}

/** Another run of the same task. */
interface HeldOutRun extends Omit<OwnTrace, "output"> {
  /** The calls that only read and that nothing in it needed. */
  readonly idle?: readonly number[] | undefined;
}

export interface EvidenceOptions {
  readonly heldOut?: readonly HeldOutRun[] | undefined;
  /** How often the draft's skill succeeded where it was really run. */
  readonly live?: { readonly passed: number; readonly of: number } | undefined;
  /** What is known of tools besides what the plan says, for example of those that a called skill calls. */
  readonly effects?: readonly ToolEffect[] | undefined;
  /** The twins' seeds. */
  readonly seeds?: readonly number[] | undefined;
  /** How long a single replay may take. */
  readonly wallMs?: number | undefined;
}

const SEEDS = [1, 2, 3];

/**
 * Verifies a draft, rung by rung: whether its types fit, whether it replays its own traces with the same output, their
 * twins, whether it stops where a call fails, and whether it replays traces that were held out. The world is not touched.
 */
export async function evidenceFor(
  { traces, ...verifiable }: Verifiable,
  { runner, derive }: VerificationServices,
  { heldOut = [], live, effects, seeds = SEEDS, wallMs }: EvidenceOptions = {},
): Promise<Evidence> {
  const readings = readingsIn(verifiable.plan);
  const read = <Run extends { readonly trace: RecordedTrace }>(run: Run): Run => ({
    ...run,
    trace: readTrace(run.trace, readings),
  });
  const draft: Verifiable = { ...verifiable, traces: traces.map(read) };
  const others = heldOut.map(read);
  const derived = await derive();
  const rungs = [typesRung(derived)];
  if (derived.ok) {
    const { name, skills } = derived.value;
    const run: RunReplay = (trace, options) =>
      replay({ runner, skills, name }, trace, { wallMs, ...options });
    const inputs = draft.traces.map((each) => inputOf(draft, each));
    const own = await ownRuns(draft, run, inputs);
    const texts = learnedTexts(own.runs);
    rungs.push(own.rung);
    rungs.push(await twinRung(draft, run, inputs, { seeds, texts }));
    const mayWrite = mayWriteBy(joinedEffects(draft.plan.effects, effects));
    rungs.push(await faultsRung(draft, run, own.runs, mayWrite));
    if (others.length > 0) rungs.push(await heldOutRung(draft, run, others, texts));
  }
  if (live) rungs.push(rung("live", live.passed, live.of));
  return {
    digest: draft.digest,
    verifiedAt: new Date().toISOString(),
    rungs,
    flows: derived.ok ? derived.value.flows : undefined,
    heldOut: heldOut.map(({ digest }) => digest),
    given: heldOut.filter(({ trace }) => trace.origin !== "own").length,
  };
}

type RunReplay = (
  trace: RecordedTrace,
  options: {
    readonly input: Json;
    readonly calls?: readonly number[] | undefined;
    readonly idle?: readonly number[] | undefined;
    readonly output?: Json | undefined;
    readonly fault?: InjectedFault | undefined;
  },
) => Promise<Replay>;

function inputOf({ plan, traces }: Verifiable, { trace, input }: Omit<OwnTrace, "output">): JsonObject {
  return input ?? planInput(plan, traces[0]?.trace ?? trace, trace);
}

export function typesRung(derived: Result<DerivedDraft>): Rung {
  if (!derived.ok) return rung("types", 0, 1, { difference: failed(derived.error) });
  const [fault] = derived.value.faults;
  if (fault === undefined) return rung("types", 1, 1);
  return rung("types", 0, 1, { difference: failed({ code: "SKILL_BROKEN", message: fault }) });
}

function failed({ code, message }: Pick<Failure, "code" | "message">): Counterexample["difference"] {
  return { kind: "failed", code, message };
}

/** Each trace twice: what a skill gives must not be another thing the second time. With the calls that it makes in them. */
async function ownRuns(
  draft: Verifiable,
  run: RunReplay,
  inputs: readonly JsonObject[],
): Promise<{ readonly rung: Rung; readonly runs: readonly MadeRun[] }> {
  const tally = new Tally();
  const runs: MadeRun[] = [];
  for (const [index, { trace, digest, calls, output }] of draft.traces.entries()) {
    const input = inputs[index] ?? {};
    const first = await run(trace, { input, calls, output });
    const last = first.difference ? first : await run(trace, { input, calls, output: first.output });
    tally.add(last, { trace: digest });
    runs.push({ trace, calls, input, made: first.calls.flatMap(({ recorded }) => recorded ?? []) });
  }
  return { rung: tally.rung("own"), runs };
}

async function twinRung(
  draft: Verifiable,
  run: RunReplay,
  inputs: readonly JsonObject[],
  { seeds, texts }: { readonly seeds: readonly number[]; readonly texts: ReadonlySet<string> },
): Promise<Rung> {
  const tally = new Tally();
  const keptNumbers = keptNumbersOf(draft);
  const quantities = new Set(comparedFields([draft.plan.steps, draft.plan.output.value]));
  let changed: TwinChanges = { renamed: 0, reordered: 0, numbers: 0 };
  let flows = 0;
  let unchanged = 0;
  for (const [index, { trace, digest, calls }] of draft.traces.entries()) {
    for (const seed of seeds) {
      const twin = twinOf(trace, { seed, keptNumbers, quantities });
      changed = sum(changed, twin.changed);
      const input = twin.translate(inputs[index] ?? {}) as JsonObject;
      flows += changedFlows({ trace: twin.trace, calls, input }, texts);
      const replayed = await run(twin.trace, { input, calls });
      const stale = replayed.output === undefined ? undefined : twin.staleId(replayed.output);
      const result: Replay =
        stale && !replayed.difference
          ? { ...replayed, difference: { kind: "other-output", ...shownDifference(stale) } }
          : replayed;
      tally.add(result, { trace: digest, seed });
      if (!result.difference && isUnchanged(twin.changed)) unchanged++;
    }
  }
  return { ...tally.rung("twin"), changed, ...(unchanged > 0 ? { unchanged } : {}), flows };
}

function isUnchanged({ renamed, reordered, numbers }: TwinChanges): boolean {
  return renamed + reordered + numbers === 0;
}

/**
 * Each trace with one of its calls failing as it did in no run, and with those that had failed succeeding: what to do then
 * is not known, so nothing may be written any more. And with an answer that lacks a field: then no call lacks an argument,
 * and nothing is done that was not done in the run.
 */
async function faultsRung(
  draft: Verifiable,
  run: RunReplay,
  runs: readonly MadeRun[],
  mayWrite: MayWrite,
): Promise<Rung> {
  const { plan, code, traces } = draft;
  const { positions, untried } = faultPositions(runs, plan, code);
  const tally = new Tally();
  for (const { run: index, ...position } of positions) {
    const own = runs[index];
    if (!own) continue;
    const { trace, input = {}, calls } = own;
    const fault = { ...position, mayWrite };
    tally.add(await run(trace, { input, calls, fault }), { trace: traces[index]?.digest });
  }
  return { ...tally.rung("faults"), ...(untried === 0 ? {} : { untried }) };
}

function sum(a: TwinChanges, b: TwinChanges): TwinChanges {
  return {
    renamed: a.renamed + b.renamed,
    reordered: a.reordered + b.reordered,
    numbers: a.numbers + b.numbers,
  };
}

async function heldOutRung(
  draft: Verifiable,
  run: RunReplay,
  heldOut: readonly HeldOutRun[],
  texts: ReadonlySet<string>,
): Promise<Rung> {
  const tally = new Tally();
  let flows = 0;
  for (const each of heldOut) {
    const { trace, calls, idle, digest } = each;
    const input = inputOf(draft, each);
    flows += changedFlows({ trace, calls, input }, texts);
    tally.add(await run(trace, { input, calls, idle }), { trace: digest });
  }
  return { ...tally.rung("heldOut"), flows };
}

class Tally {
  #passed = 0;
  #of = 0;
  #first: Counterexample | undefined;

  add({ difference }: Replay, where: Omit<Counterexample, "difference">): void {
    this.#of++;
    if (!difference) this.#passed++;
    else this.#first ??= { ...where, difference };
  }

  rung(name: RungName): Rung {
    return rung(name, this.#passed, this.#of, this.#first);
  }
}

/** A rung with the lower bound of what holds. */
export function rung(name: RungName, passed: number, of: number, counterexample?: Counterexample): Rung {
  const { low } = successRate(passed, of);
  return { name, passed, of, low, ...(counterexample ? { counterexample } : {}) };
}

/** Numbers that the code speaks of must mean the same in a twin; where it may compute, all do. */
function keptNumbersOf({ plan, code }: Verifiable): KeptNumbers {
  if (computes(plan.steps) || computes(plan.output) || code !== skillCode(plan)) return "all";
  return new Set(numbersIn([plan.steps, plan.output.value]));
}

function computes(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(computes);
  if (!isJsonObject(value)) return false;
  const { kind, operator } = value;
  const isComputing = typeof operator === "string" || (typeof kind === "string" && COMPUTING.has(kind));
  return isComputing || Object.values(value).some(computes);
}

/** Expressions in which numbers mean more than that they are equal. */
const COMPUTING: ReadonlySet<string> = new Set(["arithmetic", "aggregate", "extreme"]);

/** The fields in which the skill looks for the least and the most, and by which it sorts. */
function comparedFields(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(comparedFields);
  if (!isJsonObject(value)) return [];
  const { kind, by, in: of } = value;
  const isOrder = (kind === "extreme" || kind === "sorted") && Array.isArray(by);
  // The name of a group stands in the field by which the groups are, and an element by itself in that of its list.
  const within = isJsonObject(of) ? (of["kind"] === "groups" ? of["by"] : of["path"]) : undefined;
  const isOwn = Array.isArray(by) && by.length > 0 && !(isJsonObject(of) && of["kind"] === "groups");
  const path = isOwn ? by : within;
  const own = isOrder && Array.isArray(path) ? path.slice(-1).map(String) : [];
  return [...own, ...Object.values(value).flatMap(comparedFields)];
}

function numbersIn(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  return isJsonObject(value) ? Object.values(value).flatMap(numbersIn) : [];
}
