import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { recordOf } from "../plan/values.ts";
import { HEADING_MARK, type HeadingMark, sectionsIn, type TextSection } from "./text-sections.ts";
import { isIndentedTwice, PATH_MARK, type PathMark, REMARKED_NAME, treeIn } from "./text-tree.ts";
import { type AmountForm, amountIn, dateIn } from "./written-values.ts";
import { yamlIn } from "./yaml-text.ts";

/** What a text says, learned from texts of its kind: how it is read as a value. */
export type TextForm =
  /** JSON: an object or a list; also with words before and behind it. */
  | { readonly kind: "json" }
  /** YAML by indentation. */
  | { readonly kind: "yaml" }
  /** Parts below headings, each found by its title, whatever stands in the others. */
  | {
      readonly kind: "sections";
      readonly mark: HeadingMark;
      /** How parts are read: each says what those say by which it can be read. */
      readonly parts: readonly SectionPart[];
      /** A number in a heading is that of its elements. */
      readonly isCounted?: boolean | undefined;
      /** Each part also says, as `body`, all that stands below its heading. */
      readonly hasBody?: boolean | undefined;
    }
  /** Lines such as `total: 80`, among others that say something else. */
  | { readonly kind: "fields"; readonly mark: string; readonly fields: readonly LabelledField[] }
  /** One record for each line; above and below stand as many other lines as `head` and `tail` have templates. */
  | ({
      readonly kind: "lines";
      readonly line: Template;
      /** There may be as many spaces between words as there like to be. */
      readonly isSpaced?: boolean | undefined;
      /** There is no empty line among them, which might be one of so many. */
      readonly isUnbroken?: boolean | undefined;
    } & Surroundings)
  /** A table: its first line names the columns, in whatever order. */
  | ({
      readonly kind: "rows";
      readonly delimiter: Delimiter;
      readonly fields: readonly LabelledField[];
    } & Surroundings)
  /** Records of several lines such as `title: A`, each from the line with the first label on. */
  | {
      readonly kind: "records";
      readonly mark: string;
      readonly fields: readonly LabelledField[];
      /** There are no other lines than labelled ones from the first record on. */
      readonly isBare?: boolean | undefined;
    }
  /** An outline or a drawn tree: each line with the names of those that it stands below. */
  | {
      readonly kind: "tree";
      /** What stands between the names of a path. */
      readonly mark: PathMark;
    }
  /** Lines that are told by what stands in them, among any others: of the text, or of each block of it. */
  | { readonly kind: "blocks"; readonly parts: readonly BlockPart[] };

/** What a text says by some of its lines. */
export interface BlockPart {
  /** Under which name it says it. */
  readonly as: string;
  /** The line with which each block begins; undefined: there is one, the text. */
  readonly start?: KnownLine | undefined;
  /** Each stands once in each block, in this order. */
  readonly lines: readonly KnownLine[];
  /** The line that says how many blocks there are. */
  readonly count?: KnownLine | undefined;
  /** There may be none. */
  readonly mayLack?: boolean | undefined;
}

/** Under which keys a form's reading stands. */
export const FORM_KEYS: { readonly [Kind in TextForm["kind"]]: readonly string[] } = {
  json: ["json"],
  yaml: ["yaml"],
  sections: ["sections"],
  fields: ["fields"],
  lines: ["lines", "around"],
  rows: ["rows"],
  records: ["records"],
  tree: ["tree"],
  blocks: ["blocks"],
};

export interface KnownLine {
  /** How it begins: what begins so and has another form is none of another kind. Empty: its form tells. */
  readonly begins: string;
  readonly form: Template;
  /** Which of a block's lines it is; undefined: whichever begins so. */
  readonly at?: number | undefined;
  /** Lines may stand below it as if it went on there. */
  readonly isFollowed?: boolean | undefined;
  /** It is a title: it is set off from what is below, has no label and is no sentence. */
  readonly isTitle?: boolean | undefined;
}

export interface SectionPart {
  /** Under which name a part says it, beside its title. */
  readonly as: string;
  readonly form: TextForm;
}

/** What stands above and below a list. */
export interface Surroundings {
  readonly head: readonly Template[];
  readonly tail: readonly Template[];
  /** Which of the numbers in these lines, by line and number, says how many elements there are. */
  readonly counts?: readonly (readonly [line: number, number: number])[] | undefined;
}

/** `|`: as Markdown has tables; two spaces: columns that stand below their names. */
export type Delimiter = "," | ";" | "\t" | "|" | "  ";

/** A line's text: what is the same in each, and what is not. */
export type Template = readonly (string | TemplateField)[];

const TEMPLATE_FIELDS = [
  "text",
  "name",
  "term",
  "word",
  "path",
  "file",
  "number",
  "decimal",
  "figure",
  "amount",
  "date",
  "day",
  "time",
  "code",
  "mark",
  "remark",
  "gap",
] as const;

export interface TemplateField extends AmountForm {
  readonly name: string;
  /**
   * `word`: without spaces, and without the character that stands behind it; `name`: no remark such as `(none)` or `and 3
   * more`; `term`, `path`, `file`: such a name without spaces, with a slash, with an ending; `decimal`: a number, and how it is written; `figure`: the
   * same, written with no more digits than it needs; `amount`: a
   * number with a currency or signs between thousands; `date`: a day with its month in words; `day`: one as ISO 8601 has it; `time`: one with a colon; `code`: a number
   * or a name with digits, without spaces; `mark`: as many characters
   * as `width` says, which may be spaces; `remark`: behind all else, what some lines have in brackets or
   * by a sign, such as `(default)`; `gap`: anything that nobody asks for.
   */
  readonly is: (typeof TEMPLATE_FIELDS)[number];
  readonly width?: number | undefined;
  /** There may be nothing, or a word for nothing. */
  readonly empty?: boolean | undefined;
  /** It is also a list, with this between its elements. */
  readonly list?: ListMark | undefined;
  /** What stands before the last of several elements instead. */
  readonly last?: LastMark | undefined;
}

const LABELLED_FIELDS = [
  "text",
  "number",
  "decimal",
  "figure",
  "amount",
  "date",
  "day",
  "time",
  "code",
] as const;

