import { ok, type Result } from "../../core/result.ts";
import { OWN_TOOL, type Trace, type TraceEvent } from "../../core/trace-event.ts";
import type { CallStep, Plan, Step } from "../../learn/plan/plan.ts";
import { sidesOf, skillsOf, toolsOf } from "../../learn/plan/steps.ts";
import { mayWriteBy } from "../../learn/plan/tool-effects.ts";
import type { TraceStore, Usage } from "../../trace/trace-store.ts";
import type { Estimate, Estimated, ExportedSkill } from "../engine-adapter.ts";

export interface EstimateRooms {
  readonly traces: Pick<TraceStore, "runs" | "trace" | "usage">;
  /** Whether a tool is known to only read. */
  readonly isRead: (tool: string) => Promise<boolean>;
}

/** What a run on an engine is likely to take, from what was recorded here; what was never recorded is not made up. */
export async function estimateOf(
  engine: { readonly name: string; readonly all: ReadonlySet<string>; readonly isRunHere: boolean },
  { name, work }: ExportedSkill,
  digest: string | undefined,
  { traces, isRead }: EstimateRooms,
): Promise<Result<Estimate>> {
  // Every run of an engine tells what the engine adds; of the skill those tell that were of it as it is now.
  const recent = await traces.runs({ source: "run", status: "completed", limit: MOST_LOOKED_AT });
  if (!recent.ok) return recent;
  const own =
    digest === undefined
      ? ok({ runs: [] })
      : await traces.runs({ source: "run", status: "completed", name, limit: MOST_LOOKED_AT });
  if (!own.ok) return own;
  const ofSkill = own.value.runs.filter(({ skillDigest }) => skillDigest === digest);
  const ofEngine = recent.value.runs.filter(({ client }) => client === engine.name);
  const read = async (runs: readonly { readonly runId: string }[]): Promise<Result<readonly Trace[]>> => {
    const found: Trace[] = [];
    for (const { runId } of runs.slice(0, MOST_READ)) {
      const trace = await traces.trace(runId);
      if (!trace.ok) return trace;
      if (trace.value && (trace.value.lost ?? 0) === 0) found.push(trace.value);
    }
    return ok(found);
  };
  const [runs, engineRuns] = [await read(ofSkill), await read(ofEngine)];
  if (!runs.ok) return runs;
  if (!engineRuns.ok) return engineRuns;
  const facts = await Promise.all(runs.value.map(async (trace) => runFacts(trace, engine.all, isRead)));
  const added = engineRuns.value.flatMap((trace) => addedMs(trace) ?? []);
  const plan = work.kind === "plan" ? work.plan : undefined;
  const costs = facts.flatMap(({ cost }) => cost ?? []);
  const recorded = (key: "workMs" | "calls" | "writes"): Estimated | undefined =>
    spreadOf(facts.flatMap((fact) => fact[key] ?? []));
  const mayWrite = plan && mayWriteBy(plan.effects);
  const times = recorded("workMs");
  return ok({
    engine: engine.name,
    workMs: times ?? (await timeBySteps(plan, traces)),
    overheadMs:
      spreadOf(added) ??
      unknown(
        engine.isRunHere
          ? `no run on ${engine.name} is recorded`
          : `nothing here runs what is written for ${engine.name}`,
      ),
    calls: recorded("calls") ?? bySteps(plan, () => ONE),
    writes: recorded("writes") ?? bySteps(plan, ({ tool }) => (mayWrite?.(tool) === false ? NONE : ONE)),
    costUsd: spreadOf(costs) ?? unknown(`no recorded run tells what it cost`),
  });
}

interface RunFacts {
  /** Undefined: it is not told apart from what an engine has added. */
  readonly workMs: number | undefined;
  readonly calls: number;
  readonly writes: number;
  readonly cost: number | undefined;
}

async function runFacts(
  trace: Trace,
  engines: ReadonlySet<string>,
  isRead: EstimateRooms["isRead"],
): Promise<RunFacts> {
  const { events, client = "" } = trace;
  const made = events.filter(
    ({ eventType, eventSubtype }) => eventType === "tool_call" && eventSubtype !== OWN_TOOL,
  );
  const reads = await Promise.all(made.map(async ({ agentName = "" }) => isRead(agentName)));
  const costs = events.flatMap(({ cost }) => cost ?? []);
  return {
    workMs: engines.has(client) ? (made.length > 0 ? inCallsMs(trace) : undefined) : events[0]?.durationMs,
    calls: made.length,
    writes: reads.filter((each) => !each).length,
    cost: costs.length === 0 ? undefined : costs.reduce((sum, each) => sum + each, 0),
  };
}

