import type { Json } from "../../../core/json/json.ts";
import { plainLine } from "../../../core/text/display-text.ts";
import { listed } from "../../../core/text/listed.ts";
import { refsIn } from "../../edits/plan-leaves.ts";
import { comparisonsIn, subexpressions } from "../../plan/expression.ts";
import { stateWords } from "../../plan/names.ts";
import type { Condition, Expression, Plan, Step } from "../../plan/plan.ts";
import { expressionsOf, namedSteps } from "../../plan/steps.ts";
import { TaskText } from "../../plan/values.ts";
import type { RecordedTrace } from "../../recording/recorded-trace.ts";
import type { Obstacle } from "./offer.ts";

/**
 * What the task leaves out (all but Ada's, unless it is pinned) where nothing that a plan looks at, calls or chooses by is
 * said in that: no element of its runs was so, and one that is would be taken like all others.
 */
export function untoldExceptions(plan: Plan, [trace]: readonly RecordedTrace[]): readonly Obstacle[] {
  const { steps } = plan;
  if (!trace || !namedSteps(steps).some(isChoosing)) return [];
  const decided = decidedWords(plan);
  const untold = new TaskText(trace.task).exceptions().filter((clause) => {
    const said = new TaskText(clause);
    return !decided.some((words) => said.mentions(words) || said.hintsAt(words));
  });
  if (untold.length <= (isToldByList(plan) ? 1 : 0)) return [];
  return [
    {
      reason: "untold-exception",
      text: `Its task leaves something out, of which its runs had nothing: ${listed(untold.map((each) => JSON.stringify(plainLine(each))))}.`,
      remedy: "Learn from a run in which there was something to leave out.",
    },
  ];
}

/** Whether one thing that is left out is what another list has, which was something in the runs. */
function isToldByList({ steps }: Plan): boolean {
  return steps
    .flatMap(expressionsOf)
    .flatMap(subexpressions)
    .some(
      (part) =>
        part.kind === "filter" && comparisonsIn(part.where).some(({ operator }) => operator === "not in"),
    );
}

/** Whether a step is about elements of what an answer told. */
function isChoosing(step: Step): boolean {
  const isOver = step.kind === "loop" && refsIn(step.over).length > 0;
  return (
    isOver ||
    expressionsOf(step)
      .flatMap(subexpressions)
      .some((part) => OF_ELEMENTS.has(part.kind) && refsIn(part).length > 0)
  );
}

const OF_ELEMENTS: ReadonlySet<Expression["kind"]> = new Set([
  "filter",
  "find",
  "extreme",
  "map",
  "groups",
  "aggregate",
]);

/** The words by which a plan decides: names of fields and arguments, and what stands there. */
function decidedWords({ steps, params }: Plan): readonly string[] {
  const examples = new Map(params.map(({ name, example }) => [name, example]));
  const names = (where: readonly Condition[]): readonly string[] =>
    where.concat(comparisonsIn(where)).flatMap(({ path }) => path.map(stateWords));
  const ends = namedSteps(steps).flatMap((step) => (step.kind === "loop" ? names(step.until ?? []) : []));
  const parts = steps.flatMap(expressionsOf).flatMap(subexpressions);
  const words = parts.flatMap((part): readonly (Json | undefined)[] => {
    if (part.kind === "constant") return [part.value];
    if (part.kind === "param") return [examples.get(part.name)];
    if (part.kind === "object") return part.fields.map(({ name }) => stateWords(name));
    if (part.kind === "field") return part.path.map(stateWords);
    return part.kind === "filter" || part.kind === "find" ? names(part.where) : [];
  });
  const isShort = (word: Json | undefined): word is string =>
    typeof word === "string" && word.length > 1 && word.length < MAX_WORDS;
  return [...ends, ...words].filter(isShort);
}

/** Longer texts speak of much. */
const MAX_WORDS = 60;
