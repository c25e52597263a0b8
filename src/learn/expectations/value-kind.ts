import type { Json } from "../../core/json/json.ts";
import { isOpaqueId } from "../plan/values.ts";

/**
 * What all values had in common that an answer told at a place: another is a remark, or something else. `number`: one
 * that is exact; `numeral`: such a number, or a text that says it, without zeros before it; `version`: numbers with points
 * between; `numbered`: a code with digits, or such a number; `code`: no spaces and no list; `person`: several words, as
 * people are called; `name`: it begins as a name does; `text`: nothing in it is struck out or ticked; `single` and `item`:
 * such a name and such a text, and no list in one line; `lines`: the last line has an end, as others would stand below it;
 * `dashes` and `boxes`: it ends with its only list, of lines with a dash each, or with a box to tick behind it; `rows`: the
 * last line has an end and is a row of cells and no total; `cell`: nothing struck out and no sign that ends a cell of
 * a row, or an exact number; `file`: a text that leads to no folder; `subject`: one that is
 * no reply and nothing forwarded already; `page`: below the first line is something, and no error.
 */
export const VALUE_KINDS = [
  "number",
  "numeral",
  "version",
  "numbered",
  "code",
  "person",
  "name",
  "text",
  "single",
  "item",
  "lines",
  "dashes",
  "boxes",
  "rows",
  "cell",
  "file",
  "subject",
  "page",
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** Words between people's names that begin small. */
export const NAME_PARTICLES =
  "van|von|vom|zu|zur|der|den|de|del|della|di|da|do|dos|das|du|la|le|el|al|bin|ibn|ben|ten|ter|y|e|af|av";
/** Any of them, each with the space behind it. */
export const PARTICLES = `(?:(?:${NAME_PARTICLES}) )*`;
/** A word of a name. */
export const NAME_WORD = String.raw`[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}'’.-]*`;
const CODE_SIGN = String.raw`[^\s,;|()<>]`;
const COUNTED_SIGN = String.raw`[^\s,;|()<>/\\]`;
/** Nothing struck out, and no arrow or tick at the begin or end. */
export const PLAIN = String.raw`(?!\s*(?:[-=]>|[→✓✔✅☑❌✗✘]))(?:(?!~~\S|<(?:s|del|strike)>|[✓✔✅☑❌✗✘]\s*(?![\s\S]))[\s\S])*`;
const NAME = String.raw`${PARTICLES}[\p{Lu}\p{Lt}\p{Lo}0-9](?:(?!~~\S)[^→?])*`;
/** What stands between the elements of a list in one line, wherever it stands; between names a slash, too. */
export const SEPARATOR = String.raw`,(?![0-9]{3}(?![0-9]))|;|\s(?:and|und|et|og|och|[&+])\s`;
/** Lines above a list. */
const ABOVE_LIST = String.raw`(?:(?![ \t]*(?:[-*+]|[0-9]+[.)]) )[^\r\n]*\n)*`;
/** What texts of a kind look like; printed code has the same. */
export const KIND_FORMS: { readonly [Kind in Exclude<ValueKind, "number">]: string } = {
  numeral: String.raw`-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,12})?`,
  version: String.raw`[0-9]{1,9}(?:\.[0-9]{1,9})+`,
  numbered: `${COUNTED_SIGN}*[0-9]${COUNTED_SIGN}*`,
  code: String.raw`${CODE_SIGN}*[\p{L}\p{N}]${CODE_SIGN}*`,
  person: String.raw`(?=.* )${PARTICLES}${NAME_WORD}(?: ${PARTICLES}${NAME_WORD})*|\p{Lo}{2,}`,
  name: NAME,
  text: PLAIN,
  single: `(?!.*(?:/|${SEPARATOR}))${NAME}`,
  item: `(?!.*(?:${SEPARATOR}))${PLAIN}`,
  lines: String.raw`[^\r]*\n`,
  dashes: String.raw`${ABOVE_LIST}(?:- (?!\[.?\])[^\r\n]*\n+)+`,
  boxes: String.raw`${ABOVE_LIST}(?:- \[[ xX]\] [^\r\n]*\n+)+`,
  rows: String.raw`(?:[^\r]*\n)?(?![|*, ]*(?:TOTAL|[Tt]otal|[Ss]um))(?:\|.*\||(?!.*[,;] )[^\s#].*[,;\t].*)\n`,
  cell: String.raw`(?!.*~~\S)[^,|\t"\r\n]+`,
  file: String.raw`(?!.*[/\\])${PLAIN}`,
  subject: String.raw`(?!\s*(?:[Rr][EeVv]|RIF|[Ff][Ww]d?|FWD|A[Ww]|W[Gg]|S[Vv]|V[Ss]|T[Rr]|Antw)\s?:)${PLAIN}`,
  page: String.raw`(?![\s\S]*<error>)[^\n]*\n[\s\S]*\S[\s\S]*`,
};

const FORMS = new Map(
  Object.entries(KIND_FORMS).map(([kind, form]) => [kind, new RegExp(`^(?:${form})$`, "u")]),
);

const NUMBERS: ReadonlySet<ValueKind> = new Set(["number", "numeral", "numbered", "cell"]);

/** Whether a value is of a kind. */
export function isOfValueKind(value: Json, kind: ValueKind): boolean {
  if (typeof value === "number") return NUMBERS.has(kind) && isExact(value);
  return typeof value === "string" && FORMS.get(kind)?.test(value) === true;
}

/** The kind of texts of which each is one thing, a name or another: a list in one line is none. */
export function onlyKind(
  kind: ValueKind | undefined,
  values: readonly Json[],
  { isOfSeveral }: { readonly isOfSeveral: boolean },
): ValueKind | undefined {
  const only = kind === "name" ? "single" : kind === "text" ? "item" : undefined;
  const isOne = (value: Json): boolean =>
    typeof value === "string" &&
    value.split(" ").length <= (kind === "name" || isOfSeveral ? MAX_WORDS : 1) &&
    only !== undefined &&
    isOfValueKind(value, only);
  return values.every(isOne) ? only : kind;
}

const MAX_WORDS = 3;

/** Whether a number is the one that was written: beyond 2^53 digits are lost. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/**
 * The kind of values that stand where these words say what they are, such as `assignee`, and become texts or numbers there;
 * undefined: they have nothing in common.
 */
export function commonValueKind(
  values: readonly Json[],
  words: readonly string[],
  becomes?: "text" | "number",
): ValueKind | undefined {
  const isEach = (kind: ValueKind): boolean => values.every((value) => isOfValueKind(value, kind));
  if (values.length === 0) return undefined;
  if (values.every((value) => typeof value === "number"))
    return !isEach("number") ? undefined : becomes === "text" ? "numbered" : "number";
  if (becomes === "number") return isEach("numeral") ? "numeral" : undefined;
  if (!values.every((value) => typeof value === "string" && isShort(value))) return undefined;
  const texts = values as readonly string[];
  if (texts.every((text) => COUNTED.test(text))) return "numbered";
  const isPerson = words.some((word) => PERSONS.has(word));
  if (isPerson && isEach("person")) return "person";
  const areNames = texts.every((text) => text.split(" ").every((word) => CAPITAL.test(word)));
  if (areNames && (isPerson || texts.some((text) => text.includes(" ")))) return "name";
  const isId = words.some((word) => IDS.has(word)) || texts.every(isOpaqueId);
  if (isId && isEach("code") && texts.every((text) => !/[/\\]/.test(text) || text.includes("://")))
    return "code";
  return isEach("text") ? "text" : undefined;
}

function isShort(text: string): boolean {
  return text !== "" && text.length <= MAX_TEXT && !text.includes("\n");
}

const MAX_TEXT = 120;

/** A few letters, and a number. */
const COUNTED = /^\p{L}{0,8}[-_#]?[0-9]+$/u;

const CAPITAL = new RegExp(`^${NAME_WORD}$`, "u");

/** What a field is called that has a person. */
const PERSONS: ReadonlySet<string> = new Set(
  (
    "who whom owner assignee assigned author person people member guest attendee participant reviewer manager contact " +
    "patient student teacher host driver reader holder sender recipient staff employee candidate reporter " +
    "creator responsible speaker lead supervisor"
  ).split(" "),
);

/** What a field is called that has an id. */
const IDS: ReadonlySet<string> = new Set(
  "id ids uuid key code ref reference hash sha sku slug token handle login email mail url link number no nr".split(
    " ",
  ),
);
