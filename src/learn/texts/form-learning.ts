import { parse } from "yaml";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import {
  closedUp,
  DOTS,
  listedIn,
  isNothing,
  LAST_MARKS,
  type LastMark,
  linesIn,
  LIST_MARKS,
  type ListMark,
  isNumeral,
  type Delimiter,
  labelledText,
  labelOf,
  type LabelledField,
  MAX_PARTS,
  nonBlankLines,
  numbersIn,
  readText,
  recordIn,
  type SectionPart,
  tableIn,
  unquoted,
  type Template,
  type TextForm,
} from "./text-form.ts";
import { headTemplate, isPlain, lineTemplate, spacedTemplate, writtenKind } from "./line-templates.ts";
import type { TaskText } from "../plan/values.ts";
import { HEADING_MARKS, type HeadingMark, sectionsIn } from "./text-sections.ts";
import { areDayNames } from "./written-values.ts";
import { yamlIn } from "./yaml-text.ts";

const MAX_TEXT = 100_000;
const MAX_LINES = 2000;

/**
 * The forms that texts of one kind share, by each of which every one of them can be read. None where they are code or
 * prose, or too long. `used`: the values that later calls had, as which labels are names of things.
 */
export function textForms(
  texts: readonly string[],
  used: ReadonlySet<string> = new Set(),
): readonly TextForm[] {
  const isReadable = texts.every(
    (text) => text.length <= MAX_TEXT && text.trim() !== "" && nonBlankLines(text).length <= MAX_LINES,
  );
  if (texts.length === 0 || !isReadable) return [];
  if (isForm(texts, JSON_FORM)) {
    const shares = texts.map(jsonShare);
    if (shares.every((share) => share > MIN_JSON)) return [JSON_FORM];
    // Some signs in a text of another form, such as `volumes: {}`, are not what it says.
    const others = otherForms(texts, used);
    return shares.every((share) => share > 0) ? [JSON_FORM, ...others] : others;
  }
  return otherForms(texts, used);
}

const JSON_FORM: TextForm = { kind: "json" };
const MIN_JSON = 0.3;

