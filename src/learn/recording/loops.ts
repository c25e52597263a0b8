import type { Json } from "../../core/json/json.ts";
import { chosenElements, elementsIn } from "./elements/chosen-elements.ts";
import { joinedElements, type JoinedElements, listsIn } from "./elements/joined-elements.ts";
import { isHintedAt, type Separation, separations, tellsKind } from "./elements/separations.ts";
import { type MayWrite, soundsReading } from "../plan/tool-effects.ts";
import { givenBy, givenLoop, isUsedApart, type RecordedSteps } from "./given-loops.ts";
import { ARITHMETIC_OPERATORS } from "../plan/plan.ts";
import { calculated } from "../plan/quantities.ts";
import { textSpans } from "../texts/text-spans.ts";
import type { ValueIndex, ValueOccurrence } from "./value-index.ts";
import type { RecordedCall } from "./recorded-trace.ts";
import { type ForkedRounds, forkedRounds } from "./forked-rounds.ts";
import { areMeasured } from "./elements/measured-elements.ts";
import { listedElements } from "./elements/listed-elements.ts";
import { isStepSpokenOf } from "./elements/spoken-lists.ts";
import { isComposed, onlyValueAt, placesIn } from "./elements/composed-rounds.ts";
import { partedRounds } from "./parted-rounds.ts";
import {
  type Folding,
  type ForkedTools,
  loopSignature,
  type Round,
  roundFields,
  type RoundFork,
  type SampleLoop,
  type SampleStep,
  searchSignature,
} from "./sample-step.ts";
import { isLeaf, isSame, leafText, jsonLeaves, type Path, type TaskText, valueAt } from "../plan/values.ts";

const MAX_PERIOD = 4;

/**
 * The loop that begins at a call, if the calls from there on are rounds over a whole collection that an earlier step
 * gave: speculated from the repeated tools, accepted when every argument that changes is the element's or the round's.
 * Else the loop over what the caller gives.
 */
export function loopAt(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  { steps, valueIndex, task }: RecordedSteps,
  folding: Folding,
  mayWrite: MayWrite,
): { readonly step: SampleLoop; readonly length: number } | undefined {
  for (const repeat of repeats(calls, included, at, { folding, task, mayWrite }, false)) {
    // A list of one fits any round: it is looped over where no longer one is, and other runs say that it is a loop.
    const known = { steps, valueIndex, task };
    const step =
      loopOver(calls, { ...repeat, least: Math.max(repeat.least, 2) }, known, mayWrite) ??
      (repeat.least < 2 ? loopOver(calls, repeat, known, mayWrite) : undefined);
    if (step) return { step, length: callsOf(step.rounds).length };
  }
  const search = searchAt(calls, included, at, { steps, valueIndex, task }, folding, mayWrite);
  if (search) return { step: search, length: search.rounds.length };
  for (const { signature, least, ...repeat } of repeats(
    calls,
    included,
    at,
    { folding, task, mayWrite },
    true,
  )) {
    const known = folding.given?.get(signature);
    const alike = known ? repeat.rounds : roundsAlike(calls, repeat.rounds);
    for (const rounds of alike.length < repeat.rounds.length ? [repeat.rounds, alike] : [repeat.rounds]) {
      const { length } = callsOf(rounds);
      const own = { ...repeat, rounds };
      const given = known
        ? givenBy(calls, rounds, known, { steps, valueIndex, task })
        : givenLoop(calls, own, included.slice(at + length), { steps, valueIndex, task }, least === 1);
      const value = loopResult(calls, own);
      if (given) return { step: { kind: "loop", ...own, ...given, step: -1, path: [], value }, length };
    }
  }
  return undefined;
}

