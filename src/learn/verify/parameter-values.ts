import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { leavesOfStep } from "../edits/plan-leaves.ts";
import type { Origin, Param, Plan, Step, TracePath } from "../plan/plan.ts";
import { namedSteps } from "../plan/steps.ts";
import type { RecordedTrace } from "../recording/recorded-trace.ts";
import { readingsIn, readTrace } from "../texts/readings.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import {
  isMap,
  isSame,
  isSpecific,
  leafText,
  jsonLeaves,
  type Path,
  TaskText,
  valueAt,
} from "../plan/values.ts";
import { leafTexts, valueTexts } from "../plan/value-texts.ts";

/** A plan's input in another run of the same task than the one that it was learned from. */
export function planInput(
  plan: Pick<Plan, "params" | "steps">,
  from: RecordedTrace,
  to: RecordedTrace,
): JsonObject {
  const readings = readingsIn(plan);
  const read = readTrace(from, readings);
  const values = parameterValues(plan.params, read, from === to ? read : readTrace(to, readings));
  return from === to ? values : { ...values, ...valuesApart(plan, to) };
}

/**
 * The values of parameters that stood nowhere in the run that the plan was learned from, as it made no such call: what the
 * other run gave there, if it called the tool once, and whether it did what the caller may wish.
 */
function valuesApart(
  { params, steps }: Pick<Plan, "params" | "steps">,
  { calls }: RecordedTrace,
): JsonObject {
  const apart = new Set(params.flatMap(({ name, origins }) => (origins.length === 0 ? [name] : [])));
  if (apart.size === 0) return {};
  const values: [string, Json][] = [];
  const named = namedSteps(steps);
  for (const step of named) {
    const made = step.kind === "call" ? calls.filter(({ tool }) => tool === step.tool) : [];
    const [only, ...others] = made;
    if (step.kind !== "call" || !only || others.length > 0) continue;
    for (const { path, expression } of leavesOfStep(step)) {
      const value = valueAt(only.args, path);
      if (expression.kind === "param" && apart.has(expression.name) && value !== undefined)
        values.push([expression.name, value]);
    }
  }
  for (const step of steps) {
    if (step.kind !== "switch" || step.value.kind !== "param" || !apart.has(step.value.name)) continue;
    const taken = step.cases
      .map(({ equals, steps: own }) => ({ equals, tools: toolsIn(own) }))
      .filter(({ tools }) => tools.every((tool) => calls.some((call) => call.tool === tool)))
      .toSorted((a, b) => b.tools.length - a.tools.length);
    if (taken[0]) values.push([step.value.name, taken[0].equals]);
  }
  return Object.fromEntries(values);
}

function toolsIn(steps: readonly Step[]): readonly string[] {
  return namedSteps(steps).flatMap((step) => (step.kind === "call" ? [step.tool] : []));
}

/**
 * The values of a plan's parameters in another run of the same task, by where they stood in the run that it was learned
 * from. An argument's value is the one at the same place. What an element was found by is that of the element which was
 * chosen in the other run; else the same value, where an element has it; else what that value has become in arguments.
 * A parameter whose place the other run does not have is left out.
 */
export function parameterValues(
  params: readonly Param[],
  from: RecordedTrace,
  to: RecordedTrace,
): JsonObject {
  const runs: Runs = { from, to, calls: pairedCalls(from, to) };
  return Object.fromEntries(
    params.flatMap((param) => {
      // What it was in its own run is known.
      const value = from === to ? (param.example ?? valueOf(param, runs)) : valueOf(param, runs);
      return value === undefined ? [] : [[param.name, value] as const];
    }),
  );
}

interface Runs {
  readonly from: RecordedTrace;
  readonly to: RecordedTrace;
  /** The other run's call for each call of the first. */
  readonly calls: ReadonlyMap<number, number>;
}

function valueOf({ origins, example, optional, rounds }: Param, runs: Runs): Json | undefined {
  if (rounds) return listOfRounds(rounds, origins, example, runs);
  const ordered = origins.toSorted((a, b) => (a.at === b.at ? 0 : a.at === "args" ? -1 : 1));
  const whole = ordered.filter(({ within = [] }) => within.length === 0);
  for (const origin of whole) {
    const value = valueThere(origin, example, runs);
    if (value !== undefined) return value;
  }
  const parts = ordered.filter(({ within = [] }) => within.length > 0);
  if (parts.length === 0) return origins.length === 0 && optional !== true ? example : undefined;
  return parts.some(({ within = [] }) => typeof within[0] === "number")
    ? listOf(parts, example, runs)
    : ofParts(parts, example, example ?? {}, runs);
}

