import type { Json } from "../../core/json/json.ts";
import {
  CHECKBOX,
  LABELLED,
  NO_ELEMENT,
  NOTHING,
  OTHER_HEADING,
  REMARK,
  SHAPES,
  SUBTOTAL,
  TITLE,
  TOTAL,
  type TextForm,
  TWO_ELEMENTS,
  UNDERLINE,
} from "../texts/text-form.ts";
import { DRAWN, REMARKED_NAME } from "../texts/text-tree.ts";
import { MONTH_NAMES } from "../texts/written-values.ts";

const ENTRIES_OF = (
  written: string,
): string => String.raw`type TextField = { label: string; is: string; optional?: boolean; empty?: boolean; quote?: string; list?: string; last?: string; decimal?: string; before?: string; after?: string; isFollowed?: boolean };

/** What a text says, by its name. */
function entriesOf(name: string, said: string, field: { is: string; empty?: boolean; list?: string; last?: string; decimal?: string; before?: string; after?: string }): (readonly [string, string | number | string[]])[] {
  const { is, empty } = field;
  const writtenName = /^\w+$/.test(name) ? name + "Text" : name + " text";
  if (is === "number" || is === "decimal" || is === "figure") {
    if (!/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(said) || /^-?[1-9]\d{0,2}\.\d{3}$/.test(said))
      throw new Error("A text is no number: " + said.slice(0, 200));
    if (is === "figure" && String(Number(said)) !== said)
      throw new Error("A number is written otherwise than when the skill was learned: " + said.slice(0, 200));
    return is === "number" ? [[name, Number(said)]] : [[name, Number(said)], [writtenName, said]];
  }${written}
  if (is === "mark") return [[name, said.trim() === "" ? "" : said]];
  if (is === "remark") return [[name, said.trim()]];
  if (said === "" && !empty) throw new Error("A text says nothing of " + name);
  const isNothing = ${String(NOTHING)};
  if (said !== "" && !empty && isNothing.test(said)) throw new Error("A text says that there is nothing for " + name + ": " + said.slice(0, 200));
  const isRemark = /^[\s([{<…]|^\.{3}|[.!?:;,…。！)\]}>]$|(?<!\S)\d+(?!\S)/u.test(said) || isNothing.test(said);
  const forms: { [kind: string]: RegExp } = { name: /^/, term: /^\S*$/, path: /[/\\]/, file: /\.\p{L}\w{0,7}$/u };
  const form = forms[is];
  if (form && said !== "" && (isRemark || !form.test(said)))
    throw new Error("A line is not one of a list as those that the skill was learned from: " + said.slice(0, 200));
  const shapes: { [kind: string]: RegExp } = { day: ${String(SHAPES.day)}, time: ${String(SHAPES.time)}, code: ${String(SHAPES.code)} };
  const shape = shapes[is];
  if (shape && said !== "" && !shape.test(said)) throw new Error("A text is no " + is + " as those that the skill was learned from: " + said.slice(0, 200));
  if (field.list === undefined) return [[name, said]];
  const { list, last = "" } = field;
  const end = last === "" ? -1 : said.lastIndexOf(last);
  const cut = end < 0 ? said.split(list) : [...said.slice(0, end).split(list), said.slice(end + last.length)];
  const elements = said === "" || isNothing.test(said) ? [] : cut.map((each) => each.trim());
  const isJoined = (element: string): boolean => ${String(TWO_ELEMENTS)}.test(element);
  const joined = elements.filter(isJoined).length;
  const isOtherwise = last === "" ? joined === 1 && elements.slice(-1).some(isJoined) : joined > 0 || (end < 0 ? cut.length > 1 : cut.length === 2);
  if (isOtherwise || elements.some((each) => each === "" || (list.startsWith(",") && each.includes(",")) || ${String(NO_ELEMENT)}.test(each)))
    throw new Error("A list in a text is written otherwise than those that the skill was learned from: " + said.slice(0, 200));
  return [[name, said], [/^\w+$/.test(name) ? name + "List" : name + " list", elements]];
}`;

