/** Pages of an image are kept at this grain: what is all zero is not stored. */
const GRAIN = 4096;

/** A stretch of an image that is not all zero. */
export interface Run {
  readonly at: number;
  readonly data: Uint8Array;
}

/** What of a memory is not zero, in page-wise runs. */
export function runsOf(bytes: Uint8Array, words: Uint32Array): readonly Run[] {
  const perGrain = GRAIN / 4;
  const grains = words.length / perGrain;
  const runs: Run[] = [];
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

/**
 * Writes runs back and clears what lies between them and above, up to `end`. `stackEnd` is how far down the C stack can
 * have been used: what of the gap around it lies below has not been touched.
 */
export function writeRuns(bytes: Uint8Array, runs: readonly Run[], end: number, stackEnd: number): void {
  let at = 0;
  for (const run of runs) {
    if (run.at > at) bytes.fill(0, at < stackEnd && stackEnd <= run.at ? stackEnd : at, run.at);
    bytes.set(run.data, run.at);
    at = run.at + run.data.length;
  }
  if (end > at) bytes.fill(0, at, end);
}

export function bytesIn(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.data.length, 0);
}

function anyNonZero(words: Uint32Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (words[index] !== 0) return true;
  return false;
}