/** A list that the caller gives for rounds of calls has in the other run an element for each round there. */
function listOfRounds(
  { call, tools }: NonNullable<Param["rounds"]>,
  origins: readonly Origin[],
  example: Json | undefined,
  runs: Runs,
): Json | undefined {
  const { from, to, calls } = runs;
  const start = calls.get(call);
  if (start === undefined) return undefined;
  const here = keptCalls(from).kept;
  const there = keptCalls(to).kept;
  const own = origins.filter(({ within = [] }) => within[0] === 0);
  const elements: Json[] = [];
  for (let at = there.indexOf(start); at >= 0 && elements.length < MAX_ELEMENTS; at += tools.length) {
    const round = there.slice(at, at + tools.length).map((index) => to.calls[index]);
    if (!tools.every((tool, nth) => round[nth]?.tool === tool && round[nth]?.error === undefined)) break;
    const argument = ({ call: made, path }: TracePath): Json | undefined =>
      valueAt(round[here.indexOf(made) - here.indexOf(call)]?.args, path);
    elements.push(
      own.reduce((value: Json, origin) => {
        const { selects, within = [] } = origin;
        const source = calls.get(origin.call);
        const part =
          origin.at === "args" || !selects
            ? argument(origin)
            : source === undefined
              ? undefined
              : discriminator(
                  origin,
                  valueAt(example, [elements.length, ...within.slice(1)]),
                  source,
                  runs,
                  leafText(argument(selects) ?? null),
                );
        return part === undefined ? value : withPart(value, origin.within?.slice(1) ?? [], part);
      }, null),
    );
  }
  return elements;
}

/** A list has in the other run as many elements as the list that it is for. */
function listOf(parts: readonly Origin[], example: Json | undefined, runs: Runs): Json {
  const elements = Map.groupBy(parts, ({ within = [] }) => Number(within[0]));
  const [first = []] = elements.values();
  const lengths = first.flatMap((origin) => lengthThere(origin, runs) ?? []);
  const length = Math.min(lengths[0] ?? elements.size, MAX_ELEMENTS);
  return Array.from({ length }, (_, index) => {
    const own = elements.get(index) ?? first.map((origin) => movedTo(origin, index));
    return ofParts(own.map(withinElement), valueAt(example, [index]), null, runs);
  });
}

function withinElement(origin: Origin): Origin {
  return { ...origin, within: origin.within?.slice(1) };
}

const MAX_ELEMENTS = 10_000;

/** How many elements the list has in the other run's arguments that an element of the parameter is for. */
function lengthThere({ at, call, path, selects }: Origin, { to, calls }: Runs): number | undefined {
  const place = at === "args" ? { call, path } : selects;
  if (typeof place?.path.at(-1) !== "number") return undefined;
  const list = valueAt(to.calls[calls.get(place.call) ?? -1]?.args, place.path.slice(0, -1));
  return Array.isArray(list) ? list.length : undefined;
}

function movedTo({ selects, ...origin }: Origin, index: number): Origin {
  const moved = (path: Path): Path =>
    typeof path.at(-1) === "number" ? [...path.slice(0, -1), index] : path;
  if (origin.at === "args") return { ...origin, path: moved(origin.path) };
  return { ...origin, ...(selects ? { selects: { ...selects, path: moved(selects.path) } } : {}) };
}

function ofParts(parts: readonly Origin[], example: Json | undefined, start: Json, runs: Runs): Json {
  return parts.reduce((value, origin) => {
    const { within = [] } = origin;
    const part = valueThere(origin, valueAt(example, within), runs);
    return part === undefined ? value : withPart(value, within, part);
  }, start);
}

function valueThere(origin: Origin, example: Json | undefined, runs: Runs): Json | undefined {
  const there = runs.calls.get(origin.call);
  if (there === undefined) return undefined;
  const call = runs.to.calls[there];
  switch (origin.at) {
    case "args":
      return valueAt(call?.args, origin.path);
    case "result":
      return discriminator(origin, example, there, runs);
  }
}