/** Rounds of one call that differ in as few arguments as the first two, if so many do; else all. */
function roundsAlike(calls: readonly RecordedCall[], rounds: readonly Round[]): readonly Round[] {
  const argsOf = ([call = -1]: Round): Json => calls[call]?.args ?? {};
  const [first, second] = rounds;
  if (!first || !second || first.length > 1) return rounds;
  const same = [...jsonLeaves(argsOf(first))].filter(
    ([path, leaf]) => valueAt(argsOf(second), path) === leaf,
  );
  const { length: size } = [...jsonLeaves(argsOf(first))];
  const end = rounds.findIndex((round) => {
    const args = argsOf(round);
    return (
      [...jsonLeaves(args)].length !== size ||
      !same.every(([path, leaf]) => isSame(valueAt(args, path), leaf))
    );
  });
  return end < MIN_ALIKE ? rounds : rounds.slice(0, end);
}

/** So many calls that are alike are a loop of their own where others of their tool follow. */
const MIN_ALIKE = 3;

const MAX_CONDITIONS = 4;

/**
 * Reads of one element of a list after the other, until one gave what the task speaks of: nothing that comes later uses
 * what the others gave.
 */
function searchAt(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  { steps, valueIndex, task }: RecordedSteps,
  folding: Folding,
  mayWrite: MayWrite,
): SampleLoop | undefined {
  const tools = [calls[included[at] ?? -1]?.tool ?? ""];
  const rounds = roundsOf(calls, included, at, tools);
  const [tool = ""] = tools;
  if (rounds.length < 2 || (mayWrite(tool) && !soundsReading(tool))) return undefined;
  const argsOf = ([call = -1]: readonly number[]): Json => calls[call]?.args ?? {};
  const changing = [...jsonLeaves(argsOf(rounds[0] ?? []))].filter(([path, value]) =>
    rounds.some((round) => valueAt(argsOf(round), path) !== value),
  );
  const [[argument] = [[]], ...others] = changing;
  const values = rounds.map((round) => valueAt(argsOf(round), argument) ?? null);
  const found = others.length === 0 ? chosenElements([values], steps, valueIndex) : undefined;
  if (!found || !found.chosen.every((index, round) => index === round)) return undefined;
  const results = rounds.map(([call = -1]) => calls[call]?.result ?? null);
  const until = separations(results, [rounds.length - 1], task, () => false).filter(({ isSaid }) => isSaid);
  const value = results.at(-1) ?? null;
  if (until.length === 0 || until.length > MAX_CONDITIONS) return undefined;
  const last = [...jsonLeaves([values.at(-1) ?? null, value])].map(([, leaf]) => leaf);
  const later = included.slice(at + rounds.length);
  const isTried = isUsedApart(calls, rounds.slice(0, -1), [{ values: last }], later, valueIndex);
  if (isTried || folding.never.has(searchSignature(tools, until))) return undefined;
  const elements = found.elements.slice(0, rounds.length);
  return { kind: "loop", tools, rounds, elements, step: found.step, path: found.path, until, value };
}

/** What is known where repeats are looked for. */
interface RepeatFacts {
  readonly folding: Folding;
  readonly task: TaskText;
  readonly mayWrite: MayWrite;
}

interface Repeat extends Pick<SampleLoop, "tools" | "rounds" | "fork"> {
  /** How many rounds make a loop. */
  readonly least: number;
  readonly signature: string;
}

/** The same tools again and again from a call on, that may be a loop; those of the shortest rounds first. */
function* repeats(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  facts: RepeatFacts,
  isGiven: boolean,
): Generator<Repeat> {
  yield* partedRepeats(calls, included, at, facts, isGiven);
  const { folding } = facts;
  for (let period = 1; period <= MAX_PERIOD && at + period <= included.length; period++) {
    const tools = included.slice(at, at + period).map((call) => calls[call]?.tool ?? "");
    const signature = loopSignature(tools, isGiven);
    if (folding.never.has(signature)) continue;
    const least = folding.looping.has(signature) ? 1 : 2;
    const told = folding.forks?.get(signature);
    if (told && told.fork.fails === undefined) continue;
    const known = told;
    const behind = folding.behind?.get(signature);
    const forked = forkedRounds(calls, included, at, period, { known, behind });
    if (
      forked &&
      forked.rounds.length >= least &&
      (known || isRepeated(forked, isGiven, folding.looping.has(signature)))
    ) {
      const { rounds } = forked;
      const fork = { ...forked.fork, isLook: !facts.mayWrite(forked.tools[forked.fork.at] ?? "") };
      yield { tools: forked.tools, rounds, fork, least, signature };
    }
    const rounds = known ? [] : roundsOf(calls, included, at, tools);
    if (rounds.length >= least) yield { tools, rounds, least, signature };
  }
}

