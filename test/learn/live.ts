import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { failure } from "../../src/core/error.ts";
import { fail, ok } from "../../src/core/result.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import type { Plan } from "../../src/learn/plan/plan.ts";
import type { Runner } from "../../src/runner/runner.ts";
import { skillSet } from "../runner/skill-set.ts";
import { type Told, traceOf } from "./learned.ts";

/** The tools of a made-up world: what they answer, or throw where they fail, by their names. */
export type WorldTools = Readonly<Record<string, (args: JsonObject) => Json>>;

/** What an agent has done in a world, as it was recorded. */
export function recordedIn(
  tools: WorldTools,
  task: string,
  agent: (call: (tool: string, args: JsonObject) => Json) => void,
): RecordedTrace {
  const calls: Told[] = [];
  agent((tool, args) => {
    const { result, error } = answered(tools, tool, args);
    calls.push(error === undefined ? [tool, args, result] : [tool, args, result, error]);
    return result;
  });
  return traceOf(task, calls, task);
}

function answered(tools: WorldTools, tool: string, args: JsonObject): { result: Json; error?: string } {
  try {
    return { result: tools[tool]?.(args) ?? null };
  } catch (error) {
    return { result: null, error: (error as Error).message };
  }
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
      const { result, error } = answered(tools, tool, args as JsonObject);
      return Promise.resolve(error === undefined ? ok(result) : fail(failure("TOOL_FAILED", error)));
    },
  });
  return root.outcome.ok ? made : [...made, `stops: ${root.outcome.error.message}`];
}