export interface LabelledField extends AmountForm {
  readonly label: string;
  readonly is: (typeof LABELLED_FIELDS)[number];
  /** It may be missing. */
  readonly optional?: boolean | undefined;
  /** There may be nothing behind it, or a word for nothing. */
  readonly empty?: boolean | undefined;
  /** What stands around the value. */
  readonly quote?: string | undefined;
  /** It is also a list, with this between its elements. */
  readonly list?: ListMark | undefined;
  /** What stands before the last of several elements instead. */
  readonly last?: LastMark | undefined;
  /** Lines may stand below it as if it went on there. */
  readonly isFollowed?: boolean | undefined;
}

export function isLabelledKind(is: TemplateField["is"]): is is LabelledField["is"] {
  return LABELLED_FIELDS.some((each) => each === is);
}

export const LIST_MARKS = [", ", "; ", " | ", ","] as const;
export type ListMark = (typeof LIST_MARKS)[number];
export const LAST_MARKS = [
  " and ",
  ", and ",
  " und ",
  " et ",
  " y ",
  " e ",
  " og ",
  " och ",
  " en ",
] as const;
export type LastMark = (typeof LAST_MARKS)[number];

/** A text in an answer, and how it is read: in its place stands `{text}` with what each of the forms tells. */
export interface TextReading {
  /** Object keys; empty: the answer is the text. */
  readonly path: readonly string[];
  readonly forms: readonly TextForm[];
}

const MAX_FORM = 200;
/** Ways in which the parts of a text are read. */
export const MAX_PARTS = 10;
const text = z.string().max(1000);
const amount = {
  decimal: z.enum([".", ","]).optional(),
  before: z.string().max(50).optional(),
  after: z.string().max(50).optional(),
};
const templateField = z.strictObject({
  ...amount,
  name: text,
  is: z.enum(TEMPLATE_FIELDS),
  width: z.int().min(1).max(10).optional(),
  empty: z.boolean().optional(),
  list: z.enum(LIST_MARKS).optional(),
  last: z.enum(LAST_MARKS).optional(),
});
const template = z.array(z.union([z.string().max(2000), templateField])).max(50);
const labelledFields = z
  .array(
    z.strictObject({
      ...amount,
      label: text,
      is: z.enum(LABELLED_FIELDS),
      optional: z.boolean().optional(),
      empty: z.boolean().optional(),
      quote: z.string().max(10).optional(),
      list: z.enum(LIST_MARKS).optional(),
      last: z.enum(LAST_MARKS).optional(),
      isFollowed: z.boolean().optional(),
    }),
  )
  .max(MAX_FORM);
const lines = z.array(template).max(10);
const place = z.int().nonnegative();
const counts = z
  .array(z.tuple([place, place]))
  .max(20)
  .optional();

const knownLine = z.strictObject({
  begins: z.string().max(2000),
  form: template,
  at: place.optional(),
  isFollowed: z.boolean().optional(),
  isTitle: z.boolean().optional(),
});

const textForm: z.ZodType<TextForm> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("json") }),
  z.strictObject({ kind: z.literal("yaml") }),
  z.strictObject({
    kind: z.literal("sections"),
    mark: HEADING_MARK,
    parts: z
      .array(z.strictObject({ as: z.string().min(1).max(20), form: z.lazy(() => textForm) }))
      .max(MAX_PARTS),
    isCounted: z.boolean().optional(),
    hasBody: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal("fields"), mark: z.string().min(1).max(10), fields: labelledFields }),
  z.strictObject({
    kind: z.literal("lines"),
    head: lines,
    line: template,
    tail: lines,
    counts,
    isSpaced: z.boolean().optional(),
    isUnbroken: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal("rows"),
    delimiter: z.enum([",", ";", "\t", "|", "  "]),
    fields: labelledFields,
    head: lines.default([]),
    tail: lines.default([]),
    counts,
  }),
  z.strictObject({
    kind: z.literal("records"),
    mark: z.string().min(1).max(10),
    fields: labelledFields.min(1),
    isBare: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal("tree"), mark: PATH_MARK }),
  z.strictObject({
    kind: z.literal("blocks"),
    parts: z
      .array(
        z.strictObject({
          as: z.string().min(1).max(60),
          start: knownLine.optional(),
          lines: z.array(knownLine).min(1).max(50),
          count: knownLine.optional(),
          mayLack: z.boolean().optional(),
        }),
      )
      .max(MAX_PARTS),
  }),
]);

export const TEXT_READING: z.ZodType<TextReading> = z.strictObject({
  path: z.array(text).max(10),
  forms: z.array(textForm).min(1).max(5),
});

/**
 * What a text says by a form; undefined where it does not have the form, or has it in several ways. Printed code has the
 * same as `linesOf` and so on.
 */
export function readText(text: string, form: TextForm): JsonObject | undefined {
  switch (form.kind) {
    case "json": {
      const value = parsedJson(text);
      return typeof value === "object" && value !== null ? { json: value } : undefined;
    }
    case "yaml": {
      const value = yamlIn(text);
      return typeof value === "object" && value !== null ? { yaml: value } : undefined;
    }
    case "sections": {
      const sections = sectionsIn(text, form.mark);
      return sections.length === 0
        ? undefined
        : { sections: sections.map((section) => readSection(section, form)) };
    }
    case "fields": {
      const fields = labelledIn(linesIn(text), form.mark, form.fields);
      return fields && { fields };
    }
    case "lines": {
      const all = nonBlankLines(text);
      const { head, line, tail } = form;
      if (form.isUnbroken === true && BROKEN.test(text)) return undefined;
      const end = all.length - tail.length;
      if (end < head.length) return undefined;
      const items = all.slice(head.length, end);
      const records = items.map((item) => recordIn(form.isSpaced === true ? closedUp(item) : item, line));
      const around = aroundOf(all.slice(0, head.length), all.slice(end), form, items.length);
      const isWhole =
        records.every((record) => record !== undefined) && !endsWithTotal(items) && !hasSubtotal(items);
      return isWhole && around ? withAround({ lines: records }, around) : undefined;
    }
    case "rows": {
      const table = tableIn(text, form.delimiter);
      const rows = table && rowsOf(table, form.fields);
      const around = rows && aroundOf(table.above, table.below, form, rows.length);
      return around && withAround({ rows }, around);
    }
    case "records": {
      const [first] = form.fields;
      const all = linesIn(text);
      const starts = [...all.keys()].filter((at) => labelOf(all[at] ?? "", form.mark) === first?.label);
      const blocks = starts.map((start, nth) => all.slice(start, starts[nth + 1]));
      const isBare = blocks.flat().every((line) => labelOf(line, form.mark) !== undefined);
      if (form.isBare === true && !isBare) return undefined;
      if (all.some((line) => isAmong(labelOf(line, form.mark), first?.label))) return undefined;
      const records = blocks.map((block) => labelledIn(block, form.mark, form.fields));
      return records.every((record) => record !== undefined) ? { records } : undefined;
    }
    case "tree": {
      if (isIndentedTwice(text)) return undefined;
      const tree = treeNodes(text, form);
      return tree.some(({ parent }) => parent !== "") ? { tree } : undefined;
    }
    case "blocks": {
      const said = form.parts.map((part) => blocksIn(linesIn(text), part));
      const titles = form.parts.flatMap(({ lines }) => lines.filter(({ isTitle }) => isTitle === true));
      if (said.includes(undefined) || !titles.every(({ at = 0 }) => isTitleAt(text, at))) return undefined;
      return { blocks: Object.fromEntries(form.parts.map(({ as }, nth) => [as, said[nth] ?? null])) };
    }
  }
}

