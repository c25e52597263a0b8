import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";

/** What a text says, learned from texts of its kind: how it is read as a value. */
export type TextForm =
  /** JSON: an object or a list. */
  | { readonly kind: "json" }
  /** Lines such as `total: 80`, among others that say something else. */
  | { readonly kind: "fields"; readonly mark: string; readonly fields: readonly LabelledField[] }
  /** One record for each line; above and below stand as many other lines as `head` and `tail` have templates. */
  | {
      readonly kind: "lines";
      readonly head: readonly Template[];
      readonly line: Template;
      readonly tail: readonly Template[];
    }
  /** A table: its first line names the columns, in whatever order. */
  | { readonly kind: "rows"; readonly delimiter: Delimiter; readonly fields: readonly LabelledField[] }
  /** Records of several lines such as `title: A`, each from the line with the first label on. */
  | { readonly kind: "records"; readonly mark: string; readonly fields: readonly LabelledField[] };

/** `|`: as Markdown has tables. */
export type Delimiter = "," | ";" | "\t" | "|";

/** A line's text: what is the same in each, and what is not. */
export type Template = readonly (string | TemplateField)[];

export interface TemplateField {
  readonly name: string;
  /** `word`: without spaces, and without the character that stands behind it. */
  readonly is: "text" | "word" | "number";
}

export interface LabelledField {
  readonly label: string;
  readonly is: "text" | "number";
  /** It may be missing. */
  readonly optional?: boolean | undefined;
}

/** A text in an answer, and how it is read: in its place stands `{text}` with what each of the forms tells. */
export interface TextReading {
  /** Object keys; empty: the answer is the text. */
  readonly path: readonly string[];
  readonly forms: readonly TextForm[];
}

const MAX_FORM = 200;
const text = z.string().max(1000);
const template = z
  .array(
    z.union([z.string().max(2000), z.strictObject({ name: text, is: z.enum(["text", "word", "number"]) })]),
  )
  .max(50);
const labelledFields = z
  .array(z.strictObject({ label: text, is: z.enum(["text", "number"]), optional: z.boolean().optional() }))
  .max(MAX_FORM);

const textForm: z.ZodType<TextForm> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("json") }),
  z.strictObject({ kind: z.literal("fields"), mark: z.string().min(1).max(10), fields: labelledFields }),
  z.strictObject({
    kind: z.literal("lines"),
    head: z.array(template).max(10),
    line: template,
    tail: z.array(template).max(10),
  }),
  z.strictObject({
    kind: z.literal("rows"),
    delimiter: z.enum([",", ";", "\t", "|"]),
    fields: labelledFields,
  }),
  z.strictObject({
    kind: z.literal("records"),
    mark: z.string().min(1).max(10),
    fields: labelledFields.min(1),
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
    case "fields": {
      const fields = labelledIn(nonBlankLines(text), form.mark, form.fields);
      return fields && { fields };
    }
    case "lines": {
      const lines = nonBlankLines(text);
      const { head, line, tail } = form;
      const end = lines.length - tail.length;
      if (end < head.length) return undefined;
      const above = recordsOf(lines.slice(0, head.length), (nth) => head[nth] ?? []);
      const records = recordsOf(lines.slice(head.length, end), () => line);
      const below = recordsOf(lines.slice(end), (nth) => tail[nth] ?? []);
      if (!above || !records || !below) return undefined;
      const around: JsonObject = Object.assign({}, ...above, ...below) as JsonObject;
      return Object.keys(around).length === 0 ? { lines: records } : { lines: records, around };
    }
    case "rows": {
      const rows = rowsOf(text, form.delimiter, form.fields);
      return rows && { rows };
    }
    case "records": {
      const [first] = form.fields;
      const lines = nonBlankLines(text);
      const starts = [...lines.keys()].filter((at) => labelOf(lines[at] ?? "", form.mark) === first?.label);
      const records = starts.map((start, nth) =>
        labelledIn(lines.slice(start, starts[nth + 1]), form.mark, form.fields),
      );
      return records.every((record) => record !== undefined) ? { records } : undefined;
    }
  }
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

function labelled(line: string, mark: string): readonly [string, string] | undefined {
  const plain = `${line.replaceAll("**", "")} `;
  const end = plain.indexOf(mark);
  if (end <= 0) return undefined;
  return [
    plain
      .slice(0, end)
      .replace(/^[\s>*•-]+/, "")
      .trimEnd(),
    plain.slice(end + mark.length).trim(),
  ];
}

function labelledIn(
  lines: readonly string[],
  mark: string,
  fields: readonly LabelledField[],
): JsonObject | undefined {
  const found: Record<string, Json> = {};
  for (const { label, is, optional } of fields) {
    const [line, ...others] = lines.filter((each) => labelOf(each, mark) === label);
    if (line === undefined && optional === true) continue;
    const value = line === undefined || others.length > 0 ? undefined : typed(labelledText(line, mark), is);
    if (value === undefined) return undefined;
    found[label] = value;
  }
  return found;
}

function recordsOf(
  lines: readonly string[],
  templateOf: (nth: number) => Template,
): readonly JsonObject[] | undefined {
  const records = lines.map((line, nth) => recordIn(line, templateOf(nth)));
  return records.every((record) => record !== undefined) ? records : undefined;
}

/** What stands in a line at the fields of a template; undefined where that can be told in no way, or in several. */
export function recordIn(line: string, template: Template): JsonObject | undefined {
  const shortest = pattern(template, "?").exec(line);
  const longest = pattern(template, "").exec(line);
  if (!shortest || !longest || shortest.some((part, nth) => part !== longest[nth])) return undefined;
  const fields = template.filter((part) => typeof part !== "string");
  return Object.fromEntries(
    fields.map(({ name, is }, nth) => [name, typed(shortest[nth + 1] ?? "", is) ?? null]),
  );
}

function pattern(template: Template, lazy: "?" | ""): RegExp {
  const sources = template.map((part, nth) => {
    if (typeof part === "string")
      return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll(/ {2,}/g, " {2,}");
    if (part.is === "number") return `(${NUMERAL})`;
    if (part.is === "text") return `(.*${lazy})`;
    const next = template[nth + 1];
    const behind = typeof next === "string" ? next.slice(0, 1).replace(/[\\\]^-]/, String.raw`\$&`) : "";
    return String.raw`([^\s${behind}]+${lazy})`;
  });
  return new RegExp(`^${sources.join("")}$`, "u");
}