/** Repeats of which some rounds do what others do not, as the runs that are known tell it, or this one. */
function* partedRepeats(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  { folding, task, mayWrite }: RepeatFacts,
  isGiven: boolean,
): Generator<Repeat> {
  const isLook = (tool: string): boolean => !mayWrite(tool) || soundsReading(tool);
  const known = [...(folding.forks ?? [])].flatMap(([signature, forked]) => {
    const isOwn = signature === loopSignature(whole(forked), isGiven);
    return isOwn && forked.fork.fails === undefined ? [forked] : [];
  });
  for (const forked of known.length === 0 ? [undefined] : known) {
    const parted = partedRounds(calls, included, at, task, forked, isLook);
    const signature = loopSignature(parted ? whole(parted) : [], isGiven);
    const least = folding.looping.has(signature) ? 1 : 2;
    if (parted && parted.rounds.length >= least && !folding.never.has(signature))
      yield { ...parted, least, signature };
  }
}

/** The tools of a round that goes the first way. */
function whole({ tools, fork }: ForkedTools): readonly string[] {
  return tools.slice(0, tools.length - fork.failed);
}

/**
 * Whether rounds are made one after the other rather than until one succeeds. Of those that the caller names, the last
 * could still be instead of a failed one, which more rounds make less likely, and one that failed with nothing done about
 * it could be a mistake of whoever called.
 */
function isRepeated(
  { continued, isResumed, fork }: ForkedRounds,
  isGiven: boolean,
  isLooping: boolean,
): boolean {
  // Other runs say already that rounds go on after a success.
  if (isLooping) return true;
  if (!isGiven || !isResumed) return continued >= 1;
  return fork.failed > 0 && continued >= 2;
}

/** All calls of the rounds. */
function callsOf(rounds: readonly Round[]): readonly number[] {
  return rounds.flat().filter((call) => call !== undefined);
}

function roundsOf(
  calls: readonly RecordedCall[],
  included: readonly number[],
  at: number,
  tools: readonly string[],
): readonly (readonly number[])[] {
  const rounds: (readonly number[])[] = [];
  for (let start = at; ; start += tools.length) {
    const round = included.slice(start, start + tools.length);
    const fits = tools.every((tool, index) => {
      const call = calls[round[index] ?? -1];
      return call?.tool === tool && call.error === undefined;
    });
    if (!fits) return rounds;
    rounds.push(round);
  }
}

function loopOver(
  calls: readonly RecordedCall[],
  { rounds, tools, least, fork }: Repeat,
  { steps, valueIndex, task }: RecordedSteps,
  mayWrite: MayWrite,
): SampleLoop | undefined {
  const [first = []] = rounds;
  const tried = new Set<string>();
  // All rounds come as far as to the call that fails in some.
  for (const [nth, call] of first.slice(0, fork ? fork.at + 1 : first.length).entries()) {
    for (const [argument, value] of jsonLeaves(calls[call ?? -1]?.args ?? {})) {
      const text = leafText(value);
      if (text === undefined || text.length < 2) continue;
      for (const { step, path, isKey, around } of occurrencesOf(value, valueIndex, rounds.length)) {
        for (const depth of path.keys()) {
          const place = path.slice(0, depth);
          const name = JSON.stringify([nth, argument, step, place, path.slice(depth + 1), around]);
          if (tried.has(name)) continue;
          tried.add(name);
          const all = elementsIn(valueAt(steps[step]?.value, place));
          if (!all || all.length < least) continue;
          const isPartly = all.length > rounds.length;
          const isKeyOf = isKey && depth === path.length - 1;
          const inElement: Path = isMapAt(steps, step, place)
            ? isKeyOf
              ? ["key"]
              : ["value", ...path.slice(depth + 1)]
            : path.slice(depth + 1);
          const text: ElementText = { nth, argument, inElement, around };
          const pairs = pairLists(rounds.length, text, { steps, step, place });
          const lists = [
            ...pairs.filter((list) => areCopied(calls, rounds, list.elements)),
            ...(isPartly
              ? partLists(calls, rounds, all, text, { steps, task, step, place })
              : [{ elements: all, inElement }]),
            ...groupLists(rounds.length, all, text),
            ...pairs,
          ];
          for (const { elements, inElement: inside, ...list } of lists) {
            const own = rounds.slice(0, elements.length);
            const ordered =
              orderedRounds(calls, own, elements, nth, argument, inside, around) ??
              (isPartly || around === NOTHING_AROUND
                ? undefined
                : roundsInOrder(calls, own, elements, { ...text, inElement: inside }));
            if (!ordered || ordered.length === 0 || !isGeneral(calls, ordered, elements, steps)) continue;
            if (tools.some(mayWrite) && ordered.some((round, index) => round !== rounds[index])) continue;
            return {
              kind: "loop",
              tools,
              rounds: ordered,
              ...(fork ? { fork } : {}),
              elements,
              ...list,
              step,
              path: place,
              value: loopResult(calls, { tools, rounds: ordered, fork }),
            };
          }
        }
      }
    }
  }
  return undefined;
}