/** An empty line between others; printed code has the same. */
const BROKEN = /\S[^\S\n]*\n[^\S\n]*\n\s*\S/u;

/**
 * What each line of a tree says, with the name of the one that it stands below and those of all, up to its own: nothing where
 * a name has the mark in it that stands between names (other than the one that all stand below), or one above has a remark.
 */
function treeNodes(
  text: string,
  { mark }: Extract<TextForm, { readonly kind: "tree" }>,
): readonly JsonObject[] {
  const nodes = treeIn(text);
  const isRoot = (nth: number): boolean => nodes[nth]?.parent === undefined;
  const roots = nodes.flatMap(({ parent }) => (parent !== undefined && isRoot(parent) ? [parent] : []));
  const isOneRoot = new Set(roots).size === 1;
  const paths: string[] = [];
  return nodes.map(({ name, value, parent }) => {
    const above = parent === undefined ? undefined : paths[parent];
    const over = parent === undefined ? "" : (nodes[parent]?.name ?? "");
    const isClear =
      above === undefined
        ? isOneRoot || !name.includes(mark)
        : above !== "" && !name.includes(mark) && !REMARKED_NAME.test(over);
    const isFirst = above === undefined || above === ".";
    const path = isFirst ? name : above + (above.endsWith(mark) ? "" : mark) + name;
    paths.push(isClear ? path : "");
    const own = { name, parent: over, path: isClear ? path : "" };
    return value === undefined ? own : Object.assign(own, { value });
  });
}

/** What the blocks of a text say; undefined where there is none, or where a line is missing, doubled or another one. */
function blocksIn(
  all: readonly string[],
  { start, lines: known, count, mayLack }: BlockPart,
): Json | undefined {
  if (!start) return blockIn(all, known);
  const starts = [...all.keys()].filter((at) => isKnown(all[at] ?? "", start));
  const [first, last] = [starts[0], starts.at(-1)];
  if (all.some((line) => isCheckedAlike(line, start.begins))) return undefined;
  if (first === undefined || last === undefined) return mayLack === true ? [] : undefined;
  const isSplit =
    start.begins === "" &&
    (last - first + 1 > starts.length ||
      [all[first - 1], all[last + 1]].some((line = "") => resembles(line, start.form)));
  const isAbove = all.slice(0, first).some((line) => known.some((each) => isToldBy(line, each)));
  const blocks = starts.map((at, nth) => blockIn(all.slice(at, starts[nth + 1]), known));
  const told = count && Object.values(blockIn(all, [count]) ?? {});
  const isCut = told && !told.includes(starts.length);
  return isSplit || isAbove || isCut || blocks.includes(undefined)
    ? undefined
    : (blocks as readonly JsonObject[]);
}

/** Whether a thing to do may be as done as those that begin so, and is written otherwise. */
function isCheckedAlike(line: string, begins: string): boolean {
  const [own, other] = [begins, line].map((each) => CHECKBOX.exec(each)?.[1]?.toLowerCase());
  const mayBe = own !== undefined && other !== undefined && (other === own || !/[ x]/.test(other));
  return mayBe && !line.startsWith(begins);
}

/** The sign for whether something is done: `- [ ]`, `- [x]`; printed code has the same. */
export const CHECKBOX: RegExp = /^\s*(?:[-*+]|[0-9]+[.)])\s+\[(.)\]\s+/u;

/** Whether a line has most of the words and marks of a form, and may be a line of it that is written otherwise. */
function resembles(line: string, form: Template): boolean {
  const marks = form.flatMap((part) => (typeof part === "string" && part.trim() !== "" ? [part.trim()] : []));
  return marks.length > 1 && marks.filter((mark) => line.includes(mark)).length * 2 > marks.length;
}

function blockIn(block: readonly string[], known: readonly KnownLine[]): JsonObject | undefined {
  const said: JsonObject[] = [];
  let last = 0;
  for (const each of known) {
    const [at, ...others] =
      each.at === undefined
        ? [...block.keys()].filter((nth) => isKnown(block[nth] ?? "", each))
        : [each.at].filter((nth) => isKnown(block[nth] ?? "", each));
    const line = block[at ?? 0] ?? "";
    const record =
      at === undefined || at < last || others.length > 0 || leadsIn(line, each.form) > 1
        ? undefined
        : recordIn(each.isFollowed === true || !mayGoOn(each.form.at(-1)) ? line.trimEnd() : line, each.form);
    if (at === undefined || !record) return undefined;
    last = at;
    said.push(record);
  }
  return Object.assign({}, ...said) as JsonObject;
}

/** Whether a line of a text is set off from what is below it, has no label and is no sentence. */
function isTitleAt(text: string, at: number): boolean {
  const all = text.split("\n").map((line) => line.trimEnd());
  const filled = [...all.keys()].filter((nth) => all[nth] !== "");
  const [place = -1, next = -1] = filled.slice(at, at + 2);
  const line = all[place] ?? "";
  const isSetOff = next > place + 1 || UNDERLINE.test(all[next] ?? "");
  return isSetOff && TITLE.test(line) && !LABELLED.test(line);
}

