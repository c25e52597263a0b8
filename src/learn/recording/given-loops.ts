import { isJsonObject, type Json } from "../../core/json/json.ts";
import { nameWords } from "../plan/names.ts";
import { toolWords } from "../../trace/record/tool-words.ts";
import { isIdentifier } from "../plan/plan.ts";
import {
  isEntityName,
  isLeaf,
  isOpaqueId,
  isProgram,
  isSame,
  isSettingValue,
  isSpecific,
  jsonLeaves,
  leafText,
  type Path,
  type TaskText,
  valueAt,
} from "../plan/values.ts";
import { isComposed, placesIn } from "./elements/composed-rounds.ts";
import type { RecordedCall } from "./recorded-trace.ts";
import { type ChosenElements, chosenElements } from "./elements/chosen-elements.ts";
import {
  type GivenField,
  type GivenLayout,
  type InnerFlow,
  placeInCalls,
  type Round,
  type SampleLoop,
  type SampleStep,
} from "./sample-step.ts";
import { lastName, selectorName } from "../plan/parameter-slots.ts";
import { type NamedElements, namedElements } from "./elements/named-elements.ts";
import { listsIn } from "./elements/joined-elements.ts";
import { comparedElements } from "./elements/compared-elements.ts";
import { areMeasured } from "./elements/measured-elements.ts";
import { listedElements } from "./elements/listed-elements.ts";
import { areZipped } from "./elements/zipped-elements.ts";
import { separations, separationsTogether } from "./elements/separations.ts";
import { isSecretName } from "./secrets.ts";
import { type ValueIndex, WORD_PATTERN } from "./value-index.ts";

const MAX_FIELDS = 8;

/**
 * Rounds over what only the caller can say (cancel A, then B, then C): the same calls with the same arguments but for
 * some, which no answer tells, or which all stand in some elements of one list. Undefined where an argument that changes from round to round may come from elsewhere, or
 * where later calls use what single rounds gave. `isKnown`: another run says that the caller gives them; then they may be
 * all elements of a list.
 */
