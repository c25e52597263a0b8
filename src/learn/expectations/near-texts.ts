import type { Json } from "../../core/json/json.ts";

/**
 * Whether a text has the words of another among its own, or is it but for case and signs, as `failed twice` and `Failed`
 * are nearly `failed`: whether that is meant, too, nobody has seen. A text of one or two letters, or with digits, is a code, and nothing is nearly that. Printed
 * code has the same as `clear`.
 */
export function isNearly(value: Json | undefined, wanted: Json | undefined): boolean {
  if (typeof value !== "string" || typeof wanted !== "string" || value === wanted) return false;
  const words = wordsOf(wanted);
  return words.length > 4 && !/[0-9]/.test(wanted) && wordsOf(value).includes(words);
}

function wordsOf(text: string): string {
  return ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}
