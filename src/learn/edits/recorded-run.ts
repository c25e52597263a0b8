import type { Json, JsonObject } from "../../core/json/json.ts";
import type { OwnTrace } from "../verify/verification.ts";
import { parameterValues } from "../verify/parameter-values.ts";
import type { CallStep, LoopStep, Plan, Step } from "../plan/plan.ts";
import type { RecordedTrace } from "../recording/recorded-call.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import { isSame } from "../plan/values.ts";
import { elementsOf, type Known, list, made, meaningOf, resultOf, type Seen } from "./evaluate.ts";

/** A trace that a draft was learned from. */
export type Learned = Omit<OwnTrace, "digest">;

/** One time that a step was done in a recorded run. */
export interface Turn {
  /** The recorded call; for a loop the first of its calls. */
  readonly call?: number | undefined;
  /** What was known before. */
  readonly known: Known;
}

/** What a plan's steps are in a recorded run, by their names; inside a loop, a turn for each round. */
export type RecordedRun = ReadonlyMap<string, readonly Turn[]>;

/** No step's name: under it stands what is known at the end. */
export const RETURN = "return";

/**
 * Follows a plan through a run that was recorded, without running its code. A call is the one with equal arguments; where
 * there is none, the next one of its tool.
 */
export function recordedRun(plan: Plan, learned: Learned, first: RecordedTrace): RecordedRun {
  const walk = new Walk(learned);
  const refs = new Map<string, Seen>();
  const params = paramsIn(plan, learned, first);
  for (const step of plan.steps) walk.step(step, { params, refs }, refs);
  return new Map([...walk.turns, [RETURN, [{ known: { params, refs } }]]]);
}

/** The draft's input in a run. */
export function inputOf(plan: Plan, { trace, input }: Learned, first: RecordedTrace): JsonObject {
  return input ?? parameterValues(plan.params, first, trace);
}

/** The calls of a run that the draft makes. */
export function madeCalls({ trace, calls }: Learned): readonly number[] {
  return calls ?? keptCalls(trace).kept;
}

function paramsIn(plan: Plan, learned: Learned, first: RecordedTrace): Known["params"] {
  const input = inputOf(plan, learned, first);
  return new Map(plan.params.map((param) => [param.name, input[param.name] ?? param.default]));
}

class Walk {
  readonly turns = new Map<string, Turn[]>();
  readonly #trace: RecordedTrace;
  readonly #left: Set<number>;

  constructor(learned: Learned) {
    this.#trace = learned.trace;
    this.#left = new Set(madeCalls(learned));
  }

  step(step: Step, known: Known, refs: Map<string, Seen>): void {
    switch (step.kind) {
      case "guard":
        return;
      case "call":
        refs.set(step.name, this.#call(step, known));
        return;
      case "loop":
        refs.set(step.name, this.#loop(step, known));
    }
  }

  #call({ name, tool, args }: CallStep, known: Known): Seen {
    const before = { params: known.params, refs: new Map(known.refs) };
    const call = this.#take(tool, meaningOf(args, before)?.value);
    this.#turn(name, { call, known: before });
    const { result = null, error } = this.#trace.calls[call ?? -1] ?? {};
    return call === undefined || error !== undefined ? made(null) : resultOf(call, result);
  }

  #loop({ name, over, item, steps, gives }: LoopStep, known: Known): Seen {
    const before = { params: known.params, refs: new Map(known.refs) };
    const firsts = (this.turns.get(firstStep(steps)) ?? []).length;
    const given = elementsOf(meaningOf(over, before)).map((element) => {
      const refs = new Map([...before.refs, [item, element]]);
      for (const step of steps) this.step(step, { params: known.params, refs }, refs);
      return meaningOf(gives, { params: known.params, refs }) ?? made(null);
    });
    const call = this.turns.get(firstStep(steps))?.[firsts]?.call;
    this.#turn(name, { call, known: before });
    return list(given);
  }

  #turn(name: string, turn: Turn): void {
    const known = this.turns.get(name);
    if (known) known.push(turn);
    else this.turns.set(name, [turn]);
  }

  #take(tool: string, args: Json | undefined): number | undefined {
    const ofTool = [...this.#left].filter((index) => this.#trace.calls[index]?.tool === tool);
    const found = ofTool.find((index) => isSame(this.#trace.calls[index]?.args, args)) ?? ofTool[0];
    if (found !== undefined) this.#left.delete(found);
    return found;
  }
}

function firstStep(steps: readonly Step[]): string {
  const [first] = steps;
  return first && first.kind !== "guard" ? first.name : "";
}
