import type { Json } from "../../core/json/json.ts";
import { compares } from "../plan/quantities.ts";

/**
 * Whether a text has the words of another among its own, or is it but for case and signs, as `failed twice` and `Failed`
 * are nearly `failed`: whether that is meant, too, nobody has seen. A text of one or two letters, or with digits, is a code,
 * and nothing is nearly that. Printed code has the same as `clear`.
 */
export function isNearly(value: Json | undefined, wanted: Json | undefined): boolean {
  if (typeof value !== "string" || typeof wanted !== "string" || value === wanted) return false;
  const words = wordsOf(wanted);
  return words.length > 4 && !/[0-9]/.test(wanted) && wordsOf(value).includes(words);
}

/**
 * Whether a text has the letters of another and not its words, as `Ink` and `inks` nearly have `ink`. Printed code has the
 * same as `clearPart`.
 */
export function nearlyHas(value: Json | undefined, wanted: Json | undefined): boolean {
  if (typeof value !== "string" || typeof wanted !== "string" || wanted.length < 3) return false;
  const hasLetters =
    value.toLowerCase().includes(wanted.toLowerCase()) ||
    wordsOf(value).trim().includes(wordsOf(wanted).trim());
  return !/[0-9]/.test(wanted) && hasLetters && !compares(value, "contains", wanted);
}

function wordsOf(text: string): string {
  return ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}