export const UNDERLINE: RegExp = /^(?:={3,}|-{3,})$/;
/** What a title looks like: words, which greet nobody and are no mark such as `Draft` or `SECRET`; printed code has the same. */
export const TITLE: RegExp =
  /^(?!(?:[Dd]ear|[Hh]ello|[Hh]i|[Hh]ey|[Hh]allo|[Ll]iebe[rs]?|[Bb]onjour|[Hh]ola|[Cc]iao)\s|(?:\p{Lu}{2,}|Draft|Confidential|Private|Internal|Entwurf|Vertraulich)$)(?=.*\p{L}{2})[\p{L}\p{N}](?:.*[^.:;,\s])?$/u;

/** Whether a line is one that is looked for, well-formed or not. */
export function isKnown(line: string, { begins, form }: KnownLine): boolean {
  if (begins !== "") return line.startsWith(begins);
  return leadOf(form) === undefined
    ? pattern(form, "?", false).test(line.trimEnd())
    : !line.startsWith(">") && leadsIn(line, form) > 0;
}

/** What leads to what a line says somewhere in it. */
function leadOf([first, lead]: Template): string | undefined {
  return typeof first !== "string" && first?.is === "gap" && typeof lead === "string" ? lead : undefined;
}

/** How often that stands in a line, in capitals or not. */
export function leadsIn(line: string, form: Template): number {
  const lead = leadOf(form);
  if (lead === undefined) return 0;
  const begin = /^\s/.test(lead)
    ? String.raw`(?<!\S)`
    : /^[\p{L}\p{N}]/u.test(lead)
      ? String.raw`(?<![\p{L}\p{N}])`
      : "";
  return [...line.matchAll(new RegExp(begin + literalPattern(lead.trimStart()), "giu"))].length;
}

function isToldBy(line: string, known: KnownLine): boolean {
  return known.at === undefined && known.begins !== "" && isKnown(line, known);
}

/** A part with its title; what it does not say by a form is not there. */
function readSection(
  { title, count, body }: TextSection,
  { parts, isCounted, hasBody }: Extract<TextForm, { readonly kind: "sections" }>,
): JsonObject {
  const said = parts.flatMap(({ as, form }) => {
    const value = readText(body, form)?.[form.kind];
    const isCut = isCounted === true && count !== undefined && Array.isArray(value) && value.length !== count;
    return value === undefined || isCut ? [] : [[as, value] as const];
  });
  const whole = hasBody === true ? wholeBody(body) : undefined;
  return { title, ...(whole === undefined ? {} : { body: whole }), ...Object.fromEntries(said) };
}

/**
 * What stands below a heading without empty lines above and below it; undefined where there is nothing, a fence around code
 * is open (then the next heading is none), or another heading is written otherwise. Printed code has the same.
 */
