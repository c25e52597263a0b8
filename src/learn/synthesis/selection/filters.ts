import { fieldExpression } from "../../plan/expression.ts";
import type { Json } from "../../../core/json/json.ts";
import type { Condition, Expression, Origin } from "../../plan/plan.ts";
import { chosenElements } from "../../recording/elements/chosen-elements.ts";
import { type Separation, separations } from "../../recording/elements/separations.ts";
import { placeInCalls, type SampleLoop } from "../../recording/sample-step.ts";
import { valueAt } from "../../plan/values.ts";
import {
  type Candidate,
  type CallView,
  type DecisionLookup,
  pathCandidates,
  type SlotValue,
} from "../flow-candidates.ts";

const MAX_WAYS = 3;
/** Of a condition of which the task speaks. */
const SAID = 1;

/**
 * The conditions that tell the elements for which rounds were made from the others of their list, each as the list that the
 * loop goes over.
 */
export function filters(
  loop: SampleLoop,
  view: CallView,
  site: string,
  decisionFor: DecisionLookup,
): readonly Candidate[] {
  const fields = loop.given?.fields ?? [];
  const columns = fields.map(({ name }) =>
    loop.elements.map((element) => (fields.length === 1 ? element : (valueAt(element, [name]) ?? null))),
  );
  const { sample, before } = view;
  const found = chosenElements(columns, sample.steps.slice(0, before), sample.valueIndex);
  if (!found) return [];
  const { step, path, elements, chosen, inside } = found;
  const values = fields.map(({ name }, index) => ({
    name,
    value: fieldExpression(EACH, inside[index] ?? []),
  }));
  const [only] = values;
  const value: Expression = values.length === 1 && only ? only.value : { kind: "object", fields: values };
  const decided = (each: Json): Expression | undefined =>
    decisionFor(view, each) ?? toldBefore(each, view, step);
  const known = separations(elements, chosen, sample.task, (each) => decided(each) !== undefined);
  const ways = pathCandidates(step, path, view, { call: view.call, path: [] }, site, decisionFor);
  return ways.slice(0, MAX_WAYS).flatMap((way) =>
    known.map((separation): Candidate => {
      const [index = 0] = chosen;
      const place = placeOf(separation, elements[index] ?? null);
      const source = sample.steps[step];
      const origin = source && place && placeInCalls(source, [...path, index, ...place]);
      const origins = origin ? [Object.assign({}, origin, { at: "result" as const })] : [];
      const { condition, slots } = conditionOf(separation, origins, site, decided);
      const over: Expression = { kind: "filter", in: way.expression, where: [condition] };
      return Object.assign({}, way, {
        expression: { kind: "map" as const, over, item: "each", value },
        slots: way.slots.concat(slots),
        score: separation.isSaid ? SAID : 0,
        why: "these are the elements for which something holds",
      });
    }),
  );
}

/** A value that an answer before tells at a fixed place. */
function toldBefore(
  value: Json,
  { sample, before, names }: CallView,
  except: number,
): Expression | undefined {
  const found = sample.valueIndex.fixedPlace(value, except);
  const name = found && found.step < before ? names[found.step] : undefined;
  return found && name !== undefined
    ? fieldExpression({ kind: "ref", name }, found.path.map(String))
    : undefined;
}

/** The conditions with which a search ended, as a filter of what its rounds gave. */
export function searchConditions(
  { until = [], rounds, value }: SampleLoop,
  site: string,
): Candidate & { readonly where: readonly Condition[] } {
  const found = until.map((separation) => {
    const path = placeOf(separation, value);
    const origins = path ? [{ call: rounds.at(-1)?.[0] ?? 0, at: "result" as const, path }] : [];
    return conditionOf(separation, origins, site, () => undefined);
  });
  const where = found.map(({ condition }) => condition);
  return {
    expression: { kind: "filter", in: EACH, where },
    where,
    slots: found.flatMap(({ slots }) => slots),
    score: SAID,
    why: "the search ended with what the task speaks of",
    place: "[]",
    affinity: 0,
    isNear: true,
  };
}

export function isSaid({ uses }: { readonly uses: readonly Candidate[] }): boolean {
  return uses.every(({ score }) => score >= SAID);
}

const EACH: Expression = { kind: "ref", name: "each" };

function conditionOf(
  { path, inner, operator, value, isSaid: isTold }: Separation,
  origins: readonly Origin[],
  site: string,
  decided: (value: Json) => Expression | undefined,
): { readonly condition: Condition; readonly slots: readonly SlotValue[] } {
  const known = isTold && operator === undefined ? decided(value) : undefined;
  const slot = `${site}|${[...path, ...(inner ?? [])].join(".")}`;
  const field = `${inner?.at(-1) ?? path.at(-1) ?? "value"}${operator === undefined ? "" : "_limit"}`;
  const constant: Expression = { kind: "constant", value };
  const equals = isTold ? (known ?? ({ kind: "param", name: slot } as const)) : constant;
  const compared = { path: inner ?? path, ...(operator ? { operator } : {}), equals };
  return {
    condition: inner ? { path, some: [compared] } : compared,
    slots: isTold && !known ? [{ slot, field, value, origins, isOptional: false }] : [],
  };
}

/** Where in an element the value stands by which it is told. */
function placeOf(
  { path, inner, operator, value }: Separation,
  element: Json,
): readonly (string | number)[] | undefined {
  if (operator !== undefined) return undefined;
  if (!inner) return path;
  const list = valueAt(element, path);
  const index = Array.isArray(list) ? list.findIndex((each) => valueAt(each, inner) === value) : -1;
  return index < 0 ? undefined : [...path, index, ...inner];
}