/** What a run took beside its calls; undefined where that is not told. */
function addedMs(trace: Trace): number | undefined {
  const whole = trace.events[0]?.durationMs;
  return whole === undefined ? undefined : whole - inCallsMs(trace);
}

/** While some call of the run's root was at work. */
function inCallsMs({ events }: Trace): number {
  const [root] = events;
  const spans = events
    .filter(({ parentEventId, durationMs }) => parentEventId === root?.id && durationMs !== undefined)
    .toSorted((a, b) => a.timestamp - b.timestamp);
  let end = 0;
  return spans.reduce((sum, span) => {
    const last = endOf(span);
    const own = Math.max(0, last - Math.max(end, span.timestamp));
    end = Math.max(end, last);
    return sum + own;
  }, 0);
}

function endOf({ timestamp, durationMs = 0 }: TraceEvent): number {
  return timestamp + durationMs;
}

function spreadOf(values: readonly number[]): Estimated | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const [low, median, high] = [at(0.1), at(0.5), at(0.9)];
  return { kind: "known", from: "runs", samples: values.length, low, median, high };
}

function unknown(why: string): Estimated {
  return { kind: "unknown", why };
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

const NONE: Bounds = { low: 0, high: 0 };
const ONE: Bounds = { low: 1, high: 1 };

/** What the steps come to, with what each of their calls counts for. */
function bySteps(plan: Plan | undefined, of: (call: CallStep) => Bounds): Estimated {
  if (!plan) return unknown("no run of it as it is now is recorded, and its code does not tell");
  const told = boundsOf(plan.steps, of);
  return typeof told === "string"
    ? unknown(`no run of it as it is now is recorded, and how often "${told}" goes round is not known`)
    : { kind: "known", from: "steps", samples: 0, ...told };
}

/** From the least to the most; the name of a loop, where that decides. */
function boundsOf(steps: readonly Step[], of: (call: CallStep) => Bounds): Bounds | string {
  const sum = { ...NONE };
  for (const step of steps) {
    const own = stepBounds(step, of);
    if (typeof own === "string") return own;
    sum.low += own.low;
    sum.high += own.high;
  }
  return sum;
}

function stepBounds(step: Step, of: (call: CallStep) => Bounds): Bounds | string {
  switch (step.kind) {
    case "guard":
    case "choice":
      return NONE;
    case "call": {
      const { low, high } = of(step);
      return { low, high: high * (1 + (step.retried?.times ?? 0)) };
    }
    case "loop": {
      const round = boundsOf(step.steps, of);
      return typeof round === "string" || round.high === 0 ? round : step.name;
    }
    case "branch":
    case "switch": {
      const sides: Bounds[] = [];
      for (const side of sidesOf(step)) {
        const own = boundsOf(side.steps, of);
        if (typeof own === "string") return own;
        sides.push(own);
      }
      const first = step.kind === "branch" ? of(step.call) : NONE;
      return {
        low: first.low + Math.min(...sides.map(({ low }) => low)),
        high: first.high + Math.max(...sides.map(({ high }) => high)),
      };
    }
  }
}

/** By how long calls of the same tools took, from the sum of the medians to that of the 95th percentiles. */
async function timeBySteps(plan: Plan | undefined, traces: EstimateRooms["traces"]): Promise<Estimated> {
  if (!plan) return bySteps(plan, () => ONE);
  const usage = await traces.usage({ limit: MOST_TOOLS });
  if (!usage.ok) return unknown(usage.error.message);
  const called = [...toolsOf(plan.steps), ...skillsOf(plan.steps)];
  const lines = new Map(
    called.map((name) => [name, usage.value.find((line) => line.name === name && isTimed(line))]),
  );
  const [silent] = [...lines].flatMap(([name, line]) => (line ? [] : [name]));
  if (silent !== undefined)
    return unknown(`no run of it as it is now is recorded, and no call of "${silent}"`);
  const told = bySteps(plan, ({ tool }) => ({
    low: lines.get(tool)?.p50Ms ?? 0,
    high: lines.get(tool)?.p95Ms ?? 0,
  }));
  const samples = Math.min(...[...lines.values()].map((line) => line?.calls ?? 0));
  return told.kind === "known" && called.length > 0 ? { ...told, from: "calls", samples } : told;
}

function isTimed({ p50Ms, p95Ms }: Usage): boolean {
  return p50Ms !== undefined && p95Ms !== undefined;
}

/** The latest runs, among which those of the skill and of the engine are looked for. */
const MOST_LOOKED_AT = 500;
const MOST_READ = 50;
const MOST_TOOLS = 10_000;
