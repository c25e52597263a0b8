import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import {
  type Candidate,
  type SlotValue,
  flowCandidates,
  isCredible,
  type CallView,
  hasFlow,
  extremeCandidates,
  taskSays,
} from "./flow-candidates.ts";
import {
  chosenFrom,
  comparisonsIn,
  fieldExpression,
  substituteSlot,
  refersTo,
  subexpressions,
  whereEmpty,
} from "../plan/expression.ts";
import type { Condition, Expression, Origin, TracePath } from "../plan/plan.ts";
import type { OpenQuestion } from "../plan/open-questions.ts";
import { isFirstKind, partingStates } from "../recording/parted-rounds.ts";
import {
  collectionWays,
  filters,
  isByKind,
  isMeasurable,
  isSaid,
  saidConditions,
  searchConditions,
} from "./selection/filters.ts";
import { listOfFound } from "./selection/memberships.ts";
import { isNamedExtreme, type ReadExtremes, readExtremes } from "./selection/extreme-readings.ts";
import { arePartedByAmount, arePartedByPresence } from "../plan/quantities.ts";
import { projectionOf } from "./selection/projections.ts";
import { type SampleLoop, signatureOf } from "../recording/sample-step.ts";
import { type MayWrite, soundsReading } from "../plan/tool-effects.ts";
import { isSecretName, isSecretValue } from "../recording/secrets.ts";
import { zippedLists } from "./selection/zipped-lists.ts";
import { selectedList } from "./selection/list-selectors.ts";
import { mustBeSorted } from "./lists/sorted-lists.ts";
import { madeLists, type MadeList, type SharedPart } from "./lists/made-lists.ts";
import {
  isAnew,
  isOneName,
  mayDiffer,
  mayMeetByChance,
  sameArgument,
  type ValueName,
  wishOf,
} from "./same-values.ts";
import { isLoopInvariant, sharedCandidates, type SharedCandidate } from "./selection/shared-candidates.ts";
import {
  fieldName,
  isFieldList,
  isOfQuery,
  isUnsaidSetting,
  namesListLimit,
  namesKind,
  selectorName,
  lastName,
  type ParameterSlot,
} from "../plan/parameter-slots.ts";
import { hasFileEnding } from "./composed-text.ts";
import { derivedValue } from "./derived-value.ts";
import { replacesOnce, standingOnce } from "./edited/edited-line.ts";
import { isByBeginning } from "./told/told-sentences.ts";
import { hasTags, layoutOf, rowContent, rowsOf } from "./selection/laid-out.ts";
import { nameWords, plural, singular } from "../plan/names.ts";
import {
  canonicalJson,
  isEntityName,
  isLeaf,
  isProgram,
  isSame,
  isSpecific,
  isState,
  isTag,
  jsonLeaves,
  leafText,
  type Path,
  valueAt,
} from "../plan/values.ts";

/** Where lists stand inside of a value. */
function* listsInside(value: Json, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    if (Array.isArray(inner)) yield place;
    yield* listsInside(inner, place);
  }
}

/** What became of one place in the arguments, or what the skill gives, and why. */
export interface Choice {
  /** `return` for what the skill gives: no step is called so. */
  readonly step: string;
  /** The step's calls in the first trace: in a loop, one for each round. */
  readonly calls: readonly number[];
  readonly path: Path;
  readonly chosen: Expression;
  /** What else it could have been, the likeliest first. */
  readonly alternatives: readonly Expression[];
  readonly why: string;
  /** Where the runs allow another reading that would act otherwise in another run. */
  readonly question?: OpenQuestion["kind"] | undefined;
}

const MAX_ALTERNATIVES = 5;

const MAX_DEPTH = 12;

const TOLD_OTHERWISE = "the task says it in another form";
const UNSAID = "it says how it is done, of which the task says nothing";
const QUERIED = "it is a term of the tool in which is looked for what the task says";

/** Decides, argument by argument, where values come from; what was decided once holds for equal values later. */
export class ArgumentDecider {
  readonly slots = new Map<string, ParameterSlot>();
  readonly choices: Choice[] = [];
  /** Tools of which one step has answers that are read in several ways. */
  readonly unlikeReads = new Set<string>();
  readonly #samples: number;
  readonly #mayWrite: MayWrite;
  readonly #decided: Map<string, Decision[]>[];
  /** The wish of each sample, as it is known. */
  readonly #wishes = new Map<number, string | number>();
  /** The elements of lists from which calls have arguments. */
  readonly #sources = new Set<string>();
  /** Words for the kind of things that loops are for, of which the tasks have another form. */
  readonly #kinds = new Set<Json>();
  #items = 0;

  constructor(samples: number, mayWrite: MayWrite) {
    this.#samples = samples;
    this.#mayWrite = mayWrite;
    this.#decided = Array.from({ length: samples }, () => new Map());
  }

  /** The expression of a step's arguments. The views see the same call: in several samples, or rounds of a loop. */
  argumentsOf(
    step: string,
    site: string,
    views: readonly CallView[],
    given: readonly GivenArgument[] = [],
  ): Expression {
    const values = views.map(({ sample, call }) => sample.trace.calls[call]?.args ?? {});
    return this.#node({ step, site, views, given }, values, []);
  }