export function wholeBody(body: string): string | undefined {
  const fences = body.match(/^(?:`{3}|~{3})/gm) ?? [];
  const whole = body.replaceAll(/^\n+|\n+$/g, "");
  const isMore = fences.length % 2 === 1 || new RegExp(OTHER_HEADING, "m").test(whole);
  return whole === "" || isMore ? undefined : whole;
}

/** A heading above a line, or one of HTML. */
export const OTHER_HEADING = "^(?:[^\\s\\-*+|>#=0-9][^\\n]*\\n(?:=+|--+)[ \\t]*$|<h[1-6][ >])";

/** What the lines above and below a list say; undefined where they are others, or tell another number of elements. */
function aroundOf(
  above: readonly string[],
  below: readonly string[],
  { head, tail, counts: told = [] }: Surroundings,
  count: number,
): JsonObject | undefined {
  if (above.length !== head.length || below.length !== tail.length) return undefined;
  const all = [...above, ...below];
  if (told.some(([line, nth]) => numbersIn(all[line] ?? "")[nth] !== count)) return undefined;
  const said = [...head, ...tail].map((each, nth) => recordIn(all[nth] ?? "", each, true));
  return said.every((each) => each !== undefined) ? (Object.assign({}, ...said) as JsonObject) : undefined;
}

function withAround(list: JsonObject, around: JsonObject): JsonObject {
  return Object.keys(around).length === 0 ? list : { ...list, around };
}

/** The numbers that stand alone in a line. */
export function numbersIn(line: string): readonly number[] {
  return (line.match(/(?<![\w.,-])\d+(?![\w,]|\.\d)/g) ?? []).map(Number);
}

/** Whether the last of several lines adds up the others. */
function endsWithTotal(items: readonly string[]): boolean {
  return items.length > 1 && TOTAL.test(items.at(-1) ?? "");
}

/** Whether one of several lines adds up those above it. */
function hasSubtotal(items: readonly string[]): boolean {
  return items.slice(1).some((item) => SUBTOTAL.test(item));
}

/** Printed code has the same. */
export const TOTAL_WORDS =
  "totals?|averages?|avg|durchschnitt|sum|summe|gesamt|insgesamt|totale|totaal|suma|somme|soma|итого|всего|razem|celkem|toplam|合計|合计|总计|總計";
const [LINE_BEGIN, ADDED] = [String.raw`^[\s|>*_#"(-]*`, String.raw`(?:${TOTAL_WORDS})(?!\p{L})`];
/** How a line begins that adds up all others. */
export const TOTAL: RegExp = new RegExp(String.raw`${LINE_BEGIN}(?:grand[ -]?|sub[ -]?)?${ADDED}`, "iu");
/** How a line begins that adds up some: words behind a total make a name of it. */
export const SUBTOTAL: RegExp = new RegExp(
  String.raw`${LINE_BEGIN}(?:(?:sub|zwischen|sous)[ -]?${ADDED}|(?:grand[ -]?)?${ADDED}(?! (?!for )\p{L}))`,
  "iu",
);

/** The lines of a text that are not empty; one that seems to go on in the next ends with a line break. */
export function linesIn(text: string): readonly string[] {
  const all = text.split("\n").map((line) => line.trimEnd());
  return all.flatMap((line, at) =>
    line === "" ? [] : [goesOn(line, all[at + 1] ?? "") ? `${line}\n` : line],
  );
}

/** Whether a line goes on in the next: in one that is indented more, or has no label, behind one that has. */
function goesOn(line: string, next: string): boolean {
  if (next === "") return false;
  const isPlain = LABELLED.test(line) && /^\s*\p{Ll}/u.test(next) && !LABELLED.test(next);
  return next.search(/\S/) > line.search(/\S/) || line.endsWith(" \\") || (isPlain && !/[.!?:]$/.test(line));
}

/** Whether a value at the end of a line may be a part of a longer one: a number or a day is whole. */
function mayGoOn(field: Template[number] | LabelledField | undefined): boolean {
  return (
    typeof field !== "object" || !["number", "decimal", "figure", "amount", "date", "day"].includes(field.is)
  );
}

/** Printed code has the same. */
export const LABELLED: RegExp =
  /^\s*(?:[*•-]\s+)?\p{L}[\p{L}\p{N}_;.-]*(?: [\p{L}\p{N}_.-]+){0,3}\s*[:=](?!\/\/)/u;

/** Whether a label has another among several, or with a remark: what it says is said of that, too. Printed code has the same. */
function isAmong(label: string | undefined, other: string | undefined): boolean {
  const each = label?.replace(/\s*[([].*$/, "").split(/[,;/]|\s(?:and|und|et|og|och|[&+])\s/) ?? [];
  return other !== undefined && label !== other && each.some((part) => part.trim() === other);
}

/** A line with one space where it has several. */
export function closedUp(line: string): string {
  return line.trim().replaceAll(/ +/g, " ");
}

export function nonBlankLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}

/** What introduces the rest of a line, as in `total: 80` or `- **Total**: 80`. */
export function labelOf(line: string, mark: string): string | undefined {
  return labelled(line, mark)?.[0];
}

/** What a line says behind its label. */
export function labelledText(line: string, mark: string): string {
  return labelled(line, mark)?.[1] ?? "";
}

/** A label may be set off; what is behind it stays as it is. A line that quotes another has none. */
function labelled(line: string, mark: string): readonly [string, string] | undefined {
  const plain = `${line.replace(/^\s*(?:[*•-]\s+)?/, "").replace(/^(\*\*|__)(.+?)\1/, "$2")} `;
  const end = plain.indexOf(mark);
  if (end <= 0 || plain.startsWith(">")) return undefined;
  const said = plain.slice(end + mark.length);
  return [plain.slice(0, end).trimEnd(), (mark === DOTS ? said.replace(/^\.*/, "") : said).trim()];
}

/** What ends what stands in brackets. */
const CLOSING: Readonly<Record<string, string>> = { "<": ">", "[": "]", "(": ")" };

/** Leads from a label to what is said of it, in any length. */
export const DOTS = "..";

function labelledIn(
  lines_: readonly string[],
  mark: string,
  fields: readonly LabelledField[],
): JsonObject | undefined {
  const found: (readonly [string, Json])[] = [];
  for (const field of fields) {
    const [line, ...others] = lines_.filter((each) => labelOf(each, mark) === field.label);
    if (line === undefined && field.optional === true) continue;
    const isCut = field.isFollowed !== true && mayGoOn(field) && line?.endsWith("\n") === true;
    const said =
      line === undefined || others.length > 0 || isCut
        ? undefined
        : entriesOf(field.label, unquoted(labelledText(line, mark), field.quote), field);
    if (!said) return undefined;
    found.push(...said);
  }
  return recordOf(found);
}

/** What stands between two marks; undefined where they are not there. */
export function unquoted(said: string, quote = ""): string | undefined {
  if (quote === "") return said;
  const end = CLOSING[quote] ?? quote;
  const isQuoted =
    said.length > 2 * quote.length &&
    said.startsWith(quote) &&
    said.indexOf(end, quote.length) === said.length - quote.length;
  return isQuoted ? said.slice(quote.length, -quote.length) : undefined;
}

/** What stands in a line at the fields of a template; undefined where that can be told in no way, or in several. */
export function recordIn(line: string, parts: Template, isAround = false): JsonObject | undefined {
  const shortest = pattern(parts, "?", isAround).exec(line);
  const longest = pattern(parts, "", isAround).exec(line);
  if (!shortest || !longest || shortest.some((part, nth) => part !== longest[nth])) return undefined;
  const fields = parts.filter((part) => typeof part !== "string");
  const entries = fields.map((field, nth) => entriesOf(field.name, shortest[nth + 1], field));
  return entries.every((entry) => entry !== undefined) ? recordOf(entries.flat()) : undefined;
}

/** What stands in a line at each part of a template; undefined where that can be told in no way, or in several. */
export function partsIn(line: string, parts: Template): readonly string[] | undefined {
  const shortest = pattern(parts, "?", false).exec(line);
  const longest = pattern(parts, "", false).exec(line);
  if (!shortest || !longest || shortest.some((part, nth) => part !== longest[nth])) return undefined;
  let end = 0;
  const fields = shortest.slice(1);
  const said = parts.map((part) => (typeof part === "string" ? part : (fields.shift() ?? "")));
  for (const part of said) end += part.length;
  return end === line.length ? said : undefined;
}

/** Around a list, words may be those for one or for several. */
function pattern(parts: Template, lazy: "?" | "", isAround: boolean): RegExp {
  const sources = parts.map((part, nth) => {
    if (typeof part === "string") {
      const source = literalPattern(part);
      return isAround
        ? source.replaceAll(/(?<=\p{L}{2})(?:ies|y|s)?(?![\p{L}\p{N}])/gu, "(?:ies|y|s)?")
        : source;
    }
    if (part.is === "number" || part.is === "decimal" || part.is === "figure") return `(${NUMERAL})`;
    if (part.is === "mark") return `(.{${part.width ?? 1}})`;
    if (part.is === "remark") return REMARK;
    const [last, next] = [parts[nth - 1], parts[nth + 1]];
    // Words are not cut.
    if (part.is === "gap") {
      const end =
        typeof next === "string" && /^[\p{L}\p{N}]/u.test(next) ? String.raw`(?<![\p{L}\p{N}])` : "";
      const begin =
        typeof last === "string" && /[\p{L}\p{N}]$/u.test(last) ? String.raw`(?![\p{L}\p{N}])` : "";
      return `${begin}(${next === undefined ? "[^]" : "."}*${lazy})${end}`;
    }
    if (part.is !== "word" && !isShape(part.is)) return `(.*${lazy})`;
    const behind = typeof next === "string" ? next.slice(0, 1).replace(/[\\\]^-]/, String.raw`\$&`) : "";
    return String.raw`([^\s${behind}]+${lazy})`;
  });
  return new RegExp(`^${sources.join("")}$`, "u");
}

function literalPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll(/ {2,}/g, " {2,}");
}

/** Printed code has the same. */
export const REMARK: string = String.raw`((?: +(?:\([^()]*\)|\[[^[\]]*\]|[*✓✔←]))?)`;

const NUMERAL = String.raw`-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?`;
const IS_NUMERAL = new RegExp(`^${NUMERAL}$`);

/** Whether a text is a number, whoever reads it: in `1.234` the point may stand between thousands. */
export function isNumeral(said: string): boolean {
  return IS_NUMERAL.test(said) && !/^-?[1-9]\d{0,2}\.\d{3}$/.test(said);
}

/** What a text says, by its name; undefined where it is none of its kind. */
function entriesOf(
  name: string,
  said: string | undefined,
  {
    is,
    empty,
    list,
    last,
    ...amount_
  }: Pick<LabelledField, "list" | "last" | "empty"> & Pick<TemplateField, "is"> & AmountForm,
): readonly (readonly [string, Json])[] | undefined {
  if (said === undefined) return undefined;
  if (is === "gap") return [];
  if (is === "amount" || is === "date") {
    const value = is === "date" ? dateIn(said) : amountIn(said, amount_);
    return value === undefined
      ? undefined
      : [
          [name, value],
          [writtenName(name), said],
        ];
  }
  if (is === "number" || is === "decimal" || is === "figure") {
    if (!isNumeral(said) || (is === "figure" && String(Number(said)) !== said)) return undefined;
    const number = [name, Number(said)] as const;
    return is === "number" ? [number] : [number, [writtenName(name), said]];
  }
  if (is === "mark") return [[name, said.trim() === "" ? "" : said]];
  if (is === "remark") return [[name, said.trim()]];
  if (said === "" ? empty !== true : !isOfKind(said, is) || (empty !== true && isNothing(said)))
    return undefined;
  if (list === undefined) return [[name, said]];
  const elements = said === "" || isNothing(said) ? [] : listedIn(said, list, last);
  return (
    elements && [
      [name, said],
      [listName(name), elements],
    ]
  );
}

/**
 * The elements of a list that stands in a line; undefined where one of them may be a part of an element, several, or a remark.
 * Printed code has the same.
 */
export function listedIn(said: string, mark: ListMark, last?: LastMark): readonly string[] | undefined {
  const end = last === undefined ? -1 : said.lastIndexOf(last);
  const parts =
    end < 0 ? said.split(mark) : [...said.slice(0, end).split(mark), said.slice(end + (last ?? "").length)];
  const elements = parts.map((part) => part.trim());
  const isCut = mark.startsWith(",") && elements.some((each) => each.includes(","));
  if (isCut || elements.some((each) => each === "" || NO_ELEMENT.test(each))) return undefined;
  const joined = elements.filter((each) => TWO_ELEMENTS.test(each));
  const isLast = joined.length === 1 && joined[0] === elements.at(-1);
  // What two words join may be one thing.
  const isOtherwise =
    last === undefined ? isLast : joined.length > 0 || (end < 0 ? parts.length > 1 : parts.length === 2);
  return isOtherwise ? undefined : elements;
}

const AND_WORDS = "and|und|et|y|e|og|och|en";
/** What stands between two marks and is no element of a list: cut in brackets or quotes, with another mark, or a remark on others. */
export const NO_ELEMENT: RegExp = new RegExp(
  String.raw`^[^(]*\)|\([^)]*$|^[^[]*\]|\[[^\]]*$|^[^"]*"(?:[^"]*"[^"]*")*[^"]*$|[:;|]\s|[.!?…]$|^etc$` +
    String.raw`|^\+?[0-9]+ (?:more|others?)(?!\w)|^(?:${AND_WORDS})\s`,
  "i",
);
/** Two elements of a list, or one with such a word in it. */
export const TWO_ELEMENTS: RegExp = new RegExp(String.raw`\s(?:${AND_WORDS})\s`, "i");

/** Where it stands how a number is written. */
export function writtenName(name: string): string {
  return /^\w+$/.test(name) ? `${name}Text` : `${name} text`;
}

/** Where it stands as a list. */
export function listName(name: string): string {
  return /^\w+$/.test(name) ? `${name}List` : `${name} list`;
}

/** Whether a text is what a field takes. */
export function isOfKind(said: string, is: TemplateField["is"]): boolean {
  if (is === "text" || is === "word") return true;
  if (isShape(is)) return SHAPES[is].test(said);
  if (isRemark(said)) return false;
  if (is === "term") return !/\s/.test(said);
  return is === "path" ? /[/\\]/.test(said) : is === "file" ? /\.\p{L}\w{0,7}$/u.test(said) : true;
}

/** What a `day`, a `time` and a `code` look like; printed code has the same. */
export const SHAPES = {
  day: /^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))$/,
  time: /^[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?$/,
  code: /^[^\s,;|()]*[0-9][^\s,;|()]*$/,
} as const;

function isShape(is: string): is is keyof typeof SHAPES {
  return Object.hasOwn(SHAPES, is);
}

/** Of a field that is read as text what its values have in common. */
export function commonKind(values: readonly string[]): keyof typeof SHAPES | undefined {
  if (values.length === 0) return undefined;
  if (values.every((each) => SHAPES.day.test(each))) return "day";
  if (values.every((each) => SHAPES.time.test(each))) return "time";
  const isCode = (said: string): boolean => {
    const digits = said.match(/[0-9]/g)?.length ?? 0;
    return SHAPES.code.test(said) && 2 * digits >= (said.match(/[\p{L}\p{N}]/gu)?.length ?? 0);
  };
  return values.every(isCode) ? "code" : undefined;
}

/** Whether a line speaks of a list rather than being an element: `(none)`, `No files found.`, `… and 3 more`. */
function isRemark(said: string): boolean {
  return /^[\s([{<…]|^\.{3}|[.!?:;,…。！)\]}>]$|(?<!\S)\d+(?!\S)/u.test(said) || isNothing(said);
}

/** Whether a text stands where there is nothing. */
export function isNothing(said: string): boolean {
  return NOTHING.test(said);
}

/** Printed code has the same. */
export const NOTHING_WORDS: string =
  "none|nothing|empty|null|nil|n/?a|unknown|undefined|unassigned|unset|nobody|no ?one|tb[acd]|keine?|niemand|aucune?|personne|ninguno|nadie|nessuno|" +
  "to be (?:announced|confirmed|decided|defined|determined)|not yet(?: (?:assigned|known|set|decided))?|" +
  "not (?:found|available|known|set|given|applicable|assigned|specified)|no (?:results?|match(?:es)?|entry|entries|records?|data|value)";
/** A word for nothing, a remark in brackets, or an error in place of what is asked for. */
export const NOTHING: RegExp = new RegExp(
  String.raw`^(?!\/$)[^\p{L}\p{N}]*(?:${NOTHING_WORDS})?[^\p{L}\p{N}]*$` +
    String.raw`|^(?:\([^()]*\)|<[^<>]*>|\[[^[\]]*\])$|^(?:error|exception|fail(?:ed|ure)|fehler|erreur)\s*[:(–-]`,
  "iu",
);

function rowsOf(
  { cells: [head = [], ...rows] }: TextTable,
  fields: readonly LabelledField[],
): readonly JsonObject[] | undefined {
  if (new Set(head).size < head.length || rows.some((row) => row.length !== head.length)) return undefined;
  // What stands below nothing may go on from the row above.
  if (head[0] !== "" && rows.some(([first]) => first === "")) return undefined;
  if (fields.some(({ label }) => !head.includes(label))) return undefined;
  const records = rows.map((row) => {
    const said = fields.map((field) =>
      entriesOf(field.label, unquoted(row[head.indexOf(field.label)] ?? "", field.quote), field),
    );
    return said.every((each) => each !== undefined) ? recordOf(said.flat()) : undefined;
  });
  return records.every((record) => record !== undefined) ? records : undefined;
}

/** A table in a text. */
export interface TextTable {
  /** The names of columns, and the rows. */
  readonly cells: readonly (readonly string[])[];
  /** The lines in which these stand. */
  readonly at: readonly number[];
  readonly above: readonly string[];
  /** Also what adds up the rows. */
  readonly below: readonly string[];
}

/** The only table in a text; undefined where there is none or another. */
export function tableIn(said: string, delimiter: Delimiter): TextTable | undefined {
  const isDrawn = delimiter === "|" || delimiter === "  ";
  const table = isDrawn ? drawnTable(said, delimiter) : delimitedTable(said, delimiter);
  if (!table || table.cells.length < 1) return undefined;
  const [, ...rows] = table.cells.map((row) => row.join(delimiter));
  const isTotalled = endsWithTotal(rows);
  if (hasSubtotal(isTotalled ? rows.slice(0, -1) : rows)) return undefined;
  if (!isTotalled) return table;
  const { cells, at, below } = table;
  return { ...table, cells: cells.slice(0, -1), at: at.slice(0, -1), below: [rows.at(-1) ?? "", ...below] };
}

function drawnTable(said: string, delimiter: "|" | "  "): TextTable | undefined {
  const all = said.split("\n").map((line) => line.trimEnd());
  const isRule = (line: string): boolean => /^[\s|:+-]*-[\s|:+-]*$/.test(line);
  const isRow = (line: string): boolean =>
    (delimiter === "|" ? line.includes("|") : / {2,}/.test(line.trim())) && !isRule(line);
  const start = all.findIndex(isRow);
  if (start < 0) return undefined;
  const length = all.slice(start).findIndex((line) => !isRow(line) && !isRule(line));
  const end = length < 0 ? all.length : start + length;
  const at = [...all.keys()].slice(start, end).filter((line) => isRow(all[line] ?? ""));
  const rest = all.slice(end).filter((line) => line !== "");
  // A line between rows sets apart what is no row, and a second table is another list.
  const isBroken = at.some((line, nth) => nth > 1 && line !== (at[nth - 1] ?? 0) + 1);
  if (isBroken || rest.some(isRow)) return undefined;
  return {
    cells: at.map((line) => drawnCells(all[line] ?? "", delimiter)),
    at,
    above: all.slice(0, start).filter((line) => line !== "" && !isRule(line)),
    below: rest.filter((line) => !isRule(line)),
  };
}

function drawnCells(line: string, delimiter: "|" | "  "): readonly string[] {
  if (delimiter === "  ") return line.trim().split(/ {2,}/);
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

function delimitedTable(said: string, delimiter: Delimiter): TextTable | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\n${delimiter}]*))(${delimiter}|\\n|$)`, "gy");
  for (const [, quoted, plain = "", end] of said.trimEnd().replaceAll("\r\n", "\n").matchAll(cell)) {
    row.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === delimiter) continue;
    rows.push(row);
    row = [];
    if (end === "") break;
  }
  if (row.length > 0) return undefined;
  const last = rows.findLastIndex((each) => each.length > 1);
  const at = [...said.split("\n").entries()].flatMap(([line, each]) =>
    each.includes(delimiter) ? [line] : [],
  );
  const below = rows.slice(last + 1).flatMap(([only = ""]) => (only === "" ? [] : [only]));
  return { cells: rows.slice(0, last + 1), at, above: [], below };
}

/**
 * A text as JSON where Python writes such a value: `[{'name': 'Ada', 'left': None, 'due': datetime.date(2026, 5, 1)}]`, with
 * decimals and ids as texts and days as ISO 8601 has them. Printed code has the same.
 */
function jsonText(text: string): string {
  if (!/^\s*[[{][^]*'/.test(text)) return text;
  return text.replaceAll(
    /"(?:[^"\\\n]|\\.)*"|\b(?:Decimal|UUID)\('([\w.+-]*)'\)|'((?:[^'\\\n]|\\.)*)'|\bdatetime\.date(?:time)?\((\d+(?:, \d+){2,6})\)|\b(?:True|False|None)\b/g,
    (said, plain?: string, inner?: string, day?: string) => {
      if (plain !== undefined) return `"${plain}"`;
      if (day !== undefined) {
        const [year = "", month = "", date = "", hour, minute = "", second = "00", parts] = day
          .split(", ")
          .map((number) => number.padStart(2, "0"));
        const time = hour === undefined ? "" : `T${hour}:${minute}:${second}`;
        return `"${year.padStart(4, "0")}-${month}-${date}${time}${parts === undefined ? "" : `.${parts.padStart(6, "0")}`}"`;
      }
      if (inner === undefined)
        return said.startsWith('"') ? said : said === "None" ? "null" : said.toLowerCase();
      const escaped = inner.replaceAll(/\\x(\w\w)|\\.|"/g, (sign, hex?: string) =>
        hex === undefined ? (sign === '"' ? String.raw`\"` : sign === "\\'" ? "'" : sign) : `\\u00${hex}`,
      );
      return `"${escaped}"`;
    },
  );
}

