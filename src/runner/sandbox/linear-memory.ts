/** Pages of an image are kept at this grain: what is all zero is not stored. */
const GRAIN = 4096;
const ZEROS = new Uint8Array(GRAIN);

/** A stretch of an image that is not all zero. */
export interface MemoryRange {
  readonly at: number;
  readonly data: Uint8Array;
}

/** What of a memory is not zero from one address to another, in page-wise runs. */
export function nonZeroRanges(bytes: Uint8Array, from: number, to: number): readonly MemoryRange[] {
  const runs: MemoryRange[] = [];
  const first = from - (from % GRAIN);
  const end = Math.min(bytes.length, to + GRAIN - 1 - ((to - 1) % GRAIN));
  let start = -1;
  for (let at = first; at <= end; at += GRAIN) {
    const isUsed = at < end && Buffer.compare(bytes.subarray(at, at + GRAIN), ZEROS) !== 0;
    if (isUsed && start < 0) start = at;
    if (isUsed || start < 0) continue;
    runs.push({ at: start, data: bytes.slice(start, at) });
    start = -1;
  }
  return runs;
}

/** Which words of a memory's beginning are not as they were. */
export function changedWords(before: Uint32Array, now: Uint32Array): number[] {
  const changed: number[] = [];
  const perGrain = GRAIN / 4;
  for (let at = 0; at < before.length; at += perGrain) {
    const grain = before.subarray(at, at + perGrain);
    if (Buffer.compare(bytesOf(grain), bytesOf(now.subarray(at, at + perGrain))) === 0) continue;
    for (const [index, word] of grain.entries()) if (word !== now[at + index]) changed.push(at + index);
  }
  return changed;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
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
