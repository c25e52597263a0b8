import { isJsonObject, type Json } from "../../../core/json/json.ts";
import { subexpressions } from "../../plan/expression.ts";
import type { Expression, TracePath } from "../../plan/plan.ts";
import { type Path, valueAt } from "../../plan/values.ts";
import { type CallView, type DecisionLookup, pathCandidates } from "../flow-candidates.ts";
import type { KnownList } from "../selection/known-lists.ts";

const MAX_THINGS = 100;
const MAX_DEPTH = 3;

/** The lists in things that the task names, each found by that name: the members of a team. */
export function saidLists(
  view: CallView,
  place: TracePath,
  site: string,
  decisionFor: DecisionLookup,
): readonly KnownList[] {
  const { sample, before, names } = view;
  return [...sample.steps.slice(0, before).entries()].flatMap(([index, step]) => {
    if (names[index] === undefined) return [];
    return listPaths(step.value, [], isJsonObject)
      .filter(isOfNoText)
      .flatMap((things) =>
        (valueAt(step.value, things) as readonly Json[]).slice(0, MAX_THINGS).flatMap((thing, nth) => {
          if (!isNamed(thing, view)) return [];
          const at = [...things, nth];
          return listPaths(thing, [], () => true).flatMap((inside): readonly KnownList[] => {
            const list = valueAt(thing, inside) as readonly Json[];
            const found = pathCandidates(index, [...at, ...inside], view, place, site, decisionFor).find(
              ({ slots, isBelowHeading }) =>
                isBelowHeading !== true &&
                slots.every(({ value, isOptional }) => !isOptional && isSaid(value, view)),
            );
            const known = found ? namesIn(found.expression, thing) : [];
            if (!found || known.length === 0) return [];
            return [{ list, expression: found.expression, step, said: found.slots, names: known }];
          });
        }),
      );
  });
}

/** What stands below the headings of a text is known by these. */
function isOfNoText(path: Path): boolean {
  return path.at(-1) !== "sections";
}

/** Where lists stand that are not in another one. */
function listPaths(value: Json, path: Path, hasOf: (element: Json) => boolean): readonly Path[] {
  if (Array.isArray(value)) return value.length > 1 && value.every(hasOf) ? [path] : [];
  if (!isJsonObject(value) || path.length > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, each]) => listPaths(each, [...path, key], hasOf));
}

function isNamed(thing: Json, view: CallView): boolean {
  return isJsonObject(thing) && Object.values(thing).some((value) => isSaid(value, view));
}

function isSaid(value: Json, { sample: { task } }: CallView): boolean {
  return typeof value === "string" && task.says(value) && task.mentions(value);
}

/** What a thing is found by, which is not the same in every run. */
function namesIn(expression: Expression, thing: Json): NonNullable<KnownList["names"]> {
  const conditions = subexpressions(expression).flatMap((part) => (part.kind === "find" ? part.where : []));
  return conditions.flatMap((each) => {
    const value = "some" in each ? undefined : valueAt(thing, each.path);
    const isName = !("some" in each) && each.operator === undefined && each.equals.kind !== "constant";
    return isName && typeof value === "string" ? [{ expression: each.equals, value }] : [];
  });
}
