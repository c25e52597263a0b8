import type { CharRange } from "./character-set.ts";

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
