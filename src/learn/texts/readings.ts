import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { type AnswerUse, answerUses, EVERYTHING, type LookedInto } from "./answer-uses.ts";
import { mapPlanExpressions } from "../edits/plan-leaves.ts";
import type { CallStep, Expression, Plan, Step } from "../plan/plan.ts";
import { nameWords, singular } from "../plan/names.ts";
import { filledGaps, isMap, jsonLeaves, TaskText, valueAt } from "../plan/values.ts";
import { slugOf } from "../plan/text-part.ts";
import { namedSteps } from "../plan/steps.ts";
import { keptCalls } from "../recording/kept-calls.ts";
import type { RecordedCall, RecordedTrace } from "../recording/recorded-trace.ts";
import { blocksForm, leavesOf, placesOf, type UsedText } from "./block-learning.ts";
import { gatheredLines, tablesApart, takenLines, textForms, unlikeTables } from "./form-learning.ts";
import { type AddedRow, addedRow } from "./text-spans.ts";
import { sectionsIn } from "./text-sections.ts";
import { treeForm } from "./tree-learning.ts";
import {
  CHECKBOX,
  commonKind,
  FORM_KEYS,
  isLabelledKind,
  type LabelledField,
  linesIn,
  listName,
  nonBlankLines,
  readAnswer,
  readText,
  type Template,
  type TemplateField,
  type TextForm,
  type TextReading,
  wholeBody,
  writtenName,
} from "./text-form.ts";

/** How the texts in the answers of tools are read, by the tools' names. */
export type Readings = ReadonlyMap<string, readonly PlaceReading[]>;

/** A place in a tool's answers. */
interface PlaceReading {
  readonly path: readonly string[];
  /** The first by which a text can be read is its own. */
  readonly forms: readonly (readonly TextForm[])[];
}

const MAX_DEPTH = 3;
const MAX_TEXTS = 500;

/** How all texts can be read that the traces' tools answered with, whether or not that is of use. */
export function learnedReadings(traces: readonly RecordedTrace[]): Readings {
  const places = new Map<string, Map<string, TextPlace>>();
  for (const trace of traces) {
    const { calls, task = "" } = trace;
    const kept = new Set(keptCalls(trace).kept);
    const rows = writtenRows(calls);
    const { quotes } = new TaskText(task);
    let known = task;
    for (const [at, { tool, args, result, error }] of calls.entries()) {
      known += `\n${leavesOf(args).join("\n")}`;
      for (const [path, text] of error === undefined && kept.has(at) ? textsIn(result) : []) {
        const own = places.get(tool) ?? new Map<string, TextPlace>();
        const place = own.get(JSON.stringify(path)) ?? { path, texts: new Map() };
        const used = place.texts.get(text) ?? { text, wanted: [], known: "", task, properties: [] };
        const later = calls.slice(at + 1);
        const isCopied = later.some((call) => leavesOf(call.args).some((leaf) => isCopyOf(leaf, text)));
        const values = wantedAfter(later, known, rows, text).filter(
          (value) => !isCopied || isToldIn(text, String(value)),
        );
        const ownRows = rows.filter(({ call, table }) => call > at && table !== text);
        const wanted = [
          ...used.wanted,
          ...values,
          ...values.flatMap((value) =>
            fillersOf(value, quotes).length > 0 ? [] : piecesIn(value, text, known),
          ),
          ...values.flatMap((value) => sluggedIn(value, text)),
          ...values.flatMap((value) => itemsIn(value, text, known)),
          ...countedItems(later, text),
          ...values.flatMap((value) => fillersOf(value, quotes).filter((part) => isToldIn(text, part))),
          ...ownRows.flatMap((row) => toldCells(row, text)),
        ];
        const properties = [
          ...used.properties,
          ...later.flatMap(({ args }) => wordsOfNames(args)),
          ...ownRows.flatMap(({ columns }) => columns.flatMap(nameWords)),
        ];
        if (place.texts.size < MAX_TEXTS)
          place.texts.set(text, {
            text,
            wanted: [...new Set(wanted)],
            known: `${used.known}\n${known}`,
            task: used.task,
            properties: [...new Set(properties)],
          });
        places.set(tool, own.set(JSON.stringify(path), place));
      }
      known += `\n${leavesOf(result).join("\n")}`;
    }
  }
  const written = traces.flatMap(({ calls }) =>
    calls.flatMap(({ args }) => leavesOf(args).filter((leaf) => leaf.trim().includes("\n"))),
  );
  return new Map(
    [...places].flatMap(([tool, known]) => {
      const readings = [...known.values()].flatMap(({ path, texts }): readonly PlaceReading[] => {
        const tasks = [...texts.values()].map(({ task }) => task);
        const used = [...texts.values()];
        const values = new Set(used.flatMap(({ wanted }) => wanted.map(String)));
        const found = formsOf([...texts.keys()], values).map((each) =>
          each.map((form) => withSaidHeading(withoutNamedLists(form, tasks), [...texts.keys()], tasks)),
        );
        const gathered = gatheredForm(used, found.flat(), written);
        const forms = gathered
          ? [[gathered]]
          : withBlocks(
              found.map((each) => each.map((form) => withBodies(form, used))),
              used,
            );
        return forms.length === 0 ? [] : [{ path, forms }];
      });
      return readings.length === 0 ? [] : [[tool, readings] as const];
    }),
  );
}

