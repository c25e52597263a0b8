import type { JsonObject } from "../../core/json/json.ts";
import { planInput } from "../verify/parameter-values.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { idleCalls } from "../edits/idle-calls.ts";
import type { ToolEffect } from "../plan/tool-effects.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { fitsBounds } from "../recording/trace-bounds.ts";
import { likelyInputs } from "./likely-inputs.ts";
import { type Library, skillsFor } from "./library.ts";
import { matchingInput, type ReplayMatch, type ReplayServices, type SearchLimits } from "./replay-search.ts";

/** A skill does what was recorded: there is nothing to be learned. */
export interface Reuse {
  readonly kind: "reuse";
  readonly skill: string;
  /** For each trace, what the skill is called with to do it. */
  readonly inputs: readonly JsonObject[];
}

const MAX = { skills: 12, inputs: 40, traces: 50, ms: 20_000 };
const BOUNDS = { calls: 1000, size: 4_000_000 };

/** The skill that replays every one of the traces, but for what they have read in vain, or nothing. */
export async function reuseOf(
  traces: readonly RecordedTrace[],
  library: Library,
  services: ReplayServices,
  effects: readonly ToolEffect[] = [],
): Promise<Reuse | undefined> {
  if (traces.length === 0 || traces.length > MAX.traces) return undefined;
  if (!traces.every((trace) => fitsBounds(trace, BOUNDS))) return undefined;
  const idle = traces.map((trace) => idleCalls(trace, effects));
  const tools = new Set(traces.flatMap((trace, index) => toolsIn(trace, idle[index])));
  if (tools.size === 0) return undefined;
  const until = performance.now() + MAX.ms;
  for (const { skill } of skillsFor(tools, library).slice(0, MAX.skills)) {
    const inputs: JsonObject[] = [];
    for (const [index, trace] of traces.entries()) {
      const patience = { most: MAX.inputs, until, idle: idle[index] };
      const found = await inputFor(skill.name, trace, library, services, patience);
      if (!found) break;
      inputs.push(found.input);
    }
    if (inputs.length === traces.length) return { kind: "reuse", skill: skill.name, inputs };
  }
  return undefined;
}

/** The input with which a skill replays a trace: from its plan where that is known, else what its schema is likely to mean. */
export async function inputFor(
  name: string,
  trace: RecordedTrace,
  { skills, learnedSkills }: Library,
  services: ReplayServices,
  patience: Required<Pick<SearchLimits, "most" | "until">> & Pick<SearchLimits, "idle">,
): Promise<ReplayMatch | undefined> {
  const skill = skills.get(name);
  if (!skill) return undefined;
  const { plan, traces: [own] = [] } = learnedSkills?.get(name) ?? {};
  const replayable = { runner: services.runner, skills, name };
  const fromPlan = plan && own ? [planInput(plan, own.trace, trace)] : [];
  const options = { wallMs: services.wallMs, ...patience };
  return (
    (await matchingInput(replayable, trace, fromPlan, options)) ??
    (await matchingInput(replayable, trace, likelyInputs(skill.contract.input, trace), options))
  );
}

/** The tools that a trace's calls call, but for those that were tried again and some others. */
export function toolsIn(trace: RecordedTrace, without: readonly number[] = []): readonly string[] {
  const calls = keptCalls(trace).kept.filter((call) => !without.includes(call));
  return calls.map((call) => trace.calls[call]?.tool ?? "");
}