/** Elements of a list for which rounds are, and where in an element stands what a round has of it. */
interface PartList extends Pick<SampleLoop, "elements" | "among" | "beside" | "groupedBy"> {
  readonly inElement: Path;
}

/** The elements of a list that are meant, by themselves or by what the rounds of an earlier loop gave for them. */
function partLists(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  all: readonly Json[],
  text: ElementText,
  { steps, task, step, place }: LoopPlace & Pick<RecordedSteps, "task">,
): readonly PartList[] {
  const { inElement, around } = text;
  // What is named as it stands in a list may be what the caller says; what stands in a text that is made for it is not.
  const isNamed = around === NOTHING_AROUND;
  const meant = isNamed ? [] : meantElements(calls, rounds, all, text, task);
  const known =
    meant.length > 0 || isNamed ? meant : elementsCompared(calls, rounds, all, text, { steps, task });
  if (known.length > 0) return [{ elements: known, among: all, inElement }];
  return [...steps.keys()].flatMap((beside): readonly PartList[] => {
    const among = pairsOf(beside, { steps, step, place });
    if (!among) return [];
    const inPair = ["left", ...inElement];
    const elements = meantElements(calls, rounds, among, { ...text, inElement: inPair }, task, isByRound);
    return elements.length > 0 ? [{ elements, among, inElement: inPair, beside }] : [];
  });
}

/** The elements of earlier loops of as many rounds, each beside what its round gave. */
function pairLists(
  count: number,
  { inElement }: ElementText,
  { steps, step, place }: LoopPlace,
): readonly PartList[] {
  return [...steps.keys()].flatMap((beside) => {
    const pairs = pairsOf(beside, { steps, step, place });
    return pairs?.length === count ? [{ elements: pairs, inElement: ["left", ...inElement], beside }] : [];
  });
}

/** The elements that say the same, where some of these are several and there are as many rounds as things that they say. */
function groupLists(count: number, all: readonly Json[], { inElement }: ElementText): readonly PartList[] {
  const groups = Map.groupBy(all, (each) => leafText(valueAt(each, inElement) ?? null) ?? "");
  const isTold = !groups.has("") && inElement.length > 0;
  if (groups.size !== count || groups.size === all.length || !isTold) return [];
  const elements = [...groups.values()].map((own): Json => ({
    name: valueAt(own[0], inElement) ?? null,
    elements: own,
  }));
  return [{ elements, inElement: ["name"], groupedBy: inElement.map(String) }];
}

/** A list at a place of what a step gave. */
interface LoopPlace extends Pick<RecordedSteps, "steps"> {
  readonly step: number;
  readonly place: Path;
}

