import {
  isNumeral,
  type Delimiter,
  labelledText,
  labelOf,
  type LabelledField,
  nonBlankLines,
  readText,
  recordIn,
  tableCells,
  type Template,
  type TextForm,
} from "./text-form.ts";
import { headTemplate, isPlain, lineTemplate } from "./line-templates.ts";

const MAX_TEXT = 100_000;
const MAX_LINES = 2000;

/**
 * The forms that texts of one kind share, by each of which every one of them can be read. None where they are code or
 * prose, or too long.
 */
export function textForms(texts: readonly string[]): readonly TextForm[] {
  const isReadable = texts.every(
    (text) => text.length <= MAX_TEXT && text.trim() !== "" && nonBlankLines(text).length <= MAX_LINES,
  );
  if (texts.length === 0 || !isReadable) return [];
  const json: TextForm = { kind: "json" };
  if (isForm(texts, json)) return [json];
  const table = DELIMITERS.map((delimiter) => rowsForm(texts, delimiter)).find((form) => isForm(texts, form));
  if (table && texts.some((text) => hasRule(text) || hasNumbersBelow(text, table.delimiter))) return [table];
  const records = MARKS.map((mark) => recordsForm(texts, mark)).find((form) => isForm(texts, form));
  if (records) return [records];
  const fields = MARKS.map((mark) => fieldsForm(texts, mark)).find((form) => isForm(texts, form));
  // Whether the first line names columns is told by what is used.
  return [table ?? fields, linesForm(texts)].filter((form) => form !== undefined);
}

function isForm<Form extends TextForm>(texts: readonly string[], form: Form | undefined): form is Form {
  return form !== undefined && texts.every((text) => readText(text, form) !== undefined);
}

// --- tables

const DELIMITERS: readonly Delimiter[] = ["|", "\t", ",", ";"];

function rowsForm(texts: readonly string[], delimiter: Delimiter): RowsForm | undefined {
  const tables = texts.map((text) => tableCells(text, delimiter));
  const heads = tables.map(([head = []]) => head);
  const isHead = heads.every(
    (head) => head.length > 1 && head.every((cell) => isLabel(cell) && !/\d\d|@/.test(cell)),
  );
  if (!isHead || !tables.some((rows) => rows.length > 1)) return undefined;
  const [first = [], ...others] = heads;
  const shared = first.filter((label) => others.every((head) => head.includes(label)));
  const fields = shared.map((label): LabelledField => {
    const cells = tables.flatMap(([head = [], ...rows]) => rows.map((row) => row[head.indexOf(label)] ?? ""));
    return { label, is: typeOf(cells) };
  });
  return fields.length === 0 ? undefined : { kind: "rows", delimiter, fields };
}

type RowsForm = Extract<TextForm, { readonly kind: "rows" }>;

/** Whether a line below the names of columns sets them apart. */
function hasRule(text: string): boolean {
  return /^[\s|:+-]*-{2,}[\s|:+-]*$/m.test(text);
}

/** Whether there are numbers in a column that has a name. */
function hasNumbersBelow(text: string, delimiter: Delimiter): boolean {
  const [head = [], ...rows] = tableCells(text, delimiter);
  return (
    rows.length > 0 &&
    head.some((name, at) => !isNumeral(name) && rows.every((row) => isNumeral(row[at] ?? "")))
  );
}

// --- labels

const MARKS = [": ", " = ", "="];

/** Labels that come again and again, in the same order. */
function recordsForm(texts: readonly string[], mark: string): TextForm | undefined {
  const labelled = texts.map((text) => labelledLines(text, mark));
  const [first] = labelled.flatMap((lines) =>
    lines.flatMap(({ label }, at) =>
      lines.some((each, later) => later > at && each.label === label) ? [label] : [],
    ),
  );
  if (first === undefined || !labelled.every((lines) => lines.some(({ label }) => label === first)))
    return undefined;
  const records = labelled.flatMap((lines) => {
    const starts = [...lines.keys()].filter((at) => lines[at]?.label === first);
    return starts.map((start, nth) => lines.slice(start, starts[nth + 1]));
  });
  const fields = labelledFields(records);
  return fields.length < 2 ? undefined : { kind: "records", mark, fields };
}

function fieldsForm(texts: readonly string[], mark: string): TextForm | undefined {
  const fields = labelledFields(texts.map((text) => labelledLines(text, mark)));
  return fields.length === 0 || fields.length > MAX_LABELS ? undefined : { kind: "fields", mark, fields };
}

const MAX_LABELS = 60;

interface LabelledLine {
  readonly label: string;
  readonly value: string;
}

function labelledLines(text: string, mark: string): readonly LabelledLine[] {
  return nonBlankLines(text).flatMap((line) => {
    const label = labelOf(line, mark);
    return label !== undefined && isLabel(label) ? [{ label, value: labelledText(line, mark) }] : [];
  });
}

