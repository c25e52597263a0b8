import type { Expression } from "../../src/learn/plan/plan.ts";
import type { Synthesis } from "../../src/learn/synthesis/synthesise.ts";
import { subexpressions } from "../../src/learn/plan/expression.ts";
import { isLeaf, isSame, type Path, valueAt } from "../../src/learn/plan/values.ts";
import type { Json } from "../../src/core/json/json.ts";
import type { RecordedRun } from "../../test/learn/runs.ts";
import { hasName } from "../../src/learn/plan/steps.ts";

export interface EdgeCounts {
  found: number;
  missed: number;
  wrong: number;
}

/**
 * Compares the flows that the synthesis found in a run with those that an intervention showed. Only arguments that the
 * intervention changed can show anything: a flow into another one is neither right nor wrong.
 */
export function countEdges(
  counts: EdgeCounts,
  base: RecordedRun,
  twin: RecordedRun,
  synthesis: Synthesis,
): void {
  const gold = twin.gold ?? [];
  const flows = flowsOf(synthesis);
  const matched = new Set<number>();
  for (const flow of flows) {
    const index = gold.findIndex(({ to }) => to.call === flow.call && isPrefix(flow.path, to.path));
    if (index >= 0) {
      const isRight = gold[index]?.from.some(({ call }) => flow.sources.includes(call)) === true;
      if (isRight && !matched.has(index)) {
        matched.add(index);
        counts.found++;
      } else if (!isRight) counts.wrong++;
    } else if (hasChanged(base, twin, flow.call, flow.path)) counts.wrong++;
  }
  counts.missed += gold.length - matched.size;
}

interface Flow {
  readonly call: number;
  readonly path: Path;
  /** Calls whose results it is from. */
  readonly sources: readonly number[];
}

function flowsOf({ plan, choices }: Synthesis): readonly Flow[] {
  const calls = new Map<string, readonly number[]>();
  for (const choice of choices) calls.set(choice.step, choice.calls);
  for (const step of plan.steps)
    if (step.kind === "loop")
      calls.set(
        step.name,
        step.steps.flatMap((each) => (!hasName(each) ? [] : (calls.get(each.name) ?? []))),
      );
  return choices.flatMap(({ chosen, calls: at, path }) => {
    const sources = refsIn(chosen).flatMap((name) => calls.get(name) ?? []);
    return sources.length === 0 ? [] : at.map((call) => ({ call, path, sources }));
  });
}

function refsIn(expression: Expression): readonly string[] {
  return subexpressions(expression).flatMap((part) => (part.kind === "ref" ? [part.name] : []));
}

function isPrefix(path: Path, whole: Path): boolean {
  return path.every((part, index) => whole[index] === part);
}

function hasChanged(base: RecordedRun, twin: RecordedRun, call: number, path: Path): boolean {
  const at = (run: RecordedRun): Json | undefined => valueAt(run.trace.calls[call]?.args, path);
  const value = at(base);
  return value !== undefined && (isLeaf(value) ? value !== at(twin) : !isSame(value, at(twin)));
}