/** The value by which the element is told from the others in the other run's result. */
function discriminator(
  { call, path, selects }: Origin,
  example: Json | undefined,
  there: number,
  runs: Runs,
  target = selects && targetOf(selects.call, selects.path, runs),
): Json | undefined {
  const { calls } = runs.to;
  const first = valueAt(runs.from.calls[call]?.result ?? null, path);
  const last = path.at(-1);
  const isKey =
    example !== undefined &&
    last !== undefined &&
    !isSame(first, example) &&
    leafText(last) === leafText(example);
  const before = example ?? first;
  const found = [...elementsAt(calls[there]?.result ?? null, path, isKey)];
  const isBefore = ({ value }: FoundElement): boolean => isSame(value, before);
  const chosenIn = (elements: readonly FoundElement[]): FoundElement | undefined => {
    const chosen = target === undefined ? [] : elements.filter(({ texts }) => texts().has(target));
    return chosen.find(isBefore) ?? chosen[0];
  };
  // It may have been found by another call of the same tool there.
  const others = calls.filter(({ tool }, index) => index !== there && tool === calls[there]?.tool);
  const elsewhere = others.flatMap(({ result }) => Array.from(elementsAt(result, path, isKey)));
  const all = [...found, ...elsewhere];
  // What is inside of the element which was chosen is nearer to what was taken of it than what is only in the same list.
  const nearness = ({ around }: FoundElement): number =>
    target === undefined ? -1 : around.findLastIndex((texts) => texts().has(target));
  const nearest = all.reduce((most, each) => Math.max(most, nearness(each)), -1);
  const inChosen = nearest < 0 ? [] : all.filter((each) => nearness(each) === nearest);
  const told = inChosen.filter(isToldIn(runs.to));
  const inner = [...told.filter(isBefore), ...told, ...inChosen.filter(isBefore), ...inChosen];
  const one = chosenIn(found) ?? chosenIn(elsewhere) ?? inner[0] ?? found.find(isBefore);
  if (one) return one.value;
  return before === undefined ? undefined : (pairedValue(before, runs) ?? before);
}

function targetOf(call: number, path: Path, { to, calls }: Runs): string | undefined {
  const value = valueAt(to.calls[calls.get(call) ?? -1]?.args, path);
  return value === undefined ? undefined : leafText(value);
}

/** Whether the task speaks of the element, or something in it is acted on. */
function isToldIn({ task, calls }: RecordedTrace): (element: FoundElement) => boolean {
  const said = new TaskText(task);
  const given = new Set(calls.flatMap(({ args }) => [...leafTexts(args)]));
  return ({ value, texts }) =>
    said.mentions(value) || [...texts()].some((text) => isSpecific(text) && given.has(text));
}

type Texts = () => ReadonlySet<string>;

interface FoundElement {
  readonly value: Json;
  /** All that the element holds, its key too. */
  readonly texts: Texts;
  /** All that the elements hold that it is in. */
  readonly around: readonly Texts[];
}

/** What stands at the path, whichever element of lists and maps it is in. */
function* elementsAt(
  value: Json,
  path: Path,
  isKey: boolean,
  texts: Texts = textsOf("", value),
  around: readonly Texts[] = [],
): Generator<FoundElement> {
  const [part, ...rest] = path;
  const outer = [...around, texts];
  if (part === undefined) {
    yield { value, texts, around };
  } else if (Array.isArray(value)) {
    for (const each of value as readonly Json[])
      yield* elementsAt(each, rest, isKey, textsOf("", each), outer);
  } else if (isJsonObject(value) && (isMap(value) || (isKey && rest.length === 0))) {
    for (const [key, each] of Object.entries(value)) {
      const own = textsOf(key, each);
      if (isKey && rest.length === 0) yield { value: key, texts: own, around: outer };
      else yield* elementsAt(each, rest, isKey, own, outer);
    }
  } else {
    const inner = valueAt(value, [part]);
    if (inner !== undefined) yield* elementsAt(inner, rest, isKey, texts, around);
  }
}

function textsOf(key: string, value: Json): Texts {
  let texts: ReadonlySet<string> | undefined;
  return () => (texts ??= new Set([...valueTexts(value), key]));
}

/** What a value of the first run's arguments is at the same place in the other's. */
function pairedValue(value: Json, { from, to, calls }: Runs): Json | undefined {
  for (const [call, there] of calls) {
    for (const [path, leaf] of jsonLeaves(from.calls[call]?.args ?? {}))
      if (isSame(leaf, value)) return valueAt(to.calls[there]?.args, path);
  }
  return undefined;
}

function withPart(value: Json, [key, ...rest]: Path, part: Json): Json {
  if (key === undefined) return part;
  const object = isJsonObject(value) ? value : {};
  const inner = withPart(valueAt(object, [key]) ?? null, rest, part);
  return Object.fromEntries([...Object.entries(object), [String(key), inner]]);
}

/** The longest common sequence of tools, without calls that were tried again. */
function pairedCalls(from: RecordedTrace, to: RecordedTrace): ReadonlyMap<number, number> {
  const [first, second] = [from, to].map((trace) =>
    keptCalls(trace).kept.map((index) => ({ index, tool: trace.calls[index]?.tool })),
  );
  if (!first || !second) return new Map();
  const width = second.length + 1;
  const lengths = new Uint32Array((first.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = first.length - 1; row >= 0; row--)
    for (let column = second.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        first[row]?.tool === second[column]?.tool
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs = new Map<number, number>();
  let [row, column] = [0, 0];
  while (row < first.length && column < second.length) {
    const [one, other] = [first[row], second[column]];
    if (one && other && one.tool === other.tool) {
      pairs.set(one.index, other.index);
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}
