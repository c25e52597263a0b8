import type { CallStep, Expression, Plan, Step } from "../plan/plan.ts";
import type { MayWrite } from "../plan/tool-effects.ts";
import { leavesOfStep, refsIn } from "../edits/plan-leaves.ts";
import { sidesOf, stepsWithin } from "../plan/steps.ts";
import type { UntrustedFlow } from "./view-types.ts";

/** Each way from what a tool has answered into a call that writes: such text was not written by whoever asks. */
export function untrustedFlows({ steps }: Pick<Plan, "steps">, writes: MayWrite): readonly UntrustedFlow[] {
  const answers = new Answers(steps);
  return answers.calls
    .filter(({ step }) => writes(step.tool))
    .flatMap(({ step, loops }) => {
      const often = loops.map((expression) => ({ path: [], expression }));
      return [...often, ...leavesOfStep(step)].flatMap(({ path, expression }) =>
        answers
          .of(expression)
          .map((from) => ({ from, fromTool: answers.toolOf(from), step: step.name, tool: step.tool, path })),
      );
    });
}

interface Call {
  readonly step: CallStep;
  /** What the loops go over that it is in. */
  readonly loops: readonly Expression[];
}

/** Whose answers expressions are made of. */
class Answers {
  readonly calls: readonly Call[];
  /** For elements and results of loops: what they are made of. */
  readonly #made = new Map<string, readonly Expression[]>();

  constructor(steps: readonly Step[]) {
    this.calls = this.#callsIn(steps, []);
  }

  /** The steps whose answers the expression uses. */
  of(expression: Expression, seen: ReadonlySet<string> = new Set()): readonly string[] {
    const found = refsIn(expression).flatMap((name): readonly string[] => {
      if (seen.has(name)) return [];
      const made = this.#made.get(name);
      return made ? made.flatMap((each) => this.of(each, new Set([...seen, name]))) : [name];
    });
    return [...new Set(found)];
  }

  toolOf(step: string): string {
    return this.calls.find((each) => each.step.name === step)?.step.tool ?? "";
  }

  #callsIn(steps: readonly Step[], loops: readonly Expression[]): readonly Call[] {
    return steps.flatMap((step): readonly Call[] => {
      switch (step.kind) {
        case "guard":
        case "choice":
          return [];
        case "call":
          return [{ step, loops }];
        case "loop":
          this.#made.set(step.item, [step.over]);
          this.#made.set(step.name, [step.gives]);
          return this.#callsIn(step.steps, [...loops, step.over]);
        case "branch":
        case "switch":
          this.#made.set(
            step.name,
            sidesOf(step).map(({ gives }) => gives),
          );
          return this.#callsIn(stepsWithin(step), loops);
      }
    });
  }
}
