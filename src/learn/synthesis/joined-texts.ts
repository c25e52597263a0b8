import { isJsonObject, type Json } from "../../core/json/json.ts";
import { chosenFrom, fieldExpression, mapExpression, subexpressions } from "../plan/expression.ts";
import type { Condition, Expression } from "../plan/plan.ts";
import { roundedText, sumOf } from "../plan/quantities.ts";
import { casedText, textPart } from "../plan/text-part.ts";
import { jsonLeaves, leafText, type Path, valueAt } from "../plan/values.ts";
import { saidHeading } from "./made/headed-text.ts";
import { calculatedFields } from "./lists/calculated-fields.ts";
import { countedGroups, isAmount } from "./lists/counted-groups.ts";
import { LABEL } from "./made/sentence-beginnings.ts";
import { isAskedTotal } from "./composed-text.ts";
import { distinctLists, gatheredLists, gatheredPairs } from "./lists/gathered-lists.ts";
import { mustBeSorted, sortedLists } from "./lists/sorted-lists.ts";
import { areNumbered, hasNumberedLines, numberedList, takenLists } from "./lists/taken-lists.ts";
import { writtenBlocks } from "./made/written-blocks.ts";
import type { CallView, SlotValue } from "./flow-candidates.ts";
import { cutsOf, textPiece } from "../texts/text-piece.ts";
import { sharedParts } from "../texts/shared-parts.ts";
import { joinedElements } from "../recording/elements/joined-elements.ts";
import { chosenParts, meantPart } from "./selection/aggregates.ts";
import { type BesideList, otherOf } from "./selection/comparisons.ts";
import { answerOr, mayHaveFailed, partedByFailure } from "./selection/failed-rounds.ts";
import { isOfOneSign, type KnownList, knownLists } from "./selection/known-lists.ts";

/** A text in which the elements of a list stand, one after the other: all, or those of which the task says something. */
export interface JoinedText {
  readonly expression: Expression;
  /** What the caller says of the elements that are meant. */
  readonly said?: readonly SlotValue[];
  /** Nothing is around the elements but what is between them. */
  readonly isCertain: boolean;
  /** What stands around is a form rather than something that is told: it has a line for each, whatever else it says. */
  readonly isLikely?: boolean;
  /** What other runs have may tell that other elements are meant. */
  readonly isUntested?: boolean | undefined;
  /** It is of rounds of which some have failed. */
  readonly mayFail?: boolean | undefined;
  readonly why: string;
}

const MAX_ELEMENTS = 1000;
const MAX_PATHS = 50;

/** How a text is made of elements of an earlier list, in their order, each written in the same way. */
export function joinedTexts(
  value: string,
  view: CallView,
  composed: Composing,
  site: string,
  saidLists: readonly KnownList[] = [],
): readonly JoinedText[] {
  const lists = knownLists(view, site);
  const gathered = gatheredLists(lists);
  const rounds = roundLists(lists, view);
  const pairs = gatheredPairs(rounds);
  const linesOf = (known: readonly RoundList[]): readonly JoinedLines[] =>
    known.flatMap((each) => linesOfList(value, each, lists, view, { composed, site }));
  const plain = linesOf([...lists, ...saidLists, ...rounds]);
  const inside = linesOf([...gathered, ...pairs]).map((each) => Object.assign(each, { isCertain: false }));
  // What several texts list is meant where none of them says it by itself.
  const lines = [
    ...plain,
    ...inside.map((each) => Object.assign(each, { isLikely: each.isLikely === true && plain.length === 0 })),
  ];
  const least = Math.min(...lines.map(({ others }) => others));
  const simplest = lines.filter(({ others }) => others === least);
  // Lists that have the same things need not have them in the same order elsewhere.
  const isOne = new Set(simplest.map(({ of }) => of)).size < 2;
  const taken = writtenTaken(value, view, lists);
  // Of so many as there are in this run, there may be more in another.
  if (simplest.some((each) => hasTaken(each.expression)) || taken.length > 0)
    return [...taken, ...simplest.filter((each) => hasTaken(each.expression))];
  const isInOneOrder =
    new Set(simplest.filter(({ isLikely }) => isLikely).map(({ order }) => order)).size < 2;
  return [
    ...(mustBeSorted(view.sample.task) ? [] : writtenElements(value, view, lists)),
    ...writtenSorted(value, view, lists),
    ...writtenGathered(value, view, gathered),
    ...simplest
      .map((each) =>
        Object.assign(each, {
          isCertain: each.isCertain && isOne,
          isLikely: each.isLikely === true && isInOneOrder,
        }),
      )
      .toSorted((a, b) => Number(b.isLikely) - Number(a.isLikely)),
  ];
}

