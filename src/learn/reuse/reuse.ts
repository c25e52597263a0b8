import type { JsonObject } from "../../core/json/json.ts";
import { parameterValues } from "../verify/parameter-values.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { isWithin } from "./bounds.ts";
import { likelyInputs } from "./likely-inputs.ts";
import { type Library, skillsFor } from "./library.ts";
import { foundInput, type Found, type Trial } from "./replay-search.ts";

/** A skill does what was recorded: there is nothing to be learned. */
export interface Reuse {
  readonly kind: "reuse";
  readonly skill: string;
  /** For each trace, what the skill is called with to do it. */
  readonly inputs: readonly JsonObject[];
}

const MOST = { skills: 12, inputs: 40, traces: 50, ms: 20_000 };
const BOUNDS = { calls: 1000, size: 4_000_000 };

/** The skill that replays every one of the traces, or nothing. */
export async function reuseOf(
  traces: readonly RecordedTrace[],
  library: Library,
  trial: Trial,
): Promise<Reuse | undefined> {
  if (traces.length === 0 || traces.length > MOST.traces) return undefined;
  if (!traces.every((trace) => isWithin(trace, BOUNDS))) return undefined;
  const tools = new Set(traces.flatMap(toolsIn));
  if (tools.size === 0) return undefined;
  const until = performance.now() + MOST.ms;
  for (const { skill } of skillsFor(tools, library).slice(0, MOST.skills)) {
    const inputs: JsonObject[] = [];
    for (const trace of traces) {
      const found = await inputFor(skill.name, trace, library, trial, { most: MOST.inputs, until });
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
  { skills, learned }: Library,
  trial: Trial,
  patience: { readonly most: number; readonly until: number },
): Promise<Found | undefined> {
  const skill = skills.get(name);
  if (!skill) return undefined;
  const { plan, traces: [own] = [] } = learned?.get(name) ?? {};
  const replayable = { runner: trial.runner, skills, name };
  const fromPlan = plan && own ? [parameterValues(plan.params, own.trace, trace)] : [];
  const options = { wallMs: trial.wallMs, ...patience };
  return (
    (await foundInput(replayable, trace, fromPlan, options)) ??
    (await foundInput(replayable, trace, likelyInputs(skill.contract.input, trace), options))
  );
}

/** The tools that a trace's calls call, but for those that were tried again. */
export function toolsIn(trace: RecordedTrace): readonly string[] {
  return keptCalls(trace).kept.map((call) => trace.calls[call]?.tool ?? "");
}
