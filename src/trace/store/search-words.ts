/** Words as both stores split them: letters and digits, in lower case. */
export function searchWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
}
