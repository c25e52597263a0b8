import type { Json } from "../../core/json/json.ts";
import type { Joins, ValueCondition } from "../plan/plan.ts";
import { isSame } from "../plan/values.ts";

/**
 * Whether a text has the words of another among its own, or is it but for case and signs, as `failed twice` and `Failed`
 * are nearly `failed`: whether that is meant, too, nobody has seen. A text of one or two letters, or with digits, is a code,
 * and nothing is nearly that. What neither is so nor is not, as nothing does, is nearly either. A word or sign for nothing is
 * nearly an empty text, or another sign for that. Printed code has the same as `clear`.
 */
export function isNearly(value: Json | undefined, wanted: Json | undefined): boolean {
  if (typeof wanted === "boolean") return typeof value !== "boolean";
  if (isSignForNothing(wanted))
    return value === undefined || value === null || (value !== wanted && isNothing(value));
  if (typeof value !== "string" || typeof wanted !== "string" || value === wanted) return false;
  const words = wordsOf(wanted);
  return words.length > 4 && !/[0-9]/.test(wanted) && wordsOf(value).includes(words);
}

/** Nothing, or the dashes and marks that people write in its place. Printed code has the same. */
export function isSignForNothing(value: Json | undefined): boolean {
  return typeof value === "string" && SIGN_FOR_NOTHING.test(value);
}

const SIGN_FOR_NOTHING = /^[-–—?]*$/u;

function isNothing(value: Json): boolean {
  return (
    typeof value === "string" &&
    new RegExp(String.raw`^[^\p{L}\p{N}]*(?:${NO_WORDS})?[^\p{L}\p{N}]*$`, "iu").test(value)
  );
}

/** What people write where there is nothing. */
export const NO_WORDS =
  "none|nothing|nil|null|empty|blank|n/?a|unknown|undefined|missing|unset|tb[acd]|open|pending|outstanding|not (?:yet|known|set|given|available|applicable)";

/**
 * Whether a value is one of a list; undefined where it is nothing, or one that is written otherwise there. Printed code has
 * the same.
 */
export function isIn(value: Json | undefined, list: readonly Json[]): boolean | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (list.some((each) => isSame(each, value))) return true;
  if (typeof value === "object") return false;
  const isWritten = list.some((each) => typeof each !== "object" && mayBeOne(String(each), String(value)));
  return isWritten ? undefined : false;
}

/** Whether texts call one thing, or one has the other among several, or with a remark: `Ada Lund & Bo Falk`, `Ada Lund (away)`. */
function mayBeOne(one: string, other: string): boolean {
  const [own, others] = [wordsOf(one), wordsOf(other)];
  const areWords = own !== "  " && others !== "  ";
  return areWords && (areOneName(own, others) || hasAmong(one, others) || hasAmong(other, own));
}

function hasAmong(text: string, words: string): boolean {
  return text.split(new RegExp(BETWEEN, "u")).some((part) => wordsOf(part) === words);
}

/** What stands between several things in a text, or before a remark. */
export const BETWEEN = String.raw`[,;:|()<>\[\]&+]|\s(?:and|und|et|og|och|[-–—])\s`;

/**
 * Whether words are the same, or those of a name in another order, with others in between, or short: `Lund, Ada`, `Ada M.
 * Lund`, `A. Lund`.
 */
function areOneName(one: string, other: string): boolean {
  if (one === other) return true;
  if (/[0-9]/.test(one + other)) return false;
  const [[own, ends], [others, otherEnds]] = [namesOf(one), namesOf(other)];
  return own === others || ends === others || own === otherEnds || areShort(one, other);
}

/** Whether names are the same but for words of which one has the first letter alone. */
function areShort(one: string, other: string): boolean {
  const [own, others] = [one.trim().split(" "), other.trim().split(" ")];
  const isShort = (word: string, long = ""): boolean => word.length === 1 && long.startsWith(word);
  return (
    own.length === others.length &&
    own.some((word, nth) => word.length > 1 && word === others[nth]) &&
    own.every(
      (word, nth) => word === others[nth] || isShort(word, others[nth]) || isShort(others[nth] ?? "", word),
    )
  );
}

/** The words in one order, and the first and last of them alone. */
function namesOf(text: string): readonly [all: string, ends: string] {
  const words = text.trim().split(" ");
  const all = words.toSorted().join(" ");
  const [first = "", last = ""] = [words[0], words.at(-1)];
  return [all, words.length > 2 ? [first, last].toSorted().join(" ") : all];
}

/**
 * Whether a text has words otherwise than it had them in any run, and not so as well: in other letters (`Ink`, `inks`,
 * `AX 200`), or joined to others by other signs (`ink-free`). Or, where that was so in no run, whether the element has them
 * in another text alone. Printed code has the same as `clearPart`.
 */
export function nearlyHas(
  value: Json | undefined,
  wanted: Json | undefined,
  { joins, isAlone }: Pick<ValueCondition, "joins" | "isAlone">,
  element: Json,
): boolean {
  if (typeof wanted !== "string" || wanted.length < 3 || hasAsSeen(value, wanted, joins)) return false;
  // A longer number is another one, a longer word may be a form of the same.
  const letters = runsOf(wanted).replaceAll(/^ (?![0-9])|(?<![0-9]) $/g, "");
  const texts = textsOf(isAlone === true ? element : (value ?? null));
  return letters !== "" && texts.some((text) => runsOf(text).includes(letters));
}

/** How words are joined to others where they stand in a text; whatever has a space in it and more is no join. */
export function joinsIn(text: string, words: string): readonly JoinedWords[] {
  const pieces = text.split(words);
  return pieces.slice(1).map((_, at) => ({
    before: joinOf(pieces.slice(0, at + 1).join(words), /[\p{L}\p{N}]([^\p{L}\p{N}]*)$/u),
    after: joinOf(pieces.slice(at + 1).join(words), /^([^\p{L}\p{N}]*)[\p{L}\p{N}]/u),
  }));
}

/** Signs beside words; undefined: nothing is joined to them there. */
interface JoinedWords {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function joinOf(text: string, place: RegExp): string | undefined {
  const [, signs] = place.exec(text) ?? [];
  if (signs === undefined || !/\s/.test(signs)) return signs;
  return signs.trim() === "" ? " " : undefined;
}

function hasAsSeen(value: Json | undefined, words: string, joins: Joins | undefined): boolean {
  const isSeen = (sign: string | undefined, seen: readonly string[] | undefined): boolean =>
    sign === undefined || (seen?.includes(sign) ?? sign !== "");
  return (
    typeof value === "string" &&
    joinsIn(value, words).some(
      ({ before, after }) => isSeen(before, joins?.before) && isSeen(after, joins?.after),
    )
  );
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return Object.values(value ?? {}).flatMap((each: Json) => textsOf(each));
}

/** Words and numbers, each between spaces. */
function runsOf(text: string): string {
  return wordsOf(text.replaceAll(/[0-9]+/g, " $& "));
}

function wordsOf(text: string): string {
  return ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}