  /** What a loop goes over where the caller gives it. */
  givenCollection(step: string, site: string, field: string, loops: readonly LoopView[]): Expression {
    const at = { step, site, views: loops.map(firstCall) };
    const origins: Origin[] = [];
    const first = loops.find(({ view }) => view.nth === 0)?.step;
    for (const [index, round] of (first?.rounds ?? []).entries())
      for (const { name, places, naming } of first?.given?.fields ?? [])
        for (const { nth, path } of places) {
          const call = round[nth];
          if (call === undefined) continue;
          const within = first?.given?.fields.length === 1 ? [index] : [index, name];
          const named = naming ? first?.namePlaces?.[index] : undefined;
          origins.push(
            named
              ? { ...named, at: "result", within, selects: { call, path } }
              : { call, at: "args", path, within },
          );
        }
    const rounds = { call: first?.rounds[0]?.[0] ?? 0, tools: first?.tools ?? [] };
    const why = "the caller says for what it is done";
    const readings = sharedCandidates(
      loops.map(({ step: loop }, index) => {
        const view = at.views[index];
        return view
          ? [...filters(loop, view, `${site}:over`, this.#earlierDecision), ...zippedLists(loop, view)]
          : [];
      }),
    );
    const said = readings.filter(isSaid);
    const likely = said.length === 1 ? said : readings;
    const isMeasured = loops.every(({ step: loop }, index) => {
      const view = at.views[index];
      return view !== undefined && isMeasurable(loop, view);
    });
    const isUntested = likely.some(({ uses }) => uses.every((use) => use.isUntested === true));
    const isTold =
      samplesOf(at).length > 1 && likely.length === 1 && (said.length === 1 || !isMeasured) && !isUntested;
    // Three in the same order are hardly so by chance, and are asked about all the same.
    const isOrdered = readings.length === 1 && isZipped(readings[0]) && (first?.rounds.length ?? 0) > 2;
    const [best] = said.length === 1 || isTold || isOrdered ? likely : [];
    const isOpen = readings.length > 0 && !isTold && (first?.tools.some(this.#mayWrite) ?? false);
    // What was done after a failure could have been done instead.
    const isForked = loops.length < 3 && first?.fork !== undefined;
    const question = isOpen || isForked ? "element" : undefined;
    if (!best)
      return this.#elements(at, loops, { field, origins, rounds }, why, question, readings.map(withLimits));
    this.#addSlots(at, best.uses);
    this.#addKinds(at, best.expression);
    const others = readings.filter((each) => each !== best).map(withLimits);
    const asked = question ?? (isByName(best) ? "constant" : undefined);
    return this.#record(at, [], best.expression, others, best.uses[0]?.why ?? "", asked);
  }

  /** What must be true of what a round gives for a search to end with it. */
  searchEnd(step: string, site: string, loops: readonly LoopView[]): readonly Condition[] {
    const at = { step, site, views: loops.map(firstCall) };
    const uses = loops.map((loop) => searchConditions(loop.step, `${site}:until`));
    this.#addSlots(at, uses);
    return uses[0]?.where ?? [];
  }

  /**
   * What parts the rounds of a loop by what the call of each that is called so was answered: what the task says of it, or
   * else its states, of which another one was never seen.
   */
  roundParting(step: string, site: string, loops: readonly LoopView[], look: string): RoundParting {
    const answer: Expression = { kind: "ref", name: look };
    const at = { step, site, views: loops.map(firstCall) };
    const parted = loops.flatMap(({ view, step: { rounds, tools, fork } }) =>
      fork ? [{ view, rounds: { rounds, tools, fork } }] : [],
    );
    const [said] = sharedCandidates(
      parted.map(({ view, rounds }) => saidConditions(rounds, view.sample, answer, `${site}:each`)),
    );
    if (said) {
      this.#addSlots(at, said.uses);
      return {
        value: { kind: "aggregate", operator: "count", of: said.expression },
        ways: [
          { equals: 1, isFirst: true },
          { equals: 0, isFirst: false },
        ],
      };
    }
    const states = partingStates(
      parted.map(({ view, rounds }) => ({ calls: view.sample.trace.calls, rounds })),
    );
    const items = states.map(({ path }) => fieldExpression(answer, path));
    const [only] = items;
    const ways = new Map(
      parted.flatMap(({ view, rounds }) =>
        rounds.rounds.map((round, index) => {
          const { result = null } = view.sample.trace.calls[round[rounds.fork.at] ?? -1] ?? {};
          const seen = states.map(({ path }) => valueAt(result, path) ?? null);
          const equals: Json = only && seen.length === 1 ? (seen[0] ?? null) : seen;
          return [canonicalJson(equals), { equals, isFirst: isFirstKind(rounds, index) }] as const;
        }),
      ),
    );
    const value: Expression = only && items.length === 1 ? only : { kind: "list", items };
    return { value, ways: states.length === 0 ? [] : [...ways.values()] };
  }

  /** Whether the caller wants something to be done, as each sample has it. */
  wish(slot: string, field: string, values: readonly boolean[]): Expression {
    this.slots.set(slot, { slot, field, values, origins: [], isSecret: false, isNeeded: true, site: slot });
    return { kind: "param", name: slot };
  }

  /** The expression of the collection that a loop goes over. */
  collection(step: string, site: string, loops: readonly LoopView[]): Expression {
    const views = loops.map(firstCall);
    const at = { step, site, views };
    const ways = loops.map(({ step: loop }, index) => {
      const view = views[index];
      return view ? collectionWays(loop, view, `${site}:over`, this.#earlierDecision) : [];
    });
    const found = sharedCandidates(ways);
    const [best] = found;
    const isPartly = loops.some(({ step: loop }) => loop.among !== undefined);
    if (!best)
      return this.#elements(
        at,
        loops,
        { field: "elements", origins: [] },
        "nothing leads to it in every run",
      );
    // Elements that all have something in common could have been meant for it: only a list in which some have not tells.
    const text = JSON.stringify(best.expression);
    const readings = sharedCandidates(
      loops.map(({ step: loop }, index) => {
        const view = views[index];
        return view ? filters(loop, view, `${site}:over`, this.#earlierDecision) : [];
      }),
    ).filter(({ expression }) => JSON.stringify(chosenFrom(expression) ?? listOfFound(expression)) === text);
    // Where the rounds of a run were for all there were, nothing could tell them from others.
    const isTelling = ({ uses }: SharedCandidate): boolean =>
      isSaid({ uses: uses.filter((_, nth) => !isPartly || loops[nth]?.step.among !== undefined) });
    const first = isPartly ? readings.find(isTelling) : readings[0];
    const isMeant = first !== undefined && isTelling(first);
    if (isPartly && !isMeant)
      return this.#elements(
        at,
        loops,
        { field: "elements", origins: [] },
        "nothing tells in every run which are meant",
        "element",
        readings.map(withLimits),
      );
    const chosen = isMeant ? first : best;
    this.#addSlots(at, chosen.uses);
    this.#addKinds(at, chosen.expression);
    const { tools } = loops[0]?.step ?? { tools: [] };
    const counts = new Set(loops.map(({ step: loop }) => loop.elements.length));
    // That they are all of a kind nobody says, where something else may tell them as well.
    const told = isByKind(chosen.expression) ? readings : readings.filter(isSaid);
    const isSettled = isPartly
      ? samplesOf(at).length > 1 && told.length === 1 && isSaid(chosen)
      : counts.size > 1 && first === undefined;
    const isOpen = tools.some(this.#mayWrite) ? !isSettled : isMeant && this.#goesOnWriting(loops);
    const asked = chosen.uses.some(({ isBelowHeading }) => isBelowHeading) ? found.slice(1) : [];
    const others = [...(isPartly ? [] : [best]), ...readings, ...asked]
      .filter((each) => each !== chosen)
      .map(withLimits);
    const why = isMeant ? (chosen.uses[0]?.why ?? "") : "its elements are what the rounds are for";
    return this.#record(at, [], chosen.expression, others, why, isOpen ? "element" : undefined);
  }

  #addKinds({ views }: Site, over: Expression): void {
    for (const part of subexpressions(over))
      for (const { equals } of part.kind === "filter" ? comparisonsIn(part.where) : [])
        if (equals.kind === "constant" && typeof equals.value === "string" && isHinted(equals.value, views))
          this.#kinds.add(equals.value);
  }

  /** Whether something is called after loops that may write. */
  #goesOnWriting(loops: readonly LoopView[]): boolean {
    return loops.some(({ view, step: loop }) => {
      const last = Math.max(...loop.rounds.flat().map((call) => call ?? -1));
      return view.sample.trace.calls.slice(last + 1).some(({ tool }) => this.#mayWrite(tool));
    });
  }

  /** A collection that the caller supplies. */
  #elements(
    at: Site,
    loops: readonly LoopView[],
    about: Pick<ParameterSlot, "field" | "origins" | "rounds">,
    why: string,
    question?: OpenQuestion["kind"],
    alternatives: readonly Expression[] = [],
  ): Expression {
    const values: (Json | undefined)[] = Array.from({ length: this.#samples });
    for (const { view, step: loop } of loops) values[view.nth] = loop.elements;
    const slot = `${at.site}:elements`;
    this.slots.set(slot, { slot, ...about, values, isSecret: false, isNeeded: true, site: at.step });
    return this.#record(at, [], { kind: "param", name: slot }, alternatives, why, question);
  }

  #node(at: Site, values: Values, path: Path): Expression {
    const given = at.given?.find((each) => isSame([...each.path], [...path]));
    if (given) return this.#record(at, path, given.expression, [], given.why);
    const present = values.filter((value) => value !== undefined);
    if (present.length < values.length) return this.#param(at, values, path, [], this.#leftOut(at, values));
    if (path.length > MAX_DEPTH) return this.#param(at, values, path);
    if (hasGiven(at, path)) return this.#inner(at, present, path);
    if (present.every(isLeaf)) return this.#leaf(at, present, path);
    const flow = path.length === 0 ? undefined : this.#wholeFlow(at, present, path);
    if (flow) return flow;
    if (present.every(isJsonObject)) return this.#object(at, present, path);
    if (present.every((value) => Array.isArray(value)))
      return this.#list(at, present as readonly (readonly Json[])[], path);
    return this.#param(at, values, path);
  }

  /** What is open where only some runs give an argument, and something that they were told parts these from the others. */
  #leftOut(at: Site, values: Values): OpenQuestion["kind"] | undefined {
    if (!this.#isWriting(at) || hasRounds(at)) return undefined;
    const groups = [true, false].map((isGiven) =>
      at.views.filter((_, nth) => (values[nth] !== undefined) === isGiven),
    );
    return arePartedByAnswers(groups) ? "constant" : undefined;
  }

  // --- objects and lists

  /** An object or list of which the caller gives a part for each round. */
  #inner(at: Site, values: readonly Json[], path: Path): Expression {
    const [first] = values;
    const inner = (key: string | number): Expression =>
      this.#node(
        at,
        values.map((value) => valueAt(value, [key])),
        [...path, key],
      );
    if (Array.isArray(first)) return { kind: "list", items: first.map((_, index) => inner(index)) };
    const keys = isJsonObject(first) ? Object.keys(first) : [];
    return { kind: "object", fields: keys.map((name) => ({ name, value: inner(name) })) };
  }

  #object(at: Site, values: readonly { readonly [key: string]: Json }[], path: Path): Expression {
    const keys = [...new Set(values.flatMap((value) => Object.keys(value)))];
    const ofKey = (key: string): Values =>
      values.map((value) => (Object.hasOwn(value, key) ? value[key] : undefined));
    // What stands in plain sight first: lists may refer to it.
    const order = [...keys].sort((a, b) => Number(!ofKey(a).every(isLeaf)) - Number(!ofKey(b).every(isLeaf)));
    const isWhole = path.length > 0 && !this.#hasFlow(at, values, path);
    const isOfLayout = isLaidOut(at, values);
    const isQuery = this.#isQuery(at, values);
    const isOwn = isOfLayout || isQuery || isPartlySettled(at, values) || areEditsOfRounds(at, values, path);
    if (isWhole && keys.length > 0 && !isOwn) return this.#param(at, values, path);
    const inner: Site = { ...at, isLaidOut: isOfLayout, isQuery };
    const made = new Map<string, Expression>();
    for (const key of order) {
      const known =
        this.#tag(inner, values, [...path, key]) ??
        (path.length === 0 ? this.#sameArgument(at, key, made) : undefined);
      made.set(key, known ?? this.#node(inner, ofKey(key), [...path, key]));
    }
    if (path.length === 0)
      for (const [key, list] of unevenLists(ofKey, made)) {
        this.#forgetGiven(list);
        made.set(key, this.#fixedList(at, ofKey(key) as readonly (readonly Json[])[], [key]));
      }
    const fields = keys.flatMap((name) => {
      const value = made.get(name);
      return value ? [{ name, value }] : [];
    });
    return { kind: "object", fields };
  }

  /** What says which field stands beside it, as it does in all runs. */
  #tag(at: Site, objects: readonly JsonObject[], path: Path): Expression | undefined {
    const key = lastName(path);
    const [value = null, ...others] = objects.map((object) => object[key]);
    const isFixed =
      objects.every((object) => isTag(object, key)) || (at.isLaidOut === true && value === null);
    if (!isFixed || others.some((other) => other !== value)) return undefined;
    return this.#record(at, path, { kind: "constant", value }, [], "it says which field stands beside it");
  }

  #list(at: Site, values: readonly (readonly Json[])[], path: Path): Expression {
    const isSaidByTask = values.every((value, index) => taskSays(value, at.views[index]));
    const projection = isSaidByTask ? undefined : projectionOf(values, at.views, path);
    const counts = new Set(values.map((value) => value.length));
    const question = this.#isWriting(at) && counts.size < 2 ? "element" : undefined;
    // Nothing may tell the elements of a list apart that has all of these and no others.
    const isAllOf = projection !== undefined && values.flat().every(isSpecific);
    const isOfResults = projection?.isWhole === true || this.#hasFlow(at, values, path);
    if (projection && (projection.isWhole || (isAllOf && !isOfResults)))
      return this.#record(at, path, projection.expression, [], projection.why, question);
    const areFound = isOfResults && this.#areFound(at, values, path);
    const made = isSaidByTask || projection ? undefined : this.#madeList(at, values, path, areFound);
    if (made) return made;
    const isOfParts =
      this.#isQuery(at, values) || (areEqualInLength(values) && areEditsOfRounds(at, values, path));
    if (!isOfResults && isOfParts) return this.#fixedList(at, values, path);
    if (!isOfResults && !isPartlySettled(at, values))
      return this.#laidOutList(at, values, path) ?? this.#param(at, values, path);
    const selected = this.#isOneUnsaid(at, values, path) ? undefined : this.#selectedList(at, values, path);
    if (selected) return selected;
    if (projection) return this.#record(at, path, projection.expression, [], projection.why, question);
    const [first = []] = values;
    if (first.length === 0 || !areEqualInLength(values)) return this.#param(at, values, path);
    const flows = first.map((_, index) =>
      this.#hasFlow(
        at,
        values.map((value) => value[index] ?? null),
        [...path, index],
      ),
    );
    if (!flows.includes(true) && !isPartlySettled(at, values)) return this.#param(at, values, path);
    return this.#fixedList(at, values, path);
  }

  /** Whether each element of lists could come from a result by itself, by what not all of them have alike. */
  #areFound(at: Site, values: readonly (readonly Json[])[], path: Path): boolean {
    const [first = []] = values;
    return first.every((element, index) =>
      [...jsonLeaves(element)].some(([inner, leaf]) => {
        if (first.length > 1 && first.every((each) => isSame(valueAt(each, inner), leaf))) return false;
        const leaves = values.map((value) => valueAt(value[index], inner) ?? null);
        return this.#hasFlow(at, leaves, [...path, index, ...inner]);
      }),
    );
  }