/** What printed code reads texts with: `texts/text-form.ts` reads them in the same way while skills are learned. */
export const TEXT_HELPERS = {
  withText: `/** An answer in which a text stands as what it says. */
function withText(answer: any, path: readonly string[], read: (text: string) => object): any {
  const [key, ...rest] = path;
  if (key !== undefined) return { ...answer, [key]: withText(answer?.[key], rest, read) };
  if (typeof answer !== "string") throw new Error("An answer is no text, as it was when the skill was learned");
  return { text: answer, ...read(answer) };
}`,
  jsonOf: String.raw`/** JSON in a text. */
function jsonOf(text: string): { json: any } {
  // Python writes such values in its own way.
  const dayOf = (said: string) => {
    const [year = "", month, date, hour, minute, second = "00", parts] = said.split(", ").map((number) => number.padStart(2, "0"));
    const time = hour === undefined ? "" : "T" + hour + ":" + minute + ":" + second;
    return '"' + year.padStart(4, "0") + "-" + month + "-" + date + time + (parts === undefined ? "" : "." + parts.padStart(6, "0")) + '"';
  };
  const jsonText = () => !/^\s*[[{][^]*'/.test(text) ? text : text.replace(/"(?:[^"\\\n]|\\.)*"|\b(?:Decimal|UUID)\('([\w.+-]*)'\)|'((?:[^'\\\n]|\\.)*)'|\bdatetime\.date(?:time)?\((\d+(?:, \d+){2,6})\)|\b(?:True|False|None)\b/g, (said, plain, inner, day) =>
    plain !== undefined ? '"' + plain + '"'
    : day !== undefined ? dayOf(day)
    : inner === undefined
      ? said.startsWith('"') ? said : said === "None" ? "null" : said.toLowerCase()
      : '"' + inner.replace(/\\x(\w\w)|\\.|"/g, (sign: string, hex?: string) => (hex !== undefined ? "\\u00" + hex : sign === '"' ? '\\"' : sign === "\\'" ? "'" : sign)) + '"');
  // A whole number that no number can be stands as its digits.
  const digits = (said: string) => said.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (part) => (part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : '"' + part + '"'));
  const json = (() => {
    try {
      return JSON.parse(digits(jsonText()));
    } catch {
      const [inner = text] = /\{[^]*\}|\[\s*\{[^]*\}\s*\]/.exec(text) ?? [];
      if (inner === text) throw new Error("A text is no JSON: " + text.slice(0, 200));
      return JSON.parse(digits(inner));
    }
  })();
  if (typeof json !== "object" || json === null) throw new Error("A text is no JSON object or list");
  return { json };
}`,
  fieldsOf: `/** What labelled lines of a text say. */
function fieldsOf(text: string, mark: string, fields: readonly TextField[]): { fields: any } {
  return { fields: labelledIn(markedLinesIn(text), mark, fields) };
}`,
  linesOf: `/** What each line of a text says, but for some lines above and below. */
function linesOf(text: string, line: Template, around: Around = { head: [], tail: [] }, isSpaced = false, isUnbroken = false): { lines: any[]; around?: any } {
  if (isUnbroken && /\\S[^\\S\\n]*\\n[^\\S\\n]*\\n\\s*\\S/.test(text)) throw new Error("A text has an empty line, as none had when the skill was learned");
  const all = linesIn(text);
  const end = all.length - around.tail.length;
  if (end < around.head.length) throw new Error("A text has fewer lines than when the skill was learned");
  const items = all.slice(around.head.length, end);
  if (items.length > 1 && TOTAL.test(items[items.length - 1] ?? "")) throw new Error("A list ends with a total, as none did when the skill was learned");
  if (items.slice(1).some((each) => SUBTOTAL.test(each))) throw new Error("A list adds up some of its lines, as none did when the skill was learned");
  const lines = items.map((each) => recordIn(isSpaced ? each.trim().replace(/ +/g, " ") : each, line));
  return { lines, ...aroundOf(all.slice(0, around.head.length), all.slice(end), around, items.length) };
}`,
  rowsOf: `/** The rows of a table in a text. */
function rowsOf(text: string, delimiter: string, fields: readonly TextField[], around: Around = { head: [], tail: [] }): { rows: any[]; around?: any } {
  const { cells, above, below } = tableIn(text, delimiter);
  const [head = [], ...rows] = cells;
  const missing = fields.find(({ label }) => !head.includes(label));
  if (missing) throw new Error(\`A text is not the table that is expected: it has no \${missing.label}\`);
  if (new Set(head).size < head.length || rows.some((row) => row.length !== head.length))
    throw new Error("A text is not the table that is expected");
  if (head[0] !== "" && rows.some(([first]) => first === "")) throw new Error("A row of a table may go on from the one above it");
  const rowOf = (row: string[]) =>
    fields.flatMap((field) => entriesOf(field.label, unquoted(row[head.indexOf(field.label)] ?? "", field.quote), field));
  return { rows: rows.map((row) => Object.fromEntries(rowOf(row))), ...aroundOf(above, below, around, rows.length) };
}`,
  recordsOf: String.raw`/** What a text says of one thing after the other, each from its first label on. */
function recordsOf(text: string, mark: string, fields: readonly TextField[], isBare = false): { records: any[] } {
  const all = markedLinesIn(text);
  const starts = [...all.keys()].filter((at) => labelled(all[at] ?? "", mark)?.[0] === fields[0]?.label);
  const blocks = starts.map((start, nth) => all.slice(start, starts[nth + 1]));
  if (isBare && blocks.some((lines) => lines.some((line) => !labelled(line, mark))))
    throw new Error("A text says more than its records, as none did when the skill was learned");
  const first = fields[0]?.label;
  const isAmong = (label = "") =>
    label !== first && label.replace(/\s*[([].*$/, "").split(/[,;/]|\s(?:and|und|et|og|och|[&+])\s/).some((each) => each.trim() === first);
  const among = all.map((line) => labelled(line, mark)?.[0]).find(isAmong);
  if (among !== undefined) throw new Error("Whether " + among + " is meant by " + first + " was not seen when the skill was learned");
  return { records: blocks.map((lines) => labelledIn(lines, mark, fields)) };
}`,
  treeOf: String.raw`/** What each line of an outline or a drawn tree says, with the names of those that it stands below, where these are clear. */
function treeOf(text: string, mark: string): { tree: any[] } {
  if (/^\t/m.test(text) && /^ /m.test(text)) throw new Error("A text is indented by tabs and by spaces");
  const nodes: { name: string; value: string | undefined; indent: number; above: number }[] = [];
  const open: number[] = [];
  const linesOf = (inner: any, indent: string): string[] =>
    inner.flatMap(({ name, children = [] }: any) => {
      if (!/^[^\s:*•+-][^:\n]*$/.test(name)) throw new TypeError("A name is no line of an outline");
      return [indent + name, ...linesOf(children, indent + "  ")];
    });
  const outline = () => {
    try {
      const value = JSON.parse(text);
      return linesOf(Array.isArray(value) ? value : [value], "").join("\n");
    } catch {
      return text;
    }
  };
  for (const line of (/^\s*[[{]/.test(text) ? outline() : text).split("\n").map((each) => each.trimEnd())) {
    const indent = ${String(DRAWN)}.exec(line)?.[0].length ?? 0;
    const said = line.slice(indent).replace(/^(?:[-*•+]|\d+[.)])\s+/, "").replace(/(?<=[^\s:/])[:/]$/, "");
    if (said === "") continue;
    while (open.length > 0 && (nodes[open[open.length - 1] ?? 0]?.indent ?? 0) >= indent) open.pop();
    const [, name = said, value] = /^([^:]{1,60}?):\s+(\S.*)$/.exec(said) ?? [];
    open.push(nodes.push({ name, value, indent, above: open[open.length - 1] ?? -1 }) - 1);
  }
  const isOneRoot = new Set(nodes.flatMap(({ above }) => ((nodes[above]?.above ?? 0) < 0 ? [above] : []))).size === 1;
  if (nodes.every(({ above }) => above < 0)) throw new Error("A text is no tree, as it was when the skill was learned");
  const tree: any[] = [];
  for (const { name, value, above } of nodes) {
    const over = tree[above];
    // A name with the mark or a remark in it could be several, or none that a path has.
    const isClear = over
      ? over.path !== "" && !name.includes(mark) && !${String(REMARKED_NAME)}.test(over.name)
      : isOneRoot || !name.includes(mark);
    const path = !over || over.path === "." ? name : over.path + (over.path.endsWith(mark) ? "" : mark) + name;
    tree.push({ name, parent: over?.name ?? "", path: isClear ? path : "", ...(value === undefined ? {} : { value }) });
  }
  return { tree };
}`,
  blocksOf: String.raw`type KnownLine = { begins: string; form: Template; at?: number; isFollowed?: boolean; isTitle?: boolean };

/** What some lines of a text say, or of each block of it. */
function blocksOf(text: string, parts: readonly { as: string; start?: KnownLine; lines: readonly KnownLine[]; count?: KnownLine; mayLack?: boolean }[]): { blocks: any } {
  const all = markedLinesIn(text);
  const refuse = (what: string): never => {
    throw new Error("A text is not written as those that the skill was learned from: " + what.slice(0, 200));
  };
  const leadOf = ([first, lead]: Template) => (typeof first === "object" && first.is === "gap" && typeof lead === "string" ? lead : undefined);
  const leadsIn = (line: string, lead: string) => {
    const begin = /^\s/.test(lead) ? "(?<!\\S)" : /^[\p{L}\p{N}]/u.test(lead) ? "(?<![\\p{L}\\p{N}])" : "";
    return [...line.matchAll(new RegExp(begin + literalPattern(lead.trimStart()), "giu"))].length;
  };
  const isKnown = (line: string, { begins, form }: KnownLine) => {
    if (begins !== "") return line.startsWith(begins);
    const lead = leadOf(form);
    return lead === undefined ? hasForm(line.trimEnd(), form) : !line.startsWith(">") && leadsIn(line, lead) > 0;
  };
  const blockIn = (block: string[], lines: readonly KnownLine[]) => {
    const said: any = {};
    let last = 0;
    for (const each of lines) {
      const [at, ...others] = [...block.keys()].filter((nth) => (each.at === undefined || nth === each.at) && isKnown(block[nth] ?? "", each));
      if (at === undefined || at < last || others.length > 0) return refuse((at === undefined ? "a line is missing below " : "a line is doubled or elsewhere below ") + (block[0] ?? ""));
      last = at;
      const line = block[at] ?? "";
      const lead = leadOf(each.form);
      if (lead !== undefined && leadsIn(line, lead) > 1) return refuse("it says several times " + lead);
      Object.assign(said, recordIn(each.isFollowed || !mayGoOn(each.form[each.form.length - 1]) ? line.trimEnd() : line, each.form));
    }
    return said;
  };
  const filled = text.split("\n").map((line) => line.trimEnd());
  const places = [...filled.keys()].filter((nth) => filled[nth] !== "");
  const isTitle = (at: number) => {
    const line = filled[places[at] ?? 0] ?? "";
    const next = places[at + 1] ?? 0;
    const isSetOff = next > (places[at] ?? 0) + 1 || ${String(UNDERLINE)}.test(filled[next] ?? "");
    return isSetOff && ${String(TITLE)}.test(line) && !${String(LABELLED)}.test(line);
  };
  const blocks: any = {};
  for (const { as, start, lines, count, mayLack } of parts) {
    if (lines.some((each) => each.isTitle && !isTitle(each.at ?? 0))) return refuse("it has no title");
    if (!start) {
      blocks[as] = blockIn(all, lines);
      continue;
    }
    const starts = [...all.keys()].filter((at) => isKnown(all[at] ?? "", start));
    const [first] = starts;
    const isCheckedAlike = (line: string) => {
      const [own, other] = [start.begins, line].map((each) => ${String(CHECKBOX)}.exec(each)?.[1]?.toLowerCase());
      return own !== undefined && other !== undefined && (other === own || !/[ x]/.test(other)) && !line.startsWith(start.begins);
    };
    if (all.some(isCheckedAlike)) return refuse("a thing to do has another sign");
    if (first === undefined && !mayLack) return refuse("nothing begins as what it looks for");
    const last = starts[starts.length - 1] ?? 0;
    const marks = start.form.flatMap((part) => (typeof part === "string" && part.trim() !== "" ? [part.trim()] : []));
    const resembles = (line: string) => marks.length > 1 && marks.filter((mark) => line.includes(mark)).length * 2 > marks.length;
    const isSplit = start.begins === "" && first !== undefined && (last - first + 1 > starts.length || resembles(all[first - 1] ?? "") || resembles(all[last + 1] ?? ""));
    const isAbove = all.slice(0, first ?? 0).some((line) => lines.some((each) => each.at === undefined && each.begins !== "" && isKnown(line, each)));
    if (isSplit || isAbove) return refuse("other lines stand between or above its blocks");
    if (count && !Object.values(blockIn(all, [count])).includes(starts.length))
      throw new Error("A text tells of another number of elements than it has: its list may be cut");
    blocks[as] = starts.map((at, nth) => blockIn(all.slice(at, starts[nth + 1]), lines));
  }
  return { blocks };
}`,
  aroundOf: String.raw`type Around = { readonly head: readonly Template[]; readonly tail: readonly Template[]; readonly counts?: readonly (readonly [number, number])[] };

/** What the lines above and below a list say, where they are those that are expected and tell its number of elements. */
function aroundOf(above: string[], below: string[], { head, tail, counts = [] }: Around, count: number): { around?: any } {
  if (above.length !== head.length || below.length !== tail.length)
    throw new Error("A text says other things around a list than when the skill was learned");
  const all = [...above, ...below];
  const numbers = (line: string) => (line.match(/(?<![\w.,-])\d+(?![\w,]|\.\d)/g) ?? []).map(Number);
  if (counts.some(([line, nth]) => numbers(all[line] ?? "")[nth] !== count))
    throw new Error("A text tells of another number of elements than it has: its list may be cut");
  const around = Object.assign({}, ...[...head, ...tail].map((each, nth) => recordIn(all[nth] ?? "", each, true)));
  return Object.keys(around).length === 0 ? {} : { around };
}`,
  tableIn: String.raw`/** The only table in a text, and what stands above and below it. */
function tableIn(text: string, delimiter: string): { cells: string[][]; above: string[]; below: string[] } {
  const found = delimiter === "|" || delimiter === "  " ? drawnTable(text, delimiter) : delimitedTable(text, delimiter);
  const rows = found.cells.slice(1).map((row) => row.join(delimiter));
  const last = rows[rows.length - 1] ?? "";
  const isTotalled = rows.length > 1 && TOTAL.test(last);
  if (rows.slice(1, isTotalled ? -1 : undefined).some((row) => SUBTOTAL.test(row)))
    throw new Error("A table adds up some of its rows, as none did when the skill was learned");
  if (!isTotalled) return found;
  return { ...found, cells: found.cells.slice(0, -1), below: [last, ...found.below] };
}

function drawnTable(text: string, delimiter: string): { cells: string[][]; above: string[]; below: string[] } {
  const all = text.split("\n").map((line) => line.trimEnd());
  const isRule = (line: string) => /^[\s|:+-]*-[\s|:+-]*$/.test(line);
  const isRow = (line: string) => (delimiter === "|" ? line.includes("|") : / {2,}/.test(line.trim())) && !isRule(line);
  const start = all.findIndex(isRow);
  const length = all.slice(start).findIndex((line) => !isRow(line) && !isRule(line));
  const end = length < 0 ? all.length : start + length;
  const at = [...all.keys()].slice(start, end).filter((line) => isRow(all[line] ?? ""));
  const rest = all.slice(end).filter((line) => line !== "");
  const isBroken = at.some((line, nth) => nth > 1 && line !== (at[nth - 1] ?? 0) + 1);
  if (start < 0 || isBroken || rest.some(isRow)) throw new Error("A text is not the table that is expected");
  const cellsOf = (line: string) => delimiter === "  " ? line.trim().split(/ {2,}/) : line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  return {
    cells: at.map((line) => cellsOf(all[line] ?? "")),
    above: all.slice(0, start).filter((line) => line !== "" && !isRule(line)),
    below: rest.filter((line) => !isRule(line)),
  };
}

function delimitedTable(text: string, delimiter: string): { cells: string[][]; above: string[]; below: string[] } {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp('(?:"((?:[^"]|"")*)"|([^"\\n' + delimiter + "]*))(" + delimiter + "|\\n|$)", "gy");
  for (const [, quoted, plain = "", end] of text.trimEnd().replaceAll("\r\n", "\n").matchAll(cell)) {
    row.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === delimiter) continue;
    rows.push(row);
    row = [];
    if (end === "") break;
  }
  const last = rows.findLastIndex((each) => each.length > 1);
  if (row.length > 0 || last < 0) throw new Error("A text is not the table that is expected");
  const below = rows.slice(last + 1).flatMap(([only = ""]) => (only === "" ? [] : [only]));
  return { cells: rows.slice(0, last + 1), above: [], below };
}`,
  totals: `/** How a line begins that adds up the others. */
const TOTAL =
  ${String(TOTAL)};
/** How a line begins that adds up some. */
const SUBTOTAL =
  ${String(SUBTOTAL)};`,
  labelledIn: String.raw`function labelledIn(lines: readonly string[], mark: string, fields: readonly TextField[]): any {
  const found: (readonly [string, unknown])[] = [];
  for (const field of fields) {
    const [said, ...others] = lines.flatMap((line) => (labelled(line, mark)?.[0] === field.label ? [labelled(line, mark)] : []));
    if (said === undefined && field.optional) continue;
    if (said === undefined || others.length > 0)
      throw new Error("A text says " + (said === undefined ? "no " : "several times ") + field.label);
    if (!field.isFollowed && mayGoOn(field) && lines.some((line) => line.endsWith("\n") && labelled(line, mark)?.[0] === field.label))
      throw new Error("A text goes on in the line below " + field.label + ", as none did when the skill was learned");
    found.push(...entriesOf(field.label, unquoted(said[1], field.quote), field));
  }
  return Object.fromEntries(found);
}`,
  labelled: String.raw`/** What a line says behind a label. A line that quotes another says nothing. */
function labelled(line: string, mark: string): readonly [label: string, text: string] | undefined {
  const plain = line.replace(/^\s*(?:[*•-]\s+)?/, "").replace(/^(\*\*|__)(.+?)\1/, "$2") + " ";
  const end = plain.indexOf(mark);
  if (end <= 0 || plain.startsWith(">")) return undefined;
  const said = plain.slice(end + mark.length);
  return [plain.slice(0, end).trimEnd(), (mark === ".." ? said.replace(/^\.*/, "") : said).trim()];
}`,
  unquoted: String.raw`/** What stands between two marks. */
function unquoted(said: string, quote = ""): string {
  if (quote === "") return said;
  const closing = ({ "<": ">", "[": "]", "(": ")" } as { [quote: string]: string })[quote] ?? quote;
  const end = said.length - quote.length;
  if (end <= quote.length || !said.startsWith(quote) || said.indexOf(closing, quote.length) !== end)
    throw new Error("A text is not written as those that the skill was learned from: " + said.slice(0, 200));
  return said.slice(quote.length, end);
}`,
  recordIn: String.raw`type Template = readonly (string | { name: string; is: string; width?: number; empty?: boolean; list?: string; last?: string; decimal?: string; before?: string; after?: string })[];

/** What stands in a line where it differs from others of its form. */
function recordIn(line: string, template: Template, isAround = false): any {
  const shortest = patternOf(template, "?", isAround).exec(line);
  const longest = patternOf(template, "", isAround).exec(line);
  if (!shortest || !longest || shortest.some((part, nth) => part !== longest[nth]))
    throw new Error("A line does not have the form of those that the skill was learned from: " + line.slice(0, 200));
  const fields = template.filter((part) => typeof part !== "string");
  return Object.fromEntries(fields.flatMap((field, nth) => (field.is === "gap" ? [] : entriesOf(field.name, shortest[nth + 1] ?? "", field))));
}

function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ {2,}/g, " {2,}");
}

function hasForm(line: string, template: Template): boolean {
  return patternOf(template, "?", false).test(line);
}

function patternOf(template: Template, lazy: string, isAround: boolean): RegExp {
  const literal = (part: string) => {
    const source = literalPattern(part);
    return isAround ? source.replace(/(?<=\p{L}{2})(?:ies|y|s)?(?![\p{L}\p{N}])/gu, "(?:ies|y|s)?") : source;
  };
  return new RegExp(
    "^" +
      template
        .map((part, nth) => {
          if (typeof part === "string") return literal(part);
          if (part.is === "number" || part.is === "decimal" || part.is === "figure") return "(-?(?:0|[1-9]\\d{0,14})(?:\\.\\d{1,12})?)";
          if (part.is === "mark") return "(.{" + (part.width ?? 1) + "})";
          if (part.is === "remark") return ${JSON.stringify(REMARK)};
          const [last, next] = [template[nth - 1], template[nth + 1]];
          if (part.is === "gap") {
            const begin = typeof last === "string" && /[\p{L}\p{N}]$/u.test(last) ? "(?![\\p{L}\\p{N}])" : "";
            const end = typeof next === "string" && /^[\p{L}\p{N}]/u.test(next) ? "(?<![\\p{L}\\p{N}])" : "";
            return begin + "(" + (next === undefined ? "[^]" : ".") + "*" + lazy + ")" + end;
          }
          if (!["word", "day", "time", "code"].includes(part.is)) return "(.*" + lazy + ")";
          const behind = typeof next === "string" ? next.slice(0, 1).replace(/[\\\]^-]/, "\\$&") : "";
          return "([^\\s" + behind + "]+" + lazy + ")";
        })
        .join("") +
      "$",
    "u",
  );
}`,
  entriesOf: ENTRIES_OF(""),
  /** In place of `entriesOf` where amounts or dates are read. */
  writtenEntriesOf: `${ENTRIES_OF(`
  if (is === "amount" || is === "date") {
    const value = is === "date" ? dateIn(said) : amountIn(said, field);
    if (value === undefined) throw new Error("A text is no " + is + " as those that the skill was learned from: " + said.slice(0, 200));
    return [[name, value], [writtenName, said]];
  }`)}

${String.raw`/** The number that an amount says, where it can be told what its signs mean. */
function amountIn(said: string, { decimal, before = "", after = "" }: { decimal?: string; before?: string; after?: string }): number | undefined {
  const [, sign = "", rest = ""] = /^(-?)(.*)$/.exec(said) ?? [];
  if (!rest.startsWith(before) || !rest.endsWith(after)) return undefined;
  const written = rest.slice(before.length, rest.length - after.length);
  const found = new Set<string>();
  for (const point of decimal === undefined ? [".", ","] : [decimal]) {
    const signs = (point === "." ? "," : ".") + "'’ \\u00A0\\u202F";
    const whole = "(?:0|[1-9]\\d{0,2}(?:([" + signs + "])\\d{3})(?:\\1\\d{3}){0,3}|[1-9]\\d{0,14})";
    if (new RegExp("^" + whole + "(?:[" + point + "](?:\\d{1,2}|\\d{4,12}))?$").test(written))
      found.add(written.replace(new RegExp("[" + signs + "]", "g"), "").replace(point, "."));
  }
  const [numeral] = found;
  const isOpen = decimal === undefined && /^\d{1,3}[.,]\d{3}$/.test(written);
  return numeral === undefined || found.size > 1 || isOpen ? undefined : Number(sign + numeral);
}

/** The day that a text says with the month in words. */
function dateIn(said: string): string | undefined {
  const months = `}${JSON.stringify(MONTH_NAMES)}${String.raw`;
  const plain = said.trim().replace(/^\p{L}+,?\s+(?=\d)/u, "");
  const [, day = "", word = "", year = ""] =
    /^(\d{1,2})(?:\.|st|nd|rd|th|er|º)?[\s-](?:of |de )?(\p{L}{3,})\.?,?[\s-](?:de )?(\d{4})$/u.exec(plain) ?? [];
  const [, month = "", second = "", later = ""] =
    /^(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u.exec(said.trim().replace(/^\p{L}+, (?=\p{L})/u, "")) ?? [];
  const at = months.findIndex((names: string) => names.split(" ").includes((word || month).toLowerCase()));
  if (at < 0) return undefined;
  const time = new Date(Date.UTC(Number(year || later), at, Number(day || second)));
  const isReal = time.getUTCDate() === Number(day || second) && time.getUTCFullYear() > 1900;
  return isReal ? time.toISOString().slice(0, 10) : undefined;
}`}`,
  yamlOf: String.raw`/** What YAML by indentation says. */
function yamlOf(text: string): { yaml: any } {
  const refuse = (what: string): never => {
    throw new Error("A text is no YAML that the skill can read: " + what.slice(0, 200));
  };
  const lines = text.split("\n").flatMap((line) => {
    const [, spaces = "", said = ""] = /^( *)(.*?)\s*$/.exec(line) ?? [];
    return said === "" || said.startsWith("#") ? [] : [{ indent: spaces.length, said }];
  });
  if (lines[0]?.said === "---" && lines[0].indent === 0) lines.shift();
  const keyed = /^("[^"\\]*"|'[^']*'|[^\s"'#&*!|>%@${"`"}{}[\],?:-][^:#]*?|-[^\s:#][^:#]*?):(?:\s+(.*))?$/;
  const isItem = (said: string) => /^-(?:\s|$)/.test(said);
  let at = 0;
  const scalar = (said: string): any => {
    const quoted = /^(?:"([^"\\]*)"|'((?:[^']|'')*)')(?:\s+#.*)?$/.exec(said);
    if (quoted) return quoted[1] ?? (quoted[2] ?? "").replaceAll("''", "'");
    const plain = said.replace(/\s+#.*$/, "");
    if (plain === "[]") return [];
    if (plain === "{}") return {};
    const [, inner] = /^\[([^[\]{}"'#]+)\]$/.exec(plain) ?? [];
    if (inner !== undefined) return inner.split(",").map((each) => scalar(each.trim()));
    if (/^[&*!|>%@${"`"}{}[\],?"'#]|^[?:-](?:\s|$)|:(?:\s|$)/.test(plain) || plain === "") return refuse(said);
    if (/^(?:null|Null|NULL|~)$/.test(plain)) return null;
    if (/^(?:true|True|TRUE)$/.test(plain)) return true;
    if (/^(?:false|False|FALSE)$/.test(plain)) return false;
    const isNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(plain) && String(Number(plain)) === plain;
    return isNumber ? Number(plain) : plain;
  };
  const valueOf = (said: string, indent: number, depth: number, isField: boolean): any => {
    const next = lines[at];
    const isDeeper = next !== undefined && next.indent > indent;
    if (said !== "" && !said.startsWith("#")) return isDeeper ? refuse(next.said) : scalar(said);
    if (isDeeper) return block(next.indent, depth + 1);
    return isField && next?.indent === indent && isItem(next.said) ? block(indent, depth + 1) : null;
  };
  const block = (indent: number, depth: number): any => {
    const first = lines[at];
    if (!first || first.indent !== indent || depth > 20) return refuse(first?.said ?? "");
    const items: any[] = [];
    const fields = new Map<string, any>();
    const isList = isItem(first.said);
    for (let line = lines[at]; line?.indent === indent && isItem(line.said) === isList; line = lines[at]) {
      if (!isList) {
        const [, key, rest = ""] = keyed.exec(line.said) ?? [];
        const name = key?.replace(/^(["'])(.*)\1$/, "$2").trimEnd();
        if (name === undefined || fields.has(name)) return refuse(line.said);
        at++;
        fields.set(name, valueOf(rest, indent, depth, true));
        continue;
      }
      const [, space = "", rest = ""] = /^-(\s*)(.*)$/.exec(line.said) ?? [];
      if (rest !== "" && (keyed.test(rest) || isItem(rest))) {
        lines[at] = { indent: indent + 1 + space.length, said: rest };
        items.push(block(indent + 1 + space.length, depth + 1));
      } else {
        at++;
        items.push(valueOf(rest, indent, depth, false));
      }
    }
    return isList ? items : Object.fromEntries(fields);
  };
  const yaml = block(0, 0);
  if (at < lines.length || typeof yaml !== "object") return refuse(lines[at]?.said ?? "");
  return { yaml };
}`,
  sectionsOf: String.raw`/** The parts of a text below its headings; what a part says is looked for where it is asked for. */
function sectionsOf(text: string, mark: string, reads: { [as: string]: (text: string) => any }, isCounted = false): { sections: any[] } {
  const found = sectionsIn(text, mark);
  if (found.length === 0) throw new Error("A text has no headings as those that the skill was learned from");
  const sections = found.map(({ title, count, body }) => {
    // Two parts are the same only where all that stands below them is.
    const fences = body.match(/^(?:\x60{3}|~{3})/gm) ?? [];
    const isMore = fences.length % 2 === 1 || /${OTHER_HEADING}/m.test(body);
    const whole = isMore ? "" : body.replace(/^\n+|\n+$/g, "");
    const section = { title, body: whole || undefined };
    for (const as of Object.keys(reads))
      Object.defineProperty(section, as, {
        get: () => {
          const said = (() => {
            try {
              return reads[as]?.(body);
            } catch (error: any) {
              throw Object.assign(error, { isOtherForm: true });
            }
          })();
          if (isCounted && count !== undefined && Array.isArray(said) && said.length !== count)
            throw new Error("A heading tells of another number of elements than stand below it: " + title);
          return said;
        },
      });
    return section;
  });
  return { sections };
}

function sectionsIn(text: string, mark: string): { title: string; count: number | undefined; body: string }[] {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const colonHeading = (line: string, at: number): string | null | undefined => {
    const [, title] = /^([^\s\-*•>|#][^:|]{0,79}):$/.exec(line) ?? [];
    const below = lines.slice(at + 1).find((each) => each !== "");
    if (title !== undefined && below !== undefined)
      return /^\s|^(?:[-*•+]|\d+[.)])\s/.test(below) || (at > 0 && lines[at - 1] === "") ? title.trim() : undefined;
    const above = lines.slice(0, at).reverse().find((each) => each !== "") ?? "";
    return /^\s/.test(above) && /^\S/.test(line) ? null : undefined;
  };
  // The title of a heading; null: what ends a part without beginning another.
  const titleAt = (line: string, at: number): string | null | undefined => {
    if (mark.startsWith("#")) {
      const [, signs = "", title] = /^(#{1,6})\s+(\S.*?)(?:\s+#+)?$/.exec(line) ?? [];
      return title === undefined || signs.length > mark.length ? undefined : signs === mark ? title : null;
    }
    if (mark === "===" || mark === "---") {
      const next = lines[at + 1] ?? "";
      if (!/^(?:={3,}|-{3,})$/.test(next) || !/^\S(?!.*(?:\||\s\s))/.test(line) || /^[=-]{3,}$/.test(line)) return undefined;
      return next.startsWith(mark) ? line : mark === "---" ? null : undefined;
    }
    if (mark === "== ==") return /^([=*~]{2,}|-{2,})\s+(\S.*?)\s+\1$/.exec(line)?.[2]?.trim();
    if (mark === "[]") return /^\[([^[\]]+)\]$/.exec(line)?.[1]?.trim();
    if (mark === "**") return /^\*\*([^*]+?):?\*\*:?$/.exec(line)?.[1]?.trim();
    if (mark === "-") return /^(?:(?:[-*•+]|\d+[.)])\s+)?([^\s|#>].*?):?$/.exec(line)?.[1]?.trim();
    return colonHeading(line, at);
  };
  const sections: { title: string; count: number | undefined; body: string }[] = [];
  let open: { title: string; from: number } | undefined;
  const close = (end: number) => {
    if (!open) return;
    const [, name = open.title, one, two] = /^(.*?\S)\s*(?:[([]\s*(\d{1,9})\s*[)\]]|:\s*(\d{1,9}))$/.exec(open.title) ?? [];
    const told = one ?? two;
    const below = lines.slice(open.from, end);
    const indent = mark === "-" ? Math.min(...below.filter((line) => line !== "").map((line) => line.search(/\S/))) : 0;
    const body = below.map((line) => line.slice(indent)).join("\n");
    sections.push({ title: name, count: told === undefined ? undefined : Number(told), body });
    open = undefined;
  };
  const size = mark === "===" || mark === "---" ? 2 : 1;
  for (let at = 0; at < lines.length; at++) {
    const title = titleAt(lines[at] ?? "", at);
    if (title === undefined) continue;
    close(at);
    if (title !== null) open = { title: title.trim(), from: at + size };
    at += size - 1;
  }
  close(lines.length);
  return sections;
}`,
  linesIn: String.raw`function linesIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}`,
  markedLinesIn: String.raw`/** Lines that are not empty; one that seems to go on in the next ends with a line break. */
function markedLinesIn(text: string): string[] {
  const isLabelled = ${String(LABELLED)};
  const all = text.split("\n").map((line) => line.trimEnd());
  return all.flatMap((line, at) => {
    const next = all[at + 1] ?? "";
    const isPlain = isLabelled.test(line) && /^\s*\p{Ll}/u.test(next) && !isLabelled.test(next) && !/[.!?:]$/.test(line);
    const goesOn = next !== "" && (next.search(/\S/) > line.search(/\S/) || line.endsWith(" \\") || isPlain);
    return line === "" ? [] : [goesOn ? line + "\n" : line];
  });
}

/** Whether a value at the end of a line may be a part of a longer one: a number or a day is whole. */
function mayGoOn(field: string | { is: string } | undefined): boolean {
  return typeof field !== "object" || !["number", "decimal", "figure", "amount", "date", "day"].includes(field.is);
}`,
} as const;

type TextHelper = keyof typeof TEXT_HELPERS;

/** The helpers that a helper calls. */
export const TEXT_HELPER_NEEDS: { readonly [Name in `${TextForm["kind"]}Of`]: readonly TextHelper[] } = {
  jsonOf: [],
  fieldsOf: ["labelledIn", "labelled", "unquoted", "entriesOf", "markedLinesIn"],
  linesOf: ["aroundOf", "recordIn", "entriesOf", "linesIn", "totals"],
  rowsOf: ["tableIn", "aroundOf", "recordIn", "unquoted", "entriesOf", "totals"],
  recordsOf: ["labelledIn", "labelled", "unquoted", "entriesOf", "markedLinesIn"],
  yamlOf: [],
  sectionsOf: [],
  treeOf: [],
  blocksOf: ["recordIn", "entriesOf", "markedLinesIn"],
};

/** What a reader takes besides the text. */
export function formArguments(form: Exclude<TextForm, { kind: "sections" }>): readonly Json[] {
  switch (form.kind) {
    case "json":
    case "yaml":
      return [];
    case "fields":
      return asJson([form.mark, form.fields]);
    case "records":
      return asJson([form.mark, form.fields, ...(form.isBare === true ? [true] : [])]);
    case "lines":
      return asJson(
        form.isSpaced === true || form.isUnbroken === true
          ? [
              form.line,
              { head: form.head, tail: form.tail, counts: form.counts },
              form.isSpaced === true,
              ...(form.isUnbroken === true ? [true] : []),
            ]
          : [form.line, ...aroundArgument(form)],
      );
    case "tree":
      return asJson([form.mark]);
    case "blocks":
      return asJson([form.parts]);
    case "rows":
      return asJson([form.delimiter, form.fields, ...aroundArgument(form)]);
  }
}

function aroundArgument({ head, tail, counts }: Extract<TextForm, { kind: "lines" | "rows" }>) {
  return head.length + tail.length === 0 ? [] : [{ head, tail, counts }];
}

function asJson(values: readonly unknown[]): readonly Json[] {
  return JSON.parse(JSON.stringify(values)) as readonly Json[];
}

/** Whether amounts or dates are read. */
export function hasWrittenValues(form: TextForm): boolean {
  const fields =
    form.kind === "lines"
      ? [...form.head, form.line, ...form.tail].flat().filter((part) => typeof part !== "string")
      : form.kind === "blocks"
        ? form.parts.flatMap(({ lines }) => lines.flatMap((line) => line.form))
        : "fields" in form
          ? form.fields
          : [];
  const around = form.kind === "rows" ? [...form.head, ...form.tail].flat() : [];
  return [...fields, ...around].some(
    (each) => typeof each !== "string" && (each.is === "amount" || each.is === "date"),
  );
}
