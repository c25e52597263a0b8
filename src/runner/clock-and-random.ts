import type { ClockAndRandomReadings } from "../core/run.ts";

/** Clock and randomness as one call sees them: written down, or read again from what was written down. */
export class ClockAndRandom {
  readonly #recorded: ClockAndRandomReadings | undefined;
  readonly #clock: [number, number][] = [];
  #reads = 0;
  #at = 0;
  #seed: number | undefined;

  constructor(recorded: ClockAndRandomReadings | undefined) {
    this.#recorded = recorded;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    const value = this.#recorded ? this.#recordedNow(this.#recorded.clock ?? []) : Date.now();
    if (this.#clock.at(-1)?.[1] !== value) this.#clock.push([this.#reads, value]);
    this.#reads++;
    return value;
  }

  /** What `Math.random` is fed with. */
  seed(): number {
    this.#seed ??= this.#recorded?.seed ?? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    return this.#seed;
  }

  /** What has been read so far; nothing where nothing was. */
  get readings(): ClockAndRandomReadings | undefined {
    if (this.#reads === 0 && this.#seed === undefined) return undefined;
    return {
      ...(this.#reads === 0 ? {} : { clock: this.#clock }),
      ...(this.#seed === undefined ? {} : { seed: this.#seed }),
    };
  }

  #recordedNow(clock: readonly (readonly [number, number])[]): number {
    while ((clock[this.#at + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= this.#reads) this.#at++;
    return clock[this.#at]?.[1] ?? 0;
  }
}