export function givenLoop(
  calls: readonly RecordedCall[],
  { rounds, tools, fork }: Pick<SampleLoop, "rounds" | "tools" | "fork">,
  later: readonly number[],
  { steps, valueIndex, task }: RecordedSteps,
  isKnown: boolean,
): GivenLoop | undefined {
  const [first = []] = rounds;
  if ([...first.keys()].some((nth) => areTablesApart(rounds.map((round) => calls[round[nth] ?? -1]))))
    return undefined;
  const columns: Column[] = [];
  const inner: InnerFlow[] = [];
  const answered = answersOf(calls, rounds);
  const isAskedElsewhere = argumentsApart(calls, rounds);
  let isTold = false;
  for (const nth of first.keys()) {
    const made = [...rounds.keys()].filter((index) => rounds[index]?.[nth] !== undefined);
    const argsIn = (index: number): Json => calls[rounds[index]?.[nth] ?? -1]?.args ?? {};
    const places = variablePlaces(made.map(argsIn), (value) => valueIndex.of(value).length > 0);
    if (!places) return undefined;
    const settings = made.length < 2 ? [] : saidSettings(argsIn(made[0] ?? 0), task, made.length);
    for (const path of [
      ...places,
      ...settings.filter((each) => !places.some((place) => isIn(place, each))),
    ]) {
      const values = made.map((index) => valueAt(argsIn(index), path) ?? null);
      const same = columns.find((column) =>
        values.every((value, index) => isSame(column.values[made[index] ?? -1], value)),
      );
      if (same) {
        columns.push({ nth, path, values: same.values });
        continue;
      }
      const inRound = made.map((index) => rounds[index] ?? []);
      const source = sourceInRound(calls, inRound, nth, values);
      if (source) {
        inner.push({ nth, path, ...source });
        continue;
      }
      if (!values.every((value) => task.says(value)) && isMadeInRound(calls, inRound, nth, values, columns))
        continue;
      const parts = values.flatMap((value, index) =>
        leavesOf(value).flatMap((leaf) => (mayBeToldIn(value, leaf) ? [{ leaf, index }] : [])),
      );
      const isAnswered = parts.some(({ leaf, index }) => answered(leaf, rounds[index]?.[nth] ?? -1));
      const isPartTold = parts.some(
        ({ leaf }) => valueIndex.of(leaf).length > 0 && !(task.says(leaf) && !isAskedElsewhere(leaf)),
      );
      isTold ||= isPartTold;
      const isSecret = values
        .flatMap((value) => [...jsonLeaves(value, path)])
        .some(([place]) => place.some((part) => typeof part === "string" && isSecretName(part)));
      // What only some rounds have, no element has.
      if (made.length < rounds.length || isAnswered || isSecret) return undefined;
      columns.push({ nth, path, values });
    }
  }
  // What fails of texts that are written for each call fails for what they say.
  const isAnyWritten = columns.some(({ values }) => values.flatMap(leavesOf).some(isWritten));
  if (fork?.fails !== undefined && isAnyWritten) return undefined;
  const things = [...Map.groupBy(columns, ({ values }) => JSON.stringify(values)).values()];
  if (
    things.length === 0 ||
    things.length > MAX_FIELDS ||
    isUsedApart(calls, rounds, columns, later, valueIndex)
  )
    return undefined;
  const told = things.map(([column]) => column?.values ?? []);
  const answers = steps.map(({ value }) => value);
  const isByList =
    !isTold ||
    isTelling(chosenElements(told, steps, valueIndex), { steps, valueIndex, task }, isKnown) ||
    areZipped(told, answers);
  const known = { steps, valueIndex, task };
  const isOfAnswer = (values: readonly Json[]): boolean =>
    values.every((value) => isOpaqueId(value) && valueIndex.of(value).length > 0);
  const naming = isByList || fork ? undefined : namedColumn(told, isOfAnswer, known);
  if (!isByList && !naming) return undefined;
  const names = new Set<string>();
  const fields = things.flatMap((group, nth): readonly GivenField[] => {
    const [column] = group;
    if (!column) return [];
    const named = naming && isOfAnswer(told[nth] ?? []) ? naming : undefined;
    const name = named
      ? selectorName(column.path, lastName(named.name))
      : fieldName(column.path, tools[column.nth] ?? "", names);
    names.add(name);
    const places = group.map((place) => ({ nth: place.nth, path: place.path }));
    return [{ name, places, ...(named ? { naming: named } : {}) }];
  });
  if (!fields.every(({ name }) => isIdentifier(name))) return undefined;
  return givenBy(calls, rounds, { fields, inner }, known);
}

/** Whether calls were answered with tables that are about different things, by their columns. */
function areTablesApart(calls: readonly (RecordedCall | undefined)[]): boolean {
  const columns = calls.flatMap((call) =>
    (call?.reads ?? []).flatMap(({ forms }) =>
      forms.flatMap((form) => (form.kind === "rows" ? form.fields.map(({ label }) => label).join("\n") : [])),
    ),
  );
  return new Set(columns).size > 1;
}

/** How the elements are named that the one column with ids of an answer has, where no other column is told. */
function namedColumn(
  columns: readonly (readonly Json[])[],
  isOfAnswer: (values: readonly Json[]) => boolean,
  { steps, valueIndex, task }: RecordedSteps,
): NamedElements["naming"] | undefined {
  const [ids, ...others] = columns.filter(isOfAnswer);
  const found = ids && others.length === 0 ? namedElements(ids, steps, valueIndex, task) : undefined;
  const isTold = (leaf: Json): boolean =>
    mayBeTold(leaf) && valueIndex.of(leaf).length > 0 && !task.says(leaf);
  const isApart = columns.every(
    (values) =>
      values === ids ||
      !values.some((value, index) => value !== found?.names[index] && leavesOf(value).some(isTold)),
  );
  return isApart ? found?.naming : undefined;
}

/** Where arguments have settings that the task says as often as there are rounds: in another run they may differ. */
function saidSettings(args: Json, task: TaskText, rounds: number): readonly Path[] {
  return [...jsonLeaves(args)].flatMap(([path, value]) =>
    isSettingValue(value) && task.saysOfEach(lastName(path), value, rounds) ? [path] : [],
  );
}

function isIn(place: Path, path: Path): boolean {
  return place.every((part, depth) => path[depth] === part);
}