/** JSON in which a whole number that no number can be stands as its digits. Printed code has the same. */
function withDigits(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (said) =>
    said.startsWith('"') || Number.isSafeInteger(Number(said)) ? said : `"${said}"`,
  );
}

/** The JSON that is a text, or the only one in it. */
function parsedJson(text: string): Json {
  try {
    return JSON.parse(withDigits(jsonText(text))) as Json;
  } catch {
    const inner = /\{[^]*\}|\[\s*\{[^]*\}\s*\]/.exec(text)?.[0] ?? text;
    return inner === text ? null : parsedJson(inner);
  }
}

/** A text with its lines, rows or records in another order. */
export function reorderedText(
  text: string,
  form: TextForm,
  orderOf: (list: readonly Json[]) => readonly number[],
): string {
  const read = readText(text, form);
  const list = read?.[form.kind];
  if (form.kind === "fields" || form.kind === "yaml" || form.kind === "tree" || list === undefined)
    return text;
  if (form.kind === "sections") return reorderedSections(text, form, list as readonly Json[], orderOf);
  if (form.kind === "blocks") return reorderedBlocks(text, form, list as JsonObject, orderOf);
  if (form.kind === "json")
    return Array.isArray(list) && text.startsWith("[")
      ? JSON.stringify(orderOf(list).map((at) => (list as readonly Json[])[at] ?? null))
      : text;
  const lines = text.split("\n");
  const filled = [...lines.keys()].filter((at) => (lines[at] ?? "").trim() !== "");
  const starts = startsOf(lines, filled, form);
  if (!Array.isArray(list) || starts.length !== list.length) return text;
  const end = form.kind === "lines" ? filled.length - form.tail.length : filled.length;
  const last = form.kind === "rows" ? (starts.at(-1) ?? 0) : (filled[end - 1] ?? 0);
  const blocks = starts.map((start, nth) => lines.slice(start, starts[nth + 1] ?? last + 1));
  const ordered = orderOf(list as readonly Json[]).flatMap((at) => blocks[at] ?? []);
  return [...lines.slice(0, starts[0]), ...ordered, ...lines.slice(last + 1)].join("\n");
}