/** How much of a text its JSON is. */
function jsonShare(text: string): number {
  const json = readText(text, JSON_FORM)?.["json"] ?? null;
  const isWhole = /^\s*[[{]/.test(text);
  const isEmpty = typeof json !== "object" || json === null || Object.keys(json).length === 0;
  return isWhole ? 1 : isEmpty ? 0 : JSON.stringify(json).length / text.length;
}

function otherForms(texts: readonly string[], used: ReadonlySet<string>): readonly TextForm[] {
  if (texts.every(isNestedYaml)) return [{ kind: "yaml" }];
  const sections = HEADING_MARKS.filter((mark) => mark !== "-")
    .map((mark) => sectionsForm(texts, mark, used))
    .find((form) => isForm(texts, form));
  if (sections) {
    const outer = MARKS.map((mark) => fieldsForm(texts, mark)).find((form) => isForm(texts, form));
    const own = outer && withoutParts(outer, texts, sections);
    return own ? [own, sections] : [sections];
  }
  const table = DELIMITERS.map((delimiter) => rowsForm(texts, delimiter)).find((form) => isForm(texts, form));
  if (table && texts.some((text) => hasRule(text) || hasNumbersBelow(text, table.delimiter))) {
    const beside = MARKS.map((mark) => fieldsForm(texts, mark)).find((form) => isForm(texts, form));
    const own = beside && besideTable(beside, texts, table);
    return own ? [table, own] : [table];
  }
  const things = usedList(texts, used);
  if (things) return [things];
  const records = MARKS.map((mark) => recordsForm(texts, mark)).find((form) => isForm(texts, form));
  const isIndented = texts.some((text) => /^\S.*\n\s+\S/m.test(text));
  const indented = isIndented ? sectionsForm(texts, "-", used) : undefined;
  const parts = isForm(texts, indented) ? [indented] : [];
  if (records) return [records, ...parts];
  const fields = MARKS.map((mark) => fieldsForm(texts, mark)).find((form) => isForm(texts, form));
  const lines = linesForm(texts);
  const named = fields?.kind === "fields" && lines && areThings(fields.fields) ? undefined : fields;
  // Whether the first line names columns is told by what is used.
  return [table ?? named, lines, ...parts].filter((form) => form !== undefined);
}

function isForm<Form extends TextForm>(texts: readonly string[], form: Form | undefined): form is Form {
  return form !== undefined && texts.every((text) => readText(text, form) !== undefined);
}

// --- YAML

/** Whether a text is YAML of mappings and lists in one another, and is read as everybody reads it. */
function isNestedYaml(text: string): boolean {
  const value = yamlIn(text);
  if (value === undefined || !isNested(value)) return false;
  try {
    return isWrittenAs(value, parse(text, { schema: "failsafe" }));
  } catch {
    return false;
  }
}

function isNested(value: Json): boolean {
  if (Array.isArray(value)) return isRecordList(value as readonly Json[]);
  if (!isJsonObject(value)) return false;
  const isContainer = (each: Json): boolean => typeof each === "object" && each !== null;
  const inner = Object.entries(value).filter(([, each]) => isContainer(each));
  // Words above lists of words are headings.
  const isProse = inner.every(
    ([key, each]) => /^\p{Lu}|\s/u.test(key) && Array.isArray(each) && !each.some(isContainer),
  );
  return inner.length > 0 && !isProse && Object.keys(value).every((key) => key.split(" ").length < 4);
}

/** Whether all elements have a field in common, and some have another. */
function isRecordList(list: readonly Json[]): boolean {
  const [first = [], ...others] = list.map((each) => (isJsonObject(each) ? Object.keys(each) : []));
  return (
    first.some((key) => others.every((keys) => keys.includes(key))) &&
    [first, ...others].some((keys) => keys.length > 1)
  );
}

/** Whether a value is what texts say that stand in the same places. */
function isWrittenAs(value: Json, texts: unknown): boolean {
  if (typeof value === "object" && value !== null) {
    if (typeof texts !== "object" || texts === null || Array.isArray(value) !== Array.isArray(texts))
      return false;
    const [own, others] = [Object.entries(value), Object.entries(texts)];
    const written = new Map(others);
    return own.length === others.length && own.every(([key, each]) => isWrittenAs(each, written.get(key)));
  }
  const text = typeof texts === "string" ? texts : "";
  return value === null ? /^(?:null|~|)$/i.test(text) : text.toLowerCase() === String(value).toLowerCase();
}

// --- parts below headings

type SectionsForm = Extract<TextForm, { readonly kind: "sections" }>;

/** The parts of texts below headings of a kind, where some text has several; no text has two of one title. */
function sectionsForm(
  texts: readonly string[],
  mark: HeadingMark,
  used: ReadonlySet<string>,
): SectionsForm | undefined {
  const split = texts.map((text) => sectionsIn(text, mark));
  const isSplit =
    split.every((sections) => sections.length > 0) && split.some((sections) => sections.length > 1);
  const isTwofold = split.some(
    (sections) => new Set(sections.map(({ title }) => title)).size < sections.length,
  );
  if (!isSplit || isTwofold) return undefined;
  const bodies = Map.groupBy(split.flat(), ({ title }) => title);
  const things = thingsBelow(split.flat().map(({ body }) => body));
  const alike = new Map<string, { readonly forms: readonly TextForm[]; readonly texts: string[] }>();
  for (const sections of bodies.values()) {
    const own = sections.map(({ body }) => body).filter((body) => body.trim() !== "");
    const forms = things ? [things] : textForms(own, used);
    const signature = JSON.stringify(forms.map(signatureOf));
    const known = alike.get(signature);
    if (known) known.texts.push(...own);
    else alike.set(signature, { forms, texts: [...own] });
  }
  const forms = [...alike.values()].flatMap(({ forms: own, texts: all }) => {
    const shared = things ? [things] : textForms(all, used);
    return ofOneReading(shared.length === 0 ? own : shared, all);
  });
  const parts: SectionPart[] = [];
  for (const form of new Map(forms.map((each) => [JSON.stringify(each), each])).values()) {
    const others = parts.filter((part) => part.form.kind === form.kind).length;
    if (parts.length < MAX_PARTS)
      parts.push({ as: others === 0 ? form.kind : `${form.kind}${others + 1}`, form });
  }
  const form: SectionsForm = { kind: "sections", mark, parts };
  const counted: SectionsForm = { ...form, isCounted: true };
  const isTold = split.flat().some(({ count }) => count !== undefined);
  const isCounted = isTold && texts.every((text) => saysAsMuch(text, form, counted));
  return parts.length === 0 ? undefined : isCounted ? counted : form;
}

/** How lists below headings are read whose elements have labels that differ from one list to the other: these are things. */
function thingsBelow(bodies: readonly string[]): TextForm | undefined {
  const filled = bodies.map(nonBlankLines).filter((lines) => lines.length > 0);
  const isList = filled.flat().every((line) => LISTED.test(line));
  const [first = [], ...others] = filled.map((lines) => lines.map((line) => labelOf(line, ": ")));
  const isShared = first.some((label) => others.every((labels) => labels.includes(label)));
  const labels = [first, ...others].flat().filter((label) => label !== undefined);
  const isOfThings = !isShared || areDayNames(labels);
  if (!isList || others.length === 0 || !isOfThings || first.includes(undefined)) return undefined;
  return linesForm(filled.map((lines) => lines.join("\n")));
}

/** What labels say of all lines is not read as lines, too: it would stand there twice. */
function ofOneReading(forms: readonly TextForm[], texts: readonly string[]): readonly TextForm[] {
  const fields = forms.find((form) => form.kind === "fields");
  const labels = new Set(fields?.fields.map(({ label }) => label));
  const isAll = texts.every((text) =>
    nonBlankLines(text).every((line) => labels.has(labelOf(line, fields?.mark ?? "") ?? "")),
  );
  return fields && isAll ? [fields] : forms;
}

function saysAsMuch(text: string, form: TextForm, other: TextForm): boolean {
  return JSON.stringify(readText(text, form)) === JSON.stringify(readText(text, other));
}

/** What forms of the same kind of text have in common. */
function signatureOf(form: TextForm): readonly unknown[] {
  switch (form.kind) {
    case "lines":
      return [
        form.kind,
        form.head.length,
        form.tail.length,
        form.line.filter((part) => typeof part === "string"),
      ];
    case "rows":
      return [form.kind, form.delimiter, form.fields.map(({ label }) => label)];
    case "fields":
    case "records":
      return [form.kind, form.mark, form.fields.map(({ label }) => label)];
    case "json":
    case "yaml":
    case "sections":
    case "tree":
    case "blocks":
      return [form.kind];
  }
}

/** The labelled lines that do not stand below headings. */
function withoutParts(
  form: TextForm,
  texts: readonly string[],
  { mark }: SectionsForm,
): TextForm | undefined {
  if (form.kind !== "fields") return form;
  const above = texts.map((text) => text.split("\n").slice(0, sectionsIn(text, mark)[0]?.start).join("\n"));
  const fields = form.fields.filter(({ label }) =>
    above.every((text) => nonBlankLines(text).some((line) => labelOf(line, form.mark) === label)),
  );
  return fields.length === 0 ? undefined : { ...form, fields };
}

/** The labelled lines that stand above or below tables in all texts. */
function besideTable(
  form: TextForm,
  texts: readonly string[],
  { delimiter }: RowsForm,
): TextForm | undefined {
  if (form.kind !== "fields") return undefined;
  const around = texts.map((text) => {
    const { above = [], below = [] } = tableIn(text, delimiter) ?? {};
    return [...above, ...below].map((line) => labelOf(line, form.mark));
  });
  const fields = form.fields.filter(({ label }) => around.every((labels) => labels.includes(label)));
  return fields.length === 0 ? undefined : { ...form, fields };
}

// --- tables

const DELIMITERS: readonly Delimiter[] = ["|", "\t", "  ", ",", ";"];

/** The forms of tables that have at most half of their columns in common: they are about different things. */
export function tablesApart(
  texts: readonly string[],
  { delimiter, fields }: Pick<RowsForm, "delimiter" | "fields">,
): readonly RowsForm[] {
  const headOf = (text: string): readonly string[] => tableIn(text, delimiter)?.cells[0] ?? [];
  if (texts.some((text) => headOf(text).length < fields.length * 2)) return [];
  const alike = [...Map.groupBy(texts, (text) => headOf(text).toSorted().join("\n")).values()];
  const forms = alike.flatMap((own) => {
    const form = rowsForm(own, delimiter, true);
    return isForm(own, form) ? form : [];
  });
  return forms.length === alike.length ? forms : [];
}

/** The forms of tables of which each names its own columns, and no column is in all of them. */
export function unlikeTables(texts: readonly string[]): readonly RowsForm[] {
  const delimiter = DELIMITERS.find((each) => texts.every((text) => isForm([text], rowsForm([text], each))));
  const forms = delimiter === undefined ? [] : tablesApart(texts, { delimiter, fields: [] });
  return forms.length > 1 ? forms : [];
}

/** `isNamed`: their first line is known to name the columns. */
function rowsForm(texts: readonly string[], delimiter: Delimiter, isNamed = false): RowsForm | undefined {
  const tables = texts.flatMap((text) => tableIn(text, delimiter) ?? []);
  const heads = tables.map(({ cells: [head = []] }) => head);
  const isHead = heads.every(
    (head) => head.length > 1 && head.every((cell) => isLabel(cell) && !/\d\d|@/.test(cell)),
  );
  const hasNames = isNamed || tables.some(({ cells }) => namesColumns(cells)) || texts.some(hasRule);
  if (tables.length < texts.length || !isHead || !hasNames) return undefined;
  const [first = [], ...others] = heads;
  const shared = first.filter((label) => others.every((head) => head.includes(label)));
  const fields = shared.map((label): LabelledField => {
    const cells = tables.flatMap(({ cells: [head = [], ...rows] }) =>
      rows.map((row) => row[head.indexOf(label)] ?? ""),
    );
    return labelledField(label, cells);
  });
  const around = surroundings(
    tables.map(({ above, below, cells }) => ({ above, below, count: cells.length - 1 })),
  );
  return fields.length === 0 || !around ? undefined : { kind: "rows", delimiter, fields, ...around };
}

type RowsForm = Extract<TextForm, { readonly kind: "rows" }>;

/** Whether a line below the names of columns sets them apart. */
function hasRule(text: string): boolean {
  return /^[\s|:+-]*-{2,}[\s|:+-]*$/m.test(text);
}

/** Whether there are numbers in a column that has a name. */
function hasNumbersBelow(text: string, delimiter: Delimiter): boolean {
  const [head = [], ...rows] = tableIn(text, delimiter)?.cells ?? [];
  return (
    rows.length > 0 &&
    head.some((name, at) => !isNothing(name) && rows.every((row) => isNumeral(row[at] ?? "")))
  );
}

/** Whether what stands below the first line of a table is written otherwise than what stands there. */
function namesColumns([head = [], ...rows]: readonly (readonly string[])[]): boolean {
  return head.some((name, at) => {
    const forms = new Set(rows.map((row) => writtenForm(row[at] ?? "")));
    const [form = ""] = forms;
    const isTold = rows.length > 1 || form === "number";
    return isTold && forms.size === 1 && !isNothing(name) && form !== "" && form !== writtenForm(name);
  });
}

function writtenForm(cell: string): string {
  const [found = ""] = WRITTEN.find(([, form]) => form.test(cell)) ?? [];
  return found;
}

const WRITTEN: readonly (readonly [string, RegExp])[] = [
  ["number", /^-?\d+(?:\.\d+)?$/],
  ["address", /\S@\S|:\/\//],
  ["code", /\d/],
  ["capitals", /^\p{Lu}[^\p{Ll}]*$/u],
  ["name", /^\p{Lu}/u],
  ["word", /^\p{Ll}/u],
];

interface Surrounded {
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** How many elements there are. */
  readonly count: number;
}

/** What stands above and below each of the lists, and where the number of elements is told in all of them. */
function surroundings(lists: readonly Surrounded[]): Pick<LinesForm, "head" | "tail" | "counts"> | undefined {
  const [first = { above: [], below: [], count: 0 }] = lists;
  const isAlike = lists.every(
    ({ above, below }) => above.length === first.above.length && below.length === first.below.length,
  );
  if (!isAlike || first.above.length + first.below.length > MAX_AROUND) return undefined;
  const columnOf = (place: "above" | "below") =>
    first[place].map((_, nth) => headTemplate(lists.map((list) => list[place][nth] ?? "")));
  const known = (templates: readonly (Template | undefined)[]): readonly Template[] | undefined =>
    templates.every((each) => each !== undefined) ? templates : undefined;
  const [head, tail] = [known(columnOf("above")), known(columnOf("below"))];
  const counts = [...first.above, ...first.below].flatMap((line, at) =>
    [...numbersIn(line).keys()].flatMap((nth) =>
      lists.every(({ above, below, count }) => numbersIn([...above, ...below][at] ?? "")[nth] === count)
        ? [[at, nth] as const]
        : [],
    ),
  );
  return head && tail && { head, tail, ...(counts.length === 0 ? {} : { counts }) };
}

// --- labels

const MARKS = [": ", " = ", "=", DOTS];

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
  if (texts.some((text) => standsBelowOthers(text, mark, first))) return undefined;
  const fields = labelledFields(records);
  const form = { kind: "records", mark, fields } as const;
  const bare = { ...form, isBare: true };
  return fields.length < 2 ? undefined : isForm(texts, bare) ? bare : form;
}

/** Whether the lines with a label stand below different lines that are indented less. */
function standsBelowOthers(text: string, mark: string, label: string): boolean {
  const lines = nonBlankLines(text);
  const indentOf = (line: string): number => line.search(/\S/);
  const starts = lines
    .keys()
    .filter((at) => labelOf(lines[at] ?? "", mark) === label)
    .toArray();
  const [first = 0] = starts;
  const indent = indentOf(lines[first] ?? "");
  return lines.slice(first, starts.at(-1)).some((line) => indentOf(line) < indent);
}

function fieldsForm(texts: readonly string[], mark: string): TextForm | undefined {
  const fields = labelledFields(texts.map((text) => labelledLines(text, mark)));
  return fields.length === 0 || fields.length > MAX_LABELS ? undefined : { kind: "fields", mark, fields };
}

const MAX_LABELS = 60;

/** Whether labels are names or ids of things of one kind rather than what is said of one thing. */
function areThings(fields: readonly LabelledField[]): boolean {
  const isThing = ({ label }: LabelledField): boolean =>
    /\d{3}|[@#/]/.test(label) || /^\p{Lu}[^\s]*(?: \p{Lu}[^\s]*)+$/u.test(label);
  if (fields.length < 2) return false;
  const isOfOneKind = new Set(fields.map(({ is }) => is)).size === 1;
  return (fields.every(isThing) && isOfOneKind) || areDayNames(fields.map(({ label }) => label));
}

/**
 * Lists of which each element has a label that was used as a name is: the labels are of things, which may be others, and more
 * or fewer, in another text. Where what stands behind them has the mark of labels, too, labels are one word.
 */
function usedList(texts: readonly string[], used: ReadonlySet<string>): TextForm | undefined {
  const lists = texts.map(nonBlankLines);
  const labels = lists.flat().map((line) => labelOf(line, ": "));
  const isUsed = labels.every((label) => label !== undefined && used.has(label));
  if (!isUsed || !lists.every((lines) => lines.length > 1)) return undefined;
  const form = linesForm(texts);
  if (form?.kind === "lines" && form.line.includes(": ")) return form;
  const bullet = /^[-*•+] /.exec(lists[0]?.[0] ?? "") ?? [];
  const line: Template = [...bullet, { name: "name", is: "word" }, ": ", { name: "text", is: "text" }];
  const own: TextForm = { kind: "lines", line, head: [], tail: [] };
  return isForm(texts, own) ? own : undefined;
}

const LISTED = /^(?:[-*•+]|\d+[.)])\s/;

interface LabelledLine {
  readonly label: string;
  readonly value: string;
  /** It seems to go on in the next line. */
  readonly isFollowed: boolean;
}

function labelledLines(text: string, mark: string): readonly LabelledLine[] {
  return linesIn(text).flatMap((line) => {
    const label = labelOf(line, mark);
    return label !== undefined && isLabel(label)
      ? [{ label, value: labelledText(line, mark), isFollowed: line.endsWith("\n") }]
      : [];
  });
}

/** The labels that no record has twice. */
function labelledFields(records: readonly (readonly LabelledLine[])[]): readonly LabelledField[] {
  const labels = new Set(records.flatMap((lines) => lines.map(({ label }) => label)));
  return [...labels].flatMap((label): readonly LabelledField[] => {
    const found = records.map((lines) => lines.filter((line) => line.label === label));
    if (found.some((lines) => lines.length > 1)) return [];
    const values = found.flatMap((lines) => lines.map(({ value }) => value));
    return [
      {
        ...labelledField(label, values),
        ...(values.length < records.length ? { optional: true } : {}),
        ...(found.flat().some(({ isFollowed }) => isFollowed) ? { isFollowed: true } : {}),
      },
    ];
  });
}

/** Whether a text can be the name of a field or column. */
function isLabel(text: string): boolean {
  return /^[\p{L}_$#][^\n:="[]*$/u.test(text) && text.length <= 40 && text.split(/\s+/).length <= 4;
}

/** How what stands behind a label, or in a column, is read. */
function labelledField(label: string, values: readonly string[]): LabelledField {
  const isEach = (holds: (value: string) => boolean): boolean => values.length > 0 && values.every(holds);
  if (isEach(isNumeral)) return { label, is: "number", ...writtenKind(values) };
  if (values.includes("")) return { label, is: "text", empty: true };
  const quote = QUOTES.find((mark) => isEach((value) => unquoted(value, mark) !== undefined));
  const said = values.map((value) => unquoted(value, quote) ?? value);
  const empty = said.some(isNothing) ? { empty: true } : {};
  if (quote === undefined) {
    const written = writtenKind(values);
    return { label, is: "text", ...written, ...(written ? {} : listMarks(values)), ...empty };
  }
  return { label, is: "text", ...writtenKind(said), quote, ...empty };
}

/** What stands between the elements of lists, where texts may be such. */
function listMarks(values: readonly string[]): Pick<LabelledField, "list" | "last"> {
  for (const last of [undefined, ...LAST_MARKS])
    for (const list of LIST_MARKS)
      if (areLists(values, list, last)) return last === undefined ? { list } : { list, last };
  return {};
}

/** Whether texts may be lists with marks between their elements, of which some have several; nothing is a list, too. */
function areLists(values: readonly string[], list: ListMark, last: LastMark | undefined): boolean {
  const lists = values.filter((value) => !isNothing(value)).map((value) => listedIn(value, list, last));
  const isElement = (text: string): boolean => text.length < 60 && /[\p{L}\p{N}]/u.test(text);
  const several = lists.filter((elements) => (elements?.length ?? 0) > 1).length;
  return (
    several >= Math.min(2, lists.length) &&
    several > 0 &&
    lists.every((elements) => elements?.every(isElement) === true)
  );
}

const QUOTES = ["**", "__", "`", '"', "'", "<", "[", "("];

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
      const closed = lineTemplate(items.flat()) ?? listTemplate(items.flat());
      const columns = spacedTemplate(items.flat().map(closedUp));
      const spaced = fieldsIn(columns) >= Math.max(1, fieldsIn(closed)) ? columns : undefined;
      const line = spaced ?? closed;
      if (!line) continue;
      const isCounted = items.every((lines, nth) =>
        isSaid(lines.length, line, blocks[nth] ?? [], above, below),
      );
      const isOther = (at: readonly string[]): boolean =>
        spaced !== undefined && at.every((each) => recordIn(closedUp(each), spaced) === undefined);
      const isElement = (text: string): boolean => !isPlain(line) && recordIn(text, line) !== undefined;
      // The line below that tells how many there are says nothing of those above.
      const isAbove =
        isAnnounced(above) ||
        blocks.every((lines) => isOther(lines.slice(0, above))) ||
        (isCounted && !blocks.some((lines) => lines.slice(0, above).some(isElement)));
      const isBelow =
        isCounted ||
        isConcluded(below) ||
        blocks.every((lines) => isOther(lines.slice(lines.length - below)));
      if (!isAbove || !isBelow) continue;
      const around = surroundings(
        blocks.map((lines) => ({
          above: lines.slice(0, above),
          below: lines.slice(lines.length - below),
          count: lines.length - above - below,
        })),
      );
      if (!around) continue;
      const form = withNames({
        kind: "lines",
        line,
        ...around,
        ...(spaced ? { isSpaced: true } : {}),
      });
      const rank = (isPlain(line) ? 100 : 0) - (isCounted ? 10 : 0) - above - below;
      if (isForm(texts, form)) found.push({ form, rank });
    }
  }
  return found.sort((a, b) => a.rank - b.rank)[0]?.form;
}

