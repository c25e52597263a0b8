import { stripTypes } from "../../../src/core/strip-types.ts";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { type Skill } from "../../../src/core/skill.ts";
import type { RecordedCall, RecordedTrace } from "../../../src/learn/recording/recorded-trace.ts";
import type { ReplayServices } from "../../../src/learn/reuse/replay-search.ts";
import type { Runner } from "../../../src/runner/runner.ts";
import { runner } from "../../shared-threads.ts";

/** A real sandbox in which plans and skills are tried. */
export const sandbox: ReplayServices & { readonly runner: Runner } = { runner, stripTypes };

/** A contract whose input has these properties, all required. */
export function takes(properties: Readonly<Record<string, JsonObject>>): Partial<Skill> {
  const input = { type: "object", properties, required: Object.keys(properties) };
  return { contract: { input, output: {}, source: { input: "literal", output: "untyped" } } };
}

type Call = readonly [tool: string, args: JsonObject, result: Json, rest?: Partial<RecordedCall>];

export function traceOf(id: string, task: string, ...calls: readonly Call[]): RecordedTrace {
  return { id, task, calls: calls.map(callOf) };
}

function callOf([tool, args, result, rest = {}]: Call): RecordedCall {
  return { tool, args, result, ...rest };
}
