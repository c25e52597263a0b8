import { fail, ok, type Result } from "../core/result.ts";

const MOST_REPEATED = 4096;
const MOST_LENGTH = 500;

/** A pattern that cannot take long on any text, and the literal text with which each match begins. */
export interface BoundedPattern {
  readonly source: string;
  readonly hint: string;
}

/**
 * Checks a regular expression that somebody else wrote, and bounds what it repeats without limit. The failure tells
 * what about it is unsafe.
 */
export function boundedPattern(pattern: string): Result<BoundedPattern, string> {
  if (pattern.length > MOST_LENGTH) return fail(`the pattern is longer than ${MOST_LENGTH} characters`);
  try {
    new RegExp(pattern).test("");
  } catch {
    return fail("the pattern is no regular expression");
  }
  const hint = /^(?:\\b)?([\w-]{3,})/.exec(pattern)?.[1];
  // The last letter may be repeated or absent.
  const sure = hint?.slice(0, /^(?:\\b)?[\w-]+[*?{+]/.test(pattern) ? -1 : undefined);
  if (sure === undefined || sure.length < 3)
    return fail("the pattern must begin with at least three letters, digits, - or _ as they are");
  if (topLevelAlternatives(pattern)) return fail("put alternatives in a group: x(?:a|b)");
  if (/\\[1-9]|\\k</.test(pattern)) return fail("the pattern refers back to a group");
  if (/\(\?<?[=!]/.test(pattern)) return fail("the pattern looks ahead or behind");
  if (/\)(?:[*+]|\{\d+,\}|\{\d*,?\d{2,}\})/.test(pattern)) return fail("the pattern repeats a group");
  const source = withoutClasses(pattern);
  const repetitions = [...source.matchAll(/(?<!\\)(?:[*+]|\{\d+,\})/g)];
  if (repetitions.length > 1) return fail("the pattern repeats without limit more than once");
  const large = [...source.matchAll(/\{(?:\d+,)?(\d+)\}/g)].filter(([, most]) => Number(most) > 256);
  if (large.length > 0) return fail("the pattern repeats more than 256 times");
  if (new RegExp(pattern).test("[redacted:x]")) return fail("the pattern matches what stands for a secret");
  return ok({ source: bounded(pattern), hint: sure });
}

function topLevelAlternatives(pattern: string): boolean {
  let depth = 0;
  for (const sign of withoutClasses(pattern).replaceAll(/\\./g, "")) {
    if (sign === "(") depth++;
    if (sign === ")") depth--;
    if (sign === "|" && depth === 0) return true;
  }
  return false;
}

function withoutClasses(pattern: string): string {
  return pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, "_");
}

function bounded(pattern: string): string {
  return pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\*|\+|\{(\d+),\}/g, (found, least?: string) => {
    if (found === "*") return `{0,${MOST_REPEATED}}`;
    if (found === "+") return `{1,${MOST_REPEATED}}`;
    return least === undefined ? found : `{${least},${MOST_REPEATED}}`;
  });
}