/** All lines of texts, whatever they say. */
const anyLines = (isSpaced: boolean): LinesForm => ({
  kind: "lines",
  line: [{ name: "text", is: "text", empty: true }],
  head: [],
  tail: [],
  ...(isSpaced ? { isSpaced } : {}),
});

/**
 * How all lines of a text are read where a later text has so many of them as the task says, whole and from one of its ends on.
 * Undefined where there is no such text.
 */
export function takenLines(text: string, task: TaskText, written: readonly string[]): TextForm | undefined {
  const form: TextForm = { ...anyLines(false), isUnbroken: true };
  const lines = nonBlankLines(text);
  const isWritten = task.takes().some(({ count, noun }) => {
    const ends = [lines.slice(0, count), lines.slice(-count)].map((end) => end.join("\n"));
    return LINES.test(noun) && lines.length >= count && ends.some((end) => written.includes(end));
  });
  return isWritten && readText(text, form) !== undefined ? form : undefined;
}

const LINES = /^(?:lines?|entries|entry|zeilen?|einträge|lignes?|líneas?|righe|regels?)$/i;

const MIN_GATHERED = 2;

/**
 * How all lines of texts are read where a later text gathers those that have a word which the task says: whole, or what
 * stands behind the word. Undefined where there is no such text, or it has others, too.
 */