/** The elements of an earlier loop over a list, each beside what its round gave. */
function pairsOf(beside: number, { steps, step, place }: LoopPlace): readonly Json[] | undefined {
  const loop = steps[beside];
  if (loop?.kind !== "loop" || loop.given || loop.until || loop.fork || loop.beside !== undefined)
    return undefined;
  const { value, elements: lefts } = loop;
  const isSameList = loop.step === step && isSame([...loop.path], [...place]);
  if (!isSameList || !Array.isArray(value) || value.length !== lefts.length) return undefined;
  return lefts.map((left, index): Json => ({ left, right: value[index] ?? null }));
}

/** Whether the task says something of what an earlier round gave. */
function isByRound({ path, isSaid }: Separation, areNamed: boolean): boolean {
  return isSaid && !areNamed && path[0] === "right";
}

/**
 * The elements of which each round has one in a text, where the task says what tells them from the others, or where they are
 * all of a kind and the task names none of them; else none.
 */
function meantElements(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  all: readonly Json[],
  text: ElementText,
  task: TaskText,
  tells = (each: Separation, areNamed: boolean): boolean =>
    each.isSaid || (!areNamed && (isHintedAt(each, task) || tellsKind(each))),
): readonly Json[] {
  const { chosen, areNamed } = elementsOfRounds(calls, rounds, all, text, task);
  const isTold =
    chosen.length === rounds.length &&
    separations(all, chosen, task, () => false).some((each) => tells(each, areNamed));
  return isTold ? chosen.flatMap((index) => all.slice(index, index + 1)) : [];
}

/**
 * The elements of which each round has one in a text, where these are all that another list has not, or has, or of which one
 * number is beyond another, as the task says.
 */
function elementsCompared(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  all: readonly Json[],
  text: ElementText,
  { steps, task }: Pick<RecordedSteps, "steps" | "task">,
): readonly Json[] {
  const { chosen, areNamed } = elementsOfRounds(calls, rounds, all, text, task);
  if (chosen.length !== rounds.length || areNamed) return [];
  const isMeant = new Set(chosen);
  const isTold =
    areMeasured(all, chosen, task) ||
    steps.some((step) => {
      if (!task.leavesOut && !isStepSpokenOf(step, calls, task)) return false;
      const listed = listsIn([step.value]).flatMap((other) => listedElements(all, other));
      return listed.some(({ isListed }) =>
        isListed.every((is, nth) => (is === !task.leavesOut) === isMeant.has(nth)),
      );
    });
  return isTold ? chosen.flatMap((index) => all.slice(index, index + 1)) : [];
}

/** Which elements of a list the rounds have in a text, by number, and whether the task names one of them. */
function elementsOfRounds(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  all: readonly Json[],
  { nth, argument, inElement, around }: ElementText,
  task: TaskText,
): { readonly chosen: readonly number[]; readonly areNamed: boolean } {
  const texts = new Set(
    rounds.map((round) => textWithin(valueAt(calls[round[nth] ?? -1]?.args, argument), around)),
  );
  const chosen = [...all.keys()].filter((index) =>
    texts.has(leafText(valueAt(all[index] ?? null, inElement) ?? null)),
  );
  return { chosen, areNamed: [...texts].some((text) => text !== undefined && task.mentions(text)) };
}

/** An argument of each round's call of a number that has in a text what stands in the round's element. */
interface ElementText {
  readonly nth: number;
  readonly argument: Path;
  readonly inElement: Path;
  readonly around: TextAround;
}

interface Occurrence extends ValueOccurrence {
  /** What stands before and behind the value in the argument. */
  readonly around: TextAround;
}

interface TextAround {
  readonly before: string;
  readonly after: string;
}

const NOTHING_AROUND: TextAround = { before: "", after: "" };

/** Where a value stands, or a part of it that is a whole value there, such as the name in a path. */
function occurrencesOf(value: Json, valueIndex: ValueIndex, rounds: number): readonly Occurrence[] {
  const occurrences = (part: Json, around: TextAround): readonly Occurrence[] =>
    valueIndex.of(part).map(({ step, path, isKey }) => ({ step, path, isKey, around }));
  const whole = occurrences(value, NOTHING_AROUND);
  if (whole.length > 0 || typeof value !== "string" || rounds < 2) return whole;
  return textSpans(value).flatMap(({ part, ...around }) => occurrences(part, around));
}

