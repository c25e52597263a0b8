import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

/** A regular expression of JSON Schema: ECMA-262 with the u flag, found anywhere in a text. */
export interface Pattern {
  readonly test: (text: string) => boolean;
  /** Whether it takes little time on every text; where not, only a deadline bounds it. */
  readonly isQuick: boolean;
}

/**
 * A pattern that somebody else wrote. One that an engine with backtracking surely tries in few ways is given to that of
 * the language; another to RE2 (Cox, Regular Expression Matching Can Be Simple And Fast, 2007), whose time is linear in
 * the text. What RE2 does not know, such as look-ahead, is left to the engine of the language. Throws where the pattern
 * is not valid.
 */
export function linearPattern(source: string): Pattern {
  const native = new RegExp(source, "u");
  if (hasFewWays(source)) return { test: (text) => native.test(text), isQuick: true };
  const linear = re2Of(source);
  return { test: (text) => (linear ? linear.test(text) : native.test(text)), isQuick: false };
}

/** For each place of a text where a match may begin or a repetition may end, and where there is only one. */
const MAX_WAYS = { manyPlaces: 32, onePlace: 1_000 };
const MAX_CHARACTERS = 500;
const CLASS = String.raw`\[(?:\\.|[^\]\\])*\]`;
const BACK_OR_AROUND = /\\[1-9]|\\k<|\(\?<?[=!]/;
const REPEATED_GROUP = /\)(?:[*+?]|\{)/;

/** Whether it repeats no group, and is tried at one place, or is of a bounded length, in at most so many ways. */
function hasFewWays(source: string): boolean {
  const plain = source.replaceAll(new RegExp(String.raw`\\[pP]\{[^}]*\}|\\u\{[^}]*\}|${CLASS}`, "g"), "_");
  if (BACK_OR_AROUND.test(plain)) return false;
  const signs = plain.replaceAll(/\\./g, "_");
  if (REPEATED_GROUP.test(signs)) return false;
  const unbounded = signs.match(/(?<!\()[*+]|\{\d+,\}/g)?.length ?? 0;
  const isAnchored = signs.startsWith("^") && !signs.includes("|");
  if (unbounded > (isAnchored ? 1 : 0)) return false;
  let ways = signs.split("|").length;
  for (const [, least = "", most = least] of signs.matchAll(/\{(\d+)(?:,(\d+))?\}/g))
    ways *= isAnchored ? Number(most) - Number(least) + 1 : Number(most) + 1;
  for (const _ of signs.matchAll(/(?<![(*+?}])\?/g)) ways *= 2;
  const isOfOnePlace = isAnchored && unbounded === 0;
  return signs.length <= MAX_CHARACTERS && ways <= MAX_WAYS[isOfOnePlace ? "onePlace" : "manyPlaces"];
}

let re2: typeof RE2JS | undefined;

function re2Of(source: string): RE2JS | undefined {
  const translated = withSpelledClasses(source);
  if (translated === undefined) return undefined;
  // Few schemas need it, and it takes long to load.
  re2 ??= (createRequire(import.meta.url)("re2js") as { readonly RE2JS: typeof RE2JS }).RE2JS;
  try {
    return re2.compile(re2.translateRegExp(translated));
  } catch {
    return undefined;
  }
}

const SPACES = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;

/** What means another thing to RE2 is spelled out: white space, and the dot. Nothing where that cannot be written. */
function withSpelledClasses(source: string): string | undefined {
  let isInClass = false;
  let isWritable = true;
  const spelled = source.replaceAll(/\\.|[.[\]]/gsu, (sign) => {
    if (sign === "[") isInClass = true;
    if (sign === "]") isInClass = false;
    if (sign === "\\s") return isInClass ? SPACES : `[${SPACES}]`;
    if (sign === "\\S" && isInClass) isWritable = false;
    if (sign === "\\S") return `[^${SPACES}]`;
    return sign === "." && !isInClass ? String.raw`[^\n\r\x{2028}\x{2029}]` : sign;
  });
  return isWritable ? spelled : undefined;
}