/**
 * Where the arguments of rounds differ, as deep as they have one form: what has another form in some rounds differs as a
 * whole, and so do lists of plain values, of any length, of which no answer has told one. Undefined where the calls have
 * other arguments.
 */
function variablePlaces(
  args: readonly Json[],
  isTold: (value: Json) => boolean,
  path: Path = [],
): readonly Path[] | undefined {
  const [first = null] = args;
  if (args.every((each) => isSame(each, first))) return [];
  const inner = (key: string | number): readonly Path[] | undefined =>
    variablePlaces(
      args.map((each) => valueAt(each, [key]) ?? null),
      isTold,
      [...path, key],
    );
  if (Array.isArray(first)) {
    const isOneForm = args.every((each) => Array.isArray(each) && each.length === first.length);
    if (!isOneForm || isGivenList(args, isTold)) return [path];
    const places = [...first.keys()].map(inner);
    // A list with elements of other forms is one thing.
    const isWhole = places.some(
      (found, at) => found?.some((place) => place.length === path.length + 1) && !isLeaf(first[at]),
    );
    return isWhole ? [path] : places.flatMap((found) => found ?? []);
  }
  if (isJsonObject(first)) {
    const keys = Object.keys(first).toSorted().join("\n");
    const isOneForm = args.every(
      (each) => isJsonObject(each) && Object.keys(each).toSorted().join("\n") === keys,
    );
    if (isOneForm) return Object.keys(first).flatMap((key) => inner(key) ?? []);
  }
  return path.length === 0 ? undefined : [path];
}

/** Whether these are lists of plain values, of which no answer has told one. */
function isGivenList(lists: readonly Json[], isTold: (value: Json) => boolean): boolean {
  const areGiven = lists.every(
    (list) =>
      Array.isArray(list) &&
      list.length > 0 &&
      (list as readonly Json[]).every((each) => isLeaf(each) && !(mayBeTold(each) && isTold(each))),
  );
  return areGiven && lists.some((list) => Array.isArray(list) && list.length > 1);
}

/** Whether something is known that the elements have in common, and no others of their list. */
function isTelling(
  found: ChosenElements | undefined,
  { steps, valueIndex, task }: RecordedSteps,
  mayBeWhole: boolean,
): boolean {
  if (!found) return false;
  const { step, elements, chosen } = found;
  if (chosen.length === elements.length && !mayBeWhole) return false;
  const isTold = (value: Json): boolean => valueIndex.fixedPlace(value, step) !== undefined;
  if ([separations, separationsTogether].some((told) => told(elements, chosen, task, isTold).length > 0))
    return true;
  const others = listsIn(steps.map(({ value }) => value));
  const listed = others.flatMap((other) => listedElements(elements, other));
  const compared =
    task.compares === undefined ? [] : others.flatMap((other) => comparedElements(elements, other));
  if (areMeasured(elements, chosen, task)) return true;
  const partings = [...listed.map(({ isListed }) => isListed), ...compared.map(({ isSame }) => isSame)];
  return partings.some((isOne) =>
    [true, false].some((isMeant) => isOne.every((is, nth) => (is === isMeant) === chosen.includes(nth))),
  );
}

/** What is known of a run before its next calls. */
export interface RecordedSteps {
  readonly steps: readonly SampleStep[];
  readonly valueIndex: ValueIndex;
  readonly task: TaskText;
}

type GivenLoop = Pick<SampleLoop, "elements" | "given" | "namePlaces">;

/** An argument that changes from round to round. */
interface Column {
  readonly nth: number;
  readonly path: Path;
  readonly values: readonly Json[];
}

/** Whether one of the rounds' calls before a call has answered with a value, other than what it or one before was asked with. */
function answersOf(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
): (value: Json, before: number) => boolean {
  const first = new Map<string, number>();
  const asked = new Set<string>();
  for (const call of rounds.flat()) {
    if (call === undefined) continue;
    const { args = {}, result = null } = calls[call] ?? {};
    for (const leaf of leavesOf(args)) asked.add(leafText(leaf) ?? "");
    for (const leaf of leavesOf(result)) {
      const text = leafText(leaf);
      if (text !== undefined && !asked.has(text) && !first.has(text)) first.set(text, call);
    }
  }
  return (value, before) =>
    [leafText(value) ?? "", ...linkedAs(value)].some((text) => (first.get(text) ?? before) < before);
}