/** What stands between two texts, as a value's text. */
function textWithin(value: Json | undefined, { before, after }: TextAround): string | undefined {
  if (value === undefined) return undefined;
  if (before === "" && after === "") return leafText(value);
  const isAround =
    typeof value === "string" &&
    value.length > before.length + after.length &&
    value.startsWith(before) &&
    value.endsWith(after);
  return isAround ? leafText(value.slice(before.length, value.length - after.length)) : undefined;
}

function isMapAt(steps: readonly SampleStep[], step: number, path: Path): boolean {
  return !Array.isArray(valueAt(steps[step]?.value, path));
}

/** The rounds in the order of the elements, if each element has exactly one. */
function orderedRounds(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  elements: readonly Json[],
  nth: number,
  argument: Path,
  inElement: Path,
  around: TextAround,
): readonly Round[] | undefined {
  const byValue = new Map<string, Round>();
  for (const round of rounds) {
    const value = valueAt(calls[round[nth] ?? -1]?.args, argument);
    const text = textWithin(value, around);
    if (text === undefined || byValue.has(text)) return undefined;
    byValue.set(text, round);
  }
  const ordered = elements.map((element) => byValue.get(leafText(valueAt(element, inElement) ?? null) ?? ""));
  return ordered.every((round) => round !== undefined) ? ordered : undefined;
}

/** The rounds of which each has in a text what stands in the element at its position, where other parts of the texts differ, too. */
function roundsInOrder(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  elements: readonly Json[],
  { nth, argument, inElement }: ElementText,
): readonly Round[] | undefined {
  const names = elements.map((element) => leafText(valueAt(element, inElement) ?? null) ?? "");
  const isEach = rounds.every((round, index) => {
    const value = valueAt(calls[round[nth] ?? -1]?.args, argument);
    const name = names[index] ?? "";
    return typeof value === "string" && textSpans(value).some(({ part }) => part === name);
  });
  const isOne = rounds.length === elements.length && new Set(names).size === names.length;
  return isOne && isEach ? rounds : undefined;
}

/**
 * Whether every argument is the same in all rounds, or comes from the element, from what another list says of the same
 * thing, or from earlier in its round.
 */
function isGeneral(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  elements: readonly Json[],
  steps: readonly SampleStep[],
): boolean {
  const [first = []] = rounds;
  if (isGeneralWith(calls, rounds, elements, [])) return true;
  const lists = listsIn(steps.map(({ value }) => value)).filter((list) => list !== elements);
  const joined = lists.flatMap((list) => joinedElements(elements, list)).slice(0, MAX_JOINED);
  return first.length > 0 && joined.length > 0 && isGeneralWith(calls, rounds, elements, joined);
}

const MAX_JOINED = 10;

function isGeneralWith(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  elements: readonly Json[],
  joined: readonly JoinedElements[],
): boolean {
  const [first = []] = rounds;
  return first.every((_, nth) => {
    const made = [...rounds.keys()].filter((index) => rounds[index]?.[nth] !== undefined);
    const argsIn = (index: number): Json => calls[rounds[index]?.[nth] ?? -1]?.args ?? {};
    const sources = made.map((index) => [
      elements[index] ?? null,
      ...joined.map(({ found }) => found[index] ?? null),
      ...(rounds[index] ?? []).slice(0, nth).map((call) => calls[call ?? -1]?.result ?? null),
    ]);
    return [...jsonLeaves(argsIn(made[0] ?? 0))].every(([path, value]) => {
      const values = made.map((index) => valueAt(argsIn(index), path));
      if (!values.every((each) => each !== undefined && isLeaf(each))) return false;
      if (values.every((each) => each === value)) return true;
      const places = placesIn(sources[0] ?? []);
      const isGiven = (part: Json, around: TextAround): boolean =>
        (places.get(leafText(part) ?? "") ?? []).some(([source, inside]) =>
          values.every((each, index) => {
            const told = onlyValueAt(sources[index]?.[source], inside);
            return told !== undefined && leafText(told) === textWithin(each, around);
          }),
        );
      return (
        isGiven(value, NOTHING_AROUND) ||
        isCalculated(values, sources) ||
        isComposed(values, sources, places) ||
        values.every((each, index) => isCopyOf(each, sources[index] ?? [])) ||
        areLinesOf(
          values,
          made.map((index) => valueAt(elements[index], ["elements"])),
        ) ||
        (typeof value === "string" && textSpans(value).some(({ part, ...around }) => isGiven(part, around)))
      );
    });
  });
}

