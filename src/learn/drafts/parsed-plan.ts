import * as z from "zod";
import { isJsonObject } from "../../core/json/json.ts";
import { recordedRun } from "../edits/recorded-run.ts";
import { failureKind } from "../plan/failure-kind.ts";
import { PLAN, type Plan, type Step } from "../plan/plan.ts";
import { hasName, namedSteps } from "../plan/steps.ts";
import type { SourceTrace } from "../recording/recorded-trace.ts";
import { parsedFile } from "./draft.ts";

/** Reads the plan of a draft that was learned from the runs, or says what is wrong with it. */
export function parsedPlan(content: string, runs: readonly SourceTrace[]): Plan | { readonly fault: string } {
  const plan = parsedFile(content, PLAN_WITH_OLD_STEPS);
  if ("fault" in plan) return plan;
  const untold = namedSteps(plan.steps).find((step) => step.kind === "call" && step.fails === UNTOLD);
  return untold ? withRecordedKinds(plan, runs) : plan;
}

/** Plans once said only that a call may fail, not in which way. */
const PLAN_WITH_OLD_STEPS = z.preprocess((plan) => {
  if (!isJsonObject(plan) || !Array.isArray(plan["steps"])) return plan;
  return { ...plan, steps: plan["steps"].map(stepOfToday) };
}, PLAN);

function stepOfToday(step: unknown): unknown {
  if (!isJsonObject(step)) return step;
  const { mayFail, steps, ...rest } = step;
  return {
    ...rest,
    ...(Array.isArray(steps) ? { steps: steps.map(stepOfToday) } : {}),
    ...(mayFail === true ? { fails: UNTOLD } : {}),
  };
}

const UNTOLD = "";

/** The plan in which each call that has failed in the runs fails as it did there. */
function withRecordedKinds(plan: Plan, runs: readonly SourceTrace[]): Plan | { readonly fault: string } {
  const [first] = runs;
  const walks = runs.map((run) => ({ run, steps: recordedRun(plan, run, (first ?? run).trace) }));
  const kindOf = (name: string): string | undefined => {
    for (const { run, steps } of walks)
      for (const { call = -1 } of steps.get(name) ?? []) {
        const { error, args } = run.trace.calls[call] ?? {};
        if (error !== undefined) return failureKind(error, args);
      }
    return undefined;
  };
  const kinds = new Map(
    namedSteps(plan.steps).flatMap((step) =>
      step.kind === "call" && step.fails === UNTOLD ? [[step.name, kindOf(step.name)] as const] : [],
    ),
  );
  const [untold] = [...kinds].find(([, kind]) => kind === undefined || kind === UNTOLD) ?? [];
  if (untold !== undefined)
    return { fault: `the step "${untold}" may fail, and no recorded run tells how: extract the draft again` };
  const told = (steps: readonly Step[]): readonly Step[] =>
    steps.map((step) => {
      if (!hasName(step) || step.kind === "branch" || step.kind === "switch") return step;
      if (step.kind === "loop") return { ...step, steps: told(step.steps) };
      return step.fails === UNTOLD ? { ...step, fails: kinds.get(step.name) } : step;
    });
  return { ...plan, steps: told(plan.steps) };
}
