import type { ClockAndRandomReadings } from "../core/run.ts";

/** Where the clock and the randomness of a call come from. */
export type ClockAndRandomSource =
  | { readonly kind: "world" }
  | { readonly kind: "record"; readonly readings: ClockAndRandomReadings }
  /** The same each time that the run is run. */
  | { readonly kind: "given"; readonly now: () => number; readonly seed: number };

/** Clock and randomness as one call sees them: written down, or read again from what was written down. */
export class ClockAndRandom {
  readonly #source: ClockAndRandomSource;
  readonly #clock: [number, number][] = [];
  #reads = 0;
  #at = 0;
  #seed: number | undefined;

  constructor(source: ClockAndRandomSource) {
    this.#source = source;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    const value = this.#now();
    if (this.#clock.at(-1)?.[1] !== value) this.#clock.push([this.#reads, value]);
    this.#reads++;
    return value;
  }

  /** What `Math.random` is fed with. */
  seed(): number {
    this.#seed ??= this.#seedOf(this.#source) ?? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
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

  #now(): number {
    switch (this.#source.kind) {
      case "world":
        return Date.now();
      case "record":
        return this.#recordedNow(this.#source.readings.clock ?? []);
      case "given":
        return this.#source.now();
    }
  }

  #seedOf(source: ClockAndRandomSource): number | undefined {
    switch (source.kind) {
      case "world":
        return undefined;
      case "record":
        return source.readings.seed;
      case "given":
        return source.seed;
    }
  }

  #recordedNow(clock: readonly (readonly [number, number])[]): number {
    while ((clock[this.#at + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= this.#reads) this.#at++;
    return clock[this.#at]?.[1] ?? 0;
  }
}
