import { subexpressions } from "../plan/expression.ts";
import type { Expression, Plan } from "../plan/plan.ts";
import { expressionsOf, namedSteps } from "../plan/steps.ts";

/**
 * Whether an answer tells what an expression gives, so that it may be missing in another one. What is called by a name
 * in `given` is the caller's, or a list that a loop has made.
 */
export function isAnswered(expression: Expression, given: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case "ref":
      return !given.has(expression.name);
    case "field":
      return isAnswered(expression.of, given);
    case "or":
      return isAnswered(expression.otherwise, given);
    case "find":
    case "extreme":
    case "only":
    case "nth":
      return true;
    case "constant":
    case "param":
    case "filter":
    case "groups":
    case "sorted":
    case "taken":
    case "numbered":
    case "values":
    case "entries":
    case "zip":
    case "map":
    case "flat":
    case "list":
    case "object":
    case "template":
    case "part":
    case "slug":
    case "cased":
    case "replaced":
    case "excerpt":
    case "rounded":
    case "cast":
    case "arithmetic":
    case "aggregate":
    case "join":
    case "date":
      return false;
  }
}

/** The elements of what the caller gives, and the lists that loops make. */
export function suppliedNames({ steps, output }: Pick<Plan, "steps" | "output">): ReadonlySet<string> {
  const expressions = [...steps.flatMap(expressionsOf), output.value].flatMap(subexpressions);
  const ofLoops = namedSteps(steps).flatMap((step) => {
    if (step.kind !== "loop") return [];
    const list = step.until ? [] : [step.name];
    return step.over.kind === "param" ? list.concat(step.item) : list;
  });
  const ofMaps = expressions.flatMap((part) =>
    part.kind === "map" && part.over.kind === "param" ? [part.item] : [],
  );
  return new Set(ofLoops.concat(ofMaps));
}

/** What in the arguments of a call may be, or hold, texts that the message of its failure repeats; each once. */
export function ownTexts(args: Expression): readonly Expression[] {
  const leaves = (part: Expression): readonly Expression[] => {
    if (part.kind === "object") return part.fields.flatMap(({ value }) => leaves(value));
    if (part.kind === "list") return part.items.flatMap(leaves);
    return part.kind === "constant" &&
      (typeof part.value !== "object" || part.value === null) &&
      typeof part.value !== "string"
      ? []
      : [part];
  };
  return [...new Map(leaves(args).map((part) => [JSON.stringify(part), part])).values()];
}
