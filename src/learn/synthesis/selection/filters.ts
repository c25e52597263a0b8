import { askedOfStep } from "../../recording/elements/spoken-lists.ts";
import { comparisons, ownComparisons } from "./comparisons.ts";
import { memberships } from "./memberships.ts";
import { fieldExpression } from "../../plan/expression.ts";
import type { Json } from "../../../core/json/json.ts";
import type { Condition, Expression, Origin } from "../../plan/plan.ts";
import { type ChosenElements, chosenElements } from "../../recording/elements/chosen-elements.ts";
import { arePartedByAmount, isDayOperator } from "../../plan/quantities.ts";
import { type PartedRounds, saidParting } from "../../recording/parted-rounds.ts";
import type { Sample } from "../../recording/sample.ts";
import {
  isHintedAt,
  type Separation,
  separations,
  separationsTogether,
  tellsKind,
} from "../../recording/elements/separations.ts";
import { placeInCalls, type SampleLoop, type SampleStep } from "../../recording/sample-step.ts";
import { isEntityName, isSame, isState, leafText, type Path, valueAt } from "../../plan/values.ts";
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
/** Of all such conditions, where every element of the list fulfils them. */
const ALL_SAID = 2;

/**
 * The conditions that tell the elements for which rounds were made from the others of their list, each as the list that the
 * loop goes over. Where they were made for all elements, the conditions that all of these fulfil: alone, and all together of
 * which the task speaks.
 */
export function filters(
  loop: SampleLoop,
  view: CallView,
  site: string,
  decisionFor: DecisionLookup,
): readonly Candidate[] {
  // Groups are all there are.
  const found = loop.groupedBy ? undefined : loop.given ? chosenOf(loop, view) : wholeOf(loop);
  if (!found) return [];
  const { sample } = view;
  const { step, path, elements, chosen, value } = found;
  const source = sample.steps[step];
  const decided = (each: Json): Expression | undefined =>
    decisionFor(view, each) ?? toldBefore(each, view, step);
  const asked = chosen.length === elements.length ? askedOfStep(source, sample.trace.calls) : undefined;
  const isDecided = (each: Json): boolean => decided(each) !== undefined;
  const known = separations(elements, chosen, sample.task, isDecided).filter(
    (separation) => asked === undefined || !isAsked(separation, asked),
  );
  const together = asked
    ? []
    : separationsTogether(elements, chosen, sample.task, isDecided, askedOfStep(source, sample.trace.calls));
  const said = known.filter((separation) => separation.isSaid);
  const shared = asked ? [] : saidOfAll(elements, source, view);
  // Of what the task says in other words, or what is the kind of all, only one thing can be meant.
  const unsaid = asked || said.length > 0 ? [] : known;
  const inOtherWords = unsaid.filter((each) => isHintedAt(each, sample.task));
  const hinted = inOtherWords.length > 0 ? inOtherWords : unsaid.filter(tellsKind);
  const groups = known.map((separation): readonly Separation[] => {
    if (separation.isSaid) return [separation];
    const isMeant = hinted.length === 1 && hinted[0] === separation;
    return [isMeant ? { ...separation, isSaid: true, isHinted: true } : separation, ...shared];
  });
  // What an earlier answer tells may be meant by it, and not by what it is in this run.
  const told: (readonly Separation[])[] = known.flatMap((separation) =>
    !separation.isSaid &&
    separation.operator === undefined &&
    isName(separation.value) &&
    decided(separation.value)
      ? [[{ ...separation, isSaid: true }]]
      : [],
  );
  const isTold = (group: readonly Separation[]): boolean =>
    group === together || (together.length === 0 && group[0]?.isSaid === true && !told.includes(group));
  groups.push(...told);
  if (together.length > 0) groups.push(together);
  if (asked && said.length > 1) groups.push(said);
  const of = loop.given ? { step, path } : loop;
  const ways = collectionWays(of, view, site, decisionFor).slice(0, MAX_WAYS);
  const roundsOf = (over: Expression): Expression =>
    value ? { kind: "map", over, item: "each", value } : over;
  const filtered = (list: Expression, where: readonly Condition[]): Expression =>
    roundsOf({ kind: "filter", in: list, where });
  const listed = memberships(elements, view).filter((each) => isSame([...each.chosen], [...chosen]));
  const members = ways.flatMap((way) =>
    listed.map(({ pick, isSaid: isTold, isUntested, isLoose }): Candidate =>
      Object.assign({}, way, {
        expression: roundsOf(pick(way.expression)),
        score: isTold ? SAID : 0,
        why: "these are the elements that another list has, or has not",
        ...(isUntested ? { isUntested } : {}),
        ...(isLoose ? { isLoose } : {}),
      }),
    ),
  );
  const parted = ways.flatMap((way) =>
    groups.map((group): Candidate => {
      const [index = 0] = chosen;
      const conditions = group.map((separation, nth) => {
        const place = placeOf(separation, elements[index] ?? null);
        const origin = place && originOf(of, sample, index, place);
        const origins = origin ? [Object.assign({}, origin, { at: "result" as const })] : [];
        return separatingCondition(separation, origins, siteOfNth(group, nth, site), decided);
      });
      const where = conditions.map(({ condition }) => condition);
      return Object.assign({}, way, {
        expression: filtered(way.expression, where),
        slots: way.slots.concat(conditions.flatMap(({ slots }) => slots)),
        score: group === said ? ALL_SAID : isTold(group) ? SAID : 0,
        why: "these are the elements for which something holds",
      });
    }),
  );
  const compared = (found: ReturnType<typeof ownComparisons>, why: string): readonly Candidate[] =>
    ways.flatMap((way) =>
      found
        .filter((each) => isSame([...each.chosen], [...chosen]))
        .map(({ pick }) =>
          Object.assign({}, way, { expression: roundsOf(pick(way.expression)), score: SAID, why }),
        ),
    );
  return [
    ...parted,
    ...members,
    ...compared(
      comparisons(elements, view),
      "these are the elements of which another list says something else, or the same",
    ),
    ...compared(
      ownComparisons(elements, view),
      "these are the elements of which one number is beyond another",
    ),
  ];
}