/** How a text has a line for each of the elements of a list that may be meant. */
function linesOfList(
  value: string,
  known: RoundList,
  lists: readonly KnownList[],
  view: CallView,
  place: { readonly composed: Composing; readonly site: string },
): readonly JoinedLines[] {
  const isList = known.list.length > 1 && known.list.length <= MAX_ELEMENTS;
  const meant = isList ? meantLists(known, view, place.site) : onlyElements(known, view);
  const groups = meant.flatMap((each) => [...meantGroups(value, each, view), ...meantOnce(each, view)]);
  return [...meant, ...groups]
    .flatMap((each) => inOrders(each, view))
    .flatMap((each) => withNumbers(value, each, view))
    .flatMap((each) => {
      const made = joinedLines(value, each, lists, view, place);
      return made ? Object.assign(made, { isCertain: made.isCertain && !isOfOneSign(known, view) }) : [];
    });
}

/** Elements of a list that may be meant. */
interface MeantList extends RoundList {
  readonly said: readonly SlotValue[];
  readonly beside?: BesideList | undefined;
  /** The word by which its elements are told, in their texts. */
  readonly word?: SaidWord | undefined;
  /** What its elements have to write, where they are groups of others: a line has the number of these, or their sum. */
  readonly fields?: readonly LineField[] | undefined;
  readonly isUntested?: boolean | undefined;
  /** It is sorted by what the task does not name. */
  readonly isUnnamed?: boolean | undefined;
}

/** A list in the orders in which the task may ask for it, and so many of it as it may ask for. */
function inOrders(meant: MeantList, view: CallView): readonly MeantList[] {
  const { task } = view.sample;
  const ordered = (each: ReturnType<typeof sortedLists>[number]): MeantList => {
    const inOrder = (texts: readonly string[]): readonly string[] =>
      each.order.map((index) => texts[index] ?? "");
    return Object.assign({}, meant, {
      list: each.list,
      expression: each.expression,
      fields: meant.fields?.map((field) => Object.assign({}, field, { texts: inOrder(field.texts) })),
      isUnnamed: !each.isNamed || meant.isUnnamed,
    });
  };
  const taken = takenLists(meant.list, meant.expression, view).map(ordered);
  const sorted = sortedLists(meant.list, meant.expression, task).map(ordered);
  return mustBeSorted(task) ? [...taken, ...sorted] : [...taken, ...sorted, meant];
}

/** A list, and the same with the numbers of its elements where a text has these before them. */
function withNumbers(text: string, meant: MeantList, { sample: { task } }: CallView): readonly MeantList[] {
  const { list, expression, fields } = meant;
  const isRead = areNumbered(list);
  if (!hasNumberedLines(text, list.length) || (isRead && !task.asksNumbers)) return [meant];
  const numbered = numberedList(list, expression);
  const number: LineField = {
    expression: fieldExpression({ kind: "ref", name: EACH }, ["number"]),
    texts: list.map((_, nth) => String(nth + 1)),
  };
  const own = fields?.map((field) => Object.assign({}, field, { expression: ofNumbered(field.expression) }));
  const isUnnamed = isRead || meant.isUnnamed;
  const whole = Object.assign({}, meant, { isUnnamed });
  return [
    Object.assign({}, whole, {
      list: numbered.list,
      expression: numbered.expression,
      fields: own && [number, ...own],
      beside: undefined,
      word: undefined,
    }),
    whole,
  ];
}

/** What is made of an element, of one that has its number. */
function ofNumbered(expression: Expression): Expression {
  return mapExpression(expression, (part) =>
    part.kind === "ref" && part.name === EACH ? fieldExpression(part, ["element"]) : part,
  );
}

/** A list without the order in which its elements stand, and without their numbers; and how many of it there are. */
function unordered(expression: Expression): Expression {
  const { kind } = expression;
  return kind === "sorted" || kind === "taken" || kind === "numbered" ? unordered(expression.in) : expression;
}

/** A list as a whole, and those of its elements of which the task says something that does not hold for the others. */
function meantLists(
  { list, expression, step, said: around = [], names, mayFail = false }: RoundList,
  view: CallView,
  site: string,
): readonly MeantList[] {
  const parts = chosenParts(list, view, site, step);
  // What the task says of them may not hold for all that another run finds, though it held for all of these.
  const ofKind = parts.filter(({ isSaidOfAll, where = [] }) => isSaidOfAll && where.every(isEquality));
  return parts.flatMap((part): readonly MeantList[] => {
    const { elements, where, pick, beside, isUntested } = part;
    const said = [...around, ...part.said];
    if (!where && !pick) return ofKind.length > 0 ? [] : [{ list, expression, step, said, names, mayFail }];
    const isPart = elements.length > 1 && (elements.length < list.length || ofKind.includes(part));
    const chosen = meantPart(expression, part);
    const word = saidWord(where, part.said);
    return isPart
      ? [{ list: elements, expression: chosen, step, said, names, isUntested, beside, word }]
      : [];
  });
}

/** Whether something is said as a whole at a place: a word stands in texts by chance. */
function isEquality(condition: Condition): boolean {
  return !("some" in condition) && condition.operator === undefined;
}

