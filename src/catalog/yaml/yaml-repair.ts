import { FORMAT_FIELDS } from "../field-rules.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { readYamlFields, type YamlField } from "./yaml-fields.ts";

/** What was read differently from what YAML says, where, and what to write instead. */
interface YamlRepair {
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
}

interface RepairedYaml {
  readonly fields: readonly YamlField[];
  readonly repairs: readonly YamlRepair[];
}

/**
 * Reads a frontmatter that is not valid YAML. Each top-level field is read by itself: what is valid keeps its YAML
 * value, what is not is read as the text that it shows. Nothing where that leaves a line that belongs to no field.
 */
export function repairYaml(text: string): RepairedYaml | undefined {
  if (text.length > MAX) return undefined;
  const repairs: YamlRepair[] = [];
  const lines = withoutConflicts(linesOf(text), repairs);
  const fields = readMapping(lines, 0, repairs);
  if (!fields || repairs.length === 0 || repairs.length > MAX_REPAIRS) return undefined;
  return { fields, repairs: repairs.toSorted((a, b) => a.offset - b.offset) };
}

const MAX = 64 * 1024;
const MAX_REPAIRS = 100;
const MAX_LEVELS = 8;

/** Fields of the format that hold text, never a list or a mapping. */
const TEXT_FIELDS = new Set(["name", "description", "license", "compatibility"]);

const FIELD_NAMES = FORMAT_FIELDS.join("|");

interface Line {
  readonly text: string;
  /** Where `text` begins in the frontmatter. */
  readonly offset: number;
}

/** A field's lines: the one with its key, and those below it that belong to it. */
interface Block {
  readonly key: string;
  readonly keyOffset: number;
  /** The key's line, with a space after the colon. */
  readonly head: Line;
  /** What stands after the colon on the key's line. */
  readonly inline: Line;
  readonly body: Line[];
  /** What had to be mended to see that this is a field at all. */
  mended: string | undefined;
  /** Whether the body has text that is not indented. */
  stray: boolean;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let offset = 0;
  for (const line of text.split("\n")) {
    lines.push({ text: line.endsWith("\r") ? line.slice(0, -1) : line, offset });
    offset += line.length + 1;
  }
  return lines;
}

/** The first side of each unresolved merge conflict. */
function withoutConflicts(lines: readonly Line[], repairs: YamlRepair[]): readonly Line[] {
  const kept: Line[] = [];
  let side: "none" | "first" | "other" = "none";
  for (const line of lines) {
    if (side === "none" && /^<{7}(?: |$)/.test(line.text)) {
      side = "first";
      repairs.push({
        offset: line.offset,
        message: "A merge conflict is not resolved; its first side is used",
        fix: "Keep one side and delete the lines that begin with <<<<<<<, ======= and >>>>>>>",
      });
    } else if (side === "first" && /^(?:={7}|\|{7})(?: |$)/.test(line.text)) side = "other";
    else if (side === "other" && /^>{7}(?: |$)/.test(line.text)) side = "none";
    else if (side !== "other") kept.push(line);
  }
  return side === "none" ? kept : lines;
}

function readMapping(lines: readonly Line[], level: number, repairs: YamlRepair[]): YamlField[] | undefined {
  const blocks = blocksOf(lines, level, repairs);
  if (!blocks) return undefined;
  const fields = new Map<string, YamlField>();
  for (const block of blocks) {
    const before = fields.get(block.key);
    if (before) {
      repairs.push({
        offset: before.offset,
        message: `The field ${JSON.stringify(block.key)} stands twice; the last one is used`,
        fix: "Delete one of the two",
      });
      fields.delete(block.key);
    }
    fields.set(block.key, readBlock(block, level, repairs));
  }
  return [...fields.values()];
}