/** The ways to what a loop goes over: a place in an answer, or the elements of an earlier loop beside what its rounds gave. */
export function collectionWays(
  { step, path, beside, groupedBy }: Pick<SampleLoop, "step" | "path" | "beside" | "groupedBy">,
  view: CallView,
  site: string,
  decisionFor: DecisionLookup,
): readonly Candidate[] {
  if (beside === undefined) {
    const ways = pathCandidates(step, path, view, { call: view.call, path: [] }, site, decisionFor);
    if (!groupedBy) return ways;
    return ways.map((way) =>
      Object.assign({}, way, { expression: { kind: "groups", in: way.expression, by: groupedBy } }),
    );
  }
  const [left, name] = [view.overs[beside], view.names[beside]];
  if (!left || name === undefined) return [];
  return [
    {
      expression: { kind: "zip", left, right: { kind: "ref", name } },
      slots: [],
      score: 0,
      why: "each beside what its round gave",
      place: "[]",
      affinity: 0,
      isNear: true,
    },
  ];
}

/** Whether elements are chosen by nothing but what kind they are of. */
export function isByKind(over: Expression): boolean {
  return over.kind === "filter" && over.where.every((each) => !("some" in each) && tellsKind(each));
}

/** Where in a call's answer stands what is at a place in an element of what a loop goes over. */
function originOf(
  { step, path, beside }: Pick<SampleLoop, "step" | "path" | "beside">,
  { steps }: Sample,
  index: number,
  place: Path,
): ReturnType<typeof placeInCalls> {
  const [side, ...inside] = place;
  const own = beside === undefined ? [...path, index, ...place] : [index, ...inside];
  const source = steps[beside ?? step];
  return source && (beside === undefined || side === "right") ? placeInCalls(source, own) : undefined;
}

/** Whether the elements for which rounds were made have more or less of something than all others of their list. */
export function isMeasurable(loop: SampleLoop, view: CallView): boolean {
  const found = loop.given ? chosenOf(loop, view) : wholeOf(loop);
  if (!found) return false;
  const isChosen = new Set(found.chosen);
  const [own, others] = [true, false].map((isOwn) =>
    found.elements.filter((_, index) => isChosen.has(index) === isOwn),
  );
  return own !== undefined && others !== undefined && others.length > 0 && arePartedByAmount([own, others]);
}

/** What the task says of the elements, and all of them are in this run alone: in another some may be otherwise. */
function saidOfAll(
  elements: readonly Json[],
  source: SampleStep | undefined,
  view: CallView,
): readonly Separation[] {
  const asked = askedOfStep(source, view.sample.trace.calls);
  const all = separations(elements, [...elements.keys()], view.sample.task, () => false);
  return all.filter(
    ({ isSaid: isTold, inner, operator, value }) =>
      isTold && !inner && operator === undefined && isState(value) && !asked.has(leafText(value) ?? ""),
  );
}

/** Whether a value names one thing or person, rather than a kind or a state. */
function isName(value: Json): boolean {
  return typeof value === "string" && isEntityName(value);
}

/** The elements of a list for which rounds were made, and what a round takes of its element: undefined where it is the element. */
type RoundElements = Omit<ChosenElements, "inside"> & { readonly value: Expression | undefined };

