import { isJsonObject, type Json } from "../../core/json/json.ts";
import { jsonLeaves } from "../plan/values.ts";
import {
  columnName,
  cutTemplate,
  hasSameMarks,
  isPlain,
  lineTemplate,
  writtenKind,
} from "./line-templates.ts";
import {
  type BlockPart,
  CHECKBOX,
  isKnown,
  isOfKind,
  type KnownLine,
  LABELLED,
  leadsIn,
  linesIn,
  MAX_PARTS,
  partsIn,
  readText,
  recordIn,
  type Template,
  type TemplateField,
  type TextForm,
} from "./text-form.ts";

type BlocksForm = Extract<TextForm, { readonly kind: "blocks" }>;

/** A text, and what of it was of use. */
export interface UsedText {
  readonly text: string;
  /** Values of arguments of later calls that nothing had told before. */
  readonly wanted: readonly (string | number)[];
  /** What had been told or asked before. */
  readonly known: string;
  readonly task: string;
  /** Words in the names of the arguments that later calls have: what tools call their values. */
  readonly properties: readonly string[];
}

const MAX_WANTED = 60;
const MAX_LINE = 1000;

/**
 * How what was used of texts, and what no other form of theirs tells, is found in each of them: by what stands before and
 * behind it, in the text or in each of the blocks in which lines of the same kinds come again. Undefined where nothing
 * is left to find, or where it would be found in no way, or in several.
 */