/** How all texts are read alike where a later text gathers some of their lines: those with a word, or things to do. */
function gatheredForm(
  texts: readonly UsedText[],
  forms: readonly TextForm[],
  written: readonly string[],
): TextForm | undefined {
  if (forms.some(({ kind }) => OF_RECORDS.has(kind))) return undefined;
  const task = texts.map((each) => each.task).join("\n");
  const [first, ...more] = texts;
  const taken =
    first && more.length === 0
      ? takenLines(
          first.text,
          new TaskText(task),
          written.map((each) => each.trimEnd()),
        )
      : undefined;
  if (taken) return taken;
  const lines = gatheredLines(
    texts.map(({ text }) => text),
    task,
    written,
  );
  const items = lines || texts.length < 2 ? undefined : blocksForm(texts, []);
  return items?.parts.every(({ mayLack }) => mayLack === true) === true ? items : lines;
}

/** The form with all that stands below headings where that was of use as a text, or what is above its last line end. */
function withBodies(form: TextForm, texts: readonly UsedText[]): TextForm {
  if (form.kind !== "sections") return form;
  const isUsed = texts.some(({ text, wanted }) => {
    const bodies = sectionsIn(text, form.mark).map(({ body }) => wholeBody(body));
    return wanted.some((value) => typeof value === "string" && isBody(value, bodies));
  });
  return isUsed ? { ...form, hasBody: true } : form;
}

function isBody(value: string, bodies: readonly (string | undefined)[]): boolean {
  return value.trim().includes("\n") && bodies.includes(value.replace(/\n$/, ""));
}

const BODY = "body";

/** Forms of texts whose lines are no more than what they are written in. */
const OF_RECORDS: ReadonlySet<TextForm["kind"]> = new Set(["json", "yaml", "rows", "records"]);

/** Of several lists with labels, the one whose label the task says may be another in another run: its label is no field. */
function withoutNamedLists(form: TextForm, tasks: readonly string[]): TextForm {
  if (form.kind === "sections")
    return {
      ...form,
      parts: form.parts.map((part) => ({ ...part, form: withoutNamedLists(part.form, tasks) })),
    };
  if (form.kind !== "fields" || form.fields.filter(({ list }) => list).length < 2) return form;
  const isNamed = (label: string): boolean =>
    /^\p{Lu}/u.test(label) && tasks.some((task) => placesOf(task, label).length > 0);
  return {
    ...form,
    fields: form.fields.map((field) => (field.list && isNamed(field.label) ? withoutList(field) : field)),
  };
}

/**
 * A list below a heading inside of a text, of which the task speaks: below another heading it would be a list of other things.
 */