  /** Whether the only run looks for what its task says by something that is written in the tool's own terms. */
  #isQuery(at: Site, values: readonly Json[]): boolean {
    const [value = null] = values;
    if (at.views.length !== 1 || this.#isWriting(at)) return false;
    const leaves = [...jsonLeaves(value)];
    const terms = leaves.filter(([inner, leaf]) => isOfQuery(inner, leaf));
    return terms.length > 0 && leaves.some((each) => !terms.includes(each) && taskSays(each[1], at.views[0]));
  }

  /** Takes back that the caller gives a list. */
  #forgetGiven(list: Expression): void {
    const given = givenList(list);
    if (given !== undefined) this.slots.delete(given);
    const own = this.choices.findLastIndex(({ chosen }) => chosen === list);
    if (own >= 0) this.choices.splice(own, 1);
  }

  #fixedList(at: Site, values: readonly (readonly Json[])[], path: Path): Expression {
    const [first = []] = values;
    const items = first.map((_, index) =>
      this.#node(
        at,
        values.map((value) => value[index]),
        [...path, index],
      ),
    );
    return { kind: "list", items };
  }

  /** A list whose elements are the program's but for their content: of those that are alike the caller gives any number. */
  #laidOutList(at: Site, values: readonly (readonly Json[])[], path: Path): Expression | undefined {
    const [first = []] = values;
    if (!isLaidOut(at, values) || hasRounds(at)) return undefined;
    const rows = rowsOf(first);
    const isOneRow = rows.length === 1 && values.some((value) => value.length > 1);
    if (!isOneRow && values.some((value) => value.length !== first.length)) return undefined;
    const inner: Site = { ...at, isLaidOut: true };
    const parts = rows.flatMap(({ at: begin, length }): readonly ListPart[] => {
      const row = values.map((value) => (isOneRow ? value : value.slice(begin, begin + length)));
      const whole = isOneRow || length >= MIN_ROW ? this.#row(at, row, path, begin) : undefined;
      if (whole) return [{ isRow: true, expression: whole }];
      return (
        row[0]?.map((_, nth): ListPart => {
          const own = row.map((elements) => elements[nth]);
          return { isRow: false, expression: this.#node(inner, own, [...path, begin + nth]) };
        }) ?? []
      );
    });
    return joinedParts(parts);
  }

  /** Elements that are laid out alike, of what the caller gives for each. */
  #row(at: Site, row: readonly (readonly Json[])[], path: Path, begin: number): Expression | undefined {
    const content = rowContent(row[0]?.[0] ?? null);
    if (!content) return undefined;
    const { kind, fields, element } = content;
    const [only] = fields.length === 1 ? fields : [];
    const givenFor = (value: Json): Json =>
      only
        ? (valueAt(value, only.path) ?? null)
        : Object.fromEntries(fields.map((field) => [field.name, valueAt(value, field.path) ?? null]));
    const slot = `${at.site}:${path.join(".")}[${begin}]`;
    const values: (Json | undefined)[] = Array.from({ length: this.#samples });
    at.views.forEach(({ nth }, index) => {
      values[nth] = row[index]?.map(givenFor);
    });
    const [first] = at.views;
    const origins = (first?.nth === 0 ? (row[0] ?? []) : []).flatMap((_, nth) =>
      fields.map((field): Origin => ({
        call: first?.call ?? 0,
        at: "args",
        path: [...path, begin + nth, ...field.path],
        within: only ? [nth] : [nth, field.name],
      })),
    );
    const name = kind ?? lastName(only?.path ?? path);
    this.slots.set(slot, {
      slot,
      field: plural(singular(fieldName(name))),
      values,
      samples: this.#samplesOf(at),
      origins,
      isSecret: false,
      isNeeded: true,
      site: at.step,
    });
    const item = `item$${++this.#items}`;
    const over: Expression = { kind: "param", name: slot };
    const expression: Expression = { kind: "map", over, item, value: element({ kind: "ref", name: item }) };
    return this.#record(at, [...path, begin], expression, [], "the caller says what stands in each");
  }

  /**
   * A list that is made of an earlier one: of what its elements tell, and what all have alike. Where each of its elements
   * could be found by itself, only that of which the task tells which are meant.
   */
  #madeList(
    at: Site,
    values: readonly (readonly Json[])[],
    path: Path,
    areFound: boolean,
  ): Expression | undefined {
    if (hasRounds(at)) return undefined;
    const site = `${at.site}:${path.join(".")}[]`;
    const madeWith = (
      sharedIn: (view: CallView, index: number) => SharedPart,
    ): readonly (readonly MadeList[])[] =>
      values.map((value, index) => {
        const view = at.views[index];
        return view ? madeLists(value, view, path, site, sharedIn(view, index), this.#earlierDecision) : [];
      });
    const open = madeWith(() => (value, place) => {
      const isPart = values.every((list) => valueAt(list, place.slice(path.length)) !== value);
      return isPart && typeof value === "string" && /\d{2}|\//.test(value) && !this.#knownText(at, value)
        ? undefined
        : { kind: "constant", value: isPart ? value : JSON.stringify(place) };
    });
    const [first = [], ...others] = open;
    const readings = [...first.entries()].flatMap(([index, { expression, isChosen }]) => {
      const text = JSON.stringify(expression);
      const isShared = others.every((each) =>
        each.some((other) => JSON.stringify(other.expression) === text),
      );
      return (!areFound || isChosen) && isShared ? [index] : [];
    });
    const [nth, ...rest] = readings;
    if (nth === undefined) return undefined;
    const whole = madeWith((_, index) => (value, place) => {
      const inner = place.slice(path.length);
      if (valueAt(values[index], inner) !== value)
        return this.#knownText(at, value) ?? { kind: "constant", value };
      return this.#node(
        at,
        values.map((list) => valueAt(list, inner)),
        place,
      );
    });
    const chosen = whole[0]?.[nth];
    if (
      !chosen ||
      !this.#addSaid(
        at,
        path,
        whole.map((each) => each[nth]?.said ?? []),
      )
    )
      return undefined;
    const question = this.#isWriting(at) ? "element" : undefined;
    const why = "it has an element for each of an earlier list";
    const alternatives = rest.flatMap((index) => whole[0]?.[index]?.expression ?? []);
    return this.#record(at, path, chosen.expression, alternatives, why, question);
  }

  /** What a text in a path is that was decided before, up to the sign that ends it. */
  #knownText({ views: [view] }: Site, value: Json): Expression | undefined {
    if (!view || typeof value !== "string") return undefined;
    const whole = this.#earlierDecision(view, value);
    if (whole || !value.endsWith("/")) return whole;
    const folder = this.#earlierDecision(view, value.slice(0, -1));
    return folder && { kind: "template", parts: [folder, "/"] };
  }

  /** Whether lists have one element each, which is found by how it begins: it is one thing, and none of any number. */
  #isOneUnsaid(at: Site, values: readonly (readonly Json[])[], path: Path): boolean {
    return (
      values.every((value) => value.length === 1) &&
      this.#flows(
        at,
        values.map(([value = null]) => value),
        [...path, 0],
      ).some(({ expression }) => isByBeginning(expression))
    );
  }

  #selectedList(at: Site, values: readonly (readonly Json[])[], path: Path): Expression | undefined {
    const item = `item$${++this.#items}`;
    const selected = selectedList({
      ...at,
      values,
      path,
      item,
      samples: this.#samples,
      decisionFor: this.#earlierDecision,
    });
    if (!selected) return undefined;
    this.slots.set(selected.slot.slot, { ...selected.slot, samples: this.#samplesOf(at) });
    return this.#record(at, path, selected.expression, selected.alternatives, selected.why);
  }

  #wholeFlow(at: Site, values: readonly Json[], path: Path): Expression | undefined {
    if (values.some((value) => isLeaf(value))) return undefined;
    const found = this.#flows(at, values, path).find(
      ({ uses }) => uses.every(({ slots }) => slots.length === 0) || values.length === 1,
    );
    if (!found || values.every((value, index) => taskSays(value, at.views[index]))) return undefined;
    this.#addSlots(at, found.uses);
    return this.#record(at, path, found.expression, [], found.uses[0]?.why ?? "");
  }

  /** Whether anything in a value could come from a result, or is made of what does. */
  #hasFlow(at: Site, values: readonly Json[], path: Path): boolean {
    const isOfRound = differsByRound(at, values);
    const isTold = values.every((value, index) => {
      const view = at.views[index];
      const place = { site: at.site, path, isOfRound };
      return view !== undefined && hasFlow(value, view, place, this.#earlierDecision);
    });
    const [first = null] = values;
    return (
      isTold ||
      [...jsonLeaves(first)].some(([inner]) => this.#isMade(at, values, path, inner)) ||
      [...listsInside(first)].some((inner) => this.#isMadeList(at, values, path, inner))
    );
  }

  /** Whether a list inside has an element for each of an earlier one. */
  #isMadeList(at: Site, values: readonly Json[], path: Path, inner: Path): boolean {
    const open: SharedPart = (value) => ({ kind: "constant", value });
    return (
      !hasRounds(at) &&
      values.every((value, index) => {
        const view = at.views[index];
        const list = valueAt(value, inner);
        return (
          view !== undefined &&
          Array.isArray(list) &&
          madeLists(list as readonly Json[], view, [...path, ...inner], at.site, open, this.#earlierDecision)
            .length > 0
        );
      })
    );
  }

  /** Whether a text inside is composed of what results tell. */
  #isMade(at: Site, values: readonly Json[], path: Path, inner: Path): boolean {
    const texts = values.map((value) => valueAt(value, inner) ?? null);
    const isOwn = texts.every(
      (text, index) => typeof text === "string" && at.views[index]?.sample.task.says(text) === false,
    );
    const derived = isOwn ? this.#derived(at, texts, [...path, ...inner]) : undefined;
    return (
      derived !== undefined && derived.isGiven !== true && (derived.isCertain || derived.isLikely === true)
    );
  }

  #derived(at: Site, values: readonly Json[], path: Path): ReturnType<typeof derivedValue> {
    const place = { call: at.views[0]?.call ?? 0, path };
    return derivedValue(values, at.views, place, this.#earlierDecision, `${at.site}:${path.join(".")}`);
  }

  // --- leaves

  #leaf(at: Site, values: readonly Json[], path: Path): Expression {
    const name = lastName(path);
    const isSecret = isSecretName(name) || values.some(isSecretValue);
    const flows = values[0] === null || typeof values[0] === "boolean" ? [] : this.#flows(at, values, path);
    const best = isAskedToChange(values, at.views)
      ? undefined
      : (flows.find(({ uses }) => uses.every((use, index) => isCredible(values[index] ?? null, use))) ??
        flows.find((flow) => this.#isBeside(at, values, flow)));
    const alternatives = flows.map(({ expression }) => expression);
    const isInTask = values.every((value, index) => at.views[index]?.sample.task.says(value) === true);
    const before = this.#decidedBefore(at, values, path);
    if (before?.isOneThing === true && (before.expression.kind === "param" || !isInTask))
      return (
        this.#sameAsEarlier(at, values, path, before.expression) ??
        this.#record(at, path, before.expression, alternatives, "it is the same as an earlier argument")
      );
    const isTold = best?.uses.every(({ affinity }) => affinity === 3) ?? false;
    if (before?.expression.kind === "param" && !before.isOneThing && !isTold)
      return this.#param(at, values, path, alternatives);
    const isOfRound = differsByRound(at, values);
    const [first = null] = values;
    const isKind =
      this.#kinds.has(first) ||
      (!best && this.#isWriting(at) && isVerbForm(first, at.views)) ||
      (!best && namesKind(path) && isWordOf(first, at.views) && !isOneOfSeveral(first, at.views));
    if (isKind && values.every((value) => value === first))
      return this.#record(
        at,
        path,
        { kind: "constant", value: first },
        alternatives,
        TOLD_OTHERWISE,
        "constant",
      );
    // The spaces and the line end around what the task says are the work's.
    const isWhole = values.every(
      (value) => typeof value !== "string" || !/^[ \t\r\n]|[ \t\r\n]$/.test(value),
    );
    if (isInTask && isWhole && !isSecret && !isElement(at, values) && !(best && isOfRound))
      return this.#param(at, values, path, alternatives);
    const extremes = isSecret ? undefined : this.#extremes(at, values, path, best);
    if (extremes?.isSettled === true || extremes?.isSaid === true) {
      const [{ expression, uses }, ...others] = extremes.found;
      this.#addSlots(at, uses);
      const rest = [...others.map((other) => other.expression), ...alternatives];
      const question = extremes.isSettled ? undefined : "element";
      const chosen = this.#record(at, path, expression, rest, uses[0]?.why ?? "", question);
      this.#decide(at, path, values, chosen);
      return chosen;
    }
    if (extremes) {
      const readings = extremes.found.map(({ expression }) => expression);
      if (!best) return this.#param(at, values, path, [...readings, ...alternatives], "element");
      this.#addSlots(at, best.uses);
      const why = best.uses[0]?.why ?? "";
      const chosen = this.#record(at, path, best.expression, [...readings, ...alternatives], why, "element");
      this.#decide(at, path, values, chosen);
      return chosen;
    }
    if (best) {
      this.#addSlots(at, best.uses);
      const why = best.uses[0]?.why ?? "";
      const isByOther =
        this.#isWriting(at) &&
        samplesOf(at).length === 1 &&
        (isFoundByAnother(best) ||
          isFoundOtherwise(best, flows, at.views) ||
          best.uses.some((use) => use.isBelowHeading || use.isFoundByTold || use.isUntested));
      const isOfAnyRound = this.#isWriting(at) && mayBeOfOneRound(at, values, best);
      const known = isByOther ? "element" : isOfAnyRound ? "source" : openQuestionOf(best, flows, values);
      const isChance = known === undefined && this.#isWriting(at) && mayBeByChance(at, values, best);
      const question = isChance ? "source" : known;
      const expression = whereEmpty(best.expression, values);
      const told: Expression = { kind: "param", name: `${at.site}:${path.join(".")}` };
      const others = isChance ? [told] : isOfAnyRound ? [...alternatives, told] : alternatives;
      const chosen = this.#record(at, path, expression, others, why, question);
      this.#decide(at, path, values, chosen);
      return chosen;
    }
    if (isSecret) return this.#param(at, values, path, alternatives);
    const derived = this.#derived(at, values, path);
    if (
      derived &&
      (derived.isCertain || derived.isLikely || isOfRound) &&
      this.#addSaid(at, path, derived.said)
    ) {
      const question = derived.isCertain ? undefined : questionOf(derived.expression);
      const others = [...derived.alternatives, ...alternatives];
      const chosen = this.#record(at, path, asText(derived.expression), others, derived.why, question);
      if (derived.isCertain) this.#decide(at, path, values, chosen);
      return chosen;
    }
    const others = derived ? [derived.expression, ...derived.alternatives, ...alternatives] : alternatives;
    if (at.isQuery === true && isOfQuery(path, first))
      return this.#record(at, path, { kind: "constant", value: first }, others, QUERIED);
    if (!isInTask && values.every((value, index) => value === first && isOfProgram(value, at.views[index])))
      return this.#record(at, path, { kind: "constant", value: first }, others, "a program names it, too");
    const isOneSetting = values.every((value) => value === first && this.#isSetting(at, value, path));
    if (isOneSetting && others.length === 0)
      return this.#record(at, path, { kind: "constant", value: first }, [], UNSAID, "constant");
    const isConstant =
      samplesOf(at).length > 1 &&
      values.every((value) => value === first) &&
      this.#wishesOf(at) > 1 &&
      !values.some((value, index) => at.views[index]?.sample.task.says(value)) &&
      !(isSpecific(first) && at.views.some((view) => isAnswered(first, view)));
    if (isConstant) {
      const constant: Expression = { kind: "constant", value: first };
      const isFact = this.#isWriting(at) && first !== null;
      const question = isFact ? "constant" : undefined;
      return this.#record(at, path, constant, others, "it is the same in every run", question);
    }
    return this.#param(at, values, path, others, derived && questionOf(derived.expression));
  }

  /** Whether an act is done in a way of which no task and no answer tells. */
  #isSetting(at: Site, value: Json, path: Path): boolean {
    return (
      samplesOf(at).length === 1 &&
      this.#isWriting(at) &&
      at.views.every(
        ({ sample: { task, valueIndex } }) =>
          isUnsaidSetting(path, value, task) && valueIndex.of(value).length === 0,
      )
    );
  }

  /** What could tell the element by the least or the most that it has, where nothing tells it that is known before. */
  #extremes(
    at: Site,
    values: readonly Json[],
    path: Path,
    best: SharedCandidate | undefined,
  ): ReadExtremes | undefined {
    if (best && areAllSaid(best, at.views)) return undefined;
    const candidates = sharedCandidates(
      values.map((value, index) => {
        const view = at.views[index];
        const place = { call: view?.call ?? 0, path };
        const site = `${at.site}:${path.join(".")}`;
        return view ? extremeCandidates(value, view, place, site, this.#earlierDecision) : [];
      }),
    ).filter(({ uses }) =>
      uses.every((use, index) => {
        const value = values[index] ?? null;
        // A short name is one, too, where the task asks for what has the most of what it names.
        return isCredible(value, use) || (typeof value === "string" && isNamedExtreme(use, at.views[index]));
      }),
    );
    return readExtremes(candidates, at.views, values);
  }

  /** Whether an id or an amount stands in the element from which the call has another argument already. */
  #isBeside({ views }: Site, values: readonly Json[], { uses }: SharedCandidate): boolean {
    return uses.every(({ place }, index) => {
      const { nth = 0, call = 0 } = views[index] ?? {};
      const element = elementOf(place);
      return (
        isSpecific(values[index] ?? null) &&
        element !== undefined &&
        this.#sources.has(`${nth} ${call} ${element}`)
      );
    });
  }

  #flows(at: Site, values: readonly Json[], path: Path): readonly SharedCandidate[] {
    const site = `${at.site}:${path.join(".")}`;
    return sharedCandidates(
      values.map((value, index) => {
        const view = at.views[index];
        return view
          ? flowCandidates(value, view, { call: view.call, path }, site, this.#earlierDecision)
          : [];
      }),
    ).filter(({ uses }) => isLoopInvariant(at.views, uses));
  }

  #param(
    at: Site,
    values: Values,
    path: Path,
    alternatives: readonly Expression[] = [],
    question?: OpenQuestion["kind"],
  ): Expression {
    const present = values.filter((value) => value !== undefined);
    const before = present.length === values.length ? this.#decidedBefore(at, present, path) : undefined;
    const again = before?.isOneThing === true && this.#sameAsEarlier(at, present, path, before.expression);
    if (again) return again;
    const slot = `${at.site}:${path.join(".")}`;
    const field = lastName(path);
    const bySample: (Json | undefined)[] = Array.from({ length: this.#samples });
    const origins: Origin[] = [];
    at.views.forEach(({ nth, call }, index) => {
      bySample[nth] = values[index];
      if (nth === 0) origins.push({ call, at: "args", path });
    });
    const isInTask = values.some((value, index) => value !== undefined && taskSays(value, at.views[index]));
    const isSecret = isSecretName(field) || present.some(isSecretValue);
    const isNeeded =
      isSecret ||
      (!this.#isAmountRead(at, present, path) &&
        !this.#isFieldList(at, present, path) &&
        (isInTask || present.some((value) => !isLeaf(value) || isSpecific(value))));
    const samples = this.#samplesOf(at);
    this.slots.set(slot, {
      slot,
      field,
      values: bySample,
      samples,
      origins,
      isSecret,
      isNeeded,
      site: at.step,
    });
    const expression: Expression = { kind: "param", name: slot };
    if (present.length === values.length) this.#decide(at, path, present, expression);
    const why = isSecret
      ? "it is a credential"
      : isInTask
        ? "the task says it"
        : "nothing before it tells it";
    const isEqual = before?.isOneThing === false && (before.expression.kind === "param" || !isInTask);
    const equal = isEqual ? [before.expression] : [];
    const asked = isEqual && this.#isWriting(at) ? "source" : isInTask ? undefined : question;
    return this.#record(at, path, expression, [...equal, ...alternatives], why, asked);
  }

  /** Of how many different wishes the samples are that see the call; those of which nothing tells count each. */
  #wishesOf({ views }: Site): number {
    const wishes = views.map(({ nth, sample }) => {
      if (!this.#wishes.has(nth)) this.#wishes.set(nth, wishOf(sample.trace) ?? nth);
      return this.#wishes.get(nth);
    });
    return new Set(wishes).size;
  }

  #isWriting({ views }: Site): boolean {
    return views.some(({ sample, call }) => this.#mayWrite(sample.trace.calls[call]?.tool ?? ""));
  }

  /** Whether a call that only reads is told by a number how much it reads, of which no task says anything. */
  #isAmountRead(at: Site, values: readonly Json[], path: Path): boolean {
    return (
      !this.#isWriting(at) &&
      namesListLimit(path) &&
      values.every((value, nth) => typeof value === "number" && !taskSays(value, at.views[nth]))
    );
  }

  #isFieldList(at: Site, values: readonly Json[], path: Path): boolean {
    return (
      !this.#isWriting(at) &&
      values.every((value, index) => {
        const { sample, call = 0 } = at.views[index] ?? {};
        const answer = sample?.trace.calls[call]?.result ?? null;
        return sample !== undefined && isFieldList(path, value, sample.task, answer);
      })
    );
  }

  // --- values that are equal in the only run, and need not be

  /** An argument that is equal to an earlier one of its call. */
  #sameArgument(at: Site, key: string, made: ReadonlyMap<string, Expression>): Expression | undefined {
    const view = this.#onlyView(at);
    const args = view?.sample.trace.calls[view.call]?.args ?? {};
    const other = view && sameArgument(args, key, [...made.keys()]);
    const otherwise = made.get(other ?? "");
    if (!view || other === undefined || !otherwise) return undefined;
    if (isAnew(key, other)) return this.#apart(at, args[key] ?? null, [key], otherwise);
    return this.#withFallback(at, args[key] ?? null, [key], otherwise, { call: view.call, path: [other] });
  }

  /** An argument that is equal to one of an earlier act. */
  #sameAsEarlier(
    at: Site,
    [value = null]: readonly Json[],
    path: Path,
    before: Expression,
  ): Expression | undefined {
    const view = this.#onlyView(at);
    const slot = before.kind === "param" ? this.slots.get(before.name) : undefined;
    const first = slot?.origins.find((origin) => origin.at === "args");
    if (!view || !first || !mayDiffer(view.sample.trace, first, { call: view.call, path }, this.#mayWrite))
      return undefined;
    return this.#withFallback(at, value, path, before, { call: first.call, path: first.path });
  }

  #onlyView({ views }: Site): CallView | undefined {
    const [view] = views;
    return views.length === 1 && view?.nth === 0 && view.scope.length === 0 ? view : undefined;
  }

  /** What the caller gives, though it was equal to something else. */
  #apart(at: Site, value: Json, path: Path, equal: Expression): Expression {
    const slot = `${at.site}:${path.join(".")}`;
    const origins = at.views.map(({ call }): Origin => ({ call, at: "args", path }));
    const field = lastName(path);
    const values = Array.from({ length: this.#samples }, () => value);
    const site = at.step;
    this.slots.set(slot, {
      slot,
      field,
      values,
      origins,
      isSecret: false,
      isNeeded: true,
      isApart: true,
      site,
    });
    const why = "it was the same as another argument, and shall be another";
    const question = this.#isWriting(at) ? "source" : undefined;
    return this.#record(at, path, { kind: "param", name: slot }, [equal], why, question);
  }

  #withFallback(at: Site, value: Json, path: Path, otherwise: Expression, sameAs: TracePath): Expression {
    const slot = `${at.site}:${path.join(".")}`;
    const origins = at.views.map(({ call }): Origin => ({ call, at: "args", path }));
    this.slots.set(slot, {
      slot,
      field: lastName(path),
      values: Array.from({ length: this.#samples }, (_, nth) => (nth === 0 ? value : undefined)),
      samples: this.#samplesOf(at),
      origins,
      isSecret: false,
      isNeeded: true,
      isOptional: true,
      sameAs,
      site: at.step,
    });
    const chosen: Expression = { kind: "or", of: { kind: "param", name: slot }, otherwise };
    return this.#record(
      at,
      path,
      chosen,
      [otherwise],
      "it was the same as another argument, and need not be",
      this.#isWriting(at) ? "source" : undefined,
    );
  }

  // --- what is decided

  #record(
    at: Site,
    path: Path,
    found: Expression,
    readings: readonly Expression[],
    why: string,
    question?: OpenQuestion["kind"],
  ): Expression {
    const chosen = standingOnce(found, at.views, path);
    const alternatives = readings.map((each) => standingOnce(each, at.views, path));
    const text = JSON.stringify(chosen);
    const others = alternatives.filter((each) => JSON.stringify(each) !== text).slice(0, MAX_ALTERNATIVES);
    const calls = at.views.filter(({ nth }) => nth === 0).map(({ call }) => call);
    this.choices.push({ step: at.step, calls, path, chosen, alternatives: others, why, question });
    return chosen;
  }

  #addSlots(at: Site, uses: readonly Candidate[]): void {
    for (const [index, { place }] of uses.entries()) {
      const { nth = 0, call = 0 } = at.views[index] ?? {};
      const element = elementOf(place);
      if (element !== undefined) this.#sources.add(`${nth} ${call} ${element}`);
    }
    for (const { slot, field, isOptional, isHeading, isDefault } of uses[0]?.slots ?? []) {
      const values: (Json | undefined)[] = Array.from({ length: this.#samples });
      const origins: Origin[] = [];
      uses.forEach(({ slots }, index) => {
        const use = slots.find((each) => each.slot === slot);
        const nth = at.views[index]?.nth ?? 0;
        values[nth] = use?.value;
        if (nth === 0 && origins.length === 0) origins.push(...(use?.origins ?? []));
      });
      this.slots.set(slot, {
        slot,
        field: selectorName(origins[0]?.selects?.path ?? [], field),
        values,
        samples: this.#samplesOf(at),
        origins,
        isSecret: false,
        isNeeded: true,
        isOptional,
        isHeading,
        isDefault,
        site: at.step,
      });
    }
  }

  /** What in a text the caller says; false where that is not the same in all rounds. */
  #addSaid(at: Site, path: Path, said: readonly (readonly SlotValue[])[]): boolean {
    const [first = []] = said;
    const slots = first.map(({ slot, field, isHeading, isDefault }): ParameterSlot => {
      const values: (Json | undefined)[] = Array.from({ length: this.#samples });
      at.views.forEach(({ nth }, index) => {
        values[nth] ??= said[index]?.find((each) => each.slot === slot)?.value;
      });
      return {
        slot,
        field: selectorName(path, field),
        values,
        samples: this.#samplesOf(at),
        origins: [],
        isSecret: false,
        isNeeded: true,
        isHeading,
        isDefault,
        site: at.step,
      };
    });
    const isSame = said.every((parts, index) =>
      parts.every(({ slot, value }) => {
        const known = slots.find((each) => each.slot === slot);
        return known?.values[at.views[index]?.nth ?? 0] === value;
      }),
    );
    if (!isSame) return false;
    for (const slot of slots) {
      this.slots.set(slot.slot, slot);
      const values = at.views.map(({ nth }) => slot.values[nth] ?? null);
      this.#decide(at, [slot.field], values, { kind: "param", name: slot.slot });
    }
    return true;
  }

  /** Which samples see the call, where not all do. */
  #samplesOf(at: Site): readonly number[] | undefined {
    const samples = samplesOf(at);
    return samples.length < this.#samples ? samples : undefined;
  }

  /** From now on, an equal value is the same thing, where it has the same name or is not equal by chance. */
  #decide(at: Site, path: Path, values: readonly Json[], expression: Expression): void {
    if (at.views.some(({ scope }) => scope.length > 0)) return;
    const name = nameOf(at, path);
    at.views.forEach(({ nth }, index) => {
      const key = decisionKey(values[index] ?? null);
      const decided = this.#decided[nth];
      if (key === undefined || !decided) return;
      const others = decided.get(key) ?? [];
      if (others.some((other) => isOneName(other, name))) return;
      decided.set(key, [...others, { expression, ...name }]);
    });
  }

  #decidedBefore(at: Site, values: readonly Json[], path: Path): DecidedBefore | undefined {
    const name = nameOf(at, path);
    const found = values.map((value, index) => {
      const key = decisionKey(value);
      const decisions = key === undefined ? [] : (this.#decided[at.views[index]?.nth ?? 0]?.get(key) ?? []);
      return decisions.find((other) => isOneName(other, name)) ?? decisions[0];
    });
    const [first] = found;
    if (!first || !found.every((each) => each?.expression === first.expression)) return undefined;
    const tasks = at.views.map(({ sample }) => sample.task);
    const isOneThing = isOneName(first, name) || !mayMeetByChance(values, tasks);
    return { expression: first.expression, isOneThing };
  }

  readonly #earlierDecision = ({ nth }: CallView, value: Json): Expression | undefined => {
    const key = decisionKey(value);
    return key === undefined ? undefined : this.#decided[nth]?.get(key)?.[0]?.expression;
  };
}