export function gatheredLines(
  texts: readonly string[],
  task: string,
  written: readonly string[],
): TextForm | undefined {
  if (texts.length < 2 || !texts.every((text) => text.length <= MAX_TEXT)) return undefined;
  const lines = texts.flatMap(nonBlankLines);
  const words = new Set(task.match(/(?<![\p{L}\p{N}/._-])[\p{L}\p{N}]{3,}(?![\p{L}\p{N}/_-]|\.\p{L})/gu));
  for (const word of words) {
    const form = new RegExp(String.raw`(?<![\p{L}\p{N}])${word}(?![\p{L}\p{N}])`, "u");
    const own = lines.filter((line) => form.test(line));
    // What has one in each text may be a label.
    const isLabel = texts.every((text) => nonBlankLines(text).filter((line) => form.test(line)).length === 1);
    if (own.length < MIN_GATHERED || own.length === lines.length || isLabel) continue;
    const tails = own.map((line) => [
      line.trim(),
      line
        .split(form)
        .at(-1)
        ?.replace(/^[^\p{L}\p{N}]+/u, "") ?? "",
    ]);
    const isGathered = written.some((text) => areGathered(tails, nonBlankLines(text)));
    if (isGathered) return anyLines(own.some((line) => /^\s/.test(line)));
  }
  return undefined;
}