const NUMERAL = String.raw`-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?`;
const IS_NUMERAL = new RegExp(`^${NUMERAL}$`);

export function isNumeral(text: string): boolean {
  return IS_NUMERAL.test(text);
}

function typed(text: string, is: TemplateField["is"]): Json | undefined {
  if (is !== "number") return text;
  return isNumeral(text) ? Number(text) : undefined;
}

function rowsOf(
  text: string,
  delimiter: Delimiter,
  fields: readonly LabelledField[],
): readonly JsonObject[] | undefined {
  const [head, ...rows] = tableCells(text, delimiter);
  if (!head || new Set(head).size < head.length || rows.some((row) => row.length !== head.length))
    return undefined;
  const places = fields.map(({ label }) => head.indexOf(label));
  const records = rows.map((row) => {
    const values = fields.map(({ is }, nth) => typed(row[places[nth] ?? -1] ?? "", is));
    return values.every((value) => value !== undefined)
      ? Object.fromEntries(fields.map(({ label }, nth) => [label, values[nth] ?? null]))
      : undefined;
  });
  return places.every((place) => place >= 0) && records.every((record) => record !== undefined)
    ? records
    : undefined;
}

/** The cells of each line, without the line below the names and lines below the table. */
export function tableCells(text: string, delimiter: Delimiter): readonly (readonly string[])[] {
  const rows = cellsOf(text, delimiter);
  const end = rows.findLastIndex((row) => row.length > 1);
  return rows.slice(0, end + 1);
}

function cellsOf(text: string, delimiter: Delimiter): readonly (readonly string[])[] {
  if (delimiter === "|")
    return nonBlankLines(text)
      .filter((line) => !/^[\s|:+-]+$/.test(line))
      .map((line) =>
        line
          .trim()
          .replace(/^\||\|$/g, "")
          .split("|")
          .map((cell) => cell.trim()),
      );
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\n${delimiter}]*))(${delimiter}|\\n|$)`, "gy");
  for (const [, quoted, plain = "", end] of text.trimEnd().replaceAll("\r\n", "\n").matchAll(cell)) {
    row.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === delimiter) continue;
    rows.push(row);
    if (end === "") return rows;
    row = [];
  }
  return [];
}

function parsedJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
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
  if (form.kind === "fields" || list === undefined) return text;
  if (form.kind === "json")
    return Array.isArray(list)
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

/** The lines with which what a list's elements say begins. */
function startsOf(
  lines: readonly string[],
  filled: readonly number[],
  form: Exclude<TextForm, { readonly kind: "json" | "fields" }>,
): readonly number[] {
  switch (form.kind) {
    case "lines":
      return filled.slice(form.head.length, filled.length - form.tail.length);
    case "rows":
      return filled
        .slice(1)
        .filter((at) => (lines[at] ?? "").includes(form.delimiter) && !/^[\s|:+-]+$/.test(lines[at] ?? ""));
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