interface Decision extends ValueName {
  readonly expression: Expression;
}

/** What an equal value was decided to be, and whether it is more than equal by chance. */
interface DecidedBefore {
  readonly expression: Expression;
  readonly isOneThing: boolean;
}

function nameOf({ views: [view] }: Site, path: Path): ValueName {
  return { name: lastName(path), tool: view?.sample.trace.calls[view.call]?.tool ?? "" };
}

/**
 * What is open where a value is taken from a result: by its place in a list of which the task only speaks, or because it
 * stands in another place as well that is called as much alike, and is no id, so that the two need not be one thing.
 */
function openQuestionOf(
  best: SharedCandidate,
  flows: readonly SharedCandidate[],
  values: readonly Json[],
): OpenQuestion["kind"] | undefined {
  if (subexpressions(best.expression).some(({ kind }) => kind === "nth")) return "element";
  if (values.every((value) => typeof value === "string" && isSpecific(value))) return undefined;
  const affinity = Math.min(...best.uses.map((use) => use.affinity));
  const isRival = ({ expression, uses }: SharedCandidate): boolean =>
    expression !== best.expression &&
    uses.every((use, index) => use.affinity >= affinity && isCredible(values[index] ?? null, use)) &&
    !isSamePlace(uses, best.uses);
  return flows.some(isRival) ? "source" : undefined;
}

