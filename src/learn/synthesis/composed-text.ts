import { wordStem } from "../../core/text/word-stem.ts";
import { refersTo, subexpressions, substituteSlot } from "../plan/expression.ts";
import { nameWords } from "../plan/names.ts";
import { lastName } from "../plan/parameter-slots.ts";
import { isJsonObject } from "../../core/json/json.ts";
import type { Expression, TracePath } from "../plan/plan.ts";
import {
  canonicalJson,
  isEntityName,
  isProgram,
  isSpecific,
  jsonLeaves,
  leafText,
  type Path,
  valueAt,
} from "../plan/values.ts";
import { WORD_PATTERN } from "../recording/value-index.ts";
import {
  type Candidate,
  type CallView,
  type DecisionLookup,
  extremeCandidates,
  flowCandidates,
  isSaidSlot,
  type SlotValue,
} from "./flow-candidates.ts";
import { saidExtreme } from "./selection/extreme-readings.ts";
import { writtenTotals } from "./selection/aggregates.ts";
import { arePlainSentences, isWholeAnswer } from "./told/asked-numbers.ts";
import { LINKING_WORDS } from "./told/linking-words.ts";
import { isOfListedLabel } from "./told/listed-labels.ts";
import { extremeOfRounds } from "./told/round-extremes.ts";
import { toldPhrase } from "./told/told-phrases.ts";
import { labelledSentences } from "./told/told-sentences.ts";
import { sluggedPart } from "./made/slugged-part.ts";
import { textPieces } from "./made/text-pieces.ts";
import { toldTimes } from "./told/told-times.ts";
import { WEIGHTS } from "./weights.ts";

/** A text made of earlier values. */
export interface ComposedText {
  readonly expression: Expression;
  /** Whether it can hardly be chance. */
  readonly isCertain: boolean;
  readonly why: string;
  readonly said: readonly SlotValue[];
  /** What is between is the text of a program, in which the caller says values. */
  readonly isLikely: boolean;
}

const MAX_TOKENS = 400;
/** Of one part. */
const MAX_PART = 24;
const MAX_READINGS = 3;

/**
 * How a text is composed of earlier values and what is between them: the longest parts that stand somewhere, in a loop also
 * those of the round alone. In a loop, in the text of a program, and in what is added to a text, the task's words are parts
 * too.
 */
export function composedTexts(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site?: string,
  isAdded = false,
): readonly ComposedText[] {
  if (tokensOf(value).length > MAX_TOKENS) return [];
  const made = new Map<string, ComposedText>();
  const inScope = new Set(view.scope.map(({ name }) => name));
  const maySay = site !== undefined && (view.scope.length > 0 || isProgram(value) || isAdded);
  const slotAt = (at: number): Pick<SlotValue, "slot" | "field"> => {
    const field = fieldAt(value, at, place.path);
    return { field, slot: `${site}~${field} ${value.slice(0, at).match(/\P{L}/gu)?.length ?? 0}` };
  };
  const known = new Map<string, ComposedPart | undefined>();
  const knownPartAt = (
    run: string,
    at: number,
    reading: number,
    things: readonly Thing[],
  ): ComposedPart | undefined => {
    const key = `${at} ${run.length} ${reading} ${things.map((thing) => thing.place).join(" ")}`;
    if (known.has(key)) return known.get(key);
    const part = composedPart(run, view, place, decisionFor, reading, {
      label: labelBefore(value.slice(0, at)),
      site: site === undefined ? undefined : slotAt(at).slot,
      things,
    });
    known.set(key, part);
    return part;
  };
  for (const isNarrow of view.scope.length > 0 ? [false, true] : [false])
    for (const isSaying of maySay ? [true, false] : [false])
      for (let reading = 0, last: string | undefined; reading < MAX_READINGS; reading++) {
        const partAt =
          (things: readonly Thing[]) =>
          (run: string, at: number): ComposedPart | undefined => {
            const part = knownPartAt(run, at, reading, things);
            const isOwn = part !== undefined && refersTo(part.expression, inScope);
            if (part && (part.isGiven || isOwn)) return part;
            if (site !== undefined && isGreeted(run, value, at) && isSaidThere(run, value, at, view))
              return saidPart({ slot: slotAt(at).slot, field: "name", value: run });
            if (
              (isSaying && isSaidThere(run, value, at, view)) ||
              (site !== undefined && !part && isSaidOfAnswers(run, view))
            )
              return saidPart({ ...slotAt(at), value: run });
            return isNarrow ? undefined : part;
          };
        const first = partsOf(value, partAt([]));
        const things = first.flatMap((part) => (typeof part === "string" ? [] : (part.thing ?? [])));
        // What else is told of a thing of which it speaks stands there in words that are no names, too.
        const composed = composedOf(things.length === 0 ? first : partsOf(value, partAt(things)), view);
        const text = composed && JSON.stringify(composed.expression);
        // Where the second reading is the first, there is one alone.
        if (reading > 0 && text === last) break;
        last = text;
        if (composed && text !== undefined) made.set(text, composed);
      }
  return [...made.values()];
}