/** Whether lines end with one of several endings each, in their order; others have nothing of them. */
function areGathered(endings: readonly (readonly string[])[], lines: readonly string[]): boolean {
  const own = lines.filter((line) => endings.flat().some((end) => end.length > 2 && line.endsWith(end)));
  return (
    own.length === endings.length &&
    own.every((line, nth) => endings[nth]?.some((end) => end.length > 2 && line.endsWith(end)))
  );
}

/** Lines with a list behind a label, in which there are no other marks that all of them have. */
function listTemplate(lines: readonly string[]): Template | undefined {
  const cut = lines.map((line) => /^(\s*(?:[-*•+] )?)(\p{L}[^:]*): (.+)$/u.exec(line) ?? []);
  const [[, bullet = ""] = []] = cut;
  const marks = listMarks(cut.map(([, , , list = ""]) => list));
  if (marks.list === undefined || cut.some(([, own]) => own !== bullet)) return undefined;
  return [
    bullet,
    { name: "name", is: "text" } as const,
    ": ",
    { name: "text", is: "text", ...marks } as const,
  ].filter((part) => part !== "");
}

function fieldsIn(template: Template = []): number {
  return template.filter((part) => typeof part !== "string").length;
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
  if (below > 1 || (below === 0 && above > 1)) return false;
  const around = below === 1 ? lines.slice(-1) : lines.slice(0, above);
  const others = around.filter((line) =>
    isPlain(template) ? /^\(.*\)$|:$/.test(line) : recordIn(line, template) === undefined,
  );
  return others.some((line) => numbersIn(line).includes(count));
}

/** Whether there is a blank line between two lines that follow each other. */
function isApart(text: string, line: string, next: string): boolean {
  const lines = text.split("\n").map((each) => each.trimEnd());
  return lines.some((each, at) => each === line && lines[at + 1] === "" && lines[at + 2] === next);
}