function chosenOf(
  { given, elements: rounds }: SampleLoop,
  { sample, before }: CallView,
): RoundElements | undefined {
  const fields = given?.fields ?? [];
  const columns = fields.map(({ name }) =>
    rounds.map((element) => (fields.length === 1 ? element : (valueAt(element, [name]) ?? null))),
  );
  const found = chosenElements(columns, sample.steps.slice(0, before), sample.valueIndex);
  if (!found) return undefined;
  const values = fields.map(({ name }, index) => ({
    name,
    value: fieldExpression(EACH, found.inside[index] ?? []),
  }));
  const [only] = values;
  return { ...found, value: values.length === 1 && only ? only.value : { kind: "object", fields: values } };
}

function wholeOf({ step, path, elements, among = elements }: SampleLoop): RoundElements {
  const chosen = elements.map((element) => among.indexOf(element));
  return { step, path, elements: among, chosen, value: undefined };
}

/** Whether calls were asked for what tells elements, or for something with words that do. */
function isAsked({ operator, value }: Separation, asked: ReadonlySet<string>): boolean {
  const text = leafText(value) ?? "";
  return asked.has(text) || (operator === "contains" && [...asked].some((each) => each.includes(text)));
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
    return separatingCondition(separation, origins, site, () => undefined);
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

/** What the task says of the rounds that go the first way, as a filter of the one answer that parts each from others. */
export function saidConditions(
  parted: PartedRounds,
  { trace, task }: Pick<Sample, "trace" | "task">,
  answer: Expression,
  site: string,
): readonly Candidate[] {
  const said = saidParting(trace.calls, parted, task);
  if (!said) return [];
  const { condition, slots } = separatingCondition(said, [], site, () => undefined);
  const one: Expression = { kind: "list", items: [fieldExpression(answer, condition.path)] };
  return [
    {
      expression: { kind: "filter", in: one, where: [{ ...condition, path: [] }] },
      slots,
      score: SAID,
      why: "the task makes it a condition",
      place: "[]",
      affinity: 0,
      isNear: true,
    },
  ];
}

export function isSaid({ uses }: { readonly uses: readonly Candidate[] }): boolean {
  return uses.every(({ score }) => score >= SAID);
}

const EACH: Expression = { kind: "ref", name: "each" };

/** Under which what the caller says in the nth of several conditions is another than in those before that are about the same. */
export function siteOfNth(group: readonly Separation[], nth: number, site: string): string {
  const placeIn = (each: Separation | undefined): string =>
    JSON.stringify([each?.path, each?.inner, each?.mark]);
  const before = group.slice(0, nth).filter((each) => placeIn(each) === placeIn(group[nth])).length;
  return before === 0 ? site : `${site}.${before}`;
}

/** A condition, with what the caller says in it. */
export function separatingCondition(
  { path, inner, operator, value, mark, isSaid: isTold, isHinted }: Separation,
  origins: readonly Origin[],
  site: string,
  decided: (value: Json) => Expression | undefined,
): { readonly condition: Condition; readonly slots: readonly SlotValue[] } {
  const known = isTold && operator === undefined ? decided(value) : undefined;
  const slot = `${site}|${[...path, ...(inner ?? []), ...(inner && mark !== undefined ? [mark] : [])].join(".")}`;
  const suffix =
    operator === undefined
      ? ""
      : operator === "endsWith"
        ? "_ending"
        : operator === "contains" || operator === "startsWith"
          ? ""
          : "_limit";
  const label = inner && mark?.match(/[\p{L}\p{N}]+/gu)?.join("_");
  const of = isDayOperator(operator) ? "day" : (label ?? inner?.at(-1) ?? path.at(-1) ?? "value");
  const field = `${of}${suffix}`;
  const constant: Expression = { kind: "constant", value };
  // Whether something is so or not is no word that another caller would say.
  const isSaidBy = isTold && isHinted !== true && typeof value !== "boolean";
  const said: Expression = isSaidBy ? (known ?? { kind: "param", name: slot }) : constant;
  const equals: Expression = mark === undefined ? said : { kind: "template", parts: [mark, said] };
  const compared = { path: inner ?? path, ...(operator ? { operator } : {}), equals };
  return {
    condition: inner ? { path, some: [compared] } : compared,
    slots: isSaidBy && !known ? [{ slot, field, value, origins, isOptional: false }] : [],
  };
}

/** Where in an element the value stands by which it is told. */
function placeOf(
  { path, inner, operator, value, mark }: Separation,
  element: Json,
): readonly (string | number)[] | undefined {
  if (operator !== undefined || mark !== undefined) return undefined;
  if (!inner) return path;
  const list = valueAt(element, path);
  const index = Array.isArray(list) ? list.findIndex((each) => valueAt(each, inner) === value) : -1;
  return index < 0 ? undefined : [...path, index, ...inner];
}