export function saidPart(said: Pick<SlotValue, "slot" | "field" | "value">): ComposedPart {
  return {
    expression: { kind: "param", name: said.slot },
    isGiven: true,
    isCertain: true,
    said: [{ ...said, origins: [], isOptional: false }],
  };
}

/** The text that is made of such parts. */
export function templateOf(parts: readonly (string | ComposedPart)[]): Expression {
  return {
    kind: "template",
    parts: parts.map((part) => (typeof part === "string" ? part : part.expression)),
  };
}

/** A part that has been decided on. */
export function knownPart(expression: Expression): ComposedPart {
  return { expression, isGiven: expression.kind === "param", isCertain: true };
}

/** Whether the task says a part, and the part is a name or a text in quotes there. */
function isSaidThere(run: string, value: string, at: number, { sample }: CallView): boolean {
  // What a colon stands behind is what something is called.
  const isQuoted = /["'`]$/.test(value.slice(0, at)) && /^["'`](?!\s*:)/.test(value.slice(at + run.length));
  if (/^\d+$/.test(run)) return isProgram(value) && sample.task.mentions(Number(run));
  return (isQuoted || isEntityName(run)) && /^[\p{L}\p{N}/#@~.]/u.test(run) && sample.task.says(run);
}

/** Whether a name stands in the greeting of a letter. */
function isGreeted(run: string, value: string, at: number): boolean {
  return GREETING.test(value.slice(0, at)) && /^\s?[,!:;.\n]/.test(value.slice(at + run.length));
}

const GREETING =
  /(?:^|\n)(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[r]?|guten tag|bonjour|cher|chère|hola|ciao) $/i;

/**
 * How a path is put together of a folder that the caller says and what its name is made of: ids and names that are known,
 * or that the caller says.
 */
export function composedPaths(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ComposedText[] {
  const [, folder] = PATH.exec(value) ?? [];
  if (folder === undefined || view.sample.task.says(value)) return [];
  const made = new Map<string, ComposedText>();
  for (let reading = 0; reading < (view.scope.length > 0 ? MAX_READINGS : 1); reading++) {
    const path = composedPath(value, folder, view, place, decisionFor, site, reading);
    if (path) made.set(JSON.stringify(path.expression), path);
  }
  return [...made.values()];
}

function composedPath(
  value: string,
  folder: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
  reading: number,
): ComposedText | undefined {
  const name = value.slice(folder.length + 1);
  const folderName = /path|file/i.test(lastName(place.path)) ? "folder" : lastName(place.path);
  const isFolderKnown = view.sample.task.saysPath(folder) || decisionFor(view, folder) !== undefined;
  const partAt = (run: string, at: number): ComposedPart | undefined => {
    const label = undefined;
    const slot = `${site}~${at}`;
    const part = composedPart(run, view, place, decisionFor, reading, { label, site: slot, things: [] });
    if (part) return part;
    // A file that the task names once is the same wherever it is.
    const isOne = hasFileEnding(run) && view.sample.task.mentionsOnce(run);
    const known = isOne ? decisionFor(view, run) : undefined;
    if (known?.kind === "param") return knownPart(known);
    const isFolder = (run.startsWith("/") ? at === 0 : run.includes("/")) && !run.endsWith("/");
    const isStem =
      at === folder.length + 1 && /^\.\p{L}[\p{L}\p{N}]{0,4}$/u.test(value.slice(at + run.length));
    const isPlace = isFolder || hasFileEnding(run);
    const isName = run === name && isFolderKnown && isNameSaid(run, view);
    const isWhole = ((isPlace || (isStem && run.length > 2)) && view.sample.task.saysPath(run)) || isName;
    const isSaid = isWhole || (!isPlace && isIdSaid(run, view));
    const field = at === 0 ? folderName : (idName(run, view) ?? "file");
    return isSaid ? saidPart({ slot, field, value: run }) : undefined;
  };
  const parts = [...partsOf(value, partAt, /[\p{L}\p{N}]+/gu)];
  const [first] = parts;
  if (typeof first === "string") {
    const own = first.slice(0, folder.length);
    const rest = first.slice(own.length);
    const known = decisionFor(view, own);
    const given = known
      ? knownPart(known)
      : saidPart({ slot: `${site}~folder`, field: folderName, value: own });
    parts.splice(0, 1, given, ...(rest === "" ? [] : [rest]));
  }
  const made = parts.filter((part) => typeof part !== "string").slice(1);
  const constants = parts.filter((part) => typeof part === "string");
  const isNamed = parts.at(-1) !== name && made.length > 0 && !constants.some(holdsData);
  if (!isNamed || made.some(({ isCertain, isOpen }) => !isCertain && isOpen !== true)) return undefined;
  const whole = withOneSlotEach(parts);
  return {
    expression: templateOf(whole),
    isCertain: made.every(({ isCertain }) => isCertain),
    isLikely: true,
    said: whole.flatMap((part) => (typeof part === "string" ? [] : (part.said ?? []))),
    why: "it is a folder and what is known of the file's name",
  };
}

const PATH = /^((?:~|\.{1,2})?(?:\/[^/\n]+)+)\/([^/\s](?:[^/\n]*[^/\s])?)$/;

/** Whether the task names a file or folder that has no ending, as `CODEOWNERS`, `.gitignore`, or in quotes. */
function isNameSaid(name: string, { sample: { task } }: CallView): boolean {
  const isNamed = isEntityName(name) || name.startsWith(".") || task.quotes.includes(name);
  return isNamed && task.saysPath(name);
}

/** A line of an earlier answer in which the caller says another value. */
export function rewrittenLines(
  value: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  site: string,
): readonly ComposedText[] {
  const { sample, before } = view;
  if (view.scope.length > 0 || value.includes("\n") || sample.task.says(value)) return [];
  const texts = sample.steps
    .slice(0, before)
    .flatMap(({ value: answer }) => Array.from(jsonLeaves(answer), ([, leaf]) => leaf));
  const lines = texts.flatMap((text) =>
    typeof text === "string" ? text.split("\n").map((line) => line.trim()) : [],
  );
  const [begin = ""] = [...new Set(lines.map((line) => sharedBegin(line, value)))].sort(
    (a, b) => b.length - a.length,
  );
  const [end = ""] = /[^\p{L}\p{N}]*$/u.exec(value) ?? [];
  const said = value.slice(begin.length, value.length - end.length);
  if (!/\p{L}{2}/u.test(begin) || holdsData(begin) || !isEntityName(said) || !sample.task.says(said))
    return [];
  const known = decisionFor(view, said);
  const slot = { slot: `${site}~said`, field: fieldAt(value, begin.length, place.path), value: said };
  const part = known ? { expression: known, said: [] } : saidPart(slot);
  const parts = [begin, part.expression, ...(end === "" ? [] : [end])];
  return [
    {
      expression: { kind: "template", parts },
      isCertain: false,
      isLikely: true,
      said: part.said ?? [],
      why: "it is a line of an earlier answer with what the caller says",
    },
  ];
}

/** What two texts begin with, up to where a word of one of them begins. */
function sharedBegin(line: string, text: string): string {
  let length = 0;
  while (length < Math.min(line.length, text.length) && line[length] === text[length]) length++;
  return length === line.length ? "" : (/^(?:.*[^\p{L}\p{N}.])?/u.exec(text.slice(0, length))?.[0] ?? "");
}

/** Whether a caller says a name or id by which an earlier answer tells something. */
function isIdSaid(run: string, view: CallView): boolean {
  if (isSaidOfAnswers(run, view)) return true;
  const { task, valueIndex } = view.sample;
  return (
    !task.hasWords &&
    isSpecific(run) &&
    valueIndex.of(run).some(({ step, isKey }) => step < view.before && !isKey)
  );
}

/** What an earlier answer calls a name or id. */
function idName(run: string, { sample: { valueIndex }, before }: CallView): string | undefined {
  const found = valueIndex.of(run).find(({ step, isKey }) => step < before && !isKey);
  return found?.path.findLast((part) => typeof part === "string");
}

/** Whether the task says a name or id by which an earlier answer tells something. */
function isSaidOfAnswers(run: string, { sample: { task, valueIndex }, before }: CallView): boolean {
  return (
    isEntityName(run) &&
    task.says(run) &&
    task.mentions(run) &&
    valueIndex.of(run).some(({ step, isKey }) => step < before && !isKey)
  );
}

/** What a part is called: as what stands before it, or as the argument. */
export function fieldAt(value: string, at: number, path: TracePath["path"]): string {
  return labelBefore(value.slice(0, at)) ?? lastName(path);
}

/** What a text ends with that says what is next, as `status` in `Status: `, or the name of a column in SQL. */
export function labelBefore(before: string): string | undefined {
  const [, columns = "", values] = /\(([^()]+)\)\s*VALUES\s*\(([^()]*)$/i.exec(before) ?? [];
  if (values !== undefined) return columns.split(",")[values.split(",").length - 1]?.trim();
  return /([\p{L}_][\p{L}\p{N}_]*)["'`]?\s*(?:[=:<>]+|\blike\b)\s*["'`]?$/iu.exec(before)?.[1];
}

interface Token {
  readonly start: number;
  readonly end: number;
}

/** Words, and every other character. */
function tokensOf(text: string, words = WORD_PATTERN): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  const marksTo = (start: number): void => {
    for (; end < start; end++) tokens.push({ start: end, end: end + 1 });
  };
  for (const { index, 0: word } of text.matchAll(words)) {
    marksTo(index);
    end = index + word.length;
    tokens.push({ start: index, end });
  }
  marksTo(text.length);
  return tokens;
}

export interface ComposedPart {
  readonly expression: Expression;
  /** The caller says it. */
  readonly isGiven: boolean;
  readonly isCertain: boolean;
  /** It is a name that an answer tells, and the task does not. */
  readonly isName?: boolean;
  /** It is a reading of the task's words, which a path may have, with a question. */
  readonly isOpen?: boolean;
  /** It can hardly be chance, and is asked about all the same. */
  readonly isAsked?: boolean;
  readonly said?: readonly SlotValue[];
  readonly thing?: Thing | undefined;
}

/** What is told of one thing: the element of a list in which a value stands, or the values beside it. */
interface Thing {
  /** Where it stands in the results, as text. */
  readonly place: string;
  /** All that is told of it, also in the lines of a text of which not all was read. */
  readonly told: readonly string[];
}

/** The thing of which a place in the results tells something. */
function thingAt(place: string, { sample, names }: CallView): Thing | undefined {
  const [name, ...path] = JSON.parse(place) as readonly [string, ...Path];
  const index = path.findLastIndex((part) => typeof part === "number");
  const at = index < 0 ? path.slice(0, -1) : path.slice(0, index + 1);
  const answer = sample.steps[names.indexOf(name)]?.value;
  const value = valueAt(answer, at);
  if (!isJsonObject(value)) return undefined;
  const told = [...jsonLeaves(value)].flatMap(([, leaf]) => leafText(leaf) ?? []);
  const lines = at.flatMap((_, nth) => {
    const text = valueAt(answer, [...at.slice(0, nth), "text"]);
    return typeof text === "string" ? text.split("\n") : [];
  });
  const own = lines.filter((line) => told.some((each) => each.length > 2 && line.includes(each)));
  return { place: JSON.stringify([name, ...at]), told: [...told, ...own] };
}

function isOfThing(place: string, { place: own }: Thing): boolean {
  return place.startsWith(`${own.slice(0, -1)},`);
}

type PartAt = (run: string, at: number) => ComposedPart | undefined;

/** The longest parts of a text from its begin on, and what stands between them. */
export function partsOf(
  value: string,
  partAt: PartAt,
  words = WORD_PATTERN,
): readonly (string | ComposedPart)[] {
  const tokens = tokensOf(value, words);
  const parts: (string | ComposedPart)[] = [];
  let end = 0;
  for (let at = 0; at < tokens.length; at++) {
    const found = longestPart(value, tokens, at, partAt);
    if (!found) continue;
    const { start = 0 } = tokens[at] ?? {};
    if (start > end) parts.push(value.slice(end, start));
    parts.push(found.part);
    end = tokens[found.last]?.end ?? end;
    at = found.last;
  }
  return end < value.length ? [...parts, value.slice(end)] : parts;
}

function composedOf(found: readonly (string | ComposedPart)[], view: CallView): ComposedText | undefined {
  const parts = withOneSlotEach(found);
  const made = parts.filter((part) => typeof part !== "string");
  const constants = parts.filter((part) => typeof part === "string");
  const isGiven = made.every((part) => part.isGiven);
  const isLikely =
    !constants.some(holdsData) &&
    ((constants.some(isProgram) && !saysAnew(constants, view)) ||
      (!isGiven &&
        made.every((part) => part.isCertain) &&
        (isToldByNames(constants, made) ||
          isLabelled(parts, constants, view) ||
          isSaidOfOneThing(made, constants, view) ||
          isSaidOfTotal(made, constants, view) ||
          isSaidOfAskedNumber(made, constants, view) ||
          isSaidOfOneName(made, constants, view) ||
          isSaidWithGaps(parts, view))));
  if (parts.length < 2 || (isGiven && !(isLikely && made.some(({ said }) => said)))) return undefined;
  const between = constants.join(" ");
  const isCertain =
    made.every(
      (part) => part.isCertain && part.isAsked !== true && !isOfListedLabel(part.expression, view),
    ) &&
    (isSaidByNames(between, made) || isToldByNames(constants, made) || isReply(parts));
  return {
    expression: templateOf(parts),
    isCertain,
    isLikely,
    said: made.flatMap(({ said }) => said ?? []),
    why:
      view.scope.length > 0
        ? "it is composed of what the round is about"
        : "it is composed of earlier values",
  };
}

/** Whether lines have a word that the task says and no answer has told: what it is about, which another caller says otherwise. */
function saysAnew(constants: readonly string[], { sample: { task, valueIndex }, before }: CallView): boolean {
  return (
    constants.some((text) => text.trim().includes("\n")) &&
    constants
      .flatMap((text) => task.saidWordsOf(text))
      .some((word) => !valueIndex.texts(word).some(({ step }) => step < before))
  );
}

/** The parts with one slot for each thing that the caller says, by which others may be found. */
export function withOneSlotEach(
  parts: readonly (string | ComposedPart)[],
): readonly (string | ComposedPart)[] {
  const made = parts.filter((part) => typeof part !== "string");
  const isFound = ({ expression }: ComposedPart): boolean => expression.kind !== "param";
  const slots = new Map<string, SlotValue>();
  for (const { said = [] } of [...made.filter(isFound), ...made])
    for (const each of said)
      slots.set(canonicalJson(each.value), slots.get(canonicalJson(each.value)) ?? each);
  return parts.map((part) => {
    if (typeof part === "string" || !part.said) return part;
    const said = part.said.map((each) => slots.get(canonicalJson(each.value)) ?? each);
    const expression = part.said.reduce<Expression>(
      (of, { slot }, nth) => substituteSlot(of, slot, { kind: "param", name: said[nth]?.slot ?? slot }),
      part.expression,
    );
    return { ...part, said, expression };
  });
}

function longestPart(
  value: string,
  tokens: readonly Token[],
  first: number,
  partAt: (run: string, at: number) => ComposedPart | undefined,
): { readonly part: ComposedPart; readonly last: number } | undefined {
  const start = tokens[first]?.start ?? 0;
  for (let last = Math.min(tokens.length, first + MAX_PART) - 1; last >= first; last--) {
    const run = value.slice(start, tokens[last]?.end);
    if (run.length === value.length || run !== run.trim()) continue;
    const part = /[\p{L}\p{N}]/u.test(run) ? partAt(run, start) : undefined;
    if (part) return { part, last };
  }
  return undefined;
}

export function composedPart(
  run: string,
  view: CallView,
  place: TracePath,
  decisionFor: DecisionLookup,
  reading: number,
  {
    label,
    site,
    things,
  }: {
    readonly label: string | undefined;
    readonly site: string | undefined;
    readonly things: readonly Thing[];
  },
): ComposedPart | undefined {
  const isName = run.length >= WEIGHTS.minComposedRun && isEntityName(run);
  const known = isName ? decisionFor(view, run) : undefined;
  if (known) return knownPart(known);
  const inScope = new Set(view.scope.map(({ name }) => name));
  const ofThing = (at: string): boolean => things.some((thing) => isOfThing(at, thing));
  if (run.length < 2 && things.length === 0) return totalPart(run, view, reading, site);
  const flows = flowCandidates(run, view, place, site ?? "", decisionFor).filter(
    ({ expression, place: at, isBelowHeading }) =>
      ofThing(at) ||
      (run.length > 1 &&
        (isName ||
          hasFileEnding(run) ||
          isNumeral(run) ||
          refersTo(expression, inScope) ||
          // A word that has the same label below another heading is there by chance.
          (isCalled(label, expression) && isBelowHeading !== true && !view.sample.task.mentions(run)))),
  );
  const isFound = ({ slots }: Candidate): boolean =>
    site !== undefined && slots.every((slot) => isSaidSlot(slot, view.sample.task));
  // What the task says is not what happens to stand at a position of which it speaks of something else.
  const isSaid = isName && view.sample.task.says(run);
  const found = flows.filter(
    ({ slots, expression }) => slots.length === 0 && !(isSaid && isByPosition(expression)),
  );
  // What the round is about may say the same in two places.
  const ofRound = found.filter(({ expression }) => refersTo(expression, inScope));
  const flow =
    ofRound[reading] ?? found.find(({ place: at }) => ofThing(at)) ?? found[0] ?? flows.find(isFound);
  if (flow)
    return {
      expression: flow.expression,
      isGiven: false,
      isCertain: true,
      isAsked: isLatestByPosition(flow.expression, view),
      isName: isName && !/\d/.test(run) && !view.sample.task.says(run),
      said: flow.slots,
      thing: thingAt(flow.place, view),
    };
  const [labelled, ...twice] = labelledSentences(run, view, place, site ?? "", decisionFor);
  if (labelled && twice.length === 0)
    return { expression: labelled.expression, isGiven: false, isCertain: true, said: labelled.slots };
  const phrase = toldPhrase(run, view);
  if (phrase) return { expression: phrase, isGiven: false, isCertain: true };
  const most = saidExtreme(run, extremeCandidates(run, view, place, site ?? "", decisionFor), view);
  if (most && (most.slots.length === 0 || (most.extreme?.isWithin === true && site !== undefined)))
    return {
      expression: most.expression,
      isGiven: false,
      isCertain: true,
      isAsked: true,
      said: most.slots,
      thing: thingAt(most.place, view),
    };
  const extreme = extremeOfRounds(run, view);
  if (extreme) return { expression: extreme, isGiven: false, isCertain: false, isOpen: true };
  const [time, ...others] = TIME.test(run) ? toldTimes(view).filter(({ text }) => text === run) : [];
  // Two places that tell the same time need not tell the same in another run.
  if (time)
    return {
      expression: time.expression,
      isGiven: false,
      isCertain: others.every(({ isOfRound }) => isOfRound !== time.isOfRound),
    };
  // One text alone does not tell whether a word in it is a part of what was told.
  const pieces = view.scope.length > 0 ? textPieces(run, view, place, decisionFor, site ?? "") : [];
  const piece = pieces.find(({ expression }) => refersTo(expression, inScope));
  if (piece && pieces.length === 1) return { expression: piece.expression, isGiven: false, isCertain: true };
  const slug = view.scope.length > 0 ? sluggedPart(run, view, place, decisionFor, site ?? "") : undefined;
  return slug ?? totalPart(run, view, reading, site);
}

/** The total of an earlier list that a number is: a small one only where the task asks for it. */
function totalPart(
  run: string,
  view: CallView,
  reading: number,
  site: string | undefined,
): ComposedPart | undefined {
  if (!isNumeral(run) && !/^\d$/.test(run)) return undefined;
  const totals = writtenTotals(run, view, site);
  // Nobody asks for what is said of a part that has no place of its own.
  const told = totals.filter(({ said }) => site !== undefined || said.length === 0);
  const asked = told.filter((each) => isAskedTotal(each.expression, view));
  const [only] = asked.length === 1 ? asked : [];
  const total = only ?? (isNumeral(run) ? (told[reading] ?? told[0]) : undefined);
  // Of which elements it is may be said in other words than it is read; small numbers are equal by chance; and what is
  // divided may have more decimals than one wants.
  const isOpen =
    totals.length > 1 ||
    (total?.said.length ?? 0) > 0 ||
    total?.isListed === true ||
    !isNumeral(run) ||
    total?.expression.kind === "arithmetic";
  return (
    total && {
      expression: total.expression,
      isGiven: false,
      isCertain: total === only,
      isAsked: isOpen,
      said: total.said,
    }
  );
}

const TIME = /^\d{2}:\d{2}(?::\d{2})?$/;

/** Whether something is found by where it stands in a list. */
function isByPosition(expression: Expression): boolean {
  return subexpressions(expression).some(({ kind }) => kind === "nth");
}

/** Whether something stands first or last where the task only says that it is the oldest or the latest. */
function isLatestByPosition(expression: Expression, { sample }: CallView): boolean {
  const { positions } = sample.task;
  return subexpressions(expression).some((part) => part.kind === "nth" && !positions.has(part.position));
}

/** Whether a value stands in a field of the name. */
function isCalled(name: string | undefined, expression: Expression): boolean {
  return expression.kind === "field" && expression.path.at(-1)?.toLowerCase() === name?.toLowerCase();
}

/** Whether a text says something that another caller would say otherwise: an id, a number, a text in quotes. */
export function holdsData(text: string): boolean {
  return /\d{2}|[@#]\w|(["'`])[^"'`]*\p{Lu}[^"'`]*\1/u.test(text);
}

export function hasFileEnding(text: string): boolean {
  return /^[^\s/\\]+\.\p{L}[\p{L}\p{N}]{0,4}$/u.test(text);
}

function isNumeral(text: string): boolean {
  return /^\d{2,}(?:\.\d+)?$|^\d\.\d+$/.test(text);
}

const SUM_WORDS =
  "sum sums total totals altogether overall summe gesamtsumme insgesamt somme suma soma totale totaal итого 合計"
    .split(" ")
    .concat("add up", "added up", "how much did", "how much have", "how much has", "how much was");

const COUNT_WORDS = [
  ["how many", "number of", "count", "counts"],
  ["wie viele", "wieviele", "anzahl"],
  ["combien", "nombre de", "cuántos", "cuántas", "quanti", "quante", "hoeveel"],
].flat();

/** Whether the task speaks of such a total or number. */
export function isAskedTotal(expression: Expression, { sample }: Pick<CallView, "sample">): boolean {
  if (expression.kind === "rounded") return isAskedTotal(expression.of, { sample });
  if (expression.kind === "arithmetic")
    return expression.left.kind === "aggregate" ? sample.task.asksAverage : sample.task.asksShare;
  const words =
    expression.kind !== "aggregate" ? [] : expression.operator === "sum" ? SUM_WORDS : COUNT_WORDS;
  return words.some((word) => sample.task.mentions(word));
}

/**
 * Whether all that stands between values that identify something is signs, labels of them such as `Last author: `, and units,
 * and none of it is a name that the caller says.
 */
function isLabelled(
  parts: readonly (string | ComposedPart)[],
  constants: readonly string[],
  { sample }: CallView,
): boolean {
  const isForm = parts.every((part, at) => {
    if (typeof part !== "string" || !/\p{L}/u.test(part)) return true;
    const [, unit = "", label = ""] = /^([^\n]*)(?:\n+([^]*))?$/.exec(at === 0 ? `\n${part}` : part) ?? [];
    return (
      /^(?:\s?\p{L}{1,4})?[^\p{L}]*$/u.test(unit) &&
      /^(?:[^\p{L}\n]*\p{L}[\p{L} _-]{0,30}\s?[:=]+\s?)?$/u.test(label)
    );
  });
  const words = constants.join(" ").match(/\p{Lu}[\p{L}\p{N}]+/gu) ?? [];
  return isForm && !words.some((word) => sample.task.says(word));
}

/**
 * Whether a text tells several things of one, in sentences in which nothing stands that another would have otherwise: no
 * name, number or word that is told of it and is not taken from there.
 */
function isSaidOfOneThing(
  made: readonly ComposedPart[],
  constants: readonly string[],
  { sample }: CallView,
): boolean {
  const things = new Map(made.flatMap(({ thing }) => (thing ? [[thing.place, thing.told] as const] : [])));
  const [thing, ...others] = things.values();
  const told = made.filter((part) => part.thing !== undefined);
  if (thing === undefined || others.length > 0 || told.length < 2) return false;
  const words = constants.join(" ").match(/[\p{L}\p{N}]+/gu) ?? [];
  const ofThing = new Set(thing.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
  const isOwn = (word: string): boolean => word.length > 1 && ofThing.has(word.toLowerCase());
  const isSaid = (word: string): boolean =>
    /^\p{Lu}[\p{L}\p{N}]+$/u.test(word) && sample.task.saysInside(word);
  return words.length <= MAX_WORDS && !words.some((word) => /\d/.test(word) || isOwn(word) || isSaid(word));
}

const MAX_WORDS = 60;

/** Whether a text says the total that the task asks for, in plain words of which none stands in what the caller gave. */
function isSaidOfTotal(
  made: readonly ComposedPart[],
  constants: readonly string[],
  { sample, call }: CallView,
): boolean {
  const [total, ...others] = made;
  return (
    total?.expression.kind === "aggregate" &&
    others.length === 0 &&
    arePlainWords(constants, { sample, call }) &&
    isSaidByNames(sample.task.saidWordsOf(constants.join(" ")).join(" "), made)
  );
}

/** Whether a text says, in plain sentences, the one number for which the task asks and that was all that an answer told. */
function isSaidOfAskedNumber(
  made: readonly ComposedPart[],
  constants: readonly string[],
  view: CallView,
): boolean {
  const [number, ...others] = made;
  const { task } = view.sample;
  return (
    number !== undefined &&
    others.length === 0 &&
    view.scope.length === 0 &&
    [...COUNT_WORDS, ...SUM_WORDS].some((word) => task.mentions(word)) &&
    isWholeAnswer(number.expression, view) &&
    arePlainSentences(constants, view)
  );
}

/**
 * Whether a line says one name that was told, in few plain words, of which the task has one in some form, none in quotes, and
 * none stands in what the caller gave: `last commit by Ada Lind`.
 */
function isSaidOfOneName(
  made: readonly ComposedPart[],
  constants: readonly string[],
  { sample, call, scope }: CallView,
): boolean {
  const [name, ...others] = made;
  const text = constants.join(" ");
  const words = text.match(/\p{L}+/gu) ?? [];
  if (name?.isName !== true || others.length > 0 || scope.length > 0 || /[^\p{L}\s.,]/u.test(text))
    return false;
  const quoted = new Set(sample.task.quotes.flatMap((quote) => quote.toLowerCase().match(/\p{L}+/gu) ?? []));
  return (
    words.length <= MAX_OF_NAME &&
    !text.trim().includes("\n") &&
    words.some((word) => word.length > 3 && sample.task.hintsAt(word)) &&
    !words.some((word) => quoted.has(word.toLowerCase())) &&
    arePlainWords(constants, { sample, call })
  );
}

const MAX_OF_NAME = 8;

/** Whether what stands between parts is words in small letters, but for the first, and none of them stands in what the caller gave. */
function arePlainWords(
  constants: readonly string[],
  { sample, call }: Pick<CallView, "sample" | "call">,
): boolean {
  const given = new Set(
    sample.trace.calls
      .slice(0, call + 1)
      .flatMap(({ args }) => Array.from(jsonLeaves(args), ([, leaf]) => leafText(leaf) ?? ""))
      .filter((leaf) => !constants.every((part) => leaf.includes(part)))
      .flatMap((leaf) => leaf.toLowerCase().match(/\p{L}+/gu) ?? []),
  );
  const words = constants.join(" ").match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    words.length <= MAX_WORDS &&
    words.every((word, nth) => /^\p{Ll}+$/u.test(word) || (nth === 0 && /^\p{Lu}\p{Ll}*$/u.test(word))) &&
    !words.some((word) => given.has(word.toLowerCase()))
  );
}

/** Whether the task says all that stands between the parts, and leaves open what these are: `Filed as ….` */
function isSaidWithGaps(parts: readonly (string | ComposedPart)[], { sample: { task } }: CallView): boolean {
  const words = parts.flatMap((part, nth) => {
    if (typeof part === "string") return part;
    // A part is open at the begin, at the end, and between two others.
    return nth === 0 || nth === parts.length - 1 || typeof parts[nth - 1] !== "string" ? "" : [];
  });
  const isWorded = words.some((each) => /\p{L}{2,}\P{L}+\p{L}{2}/u.test(each));
  return isWorded && task.saysWithGaps(words);
}

/** Whether a text is a whole other one with what is put before the subject of an answer, as `Re: `. */
function isReply([before, ...parts]: readonly (string | ComposedPart)[]): boolean {
  return typeof before === "string" && /^\p{L}{2,4}: $/u.test(before) && parts.length === 1;
}

/** Whether what stands between the parts has no words, or only those by which the parts are called. */
export function isSaidByNames(between: string, parts: readonly ComposedPart[]): boolean {
  const words = between.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const names = new Set(parts.flatMap(namesOf));
  return words.every((word) => names.has(word));
}

/** The words by which a part is called. */
function namesOf({ expression }: ComposedPart): readonly string[] {
  return subexpressions(expression).flatMap((part): readonly string[] => {
    if (part.kind === "aggregate" && part.operator === "sum") return SUM_WORDS;
    return part.kind === "field" ? part.path.flatMap((key) => [key.toLowerCase(), ...nameWords(key)]) : [];
  });
}

/** Whether sentences call each part that was told by its name, and have no words besides but those of any sentence. */
function isToldByNames(constants: readonly string[], made: readonly ComposedPart[]): boolean {
  const words =
    constants
      .join(" ")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const told = made.filter(({ isGiven }) => !isGiven).map((part) => new Set(namesOf(part).map(wordStem)));
  const telling = words.filter((word) => !LINKING_WORDS.has(word)).map(wordStem);
  return (
    told.every((names) => telling.some((word) => names.has(word))) &&
    telling.every((word) => told.some((names) => names.has(word)))
  );
}
