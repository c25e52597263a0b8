import { DATE_PREFIX } from "../plan/values.ts";
import {
  isNothing,
  isNumeral,
  isOfKind,
  type LabelledField,
  partsIn,
  recordIn,
  REMARK,
  type Template,
  type TemplateField,
} from "./text-form.ts";
import { type AmountForm, amountForm, dateIn } from "./written-values.ts";

const MAX_LINE = 1000;
const MAX_FIELDS = 8;
const MAX_TEXTS = 2;

/** What lines have in common, and where they differ; undefined where they share too little, or could be read in several ways. */
export function lineTemplate(lines: readonly string[]): Template | undefined {
  if (lines.length < 2 || lines.some((line) => line.length > MAX_LINE)) return undefined;
  return unmarkedTemplate(lines) ?? markedTemplate(lines);
}

/** Lines of equally many words, each of which is a column, as some have digits; of lines with single spaces. */
export function spacedTemplate(lines: readonly string[]): Template | undefined {
  const words = lines.map((line) => line.split(" "));
  const [{ length } = []] = words;
  if (lines.length < 2 || length < 5 || words.some((each) => each.length !== length)) return undefined;
  const columns = Array.from({ length }, (_, nth) => words.map((each) => each[nth] ?? ""));
  const written = columns.filter((values) => values.every((value) => /\d/.test(value)));
  // Signs at the words say more than the spaces between them.
  const isSigned = columns.some((values) => values.every((value) => /[,;:)\]]$|^[([]/.test(value)));
  if (written.length < 2 || isSigned) return undefined;
  const cells = columns.map(
    (values, nth): string | Column => wordPart(values, nth === 0) ?? { values, is: "word" },
  );
  const parts = cells.flatMap((cell, nth) => (nth === 0 ? [cell] : [" ", cell]));
  const template = named(parts);
  const isRead = lines.every((line) => recordIn(line, template) !== undefined);
  return isRead && template.filter((part) => typeof part !== "string").length <= MAX_COLUMNS
    ? template
    : undefined;
}

const MAX_COLUMNS = 14;

/** Lines that begin with marks of one width, of which some are blank, as command lines tell what is selected or changed. */
function markedTemplate(lines: readonly string[]): Template | undefined {
  const width = [1, 2].find((each) => lines.every((line) => isMarked(line, each)));
  if (width === undefined || !lines.some((line) => line.startsWith(" "))) return undefined;
  const rest = unmarkedTemplate(lines.map((line) => line.slice(width)));
  return rest && [{ name: "mark", is: "mark", width }, ...rest];
}

function isMarked(line: string, width: number): boolean {
  return (
    line.slice(width, width + 1) === " " &&
    /^\S/.test(line.slice(width + 1)) &&
    !/\p{Ll}|\d/u.test(line.slice(0, width))
  );
}

function unmarkedTemplate(lines: readonly string[]): Template | undefined {
  const split = splitLines(lines);
  if (!split) return undefined;
  const { marks, columns } = split;
  const parts: (string | Column)[] = [marks[0] ?? ""];
  for (const [nth, column] of columns.entries())
    parts.push(...columnParts(column, nth === 0), marks[nth + 1] ?? "");
  const template = withKind(named(parts), parts);
  const fields = template.filter((part) => typeof part !== "string");
  if (fields.length === 0 || fields.length > MAX_FIELDS) return undefined;
  const texts = parts.filter(
    (part) => typeof part !== "string" && part.is === "text" && part.values.some((value) => /\s/.test(value)),
  );
  if (texts.length > MAX_TEXTS) return undefined;
  return lines.every((line) => recordIn(line, template)) ? template : undefined;
}

/** Whether a template says nothing: a line is what it is. */
export function isPlain(template: Template): boolean {
  return template.length === 1;
}

/**
 * A line above or below a list, as it stands there in other texts too: numbers, and what a colon or a heading introduces,
 * differ; undefined where it could be anything.
 */
