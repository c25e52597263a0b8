import type { RE2JS } from "re2js";
import { fail, ok, type Result } from "../../core/result.ts";
import { linearExpressions } from "../../core/text/linear-expressions.ts";

/** A rule of one's own: its time is a multiple of the text's length, whatever the pattern. */
export interface CustomRule {
  /** The literal text with which each match begins. */
  readonly hint: string;
  /** The first match at or after a place. */
  readonly find: (text: string, from: number) => { readonly start: number; readonly end: number } | undefined;
}

/** Checks a regular expression that somebody else wrote; the failure tells what about it cannot be used. */
export function customRule(pattern: string): Result<CustomRule, string> {
  if (pattern.length > MAX_LENGTH) return fail(`the pattern is longer than ${MAX_LENGTH} characters`);
  const re2 = linearExpressions();
  const source = re2.translateRegExp(pattern);
  let expression: RE2JS;
  try {
    expression = re2.compile(source);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(`the pattern is no regular expression of RE2, whose time is linear: ${why}`);
  }
  const literal = /^(?:\\b)?([\w-]{3,})/.exec(pattern)?.[1];
  // The last letter may be repeated or absent.
  const hint = literal?.slice(0, /^(?:\\b)?[\w-]+[*?{+]/.test(pattern) ? -1 : undefined);
  if (hint === undefined || hint.length < 3)
    return fail("the pattern must begin with at least three letters, digits, - or _ as they are");
  if (topLevelAlternatives(pattern)) return fail("put alternatives in a group: x(?:a|b)");
  if (expression.matcher("[redacted:x]").find()) return fail("the pattern matches what stands for a secret");
  return ok({
    hint,
    find: (text, from) => {
      const matcher = expression.matcher(text);
      if (!matcher.find(from)) return undefined;
      return { start: matcher.start(), end: matcher.end() };
    },
  });
}

const MAX_LENGTH = 500;

function topLevelAlternatives(pattern: string): boolean {
  let depth = 0;
  for (const sign of pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, "_").replaceAll(/\\./g, "")) {
    if (sign === "(") depth++;
    if (sign === ")") depth--;
    if (sign === "|" && depth === 0) return true;
  }
  return false;
}
