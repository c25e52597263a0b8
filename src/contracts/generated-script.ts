import type { GeneratedCode, Script, SourceFile } from "../core/skill.ts";

/** The module that was made of a document, whose failures are placed in the document. */
export function generatedScript(
  { text, places }: GeneratedCode,
  compiled: string | undefined,
  [document]: readonly SourceFile[],
): Script {
  const path = document?.path ?? "";
  let before = { line: 1, column: 1 };
  const mappings = places.map((place) => {
    if (!place) return variableLength(0);
    const fields = [0, 0, place.line - before.line, place.column - before.column];
    before = place;
    return fields.map(variableLength).join("");
  });
  const map = { version: 3, sources: [path], names: [], mappings: mappings.join(";") };
  return { path, code: compiled ?? text, map: JSON.stringify(map) };
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A number as source maps write it: base 64, five bits a digit, the lowest first, the sign in the lowest bit. */
function variableLength(value: number): string {
  let digits = "";
  for (let left = value < 0 ? -value * 2 + 1 : value * 2; ; left >>= 5) {
    const isLast = left < 32;
    digits += DIGITS[isLast ? left : (left & 31) | 32];
    if (isLast) return digits;
  }
}