/** Whether it is in an element because something else inside that is what another argument is. */
function isFoundByAnother({ expression, uses }: SharedCandidate): boolean {
  const own = new Set(uses.flatMap(({ slots }) => slots.map(({ slot }) => slot)));
  return subexpressions(expression).some(
    (part) =>
      part.kind === "find" &&
      part.where.some(
        (each) =>
          "some" in each && each.some.some(({ equals }) => equals.kind !== "param" || !own.has(equals.name)),
      ),
  );
}

/** Whether something inside of an element is what the task says, and something else that the task says finds it as well. */
function isFoundOtherwise(
  best: SharedCandidate,
  flows: readonly SharedCandidate[],
  views: readonly CallView[],
): boolean {
  const isInside = ({ expression }: SharedCandidate): boolean =>
    subexpressions(expression).some(
      (part) => part.kind === "find" && part.where.some((each) => "some" in each),
    );
  const said = ({ uses }: SharedCandidate): string =>
    JSON.stringify(uses[0]?.slots.map(({ value }) => value));
  return flows.some(
    (other) =>
      other !== best &&
      (isInside(best) || isInside(other)) &&
      isSamePlace(other.uses, best.uses) &&
      other.uses.every(({ slots }) => slots.length > 0) &&
      areAllSaid(other, views) &&
      areAllSaid(best, views) &&
      said(other) !== said(best),
  );
}