const KEY = /^(?<key>[\p{L}\p{N}_$][\p{L}\p{N}_$./-]*|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*:(?=[ \t]|$)/u;
// YAML allows more words in a key, but then the line is more likely to be text.
const KEY_OF_TWO_WORDS = /^(?<key>[\p{L}\p{N}_-]+ [\p{L}\p{N}_-]+):(?=[ \t]|$)/u;
const KEY_WITHOUT_SPACE = new RegExp(`^(?<key>${FIELD_NAMES})(?::(?=\\S)|：)`);
const INDENTED_FORMAT_FIELD = new RegExp(`^[ \\t]+(?<key>${FIELD_NAMES}):(?:[ \\t]|$)`);

function blocksOf(lines: readonly Line[], level: number, repairs: YamlRepair[]): Block[] | undefined {
  const blocks: Block[] = [];
  const atMargin = new Set(lines.map((line) => KEY.exec(line.text)?.groups?.["key"]));
  let afterBlank = false;
  for (const line of lines) {
    const current = blocks.at(-1);
    const blank = line.text.trim() === "";
    if (blank || line.text.startsWith("#")) {
      current?.body.push(line);
    } else if (level === 0 && /^(?:---|\.\.\.)(?:\s|$)/.test(line.text)) {
      repairs.push({
        offset: line.offset,
        message: "This line ends the YAML document before the frontmatter ends; it is left out",
        fix: "Delete the line, or give it a field of its own",
      });
    } else if (/^\s/.test(line.text)) {
      const misplaced =
        current && !opensText(current.inline.text)
          ? INDENTED_FORMAT_FIELD.exec(line.text)?.groups?.["key"]
          : undefined;
      if (current && !(misplaced !== undefined && !atMargin.has(misplaced))) {
        current.body.push(line);
      } else {
        const block = blockOf(trimStart(line));
        if (!block) return undefined;
        block.mended = "It must begin at the start of its line";
        blocks.push(block);
      }
    } else if (/^-(?:\s|$)/.test(line.text) && current) {
      current.body.push(line);
    } else {
      const block = blockOf(line);
      if (block) {
        blocks.push(block);
      } else {
        // After an empty line, text at the margin belongs to no field.
        if (!current || afterBlank) return undefined;
        current.body.push(line);
        current.stray = true;
      }
    }
    afterBlank = blank;
  }
  return blocks.length > 0 ? blocks : undefined;
}

function blockOf(line: Line): Block | undefined {
  const spaced = KEY.exec(line.text) ?? KEY_OF_TWO_WORDS.exec(line.text);
  const match = spaced ?? KEY_WITHOUT_SPACE.exec(line.text);
  const written = match?.groups?.["key"];
  if (!match || written === undefined) return undefined;
  const inline = trimStart({ text: line.text.slice(match[0].length), offset: line.offset + match[0].length });
  const key = /^["']/.test(written) ? unquoted(written) : written;
  return {
    key,
    keyOffset: line.offset,
    head: { text: spaced ? line.text : `${key}: ${inline.text}`, offset: line.offset },
    inline: { text: inline.text.trimEnd(), offset: inline.offset },
    body: [],
    mended: spaced ? undefined : "A colon and a space must follow the key",
    stray: false,
  };
}

/** Whether what follows on the next lines belongs to this value, whatever it looks like. */
function opensText(inline: string): boolean {
  return inline === "" || /^[|>[{"'#]/.test(inline);
}

/** The block's value, by the first way of reading that works. */
function readBlock(block: Block, level: number, repairs: YamlRepair[]): YamlField {
  const texts = [block.head.text, ...block.body.map((line) => line.text)];
  const asIs = readOne(block.key, texts);
  if (asIs.ok) {
    if (block.mended !== undefined) repairs.push(repairOf(block, block.keyOffset, block.mended, asIs.value));
    return fieldOf(block, asIs.value);
  }
  const at = placeOf(block, asIs.offset);
  const give = (value: Json, message: string, place = at): YamlField => {
    repairs.push(repairOf(block, place, message, value));
    return fieldOf(block, value);
  };

  if (texts.some((text) => /^ *\t/.test(text))) {
    const spaced = readOne(block.key, texts.map(withoutTabs));
    if (spaced.ok)
      return give(spaced.value, "YAML does not allow tabs as indentation; they are read as two spaces each");
  }
  const indicator = /^(["'])([|>][+-]?)\1$/.exec(block.inline.text)?.[2];
  if (indicator !== undefined && hasText(block.body)) {
    const unquotedHead = readOne(block.key, [`${block.key}: ${indicator}`, ...texts.slice(1)]);
    if (unquotedHead.ok)
      return give(
        unquotedHead.value,
        `The ${indicator} before a text of several lines must not be quoted`,
        block.inline.offset,
      );
  }
  if (block.stray) {
    const indented = readOne(block.key, [block.head.text, ...block.body.map((line) => `  ${line.text}`)]);
    if (indented.ok) return give(indented.value, "The lines below the field must be indented");
  }
  if (
    block.inline.text === "" &&
    !block.stray &&
    level < MAX_LEVELS &&
    !(level === 0 && TEXT_FIELDS.has(block.key))
  ) {
    const nested = readNested(block.body, level + 1);
    if (nested) {
      repairs.push(
        ...(nested.repairs.length > 0 ? nested.repairs : [repairOf(block, at, asIs.message, nested.value)]),
      );
      return fieldOf(block, nested.value);
    }
  }
  const items = TEXT_FIELDS.has(block.key) ? undefined : itemsOf(block);
  if (items) return give(items, `${asIs.message}; its items are read as text`);
  return give(shownText(block, indicator), `${asIs.message}; the value is read as the text that it shows`);
}

type OneValue =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly offset: number; readonly message: string };

/** The value of a field that stands alone. */
function readOne(key: string, lines: readonly string[]): OneValue {
  const reading = readYamlFields(lines.join("\n"));
  if (!reading.ok) return { ok: false, offset: reading.error.offset, message: reading.error.message };
  const field = reading.value[0];
  if (!field || reading.value.length > 1 || field.key !== key) {
    return { ok: false, offset: 0, message: "The lines do not make one field" };
  }
  return { ok: true, value: field.value };
}

function readNested(
  body: readonly Line[],
  level: number,
): { value: Json; repairs: readonly YamlRepair[] } | undefined {
  const repairs: YamlRepair[] = [];
  const lines = dedented(body);
  const first = lines.find((line) => line.text.trim() !== "" && !line.text.startsWith("#"));
  if (!first) return undefined;
  if (/^-(?:\s|$)/.test(first.text)) {
    const items = readList(lines, level, repairs);
    return items && { value: items, repairs };
  }
  if (!KEY.test(first.text)) return undefined;
  const fields = readMapping(lines, level, repairs);
  return fields && { value: objectOf(fields), repairs };
}

function readList(lines: readonly Line[], level: number, repairs: YamlRepair[]): Json[] | undefined {
  const items: Line[][] = [];
  for (const line of lines) {
    if (/^-(?:\s|$)/.test(line.text)) items.push([line]);
    else if (line.text.trim() === "" || line.text.startsWith("#") || /^\s/.test(line.text))
      items.at(-1)?.push(line);
    else return undefined;
  }
  return items.map((item) => readItem(item, level, repairs));
}

function readItem(item: readonly Line[], level: number, repairs: YamlRepair[]): Json {
  const asIs = readOne("item", ["item:", ...item.map((line) => line.text)]);
  if (asIs.ok && Array.isArray(asIs.value)) return (asIs.value as readonly Json[])[0] ?? null;
  const [head, ...rest] = item;
  if (!head) return null;
  const inner = [{ text: ` ${head.text.slice(1)}`, offset: head.offset }, ...rest];
  const nested = level < MAX_LEVELS ? readNested(inner, level + 1) : undefined;
  if (nested && nested.repairs.length > 0 && isJsonObject(nested.value)) {
    repairs.push(...nested.repairs);
    return nested.value;
  }
  const text = unwrapped(folded(inner.map((line) => line.text)));
  repairs.push({
    offset: head.offset,
    message: "The item is not valid YAML; it is read as the text that it shows",
    fix: `Write the item in quotes: - ${shortened(JSON.stringify(text))}`,
  });
  return text;
}

/** The items of a list in brackets, where commas alone tell them apart. */
function itemsOf(block: Block): readonly Json[] | undefined {
  if (hasText(block.body)) return undefined;
  const inner = /^\[([^[\]{}]*)\]$/.exec(block.inline.text)?.[1];
  if (inner === undefined) return undefined;
  const items = inner.match(LIST_ITEM)?.map((item) => item.trim()) ?? [];
  return items.map((item) => {
    const read = readOne("item", [`item: ${item}`]);
    return read.ok ? read.value : item;
  });
}

const LIST_ITEM = /(?<=^|,)\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\s][^,]*)\s*(?=,|$)/g;

/** The value as a person reads it: without the quotes around it, its lines joined as YAML would. */
function shownText(block: Block, quotedIndicator: string | undefined): string {
  const body = block.body.filter((line) => !line.text.startsWith("#")).map((line) => line.text);
  const header = /^([|>])(?:[+-]?\d?|\d[+-])(?:[ \t]+(.*))?$/.exec(quotedIndicator ?? block.inline.text);
  if (!header) return unwrapped(folded(joinedQuotes([block.inline.text, ...body])));
  const first = header[2] ?? "";
  if (header[1] === ">") return folded([first, ...body]);
  const indent = Math.min(
    ...body.filter((text) => /^\s+\S/.test(text)).map((text) => text.length - text.trimStart().length),
  );
  return [
    first,
    ...body.map((text) => text.slice(Math.min(indent, text.length - text.trimStart().length)).trimEnd()),
  ]
    .join("\n")
    .trim();
}

/** Lines of which each is in quotes by itself, without them; other lines as they are. */
function joinedQuotes(lines: readonly string[]): readonly string[] {
  const texts = lines.map((line) => line.trim());
  if (texts.filter((text) => text !== "").length < 2) return texts;
  return texts.map((text, index) => {
    if (index > 0 && !/^["']/.test(texts[0] ?? "")) return text;
    return /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')$/.test(text) ? unquoted(text) : text;
  });
}

/** Lines joined by spaces; an empty line is a line break. */
function folded(lines: readonly string[]): string {
  let text = "";
  let breaks = 0;
  for (const line of lines.map((each) => each.trim())) {
    if (line === "") breaks += 1;
    else {
      text += text === "" ? line : breaks > 0 ? "\n".repeat(breaks) + line : ` ${line}`;
      breaks = 0;
    }
  }
  return text;
}

/** A text without the quotes that were meant to enclose all of it. */
function unwrapped(text: string): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return text;
  const end = closingQuote(text, quote);
  if (end === "none") return unescaped(text.slice(1), quote);
  const rest = text.slice(end + 1);
  if (/^[\s,;]*$/.test(rest)) return unescaped(text.slice(1, end), quote);
  return text;
}

/**
 * Where the first quote of a text is closed, quotes within quotes counted: a quote after a space opens one, a quote
 * before a space or punctuation closes one, any other is an apostrophe.
 */
function closingQuote(text: string, quote: string): number | "none" {
  let depth = 1;
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === "\\" && quote === '"') index += 1;
    else if (text[index] === quote) {
      const before = text[index - 1] ?? " ";
      const after = text[index + 1] ?? " ";
      if (/[\s([{/=:,–—]/.test(before) && /[^\s.,;:!?)\]}]/.test(after)) depth += 1;
      else if (/[\s.,;:!?)\]}/–—-]/.test(after)) depth -= 1;
      if (depth === 0) return index;
    }
  }
  const last = text.trimEnd().length - 1;
  return last > 0 && text[last] === quote ? last : "none";
}

