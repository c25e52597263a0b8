import { expect } from "vitest";
import { inputFor } from "./filling.ts";
import type { Replayer } from "./replay.ts";
import type { JsonObject, Json } from "../../src/core/json/json.ts";
import type { RecordedCall, RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { soundsReading, type ToolEffect } from "../../src/learn/plan/tool-effects.ts";
import { skillCode } from "../../src/learn/codegen/skill-code.ts";
import { synthesise, type Synthesis, type SynthesisOptions } from "../../src/learn/synthesis/synthesise.ts";

/** `[tool, arguments, result]`, or with an error as the fourth. */
export type Told = readonly [tool: string, args: JsonObject, result: Json, error?: string];

export function traceOf(task: string, calls: readonly Told[], id = "run"): RecordedTrace {
  return {
    id,
    task,
    calls: calls.map(([tool, args, result, error]): RecordedCall => ({
      tool,
      args,
      result,
      ...(error === undefined ? {} : { error }),
    })),
  };
}

/** As if servers said that tools only read whose names sound so. */
export function soundEffects(traces: readonly RecordedTrace[]): readonly ToolEffect[] {
  const tools = new Set(traces.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  return [...tools].map((tool) => ({
    tool,
    operation: soundsReading(tool) ? "READ" : "WRITE",
    by: "server",
  }));
}

export function learned(traces: readonly RecordedTrace[], options: SynthesisOptions = {}): Synthesis {
  const made = synthesise(traces, { effects: soundEffects(traces), ...options });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

/** The skill's code, after it has replayed each of the runs. */
export async function replayed(
  replayer: Replayer,
  synthesis: Synthesis,
  from: RecordedTrace,
  runs: readonly RecordedTrace[],
): Promise<string> {
  const code = skillCode(synthesis.plan);
  for (const run of runs) {
    const { fault } = await replayer.replay(code, inputFor(synthesis.plan, from, run), run);
    expect(fault, `${run.id}\n${code}`).toBeUndefined();
  }
  return code;
}

export function paramNames({ plan }: Synthesis): readonly string[] {
  return plan.params.map(({ name }) => name);
}