/** Lists that the caller gives in any number, beside one for the same things that has a fixed number of elements. */
function unevenLists(
  ofKey: (key: string) => Values,
  made: ReadonlyMap<string, Expression>,
): readonly (readonly [key: string, list: Expression])[] {
  const isParallel = (key: string, other: string): boolean => {
    const [lists, others] = [ofKey(key), ofKey(other)];
    return (
      key !== other &&
      isNameOfSame(key, other) &&
      areEqualInLength(lists) &&
      lists.every((list, nth) => areEqualInLength([list, others[nth]]))
    );
  };
  const fixed = [...made].flatMap(([key, { kind }]) => (kind === "list" ? [key] : []));
  return [...made].filter(
    ([key, list]) => givenList(list) !== undefined && fixed.some((other) => isParallel(key, other)),
  );
}

/** The parameter that is a list, or that a list has an element for each of. */
function givenList(list: Expression): string | undefined {
  const given = list.kind === "map" ? list.over : list;
  return given.kind === "param" ? given.name : undefined;
}

function areEqualInLength([first, ...others]: Values): boolean {
  return (
    Array.isArray(first) && others.every((other) => Array.isArray(other) && other.length === first.length)
  );
}

/** Whether arguments are called by the same thing: `item_ids` and `new_item_ids`. */
function isNameOfSame(one: string, other: string): boolean {
  const [short = [], long = []] = [nameWords(one), nameWords(other)].sort((a, b) => a.length - b.length);
  return short.length > 0 && long.slice(-short.length).join(" ") === short.join(" ");
}

