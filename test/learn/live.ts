import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { ok } from "../../src/core/result.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import type { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { type Told, traceOf } from "./learned.ts";

/** The tools of a made-up world: what they answer, by their names. */
export type WorldTools = Readonly<Record<string, (args: JsonObject) => Json>>;

/** What an agent has done in a world, as it was recorded. */
export function recordedIn(
  tools: WorldTools,
  task: string,
  agent: (call: (tool: string, args: JsonObject) => Json) => void,
): RecordedTrace {
  const calls: Told[] = [];
  agent((tool, args) => {
    const result = tools[tool]?.(args) ?? null;
    calls.push([tool, args, result]);
    return result;
  });
  return traceOf(task, calls, task);
}

/** The calls that a plan's code makes in a world, as `tool {arguments}`; the last says with what it stopped. */
export async function callsIn(
  runner: Pick<Runner, "run">,
  plan: Plan,
  tools: WorldTools,
  input: JsonObject,
): Promise<readonly string[]> {
  const made: string[] = [];
  const { root } = await runner.run(skillSet({ learned: skillCode(plan) }), "learned", input, {
    callTool: (tool, args) => {
      made.push(`${tool} ${JSON.stringify(args)}`);
      return Promise.resolve(ok(tools[tool]?.(args as JsonObject) ?? null));
    },
  });
  return root.outcome.ok ? made : [...made, `stops: ${root.outcome.error.message}`];
}
