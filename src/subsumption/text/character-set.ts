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

export const WORD_CHARACTERS: readonly CharRange[] = [
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

/** The characters of a Unicode property, given as an expression for one character. */
export function propertyRanges(property: RegExp): readonly CharRange[] {
  const ranges = known.get(property.source) ?? searched(property);
  known.set(property.source, ranges);
  return ranges;
}

const known = new Map<string, readonly CharRange[]>();

/** Code points that are next to each other and have the same number of code units. */
const PLANES: readonly { readonly first: number; readonly last: number; readonly units: number }[] = [
  { first: 0, last: 0xd7_ff, units: 1 },
  { first: 0xe0_00, last: 0xff_ff, units: 1 },
  { first: 0x1_00_00, last: 0x10_ff_ff, units: 2 },
];

// Surrogates that stand alone are all alike.
const SURROGATES: CharRange = [0xd8_00, 0xdf_ff];

function searched(property: RegExp): readonly CharRange[] {
  const runs = RegExp(`(?:${property.source.slice(1, -1)})+`, "gu");
  const ranges = PLANES.flatMap(({ first, last, units }) =>
    [...charactersFrom(first, last).matchAll(runs)].map(({ index, 0: run }): CharRange => {
      const start = first + index / units;
      return [start, start + run.length / units - 1];
    }),
  );
  return property.test("\u{D800}") ? ranges.concat([SURROGATES]) : ranges;
}

const CHUNK = 0x20_00;

function charactersFrom(first: number, last: number): string {
  const chunks: string[] = [];
  for (let start = first; start <= last; start += CHUNK) {
    const length = Math.min(CHUNK, last - start + 1);
    chunks.push(String.fromCodePoint(...Array.from({ length }, (_, index) => start + index)));
  }
  return chunks.join("");
}