export function blocksForm(texts: readonly UsedText[], forms: readonly TextForm[]): BlocksForm | undefined {
  const read = texts.map((used): ReadLines => {
    const told = new Set(
      forms
        .filter((form) => !isBareList(form, used))
        .flatMap((form) => leavesOf(readText(used.text, form) ?? null)),
    );
    // What is data has no lines.
    const isData = forms.some(({ kind }) => kind === "json") && /^\s*[[{]/.test(used.text);
    const marked = isData ? [] : linesIn(used.text);
    const lines = marked.map((line) => line.trimEnd());
    const followed = new Set(marked.keys().filter((at) => marked[at] !== lines[at]));
    const spans = used.wanted
      .flatMap((value) => (told.has(String(value)) ? [] : spansOf(lines, value)))
      .map((span) => behindCheckbox(span, lines[span.at] ?? ""));
    const places = used.wanted.flatMap((value) => spansOf(lines, value));
    return {
      ...used,
      lines,
      followed,
      spans: spans.slice(0, MAX_WANTED),
      places: places.slice(0, MAX_WANTED),
    };
  });
  const parts: BlockPart[] = [];
  const single: KnownLine[] = [];
  for (const text of read)
    for (const span of text.spans) {
      const line = text.lines[span.at] ?? "";
      // A value that stands in several places is read in each: which is meant is for others to say.
      if ([...single, ...parts.flatMap(({ lines }) => lines)].some((known) => says(known, line, span.value)))
        continue;
      const found = kindsOf(text, span, read).flatMap((kind) => {
        const part = repeatedPart(kind, read, parts.length);
        return part?.lines.some((known) => says(known, line, span.value)) === true ? [part] : [];
      });
      const checked = checkedPart(text, span, read, parts.length);
      if (checked === "unsaid") continue;
      const part = checked ?? firstTelling([...found.take(MAX_KINDS)], text, span);
      if (part && parts.length < MAX_PARTS - 1) parts.push(part);
      if (part) continue;
      const sentence = sentenceLine(text, span, read);
      if (sentence) {
        single.push(sentence);
        continue;
      }
      const named = namedPart(text, span, read, parts.length);
      if (named === "unnamed") continue;
      if (named && parts.length < MAX_PARTS - 1) parts.push(named);
      const known = named ? undefined : (singleLine(text, span, read) ?? titleLine(text, span, read));
      if (known) single.push(known);
    }
  const placeIn = (known: KnownLine): number => read[0]?.lines.findIndex((line) => isKnown(line, known)) ?? 0;
  const inOrder = single.toSorted((a, b) => placeIn(a) - placeIn(b));
  if (single.length > 0) parts.push({ as: "said", lines: withOwnNames(inOrder) });
  const form: BlocksForm = { kind: "blocks", parts };
  return parts.length === 0 || texts.some(({ text }) => !readText(text, form)) ? undefined : form;
}

/** Whether a form says no more than that a text has lines, of which not all are of use. */
function isBareList(form: TextForm, { text, wanted }: UsedText): boolean {
  if (form.kind !== "lines" || form.line.length > 1) return false;
  return leavesOf(readText(text, form)?.["lines"] ?? null).some((line) => !wanted.includes(line));
}

/** What a value's leaves say. */
export function leavesOf(value: Json): readonly string[] {
  return [...jsonLeaves(value)].map(([, leaf]) => (typeof leaf === "string" ? leaf : JSON.stringify(leaf)));
}

function says(known: KnownLine, line: string, value: string): boolean {
  return isKnown(line, known) && leavesOf(recordIn(line, known.form) ?? null).includes(value);
}

/** A text's lines, and where in them stands what is looked for. */
interface ReadLines extends UsedText {
  readonly lines: readonly string[];
  /** Those that seem to go on in the next. */
  readonly followed: ReadonlySet<number>;
  readonly spans: readonly Span[];
  /** Also what other forms tell. */
  readonly places: readonly Span[];
}

interface Span {
  readonly value: string;
  /** The line. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** Where a value stands in lines, whole. */
function spansOf(lines: readonly string[], value: string | number): readonly Span[] {
  return lines.flatMap((line, at) => {
    if (line.length > MAX_LINE) return [];
    return typeof value === "string"
      ? placesOf(line, value).map((start) => ({ value, at, start, end: start + value.length }))
      : [...line.matchAll(NUMERALS)].flatMap(({ index, 0: said }) =>
          numberOf(said) === value
            ? [{ value: String(value), at, start: index, end: index + said.length }]
            : [],
        );
  });
}

/** Of a thing to do that is used with its sign, what it says. */
function behindCheckbox(span: Span, line: string): Span {
  const { length: start } = CHECKBOX.exec(line)?.[0] ?? "";
  return span.start < start && start < span.end
    ? { ...span, start, value: line.slice(start, span.end) }
    : span;
}

const NUMERALS = /(?<![\p{L}\p{N}_.,-])-?\d+(?:[.,'’]\d+)*(?![\p{L}\p{N}_]|[.,-]\d)/gu;

/** The number that a numeral says by itself. */
function numberOf(said: string): number | undefined {
  const kind = writtenKind([said]);
  if (!kind || kind.is === "date") return undefined;
  const value = recordIn(said, [{ name: "value", ...kind }])?.["value"];
  return typeof value === "number" ? value : undefined;
}

/** Where a text stands in a line without cutting words. */
export function placesOf(line: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + 1)) {
    const isCut = IN_WORD.test(line.slice(at - 1, at + 1)) && at > 0;
    const end = at + text.length;
    if (!isCut && !IN_WORD.test(line.slice(end - 1, end + 1))) places.push(at);
  }
  return places;
}

const IN_WORD = /^[\p{L}\p{N}]{2}$/u;

// --- kinds of lines

/** How a line begins: its first word or marks, where these are no number. */
function begin(line: string): string {
  return (
    /^\s*(?:\p{L}+|[^\p{L}\p{N}\s]+(?:\p{L}+(?![\p{L}\p{N}]*[/.@-]))?)[^\p{L}\p{N}]*/u.exec(line)?.[0] ?? ""
  );
}

/** With what kind of sign a line begins, behind its indentation. */
function beginKind(line: string): string {
  return line.replace(/^(\s*)(?:(\p{L})|(\p{N})|(\S)).*$/u, (_, indent: string, letter, digit, sign) =>
    letter === undefined ? `${indent}${digit === undefined ? sign : "1"}` : `${indent}a`,
  );
}

/** Lines that are alike: by how they begin, all of those in the texts that have several. */
interface LineKind {
  readonly begins: string;
  /** By texts, the lines. */
  readonly places: readonly (readonly number[])[];
}

const MAX_KINDS = 3;

/** The first part in which no other element is called as the one that says a value; else the first. */
function firstTelling(
  parts: readonly BlockPart[],
  { text, lines, spans }: ReadLines,
  { value, at }: Span,
): BlockPart | undefined {
  const namesOf = (entry: Json): string =>
    leavesOf(entry)
      .filter((leaf) => !/\d/.test(leaf))
      .join("\n");
  const telling = parts.find((part) => {
    const said = readText(text, { kind: "blocks", parts: [part] })?.["blocks"];
    const entries = isJsonObject(said) ? said[part.as] : [];
    if (!Array.isArray(entries)) return true;
    const own = (entries as readonly Json[]).find((entry) => leavesOf(entry).includes(value)) ?? null;
    const names = namesOf(own);
    return names === "" || !entries.some((entry: Json) => entry !== own && namesOf(entry) === names);
  });
  const isUsedOften = spans.some(
    (span) => span.at !== at && begin(lines[span.at] ?? "") === begin(lines[at] ?? ""),
  );
  return isUsedOften ? parts[0] : (telling ?? parts[0]);
}

/** The lines of the kinds of one in which a value stands, where a text has several: by how they begin, then by their form. */
function* kindsOf(text: ReadLines, span: Span, texts: readonly ReadLines[]): Generator<LineKind> {
  const line = text.lines[span.at] ?? "";
  const own = begin(line).slice(0, span.start);
  const left = line.slice(0, span.start);
  const longer = isLabel(left) && left.length > own.length ? [left] : [];
  if (
    ALONE.test(left) &&
    texts.every(({ lines }) => lines.filter((each) => each.startsWith(left)).length === 1)
  )
    return;
  const byBegin = [own, ...longer].flatMap((begins): readonly LineKind[] => {
    const kind = begins === "" ? undefined : linesThat(texts, begins, (each) => each.startsWith(begins));
    return kind?.places.some((places) => places.length > 1) === true ? [kind] : [];
  });
  // Lines that have no more in common than how they begin are rather of several kinds.
  yield* byBegin.toSorted((a, b) => Number(!isOneForm(a, texts)) - Number(!isOneForm(b, texts)));
  const bySign = own === "" ? kindBySign(text, span, texts) : undefined;
  if (bySign) yield bySign;
  const form = usedForm(text, span, texts);
  if (!form || LABELLED.test(line)) return;
  const byForm = linesThat(texts, "", (each) => recordIn(each, form) !== undefined);
  if (byForm.places.some((places) => places.length > 1)) yield byForm;
}

function isOneForm({ begins, places }: LineKind, texts: readonly ReadLines[]): boolean {
  const lines = texts.flatMap((text, nth) => (places[nth] ?? []).map((at) => text.lines[at] ?? ""));
  return lineTemplate(lines.map((line) => line.slice(begins.length))) !== undefined;
}

/** A label that is a word of its form, such as `TEL;TYPE=CELL:`. */
const ALONE = /^\p{Lu}[\p{Lu};=,_-]+[:=]\s*$/u;

/** What a line in which a value stands has in common with the others in which values stand, or else with those of its marks. */
function usedForm({ lines }: ReadLines, { at }: Span, texts: readonly ReadLines[]): Template | undefined {
  const line = lines[at] ?? "";
  const sign = beginKind(line);
  const used = texts.flatMap((text) => text.spans.map((span) => text.lines[span.at] ?? ""));
  const alike = [...new Set([line, ...used])].filter((each) => beginKind(each) === sign);
  const all = texts.flatMap((text) => text.lines);
  const form =
    lineTemplate(alike) ?? lineTemplate([...new Set(all)].filter((each) => hasSameMarks(each, line)));
  return form && !isPlain(form) ? form : undefined;
}

/** Words that are others in each line tell nothing: what is used in several lines of a form does. */
function kindBySign({ lines }: ReadLines, { at }: Span, texts: readonly ReadLines[]): LineKind | undefined {
  const line = lines[at] ?? "";
  const sign = beginKind(line);
  const alike = linesThat(texts, "", (each) => beginKind(each) === sign);
  const isUsed = texts.some(({ spans }, nth) => {
    const own = texts[nth]?.lines ?? [];
    const isAlone = (place: number): boolean => {
      const first = begin(own[place] ?? "");
      return (
        !/\p{L}[:=]\s*$/u.test(first) &&
        (first === "" || own.every((other, at_) => at_ === place || !other.startsWith(first)))
      );
    };
    const used = new Set(spans.map((span) => span.at));
    return (alike.places[nth] ?? []).filter((place) => used.has(place) && isAlone(place)).length > 1;
  });
  return isUsed ? alike : undefined;
}

function linesThat(texts: readonly ReadLines[], begins: string, holds: (line: string) => boolean): LineKind {
  return {
    begins,
    places: texts.map(({ lines }) => [...lines.keys()].filter((at) => holds(lines[at] ?? ""))),
  };
}

// --- what comes again

/** The blocks of which each has one line of a kind. */
function repeatedPart(kind: LineKind, texts: readonly ReadLines[], nth: number): BlockPart | undefined {
  const start = startOf(kind, texts);
  const blocks = texts.flatMap((text, at) => {
    const starts = start.places[at] ?? [];
    return starts.map((from, each): Block => ({ text, from, to: starts[each + 1] ?? text.lines.length }));
  });
  const isOneLine = blocks.every(
    ({ from, to }, at) => to === from + 1 || blocks[at + 1]?.text !== blocks[at]?.text,
  );
  const kinds = isOneLine ? [{ kind: blockKind(kind, blocks), own: true }] : kindsIn(blocks, kind);
  const lines = kinds.map(({ kind: each, own }) => ({ own, known: each ? knownLines(each) : [] }));
  if (lines.some(({ own, known }) => own && known.length === 0)) return undefined;
  const named = withOwnNames(lines.flatMap(({ known }) => known));
  const begins = start.begins;
  const [word] = /\p{L}[\p{L}\p{N}_-]*/u.exec(begins) ?? [];
  const form = named.find((line) => line.begins === begins && begins === "")?.form ?? [
    begins,
    { name: "", is: "gap" as const },
  ];
  const as = `${word?.toLowerCase() ?? "entry"}${nth === 0 ? "" : nth + 1}`;
  const part = { as, start: { begins, form }, lines: named };
  const count = countOf(part, start, texts);
  return named.length === 0 ? undefined : { ...part, ...(count ? { count } : {}) };
}

/**
 * What things to do say that have the same sign for whether they are done: all that stands behind it. `unsaid` where there
 * are no others, and the task does not say that these would not be meant.
 */
function checkedPart(
  { lines, task }: ReadLines,
  { at, start, end }: Span,
  texts: readonly ReadLines[],
  nth: number,
): BlockPart | "unsaid" | undefined {
  const line = lines[at] ?? "";
  const [begins = ""] = CHECKBOX.exec(line) ?? [];
  const { places } = linesThat(texts, begins, (each) => each.startsWith(begins));
  const isWhole = begins !== "" && begins.length === start && end === line.length;
  if (!isWhole || places.every((own) => own.length < 2)) return undefined;
  const signs = new Set(
    texts.flatMap((text) => text.lines.flatMap((each) => CHECKBOX.exec(each)?.[1] ?? [])),
  );
  if (signs.size < 2 && !DONE_OR_NOT.test(task)) return "unsaid";
  const form: Template = [begins, { name: "text", is: "text" }];
  const lacking = places.filter((own) => own.length === 0).length;
  const mayLack = lacking > 0 && places.length > lacking + 1;
  const part = {
    as: `item${nth === 0 ? "" : nth + 1}`,
    start: { begins, form },
    lines: [{ begins, form }],
    ...(mayLack ? { mayLack } : {}),
  };
  const isRead = texts.every(({ text }) => readText(text, { kind: "blocks", parts: [part] }) !== undefined);
  return isRead ? part : undefined;
}

/** Words for whether things to do are done, other than in paths. */
const DONE_OR_NOT =
  /(?<![\p{L}\p{N}/._-])(?:(?:un)?(?:done|finished|checked|ticked)|(?:in)?completed?|open|outstanding|pending|remain(?:s|ing)?|still|to do|not yet|(?:un)?erledigt\p{L}*|offen\p{L}*|fertig\p{L}*|noch|faite?s?|à faire|encore|hech[oa]s?|pendientes?|por hacer|todavía|fatt[oaie]|da fare|ancora)(?![\p{L}\p{N}/_-]|\.\p{L})/iu;

/** Where each of the texts that have several blocks says how many these are. */
function countOf(part: BlockPart, { places }: LineKind, texts: readonly ReadLines[]): KnownLine | undefined {
  const nth = places.findIndex((own) => own.length > 1);
  const text = texts[nth];
  if (!text) return undefined;
  const known = part.lines.filter((each) => each.at === undefined);
  const told = spansOf(text.lines, places[nth]?.length ?? 0).filter(({ at }) => {
    const line = text.lines[at] ?? "";
    return /\p{L}{2}/u.test(line) && !known.some((each) => isKnown(line, each));
  });
  const [count, ...others] = told.flatMap((span) => singleLine(text, span, texts) ?? []);
  const counted: TextForm = { kind: "blocks", parts: [{ ...part, ...(count ? { count } : {}) }] };
  const isTold = texts.every(({ text: said }) => readText(said, counted) !== undefined);
  return count && others.length === 0 && isTold ? count : undefined;
}

interface Block {
  readonly text: ReadLines;
  readonly from: number;
  readonly to: number;
}

/** The kind of lines with which blocks begin of which each has one line of a kind: the first in which each text has as many. */
function startOf(kind: LineKind, texts: readonly ReadLines[]): LineKind {
  const at = texts.findIndex((_, nth) => (kind.places[nth] ?? []).length > 1);
  const { lines } = texts[at] ?? { lines: [] };
  const own = kind.places[at]?.[0] ?? 0;
  for (const line of lines.slice(0, own)) {
    const candidates = [
      linesThat(texts, line, (each) => each === line),
      linesThat(texts, begin(line), (each) => each.startsWith(begin(line))),
    ];
    const start = candidates.find(
      ({ begins, places }) => begins.trim() !== "" && isBefore(places, kind.places),
    );
    if (start) return start;
  }
  return kind;
}

function isBefore(starts: LineKind["places"], places: LineKind["places"]): boolean {
  return starts.every((own, nth) => {
    const others = places[nth] ?? [];
    return (
      own.length === others.length &&
      own.every((at, each) => at <= (others[each] ?? -1) && (others[each] ?? 0) < (own[each + 1] ?? Infinity))
    );
  });
}

/** Lines of one kind, of which each block has one. */
interface BlockKind {
  readonly begins: string;
  readonly at?: number;
  readonly lines: readonly BlockLine[];
}

interface BlockLine {
  readonly text: ReadLines;
  readonly at: number;
  readonly line: string;
  readonly spans: readonly Span[];
  /** What of the line had been told before. */
  readonly known: string | undefined;
}

function blockKind({ begins, places }: LineKind, blocks: readonly Block[]): BlockKind | undefined {
  const texts = [...new Set(blocks.map(({ text }) => text))];
  const lines = texts.flatMap((text, nth) => (places[nth] ?? []).map((at) => blockLine(text, at)));
  return lines.length === 0 ? undefined : { begins, lines };
}

function blockLine(text: ReadLines, at: number): BlockLine {
  const { lines, spans, known } = text;
  const line = lines[at] ?? "";
  return { text, at, line, spans: spans.filter((span) => span.at === at), known: longestShared(line, known) };
}

/** The kinds of which each block has one line, in their order. */
function kindsIn(
  blocks: readonly Block[],
  wanted: LineKind,
): readonly { readonly kind: BlockKind | undefined; readonly own: boolean }[] {
  const [first] = blocks;
  if (!first) return [];
  const kinds: { kind: BlockKind | undefined; own: boolean; at: readonly number[] }[] = [];
  for (let at = first.from; at < first.to; at++) {
    const line = first.text.lines[at] ?? "";
    const begins = begin(line);
    const isOwn = wanted.begins === "" ? wanted.places[0]?.includes(at) === true : begins === wanted.begins;
    const places = blocks.map(({ text, from, to }) =>
      [...text.lines.keys()]
        .slice(from, to)
        .filter((each) => begins !== "" && text.lines[each]?.startsWith(begins)),
    );
    const offset = at - first.from;
    if (places.every((own) => own.length === 1)) {
      const lines = blocks.map(({ text }, nth) => blockLine(text, places[nth]?.[0] ?? 0));
      const ats = blocks.map(({ from }, nth) => (places[nth]?.[0] ?? 0) - from);
      if (isOwn || isInOrder(kinds, ats)) kinds.push({ kind: { begins, lines }, own: isOwn, at: ats });
      continue;
    }
    const sign = beginKind(line);
    const isAlike = blocks.every(
      ({ text, from, to }) => from + offset < to && beginKind(text.lines[from + offset] ?? "") === sign,
    );
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    if (!isAlike || offset > 9) continue;
    const lines = blocks.map(({ text, from }) => blockLine(text, from + offset));
    kinds.push({ kind: { begins: indent, at: offset, lines }, own: isOwn, at: blocks.map(() => offset) });
  }
  return kinds;
}

function isInOrder(kinds: readonly { readonly at: readonly number[] }[], ats: readonly number[]): boolean {
  const last = kinds.at(-1)?.at ?? [];
  return ats.every((at, nth) => at > (last[nth] ?? -1));
}

// --- what stands in lines of a kind

/** What lines of a kind say: in columns, and what is wanted or known by what stands around it. */
function knownLines({ begins, at, lines }: BlockKind): readonly KnownLine[] {
  const own = lines.map(({ line }) => line);
  const isFollowed = lines.some(({ text, at: place }) => text.followed.has(place));
  const of = (form: Template): KnownLine => ({
    begins,
    form,
    ...(at === undefined ? {} : { at }),
    ...(isFollowed ? { isFollowed } : {}),
  });
  const isIn = (form: Template): boolean =>
    own.every((line) => recordIn(line, form) !== undefined && leadsIn(line, form) < 2);
  if (new Set(own).size === 1 && lines.every(({ spans }) => spans.length === 0)) return [];
  const rest = own.map((line) => line.slice(begins.length));
  const columns = at === undefined ? lineTemplate(rest) : undefined;
  const found: Template[] = [];
  const isLabelled = /\p{L}/u.test(begins);
  const column = columns && joined([begins, ...columns.map((part) => (isLabelled ? asText(part) : part))]);
  const isCutting = (form: Template): boolean =>
    lines.some(({ text, line, known = "" }) => {
      const isWhole = text.known.split(/["\n]/).includes(known);
      const said = partsIn(line, form) ?? [];
      return said.some((value, nth) => {
        const at =
          typeof form[nth] === "object" && value.length > 2 && value !== known ? known.indexOf(value) : -1;
        if (at < 0) return false;
        // What stands there in all lines is no part of a name, unless it was said with it.
        const [before = "", after = ""] = [form[nth - 1], form[nth + 1]].map((part) =>
          typeof part === "string" ? part : "",
        );
        return (
          isWhole || !before.endsWith(known.slice(0, at)) || !after.startsWith(known.slice(at + value.length))
        );
      });
    });
  const cut = column && cutTemplate(column, lines);
  const form = [cut, column].find((each) => each && isIn(each) && !isCutting(each));
  if (form) found.push(form);
  const byKnown = lines.toSorted((a, b) => (b.known?.length ?? 0) - (a.known?.length ?? 0));
  for (const { text, line, spans, known } of byKnown) {
    const places =
      known === undefined ? [] : placesOf(line, known).map((start) => ({ start, end: start + known.length }));
    for (const { start, end } of [...spans, ...places]) {
      const said = line.slice(start, end);
      if (
        (start === begins.length && end === line.length) ||
        found.some((form) =>
          Object.values(recordIn(line, form) ?? {})
            .map(String)
            .includes(said),
        )
      )
        continue;
      const form = around(text, line, { start, end, begins, isRepeated: true }).find(isIn);
      if (form) found.push(form);
      else if (spans.some((span) => span.start === start)) return [];
    }
  }
  const whole = joined([begins, { name: "text", is: isLabelled || at !== undefined ? "text" : "name" }]);
  const isWhole = lines.some(({ line, spans }) =>
    spans.some(({ start, end }) => start === begins.length && end === line.length),
  );
  if (isWhole || found.length === 0) {
    if (!isIn(whole)) return isWhole ? [] : found.map(of);
    // A word is what the whole line says, too.
    const others = found.filter(([first, ...rest]) => first !== begins || rest.length > 1);
    found.splice(0, found.length, ...others, whole);
  }
  return found.map(of);
}

/** Behind words that introduce it a text is no remark on a list. */
function asText(part: Template[number]): Template[number] {
  const isNamed = typeof part !== "string" && ["name", "term", "path", "file"].includes(part.is);
  return isNamed ? { ...part, is: "text" } : part;
}

/**
 * A line that says something of what whoever asked has named, as a list of one, of which it is found by that name;
 * undefined where it names nothing, `unnamed` where it cannot be told where it does.
 */
function namedPart(
  text: ReadLines,
  span: Span,
  texts: readonly ReadLines[],
  nth: number,
): BlockPart | "unnamed" | undefined {
  const line = text.lines[span.at] ?? "";
  const name = nameIn(sentenceAt(line, span), text.known);
  const start = name === undefined ? -1 : (placesOf(line, name)[0] ?? -1);
  if (name === undefined || start < 0 || (start < span.end && span.start < start + name.length))
    return undefined;
  const end = start + name.length;
  const own =
    singleLine(text, { ...span, start, end, value: name }, texts, true) ?? firstWords(line, { start, end });
  const known = singleLine(text, span, texts);
  if (!known) return undefined;
  const { begins, form } = known;
  const led = ledByName(line, { start, end }, known, texts);
  if (!own && !led) return "unnamed";
  const lines = withOwnNames(led ? [led] : own ? [own, known] : []);
  return { as: `said${nth + 1}`, start: { begins, form }, lines };
}

/** What a block's first line says up to the marks behind its name. */
function firstWords(
  line: string,
  { start, end }: { readonly start: number; readonly end: number },
): KnownLine | undefined {
  const [marks = ""] = /^[^\p{L}\p{N}]+/u.exec(line.slice(end)) ?? [];
  const form: Template = [{ name: "name", is: "text" }, marks, { name: "", is: "gap" }];
  const isRead = start === 0 && marks.trim() + marks !== " " && recordIn(line, form) !== undefined;
  return isRead && marks !== "" ? { begins: "", form, at: 0 } : undefined;
}

/** A line in which a sentence begins with a name, behind which stands what leads to something. */
function ledByName(
  line: string,
  { start, end }: { readonly start: number; readonly end: number },
  known: KnownLine,
  texts: readonly ReadLines[],
): KnownLine | undefined {
  const [gap, lead, ...rest] = known.form;
  const left = line.slice(0, start);
  const sentence = /(?:[.!?:,]\s+)?$/.exec(left)?.[0] ?? "";
  if (typeof lead !== "string" || gap === undefined || !line.slice(end).startsWith(lead)) return undefined;
  if (left !== "" && sentence === "") return undefined;
  const name: TemplateField = { name: "name", is: "text" };
  const form = [...(left === "" ? [] : [gap, sentence]), name, lead, ...rest];
  const isRead = texts.every(({ lines }) =>
    lines.every((each) => !isKnown(each, known) || recordIn(each, form) !== undefined),
  );
  return isRead ? { ...known, form } : undefined;
}

/** What a sentence names of what was told: all that was told in one place, or the longest words, from a name on. */
function nameIn(sentence: string, known: string): string | undefined {
  const whole = known.split("\n").filter((each) => each.length > 1 && placesOf(sentence, each).length > 0);
  const [longest] = whole.sort((a, b) => b.length - a.length);
  return longest ?? longestShared(sentence, known)?.replace(/^(?:\p{Ll}+\s+)+(?=[\p{Lu}\p{N}])/u, "");
}

/** The sentence of a line in which something stands. */
function sentenceAt(line: string, { start, end }: Span): string {
  const before = /(?:^|.*[.!?]\s)/u.exec(line.slice(0, start))?.[0] ?? "";
  const after = /[.!?]\s/.exec(line.slice(end));
  return line.slice(before.length, after ? end + after.index : undefined);
}

/**
 * A line of sentences in which several values were of use: the words between them are its form, which no other line of the
 * texts has, and lead to none of them alone.
 */
function sentenceLine(text: ReadLines, { at }: Span, texts: readonly ReadLines[]): KnownLine | undefined {
  const line = text.lines[at] ?? "";
  const spans = apart(text.places.filter((each) => each.at === at));
  if (spans.length < MIN_OF_SENTENCE || text.followed.has(at)) return undefined;
  const marks = [...spans.keys(), spans.length].map((nth) =>
    line.slice(nth === 0 ? 0 : spans[nth - 1]?.end, spans[nth]?.start),
  );
  const isSaid = marks.filter((mark) => /\p{L}{2}/u.test(mark)).length > 1;
  if (!isSaid || !marks.every((mark, nth) => isOfSentence(mark, nth === 0, text.known))) return undefined;
  // Names of a list tell nothing of each other: which is meant by which would be their order alone.
  const isList = spans.slice(1).some(({ value }, nth) => {
    const isUnlike = /\d/.test(value) !== /\d/.test(spans[nth]?.value ?? "");
    return !isUnlike && !/\p{L}{2}/u.test((marks[nth + 1] ?? "").replaceAll(JOINING, ""));
  });
  if (isList) return undefined;
  const fields = spans.map((span, nth): TemplateField => {
    const kind = writtenKind([span.value]);
    const name = columnName({ values: [span.value], is: "text", ...kind }, line.slice(0, span.start));
    const isBetween = [marks[nth], marks[nth + 1]].every((mark) => mark === "" || /\S/.test(mark ?? ""));
    return Object.assign({ name, is: isBetween || /\s/.test(span.value) ? "text" : "word" } as const, kind);
  });
  const parts = marks.flatMap((mark, nth) => [mark, fields[nth] ?? ""]);
  const [known] = withOwnNames([{ begins: "", form: joined(parts) }]);
  if (!known) return undefined;
  const isAlone = texts.every(({ lines }) => {
    const own = lines.filter((each) => isKnown(each, known));
    return own.length === 1 && recordIn(own[0] ?? "", known.form) !== undefined;
  });
  return isAlone ? known : undefined;
}

const MIN_OF_SENTENCE = 3;
/** Words between the elements of a list. */
const JOINING = /(?<!\p{L})(?:and|or|with|und|oder|mit|et|ou|con|og|och|en|as well as|then)(?!\p{L})/giu;

/** Spans of which none stands in another or is told twice, in their order. */
function apart(spans: readonly Span[]): readonly Span[] {
  const sorted = spans.toSorted((a, b) => b.end - b.start - (a.end - a.start));
  const kept: Span[] = [];
  for (const span of sorted) {
    const isIn = kept.some((each) => span.start < each.end && each.start < span.end);
    const isTwice = kept.some((each) => each.value === span.value);
    if (!isIn && !isTwice) kept.push(span);
  }
  return kept.toSorted((a, b) => a.start - b.start);
}

/** Whether what stands between values is few words, of which none is a name or number: other texts have the same. */
function isOfSentence(mark: string, isFirst: boolean, known: string): boolean {
  const inner = mark.replace(isFirst ? /^\p{Lu}/u : /(?<=^[^\p{L}]*[.!?]\s)\p{Lu}/u, "");
  const [first = ""] = /^\p{Lu}\p{L}*/u.exec(isFirst ? mark : "") ?? [];
  const isName = first.length > 2 && placesOf(known, first).length > 0;
  return (isFirst || mark !== "") && !/[\p{Lu}\p{N}]/u.test(inner) && !isName && words(mark) <= MAX_OF_MARK;
}

const MAX_OF_MARK = 8;

/** What stands in the only line that has what stands before and behind it. */
function singleLine(
  text: ReadLines,
  { at, start, end }: Span,
  texts: readonly ReadLines[],
  isRepeated = false,
): KnownLine | undefined {
  const line = text.lines[at] ?? "";
  const begins = begin(line).slice(0, start);
  const known = around(text, line, { start, end, begins, isRepeated }).flatMap(
    (form): readonly KnownLine[] => {
      const [first] = form;
      return typeof first === "string"
        ? [begins, first].map((own) => ({ begins: own, form }))
        : [{ begins: "", form }];
    },
  );
  const placesIn = ({ lines }: ReadLines, each: KnownLine): readonly number[] =>
    [...lines.keys()].filter((nth) => isKnown(lines[nth] ?? "", each));
  const found = known.find((each) =>
    texts.every((other) => {
      const [place, ...others] = placesIn(other, each);
      const own = other.lines[place ?? -1] ?? "";
      return others.length === 0 && leadsIn(own, each.form) < 2 && recordIn(own, each.form) !== undefined;
    }),
  );
  const isFollowed =
    found && texts.some((other) => placesIn(other, found).some((each) => other.followed.has(each)));
  return found && { ...found, ...(isFollowed === true ? { isFollowed } : {}) };
}

/**
 * The title of each text, where the task or the tool speaks of one, or several were used: the first line, or the first below
 * one that introduces the text.
 */
function titleLine(
  { lines, task, properties }: ReadLines,
  { at, start, end, value }: Span,
  texts: readonly ReadLines[],
): KnownLine | undefined {
  const line = lines[at] ?? "";
  const begins = line.slice(0, start);
  const isFirst =
    at === 0 || (at === 1 && texts.every(({ lines: [first = ""] }) => /^\p{L}.*:$/u.test(first)));
  if (!isFirst || end < line.length || !/^(?:#{1,6} )?$/.test(begins)) return undefined;
  const used = texts.flatMap(({ spans }) => spans.filter((span) => span.at === at));
  const isMeant =
    TITLES.test(task) ||
    properties.some((word) => CALLED_TITLE.test(word)) ||
    new Set(used.map((span) => span.value)).size > 1;
  const field: TemplateField = { name: "title", is: isOfKind(value, "name") ? "name" : "text" };
  const isByPlace = at === 0 && FIRST_LINE.test(task) && !/[,;|\t:]/.test(value);
  const known: KnownLine =
    begins !== ""
      ? { begins, form: [begins, field], at }
      : { begins, form: [field], at, ...(isByPlace ? {} : { isTitle: true }) };
  const form: BlocksForm = { kind: "blocks", parts: [{ as: "said", lines: [known] }] };
  return isMeant && texts.every(({ text }) => readText(text, form)) ? known : undefined;
}

const TITLES =
  /(?<!\p{L})(?:titles?|titled|headings?|headlines?|headed|subjects?|first line|titel\p{L}*|überschrift|betreff|erste zeile|titres?|première ligne|títulos?|primera línea|titol[oi]|prima riga)(?!\p{L})/iu;
/** Where the task says that it is the first line, nothing has to set it off. */
const FIRST_LINE =
  /(?<!\p{L})(?:(?:first|top) line|erste[nr]? zeile|première ligne|primera línea|prima riga)(?!\p{L})/iu;
const CALLED_TITLE = /^(?:title|heading|headline|subject|name|caption)$/i;

/**
 * How a part of a line is found by what stands before and behind it, the most telling first: from the begin of the line
 * where nothing before it may be another in another text, else by the words that lead to it.
 */
function around(
  text: ReadLines,
  line: string,
  { start, end, begins, isRepeated }: { start: number; end: number; begins: string; isRepeated: boolean },
): readonly Template[] {
  const [left, said, right] = [line.slice(0, start), line.slice(start, end), line.slice(end)];
  const kind = writtenKind([said]);
  const name = columnName({ values: [said], is: "text", ...kind }, left);
  const isRest = !/[\p{L}\p{N}]/u.test(right);
  const next = isRest ? right : ((kind ? UNIT : NEXT).exec(right)?.[0] ?? "");
  const isWord = !/\s/.test(said);
  const kinds =
    isRest || kind
      ? ["text" as const]
      : [...(next.trim() === "" ? [] : ["text" as const]), ...(isWord ? ["word" as const] : [])];
  const fields = kinds.map((is): TemplateField => Object.assign({ name, is }, kind));
  const gap: TemplateField = { name: "", is: "gap" };
  const isBegin = left === begins || isLabel(left);
  const isAlone = isOnlyOfForm(said, text);
  return [...(isBegin ? [left] : []), ...leadsOf(left)]
    .filter(
      (before) =>
        isTelling(before, next, kind !== undefined) ||
        (isAlone && words(before) + words(next) > 1) ||
        (before === left && isRest && /^\p{L}{4,}\s+$/u.test(before)),
    )
    .filter(
      (before) => isRepeated || LABEL_END.test(before) || isSaidOnce(before, text, isOnlyHeading(left, text)),
    )
    .flatMap((before) =>
      fields.map((field) =>
        joined([...(before === left ? [] : [gap]), before, field, next, ...(isRest ? [] : [gap])]),
      ),
    );
}

/** How a label ends: with a sign, or with the spaces up to a column. */
const LABEL_END = /[:=]\s*["']?$|^\p{L}[\p{L} ]*?(?: {2,}|\t\s*)$/u;

/** Whether nothing else in a text is written as a value with digits in it: as many, between as many letters. */
function isOnlyOfForm(said: string, { lines }: ReadLines): boolean {
  if (!/\d/.test(said) || /\s/.test(said)) return false;
  const form = characterForm(said);
  return (
    lines.flatMap((line) => line.match(TOKENS) ?? []).filter((each) => characterForm(each) === form)
      .length === 1
  );
}

const TOKENS = /[\p{L}\p{N}](?:[^\s"'()<>[\]{}]*[\p{L}\p{N}])?/gu;

/** The same for words with as many runs of letters and digits, in the same cases. */
function characterForm(said: string): string {
  return said
    .replaceAll(/\p{Lu}+/gu, "A")
    .replaceAll(/\p{Ll}+/gu, "a")
    .replaceAll(/\d+/g, "1");
}

function words(said: string): number {
  return said.match(/\p{L}{2,}/gu)?.length ?? 0;
}

/** Whether what stands around a value hardly stands around another by chance. */
function isTelling(before: string, next: string, isNumber: boolean): boolean {
  const isMarked = /[^\p{L}\p{N} .,;!?-]/u.test(before) || (/\S/.test(before) && words(before) === 0);
  if (before.trim() === "") return isNumber && words(next) > 1;
  return isMarked || words(before) > 1 || (words(next) > 0 && (isNumber || /\p{L}{4}/u.test(before)));
}

/**
 * What whoever asked has said may be another thing in another run: where the words behind it lead to several values, it
 * tells one of these from the others. A heading says what kind of text it is (`# Minutes of 2026-03-04`): only a name that was
 * said may be another, and none is what has a number behind it (`# Week 7`, and a list for `Week 8`).
 */
function isSaidOnce(before: string, { known, properties }: ReadLines, isHeading: boolean): boolean {
  const asSaid = (words: string): string => (isHeading ? words : words.toLowerCase());
  const told = asSaid(known);
  const isTold = (word: string): boolean =>
    placesOf(told, word).some((at) => !isHeading || !/^ \d/.test(told.slice(at + word.length)));
  const said = [...before.matchAll(/[\p{L}\p{N}]{4,}/gu)].findLast(({ 0: word }) => {
    const own = word.toLowerCase();
    return !properties.includes(own) && !COMMON.test(own) && isTold(asSaid(word));
  });
  return said === undefined;
}

/** Whether a line begins as a heading of which a text has no other of its level. */
function isOnlyHeading(left: string, { lines }: ReadLines): boolean {
  const [level] = /^#{1,6} (?=\p{Lu})/u.exec(left) ?? [];
  return level !== undefined && lines.filter((line) => line.startsWith(level)).length === 1;
}

/** Words that stand in any sentence. */
const COMMON =
  /^(?:that|this|with|from|your|yours|have|been|will|into|onto|when|what|which|there|their|then|than|were|also|eine?[mnrs]?|diese[mnrs]?|haben|wird|werden|sind|nach|über|pour|avec|dans|vous|votre|para|como|desde)$/u;

/** Whether what stands before a part of a line is the same in other texts: few words without numbers. */
function isLabel(left: string): boolean {
  const words = left.replace(NUMBERING, "");
  return (
    left.length > 0 &&
    !/\p{N}/u.test(left) &&
    !/\p{L}[/\\.@_]\p{L}/u.test(left) &&
    words.split(/\s+/).length <= 6 &&
    !/[.!?]\s|\p{Ll}\s\p{Lu}/u.test(words)
  );
}

/** A word for a number, whose point ends no sentence. */
const NUMBERING = /(?<=^|\s)(?:no|nr|num|núm|ref)\.\s*$/iu;

/** The words and marks that lead to a part of a line, from what may be another in another text on; the longest first. */
function leadsOf(left: string): readonly string[] {
  const tokens = left.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
  const leads: string[] = [];
  for (const [back, token] of tokens.toReversed().entries()) {
    const at = tokens.length - 1 - back;
    const lead = leads[0] ?? "";
    const isFirst = at === 0 || /^[.!?:]$/.test(tokens[at - 2] ?? "");
    const isName =
      /\p{N}/u.test(token) || (/^\p{Lu}/u.test(token) && !isFirst && !/^\p{Lu}{1,3}$/u.test(token));
    const isEnd = /^[.!?,;)]$/.test(token) && /^\s/.test(lead);
    if (isName || isEnd || back > MAX_LEAD) break;
    leads.unshift(token + lead);
  }
  return leads.filter((lead) => lead !== left && /\p{L}{2}|[^\p{L}\p{N}\s]/u.test(lead));
}

const MAX_LEAD = 12;

/** What stands directly behind a part of a line, as long as it is no name or number. */
const NEXT = /^(?:[^\p{L}\p{N}\s]+|(?:\s+\p{Ll}\p{L}*){1,2}|\s+[^\p{L}\p{N}\s]*)/u;

/** The unit of a number. */
const UNIT = /^(?:\s*[^\s\p{N}.,;:!?()[\]{}<>"']+|[^\p{L}\p{N}\s]+|\s+)/u;

function joined(parts: Template): Template {
  const all: (string | TemplateField)[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part === "") continue;
    if (typeof part === "string" && typeof last === "string") all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}

/** The longest words that a line shares with what was told. */
function longestShared(line: string, known: string): string | undefined {
  if (line.length > MAX_LINE) return undefined;
  const tokens = [...line.matchAll(/[\p{L}\p{N}]+/gu)];
  let longest: string | undefined;
  for (const [nth, { index: start }] of tokens.entries())
    for (const last of tokens.slice(nth)) {
      const said = line.slice(start, last.index + last[0].length);
      if (!known.includes(said)) break;
      const isNamed = said.length > 2 && placesOf(known, said).length > 0 && /[\p{Lu}\p{N}\s]/u.test(said);
      if (isNamed && said.length > (longest?.length ?? 0)) longest = said;
    }
  return longest;
}

/** Lines of which no two have a field of one name. */
function withOwnNames(lines: readonly KnownLine[]): readonly KnownLine[] {
  const names = new Set<string>();
  return lines.map((line) => {
    const [word] = /\p{L}[\p{L}\p{N}_-]*/u.exec(line.begins) ?? [];
    const fields = line.form.filter((part) => typeof part !== "string" && part.is !== "gap");
    const form = line.form.map((part) => {
      if (typeof part === "string" || part.is === "gap") return part;
      const isOnly = fields.length === 1 && ["name", "text", "id", "amount"].includes(part.name);
      const wanted = isOnly && word !== undefined ? word.toLowerCase() : part.name;
      let name = wanted;
      for (let nth = 2; names.has(name); nth++) name = `${wanted}${nth}`;
      names.add(name);
      return { ...part, name };
    });
    return { ...line, form };
  });
}