export function headTemplate(lines: readonly string[]): Template | undefined {
  const [line = ""] = lines;
  const isSame = lines.every((each) => each === line);
  const shared = isSame ? undefined : lineTemplate(lines);
  if (shared && !isPlain(shared)) return shared;
  const [, before = "", after = ""] = /^(#+ )?.*?(:?)$/.exec(line) ?? [];
  const isIntroduced = before !== "" || after !== "";
  if (isIntroduced && lines.every((each) => each.startsWith(before) && each.endsWith(after)))
    return introduction(lines, before, after);
  const words = line.split(/(?<![\w.,-])(\d+)(?![\w,]|\.\d)/);
  const counting = words
    .map((word, nth): Template[number] => (nth % 2 === 1 ? { name: "number", is: "number" } : word))
    .filter((part) => part !== "");
  return lines.every((each) => recordIn(each, counting, true)) ? counting : undefined;
}

function introduction(lines: readonly string[], before: string, after: string): Template {
  const titles = lines.map((each) => each.slice(before.length, each.length - after.length));
  const is = titles.every((each) => isOfKind(each, "name")) ? "name" : "text";
  return [before, { name: "title", is } as const, after].filter((part) => part !== "");
}

// --- where lines are cut

/** What stands between words, other than inside of dates, times, paths and addresses. */
const BETWEEN =
  /(?:\s|\*\*|(?<!\S)[-=]>(?=\s)|[()[\]{}<>|"'`=→•]|[:;](?=\s|$)|(?<!\p{L}{3,9}\.? \d{1,2}(?:st|nd|rd|th)?),(?=\s|$)|(?<=\p{L}{3,9}\.? \d{1,2}),(?=\s(?!\d{4}))|(?<=\(\d{1,6}),(?=\d{1,6}\))|(?<!\S)[-*+–—]+(?=\s|$)|(?<!\S)#(?=\d)|(?<=^\s*\d{1,4})[.)](?=\s))+/gu;

interface SplitLine {
  /** One more than there are texts between them. */
  readonly marks: readonly string[];
  readonly texts: readonly string[];
}

interface SplitLines {
  readonly marks: readonly string[];
  /** For each place between two marks, what stands there in each line. */
  readonly columns: readonly (readonly string[])[];
}

/** The lines cut at the marks that all of them have, in the same order. A single space is no mark. */
function splitLines(lines: readonly string[]): SplitLines | undefined {
  const split = lines.map(splitLine);
  const [first, ...others] = split;
  const isFirst = ({ marks }: SplitLine): boolean => marks[0] === first?.marks[0];
  if (!first || !others.every(isFirst)) return undefined;
  const texts = JSON.stringify(first.marks);
  if (others.every(({ marks }) => JSON.stringify(marks) === texts))
    return {
      marks: first.marks,
      columns: first.texts.map((_, nth) => split.map((each) => each.texts[nth] ?? "")),
    };
  const isLast = others.every(({ marks }) => marks.at(-1) === first.marks.at(-1));
  const end = isLast ? (first.marks.at(-1) ?? "") : "";
  const inner = others.reduce<readonly string[]>(
    (shared, { marks }) => commonSequence(shared, marks.slice(1, -1)),
    first.marks.slice(1, -1),
  );
  const marks = [first.marks[0] ?? "", ...inner, end];
  const cut = lines.map((line) => cutAt(line, marks));
  return { marks, columns: marks.slice(1).map((_, nth) => cut.map((texts_) => texts_[nth] ?? "")) };
}

/** Whether two lines are cut at the same marks, of which there are several. */
export function hasSameMarks(line: string, other: string): boolean {
  const { marks } = splitLine(line);
  return marks.length > 3 && JSON.stringify(marks) === JSON.stringify(splitLine(other).marks);
}

function splitLine(line: string): SplitLine {
  const marks = [""];
  const texts: string[] = [];
  let end = 0;
  for (const { index, 0: found } of line.matchAll(BETWEEN)) {
    const mark = found.replaceAll(/ {2,}/g, "  ");
    if (index === 0) marks[0] = mark;
    else if (mark === " ") continue;
    else {
      texts.push(line.slice(end, index));
      marks.push(mark);
    }
    end = index + found.length;
  }
  if (end < line.length) {
    texts.push(line.slice(end));
    marks.push("");
  }
  return { marks, texts };
}

function cutAt(line: string, marks: readonly string[]): readonly string[] {
  const [first = "", ...others] = marks;
  let rest = line.replaceAll(/ {2,}/g, "  ").slice(first.length);
  return others.map((mark, nth) => {
    const isLast = nth === others.length - 1;
    const at = isLast ? rest.length - mark.length : rest.indexOf(mark);
    const text = rest.slice(0, at);
    rest = rest.slice(at + mark.length);
    return text;
  });
}

/** The longest sequence that both have. */
function commonSequence(a: readonly string[], b: readonly string[]): readonly string[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--) {
      const cells = lengths[row];
      const best =
        a[row] === b[column]
          ? 1 + at(row + 1, column + 1)
          : Math.max(at(row + 1, column), at(row, column + 1));
      if (cells) cells[column] = best;
    }
  const shared: string[] = [];
  for (let row = 0, column = 0; row < a.length && column < b.length;) {
    if (a[row] === b[column]) {
      shared.push(a[row] ?? "");
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return shared;
}

// --- what is used

/** A line, and the parts of it that are used. */
export interface UsedLine {
  readonly line: string;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/**
 * The template with a field for each part that is used: what it has as one is cut at the mark beside such a part where all
 * lines have that mark, what it has as several is put together. Undefined where that cannot be done alike in all lines.
 */
export function cutTemplate(template: Template, lines: readonly UsedLine[]): Template | undefined {
  let made = template;
  for (let round = 0; round < MAX_CUTS; round++) {
    const read = lines.map(({ line }) => partsIn(line, made));
    if (!read.every((parts) => parts !== undefined)) return undefined;
    const change = firstChange(made, read, lines);
    if (change === undefined) return made;
    if (change === "none") return undefined;
    made = named(change);
  }
  return undefined;
}

const MAX_CUTS = 12;

type Parts = readonly (string | Column)[];

/** Undefined: every used part is a field; `none`: one cannot become one. */
function firstChange(
  template: Template,
  read: readonly (readonly string[])[],
  lines: readonly UsedLine[],
): Parts | "none" | undefined {
  const parts: Parts = template.map((part, nth) =>
    typeof part === "string" ? part : { ...part, values: read.map((each) => each[nth] ?? "") },
  );
  for (const [at, { spans }] of lines.entries())
    for (const { start, end } of spans) {
      const ends = endsOf(read[at] ?? []);
      const first = ends.findIndex((each) => each > start);
      const last = ends.findIndex((each) => each >= end);
      const [before, after] = [start - (ends[first - 1] ?? 0), (ends[last] ?? 0) - end];
      const isField = first === last && typeof parts[first] !== "string";
      if (isField && before === 0 && after === 0) continue;
      return (
        (isField
          ? split(parts, first, at, [before, after])
          : together(parts, read, [first, last], [before, after])) ?? "none"
      );
    }
  return undefined;
}

function endsOf(parts: readonly string[]): readonly number[] {
  let end = 0;
  return parts.map((part) => (end += part.length));
}

/** The field cut at the mark behind or before a part of it. */
function split(
  parts: Parts,
  nth: number,
  line: number,
  [before, after]: readonly [number, number],
): Parts | undefined {
  const field = parts[nth];
  if (typeof field !== "object") return undefined;
  const own = field.values[line] ?? "";
  const [lead, rest] = [own.slice(0, before), own.slice(own.length - after)];
  const replaced = (...columns: Parts): Parts => [
    ...parts.slice(0, nth),
    ...columns,
    ...parts.slice(nth + 1),
  ];
  if (lead !== "" && field.values.every((value) => value.startsWith(lead)))
    return replaced(lead, columnOf(field.values.map((value) => value.slice(lead.length))));
  if (rest !== "" && field.values.every((value) => value.endsWith(rest)))
    return replaced(columnOf(field.values.map((value) => value.slice(0, -rest.length))), rest);
  const plain = field.values.map((value) => value.replace(REMARKED, ""));
  if (nth === parts.length - 1 && own.length - after === plain[line]?.length) {
    const remarks = field.values.map((value, at) => value.slice(plain[at]?.length));
    return replaced(columnOf(plain), { values: remarks, is: "remark" });
  }
  const [behind = ""] = /^[^\p{L}\p{N}]+/u.exec(own.slice(own.length - after)) ?? [];
  const [ahead = ""] = /[^\p{L}\p{N}]+$/u.exec(own.slice(0, before)) ?? [];
  const marks = [
    ...(after > 0 ? [behind, behind.slice(0, 1)] : []),
    ...(before > 0 ? [ahead, ahead.slice(-1)] : []),
  ];
  for (const mark of marks.filter((each) => each.trim() !== "")) {
    const cut = field.values.map((value) => value.split(mark));
    const count = (said: string): number => said.split(mark).length - 1;
    const [left, right] = [count(own.slice(0, before)), count(own.slice(own.length - after))];
    const ways = [
      cut,
      cut.map((each) => [each.slice(0, -right).join(mark)].concat(each.slice(-right))),
      cut.map((each) => each.slice(0, left).concat(each.slice(left).join(mark))),
    ];
    const way = ways.find(
      ([first = [], ...others]) =>
        first.length > 1 &&
        [first, ...others].every((each) => each.length === first.length && !each.includes("")),
    );
    if (!way) continue;
    const columns = (way[0] ?? []).flatMap((_, place): Parts => {
      const values = way.map((each) => each[place] ?? "");
      return place === 0 ? [columnOf(values)] : [mark, columnOf(values)];
    });
    return replaced(...columns);
  }
  return undefined;
}

const REMARKED = new RegExp(`${REMARK}$`, "u");

function columnOf(values: readonly string[]): string | Column {
  return wordPart(values) ?? { values, is: values.some((each) => /\s/.test(each)) ? "text" : "word" };
}

/** Several parts as one field; marks at its ends that are none of it stay. */
function together(
  parts: Parts,
  read: readonly (readonly string[])[],
  [first, last]: readonly [number, number],
  [before, after]: readonly [number, number],
): Parts | undefined {
  const [begin, end] = [parts[first], parts[last]];
  const isCut = (typeof begin !== "string" && before > 0) || (typeof end !== "string" && after > 0);
  if (first < 0 || last < first || isCut) return undefined;
  const values = read.map((each) => {
    const whole = each.slice(first, last + 1).join("");
    return whole.slice(before, whole.length - after);
  });
  const ahead = typeof begin === "string" ? begin.slice(0, before) : "";
  const behind = typeof end === "string" ? end.slice(end.length - after) : "";
  return [
    ...parts.slice(0, first),
    ahead,
    { values, is: "text" },
    after > 0 ? behind : "",
    ...parts.slice(last + 1),
  ];
}

// --- what stands between the marks

interface Column extends AmountForm {
  readonly values: readonly string[];
  readonly is: TemplateField["is"];
}

/** Words at the begin and the end that are alike in all lines stand for themselves; the rest is one text. */
function columnParts(values: readonly string[], isFirst: boolean): readonly (string | Column)[] {
  const words = values.map((value) => (value === "" ? [] : value.split(" ")));
  const isDate = (): boolean => words.every((left) => dateIn(left.join(" ")) !== undefined);
  const before: (string | Column)[] = [];
  const after: (string | Column)[] = [];
  const hasMore = (): boolean => !isDate() && words.every((left) => left.length > 1);
  const cut = (at: 0 | -1): string | Column | undefined => {
    const isBegin = isFirst && at === 0 && before.length === 0;
    const part = wordPart(
      words.map((left) => left.at(at) ?? ""),
      isBegin,
    );
    if (part !== undefined) for (const left of words) left.splice(at, 1);
    return part;
  };
  for (let part = hasMore() ? cut(0) : undefined; part !== undefined; part = hasMore() ? cut(0) : undefined)
    before.push(part, " ");
  for (let part = hasMore() ? cut(-1) : undefined; part !== undefined; part = hasMore() ? cut(-1) : undefined)
    after.unshift(" ", part);
  const rest = words.map((left) => left.join(" "));
  // What people call a thing may end with the same word in all lines.
  const isCut = [...before, ...after].some((part) => typeof part !== "string");
  if (!isCut) return [wordPart([...values]) ?? { values, is: "text" }];
  return [...before, wordPart(rest) ?? { values: rest, is: "text" }, ...after];
}

/** Words that are the same everywhere, or of one form; nothing for words that are just words. */
function wordPart(words: readonly string[], isBegin = false): string | Column | undefined {
  const [word = ""] = words;
  if (words.every((each) => each === word) && isConstant(word, words.length, isBegin)) return word;
  const kind = writtenKind(words);
  if (kind) return { values: words, ...kind };
  const isOneForm = FORMS.some((form) => words.every((each) => form.test(each)));
  return isOneForm && !words.includes("") ? { values: words, is: "word" } : undefined;
}

const FORMS: readonly RegExp[] = [
  DATE_PREFIX,
  /^\S*\d\S*$/,
  /^\S+@\S+\.\S+$/,
  /^\p{Lu}{1,6}$/u,
  /^https?:\/\/\S+$/,
];

/** A word that is the same in all lines is so by chance where it may be a name and the lines are few. */
function isConstant(word: string, lines: number, isBegin: boolean): boolean {
  if (word === "" || /\d/.test(word)) return false;
  return lines > 2 || isBegin || word.length < 3 || /^(?:\p{Ll}+|\p{Lu}+)[.,;:!?]?$|^[^\p{L}]+$/u.test(word);
}

/** How numbers, amounts and dates are read; numbers also as they are written, where that tells more. */
export function writtenKind(
  texts: readonly string[],
): (AmountForm & { readonly is: Exclude<LabelledField["is"], "text"> }) | undefined {
  if (texts.length === 0) return undefined;
  if (texts.every(isNumeral))
    return { is: texts.every((each) => String(Number(each)) === each) ? "number" : "decimal" };
  if (texts.every((each) => dateIn(each) !== undefined)) return { is: "date" };
  const form = amountForm(texts);
  return form && { is: "amount", ...form };
}

/** Where nothing else tells elements of a list from remarks on it, they tell it themselves. */
function withKind(template: Template, parts: readonly (string | Column)[]): Template {
  const [column, ...others] = parts.filter((part) => typeof part !== "string");
  const marks = parts.filter((part) => typeof part === "string").join("");
  if (column?.is !== "text" || others.length > 0 || /[\p{L}\p{N}]/u.test(marks)) return template;
  const { values } = column;
  const isOf = (is: TemplateField["is"]): boolean => values.every((value) => isOfKind(value, is));
  const kinds = marks.trim() === "" ? (["path", "file", "term", "name"] as const) : (["name"] as const);
  const kind = kinds.find(isOf);
  return template.map((part) => (typeof part === "string" || !kind ? part : { ...part, is: kind }));
}

// --- what the fields are called

function named(parts: readonly (string | Column)[]): Template {
  const template: (string | TemplateField)[] = [];
  const names = new Set<string>();
  for (const [nth, each] of parts.entries()) {
    const last = template.at(-1);
    if (each === "") continue;
    const next = parts.slice(nth + 1).find((other) => other !== "");
    const part = typeof each === "string" ? each : endedBy(each, next);
    if (typeof part !== "string") {
      const isNumbering = last === undefined && typeof next === "string" && /^\s*:/.test(next);
      const own = columnName(part, typeof last === "string" ? last : "");
      const wanted = isNumbering && own === "amount" ? "number" : own;
      const other = wanted === "name" ? "text" : wanted;
      const name = !names.has(wanted) ? wanted : names.has(other) ? `${other}${names.size + 1}` : other;
      names.add(name);
      const { values, ...kind } = part;
      template.push({ name, ...kind, ...(values.some(isNothing) ? { empty: true } : {}) });
    } else if (typeof last === "string") template[template.length - 1] = last + part;
    else template.push(part);
  }
  return template;
}

/** A word does not have the character that stands behind it. */
function endedBy(column: Column, next: string | Column | undefined): Column {
  const end = typeof next === "string" ? next.slice(0, 1) : "";
  const isCut = column.is === "word" && end !== "" && column.values.some((value) => value.includes(end));
  return isCut ? { ...column, is: "text" } : column;
}

/** By the word that introduces it, or by what it looks like. */
export function columnName({ values, is }: Column, before: string): string {
  const [, label] = /(\p{L}[\p{L}\p{N}_-]*)["']?\s*[:=#]\s*["'#]*$/u.exec(before) ?? [];
  if (is === "remark") return "remark";
  if (label !== undefined) return label.toLowerCase();
  const [word] = /\p{L}+(?=[\s#]*$)/u.exec(before) ?? [];
  if (is === "date") return "date";
  if (is === "number" || is === "decimal" || is === "amount")
    return word?.toLowerCase() ?? (before.endsWith("#") ? "number" : "amount");
  const [, form = "name"] = NAMES.find(([pattern]) => values.every((value) => pattern.test(value))) ?? [];
  return form;
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^\p{Lu}{2,}$/u, "kind"],
  [DATE_PREFIX, "date"],
  [/^\d{1,2}:\d{2}/, "time"],
  [/^\S+@\S+\.\S+$/, "email"],
  [/^https?:\/\/\S+$/, "url"],
  [/^\S*\/\S*$/, "path"],
  [/^#?\p{L}{0,5}[-_]?\d+$/u, "id"],
  [/^(?=\S*\d)[0-9a-f]{6,}$/, "id"],
];
