import type { RecordedCall, SourceTrace, RecordedTrace } from "../recording/recorded-trace.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { planInput } from "../verify/parameter-values.ts";
import type { BranchSide, BranchStep, CallStep, LoopStep, Plan, Step, SwitchStep } from "../plan/plan.ts";
import { namedSteps } from "../plan/steps.ts";
import { rawAnswer } from "../texts/readings.ts";
import { readAnswer } from "../texts/text-form.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { isSame } from "../plan/values.ts";
import {
  elementsOf,
  type EvaluationScope,
  listValue,
  computedValue,
  evaluate,
  fulfils,
  callResult,
  type TracedValue,
} from "./evaluate.ts";

/** One time that a step was done in a recorded run. */
export interface StepExecution {
  /** The recorded call; for a loop the first of its calls. */
  readonly call?: number | undefined;
  /** What was known before. */
  readonly scope: EvaluationScope;
}

/** What a plan's steps are in a recorded run, by their names; inside a loop, a turn for each round. */
export type RecordedRun = ReadonlyMap<string, readonly StepExecution[]>;

/** No step's name: under it stands what is known at the end. */
export const RETURN = "return";

/**
 * Follows a plan through a run that was recorded, without running its code. A call is the one with equal arguments; where
 * there is none, the next one of its tool.
 */
export function recordedRun(plan: Plan, source: SourceTrace, first: RecordedTrace): RecordedRun {
  const walk = new Walk(source);
  const refs = new Map<string, TracedValue>();
  const params = paramsIn(plan, source, first);
  for (const step of plan.steps) walk.step(step, { params, refs }, refs);
  return new Map([...walk.executions, [RETURN, [{ scope: { params, refs } }]]]);
}

/** The draft's input in a run. */
export function draftInput(plan: Plan, { trace, input }: SourceTrace, first: RecordedTrace): JsonObject {
  return input ?? planInput(plan, first, trace);
}

/** The calls of a run that the draft makes. */
export function draftCalls({ trace, calls }: SourceTrace): readonly number[] {
  return calls ?? keptCalls(trace).kept;
}

function paramsIn(plan: Plan, source: SourceTrace, first: RecordedTrace): EvaluationScope["params"] {
  const input = draftInput(plan, source, first);
  return new Map(plan.params.map((param) => [param.name, input[param.name] ?? param.default]));
}

class Walk {
  readonly executions = new Map<string, StepExecution[]>();
  readonly #trace: RecordedTrace;
  readonly #left: Set<number>;

  constructor(source: SourceTrace) {
    this.#trace = source.trace;
    this.#left = new Set(draftCalls(source));
  }

  step(step: Step, scope: EvaluationScope, refs: Map<string, TracedValue>): void {
    switch (step.kind) {
      case "guard":
      case "choice":
        return;
      case "call":
        refs.set(step.name, this.#call(step, scope));
        return;
      case "loop":
        refs.set(step.name, this.#loop(step, scope));
        return;
      case "branch":
        refs.set(step.name, this.#branch(step, scope, refs));
        return;
      case "switch":
        refs.set(step.name, this.#switch(step, scope, refs));
    }
  }

  #call(
    { name, tool, args, fails, reads = [] }: CallStep,
    scope: EvaluationScope,
    isMeant: (call: RecordedCall | undefined) => boolean = (call) =>
      (call?.error !== undefined) === (fails !== undefined),
  ): TracedValue {
    const before = { params: scope.params, refs: new Map(scope.refs) };
    const call = this.#take(tool, evaluate(args, before)?.value, isMeant);
    this.#turn(name, { call, scope: before });
    const made = this.#trace.calls[call ?? -1];
    if (call === undefined || made === undefined || made.error !== undefined) return computedValue(null);
    const answer = rawAnswer(made);
    return callResult(call, readAnswer(answer, reads) ?? answer);
  }

  /** The side that the run has taken: what its steps give is known in it, and what it gives after it. */
  #branch(
    { call, failed, succeeded }: BranchStep,
    scope: EvaluationScope,
    refs: Map<string, TracedValue>,
  ): TracedValue {
    refs.set(
      call.name,
      this.#call(call, scope, () => true),
    );
    const made = this.executions.get(call.name)?.at(-1)?.call;
    const side = this.#trace.calls[made ?? -1]?.error === undefined ? succeeded : failed;
    return this.#side(side, scope, refs);
  }

  #switch({ value, cases }: SwitchStep, scope: EvaluationScope, refs: Map<string, TracedValue>): TracedValue {
    const found = evaluate(value, { params: scope.params, refs })?.value;
    const side = cases.find(({ equals }) => isSame(equals, found));
    return side ? this.#side(side, scope, refs) : computedValue(null);
  }

  #side({ steps, gives }: BranchSide, scope: EvaluationScope, refs: Map<string, TracedValue>): TracedValue {
    for (const step of steps) this.step(step, scope, refs);
    return evaluate(gives, { params: scope.params, refs }) ?? computedValue(null);
  }

  #loop({ name, over, item, steps, gives, until }: LoopStep, scope: EvaluationScope): TracedValue {
    const before = { params: scope.params, refs: new Map(scope.refs) };
    const firsts = (this.executions.get(firstStep(steps)) ?? []).length;
    const given: TracedValue[] = [];
    for (const element of elementsOf(evaluate(over, before))) {
      const refs = new Map([...before.refs, [item, element]]);
      for (const step of steps) this.step(step, { params: scope.params, refs }, refs);
      const value = evaluate(gives, { params: scope.params, refs }) ?? computedValue(null);
      given.push(value);
      if (until && fulfils(value, until, before)) break;
    }
    const call = this.executions.get(firstStep(steps))?.[firsts]?.call;
    this.#turn(name, { call, scope: before });
    return until ? (given.at(-1) ?? computedValue(null)) : listValue(given);
  }

  #turn(name: string, turn: StepExecution): void {
    const known = this.executions.get(name);
    if (known) known.push(turn);
    else this.executions.set(name, [turn]);
  }

  #take(
    tool: string,
    args: Json | undefined,
    isMeant: (call: RecordedCall | undefined) => boolean,
  ): number | undefined {
    const { calls } = this.#trace;
    const all = [...this.#left].filter((index) => calls[index]?.tool === tool);
    const alike = all.filter((index) => isMeant(calls[index]));
    const ofTool = alike.length > 0 ? alike : all;
    const found = ofTool.find((index) => isSame(this.#trace.calls[index]?.args, args)) ?? ofTool[0];
    if (found !== undefined) this.#left.delete(found);
    return found;
  }
}

function firstStep(steps: readonly Step[]): string {
  const [first] = namedSteps(steps);
  return first?.name ?? "";
}
