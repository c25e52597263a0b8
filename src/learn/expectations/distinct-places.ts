import type { EvaluationScope } from "../edits/evaluate.ts";
import { refsIn } from "../edits/plan-leaves.ts";
import { subexpressions } from "../plan/expression.ts";
import { nameWords } from "../plan/names.ts";
import type { CallStep, Expression, GuardStep, LoopStep } from "../plan/plan.ts";
import { namedSteps } from "../plan/steps.ts";
import { countGuard, passedGuards } from "./count-guards.ts";

/**
 * Steps that stop before a loop of which two rounds would write to one place, or to two that differ in how they are written
 * alone: the later would put its text in place of the earlier. Each round's place is told by what its element has in one
 * field or several, which was another place in each round of all runs.
 */
export function distinctPlaceGuards(
  loop: LoopStep,
  mayWrite: (tool: string) => boolean,
  scopes: readonly EvaluationScope[],
): readonly GuardStep[] {
  const calls = namedSteps(loop.steps).filter((step) => step.kind === "call");
  const inner = new Set(calls.map(({ name }) => name));
  const places = calls
    .filter((call) => mayWrite(call.tool) && nameWords(call.tool).some((word) => WRITES.has(word)))
    .flatMap(placesOf)
    .filter((place) => refsIn(place).every((ref) => !inner.has(ref)));
  const guards = places.flatMap((place): readonly GuardStep[] => {
    const each = groupsOfRounds(place, loop);
    return each ? [countGuard(each, loop.over)] : [];
  });
  return passedGuards(guards, scopes);
}

/** What rounds are told apart by: one field of their elements, or the places that are made of several. */
function groupsOfRounds(place: Expression, { over, item }: LoopStep): Expression | undefined {
  const own = subexpressions(place).flatMap((each) =>
    each.kind === "field" && each.of.kind === "ref" && each.of.name === item ? [each.path] : [],
  );
  const [by] = own;
  if (!by) return undefined;
  if (new Set(own.map((path) => JSON.stringify(path))).size === 1) return { kind: "groups", in: over, by };
  return { kind: "groups", in: { kind: "map", over, item, value: place }, by: [] };
}

function placesOf({ args }: CallStep): readonly Expression[] {
  return args.kind === "object"
    ? args.fields.flatMap(({ name, value }) =>
        value.kind === "template" && PLACES.has(nameWords(name).at(-1) ?? "") ? [value] : [],
      )
    : [];
}

const WRITES: ReadonlySet<string> = new Set(
  "write create save put move rename copy upload export".split(" "),
);
const PLACES: ReadonlySet<string> = new Set("path destination dest target file filename to".split(" "));
