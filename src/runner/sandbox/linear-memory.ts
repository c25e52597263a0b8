/** Pages of an image are kept at this grain: what is all zero is not stored. */
const GRAIN = 4096;

/** A stretch of an image that is not all zero. */
export interface MemoryRange {
  readonly at: number;
  readonly data: Uint8Array;
}

/** What of a memory is not zero, in page-wise runs. */
export function nonZeroRanges(bytes: Uint8Array, words: Uint32Array): readonly MemoryRange[] {
  const perGrain = GRAIN / 4;
  const grains = words.length / perGrain;
  const runs: MemoryRange[] = [];
  let start = -1;
  for (let grain = 0; grain <= grains; grain++) {
    const used = grain < grains && anyNonZero(words, grain * perGrain, (grain + 1) * perGrain);
    if (used && start < 0) start = grain;
    if (!used && start >= 0) {
      runs.push({ at: start * GRAIN, data: bytes.slice(start * GRAIN, grain * GRAIN) });
      start = -1;
    }
  }
  return runs;
}

/** A C stack in the gap between two runs: it grows down from `top`, and never below `end`. */
export interface CStack {
  readonly top: number;
  readonly end: number;
}

/** Writes runs back and clears what lies between them and above, up to `end`. */
export function writeRanges(
  memory: { readonly bytes: Uint8Array; readonly words: Uint32Array },
  runs: readonly MemoryRange[],
  end: number,
  stack: CStack,
): void {
  const { bytes } = memory;
  let at = 0;
  for (const run of runs) {
    if (run.at > at) bytes.fill(0, isAround(stack, at, run.at) ? usedEnd(memory.words, stack) : at, run.at);
    bytes.set(run.data, run.at);
    at = run.at + run.data.length;
  }
  if (end > at) bytes.fill(0, at, end);
}

/** Most calls use no more of their stack than this. */
const SHALLOW = 32_768;
/** A prime, so that probes do not fall on the same place of every stack frame. */
const PROBE_WORDS = 61;

function isAround({ top, end }: CStack, from: number, to: number): boolean {
  return from <= end && top - SHALLOW <= to;
}

// To clear all of a stack takes longer than a small call, and makes memory resident that nobody has touched. A deep use
// leaves its mark at some of many places.
function usedEnd(words: Uint32Array, { top, end }: CStack): number {
  for (let word = end / 4; word < (top - SHALLOW) / 4; word += PROBE_WORDS) if (words[word] !== 0) return end;
  return top - SHALLOW;
}

export function bytesIn(runs: readonly MemoryRange[]): number {
  return runs.reduce((sum, run) => sum + run.data.length, 0);
}

function anyNonZero(words: Uint32Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (words[index] !== 0) return true;
  return false;
}