/** A list of one in a round: other rounds have more, and tell how its text is made. */
function onlyElements({ list, expression, step }: RoundList, { scope }: CallView): readonly MeantList[] {
  const of = expression.kind === "field" ? expression.of : expression;
  const isOfRound = of.kind === "ref" && scope.some(({ name }) => name === of.name);
  return isOfRound && list.length === 1 ? [{ list, expression, step, said: [] }] : [];
}

/** A word that stands in the texts of elements, at one place in each. */
interface SaidWord {
  readonly path: readonly string[];
  readonly value: string;
  readonly expression: Expression;
}

/** The word that the caller says, where this alone tells elements. */
function saidWord(
  [condition, ...others]: readonly Condition[] = [],
  said: readonly SlotValue[],
): SaidWord | undefined {
  if (!condition || others.length > 0 || "some" in condition || condition.operator !== "contains")
    return undefined;
  const { path, equals } = condition;
  const value = equals.kind === "param" ? said.find(({ slot }) => slot === equals.name)?.value : undefined;
  return typeof value === "string" ? { path, value, expression: equals } : undefined;
}

/** What stands in the texts of elements behind a word and the signs around it, with which all of them begin. */
function behindWord(elements: readonly Json[], { path, value, expression }: SaidWord): readonly LineField[] {
  const texts = elements.map((each) => textAt(each, path) ?? "");
  const [first = ""] = texts;
  const [begin = "", before = ""] = /^([^\p{L}\p{N}]*)/u.exec(first) ?? [];
  const [after = ""] = first.startsWith(value, begin.length)
    ? (/^[^\p{L}\p{N}]+/u.exec(first.slice(begin.length + value.length)) ?? [])
    : [];
  const mark = `${before}${value}${after}`;
  const rests = texts.map((text) => (text.startsWith(mark) ? text.slice(mark.length) : ""));
  if (after === "" || rests.includes("")) return [];
  const template: Expression = {
    kind: "template",
    parts: [before, expression, after].filter((part) => part !== ""),
  };
  const marked: Expression = {
    kind: "find",
    in: { kind: "list", items: [fieldExpression({ kind: "ref", name: EACH }, path)] },
    where: [{ path: [], operator: "startsWith", equals: template }],
  };
  const nothing: Expression = { kind: "constant", value: "" };
  return [{ expression: { kind: "replaced", of: marked, part: template, by: nothing }, texts: rests }];
}

/** The elements that are meant, as one for all that say the same. */
function meantGroups(text: string, meant: MeantList, { sample: { task } }: CallView): readonly MeantList[] {
  const { list, expression, step, said, isUntested } = meant;
  return countedGroups(text, list, expression, task, EACH).map((groups) =>
    Object.assign(groups, { step, said, isUntested }),
  );
}

/** The elements that are meant, each thing that they say once. */
function meantOnce(
  { list, expression, step, said, isUntested }: MeantList,
  { sample: { task } }: CallView,
): readonly MeantList[] {
  return distinctLists(list, expression, task).map((once) => ({
    list: once.list,
    expression: once.expression,
    step,
    said,
    isUntested,
  }));
}

interface JoinedLines extends JoinedText {
  /** Of how many values another list tells. */
  readonly others: number;
  /** Where the list stands, however the text is read in which it does. */
  readonly of: string;
  /** The same for lists that are in the same order wherever they are: what rounds gave, alone or beside their elements. */
  readonly order: string;
}

/** What loops gave, each beside the element that the round was for. */
export function roundLists(lists: readonly KnownList[], { sample, overs }: CallView): readonly RoundList[] {
  return lists.flatMap(({ list, expression, step }): readonly RoundList[] => {
    if (step?.kind !== "loop" || step.given || step.beside !== undefined || step.value !== list) return [];
    const left = overs[sample.steps.indexOf(step)];
    if (!left || step.elements.length !== list.length) return [];
    const pairs = step.elements.map((each, nth) => ({ left: each, right: list[nth] ?? null }));
    const mayFail = mayHaveFailed(step, sample.task);
    const whole: RoundList = { list: pairs, expression: { kind: "zip", left, right: expression }, mayFail };
    const parts = mayFail ? partedByFailure(whole, ["right"]) : [];
    return [whole, ...parts.map((part) => Object.assign(part, { mayFail }))];
  });
}

interface RoundList extends KnownList {
  /** Some rounds had nothing beside their element, as the look in them failed, or these are those that had nothing, or had. */
  readonly mayFail?: boolean;
}

/** How what stands above and below is made. */
export type Composing = (
  text: string,
) => { readonly parts: readonly (string | Expression)[]; readonly isCertain: boolean } | undefined;