function isZipped(reading: SharedCandidate | undefined): boolean {
  return reading?.expression.kind === "map" && reading.expression.over.kind === "zip";
}

/** Whether elements are told by what names one thing or person in all runs, and in a run of another need not. */
function isByName({ expression }: SharedCandidate): boolean {
  return subexpressions(expression).some(
    (part) =>
      part.kind === "filter" &&
      comparisonsIn(part.where).some(
        ({ operator, equals }) =>
          operator !== "endsWith" &&
          equals.kind === "constant" &&
          typeof equals.value === "string" &&
          isEntityName(equals.value) &&
          !isState(equals.value),
      ),
  );
}

/** Whether what an element is found by is nothing that the caller must find out first. */
function areAllSaid({ uses }: SharedCandidate, views: readonly CallView[]): boolean {
  return uses.every(({ slots }, index) =>
    slots.every(({ value, isOptional }) => isOptional || isMentioned(value, views[index])),
  );
}

function isMentioned(value: Json, view: CallView | undefined): boolean {
  return view !== undefined && isLeaf(value) && view.sample.task.mentions(value);
}

/** The element of a list that a place is in. */
function elementOf(place: string): string | undefined {
  const path: readonly unknown[] = JSON.parse(place);
  const last = path.findLastIndex((part) => typeof part === "number");
  return last < 0 ? undefined : JSON.stringify(path.slice(0, last + 1));
}

/** With the limits of the run: where a reading is not the one that is taken, nothing else tells them. */
function withLimits({ expression, uses }: SharedCandidate): Expression {
  const limits = uses[0]?.slots.filter(({ origins }) => origins.length === 0) ?? [];
  return limits.reduce<Expression>(
    (found, { slot, value }) => substituteSlot(found, slot, { kind: "constant", value }),
    expression,
  );
}

/** Several ways to one place stop where they would differ. */
function isSamePlace(uses: readonly Candidate[], others: readonly Candidate[]): boolean {
  return uses.every(({ place }, index) => place === others[index]?.place);
}

/** An argument that is made of all elements of a list says something: of a list without any there is none. */
function asText(made: Expression): Expression {
  if (made.kind === "template")
    return { ...made, parts: made.parts.map((part) => (typeof part === "string" ? part : asText(part))) };
  return made.kind === "join" ? { kind: "cast", of: made, to: "string" } : made;
}

/** Whether an earlier answer of the run tells a value. */
function isAnswered(value: Json, { sample: { valueIndex }, before }: CallView): boolean {
  return valueIndex.of(value).some(({ step, isKey }) => step < before && !isKey);
}

/** What is open where a value could have been made of others by chance. */
const QUESTION_OF: { readonly [Kind in Expression["kind"]]?: OpenQuestion["kind"] } = {
  field: "source",
  date: "date",
  arithmetic: "calculation",
  aggregate: "calculation",
  template: "text",
  join: "text",
  part: "text",
};

/** What is open of how a value is made: which element is meant, where it has what one of several has. */
function questionOf(made: Expression): OpenQuestion["kind"] | undefined {
  const isChosen = subexpressions(made).some(
    (part) => part.kind === "extreme" || (part.kind === "aggregate" && part.isOfSome === true),
  );
  return isChosen ? "element" : QUESTION_OF[made.kind];
}

/** How rounds are told apart: by a value, and what it is in rounds of each way. */
export interface RoundParting {
  readonly value: Expression;
  readonly ways: readonly { readonly equals: Json; readonly isFirst: boolean }[];
}

interface Site {
  readonly step: string;
  readonly site: string;
  readonly views: readonly CallView[];
  readonly given?: readonly GivenArgument[];
  /** Whether it is in something that says by tags what it is. */
  readonly isLaidOut?: boolean;
  /** Whether it is in something that is written in a search tool's own terms. */
  readonly isQuery?: boolean;
}

/**
 * Whether several runs have the same object or list, of which their tasks say little, such as the day in a filter: only that
 * is asked for. What they say in many places of it is a document.
 */
