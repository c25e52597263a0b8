import { subexpressions } from "./expression.ts";
import type { CallStep, Expression, Plan, Step } from "./plan.ts";
import { expressionsOf, hasName } from "./steps.ts";

/** Whether a call may change the world: by its tool, or by what it is. */
type MayWriteStep = (tool: string, step: CallStep) => boolean;

/**
 * The names of the steps, in their order, that only read and that nothing uses, no open question either, found backwards
 * from the output and from what may change the world: those inside a loop too, where the loop itself is of use.
 */
export function idleSteps(
  { steps, output, questions = [] }: Pick<Plan, "steps" | "output" | "questions">,
  mayWrite: MayWriteStep,
): readonly string[] {
  const used = new Set(questions.flatMap(({ reads = [] }) => reads));
  const idle: string[] = [];
  const use = (expression: Expression): void => {
    for (const part of subexpressions(expression)) if (part.kind === "ref") used.add(part.name);
  };
  const look = (within: readonly Step[]): void => {
    for (const step of within.toReversed()) {
      if (hasName(step) && isReading(step, mayWrite) && !used.has(step.name)) {
        idle.push(step.name);
      } else if (step.kind === "loop") {
        use(step.over);
        // What a round gives is of use where what the loop gives is.
        if (used.has(step.name)) use(step.gives);
        look(step.steps);
      } else for (const expression of expressionsOf(step)) use(expression);
    }
  };
  use(output.value);
  look(steps);
  return idle.toReversed();
}

function isReading(step: Step, mayWrite: MayWriteStep): boolean {
  switch (step.kind) {
    case "call":
      return step.fails === undefined && !mayWrite(step.tool, step);
    case "loop":
      return step.steps.every((each) => isReading(each, mayWrite));
    case "guard":
    case "choice":
    case "branch":
    case "switch":
      return false;
  }
}
