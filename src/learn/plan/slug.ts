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
