/**
 * A text in which nothing is hidden: control characters, characters without width, those that turn the direction of a
 * text, tags and variation selectors are written as `\u{…}`. New lines, tabs, and the joiners that scripts and emoji
 * need stay. What is longer than `maxCharacters` is cut, and ends with how much is left out.
 */
export function visibleText(text: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  const whole = text.toWellFormed();
  const shown = PLAIN.test(whole) ? whole : whole.replaceAll(HIDDEN, escaped);
  if (shown.length <= maxCharacters) return shown;
  const left = shown.length - maxCharacters;
  return `${shown.slice(0, maxCharacters).replace(LONE_SURROGATE, "")}… (${left} more characters)`;
}

const PLAIN = /^[\n\t\x20-\x7e]*$/;
/** A joiner counts as hidden where it does not join two characters beyond ASCII. */
const HIDDEN =
  /(?<![^\p{ASCII}\p{Cf}])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}\p{Cf}])|(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u{fe00}-\u{fe0e}]|[\u{e0100}-\u{e01ef}]/gu;
const LONE_SURROGATE = /[\ud800-\udbff]$/;

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
}
