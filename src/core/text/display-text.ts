import { createRequire } from "node:module";
import { stripVTControlCharacters } from "node:util";

/** A text of a trace on one line, without what would steer the terminal. */
export function oneLine(text: string): string {
  return PLAIN_LINE.test(text) ? text : shownLines(text).join(" ").replaceAll(/\s+/g, " ").trim();
}

/** A text whose first line alone begins at the margin, so that no other can pass for one of the program's own. */
export function withHangingIndent(text: string): string {
  return shownLines(text)
    .map((line, index) => (index === 0 || line === "" || line.startsWith(" ") ? line : `    ${line}`))
    .join("\n");
}

/**
 * A text in which every character that could steer a terminal is written as an escape, as JSON has it: JSON stays the
 * same value. New lines and tabs stay; so do colours (SGR) where they are wanted.
 */
export function withEscapes(text: string, { colours = false } = {}): string {
  if (!FORBIDDEN.test(text)) return text;
  const escaped = (part: string): string => part.replaceAll(FORBIDDEN_EACH, escapeOf);
  if (!colours) return escaped(text);
  return text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : part))
    .join("");
}

/** The lines of a text of a trace, without what would steer the terminal. */
export function shownLines(text: string): readonly string[] {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll("\t", "  ")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replaceAll(STEERING, ""));
}

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (PRINTABLE.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += columnsOf(segment);
  return width;
}

/** At most so many columns of a text; `…` tells that there is more. */
export function cutToWidth(text: string, columns: number): string {
  if (columns < 1) return "";
  return startOf(text, columns) === text ? text : `${startOf(text, columns - 1)}…`;
}

/** At most so many characters of a text; `…` tells that there is more. */
export function cutToLength(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}

/**
 * Lines of at most so many columns, broken between words where that is possible; `…` ends the last where there is more.
 * The first line begins with `first`, the others with `rest`.
 */
export function wrapToWidth(
  text: string,
  columns: number,
  { maxLines = Infinity, first = "", rest = "" } = {},
): readonly string[] {
  const lines: string[] = [];
  let indent = first;
  let left = text;
  while (lines.length + 1 < maxLines) {
    const start = startOf(left, columns - widthOf(indent));
    if (start === left || start === "") break;
    const space = left.charAt(start.length) === " " ? start.length : start.lastIndexOf(" ");
    const line = space > 0 ? left.slice(0, space) : start;
    lines.push(indent + line);
    left = left.slice(line.length).replace(/^ /, "");
    indent = rest;
  }
  return [...lines, indent + cutToWidth(left, columns - widthOf(indent))];
}

export function padded(text: string, columns: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, columns - widthOf(text)));
  return align === "left" ? text + space : space + text;
}

/**
 * A text in which nothing is hidden: control characters, characters without width, those that turn the direction of a
 * text, tags and variation selectors are written as `\u{…}`. New lines, tabs, and the joiners that scripts and emoji
 * need stay. What is longer than `maxCharacters` is cut, and ends with how much is left out.
 */
export function visibleText(text: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  const whole = text.toWellFormed();
  const shown = PLAIN.test(whole) ? whole : whole.replaceAll(HIDDEN_IN_TEXT, visible);
  if (shown.length <= maxCharacters) return shown;
  const left = shown.length - maxCharacters;
  return `${shown.slice(0, maxCharacters).replace(LONE_SURROGATE, "")}… (${left} more characters)`;
}

/** A name or text in one line, in which nothing is hidden: new lines, tabs and joiners are written as escapes, too. */
export function visibleLine(text: string): string {
  return text.replaceAll(HIDDEN, visible);
}

/** A text as one line of prose: what separates words is one space, and nothing is hidden. */
export function plainLine(text: string): string {
  return visibleLine(text.replaceAll(SPACES, " ")).trim();
}

/** Plain text in quotation marks, cut where it is long. */
export function quotedLine(text: string, maxCharacters = 60): string {
  return `"${cutToLength(plainLine(text), maxCharacters)}"`;
}

/** Whether a text has characters that nobody sees, or that change how others are seen; new lines and tabs are none. */
export function hasHidden(text: string): boolean {
  return text.replaceAll(/[\n\r\t]/g, " ").search(HIDDEN) >= 0;
}

const PLAIN = /^[\n\t\x20-\x7e]*$/;
const SPACES = /[\n\r\t\u2028\u2029 ]+/g;
/** Of characters of private use and unassigned ones nobody can tell what a reader sees; `\ufe0f` only makes an emoji of a sign. */
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u{fe00}-\u{fe0e}]|[\u{e0100}-\u{e01ef}]/gu;
/** A joiner counts as hidden where it does not join two characters beyond ASCII. */
const HIDDEN_IN_TEXT = new RegExp(
  String.raw`(?<![^\p{ASCII}\p{Cf}])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}\p{Cf}])|(?![\n\t\u200c\u200d])(?:${HIDDEN.source})`,
  "gu",
);
const LONE_SURROGATE = /[\ud800-\udbff]$/;

function visible(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
}

const PLAIN_LINE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
/** Texts of which every character takes one column; with what trees are drawn with. */
const PRINTABLE = /^[\x20-\x7e\u2026\u2190-\u21ff\u2298\u2500-\u257f\u25cc\u2713\u2717×·]*$/;
/** Control characters, and those that turn the direction of a text. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Those, and what hides: zero-width and tag characters, and halves of a pair. */
const FORBIDDEN =
  /[^\P{Cc}\n\t]|[\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const FORBIDDEN_EACH = new RegExp(FORBIDDEN, "gu");
/** What `styleText` writes. */
const COLOUR = new RegExp(String.raw`(\x1b\[(?:[1-4]|2[2-4]|3[0-9]|9[0-7])m)`);
const GRAPHEMES = new Intl.Segmenter();

function escapeOf(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function columnsOf(grapheme: string): number {
  stringWidth ??= (load("string-width") as typeof import("string-width")).default;
  return stringWidth(grapheme, { countAnsiEscapeCodes: true });
}

const load = createRequire(import.meta.url);
/** Loaded for the first text that is not plain: its patterns take 20 ms to make. */
let stringWidth: typeof import("string-width").default | undefined;

function startOf(text: string, columns: number): string {
  // The next character may belong to the last.
  if (PRINTABLE.test(text.slice(0, columns + 1))) return text.slice(0, columns);
  const window = text.slice(0, (columns + 1) * MAX_GRAPHEME);
  let width = 0;
  for (const { segment, index } of GRAPHEMES.segment(window)) {
    width += columnsOf(segment);
    if (width > columns) return window.slice(0, index);
  }
  return window;
}

/** Longer ones are taken for several. */
const MAX_GRAPHEME = 32;