/** How a page that an address is of may link to it: by its path on the same site. */
function linkedAs(value: Json): readonly string[] {
  const [, path] = typeof value === "string" ? (/^https?:\/\/[^/\s]+(\/\S+)$/.exec(value) ?? []) : [];
  return path === undefined ? [] : [path];
}

/** Whether a call that is in none of the rounds has a value as an argument, so that it is more than what a round is for. */
function argumentsApart(calls: readonly RecordedCall[], rounds: readonly Round[]): (value: Json) => boolean {
  const own = new Set(rounds.flat());
  const others = calls.filter(({ error }, index) => error === undefined && !own.has(index));
  const asked = new Set(others.flatMap(({ args }) => leavesOf(args).map(leafText)));
  return (value) => asked.has(leafText(value));
}

/** The loop that other runs of the same rounds tell; undefined where an argument is missing, or two that were alike are not. */
export function givenBy(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  given: GivenLayout,
  { steps, valueIndex, task }: RecordedSteps,
): GivenLoop | undefined {
  let namePlaces: GivenLoop["namePlaces"];
  const columns = given.fields.map(({ places, naming }) => {
    const [values = [], ...others] = places.map(({ nth, path }) =>
      rounds.map((round) => valueAt(calls[round[nth] ?? -1]?.args, path)),
    );
    const isOne = others.every((other) =>
      other.every((value, index) => value === undefined || value === values[index]),
    );
    if (!isOne || !naming) return isOne ? values : [];
    const ids = values.flatMap((value) => (value === undefined ? [] : [value]));
    const found = ids.length === rounds.length ? namedElements(ids, steps, valueIndex, task) : undefined;
    const source = steps[found?.naming.step ?? -1];
    if (!found || !source || !isSameNaming(found.naming, naming)) return [];
    namePlaces = found.places.flatMap((path) => placeInCalls(source, path) ?? []);
    return found.names;
  });
  const isWhole = columns.every((values) => rounds.every((_, index) => values[index] !== undefined));
  if (!isWhole) return undefined;
  const [only = []] = columns;
  const elements = rounds.map((_, index): Json =>
    columns.length === 1
      ? (only[index] ?? null)
      : Object.fromEntries(given.fields.map(({ name }, nth) => [name, columns[nth]?.[index] ?? null])),
  );
  return { elements, given, namePlaces };
}

/** Whether elements are named alike, whichever step gave their list. */
function isSameNaming(a: NamedElements["naming"], b: NamedElements["naming"]): boolean {
  return isSame([a.path, a.inside, a.name, a.inner ?? null], [b.path, b.inside, b.name, b.inner ?? null]);
}

function leavesOf(value: Json): readonly Json[] {
  return [...jsonLeaves(value)].map(([, leaf]) => leaf);
}

/** Whether somebody has written the text, such as a query or a sentence, rather than named something. */
function isWritten(value: Json): boolean {
  return typeof value === "string" && (/\n/.test(value) || value.trim().split(/\s+/).length > 5);
}

/** In documents, words are equal to others by chance. */
function mayBeToldIn(value: Json, leaf: Json): boolean {
  return isLeaf(value) || (Array.isArray(value) && value.every(isLeaf))
    ? mayBeTold(leaf)
    : isEntityName(leaf);
}

/** Small numbers are equal too easily. */
function mayBeTold(value: Json): boolean {
  return typeof value === "string" ? value.trim().length > 1 : isSpecific(value);
}

/** Where an earlier call of the round gave what an argument is, at the same place in all rounds. */
function sourceInRound(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  nth: number,
  values: readonly Json[],
): Pick<InnerFlow, "source" | "inside"> | undefined {
  const results = rounds.map((round) => round.slice(0, nth).map((call) => calls[call ?? -1]?.result ?? null));
  for (const [source, result] of (results[0] ?? []).entries())
    for (const [inside] of jsonLeaves(result)) {
      const isFixed = inside.every((part) => typeof part === "string");
      const isThere = (value: Json, index: number): boolean =>
        isSame(valueAt(results[index]?.[source], inside), value);
      if (isFixed && values.every(isThere)) return { source, inside: inside.map(String) };
    }
  return undefined;
}