/** The labels that no record has twice. */
function labelledFields(records: readonly (readonly LabelledLine[])[]): readonly LabelledField[] {
  const labels = new Set(records.flatMap((lines) => lines.map(({ label }) => label)));
  return [...labels].flatMap((label): readonly LabelledField[] => {
    const found = records.map((lines) => lines.filter((line) => line.label === label));
    if (found.some((lines) => lines.length > 1)) return [];
    const values = found.flatMap((lines) => lines.map(({ value }) => value));
    return [{ label, is: typeOf(values), ...(values.length < records.length ? { optional: true } : {}) }];
  });
}

/** Whether a text can be the name of a field or column. */
function isLabel(text: string): boolean {
  return /^[\p{L}_$#][^\n:=]*$/u.test(text) && text.length <= 40 && text.split(/\s+/).length <= 4;
}

function typeOf(values: readonly string[]): "text" | "number" {
  return values.length > 0 && values.every(isNumeral) ? "number" : "text";
}

// --- lines

const MAX_AROUND = 4;

/** The lines of a list, with what stands above and below. */
function linesForm(texts: readonly string[]): TextForm | undefined {
  const blocks = texts.map(nonBlankLines);
  if (blocks.every((lines) => lines.length < 2)) return undefined;
  const found: { readonly form: TextForm; readonly rank: number }[] = [];
  const most = Math.min(MAX_AROUND, ...blocks.map((lines) => lines.length - 1));
  const isAnnounced = (above: number): boolean =>
    above === 0 || blocks.every((lines, nth) => isIntroduction(texts[nth] ?? "", lines, above));
  const isConcluded = (below: number): boolean =>
    below === 0 || blocks.every((lines, nth) => isConclusion(texts[nth] ?? "", lines, below));
  for (let above = 0; above <= most; above++) {
    for (let below = 0; below <= most - above; below++) {
      const items = blocks.map((lines) => lines.slice(above, lines.length - below));
      if (items.every((lines) => lines.length < 2)) continue;
      const line = lineTemplate(items.flat());
      if (!line) continue;
      const isCounted = items.every((lines, nth) =>
        isSaid(lines.length, line, blocks[nth] ?? [], above, below),
      );
      if (!isCounted && !(isAnnounced(above) && isConcluded(below))) continue;
      const [head, tail] = [
        Array.from({ length: above }, (_, nth) => headTemplate(blocks.map((lines) => lines[nth] ?? ""))),
        Array.from({ length: below }, (_, nth) =>
          headTemplate(blocks.map((lines) => lines[lines.length - below + nth] ?? "")),
        ),
      ];
      const form: TextForm = withNames({ kind: "lines", head, line, tail });
      const rank = (isPlain(line) ? 100 : 0) - (isCounted ? 10 : 0) - above - below;
      if (isForm(texts, form)) found.push({ form, rank });
    }
  }
  return found.sort((a, b) => a.rank - b.rank)[0]?.form;
}

type LinesForm = Extract<TextForm, { readonly kind: "lines" }>;

/** What stands above and below has names of its own. */
function withNames(form: LinesForm): LinesForm {
  let count = 0;
  const named = (template: LinesForm["line"]): LinesForm["line"] =>
    template.map((part) => {
      if (typeof part === "string") return part;
      count++;
      return { ...part, name: count === 1 ? part.name : `${part.name}${count}` };
    });
  return { ...form, head: form.head.map(named), tail: form.tail.map(named) };
}

/** Whether lines above a list are no part of it: they introduce it, or stand apart from it. */
function isIntroduction(text: string, lines: readonly string[], above: number): boolean {
  const [last = "", next = ""] = [lines[above - 1], lines[above]];
  return /:$|^#+\s|^[=-]{3,}$/.test(last) || isApart(text, last, next);
}

/** Whether lines below a list are no part of it: they stand apart from it, or tell how much it is. */
function isConclusion(text: string, lines: readonly string[], below: number): boolean {
  const [last = "", next = ""] = [lines[lines.length - below - 1], lines[lines.length - below]];
  return isApart(text, last, next) || /^(?:total|found|showing|sum|\(?\d+ )/i.test(next);
}

/** Whether a line above or below, which is none of the list's, says how many these are. */
function isSaid(
  count: number,
  template: Template,
  lines: readonly string[],
  above: number,
  below: number,
): boolean {
  if (above > 1 || below > 1) return false;
  const around = below === 1 ? lines.slice(-1) : lines.slice(0, above);
  const others = around.filter((line) =>
    isPlain(template) ? /^\(.*\)$|:$/.test(line) : recordIn(line, template) === undefined,
  );
  return others.some((line) =>
    (line.match(/(?<![\w.,-])\d+(?![\w,]|\.\d)/g) ?? []).map(Number).includes(count),
  );
}

/** Whether there is a blank line between two lines that follow each other. */
function isApart(text: string, line: string, next: string): boolean {
  const lines = text.split("\n").map((each) => each.trimEnd());
  return lines.some((each, at) => each === line && lines[at + 1] === "" && lines[at + 2] === next);
}