function unquoted(text: string): string {
  return unescaped(text.slice(1, -1), text[0] ?? '"');
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "\\": "\\", "/": "/" };

function unescaped(text: string, quote: string): string {
  if (quote === "'") return text.replaceAll("''", "'");
  return text.replaceAll(/\\(.)/g, (whole, letter: string) => ESCAPES[letter] ?? whole);
}

function fieldOf(block: Block, value: Json): YamlField {
  return {
    key: block.key,
    value,
    text: [block.inline.text, ...block.body.map((line) => line.text)].join("\n").trim(),
    offset: block.keyOffset,
  };
}

function repairOf(block: Block, offset: number, message: string, value: Json): YamlRepair {
  return {
    offset,
    message: `The field ${JSON.stringify(block.key)}: ${lowerFirst(message)}`,
    fix: fixOf(block.key, value),
  };
}

const MAX_FIX = 160;

function fixOf(key: string, value: Json): string {
  const written = `${key}: ${JSON.stringify(value)}`;
  if (written.length <= MAX_FIX) return `Write ${written}`;
  if (typeof value !== "string") return `Put each text of ${key} in double quotes`;
  const style = value.includes("\n") ? "|-" : ">-";
  return `Write "${key}: ${style}" and the text on the lines below it, indented by two spaces`;
}