/** Elements of which one field stands in the text, with the same between them. */
function writtenElements(value: string, view: CallView, lists: readonly KnownList[]): readonly JoinedText[] {
  return lists.flatMap((known): readonly JoinedText[] => {
    const { list, expression } = known;
    const [first] = list;
    if (first === undefined || list.length < 2 || list.length > MAX_ELEMENTS) return [];
    const paths = [...jsonLeaves(first)].map(([path]) => path).slice(0, MAX_PATHS);
    return paths.flatMap((path) => {
      const inside = path.filter((part) => typeof part === "string");
      const texts = list.map((each) => textAt(each, inside));
      const made =
        inside.length === path.length && texts.every((text) => text !== undefined)
          ? joined(value, texts, expression, inside)
          : undefined;
      if (!made) return [];
      const own = Object.assign(made, { said: known.said });
      if (!isOfOneSign(known, view)) return own;
      return made.isCertain ? Object.assign(own, { isCertain: false, isLikely: true }) : [];
    });
  });
}

/** The same for elements in another order, which is certain only by what the task names. */
function writtenSorted(value: string, view: CallView, lists: readonly KnownList[]): readonly JoinedText[] {
  const { task } = view.sample;
  return lists
    .filter(({ list }) => list.length <= MAX_ELEMENTS)
    .flatMap(({ list, expression, step, said }) =>
      sortedLists(list, expression, task).flatMap((sorted) => {
        const known = { list: sorted.list, expression: sorted.expression, step, said };
        return writtenElements(value, view, [known]).map((each) =>
          Object.assign(each, { isCertain: each.isCertain && sorted.isNamed, isLikely: each.isCertain }),
        );
      }),
    );
}

/** The same for so many elements as the task asks for. */
function writtenTaken(value: string, view: CallView, lists: readonly KnownList[]): readonly JoinedText[] {
  return lists
    .filter(({ list }) => list.length <= MAX_ELEMENTS)
    .flatMap(({ list, expression, step, said }) =>
      takenLists(list, expression, view).flatMap((taken) => {
        const known = { list: taken.list, expression: taken.expression, step, said };
        const written = writtenElements(value, view, [known]).filter((each) => each.isCertain);
        return written.map((each) =>
          Object.assign(each, {
            isCertain: taken.isNamed,
            isLikely: true,
            why: "it is made of so many elements of an earlier list as the task says",
          }),
        );
      }),
    );
}

/** What rounds were answered, all of it or each thing once: which is meant is certain only where the task says so. */
function writtenGathered(
  value: string,
  view: CallView,
  gathered: readonly KnownList[],
): readonly JoinedText[] {
  const { task } = view.sample;
  const once = gathered.flatMap(({ list, expression }) =>
    distinctLists(list, expression, task).flatMap(({ list: names, expression: of, path }) => {
      const orders = mustBeSorted(task) ? sortedLists(names, of, task) : [{ list: names, expression: of }];
      return orders.flatMap(({ list: ordered, expression: each }) => {
        const texts = ordered.flatMap((name) => textAt(name, path) ?? []);
        return joined(value, texts, each, path) ?? [];
      });
    }),
  );
  const all = writtenElements(value, view, gathered);
  return [
    ...once.map((each) =>
      Object.assign(each, { isCertain: each.isCertain && task.asksOnce, isLikely: each.isCertain }),
    ),
    ...all.map((each) =>
      Object.assign(each, { isCertain: false, isLikely: each.isCertain && !task.asksOnce }),
    ),
  ];
}

function textAt(element: Json, path: readonly string[]): string | undefined {
  const value = valueAt(element, path);
  const text = typeof value === "string" ? value : value === undefined ? undefined : leafText(value);
  return text === "" ? undefined : text;
}

function joined(
  value: string,
  texts: readonly string[],
  list: Expression,
  path: readonly string[],
): JoinedText | undefined {
  const starts: number[] = [];
  let end = 0;
  for (const text of texts) {
    const start = value.indexOf(text, end);
    if (start < 0) return undefined;
    starts.push(start);
    end = start + text.length;
  }
  const between = (nth: number): string =>
    value.slice((starts[nth - 1] ?? 0) + (texts[nth - 1] ?? "").length, starts[nth]);
  const mark = between(1);
  if (!texts.every((_, nth) => nth === 0 || between(nth) === mark)) return undefined;
  const [above, below] = [value.slice(0, starts[0]), value.slice(end)];
  // Where a line ends, an element does.
  const before = commonEnd(above, mark).replace(/^[^]*\n/, "");
  const rest = mark.slice(0, mark.length - before.length);
  const after = commonStart(below, rest).replace(/\n[^]*$/, "");
  const separator = rest.slice(after.length);
  const field = fieldExpression({ kind: "ref", name: EACH }, path);
  const isEnded = texts.every((text) => text.endsWith("\n"));
  const element = isEnded ? endedText(field) : field;
  const isPlain = before === "" && after === "";
  const each: Expression = isPlain
    ? element
    : { kind: "template", parts: [before, element, after].filter((part) => part !== "") };
  const of: Expression =
    isPlain && path.length === 0 && !isEnded ? list : { kind: "map", over: list, item: EACH, value: each };
  const join: Expression = { kind: "join", of, separator };
  const around = [above.slice(0, above.length - before.length), below.slice(after.length)];
  const parts = [around[0] ?? "", join, around[1] ?? ""].filter((part) => part !== "");
  return {
    expression: parts.length === 1 ? join : { kind: "template", parts },
    isCertain: ![mark, ...around].some((text) => /[\p{L}\p{N}]/u.test(text)),
    why: "it is made of all elements of an earlier list",
  };
}

