import type { Expression } from "./plan.ts";

/**
 * The part of a text between two marks, where an empty mark is the text's begin or end. Undefined where the text does not
 * have the marks, has them in different lines, has the first one twice or inside a word, or has something else of the
 * same form: then the part is one of several, and its place alone does not tell which is meant. What a label of its own
 * introduces (`count: 3`) is something else. Printed code has the same as `partOf`.
 */
export function textPart(text: string, after: string, before: string): string | undefined {
  const start = after === "" ? 0 : text.indexOf(after) + after.length;
  const end = before === "" ? text.length : text.indexOf(before, start);
  if (start < after.length || end < start) return undefined;
  const isInWord =
    /^[\p{L}\p{N}]/u.test(after) && /[\p{L}\p{N}_-]$/u.test(text.slice(0, start - after.length));
  if (isInWord || (after !== "" && text.includes(after, start - after.length + 1))) return undefined;
  const part = text.slice(start, end);
  if (part.includes("\n")) return undefined;
  if (!/[\p{L}\p{N}]/u.test(part)) return part;
  const form = part
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll(/[\p{L}\p{N}]+/gu, (word) =>
      /\p{N}/u.test(word) && !part.includes("@")
        ? String.raw`[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*`
        : String.raw`[\p{L}\p{N}]+`,
    );
  const alike = text.matchAll(new RegExp(String.raw`(?<![\p{L}\p{N}])${form}(?![\p{L}\p{N}])`, "gu"));
  const own = labelAt(text, start);
  for (const { index, 0: other } of alike) {
    const label = labelAt(text, index);
    const isLabelled = own !== undefined && label !== undefined && label !== own;
    if (other !== part && !isLabelled) return undefined;
  }
  return part;
}

/**
 * A text with another at the one place where a part of it stands and is not inside of a longer word or number; undefined
 * where it stands at none or several. Printed code has the same as `replacedIn`.
 */
export function replacedText(text: string, part: string, by: string): string | undefined {
  const [place, ...others] = wholePlaces(text, part);
  if (place === undefined || others.length > 0) return undefined;
  return text.slice(0, place) + by + text.slice(place + part.length);
}

/**
 * A text with another at all places where a part of it stands; undefined where it stands at none, or inside of a longer word
 * or number. Printed code has the same as `replacedAll`.
 */
export function replacedTexts(text: string, part: string, by: string): string | undefined {
  const places = wholePlaces(text, part);
  if (places.length === 0 || text.split(part).length - 1 > places.length) return undefined;
  return text.split(part).join(by);
}

/**
 * Whether a part stands once in a text, and not inside of a longer word or number, or is all of its line but for space before
 * it. Printed code has the same as `excerptOf`.
 */
export function isExcerpt(text: string, part: string, isLine: boolean): boolean {
  const [before = "", after = "", ...others] = text.split(part);
  if (wholePlaces(text, part).length !== 1 || others.length > 0) return false;
  // Of a line with its end, the space before it would be left.
  const isBegun =
    part.startsWith("\n") || (part.endsWith("\n") ? /(?:^|\n)$/ : /(?:^|\n)[ \t]*$/).test(before);
  return !isLine || (isBegun && (part.endsWith("\n") || /^\r?(?:\n|$)/.test(after)));
}

/** Where a part stands in a text, and is not inside of a longer word or number. */
function wholePlaces(text: string, part: string): readonly number[] {
  if (part === "") return [];
  const form = part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const begin = /^[\p{L}\p{N}]/u.test(part) ? String.raw`(?<![\p{L}\p{N}_])` : "";
  const end = /[\p{L}\p{N}]$/u.test(part) ? String.raw`(?![\p{L}\p{N}_])` : "";
  // The year in `2026-27` is only a part of a number.
  const behind = /^\d/.test(part) ? String.raw`(?<!\d[.-])` : "";
  const before = /\d$/.test(part) ? String.raw`(?![.-]\d)` : "";
  return Array.from(
    text.matchAll(new RegExp(begin + behind + form + end + before, "gu")),
    ({ index }) => index,
  );
}

/** The word that introduces what stands at a place, as in `total: 80` or `"total": "80"`. */
function labelAt(text: string, at: number): string | undefined {
  return /([\p{L}\p{N}_-]+)["']?\s?[:=]\s?["']?$/u.exec(text.slice(Math.max(0, at - MAX_LABEL), at))?.[1];
}

const MAX_LABEL = 60;

/** Whether a part of a text is always the same, and need not be looked at when it is put there. */
export function isFixedText(part: Expression): part is { readonly kind: "constant"; readonly value: string } {
  return part.kind === "constant" && typeof part.value === "string";
}

/**
 * What stands beside a part of a text that the part must not end: a quote around it, a path or an operator before it, what
 * parts the cells of its row.
 */
export function besideOf(parts: readonly (string | Expression)[], at: number): string {
  const [before = "", after = ""] = [parts[at - 1], parts[at + 1]].map((part) =>
    typeof part === "string" ? part : "",
  );
  const [quote = ""] = /["'`]$/.exec(before) ?? [];
  if (quote !== "") return after.startsWith(quote) ? quote : "";
  if (before.endsWith("/")) return "/";
  const all = parts.slice(0, at).map((part) => (typeof part === "string" ? part : "?"));
  if (/(?:[=<>]|\b(?:VALUES|IN)\s*\((?:[^()]*,)?|\b(?:LIMIT|OFFSET))\s*$/i.test(all.join(""))) return "=";
  // A row begins and ends with its line.
  const [begin, end] = [at === 0 ? "\n" : before, at === parts.length - 1 ? "\n" : after];
  const [, sign = ""] =
    CELLS.find(([opens, , closes]) => {
      const [isOpened, isClosed] = [opens.test(begin), closes.test(end)];
      return (
        (isOpened && (isClosed || end.startsWith("\n"))) ||
        (isClosed && begin.endsWith("\n") && !end.startsWith("|"))
      );
    }) ?? [];
  return sign;
}

/** What parts the cells of a row, before and behind one. */
const CELLS: readonly (readonly [RegExp, string, RegExp])[] = [
  [/,$/, ",", /^,(?!\s)/],
  [/;$/, ";", /^;(?!\s)/],
  [/\t$/, "\t", /^\t/],
  [/\| *$/, "|", /^ *\|/],
];

export const SLUG_SEPARATORS = ["-", "_"] as const;

/** What stands between the words of a slug. */
export type SlugSeparator = (typeof SLUG_SEPARATORS)[number];

/**
 * A short text as the names of branches and files have it: `Login fails on Safari` is `login-fails-on-safari`. Undefined
 * where it has more than words, since that is written in many ways. Printed code has the same.
 */
export function slugOf(text: string, separator: SlugSeparator, isLower: boolean): string | undefined {
  if (!/^[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*$/.test(text)) return undefined;
  if (separator !== "-" && text.includes("-")) return undefined;
  const joined = text.replaceAll(" ", separator);
  return isLower ? joined.toLowerCase() : joined;
}

/** A text in capital or small letters; undefined where one of them has not one other form alone. Printed code has the same. */
export function casedText(text: string, isUpper: boolean): string | undefined {
  if (UNCLEAR_CASE.test(text)) return undefined;
  return isUpper ? text.toUpperCase() : text.toLowerCase();
}

// Beyond the letters of Western Europe a letter may have several forms, or none.
const UNCLEAR_CASE = /[\u0080-\u009F\u00AA\u00B5\u00BA\u00DF\u00FF-\u200F\u203B-\uFFFF]/;