function shortened(text: string): string {
  return text.length <= MAX_FIX ? text : `${text.slice(0, MAX_FIX - 1)}…`;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Where in the frontmatter an offset into the block's own lines is. */
function placeOf(block: Block, offset: number): number {
  let left = offset;
  for (const line of [block.head, ...block.body]) {
    if (left <= line.text.length) return line.offset + left;
    left -= line.text.length + 1;
  }
  return block.keyOffset;
}

function dedented(lines: readonly Line[]): Line[] {
  const indents = lines
    .filter((line) => line.text.trim() !== "")
    .map((line) => line.text.length - line.text.trimStart().length);
  const indent = Math.min(...indents);
  return lines.map((line) => {
    const cut = Math.min(indent, line.text.length);
    return { text: withoutTabs(line.text.slice(cut)), offset: line.offset + cut };
  });
}

function withoutTabs(text: string): string {
  return text.replace(/^[ \t]+/, (space) => space.replaceAll("\t", "  "));
}

function trimStart(line: Line): Line {
  const text = line.text.trimStart();
  return { text, offset: line.offset + line.text.length - text.length };
}

function hasText(lines: readonly Line[]): boolean {
  return lines.some((line) => line.text.trim() !== "");
}

function objectOf(fields: readonly YamlField[]): Json {
  return Object.fromEntries(fields.map((field) => [field.key, field.value]));
}