const EACH = "each";

// --- a line for each element, of several fields

/** What an element, or what another list says of the same thing, has to write in its line. */
interface LineField {
  readonly expression: Expression;
  /** In each element. */
  readonly texts: readonly string[];
  readonly isNumber?: boolean;
}

const MAX_FIELDS = 40;

/** Lines that are written in the same way, one for each element, and what is above and below. */
function joinedLines(
  value: string,
  {
    list,
    expression: ordered,
    said,
    isUntested,
    mayFail = false,
    beside,
    word,
    fields: told,
    names = [],
    isUnnamed,
  }: MeantList,
  lists: readonly KnownList[],
  view: CallView,
  { composed, site }: { readonly composed: Composing; readonly site: string },
): JoinedLines | undefined {
  const lines = value.split("\n");
  if (lines.length < list.length) return undefined;
  const expression = unordered(ordered);
  const elements = expression.kind === "groups" ? expression.in : expression;
  const whole = chosenFrom(elements) ?? elements;
  const isChosen = whole !== expression;
  const own = told ?? fieldsOf(list, (path) => fieldExpression({ kind: "ref", name: EACH }, path));
  const compared = beside
    ? fieldsOf(beside.found, (path) => fieldExpression(otherOf(beside, { kind: "ref", name: EACH }), path))
    : [];
  // Numbers that are counted are no ids.
  const others = (ordered.kind === "numbered" ? [] : lists).flatMap((other) =>
    other.list === list || other.list === beside?.other.list
      ? []
      : joinedElements(list, other.list).flatMap(({ key, by, found }) => {
          const equals = fieldExpression({ kind: "ref", name: EACH }, key);
          const one: Expression = { kind: "find", in: other.expression, where: [{ path: by, equals }] };
          return fieldsOf(found, (path) => fieldExpression(one, path));
        }),
  );
  const either =
    mayFail && expression.kind === "zip"
      ? view.sample.task.quotes.flatMap((text) => fieldsOr(list, text))
      : [];
  const behind = word ? behindWord(list, word) : [];
  const named = names.map(({ expression: name, value: text }) => ({
    expression: name,
    texts: list.map(() => text),
  }));
  const calculated = told ? [] : calculatedFields(value, [...own, ...compared, ...others]);
  const cased = own.flatMap((field) => casedFields(field, view));
  const fields = [
    ...behind,
    ...own,
    ...cased,
    ...named,
    ...own.flatMap(namePieces),
    ...either,
    ...compared,
    ...others,
    ...calculated,
  ].slice(0, MAX_FIELDS);
  const starts = Array.from({ length: lines.length - list.length + 1 }, (_, start) => start);
  // What stands above the line of the only element may say something of it, too.
  for (const start of list.length === 1 ? starts.toReversed() : starts) {
    const parts = lineParts(lines.slice(start, start + list.length), fields);
    const least = 2 - Number(start > 0 || lines.length > list.length);
    if (!parts || parts.filter((part) => typeof part !== "string").length < least) continue;
    if (told && !parts.some((part) => typeof part !== "string" && isAmount(part))) continue;
    if (ordered.kind === "numbered" && !parts.some(isNumber)) continue;
    const above = lines.slice(0, start).map((line) => `${line}\n`);
    const below = lines.slice(start + list.length).map((line) => `\n${line}`);
    const made = madeOf(parts, "\n", above.join(""), below.join(""));
    if (made) return made;
  }
  const blocks = told ? undefined : writtenBlocks(value, fields);
  return blocks && madeOf(blocks.parts.map(blockPart), blocks.separator, blocks.above, blocks.below);

  function madeOf(
    parts: readonly (string | Expression)[],
    separator: string,
    above: string,
    below: string,
  ): JoinedLines | undefined {
    const template: Expression = { kind: "template", parts };
    const join: Expression = {
      kind: "join",
      of: { kind: "map", over: ordered, item: EACH, value: template },
      separator,
    };
    const around = [above, below].map((text) => aroundParts(text, parts));
    const all = [...(around[0]?.parts ?? []), join, ...(around[1]?.parts ?? [])];
    // One side alone is told by its own list.
    const isOfPairs =
      expression.kind === "zip" ||
      (whole.kind === "zip" && !mayFail) ||
      (whole.kind === "flat" && isPair(list[0] ?? null));
    const isOfAnswers = usesSide(parts, "right") || (whole.kind === "zip" && isToldByAnswer(elements));
    if (isOfPairs && !(usesSide(parts, "left") && isOfAnswers)) return undefined;
    const words = parts.filter((part) => typeof part === "string").join(" ");
    // What stands between elements is told of one of them where it has words.
    const isLikely = [
      words,
      separator.replaceAll(/[\p{L}\p{N}]+/gu, "0"),
      ...around.map((each) =>
        each.isForm ? "" : each.parts.filter((part) => typeof part === "string").join(" "),
      ),
    ].every((text) => isFormat(text, view));
    // What the task does not say may be another element that is written like these.
    const isToldAround = [above, below].every(
      (text) =>
        !/[\p{L}\p{N}]/u.test(text) || view.sample.task.says(text.replaceAll(/^[#=*\s-]+|[=*\s-]+$/g, "")),
    );
    if (mayFail && !(isLikely && isToldAround)) return undefined;
    return {
      expression: all.length === 1 ? join : { kind: "template", parts: all },
      said: [...said, ...around.flatMap((each) => each.said ?? [])],
      isCertain:
        !isChosen &&
        !mayFail &&
        isUnnamed !== true &&
        around.every(({ isCertain }) => isCertain) &&
        !/[\p{L}\p{N}]/u.test(separator) &&
        isFormat(words, view),
      isLikely,
      why: isChosen
        ? "it has a line for each element of an earlier list for which something holds"
        : "it has a line for each element of an earlier list",
      isUntested,
      mayFail,
      others: parts.filter((part) => typeof part !== "string" && usesOther(part)).length,
      of: placeOf(whole),
      order: placeOf(whole.kind === "zip" ? whole.right : whole),
    };
  }

  function aroundParts(
    text: string,
    line: readonly (string | Expression)[],
  ): NonNullable<ReturnType<Composing>> & {
    readonly isForm: boolean;
    readonly said?: readonly SlotValue[];
  } {
    if (text === "") return { parts: [], isCertain: true, isForm: true };
    if (isHeader(text, line)) return { parts: [text], isCertain: true, isForm: true };
    const heading = givenHeading(text, said, view, site);
    if (heading) return { ...heading, isCertain: true, isForm: false };
    const counted = countedParts(text, list, hasTaken(ordered) ? ordered : expression, view);
    if (counted) return { parts: counted, isCertain: false, isForm: false };
    const made = composed(text);
    // What is written with decimals in each line is so in the line of their sum.
    const isRounded = line.some((part) => typeof part !== "string" && part.kind === "rounded");
    const summed = made?.isCertain && !isRounded ? undefined : summedParts(text, line, fields, ordered, view);
    const { parts, isCertain } = summed ?? made ?? { parts: [text], isCertain: isFormat(text, view) };
    return { parts, isCertain, isForm: false };
  }
}

/** Whether a part of a line is the number of its element. */
function isNumber(part: string | Expression): boolean {
  return typeof part !== "string" && part.kind === "field" && part.path.join() === "number";
}

/** Whether a list has only so many elements of another. */
function hasTaken(expression: Expression): boolean {
  return subexpressions(expression).some(({ kind }) => kind === "taken");
}

/** A field in the letters in which the task asks for it. */
function casedFields({ expression, texts }: LineField, { sample: { task } }: CallView): readonly LineField[] {
  if (task.letters === undefined) return [];
  const isUpper = task.letters === "upper";
  const cased = texts.flatMap((text) => casedText(text, isUpper) ?? []);
  const isOther = cased.length === texts.length && cased.some((text, nth) => text !== texts[nth]);
  return isOther ? [{ expression: { kind: "cased", of: expression, isUpper }, texts: cased }] : [];
}

/** What names of files are without their folders or endings. */
function namePieces({ expression, texts }: LineField): readonly LineField[] {
  const cuts = cutsOf(texts[0] ?? "").filter(({ after, before, is }) => {
    const isOfName = (after === "" || after === "/") && (before === "" || before === ".");
    return isOfName && is === "code";
  });
  return cuts.flatMap(({ after, before, is }): readonly LineField[] => {
    const pieces = texts.flatMap((text) => textPiece(text, after, before, is) ?? []);
    const part: Expression = { kind: "part", of: expression, after, before, is };
    return pieces.length === texts.length ? [{ expression: part, texts: pieces }] : [];
  });
}

/** A text that ended its last line in all elements has to end it again: what follows begins a line. */
function blockPart(part: string | LineField): string | Expression {
  if (typeof part === "string") return part;
  return part.texts.every((text) => text.endsWith("\n")) ? endedText(part.expression) : part.expression;
}

/** A text with the end of its last line, or an error. */
function endedText(of: Expression): Expression {
  const end: Expression = { kind: "constant", value: "\n" };
  return {
    kind: "find",
    in: { kind: "list", items: [of] },
    where: [{ path: [], operator: "endsWith", equals: end }],
  };
}

/** What rounds were answered, beside their elements, where those that failed have a text in its place that the task says. */
function fieldsOr(pairs: readonly Json[], otherwise: string): readonly LineField[] {
  const answers = pairs.map((pair) => valueAt(pair, ["right"]) ?? null);
  const right = fieldExpression({ kind: "ref", name: EACH }, ["right"]);
  const told = answers.filter((answer) => answer !== null);
  return fieldsOf(told, (path) => answerOr(right, path, otherwise)).flatMap(({ expression, texts }) => {
    if (expression.kind !== "field" && expression.kind !== "or") return [];
    const own = texts.values();
    return [
      {
        expression,
        texts: answers.map((answer) => (answer === null ? otherwise : (own.next().value ?? ""))),
      },
    ];
  });
}

/**
 * Whether a line above others has nothing but the names of the fields that these have, in their order, and some name for
 * what is calculated of these.
 */
function isHeader(text: string, parts: readonly (string | Expression)[]): boolean {
  const names = parts.flatMap((part) => {
    if (typeof part === "string") return [];
    if (part.kind === "field") return part.path.at(-1) ?? "";
    return part.kind === "arithmetic" || part.kind === "rounded" ? [undefined] : [];
  });
  const words = text
    .trim()
    .split(/\s*[,;|\t]\s*/)
    .filter((word) => word !== "");
  const isName = (word: string, nth: number): boolean => {
    const name = names[nth];
    return name === undefined ? /^\p{L}[^\d\n]*$/u.test(word) : word === name;
  };
  return words.length > 1 && words.length === names.length && words.every(isName);
}

/** A line above others that has nothing but what the caller says: in quotes, or of the elements that have theirs. */
function givenHeading(
  text: string,
  known: readonly SlotValue[],
  { sample: { task } }: CallView,
  site: string,
): { readonly parts: readonly (string | Expression)[]; readonly said: readonly SlotValue[] } | undefined {
  const [, before = "", words = "", after = ""] = HEADING.exec(text) ?? [];
  if (words === "") return undefined;
  const quoted = saidHeading(words, task, site);
  const { slot } = quoted ?? known.find(({ value }) => value === words) ?? {};
  if (slot === undefined) return undefined;
  const given: Expression = { kind: "param", name: slot };
  return { parts: [before, given, after].filter((part) => part !== ""), said: quoted ? [quoted] : [] };
}

/** One line with letters, and signs before it that make it a heading, as in Markdown. */
const HEADING = /^([#=*\s]*)(\p{L}[^\n]*?)([=*#]*\n[-=\s]*)$/u;

/** A line that says how many elements there are, where the task asks for that or it is called so. */
function countedParts(
  text: string,
  list: readonly Json[],
  of: Expression,
  view: CallView,
): readonly (string | Expression)[] | undefined {
  const [before = "", after = "", ...others] = text.split(/\d+/);
  const number: Expression = { kind: "aggregate", operator: "count", of };
  const isCount = others.length === 0 && text === `${before}${list.length}${after}`;
  const isMeant = isAskedTotal(number, view) || (isCalledTotal(before, after) && !hasSum(list, list.length));
  if (!isCount || text.trim().includes("\n") || !isMeant) return undefined;
  return [before, number, after].filter((part) => part !== "");
}

/** Whether a number is called the total of what is listed, or their number: `Total: 3`, `3 in total`. */
function isCalledTotal(before: string, after: string): boolean {
  const isBare = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text);
  return isBare(before)
    ? /^ (?:\p{Ll}+ ){0,2}(?:in total|altogether|total|insgesamt|au total|en total|in totale)[^\p{L}\p{N}]*$/u.test(
        after,
      )
    : /^[^\p{L}\p{N}]*(?:total|totale|count|number|anzahl|gesamt|insgesamt|nombre|número|numero)[^\p{L}\p{N}]*$/iu.test(
        before,
      ) && isBare(after);
}

/** Whether something of which each element tells a number adds up to one. */
function hasSum(list: readonly Json[], sum: number): boolean {
  return fieldsOf(list, () => ({ kind: "ref", name: EACH })).some(
    ({ texts }) => sumOf(texts.map(Number)) === sum,
  );
}

/** A line with what a number adds up to that each element has in its line, where the task asks for that. */
function summedParts(
  text: string,
  line: readonly (string | Expression)[],
  fields: readonly LineField[],
  over: Expression,
  view: CallView,
): ReturnType<Composing> {
  const [written = "", ...others] = text.match(/\d+(?:\.\d+)?/g) ?? [];
  if (written === "" || others.length > 0 || text.trim().includes("\n")) return undefined;
  const [before = "", after = ""] = text.split(written);
  const sums = line.flatMap((part): readonly Expression[] => {
    const { texts = [] } = fields.find(({ expression }) => expression === part) ?? {};
    const value = typeof part === "string" ? undefined : calculationIn(part);
    const total = sumOf(texts.map(Number));
    if (!value || total === undefined) return [];
    const of: Expression = { kind: "map", over, item: EACH, value };
    const sum: Expression = { kind: "aggregate", operator: "sum", of };
    if (typeof part !== "string" && part.kind === "rounded")
      return roundedText(total, part.decimals) === written ? [Object.assign({}, part, { of: sum })] : [];
    return String(total) === written ? [sum] : [];
  });
  const [only, ...more] = sums;
  if (!only || more.length > 0 || !isAskedTotal(only, view)) return undefined;
  // Small numbers are equal by chance.
  return { parts: [before, only, after].filter((part) => part !== ""), isCertain: Number(written) > 9 };
}

/** A number that is calculated of an element, or what a group of them adds up to. */
function calculationIn(part: Expression): Expression | undefined {
  if (part.kind === "rounded") return calculationIn(part.of);
  return part.kind === "arithmetic" || part.kind === "aggregate" ? part : undefined;
}

function isPair(element: Json): boolean {
  return isJsonObject(element) && Object.keys(element).join() === "left,right";
}

function usesSide(parts: readonly (string | Expression)[], side: string): boolean {
  return parts.some(
    (part) =>
      typeof part !== "string" &&
      subexpressions(part).some((inner) => inner.kind === "field" && inner.path[0] === side),
  );
}

/** Where a list stands, however the text is read in which it does. */
function placeOf(list: Expression): string {
  return JSON.stringify(list.kind === "field" ? { ...list, path: list.path.slice(0, -1) } : list);
}

/** Whether what the round of each gave tells elements from the others. */
function isToldByAnswer(elements: Expression): boolean {
  return elements.kind === "filter" && elements.where.some(({ path }) => path[0] === "right");
}

/** Whether what an element has to write is told by an element of another list. */
function usesOther(expression: Expression): boolean {
  const isOwn = (list: Expression): boolean =>
    subexpressions(list).some((part) => part.kind === "ref" && part.name === EACH);
  return subexpressions(expression).some((part) => part.kind === "find" && !isOwn(part.in));
}

/** Whether words are of the form of a text rather than what the caller says or an answer told. */
function isFormat(words: string, { sample: { task } }: CallView): boolean {
  const said = words.match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  return !/\d/.test(words) && !said.some((word) => /\p{Lu}/u.test(word) && task.says(word));
}

export function fieldsOf(
  elements: readonly Json[],
  expressionOf: (path: readonly string[]) => Expression,
): readonly LineField[] {
  const [first = null] = elements;
  return [...jsonLeaves(first)].slice(0, MAX_PATHS).flatMap(([path, leaf]): readonly LineField[] => {
    if (typeof path.at(-1) === "number")
      return labelledField(elements, path.slice(0, -1), leaf, expressionOf);
    const inside = path.filter((part) => typeof part === "string");
    const values = elements.map((each) => valueAt(each, inside));
    const texts = values.map(writtenText);
    const isAll = inside.length === path.length && texts.every((text) => text !== undefined);
    const isNumber = values.every((value) => typeof value === "number");
    return isAll ? [{ expression: expressionOf(inside), texts, isNumber }] : [];
  });
}

/** What a sentence of a list in each element says behind a label. */
function labelledField(
  elements: readonly Json[],
  path: Path,
  sentence: Json,
  expressionOf: (path: readonly string[]) => Expression,
): readonly LineField[] {
  const [, label] = typeof sentence === "string" ? (LABEL.exec(sentence) ?? []) : [];
  const inside = path.filter((part) => typeof part === "string");
  if (label === undefined || inside.length < path.length) return [];
  const sentences = elements.flatMap((each) => {
    const list = valueAt(each, inside);
    const own = (Array.isArray(list) ? list : []).filter(
      (text) => typeof text === "string" && text.startsWith(label),
    );
    return own.length === 1 ? [String(own[0])] : [];
  });
  const pieces = sentences.flatMap((text) => textPiece(text, label, "", "text") ?? []);
  // A single word has the form of the label, too: what stands behind that is told by its own form.
  const isPiece = pieces.length === elements.length;
  const texts = isPiece ? pieces : sentences.flatMap((text) => textPart(text, label, "") ?? []);
  if (texts.length < elements.length) return [];
  const where: readonly Condition[] = [
    { path: [], operator: "startsWith", equals: { kind: "constant", value: label } },
  ];
  const of: Expression = { kind: "find", in: expressionOf(inside), where };
  const part: Expression = {
    kind: "part",
    of,
    after: label,
    before: "",
    ...(isPiece ? { is: "text" as const } : {}),
  };
  return [{ expression: part, texts }];
}

/** A value as it is written in texts. */
function writtenText(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** How each of the lines is made of fields of its element, in the same way; undefined where they are not. */
export function lineParts(
  lines: readonly string[],
  fields: readonly LineField[],
): readonly (string | Expression)[] | undefined {
  return sharedParts(lines, fields)?.map((part) => (typeof part === "string" ? part : part.expression));
}

function commonEnd(a: string, b: string): string {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length === 0 ? "" : b.slice(-length);
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return b.slice(0, length);
}
