/** The code point of a character; of several the first's. */
export function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