/** Whether each round has a line for each element of a list of its own, with what this says at a place, in its order. */
function areLinesOf(values: readonly (Json | undefined)[], lists: readonly (Json | undefined)[]): boolean {
  const [first] = lists;
  if (!Array.isArray(first)) return false;
  return [...jsonLeaves(first[0] ?? null)].some(([path]) =>
    values.every((value, index) => {
      const own = lists[index];
      const texts = Array.isArray(own)
        ? own.map((each: Json) => leafText(valueAt(each, path) ?? null) ?? "")
        : [];
      const lines = typeof value === "string" ? value.split("\n") : [];
      const isAt = (start: number): boolean =>
        texts.every((text, nth) => text !== "" && lines[start + nth]?.includes(text) === true);
      return texts.length > 0 && lines.some((_, start) => isAt(start));
    }),
  );
}

/** Whether each round has in an argument a text that its element has, whole or below its first line. */
function areCopied(
  calls: readonly RecordedCall[],
  rounds: readonly Round[],
  elements: readonly Json[],
): boolean {
  const [first = []] = rounds;
  return first.some((_, nth) =>
    [...jsonLeaves(calls[first[nth] ?? -1]?.args ?? {})].some(([path]) =>
      rounds.every((round, index) => {
        const value = valueAt(calls[round[nth] ?? -1]?.args, path);
        return isCopyOf(value, [elements[index] ?? null]);
      }),
    ),
  );
}

/** Whether a text is one of those in values, or all that one of them says below its first line. */
function isCopyOf(value: Json | undefined, sources: readonly Json[]): boolean {
  if (typeof value !== "string" || value.length < MIN_BODY || !value.includes("\n")) return false;
  const told = sources.flatMap((source) => Array.from(jsonLeaves(source), ([, leaf]) => leaf));
  return told.some(
    (text) => typeof text === "string" && (text === value || text.slice(text.indexOf("\n") + 1) === value),
  );
}

/** Shorter texts may end another by chance. */
const MIN_BODY = 12;

/** Whether numbers are calculated in each round from two numbers of it, in the same way. */
function isCalculated(values: readonly (Json | undefined)[], sources: readonly (readonly Json[])[]): boolean {
  if (values.length < 2 || !values.every((value) => typeof value === "number")) return false;
  const numbers = (sources[0] ?? []).flatMap((source, at) =>
    [...jsonLeaves(source)].flatMap(([path, leaf]) =>
      typeof leaf === "number" && path.every((part) => typeof part === "string") ? [{ at, path }] : [],
    ),
  );
  const few = numbers.slice(0, MAX_NUMBERS);
  return few.some((left) =>
    few.some((right) =>
      ARITHMETIC_OPERATORS.some((operator) =>
        values.every((value, round) => {
          const [a, b] = [left, right].map(({ at, path }) => valueAt(sources[round]?.[at], path));
          return left !== right && calculated(a, operator, b) === value;
        }),
      ),
    ),
  );
}

const MAX_NUMBERS = 20;

function loopResult(
  calls: readonly RecordedCall[],
  { rounds, tools, fork }: Pick<SampleLoop, "rounds" | "tools"> & { readonly fork?: RoundFork | undefined },
): Json {
  const names = roundFields(tools);
  return rounds.map((round) => {
    const resultOf = (call: number | undefined): Json => {
      const { error, result = null } = calls[call ?? -1] ?? {};
      return error === undefined ? result : null;
    };
    if (fork) return resultOf(round.findLast((call) => call !== undefined));
    const results = round.map(resultOf);
    if (results.length === 1) return results[0] ?? null;
    return Object.fromEntries(results.map((result, index) => [names[index] ?? "", result]));
  });
}