/** The parts in another order, and in each of them its elements. */
function reorderedSections(
  text: string,
  { mark, parts }: Extract<TextForm, { readonly kind: "sections" }>,
  list: readonly Json[],
  orderOf: (list: readonly Json[]) => readonly number[],
): string {
  const lines = text.split("\n");
  const sections = sectionsIn(text, mark);
  // What is behind a part and no part of it keeps it in its place.
  const isWhole = sections.every(({ end }, nth) => end === (sections[nth + 1]?.start ?? lines.length));
  const blocks = sections.map(({ start, end, body }) => {
    const below = body.split("\n").length;
    const turned = parts.reduce((said, { form }) => reorderedText(said, form, orderOf), body);
    const [indent = ""] = mark === "-" ? (/^\s+/.exec(lines[start + 1] ?? "") ?? []) : [];
    return [
      ...lines.slice(start, end - (body === "" ? 0 : below)),
      ...(body === "" ? [] : turned.split("\n").map((line) => (line === "" ? "" : indent + line))),
    ];
  });
  if (!isWhole) return text;
  const ordered = orderOf(list).flatMap((at) => blocks[at] ?? []);
  return [...lines.slice(0, sections[0]?.start), ...ordered].join("\n");
}

/** Blocks of one line each in another order. */
function reorderedBlocks(
  text: string,
  { parts }: Extract<TextForm, { readonly kind: "blocks" }>,
  said: JsonObject,
  orderOf: (list: readonly Json[]) => readonly number[],
): string {
  const lines = text.split("\n");
  for (const { as, start, lines: known } of parts) {
    const list = said[as];
    if (!start || !Array.isArray(list) || !known.every(({ begins }) => begins === start.begins)) continue;
    const starts = [...lines.keys()].filter((at) => isKnown((lines[at] ?? "").trimEnd(), start));
    const ordered = orderOf(list as readonly Json[]).map((nth) => lines[starts[nth] ?? 0] ?? "");
    for (const [nth, at] of starts.entries()) lines[at] = ordered[nth] ?? "";
  }
  return lines.join("\n");
}

