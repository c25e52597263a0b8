/** Characters of which one is meant. */
export interface CharSet {
  readonly ranges: readonly CharRange[];
  /** Unicode properties, each as an expression for one character. */
  readonly properties: readonly RegExp[];
  readonly negated: boolean;
}

export type CharRange = readonly [first: number, last: number];

export function hasCharacter({ ranges, properties, negated }: CharSet, character: number): boolean {
  const isListed =
    ranges.some(([first, last]) => first <= character && character <= last) ||
    properties.some((property) => property.test(String.fromCodePoint(character)));
  return isListed !== negated;
}

/** The last code point. */
export const LAST_CHARACTER = 0x10_ff_ff;

export function setOf(ranges: readonly CharRange[]): CharSet {
  return { ranges, properties: [], negated: false };
}

export function complement(ranges: readonly CharRange[]): readonly CharRange[] {
  const gaps: CharRange[] = [];
  let next = 0;
  for (const [first, last] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return next <= LAST_CHARACTER ? [...gaps, [next, LAST_CHARACTER]] : gaps;
}

export const DIGITS: readonly CharRange[] = [[48, 57]];

export const WORD: readonly CharRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];

export const LINE_ENDS: readonly CharRange[] = [
  [10, 10],
  [13, 13],
  [0x20_28, 0x20_29],
];

export const SPACES: readonly CharRange[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x20_00, 0x20_0a],
  [0x20_28, 0x20_29],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
];
