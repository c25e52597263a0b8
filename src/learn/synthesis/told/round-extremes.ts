import type { Json } from "../../../core/json/json.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Expression } from "../../plan/plan.ts";
import { extremeIndex } from "../../plan/quantities.ts";
import { jsonLeaves, type Path, valueAt } from "../../plan/values.ts";
import type { CallView } from "../flow-candidates.ts";
import { superlativeHint } from "../selection/superlative-words.ts";

const MAX_FIELDS = 40;

/**
 * What names the one element of an earlier loop's list of which a look told the least or the most, where the task speaks of
 * that: the largest file by what was answered for each. Undefined where it could be so by several things.
 */
export function extremeOfRounds(name: string, view: CallView): Expression | undefined {
  const isName = name.length > 2 && /\p{L}/u.test(name) && !view.sample.task.mentions(name);
  if (view.scope.length > 0 || !isName) return undefined;
  const found = view.sample.steps.slice(0, view.before).flatMap((loop, step): readonly Reading[] => {
    const [over, results] = [view.overs[step], view.names[step]];
    const isOfList =
      loop.kind === "loop" && !loop.given && !loop.until && !loop.fork && loop.beside === undefined;
    if (!isOfList || !over || results === undefined || !Array.isArray(loop.value)) return [];
    const answers: readonly Json[] = loop.value;
    const places = loop.elements.flatMap((element, index) =>
      [...jsonLeaves(element)].flatMap(([path, leaf]) => (leaf === name ? [{ index, path }] : [])),
    );
    const [place, ...others] = places.filter(({ path }) => path.every((part) => typeof part === "string"));
    if (!place || others.some(({ index }) => index !== place.index)) return [];
    const pairs: Expression = { kind: "zip", left: over, right: { kind: "ref", name: results } };
    return extremesAt(answers, place.index).flatMap(({ by, most, isTime }) => {
      const hint = superlativeHint(view.sample.trace.task, { by, most, isTime, among: answers.length });
      const one: Expression = { kind: "extreme", in: pairs, by: ["right", ...by], most };
      return hint > 0
        ? [{ hint, expression: fieldExpression(one, ["left", ...place.path.map(String)]) }]
        : [];
    });
  });
  const best = Math.max(...found.map(({ hint }) => hint));
  const [only, ...more] = found.filter(({ hint }) => hint === best);
  return more.length > 0 ? undefined : only?.expression;
}

interface Reading {
  readonly hint: number;
  readonly expression: Expression;
}

/** Of what the answer for an element has alone the least or the most. */
function extremesAt(
  answers: readonly Json[],
  index: number,
): readonly { readonly by: readonly string[]; readonly most: boolean; readonly isTime: boolean }[] {
  const leaves = [...jsonLeaves(answers[index] ?? null)].filter(([path]) => isPlain(path));
  return leaves.slice(0, MAX_FIELDS).flatMap(([path, own]) => {
    const values = answers.map((answer) => valueAt(answer, path));
    const most = [false, true].find((each) => extremeIndex(values, each) === index);
    const isAlone = values.filter((value) => value === own).length === 1;
    return most === undefined || !isAlone || answers.length < 2
      ? []
      : [{ by: path.map(String), most, isTime: typeof own === "string" }];
  });
}

function isPlain(path: Path): boolean {
  return path.length > 0 && path.length < 4 && path.every((part) => typeof part === "string");
}