function isPartlySettled(at: Site, values: readonly Json[]): boolean {
  const [first = null, ...others] = values;
  if (samplesOf(at).length < 2 || others.some((other) => !isSame(other, first))) return false;
  const leaves = [...jsonLeaves(first)].map(([, leaf]) => leaf);
  const said = leaves.filter((leaf) => at.views.some((view) => taskSays(leaf, view)));
  return said.length < leaves.length && said.length <= MAX_SAID;
}

const MAX_SAID = 3;

/** Whether the form of values is the program's, and only their content the caller's. */
function isLaidOut(at: Site, [first = null, ...others]: readonly Json[]): boolean {
  if (at.isLaidOut !== true && !hasTags(first)) return false;
  return others.every((other) => layoutOf(other) === layoutOf(first));
}

/** So many elements that are laid out alike are a list of their own in one of others. */
const MIN_ROW = 3;

interface ListPart {
  readonly isRow: boolean;
  readonly expression: Expression;
}

/** A list of its parts, one after the other. */
function joinedParts(parts: readonly ListPart[]): Expression {
  const [only] = parts;
  if (only?.isRow === true && parts.length === 1) return only.expression;
  if (!parts.some(({ isRow }) => isRow))
    return { kind: "list", items: parts.map(({ expression }) => expression) };
  const items = parts.map(({ isRow, expression }): Expression =>
    isRow ? expression : { kind: "list", items: [expression] },
  );
  return { kind: "flat", of: { kind: "list", items }, path: [] };
}

/** Whether anything that a step before the call was answered is an amount or a word that parts groups of views. */
function arePartedByAnswers(groups: readonly (readonly CallView[])[]): boolean {
  const [view] = groups.flat();
  const steps = view?.sample.steps.slice(0, view.before) ?? [];
  return steps.some((step, at) => {
    const answers = groups.map((own) => own.map(({ sample }) => sample.steps[at]));
    const isOne = answers
      .flat()
      .every((each) => each !== undefined && signatureOf(each) === signatureOf(step));
    const values = answers.map((own) => own.map((each) => each?.value ?? null));
    return isOne && (arePartedByAmount(values) || arePartedByPresence(values) || arePartedByState(values));
  });
}

/** Whether some flag or word is the same in all answers of a group, and in none of another. */
function arePartedByState([own = [], others = []]: readonly (readonly Json[])[]): boolean {
  return [...jsonLeaves(own[0] ?? null)].some(
    ([path, value]) =>
      (typeof value === "boolean" || isState(value)) &&
      own.every((each) => valueAt(each, path) === value) &&
      others.every((each) => valueAt(each, path) !== value),
  );
}

/** A loop, and from where it is looked at. */
interface LoopView {
  readonly view: Omit<CallView, "call" | "scope">;
  readonly step: SampleLoop;
}

/** The view of the first call of a loop's first round. */
function firstCall({ view, step }: LoopView): CallView {
  return { ...view, call: step.rounds[0]?.[0] ?? 0, scope: [] };
}

/** An argument that is part of what the caller gives for each round of a loop. */
export interface GivenArgument {
  readonly path: Path;
  readonly expression: Expression;
  readonly why: string;
}

function hasGiven({ given = [] }: Site, path: Path): boolean {
  return given.some(
    (each) => path.length < each.path.length && path.every((part, at) => each.path[at] === part),
  );
}

/** Whether values are what the rounds are for: the task says them as what it is to be done for. */
function isElement({ views }: Site, values: readonly Json[]): boolean {
  return values.every((value, index) => isSpecific(value) && views[index]?.scope[0]?.value === value);
}

/** Whether all tasks have another form of a word. */
function isHinted(word: string, views: readonly CallView[]): boolean {
  return views.every(({ sample }) => !sample.task.mentions(word) && sample.task.hintsAt(word));
}

/** Whether a value is a word of which all tasks have another form, as `Case` is of `the open cases`. */
function isWordOf(value: Json, views: readonly CallView[]): boolean {
  return typeof value === "string" && /^\p{L}{3,20}$/u.test(value) && isHinted(value, views);
}

/** Whether lines are asked for in an order, or each once, in which they happened to stand before. */
function isAskedToChange(values: readonly Json[], views: readonly CallView[]): boolean {
  return (
    values.every((value) => typeof value === "string" && value.trim().includes("\n")) &&
    views.every(({ sample: { task } }) => mustBeSorted(task) || task.asksOnce)
  );
}

/** Whether an answer has told a value of one of several things, as the model of one of several cars. */
function isOneOfSeveral(value: Json, views: readonly CallView[]): boolean {
  return views.some(({ sample: { steps, valueIndex } }) =>
    valueIndex.of(value).some(({ step, path, isKey }) => {
      const at = path.findLastIndex((part) => typeof part === "number");
      const list = valueAt(steps[step]?.value ?? null, path.slice(0, at));
      const isOther = (each: Json): boolean => valueAt(each, path.slice(at + 1)) !== value;
      return !isKey && at >= 0 && Array.isArray(list) && (list as readonly Json[]).some(isOther);
    }),
  );
}

/**
 * Whether a value is what something becomes by what all tasks tell to do: `closed` where they say `close`, `reader` where they
 * let somebody `read`. A word that an answer had told is rather the name of a thing.
 */
function isVerbForm(value: Json, views: readonly CallView[]): boolean {
  const root = typeof value === "string" ? /^([a-z]{3,18})(?:ed|er)$/.exec(value)?.[1] : undefined;
  if (typeof value !== "string" || root === undefined) return false;
  const verbs = [root, `${root}e`, root.replace(/(.)\1$/, "$1"), root.replace(/i$/, "y")];
  return views.every(
    ({ sample: { task, valueIndex } }) =>
      !task.says(value) && verbs.some((verb) => task.mentions(verb)) && valueIndex.of(value).length === 0,
  );
}

/** Whether a look is at what a later call's program names by itself, as at a table before a query is written. */
function isOfProgram(value: Json, view: CallView | undefined): boolean {
  const calls = view?.sample.trace.calls ?? [];
  if (!view || !soundsReading(calls[view.call]?.tool ?? "")) return false;
  if (typeof value !== "string" || !/^[a-z_]\w+$/.test(value)) return false;
  const later = calls
    .slice(view.call + 1)
    .flatMap(({ args }) => Array.from(jsonLeaves(args), ([, leaf]) => leaf));
  return later.some(
    (leaf) => typeof leaf === "string" && isProgram(leaf) && leaf.split(/\W+/).includes(value),
  );
}

/** Whether values that each round tells were the same in all rounds of a run: then one round may tell it for all. */
function mayBeOfOneRound(at: Site, values: readonly Json[], { expression }: SharedCandidate): boolean {
  const ofRound = new Set(at.views[0]?.scope.map(({ name }) => name));
  const isOfRound = refersTo(expression, ofRound);
  return (
    isOfRound &&
    samplesOf(at).every((nth) => {
      const own = values.filter((_, index) => at.views[index]?.nth === nth);
      return own.length > 1 && own.every((value) => value === own[0]);
    })
  );
}

/** Whether values are equal to what an answer has under an unlike name, and are so in runs that all have the same. */
function mayBeByChance({ views }: Site, values: readonly Json[], { uses }: SharedCandidate): boolean {
  const tasks = views.map(({ sample }) => sample.task);
  return uses.every(({ affinity }) => affinity < 3) && mayMeetByChance(values, tasks);
}

/** Whether a sample makes the call in several rounds. */
function hasRounds(at: Site): boolean {
  return samplesOf(at).length < at.views.length;
}

/** Whether each round replaces what stands once in a text that it has read: tools change the first place alone. */
function areEditsOfRounds(at: Site, values: readonly Json[], path: Path): boolean {
  return hasRounds(at) && values.every((value, nth) => replacesOnce(value, at.views[nth], path));
}

/** Whether rounds have different values: nothing that the caller could say once, even where the task says each. */
function differsByRound(at: Site, [first, ...others]: readonly Json[]): boolean {
  return hasRounds(at) && others.some((other) => !isSame(other, first));
}

function samplesOf({ views }: Site): readonly number[] {
  return [...new Set(views.map(({ nth }) => nth))];
}

type Values = readonly (Json | undefined)[];

/** Under which a decision is known; words that many things share are decided on each time. */
function decisionKey(value: Json): string | undefined {
  const isFile = typeof value === "string" && hasFileEnding(value);
  return isEntityName(value) || isFile ? keyText(value) : undefined;
}

function keyText(value: Json): string {
  // A text with other spaces at its ends is another one.
  if (typeof value === "string") return `string ${value}`;
  return isLeaf(value) ? `${typeof value} ${leafText(value)}` : canonicalJson(value);
}