/** The lines with which what a list's elements say begins. */
function startsOf(
  lines: readonly string[],
  filled: readonly number[],
  form: Extract<TextForm, { readonly kind: "lines" | "rows" | "records" }>,
): readonly number[] {
  switch (form.kind) {
    case "lines":
      return filled.slice(form.head.length, filled.length - form.tail.length);
    case "rows":
      return tableIn(lines.join("\n"), form.delimiter)?.at.slice(1) ?? [];
    case "records":
      return filled.filter((at) => labelOf(lines[at] ?? "", form.mark) === form.fields[0]?.label);
  }
}

/** An answer with its texts as what they say; undefined where one of them does not have the form. */
export function readAnswer(answer: Json, readings: readonly TextReading[]): Json | undefined {
  let read: Json | undefined = answer;
  for (const { path, forms } of readings) {
    if (read === undefined) return undefined;
    read = withReading(read, path, forms);
  }
  return read;
}

function withReading(answer: Json, path: readonly string[], forms: readonly TextForm[]): Json | undefined {
  const [key, ...rest] = path;
  if (key !== undefined) {
    const inner = isJsonObject(answer) && Object.hasOwn(answer, key) ? answer[key] : undefined;
    const read = inner === undefined ? undefined : withReading(inner, rest, forms);
    return read === undefined ? undefined : { ...(answer as JsonObject), [key]: read };
  }
  if (typeof answer !== "string") return undefined;
  const read = forms.map((form) => readText(answer, form));
  return read.every((each) => each !== undefined)
    ? (Object.assign({ text: answer }, ...read) as JsonObject)
    : undefined;
}