/** Whether texts are made in the same way of what the caller says for each round and of what its earlier calls gave. */
function isMadeInRound(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  nth: number,
  values: readonly Json[],
  columns: readonly Column[],
): boolean {
  if (nth === 0 || columns.length === 0) return false;
  const said = rounds.map((_, index) => columns.map((column) => column.values[index] ?? null));
  const told = rounds.map((round, index) => [
    ...(said[index] ?? []),
    ...round.slice(0, nth).map((call) => calls[call ?? -1]?.result ?? null),
  ]);
  const isMadeOf = (sources: readonly (readonly Json[])[]): boolean =>
    isComposed(values, sources, placesIn(sources[0] ?? []));
  return isMadeOf(told) && !isMadeOf(said);
}

/** Whether a later call has something that one of the rounds gave, other than what the caller or an earlier answer had said. */
export function isUsedApart(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  columns: readonly { readonly values: readonly Json[] }[],
  later: readonly number[],
  valueIndex: ValueIndex,
): boolean {
  const said = new Set(
    columns.flatMap(({ values }) => values.flatMap(leavesOf).flatMap((leaf) => leafText(leaf) ?? [])),
  );
  /** By which of the rounds, where it was one alone. */
  const gave = new Map<string, number | "several">();
  for (const [nth, round] of rounds.entries())
    for (const call of round)
      for (const [, leaf] of jsonLeaves(calls[call ?? -1]?.result ?? null)) {
        const text = leafText(leaf);
        if (text === undefined || !mayBeTold(leaf) || said.has(text)) continue;
        const told = valueIndex.of(leaf).length === 0 ? [text] : [];
        for (const each of [...told, ...linesIn(text)])
          gave.set(each, (gave.get(each) ?? nth) === nth ? nth : "several");
      }
  const texts = rounds.map((round) =>
    round
      .flatMap((call) => leavesOf(calls[call ?? -1]?.result ?? null))
      .flatMap((leaf) => textOf(leaf) ?? []),
  );
  const isApart = (text: string): boolean => {
    // The whole text of some rounds alone, with something below or above it.
    const whole = texts.filter((own) => own.some((each) => text.startsWith(each) || text.endsWith(each)));
    if (whole.length > 0 && whole.length < rounds.length) return true;
    const used = [...wordsIn(text), ...linesIn(text)].flatMap((part) => gave.get(part) ?? []);
    return gave.has(text) || (used.length > 0 && !areRows(used, rounds.length));
  };
  return later.some((call) =>
    [...jsonLeaves(calls[call]?.args ?? {})].some(([, leaf]) => isApart(leafText(leaf) ?? "")),
  );
}

/** A leaf that is a text of several lines. */
function textOf(leaf: Json): string | undefined {
  return typeof leaf === "string" && leaf.trim().includes("\n") ? leaf : undefined;
}

/** Whether what is used of rounds stands there as rows do: as much of each, in their order. */
function areRows(used: readonly (number | "several")[], rounds: number): boolean {
  const each = used.length / rounds;
  return Number.isInteger(each) && used.every((round, nth) => round === Math.floor(nth / each));
}

/** The ids, numbers and days that stand in a text. */
function* wordsIn(text: string): Generator<string> {
  if (isProgram(text) || /\s|\//.test(text))
    for (const [word] of text.matchAll(WORD_PATTERN)) if (/\d{2}/.test(word)) yield word;
}

/** The lines of a text that has several. */
function linesIn(text: string): readonly string[] {
  return text.trim().includes("\n") ? text.split("\n").filter((line) => /\p{L}{2}/u.test(line)) : [];
}

/** As the argument is called; by its path or its tool where two are called alike. */
function fieldName(path: Path, tool: string, taken: ReadonlySet<string>): string {
  const parts = path.flatMap((part) => (typeof part === "string" ? [...nameWords(part)] : []));
  const name = path.findLast((part) => typeof part === "string") ?? "value";
  const own = isIdentifier(name) ? name : nameWords(name).join("_");
  const [verb = ""] = toolWords(tool);
  const wanted = [own, parts.join("_"), `${verb}_${own}`];
  const numbered = Array.from({ length: MAX_FIELDS }, (_, index) => `${own}_${index + 2}`);
  return [...wanted, ...numbered].find((each) => !taken.has(each)) ?? own;
}
