import type { Json } from "../../core/json/json.ts";
import { evaluate, type EvaluationScope } from "../edits/evaluate.ts";
import type { Expression, GuardStep, LoopStep, Plan } from "../plan/plan.ts";
import { namedSteps } from "../plan/steps.ts";
import { jsonLeaves, type TaskText, valueAt } from "../plan/values.ts";
import { countGuard } from "./count-guards.ts";

/**
 * A step that stops before a loop that acts on all of some things, where one of these does not say that it is such a thing:
 * the task asks for all invoices, and `Invoice` stood in each element of the list, in those on which nothing was done, too.
 */
export function kindGuards(
  { over, steps }: LoopStep,
  tasks: readonly TaskText[],
  mayWrite: (tool: string) => boolean,
  scopes: readonly EvaluationScope[],
  params: Plan["params"],
): readonly GuardStep[] {
  const acts = namedSteps(steps).some((step) => step.kind === "call" && mayWrite(step.tool));
  const whole = over.kind === "filter" ? over.in : over;
  const lists = scopes.map((scope) => evaluate(whole, scope)?.value);
  const elements = lists.flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []));
  const [first = null] = elements;
  if (!acts || tasks.length === 0 || elements.length < MIN_ELEMENTS) return [];
  for (const [path, leaf] of jsonLeaves(first)) {
    const at = path.every((part) => typeof part === "string") ? path : [];
    if (typeof leaf !== "string" || at.length < path.length) continue;
    const word = (leaf.match(/\p{L}{4,}/gu) ?? []).find(
      (each) =>
        tasks.every((task) => task.isAboutAll(each)) &&
        !params.some(({ example }) => isOneWord(example, each)) &&
        elements.every((element) => hasWord(valueAt(element, at) ?? null, each)),
    );
    if (word !== undefined) return [guardOf(over, at, word)];
  }
  return [];
}

/** Fewer have a word by chance. */
const MIN_ELEMENTS = 3;

/** What the caller says is another in another run. */
function isOneWord(example: Json | undefined, word: string): boolean {
  if (typeof example !== "string") return false;
  const [own, ...others] = example.match(/[\p{L}\p{N}/]+/gu) ?? [];
  return others.length === 0 && own?.toLowerCase() === word.toLowerCase();
}

function hasWord(value: Json, word: string): boolean {
  return (
    typeof value === "string" && new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "u").test(value)
  );
}

function guardOf(over: Expression, path: readonly string[], word: string): GuardStep {
  const such: Expression = {
    kind: "filter",
    in: over,
    where: [{ path, operator: "contains", equals: { kind: "constant", value: word } }],
  };
  return countGuard(such, over);
}