function withSaidHeading(form: TextForm, texts: readonly string[], tasks: readonly string[]): TextForm {
  if (form.kind !== "lines" && form.kind !== "rows") return form;
  const headingsOf = (text: string): readonly string[] =>
    nonBlankLines(text)
      .slice(0, form.head.length)
      .filter((line) => /^#+ /.test(line));
  const [first = []] = texts.map(headingsOf);
  const heading = first.at(-1) ?? "";
  const isOwn = texts.every((text) => {
    const own = headingsOf(text);
    return own.length > 1 && own.at(-1) === heading && nonBlankLines(text)[form.head.length - 1] === heading;
  });
  const isSaid = tasks.every((task) => saysWords(task, heading));
  return isOwn && isSaid ? { ...form, head: [...form.head.slice(0, -1), [heading]] } : form;
}

/** Whether all words of a title stand in a task, one or several of each. */
function saysWords(task: string, title: string): boolean {
  const wordsOf = (text: string): readonly string[] =>
    text
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.map(singular) ?? [];
  const said = new Set(wordsOf(task));
  const words = wordsOf(title);
  return words.length > 0 && words.every((word) => said.has(word));
}

function withoutList<Field extends TemplateField | LabelledField>(field: Field): Field {
  const { list: _, last: _last, ...plain } = field;
  return plain as Field;
}

interface TextPlace {
  readonly path: readonly string[];
  readonly texts: Map<string, UsedText>;
}

function wordsOfNames(args: JsonObject): readonly string[] {
  return [...jsonLeaves(args)].flatMap(([path]) =>
    path.flatMap((key) => (typeof key === "string" ? nameWords(key) : [])),
  );
}

/** Values of arguments that were not known before. */
function wantedAfter(
  calls: readonly RecordedCall[],
  known: string,
  rows: readonly WrittenRow[],
  text: string,
): readonly (string | number)[] {
  const wanted = new Set<string | number>();
  for (const { args } of calls)
    for (const [, leaf] of jsonLeaves(args)) {
      if (isCopyOf(leaf, text)) continue;
      const isTold = (typeof leaf === "string" && leaf.trim().length > 1) || typeof leaf === "number";
      if (!isTold || known.includes(String(leaf)) || wanted.size >= MAX_WANTED) continue;
      const row = rows.find(({ written }) => written === leaf);
      // Of a table that was answered only what is added to it is new.
      if (row) {
        wanted.add(row.line);
        continue;
      }
      const cells = cellsIn(String(leaf));
      for (const each of cells.length > 1 ? cells : [leaf])
        if (!known.includes(String(each))) wanted.add(each);
      const lines = String(leaf)
        .split("\n")
        .filter((line) => line.trim().length > 1 && !known.includes(line));
      for (const line of String(leaf).includes("\n") ? lines.slice(0, MAX_WRITTEN) : []) wanted.add(line);
      // Of a path in a folder that was told, only the name is not.
      const [, folder = "", name = ""] = /^(.*\S)\/([^/\n]{2,})$/.exec(String(leaf)) ?? [];
      if (folder !== "" && known.includes(folder) && !known.includes(name)) wanted.add(name);
      for (const below of pathsBelow(String(leaf), known)) wanted.add(below);
    }
  return [...wanted];
}

/** Whether a value is a whole text, or all of it below its first lines: nothing has to be found in it. */
function isCopyOf(value: Json, text: string): boolean {
  return (
    typeof value === "string" &&
    value.trim().includes("\n") &&
    (value === text || text.endsWith(`\n${value}`))
  );
}

/** The cells of what is a row of a table, or the begin of one. */
function cellsIn(text: string): readonly string[] {
  const [, row] = /^\|\s(.*\S)\s*\|$/.exec(text) ?? [];
  return row === undefined ? [] : row.split("|").map((cell) => cell.trim());
}

/** What a path says below the longest folder that was told. */
function pathsBelow(path: string, known: string): readonly string[] {
  const names = /^\/[^\n]+$/.test(path) ? path.split("/") : [];
  const count =
    [...names.keys()].findLast((nth) => nth > 1 && known.includes(names.slice(0, nth).join("/"))) ?? 0;
  const below = names.slice(count).join("/");
  return count > 0 && names.length - count > 1 && !known.includes(below) ? [below] : [];
}

/** What stands in the gaps of what the task dictates (`Job: …`). */
function fillersOf(value: string | number, quotes: readonly string[]): readonly string[] {
  if (typeof value !== "string" || value.length > MAX_MADE) return [];
  return quotes.flatMap((quote) => filledGaps(quote, value)?.fillers ?? []);
}

function isToldIn(text: string, part: string): boolean {
  return part.length > 1 && linesIn(text).some((line) => placesOf(line, part).length > 0);
}

/** A row that a call adds to a table which an earlier one has answered. */
interface WrittenRow extends Pick<AddedRow, "columns" | "cells"> {
  readonly call: number;
  readonly table: string;
  /** The table with the row, and the row. */
  readonly written: string;
  readonly line: string;
}

function writtenRows(calls: readonly RecordedCall[]): readonly WrittenRow[] {
  const tables: string[] = [];
  return calls.flatMap(({ args, result, error }, call) => {
    const written = leavesOf(args).flatMap((leaf) =>
      tables.flatMap((table) => {
        const added = leaf.slice(table.length);
        const row = leaf.startsWith(table) ? addedRow(table, added) : undefined;
        return row ? [{ call, table, written: leaf, line: added.trimEnd(), ...row }] : [];
      }),
    );
    if (error === undefined) tables.push(...[...textsIn(result)].map(([, text]) => text));
    return written;
  });
}

/** The cells that another text tells, whether or not something has told them before: the table has some in other rows. */
function toldCells({ cells }: WrittenRow, text: string): readonly string[] {
  return cells.filter((cell) => isToldIn(text, cell));
}

const MAX_WANTED = 200;
/** Lines of one text. */
const MAX_WRITTEN = 40;

/** Of a value that was made of what a text says: the longest parts that stand there, and not in what was known. */
function piecesIn(value: string | number, text: string, known: string): readonly string[] {
  if (typeof value !== "string" || value.length > MAX_MADE || text.includes(value)) return [];
  const tokens = [...value.matchAll(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu)];
  const pieces: string[] = [];
  for (let first = 0; first < tokens.length; first++) {
    const start = tokens[first]?.index ?? 0;
    const ends = tokens.slice(first).map(({ index, 0: token }) => index + token.length);
    const count = ends.findLastIndex((end) => stands(value.slice(start, end), text)) + 1;
    const end = ends[count - 1] ?? start;
    const piece = value.slice(start, end);
    if (count === 0) continue;
    if (!known.includes(piece) && (isTelling(value, start, end) || isWhole(piece, value, text)))
      pieces.push(piece);
    first += count - 1;
  }
  return pieces.slice(0, MAX_PIECES);
}

const MAX_MADE = 300;
const MAX_PIECES = 8;

/** What a text has in a line, behind a mark or label, and a value has as a name is made of it: `login-fails`. */
function sluggedIn(value: string | number, text: string): readonly string[] {
  if (typeof value !== "string" || value.length > MAX_MADE || !/[A-Za-z0-9][-_][A-Za-z0-9]/.test(value))
    return [];
  const words = value.toLowerCase().replaceAll("_", "-");
  return linesIn(text).flatMap((line) => {
    const [, told = ""] = /^[^A-Za-z0-9]*(?:[A-Za-z ]{1,30}:\s+)?([A-Za-z0-9].*\S)\s*$/.exec(line) ?? [];
    const slug = slugOf(told, "-", true);
    const isIn = slug?.includes("-") === true && `-${words.replaceAll(/[/.]/g, "-")}-`.includes(`-${slug}-`);
    return isIn && !value.includes(told) ? [told] : [];
  });
}

/** Whether several words are all that stands between marks, both where they are used and in a text. */
function isWhole(piece: string, value: string, text: string): boolean {
  const isBetween = (line: string): boolean =>
    placesOf(line, piece).some(
      (at) =>
        /(?:^|[^\p{L}\p{N}\s] *)$/u.test(line.slice(0, at)) &&
        /^(?:$| *[^\p{L}\p{N}\s])/u.test(line.slice(at + piece.length)),
    );
  return (
    /\p{L} \S/u.test(piece) && isBetween(value) && linesIn(text).some((line) => isBetween(line.trimEnd()))
  );
}

/** Of a text of several lines: what each says behind its bullet that stands in another behind a sign for whether it is done. */
function itemsIn(value: string | number, text: string, known: string): readonly string[] {
  if (typeof value !== "string" || !value.includes("\n")) return [];
  const written = new Set(value.split("\n").map((line) => line.replace(BULLET, "").trimEnd()));
  return signedItems(text)
    .map(({ item }) => item)
    .filter((item) => item.length > 1 && written.has(item) && !known.includes(item))
    .slice(0, MAX_WRITTEN);
}

/** All that a text says behind one of several signs for whether it is done, where later calls have the number of these. */
function countedItems(later: readonly RecordedCall[], text: string): readonly string[] {
  const items = signedItems(text);
  if (items.length === 0) return [];
  const leaves = later.flatMap(({ args }) => leavesOf(args)).filter((leaf) => leaf.length <= MAX_MADE);
  const numbers = new Set(leaves.flatMap((leaf) => leaf.match(/\d+/g) ?? []));
  const own = [...Map.groupBy(items, ({ sign }) => sign).values()].find(
    (each) => each.length > 1 && each.length < items.length && numbers.has(String(each.length)),
  );
  return (own ?? []).map(({ item }) => item).slice(0, MAX_WRITTEN);
}

function signedItems(text: string): readonly { readonly sign: string; readonly item: string }[] {
  return text.split("\n").flatMap((line) => {
    const [start = "", sign = ""] = CHECKBOX.exec(line) ?? [];
    return start === "" ? [] : [{ sign, item: line.slice(start.length).trimEnd() }];
  });
}

const BULLET = /^\s*[-*+] (?:\[.\] )?/u;

function stands(piece: string, text: string): boolean {
  if (!/[\p{L}\p{N}]$/u.test(piece) || /^[\s:;,=]/.test(piece)) return false;
  const places = placesOf(text, piece);
  // The year of a day is no number by itself.
  return /^\d+$/.test(piece)
    ? places.some(
        (at) => !/\d[-.:/]$/.test(text.slice(0, at)) && !/^[-.:/]\d/.test(text.slice(at + piece.length)),
      )
    : places.length > 0;
}

/** Whether a part of a value says more than words do: with digits, or by itself between marks. */
function isTelling(value: string, start: number, end: number): boolean {
  const piece = value.slice(start, end);
  const isBetween = /[/._:@#-]$/.test(value.slice(0, start)) && /^(?:[/._:@#-]|$)/.test(value.slice(end));
  return piece.length > 1 && (/\d/.test(piece) || (isBetween && /^\S*\p{L}{3}/u.test(piece)));
}

/** Forms with what is left to find in the texts that they read. */
function withBlocks(
  found: readonly (readonly TextForm[])[],
  texts: readonly UsedText[],
): readonly (readonly TextForm[])[] {
  const left = new Set(texts);
  return [...found, []].flatMap((forms) => {
    const own = [...left].filter(({ text }) => forms.every((form) => readText(text, form) !== undefined));
    for (const each of own) left.delete(each);
    const used = own.filter(({ wanted }) => wanted.length > 0);
    const tree = used.length === 0 ? undefined : treeForm(used, forms);
    if (tree && own.every(({ text }) => readText(text, tree) !== undefined)) return [[...forms, tree]];
    const blocks = used.length === 0 ? undefined : blocksForm(used, forms);
    if (!blocks) return forms.length === 0 ? [] : [forms];
    const isAll = own.length === used.length || own.every(({ text }) => readText(text, blocks) !== undefined);
    const whole = withoutLines(forms, blocks, used);
    return isAll || forms.length === 0 ? [whole] : [whole, forms];
  });
}

/** Forms with blocks; where blocks tell by themselves all of use that lines tell, without those, which suppose more. */
function withoutLines(
  forms: readonly TextForm[],
  blocks: TextForm,
  used: readonly UsedText[],
): readonly TextForm[] {
  const others = forms.filter(({ kind }) => kind !== "lines");
  const alone = others.length === forms.length ? undefined : blocksForm(used, others);
  const isTold = used.every(({ text, wanted }) => {
    const [all, own] = [
      [...forms, blocks],
      [...others, ...(alone ? [alone] : [])],
    ].map((each) => new Set(each.flatMap((form) => leavesOf(readText(text, form) ?? null))));
    return wanted.every((value) => own?.has(String(value)) === true || all?.has(String(value)) !== true);
  });
  return alone && isTold ? [...others, alone] : [...forms, blocks];
}

/**
 * The forms of all the texts; where they have none in common, or say nothing alike while those of one kind do, those of the
 * texts that are of one kind.
 */
function formsOf(texts: readonly string[], used: ReadonlySet<string>): readonly (readonly TextForm[])[] {
  const shared = textForms(texts, used);
  const apart = apartForms(texts, shared);
  if (apart.length > 0) return apart;
  if (shared.some(saysAlike)) return [shared];
  const alike = Map.groupBy(texts, (text) =>
    textForms([text], used)
      .map(({ kind }) => kind)
      .join(" "),
  );
  const own = [...alike.values()].flatMap((each) => {
    const forms = textForms(each, used);
    const ownApart = apartForms(each, forms);
    return ownApart.length > 0 ? ownApart : [forms];
  });
  const telling = own.filter((forms) => forms.some(saysAlike));
  // What reads any text comes last.
  if (shared.length > 0 && telling.length < own.length) return [...telling, shared];
  return own.filter((forms) => forms.length > 0);
}

/** The forms of tables that are about different things, where all texts are such. */
function apartForms(
  texts: readonly string[],
  [first]: readonly TextForm[],
): readonly (readonly TextForm[])[] {
  if (first?.kind === "rows") return tablesApart(texts, first).map((form) => [form]);
  return first?.kind === "lines" || first === undefined ? unlikeTables(texts).map((form) => [form]) : [];
}

/** Whether texts of a form have more in common than that there are lines, of which some have labels. */
function saysAlike(form: TextForm): boolean {
  if (form.kind === "fields") return form.fields.some(({ optional }) => optional !== true);
  if (form.kind === "blocks")
    return form.parts.some(({ lines }) =>
      lines.some(({ begins, form: said }) => begins !== "" || said.length > 1),
    );
  return form.kind !== "lines" || form.line.length > 1;
}

/** Texts at fixed places of an answer that say more than one thing, or all that the answer says. */
function* textsIn(
  value: Json,
  path: readonly string[] = [],
  isAll = true,
): Generator<readonly [readonly string[], string]> {
  if (typeof value === "string") {
    if (value.trim() !== "" && (isAll || value.includes("\n"))) yield [path, value];
  } else if (isJsonObject(value) && path.length < MAX_DEPTH && !isMap(value)) {
    const entries = Object.entries(value);
    for (const [key, inner] of entries) yield* textsIn(inner, [...path, key], isAll && entries.length === 1);
  }
}

/** The trace with its answers as they are read. */
export function readTrace(trace: RecordedTrace, readings: Readings): RecordedTrace {
  if (readings.size === 0) return trace;
  const read = (call: RecordedCall): RecordedCall => {
    const reads =
      call.error === undefined && !call.reads ? readingsOf(call, readings.get(call.tool) ?? []) : [];
    const result = reads.length === 0 ? undefined : readAnswer(call.result, reads);
    return result === undefined ? call : { ...call, result, reads };
  };
  return { ...trace, calls: trace.calls.map(read) };
}

function readingsOf({ result }: RecordedCall, places: readonly PlaceReading[]): readonly TextReading[] {
  return places.flatMap(({ path, forms }) => {
    const found = forms.find((each) => readAnswer(result, [{ path, forms: each }]) !== undefined);
    return found ? [{ path, forms: found }] : [];
  });
}

/** How a plan reads the answers of its calls. */
export function readingsIn({ steps }: Pick<Plan, "steps">): Readings {
  const calls = callsIn(steps).filter(({ reads = [] }) => reads.length > 0);
  const byTool = Map.groupBy(calls, ({ tool }) => tool);
  return new Map(
    [...byTool].map(([tool, own]) => {
      const places = Map.groupBy(
        own.flatMap(({ reads = [] }) => reads),
        ({ path }) => JSON.stringify(path),
      );
      return [
        tool,
        [...places.values()].map((reads) => ({
          path: reads[0]?.path ?? [],
          forms: bareLast([...new Map(reads.map(({ forms }) => [JSON.stringify(forms), forms])).values()]),
        })),
      ];
    }),
  );
}

/** What says no more than that there are lines reads any text: it comes last. */
function bareLast(forms: readonly (readonly TextForm[])[]): readonly (readonly TextForm[])[] {
  return forms.toSorted((a, b) => Number(!a.some(saysAlike)) - Number(!b.some(saysAlike)));
}

function callsIn(steps: readonly Step[]): readonly CallStep[] {
  return namedSteps(steps).filter((step) => step.kind === "call");
}

/** An answer that is read with other texts in it. */
export function mapTexts(
  answer: Json,
  reads: readonly TextReading[],
  change: (text: string, form: TextForm) => string,
): Json {
  const at = (value: Json, path: readonly string[], forms: readonly TextForm[]): Json => {
    const [key, ...rest] = path;
    if (!isJsonObject(value)) return value;
    if (key !== undefined) return { ...value, [key]: at(value[key] ?? null, rest, forms) };
    const { text } = value;
    return typeof text === "string" ? { ...value, text: forms.reduce(change, text) } : value;
  };
  return reads.reduce((read: Json, { path, forms }) => at(read, path, forms), answer);
}

/** What a tool had answered before it was read. */
export function rawAnswer({ result, reads = [] }: Pick<RecordedCall, "result" | "reads">): Json {
  return reads.reduce((answer: Json, { path }) => withText(answer, path), result);
}

function withText(answer: Json, path: readonly string[]): Json {
  const [key, ...rest] = path;
  if (!isJsonObject(answer)) return answer;
  if (key === undefined) return answer["text"] ?? null;
  return { ...answer, [key]: withText(answer[key] ?? null, rest) };
}

/** What is left of an answer that was read where code gives it back: what is used of it, without what is read only when asked for. */
export function givenAnswer(
  { result, reads = [] }: Pick<RecordedCall, "result" | "reads">,
  uses: readonly AnswerUse[],
): Json {
  const used = usedReads(reads, uses);
  const read = readAnswer(rawAnswer({ result, reads }), used) ?? result;
  return used
    .filter(({ forms }) => forms.some(({ kind }) => kind === "sections"))
    .reduce((answer, { path }) => withTitles(answer, path), read);
}

function withTitles(answer: Json, path: readonly string[]): Json {
  const [key, ...rest] = path;
  if (!isJsonObject(answer)) return answer;
  if (key !== undefined) return { ...answer, [key]: withTitles(answer[key] ?? null, rest) };
  const { sections } = answer;
  if (!Array.isArray(sections)) return answer;
  const titles = (sections as readonly Json[]).map((section) => ({
    title: valueAt(section, ["title"]) ?? "",
  }));
  return { ...answer, sections: titles };
}

/** Of readings what is used: the forms that the plan looks into, with the fields that are used. */
export function usedReads(reads: readonly TextReading[], uses: readonly AnswerUse[]): readonly TextReading[] {
  return reads.flatMap(({ path, forms }) => {
    const inside = usesInside(path, uses);
    const used = forms.flatMap((form) => usedForm(form, inside) ?? []);
    return used.length === 0 ? [] : [{ path, forms: used }];
  });
}

/**
 * The plan with those texts as they were answered of which nothing is used but the whole, though what is open would use more:
 * code reads no text that it does not look into.
 */
export function withUnreadTexts(plan: Plan): Plan {
  const uses = answerUses(plan);
  const unread = callsIn(plan.steps).flatMap(({ name, reads = [] }) =>
    reads
      .filter((read) => usedReads([read], uses.get(name) ?? []).length === 0)
      .map(({ path }) => ({ name, path })),
  );
  if (unread.length === 0) return plan;
  return mapPlanExpressions(plan, (part) => {
    if (part.kind !== "field" || part.of.kind !== "ref") return part;
    const { of, path, as } = part;
    const found = unread.find(({ name, path: at }) => of.name === name && startsWith(path, [...at, "text"]));
    if (!found) return part;
    const whole = path.toSpliced(found.path.length, 1);
    return whole.length > 0 ? { ...part, path: whole } : { ...of, ...(as ? { as } : {}) };
  });
}

function usesInside(path: readonly string[], uses: readonly AnswerUse[]): readonly AnswerUse[] {
  return uses.flatMap((use) =>
    startsWith(use.path, path) ? [{ ...use, path: use.path.slice(path.length) }] : [],
  );
}

function usedForm(form: TextForm, uses: readonly AnswerUse[]): TextForm | undefined {
  const own = usesOf(form, uses);
  if (own.length === 0) return undefined;
  const names = new Set(own.map(({ path: [, name] }) => name));
  const isUsed = (label: string): boolean =>
    [label, writtenName(label), listName(label)].some((name) => names.has(name));
  switch (form.kind) {
    case "json":
    case "yaml":
    case "lines":
    case "tree":
      return form;
    case "sections": {
      const parts = form.parts.flatMap(({ as, form: inner }) => {
        const uses_ = usesOfPart(as, inner, own);
        const isWhole = uses_.length > 0 && uses_.every(({ path }) => path.length === 1);
        // By all that labels say, a part may be found: what is taken from it are single ones.
        const used = isWhole
          ? inner
          : usedForm(
              inner,
              uses_.filter(({ path }) => inner.kind !== "fields" || path.length > 1),
            );
        return used ? [{ as, form: used }] : [];
      });
      const { hasBody: _, ...plain } = form;
      return { ...plain, parts, ...(form.hasBody === true && names.has(BODY) ? { hasBody: true } : {}) };
    }
    case "fields": {
      // Another text of the form has other fields: they are no list.
      const fields = form.fields.filter(({ label }) => isUsed(label));
      return names.has(undefined) || fields.length === 0 ? undefined : { ...form, fields };
    }
    case "rows":
    case "records": {
      const [first] = form.fields;
      if (names.has(EVERYTHING)) return form;
      const isFirst = (label: string): boolean => form.kind === "records" && label === first?.label;
      const fields = form.fields.filter(({ label }) => isUsed(label) || isFirst(label));
      return fields.length === 0 ? form : { ...form, fields };
    }
    case "blocks": {
      const parts = form.parts.flatMap((part) => {
        const inside = own.filter(({ path: [, as] }) => as === part.as).map(({ path: [, , name] }) => name);
        const isAsked = (field: Template[number]): boolean =>
          typeof field !== "string" &&
          [field.name, writtenName(field.name)].some((name) => inside.includes(name));
        const lines = inside.includes(EVERYTHING)
          ? part.lines
          : part.lines.filter((line) => line.form.some(isAsked));
        return inside.length === 0 ? [] : [{ ...part, lines: lines.length === 0 ? part.lines : lines }];
      });
      return parts.length === 0 ? undefined : { ...form, parts };
    }
  }
}

/** What is used of what parts say under a name. */
function usesOfPart(as: string, { kind }: TextForm, uses: readonly AnswerUse[]): readonly AnswerUse[] {
  return uses.flatMap(({ path: [, name, ...inner], isWritten }) =>
    name === as ? [{ path: [kind, ...inner], isWritten }] : [],
  );
}

/** The form with each field of the kind as which it is used: a number that becomes part of a text is as it was written. */
function withKindsAsUsed(form: TextForm, uses: readonly AnswerUse[], said: SaidOf): TextForm {
  const own = usesOf(form, uses);
  const asUsed = kindAsUsed(own, said);
  switch (form.kind) {
    case "json":
    case "yaml":
    case "tree":
      return form;
    case "sections":
      return {
        ...form,
        parts: form.parts.map(({ as, form: inner }) => ({
          as,
          form: withKindsAsUsed(inner, usesOfPart(as, inner, own), said),
        })),
      };
    case "lines":
      return {
        ...form,
        line: templateAsUsed(
          form.line.map((part) => (typeof part === "string" ? part : listAsUsed(part, part.name, own))),
          asUsed,
        ),
      };
    case "blocks": {
      const parts = form.parts.map((part) => ({
        ...part,
        lines: part.lines.map((line) => ({
          ...line,
          form: templateAsUsed(line.form, kindAsUsed(usesOfPart(part.as, form, own), said)),
        })),
      }));
      return { ...form, parts };
    }
    case "fields":
    case "rows":
    case "records": {
      const fields = form.fields.map((each) => {
        const field = listAsUsed(each, each.label, own);
        if (field.list) return field;
        const is = asUsed(field.label, field.is, "text");
        return withKind(field, isLabelledKind(is) ? is : "text");
      });
      return { ...form, fields };
    }
  }
}

type KindAsUsed = (name: string, is: TemplateField["is"], text: "text" | "word") => TemplateField["is"];

/** What the texts that were seen say under a name. */
type SaidOf = (name: string) => readonly string[];

/** How what stands under a name, behind a form's key, is used; what is used as a text is of the kind that all had. */
function kindAsUsed(own: readonly AnswerUse[], said: SaidOf): KindAsUsed {
  const asUsed = plainKindAsUsed(own);
  return (name, is, text) => {
    const kind = asUsed(name, is, text);
    const isUsed = (kind === "text" || kind === "word") && own.some(({ path }) => path[1] === name);
    return (isUsed ? commonKind(said(name)) : undefined) ?? kind;
  };
}

function plainKindAsUsed(own: readonly AnswerUse[]): KindAsUsed {
  return (name, is, text) => {
    const written = new Set(
      own.flatMap(({ path, isWritten }) =>
        path[1] === writtenName(name) ? [true] : path[1] === name ? [isWritten] : [],
      ),
    );
    // What nothing uses may be written otherwise in another text.
    if (is === "amount" || is === "date") {
      const isUsed = (wanted: string): boolean => own.some(({ path }) => path[1] === wanted);
      return isUsed(name) ? is : isUsed(writtenName(name)) ? text : "text";
    }
    if ((is !== "number" && is !== "decimal") || !written.has(true)) return is;
    if (!written.has(false)) return text;
    // What is calculated or compared with is written as the number that it is.
    return own.some(({ path, isWritten }) => path[1] === name && isWritten) ? "figure" : "decimal";
  };
}

/** The field as a list only where that is used: a text may have anything between its words. */
function listAsUsed<Field extends TemplateField | LabelledField>(
  field: Field,
  name: string,
  own: readonly AnswerUse[],
): Field {
  if (own.some(({ path }) => path[1] === listName(name) || path[1] === EVERYTHING)) return field;
  return withoutList(field);
}

function templateAsUsed(template: Template, asUsed: KindAsUsed): Template {
  return template.map((part) =>
    typeof part === "string" || part.list ? part : withKind(part, asUsed(part.name, part.is, "word")),
  );
}

/** The field with what is said of amounts where it is one. */
function withKind<Field extends TemplateField | LabelledField>(field: Field, is: Field["is"]): Field {
  if (is === "amount") return { ...field, is };
  const { decimal: _, before: _before, after: _after, ...plain } = field;
  return { ...plain, is } as Field;
}

function usesOf(form: TextForm, uses: readonly AnswerUse[]): readonly AnswerUse[] {
  return uses.filter(({ path: [key] }) => FORM_KEYS[form.kind].some((each) => each === key));
}

/**
 * Of these readings what the plan uses, or would use with another answer to what is open. Where a step's answers were read
 * in several ways, there is none for its tool.
 */
export function usedReadings(
  readings: Readings,
  {
    plan,
    choices,
  }: { readonly plan: Pick<Plan, "steps" | "output">; readonly choices: readonly OpenChoice[] },
  unlike: ReadonlySet<string>,
  traces: readonly RecordedTrace[],
): Readings {
  const open = choices.flatMap(({ question, alternatives }) => (question === undefined ? [] : alternatives));
  const uses = answerUses(plan, open);
  const calls = callsIn(plan.steps);
  return new Map(
    [...readings].flatMap(([tool, places]) => {
      if (unlike.has(tool)) return [];
      const own = calls.filter((call) => call.tool === tool).flatMap(({ name }) => uses.get(name) ?? []);
      const left = places.flatMap(({ path, forms }): readonly PlaceReading[] => {
        const inside = usesInside(path, own);
        const texts = textsAt(tool, path, traces);
        const kept = forms.flatMap((each) =>
          usedReads([{ path, forms: each }], own).map((read) =>
            read.forms.map((form) => narrowForm(form, inside, texts)),
          ),
        );
        return kept.length === 0 ? [] : [{ path, forms: kept }];
      });
      return left.length === 0 ? [] : [[tool, left] as const];
    }),
  );
}

/** A form as it is used, with fields as narrow as the texts that were seen, which it reads as before. */
function narrowForm(form: TextForm, uses: readonly AnswerUse[], texts: readonly string[]): TextForm {
  const read = texts.flatMap((text) => readText(text, form) ?? []);
  const plain = withKindsAsUsed(form, uses, () => []);
  const narrow = withKindsAsUsed(form, uses, (name) => read.flatMap((each) => saidIn(each, name)));
  const isSame = texts.every(
    (text) => JSON.stringify(readText(text, plain)) === JSON.stringify(readText(text, narrow)),
  );
  return isSame ? narrow : plain;
}

/** What stands in a reading under a name, but for nothing. */
function saidIn(value: Json, name: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => saidIn(each, name));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && (typeof inner === "string" || typeof inner === "number")
      ? [String(inner)].filter((each) => each !== "")
      : saidIn(inner, name),
  );
}

/** The texts at a place of a tool's answers. */
function textsAt(tool: string, path: readonly string[], traces: readonly RecordedTrace[]): readonly string[] {
  const calls = traces.flatMap((trace) => trace.calls.filter((call) => call.tool === tool && !call.error));
  return calls.flatMap((call) => {
    const at = path.reduce(
      (value: Json | undefined, key) => (isJsonObject(value) ? value[key] : undefined),
      rawAnswer(call),
    );
    return typeof at === "string" ? [at] : [];
  });
}

interface OpenChoice {
  readonly question?: string | undefined;
  readonly alternatives: readonly Expression[];
}

export function isSameReadings(a: Readings, b: Readings): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b]);
}

function startsWith(path: LookedInto, start: readonly string[]): boolean {
  return start.every((each, nth) => path[nth] === each);
}

/** The readings of calls that one step makes; undefined where they are not all read alike. */
export function sharedReadings(
  calls: readonly (RecordedCall | undefined)[],
): readonly TextReading[] | undefined {
  const [first = [], ...others] = calls.map((call) => call?.reads ?? []);
  const text = JSON.stringify(first);
  return others.every((each) => JSON.stringify(each) === text) ? first : undefined;
}
