// With what a draft of one run is asked to do another: two callers, of whom one knows more than a caller can.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { leafTexts, valueTexts } from "../../src/learn/plan/value-texts.ts";
import type { Param, Plan } from "../../src/learn/plan/plan.ts";
import { isSame, leafText, jsonLeaves, TaskText, valueAt } from "../../src/learn/plan/values.ts";
import type { RecordedTrace } from "../../src/learn/recording/recorded-trace.ts";
import { parameterValues } from "../../src/learn/verify/parameter-values.ts";

/**
 * `told`: a name by which an element is found is given only where the run's task or its arguments tell it; else it is the
 * one of the run that was learned from, if the other's collection still has it. `chosen`: it is always that of the element
 * which the other run has chosen, though a caller may not know it.
 */
export const FILLINGS = ["told", "chosen"] as const;
export type Filling = (typeof FILLINGS)[number];

/** The input with which a draft of run A should do what run B did; what the skill would take anyway is left out. */
export function filledInput(
  { params }: Plan,
  a: RecordedTrace,
  b: RecordedTrace,
  filling: Filling,
): JsonObject {
  const chosen = parameterValues(params, a, b);
  const tells = tellsOf(b);
  return Object.fromEntries(
    params.flatMap((param) => {
      const own = chosen[param.name];
      const value = filling === "chosen" || !isDiscriminator(param) ? own : toldValue(param, own, b, tells);
      const isTaken =
        isSame(value, param.default) ||
        (param.sameAs !== undefined &&
          isSame(value, valueAt(b.calls[param.sameAs.call]?.args, param.sameAs.path)));
      return value === undefined || isTaken ? [] : [[param.name, value] as const];
    }),
  );
}

function isDiscriminator({ origins }: Param): boolean {
  return origins.length > 0 && origins.every(({ at }) => at === "result");
}

function toldValue(
  { example, origins }: Param,
  chosen: Json | undefined,
  b: RecordedTrace,
  tells: (value: Json) => boolean,
): Json | undefined {
  if (chosen !== undefined && tells(chosen)) return chosen;
  const calls = new Set(origins.map(({ call }) => b.calls[call]?.tool));
  const there = new Set(
    b.calls.flatMap(({ tool, result }) => (calls.has(tool) ? [...valueTexts(result)] : [])),
  );
  const isStillThere =
    example !== undefined && [...jsonLeaves(example)].every(([, leaf]) => there.has(leafText(leaf) ?? ""));
  return isStillThere ? example : undefined;
}

/** Whether the task says it, or an argument is it. */
function tellsOf({ task, calls }: RecordedTrace): (value: Json) => boolean {
  const said = new TaskText(task);
  const given = new Set(calls.flatMap(({ args }) => [...leafTexts(args)]));
  return (value) =>
    [...jsonLeaves(value)].every(([, leaf]) => {
      const text = leafText(leaf);
      return text === undefined || said.says(leaf) || given.has(text);
    });
}
