import type { JsonObject } from "../../core/json/json.ts";
import { leavesOfPlan, refsIn } from "../edits/plan-leaves.ts";
import type { Plan } from "../plan/plan.ts";
import { planInput } from "../verify/parameter-values.ts";
import { type RecordedTrace, subTrace } from "../recording/recorded-trace.ts";
import { joinedEffects } from "../plan/tool-effects.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { synthesise, type Synthesis, type SynthesisOptions } from "../synthesis/synthesise.ts";
import { fitsBounds } from "../recording/trace-bounds.ts";
import type { LearnedSkill, Library } from "./library.ts";
import { toolsIn } from "./reuse.ts";
import { matchingInput, replayablePlan, type ReplayServices } from "./replay-search.ts";

/** A learned skill would do what was recorded too if it were a little more general. */
export interface Merge {
  readonly kind: "merge";
  readonly skill: string;
  /** What the skill would be. */
  readonly synthesis: Synthesis;
  /** What the plan was learned from and replays: the skill's own traces, then the new ones. */
  readonly traces: readonly RecordedTrace[];
  /** For each of these traces. */
  readonly inputs: readonly JsonObject[];
}

const MAX = { skills: 8, traces: 20 };
const BOUNDS = { calls: 500, size: 4_000_000 };

/** A plan that replays the traces and all those that a learned skill was learned from, or nothing. */
export async function mergeOf(
  traces: readonly RecordedTrace[],
  { learnedSkills = new Map() }: Library,
  services: ReplayServices,
  options: Pick<SynthesisOptions, "tools" | "effects"> = {},
): Promise<Merge | undefined> {
  const tools = new Set(traces.flatMap((trace) => toolsIn(trace)));
  const alike = [...learnedSkills]
    .filter(([, each]) => isLike(each, tools))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX.skills);
  for (const [skill, { plan, traces: own }] of alike) {
    const ownParts = own.map(({ trace, calls = keptCalls(trace).kept }) => subTrace(trace, calls));
    const all = [...ownParts, ...traces.map((trace) => subTrace(trace, keptCalls(trace).kept))];
    if (all.length > MAX.traces || !all.every((trace) => fitsBounds(trace, BOUNDS))) continue;
    const made = synthesise(all, {
      ...options,
      effects: joinedEffects(options.effects, plan.effects),
      name: skill,
    });
    // What derives less than the skill does other work: it would take from the skill's callers what it did for them.
    const isLess = made.ok && answersUsed(made.value.plan) < answersUsed(plan);
    const inputs = made.ok && !isLess ? await inputsFor(made.value, all, services) : undefined;
    if (made.ok && inputs) return { kind: "merge", skill, synthesis: made.value, traces: all, inputs };
  }
  return undefined;
}

/** How many arguments of a plan's calls come from answers. */
function answersUsed(plan: Plan): number {
  return leavesOfPlan(plan).filter(({ expression }) => refsIn(expression).length > 0).length;
}

function isLike({ traces: [first] }: LearnedSkill, tools: ReadonlySet<string>): boolean {
  return first !== undefined && new Set(toolsIn(first.trace)).symmetricDifference(tools).size === 0;
}

/** For each trace the input with which the plan replays it; nothing where it does not replay one of them. */
async function inputsFor(
  { plan, from }: Synthesis,
  traces: readonly RecordedTrace[],
  services: ReplayServices,
): Promise<readonly JsonObject[] | undefined> {
  const tried = replayablePlan(plan, services);
  const first = traces[from[0] ?? 0];
  if (!tried || !first) return undefined;
  const inputs: JsonObject[] = [];
  for (const trace of traces) {
    const input = planInput(plan, first, trace);
    const found = await matchingInput(tried, trace, [input], { wallMs: services.wallMs });
    if (!found) return undefined;
    inputs.push(found.input);
  }
  return inputs;
}
